"""A site's frequent blocks and a harvest's history in the browser, by clicks and by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.crawling import ROOT
from support.studio import browser_page, frame_of, served, workspace_of
from support.studio_site import EVIL, FOOT, MENU, SITE, save_crawl, save_harvest, save_list

if TYPE_CHECKING:
    from pathlib import Path

CONTRAST = (ROOT / "tests" / "support" / "contrast.js").read_text("utf-8")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_from_a_block_to_the_page_it_stands_on(tmp_path: Path) -> None:
    save_list(tmp_path / "posts.jsonl")
    with (
        workspace_of(tmp_path) as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        page.click("#view-site")
        page.locator("#site-empty").wait_for()
        page.get_by_role("button", name="posts.jsonl").click()
        page.click("#site-start")
        page.locator("#site-status", has_text="12 read").wait_for()
        rows = page.locator("#site-blocks .row")
        for width, height in ((700, 430), (1024, 700)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(CONTRAST) == []
        # What pages say is text, whatever it is.
        rows.filter(has_text=FOOT).wait_for()
        assert page.locator("#plot-frequencies .dots").count() == 2
        page.get_by_text("As a table").click()
        assert page.locator("#plot-frequencies tbody tr").count() > 4
        page.fill("#site-search", "half of the year")
        page.locator("#site-count", has_text="2 of 4").wait_for()
        page.click("#site-sort-block")
        assert "First half" in rows.first.inner_text()
        rows.first.click()
        page.locator("#site-pages-head", has_text="6 addresses").wait_for()
        page.locator("#site-pages-list .row", has_text="/march").click()
        page.locator("#page-1").wait_for()
        frame_of(page).get_by_role("heading", name="March").wait_for()
        # A window that is made anew shows what was read.
        page.reload()
        page.click("#view-site")
        rows.filter(has_text=MENU).wait_for()
        assert page.input_value("#site-name") == "posts.jsonl"


def test_keys_alone_and_what_is_missing_is_said(tmp_path: Path) -> None:
    save_crawl(tmp_path / "state", spool=False)
    with (
        workspace_of(tmp_path) as workspace,
        served(workspace) as address,
        browser_page(locale="ko-KR", color_scheme="dark") as page,
    ):
        page.goto(address)
        page.locator("#view-site").wait_for()
        page.keyboard.press("Alt+3" if page.locator("#view-inspect").count() == 0 else "Alt+4")
        page.locator("#site-name").focus()
        page.keyboard.type("nowhere")
        page.keyboard.press("Enter")
        page.locator("#site-flaw", has_text="nowhere이라는 파일이 없습니다").wait_for()
        page.fill("#site-name", "state")
        page.keyboard.press("Enter")
        page.locator("#site-notexts", has_text="폴더나 아카이브").wait_for()
        assert page.inner_text("#site-flaw") == ""
        page.locator("#site-blocks").focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        page.locator("#site-pages-head", has_text="6").wait_for()
        page.locator("#site-pages-list").focus()
        page.keyboard.press("ArrowDown")
        assert f"https://{SITE}/" in page.locator("#site-pages-list .current").inner_text()
        page.keyboard.press("Enter")
        page.locator("#notes", has_text="읽은 것에 없습니다").wait_for()
        assert page.evaluate(CONTRAST) == []


def test_the_history_of_a_harvest_is_plotted(tmp_path: Path) -> None:
    save_harvest(tmp_path / "harvest", runs=12, odd=EVIL)
    with (
        workspace_of(tmp_path) as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        page.click("#view-history")
        page.fill("#history-name", "harvest")
        page.click("#history-start")
        page.locator("#history-status", has_text="360 read").wait_for()
        kinds = page.locator("#plot-kinds")
        assert (
            kinds.locator("svg").get_attribute("aria-label")
            == kinds.locator("figcaption").inner_text()
        )
        kinds.locator(".legend", has_text=EVIL[:30]).wait_for()
        assert page.title().endswith("Studio")
        assert page.locator("figure.plot").count() == 7
        assert page.locator("#history-runs tbody tr").count() == 12
        assert page.evaluate(CONTRAST) == []
        # Labels do not lie on each other.
        boxes = kinds.locator("text").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect())"
            ".map(box => [box.x, box.y, box.right, box.bottom])"
        )
        for at, (left, top, right, bottom) in enumerate(boxes):
            for other in boxes[:at]:
                beside = right <= other[0] or other[2] <= left
                assert beside or bottom <= other[1] or other[3] <= top
        page.select_option("#history-site", "news")
        page.locator("#plot-kinds").wait_for(state="detached")
        page.locator("#plot-skipped").wait_for()
        assert page.locator("figure.plot").count() == 4
