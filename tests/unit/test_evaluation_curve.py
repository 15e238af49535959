"""Frequencies and what would be found by them alone: the figures that --curve draws."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import SiteCounts, annotate, get_method, observe, read
from crawler.core.methods.published import TextFrequency
from crawler.core.page.page import Page
from crawler.evaluation.curve import Curves, SiteCurve
from crawler.evaluation.scores import Score, ScoreBoard, score_page
from crawler.reports.counts import frequency_rows

THINGS = ("apples", "boats", "clocks", "doors", "engines", "films", "gates", "hats")


def pages(site: str, number: int = 8) -> list[tuple[Page, str]]:
    """Make pages whose boilerplate stands on all, on half, on a quarter of them."""
    made = []
    for n, thing in enumerate(THINGS[:number]):
        own = f"A post about {thing} and what {site} made of them."
        html = (
            f"<body><p>Every page says this. <p>Part {n // 4}: {'even' * (n // 4)} more."
            f"<p>Section {n // 2} {'x' * (n // 2)}<p>{own}<p><a href=/>Start of {site}</a></body>"
        )
        made.append((Page.from_text(f"https://{site}/{n}", html, site=site), own))
    return made


def measure(
    gold: list[tuple[Page, str]], method: str | TextFrequency
) -> tuple[Curves, Score, dict[str, SiteCounts]]:
    """Do what the task does; return the curves, and the method's own means."""
    judge = get_method(method) if isinstance(method, str) else method
    counts: dict[str, SiteCounts] = {}
    for page, _ in gold:
        site = counts.setdefault(page.site_name, SiteCounts())
        try:
            site.add(observe(read(page), judge))
        except UnreadablePageError:
            continue
    board, curves = ScoreBoard(), Curves(judge)
    for page, text in gold:
        view = counts[page.site_name].view()
        try:
            annotation = annotate(read(page), view, judge)
        except UnreadablePageError:
            annotation = None
        board.add(page.site_name, score_page(annotation.text if annotation else "", text))
        curves.add(page.site_name, view, annotation, text)
    return curves, board.word, counts


def rounded(score: Score) -> list[float]:
    return [round(figure, 9) for figure in score.as_json().values()]


def test_rows_show_few_levels_each_and_group_many() -> None:
    assert frequency_rows((1, 90), (1200, 1)) == (("1", "1,200", "1,200"), ("90", "1", "90"))
    many = frequency_rows(range(1, 21), (1,) * 20)
    assert [row[:2] for row in many] == [
        ("1", "1"), ("2", "1"), ("3", "1"), ("4", "1"), ("5-8", "4"), ("9-16", "8"), ("17-32", "4"),
    ]  # fmt: skip
    assert sum(int(row[2]) for row in many) == sum(range(1, 21))
    assert frequency_rows((), ()) == ()


@pytest.mark.parametrize("dropped", range(4))
def test_the_curve_is_what_the_papers_method_finds_at_each_threshold(dropped: int) -> None:
    gold = pages("a.example") + pages("b.example", 6)
    curves, _, _ = measure(gold, "frequency")
    _, word, _ = measure(gold, TextFrequency(dropped_ranks=dropped))
    # A site of no more ranks than are dropped is judged otherwise, so there are none here.
    assert min(site.ranks for site in curves.sites.values()) > dropped
    assert rounded(curves.score(dropped)) == rounded(word)


def test_other_methods_are_drawn_over_visible_blocks_and_pages() -> None:
    curves, _, _ = measure(pages("a.example"), "frequency-adaptive")
    (site,) = curves.sites.values()
    assert site.levels.tolist() == [1, 2, 4, 8]
    assert rounded(site.score(1)) == [1.0, 1.0, 1.0]
    precisions = [site.score(rank).precision for rank in range(1, 5)]
    assert precisions == sorted(precisions, reverse=True), "each rank adds boilerplate"
    assert {site.score(rank).recall for rank in range(1, 5)} == {1.0}
    assert rounded(site.score(0)) == [0.0, 0.0, 0.0]


def test_a_site_of_few_ranks_keeps_its_rarest() -> None:
    one = [(Page.from_text("https://one.example/", "<p>Only this."), "Only this.")]
    curves, _, _ = measure(pages("a.example") + one, "frequency-adaptive")
    assert [site.ranks for site in curves.sites.values()] == [4, 1]
    assert rounded(curves.score(3)) == [1.0, 1.0, 1.0]


def test_pages_that_cannot_be_read_and_pages_of_nothing() -> None:
    unreadable = (Page.from_text("https://a.example/x", "", site="a.example"), "Lost.")
    silent = (Page.from_text("https://b.example/", "<p> <b> </b>", site="b.example"), "")
    curves, _, _ = measure([*pages("a.example"), unreadable, silent], "frequency-adaptive")
    first, second = curves.sites.values()
    assert rounded(first.score(1)) == [round(8 / 9, 9)] * 3, "the ninth page has no text"
    assert (second.ranks, second.pages) == (0, 1)
    assert rounded(second.score(0)) == [1.0, 1.0, 1.0], "nothing was to be found and nothing is"
    assert first.pages + second.pages == 10


def test_the_table_of_a_curve() -> None:
    curves, word, _ = measure(pages("a.example"), "frequency")
    header, *rows = csv.reader(io.StringIO(curves.table(word)))
    assert header == ["kept", "precision", "recall", "f1"]
    assert [row[0] for row in rows] == [
        "k",
        "k-1",
        "k-2",
        "k-3",
        "method frequency",
    ]
    assert [float(figure) for figure in rows[-1][1:]] == list(word.as_json().values())


def test_a_curve_of_thousands_of_ranks_has_rows_for_some_of_them() -> None:
    curves = Curves(get_method("frequency-adaptive"))
    curves.sites["a"] = SiteCurve(1, np.arange(1, 5001), np.zeros((3, 5001)))
    rows = curves.table(Score(0, 0, 0)).splitlines()
    assert 60 < len(rows) < 200
    assert rows[-2].startswith("k-4999,"), "the rarest rank alone"
