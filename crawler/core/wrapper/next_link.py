"""The link of a page to the next page of a list, as many languages write it."""

from __future__ import annotations

from collections.abc import Iterable

from crawler.core.pagination.parts import ARROWS, pager_words
from crawler.core.words import fold
from crawler.core.wrapper.tree import PageTree

_VALUE_CHARS = 120


def next_link(tree: PageTree, records: Iterable[int] = ()) -> int | None:
    """Return the link of a page to the next page of a list; None where there is none.

    It has the relation "next", or reads so in one of many languages, or is an arrow. Links within
    the records are none. Of several that are as sure it is the last.
    """
    inside = {node for record in records for node in range(record, tree.ends[record])}
    sure = [
        (next_sign(tree, node), node)
        for node, name in enumerate(tree.names)
        if name == "a"
        and node not in inside
        and not (tree.attribute(node, "href") or "#").startswith(("#", "javascript:"))
    ]
    sign, node = max(sure, default=(0, -1))
    return node if sign else None


def next_sign(tree: PageTree, node: int) -> int:
    """Return how sure a link leads to the next page, 0 for not at all."""
    if "next" in (tree.attribute(node, "rel") or "").lower().split():
        return 3
    words = pager_words()
    written = tree.value(node)
    texts = [written, tree.attribute(node, "aria-label") or "", tree.attribute(node, "title") or ""]
    folded = [fold(text[:_VALUE_CHARS]) for text in texts]
    reads_so = any(text.startswith(words.next_page) for text in folded)
    if reads_so or not words.next.isdisjoint(folded):
        return 2
    holders = (node, tree.parents[node])
    classes = " ".join(tree.attribute(its, "class") or "" for its in holders if its >= 0)
    is_arrow = len(written) in {1, 2} and not ARROWS.isdisjoint(written)
    return int(is_arrow or "next" in classes.lower().replace("-", " ").split())
