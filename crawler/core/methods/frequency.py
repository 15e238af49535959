"""Kim and Kim (2021): ``frequency``, their method as published, and ``density``, their baseline."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh3_64_intdigest

from crawler.core.methods.base import Cutoff
from crawler.core.methods.text_nodes import Piece, judged, text_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.core.counting.site_counts import SiteView
    from crawler.core.methods.base import Label
    from crawler.core.page.blocks import Block
    from crawler.core.page.page import Document

REMOVED = frozenset(("head", "footer", "header", "script", "style", "link", "iframe", "a", "em"))
"""Elements removed with their content before anything is counted (section III)."""

_NODES = "text-nodes"


def frequency_blocks(document: Document) -> list[Piece]:
    """Return the paper's text blocks; text nodes in removed elements are marked as dropped."""
    return [
        Piece(text, place, dropped="removed" if place.is_inside else "")
        for text, place in text_nodes(document.parsed, REMOVED)
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

    def cutoff(self, view: SiteView) -> Cutoff:
        """Return the threshold and k."""
        levels = view.sums[_NODES].levels if _NODES in view.sums else ()
        ranks = len(levels)
        highest = int(levels[-self.dropped_ranks - 1]) if ranks > self.dropped_ranks else None
        return Cutoff(highest, ranks)

    def judge(self, document: Document, view: SiteView) -> list[tuple[Block, Label]]:
        """Label the text blocks ``removed``, ``frequent`` or ``text``."""
        pieces = frequency_blocks(document)
        if _NODES in view.sums:
            seen = view.sums[_NODES].look_up([_key(piece.text) for piece in pieces])
            pieces = [
                replace(piece, frequency=frequency)
                for piece, frequency in zip(pieces, seen, strict=True)
            ]
        threshold = self.cutoff(view).threshold
        return judged(
            piece.drop("frequent")
            if threshold is not None and piece.frequency > threshold
            else piece
            for piece in pieces
        )


class _Density(NamedTuple):
    """Word density, formula (4), and link density, formula (5), of a block."""

    words: float
    links: float


_NOTHING = _Density(0.0, 0.0)


class Density:
    """Keep blocks that are dense in words and poor in links, or whose neighbours are.

    The densities are those of Kim and Kim (2021), section 4.3: the number of a block's sentences is
    not counted but estimated, as its characters over the mean characters of the page's blocks,
    formulas (6) and (7). The decision is the one their reference [6] learned: Kohlschütter,
    Fankhauser and Nejdl (2010), "Boilerplate Detection using Shallow Text Features", algorithm 1.
    """

    name = "density"

    def judge(self, document: Document, view: SiteView) -> list[tuple[Block, Label]]:  # noqa: ARG002 - a page-level method
        """Label the page's text nodes ``sparse`` or ``text``."""
        nodes = text_nodes(document.parsed, ("head",))
        pieces = [Piece(text, place) for text, place in nodes if not place.is_inside]
        if not pieces:
            return []
        mean = sum(len(piece.text) for piece in pieces) / len(pieces)
        densities = [_NOTHING, *(_density(piece, mean) for piece in pieces), _NOTHING]
        around = zip(pairwise(densities), densities[2:], strict=False)
        return judged(
            piece if _is_content(before, here, after) else piece.drop("sparse")
            for piece, ((before, here), after) in zip(pieces, around, strict=True)
        )


def _density(piece: Piece, mean: float) -> _Density:
    words = len(piece.text.split())
    return _Density(words / (len(piece.text) / mean), float(piece.place.in_link))


def _is_content(before: _Density, here: _Density, after: _Density) -> bool:
    """Decide by the published tree; its thresholds are densities of English text."""
    if here.links > 0.333333:  # noqa: PLR2004 - the constants of the published tree, here and below
        return False
    if before.links > 0.555556:  # noqa: PLR2004 - as above
        return after.words > 11  # noqa: PLR2004 - as above
    if here.words > 9:  # noqa: PLR2004 - as above
        return after.words > 0
    return after.words > 10 or before.words > 4  # noqa: PLR2004 - as above
