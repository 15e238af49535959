"""An archive from its files to its items: which jobs there are, and in which order they run.

observe
    Each shard, by itself: what its pages tell.
merge
    Each partition of the sites, by itself: what all shards tell of them.
judge
    Each shard, by itself: its items, by the complete counts of their sites.
join
    Each partition that has pages whose items hang on each other: these.

Nothing that grows with the number of pages is held here.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import ArgumentError, CorpusError
from crawler.harvest.archive.figures import Figures
from crawler.harvest.archive.inputs import find_files, partitions_for, tell_changes
from crawler.harvest.archive.keys import files_named, key_of, settings_of
from crawler.harvest.archive.merged import views_path
from crawler.harvest.archive.output import begin_output, check_format, check_output, end_output
from crawler.harvest.archive.steps import TOGETHER_BYTES, Step, Steps
from crawler.harvest.archive.work import ASIDE, Work, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from crawler.harvest.archive.inputs import ArchiveFile
    from crawler.harvest.archive.steps import Result
    from crawler.harvest.archive.work import Shard
    from crawler.harvest.executors import Executor
    from crawler.settings import Options

__all__ = ["SHARD_BYTES", "ArchiveCall", "ArchiveHarvest", "Summary"]

SHARD_BYTES: Final = 64 << 20
"""The least size of a shard, in bytes of its file, unless told otherwise."""

_ROOM: Final = "crawler.harvest.archive"


@dataclass(slots=True)
class Summary:
    """What became of an archive.

    ``files``, ``shards``
        How many there are.
    ``items``
        How many were written.
    ``lost``
        Pages that no item could be made of, for an error.
    ``begun``
        How many steps were done, or tried; the results of the others were there.
    ``failed``
        What could not be done, a line each.
    ``figures``
        What became of the pages.
    """

    files: int = 0
    shards: int = 0
    items: int = 0
    lost: int = 0
    begun: int = 0
    failed: list[str] = field(default_factory=list)
    figures: Figures = field(default_factory=Figures)

    @property
    def is_complete(self) -> bool:
        """Whether every page has become what it should."""
        return not self.failed and not self.lost

    def as_json(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        return {
            "complete": self.is_complete,
            "files": self.files,
            "shards": self.shards,
            "items": self.items,
            "lost": self.lost,
            "failed": self.failed,
            "damage": self.figures.damage,
            "pages": self.figures.counts["corpus/pages/fetched"],
            "sites": self.figures.counts["corpus/sites"],
            "skipped": self.figures.skips,
        }


@dataclass(frozen=True, slots=True)
class ArchiveCall:
    """What is asked for.

    ``paths``
        The WARC files, in the order in which they count: of two captures of the same time the
        later one is exported.
    ``options``
        The settings.
    ``output``
        The folder of the items.
    ``work``
        The folder of all other results, of which nothing is needed when all is done.
    ``shard_bytes``
        The least size of a shard.
    ``memory``
        Bytes of memory that a job may allocate; None for no limit.
    ``path``
        Where modules are looked for that the settings name.
    """

    paths: Sequence[Path]
    options: Options
    output: Path
    work: Path
    shard_bytes: int = SHARD_BYTES
    memory: int | None = None
    path: Sequence[str] = ()


class ArchiveHarvest:
    """One archive, and the folders of its results.

    Args:
        call: what is asked for.
        executor: who runs the jobs.
        tell: takes a line for a person.
    """

    def __init__(self, call: ArchiveCall, executor: Executor, tell: Callable[[str], None]) -> None:
        self._call = call
        self._options = call.options
        self._output = call.output.absolute()
        self._work = Work(call.work.absolute())
        self._tell = tell
        together = min(call.shard_bytes, TOGETHER_BYTES)
        self._steps = Steps(executor, tell, call.memory, together)
        self._shared = {
            "work": str(self._work.folder),
            "settings": settings_of(call.options),
            "path": list(call.path),
        }
        self._summary = Summary()
        # The names of what shards tell, also of those that were joined with others.
        self._keys: set[str] = set()
        self._partitions: set[int] = set()
        self._files: set[str] = set()

    def run(self) -> Summary:
        """Do what is not done yet; return what became of the pages.

        Raises:
            OptionError: what the format of the items needs is not installed.
            ArgumentError: a file is missing, a folder holds what is none of an archive, or another
                process works in the same folder.
            CorpusError: no shard can be read, or what they tell cannot be put together.
            StoreError: a folder cannot be written to.
        """
        # What is wrong with the call shows before hours of work, and before anything is written.
        files = find_files(self._call.paths, self._call.shard_bytes)
        self._summary.files = len(files)
        if self._output.resolve() == self._work.folder.resolve():
            raise ArgumentError(
                f"{self._output} is named for the items and for all that is needed meanwhile: "
                "name another folder with --work"
            )
        check_format(self._options.output_format)
        check_output(self._output)
        with self._work.locked():
            tell_changes(self._work, files, self._tell)
            partitions = partitions_for(sum(file.size for file in files))
            observed = self._observe(files, partitions)
            key = self._merge(observed)
            judged = key_of(key, self._options.output_format)
            if removed := begin_output(self._output, judged):
                self._tell(f"{self._output}: {removed:,} files of other items are replaced")
            put_aside = self._judge(observed, partitions, key, judged)
            self._join(put_aside, key, judged)
            self._summary.begun = self._steps.begun
            made = None if self._summary.failed else self._files
            end_output(self._output, judged, self._summary.as_json(), made)
            self._tidy(key, judged)
        return self._summary

    def _observe(self, files: Sequence[ArchiveFile], partitions: int) -> list[_Observed]:
        """Have every shard read; return those that were, in the order of the archive."""
        settings = settings_of(self._options, observing=True)

        def key_for(shard: Shard) -> str:
            return key_of("observe", settings, partitions, shard.as_json())

        while True:
            shards = {key_for(shard): shard for file in files for shard in file.shards}
            self._keys.update(shards)
            steps = (self._observing(key, shard, partitions) for key, shard in shards.items())
            found = {
                result.step.argument["key"]: _told(result)
                for result in self._steps.run("observe", steps)
            }
            joins = sum(
                file.join([found[key_for(s)].cut_off for s in file.shards]) for file in files
            )
            if not joins:
                break
        self._summary.shards = sum(len(file.shards) for file in files)
        observed = []
        for file in files:
            told = [found[key_for(shard)] for shard in file.shards]
            if not any(each.failure or each.figures.counts for each in told):
                self._summary.figures.skipped("no-page", f"{file.path}: nothing in it is a page")
            for shard, each in zip(file.shards, told, strict=True):
                self._partitions.update(each.partitions)
                self._summary.figures.add(each.figures.as_json())
                if each.failure:
                    self._summary.failed.append(each.failure)
                else:
                    observed.append(_Observed(shard, key_for(shard)))
        if not observed:
            # What was made of these files before stays.
            raise CorpusError(
                f"no shard could be read ({self._summary.failed[0]}): mend that, and run the "
                "command again"
            )
        return observed

    def _observing(self, key: str, shard: Shard, partitions: int) -> Step:
        path = self._work.observed(key)
        return Step(
            name=f"observe {shard.path} from {shard.start}",
            function=f"{_ROOM}.observe:observe_shard",
            argument={
                **self._shared,
                "key": key,
                "shard": shard.as_json(),
                "partitions": partitions,
            },
            result=path.with_suffix(".json"),
            files=(path,),
            size=shard.end - shard.start,
        )

    def _merge(self, observed: Sequence[_Observed]) -> str:
        """Have what the shards tell put together; return the name of the result."""
        keys = [each.key for each in observed]
        key = key_of("merge", self._shared["settings"], files_named(self._options), keys)
        write_json(self._work.order(key), keys)
        steps = (self._merging(key, partition) for partition in sorted(self._partitions))
        failures = []
        for result in self._steps.run("merge", steps):
            if result.value is None:
                failures.append(result.failure)
            else:
                self._summary.figures.add(result.value["figures"])
        if failures:
            raise CorpusError(
                f"what the shards tell cannot be put together ({'; '.join(failures)}): run the "
                "command again to go on from here"
            )
        return key

    def _merging(self, key: str, partition: int) -> Step:
        path = self._work.merged(key, partition)
        return Step(
            name=f"merge {partition}",
            function=f"{_ROOM}.merge:merge_partition",
            argument={**self._shared, "key": key, "partition": partition},
            result=path.with_suffix(".json"),
            files=(path, views_path(path)),
        )

    def _judge(
        self, observed: Sequence[_Observed], partitions: int, key: str, judged: str
    ) -> dict[int, list[int]]:
        """Have every shard judged; return which shards put pages aside, by partition."""
        shared = {**self._shared, **self._output_of(key, judged), "partitions": partitions}
        steps = (self._judging(number, each, shared) for number, each in enumerate(observed))
        put_aside: dict[int, list[int]] = {}
        for result in self._steps.run("judge", steps):
            self._note_items(result)
            if result.value is not None:
                for partition in result.value["together"]:
                    number = result.step.argument["number"]
                    put_aside.setdefault(int(partition), []).append(number)
        return put_aside

    def _judging(self, number: int, observed: _Observed, shared: Mapping[str, Any]) -> Step:
        judged = str(shared["judged"])
        return Step(
            name=f"judge {number} {observed.shard.path} from {observed.shard.start}",
            function=f"{_ROOM}.judge:judge_shard",
            argument={
                **shared,
                "shard": observed.shard.as_json(),
                "number": number,
                "observed": observed.key,
            },
            result=self._work.judged(judged, number),
            holds=lambda value: (
                self._is_there(value)
                # The pages that were put aside are read again.
                and (not value["together"] or self._work.together(judged, number).exists())
            ),
            size=observed.shard.end - observed.shard.start,
        )

    def _join(self, put_aside: Mapping[int, list[int]], key: str, judged: str) -> None:
        """Have the pages judged that were put aside."""
        shared = {**self._shared, **self._output_of(key, judged)}
        steps = (
            self._joining(partition, sorted(numbers), shared)
            for partition, numbers in sorted(put_aside.items())
        )
        for result in self._steps.run("join", steps):
            self._note_items(result)

    def _joining(self, partition: int, numbers: list[int], shared: Mapping[str, Any]) -> Step:
        return Step(
            name=f"join {partition}",
            function=f"{_ROOM}.judge:join_partition",
            argument={**shared, "partition": partition, "numbers": numbers},
            result=self._work.joined(shared["judged"], partition),
            holds=lambda value: value["numbers"] == numbers and self._is_there(value),
        )

    def _output_of(self, key: str, judged: str) -> dict[str, str]:
        return {
            "output": str(self._output),
            "format": self._options.output_format,
            "merged": key,
            "judged": judged,
        }

    def _is_there(self, value: Mapping[str, Any]) -> bool:
        """Tell whether the items of a result lie in the output folder."""
        if not value["items"]:
            return True
        try:
            return bool((self._output / value["file"]).stat().st_size == value["bytes"])
        except OSError:
            return False

    def _note_items(self, result: Result) -> None:
        if result.value is None:
            self._summary.failed.append(result.failure)
            return
        self._files.add(result.value["file"])
        self._summary.items += result.value["items"]
        self._summary.lost += result.value["lost"]
        self._summary.figures.add(result.value["figures"])

    def _tidy(self, key: str, judged: str) -> None:
        """Remove results of other states of the archive, and what killed jobs left."""
        for path in self._work.folder.rglob(f"*{ASIDE}"):
            path.unlink(missing_ok=True)
        for path in (self._work.folder / "observed").iterdir():
            if path.stem not in self._keys:
                path.unlink(missing_ok=True)
        for kind, name in (("merged", key), ("judged", judged)):
            for folder in (self._work.folder / kind).glob("*"):
                if folder.name != name:
                    shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Observed:
    """A shard that was read, and the name of what it tells."""

    shard: Shard
    key: str


@dataclass(frozen=True, slots=True)
class _Told:
    """What came of reading a shard, as far as it is needed here."""

    figures: Figures
    partitions: tuple[int, ...] = ()
    cut_off: bool = False
    failure: str = ""


def _told(result: Result) -> _Told:
    figures = Figures()
    if result.value is None:
        return _Told(figures, failure=result.failure)
    figures.add(result.value["figures"])
    return _Told(figures, tuple(result.value["partitions"]), result.value["cut_off"])
