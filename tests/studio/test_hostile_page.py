"""A page that tries to break out of its frame."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from support.studio import browser_page, served, workspace_of
from support.studio_pages import HOSTILE, NAMES, hostile_styles

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_nothing_of_a_hostile_page_acts(tmp_path: Path) -> None:
    (tmp_path / "trap.html").write_text(HOSTILE, "utf-8")
    with (
        workspace_of(tmp_path, "trap.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        asked: list[str] = []
        page.context.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        frame = page.frame_locator("iframe.page")
        heading = frame.get_by_role("heading", name="Bargain")
        heading.wait_for()
        box = page.locator("iframe.page").bounding_box()
        assert box is not None
        for name in ("link", "away", "Buy", "Bargain"):
            frame.get_by_text(name, exact=True).click()
            frame.get_by_text(name, exact=True).click(modifiers=["Control"])
            frame.get_by_text(name, exact=True).click(button="middle")
        heading.hover()
        page.wait_for_timeout(500)
        assert "taken" not in page.title()
        assert page.url.startswith(address.partition("?")[0])
        assert len(page.context.pages) == 1
        # The frame's styles do not reach the application.
        assert page.locator("iframe.page").bounding_box() == box
        inner = page.frames[1]
        assert inner.url.endswith("/frame/1")
        page.fill("#field-name", "offer")
        page.click("#field-add")
        page.locator("#fields", has_text="Bargain").wait_for()
        own = address.partition("/?")[0]
        assert [url for url in asked if not url.startswith((own, "data:"))] == []
        names = "script, iframe, object, embed, video, svg, base, meta, link, template"
        assert page.frames[1].locator(names).count() == 0


def test_pictures_are_fetched_when_asked_for_alone(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>A</h1><img src=https://pictures.example/a.png>", "utf-8")
    with (
        workspace_of(tmp_path, "a.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        asked: list[str] = []

        def refuse(route: object) -> None:
            asked.append("asked")
            route.abort()  # type: ignore[attr-defined] # a route of playwright

        page.context.route("https://pictures.example/**", refuse)
        page.goto(address)
        page.frame_locator("iframe.page").get_by_role("heading", name="A").wait_for()
        page.wait_for_timeout(300)
        assert asked == []
        page.check("#pictures")
        page.wait_for_timeout(800)
        assert asked == ["asked"]


def test_no_style_of_a_page_reaches_out(tmp_path: Path) -> None:
    reached = threading.Event()
    asked: list[str] = []

    class Outside(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            reached.set()
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    outside = ThreadingHTTPServer(("127.0.0.1", 0), Outside)
    threading.Thread(target=outside.serve_forever, daemon=True).start()
    own = f"//127.0.0.1:{outside.server_port}"
    (tmp_path / "style.html").write_text(hostile_styles(own), "utf-8")
    try:
        with (
            workspace_of(tmp_path, "style.html") as workspace,
            served(workspace) as address,
            browser_page() as page,
        ):
            page.goto(address)
            frame = page.frame_locator("iframe.page")
            frame.get_by_role("heading", name="The end").wait_for()
            page.frames[1].evaluate("document.fonts.ready.then(() => 1)")
            page.wait_for_timeout(300)
            assert asked == []
            page.check("#pictures")
            assert reached.wait(60)
            assert {path.rpartition(".")[2] for path in asked} <= {"png", "cur", "svg"}
            assert asked
    finally:
        outside.shutdown()
        outside.server_close()


def test_names_that_objects_have_too_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "names.html").write_text(NAMES, "utf-8")
    with (
        workspace_of(tmp_path, "names.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        frame = page.frame_locator("iframe.page")
        frame.get_by_text("The end", exact=True).wait_for()
        assert frame.locator("[data-node]").count() == sum(
            name != "#text" for name in workspace.page(1).tree.names
        )
        for text in ("within", "constructor"):
            frame.get_by_text(text, exact=True).click()
            assert page.input_value("#field-name").isidentifier()


def test_more_windows_than_a_browser_has_connections(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>Title</h1>", "utf-8")
    with (
        workspace_of(tmp_path, "a.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        windows = [page, *(page.context.new_page() for _ in range(7))]
        for window in windows:
            window.goto(address)
            window.frame_locator("iframe.page").get_by_text("Title").wait_for()
        windows[-1].frame_locator("iframe.page").get_by_text("Title").click()
        windows[-1].fill("#field-name", "heading")
        windows[-1].click("#field-add")
        for window in windows:
            window.locator("#fields", has_text="heading").wait_for()
        # Another window listens where the one that did is closed.
        windows[0].close()
        windows[-1].click("#bar-undo")
        windows[1].locator("#fields", has_text="heading").wait_for(state="detached")
        assert workspace.project.paths == ()
