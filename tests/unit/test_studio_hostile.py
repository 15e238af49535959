"""Requests, names and settings that are meant to break the studio."""

from __future__ import annotations

import json
import os
import socket
from http.client import HTTPConnection
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError
from crawler.core.page.page import MAX_PAGE_BYTES, Page
from crawler.core.page.parse import parse
from crawler.studio import app
from crawler.studio import workspace as workspaces
from crawler.studio.app import bind
from crawler.studio.frame import frame_tokens
from support.studio import Client, do, served, shop_folder, teach, workspace_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = shop_folder(tmp_path_factory.mktemp("shop"))
    with workspace_of(folder, "one.html") as workspace, served(workspace) as found:
        teach(workspace, "name", 1, "Corner")
        yield found


@pytest.fixture
def client(address: str) -> Client:
    return Client(address)


def state(client: Client) -> object:
    found = client.get("/api/state").json()["state"]
    return {key: its for key, its in found.items() if key != "revision"}


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 10_000 + b"]" * 10_000,
        b'{"op": "actions", "label": "x", "actions": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        b'{"op": "add", "path": "' + b"a/" * 20_000 + b'b"}',
        b'{"op": "add", "path": "' + b"<" * 100_000 + b'"}',
        b'{"op": "open", "name": "one.html", "at": 1180591620717411303424}',
        b'{"op": "undo", "page": "first"}',
        b'{"op": "undo", "known": 1}',
        b'{"op": "rename", "path": "name", "name": "other", "page": 1.5}',
        b'{"op": "add", "path": "other", "page": []}',
    ],
)
def test_what_is_refused_is_said_and_changes_nothing(client: Client, body: bytes) -> None:
    before = state(client)
    answer = client.post("/api/do", body)
    assert answer.status == 400
    assert 0 < len(answer.json()["error"]) < 3_000
    assert state(client) == before


@pytest.mark.parametrize("path", ["/api/page/{}", "/api/reading/run?known={}", "/{}"])
def test_addresses_are_bounded(client: Client, path: str) -> None:
    assert client.get(path.format("9" * 5_000)).status == 414


@pytest.mark.parametrize("other", ['theme={"a": "b"}', "a=b c", "a", "=", "path=/", "\xfc=1"])
def test_cookies_of_other_programs_on_this_machine_do_no_harm(client: Client, other: str) -> None:
    client.cookie = f"{other}; {client.cookie}"
    assert client.get("/api/state").status == 200


def test_a_request_that_is_cut_off_is_no_error_of_the_program(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    host, _, port = client.host.partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        lines = (
            "POST /api/do HTTP/1.1", f"Host: {client.host}", f"Origin: http://{client.host}",
            f"Cookie: {client.cookie}", "Content-Length: 1000",
        )  # fmt: skip
        connection.sendall("\r\n".join((*lines, "", "{")).encode("ascii"))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1_000):
            pass
    assert client.get("/api/state").status == 200
    assert caplog.records == []


def test_windows_that_are_told_of_changes_are_bounded(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MOST_STREAMS", 1)
    first = HTTPConnection(client.host, timeout=30)
    try:
        assert client.cookie is not None
        first.request("GET", "/api/events", headers={"Cookie": client.cookie})
        assert first.getresponse().readline().startswith(b"data: ")
        assert client.get("/api/events").status == 503
        assert client.get("/api/state").status == 200
    finally:
        first.close()


def test_names_of_files_that_are_not_in_utf_8(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.html")
    with workspace_of(shop_folder(tmp_path)) as workspace, served(workspace) as address:
        try:
            (tmp_path / name).write_text("<p>a", "utf-8")
        except OSError:
            pytest.skip("this file system has names in UTF-8 alone")
        answer = Client(address).post("/api/do", b'{"op": "list", "name": ""}')
        names = [its["name"] for its in answer.json()["entries"]]
        assert names == ["one.html", "two.html", "?.html"]
        assert workspace.open(name, Page("https://a.example/", b"<p>a</p>")) == 1
        assert Client(address).get("/api/state").json()["state"]["pages"][0]["name"] == "?.html"


def test_links_of_a_project_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    (inner / "kept.studio").mkdir(parents=True)
    outer.mkdir()
    (outer / "precious").write_text("precious")
    (inner / "shop.studio").symlink_to(outer)
    (inner / "kept.studio" / "address.json").symlink_to(outer / "precious")
    (inner / "locked.studio.lock").symlink_to(outer / "precious")
    for project in ("shop.h2x", "kept.h2x", "locked.h2x"):
        with pytest.raises(ArgumentError, match="outside"), workspace_of(inner, project=project):
            pass
    assert [its.name for its in outer.iterdir()] == ["precious"]
    assert (outer / "precious").read_text() == "precious"


@pytest.mark.parametrize(
    ("host", "port"), [("127.0.0.1", 99_999), ("127.0.0.1", -1), ("a" * 80, 0)]
)
def test_an_address_that_cannot_be_is_said_to_be_one(host: str, port: int) -> None:
    with pytest.raises(ArgumentError):
        bind(host, port)


def test_halves_of_characters_are_replaced(client: Client) -> None:
    answer = client.post("/api/do", b'{"op": "commands", "names": ["\\ud800"]}')
    assert "?" in answer.json()["commands"]["wrap"]


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    with workspace_of(tmp_path) as workspace:
        for op, key in (("open", "name"), ("run", "names"), ("shape", "file")):
            value = ["pipe.html"] if key == "names" else "pipe.html"
            with pytest.raises(ArgumentError, match="neither"):
                do(workspace, op, **{key: value})


def test_a_page_that_no_browser_shows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspaces, "MOST_ELEMENTS", 20)
    (tmp_path / "large.html").write_text("<p>a" * 20)
    with workspace_of(tmp_path) as workspace:
        with pytest.raises(ArgumentError, match="20 elements"):
            do(workspace, "open", name="large.html")
        assert workspace.state()["pages"] == []


def test_why_a_page_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "large.html").write_bytes(b"<p>" + b"a" * MAX_PAGE_BYTES)
    with workspace_of(tmp_path) as workspace, pytest.raises(ArgumentError, match="more than"):
        do(workspace, "open", name="large.html")


def test_styles_that_do_not_end_are_read_once() -> None:
    html = f"<style>{'url(' * 30_000}</style><p style='background:url(//evil.example/a'>a</p>"
    tokens = frame_tokens(parse(Page.from_text("https://a.example/", html)), pictures=False)
    elements = [its for its in tokens if isinstance(its, list) and len(its) > 1]
    assert [its[4] for its in elements if len(its) > 4] == ["none"]
    assert [its[2] for its in elements if its[0] == "p"] == [{"style": "background:none"}]


def test_two_windows_that_take_other_projects_leave_none_locked(tmp_path: Path) -> None:
    with workspace_of(shop_folder(tmp_path)) as workspace, served(workspace) as address:
        client = Client(address)
        for name in ("a.h2x", "b.h2x", "shop.h2x"):
            answer = client.post("/api/do", json.dumps({"op": "project", "file": name}).encode())
            assert answer.json()["state"]["file"] == name
        for name in ("a.h2x", "b.h2x"):
            with workspace_of(tmp_path, project=name) as other:
                do(other, "add", path="field")
