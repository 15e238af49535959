"""The studio for people: by keyboard alone, in Korean, and as fast as a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.studio import browser_page, served, workspace_of
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
        page.frame_locator("iframe.page").get_by_text("Keeper 1").wait_for()
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
        page.frame_locator("iframe.page").get_by_text("Keeper 1").click()
        page.get_by_role("button", name="출력에 넣기").click()
        page.locator("#fields", has_text="Keeper 1").wait_for()
        page.select_option("#language", "en")
        page.get_by_role("button", name="Save", exact=True).wait_for()


TIMED = """([x, y]) => new Promise((done) => {
  const frame = document.querySelector("iframe.page").contentDocument;
  const began = performance.now();
  const look = () => frame.querySelector(`[data-studio-${x}]`)
    ? done(performance.now() - began) : setTimeout(look, 1);
  const target = frame.querySelectorAll("h3 a")[y];
  const box = target.getBoundingClientRect();
  const where = {bubbles: true, clientX: box.x + 3, clientY: box.y + 3};
  const kind = x === "hover" ? "mousemove" : "click";
  target.dispatchEvent(new MouseEvent(kind, where));
  look();
})"""

OPENED = """() => new Promise((done) => {
  const began = performance.now();
  document.getElementById("page-2").click();
  const look = () => {
    const title = document.querySelector("iframe.page").contentDocument?.querySelector("h1");
    if (title?.textContent === "Heavy" && title.getBoundingClientRect().height > 0)
      done(performance.now() - began);
    else setTimeout(look, 5);
  };
  look();
})"""


def test_a_page_of_5000_elements_answers_at_once(tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text(large(5_000), "utf-8")
    (tmp_path / "heavy.html").write_text(heavy(2_000_000), "utf-8")
    with (
        workspace_of(tmp_path, "large.html", "heavy.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        page.frame_locator("iframe.page").get_by_text("Item 5", exact=True).wait_for()
        page.evaluate(TIMED, ["hover", 2])
        assert min(page.evaluate(TIMED, ["hover", at]) for at in (3, 4, 5)) < 50
        assert min(page.evaluate(TIMED, ["selection", at]) for at in (3, 4, 5)) < 200
        opened = []
        for _ in range(3):
            opened.append(page.evaluate(OPENED))
            page.reload()
            page.frame_locator("iframe.page").get_by_text("Item 5", exact=True).wait_for()
        assert min(opened) < 3_000
