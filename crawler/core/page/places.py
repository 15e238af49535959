"""Where on a page its blocks stand: the texts of the tree of which each is made.

The walk that cuts blocks goes over the page once more and notes them, for those who ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crawler.core.page.blocks import Block
from crawler.core.page.page import Document
from crawler.core.page.segment import _CLOSED, _Segmenter

if TYPE_CHECKING:
    from lxml import etree

    from crawler.core.page.parse import ParsedPage

# The kind of each open element for the walk: all are left.
_FRAMED = -2


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


def shown_places(parsed: ParsedPage) -> tuple[list[Block], list[tuple[Place, ...]]]:
    """Return the blocks that a page shows, without those of scripts, and the texts of each."""
    placer = _Placer(parsed.title or "")
    for root in parsed.roots:
        placer.walk(root)
    return placer.blocks, placer.places


class _Placer(_Segmenter):
    """The walk that cuts blocks, noting where their text is."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.places: list[tuple[Place, ...]] = []
        self._noted: list[Place] = []
        self._here: Place | None = None
        self._open: list[tuple[etree._Element, int]] = []

    def _enter(self, element: etree._Element) -> int:
        self._here = Place(element, is_tail=False)
        kind = super()._enter(element)
        if kind == _CLOSED:
            self._here = Place(element, is_tail=True)
            return kind
        self._open.append((element, kind))
        return _FRAMED

    def _leave(self, kind: int) -> None:
        element, kind = self._open.pop()
        if kind:
            super()._leave(kind)
        self._here = Place(element, is_tail=True)

    def _add(self, text: str) -> None:
        super()._add(text)
        if self._here is not None and not text.isspace():
            self._noted.append(self._here)

    def _flush(self) -> None:
        count = len(self.blocks)
        super()._flush()
        if len(self.blocks) > count:
            here = () if self._here is None else (self._here,)
            self.places.append(tuple(dict.fromkeys(self._noted)) or here)
        self._noted.clear()
