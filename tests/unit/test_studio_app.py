from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.wrapper.tree import tree_of
from crawler.studio import guard
from crawler.studio.app import bind, hosts_of
from crawler.studio.frame import frame_tokens
from support.studio import TOKEN, Client, served, shop_folder, workspace_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


HOSTILE = """<!doctype html><html onload=alert(1)><base href=//evil.example>
<meta http-equiv=refresh content="0;url=//evil.example"><script>alert(1)</script>
<link rel=stylesheet href=//evil.example/a.css><body onclick=alert(1) style="color:red">
<iframe src=//evil.example></iframe><object data=x></object>
<form action=//evil.example formaction=x><input type=password name=p autofocus>
<button>Go</button></form>
<a href="javascript:alert(1)" ping=//evil.example target=_top>link</a>
<img src=//evil.example/a.png onerror=alert(1) srcset=b.png>
<svg onload=alert(1)><animate/></svg><template><p>not seen</p></template><p id=last>end"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = shop_folder(tmp_path_factory.mktemp("shop"))
    with workspace_of(folder, "one.html") as workspace, served(workspace) as found:
        yield found


@pytest.fixture
def client(address: str) -> Client:
    return Client(address)


def test_the_address_with_the_token_gives_a_cookie(client: Client) -> None:
    client.cookie = None
    assert client.get("/").status == 403
    assert client.get("/?token=wrong").status == 403
    answer = client.get(f"/?token={TOKEN}")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


@pytest.mark.parametrize(
    "path", ["/", "/api/state", "/api/tokens/1", "/frame/1", "/static/js/main.js"]
)
def test_nothing_is_given_without_the_token(client: Client, path: str) -> None:
    assert client.get(path).status == 200
    client.cookie = None
    assert client.get(path).status == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:81"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
    ],
)
def test_requests_of_other_sites_are_refused(
    client: Client, headers: dict[str, str], status: int
) -> None:
    assert client.get("/api/state", **headers).status == status


def test_a_change_needs_its_origin(client: Client) -> None:
    assert client.post("/api/do", b'{"op": "undo"}', Origin="").status == 403
    assert client.post("/api/do", b'{"op": "undo"}').status == 200


def test_requests_are_bounded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_BYTES", 1000)
    answer = client.post("/api/do", b"x" * 2000)
    assert answer.status == 413


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"no json", "no JSON"),
        (b"[]", "object"),
        (b'{"op": "fly"}', "no operation 'fly'"),
        (b'{"op": "teach", "path": 1}', "'path' must be a text"),
        (b'{"op": "teach", "path": "a", "kind": "text", "page": 1, "nodes": [99999]}', "no node"),
        (b'{"op": "teach", "path": "a b", "kind": "text", "page": 1, "nodes": [3]}', "no name"),
        (b'{"op": "close", "page": true}', "whole number"),
        (b'{"op": "propose"}', "'of' must be a whole number"),
    ],
)
def test_a_wrong_message_is_said_to_be_one(client: Client, body: bytes, told: str) -> None:
    answer = client.post("/api/do", body)
    assert answer.status == 400
    assert told in answer.json()["error"]


def test_an_error_has_its_kind_and_what_it_is_about(client: Client) -> None:
    answer = client.post("/api/do", b'{"op": "rename", "path": "a", "name": "b"}').json()
    assert (answer["kind"], answer["data"]) == ("no-element", ["a"])
    answer = client.post("/api/do", b'{"op": "open", "name": "nowhere.html"}').json()
    assert answer["kind"] == "no-file"


def test_each_answer_has_its_policy(client: Client) -> None:
    policy = client.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    frame = client.get("/frame/1").headers["content-security-policy"]
    assert "default-src 'none'" in frame
    assert "script" not in frame
    assert "https:" not in frame
    assert "https:" in client.get("/frame/1?pictures=1").headers["content-security-policy"]


def test_a_page_that_is_not_open_is_an_error_that_says_so(client: Client) -> None:
    for path in ("/api/tokens/9", "/frame/9"):
        assert client.get(path).status == 400
        assert "not open any more" in client.get(path).json()["error"]


def test_files_outside_of_the_interface_are_not_served(client: Client) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/js/../../app.py"):
        assert client.get(path).status == 404


def test_nothing_that_acts_gets_into_the_frame() -> None:
    tokens = frame_tokens(parse(Page.from_text("https://a.example/", HOSTILE)), pictures=False)
    shown = [
        (token[0] if token[1] == 0 else token[1], token[2] or {})
        for token in tokens
        if isinstance(token, list) and len(token) > 1
    ]
    names = {name for name, _ in shown}
    assert names.isdisjoint(
        {"script", "iframe", "object", "svg", "base", "meta", "link", "template"}
    )
    attributes = {key for _, its in shown for key in its}
    assert attributes <= {"style", "id", "type", "title"}
    assert ("p", {"id": "last"}) in shown


def test_the_numbers_of_the_frame_are_those_of_the_tag_tree() -> None:
    parsed = parse(Page.from_text("https://a.example/", HOSTILE + "<p>one <b>two</b>\n three</p>"))
    tree = tree_of(parsed)
    names = [
        "#text" if isinstance(token, str) else token[0]
        for token in frame_tokens(parsed, pictures=False)
        if isinstance(token, str) or (isinstance(token, list) and len(token) > 1)
    ]
    assert names == tree.names


def test_styles_and_pictures_that_were_saved_with_a_page_are_shown(tmp_path: Path) -> None:
    files = tmp_path / "pages" / "a_files"
    files.mkdir(parents=True)
    (files / "a.css").write_text("@import 'x.css';h1{color:red;background:url(//evil.example/b)}")
    (files / "a b.png").write_bytes(b"picture")
    (tmp_path / "secret.css").write_text("p{}")
    html = (
        "<link rel=stylesheet href='./a_files/a.css?v=1'>"
        "<link rel=stylesheet href='../x/../secret.css'>"
        "<h1>A</h1><img src='a_files/a%20b.png'><img src=/r.png><img src=https://b.example/c.png>"
    )
    (tmp_path / "pages" / "a.html").write_text(html, "utf-8")
    with workspace_of(tmp_path / "pages", "a.html") as workspace:
        page = workspace.page(1)
        tokens = page.tokens(workspace.folder, pictures=False)
        elements = [its for its in tokens if isinstance(its, list) and len(its) > 1]
        styles = [its[4] for its in elements if len(its) == 5]
        assert styles == ["h1{color:red;background:none}"]
        sources = [(its[2] or {}).get("src") for its in elements if its[0] == "img"]
        assert sources == ["data:image/png;base64,cGljdHVyZQ==", None, None]
    page_on_line = replace(page, page=Page("https://a.example/x/", html.encode("utf-8")))
    tokens = page_on_line.tokens(tmp_path, pictures=True)
    sources = [its[2].get("src") for its in tokens if isinstance(its, list) and its[0] == "img"]
    assert sources[1:] == ["https://a.example/r.png", "https://b.example/c.png"]


def test_another_project_takes_the_place_of_the_first(tmp_path: Path) -> None:
    with (
        workspace_of(shop_folder(tmp_path), "one.html") as workspace,
        served(workspace) as address,
    ):
        client = Client(address)
        answer = client.post("/api/do", b'{"op": "project", "file": "other.h2x"}')
        assert answer.json()["state"]["file"] == "other.h2x"
        assert client.get("/api/state").json()["state"]["pages"] == []
        # The first one is free for another studio.
        with workspace_of(tmp_path) as first:
            assert len(first.state()["pages"]) == 1
        refused = client.post("/api/do", b'{"op": "project", "file": "../x.h2x"}')
        assert refused.status == 400
        back = client.post("/api/do", b'{"op": "project", "file": "shop.h2x"}')
        assert len(back.json()["state"]["pages"]) == 1


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("127.0.0.1", ["127.0.0.1", "localhost", "[::1]"]),
        ("localhost", ["localhost", "127.0.0.1", "[::1]"]),
    ],
)
def test_the_names_of_loopback(host: str, names: list[str]) -> None:
    with bind(host, 0) as listening:
        port = listening.getsockname()[1]
        assert hosts_of(listening, host) == tuple(f"{name}:{port}" for name in names)


def test_all_addresses_at_once_are_refused() -> None:
    with pytest.raises(ArgumentError, match="the one address"):
        bind("0.0.0.0", 0)
