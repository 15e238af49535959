"""What is wrong with the files and folders that are named is found before any work is done."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError, OptionError, StoreError
from crawler.harvest.archive.run import find_shards, locked, partitions_for
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


@pytest.mark.parametrize("name", ["gone.warc.gz", f"{'x' * 300}.warc.gz", "gone", "pages.jsonl"])
def test_what_is_no_archive_is_refused(paths: list[Path], tmp_path: Path, name: str) -> None:
    if name == "pages.jsonl":
        (tmp_path / name).write_text("{}")
    assert name in refusal([*paths, tmp_path / name], tmp_path)


def test_a_folder_stands_for_the_files_in_it_and_below(tmp_path: Path) -> None:
    paths = write_archive(tmp_path / "in", made_pages(2, 4), 3)
    below = tmp_path / "in" / "older"
    below.mkdir()
    paths[0].rename(below / "A.WARC.GZ")
    (tmp_path / "in" / "notes.txt").write_text("none of them")
    found = find_shards([tmp_path / "in"])
    assert [each.path for each in found] == [*paths[1:], below / "A.WARC.GZ"]
    found = find_shards([tmp_path / "in", paths[1]])
    assert [each.path for each in found] == [paths[2], below / "A.WARC.GZ", paths[1]]


def test_a_folder_without_any_is_refused(tmp_path: Path) -> None:
    (tmp_path / "all.warc.gz").mkdir()
    assert "all.warc.gz" in refusal([tmp_path / "all.warc.gz"], tmp_path)


def test_what_can_be_read_once_only_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.warc")
    assert "pipe.warc" in refusal([tmp_path / "pipe.warc"], tmp_path)


def test_items_of_others_are_left_alone(paths: list[Path], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part-00001.jsonl").write_text("mine\n")
    assert "part-00001.jsonl" in refusal(paths, tmp_path)
    assert (tmp_path / "out" / "part-00001.jsonl").read_text() == "mine\n"


def test_files_of_others_in_the_work_folder_stay(paths: list[Path], tmp_path: Path) -> None:
    mine = tmp_path / "work" / "merged" / "accounts"
    mine.mkdir(parents=True)
    (mine / "notes").write_text("mine\n")
    harvest(paths, tmp_path, options_for(tmp_path))
    assert (mine / "notes").read_text() == "mine\n"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="--work"), locked(tmp_path / "file", "--work"):
        pass


def test_two_at_once_are_refused(paths: list[Path], tmp_path: Path) -> None:
    for folder, option in (("out", "-O"), ("work", "--work")):
        with locked(tmp_path / folder, option), pytest.raises(ArgumentError, match=option):
            harvest(paths, tmp_path, options_for(tmp_path))


def test_one_folder_for_both_is_refused(paths: list[Path], tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "work")
    with pytest.raises(ArgumentError, match="--work"):
        harvest(paths, tmp_path, options_for(tmp_path))


def test_items_that_cannot_be_removed_are_an_error(paths: list[Path], tmp_path: Path) -> None:
    harvest(paths, tmp_path, options_for(tmp_path))
    (tmp_path / "out" / "part-00009.jsonl").mkdir()
    with pytest.raises(StoreError, match=r"part-00009\.jsonl"):
        harvest(paths, tmp_path, options_for(tmp_path, ITEM_MARKDOWN=True))


def test_a_format_that_cannot_be_written_is_refused(
    paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match="pyarrow"):
        harvest(paths, tmp_path, options_for(tmp_path, OUTPUT_FORMAT="parquet"))
    assert not (tmp_path / "work").exists()


def test_that_items_are_replaced_is_told(paths: list[Path], tmp_path: Path) -> None:
    harvest(paths, tmp_path, options_for(tmp_path))
    files = len(list((tmp_path / "out").glob("*.jsonl")))
    told.clear()
    harvest(paths, tmp_path, options_for(tmp_path))
    assert told == []
    harvest(paths, tmp_path, options_for(tmp_path, ITEM_MARKDOWN=True))
    assert any(f"{files} files of other items" in line for line in told)


def test_few_files_more_change_the_partitions() -> None:
    gigabytes = [0, 1, 1.01, 2, 2.01, 3.9, 5, 300, 511, 513, 900, 9_000]
    found = [partitions_for(int(size * (1 << 30))) for size in gigabytes]
    assert found == [4, 4, 8, 8, 16, 16, 32, 2048, 2048, 4096, 4096, 4096]
    assert partitions_for(1) == 4
