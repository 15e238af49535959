from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError, UnknownMethodError, UnreadableInputError
from crawler.evaluation.command import TASKS, get_task
from crawler.evaluation.task import Job

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.evaluation.task import Report

MENU = "<p>Every page of the site says these very words."


def row(site: str, number: int, own: str, gold: str | None = None) -> dict[str, object]:
    html = f"<html><body>{MENU}<p>{own}</body></html>" if own else ""
    return {"site": site, "id": number, "html": html, "gold_text": own if gold is None else gold}


def site(name: str, pages: int) -> list[dict[str, object]]:
    things = ("apples", "boats", "clocks", "doors", "engines", "films", "gates", "hats")
    return [
        row(name, number, f"A post about {things[number]} and what {name} made of them.")
        for number in range(pages)
    ]


def measure(
    tmp_path: Path,
    rows: list[dict[str, object]],
    limit: int | None = None,
    method: str = "frequency-adaptive",
) -> Report:
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return get_task("text").run(Job(gold=(gold,), method=method, limit=limit))


def test_all_pages_of_a_site_are_counted_before_the_first_is_judged(tmp_path: Path) -> None:
    report = measure(tmp_path, site("a.example", 5))
    assert report.figures["word"] == {"precision": 1, "recall": 1, "f1": 1}, (
        "the menu of the first page is known as one only when the others have been seen"
    )
    assert report.pages == 5
    assert report.sites == 1


def test_as_items_have_it_the_text_begins_with_the_headline_and_has_no_byline(
    tmp_path: Path,
) -> None:
    rows = []
    for number in range(3):
        said = [
            f"The train of {number} is back, after {10 + each} years, and leaves the old station "
            f"at {each} in the evening, every day but Sunday and the first of May."
            for each in range(3, 7)
        ]
        head = f"Train {number} is back"
        html = (
            f"<title>{head} - Gazette</title><h1>{head}</h1><p>By Ada Mott, 3 May 2026</p>"
            f"<p>{'</p><p>'.join(said)}</p>"
        )
        gold = "\n".join((head, *said))
        rows.append({"site": "a.example", "id": number, "html": html, "gold_text": gold})
    measure(tmp_path, rows)
    job = Job((tmp_path / "gold.jsonl",), method="article", alone=True, as_items=True)
    assert get_task("text").run(job).figures["word"] == {"precision": 1, "recall": 1, "f1": 1}
    of_method = get_task("text").run(replace(job, as_items=False)).figures["word"]
    assert of_method["f1"] < 1
    other = replace(job, method="all-text")
    assert get_task("text").run(other).figures["word"]["recall"] == 1
    assert get_task("text").run(other).figures["word"]["precision"] < 1


def test_alone_a_page_knows_nothing_of_its_site(tmp_path: Path) -> None:
    measure(tmp_path, site("a.example", 5))
    job = Job(gold=(tmp_path / "gold.jsonl",), method="frequency-adaptive", alone=True)
    report = get_task("text").run(job)
    assert report.figures["word"]["precision"] < 0.8, "the menu is on one page as far as it knows"
    assert report.pages == 5


def test_each_page_has_its_figures(tmp_path: Path) -> None:
    rows = [*site("a.example", 3), row("b.example", 9, "", gold="lost words")]
    found = measure(tmp_path, rows).rows
    assert [(page["site"], page.get("id"), page["f1"]) for page in found] == [
        ("a.example", 0, 1.0),
        ("a.example", 1, 1.0),
        ("a.example", 2, 1.0),
        ("b.example", 9, 0.0),
    ]
    assert [page["words_wanted"] for page in found] == [11, 11, 11, 2]


def test_mixed_up_pages_give_the_same_figures(tmp_path: Path) -> None:
    rows = [*site("a.example", 6), *site("b.example", 3), row("b.example", 9, "", gold="lost")]
    there = measure(tmp_path, rows).figures
    assert there == measure(tmp_path, rows[::-1]).figures
    assert there == measure(tmp_path, rows[1::2] + rows[::2]).figures


def test_a_site_is_never_judged_by_another_sites_counts(tmp_path: Path) -> None:
    one = measure(tmp_path, [row("a.example", 1, "Only here."), row("b.example", 2, "Only there.")])
    assert one.figures["word"]["recall"] == 1
    assert one.figures["word"]["precision"] < 1


def test_a_page_that_cannot_be_read_is_an_empty_prediction(tmp_path: Path) -> None:
    rows = [*site("a.example", 3), row("a.example", 9, "", gold="This text is not found.")]
    report = measure(tmp_path, rows)
    assert report.pages == 4
    assert sum(report.figures["skipped"].values()) == 1
    assert report.figures["word"]["recall"] == pytest.approx(3 / 4)
    assert report.figures["word"]["precision"] == pytest.approx(3 / 4)


def test_a_site_without_one_readable_page(tmp_path: Path) -> None:
    report = measure(tmp_path, [row("dead.example", 1, "", gold="Gone."), *site("a.example", 3)])
    assert report.figures["per_site"]["dead.example"] == {
        "pages": 1,
        "precision": 0,
        "recall": 0,
        "f1": 0,
    }
    assert report.figures["site_mean_f1"] == 0.5


def test_limit(tmp_path: Path) -> None:
    report = measure(tmp_path, [*site("a.example", 4), *site("b.example", 4)], limit=5)
    assert {name: it["pages"] for name, it in report.figures["per_site"].items()} == {
        "a.example": 4,
        "b.example": 1,
    }


def test_gold_without_pages(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="no gold pages"):
        measure(tmp_path, [])


def test_unknown_names() -> None:
    assert "text" in TASKS
    with pytest.raises(ArgumentError, match=r"the tasks are: .*text"):
        get_task("txt")
    with pytest.raises(UnknownMethodError, match="frequency-adaptive"):
        get_task("text").run(Job(gold=(), method="nothing"))


def test_kinds_of_pages_are_told_apart_where_the_gold_names_them(tmp_path: Path) -> None:
    rows = site("a.example", 3)
    rows[0]["page_type"] = rows[1]["page_type"] = "article"
    rows[2] |= {"page_type": "forum", "gold_text": "Not on the page."}
    report = measure(tmp_path, rows)
    kinds = report.figures["per_kind"]
    assert (kinds["article"]["pages"], kinds["article"]["f1"]) == (2, 1)
    assert (kinds["forum"]["pages"], kinds["forum"]["f1"] < 0.5) == (1, True)
    assert measure(tmp_path, site("a.example", 3)).figures["per_kind"] == {}


def test_a_page_whose_text_nobody_has_said_is_counted_and_not_judged(tmp_path: Path) -> None:
    rows = site("a.example", 3)
    rows[1]["gold_text"] = None
    report = measure(tmp_path, rows)
    assert (report.pages, report.figures["unjudged"]) == (2, 1)
    assert report.figures["word"]["f1"] == 1
    with pytest.raises(UnreadableInputError, match="null"):
        measure(tmp_path, rows[1:2])
