"""An archive from its files to its items: which jobs there are, and in which order they run.

What an earlier run has done is not done again. Nothing that grows with the number of pages is held
here.
"""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import astuple, dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import CorpusError, StoreError
from crawler.harvest.archive.folders import MANIFEST, clear_output, find_shards, locked, origin_of
from crawler.harvest.archive.judge import exporter_for, join_partition, judge_shard
from crawler.harvest.archive.merge import merge_partition
from crawler.harvest.archive.observe import observe_shard
from crawler.harvest.archive.work import Archive, Figures, key_of, read_json, write_json
from crawler.harvest.engine import Call
from crawler.settings import Options
from crawler.store.files import ASIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from crawler.harvest.archive.work import Shard
    from crawler.harvest.engine import Engine

__all__ = ["ArchiveHarvest", "Job", "Summary", "partitions_for"]

_PARTITION_BYTES: Final = 256 << 20
"""Bytes of an archive for one partition: the addresses of some 100,000 pages fit in memory."""
_LEAST_BITS, _MOST_BITS = 2, 12
"""There are 4 to 4,096 partitions."""
_KEY_CHARS: Final = 16
_TELL_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Job:
    """One call of a function that writes files.

    ``name``
        What people call it.
    ``function``, ``arguments``
        What is called, in any process; the first argument is the archive. It returns a dictionary
        of JSON values, in which ``files`` are the paths of the files that it has written.
    ``marker``
        The done marker: a JSON file of what the function returned, with the size of each file.
    """

    name: str
    function: Callable[..., dict[str, Any]]
    arguments: tuple[Any, ...]
    marker: Path

    def earlier_value(self) -> dict[str, Any] | None:
        """Return what the function returned in an earlier run whose files are all there."""
        try:
            value: dict[str, Any] = read_json(self.marker)
            sizes: dict[str, int] = value["files"]
            is_done = all(Path(name).stat().st_size == size for name, size in sizes.items())
        except (StoreError, OSError, KeyError, TypeError):
            return None
        return value if is_done else None


def do_job(job: Job) -> dict[str, Any]:
    """Do a job and write its done marker; called in the process that the job was given to.

    Returns:
        What the function returned.

    Raises:
        StoreError: a file cannot be read or written.
        Exception: whatever the function raises.
    """
    sys.path += [folder for folder in job.arguments[0].path if folder not in sys.path]
    value = job.function(*job.arguments)
    value["files"] = {str(path): path.stat().st_size for path in value["files"]}
    write_json(job.marker, value)
    return value


