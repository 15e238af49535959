"""How runs are shown: a table, JSON, a page, lines and a summary."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from lxml import html

from crawler.harvest.history import FIGURES, History, Run
from crawler.harvest.plan import Plan, SitePlan
from crawler.harvest.status import (
    Display,
    SiteStatus,
    as_json,
    as_page,
    gather,
    lines,
    run_line,
    run_plots,
    summary_lines,
)

NOW = datetime(2026, 11, 9, 12, tzinfo=UTC)
DAY = timedelta(days=1)
RUN = Run("blog", NOW - DAY, NOW - DAY, NOW - DAY + timedelta(seconds=75), "finished", 12, 10, 8, 2,
          1, {"404": 2})  # fmt: skip


class Screen(StringIO):
    def isatty(self) -> bool:
        return True


EVIL = '<script>alert("1")</script>&'


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Make a plan with a history."""
    sites = (
        SitePlan("blog", cron="0 5 * * *", time_zone="Asia/Seoul"),
        SitePlan("new"),
        SitePlan("bad", cron="@daily"),
    )
    history = History(tmp_path / "history.sqlite")
    history.write(replace(RUN, start=NOW - 3 * DAY, planned=None, items=14, pages=12, errors={}))
    history.write(Run("blog", NOW - 2 * DAY, NOW - 2 * DAY, NOW, "missed", missed=4, detail=EVIL))
    history.write(RUN)
    history.write(replace(RUN, site="bad", reason="failed", detail=EVIL, items=0))
    return Plan(tmp_path / "harvest.toml", str(tmp_path), sites)


def history_of(plan: Plan) -> History:
    return History(Path(plan.output, "history.sqlite"))


def status_of(plan: Plan, *ids: str, last: int = 0) -> list[SiteStatus]:
    sites = [site for site in plan.sites if not ids or site.id in ids]
    return gather(sites, history_of(plan), lambda _: True, NOW, last)


def test_the_table_sets_the_last_run_against_the_one_before(plan: Plan) -> None:
    head, *rows = lines(status_of(plan))
    assert head.split() == [
        "site", "planned", "start", "took", "reason", *FIGURES, "missed", "next", "skipped",
    ]  # fmt: skip
    assert [" ".join(row.split()) for row in rows] == [
        (
            "blog 2026-11-08 12:00 2026-11-08 12:00 1 min 15 s finished 12 (+0) 10 (-4) 8 (+0) "
            "2 (+0) 1 (+0) 2 (+2) 4 2026-11-09 20:00"
        ),
        "new - - never run 0 -",
        "bad 2026-11-08 12:00 2026-11-08 12:00 1 min 15 s failed 12 0 8 2 1 2 0 2026-11-10 00:00",
        f"bad: {EVIL}",
    ]


def test_json_has_all_entries(plan: Plan) -> None:
    blog, new, _ = json.loads(json.dumps(as_json(status_of(plan))))
    assert blog["difference"] == {
        "pages": 0, "items": -4, "new": 0, "changed": 0, "gone": 0, "errors": 2,
    }  # fmt: skip
    assert [run["reason"] for run in blog["runs"]] == ["finished", "missed", "finished"]
    assert (blog["missed"], blog["next"]) == (4, "2026-11-09T20:00:00+00:00")
    assert new == {
        "site": "new", "next": None, "missed": 0, "difference": dict.fromkeys(FIGURES), "runs": [],
    }  # fmt: skip


def test_sites_and_entries_can_be_chosen(plan: Plan) -> None:
    (only,) = status_of(plan, "blog", last=1)
    assert only.entries == (RUN,)
    assert only.missed == 0
    # The last run is set against the one before all the same.
    assert only.difference("items") == -4
    missed = replace(RUN, start=NOW, reason="missed", missed=2)
    history_of(plan).write(missed)
    (only,) = status_of(plan, "blog", last=1)
    assert (only.entries, only.missed, only.last) == ((missed,), 2, RUN)


def test_a_run_under_way_is_not_set_against_others(plan: Plan) -> None:
    history_of(plan).write(Run("blog", NOW))
    (blog,) = status_of(plan, "blog")
    assert blog.difference("items") is None
    assert "running 0 0" in " ".join(list(lines([blog]))[1].split())
    (lost,) = gather(plan.sites[:1], history_of(plan), lambda _: False, NOW)
    assert "lost 0 (-12) 0 (-10)" in " ".join(list(lines([lost]))[1].split())


