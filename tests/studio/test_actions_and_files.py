"""Actions, shapes and files in the window: what a project does beside its rules."""

from __future__ import annotations

import gzip
import json
import sys
import zipfile
from pathlib import Path
from subprocess import run
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import serve
from crawler.wrapper.project_store import load_project
from support.crawling import html
from support.studio import add, add_shelf, frame_of, propose_books, shows, window
from support.studio_pages import shelf, shelves

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Route
    from playwright.sync_api import Page as BrowserPage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

DTD = (
    "<!ELEMENT library (shelf, book*)><!ELEMENT shelf (#PCDATA)>"
    "<!ELEMENT book (title, price?)><!ELEMENT title (#PCDATA)><!ELEMENT price (#PCDATA)>"
)
MEDL = "<!ELEMENT library (shelf, keeper)><!ELEMENT shelf (#PCDATA)><!ELEMENT keeper (#PCDATA)>"


def new_action(page: BrowserPage, kind: str) -> None:
    page.click("#tab-actions")
    page.select_option("#action-kind", kind)
    page.click("#action-new")


def open_file(page: BrowserPage, name: str) -> None:
    """Open a file of the working folder from the list in the dialog."""
    page.click("#bar-open")
    page.locator("dialog .entries button", has_text=name).click()


def saved(page: BrowserPage) -> None:
    page.click("#bar-save")
    page.locator(".dot.saved").wait_for()


def settled(page: BrowserPage) -> None:
    """Load the window again, and wait until it knows what is found on the second page too."""
    with page.expect_response("**/api/page/2?*"):
        page.reload()


