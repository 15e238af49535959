"""Laws of the ledger: the order of finding does not matter, and it does what a plain dict would."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found, Row, iso_of, listed_seconds, seconds_of

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

NAMES = [f"https://news.example/{name}" for name in ("", "a", "b", "%EA%B0%80", "a?x=1")]
MAY = "2024-05-01T10:00:00Z"
names = st.sampled_from(NAMES)
times = st.datetimes().map(lambda time: f"{time.replace(microsecond=0).isoformat()}Z")
dates = st.just("") | st.sampled_from(["2024", "2024-05", "2024-05-01"]) | times
kinds = st.sampled_from(["", "article", "listing"])
found = st.builds(
    Found,
    names,
    st.sampled_from(["start", "sitemap", "feed", "link"]),
    times,
    listed=dates,
    priority=dates,
    depth=st.integers(0, 5),
)
entries = st.lists(found, max_size=12)
hashes = st.sampled_from(["one", "two", "three"])
steps = st.lists(
    st.tuples(st.just("add"), names, kinds)
    | st.tuples(st.just("fetching"), names, st.just(""))
    | st.tuples(st.just("fetch"), names, hashes)
    | st.tuples(st.just("export"), names, hashes)
    | st.tuples(st.just("gone"), names, st.just(""))
    | st.tuples(st.just("reopen"), names, st.just("")),
    max_size=30,
)


@contextmanager
def fresh() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "news.example.sqlite"


def order_free(row: Row) -> Row:
    """Leave out who was first."""
    return replace(row, found_by="link", found_at="", listed=str(listed_seconds(row.listed)))


@given(entries, st.randoms(use_true_random=False))
def test_the_queue_does_not_depend_on_the_order_of_finding(
    written: list[Found], draw: random.Random
) -> None:
    with fresh() as here, fresh() as there, Ledger(here) as one, Ledger(there) as other:
        one.add_found(written)
        draw.shuffle(written)
        for entry in written:
            other.add_found([entry])
        due = [[order_free(row) for row in ledger.next_due(20)] for ledger in (one, other)]
        assert due[0] == due[1]
        assert len(due[0]) == len({entry.address for entry in written})
        before = one._connection.total_changes
        assert one.add_found(written) == 0
        assert one._connection.total_changes == before


@example(
    actions=[("add", "https://news.example/", ""), ("fetch", "https://news.example/", "one"),
             ("gone", "https://news.example/", ""), ("fetch", "https://news.example/", "one")],
    clash=False,
)  # fmt: skip
@example(
    actions=[("add", "https://news.example/", ""), ("fetch", "https://news.example/", "three"),
             ("export", "https://news.example/", "one"),
             ("fetch", "https://news.example/", "three")],
    clash=False,
)  # fmt: skip
@given(actions=steps, clash=st.booleans())
def test_a_ledger_does_what_a_dict_would(
    actions: list[tuple[str, str, str]], *, clash: bool
) -> None:
    with fresh() as path, pytest.MonkeyPatch.context() as patch:
        if clash:
            patch.setattr("crawler.store.ledger.database.address_key", lambda url: len(url) % 2)
        plain: dict[str, dict[str, str]] = {}
        _follow(actions, path, plain)
        with Ledger(path, read_only=True) as ledger:
            assert {row.address for row in ledger.rows()} == set(plain)


def _follow(
    actions: list[tuple[str, str, str]], path: Path, plain: dict[str, dict[str, str]]
) -> None:
    ledger = Ledger(path)
    try:
        ledger.begin_run("run", MAY)
        for action, name, value in actions:
            if action == "reopen":
                ledger.close()
                ledger = Ledger(path)
                continue
            page = plain.get(name)
            if action == "add":
                added = ledger.add_found([Found(name, "link", MAY, kind=value)])
                assert added == (page is None)
                page = plain.setdefault(name, {"state": "queued", "content": "", "exported": ""})
            elif page is None:
                assert ledger.seen(name) is None
            else:
                _do(ledger, action, name, value, page)
            _compare(ledger, plain)
    finally:
        ledger.close()


def _do(ledger: Ledger, action: str, name: str, value: str, page: dict[str, str]) -> None:
    if action == "fetching":
        ledger.mark_fetching(name)
        page["state"] = "fetching"
    elif action == "fetch":
        row, known = ledger.seen(name), page["content"]
        change = ledger.mark_fetched(Fetched(name, 200, MAY, value))
        assert row is not None
        assert change.kind == ("new" if not known else "same" if known == value else "changed")
        # What was exported under another name stays so until it changes.
        is_news = value != known or row.owed
        assert change.to_export == (value != page["exported"] and is_news)
        page |= {"state": "fetched", "content": value}
    elif action == "export":
        part = ledger.begin_part("run", "{}".format, MAY).number
        ledger.mark_exported("run", name, value, part)
        ledger.finish_part("run", part, MAY)
        page["exported"] = value
    else:
        row = ledger.seen(name)
        assert row is not None
        assert ledger.mark_fetched(Fetched(name, 404, MAY)).kind == "gone"
        # What was fetched and not exported is forgotten, and news when it comes back.
        page |= {"state": "gone", "content": "" if row.owed else page["content"]}


def _compare(ledger: Ledger, plain: dict[str, dict[str, str]]) -> None:
    rows = {row.address: row for row in ledger.rows()}
    assert {
        name: {"state": row.state, "content": row.content_hash, "exported": row.exported_hash}
        for name, row in rows.items()
    } == plain
    assert {row.address for row in ledger.next_due(20)} == {
        name for name, page in plain.items() if page["state"] == "queued"
    }
    assert ledger.pending() == sum(
        page["state"] in {"queued", "fetching"} for page in plain.values()
    )
    assert {row.address for row in ledger.rows("gone")} == {
        name for name, page in plain.items() if page["state"] == "gone"
    }
    assert {row.address for row in ledger.rows("owed")} <= {
        name for name, page in plain.items() if page["content"] != page["exported"]
    }


@given(times)
def test_a_time_comes_back_as_it_was(time: str) -> None:
    assert iso_of(seconds_of(time)) == time


@given(st.text())
def test_any_text_is_a_date_or_none(text: str) -> None:
    seconds = listed_seconds(text)
    assert seconds is None or iso_of(seconds).endswith("Z")
