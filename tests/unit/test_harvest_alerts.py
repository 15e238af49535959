"""Alerts: what counts as trouble, and that its command is called once."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import StoreError
from crawler.harvest.alerts import Alerter, Trouble, run_command, troubles
from crawler.harvest.history import History, Run
from crawler.harvest.plan import Alerts, SitePlan

if TYPE_CHECKING:
    from pathlib import Path

START = datetime(2026, 11, 2, 5, tzinfo=UTC)
STRICT = Alerts(command=("true",), fall=0.5, error_rate=0.2)


def runs(*items: int, **last: Any) -> list[Run]:  # noqa: ANN401 - fields of a run
    """Make runs of a site, a day apart; the last with other fields."""
    made = [
        Run("blog", START + timedelta(days=day), end=START + timedelta(days=day, hours=1),
            reason="finished", pages=number + 1, items=number)
        for day, number in enumerate(items)
    ]  # fmt: skip
    return [*made[:-1], replace(made[-1], **last)]


def kinds(entries: list[Run], alerts: Alerts = STRICT) -> list[str]:
    return [trouble.kind for trouble in troubles(entries, alerts)]


MISSED = Run("blog", START, planned=START, reason="missed", missed=2, detail="2 planned runs")


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (runs(10, 12), []),
        (runs(0), []),
        (runs(0, 0), []),
        (runs(10, 0), ["zero-items"]),
        (runs(10, 8, 0, 0), ["zero-items"]),
        (runs(10, 0, skipped={"not-article": 4}), ["zero-items"]),
        (runs(10, 0, skipped={"not-article": 4, "unchanged": 1}), ["fall"]),
        (runs(10, 0, 8, 0), ["fall"]),
        (runs(10, 10, 4), ["fall"]),
        (runs(10, 10, 5), []),
        (runs(10, 10, errors={"404": 2}), []),
        (runs(10, 10, errors={"404": 2, "dns": 1}), ["error-rate"]),
        (runs(10, 10, reason="time"), ["failed"]),
        (runs(10, 0, reason="stopped"), []),
        (runs(10, 0, reason="failed", pages=0), ["failed", "zero-items"]),
        (runs(10, 10, end=None, reason="running"), []),
        ([MISSED], ["missed"]),
        ([*runs(10, 10), replace(MISSED, start=START + timedelta(days=9))], ["missed"]),
        ([], []),
    ],
    ids=range(19),
)
def test_trouble_is_what_the_plan_calls_so(entries: list[Run], told: list[str]) -> None:
    assert kinds(entries) == told


def test_a_site_that_has_none_now_and_then_is_no_trouble() -> None:
    usual = Alerts(command=("true",))
    assert kinds(runs(10, 0, 8, 0), usual) == kinds(runs(0, 0, 0), usual) == []
    assert kinds(runs(10, 8, 0, 0, 0), usual) == ["zero-items"]
    assert kinds(runs(10, 0, skipped={"unchanged": 1}), usual) == []


def test_the_average_is_over_the_last_runs_that_went_well() -> None:
    entries = runs(1000, 10, 10, 10, 4)
    assert kinds(entries, replace(STRICT, runs=3)) == ["fall"]
    assert kinds(entries, replace(STRICT, runs=3, fall=0.4)) == []
    assert kinds(entries, replace(STRICT, runs=4, fall=0.02)) == ["fall"]
    failed = [*entries[:1], replace(entries[1], reason="failed", items=0), *entries[2:]]
    assert kinds(failed, replace(STRICT, runs=2, fall=0.4)) == []


def test_an_alert_has_the_run_and_its_reasons() -> None:
    wrong = {"errors": {"dns": 1, "404": 4}, "pages": 8, "skipped": {"listing": 7, "empty": 1}}
    zero, errors = (one.as_json() for one in troubles(runs(10, 12, 0, **wrong), STRICT))
    assert (zero["kind"], zero["site"], errors["kind"]) == ("zero-items", "blog", "error-rate")
    assert zero["run"]["errors"] == {"dns": 1, "404": 4}
    assert "listing 7, empty 1" in zero["text"]
    assert "404 4, dns 1" in errors["text"]


def test_what_nobody_wants_to_know_is_not_told() -> None:
    quiet = Alerts(command=("true",), zero_items=False, missed=False, failed=False)
    assert kinds([MISSED, *runs(10, 0, reason="failed", errors={"dns": 9}, pages=0)], quiet) == []


def command(folder: Path, extra: str = "") -> tuple[str, ...]:
    """Return a command that adds what it is given to a file."""
    code = (
        "import sys\n"
        f"open({str(folder / 'alerts.jsonl')!r}, 'ab').write(sys.stdin.buffer.read() + b'\\n')\n"
        f"{extra}"
    )
    return (sys.executable, "-c", code)


def told(folder: Path) -> list[dict[str, Any]]:
    path = folder / "alerts.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Make a history that knows the sites."""
    made = History(tmp_path / "history.sqlite")
    for name in ("blog", "news"):
        made.standing(SitePlan(name), START)
    return made


