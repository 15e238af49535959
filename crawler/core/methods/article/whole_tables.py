"""Genuine tables in the main text: whole, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median

from crawler.core.methods import Label
from crawler.core.methods.article.layout import CUES, cues_in
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.page import Document
from crawler.core.page.text import block_key
from crawler.core.tables.classify import (
    DEFAULT_TABLE_METHOD,
    get_table_method,
    judge_grids,
)
from crawler.core.tables.grid import Grid
from crawler.core.tables.markup import find_tables

# What part of a table's blocks has to be found in its cells, and of its characters to be kept.
_MOSTLY, _ENOUGH = 0.8, 0.25
# With more blocks a cell a table is a list of things and no grid of values.
_LINES = 1.5
_MOST_LOOKED_AT = 100
# A row is the page's own where a cell of it is on less than this share of the pages of its table.
_HALF = 0.5
# From how many pages on a site is known.
_SITE = 2
# A table with such reasons stands in the text, if its place says so; other reasons name what stands
# beside a text.
_NAMELESS = frozenset(("text", "frequent", "links", "outside"))
# Names of wrappers whose table stands beside a text, wherever they are.
_BESIDE = sum(1 << CUES.index(cue) for cue in ("side", "promo", "related", "popular", "letter"))
# How many elements may stand between a table and the element that holds the text: wrappers.
_WRAPPERS = 2


def with_whole_tables(document: Document, labels: Sequence[Label], pages: int = 1) -> list[Label]:
    """Keep all blocks of each genuine table that is main text, and drop all of others.

    The head of a table and its first column recur on other pages, so that a judge of single blocks
    takes them away from their values. A table is main text where a quarter of its characters is
    kept; and where it follows kept text, and half of its rows are the page's own by the counts of
    the site. Tables are judged on those pages alone where one is divided or may be main text.

    Args:
        document: the page.
        labels: what is said of each block.
        pages: distinct pages of the site.
    """
    blocks, settled = document.blocks, list(labels)
    wanted: list[tuple[list[int], bool]] = []
    # What was found beside the page's elements may hold a table that is none of them.
    may_hold = document.added or "table" in document.parsed.elements.numbers
    tables = _tables(blocks) if may_hold else {}
    spans = _text_spans(blocks, labels) if tables and pages >= _SITE else {}
    for table, numbers in tables.items():
        own = pages >= _SITE and _is_own(
            [(blocks[number], labels[number]) for number in numbers], _span_around(table, spans)
        )
        kept = sum(blocks[number].chars for number in numbers if labels[number].kept)
        keep = own or kept >= _ENOUGH * sum(blocks[number].chars for number in numbers)
        if any(labels[number].kept != keep for number in numbers):
            wanted.append((numbers, keep))
    if not wanted:
        return settled
    grids = [found.grid for found in find_tables(document.parsed)]
    texts = [_text(grid) for grid in grids]
    method = get_table_method(DEFAULT_TABLE_METHOD)
    asked: list[tuple[list[int], bool, Grid]] = []
    for numbers, keep in islice(wanted, _MOST_LOOKED_AT):
        held = [blocks[number] for number in numbers]
        found = (grid for grid, text in zip(grids, texts, strict=True) if _holds(text, held))
        grid = next(found, None)
        if grid is not None and len(numbers) <= _LINES * sum(cell.chars > 0 for cell in grid.cells):
            asked.append((numbers, keep, grid))
    verdicts = judge_grids(document.parsed, [grid for _, _, grid in asked], method)
    for (numbers, keep, _), verdict in zip(asked, verdicts, strict=True):
        for number in numbers if verdict.is_genuine else ():
            if labels[number].kept != keep:
                reason = "text" if keep else "outside"
                settled[number] = replace(labels[number], kept=keep, reason=reason)
    return settled


def _tables(blocks: Sequence[Block]) -> dict[Holder, list[int]]:
    """Return the numbers of the blocks of each table."""
    known: dict[Holder, Holder | None] = {}
    tables: dict[Holder, list[int]] = {}
    for number, block in enumerate(blocks):
        if block.holder is not None and "table" in block.path:
            table = _around(block.holder, "table", known)
            if table is not None:
                tables.setdefault(table, []).append(number)
    return tables


def _around(holder: Holder, tag: str, known: dict[Holder, Holder | None]) -> Holder | None:
    """Return the innermost element of a tag that a holder stands in; ``known`` remembers it."""
    chain: list[Holder] = []
    above: Holder | None = holder
    while above is not None and above not in known and above.tag != tag:
        chain.append(above)
        above = above.parent
    found = known.get(above, above) if above is not None else None
    known.update(dict.fromkeys(chain, found))
    return found


def _text_spans(
    blocks: Sequence[Block], labels: Sequence[Label]
) -> dict[Holder | None, tuple[int, int]]:
    """Return the first and last kept block in each element that directly holds kept text."""
    spans: dict[Holder | None, tuple[int, int]] = {}
    for number, (block, label) in enumerate(zip(blocks, labels, strict=True)):
        if label.kept and block.holder is not None and block.tag != "h1":
            for holder in (block.holder, block.holder.parent):
                spans[holder] = (spans.get(holder, (number, 0))[0], number)
    return spans


def _span_around(
    table: Holder, spans: Mapping[Holder | None, tuple[int, int]]
) -> tuple[int, int] | None:
    """Return the first and last kept block of the element near around a table that holds text."""
    around = table.parent
    for _ in range(_WRAPPERS):
        if around is None or around in spans:
            break
        if around.tag == "aside" or cues_in(around.names) & _BESIDE:
            return None
        around = around.parent
    return spans.get(around)


def _is_own(cells: Sequence[tuple[Block, Label]], text: tuple[int, int] | None) -> bool:
    """Tell whether a table in the text is the page's own, by the pages that its blocks are on.

    The table must follow kept text of the element around it. A row with figures that the keys
    of its blocks mask, behind its label, does not count. Where all rows are such, the table must
    have text behind it too.

    Args:
        cells: the table's blocks.
        text: the first and last kept block of the element around it.
    """
    if text is None or cells[0][0].index < text[0]:
        return False
    if not {label.reason for _, label in cells} <= _NAMELESS:
        return False
    recurring = [label.frequency for _, label in cells if label.frequency > 1]
    limit = _HALF * median(recurring) if recurring else _SITE
    known: dict[Holder, Holder | None] = {}
    rows: dict[Holder | None, list[tuple[Block, int]]] = {}
    for block, label in cells:
        if block.holder is not None and block.tag != "caption":
            row = _around(block.holder, "tr", known)
            rows.setdefault(row, []).append((block, label.frequency))
    own = masked = others = 0
    for row_cells in rows.values():
        if any(frequency < limit for _, frequency in row_cells):
            own += 1
        elif any(_is_masked(block) for block, _ in row_cells[1:]):
            masked += 1
        else:
            others += any(block.tag != "th" for block, _ in row_cells)
    if own or others:
        return own > 0 and own >= others
    return masked > 0 and cells[-1][0].index < text[1]


def _is_masked(block: Block) -> bool:
    """Tell whether the key of a block is that of other figures too."""
    return block.key != block_key(block.text, mask_digits=False)


def _text(grid: Grid) -> str:
    return _squeezed(" ".join([grid.caption or "", *(cell.text for cell in grid.cells)]))


def _holds(text: str, blocks: Sequence[Block]) -> bool:
    """Tell whether the longest and nearly all blocks stand in the squeezed text of a table."""
    longest = max(blocks, key=lambda block: block.chars)
    return _squeezed(longest.text) in text and (
        sum(_squeezed(block.text) in text for block in blocks) >= _MOSTLY * len(blocks)
    )


def _squeezed(text: str) -> str:
    return "".join(text.split())
