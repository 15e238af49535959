"""A project that was made in the browser, run over many pages: there, and by the command."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.wrapper.project_store import Inputs
from crawler.wrapper.run_project import ProjectRun
from support.shop import MAX_BYTES, offline
from support.studio import add_shelf, propose_books, shows, window
from support.studio_pages import shelf, shelves

if TYPE_CHECKING:
    from playwright.sync_api import Page as BrowserPage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAGES = 50


def make(page: BrowserPage) -> None:
    """Make a wrapper of shelves and their books by clicks."""
    add_shelf(page)
    propose_books(page)
    page.click("#list-confirm")
    shows(page, "book", "12 records")
    page.click("#bar-save")
    page.locator(".dot.saved").wait_for()


def command(folder: Path, form: str) -> bytes:
    """Run the command on the saved pages; return what it writes."""
    output = folder / f"out.{form}"
    pages = Inputs((str(folder / "pages"),), offline, MAX_BYTES)
    ProjectRun(folder / "shop.h2x", print, lambda _: None, output=output).run(pages)
    return output.read_bytes()


def test_the_run_of_the_browser_is_that_of_the_command(tmp_path: Path) -> None:
    shelves(tmp_path / "pages", PAGES)
    (tmp_path / "pages" / "gone.html").write_text("<h2>Gone</h2><p>Nothing here", "utf-8")
    files: dict[str, bytes] = {}
    with window(tmp_path, "pages/s1.html", "pages/s2.html") as (workspace, page):
        make(page)
        page.click("#view-run")
        page.fill("#run-names", "pages")
        page.locator("#command-wrap", has_text="scrapy wrap shop.h2x pages -O shop.csv").wait_for()
        page.click("#run-start")
        page.locator("#run-counts", has_text="51 pages: 50 fit, 1 do not fit").wait_for()
        page.locator("#run-start").wait_for()
        # What does not fit comes first.
        assert "gone.html" in page.locator("#results .row").first.inner_text()
        page.fill("#run-search", "book 11 of shelf 3")
        page.click("#sort-0")
        page.locator("#results .row.misfit").wait_for(state="detached")
        rows = page.locator("#results .row")
        assert rows.count() == 11  # of shelves 3, and 30 to 39
        assert rows.first.locator(".cell").nth(1).inner_text() == "https://shop.example/s3"
        for form in ("csv", "jsonl", "xml", "xlsx"):
            with page.expect_download() as found:
                page.click(f"#export-{form}")
            files[form] = Path(found.value.path()).read_bytes()
        rows.first.dblclick()
        page.locator("#page-3").wait_for()
        shown = [workspace.preview(number) for number in (1, 2, 3)]
    for form in ("csv", "jsonl", "xml"):
        assert files[form] == command(tmp_path, form)
    by_url = {row["url"]: row for row in map(json.loads, files["jsonl"].splitlines())}
    for number, preview in zip((1, 2, 3), shown, strict=True):
        row = by_url[f"https://shop.example/s{number}"]
        assert [its[2] for its in preview["found"]["book/title"]] == [
            its["title"] for its in row["book"]
        ]
        assert preview["xml"].encode("utf-8") in files["xml"]
    check_workbook(files["xlsx"], rows=PAGES * 12 + 1)


def check_workbook(body: bytes, rows: int) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    sheet = openpyxl.load_workbook(BytesIO(body)).active
    assert sheet.max_row == rows
    titles = [cell.value for cell in sheet[1]]
    first = dict(zip(titles, (cell.value for cell in sheet[2]), strict=True))
    assert first["title"] == "Book 0 of shelf 1"
    assert first["price"] == 1.1


def test_of_a_list_of_5000_records_the_rows_in_sight_alone_are_made(tmp_path: Path) -> None:
    (tmp_path / "many.html").write_text(shelf(1, books=5_000), "utf-8")
    with window(tmp_path, "many.html") as (_, page):
        propose_books(page)
        page.click("#list-confirm")
        # The list is taken at once; what it finds on so large a page comes after.
        shows(page, "book/title", "looking")
        page.locator("#fields", has_text="5000 records").wait_for(timeout=60_000)
        shows(page, "book/title", "Book 0 of shelf 1")
        rows = page.locator("#output-tree .row")
        assert rows.count() < 100
        page.locator("#output-tree").evaluate("list => { list.scrollTop = list.scrollHeight }")
        rows.filter(has_text="Book 4999 of shelf 1").wait_for()
        assert rows.count() < 100
