"""What the methods that choose among text nodes share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.core.methods.base import Label
from crawler.core.page.blocks import Block
from crawler.core.page.text import block_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.core.page.nodes import TextNode

__all__ = ["Piece", "judged"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A text node or a part of one, and what has become of it.

    ``dropped``
        Why it is not main text, as a slug; empty while it is.
    ``is_sentence``
        Whether it is a sentence in the sense of Lee (2009).
    """

    text: str
    node: TextNode
    dropped: str = ""
    is_sentence: bool = False
    frequency: int = 0

    def drop(self, reason: str) -> Piece:
        """Return the piece as dropped, unless it was before."""
        return self if self.dropped else replace(self, dropped=reason)


def judged(pieces: Iterable[Piece]) -> list[tuple[Block, Label]]:
    """Return pieces as blocks with labels, as annotations hold them."""
    found = []
    for index, piece in enumerate(pieces):
        text, place = piece.text, piece.node.place
        chars = len(text) - text.count(" ")
        block = Block(
            index=index,
            text=text,
            tag=place.tag,
            path=place.path,
            key=block_key(text),
            chars=chars,
            link_chars=chars if place.in_link else 0,
        )
        label = Label(not piece.dropped, piece.dropped or "text", piece.frequency)
        found.append((block, label))
    return found
