"""A wrapper of the demo's shop, made by clicks alone: its lists and the pages of its goods."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from crawler.demo.pages import answers
from crawler.demo.server import serve
from support.crawling import ROOT
from support.studio import add, browser_page, frame_of, served, shows, workspace_of

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page as BrowserPage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SCRIPT = """function main(prices) {
  system.Debug("prices: " + prices.length);
  const numbers = prices.map((its) => parseFloat(its.value.slice(2)));
  if (numbers.length) xtree.root.Add("cheapest", Math.min(...numbers));
}"""


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPY_PROJECT", "demo")


def open_page(page: BrowserPage, url: str, text: str) -> None:
    page.click("#bar-open")
    page.fill("#open-name", url)
    page.press("#open-name", "Enter")
    frame_of(page).get_by_text(text, exact=True).first.wait_for()


def take_list(page: BrowserPage) -> None:
    """Take the list of goods and its link to the next page, both from one click."""
    frame_of(page).get_by_text("Rain gauge", exact=True).click()
    page.click("#list-open")
    assert frame_of(page).locator("li[data-studio-proposed]").count() == 5
    page.fill("#list-name", "goods")
    page.click("#list-confirm")
    shows(page, "goods", "5")
    shows(page, "goods/title", "Chart weight")
    shows(page, "next", "/shop/?page=2")


def correct_a_click(page: BrowserPage) -> None:
    """Take the number of the page for the heading, go back and forth, and correct it."""
    add(page, "1", "heading")
    shows(page, "heading", "1")
    page.click("#bar-undo")
    page.locator('[id="field:heading"]').wait_for(state="detached")
    page.click("#bar-redo")
    shows(page, "heading", "1")
    frame_of(page).get_by_text("Goods from the pier", exact=True).click()
    page.click('[id="is-heading"]')
    shows(page, "heading", "Goods from the pier")


def write_script(page: BrowserPage) -> None:
    """Write a script with an error, which is shown with its place, and mend it."""
    page.click("#tab-actions")
    page.click("#action-new")
    page.fill("#script-element", "cheapest")
    page.click("#script-element-add")
    page.get_by_label("goods/price").check()
    page.fill("#script-text", SCRIPT.replace("prices.length", "prises.length"))
    page.click("#script-run")
    page.locator("#script-flaw", has_text="Line 2, column").wait_for()
    page.fill("#script-text", SCRIPT)
    page.click("#script-run")
    page.locator("#script-debug", has_text="prices: 5").wait_for()
    page.click("#script-ok")


def follow(page: BrowserPage, path: str) -> None:
    page.select_option("#action-kind", "follow")
    page.click("#action-new")
    page.select_option("#action-element", path)
    page.click("#action-ok")
    page.locator("#actions", has_text=path).wait_for()


def test_lists_and_details_of_the_shop_are_taught_by_clicks_and_crawled(tmp_path: Path) -> None:
    with serve(answers()) as site, browser_page() as page:
        with workspace_of(tmp_path) as workspace, served(workspace) as address:
            page.goto(address)
            open_page(page, f"{site}/shop/", "Goods from the pier")
            correct_a_click(page)
            take_list(page)
            open_page(page, f"{site}/shop/rain-gauge", "610 g")
            shows(page, "heading", "Rain gauge")
            add(page, "610 g", "weight")
            open_page(page, f"{site}/shop/owl-box", "6,400 g")
            shows(page, "heading", "Owl box")
            shows(page, "weight", "6400")
            page.reload()
            shows(page, "heading", "Goods from the pier")
        # The server is started again, and all is there.
        with workspace_of(tmp_path) as workspace, served(workspace) as address:
            page.goto(address)
            shows(page, "goods/title", "Tide table of the year")
            write_script(page)
            follow(page, "goods/link")
            follow(page, "next")
            page.click("#bar-save")
            page.locator(".dot.saved").wait_for()
            page.click("#view-run")
            page.fill("#run-names", f"{site}/shop/")
            line = page.locator("#command-crawl").inner_text()
        _, *arguments = shlex.split(line.replace("-a rows=True -O shop.csv", "-O shop.jsonl"))
        env = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "settings.demo"}
        command = (sys.executable, "-m", "scrapy", *arguments)
        subprocess.run(command, cwd=tmp_path, env=env, check=True, timeout=120)
    rows = [json.loads(line) for line in (tmp_path / "shop.jsonl").read_text("utf-8").splitlines()]
    found = {row["url"].removeprefix(site): row for row in rows}
    assert len(found) == 18
    lists = [found[f"/shop/{query}"] for query in ("", "?page=2", "?page=3")]
    assert [len(its["goods"]) for its in lists] == [5, 5, 5]
    assert [its["next"] for its in lists] == [
        f"{site}/shop/?page=2",
        f"{site}/shop/?page=3",
        None,
    ]
    assert lists[2]["goods"][0]["title"] == "Valve radio"
    assert lists[2]["goods"][0]["price"] is None
    assert [its["cheapest"] for its in lists] == ["6.5", "7.4", "4"]
    assert found["/shop/bee-hotel"]["weight"] == 2100
