"""Published methods on text nodes: the text between two tags, not the visible block, is their unit.

Here are the text nodes and the methods of Kim and Kim (2021): ``frequency``, their method, and
``density``, their baseline. :mod:`crawler.core.methods.news` has those of Lee (2009).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from lxml import etree
from xxhash import xxh3_64_intdigest

from crawler.core.counting.site_counts import SiteView
from crawler.core.methods import Cutoff, Label
from crawler.core.page.blocks import Block
from crawler.core.page.page import Document
from crawler.core.page.parse import ParsedPage
from crawler.core.page.text import block_key, drop_unseen

# "All text outside tags and scripts", Lee (2009), M1: style sheets are scripts in this sense.
_NO_TEXT = frozenset(("script", "style"))
# As in the paths of visible blocks.
_NOT_IN_PATHS = frozenset(("tbody",))
_PATH_CHARS = 1_000
REMOVED = frozenset(("head", "footer", "header", "script", "style", "link", "iframe", "a", "em"))
"""Elements removed with their content before anything is counted (Kim and Kim, section III)."""

# The name of what the method counts over a site.
_NODES = "text-nodes"


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


class Piece(NamedTuple):
    """A text node that is not blank, or a part of one, and the verdict on it so far.

    Attributes:
        text: the text as it is read: white space folded, stripped at both ends, invisible
            characters left out.
        place: where it stands.
        dropped: why it is not main text, as a slug; empty while it is.
        is_sentence: whether it is a sentence in the sense of Lee (2009).
        frequency: as in :class:`~crawler.core.methods.Label`.
    """

    text: str
    place: Place
    dropped: str = ""
    is_sentence: bool = False
    frequency: int = 0

    def drop(self, reason: str) -> Piece:
        """Return the piece as dropped, unless it was before."""
        return self if self.dropped else self._replace(dropped=reason)


def text_nodes(parsed: ParsedPage, inside: Collection[str] = ()) -> list[Piece]:
    """Return a page's text nodes in document order, without those of scripts and style sheets.

    Args:
        parsed: the page.
        inside: names of elements; places tell whether they are in one of these, at any depth.
    """
    return [node for root in parsed.roots for node in _below(root, inside)]


def _below(root: etree._Element, inside: Collection[str]) -> Iterator[Piece]:
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
            yield Piece(seen, here)


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


def judged(pieces: Iterable[Piece]) -> list[tuple[Block, Label]]:
    """Return the pieces as blocks, numbered in order, each with the label that says its verdict."""
    pairs = []
    for index, (text, place, dropped, _, frequency) in enumerate(pieces):
        chars = len(text) - text.count(" ")
        linked = chars if place.in_link else 0
        block = Block(index, text, place.tag, place.path, block_key(text), chars, linked)
        pairs.append((block, Label(not dropped, dropped or "text", frequency)))
    return pairs


def frequency_blocks(document: Document) -> list[Piece]:
    """Return the paper's text blocks; text nodes in removed elements are marked as dropped."""
    pieces = text_nodes(document.parsed, REMOVED)
    return [piece.drop("removed") if piece.place.is_inside else piece for piece in pieces]


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
            pairs = zip(pieces, seen, strict=True)
            pieces = [piece._replace(frequency=frequency) for piece, frequency in pairs]
        threshold = self.cutoff(view).threshold
        return judged(
            piece.drop("frequent")
            if threshold is not None and piece.frequency > threshold
            else piece
            for piece in pieces
        )


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
        pieces = [piece for piece in nodes if not piece.place.is_inside]
        mean = sum(len(piece.text) for piece in pieces) / max(len(pieces), 1)
        densities = [(0.0, 0.0), *(density(piece, mean) for piece in pieces), (0.0, 0.0)]
        return judged(
            piece if is_content(*densities[number : number + 3]) else piece.drop("sparse")
            for number, piece in enumerate(pieces)
        )


def density(piece: Piece, mean: float) -> tuple[float, float]:
    """Return word density, formula (4), and link density, formula (5), of a text node.

    Args:
        piece: the text node.
        mean: the mean characters of the page's text nodes.
    """
    words = len(piece.text.split())
    return words / (len(piece.text) / mean), float(piece.place.in_link)


def is_content(
    before: tuple[float, float], here: tuple[float, float], after: tuple[float, float]
) -> bool:
    """Decide by the published tree; its thresholds are densities of English text.

    Args:
        before: word and link density of the text node before it.
        here: those of the text node.
        after: those of the one after it.
    """
    (words_before, links_before), (words, links), (words_after, _) = before, here, after
    if links > 0.333333:  # noqa: PLR2004 - the constants of the published tree, here and below
        return False
    if links_before > 0.555556:  # noqa: PLR2004 - as above
        return words_after > 11  # noqa: PLR2004 - as above
    if words > 9:  # noqa: PLR2004 - as above
        return words_after > 0
    return words_after > 10 or words_before > 4  # noqa: PLR2004 - as above
