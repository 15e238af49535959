"""Alerts: what counts as trouble, and that somebody is told of it, once."""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from crawler.harvest.alerts import Alerter, Trouble, send, troubles
from crawler.harvest.history import Run
from crawler.harvest.plan import Alerts
from crawler.harvest.storage import Storage
from support.jobs import no_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def test_the_words_say_why() -> None:
    skipped = {"skipped": {"listing": 7, "empty": 1}}
    wrong = {**skipped, "errors": {"dns": 1, "404": 4}, "pages": 8}
    told = [one.text for one in troubles(runs(10, 12, 0, **wrong), STRICT)]
    assert told == [
        "blog: no items, where the last 2 runs had 11.0 on average (skipped: listing 7, empty 1)",
        "blog: 5 errors to 8 pages fetched (404 4, dns 1)",
    ]
    assert [one.text for one in troubles(runs(10, 0), STRICT)] == [
        "blog: no items, where the run before had 10"
    ]
    (few,) = troubles(runs(10, 4, **skipped), STRICT)
    assert few.text.endswith("of the average of 10.0 (skipped: listing 7, empty 1)")


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


def test_a_trouble_is_told_once_and_again_when_it_was_gone(tmp_path: Path) -> None:
    words: list[str] = []
    alerter = Alerter(Storage.of(str(tmp_path)), words.append)
    alerts = replace(STRICT, command=command(tmp_path))
    good, bad = runs(10, 10), runs(10, 10, 10, reason="time", detail="„spät“")
    for entries in (good, bad, bad, runs(9, 9, 9, 9, reason="died"), good, bad):
        alerter.look("blog", entries, alerts)
    assert [one["kind"] for one in told(tmp_path)] == ["failed", "failed"]
    first = told(tmp_path)[0]
    assert first["site"] == "blog"
    assert first["text"] == "blog: the run of 2026-11-04 05:00 ended early (time): „spät“"
    assert first["run"]["reason"] == "time"
    assert words == []


def test_each_time_of_missed_runs_is_told_once(tmp_path: Path) -> None:
    alerter = Alerter(Storage.of(str(tmp_path)), lambda _: None)
    alerts = replace(STRICT, command=command(tmp_path))
    entries = [MISSED, *runs(10)]
    for _ in range(2):
        alerter.look("blog", entries, alerts)
    alerter.look("blog", [*entries, replace(MISSED, start=START + timedelta(days=3))], alerts)
    assert [one["kind"] for one in told(tmp_path)] == ["missed", "missed"]


def test_an_alert_that_could_not_be_sent_is_told_and_sent_later(tmp_path: Path) -> None:
    words: list[str] = []
    alerter = Alerter(Storage.of(str(tmp_path)), words.append)
    bad = runs(10, 10, reason="time")
    refusing = command(tmp_path, "sys.exit('no\\nmail today')")
    assert alerter.look("blog", bad, replace(STRICT, command=refusing)) == []
    assert words == [f"alert of blog was not sent: {sys.executable} ended with 1: no mail today"]
    sent = alerter.look("blog", bad, replace(STRICT, command=command(tmp_path)))
    assert [trouble.kind for trouble in sent] == ["failed"]
    assert len(told(tmp_path)) == 2


def test_a_command_has_so_long_and_no_longer() -> None:
    trouble = Trouble("failed", "x", runs(1)[0])
    slow = Alerts(command=(sys.executable, "-c", "import time; time.sleep(60)"), time_limit=0.2)
    assert send(trouble, slow) == [f"{sys.executable} took more than 0.2 s"]
    missing = Alerts(command=("/no/such/program",))
    assert send(trouble, missing)[0].startswith("/no/such/program cannot be run: ")


def test_a_command_that_cannot_be_killed_is_left_to_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: int) -> None:
        # As of a command that sudo has given to another user.
        raise PermissionError

    monkeypatch.setattr(os, "killpg", refuse)
    slow = Alerts(command=(sys.executable, "-c", "import time; time.sleep(0.5)"), time_limit=0.1)
    assert send(Trouble("failed", "x", runs(1)[0]), slow) == [
        f"{sys.executable} took more than 0.1 s"
    ]


def test_a_command_that_has_nowhere_to_write_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    (words,) = send(Trouble("failed", "x", runs(1)[0]), STRICT)
    assert words.startswith("true cannot be run: ")


@contextmanager
def webhook(status: int, pause: threading.Event | None = None) -> Iterator[tuple[str, list[Any]]]:
    """Serve one address; give it, and what it is sent."""
    got: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.headers["Content-Type"], json.loads(body)))
            if pause is not None:
                pause.wait(10)
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hook", got
    finally:
        if pause is not None:
            pause.set()
        server.shutdown()
        thread.join()
        server.server_close()


def name_of(address: str) -> str:
    """Say how a webhook is named where its path may be a secret."""
    return f"the webhook at {urlsplit(address).netloc}"


