"""The studio in a real browser: a wrapper made by clicks alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.wrapper.project_store import kept_pages, load_project
from support.studio import (
    add,
    begin_script,
    browser_page,
    frame_of,
    propose_books,
    served,
    shows,
    window,
    workspace_of,
)
from support.studio_pages import shelves

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page as BrowserPage
    from playwright.sync_api import Route

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SCRIPT = """function main(prices) {
  let total = 0;
  for (const price of prices) total += Number(price.value.slice(1));
  system.Debug("books: " + prices.length);
  xtree.root.Add("total", total);
}"""


def correct(page: BrowserPage) -> None:
    """Take the name of the keeper for that of the shelf, and correct it."""
    add(page, "Keeper 1", "shelf")
    shows(page, "shelf", "Keeper 1")
    page.click("#bar-undo")
    page.locator("#fields .hint").wait_for()
    page.click("#bar-redo")
    shows(page, "shelf", "Keeper 1")
    frame_of(page).get_by_role("heading", name="Shelf 1", exact=True).click()
    page.click('[id="field:shelf"]')
    page.click('[id="this-shelf"]')
    shows(page, "shelf", "Shelf 1")
    page.click('[id="field:shelf"]')


def take_list(page: BrowserPage) -> None:
    propose_books(page)
    assert frame_of(page).locator("article[data-studio-proposed]").count() == 12
    page.click("#list-confirm")
    shows(page, "book", "12")
    shows(page, "next", "https://shop.example/s2")


def write_script(page: BrowserPage) -> None:
    """Write a script with an error, which is shown with its place, and mend it."""
    begin_script(page, SCRIPT.replace("prices.length", "prises.length"))
    page.locator("#script-flaw", has_text="Line 4, column").wait_for()
    page.fill("#script-text", SCRIPT)
    page.click("#script-run")
    page.locator("#script-debug", has_text="books: 10").wait_for()
    page.click("#script-ok")
    page.click("#tab-xml")
    page.locator("pre.xml", has_text="<total>").wait_for()


def test_a_list_with_details_is_made_by_clicks_alone(tmp_path: Path) -> None:
    names = ("s1.html", "s2.html", "s3.html")
    with window(shelves(tmp_path), *names) as (workspace, page):
        # What a click would take is outlined, and its like.
        frame_of(page).get_by_text("Author 2", exact=True).hover()
        frame_of(page).locator("p.author[data-studio-hover]").wait_for()
        assert frame_of(page).locator("p.author[data-studio-like]").count() == 11
        correct(page)
        add(page, "Keeper 1", "keeper")
        take_list(page)
        page.click("#page-2")
        shows(page, "shelf", "Shelf 2")
        shows(page, "keeper", "Keeper 2")
        shows(page, "book/title", "Book 0 of shelf 2")
        frame_of(page).locator("p.price[data-studio-match]").first.wait_for()
        page.reload()
        page.click("#page-3")
        shows(page, "book/author", "Author 3")
    # The server is started again, and all is there.
    with window(tmp_path) as (workspace, page):
        shows(page, "book/title", "Book 0 of shelf 1")
        write_script(page)
        page.click("#bar-save")
        page.locator(".dot.saved").wait_for()
        made = workspace.preview(1)
    project = load_project(tmp_path / "shop.h2x")
    paths = {"shelf", "keeper", "book", "book/title", "book/author", "book/price", "next"}
    assert paths <= set(project.rules)
    assert made["fits"]
    assert made["found"]["book/price"][0][2] == 1.1
    assert "<total>" in made["xml"]


def test_fields_are_renamed_moved_typed_and_removed(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html", "s2.html") as (workspace, page):
        add(page, "Shelf 1", "shelf")
        add(page, "Keeper 1", "keeper")
        page.click('[id="field:keeper"]')
        page.fill('[id="rename-keeper"]', "person")
        page.locator('[id="rename-keeper"]').blur()
        page.click('[id="up-person"]')
        page.check('[id="required-person"]')
        kind = page.locator("#fields > li", has_text="person").locator(".type")
        kind.filter(has_text="required").wait_for()
        assert [its.name for its in workspace.project.schema.elements] == ["person", "shelf"]
        assert workspace.project.element("person").required
        page.click("#page-2")
        shows(page, "person", "Keeper 2")
        # An example of another page is a wrong click, and is taken back.
        frame_of(page).get_by_text("Home").click()
        page.click('[id="this-person"]')
        shows(page, "person", "Home")
        page.get_by_role("button", name="Remove example 2 of person").click()
        shows(page, "person", "Keeper 2")
        page.click('[id="near-person"]')
        page.locator(".near li").nth(2).wait_for()
        page.click('[id="remove-person"]')
        page.locator('[id="field:person"]').wait_for(state="detached")
        assert workspace.project.paths == ("shelf",)


def test_a_click_while_a_page_loads_takes_nothing_of_the_page_before(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html", "s2.html") as (_, page):
        frame_of(page).get_by_text("Keeper 1").wait_for()
        held: list[Route] = []
        page.route("**/api/tokens/2*", lambda route: held.append(route))  # noqa: PLW0108 - no builtin is taken
        with page.expect_request("**/api/tokens/2*"):
            page.click("#page-2")
        page.frame_locator("iframe.page").get_by_text("Keeper 1").click()
        held[0].continue_()
        frame_of(page).get_by_text("Keeper 2").wait_for()
        assert page.locator("#field-name").count() == 0
        frame_of(page).get_by_text("Keeper 2").click()
        page.locator("#field-name").wait_for()


def test_a_field_is_moved_into_a_group_and_says_why_it_cannot(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html", "s2.html") as (workspace, page):
        add(page, "Keeper 1", "keeper")
        add(page, "Shelf 1", "about/shelf")
        shows(page, "about/shelf", "Shelf 1")
        take_list(page)
        page.click('[id="field:keeper"]')
        page.select_option('[id="into-keeper"]', "about")
        shows(page, "about/keeper", "Keeper 1")
        # A rule that looks within a record cannot look on the page.
        page.click('[id="field:book/title"]')
        page.select_option('[id="into-book/title"]', "")
        page.locator("#notes", has_text="within the records of 'book'").wait_for()
        assert page.locator('[id="into-book/title"]').input_value() == "book"
        page.click("#page-2")
        shows(page, "about/keeper", "Keeper 2")
        assert [its.name for its in workspace.project.element("about").elements] == [
            "shelf", "keeper",
        ]  # fmt: skip
        page.click("#bar-undo")
        shows(page, "keeper", "Keeper 2")


def test_pages_that_no_rule_uses_any_more_are_dropped(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html", "s2.html") as (_, page):
        add(page, "Keeper 1", "keeper")
        page.click("#page-2")
        frame_of(page).get_by_text("Home").click()
        page.click('[id="is-keeper"]')
        shows(page, "keeper", "Home")
        page.click("#bar-save")
        page.locator(".dot.saved").wait_for()
        page.click("#bar-undo")
        shows(page, "keeper", "Keeper 2")
        page.click("#bar-save")
        page.locator(".dot.saved").wait_for()
        page.click("#bar-save-as")
        page.click("#pages-drop")
        page.get_by_text("Dropped: 1. Kept: 1.").wait_for()
    kept = kept_pages(tmp_path / "shop.h2x", lambda _reason, detail: pytest.fail(detail))
    assert [its.url for its in kept] == ["https://shop.example/s1"]


def test_two_windows_show_the_same(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html") as (workspace, page):
        other = page.context.new_page()
        other.goto(page.url)
        other.locator("#fields .hint").wait_for()
        add(page, "Shelf 1", "shelf")
        shows(other, "shelf", "Shelf 1")
        assert workspace.project.paths == ("shelf",)
        other.click("#bar-undo")
        page.locator("#fields .hint").wait_for()
        assert not workspace.project.paths


def test_a_window_goes_on_when_the_studio_is_started_again(tmp_path: Path) -> None:
    shelves(tmp_path)
    with browser_page() as page:
        with workspace_of(tmp_path, "s1.html") as workspace, served(workspace) as address:
            page.goto(address)
            add(page, "Shelf 1", "shelf")
            shows(page, "shelf", "Shelf 1")
        # A dead end says why, and what to do.
        page.click("#bar-undo")
        page.locator("#notes", has_text="Is 'scrapy studio' still running?").wait_for()
        port = int(address.partition("/?")[0].rpartition(":")[2])
        with workspace_of(tmp_path) as workspace, served(workspace, port):
            page.click("#bar-undo")
            page.locator("#fields .hint").wait_for()
            add(page, "Keeper 1", "keeper")
            shows(page, "keeper", "Keeper 1")
            assert workspace.project.paths == ("keeper",)


def test_a_list_is_refused_or_another_one_taken(tmp_path: Path) -> None:
    with window(shelves(tmp_path), "s1.html") as (workspace, page):
        proposed = frame_of(page).locator("[data-studio-proposed]")
        frame_of(page).get_by_text("New books").click()
        page.locator(".proposal", has_text="3 records").wait_for()
        assert proposed.count() == 3
        page.click("#list-none")
        page.locator(".proposal button").first.wait_for(state="detached")
        assert proposed.count() == 0
        page.reload()
        frame_of(page).get_by_text("Author 7", exact=True).click()
        page.locator(".proposal", has_text="12 records").wait_for()
        # A click within the list is about its fields; a dead end in the dialog says what to do.
        frame_of(page).get_by_text("Book 3 of shelf 1").click()
        page.locator(".proposal", has_text="12 records").wait_for()
        page.click("#list-open")
        page.fill("#list-name", "no name")
        page.click("#list-confirm")
        page.locator("#notes", has_text="is no name of an element").wait_for()
        assert not workspace.project.paths
