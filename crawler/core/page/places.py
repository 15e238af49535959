"""Where on a page its blocks stand: the texts of the tree of which each is made.

The walk that cuts blocks goes over the page once more and notes them, for those who ask.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from crawler.core.page.blocks import Block
from crawler.core.page.cutter import CLOSED, Cutter
from crawler.core.page.page import Document

if TYPE_CHECKING:
    from lxml import etree

    from crawler.core.page.parse import ParsedPage

# The kind of each open element for the walk: all are left.
_FRAMED = -2
# So many texts without parts are passed over at most.
_AHEAD = 1_000


class Place(NamedTuple):
    """The text of an element before its first child, or that behind its end."""

    element: etree._Element
    is_tail: bool


def places_of(document: Document) -> list[tuple[Place, ...]]:
    """Return for each block of a page the texts of which it is made, in order.

    Of a listing of many elements and of a formula it is the element. A block that only a script
    holds has none.
    """
    shown = zip(*shown_places(document.parsed), strict=True)
    # What is cut off on the page gave way to the whole text of a script.
    return [
        ()
        if block.index in document.added
        else next((places for own, places in shown if own.text == block.text), ())
        for block in document.blocks
    ]


def in_order(texts: Sequence[str], parts: Iterable[str]) -> list[range]:
    """Return for each part where it stands in texts that hold the parts in their order.

    White space does not count. What is blank, or not found behind the part before it, has an empty
    range.
    """
    bare = ["".join(text.split()) for text in texts]
    starts = [0, *accumulate(map(len, bare))]
    whole, at = "".join(bare), 0
    found = []
    for part in parts:
        text = "".join(part.split())
        place = whole.find(text, at) if text else -1
        if place < 0:
            found.append(range(0))
            continue
        at = place + len(text)
        first, last = (bisect_right(starts, each) - 1 for each in (place, at - 1))
        found.append(range(first, last + 1))
    return found


def tiled(texts: Sequence[str], parts: Sequence[str]) -> list[int | None]:
    """Return for each part the number of the text of which it is a part, or the whole.

    The parts of a text are all there, one after the other, or none is. White space does not count.

    Args:
        texts: the texts of a page, in order.
        parts: pieces into which texts were cut, in order.
    """
    bare, pieces = (["".join(one.split()) for one in each] for each in (texts, parts))
    found: list[int | None] = []
    at, offset = -1, 0
    for part, following in zip(pieces, [*pieces[1:], ""], strict=True):
        if at < 0 or not bare[at].startswith(part, offset) or offset == len(bare[at]):
            ahead = range(at + 1, min(at + 1 + _AHEAD, len(bare)))
            place = next(
                (
                    number
                    for number in ahead
                    if bare[number] == part
                    or (
                        bare[number].startswith(part)
                        and following
                        and bare[number].startswith(following, len(part))
                    )
                ),
                None,
            )
            if place is None:
                found.append(None)
                continue
            at, offset = place, 0
        found.append(at)
        offset += len(part)
    return found


def shown_places(parsed: ParsedPage) -> tuple[list[Block], list[tuple[Place, ...]]]:
    """Return the blocks that a page shows, without those of scripts, and the texts of each."""
    placer = _Placer(parsed)
    placer.cut()
    return placer.blocks, placer.places


class _Placer(Cutter):
    """The walk that cuts blocks, noting where their text is."""

    def __init__(self, parsed: ParsedPage) -> None:
        super().__init__(parsed.elements, parsed.title or "")
        self.places: list[tuple[Place, ...]] = []
        self._noted: list[Place] = []
        self._here: Place | None = None
        self._open: list[tuple[etree._Element, int]] = []

    def enter(self, number: int) -> int:
        element = self.elements.nodes[number]
        self._here = Place(element, is_tail=False)
        kind = super().enter(number)
        if kind == CLOSED:
            self._here = Place(element, is_tail=True)
            return kind
        self._open.append((element, kind))
        return _FRAMED

    def leave(self, kind: int) -> None:
        element, kind = self._open.pop()
        if kind:
            super().leave(kind)
        self._here = Place(element, is_tail=True)

    def add(self, text: str) -> None:
        super().add(text)
        if self._here is not None and not text.isspace():
            self._noted.append(self._here)

    def flush(self) -> None:
        count = len(self.blocks)
        super().flush()
        if len(self.blocks) > count:
            here = () if self._here is None else (self._here,)
            self.places.append(tuple(dict.fromkeys(self._noted)) or here)
        self._noted.clear()
