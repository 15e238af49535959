"""Genuine tables stand in the main text whole, or not at all."""

from __future__ import annotations

import pytest

from crawler.core.flow import Page, read
from crawler.core.markdown import markdown
from crawler.core.methods import Label
from crawler.core.methods.article.whole_tables import with_whole_tables

ROWS = (("Town", "People"), ("Mole", "1,204"), ("Weir", "800"), ("Ebb", "77"))


def table(head: str = "th", rows: tuple[tuple[str, ...], ...] = ROWS) -> str:
    """Return a table whose first row is of the tag ``head``."""
    tags = [head] + ["td"] * (len(rows) - 1)
    lines = [
        "".join(f"<{tag}>{cell}</{tag}>" for cell in row)
        for tag, row in zip(tags, rows, strict=True)
    ]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def kept(body: str, dropped: set[str]) -> list[str]:
    """Return the texts of the blocks that stay where a judge drops some of them."""
    document = read(Page.from_text("https://site.example/", f"<h1>Towns</h1>{body}<p>End.</p>"))
    labels = [Label(block.text not in dropped, "text") for block in document.blocks]
    settled = with_whole_tables(document, labels)
    return [block.text for block, label in zip(document.blocks, settled, strict=True) if label.kept]


CELLS = [cell for row in ROWS for cell in row]


@pytest.mark.parametrize(
    ("html", "dropped", "cells"),
    [
        (table(), {"Town", "People"}, CELLS),
        (table("td"), {"Town", "People"}, CELLS),
        (table(), {"People", "Weir", "800"}, CELLS),
        (table(), {"People", "Mole", "1,204", "Weir", "800", "Ebb"}, []),
        (table(), set(), CELLS),
        (table(), set(CELLS), []),
        (f"<div><section>{table()}</section></div>", {"Town"}, CELLS),
        (table(rows=(("도시", "인구"), *ROWS[1:])), {"도시", "인구"}, ["도시", "인구", *CELLS[2:]]),
        ("<table><tr><td><p>Menu<p>Home<td><p>A text.</table>", {"Menu"}, ["Home", "A text."]),
        ("<ul><li>Town<li>Mole</ul>", {"Town"}, ["Mole"]),
    ],
)  # fmt: skip
def test_a_genuine_table_stays_whole(html: str, dropped: set[str], cells: list[str]) -> None:
    assert kept(html, dropped) == ["Towns", *cells, "End."]


def test_each_table_is_settled_by_itself() -> None:
    other = table(rows=(("Boat", "Days"), ("Alda", "3"), ("Bera", "6"), ("Cora", "9")))
    dropped = {"Town", "People", "Boat", "Days", "Alda", "Bera", "Cora"}
    assert kept(table() + other, dropped) == ["Towns", *CELLS, "End."]


def test_a_list_of_things_in_cells_is_judged_block_by_block() -> None:
    rows = ((f"<p>{town}<p>A town of {people}<p>By the sea", people) for town, people in ROWS)
    html = table("td", rows=tuple(rows))
    assert "Town" not in kept(html, {"Town"})


def test_a_genuine_table_inside_layout_is_settled_alone() -> None:
    html = f"<table><tr><td><p>Menu</p>{table()}<td><p>Aside</table>"
    assert kept(html, {"Town", "People", "Menu"}) == ["Towns", *CELLS, "Aside", "End."]


def test_a_whole_table_is_a_table_in_markdown() -> None:
    document = read(Page.from_text("https://site.example/", f"<h1>Towns</h1>{table()}"))
    labels = [Label(block.tag != "th", "frequent") for block in document.blocks]
    settled = with_whole_tables(document, labels)
    blocks = [b for b, label in zip(document.blocks, settled, strict=True) if label.kept]
    assert markdown(blocks).split("\n")[2:] == [
        "| Town | People |",
        "| --- | --- |",
        "| Mole | 1,204 |",
        "| Weir | 800 |",
        "| Ebb | 77 |",
    ]


def test_verdicts_outside_tables_are_as_they_were() -> None:
    document = read(Page.from_text("https://site.example/", f"<p>One<p>Two{table()}"))
    labels = [
        Label(number != 1, "text", frequency=number) for number in range(len(document.blocks))
    ]
    assert with_whole_tables(document, labels) == labels
