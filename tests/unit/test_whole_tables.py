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


def settled(body: str, frequencies: dict[str, int], dropped: str = "frequent") -> list[str]:
    """Return the texts that stay where 8 pages are known and no cell is kept.

    Args:
        body: what stands between the headline and the end; texts of ``p`` are kept.
        frequencies: on how many pages each text is, 1 if not said.
        dropped: the reason of cells.
    """
    document = read(Page.from_text("https://site.example/", f"<main><h1>Towns</h1>{body}</main>"))
    labels = [
        Label(
            block.tag == "p",
            "text" if block.tag == "p" else dropped,
            frequencies.get(block.text, 1),
        )
        for block in document.blocks
    ]
    whole = with_whole_tables(document, labels, 8)
    return [block.text for block, label in zip(document.blocks, whole, strict=True) if label.kept]


HEADS = {"Town": 8, "People": 8, "Mole": 8, "Weir": 8, "Ebb": 8}
STATIC = HEADS | {"1,204": 8, "800": 8, "77": 8}
OWN = ["One.", *CELLS, "Two."]
NONE = ["One.", "Two."]
UNITS = (("Town", "People"), ("Mole", "12 km"), ("Weir", "30 km"), ("Ebb", "7 km"))
DATES = (("Day", "Event"), ("5 May", "Regatta"), ("6 May", "Fair"), ("30 May", "Ball"))
IN_UNITS = HEADS | {"12 km": 8, "30 km": 8, "7 km": 8}


@pytest.mark.parametrize(
    ("body", "frequencies", "texts"),
    [
        (f"<p>One.{table()}<p>Two.", HEADS, OWN),
        (f"<p>One.{table('td')}<p>Two.", HEADS, OWN),
        (f"<p>One.<figure><div>{table()}</div></figure><p>Two.", HEADS, OWN),
        (f"<p>One.{table()}{table()}<p>Two.", HEADS, ["One.", *CELLS, *CELLS, "Two."]),
        # Values of few pages, and half of the rows with the values of all.
        (f"<p>One.{table()}<p>Two.", STATIC | {"1,204": 2, "800": 3}, OWN),
        (f"<p>One.{table()}<p>Two.", STATIC, NONE),
        (f"<p>One.{table()}<p>Two.", STATIC | {"77": 1}, NONE),
        # All figures are masked: the place decides.
        (f"<p>One.{table(rows=UNITS)}<p>Two.", IN_UNITS,
         ["One.", *[cell for row in UNITS for cell in row], "Two."]),
        (f"<p>One.<p>Two.{table(rows=UNITS)}", IN_UNITS, NONE),
        (f"<p>One.{table(rows=(*UNITS, ('Hull', 'none')))}<p>Two.",
         IN_UNITS | {"Hull": 8, "none": 8}, NONE),
        # Above the text, and in a box of its own.
        (f"{table()}<p>One.<p>Two.", HEADS, NONE),
        (f"<p>One.<p>Two.<div><div><ul><li>{table()}</ul></div></div>", HEADS, NONE),
        (f"<article><p>One.<p>Two.</article><section>{table()}</section>", HEADS, NONE),
        (f"<p>One.<aside>{table()}</aside><p>Two.", HEADS, NONE),
        (f"<p>One.<div class=sidebar-box>{table()}</div><p>Two.", HEADS, NONE),
        # A masked label, and a value that is the same on all pages.
        (f"<p>One.{table(rows=DATES)}<p>Two.", dict.fromkeys(sum(DATES, ()), 8), NONE),
        # No grid of values.
        ("<p>One.<table><tr><td>Menu<td>Aside</table><p>Two.", {"Menu": 8}, NONE),
    ],
)  # fmt: skip
def test_a_table_in_the_text_stays_whole_where_its_rows_are_new(
    body: str, frequencies: dict[str, int], texts: list[str]
) -> None:
    assert settled(body, frequencies) == texts


def test_a_table_that_names_call_a_sidebar_is_no_text() -> None:
    assert settled(f"<p>One.{table()}<p>Two.", HEADS, dropped="sidebar") == NONE


def test_a_caption_is_part_of_its_table() -> None:
    caption = "Towns along the river, and who lives there"
    html = table().replace("<table>", f"<table><caption>{caption}</caption>")
    assert kept(html, {"Town", "People", "Ebb"}) == ["Towns", caption, *CELLS, "End."]
