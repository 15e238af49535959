"""Plots: what is drawn, and that labels never overlap."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from crawler.core.wording import width_of
from crawler.reports.plots import COLOURS, Drawing, bar_plot, curve_plot, share_plot
from crawler.reports.stdout import Table
from crawler.reports.timeline import NONE, Timeline

NOW = datetime(2026, 11, 9, 12, tzinfo=UTC)


def boxes(drawing: Drawing) -> list[tuple[float, float, float, float]]:
    """Return the places of the labels, at least as large as a browser draws them."""
    found = []
    for x, y, anchor, text in drawing.texts:
        width = 6.3 * width_of(text)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        found.append((left, y - 10.5, left + width, y + 3))
    return found


def check_labels(drawing: Drawing) -> None:
    places = boxes(drawing)
    assert places
    for at, (left, top, right, bottom) in enumerate(places):
        assert left >= 0
        assert right <= drawing.width
        for other in places[:at]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def test_bars_stand_upon_each_other() -> None:
    plot = bar_plot("x", "X", ["mon", "tue"], {"new": [10, 0], "gone": [10, 5]})
    assert plot.legend == (("s0", "new"), ("s1", "gone"))
    assert plot.table.rows == (("mon", "10", "10"), ("tue", "0", "5"))
    grid, new, gone = plot.drawing.paths
    assert [grid[0], new[0], gone[0]] == ["grid", "s0", "s1"]
    # The first bar of the second series begins where that of the first one ends.
    assert new[2].count("M") == 1
    assert new[2].rpartition("V")[2] == gone[2].partition("V")[0].rpartition(" ")[2]
    assert len(plot.drawing.slots) == 2


def test_series_beyond_the_colours_become_one() -> None:
    plot = bar_plot("x", "X", ["a"], {str(number): [number] for number in range(10)})
    assert len(plot.legend) == COLOURS
    assert plot.legend[-1] == (f"s{COLOURS - 1}", "other")
    assert plot.table.rows == (("a", *"0123456", "24"),)


@pytest.mark.parametrize("columns", [1, 2, 7, 60, 200])
def test_labels_of_shares_do_not_overlap(columns: int) -> None:
    names = ["k", *(f"k-{number}" for number in range(1, columns))]
    plot = share_plot("x", "X", names, {"f1": [1.0] * columns, "accuracy": [0.0] * columns})
    check_labels(plot.drawing)
    _, top, bottom = (path for _, _, path in plot.drawing.paths)
    assert top.count("L") == bottom.count("L") == columns - 1
    assert float(top.partition("h")[0].split()[-1]) < float(bottom.partition("h")[0].split()[-1])


@pytest.mark.parametrize("columns", [1, 2, 7, 60, 200])
@pytest.mark.parametrize("most", [0, 1, 3, 999_999_999])
def test_labels_of_bars_do_not_overlap(columns: int, most: int) -> None:
    names = [f"2026-11-{number:02} 05:00" for number in range(columns)]
    check_labels(bar_plot("x", "X", names, {"a": [most] * columns}).drawing)


@pytest.mark.parametrize("widest", [1, 2, 9, 40, 5_000, 20_000_000])
def test_labels_of_curves_do_not_overlap(widest: int) -> None:
    points = {"blocks": [(1, widest), (widest, 1)], "nodes": [(1, 3), (widest, 2)]}
    lines = [(1, 0), (1, 1), (widest, 0), (max(1, widest - 1), 1)]
    plot = curve_plot("x", "X", points, lines, Table("", (), ()))
    check_labels(plot.drawing)
    looks = [look for look, *_ in plot.drawing.paths]
    assert looks[:3] == ["grid", "dots s0", "dots s1"]
    assert sorted(looks[3:]) == ["line s0", "line s0", "line s1", "line s1"]


def test_pages_are_counted_by_kind_language_and_date() -> None:
    timeline = Timeline(NOW)
    for day, kind in ((1, "article"), (1, "article"), (3, "listing"), (3, "")):
        timeline.add_kind(f"2026-11-0{day}T10:00:00+00:00", kind)
    row = {"url": "u", "fetched_at": "2026-11-01T10:30:00Z", "language": None, "published": "2019"}
    assert timeline.add_item(row, kinds=False)
    assert not timeline.add_item({"text": "no item"}, kinds=True)
    kinds, languages, dates = timeline.plots()
    assert [one.name for one in (kinds, languages, dates)] == ["kinds", "languages", "dates"]
    assert kinds.table.columns == ("article", "listing", NONE)
    hours = [row for row in kinds.table.rows if any(cell != "0" for cell in row[1:])]
    assert hours == [("2026-11-01", "2", "0", "0"), ("2026-11-03", "0", "1", "1")]
    # A day without pages has a bar of its own.
    assert len(kinds.table.rows) == 3
    assert languages.table.rows == (("11-01 10:00", "1"),)
    assert dates.table.rows == (("2019-01", "1"),)


@pytest.mark.parametrize(
    ("first", "last", "columns"),
    [
        ("2026-11-01T10:00", "2026-11-02T09:00", ["11-01 10:00", "11-02 09:00", 24]),
        ("2026-10-01", "2026-11-05", ["2026-10-01", "2026-11-05", 36]),
        ("2025-01-31", "2026-11-05", ["2025-01", "2026-11", 23]),
        ("1999-05-01", "2026-11-05", ["1999", "2026", 28]),
    ],
)
def test_bars_are_hours_days_months_or_years(
    first: str, last: str, columns: list[str | int]
) -> None:
    timeline = Timeline(NOW)
    for time in (first, last):
        timeline.add_kind(time, "article")
    (plot,) = timeline.plots()
    rows = plot.table.rows
    assert [rows[0][0], rows[-1][0], len(rows)] == columns


def test_dates_that_cannot_be_and_names_without_end_do_no_harm() -> None:
    timeline = Timeline(NOW)
    for date in ("", "soon", "0001-01-01", "9999-12-31", "2029-01-01"):
        timeline.add_date(date)
    assert timeline.plots() == []
    for number in range(1_000):
        timeline.add_language("2026-11-01", f"{number:04}")
    (plot,) = timeline.plots()
    assert len(plot.legend) == COLOURS
    assert sum(int(cell) for cell in plot.table.rows[0][1:]) == 1_000
