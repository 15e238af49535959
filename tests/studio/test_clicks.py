"""The studio in a real browser: a wrapper made by clicks alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.studio import browser_page, served, shop_folder, workspace_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def test_a_click_a_name_and_a_field_on_every_page(tmp_path: Path) -> None:
    with (
        workspace_of(shop_folder(tmp_path), "one.html", "two.html") as workspace,
        served(workspace) as address,
        browser_page() as page,
    ):
        page.goto(address)
        frame = page.frame_locator("iframe.page")
        frame.get_by_role("heading", name="Corner").hover()
        frame.locator("h1[data-studio-hover]").wait_for()
        frame.get_by_role("heading", name="Corner").click()
        page.fill("#field-name", "name")
        page.click("#field-add")
        page.locator("#fields").get_by_text("Corner").wait_for()
        page.click("#page-2")
        page.locator("#fields").get_by_text("Harbour").wait_for()
        frame.locator("h1[data-studio-match]").wait_for()
        page.reload()
        page.locator("#fields").get_by_text("Corner").wait_for()
        page.click("#bar-undo")
        page.locator("#fields .hint").wait_for()
        page.click("#bar-redo")
        page.click("#bar-save")
        page.locator(".dot.saved").wait_for()
    assert (tmp_path / "shop.h2x").exists()
