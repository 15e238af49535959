"""What the file of a spool tells apart from its pages: its names, its facts, its state."""

from __future__ import annotations

import json
import logging
import re
import zlib
from array import array
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from crawler.core.errors import StoreError
from crawler.store.lock import try_lock
from crawler.store.warc import member_offsets

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = [
    "Contents",
    "SpoolFacts",
    "SpoolInfo",
    "archive_path",
    "find_spools",
    "is_waiting",
    "read_facts",
    "spool_info",
    "spool_path",
    "survey",
]

_log = logging.getLogger(__name__)
_WAITING_SUFFIX = ".spool.warc.gz"
_ARCHIVE_SUFFIX = ".warc.gz"
_META = "x-corpus-spool"  # line of the warcinfo record that holds the spool's own facts, as JSON
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,149}")


@dataclass(frozen=True, slots=True)
class SpoolFacts:
    """What the crawl that makes a spool writes at its beginning: see :meth:`Spool.create`."""

    crawl_id: str
    started: str
    spider: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def warcinfo(self) -> dict[str, str]:
        """Return the facts as a line of the ``warcinfo`` record.

        Raises:
            StoreError: the name will not do, or a setting is no JSON value.
        """
        if not _SAFE_ID.fullmatch(self.crawl_id):
            raise StoreError(
                f"{self.crawl_id!r} cannot name a spool. "
                "Use up to 150 letters, digits, '.', '_' or '-'."
            )
        try:
            return {_META: json.dumps(asdict(self))}
        except (TypeError, ValueError) as error:
            raise StoreError(f"The settings of a spool must be JSON values ({error}).") from None

    def of_file(self, path: Path, contents: Contents, *, in_use: bool) -> SpoolInfo:
        """Return the facts together with what the file at ``path`` holds at present."""
        return SpoolInfo(
            path=path,
            crawl_id=self.crawl_id,
            started=self.started,
            spider=self.spider,
            settings=self.settings,
            pages=len(contents.offsets),
            drained=not is_waiting(path),
            in_use=in_use,
            damaged=len(contents.damage),
        )


@dataclass(frozen=True, slots=True)
class Contents:
    """What is found by reading a spool through.

    ``offsets`` says where its whole pages begin; ``damage`` what makes no sense between them, a
    line a place; ``cut`` how the end is cut off, empty where it is not. A cut-off end is what a
    kill leaves of a page that was never promised.
    """

    offsets: array[int]
    damage: tuple[str, ...] = ()
    cut: str = ""


@dataclass(frozen=True, slots=True)
class SpoolInfo:
    """What is known of a spool in a folder.

    ``pages`` counts the whole pages in it, ``damaged`` the places where it makes no sense.
    ``drained`` says that all pages have been worked on. ``in_use`` says that a living process
    holds it (always ``False`` where the system has no file locks). ``started``, ``spider`` and
    ``settings`` are what the crawl that made it gave.
    """

    path: Path
    crawl_id: str
    started: str
    spider: str
    settings: Mapping[str, Any]
    pages: int
    drained: bool
    in_use: bool
    damaged: int = 0


def spool_path(folder: str | os.PathLike[str], crawl_id: str) -> Path:
    """Return the file of a crawl's spool while pages are added or wait."""
    return Path(folder) / f"{crawl_id}{_WAITING_SUFFIX}"


def archive_path(path: Path) -> Path:
    """Return the file of a spool once it is drained and kept."""
    name = path.name.removesuffix(_WAITING_SUFFIX).removesuffix(_ARCHIVE_SUFFIX)
    return path.with_name(name + _ARCHIVE_SUFFIX)


def is_waiting(path: Path) -> bool:
    """Say whether a spool waits to be worked on; its name tells."""
    return path.name.endswith(_WAITING_SUFFIX)


def find_spools(folder: str | os.PathLike[str]) -> list[SpoolInfo]:
    """List the spools in a folder, by name; a missing folder has none.

    Each file is unpacked once to count its pages; none is parsed. Archives that are no spools are
    not listed. A spool that cannot be read is logged as a warning and not listed.
    """
    found = []
    for path in sorted(Path(folder).glob(f"*{_ARCHIVE_SUFFIX}")):
        try:
            info = _look(path)
        except OSError as error:
            _log.warning("%s cannot be read: %s", path, error.strerror or error)
            continue
        if info is not None:
            found.append(info)
        elif is_waiting(path):
            _log.warning("%s holds no spool: its beginning is damaged or cut off.", path)
    return found


def spool_info(path: str | os.PathLike[str]) -> SpoolInfo:
    """Return what is known of one spool, which may be in use.

    Raises:
        StoreError: the file is missing, unreadable, or no spool.
    """
    path = Path(path)
    try:
        info = _look(path)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be opened: {error.strerror or error}. Check the path."
        ) from error
    if info is None:
        raise _no_spool(path)
    return info


def read_facts(file: IO[bytes], path: Path) -> SpoolFacts:
    """Read the facts of an open spool, and go back to its beginning.

    Raises:
        StoreError: it is no spool.
    """
    facts = _find_facts(file)
    if facts is None:
        raise _no_spool(path)
    return facts


def survey(file: IO[bytes]) -> Contents:
    """Read an open spool through."""
    damage: list[str] = []
    cut: list[str] = []

    def on_damage(reason: str, detail: str) -> None:
        (cut if reason == "truncated" else damage).append(detail)

    # The first member is the file's own warcinfo.
    offsets = array("Q", list(member_offsets(file, on_damage=on_damage))[1:])
    return Contents(offsets, tuple(damage), "".join(cut))


def _look(path: Path) -> SpoolInfo | None:
    with path.open("rb") as file:
        facts = _find_facts(file)
        if facts is None:
            return None
        in_use = not try_lock(file.fileno())
        contents = survey(file)
    return facts.of_file(path, contents, in_use=in_use)


def _no_spool(path: Path) -> StoreError:
    return StoreError(f"{path} is no spool. Read other archives with the archive spider.")


def _find_facts(file: IO[bytes]) -> SpoolFacts | None:
    """Find the facts in the file's first member; ``None`` where it is no spool's."""
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
                return _checked(json.loads(value))
            except (ValueError, TypeError, RecursionError):
                return None
    return None


def _checked(written: Any) -> SpoolFacts | None:  # noqa: ANN401 - whatever stands there as JSON
    """Make facts of JSON; ``None`` where a value is of another kind than a crawl writes.

    Raises:
        TypeError: it is no object, or has other keys.
    """
    facts = SpoolFacts(**written)
    texts = (facts.crawl_id, facts.started, facts.spider)
    if not all(isinstance(text, str) for text in texts) or not isinstance(facts.settings, dict):
        return None
    # The name becomes a file's name again when counts are kept.
    return facts if _SAFE_ID.fullmatch(facts.crawl_id) else None
