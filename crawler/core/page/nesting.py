"""The elements around the blocks of a page, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.core.hot_loops import numbered
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.page import Document


@dataclass(frozen=True, slots=True, eq=False)
class Nesting:
    """The elements that blocks stand in, from outside in, in the order of their first blocks.

    Attributes:
        holders: the elements; an element's number is its place here.
        tags, names: the different tags that they have, and the different names.
        at: for each block the number of the element that holds it.
        parent: for each element the number of the one around it; itself for a root.
        outer: the nearest element around it that holds more blocks than it does; itself for a root.
        begin, end: the blocks within each element: a range, since blocks stand in document order.
        depth: as :class:`~crawler.core.page.blocks.Holder` has it.
        path: a number that elements of one path share.
        tag, name: for each element the place of its tag in ``tags``, and of its names in ``names``.
    """

    holders: list[Holder]
    tags: list[str]
    names: list[str]
    at: NDArray[np.intp]
    parent: NDArray[np.intp]
    outer: NDArray[np.intp]
    begin: NDArray[np.intp]
    end: NDArray[np.intp]
    depth: NDArray[np.intp]
    path: NDArray[np.intp]
    tag: NDArray[np.intp]
    name: NDArray[np.intp]


def nesting_of(document: Document) -> Nesting:
    """Number the elements around the blocks of a document; its page keeps them.

    Raises:
        ValueError: a block stands in no element.
    """
    kept: tuple[Sequence[Block], Nesting] | None = document.parsed.found.get("nesting")
    # One page may be read as several documents: with text that it does not show, and without.
    if kept is None or kept[0] is not document.blocks:
        holders, tags, names, columns = numbered(document.blocks)
        kept = document.blocks, Nesting(holders, tags, names, *columns)
        document.parsed.found["nesting"] = kept
    return kept[1]
