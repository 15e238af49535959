"""The jobs of an archive: what each is given, what it returns, and where its results are kept.

The name of a result is a hash of all that it depends on: the files as they were found, the
settings, and the version of this project. So a result that is there holds, and a result that no
longer holds is not found. A file ``.json`` beside a result is its done marker.

==================================  ===========================================================
``observed/KEY.sqlite``             what the pages of a shard say (``counting.py``)
``merged/KEY/PARTITION.sqlite``     the evidence of the partition's sites, and which pages are
                                    exported (``counting.py``)
``judged/KEY/NUMBER.sqlite``        pages of a shard that are judged with pages of other shards
==================================  ===========================================================
"""

from __future__ import annotations

import json
import pickle
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from xxhash import xxh3_64, xxh3_64_digest, xxh3_64_hexdigest, xxh3_64_intdigest

from crawler.core.errors import StoreError, UnreadableInputError
from crawler.core.page.page import Page
from crawler.settings import Options
from crawler.store.archive import read_pages
from crawler.store.files import release, replacing, write_whole

WRITTEN: Final = "corpus/items"
"""The figure of the items written."""
LOST: Final = "corpus/pages/lost"
"""The figure of the pages of which no item could be made, because of an error."""
OF_FILES: Final = frozenset({"corrupt", "no-page", "truncated", "unreadable"})
"""The reasons to skip that concern no record: a file is damaged, no archive, or has no page."""

_FORMAT: Final = 6
"""Version of the files of results; another one is another key."""
_JOB_LINES: Final = 20
_ALL_LINES: Final = 200


