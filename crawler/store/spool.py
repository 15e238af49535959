"""The spool: the pages that a crawl keeps on disk until it has seen their site.

A spool is one WARC file. While pages are added or wait to be processed it is called
``CRAWL.spool.warc.gz``; once they are exported and kept it is the crawl's archive,
``CRAWL.warc.gz``. What a replay needs to know is in the file's own ``warcinfo`` record.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from crawler.core.errors import StoreError, UnreadableInputError
from crawler.core.page.page import Page
from crawler.store.archive import WarcWriter, pages_in
from crawler.store.files import lock_beside, system_errors
from crawler.store.warc import Record, read_records

if TYPE_CHECKING:
    from filelock import BaseFileLock

_log = logging.getLogger(__name__)
_WAITING = ".spool.warc.gz"
_ARCHIVE = ".warc.gz"
_META = "x-corpus-spool"  # line of the warcinfo record with the facts of the crawl, as JSON
_FACTS = {"crawl_id": str, "started": str, "spider": str, "settings": dict}
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,149}")


@dataclass(frozen=True, slots=True)
class SpoolInfo:
    """What is known of a spool in a folder.

    Attributes:
        path: Its file.
        crawl_id, started, spider, settings: As its crawl gave them: see :meth:`Spool.create`.
        pages: How many whole pages it holds.
        in_use: Whether a running process works on it.
        damage: The places in it that cannot be read, a line each; the pages there are lost.
    """

    path: Path
    crawl_id: str
    started: str
    spider: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    pages: int = 0
    in_use: bool = False
    damage: tuple[str, ...] = ()

    @property
    def drained(self) -> bool:
        """Whether all pages have been exported; the name of the file says so."""
        return not self.path.name.endswith(_WAITING)


class Spool:
    """The pages of one crawl, in the order in which they were appended.

    Make one with :meth:`create`, or open one that was left behind with :meth:`open`. Either way the
    process holds a lock until :meth:`close` or its own end, so no two processes work on a spool.

    A page whose :meth:`append` returned is in the hands of the operating system and survives
    ``kill -9``. Pages are not forced to the disk one by one: a power cut may lose the last seconds.
    """

    def __init__(
        self, info: SpoolInfo, lock: BaseFileLock | None, writer: WarcWriter | None = None
    ) -> None:
        self.info = replace(info, in_use=lock is not None)
        """What is known of the spool now."""
        self._lock = lock
        self._writer = writer

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
        """Begin the spool of a crawl; a missing folder is made.

        Args:
            folder: where spools are kept.
            crawl_id: names the file: letters, digits, ``.``, ``_`` and ``-``.
            started: when the crawl started, ISO 8601.
            spider: the spider's name, for the list of spools.
            settings: what a replay must set to give the same items (JSON values).

        Raises:
            StoreError: a spool or archive of that name exists, or the folder or file cannot be
                made.
        """
        path = spool_path(folder, crawl_id)
        info = SpoolInfo(path, crawl_id, started, spider, dict(settings or {}))
        facts = json.dumps({name: getattr(info, name) for name in _FACTS})
        with system_errors(f"{path.parent} cannot be made", "Choose another folder."):
            path.parent.mkdir(parents=True, exist_ok=True)
        if (archive := _archive_path(path)).exists():
            raise StoreError(
                f"{archive} is the archive of a crawl of that name. Move it away or choose another."
            )
        with ExitStack() as on_error:
            writer = on_error.enter_context(WarcWriter(path, date=started, info={_META: facts}))
            spool = cls(info, _locked(path), writer)
            on_error.pop_all()
        return spool

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a spool that was left behind, to read it; nothing can be appended.

        A page at its end that a kill cut off is no page. Other damage is in ``info.damage``.

        Raises:
            StoreError: the file is missing, unreadable, no spool, or in use by another process.
        """
        path = Path(path)
        lock = _locked(path) if path.is_file() else None
        try:
            return cls(_survey(path), lock)
        except BaseException:
            _release(lock)
            raise

    @property
    def path(self) -> Path:
        """The file, under its present name."""
        return self.info.path

    def __len__(self) -> int:
        return self.info.pages

    def append(self, page: Page) -> None:
        """Add a page. When this returns, the page survives the death of the process.

        Raises:
            StoreError: the spool is closed or was opened to read, the disk is full, or the page's
                fields cannot be written as JSON. The pages added before are safe.
        """
        if self._writer is None:
            raise StoreError(f"{self.path} was opened to read: no page can be added any more.")
        self._writer.write(page)
        self.info = replace(self.info, pages=self.info.pages + 1)

    def pages(self) -> Iterator[Page]:
        """Give the pages in the order in which they were appended, one at a time.

        Works while pages are appended, and after :meth:`close`. Pages that are appended after the
        call are not given.

        Raises:
            StoreError: the file is gone, or has been damaged since it was opened.
        """
        return self._read(self.info.pages)

    def _read(self, count: int) -> Iterator[Page]:
        given = 0

        def on_damage(_reason: str, detail: str) -> None:
            detail = detail.removeprefix(f"{name}: ")
            if detail not in self.info.damage:
                raise StoreError(
                    f"{name}: page {given} is damaged ({detail}). "
                    "Open the spool once more to process the pages that are whole."
                )

        name = str(self.path)
        errors = system_errors(f"{name} cannot be read", "Has it been moved or deleted?")
        with errors, self.path.open("rb") as file:
            pages = pages_in(file, name, on_skip=on_damage, max_bytes=sys.maxsize)
            for page in islice(pages, count):
                yield page
                given += 1
        if given < count:
            on_damage("truncated", "the file is shorter than it was")

    def finish(self, *, keep: bool) -> None:
        """Note that every page has been exported, and close the spool.

        A waiting spool becomes the crawl's archive if ``keep``, else it is removed. It is no error
        if the file is gone already. An archive stays as it is.

        Raises:
            StoreError: the file cannot be renamed or removed, or another archive has its new name.
        """
        if self._writer is not None:
            self._writer.close()
        change = "renamed" if keep else "removed"
        lock, archive = _lock_path(self.path), _archive_path(self.path)
        try:
            with system_errors(f"{self.path} cannot be {change}", "Do it by hand."):
                if self.info.drained:
                    return
                if not keep:
                    self.path.unlink(missing_ok=True)
                elif archive.exists():
                    raise StoreError(f"{archive} exists already: move it away or rename the spool")
                else:
                    # In one step, so that a kill leaves it either waiting or drained.
                    self.info = replace(self.info, path=self.path.rename(archive))
                lock.unlink(missing_ok=True)
        finally:
            self.close()

    def close(self) -> None:
        """Stop appending, and release the lock. The pages can still be read."""
        if self._writer is not None:
            self._writer.close()
        _release(self._lock)
        self.info = replace(self.info, in_use=False)


