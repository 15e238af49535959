"""The link of a page to the next page of a list, as many languages write it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from crawler.core.words import fold, read_data, texts_of
from crawler.core.wrapper.tree import PageTree

_ARROWS = frozenset("\u203a\u00bb\u2192\u25b6\u25ba\u27e9>\u21d2\u276f")
_VALUE_CHARS = 120


@cache
def _next_words() -> tuple[frozenset[str], tuple[str, ...]]:
    data = read_data("crawler.core.pagination", "pagers")
    return frozenset(texts_of(data["next"])), texts_of(data["next_page"])


def next_link(tree: PageTree, records: Iterable[int] = ()) -> int | None:
    """Return the link of a page to the next page of a list; None where there is none.

    It has the relation "next", or reads so in one of many languages, or is an arrow. Links within
    the records are none.
    """
    inside = {node for record in records for node in range(record, tree.ends[record])}
    best: tuple[int, int] | None = None
    for node, name in enumerate(tree.names):
        href = tree.attribute(node, "href") if name == "a" and node not in inside else None
        if not href or href.startswith(("#", "javascript:")):
            continue
        sign = next_sign(tree, node)
        if sign and (best is None or sign >= best[0]):
            best = sign, node
    return None if best is None else best[1]


def next_sign(tree: PageTree, node: int) -> int:
    """Return how sure a link leads to the next page, 0 for not at all."""
    if "next" in (tree.attribute(node, "rel") or "").lower().split():
        return 3
    words, starts = _next_words()
    written = tree.value(node)
    texts = [written, tree.attribute(node, "aria-label") or "", tree.attribute(node, "title") or ""]
    folded = [fold(text[:_VALUE_CHARS]) for text in texts]
    if any(text.startswith(starts) for text in folded) or not words.isdisjoint(folded):
        return 2
    holders = (node, tree.parents[node])
    classes = " ".join(tree.attribute(its, "class") or "" for its in holders if its >= 0)
    is_arrow = len(written) in {1, 2} and not _ARROWS.isdisjoint(written)
    return int(is_arrow or "next" in classes.lower().replace("-", " ").split())