def test_a_field_is_merged_on_other_pages_and_corrected_by_the_next_best(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html", "s2.html", "s3.html") as (workspace, page):
        add(page, "Keeper 1", "keeper")
        page.click("#page-2")
        shows(page, "keeper", "Keeper 2")
        frame_of(page).get_by_text("Home").click()
        page.fill("#field-name", "keeper")
        assert page.inner_text("#field-add") == "Add as an example"
        page.click("#field-add")
        shows(page, "keeper", "Home")
        # The values that come next, each with its confidence; one of them is right.
        page.click('[id="field:keeper"]')
        page.click('[id="near-keeper"]')
        near = page.locator(".near li", has_text="Keeper 2")
        near.wait_for()
        assert 0 < float(near.locator("span").first.inner_text()) <= 1
        near.get_by_role("button", name="This is right").click()
        shows(page, "keeper", "Keeper 2")
        page.click("#page-3")
        shows(page, "keeper", "Keeper 3")
        for _ in range(3):
            page.click("#bar-undo")
        page.locator("#fields .hint", has_text="No fields yet").wait_for()
        assert page.locator("#bar-undo").is_disabled()
        # Any step is gone to; what was undone is still there.
        page.click("#bar-history")
        page.locator(".history button").last.click()
        shows(page, "keeper", "Keeper 3")
        assert len(workspace.project.rules["keeper"].examples) == 2


def test_a_page_that_comes_to_the_front_while_a_field_is_added_shows_the_field(
    tmp_path: Path,
) -> None:
    with window(shelves(tmp_path), "s1.html", "s2.html") as (_, page):
        settled(page)
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/api/do", hold)
        add(page, "Keeper 1", "keeper")
        with page.expect_response("**/api/page/2?*"):
            page.click("#page-2")
        frame_of(page).get_by_text("Keeper 2").wait_for()
        held.pop().continue_()
        shows(page, "keeper", "Keeper 2")


def test_an_answer_that_is_overtaken_changes_nothing_that_is_shown(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html", "s2.html") as (_, page):
        settled(page)
        held: list[tuple[Route, APIResponse]] = []
        page.route("**/api/page/2?*", lambda route: held.append((route, route.fetch())))
        page.click("#page-2")
        add(page, "Keeper 2", "keeper")
        shows(page, "keeper", "Keeper 2")
        with page.expect_response("**/api/page/2?*"):
            # The oldest comes last.
            for route, answer in reversed(held):
                route.fulfill(response=answer)
        page.evaluate("fetch('/api/state').then((answer) => answer.json())")
        assert page.locator("#fields > li .values", has_text="Keeper 2").count() == 1


def test_a_document_type_a_model_and_a_project_are_opened_by_the_dialog(tmp_path: Path) -> None:
    (tmp_path / "library.dtd").write_text(DTD, "utf-8")
    (tmp_path / "library.medl").write_text(MEDL, "utf-8")
    with window(shelves(tmp_path), "s1.html") as (workspace, page):
        add_shelf(page)
        open_file(page, "library.dtd")
        page.locator('[id="field:book/title"]').wait_for()
        assert [its.name for its in workspace.project.schema.elements] == ["shelf", "book"]
        shows(page, "shelf", "Shelf 1")
        open_file(page, "library.medl")
        page.locator('[id="field:keeper"]').wait_for()
        assert [its.name for its in workspace.project.schema.elements] == ["shelf", "keeper"]
        saved(page)
        page.click("#bar-save-as")
        page.fill("#save-name", "other")
        page.keyboard.press("Enter")
        page.locator("#bar .file", has_text="other.h2x").wait_for()
        page.click("#bar-undo")
        page.locator('[id="field:keeper"]').wait_for(state="detached")
        open_file(page, "shop.h2x")
        page.locator("#bar .file", has_text="shop.h2x").wait_for()
        page.locator('[id="field:keeper"]').wait_for()
    assert (tmp_path / "other.h2x").exists()


def test_actions_are_added_reordered_edited_and_switched_off(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html") as (workspace, page):
        add_shelf(page)
        new_action(page, "copy")
        page.select_option("#action-element", "shelf")
        page.click("#action-own")
        text = page.input_value("#script-text")
        page.fill("#script-text", text.replace("node.value", "node.valu.length"))
        page.click("#script-run")
        page.locator("#script-flaw", has_text="Line 2, column").wait_for()
        page.fill("#script-text", text.replace("node.value", "node.value.toUpperCase()"))
        page.click("#script-ok")
        page.locator("pre.xml", has_text="<shelf>SHELF 1</shelf>").wait_for(state="attached")
        new_action(page, "save")
        page.fill("#action-fixed", "shelf.xml")
        page.click("#action-ok")
        page.locator("#actions-done", has_text="shelf.xml").wait_for()
        page.click("#action-up-1")
        page.locator("#actions li", has_text="Save").nth(0).wait_for()
        page.locator("#actions-done pre", has_text="SHELF").wait_for(state="detached")
        assert [type(its).__name__ for its in workspace.project.actions] == ["Save", "Copy"]
        page.click("#action-edit-0")
        page.fill("#action-fixed", "again.xml")
        page.click("#action-ok")
        page.locator("#actions-done", has_text="again.xml").wait_for()
        page.uncheck("#action-on-0")
        page.locator("#actions-done", has_text="again.xml").wait_for(state="detached")
        assert workspace.project.actions[0].off
        page.click("#action-remove-0")
        page.locator("#action-remove-1").wait_for(state="detached")


def test_pages_that_a_project_loads_are_fixed_or_an_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The settings for a site of our own, which nobody has to spare.
    monkeypatch.setenv("SCRAPY_PROJECT", "demo")
    pages = {f"/s{number}": html(shelf(number)) for number in (1, 2, 3)}
    with serve(pages) as site, window(tmp_path) as (_, page):
        page.click("#bar-open")
        page.fill("#open-name", f"{site}/s1")
        page.keyboard.press("Enter")
        frame_of(page).get_by_text("Keeper 1").click()
        page.fill("#field-name", "keeper")
        page.click("#field-add")
        page.click('[id="field:keeper"]')
        page.check('[id="repeat-keeper"]')
        new_action(page, "load")
        page.fill("#action-fixed", f"{site}/s1")
        page.click("#action-ok")
        new_action(page, "load")
        page.check("#action-is-argument")
        page.click("#action-ok")
        page.locator("#actions", has_text="argument 2").wait_for()
        page.click("#view-run")
        page.fill("#run-args", f"{site}/s2 {site}/s3")
        page.click("#run-start")
        page.locator("#run-counts", has_text="1 pages: 1 fit").wait_for(timeout=60_000)
        page.locator("#run-start").wait_for()
        assert "Keeper 1" in page.locator("#results .row").first.inner_text()


def test_links_of_a_field_are_asked_for(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html") as (workspace, page):
        propose_books(page)
        page.click("#list-confirm")
        shows(page, "next", "https://shop.example/s2")
        new_action(page, "follow")
        page.click("#action-ok")
        page.locator("#actions-done", has_text="/s2").wait_for()
        assert workspace.preview(1)["urls"] == ("/s2",)


def test_a_run_goes_over_folders_lists_and_archives_and_is_stopped(tmp_path: Path) -> None:
    shelves(tmp_path / "pages", 3)
    (tmp_path / "pages" / "empty.html").write_text("", "utf-8")
    rows = (
        json.dumps({"url": f"https://shop.example/s{at}", "html": shelf(at)}) + "\n"
        for at in range(4, 400)
    )
    with gzip.open(tmp_path / "list.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(rows)
    with window(tmp_path, "pages/s1.html") as (_, page):
        add_shelf(page)
        saved(page)
        page.click("#view-run")
        page.fill("#run-names", "pages\nshop.pages.warc.gz\nnowhere.html")
        page.click("#run-start")
        page.locator("#run-counts", has_text="does not exist").wait_for()
        page.fill("#run-names", "pages\nshop.pages.warc.gz")
        page.click("#run-start")
        page.locator("#run-counts", has_text="4 fit, 0 do not fit, 1 unreadable").wait_for()
        assert "empty.html" in page.locator("#results .row").first.inner_text()
        page.fill("#run-names", "list.jsonl.gz")
        page.click("#run-start")
        page.click("#run-stop")
        page.locator("#run-start").wait_for()
        assert not page.locator("#run-progress").is_visible()


def test_the_page_object_of_a_project_passes_its_fixtures(tmp_path: Path) -> None:
    pytest.importorskip("web_poet.testing")
    with window(shelves(tmp_path), "s1.html", "s2.html") as (_, page):
        add_shelf(page)
        saved(page)
        page.click("#view-run")
        with page.expect_download() as found:
            page.click("#export-object")
        folder = tmp_path / "object"
        with zipfile.ZipFile(Path(found.value.path())) as archive:
            archive.extractall(folder)
    tested = run(
        [sys.executable, "-m", "pytest", "-q", "."], cwd=folder, capture_output=True, check=False
    )
    assert tested.returncode == 0, tested.stdout
    assert load_project(tmp_path / "shop.h2x").paths == ("shelf",)
