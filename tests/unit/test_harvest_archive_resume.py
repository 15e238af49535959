"""What was done is not done again, and no kill, change or failure doubles or loses an item."""

from __future__ import annotations

import errno
import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import CorpusError
from crawler.harvest.engine import Done, ThreadEngine
from crawler.store.archive import WarcWriter
from crawler.store.files import ASIDE
from support.archives import (
    DATE,
    harvest,
    lines_of,
    made_pages,
    one_process,
    options_for,
    told,
    write_archive,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.harvest.engine import Call


class KilledError(BaseException):
    """Ends a harvest where a kill would."""


class Killed(ThreadEngine):
    """Does so many jobs, and is then killed before it can tell of the last of them."""

    def __init__(self, jobs: int) -> None:
        super().__init__(1)
        self.left = jobs

    def run(self, calls: Iterable[Call]) -> Iterator[Done]:
        for done in super().run(calls):
            self.left -= 1
            if self.left < 0:
                raise KilledError
            yield done


class Failing(ThreadEngine):
    """Has no memory for jobs of some name."""

    def __init__(self, name: str = "none") -> None:
        super().__init__(1)
        self.name = name
        self.begun = 0

    def run(self, calls: Iterable[Call]) -> Iterator[Done]:
        for call in calls:
            self.begun += 1
            if call.name.startswith(self.name):
                yield Done(call, error=MemoryError())
            else:
                yield from super().run([call])


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    return write_archive(tmp_path / "in", made_pages(2, 5), 2)


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the output files, each with its identity on the disk and its time."""
    found = {path.name: path.stat() for path in (folder / "out").glob("*.jsonl")}
    return {name: (state.st_ino, state.st_mtime_ns) for name, state in found.items()}


def test_a_second_call_does_nothing(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)
    first = harvest(paths, tmp_path, options)
    files = files_of(tmp_path)
    engine = Failing()
    second = harvest(paths, tmp_path, options, engine)
    assert engine.begun == 0
    assert files_of(tmp_path) == files
    assert second.as_json() == first.as_json()
    assert json.loads((tmp_path / "out" / "archive.json").read_text())["complete"] is True


def test_a_file_that_cannot_be_read_costs_the_others_nothing(
    paths: list[Path], tmp_path: Path
) -> None:
    options = options_for(tmp_path)
    lines, _ = one_process(paths, options)
    garbled = tmp_path / "in" / "garbled.warc.gz"
    garbled.write_bytes(b"neither a record nor packed" * 99)
    summary = harvest([*paths, garbled], tmp_path, options)
    assert lines_of(tmp_path) == lines
    assert summary.as_json()["complete"] is True


class BadDisk(io.FileIO):
    """A file of which the system cannot read the second half."""

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any buffer
        size = os.fstat(self.fileno()).st_size
        if self.tell() >= size // 2:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().readinto(memoryview(buffer)[: size // 2 - self.tell()])


@pytest.mark.parametrize("step", ["observe", "judge"])
def test_a_file_that_a_disk_fails_to_give_is_read_again_next_time(
    paths: list[Path], tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, bad, is_bad = options_for(tmp_path), paths[0].resolve(), False
    whole = Path.open

    def failing(self: Path, *args: Any, **more: Any) -> Any:  # noqa: ANN401 - as of a path
        if is_bad and self == bad:
            return io.BufferedReader(BadDisk(self))
        return whole(self, *args, **more)

    class Disk(ThreadEngine):
        def run(self, calls: Iterable[Call]) -> Iterator[Done]:
            nonlocal is_bad
            calls = list(calls)
            is_bad = calls[0].name.startswith(step)
            yield from super().run(calls)

    monkeypatch.setattr(Path, "open", failing)
    summary = harvest(paths, tmp_path, options, Disk(1))
    is_bad = False
    assert [line.partition(" ")[0] for line in summary.failed] == [step]
    assert "Input/output error" in summary.failed[0]
    assert not summary.is_complete
    assert not summary.skips.get("unreadable")
    assert harvest(paths, tmp_path, options).is_complete
    assert lines_of(tmp_path) == one_process(paths, options)[0]


def test_a_kill_after_any_job(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)
    lines, _ = one_process(paths, options)
    counting = Failing()
    harvest(paths, tmp_path / "whole", options, counting)
    begun = 0
    # Killed again and again, three jobs further each time.
    for _ in range(counting.begun):
        engine = Killed(3)
        try:
            harvest(paths, tmp_path, options, engine)
        except KilledError:
            begun += 4
            assert set(lines_of(tmp_path)) <= set(lines)
            assert len(lines_of(tmp_path)) == len(set(lines_of(tmp_path)))
        else:
            begun += 3 - engine.left
            break
    assert lines_of(tmp_path) == lines
    assert begun == counting.begun, "no job was done twice"


def test_what_a_killed_job_left_is_no_result(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)
    with pytest.raises(KilledError):
        harvest(paths, tmp_path, options, Killed(2))
    (tmp_path / "work" / "observed" / f".0123.sqlite.x{ASIDE}").write_bytes(b"half")
    (tmp_path / "out").mkdir(exist_ok=True)
    harvest(paths, tmp_path, options)
    (tmp_path / "out" / f".part-00000.jsonl.x{ASIDE}").write_bytes(b"half")
    harvest(paths, tmp_path, options)
    assert lines_of(tmp_path) == one_process(paths, options)[0]
    assert not list(tmp_path.rglob(f"*{ASIDE}"))


def test_items_that_are_gone_are_made_again(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)
    harvest(paths, tmp_path, options)
    lines = lines_of(tmp_path)
    part, *others = sorted((tmp_path / "out").glob("part-*.jsonl"))
    part.unlink()
    others[0].write_bytes(b"short\n")
    engine = Failing()
    harvest(paths, tmp_path, options, engine)
    assert engine.begun == 2
    assert lines_of(tmp_path) == lines


def test_damaged_markers_and_results_are_made_again(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)
    harvest(paths, tmp_path, options)
    for path in (tmp_path / "work" / "judged").rglob("*.json"):
        path.write_text("{")
    for path in (tmp_path / "work" / "merged").rglob("*.json"):
        path.write_text("[]")
    for path in (tmp_path / "work" / "observed").glob("*.json"):
        noted = json.loads(path.read_text())
        noted["value"]["partitions"].pop()
        path.write_text(json.dumps(noted))
    observed = min((tmp_path / "work" / "observed").glob("*.sqlite"))
    observed.write_bytes(observed.read_bytes()[:-9])
    harvest(paths, tmp_path, options)
    assert lines_of(tmp_path) == one_process(paths, options)[0]


def test_a_changed_file_is_read_again(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)
    harvest(paths, tmp_path, options)
    paths[0].unlink()
    with WarcWriter(paths[0], date=DATE) as writer:
        for page in made_pages(3, 2, seed=5):
            writer.write(page)
    told.clear()
    harvest(paths, tmp_path, options)
    assert told[0] == "observe: 2 to do, 1 of them done before"
    assert lines_of(tmp_path) == one_process(paths, options)[0]


def test_a_file_that_changes_meanwhile_gives_no_result(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)

    class Touching(ThreadEngine):
        def run(self, calls: Iterable[Call]) -> Iterator[Done]:
            os.utime(paths[0], (1, 1))
            yield from super().run(calls)

    summary = harvest(paths, tmp_path, options, Touching(1))
    assert not summary.is_complete
    assert all(str(paths[0].resolve()) in line for line in summary.failed)
    assert harvest(paths, tmp_path, options).is_complete
    assert lines_of(tmp_path) == one_process(paths, options)[0]


def test_other_settings_and_formats_replace_the_output(paths: list[Path], tmp_path: Path) -> None:
    harvest(paths, tmp_path, options_for(tmp_path))
    options = options_for(tmp_path, PAGE_TYPES="all", ITEM_MARKDOWN=True)
    harvest(paths, tmp_path, options)
    assert lines_of(tmp_path) == one_process(paths, options)[0]
    harvest(paths, tmp_path, replace(options, output_format="csv"))
    assert lines_of(tmp_path) == []
    heads = {path.read_text("utf-8").split(",", 1)[0] for path in (tmp_path / "out").glob("*.csv")}
    assert heads == {"url"}


@pytest.mark.parametrize("stage", ["observe", "judge", "join"])
def test_what_fails_is_told_and_done_next_time(
    paths: list[Path], tmp_path: Path, stage: str
) -> None:
    options = options_for(tmp_path)
    name = f"{stage} {paths[0].resolve()}" if stage == "observe" else stage
    summary = harvest(paths, tmp_path, options, Failing(name))
    assert not summary.is_complete
    assert summary.failed
    assert all("MemoryError" in line for line in summary.failed)
    if stage == "observe":
        assert lines_of(tmp_path) == one_process(paths[1:], options)[0]
    assert json.loads((tmp_path / "out" / "archive.json").read_text())["complete"] is False
    assert harvest(paths, tmp_path, options).is_complete
    assert lines_of(tmp_path) == one_process(paths, options)[0]


def test_what_cannot_be_merged_ends_the_run(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)
    with pytest.raises(CorpusError, match="MemoryError"):
        harvest(paths, tmp_path, options, Failing("merge"))
    assert harvest(paths, tmp_path, options).is_complete


def test_where_no_shard_can_be_read_the_items_stay(paths: list[Path], tmp_path: Path) -> None:
    options = options_for(tmp_path)
    harvest(paths[:1], tmp_path, options)
    files = files_of(tmp_path)
    for path in paths:
        os.utime(path, (1, 1))
    with pytest.raises(CorpusError, match="MemoryError"):
        harvest(paths, tmp_path, options, Failing("observe"))
    assert files_of(tmp_path) == files


def test_pages_put_aside_that_are_gone_are_put_aside_again(
    paths: list[Path], tmp_path: Path
) -> None:
    options = options_for(tmp_path)
    harvest(paths, tmp_path, options, Failing("join"))
    for path in (tmp_path / "work" / "judged").rglob("*.sqlite"):
        path.unlink()
    assert harvest(paths, tmp_path, options).is_complete
    assert lines_of(tmp_path) == one_process(paths, options)[0]


def test_results_of_other_states_are_tidied_away(paths: list[Path], tmp_path: Path) -> None:
    harvest(paths, tmp_path, options_for(tmp_path))
    harvest(paths[:1], tmp_path, options_for(tmp_path))
    assert len(list((tmp_path / "work" / "merged").iterdir())) == 1
    assert len(list((tmp_path / "work" / "judged").iterdir())) == 1


def test_fields_of_pages_survive_being_put_aside(tmp_path: Path) -> None:
    pages = [replace(page, fields={"section": "walks"}, site="a site") for page in made_pages(1, 5)]
    paths = write_archive(tmp_path / "in", pages, 2)
    harvest(paths, tmp_path, options_for(tmp_path))
    items = [json.loads(line) for line in lines_of(tmp_path)]
    assert any(item["parts"] for item in items)
    assert {(item["fields"]["section"], item["site"]) for item in items} == {("walks", "a site")}
