"""Frequencies and what would be found by them alone: the table of --curve."""

from __future__ import annotations

import csv
import io

import pytest
from parsel import Selector

from crawler.core.flow import SiteCounts, annotate, get_method, observe, read
from crawler.core.methods.published import TextFrequency
from crawler.core.page.page import Page
from crawler.evaluation.blocks import main_by_gold
from crawler.evaluation.curve import Curves, curve_page
from crawler.evaluation.scores import Confusion
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


def measure(gold: list[tuple[Page, str]], method: str | TextFrequency) -> tuple[Curves, Confusion]:
    """Do what the task does; return the curves, and what the method gets right and wrong."""
    judge = get_method(method) if isinstance(method, str) else method
    counts: dict[str, SiteCounts] = {}
    for page, _ in gold:
        counts.setdefault(page.site_name, SiteCounts()).add(observe(read(page), judge))
    own, curves = Confusion(), Curves(judge)
    for page, text in gold:
        view = counts[page.site_name].view()
        annotation = annotate(read(page), view, judge)
        judged = ((b, it.kept) for b, it in annotation.pairs() if it.reason != "removed")
        own.update(main_by_gold(judged, text))
        curves.add(page.site_name, view, annotation, text)
    return curves, own


def counts(confusion: Confusion) -> tuple[int, ...]:
    """Return true and false positives, false and true negatives."""
    kinds = ((True, True), (False, True), (True, False), (False, False))
    return tuple(confusion[kind] for kind in kinds)


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
    curves, _ = measure(gold, "frequency")
    _, own = measure(gold, TextFrequency(dropped_ranks=dropped))
    # A site of no more ranks than are dropped is judged otherwise, so there are none here.
    assert min(len(site.levels) for site in curves.sites.values()) > dropped
    assert counts(curves.confusion(dropped)) == counts(own)


def test_other_methods_are_measured_over_visible_blocks_and_pages() -> None:
    curves, _ = measure(pages("a.example"), "frequency-adaptive")
    (site,) = curves.sites.values()
    assert site.levels == [1, 2, 4, 8]
    # 8 texts of pages' own; blocks of 8, 4 and 2 pages, on 8 pages each. Links are not counted.
    assert [counts(site.confusion(dropped)) for dropped in range(4)] == [
        (8, 24, 0, 0),
        (8, 16, 0, 8),
        (8, 8, 0, 16),
        (8, 0, 0, 24),
    ]


def test_a_site_of_few_ranks_keeps_its_rarest() -> None:
    one = [(Page.from_text("https://one.example/", "<p>Only this."), "Only this.")]
    curves, _ = measure(pages("a.example") + one, "frequency-adaptive")
    assert [len(site.levels) for site in curves.sites.values()] == [4, 1]
    assert counts(curves.confusion(3)) == (9, 0, 0, 24)


def test_pages_of_nothing() -> None:
    silent = (Page.from_text("https://b.example/", "<p> <b> </b>", site="b.example"), "")
    curves, _ = measure([silent], "frequency-adaptive")
    assert counts(curves.confusion(0)) == (0, 0, 0, 0)
    assert curves.table(Confusion()).splitlines() == [
        "kept,precision,recall,f1,accuracy",
        "method frequency-adaptive,1.0,1.0,1.0,0.0",
    ]


@pytest.mark.parametrize("sites", [[], ["a.example"]])
def test_a_curve_as_a_page(sites: list[str]) -> None:
    gold = [each for name in sites for each in pages(name)]
    curves, own = measure(gold, "frequency-adaptive")
    shown = Selector(curve_page(curves.table(own), "text, frequency"))
    header, *rows = csv.reader(io.StringIO(curves.table(own)))
    assert shown.css("th::text").getall() == header[1:]
    assert [row.css("td::text").get() for row in shown.css("tr")[1:]] == [row[0] for row in rows]
    points = [line.get().count("L") + 1 for line in shown.css("path.dots::attr(d)") if line.get()]
    assert points == [len(rows) - 1] * len(header[1:]) * len(sites)


def test_the_table_of_a_curve() -> None:
    curves, own = measure(pages("a.example"), "frequency")
    header, *rows = csv.reader(io.StringIO(curves.table(own)))
    assert header == ["kept", "precision", "recall", "f1", "accuracy"]
    # 32 blocks of 4 frequencies; links are removed. The paper's method keeps k-2: 8 + 8 blocks.
    assert rows == [
        ["k", "0.25", "1.0", "0.4", "0.25"],
        ["k-1", str(8 / 24), "1.0", "0.5", "0.5"],
        ["k-2", "0.5", "1.0", str(16 / 24), "0.75"],
        ["k-3", "1.0", "1.0", "1.0", "1.0"],
        ["method frequency", "0.5", "1.0", str(16 / 24), "0.75"],
    ]
