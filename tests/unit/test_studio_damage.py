"""Nothing is lost where files are damaged, the disk is full, or other programs write."""

from __future__ import annotations

import json
import random
import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError, CorpusError, StoreError
from crawler.core.wrapper.project_file import write_project
from crawler.wrapper.project_store import load_project
from support.studio import do, shop_folder, teach, workspace_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Have the system refuse to write files of more bytes, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def journal_of(folder: Path) -> Path:
    return folder / "shop.studio" / "journal.jsonl"


def test_a_step_that_was_written_in_part_does_not_harm_the_next(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        before = workspace.state()
        with largest_file(journal_of(tmp_path).stat().st_size + 50), pytest.raises(StoreError):
            teach(workspace, "name", 1, "Corner")
        assert workspace.state() == before
        teach(workspace, "name", 1, "Corner")
        teach(workspace, "phone", 1, "555-1")
    with workspace_of(tmp_path) as workspace:
        assert list(workspace.project.rules) == ["name", "phone"]


def test_a_project_that_could_not_be_saved_can_be_saved_later(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        do(workspace, "save")
        teach(workspace, "phone", 1, "555-1")
        for name in ("", "other.h2x"):
            with largest_file(100), pytest.raises(StoreError):
                do(workspace, "save", file=name)
            assert workspace.state()["file"] == "shop.h2x"
        do(workspace, "save")
        assert load_project(tmp_path / "shop.h2x") == workspace.project
        do(workspace, "save", file="other.h2x")
        assert load_project(tmp_path / "other.h2x") == workspace.project


def test_a_line_of_the_journal_that_is_damaged_is_left_out_alone(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        do(workspace, "add", path="first")
        do(workspace, "add", path="second")
        do(workspace, "add", path="third")
        expected = write_project(workspace.project)
    lines = journal_of(tmp_path).read_bytes().splitlines(keepends=True)
    damaged = next(at for at, line in enumerate(lines) if b'"first"' in line)
    lines[damaged] = lines[damaged].replace(b'"do"', b'"xo"')
    journal_of(tmp_path).write_bytes(b"".join(lines))
    with workspace_of(tmp_path) as workspace:
        assert write_project(workspace.project) == expected
        for names in (["name", "first", "second"], ["name"]):
            do(workspace, "undo")
            assert [its.name for its in workspace.project.schema.elements] == names
        assert [its["name"] for its in workspace.state()["pages"]] == ["one.html"]
    assert journal_of(tmp_path).read_bytes().startswith(b"".join(lines))


def test_a_damaged_page_is_left_out_alone(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html", "two.html", "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
    (tmp_path / "shop.studio" / "1.json").write_bytes(b'{"url": "https://a')
    kept = json.loads((tmp_path / "shop.studio" / "2.json").read_bytes())
    binary = json.dumps({**kept, "body": "AAAAAAAA", "content_type": "image/png"})
    (tmp_path / "shop.studio" / "2.json").write_text(binary)
    with workspace_of(tmp_path, "one.html") as workspace:
        assert [its["name"] for its in workspace.state()["pages"]] == ["one.html"]
        assert list(workspace.project.rules) == ["name"]


def test_any_damage_of_the_journal_leaves_a_studio_that_works(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        do(workspace, "undo")
        do(workspace, "redo")
        do(workspace, "save")
    whole = journal_of(tmp_path).read_bytes()
    (tmp_path / "shop.h2x").unlink()
    dice = random.Random(7)
    for _ in range(20):
        damaged = bytearray(whole)
        for _ in range(dice.choice((1, 1, 5, 50))):
            damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        journal_of(tmp_path).write_bytes(
            damaged[: dice.choice((len(damaged), dice.randrange(99_999)))]
        )
        with workspace_of(tmp_path) as workspace:
            for op in ("undo", "undo", "redo", "redo", "history"):
                try:
                    do(workspace, op)
                except CorpusError:
                    assert workspace.state()["file"] == "shop.h2x"
            do(workspace, "add", path="after")
        with workspace_of(tmp_path) as workspace:
            assert workspace.project.schema.elements[-1].name == "after"


def test_what_another_program_wrote_is_not_overwritten(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        teach(workspace, "name", 1, "Corner")
        do(workspace, "save")
        path = tmp_path / "shop.h2x"
        theirs = path.read_text("utf-8").replace('"confidence": 0.0', '"confidence": 0.5')
        path.write_text(theirs, "utf-8")
        teach(workspace, "phone", 1, "555-1")
        with pytest.raises(ArgumentError, match="another program"):
            do(workspace, "save")
        assert path.read_text("utf-8") == theirs
        do(workspace, "save", file="mine")
        assert load_project(tmp_path / "mine.h2x") == workspace.project


def test_a_project_that_was_closed_is_not_written_any_more(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path), "one.html") as workspace:
        other = workspace.another("other.h2x")
        before = journal_of(tmp_path).read_bytes()
        with pytest.raises(StoreError):
            teach(workspace, "name", 1, "Corner")
        other.close()
        assert journal_of(tmp_path).read_bytes() == before
