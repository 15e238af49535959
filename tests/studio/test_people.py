"""The studio for people: by keyboard alone, in Korean, and on large pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.studio import browser_page, frame_of, served, workspace_of
from support.studio_pages import heavy, large, shelves

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_the_keyboard_alone_is_enough(tmp_path: Path) -> None:
    with (
        workspace_of(shelves(tmp_path)) as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        page.locator("#empty-open").wait_for()
        keyboard = page.keyboard
        keyboard.press("Control+o")
        page.locator("#open-name").wait_for()
        keyboard.type("s1.html")
        keyboard.press("Enter")
        frame_of(page).get_by_text("Keeper 1").wait_for()
        keyboard.press("Alt+t")
        row = page.locator("#tag-tree .row.current .what")
        for _ in range(40):
            keyboard.press("ArrowDown")
            if row.inner_text() == "h1":
                break
        keyboard.press("ArrowRight")
        keyboard.press("ArrowRight")
        assert row.inner_text() == "“Shelf 1”"
        keyboard.press("Enter")
        keyboard.press("Control+a")
        keyboard.type("shelf")
        keyboard.press("Enter")
        page.locator("#fields", has_text="Shelf 1").wait_for()
        keyboard.press("Alt+t")
        keyboard.press("Control+z")
        page.locator("#fields .hint").wait_for()
        keyboard.press("Control+Shift+z")
        page.locator("#fields", has_text="Shelf 1").wait_for()
        keyboard.press("Control+s")
        page.locator(".dot.saved").wait_for()
        keyboard.press("Alt+2")
        page.locator("#run-names").wait_for()
        keyboard.press("F1")
        page.get_by_role("dialog", name="Help").wait_for()
        keyboard.press("Escape")
    assert (tmp_path / "shop.h2x").exists()


def test_the_interface_is_korean_for_a_korean_browser(tmp_path: Path) -> None:
    with (
        workspace_of(shelves(tmp_path), "s1.html") as workspace,
        served(workspace) as address,
        browser_page(locale="ko-KR") as page,
    ):
        page.goto(address)
        page.get_by_role("button", name="저장", exact=True).wait_for()
        assert page.locator("html").get_attribute("lang") == "ko"
        frame_of(page).get_by_text("Keeper 1").click()
        page.get_by_role("button", name="출력에 넣기").click()
        page.locator("#fields", has_text="Keeper 1").wait_for()
        page.select_option("#language", "en")
        page.get_by_role("button", name="Save", exact=True).wait_for()


def test_a_page_of_5000_elements_and_one_of_2_megabytes_answer(tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text(large(5_000), "utf-8")
    (tmp_path / "heavy.html").write_text(heavy(2_000_000), "utf-8")
    with (
        workspace_of(tmp_path, "large.html", "heavy.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        frame = frame_of(page)
        frame.get_by_text("Item 5", exact=True).hover()
        frame.locator("[data-studio-hover]", has_text="Item 5").wait_for()
        assert frame.locator("[data-studio-hover]").count() == 1
        frame.get_by_text("Item 6", exact=True).click()
        frame.locator("[data-studio-selection]", has_text="Item 6").wait_for()
        page.click("#page-2")
        frame.get_by_role("heading", name="Heavy", exact=True).wait_for()
        assert frame.get_by_role("heading", name="Entry").count() > 2_000
