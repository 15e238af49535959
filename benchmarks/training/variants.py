"""Variants of gold pages: what another site might have made of the same article.

A few hundred sites are too few to learn from: judges learn their habits. A variant of a page lacks
some of its elements, or has a shorter article, or nothing is called by a name, as on sites whose
class names are made by a machine. Its labels are those of the page.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.methods.article.features import INNER_TAGS

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from crawler.core.page.blocks import Block, Holder
    from crawler.core.page.page import Document

__all__ = ["variants"]

# So many variants a page; the last has no names.
_VARIANTS = 4
# How many elements are tried to be left out; each is this many steps around a block at most.
_TRIED, _STEPS = (1, 1, 2, 3, 4, 6), 6
# An element with more of the page's blocks, or of the article's words, stays.
_MOST_BLOCKS, _MOST_MAIN = 0.5, 0.6
# How often the article is cut short, to what share of its blocks; how often to its beginning, and
# how often its first block stays, which is the headline of many.
_SHORTENED, _SHORTEST, _LONGEST, _BEGINNING, _HEADED = 0.45, 0.12, 0.85, 0.7, 0.8
_LEAST_BLOCKS = 4


def variants(
    document: Document,
    main: NDArray[np.bool_],
    sizes: NDArray[np.float64],
    rng: random.Random,
) -> Iterator[tuple[Document, NDArray[np.intp]]]:
    """Make the variants of a page, fewer where nothing can be left out.

    Args:
        document: the page.
        main: whether each block is main text.
        sizes: the words of each.
        rng: chance.

    Yields:
        A variant, and the numbers that its blocks have on the page.
    """
    blocks, within = document.blocks, _within(document.blocks)
    for number in range(_VARIANTS):
        kept = _kept(blocks, within, main, np.maximum(sizes, 1.0), rng)
        unnamed = number == _VARIANTS - 1
        if kept.sum() < _LEAST_BLOCKS or not (kept & main).any() or (kept.all() and not unnamed):
            continue
        numbers = np.flatnonzero(kept)
        found = [replace(blocks[old], index=new) for new, old in enumerate(numbers.tolist())]
        yield replace(document, blocks=tuple(_unnamed(found) if unnamed else found)), numbers


def _within(blocks: Sequence[Block]) -> dict[int, tuple[int, int]]:
    """Return the range of blocks within each element, by the element's identity."""
    found: dict[int, tuple[int, int]] = {}
    for number, block in enumerate(blocks):
        holder = block.holder
        while holder is not None:
            begin, _ = found.get(id(holder), (number, 0))
            found[id(holder)] = begin, number + 1
            holder = holder.parent
    return found


def _kept(
    blocks: Sequence[Block],
    within: dict[int, tuple[int, int]],
    main: NDArray[np.bool_],
    sizes: NDArray[np.float64],
    rng: random.Random,
) -> NDArray[np.bool_]:
    """Choose by chance which blocks a variant has."""
    count = len(blocks)
    kept = np.ones(count, np.bool_)
    words = sizes * main
    for _ in range(rng.choice(_TRIED)):
        holder = blocks[rng.randrange(count)].holder
        for _ in range(rng.randint(0, _STEPS)):
            if holder is not None and holder.parent is not None:
                holder = holder.parent
        if holder is None:
            continue
        begin, end = within[id(holder)]
        is_large = end - begin > _MOST_BLOCKS * count
        if not is_large and words[begin:end].sum() <= _MOST_MAIN * words.sum():
            kept[begin:end] = False
    article = np.flatnonzero(main)
    if rng.random() < _SHORTENED and len(article) >= _LEAST_BLOCKS:
        size = max(2, int(len(article) * rng.uniform(_SHORTEST, _LONGEST)))
        start = 0 if rng.random() < _BEGINNING else rng.randint(0, len(article) - size)
        left = np.ones(len(article), np.bool_)
        left[start : start + size] = False
        if rng.random() < _HEADED:
            left[0] = False
        kept[article[left]] = False
    return kept


def _unnamed(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks whose elements have no names; tags of inline elements stay."""
    bare: dict[int | None, Holder | None] = {None: None}
    found = []
    for block in blocks:
        outwards, holder = [], block.holder
        while holder is not None and id(holder) not in bare:
            outwards.append(holder)
            holder = holder.parent
        for each in reversed(outwards):
            around = bare[id(each.parent) if each.parent else None]
            bare[id(each)] = replace(each, names="", parent=around)
        own = bare[id(block.holder) if block.holder else None]
        inner = " ".join(word for word in block.inner.split() if word in INNER_TAGS)
        found.append(replace(block, holder=own, inner=inner))
    return found
