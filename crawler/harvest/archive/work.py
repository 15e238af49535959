"""What is to be done to an archive, and the folder in which it is kept how far that is.

Every result lies under a name made of all that it depends on: the bytes of its files as they were
found, the settings, and the version of this project. So a result that is there need not be made
again, and one that no longer holds is not found.

=================================  ================================================================
``files.json``                     the files of the archive when they were read last
``lock``                           held by the command that works in the folder
``observed/KEY.seen``, ``.json``   what a shard tells (:mod:`crawler.harvest.archive.observed`), and
                                   what became of its pages
``merged/KEY/shards.json``         the shards, in the order of the archive
``merged/KEY/P.parts``,            what all shards tell of the sites of a partition
``.views``, ``.json``              (:mod:`crawler.harvest.archive.merged`)
``judged/KEY/N.json``,             what became of the pages of a shard, and its pages that are
``N.warc.gz``                      judged together with those of others
``judged/KEY/joined-P.json``       what became of those, by partition
=================================  ================================================================

A ``.json`` is written when the rest is whole.
"""

from __future__ import annotations

import json
import sys
import uuid
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast

from xxhash import xxh3_64_intdigest

from crawler.core.errors import ArgumentError, StoreError
from crawler.settings import Options
from crawler.store.cuts import Stretch
from crawler.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy.settings import BaseSettings

__all__ = [
    "ASIDE",
    "Shard",
    "Work",
    "begin_job",
    "partition_of",
    "read_json",
    "replacing",
    "write_json",
]

ASIDE: Final = ".aside"
"""How the name of a file ends that is not whole."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of an archive's file that is worked on by one process.

    ``path``
        The file.
    ``size``, ``changed``
        Its size in bytes and when it was last changed, in nanoseconds, as it was found.
    ``start``, ``end``
        The bytes that make the shard, the end exclusive.
    """

    path: str
    size: int
    changed: int
    start: int
    end: int

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return the shard that :meth:`as_json` gave."""
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        """Return the shard as JSON values."""
        return asdict(self)

    @property
    def stretch(self) -> Stretch:
        """The bytes to be read."""
        return Stretch(Path(self.path), self.start, self.end)

    @property
    def is_last(self) -> bool:
        """Whether its file ends with it."""
        return self.end >= self.size

    def check(self) -> None:
        """See that the file is still the one that was found.

        Raises:
            StoreError: it is not.
        """
        try:
            found = Path(self.path).stat()
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be read any more ({error.strerror}): see that it is there, "
                "on every machine, and run the command again"
            ) from error
        if (found.st_size, found.st_mtime_ns) != (self.size, self.changed):
            raise StoreError(
                f"{self.path} has changed while it was worked on: run the command again when "
                "nothing writes to it"
            )


@dataclass(frozen=True, slots=True)
class Work:
    """The folder of the results that are not the output."""

    folder: Path

    @property
    def files(self) -> Path:
        """Where the state of the archive's files is kept; the first that is written."""
        return self.folder / "files.json"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out.

        Raises:
            ArgumentError: one is at work there, or the folder holds what is no result.
            StoreError: it cannot be written to.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._check_whose()
            lock = (self.folder / "lock").open("ab")
        except OSError as error:
            raise StoreError(
                f"{self.folder} cannot be written to ({error.strerror or error}): name another "
                "with --work"
            ) from error
        with lock:
            if not try_lock(lock.fileno()):
                raise ArgumentError(
                    f"another process works in {self.folder}: wait for its end, or name another "
                    "folder with --work"
                )
            yield

    def _check_whose(self) -> None:
        # Results of other states are removed in the end: never what somebody else has put there.
        if self.files.exists():
            return
        others = sorted(path.name for path in self.folder.iterdir() if path.name != "lock")
        others = [name for name in others if not name.endswith(ASIDE)]
        if others:
            raise ArgumentError(
                f"{self.folder} holds {others[0]}, and no results of an archive: name an empty "
                "folder with --work"
            )

    def observed(self, key: str) -> Path:
        """Return where what a shard tells is kept."""
        return self.folder / "observed" / f"{key}.seen"

    def order(self, key: str) -> Path:
        """Return where the order of the shards is kept."""
        return self.folder / "merged" / key / "shards.json"

    def merged(self, key: str, partition: int) -> Path:
        """Return where what all shards tell of a partition is kept."""
        return self.folder / "merged" / key / f"{partition:04}.parts"

    def judged(self, key: str, number: int) -> Path:
        """Return where it stands what became of a shard."""
        return self.folder / "judged" / key / f"{number:05}.json"

    def together(self, key: str, number: int) -> Path:
        """Return where the pages of a shard lie that are judged with those of others."""
        return self.folder / "judged" / key / f"{number:05}.warc.gz"

    def joined(self, key: str, partition: int) -> Path:
        """Return where it stands what became of the pages that are judged together."""
        return self.folder / "judged" / key / f"joined-{partition:04}.json"


def partition_of(site: str, partitions: int) -> int:
    """Return which partition a site falls into."""
    return xxh3_64_intdigest(site.encode("utf-8", "surrogatepass")) % partitions


def begin_job(argument: Mapping[str, Any]) -> tuple[Work, Options]:
    """Return what every job is given: the folder of results, and the settings.

    Args:
        argument: ``work`` (folder), ``settings`` (of
            :func:`crawler.harvest.archive.keys.settings_of`), and ``path``, where
            modules are looked for that the settings name, beside the usual places.

    Raises:
        OptionError: a setting is wrong.
    """
    sys.path += [folder for folder in argument["path"] if folder not in sys.path]
    # All that is asked of settings here a dictionary can tell, and Scrapy takes long to import.
    settings = cast("BaseSettings", argument["settings"])
    return Work(Path(argument["work"])), Options.from_settings(settings)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write a file under, which then takes the place of ``path`` at once.

    Raises:
        StoreError: that cannot be done.
    """
    aside = path.with_name(f"{path.name}.{uuid.uuid4().hex}{ASIDE}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield aside
        aside.replace(path)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}; free some space there or name "
            "another folder, and run the command again"
        ) from error
    finally:
        with suppress(OSError):
            aside.unlink()


def write_json(path: Path, value: object) -> None:
    """Write JSON values, the file whole at once.

    Raises:
        StoreError: that cannot be done.
    """
    with replacing(path) as aside:
        aside.write_text(json.dumps(value), "utf-8")


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever was written
    """Read what :func:`write_json` wrote.

    Raises:
        StoreError: the file is missing or damaged.
    """
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{path} is missing or damaged ({error}): delete it, and run the command again to "
            "have it made anew"
        ) from error
