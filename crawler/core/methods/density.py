"""``density``: words per sentence and linked words, the baseline of Kim and Kim (2021)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from crawler.core.methods.pieces import Piece, judged
from crawler.core.page.nodes import standing_in, text_nodes

if TYPE_CHECKING:
    from crawler.core.counting.site_counts import SiteView
    from crawler.core.methods.base import Label
    from crawler.core.page.blocks import Block
    from crawler.core.page.page import Document

__all__ = ["Density"]


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
        nodes = text_nodes(document.parsed)
        pieces = [
            Piece(node.text, node)
            for node, in_head in zip(nodes, standing_in(nodes, ("head",)), strict=True)
            if not in_head
        ]
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
    return _Density(words / (len(piece.text) / mean), float(piece.node.in_link))


def _is_content(before: _Density, here: _Density, after: _Density) -> bool:
    """Decide by the published tree; its thresholds are densities of English text."""
    if here.links > 0.333333:  # noqa: PLR2004 - the constants of the published tree, here and below
        return False
    if before.links > 0.555556:  # noqa: PLR2004 - as above
        return after.words > 11  # noqa: PLR2004 - as above
    if here.words > 9:  # noqa: PLR2004 - as above
        return after.words > 0
    return after.words > 10 or before.words > 4  # noqa: PLR2004 - as above