def test_a_webhook_gets_the_alert() -> None:
    trouble = Trouble("failed", "„x“", runs(1)[0])
    with webhook(204) as (address, got):
        assert send(trouble, Alerts(webhook=address)) == []
    assert got == [("application/json", trouble.as_json())]


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_webhook_that_does_not_take_the_alert_is_told(status: int) -> None:
    with webhook(status) as (address, got):
        told = send(Trouble("failed", "x", runs(1)[0]), Alerts(webhook=address))
    assert told == [f"{name_of(address)} answered with status {status}"]
    assert len(got) == 1


def test_a_webhook_that_no_thread_can_be_had_for_is_told() -> None:
    with no_threads():
        words = send(Trouble("failed", "x", runs(1)[0]), Alerts(webhook="http://127.0.0.1:1/"))
    assert words == ["the webhook at 127.0.0.1:1 cannot be called: can't start new thread"]


def test_a_webhook_that_is_slow_or_gone_is_told() -> None:
    trouble = Trouble("failed", "x", runs(1)[0])
    with webhook(200, threading.Event()) as (address, _):
        (slow,) = send(trouble, Alerts(webhook=address, time_limit=0.2))
    (gone,) = send(trouble, Alerts(webhook=address, time_limit=5))
    assert slow.startswith(f"{name_of(address)} ")
    assert gone.startswith(f"{name_of(address)} cannot be reached: ")


def test_a_webhook_whose_answer_does_not_end_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        given_up = threading.Event()
        server.settimeout(60)

        def drip() -> None:
            # It may have been given up before it has come.
            with server.accept()[0] as client, suppress(ConnectionError):
                client.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not given_up.wait(0.05):
                    client.sendall(b"x")

        dripping = pool.submit(drip)
        told = send(Trouble("failed", "x", runs(1)[0]), Alerts(webhook=address, time_limit=0.3))
        given_up.set()
        dripping.result(10)
    assert told == [f"{name_of(address)} took more than 0.3 s"]


def test_what_a_command_leaves_running_is_not_waited_for() -> None:
    left = Alerts(command=("sh", "-c", "sleep 60 & cat > /dev/null"), time_limit=30)
    assert send(Trouble("failed", "x", runs(1)[0]), left) == []


def test_all_that_a_command_has_started_ends_at_its_limit(tmp_path: Path) -> None:
    number = tmp_path / "number"
    line = f"sleep 600 & echo $! > '{number}.aside'; mv '{number}.aside' '{number}'; wait"
    for limit in (0.5, 2, 8, 32):
        slow = Alerts(command=("sh", "-c", line), time_limit=limit)
        assert send(Trouble("failed", "x", runs(1)[0]), slow) == [f"sh took more than {limit:g} s"]
        if number.exists():
            break
    until = time.monotonic() + 10
    while is_alive(int(number.read_text())) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_alive(int(number.read_text()))


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # What has ended may not have been seen off yet.
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_whoever_takes_too_long_is_left_alone_for_a_while(tmp_path: Path) -> None:
    words: list[str] = []
    # An alert begins at 0 and fails at 5; others want to be sent at 34 and at 35.
    seconds = iter((0.0, 5.0, 34.0, 35.0, 36.0))
    alerter = Alerter(Storage.of(str(tmp_path)), words.append, clock=lambda: next(seconds))
    slow = Alerts(command=("sh", "-c", "exit 3"), time_limit=5)
    for site in ("one", "two", "three"):
        alerter.look(site, runs(10, 10, reason="time"), slow)
    left = "the command took too long before; it is tried at the next run"
    assert words == [
        "alert of one was not sent: sh ended with 3",
        f"alert of two was not sent: {left}",
        "alert of three was not sent: sh ended with 3",
    ]


def test_a_webhook_that_hangs_does_not_keep_alerts_from_the_command(tmp_path: Path) -> None:
    words: list[str] = []
    alerter = Alerter(Storage.of(str(tmp_path)), words.append)
    with webhook(200, threading.Event()) as (address, got):
        shell = ("sh", "-c", f"cat >> '{tmp_path}/alerts.jsonl'; echo >> '{tmp_path}/alerts.jsonl'")
        alerts = replace(STRICT, command=shell, webhook=address, time_limit=0.5)
        for site in ("one", "two"):
            alerter.look(site, runs(10, 10, reason="time"), alerts)
    assert len(told(tmp_path)) == 2
    assert len(got) == 1
    assert words[1] == (
        "alert of two was not sent: the webhook took too long before; it is tried at the next run"
    )


def test_a_storage_that_keeps_nothing_of_what_was_told_gets_one_alert_sent(tmp_path: Path) -> None:
    words: list[str] = []
    alerter = Alerter(Storage.of(str(tmp_path)), words.append)
    alerts = replace(STRICT, command=command(tmp_path))
    (tmp_path / "alerts").write_text("a file where a folder belongs")
    bad = runs(10, 10, reason="time")
    for site in ("one", "two", "one"):
        alerter.look(site, bad, alerts)
    assert len(told(tmp_path)) == 1
    assert len(words) == 1
    assert words[0].startswith("one: what was told cannot be kept, no further alerts are sent ")
    (tmp_path / "alerts").unlink()
    for site in ("one", "two", "two"):
        alerter.look(site, bad, alerts)
    assert len(told(tmp_path)) == 3
