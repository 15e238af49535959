"""The spool: the pages a crawl holds on disk until their site has been seen.

A spool is one WARC file. While pages are added or wait to be worked on it is called
``CRAWL.spool.warc.gz``; once drained and kept it is the crawl's archive, ``CRAWL.warc.gz``. What a
replay needs to know stands in the file's own ``warcinfo`` record, so the file is all there is.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import zlib
from array import array
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from crawler.core.errors import StoreError
from crawler.store.archive import WarcWriter, page_of
from crawler.store.payload import PayloadError
from crawler.store.warc import member_offsets, read_records

if (
    sys.platform != "win32"
):  # which has no advisory locks: nothing tells a live spool from a left one
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawler.core.page import Page

__all__ = ["Spool", "SpoolInfo", "find_spools"]

_log = logging.getLogger(__name__)
_OPEN_SUFFIX = ".spool.warc.gz"
_DRAINED_SUFFIX = ".warc.gz"
_META = "x-corpus-spool"  # line of the warcinfo record that holds the spool's own facts, as JSON
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,149}")


@dataclass(frozen=True, slots=True)
class _Facts:
    crawl_id: str
    started: str
    spider: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpoolInfo:
    """What is known of a spool in a folder.

    ``pages`` counts the whole pages in it. ``drained`` says that all of them have been worked on.
    ``in_use`` says that a living process holds it (always ``False`` where the system has no
    file locks). ``started``, ``spider`` and ``settings`` are what the crawl that made it gave.
    """

    path: Path
    crawl_id: str
    started: str
    spider: str
    settings: Mapping[str, Any]
    pages: int
    drained: bool
    in_use: bool


class Spool:
    """The pages held by one crawl, in the order they came.

    Make one with :meth:`create`, or take up one that was left behind with :meth:`open`. Either way
    the process holds a lock on the file until :meth:`close` or its own death, so no two processes
    work on the same spool.

    A page whose :meth:`append` returned is in the hands of the operating system and survives
    ``kill -9``. Pages are not forced to the disk one by one: a power cut may lose the last seconds.
    """

    def __init__(
        self, path: Path, facts: _Facts, file: IO[bytes] | WarcWriter, offsets: array[int]
    ) -> None:
        self._path = path
        self._facts = facts
        self._file = file
        self._offsets = offsets

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
        if not _SAFE_ID.fullmatch(crawl_id):
            raise StoreError(
                f"{crawl_id!r} cannot name a spool. Use up to 150 letters, digits, '.', '_' or '-'."
            )
        facts = _Facts(crawl_id, started, spider, dict(settings or {}))
        try:
            line = json.dumps(asdict(facts))
        except (TypeError, ValueError) as error:
            raise StoreError(f"The settings of a spool must be JSON values ({error}).") from None
        path = Path(folder) / f"{crawl_id}{_OPEN_SUFFIX}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{path.parent} cannot be made: {error.strerror or error}. Choose another folder."
            ) from error
        drained = _drained_path(path)
        if drained.exists():
            raise StoreError(
                f"{drained} is the archive of a crawl of that name. Move it away or choose another."
            )
        writer = WarcWriter(path, date=started, info={_META: line})
        _lock(writer.fileno(), path)
        return cls(path, facts, writer, array("Q"))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Take up a spool left behind, to read it; nothing can be appended.

        Half a page at its end, cut off by a kill, is no page and is passed over.

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
            return cls(path, _own_facts(file, path), file, _page_offsets(file, path))
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
        return _info(self._path, self._facts, len(self), in_use=not self._file.closed)

    def __len__(self) -> int:
        return len(self._offsets)

    def append(self, page: Page) -> None:
        """Add a page. When this returns, the page survives the death of the process.

        Raises:
            StoreError: the spool is closed or was opened to read, the disk is full, or the page's
                fields cannot be kept as JSON. The pages held before are safe.
        """
        if not isinstance(self._file, WarcWriter):
            raise StoreError(f"{self._path} was opened to read: no page can be added any more.")
        self._offsets.append(self._file.write(page))

    def pages(self, start: int = 0, count: int | None = None) -> Iterator[Page]:
        """Give pages in the order they were appended, one at a time.

        Works while the spool is filled, and after :meth:`close`; pages appended after the call are
        not given.

        Args:
            start: the first page to give, counted from 0. It is found without reading those before.
            count: how many to give at most; ``None`` means all.

        Raises:
            StoreError: the file is gone, or a page in it has been damaged since.
        """
        if start < 0 or (count is not None and count < 0):
            raise StoreError(f"A spool has no pages from {start}, {count} of them: count from 0.")
        last = len(self) if count is None else min(len(self), start + count)
        return self._read(range(start, last))

    def _read(self, wanted: range) -> Iterator[Page]:
        try:
            with self._path.open("rb") as file:
                for number in wanted:
                    yield self._read_one(file, number)
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be read: {error.strerror or error}. "
                "Has it been moved or deleted?"
            ) from error

    def _read_one(self, file: IO[bytes], number: int) -> Page:
        file.seek(self._offsets[number])
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

    def mark_drained(self) -> None:
        """Say that every page has been worked on: the file becomes the crawl's archive.

        It is renamed in one step, so it is found either waiting or drained, never half. The spool
        is closed by this.

        Raises:
            StoreError: the file cannot be renamed.
        """
        self.close()
        drained = _drained_path(self._path)
        try:
            os.replace(self._path, drained)  # noqa: PTH105 - the atomic rename, by its known name
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be renamed: {error.strerror or error}. "
                "Check the folder's permissions."
            ) from error
        self._path = drained

    def close(self) -> None:
        """End appending and let go of the lock. The pages stay readable."""
        self._file.close()

    def delete(self) -> None:
        """Close the spool and remove its file. A file already gone is no error.

        Raises:
            StoreError: the file cannot be removed.
        """
        self.close()
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be removed: {error.strerror or error}. Remove it by hand."
            ) from error


def find_spools(folder: str | os.PathLike[str]) -> list[SpoolInfo]:
    """List the spools in a folder, by name; a missing folder has none.

    Each file is unpacked once to count its pages; none is parsed. Archives that are no spools are
    not listed. A spool that cannot be read is logged as a warning and not listed.
    """
    found = []
    for path in sorted(Path(folder).glob(f"*{_DRAINED_SUFFIX}")):
        try:
            with path.open("rb") as file:
                facts = _read_facts(file)
                if facts is None:
                    if path.name.endswith(_OPEN_SUFFIX):
                        _log.warning("%s holds no spool: it was cut off at its start.", path)
                    continue
                in_use = not _try_lock(file.fileno())
                pages = len(_page_offsets(file, path))
        except OSError as error:
            _log.warning("%s cannot be read: %s", path, error.strerror or error)
            continue
        found.append(_info(path, facts, pages, in_use=in_use))
    return found


def _info(path: Path, facts: _Facts, pages: int, *, in_use: bool) -> SpoolInfo:
    return SpoolInfo(
        path=path,
        crawl_id=facts.crawl_id,
        started=facts.started,
        spider=facts.spider,
        settings=facts.settings,
        pages=pages,
        drained=not path.name.endswith(_OPEN_SUFFIX),
        in_use=in_use,
    )


def _drained_path(path: Path) -> Path:
    return path.with_name(
        path.name.removesuffix(_OPEN_SUFFIX).removesuffix(_DRAINED_SUFFIX) + _DRAINED_SUFFIX
    )


def _read_facts(file: IO[bytes]) -> _Facts | None:
    """The facts in the file's first member; ``None`` where it is no spool's."""
    try:
        text = zlib.decompressobj(wbits=31).decompress(file.read(1 << 16), 1 << 20)
    except zlib.error:
        return None
    finally:
        file.seek(0)
    for line in text.split(b"\r\n"):
        name, _, value = line.partition(b": ")
        if name == _META.encode():
            try:
                return _Facts(**json.loads(value))
            except (ValueError, TypeError):
                return None
    return None


def _own_facts(file: IO[bytes], path: Path) -> _Facts:
    facts = _read_facts(file)
    if facts is None:
        raise StoreError(f"{path} is no spool. Read other archives with the archive spider.")
    return facts


def _page_offsets(file: IO[bytes], path: Path) -> array[int]:
    """Where the whole pages of a spool begin. The first member is its ``warcinfo``."""

    def on_damage(reason: str, detail: str) -> None:
        # A cut-off end is what a kill leaves of a page never promised; anything else is a loss.
        level = logging.INFO if reason == "truncated" else logging.WARNING
        _log.log(level, "%s: %s (%s)", path, detail, reason)

    return array("Q", list(member_offsets(file, on_damage=on_damage))[1:])


def _lock(descriptor: int, path: Path) -> None:
    if not _try_lock(descriptor):
        raise StoreError(
            f"{path} is in use by another process. Wait until that crawl or replay has ended."
        )


def _try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; ``False`` where another holds it."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Some network file systems know no locks; the exclusive creation still holds there.
        return True
    return True
