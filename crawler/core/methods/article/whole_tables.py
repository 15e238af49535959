"""Genuine tables in the main text: whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from crawler.core.methods import Label
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.page import Document
from crawler.core.tables.classify import DEFAULT_TABLE_METHOD, get_table_method
from crawler.core.tables.markup import find_tables

# What part of a table's blocks has to be found in its cells, and of its characters to be kept.
_MOSTLY, _ENOUGH = 0.8, 0.25
# With more blocks a cell a table is a list of things and no grid of values.
_LINES = 1.5
_MOST_DIVIDED = 100


def with_whole_tables(document: Document, labels: Sequence[Label]) -> list[Label]:
    """Keep all blocks of each genuine table of which a quarter is kept, and drop all of others.

    The head of a table recurs on other pages, so that a judge of single blocks takes it away from
    its values. Tables are judged on those pages alone where one is divided.
    """
    settled = list(labels)
    divided = list(islice(_divided(document.blocks, labels), _MOST_DIVIDED))
    if not divided:
        return settled
    grids = [found.grid for found in find_tables(document.parsed)]
    texts = [_squeezed(" ".join(cell.text for cell in grid.cells)) for grid in grids]
    method = get_table_method(DEFAULT_TABLE_METHOD)
    for numbers in divided:
        blocks = [document.blocks[number] for number in numbers]
        grid = next(
            (one for one, text in zip(grids, texts, strict=True) if _holds(text, blocks)), None
        )
        if grid is None or len(numbers) > _LINES * sum(cell.chars > 0 for cell in grid.cells):
            continue
        if not method.judge(grid).is_genuine:
            continue
        kept = sum(document.blocks[number].chars for number in numbers if labels[number].kept)
        keep = kept >= _ENOUGH * sum(block.chars for block in blocks)
        for number in numbers:
            if labels[number].kept != keep:
                reason = "text" if keep else "outside"
                settled[number] = replace(labels[number], kept=keep, reason=reason)
    return settled


def _divided(blocks: Sequence[Block], labels: Sequence[Label]) -> Iterator[list[int]]:
    """Yield the numbers of the blocks of each table of which some are kept and some are not."""
    known: dict[Holder, Holder | None] = {}
    tables: dict[Holder, list[int]] = {}
    for number, block in enumerate(blocks):
        if block.holder is not None and "table" in block.path:
            table = _table_around(block.holder, known)
            if table is not None:
                tables.setdefault(table, []).append(number)
    for numbers in tables.values():
        if len({labels[number].kept for number in numbers}) > 1:
            yield numbers


def _table_around(holder: Holder, known: dict[Holder, Holder | None]) -> Holder | None:
    """Return the innermost table that a holder stands in; ``known`` remembers it."""
    chain: list[Holder] = []
    above: Holder | None = holder
    while above is not None and above not in known and above.tag != "table":
        chain.append(above)
        above = above.parent
    table = known.get(above, above) if above is not None else None
    known.update(dict.fromkeys(chain, table))
    return table


def _holds(text: str, blocks: Sequence[Block]) -> bool:
    """Tell whether the longest and nearly all blocks stand in the squeezed text of a table."""
    longest = max(blocks, key=lambda block: block.chars)
    return _squeezed(longest.text) in text and (
        sum(_squeezed(block.text) in text for block in blocks) >= _MOSTLY * len(blocks)
    )


def _squeezed(text: str) -> str:
    return "".join(text.split())
