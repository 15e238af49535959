"""The spool: the pages a crawl holds on disk until their site has been seen.

A spool is one WARC file. While pages are added or wait to be worked on it is called
``CRAWL.spool.warc.gz``; once drained and kept it is the crawl's archive, ``CRAWL.warc.gz``. What a
replay needs to know stands in the file's own ``warcinfo`` record, so the file is all there is.
"""

from __future__ import annotations

import logging
from array import array
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from crawler.core.errors import StoreError
from crawler.store.archive import WarcWriter, page_of
from crawler.store.lock import try_lock
from crawler.store.payload import PayloadError
from crawler.store.spool_file import (
    Contents,
    SpoolFacts,
    archive_path,
    is_waiting,
    read_facts,
    spool_path,
    survey,
)
from crawler.store.warc import read_records

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from crawler.core.page.page import Page
    from crawler.store.spool_file import SpoolInfo

__all__ = ["Spool"]

_log = logging.getLogger(__name__)


class Spool:
    """The pages held by one crawl, in the order they came.

    Make one with :meth:`create`, or take up one that was left behind with :meth:`open`. Either way
    the process holds a lock on the file until :meth:`close` or its own death, so no two processes
    work on the same spool.

    A page whose :meth:`append` returned is in the hands of the operating system and survives
    ``kill -9``. Pages are not forced to the disk one by one: a power cut may lose the last seconds.
    """

    def __init__(
        self, path: Path, facts: SpoolFacts, file: IO[bytes] | WarcWriter, contents: Contents
    ) -> None:
        self._path = path
        self._facts = facts
        self._file = file
        self._contents = contents

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        crawl_id: str,
        *,
        started: str,
        spider: str = "",
        settings: Mapping[str, Any] | None = None,
    ) -> Self:
        """Begin the spool of a crawl; the folder is made where it is missing.

        Args:
            folder: where spools are kept.
            crawl_id: names the file: letters, digits, ``.``, ``_`` and ``-``.
            started: when the crawl started, ISO 8601.
            spider: the spider's name, for the one who reads the list of spools later.
            settings: what a replay must set to give the same items (JSON values).

        Raises:
            StoreError: the name will not do, a spool of that name is there, or the folder or file
                cannot be made.
        """
        facts = SpoolFacts(crawl_id, started, spider, dict(settings or {}))
        head = facts.warcinfo()
        path = spool_path(folder, crawl_id)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{path.parent} cannot be made: {error.strerror or error}. Choose another folder."
            ) from error
        archive = archive_path(path)
        if archive.exists():
            raise StoreError(
                f"{archive} is the archive of a crawl of that name. Move it away or choose another."
            )
        writer = WarcWriter(path, date=started, info=head)
        _lock(writer.fileno(), path)
        return cls(path, facts, writer, Contents(array("Q")))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Take up a spool left behind, to read it; nothing can be appended.

        Half a page at its end, cut off by a kill, is no page and is passed over; damage before it
        stands in :attr:`damage`.

        Raises:
            StoreError: the file is missing, unreadable, no spool, or held by a living process.
        """
        path = Path(path)
        try:
            file = path.open("rb")
        except OSError as error:
            raise StoreError(
                f"{path} cannot be opened: {error.strerror or error}. Check the path."
            ) from error
        try:
            _lock(file.fileno(), path)
            facts, contents = read_facts(file, path), survey(file)
            if contents.cut:
                _log.info("%s: %s; the pages before it are whole", path, contents.cut)
            return cls(path, facts, file, contents)
        except BaseException:
            file.close()
            raise

    @property
    def path(self) -> Path:
        """The file, under its present name."""
        return self._path

    @property
    def info(self) -> SpoolInfo:
        """The spool's facts as they are now."""
        return self._facts.of_file(self._path, self._contents, in_use=not self._file.closed)

    @property
    def damage(self) -> tuple[str, ...]:
        """What was found damaged when it was opened, a line a place; pages there are lost."""
        return self._contents.damage

    def __len__(self) -> int:
        return len(self._contents.offsets)

    def append(self, page: Page) -> None:
        """Add a page. When this returns, the page survives the death of the process.

        Raises:
            StoreError: the spool is closed or was opened to read, the disk is full, or the page's
                fields cannot be kept as JSON. The pages held before are safe.
        """
        if not isinstance(self._file, WarcWriter):
            raise StoreError(f"{self._path} was opened to read: no page can be added any more.")
        self._contents.offsets.append(self._file.write(page))

    def pages(self) -> Iterator[Page]:
        """Give the pages in the order they were appended, one at a time.

        Works while the spool is filled, and after :meth:`close`; pages appended after the call are
        not given.

        Raises:
            StoreError: the file is gone, or a page in it has been damaged since.
        """
        return self._read(len(self))

    def _read(self, count: int) -> Iterator[Page]:
        try:
            with self._path.open("rb") as file:
                for number in range(count):
                    yield self._read_one(file, number)
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be read: {error.strerror or error}. "
                "Has it been moved or deleted?"
            ) from error

    def _read_one(self, file: IO[bytes], number: int) -> Page:
        file.seek(self._contents.offsets[number])
        damage: list[str] = []
        records = read_records(
            file,
            name=str(self._path),
            max_block=None,
            on_damage=lambda _reason, detail: damage.append(detail),
        )
        try:
            record = next(records, None)
            page = None if record is None or damage else page_of(record)
        except PayloadError as error:
            damage.append(error.detail)
            page = None
        if page is None:
            raise StoreError(
                f"{self._path}: page {number} is damaged ({'; '.join(damage) or 'no page'}). "
                "Open the spool anew to work on the pages that are whole."
            )
        return page

    def finish(self, *, keep: bool) -> None:
        """Say that every page has been worked on, and close the spool.

        A spool that was waiting becomes the crawl's archive if ``keep``, else it is removed; a file
        already gone is no error. An archive stays what and where it is.

        Raises:
            StoreError: the file cannot be renamed or removed, or another archive has its new name.
        """
        self.close()
        if not is_waiting(self._path):
            return
        try:
            if keep:
                self._become_archive()
            else:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            change = "renamed" if keep else "removed"
            raise StoreError(
                f"{self._path} cannot be {change} ({error.strerror or error}): see to it by hand"
            ) from error

    def _become_archive(self) -> None:
        archive = archive_path(self._path)
        if archive.exists():
            raise StoreError(f"{archive} is there already: move it away or rename the spool")
        # In one step, so that it is found either waiting or drained, never half.
        self._path.rename(archive)
        self._path = archive

    def close(self) -> None:
        """End appending and let go of the lock. The pages stay readable."""
        self._file.close()


def _lock(descriptor: int, path: Path) -> None:
    if not try_lock(descriptor):
        raise StoreError(
            f"{path} is in use by another process. Wait until that crawl or replay has ended."
        )