@dataclass(frozen=True, slots=True)
class Archive:
    """What every job is given.

    ``output``, ``work``
        The folder of the items, and the folder of all other results.
    ``path``
        Where Python looks for the modules that settings name.
    ``partitions``
        How many partitions the sites are put into.
    ``merged``, ``judged``
        The keys of the results of the merge step and the judge step, once they are known.
    """

    work: Path
    output: Path
    options: Options
    path: tuple[str, ...]
    partitions: int
    merged: str = ""
    judged: str = ""

    def partition_of(self, site: str) -> int:
        """Return the partition of a site."""
        return xxh3_64_intdigest(site.encode("utf-8", "surrogatepass")) % self.partitions

    def observed_file(self, key: str) -> Path:
        """Return the file of what the pages of a shard say."""
        return self.work / "observed" / f"{key}.sqlite"

    def merged_file(self, partition: int) -> Path:
        """Return the file of the evidence of a partition."""
        return self.work / "merged" / self.merged / f"{partition:04}.sqlite"

    def aside_file(self, number: int) -> Path:
        """Return the file of the pages of a shard that are judged with pages of other shards."""
        return self.work / "judged" / self.judged / f"{number:05}.sqlite"


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of an archive, with its size in bytes and its time of change in ns, as found."""

    path: Path
    size: int
    changed: int

    def pages(self, max_bytes: int, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        """Read the pages, without larger ones.

        ``on_skip`` is called with a reason and a detail for what gives no page, and for a file that
        is no archive.

        Raises:
            StoreError: the file has changed, or the system cannot read it now.
        """
        self._check()
        try:
            yield from read_pages([self.path], on_skip=on_skip, max_bytes=max_bytes)
        except UnreadableInputError as error:
            # An error without a number is one of the content, which is there at the next run too.
            if isinstance(error.__cause__, OSError) and error.__cause__.errno is not None:
                raise StoreError(str(error)) from error
            on_skip("unreadable", str(error))
        self._check()

    def _check(self) -> None:
        with suppress(OSError):
            found = self.path.stat()
            if (found.st_size, found.st_mtime_ns) == (self.size, self.changed):
                return
        raise StoreError(
            f"{self.path} is gone or has changed since it was found: see that each machine has it "
            "and that nothing writes to it, and run the command again"
        )


@dataclass(slots=True)
class Figures:
    """What became of pages, counted by a job or of a whole archive.

    ``counts`` adds up by name, as Scrapy's statistics do, and ``damage`` has some lines on damaged
    files. An archive has so many ``files``, and a line in ``failed`` for each job without a result.
    """

    files: int = 0
    failed: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    damage: list[str] = field(default_factory=list)

    def inc_value(self, key: str, count: int = 1) -> None:
        """Add to a figure."""
        self.counts[key] += count

    def skipped(self, reason: str, detail: str) -> None:
        """Count what gives no page."""
        self.inc_value(f"corpus/skipped/{reason}")
        if reason not in OF_FILES:
            self.inc_value("corpus/pages/fetched")
            self.inc_value("corpus/pages/skipped")
        elif len(self.damage) < _JOB_LINES:
            self.damage.append(f"{reason}: {detail}")

    def result(self, files: Sequence[Path], **more: object) -> dict[str, Any]:
        """Return what a job returns that wrote some files: the figures, and what else it says."""
        return {"counts": dict(self.counts), "damage": self.damage, "files": files, **more}

    def add(self, value: Mapping[str, Any]) -> None:
        """Add what a job returned."""
        self.counts.update(value["counts"])
        self.damage += value["damage"][: _ALL_LINES - len(self.damage)]

    @property
    def is_complete(self) -> bool:
        """Whether there is an item, or a reason for none, of every page."""
        return not self.failed and not self.counts[LOST]

    @property
    def skips(self) -> dict[str, int]:
        """How many pages gave no item, by reason, the most frequent reason first."""
        head = "corpus/skipped/"
        ranked = sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return {k.removeprefix(head): count for k, count in ranked if k.startswith(head) and count}

    def as_json(self) -> dict[str, Any]:
        """Return what became of an archive as JSON values."""
        return {
            "complete": self.is_complete,
            "files": self.files,
            "items": self.counts[WRITTEN],
            "lost": self.counts[LOST],
            "failed": self.failed,
            "damage": self.damage,
            "pages": self.counts["corpus/pages/fetched"],
            "sites": self.counts["corpus/sites"],
            "skipped": self.skips,
        }


@dataclass(frozen=True, slots=True)
class Job:
    """One call of a function that writes files.

    The first of its ``arguments`` is the archive. It returns JSON values; ``files`` among them are
    the paths of the files that it has written. The ``marker`` is a JSON file of what it returned,
    with a hash of it, the size of each file, and a hash of those that other jobs read.
    """

    name: str
    function: Callable[..., dict[str, Any]]
    arguments: tuple[Any, ...]
    marker: Path

    def earlier_value(self) -> dict[str, Any] | None:
        """Return what the function returned in an earlier run whose files are all there."""
        with suppress(StoreError, OSError, KeyError, TypeError):
            noted = read_json(self.marker)
            value: dict[str, Any] = noted["value"]
            if noted["hash"] != _hash_of(value):
                return None
            states: dict[str, Any] = value["files"]
            if all(_state_of(Path(name)) == state for name, state in states.items()):
                return value
        return None


def do_job(job: Job) -> dict[str, Any]:
    """Do a job, in the process that it was given to, and write its done marker."""
    sys.path += [folder for folder in job.arguments[0].path if folder not in sys.path]
    value = job.function(*job.arguments)
    value["files"] = {str(path): _state_of(path) for path in value["files"]}
    write_json(job.marker, {"hash": _hash_of(value), "value": value})
    return value


def _hash_of(value: object) -> str:
    """Return a hash of JSON values, by which a damaged marker is known."""
    return xxh3_64_hexdigest(json.dumps(value).encode())


def _state_of(path: Path) -> list[Any]:
    """Return the size of a file, with a hash of what jobs read: items are large, and are not."""
    if path.suffix != ".sqlite":
        return [path.stat().st_size]
    with path.open("rb") as file:
        return [path.stat().st_size, file_digest(file, xxh3_64).hexdigest()]


def key_of(*parts: object) -> str:
    """Return the name of a result that depends on some JSON values or paths."""
    named = json.dumps([_FORMAT, release(), *parts], sort_keys=True, default=str)
    return xxh3_64_hexdigest(named.encode())


def write_json(path: Path, value: object) -> None:
    """Write JSON values, the file whole at once; raise StoreError where that cannot be."""
    write_whole(path, [json.dumps(value).encode()])


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever was written
    """Read JSON values; raise StoreError where the file is missing or damaged."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error


def pack(value: object) -> bytes:
    """Write a value of any kind, with a checksum."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return xxh3_64_digest(data) + data


def unpack(packed: bytes) -> Any:  # noqa: ANN401 - whatever was written
    """Read what :func:`pack` wrote; raise ValueError where it is damaged."""
    checksum, data = packed[:8], packed[8:]
    if xxh3_64_digest(data) != checksum:
        raise ValueError("a checksum is wrong")
    return pickle.loads(data)  # noqa: S301 - a job of this archive wrote it


@contextmanager
def write_database(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """Give an empty SQLite database, which takes the place of ``path`` when the block ends.

    No other process sees it before. So it needs no journal, and no locks, which some shared file
    systems do not have. ``schema`` is the SQL that makes its tables. StoreError is raised where the
    file cannot be written.
    """
    with replacing(path) as aside:
        try:
            address = f"{aside.absolute().as_uri()}?nolock=1"
            with closing(sqlite3.connect(address, uri=True)) as database:
                database.executescript(f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; {schema}")
                yield database
                database.commit()
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot be written: {error}. Free some space there") from error


@contextmanager
def read_database(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a database to be read; raise StoreError where it is missing or damaged."""
    try:
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as database:
            yield database
    except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path} is missing or damaged ({error}): delete it, and run the command again to have it "
        "made anew"
    )
