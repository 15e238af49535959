from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import UnknownMethodError, UnreadableInputError
from crawler.evaluation.command import get_task
from crawler.evaluation.task import Job

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.evaluation.task import Report

TOWNS = ("Ayr", "Bath", "Cork", "Dover", "Ely")


def page(
    number: int, *, site: str = "towns", gold: dict[str, list[str]] | None = None
) -> dict[str, Any]:
    town = TOWNS[number]
    return {
        "site": site,
        "vertical": "place",
        "url": f"https://{site}.example/{number}",
        "html": f"<title>{town} | Towns</title><h1>{town}</h1><table><tr><th>People:<td>{number}0"
        f"<tr><th>Mayor:<td>M. &amp; {town}</table><p>Some words about it</p>",
        "gold": {"name": [town], "people": [f" {number}0 "], "mayor": [f"M. &amp; {town}"]}
        if gold is None
        else gold,
    }


def shop(number: int, items: int, *, text: str | None = None) -> dict[str, Any]:
    body = "".join(f"<li class=item><b>{at}</b> of {number}" for at in range(items))
    return {
        "site": "shop",
        "html": f"<ul><li><a href=/>Home</a></ul><ol>{body}</ol><p>End</p>",
        "gold_records": [
            {
                "xpath": f"/html/body/ol/li[{at + 1}]" if text is None else "/html/body/gone",
                "text": f"{at} of {number}" if text is None else text,
            }
            for at in range(items)
        ],
    }


def measure(tmp_path: Path, *rows: object, method: str = "best", examples: int = 3) -> Report:
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return get_task("wrapper").run(Job(gold=(gold,), method=method, examples=examples))


def test_attributes_are_learned_from_the_first_pages_and_tried_on_the_rest(tmp_path: Path) -> None:
    report = measure(tmp_path, *map(page, range(5)))
    assert (report.pages, report.sites) == (2, 1)
    right = {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    names = ["place/mayor", "place/name", "place/people"]
    assert report.figures == {
        "examples": 3,
        **right,
        "per_attribute": dict.fromkeys(names, right),
        "per_site": {"towns/place": right},
        "skipped": {},
    }


def test_wrong_and_missing_values_count(tmp_path: Path) -> None:
    other = page(3, gold={"name": ["Dover", "Port of Dover"], "people": []})
    figures = measure(tmp_path, *map(page, range(3)), other).figures
    # Three are found, of which one is right; two are wanted.
    assert (figures["precision"], figures["recall"], figures["f1"]) == (1 / 3, 1 / 2, 2 / 5)
    assert figures["per_attribute"]["place/name"]["recall"] == 1 / 2
    assert figures["per_attribute"]["place/people"]["precision"] == 0


def test_sites_are_learned_apart(tmp_path: Path) -> None:
    rows = [page(0), page(1), page(2, site="other"), page(3, site="other")]
    report = measure(tmp_path, *rows, examples=1)
    assert (report.pages, report.sites) == (2, 2)
    assert sorted(report.figures["per_site"]) == ["other/place", "towns/place"]


def test_values_that_no_node_says_are_counted(tmp_path: Path) -> None:
    odd = page(0, gold={"name": ["Ayr", "Nowhere"]})
    figures = measure(tmp_path, odd, page(1), examples=1).figures
    assert figures["skipped"] == {"value-not-on-page": 1}


def test_records_are_right_by_their_element_or_their_text(tmp_path: Path) -> None:
    rows = [shop(0, 4), shop(1, 3), shop(2, 5), shop(3, 1, text="0 of 3"), shop(4, 2, text="none")]
    figures = measure(tmp_path, *rows, examples=2).figures
    assert (figures["precision"], figures["recall"], figures["f1"]) == (None, None, None)
    assert figures["records"] == {
        "precision": 6 / 8,
        "recall": 6 / 8,
        "f1": 6 / 8,
        "per_site": {"shop": {"precision": 6 / 8, "recall": 6 / 8, "f1": 6 / 8}},
    }


def test_the_published_matcher_is_measured_too_and_finds_no_lists(tmp_path: Path) -> None:
    figures = measure(tmp_path, *map(page, range(5)), shop(0, 2), method="published").figures
    assert figures["f1"] == 1
    assert "records" not in figures
    assert figures["skipped"] == {"records-need-best": 1}


def test_pages_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    empty = {**page(3), "html": " "}
    figures = measure(tmp_path, *map(page, range(3)), empty, page(4)).figures
    assert figures["skipped"] == {"empty": 1}
    assert figures["f1"] == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"html": "x"}, "line 1: no 'gold' and no 'gold_records'"),
        ({"gold": {}}, "no 'html'"),
        ({"html": "x", "gold": []}, "'gold' must be an object, not a list"),
        ({"html": "x", "gold": {"a": "b"}}, "'a' must be a list, not a string"),
        ({"html": "x", "gold": {}, "site": 1}, "'site' must be a string, not a number"),
        ({"html": "x", "gold_records": {}}, "'gold_records' must be a list"),
        ({"html": "x", "gold_records": [{"xpath": "/"}]}, "no 'text'"),
    ],
)
def test_wrong_gold_is_refused(tmp_path: Path, row: object, message: str) -> None:
    with pytest.raises(UnreadableInputError, match=message):
        measure(tmp_path, row)


def test_no_pages_and_an_unknown_matcher_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="no gold pages"):
        measure(tmp_path)
    with pytest.raises(UnknownMethodError, match="unknown matcher 'nearest'"):
        measure(tmp_path, page(0), method="nearest")