def test_a_trouble_is_sent_once_and_again_when_it_was_gone(
    history: History, tmp_path: Path
) -> None:
    words: list[str] = []
    alerts = replace(STRICT, command=command(tmp_path))
    good, bad = runs(10, 10), runs(10, 10, 10, reason="time", detail="„spät“")
    for entries in (good, bad, bad, runs(9, 9, 9, 9, reason="died"), good, bad):
        # Each by a harvest of its own.
        Alerter(history, words.append).look(entries, alerts)
    assert [(one["kind"], one["run"]["reason"]) for one in told(tmp_path)] == [
        ("failed", "time"), ("failed", "time"),
    ]  # fmt: skip
    assert told(tmp_path)[0]["run"]["detail"] == "„spät“"
    assert len(words) == 2


def test_missed_times_are_sent_once_each(history: History, tmp_path: Path) -> None:
    alerts = replace(STRICT, command=command(tmp_path))
    later = replace(MISSED, start=START + timedelta(days=3), missed=1)
    for entries in ([MISSED], [MISSED, *runs(10, 10)], [MISSED, *runs(10, 10), later]):
        Alerter(history, print).look(entries, alerts)
    assert [one["run"]["missed"] for one in told(tmp_path)] == [2, 1]


def test_an_alert_that_was_not_sent_is_sent_later(history: History, tmp_path: Path) -> None:
    words: list[str] = []
    bad = runs(10, 10, reason="time")
    failing = replace(STRICT, command=command(tmp_path, "sys.exit(3)"))
    Alerter(history, words.append).look(bad, failing)
    Alerter(history, words.append).look(bad, replace(STRICT, command=command(tmp_path)))
    assert len(told(tmp_path)) == 2
    assert "ended with 3" in words[0]


def test_a_history_that_keeps_nothing_gets_one_alert_sent(tmp_path: Path) -> None:
    words: list[str] = []
    path = tmp_path / "folder" / "history.sqlite"
    (tmp_path / "folder").write_text("a file where a folder belongs")
    alerter = Alerter(History(path), words.append)
    for _ in range(3):
        alerter.look(runs(10, 10, reason="time"), replace(STRICT, command=command(tmp_path)))
    assert len(told(tmp_path)) == 1


def test_a_history_that_breaks_while_an_alert_is_sent_ends_no_harvest(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: list[str] = []
    keep, alerts = History.keep_alerts, replace(STRICT, command=command(tmp_path))

    def full(self: History, site: str, sent: dict[str, str]) -> None:
        if sent:
            raise StoreError("the disk is full")
        keep(self, site, sent)

    alerter, bad = Alerter(history, words.append), runs(10, 10, reason="time")
    monkeypatch.setattr(History, "keep_alerts", full)
    for _ in range(3):
        alerter.look(bad, alerts)
    assert sum("the disk is full" in line for line in words) == 1
    monkeypatch.setattr(History, "keep_alerts", keep)
    alerter.look(bad, alerts)
    assert len(told(tmp_path)) == 1
    assert history.alerts("blog") == {"failed": "open"}


def test_a_command_that_hangs_keeps_no_harvest(history: History) -> None:
    words: list[str] = []
    alerter = Alerter(history, words.append)
    slow = replace(STRICT, command=("sh", "-c", "sleep 600"), time_limit=0.2)
    for site in ("blog", "news"):
        alerter.look([replace(run, site=site) for run in runs(10, 10, reason="time")], slow)
    # The second one is not tried.
    assert len(words) == 1
    assert "more than 0.2 s" in words[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("no-such-program",), "no-such-program cannot be run"),
        (("sh", "-c", "echo no mail >&2; exit 7"), "sh ended with 7: no mail"),
        (("sh", "-c", "sleep 60 & cat > /dev/null"), ""),
        (("sh", "-c", "exec <&-; sleep 0.1"), ""),
    ],
    ids=["missing", "fails", "leaves-something", "reads-nothing"],
)
def test_what_became_of_a_command_is_said(line: tuple[str, ...], words: str) -> None:
    trouble = Trouble("failed", "x" * 100_000, runs(1)[0])
    assert run_command(trouble, Alerts(command=line)).startswith(words or "")
    assert bool(run_command(trouble, Alerts(command=line))) == bool(words)
