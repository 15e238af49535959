"""The output: one file of items for each shard, written aside and renamed when it is whole."""

from __future__ import annotations

import json
import tempfile
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any, Final, Protocol

from scrapy.utils.misc import load_object

from crawler.core.errors import ArgumentError, StoreError
from crawler.exporters.formats import FEED_EXPORTERS
from crawler.harvest.archive.work import ASIDE, replacing, write_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from crawler.items import PageItem

__all__ = [
    "MANIFEST",
    "Written",
    "begin_output",
    "check_format",
    "check_output",
    "end_output",
    "write_items",
]

MANIFEST: Final = "archive.json"
"""Name of the file that tells which archive a folder's items are of, and whether they are all."""

_PATTERNS: Final = ("part-*", "joined-*")
_SCRAPY_JSON_LINES: Final = "scrapy.exporters.JsonLinesItemExporter"


class Written(Protocol):
    """Takes items one by one."""

    def __call__(self, item: PageItem) -> None:
        """Write an item."""


def write_items(path: Path, form: str, items: Iterable[PageItem]) -> int:
    """Write items into a file, which is not made where there are none; return their number.

    Args:
        path: the file.
        form: ``jsonl``, ``csv`` or ``parquet``.
        items: what to write, taken one at a time.

    Raises:
        StoreError: the file cannot be written.
    """
    count = 0
    waiting = iter(items)
    first = next(waiting, None)
    if first is None:
        with suppress(FileNotFoundError):
            path.unlink()
        return 0
    with replacing(path) as aside, _exporting(aside, form) as write:
        write(first)
        count = 1
        for item in waiting:
            write(item)
            count += 1
    return count


@contextmanager
def _exporting(path: Path, form: str) -> Iterator[Written]:
    with path.open("wb") as file:
        exporter = _exporter(file, form)
        exporter.start_exporting()
        yield exporter.export_item
        exporter.finish_exporting()


def _exporter(file: IO[bytes], form: str) -> Any:  # noqa: ANN401 - Scrapy names no type of them
    known = {"jsonl": _SCRAPY_JSON_LINES, **FEED_EXPORTERS}
    return load_object(known[form])(file, encoding="utf-8")


def check_format(form: str) -> None:
    """See that items can be written in a format.

    Raises:
        OptionError: what that needs is not installed.
    """
    _exporter(BytesIO(), form)


def check_output(folder: Path) -> None:
    """See that items can be written into a folder, which is made where there is none.

    Raises:
        ArgumentError: there are items in it of which it is not known whose they are.
        StoreError: it cannot be written to.
    """
    files = _parts(folder)
    if files and not _manifest(folder):
        raise ArgumentError(
            f"{folder} holds {files[0].name}, which no archive wrote that is known here: "
            "name an empty folder with -O"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from error


def begin_output(folder: Path, key: str) -> int:
    """Make a folder ready for the items of an archive.

    What is there of the same archive stays. The items of another one, or of another state of this
    one, are removed.

    Returns:
        How many files of items were removed.

    Raises:
        ArgumentError: there are items in it of which it is not known whose they are.
        StoreError: the folder cannot be written to.
    """
    check_output(folder)
    is_new = _manifest(folder).get("key") != key
    removed = 0
    for path in _parts(folder):
        is_half = path.name.endswith(ASIDE)
        if is_new or is_half:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise _unwritable(folder, error) from error
            removed += not is_half
    if is_new:
        # Only now: whoever finds this name there leaves the files alone.
        write_json(folder / MANIFEST, {"key": key, "complete": False})
    return removed


def end_output(
    folder: Path, key: str, told: Mapping[str, Any], files: Collection[str] | None
) -> None:
    """Say in the folder that its items are all, and what became of the pages.

    Args:
        folder: the folder.
        key: the name of what the items are of.
        told: what became of the pages.
        files: the names of all files of items; None where some are not known.

    Raises:
        StoreError: that cannot be written, or another command wrote into the folder meanwhile.
    """
    there = {path.name for path in _parts(folder)}
    others = files is not None and bool(there.difference(files))
    if others or _manifest(folder).get("key") != key:
        raise StoreError(
            f"another command wrote into {folder} meanwhile: name another folder with -O, and run "
            "the command again"
        )
    write_json(folder / MANIFEST, {"key": key, **told})


def _parts(folder: Path) -> list[Path]:
    return [path for pattern in _PATTERNS for path in sorted(folder.glob(pattern))]


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _unwritable(folder: Path, error: OSError) -> StoreError:
    where = error.filename or folder
    return StoreError(
        f"{where} cannot be written to ({error.strerror or error}): name another folder with -O"
    )
