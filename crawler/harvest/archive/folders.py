"""The files that an archive is read from, and the folders that it is written to."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Final, NoReturn

from crawler.core.errors import ArgumentError, StoreError
from crawler.harvest.archive.work import Shard, read_json, write_json
from crawler.store.archive import ARCHIVE_SUFFIXES
from crawler.store.files import ASIDE, try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["MANIFEST", "clear_output", "find_shards", "locked", "origin_of"]

MANIFEST: Final = "archive.json"
"""Name of the file in the output folder that says what the items are made of, and whether all."""


def find_shards(paths: Sequence[Path]) -> list[Shard]:
    """Find the files of an archive.

    Args:
        paths: files, and folders in the place of all WARC files in and below them, sorted.

    Returns:
        The files in their order; a file that is named twice stands at its last place.

    Raises:
        ArgumentError: there is none, or one that is no WARC file or is not there.
    """
    if not paths:
        raise ArgumentError("name the WARC files to read")
    try:
        found = [_shard(file) for path in paths for file in _files_of(path)]
    except OSError as error:
        _refuse(error)
    return list(reversed(dict.fromkeys(reversed(found))))


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = [
        Path(folder, name)
        for folder, _, names in os.walk(path, onerror=_refuse)
        for name in names
        if name.lower().endswith(ARCHIVE_SUFFIXES)
    ]
    if not found:
        raise ArgumentError(
            f"{path} has no WARC file in it or below, whose names end in "
            f"{', '.join(ARCHIVE_SUFFIXES)}; 'scrapy crawl archive' reads folders of saved pages"
        )
    return sorted(found)


def _shard(path: Path) -> Shard:
    found = path.stat()
    if not S_ISREG(found.st_mode) or not path.name.lower().endswith(ARCHIVE_SUFFIXES):
        raise ArgumentError(
            f"{path} is no WARC file: it needs a name that ends in {', '.join(ARCHIVE_SUFFIXES)}, "
            "and is read twice; 'scrapy crawl archive' reads lists of pages"
        )
    with path.open("rb"):
        return Shard(path.resolve(), found.st_size, found.st_mtime_ns)


def _refuse(error: OSError) -> NoReturn:
    raise ArgumentError(
        f"{error.filename} cannot be read ({error.strerror or error}): name WARC files, or folders "
        "of them"
    ) from error


@contextmanager
def locked(folder: Path, option: str) -> Iterator[None]:
    """Make a folder where there is none, and keep other commands out of it.

    Args:
        folder: the folder.
        option: the option of the command that names another folder, for errors.

    Raises:
        ArgumentError: another process uses it.
        StoreError: it cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be written to ({error.strerror or error}): name another with {option}"
        ) from error
    try:
        lock = try_lock(folder / ".lock")
    except (OSError, NotImplementedError):
        # A file system without locks: whether another command works there cannot be known.
        yield
        return
    if lock is None:
        raise ArgumentError(
            f"{folder} is in use already: wait for the end of the other command, or name another "
            f"folder with {option}"
        )
    with lock:
        yield


def origin_of(output: Path) -> str:
    """Return the key of what the items in a folder are made of; "" where it has none.

    Raises:
        ArgumentError: it holds items of unknown origin.
    """
    with suppress(StoreError, KeyError, TypeError):
        return str(read_json(output / MANIFEST)["key"])
    if files := _item_files(output):
        raise ArgumentError(
            f"{output} holds {files[0].name}, and does not say whose items these are: name an "
            "empty folder with -O"
        )
    return ""


def clear_output(output: Path, key: str) -> int:
    """Prepare a folder for items: remove the items of another archive, or of another state of it.

    Args:
        output: the folder.
        key: the key of what the items will be made of.

    Returns:
        How many files were removed.

    Raises:
        ArgumentError: it holds items of unknown origin.
        StoreError: it cannot be written to.
    """
    is_other = origin_of(output) != key
    others = _item_files(output) if is_other else []
    try:
        for path in [*others, *output.glob(f".*{ASIDE}")]:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"{error.filename} cannot be removed ({error.strerror}): name another folder with -O"
        ) from error
    if is_other:
        # Only now: a folder that has this key keeps its files.
        write_json(output / MANIFEST, {"key": key, "complete": False})
    return len(others)


def _item_files(output: Path) -> list[Path]:
    return sorted(output.glob("part-*")) + sorted(output.glob("joined-*"))
