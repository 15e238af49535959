"""A page that tries to break out of its frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.studio import browser_page, served, workspace_of
from support.studio_pages import HOSTILE

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
