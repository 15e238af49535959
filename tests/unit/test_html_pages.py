"""Charts and the pages they stand on: whole, safe, and readable by themselves."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from lxml import html
from parsel import Selector

from crawler.core.methods import get_method
from crawler.evaluation.curve import Curves, SiteCurve
from crawler.evaluation.scores import Score
from crawler.reports.chart import Axis, Chart, Histogram, Mark, Series, count_axis
from crawler.reports.html import render_page
from crawler.reports.text_tables import Table

HOSTILE = "<script>alert(1)</script> & \"quotes\" 'n' ]]> <!-- \u202e"
# No mark of a text may turn the direction of the text beside it.
TAMED = HOSTILE.removesuffix("\u202e")
NO_TABLE = Table("", (), ())


def draw(
    title: str,
    x: Axis,
    y: Axis,
    series: tuple[Series, ...] = (),
    marks: tuple[Mark, ...] = (),
) -> str:
    """Draw a chart and return its SVG element."""
    chart = Chart(title, "caption", x, y, series, marks)
    words = dict.fromkeys(("title", "method", "pages", "sites", "unit", "counted"), "x")
    page = render_page("curve.html", histogram=chart, scores=chart, kept=NO_TABLE, **words)
    figure = page.partition("<figure>")[2]
    return figure[: figure.index("</svg>")] + "</svg>"


def texts(svg: str) -> list[str]:
    return [str(found.text) for found in ET.fromstring(svg).iter("text")]


def places(svg: str) -> list[tuple[float, float]]:
    """List every point that is drawn."""
    found = []
    for element in ET.fromstring(svg).iter():
        if element.tag == "circle":
            found.append((float(element.attrib["cx"]), float(element.attrib["cy"])))
        elif element.tag == "polyline":
            pairs = (pair.split(",") for pair in element.attrib["points"].split())
            found += [(float(x), float(y)) for x, y in pairs]
    return found


def test_an_axis_places_values() -> None:
    assert [Axis("", 0, 10, ()).share(value) for value in (0, 5, 10)] == [0, 0.5, 1]
    assert [Axis("", 1, 100, (), log=True).share(v) for v in (1, 10, 100)] == [0, 0.5, 1]
    assert [Axis("", 0, 10, (), reverse=True).share(v) for v in (0, 10)] == [1, 0]
    assert Axis("", 1, 1, (), log=True).share(1) == 0.5, "an axis of one value is no error"


@pytest.mark.parametrize(
    ("most", "words"),
    [
        (0, ["1"]),
        (1, ["1"]),
        (7, ["1", "2", "5"]),
        (60, ["1", "2", "5", "10", "20", "50"]),
        (5_000, ["1", "10", "100", "1,000"]),
        (1_000_000, ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"]),
    ],
)
def test_an_axis_of_counts_has_few_ticks_at_round_numbers(most: int, words: list[str]) -> None:
    axis = count_axis("how many", most)
    assert [name for _, name in axis.ticks] == words
    assert 0 < axis.share(1) <= axis.share(max(most, 1)) < 1


def test_a_chart_is_one_element_with_its_words() -> None:
    x = Axis("rank", 0, 4, ((0, "none"), (4, "all")))
    y = Axis("F1", 0, 1, ((0, "0.0"), (1, "1.0")))
    line = Series("F1", ((0, 0), (2, 1), (4, 0.5)), "a")
    svg = draw("What is found", x, y, (line,), (Mark(2, "own"), Mark(9, "outside")))
    root = ET.fromstring(svg)
    assert root.tag == "svg"
    assert root.findtext("title") == "What is found"
    assert {"none", "all", "0.0", "1.0", "rank", "F1", "own"} == set(texts(svg))
    (left, low), (middle, high), (right, half) = places(svg)
    assert left < middle < right
    assert high < half < low, "larger values stand higher"


def test_labels_are_escaped() -> None:
    axis = Axis(HOSTILE, 0, 1, ((0.5, HOSTILE),))
    svg = draw(HOSTILE, axis, axis, (Series(HOSTILE, (), "a"),), (Mark(0.5, HOSTILE),))
    assert ET.fromstring(svg).findtext("title") == TAMED
    assert set(texts(svg)) == {TAMED}


def test_words_below_that_would_overlap_are_left_out() -> None:
    ticks = tuple((value, f"{value:,}") for value in range(1000))
    shown = texts(draw("", Axis("x", 0, 1000, ticks), Axis("y", 0, 1, ())))
    assert shown[0] == "0"
    assert 5 < len(shown) < 40


def test_a_line_of_one_point_is_seen() -> None:
    axis = Axis("", 0, 1, ())
    svg = draw("", axis, axis, (Series("", ((0.5, 0.5),), "a"),))
    assert "<circle" in svg
    assert "<polyline" not in svg


@given(
    st.lists(st.tuples(st.integers(1, 10**9), st.integers(1, 10**9)), min_size=1, max_size=20),
    st.booleans(),
)
def test_all_points_lie_within_the_chart(points: list[tuple[int, int]], dots: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    series = Series("", tuple((float(x), float(y)) for x, y in points), "b", dots=dots)
    x = count_axis("x", max(x for x, _ in points))
    y = count_axis("y", max(y for _, y in points))
    drawn = places(draw("", x, y, (series,)))
    assert len(drawn) == len(points)
    assert all(58 <= across <= 760 - 16 and 34 <= down <= 380 - 40 for across, down in drawn)


def site(ranks: int, own: int | None, pages: int = 10) -> SiteCurve:
    levels = tuple(range(1, ranks + 1))
    sums = np.tile(np.linspace(0, pages, ranks + 1), (3, 1))
    return SiteCurve(pages, Histogram(levels, levels[::-1]), sums, own)


def curve_page(**sites: SiteCurve) -> str:
    curves = Curves(get_method("frequency-adaptive"))
    curves.sites.update(sites)
    return curves.page(Score(0.5, 0.6, 0.55))


def is_by_itself(page: str) -> Any:  # noqa: ANN401 - what xpath gives is not typed
    """Parse a page; it may ask for nothing, run nothing, and has to fit light, dark and paper."""
    tree: Any = html.fromstring(page)
    assert not tree.xpath("//script | //link | //img | //iframe | //@src | //@href | //*[@style]")
    assert not re.search(r"url\(|@import|https?:", page)
    (style,) = tree.xpath("//style")
    for words in ("prefers-color-scheme: dark", "@media print", "--ink", "--paper"):
        assert words in str(style.text)
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(svg)
    assert tree.xpath("count(//h1)") == 1
    return tree


def test_the_page_of_one_site() -> None:
    page = curve_page(a=site(12, 10))
    tree = is_by_itself(page)
    assert [caption.text for caption in tree.xpath("//figcaption")] == ["a", "a"]
    assert "the method's own: k\N{MINUS SIGN}2" in tree.text_content()
    (kept,) = tree.xpath("//table")
    rows = [[cell.text for cell in row] for row in kept.xpath(".//tbody/tr")]
    assert rows[0] == ["up to rank k", "1.000", "1.000", "1.000"]
    assert rows[2][:2] == ["up to rank k\N{MINUS SIGN}2", "0.833"]
    assert rows[-2] == ["at each site's own threshold", "0.833", "0.833", "0.833"]
    assert rows[-1] == ["the method frequency-adaptive as a whole", "0.500", "0.600", "0.550"]


def test_the_page_of_many_sites() -> None:
    sites = {f"s{n}": site(5, 3 if n % 3 else 2, pages=n + 1) for n in range(30)}
    tree = is_by_itself(curve_page(**sites))
    captions = [str(caption.text) for caption in tree.xpath("//figcaption")]
    assert captions == ["All 30 sites together"] * 2
    assert "the method's own: k\N{MINUS SIGN}2 on 20 of 30 sites" in tree.text_content()


def test_a_method_without_a_threshold_and_a_site_without_blocks() -> None:
    page = curve_page(a=site(4, None), empty=site(0, None, pages=1))
    tree = is_by_itself(page)
    assert "own:" not in tree.text_content()
    assert "each site's own threshold" not in page
    assert is_by_itself(curve_page(empty=site(0, 0))) is not None


def test_a_curve_of_thousands_of_ranks_is_drawn_by_some_of_them() -> None:
    page = curve_page(a=site(5000, 4998))
    is_by_itself(page)
    (curve,) = re.findall(r'<polyline class="a" points="([^"]*)"/>\n?</svg>', page)[-1:]
    assert 60 < len(curve.split()) < 200
    assert "k\N{MINUS SIGN}4,999" in page, "the rarest rank alone"
    assert "k\N{MINUS SIGN}9,999" not in page


def test_a_page_is_one_file_that_loads_nothing() -> None:
    page = render_page("base.html", title="Counts of blog.example")
    assert Selector(page).css("h1::text").get() == "Counts of blog.example"
    assert not Selector(page).css("script, link, img, [src]")
    assert "url(" not in page
    assert "prefers-color-scheme: dark" in page


def test_values_are_escaped_and_control_characters_left_out() -> None:
    page = render_page("base.html", title="<b>\N{RIGHT-TO-LEFT OVERRIDE}bold\x07</b> & more")
    assert Selector(page).css("h1::text").get() == "<b>bold</b> & more"


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="title"):
        render_page("base.html")