@dataclass(slots=True)
class Summary:
    """What became of an archive.

    ``files``
        How many there are; each is a shard.
    ``items``
        How many were written.
    ``lost``
        Pages of which no item could be made, because of an error.
    ``failed``
        What could not be done, a line each.
    ``figures``
        What became of the pages.
    """

    files: int = 0
    items: int = 0
    lost: int = 0
    failed: list[str] = field(default_factory=list)
    figures: Figures = field(default_factory=Figures)

    @property
    def is_complete(self) -> bool:
        """Whether there is an item, or a reason for none, of every page."""
        return not self.failed and not self.lost

    def as_json(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        return {
            "complete": self.is_complete,
            "files": self.files,
            "items": self.items,
            "lost": self.lost,
            "failed": self.failed,
            "damage": self.figures.damage,
            "pages": self.figures.counts["corpus/pages/fetched"],
            "sites": self.figures.counts["corpus/sites"],
            "skipped": self.figures.skips,
        }


class ArchiveHarvest:
    """One archive, and the folders of its results.

    Args:
        paths: WARC files, and folders of them, in the order in which they count: of two captures
            of the same time the later one is exported.
        options: the settings.
        output: the folder of the items.
        work: the folder of all other results; nothing in it is needed when all is done.

    Raises:
        ArgumentError: a file is missing.
    """

    def __init__(self, paths: Sequence[Path], options: Options, output: Path, work: Path) -> None:
        self._shards = find_shards(paths)
        # Paths in values are absolute: other processes may work in other folders.
        options = Options.from_settings(options.values("observations", "items", "neither"))
        self._archive = Archive(
            work=work.absolute(),
            output=output.absolute(),
            options=options,
            path=tuple(str(Path(folder).absolute()) for folder in sys.path),
            partitions=partitions_for(sum(shard.size for shard in self._shards)),
        )
        self._summary = Summary(files=len(self._shards))

    def run(self, engine: Engine, tell: Callable[[str], None]) -> Summary:
        """Do what is not done yet; return what became of the pages.

        Args:
            engine: runs the jobs.
            tell: takes a line for a person.

        Raises:
            OptionError: a package is missing that the format of the items needs.
            ArgumentError: a folder holds items of others, or another process works in it.
            CorpusError: no shard can be read, or the merge step fails.
            StoreError: a folder cannot be written to.
        """
        self._engine, self._tell = engine, tell
        output = self._archive.output
        # What is wrong with the call shows before hours of work, and before anything is written.
        exporter_for(self._archive.options.output_format, BytesIO())
        origin_of(output)
        with locked(output, "-O"), locked(self._archive.work, "--work"):
            self._run_steps()
            summary = {"key": self._archive.judged, **self._summary.as_json()}
            write_json(output / MANIFEST, summary)
        return self._summary

    def _run_steps(self) -> None:
        archive = self._archive
        settings = archive.options.values("observations")
        shards = {key_of(settings, archive.partitions, astuple(s)): s for s in self._shards}
        observed = self._observe(shards)
        keys = [key for key in shards if key in observed]
        settings = archive.options.values("observations", "items")
        merged = key_of(settings, _files_named(settings), keys)
        judged = key_of(merged, archive.options.output_format)
        self._archive = replace(archive, merged=merged, judged=judged)
        self._merge(keys, set().union(*observed.values()))
        if removed := clear_output(archive.output, judged):
            self._tell(f"{archive.output}: {removed:,} files of other items are replaced")
        self._join(self._judge([(shards[key], observed[key]) for key in keys]))
        self._remove_old({merged, judged, *shards})

    def _observe(self, shards: dict[str, Shard]) -> dict[str, list[int]]:
        """Observe all shards; return by key the partitions of those that could be."""
        jobs = []
        for key, shard in shards.items():
            name, result = f"observe {shard.path}", self._archive.observed_file(key)
            jobs.append(self._job(name, result, observe_shard, key, shard))
        found = {job.arguments[1]: value["partitions"] for job, value in self._run("observe", jobs)}
        if not found:
            # The items of an earlier run stay.
            raise CorpusError(
                f"no shard could be read ({self._summary.failed[0]}): mend that, and run the "
                "command again"
            )
        return found

    def _merge(self, keys: list[str], partitions: Iterable[int]) -> None:
        """Make the evidence of all sites."""
        jobs = []
        for number in sorted(partitions):
            name, result = f"merge {number}", self._archive.merged_file(number)
            jobs.append(self._job(name, result, merge_partition, number, keys))
        if len(list(self._run("merge", jobs))) < len(jobs):
            raise CorpusError(
                f"what the shards say cannot be merged ({'; '.join(self._summary.failed)}): run "
                "the command again to go on from here"
            )

    def _judge(self, shards: Sequence[tuple[Shard, list[int]]]) -> dict[int, list[int]]:
        """Write the items of all shards; return which shards put pages aside, by partition."""
        jobs = []
        for number, (shard, partitions) in enumerate(shards):
            name, result = f"judge {shard.path}", self._archive.aside_file(number)
            jobs.append(self._job(name, result, judge_shard, number, shard, partitions))
        put_aside: dict[int, list[int]] = {}
        for job, value in self._run("judge", jobs):
            for partition in value["joined"]:
                put_aside.setdefault(partition, []).append(job.arguments[1])
        return put_aside

    def _join(self, put_aside: dict[int, list[int]]) -> None:
        """Write the items of the pages that were put aside."""
        jobs = []
        for partition, numbers in sorted(put_aside.items()):
            shards = sorted(numbers)
            # Which shards could be judged may differ from run to run.
            result = self._archive.aside_file(0).with_name(f"join-{partition}-{key_of(shards)}")
            jobs.append(self._job(f"join {partition}", result, join_partition, partition, shards))
        for _ in self._run("join", jobs):
            pass

    def _job(
        self, name: str, result: Path, function: Callable[..., dict[str, Any]], *arguments: object
    ) -> Job:
        return Job(name, function, (self._archive, *arguments), result.with_suffix(".json"))

    def _run(self, step: str, jobs: Sequence[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        """Do the jobs of a step that are not done; give each that is done, and its value."""
        missing: dict[str, Job] = {}
        done = 0
        for job in jobs:
            if (value := job.earlier_value()) is None:
                missing[job.name] = job
            else:
                done += 1
                yield job, self._added(value)
        if not missing:
            return
        total, told_at = done + len(missing), time.monotonic()
        self._tell(f"{step}: {total:,} to do" + (f", {done:,} of them done before" * (done > 0)))
        for ended in self._engine.run([Call(j.name, do_job, j) for j in missing.values()]):
            job = missing.pop(ended.name)
            done += 1
            if ended.failure:
                words = ended.failure.removeprefix(f"{job.name}: ")
                self._summary.failed.append(f"{job.name}: {words}")
            else:
                yield job, self._added(ended.value)
            if time.monotonic() - told_at >= _TELL_SECONDS:
                told_at = time.monotonic()
                self._tell(f"{step}: {done:,} of {total:,}")
        self._summary.failed += [f"{name}: stopped before it began" for name in missing]

    def _added(self, value: dict[str, Any]) -> dict[str, Any]:
        self._summary.items += value.get("items", 0)
        self._summary.lost += value.get("lost", 0)
        self._summary.figures.add(value["figures"])
        return value

    def _remove_old(self, keys: set[str]) -> None:
        """Remove results of other states of the archive, and what killed jobs left."""
        for path in self._archive.work.rglob(f".*{ASIDE}"):
            path.unlink(missing_ok=True)
        for path in self._archive.work.glob("*/*"):
            if len(path.stem) != _KEY_CHARS or path.stem in keys:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _files_named(settings: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """Return the files that settings name, each with its size and time of change."""
    named = [Path(value) for value in settings.values() if isinstance(value, str)]
    states = [(str(path), path.stat()) for path in named if path.is_file()]
    return [(path, state.st_size, state.st_mtime_ns) for path, state in states]


def partitions_for(size: int) -> int:
    """Return into how many partitions the sites of an archive are put.

    It is a power of two, so that a few files more seldom change it: what shards say is kept by
    partition, and is made again when their number changes.

    Args:
        size: bytes of the archive.
    """
    bits = ((size - 1) // _PARTITION_BYTES).bit_length()
    return 1 << max(_LEAST_BITS, min(_MOST_BITS, bits))