def spool_path(folder: str | os.PathLike[str], crawl_id: str) -> Path:
    """Return the file of a crawl's spool while pages are added or wait."""
    return Path(folder) / f"{crawl_id}{_WAITING}"


def waiting_spools(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the files of spools that wait and that no process works on, without reading them."""
    for path in sorted(Path(folder).glob(f"*{_WAITING}")):
        with suppress(StoreError):
            _release(_locked(path))
            yield path


def find_spools(folder: str | os.PathLike[str]) -> list[SpoolInfo]:
    """List the spools in a folder, by name; a missing folder has none.

    Archives that are no spools are not listed. Nor is a spool that cannot be read; a warning is
    logged.
    """
    found = []
    for path in sorted(Path(folder).glob(f"*{_ARCHIVE}")):
        try:
            found.append(spool_info(path))
        except _NoSpoolError:
            if path.name.endswith(_WAITING):
                _log.warning("%s holds no spool: its beginning is damaged or cut off.", path)
        except StoreError as error:
            _log.warning("%s", error)
    return found


def spool_info(path: str | os.PathLike[str]) -> SpoolInfo:
    """Return what is known of one spool, which may be in use.

    Raises:
        StoreError: the file is missing, unreadable, or no spool.
    """
    path = Path(path)
    info = _survey(path)
    # Where no crawl has made the lock file, looking at the spool does not make it either.
    if _lock_path(path).exists():
        try:
            _release(_locked(path))
        except StoreError:
            return replace(info, in_use=True)
    return info


class _NoSpoolError(StoreError):
    """A file is no spool."""


def _archive_path(path: Path) -> Path:
    name = path.name.removesuffix(_WAITING).removesuffix(_ARCHIVE)
    return path.with_name(name + _ARCHIVE)


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _locked(path: Path) -> BaseFileLock | None:
    """Lock a spool. An archive needs no lock: nobody writes or removes it."""
    if not path.name.endswith(_WAITING):
        return None
    return lock_beside(path, "another process. Wait until that crawl or replay has ended.")


def _release(lock: BaseFileLock | None) -> None:
    if lock is not None:
        lock.release()


def _survey(path: Path) -> SpoolInfo:
    damage: list[str] = []

    def on_damage(reason: str, detail: str) -> None:
        if reason == "truncated":
            _log.info("%s: %s; the pages before are whole", path, detail)
        else:
            damage.append(detail)

    with (
        suppress(UnreadableInputError),
        system_errors(f"{path} cannot be opened", "Check the path."),
        path.open("rb") as file,
    ):
        records = read_records(file, name=str(path), max_block=None, on_damage=on_damage)
        facts = _facts_in(next(records, None))
        if facts is not None:
            pages = sum(1 for _ in records)
            return SpoolInfo(path, **facts, pages=pages, damage=tuple(damage))
    raise _NoSpoolError(f"{path} is no spool. Read other archives with the archive spider.")


def _facts_in(record: Record | None) -> dict[str, Any] | None:
    """Read the facts of a crawl; ``None`` where a record holds none as crawls write them."""
    lines = (record.block or b"").split(b"\r\n") if record else []
    pairs = (line.partition(b": ") for line in lines)
    value = next((value for name, _, value in pairs if name == _META.encode()), b"")
    try:
        facts = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(facts, dict) or not facts.keys() <= _FACTS.keys():
        return None
    facts = {"spider": "", "settings": {}, **facts}
    sound = all(isinstance(facts.get(name), kind) for name, kind in _FACTS.items())
    # The name of the crawl becomes a file's name again where counts are kept.
    return facts if sound and _SAFE_ID.fullmatch(facts["crawl_id"]) else None