def test_the_page_is_escaped_and_needs_nothing_else(plan: Plan) -> None:
    text = as_page(status_of(plan), EVIL, NOW)
    tree = html.fromstring(text)
    assert not tree.xpath("//script | //link | //img | //@src | //@href")
    assert EVIL in str(tree.xpath("string(//h1)"))
    for table in tree.iter("table"):
        rows = [row for part in table for row in ([part] if part.tag == "tr" else part)]
        widths = {sum(int(cell.get("colspan") or 1) for cell in row) for row in rows}
        assert len(widths) == 1


def test_runs_are_plotted_by_what_they_fetched_exported_and_missed(plan: Plan) -> None:
    runs = status_of(plan, "blog")[0].entries
    pages, items, errors = run_plots(runs)
    assert (pages.table.columns, items.table.columns) == (
        ("pages",),
        ("new", "changed", "gone", "items"),
    )
    # A missed time is no run.
    assert items.table.rows == (
        ("2026-11-06 12:00", "8", "2", "1", "3"), ("2026-11-08 12:00", "8", "2", "1", "0"),
    )  # fmt: skip
    assert errors.table.rows == (("2026-11-06 12:00", "0"), ("2026-11-08 12:00", "2"))
    assert [errors.name, errors.legend] == ["errors", (("s0", "404"),)]
    tree = html.fromstring(as_page(status_of(plan, "blog"), "x", NOW))
    labels = [svg.get("aria-label") for svg in tree.findall(".//figure/svg")]
    assert labels == [pages.title, items.title, errors.title]


def test_why_pages_gave_no_item_is_shown_most_frequent_first(plan: Plan) -> None:
    skipped = {"binary": 1, "empty": 2, "not-article": 13, "duplicate-address": 4}
    shown = "not-article 13, duplicate-address 4, empty 2, other 1"
    history_of(plan).write(replace(RUN, skipped=skipped))
    statuses = status_of(plan, "blog")
    assert list(lines(statuses))[1].endswith(f"2026-11-09 20:00  {shown}")
    assert as_json(statuses)[0]["runs"][-1]["skipped"] == skipped
    text = as_page(statuses, "x", NOW)
    assert f"<td>{shown}" in text
    assert f"<td>errors: 404 2; skipped: {shown}" in text
    assert run_line(replace(RUN, skipped=skipped)).endswith(f"2 errors, skipped {shown}")


def test_the_page_lists_the_last_entries(plan: Plan) -> None:
    (blog,) = status_of(plan, "blog", last=1)
    assert "<summary>1 entry<" in as_page([blog], "x", NOW)
    many = replace(blog, entries=(RUN,) * 201)
    assert "<summary>the last 200 of 201 entries<" in as_page([many], "x", NOW)


def test_each_run_has_lines(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display(2)
    display.started(Run("blog", NOW))
    display.ended(RUN)
    display.started(Run("bad", NOW, planned=NOW - DAY))
    display.ended(replace(RUN, site="bad", reason="failed", detail="it\x1b[31m broke"))
    display.said("a\nword")
    assert capsys.readouterr().err.splitlines() == [
        "blog: begun",
        "blog: finished in 1 min 15 s, 12 pages, 10 items, 8 new, 2 changed, 1 gone, 2 errors",
        "1 of 2 sites",
        "bad: begun, planned for 2026-11-08 12:00 UTC",
        (
            "bad: failed in 1 min 15 s, 12 pages, 10 items, 8 new, 2 changed, 1 gone, 2 errors, "
            "it[31m broke"
        ),
        "2 of 2 sites",
        "a word",
    ]


def test_the_summary_names_what_did_not_go_well() -> None:
    ended = [RUN, replace(RUN, site="bad", reason="time")]
    assert summary_lines(ended, 75, missed=3, left=1) == [
        "Harvest of 2 sites ended after 1 min 15 s",
        "  well        1 site",
        "  not well    1 site: bad (time)",
        "  pages       24",
        "  items       20",
        "  new         16",
        "  changed     4",
        "  gone        2",
        "  errors      4",
        "  missed      3",
        "  not begun   1",
    ]
    assert summary_lines([*ended, RUN], 1)[1:3] == [
        "  runs        3, of which the last of each site:", "  well        1 site",
    ]  # fmt: skip
    assert summary_lines([], 1) == ["Nothing was due"]
