"""``frequency``: the method of Kim and Kim (2021), as published."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from xxhash import xxh3_64_intdigest

from crawler.core.methods.base import Cutoff
from crawler.core.methods.pieces import Piece, judged
from crawler.core.page.nodes import standing_in, text_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.core.counting.site_counts import SiteView
    from crawler.core.methods.base import Label
    from crawler.core.page.blocks import Block
    from crawler.core.page.page import Document

__all__ = ["REMOVED", "TextFrequency", "frequency_blocks"]

REMOVED = frozenset(("head", "footer", "header", "script", "style", "link", "iframe", "a", "em"))
"""Elements removed with their content before anything is counted (section III)."""

_NODES = "text-nodes"


def frequency_blocks(document: Document) -> list[Piece]:
    """Return the paper's text blocks; text nodes in removed elements are marked as dropped."""
    nodes = text_nodes(document.parsed)
    return [
        Piece(node.text, node, dropped="removed" if removed else "")
        for node, removed in zip(nodes, standing_in(nodes, REMOVED), strict=True)
    ]


def _key(text: str) -> int:
    return xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


class TextFrequency:
    """Drop the text blocks of the highest distinct frequencies.

    The frequency of a block is how many blocks of the whole collection have the same text. The k
    distinct frequencies are ranked, the rarest first; a block is main text when its rank is at
    most k - ``dropped_ranks``. On a collection of fewer ranks than that, everything but the
    removed elements is main text.

    Args:
        dropped_ranks: how many of the highest frequencies are boilerplate: 2 in the paper (section
            III, figure 5), for any number of pages from 100 to 800.
    """

    name = "frequency"

    def __init__(self, dropped_ranks: int = 2) -> None:
        self.dropped_ranks = dropped_ranks

    def counts(self, document: Document) -> Mapping[str, Mapping[int, int]]:
        """Return how often each text block stands on the page: occurrences, not pages."""
        kept = (piece for piece in frequency_blocks(document) if not piece.dropped)
        return {_NODES: Counter(_key(piece.text) for piece in kept)}

    def threshold(self, view: SiteView) -> int | None:
        """Return the highest frequency that main text may have; None where nothing is counted."""
        levels = view.sums[_NODES].levels if _NODES in view.sums else ()
        return int(levels[-self.dropped_ranks - 1]) if len(levels) > self.dropped_ranks else None

    def cutoff(self, view: SiteView) -> Cutoff:
        """Return the threshold and k."""
        ranks = len(view.sums[_NODES].levels) if _NODES in view.sums else 0
        return Cutoff(self.threshold(view), ranks)

    def judge(self, document: Document, view: SiteView) -> list[tuple[Block, Label]]:
        """Label the text blocks ``removed``, ``frequent`` or ``text``."""
        pieces = frequency_blocks(document)
        threshold = self.threshold(view)
        if _NODES in view.sums:
            seen = view.sums[_NODES].look_up([_key(piece.text) for piece in pieces])
            pieces = [
                replace(piece, frequency=frequency)
                for piece, frequency in zip(pieces, seen, strict=True)
            ]
        if threshold is not None:
            pieces = [
                piece.drop("frequent") if piece.frequency > threshold else piece for piece in pieces
            ]
        return judged(pieces)
