"""Pages that the studio fetches, from a server on loopback."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError, FetchError
from crawler.core.page.page import Page
from crawler.demo.server import serve
from crawler.studio.fetching import fetch, fetch_all
from support.crawling import html
from support.studio import do, teach, workspace_of
from support.studio_pages import shelf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture
def site() -> Iterator[str]:
    robots = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /closed\n")
    with serve({"/s1": html(shelf(1)), "/closed": html("x"), "/robots.txt": robots}) as address:
        yield address


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    # The settings for a site of our own, which nobody has to spare.
    monkeypatch.setenv("SCRAPY_PROJECT", "demo")


def test_an_address_is_fetched_and_taught(site: str, tmp_path: Path) -> None:
    with workspace_of(tmp_path) as workspace:
        answer = do(workspace, "open", name=f"{site}/s1")
        assert [its["url"] for its in answer["state"]["pages"]] == [f"{site}/s1"]
        found = teach(workspace, "shelf", 1, "Shelf 1")["preview"]["found"]
        assert found["shelf"][0][2] == "Shelf 1"


def test_the_credentials_of_an_address_are_kept_nowhere(site: str, tmp_path: Path) -> None:
    with workspace_of(tmp_path) as workspace:
        for path in ("s1", "gone"):
            with suppress(FetchError):
                do(workspace, "open", name=f"{site}/{path}".replace("//", "//reader:gehe1m@"))
        (page,) = workspace.state()["pages"]
        assert page["url"] == f"{site}/s1"
        assert "gehe1m" not in str(workspace.state())
    with pytest.raises(FetchError) as caught:
        fetch(f"{site}/gone".replace("//", "//reader:gehe1m@"))
    assert "gehe1m" not in f"{caught.value} {caught.value.data}"
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(b"gehe1m" in each for each in written)


def test_an_address_that_fails_says_why_and_opens_nothing(site: str, tmp_path: Path) -> None:
    with workspace_of(tmp_path) as workspace:
        gone = f"{site}/gone"
        why = f"^{gone} could not be fetched: its server answered with status 404$"
        with pytest.raises(FetchError, match=why):
            do(workspace, "open", name=gone)
        assert workspace.state()["pages"] == []


def test_of_some_addresses_each_has_its_page_or_its_reason(site: str) -> None:
    with socket.socket() as bound:
        # Bound, and not listened on.
        bound.bind(("127.0.0.1", 0))
        silent = f"http://127.0.0.1:{bound.getsockname()[1]}/"
        page, closed, refused = fetch_all([f"{site}/s1", f"{site}/closed", silent])
    assert isinstance(page, Page)
    assert b"<h1>Shelf 1</h1>" in page.body
    assert str(closed) == f"{site}/closed could not be fetched: Forbidden by robots.txt"
    assert str(refused).startswith(f"{silent} could not be fetched: the robots.txt of 127.0.0.1:")


def test_what_is_no_address_is_refused_before_anything_runs() -> None:
    with pytest.raises(ArgumentError, match=r"ftp://a\.example/"):
        fetch_all(["ftp://a.example/"])
