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
<p TABID="6">no table</p>
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
        label("6", genuine=True),
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
        {"html": html + "<p TABID=7>", "tables": [label("7", genuine=True, header="none")]},
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


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"leaf": True, "genuine": True}, "unknown-label"),
        (label("1", genuine="yes"), "unknown-label"),
        (label("1", genuine=True, leaf=1), "unknown-label"),
        (label("1", genuine=True, header="top"), "unknown-label"),
        (label("17", genuine=True), "no-such-element"),
    ],
)
def test_labels_that_say_nothing_are_left_out_and_named(
    tmp_path: Path, wrong: dict[str, Any], reason: str
) -> None:
    report = measure(tmp_path, {"html": HTML, "tables": [wrong, label("2", genuine=False)]})
    assert report.figures["tables"] == 1
    assert report.figures["skipped"] == {reason: 1}
    assert len(report.flaws) == 1
    assert "gold.jsonl, line 1" in report.flaws[0]


def test_only_the_first_flaws_are_named(tmp_path: Path) -> None:
    wrong = [label(number, genuine=True) for number in range(100, 130)]
    report = measure(tmp_path, {"html": HTML, "tables": [*wrong, label("2", genuine=False)]})
    assert report.figures["skipped"] == {"no-such-element": 30}
    assert len(report.flaws) == 20


def test_figures_of_sites_and_of_each_table(tmp_path: Path) -> None:
    tables = [label("1", genuine=True), label("2", genuine=False)]
    report = measure(
        tmp_path,
        {"html": HTML, "site": "a", "tables": tables},
        {"html": HTML, "url": "https://b.example/1", "id": 9, "tables": tables[:1]},
    )
    sites = report.figures["by_site"]
    assert {name: each["tables"] for name, each in sites.items()} == {"a": 2, "b.example": 1}
    assert [row.get("id") for row in report.rows] == [None, None, 9]
    assert [(row["genuine"], row["found"], row["teds"]) for row in report.rows] == [
        (True, True, 1.0),
        (False, False, None),
        (True, True, 1.0),
    ]


def test_the_right_table_may_be_given(tmp_path: Path) -> None:
    right = "<table><tr><td>Name<td>Age<tr><td>Kim<td>31<tr><td>Lee<td>32</table>"
    row = {"html": HTML, "tables": [label("1", genuine=True, gold_html=right)]}
    # A row and two cells of ten nodes are missing.
    assert measure(tmp_path, row).figures["teds"] == {"tables": 1, "mean": pytest.approx(0.7)}


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
    nothing = dict.fromkeys(("method", "limit", "curve", "examples", "pages"))
    options = Namespace(
        json="-", blocks=False, collection=False, alone=False, items=False, **nothing
    )
    settings = Settings({"CORPUS_TABLE_METHOD": "rules-literal", "LOG_ENABLED": False})
    evaluate(["tables", str(gold)], options, settings)
    assert json.loads(capsys.readouterr().out)["method"] == "rules-literal"
