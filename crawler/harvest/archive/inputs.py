"""The files of an archive, found and cut into shards."""

from __future__ import annotations

import json
import os
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Final, NoReturn

from crawler.core.errors import ArgumentError
from crawler.harvest.archive.work import Shard, write_json
from crawler.store.archive import ARCHIVE_SUFFIXES
from crawler.store.cuts import cuts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crawler.harvest.archive.work import Work

__all__ = ["ArchiveFile", "find_files", "partitions_for", "tell_changes"]

# So that the addresses and sites of a partition fit memory: some 100,000 pages.
_PARTITION_BYTES: Final = 256 << 20
_LEAST_PARTITIONS: Final = 4
_MOST_PARTITIONS: Final = 4096
_MOST_JOINS: Final = 3


class ArchiveFile:
    """A file of an archive, and the shards it is read in.

    Args:
        path: the file.
        shard_bytes: the least size of a shard.

    Raises:
        ArgumentError: it is no WARC file by its name, or is not there.
        UnreadableInputError: it cannot be opened.
    """

    def __init__(self, path: Path, shard_bytes: int) -> None:
        try:
            found = path.stat()
        except FileNotFoundError as error:
            raise ArgumentError(
                f"{path}: there is no such file or folder; name WARC files, or folders of them"
            ) from error
        except OSError as error:
            raise ArgumentError(f"{path} cannot be read: {error.strerror or error}") from error
        if not path.name.lower().endswith(ARCHIVE_SUFFIXES):
            raise ArgumentError(
                f"{path} is no WARC file by its name, which ends in {', '.join(ARCHIVE_SUFFIXES)}; "
                "'scrapy crawl archive' reads lists of pages"
            )
        if not S_ISREG(found.st_mode):
            raise ArgumentError(
                f"{path} is no file that can be read twice: write what it gives into a file first"
            )
        self.path = path.resolve()
        self.size, self.changed = found.st_size, found.st_mtime_ns
        cuts = cuts_of(path, self.size, shard_bytes)
        self.shards = self._shards(cuts)
        self._joins = 0

    def join(self, cut_off: Sequence[bool]) -> bool:
        """Join shards that end within a record with what follows them.

        A file that goes on to be cut badly is read as one stream from there on.

        Args:
            cut_off: of each shard whether it ends within a record.

        Returns:
            Whether there was any such shard.
        """
        if not any(cut_off):
            return False
        self._joins += 1
        cuts = [0]
        for shard, is_cut_off in zip(self.shards[:-1], cut_off, strict=False):
            if not is_cut_off:
                cuts.append(shard.end)
            elif self._joins >= _MOST_JOINS:
                break
        self.shards = self._shards(cuts)
        return True

    def _shards(self, cuts: Sequence[int]) -> list[Shard]:
        ends = [*cuts[1:], self.size]
        return [
            Shard(str(self.path), self.size, self.changed, start, end)
            for start, end in zip(cuts, ends, strict=True)
        ]


def find_files(paths: Sequence[Path], shard_bytes: int) -> list[ArchiveFile]:
    """Find the files of an archive, and cut them into shards.

    Args:
        paths: files, and folders in the place of all WARC files in them, sorted, and below them.
        shard_bytes: the least size of a shard.

    Raises:
        ArgumentError: there is none, or one that is no WARC file or is not there.
        UnreadableInputError: one cannot be opened.
    """
    if not paths:
        raise ArgumentError("name the WARC files to read")
    return [ArchiveFile(file, shard_bytes) for path in paths for file in _files_of(path)]


def _files_of(path: Path) -> Iterator[Path]:
    if not os.path.isdir(path):  # noqa: PTH112 - Path's raises for a name that is too long
        yield path
        return
    found: list[Path] = []
    for folder, _, names in os.walk(path, onerror=_tell_unreadable):
        named = (name for name in names if name.lower().endswith(ARCHIVE_SUFFIXES))
        found += [Path(folder, name) for name in named]
    if not found:
        raise ArgumentError(
            f"{path} has no WARC file in it or below, whose names end in "
            f"{', '.join(ARCHIVE_SUFFIXES)}; 'scrapy crawl archive' reads folders of saved pages"
        )
    yield from sorted(found)


def _tell_unreadable(error: OSError) -> NoReturn:
    raise ArgumentError(f"{error.filename} cannot be read: {error.strerror or error}") from error


def partitions_for(size: int) -> int:
    """Return into how many partitions the sites of an archive are put.

    A power of two: what shards tell depends on it, and has to be made again when it changes, which
    is not to be when a file is added to many.

    Args:
        size: bytes of the archive.
    """
    wanted = -(-size // _PARTITION_BYTES)
    power = 1 << max(0, wanted - 1).bit_length()
    return max(_LEAST_PARTITIONS, min(_MOST_PARTITIONS, power))


def tell_changes(work: Work, files: Sequence[ArchiveFile], tell: Callable[[str], None]) -> None:
    """Tell which files have changed since they were read for the same folder of results.

    Raises:
        StoreError: the folder cannot be written to.
    """
    try:
        known = dict(json.loads(work.files.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        known = {}
    now = {str(file.path): [file.size, file.changed] for file in files}
    for name, state in now.items():
        if known.get(name, state) != state:
            tell(f"{name} has changed since it was read: it is read again")
    write_json(work.files, now)
