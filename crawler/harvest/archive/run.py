"""An archive from its files to its items: which jobs there are, and in which order they run.

Nothing that grows with the number of pages is held here.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import astuple, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from crawler.core.errors import ArgumentError, CorpusError, StoreError
from crawler.harvest.archive.judge import feed_exporter, join_partition, judge_shard
from crawler.harvest.archive.merge import merge_partition
from crawler.harvest.archive.observe import observe_shard
from crawler.harvest.archive.work import (
    Archive,
    Job,
    Shard,
    Summary,
    do_job,
    key_of,
    read_json,
    write_json,
)
from crawler.harvest.engine import Call
from crawler.settings import Options
from crawler.store.archive import ARCHIVE_SUFFIXES
from crawler.store.files import ASIDE, try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from crawler.harvest.engine import Engine

MANIFEST: Final = "archive.json"
"""Name of the file in the output folder that says what the items are made of, and whether all."""
_PARTITION_BYTES: Final = 256 << 20
"""Bytes of an archive for one partition: the addresses of some 100,000 pages fit in memory."""
_LEAST_BITS, _MOST_BITS = 2, 12
"""There are 4 to 4,096 partitions."""
_KEY_CHARS: Final = 16
_TELL_SECONDS: Final = 10.0


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
        if (form := self._archive.options.output_format) != "jsonl":
            feed_exporter(form, BytesIO())
        _origin_of(output)
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
        if removed := _clear_output(archive.output, judged):
            self._tell(f"{archive.output}: {removed:,} files of other items are replaced")
        self._judge([(shards[key], observed[key]) for key in keys])
        self._remove_old({merged, judged, *shards})

    def _observe(self, shards: dict[str, Shard]) -> dict[str, list[int]]:
        """Observe all shards; return by key the partitions of those that could be."""
        jobs = [
            (shard.path, self._archive.observed_file(key), (key, shard))
            for key, shard in shards.items()
        ]
        done = self._run("observe", observe_shard, jobs)
        if not done:
            # The items of an earlier run stay.
            raise CorpusError(
                f"no shard could be read ({self._summary.failed[0]}): mend that, and run the "
                "command again"
            )
        return {key: value["partitions"] for (key, _), value in done}

    def _merge(self, keys: list[str], partitions: Iterable[int]) -> None:
        """Make the evidence of all sites."""
        jobs = [(n, self._archive.merged_file(n), (n, keys)) for n in sorted(partitions)]
        if len(self._run("merge", merge_partition, jobs)) < len(jobs):
            raise CorpusError(
                f"what the shards say cannot be merged ({'; '.join(self._summary.failed)}): run "
                "the command again to go on from here"
            )

    def _judge(self, shards: Sequence[tuple[Shard, list[int]]]) -> None:
        """Write the items of all shards, and then those of the pages that were put aside."""
        jobs = [
            (shard.path, self._archive.aside_file(number), (number, shard, partitions))
            for number, (shard, partitions) in enumerate(shards)
        ]
        put_aside: dict[int, list[int]] = {}
        for (number, *_), value in self._run("judge", judge_shard, jobs):
            for partition in value["joined"]:
                put_aside.setdefault(partition, []).append(number)
        to_join = []
        for partition, numbers in sorted(put_aside.items()):
            # Which shards could be judged may differ from run to run.
            name = f"join-{partition}-{key_of(sorted(numbers))}"
            result = self._archive.aside_file(0).with_name(name)
            to_join.append((partition, result, (partition, sorted(numbers))))
        self._run("join", join_partition, to_join)

    def _run(
        self,
        step: str,
        function: Callable[..., dict[str, Any]],
        jobs: Iterable[tuple[object, Path, tuple[Any, ...]]],
    ) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Do the jobs of a step that are not done.

        Args:
            step: its name.
            function: does a job.
            jobs: of each what it works on, the file of its result, and its arguments.

        Returns:
            Of each job that is done its arguments and its value.
        """
        missing: dict[str, Job] = {}
        done = []
        for subject, result, arguments in jobs:
            marker = result.with_suffix(".json")
            job = Job(f"{step} {subject}", function, (self._archive, *arguments), marker)
            if (value := job.earlier_value()) is None:
                missing[job.name] = job
            else:
                done.append((arguments, value))
        if missing:
            earlier = f", {len(done):,} of them done before" if done else ""
            self._tell(f"{step}: {len(missing) + len(done):,} to do{earlier}")
        total, told_at = len(missing) + len(done), time.monotonic()
        calls = [Call(job.name, do_job, job) for job in missing.values()]
        # A cluster without workers would be waited for also where there is nothing to do.
        for ended in self._engine.run(calls) if calls else ():
            job = missing.pop(ended.name)
            if ended.failure:
                words = ended.failure.removeprefix(f"{job.name}: ")
                self._summary.failed.append(f"{job.name}: {words}")
            else:
                done.append((job.arguments[1:], ended.value))
            if time.monotonic() - told_at >= _TELL_SECONDS:
                told_at = time.monotonic()
                self._tell(f"{step}: {len(done):,} of {total:,}")
        self._summary.failed += [f"{name}: stopped before it began" for name in missing]
        for _, value in done:
            self._summary.add(value)
        return done

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
    """Return into how many partitions the sites of an archive of so many bytes are put.

    It is a power of two, so that a few files more seldom change it: what shards say is kept by
    partition, and is made again when their number changes.
    """
    bits = ((size - 1) // _PARTITION_BYTES).bit_length()
    return 1 << max(_LEAST_BITS, min(_MOST_BITS, bits))


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
    if path.is_dir():
        walk = os.walk(path, onerror=_refuse)
        files = sorted(Path(folder, name) for folder, _, names in walk for name in names)
    else:
        path.stat()
        files = [path]
    found = [f for f in files if f.name.lower().endswith(ARCHIVE_SUFFIXES) and f.is_file()]
    if not found:
        raise ArgumentError(
            f"{path} is no WARC file that can be read twice, nor a folder with one in it or below: "
            f"their names end in {', '.join(ARCHIVE_SUFFIXES)}. 'scrapy crawl archive' reads lists "
            "and folders of saved pages"
        )
    return found


def _shard(file: Path) -> Shard:
    with file.open("rb"):
        state = file.stat()
    return Shard(file.resolve(), state.st_size, state.st_mtime_ns)


def _refuse(error: OSError) -> NoReturn:
    raise ArgumentError(
        f"{error.filename} cannot be read ({error.strerror or error}): name WARC files, or folders "
        "of them"
    ) from error


@contextmanager
def locked(folder: Path, option: str) -> Iterator[None]:
    """Make a folder where there is none, and keep other commands out of it.

    Raises:
        ArgumentError: another process uses it; the message names the ``option`` for another folder.
        StoreError: it cannot be written to.
    """
    lock: AbstractContextManager[Any] | None
    try:
        lock = try_lock(folder / ".lock")
    except NotImplementedError:
        # A file system without locks: whether another command works there cannot be known.
        lock = nullcontext()
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be written to ({error.strerror or error}): name another with {option}"
        ) from error
    if lock is None:
        raise ArgumentError(
            f"{folder} is in use already: wait for the end of the other command, or name another "
            f"folder with {option}"
        )
    with lock:
        yield


def _origin_of(output: Path) -> str:
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


def _clear_output(output: Path, key: str) -> int:
    """Prepare a folder for items with a key; remove those of another, and return how many.

    Raises:
        ArgumentError: it holds items of unknown origin.
        StoreError: it cannot be written to.
    """
    is_other = _origin_of(output) != key
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
