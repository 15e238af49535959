"""The task that measures dates, titles and authors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import UnreadableInputError
from crawler.evaluation.command import TASKS
from crawler.evaluation.metadata import folded, measure_metadata
from crawler.evaluation.task import Job

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.evaluation.task import Report

HTML = "<h1>Night trains</h1><p>By Night Desk and Tide Desk</p><time>27 November 2026</time>"


def measure(folder: Path, *rows: object) -> Report:
    file = folder / "gold.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return measure_metadata(Job((file,)))


def test_each_field_is_counted_where_the_gold_knows_it(tmp_path: Path) -> None:
    report = measure(
        tmp_path,
        {"html": HTML, "title": "NIGHT trains!", "authors": ["Night Desk", "Owl Desk"]},
        {"html": HTML, "title": "Owls", "publishing_date": "2026-11-27 14:03:00+01:00"},
        {"html": HTML, "title": None, "author": "", "publish_date": "2026-11"},
        {"html": "", "publishing_date": "2026-11-27", "url": "https://harbour.example/n"},
    )
    figures = report.figures
    assert report.pages == 4
    assert figures["date"] == {"accuracy": 2 / 3, "found": 2 / 3, "pages": 3}
    assert figures["title"] == {"accuracy": 0.5, "pages": 2}
    assert figures["author"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "pages": 1}
    assert figures["sources"]["date"] == {
        "none": {"right": 0, "wrong": 1},
        "time": {"right": 2, "wrong": 0},
    }
    assert figures["skipped"] == {"empty": 1}


def test_a_string_of_authors_is_split(tmp_path: Path) -> None:
    report = measure(tmp_path, {"html": HTML, "authors": "Night Desk and Tide Desk"})
    assert report.figures["author"]["f1"] == 1.0


def test_nan_is_no_value(tmp_path: Path) -> None:
    row = {"html": HTML, "publishing_date": float("nan"), "title": "Night trains"}
    assert measure(tmp_path, row).figures["date"]["pages"] == 0


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"title": "Night"}, "no 'html'"),
        ({"html": HTML, "title": 3}, "'title' must be a string, not a number"),
        ({"html": HTML, "authors": [3]}, "'authors' must hold strings, not a number"),
        ({"html": HTML}, "no page with a title"),
    ],
)
def test_gold_that_cannot_be_used_is_named(tmp_path: Path, row: object, says: str) -> None:
    with pytest.raises(UnreadableInputError, match=says):
        measure(tmp_path, row)


def test_there_is_one_method() -> None:
    assert TASKS["metadata"].has_one_method


def test_folding_drops_case_space_and_punctuation() -> None:
    assert folded("“Night  trains”!") == folded("night-TRAINS") != folded("night train")
