"""Text nodes: the text between two tags, the unit of Lee (2009) and of Kim and Kim (2021)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from crawler.core.methods.base import Label
from crawler.core.page.blocks import Block
from crawler.core.page.text import block_key, drop_unseen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from crawler.core.page.parse import ParsedPage

# "All text outside tags and scripts", Lee (2009), M1: style sheets are scripts in this sense.
_NO_TEXT = frozenset(("script", "style"))
# As in the paths of visible blocks.
_NOT_IN_PATHS = frozenset(("tbody",))
_PATH_CHARS = 1_000


class Place(NamedTuple):
    """Where text stands. Elements of the same name in the same place share one.

    Attributes:
        tag: name of the element that the text stands in.
        depth: how many elements there are from the root to this one; 1 for a root.
        path: their names with ``/`` between, ``tbody`` left out; ends where it has become longer
            than 1,000 characters.
        in_link: whether one of them is an ``a``.
        is_inside: whether one of them has a name that :func:`text_nodes` was asked about.
    """

    tag: str
    depth: int
    path: str
    in_link: bool
    is_inside: bool


class TextNode(NamedTuple):
    """One text node that is not blank.

    Attributes:
        text: the text as it is read: white space folded, stripped at both ends, invisible
            characters left out.
        place: where it stands.
    """

    text: str
    place: Place


def text_nodes(parsed: ParsedPage, inside: Collection[str] = ()) -> list[TextNode]:
    """Return a page's text nodes in document order, without those of scripts and style sheets.

    Args:
        parsed: the page.
        inside: names of elements; places tell whether they are in one of these, at any depth.
    """
    return [node for root in parsed.roots for node in _below(root, inside)]


def _below(root: etree._Element, inside: Collection[str]) -> Iterator[TextNode]:
    places: dict[tuple[Place, str], Place] = {}
    here = Place("", 0, "", in_link=False, is_inside=False)
    around: list[Place] = []
    skipped = 0
    # Pages nest thousands deep: no recursion.
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            around.append(here)
            place = places.get((here, element.tag))
            if place is None:
                place = places[here, element.tag] = _place(element.tag, here, inside)
            here = place
            skipped += element.tag in _NO_TEXT
            text = element.text
        else:
            here = around.pop()
            skipped -= element.tag in _NO_TEXT
            # The tail of the root itself belongs to nothing.
            text = element.tail if around else None
        if text and not skipped and (seen := _as_read(text)):
            yield TextNode(seen, here)


def _place(tag: str, around: Place, inside: Collection[str]) -> Place:
    path = around.path
    if tag not in _NOT_IN_PATHS and len(path) <= _PATH_CHARS:
        path = f"{path}/{tag}" if path else tag
    return Place(
        tag, around.depth + 1, path, around.in_link or tag == "a", around.is_inside or tag in inside
    )


def _as_read(text: str) -> str:
    text = " ".join((text if text.isprintable() else drop_unseen(text)).split())
    # Marks of direction alone are nothing to read.
    return text if any(map(str.isprintable, text.replace(" ", ""))) else ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text node or a part of one, and the verdict on it so far.

    Attributes:
        dropped: why it is not main text, as a slug; empty while it is.
        is_sentence: whether it is a sentence in the sense of Lee (2009).
        frequency: as in :class:`~crawler.core.methods.base.Label`.
    """

    text: str
    place: Place
    dropped: str = ""
    is_sentence: bool = False
    frequency: int = 0

    def drop(self, reason: str) -> Piece:
        """Return the piece as dropped, unless it was before."""
        return self if self.dropped else replace(self, dropped=reason)


def judged(pieces: Iterable[Piece]) -> list[tuple[Block, Label]]:
    """Return pieces as blocks with labels, as annotations hold them."""
    return [
        (_block(index, piece), Label(not piece.dropped, piece.dropped or "text", piece.frequency))
        for index, piece in enumerate(pieces)
    ]


def _block(index: int, piece: Piece) -> Block:
    text, place = piece.text, piece.place
    chars = len(text) - text.count(" ")
    linked = chars if place.in_link else 0
    return Block(index, text, place.tag, place.path, block_key(text), chars, linked)
