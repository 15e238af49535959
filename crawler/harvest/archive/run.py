"""``scrapy harvest archive``: an archive from its files to its items.

The work is done in four steps. A job is one call of a function on one shard or one partition; its
result is a file with a done marker, so that a second run goes on where the first one ended.

observe
    Each shard (a shard is a WARC file): the blocks, links and dates of each of its pages.
merge
    Each partition (the sites whose names fall into it by a hash): the evidence of each site, and
    which pages of which shard give no item.
judge
    Each shard, read again: its items, by the evidence of their sites.
join
    Each partition that has pages which depend on pages of other shards: the items of these.

Nothing that grows with the number of pages is held here.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from crawler.core.errors import ArgumentError, CorpusError, OptionError, StoreError, one_line
from crawler.core.wording import counted, listed
from crawler.harvest.archive.counting import merge_partition, observe_shard
from crawler.harvest.archive.judge import feed_exporter, join_partition, judge_shard
from crawler.harvest.archive.work import (
    OF_FILES,
    Archive,
    Figures,
    Job,
    Shard,
    do_job,
    key_of,
    read_json,
    write_json,
)
from crawler.harvest.cluster import open_engine
from crawler.harvest.engine import Call, Engine, ProcessEngine, stop_by_signals
from crawler.journey.stages import default_stages
from crawler.pipelines.order import ITEM_PIPELINES
from crawler.settings import PREFIX, Options
from crawler.store.archive import ARCHIVE_SUFFIXES
from crawler.store.files import ASIDE, system_errors, try_lock

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

MANIFEST: Final = "archive.json"
"""Name of the file in the output folder that says what the items are made of, and whether all."""
_PARTITION_BYTES: Final = 256 << 20
"""Bytes of an archive for one partition: the addresses of some 100,000 pages fit in memory."""
_LEAST_BITS, _MOST_BITS = 2, 12
_KEY_CHARS: Final = 16
_TELL_SECONDS: Final = 10.0
_MEGABYTE: Final = 1 << 20
_LINES_SHOWN: Final = 10


def archive(namespace: argparse.Namespace, settings: BaseSettings) -> bool:
    """Run the command; return whether there is an item, or a reason for none, of every page.

    Raises:
        CorpusError: the call or a setting is wrong, or the work cannot be done.
    """
    options = Options.from_settings(settings)
    _check(options, settings)
    output = Path(namespace.output or options.dir / "archive")
    work = Path(namespace.work or options.dir / "archive-work")
    harvest = ArchiveHarvest([Path(name) for name in namespace.files], options, output, work)
    memory = namespace.memory and namespace.memory * _MEGABYTE
    with open_engine(namespace, ProcessEngine, memory) as engine, stop_by_signals(engine, _tell):
        figures = harvest.run(engine, _tell)
    for line in summary_lines(figures):
        _tell(line)
    if figures.as_json()["items"]:
        _tell(f"the items are in {output}")
    return figures.is_complete


def _check(options: Options, settings: BaseSettings) -> None:
    """Refuse settings that this command does not follow, or name them."""
    for name in ("tables_folder", "structure_folder", "wrapper_report"):
        if getattr(options, name) is not None:
            raise OptionError(
                f"{PREFIX}{name.upper()} is set: leave it out, only items are written"
            )
    # Methods, models and wrapper projects have to be there before the first job.
    for stage in default_stages(options, Figures()):
        stage.close()
    if options.incremental:
        _tell(f"{PREFIX}INCREMENTAL is for crawls of sites: all pages of the files are taken")
    if settings.getdict("ITEM_PIPELINES").keys() - ITEM_PIPELINES.keys():
        _tell("the item pipelines of the project are not run: items are written as they are made")


def _tell(line: str) -> None:
    # Where the disk is full or the terminal is gone, the work goes on.
    with suppress(OSError):
        sys.stderr.write(f"scrapy harvest archive: {one_line(line)}\n")


def summary_lines(figures: Figures) -> list[str]:
    """Return what a person is told at the end."""
    told = figures.as_json()
    records, sites = counted(told["pages"], "record"), counted(told["sites"], "site")
    files, items = counted(figures.files, "file"), counted(told["items"], "item")
    lines = [f"{files}: {records} of {sites}, {items}"]
    of_files = {reason: n for reason, n in told["skipped"].items() if reason in OF_FILES}
    others = {reason: n for reason, n in told["skipped"].items() if reason not in OF_FILES}
    for words, found in (("without an item", others), ("damaged or without a page", of_files)):
        if found:
            lines.append(f"{words}: {listed([f'{reason} {n:,}' for reason, n in found.items()])}")
    if told["lost"]:
        lines.append(f"{counted(told['lost'], 'page')} could not be made items of, for errors")
    failed = [f"not done: {line}" for line in figures.failed]
    for each, number in ((figures.damage, sum(of_files.values())), (failed, len(failed))):
        lines += each[:_LINES_SHOWN]
        if more := number - len(each[:_LINES_SHOWN]):
            lines.append(f"… and {more:,} more: see {MANIFEST}")
    return [*lines, *(["the same command tries again what was not done"] if failed else [])]


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
        self._figures = Figures(files=len(self._shards))

    def run(self, engine: Engine, tell: Callable[[str], None]) -> Figures:
        """Do what is not done yet; return what became of the pages. ``tell`` takes lines to show.

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
            write_json(output / MANIFEST, {"key": self._archive.judged, **self._figures.as_json()})
        return self._figures

    def _run_steps(self) -> None:
        archive, failed = self._archive, self._figures.failed
        settings = archive.options.values("observations")
        shards = {key_of(settings, archive.partitions, astuple(s)): s for s in self._shards}
        jobs: list[tuple[Any, ...]]
        jobs = [(archive.observed_file(key), key, shard) for key, shard in shards.items()]
        observed = {arguments[0]: value for arguments, value in self._do(observe_shard, jobs)}
        if not observed:
            # The items of an earlier run stay.
            why = f"no shard could be read ({failed[0]})"
            raise CorpusError(f"{why}: mend that, and run the command again")

        keys = [key for key in shards if key in observed]
        settings = archive.options.values("observations", "items")
        # Settings may name files, such as a wrapper project.
        named = [Path(value) for value in settings.values() if isinstance(value, str)]
        states = [(path, path.stat()) for path in named if path.is_file()]
        merged = key_of(settings, [(p, s.st_size, s.st_mtime_ns) for p, s in states], keys)
        judged = key_of(merged, archive.options.output_format)
        self._archive = archive = replace(archive, merged=merged, judged=judged)
        partitions = set().union(*(value["partitions"] for value in observed.values()))
        jobs = [(archive.merged_file(number), number, keys) for number in sorted(partitions)]
        if len(self._do(merge_partition, jobs)) < len(jobs):
            why = f"what the shards say cannot be merged ({'; '.join(failed)})"
            raise CorpusError(f"{why}: run the command again to go on from here")

        if removed := _clear_output(archive.output, judged):
            self._tell(f"{archive.output}: {removed:,} files of other items are replaced")
        jobs = [
            (archive.aside_file(number), number, shards[key], observed[key]["partitions"])
            for number, key in enumerate(keys)
        ]
        put_aside: dict[int, list[int]] = {}
        for arguments, value in self._do(judge_shard, jobs):
            for partition in value["joined"]:
                put_aside.setdefault(partition, []).append(arguments[0])
        folder = archive.aside_file(0).parent
        # Which shards could be judged may differ from run to run.
        jobs = [
            (folder / f"join-{partition}-{key_of(sorted(numbers))}", partition, sorted(numbers))
            for partition, numbers in sorted(put_aside.items())
        ]
        self._do(join_partition, jobs)
        self._remove_old({merged, judged, *shards})

    def _do(
        self, function: Callable[..., dict[str, Any]], jobs: Iterable[tuple[Any, ...]]
    ) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Do the jobs of a step that are not done; return of each that is its arguments and value.

        The name of the function begins with that of the step. ``jobs`` has of each job the file of
        its result, and its arguments.
        """
        step = function.__name__.partition("_")[0]
        missing: dict[str, Job] = {}
        done = []
        for result, *arguments in jobs:
            shard = next((one.path for one in arguments if isinstance(one, Shard)), arguments[0])
            marker = result.with_suffix(".json")
            job = Job(f"{step} {shard}", function, (self._archive, *arguments), marker)
            if (value := job.earlier_value()) is None:
                missing[job.name] = job
            else:
                done.append((job.arguments[1:], value))
        total, told_at = len(missing) + len(done), time.monotonic()
        if missing:
            earlier = f", {len(done):,} of them done before" if done else ""
            self._tell(f"{step}: {total:,} to do{earlier}")
        calls = [Call(job.name, do_job, job) for job in missing.values()]
        # A cluster without workers would be waited for also where there is nothing to do.
        for ended in self._engine.run(calls) if calls else ():
            job = missing.pop(ended.name)
            if ended.failure:
                words = ended.failure.removeprefix(f"{job.name}: ")
                self._figures.failed.append(f"{job.name}: {words}")
            else:
                done.append((job.arguments[1:], ended.value))
            if time.monotonic() - told_at >= _TELL_SECONDS:
                told_at = time.monotonic()
                self._tell(f"{step}: {len(done):,} of {total:,}")
        self._figures.failed += [f"{name}: stopped before it began" for name in missing]
        for _, value in done:
            self._figures.add(value)
        return done

    def _remove_old(self, keys: set[str]) -> None:
        """Remove results of other states of the archive, and what killed jobs left."""
        for path in self._archive.work.rglob(f".*{ASIDE}"):
            path.unlink(missing_ok=True)
        for path in self._archive.work.glob("*/*"):
            if len(path.stem) == _KEY_CHARS and path.stem not in keys:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def partitions_for(size: int) -> int:
    """Return into how many partitions the sites of an archive of so many bytes are put.

    It is a power of two from 4 to 4,096, so that a few files more seldom change it: what shards say
    is kept by partition, and is made again when their number changes.
    """
    bits = ((size - 1) // _PARTITION_BYTES).bit_length()
    return 1 << max(_LEAST_BITS, min(_MOST_BITS, bits))


def find_shards(paths: Sequence[Path]) -> list[Shard]:
    """Find the files of an archive in their order; one that is named twice has its last place.

    A folder stands for all WARC files in it and below, sorted.

    Raises:
        ArgumentError: there is none, or one that is no WARC file or is not there.
    """
    if not paths:
        raise ArgumentError("name the WARC files to read")
    found: list[Shard] = []

    def fail(error: OSError) -> NoReturn:
        raise error

    for path in paths:
        advice = "Name WARC files, or folders of them, that can be read"
        with system_errors(f"{path} cannot be read", advice, ArgumentError):
            path.stat()
            walk = (
                os.walk(path, onerror=fail)
                if path.is_dir()
                else [(str(path.parent), [], [path.name])]
            )
            files = sorted(Path(folder, name) for folder, _, names in walk for name in names)
            shards = [file for file in files if file.name.lower().endswith(ARCHIVE_SUFFIXES)]
            for file in filter(Path.is_file, shards):
                # A file that may not be read is an error here.
                with file.open("rb"):
                    state = file.stat()
                found.append(Shard(file.resolve(), state.st_size, state.st_mtime_ns))
        if not any(map(Path.is_file, shards)):
            raise ArgumentError(
                f"{path} is no WARC file that can be read twice, nor a folder with one in it or "
                f"below: their names end in {', '.join(ARCHIVE_SUFFIXES)}. 'scrapy crawl archive' "
                "reads lists and folders of saved pages"
            )
    return list(reversed(dict.fromkeys(reversed(found))))


@contextmanager
def locked(folder: Path, option: str) -> Iterator[None]:
    """Make a folder where there is none, and keep other commands out of it.

    Raises:
        ArgumentError: another process uses it; the message names the ``option`` for another folder.
        StoreError: it cannot be written to.
    """
    with system_errors(f"{folder} cannot be written to", f"Name another with {option}"):
        lock = try_lock(folder / ".lock")
    if lock is None:
        raise ArgumentError(
            f"{folder} is in use already: wait for the end of the other command, or name another "
            f"folder with {option}"
        )
    try:
        yield
    finally:
        lock.release()


def _origin_of(output: Path) -> str:
    """Return the key of what the items in a folder are made of; "" where it has none."""
    with suppress(StoreError, KeyError, TypeError):
        return str(read_json(output / MANIFEST)["key"])
    if files := _item_files(output):
        raise ArgumentError(
            f"{output} holds {files[0].name}, and does not say whose items these are: name an "
            "empty folder with -O"
        )
    return ""


def _clear_output(output: Path, key: str) -> int:
    """Prepare a folder for items with a key; remove those of another, and return how many."""
    is_other = _origin_of(output) != key
    others = _item_files(output) if is_other else []
    for path in [*others, *output.glob(f".*{ASIDE}")]:
        with system_errors(f"{path} cannot be removed", "Name another folder with -O"):
            path.unlink(missing_ok=True)
    if is_other:
        # Only now: a folder that has this key keeps its files.
        write_json(output / MANIFEST, {"key": key, "complete": False})
    return len(others)


def _item_files(output: Path) -> list[Path]:
    return sorted(output.glob("part-*")) + sorted(output.glob("joined-*"))
