"""The studio for people: by keyboard alone, in Korean, and on large pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.studio import CONTRAST, browser_page, frame_of, served, window, workspace_of
from support.studio_pages import heavy, large, shelves

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_the_keyboard_alone_is_enough(tmp_path: Path) -> None:
    with window(shelves(tmp_path)) as (_, page):
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
        keyboard.press("Alt+s")
        keyboard.type("keeper")
        keyboard.press("Enter")
        page.locator("#tag-tree .selected", has_text="Keeper 1").wait_for()
        keyboard.press("Alt+t")
        keyboard.press("Enter")
        page.wait_for_function("() => document.activeElement.id === 'field-name'")
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


def test_the_focus_stays_and_each_step_is_told(tmp_path: Path) -> None:
    with (
        workspace_of(shelves(tmp_path), "s1.html", "s2.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)

        def press(name: str, key: str = "Enter") -> None:
            page.locator(f'[id="{name}"]').press(key)

        def focused(name: str, told: str = "") -> None:
            page.wait_for_function("name => document.activeElement.id === name", arg=name)
            page.locator("#live", has_text=told).wait_for(state="attached")

        frame_of(page).get_by_text("Keeper 1").click()
        # A field may have the name of any control of the window.
        page.fill("#field-name", "name")
        press("field-name")
        focused("field-name", "name is in the output")
        press("field:name")
        page.fill('[id="rename-name"]', "keeper")
        press("rename-name")
        focused("rename-keeper", "rename name to keeper")
        page.locator('[id="type-keeper"]').press("d")
        page.locator("#fields .type", has_text="date").wait_for()
        focused("type-keeper", "change keeper")
        press("bar-undo")
        focused("bar-undo", "Undone: change keeper")
        press("example-keeper-0")
        focused("fields", "forget an example of keeper")
        press("bar-history")
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Enter")
        page.get_by_role("dialog").wait_for(state="detached")
        focused("bar-history")
        press("page-2")
        frame_of(page).get_by_text("Keeper 2").wait_for()
        focused("page-2")
        # On a keyboard that is set to Hangul the key of T is another letter.
        keys = {"key": "ㅅ", "code": "KeyT", "altKey": True, "bubbles": True}
        page.locator("body").dispatch_event("keydown", keys)
        focused("tag-tree")
        # Enter in a line of a dialog closes nothing.
        page.click("#tab-actions")
        page.click("#action-new")
        page.fill("#script-element", "total")
        press("script-element")
        page.locator("#fields", has_text="total").wait_for(state="attached")
        assert page.get_by_role("dialog").count() == 1


def test_what_is_marked_on_a_page_is_there_after_another_view(tmp_path: Path) -> None:
    with (
        workspace_of(shelves(tmp_path), "s1.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        frame_of(page).get_by_text("Keeper 1").click()
        page.click("#field-add")
        for view in ("run", "wrap"):
            page.click(f"#view-{view}")
        marked = frame_of(page).locator("b[data-studio-match][data-studio-selection]")
        marked.wait_for()
        assert marked.all_inner_texts() == ["Keeper 1"]
        # A page that is opened is shown.
        page.click("#view-run")
        page.click("#bar-open")
        page.fill("#open-name", "s2.html")
        page.press("#open-name", "Enter")
        frame_of(page).get_by_text("Keeper 2").wait_for()
        assert [its["name"] for its in workspace.state()["pages"]] == ["s1.html", "s2.html"]


def test_a_project_for_another_kind_of_pages_is_opened_by_its_name(tmp_path: Path) -> None:
    with (
        workspace_of(shelves(tmp_path), "s1.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        page.click("#bar-open")
        page.fill("#open-name", "books.h2x")
        page.press("#open-name", "Enter")
        page.locator("#empty-open").wait_for()
        page.locator(".file", has_text="books.h2x").wait_for()
        assert "books.h2x" in page.title()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_has_contrast_and_fits_a_small_window(tmp_path: Path, scheme: str) -> None:
    with (
        workspace_of(shelves(tmp_path), "s1.html", "s2.html") as workspace,
        served(workspace) as address,
        browser_page(color_scheme=scheme) as page,
    ):
        page.goto(address)
        frame_of(page).get_by_text("Book 2 of shelf 1").click()
        page.click("#list-open")
        assert page.evaluate(CONTRAST) == []
        page.click("#list-confirm")
        page.locator("#fields", has_text="12 records").wait_for()
        frame_of(page).get_by_text("Book 3 of shelf 1").click()
        page.click('[id="field:record/price"]')
        for tab in ("result", "everypage", "xml", "actions"):
            page.click(f"#tab-{tab}")
            assert page.evaluate(CONTRAST) == []
        # 700 pixels are 1,400 at twice the size.
        for width, height in ((1024, 700), (700, 430)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") == width
            page.locator("#page-open").scroll_into_view_if_needed()
            assert page.locator("#page-open").bounding_box() is not None
        page.click("#view-run")
        page.fill("#run-names", ".")
        page.click("#run-start")
        page.locator("#export-csv").wait_for()
        assert page.evaluate(CONTRAST) == []


def test_a_name_is_typed_in_syllables(tmp_path: Path) -> None:
    """An input method puts a syllable together in the input; Enter may end it."""
    with (
        workspace_of(shelves(tmp_path), "s1.html") as workspace,
        served(workspace) as address,
        browser_page(locale="ko-KR") as page,
    ):
        page.goto(address)
        frame_of(page).get_by_text("Keeper 1").click()
        page.locator("#field-name").focus()
        page.keyboard.press("Control+a")
        devtools = page.context.new_cdp_session(page)
        for syllable in (("ㅇ", "이"), ("ㄹ", "르", "름")):
            for text in syllable:
                parts = {"text": text, "selectionStart": 1, "selectionEnd": 1}
                devtools.send("Input.imeSetComposition", parts)
            enter = {"type": "rawKeyDown", "key": "Enter", "windowsVirtualKeyCode": 229}
            devtools.send("Input.dispatchKeyEvent", enter)
            devtools.send("Input.insertText", {"text": syllable[-1]})
        assert page.input_value("#field-name") == "이름"
        assert not workspace.project.paths
        page.keyboard.press("Enter")
        page.locator("#fields", has_text="Keeper 1").wait_for()
        assert workspace.project.paths == ("이름",)


def test_the_interface_is_korean_for_a_korean_browser(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html", locale="ko-KR") as (_, page):
        page.get_by_role("button", name="저장", exact=True).wait_for()
        assert page.locator("html").get_attribute("lang") == "ko"
        frame_of(page).get_by_text("Keeper 1").click()
        page.fill("#field-name", "keeper")
        page.get_by_role("button", name="출력에 추가").click()
        page.locator("#fields", has_text="Keeper 1").wait_for()
        # What the engine refuses is said in Korean, too; and what does not fit.
        page.fill("#field-name", "a b")
        page.click("#field-add")
        page.locator("#notes", has_text="은(는) 요소의 이름이 될 수 없습니다").wait_for()
        page.click('[id="field:keeper"]')
        page.select_option('[id="type-keeper"]', "date")
        page.locator(".flaws", has_text="은(는) 날짜 유형이 아니어서 뺐습니다").wait_for()
        page.select_option("#language", "en")
        page.get_by_role("button", name="Save", exact=True).wait_for()


def test_a_page_of_5000_elements_and_one_of_2_megabytes_answer(tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text(large(5_000), "utf-8")
    (tmp_path / "heavy.html").write_text(heavy(2_000_000), "utf-8")
    with window(tmp_path, "large.html", "heavy.html") as (_, page):
        frame = frame_of(page)
        frame.get_by_text("Item 5", exact=True).hover()
        frame.locator("[data-studio-hover]", has_text="Item 5").wait_for()
        assert frame.locator("[data-studio-hover]").count() == 1
        frame.get_by_text("Item 6", exact=True).click()
        frame.locator("[data-studio-selection]", has_text="Item 6").wait_for()
        page.click("#page-2")
        frame.get_by_role("heading", name="Heavy", exact=True).wait_for()
        assert frame.get_by_role("heading", name="Entry").count() > 2_000
