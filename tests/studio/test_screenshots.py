"""Pictures of the main views, light and dark: those of the docs.

With ``STUDIO_IMAGES=docs/images`` they are written there, for someone to look at.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.studio import CONTRAST, add_shelf, begin_script, frame_of, propose_books, window
from support.studio_pages import demo_folder, shelves
from support.studio_site import save_gazette, save_harvest

if TYPE_CHECKING:
    from playwright.sync_api import Page as BrowserPage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SCRIPT = """function main(prices) {
  let total = 0;
  for (const price of prices) total += Number(price.value.slice(1));
  system.Debug("books with a price: " + prices.length);
  xtree.root.Add("total", total.toFixed(2) + currency);
}"""


def views(page: BrowserPage, picture: Path) -> None:
    """Make a wrapper, and take a picture of each view on the way."""

    def take(name: str) -> None:
        page.wait_for_timeout(400)
        assert page.evaluate(CONTRAST) == []
        page.screenshot(path=picture.with_name(f"studio-{name}-{picture.name}.png"))

    add_shelf(page)
    propose_books(page)
    take("list")
    page.click("#list-confirm")
    page.locator("#fields", has_text="12 ").wait_for()
    page.click("#tab-everypage")
    frame_of(page).get_by_text("Keeper 1").click()
    take("wrap")
    begin_script(page, SCRIPT)
    page.locator("#script-flaw").wait_for()
    take("script")
    page.keyboard.press("Escape")
    page.click("#action-remove-0")
    page.click("#view-run")
    page.fill("#run-names", "pages")
    page.click("#run-start")
    page.locator("#run-counts", has_text="13").wait_for()
    page.locator("#run-start").wait_for()
    take("run")


def pictures_of_site_and_history(page: BrowserPage, picture: Path) -> None:
    """Take pictures of the views of a site and of a harvest."""
    page.click("#view-site")
    page.fill("#site-name", "gazette.jsonl")
    page.click("#site-start")
    page.locator("#site-status", has_text="90").wait_for()
    page.locator("#site-blocks .row", has_text="Section: Culture").click()
    page.locator("#site-pages-list .row").first.wait_for()
    page.wait_for_timeout(400)
    page.screenshot(path=picture.with_name(f"studio-site-{picture.name}.png"))
    page.click("#view-history")
    page.fill("#history-name", "harvest")
    page.click("#history-start")
    page.locator("#plot-kinds").wait_for()
    page.wait_for_timeout(400)
    page.screenshot(path=picture.with_name(f"studio-history-{picture.name}.png"))


SCHEMES = [("light", "en"), ("dark", "en"), ("light", "ko")]


def image_folder(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("STUDIO_IMAGES") or tmp_path / "images").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def options_of(scheme: str, locale: str) -> dict[str, str]:
    return {"color_scheme": scheme, "locale": {"en": "en-US", "ko": "ko-KR"}[locale]}


@pytest.mark.parametrize(("scheme", "locale"), SCHEMES)
def test_pictures_of_the_main_views(tmp_path: Path, scheme: str, locale: str) -> None:
    folder = image_folder(tmp_path)
    name = scheme if locale == "en" else locale
    shelves(tmp_path / "pages", 12)
    save_gazette(tmp_path / "gazette.jsonl")
    save_harvest(tmp_path / "harvest", runs=30)
    (tmp_path / "pages" / "moved.html").write_text("<h2>Moved</h2><p>Ask elsewhere.", "utf-8")
    opened = ("pages/s1.html", "pages/s2.html", "pages/s3.html")
    with window(tmp_path, *opened, **options_of(scheme, locale)) as (_, page):
        views(page, folder / name)
        pictures_of_site_and_history(page, folder / name)
    for view in ("list", "wrap", "script", "run", "site", "history"):
        assert (folder / f"studio-{view}-{name}.png").stat().st_size > 20_000


def inspected(page: BrowserPage, picture: Path) -> None:
    """Take pictures of a block with its evidence, of two methods, and of the other tabs."""
    frame = page.frame_locator("iframe.page").first

    def take(name: str) -> None:
        page.wait_for_timeout(400)
        page.screenshot(path=picture.with_name(f"studio-{name}-{picture.name}.png"))

    page.click("#view-inspect")
    page.select_option("#inspect-known", "files")
    page.fill("#inspect-files", "blog" if picture.name == "ko" else "news")
    page.click("#inspect-count")
    page.locator("#inspect-blocks .kind-frequent").first.wait_for()
    frame.locator("[data-studio-block=frequent]").nth(2).hover()
    take("inspect")
    if picture.name == "ko":
        return
    page.select_option("#inspect-second", "density")
    frame.locator("[data-studio-differs]").first.wait_for()
    take("methods")
    page.select_option("#inspect-second", "")
    page.locator("iframe.page").nth(1).wait_for(state="detached")
    page.click("#page-2")
    page.click("[id='tab-inspect.tables']")
    frame.locator("[data-studio-area=head]").first.wait_for()
    take("tables")
    page.click("[id='tab-inspect.structure']")
    page.locator("#structure-tree .row").nth(1).click()
    take("structure")
    page.click("#page-1")
    page.click("[id='tab-inspect.metadata']")
    page.locator("#metadata-published button").click()
    frame.locator("[data-studio-selection]").first.wait_for()
    take("metadata")


@pytest.mark.parametrize(("scheme", "locale"), SCHEMES)
def test_pictures_of_an_inspected_page(tmp_path: Path, scheme: str, locale: str) -> None:
    folder = image_folder(tmp_path)
    name = scheme if locale == "en" else locale
    story = "news/news-city-bicycle-repair-hour.html"
    first = "blog/blog-read-no=1.html" if locale == "ko" else story
    opened = (first, "data/data-bread-timetable.html")
    with window(demo_folder(tmp_path), *opened, **options_of(scheme, locale)) as (_, page):
        inspected(page, folder / name)
    more = () if locale == "ko" else ("methods", "tables", "structure", "metadata")
    for view in ("inspect", *more):
        assert (folder / f"studio-{view}-{name}.png").stat().st_size > 20_000
