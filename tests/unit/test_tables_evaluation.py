from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from crawler.core.errors import OptionError, UnknownMethodError, UnreadableInputError
from crawler.evaluation.command import evaluate, get_task
from crawler.evaluation.task import Job
from crawler.settings import Options, TableConstants

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.evaluation.task import Report

HTML = """
<table TABID="1"><tr><th>Name<th>Age<tr><td>Kim<td>31</table>
<table TABID="2"><tr><td><a href=/>Home</a><td><a href=/>News</a></table>
<table TABID="3"><caption>Box</caption><tr><td>a<td>b</table>
<table TABID="4"><tr><td>Title<td>Kind<tr><td>The view<td>Interview</table>
<table TABID="5"><tr><td>Land<td>Red and white<tr><td>North<td>Green and blue<tr><td>12<td>x</table>
"""


def label(tabid: object, *, genuine: object, leaf: object = True, **more: object) -> dict[str, Any]:
    return {"tabid": tabid, "leaf": leaf, "genuine": genuine, **more}


def measure(
    tmp_path: Path, *rows: object, method: str = "rules", limit: int | None = None
) -> Report:
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return get_task("tables").run(Job(gold=(gold,), method=method, limit=limit))


def test_figures(tmp_path: Path) -> None:
    labels = [
        label("1", genuine=True),
        label("2", genuine=False),
        label("3", genuine=False),
        label("4", genuine=True),
        label("9", genuine=True),
        label("5", genuine=False, confidence="doubtful"),
        label("1", genuine=False, leaf=False),
    ]
    report = measure(tmp_path, {"html": HTML, "tables": labels})
    figures = report.figures
    assert (report.pages, figures["tables"]) == (1, 5)
    assert figures["confusion"] == {"tp": 1, "fp": 1, "fn": 2, "tn": 1}
    assert (figures["precision"], figures["recall"], figures["f1"]) == (0.5, 1 / 3, 0.4)
    assert figures["accuracy"] == 2 / 5
    assert figures["errors"] == {
        "layout_as_genuine": {"caption": 1},
        "genuine_as_layout": {"not-found": 1, "two-by-two": 1},
    }


def test_strings_are_a_kind_of_error(tmp_path: Path) -> None:
    rows = {"html": HTML, "tables": [label("5", genuine=False)]}
    errors = measure(tmp_path, rows, method="rules-literal").figures["errors"]
    assert errors["layout_as_genuine"] == {"syntactic-strings": 1}


def test_elements_are_tied_by_either_attribute(tmp_path: Path) -> None:
    html = (
        "<div data-tid=7 role=table><p role=row><b role=columnheader>A</b><i role=cell>1</i></div>"
    )
    row = {
        "html": html,
        "tables": [{"tid": 7, "leaf": True, "genuine": True, "confidence": "sure"}],
    }
    assert measure(tmp_path, row).figures["f1"] == 1.0


def test_pages_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    rows = [{"html": " ", "tables": [label("1", genuine=True)]}, {"html": HTML, "tables": []}]
    report = measure(tmp_path, *rows)
    assert report.figures["skipped"] == {"empty": 1}
    assert report.figures["confusion"]["fn"] == 1
    assert measure(tmp_path, *rows, limit=1).pages == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"html": HTML}, "no 'tables'"),
        ({"html": HTML, "tables": {}}, "must be a list"),
        ({"html": HTML, "tables": [3]}, "must hold objects"),
        ({"html": HTML, "tables": [{"leaf": True, "genuine": True}]}, "without 'tabid' or 'tid'"),
        ({"html": HTML, "tables": [label("1", genuine="yes")]}, "'genuine' of a table"),
        ({"html": HTML, "tables": [label("1", genuine=True, leaf=1)]}, "'leaf' of a table"),
        ({"html": 3, "tables": []}, "'html' must be a string"),
        ({"html": HTML, "tables": []}, "no labelled tables"),
    ],
)
def test_gold_of_another_form_is_refused(tmp_path: Path, row: object, message: str) -> None:
    with pytest.raises(UnreadableInputError, match=message):
        measure(tmp_path, row)


def test_an_unknown_method_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownMethodError, match="no table method"):
        measure(tmp_path, {"html": HTML, "tables": []}, method="guess")


def test_headers_languages_and_sources(tmp_path: Path) -> None:
    html = (
        "<table TABID=1><tr><th>Name<th>Age<tr><td>Kim<td>31</table>"
        "<table TABID=2><tr><td>a<td>b<tr><td>c<td>d</table>"
    )
    rows = [
        {
            "html": html,
            "lang": "ko",
            "source": "blogs",
            "tables": [
                label("1", genuine=True, header="first_row"),
                label("2", genuine=False, header=None),
            ],
        },
        {"html": html, "lang": "de", "tables": [label("1", genuine=True, header="both")]},
        {"html": html, "tables": [label("7", genuine=True, header="none")]},
    ]
    report = measure(tmp_path, *rows)
    assert report.figures["header"] == {
        "tables": 3,
        "accuracy": 1 / 3,
        "errors": {"both as first_row": 1, "none as not-found": 1},
    }
    languages = report.figures["by_language"]
    assert {name: each["tables"] for name, each in languages.items()} == {"de": 1, "ko": 2}
    assert languages["ko"]["confusion"] == {"tp": 1, "fp": 0, "fn": 0, "tn": 1}
    assert list(report.figures["by_source"]) == ["blogs"]


def test_an_unknown_header_is_refused(tmp_path: Path) -> None:
    row = {"html": HTML, "tables": [label("1", genuine=True, header="top")]}
    with pytest.raises(UnreadableInputError, match="'header' of a table must be null or one of"):
        measure(tmp_path, row)


def test_settings_count(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    html = "<table TABID=1><tr><td>Land<td>Area<tr><td>North<td>120<tr><td>South<td>340</table>"
    row = {"html": html, "tables": [label("1", genuine=True)]}
    gold.write_text(json.dumps(row), encoding="utf-8")

    def recall(**settings: Any) -> object:  # noqa: ANN401 - any setting
        job = Job(gold=(gold,), method="rules", options=Options(**settings))
        return get_task("tables").run(job).figures["recall"]

    assert recall() == 1.0
    assert recall(table_constants=TableConstants(threshold=1.0)) == 0.0
    words = tmp_path / "words.json"
    words.write_text('{"classes": {"price": {"keyword": ["cena"]}}}', encoding="utf-8")
    with pytest.raises(OptionError, match="classes/price/keyword"):
        recall(table_words=words)


def test_the_method_is_that_of_the_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.jsonl"
    row = {"html": HTML, "tables": [label("1", genuine=True)]}
    gold.write_text(json.dumps(row), encoding="utf-8")
    options = Namespace(
        method=None, limit=None, json="-", curve=None, examples=None, blocks=False, collection=False
    )
    settings = Settings({"CORPUS_TABLE_METHOD": "rules-literal", "LOG_ENABLED": False})
    evaluate(["tables", str(gold)], options, settings)
    assert json.loads(capsys.readouterr().out)["method"] == "rules-literal"
