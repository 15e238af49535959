"""Tables made by hand, each with its grid, its attribute area and the verdict of ``rules``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.classify import get_table_method
from crawler.core.tables.markup import find_tables

GOLDEN = Path(__file__).parents[1] / "golden_tables" / "tables.json"
TABLES: list[dict[str, Any]] = json.loads(GOLDEN.read_text("utf-8"))


def test_there_are_enough() -> None:
    assert len({table["name"] for table in TABLES}) == len(TABLES) >= 60


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
def test_a_table_has_its_grid_header_areas_and_verdict(table: dict[str, Any]) -> None:
    found = find_tables(parse(Page.from_text("https://site.example/", table["html"])))
    grid = found[table.get("index", 0)].grid
    assert grid.kind == table["kind"]
    assert grid.caption == table["caption"]
    assert [[cell and cell.text for cell in row] for row in grid.padded()] == table["grid"]
    verdict = get_table_method("rules").judge(grid)
    areas = verdict.areas
    assert (verdict.is_genuine, verdict.reason) == (table["genuine"], table["reason"])
    assert (areas and areas.header_rows) == table["header_rows"]
    assert (areas and areas.header_columns) == table["header_columns"]
