"""What is wrong with the files and folders that are named is told before any work is done."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError, OptionError, StoreError
from crawler.harvest.archive.inputs import find_files, partitions_for, tell_changes
from crawler.harvest.archive.output import begin_output, check_output, end_output
from crawler.harvest.archive.work import ASIDE, Work
from support.archives import harvest, made_pages, options_for, told, write_archive

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    return write_archive(tmp_path / "in", made_pages(1, 2), 1)


def refusal(paths: list[Path], folder: Path) -> str:
    """Return why a harvest is refused, which leaves the folder as it was."""
    before = sorted(folder.rglob("*"))
    with pytest.raises(ArgumentError) as caught:
        harvest(paths, folder, options_for(folder))
    assert sorted(folder.rglob("*")) == before
    return str(caught.value)


def test_a_refused_file_leaves_no_folder(paths: list[Path], tmp_path: Path) -> None:
    gone = tmp_path / "gone.warc.gz"
    assert "gone.warc.gz: there is no such file or folder; name" in refusal(
        [*paths, gone], tmp_path
    )


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    assert "cannot be read: File name too long" in refusal(
        [tmp_path / f"{'x' * 300}.warc.gz"], tmp_path
    )


def test_a_folder_stands_for_the_files_in_it_and_below(tmp_path: Path) -> None:
    paths = write_archive(tmp_path / "in", made_pages(2, 4), 3)
    below = tmp_path / "in" / "older"
    below.mkdir()
    paths[0].rename(below / "A.WARC.GZ")
    (tmp_path / "in" / "notes.txt").write_text("none of them")
    found = find_files([tmp_path / "in", paths[1]], 4_000)
    assert [each.path for each in found] == [*paths[1:], below / "A.WARC.GZ", paths[1]]


def test_the_files_of_a_folder_are_counted(tmp_path: Path) -> None:
    paths = write_archive(tmp_path / "in", made_pages(1, 6), 3)
    assert len(paths) == 3
    assert harvest([tmp_path / "in"], tmp_path, options_for(tmp_path)).files == 3


def test_a_folder_without_any_is_refused(tmp_path: Path) -> None:
    (tmp_path / "all.warc.gz").mkdir()
    assert "has no WARC file in it or below" in refusal([tmp_path / "all.warc.gz"], tmp_path)


def test_what_can_be_read_once_only_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.warc")
    assert "no file that can be read twice" in refusal([tmp_path / "pipe.warc"], tmp_path)


def test_items_of_others_are_left_alone(paths: list[Path], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part-00001.jsonl").write_text("mine\n")
    assert "name an empty folder with -O" in refusal(paths, tmp_path)
    assert (tmp_path / "out" / "part-00001.jsonl").read_text() == "mine\n"


def test_a_folder_of_others_is_no_work_folder(paths: list[Path], tmp_path: Path) -> None:
    mine = tmp_path / "work" / "merged" / "accounts"
    mine.mkdir(parents=True)
    (mine / "notes").write_text("mine\n")
    (tmp_path / "out").mkdir()
    assert "holds merged, and no results of an archive: name an empty folder" in refusal(
        paths, tmp_path
    )
    assert (mine / "notes").read_text() == "mine\n"


def test_what_a_kill_left_of_the_first_moment_is_no_obstacle(tmp_path: Path) -> None:
    work = Work(tmp_path)
    with work.locked():
        (tmp_path / f"files.json.x{ASIDE}").write_text("half")
    with work.locked():
        assert not work.files.exists()
        with pytest.raises(ArgumentError, match="another process works"), work.locked():
            pass


@pytest.mark.parametrize("found", ["[1]", "7", "{", '{"a": 1}'])
def test_a_strange_list_of_files_is_replaced(tmp_path: Path, found: str) -> None:
    work = Work(tmp_path)
    work.files.write_text(found)
    said: list[str] = []
    tell_changes(work, [], said.append)
    assert work.files.read_text() == "{}"
    assert said == []


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="name another folder with -O"):
        check_output(tmp_path / "file")
    with (
        pytest.raises(StoreError, match="name another with --work"),
        Work(tmp_path / "file").locked(),
    ):
        pass


def test_one_folder_for_both_is_refused(paths: list[Path], tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "work")
    assert "name another folder with --work" in refusal(paths, tmp_path)


def test_items_that_cannot_be_removed_are_an_error(tmp_path: Path) -> None:
    begin_output(tmp_path, "one")
    (tmp_path / "part-00000.jsonl").mkdir()
    with pytest.raises(StoreError, match=r"part-00000.jsonl.*name another folder with -O"):
        begin_output(tmp_path, "two")


def test_a_format_that_cannot_be_written_is_refused(
    paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match="Parquet needs pyarrow"):
        harvest(paths, tmp_path, options_for(tmp_path, OUTPUT_FORMAT="parquet"))
    assert not (tmp_path / "work").exists()


def test_that_items_are_replaced_is_told(paths: list[Path], tmp_path: Path) -> None:
    harvest(paths, tmp_path, options_for(tmp_path))
    files = len(list((tmp_path / "out").glob("*.jsonl")))
    told.clear()
    harvest(paths, tmp_path, options_for(tmp_path))
    assert told == []
    harvest(paths, tmp_path, options_for(tmp_path, ITEM_MARKDOWN=True))
    assert any(f"{files} files of other items are replaced" in line for line in told)


def test_few_files_more_change_the_partitions() -> None:
    gigabytes = [0, 1, 1.01, 2, 2.01, 3.9, 5, 300, 511, 513, 900, 9_000]
    found = [partitions_for(int(size * (1 << 30))) for size in gigabytes]
    assert found == [4, 4, 8, 8, 16, 16, 32, 2048, 2048, 4096, 4096, 4096]
    assert partitions_for(1) == 4


def test_two_commands_in_one_output_folder_are_noticed(tmp_path: Path) -> None:
    begin_output(tmp_path, "one")
    begin_output(tmp_path, "two")
    (tmp_path / "part-00000.jsonl").write_text("")
    with pytest.raises(StoreError, match="another command wrote"):
        end_output(tmp_path, "one", {}, None)
    (tmp_path / "part-00001.jsonl").write_text("of the first")
    with pytest.raises(StoreError, match="another command wrote"):
        end_output(tmp_path, "two", {}, {"part-00000.jsonl"})
    end_output(tmp_path, "two", {"complete": False}, None)
    (tmp_path / "part-00001.jsonl").unlink()
    end_output(tmp_path, "two", {"complete": True}, {"part-00000.jsonl", "part-00002.jsonl"})
    assert json.loads((tmp_path / "archive.json").read_text()) == {"key": "two", "complete": True}
