"""The view Inspect in a real browser: evidence on blocks, tables, structure, metadata."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from support.studio import Client, browser_page, served, window, workspace_of
from support.studio_pages import HOSTILE, demo_folder, heavy, large

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page as BrowserPage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STORY = "news/news-city-bicycle-repair-hour.html"
POST = "blog/blog-read-no=1.html"
FIGURES = "data/data-bread-timetable.html"
LABELS = """() => import("/static/js/inspection.js").then(({shown}) =>
  shown.first.blocks.map((its) => [its.kept, its.reason, its.pages]))"""


@contextmanager
def inspecting(folder: Path, *names: str, locale: str = "en-US") -> Iterator[BrowserPage]:
    """Show the first of some pages in the view."""
    with window(folder, *names, locale=locale) as (_, page):
        page.click("#view-inspect")
        page.locator("#inspect-site").wait_for()
        yield page


def know(page: BrowserPage, files: str) -> None:
    page.select_option("#inspect-known", "files")
    page.fill("#inspect-files", files)
    page.click("#inspect-count")
    page.locator("#inspect-site", has_text="distinct pages").wait_for()


def test_the_evidence_on_a_block_stands_beside_the_page(tmp_path: Path) -> None:
    with inspecting(demo_folder(tmp_path), STORY) as page:
        assert "Nothing is known" in page.inner_text("#inspect-site")
        know(page, "news")
        frame = page.frame_locator("iframe.page")
        title = frame.get_by_role("heading", name="One hour, one spanner, one bicycle")
        assert title.get_attribute("data-studio-block") == "text"
        frame.locator("[data-studio-block=frequent]", has_text="By the editors").hover()
        evidence = page.locator("#inspect-evidence")
        evidence.locator(".is-label", has_text="dropped: frequent").wait_for()
        assert evidence.locator(".is-pages").inner_text() == "on 12 of 12 known pages"
        assert "against main text" in evidence.locator(".is-margin").inner_text()
        assert page.locator("#inspect-blocks .selected").inner_text().endswith("2025-03-21")
        page.locator("#inspect-blocks .row", has_text="The five usual faults").hover()
        evidence.locator("blockquote", has_text="The five usual faults").wait_for()
        frame.locator("h2[data-studio-hover]", has_text="The five usual faults").wait_for()
        assert "<article>" in evidence.locator(".is-signs").inner_text()
        page.select_option("#inspect-filter", "kept")
        page.locator("#inspect-count-shown", has_text="11 of 31").wait_for()
        page.fill("#inspect-search", "spanner")
        assert page.locator("#inspect-blocks .row").count() == 2


def test_blocks_are_those_of_the_command(tmp_path: Path) -> None:
    folder = demo_folder(tmp_path)
    with inspecting(folder, POST) as page:
        know(page, "blog")
        told = [row.inner_text() for row in page.locator("#inspect-blocks .row .what").all()]
        labels = page.evaluate(LABELS)
    call = ["-m", "scrapy", "extract", POST, "--with", "blog", "--explain"]
    done = subprocess.run(
        [sys.executable, *call], cwd=folder, capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in done.stdout.partition("\n\n")[0].splitlines()[1:]]
    assert [[row[0] == "keep", row[1], int(row[2])] for row in rows] == labels
    assert all(row[-1].rstrip("…") in line for row, line in zip(rows, told, strict=False))


def test_text_and_metadata_are_those_of_scrapy_extract(tmp_path: Path) -> None:
    folder = demo_folder(tmp_path)
    call = ["-m", "scrapy", "extract", POST, "--with", "blog"]
    done = subprocess.run(
        [sys.executable, *call], cwd=folder, capture_output=True, text=True, check=True
    )
    item = json.loads(done.stdout)
    query = urlencode({"known": "files", "file": "blog"})
    with workspace_of(folder, POST) as workspace, served(workspace) as address:
        client = Client(address)
        text = client.get(f"/api/inspect/1?{query}").json()
        fields = client.get(f"/api/inspect/1?{query}&part=metadata").json()["fields"]
    assert (text["kept"], text["confidence"]) == (item["blocks_kept"], item["confidence"])
    assert text["snapshot"] == item["counts_snapshot"]
    kept = [its["text"] for its in text["blocks"] if its["kept"]]
    assert all(line in item["text"] for line in kept)
    assert {its["field"]: its["value"] for its in fields} == {
        its["field"]: item[its["field"]] for its in fields
    }


def test_two_methods_stand_side_by_side(tmp_path: Path) -> None:
    with inspecting(demo_folder(tmp_path), STORY) as page:
        know(page, "news")
        page.select_option("#inspect-second", "density")
        frames = page.locator("iframe.page")
        frames.nth(1).wait_for()
        first, second = (frames.nth(number).content_frame for number in (0, 1))
        second.locator("h1[data-studio-differs]").wait_for()
        assert first.locator("h1[data-studio-block=text][data-studio-differs]").count() == 1
        assert second.locator("h1[data-studio-block=named]").count() == 1
        same = second.locator("p[data-studio-block=text]", has_text="The rule of the table")
        assert same.get_attribute("data-studio-differs") is None
        page.select_option("#inspect-filter", "differing")
        page.locator("#inspect-count-shown", has_text="of 31 blocks").wait_for()
        rows = page.locator("#inspect-blocks .row")
        assert 0 < rows.count() == page.locator("#inspect-blocks .differs").count() < 31
        second.get_by_role("heading", level=1).click()
        page.locator("#inspect-evidence h3", has_text="density").wait_for()
        first.locator("h1[data-studio-hover]").wait_for()
        page.select_option("#inspect-second", "")
        frames.nth(1).wait_for(state="detached")


def test_tables_structure_and_metadata_show_their_places(tmp_path: Path) -> None:
    with inspecting(demo_folder(tmp_path), FIGURES, STORY) as page:
        frame = page.frame_locator("iframe.page")
        page.get_by_role("tab", name="Tables").click()
        frame.locator("table[data-studio-area=genuine]").wait_for()
        assert frame.locator("table[data-studio-area=layout]").count() == 1
        assert frame.locator("th[data-studio-area=head]").count() == 4
        page.locator(".tables li.genuine", has_text="it has a caption (rule 1)").wait_for()
        assert "tables stand in it (rule 8)" in page.inner_text(".tables li.is-layout")
        page.click("#table-2")
        frame.locator("table[data-studio-area=genuine][data-studio-selection]").wait_for()

        page.click("#page-2")
        frame.get_by_role("heading", name="One hour, one spanner").wait_for()
        page.get_by_role("tab", name="Structure").click()
        row = page.locator("#structure-tree .row", has_text="headline").first
        row.click()
        frame.locator("h1[data-studio-selection]").wait_for()
        assert frame.locator("[data-studio-area]").count() == 0
        page.fill("#structure-model", "blog")
        page.press("#structure-model", "Enter")
        page.locator("#structure-tree .row", has_text="post").first.wait_for()
        page.fill("#structure-model", "nothing")
        page.press("#structure-model", "Enter")
        page.locator("#inspect-structure [role=alert]", has_text="nothing").wait_for()

        page.get_by_role("tab", name="Metadata").click()
        page.locator("#metadata-title button").click()
        frame.locator("h1[data-studio-selection]").wait_for()
        assert page.locator("#metadata-language code").inner_text().startswith("<html")


def test_the_keyboard_is_enough_and_another_page_is_judged_anew(tmp_path: Path) -> None:
    with inspecting(demo_folder(tmp_path), STORY, POST) as page:
        keyboard = page.keyboard
        keyboard.press("Alt+1")
        page.locator("#tag-tree").wait_for()
        keyboard.press("Alt+3")
        page.locator("#inspect-blocks .row").first.wait_for()
        keyboard.press("Alt+b")
        for _ in range(3):
            keyboard.press("ArrowDown")
        evidence = page.locator("#inspect-evidence blockquote")
        evidence.get_by_text("All news", exact=False).wait_for()
        frame = page.frame_locator("iframe.page")
        frame.locator("[data-studio-hover]", has_text="All news").wait_for()
        keyboard.press("Alt+ArrowDown")
        evidence.get_by_text("Home", exact=False).wait_for()
        assert "Home" in page.inner_text("#live")
        keyboard.press("Escape")
        evidence.wait_for(state="detached")
        keyboard.press("Alt+PageDown")
        page.locator("#inspect-blocks .row", has_text="비 그친 뒤의").first.wait_for()
        page.click("[id='tab-inspect.text']")
        keyboard.press("ArrowRight")
        page.locator("#inspect-tables .tables, #inspect-tables .hint").first.wait_for()


def test_the_view_is_korean_for_a_korean_browser(tmp_path: Path) -> None:
    with inspecting(demo_folder(tmp_path), POST, locale="ko-KR") as page:
        assert page.inner_text("#view-inspect") == "분석"
        page.select_option("#inspect-known", "files")
        page.fill("#inspect-files", "blog")
        page.get_by_role("button", name="이 페이지 세기").click()
        page.locator("#inspect-site", has_text="페이지로 판정").wait_for()
        page.frame_locator("iframe.page").locator("[data-studio-block=text]").first.hover()
        page.locator("#inspect-evidence .is-label", has_text="유지: 본문").wait_for()
        page.get_by_role("tab", name="메타데이터").click()
        page.locator("#metadata-title th", has_text="제목").wait_for()


def test_without_a_page_the_view_teaches_and_a_dead_end_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with window(demo_folder(tmp_path)) as (_, page):
        page.click("#view-inspect")
        page.click("#inspect-open")
        page.fill("#open-name", STORY)
        page.keyboard.press("Enter")
        page.locator("#inspect-site").wait_for()
        page.select_option("#inspect-known", "files")
        # Folders are walked: what is chosen takes the place of the folder in which it is.
        entries = page.locator(".inspect-bar .chooser")
        entries.get_by_text("blog/", exact=True).click()
        entries.get_by_text("blog-read-no=1.html").click()
        assert page.input_value("#inspect-files") == POST
        page.locator("#inspect-blocks .row").first.hover()
        page.frame_locator("iframe.page").locator("[data-studio-hover]").wait_for()
        for name, said in (("empty", "holds no page"), ("gone", "gone"), ("/etc", "outside of")):
            page.fill("#inspect-files", name)
            page.click("#inspect-count")
            page.locator("#inspect-status", has_text=said).wait_for()
            page.locator("#inspect-evidence", has_text=said).wait_for()
            assert page.frame_locator("iframe.page").locator("[data-studio-hover]").count() == 0


def test_text_of_a_hostile_page_never_becomes_markup(tmp_path: Path) -> None:
    trap = HOSTILE.replace("<h1 ", "<p>&lt;img src=x onerror=&quot;alert(1)&quot;&gt;</p><h1 ")
    (tmp_path / "trap.html").write_text(trap, "utf-8")
    asked: list[str] = []
    with (
        workspace_of(tmp_path, "trap.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.context.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        page.click("#view-inspect")
        page.locator("#inspect-blocks .row", has_text="<img src=x").click()
        page.locator("#inspect-evidence blockquote", has_text="<img src=x").wait_for()
        for name in ("Tables", "Structure", "Metadata"):
            page.get_by_role("tab", name=name).click()
            page.locator(f"#inspect-{name.lower()} > :not([role=status])").first.wait_for()
        assert page.locator("#view img").count() == 0
        assert "taken" not in page.title()
    own = address.partition("/?")[0]
    assert [url for url in asked if not url.startswith((own, "data:"))] == []


def test_large_pages_are_inspected_and_answer(tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text(large(5_000), "utf-8")
    (tmp_path / "heavy.html").write_text(heavy(2_000_000), "utf-8")
    with inspecting(tmp_path, "large.html", "heavy.html") as page:
        frame = page.frame_locator("iframe.page")
        frame.get_by_text("Item 5", exact=True).hover()
        page.locator("#inspect-evidence blockquote", has_text="Item 5").wait_for()
        page.click("#page-2")
        page.locator("#inspect-blocks .row", has_text="Heavy").first.wait_for(timeout=60_000)
        frame.get_by_role("heading", name="Heavy", exact=True).hover()
        page.locator("#inspect-evidence blockquote", has_text="Heavy").wait_for()
        assert page.locator("#inspect-blocks .row").count() < 100
