"""Published methods on text nodes: the text between two tags, not the visible block, is their unit.

Lee (2009), on news pages: links, sentences, depth blocks, titles, and their mixes. Each method is a
few steps over a page's text nodes, applied in the order that its name gives: M32 is "the links
removed (2), then sentences (3)", as the paper numbers them. Similarity to the title is that of
section 4.1: a text is a vector of its character 3-grams, weighted by log TF times IDF; two texts
are as similar as the cosine of their vectors. IDF is over the pages of the site.

Kim and Kim (2021): ``frequency``, their method, and ``density``, their baseline.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from lxml import etree
from xxhash import xxh3_64_intdigest

from crawler.core.counting.site_counts import SiteView
from crawler.core.methods import Cutoff, Label
from crawler.core.page.blocks import Block
from crawler.core.page.page import Document
from crawler.core.page.parse import ParsedPage
from crawler.core.page.text import block_key, drop_unseen
from crawler.core.sentences import ended_sentences

# "All text outside tags and scripts", Lee (2009), M1: style sheets are scripts in this sense.
_NO_TEXT = frozenset(("script", "style"))
# As in the paths of visible blocks.
_NOT_IN_PATHS = frozenset(("tbody",))
_PATH_CHARS = 1_000
REMOVED = frozenset(("head", "footer", "header", "script", "style", "link", "iframe", "a", "em"))
"""Elements removed with their content before anything is counted (Kim and Kim, section III)."""

# Names of what the methods count over a site.
_NODES, _GRAMS = "text-nodes", "grams"
_CODE_BITS = 21

_Step: TypeAlias = "Callable[[list[Piece], Document, SiteView], list[Piece]]"
_Idf: TypeAlias = "Callable[[Sequence[int]], Sequence[float]]"


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


def _judged(pieces: Iterable[Piece]) -> list[tuple[Block, Label]]:
    pairs = []
    for index, (text, place, dropped, _, frequency) in enumerate(pieces):
        chars = len(text) - text.count(" ")
        linked = chars if place.in_link else 0
        block = Block(index, text, place.tag, place.path, block_key(text), chars, linked)
        pairs.append((block, Label(not dropped, dropped or "text", frequency)))
    return pairs


def grams(text: str) -> Counter[int]:
    """Count the 3-grams of a text, each as the number that its three code points make.

    Case and white space are folded first; a text of fewer than three characters has none.
    """
    codes = [ord(char) for char in " ".join(text.lower().split())]
    return Counter(
        (first << 2 * _CODE_BITS) | (second << _CODE_BITS) | third
        for first, second, third in zip(codes, codes[1:], codes[2:], strict=False)
    )


def similarities(
    title: Mapping[int, int], texts: Iterable[Mapping[int, int]], idf: _Idf
) -> list[float]:
    """Return the cosine of a title and each of some texts, 0 to 1; 0 where either has no weight.

    Args:
        title: counts of the title's 3-grams.
        texts: counts of the 3-grams of each text.
        idf: gives the inverse document frequency of each of some 3-grams.
    """
    ours = _weights(title, idf)
    length = math.hypot(*ours.values())
    found = []
    for text in texts:
        shared = ours.keys() & text.keys()
        theirs = _weights(text, idf) if shared else {}
        lengths = length * math.hypot(*theirs.values())
        product = math.fsum(ours[gram] * theirs[gram] for gram in shared)
        found.append(min(1.0, product / lengths) if lengths else 0.0)
    return found


def _weights(counts: Mapping[int, int], idf: _Idf) -> dict[int, float]:
    keys = list(counts)
    rarities = zip(keys, idf(keys), strict=True)
    return {key: (1 + math.log(counts[key])) * rarity for key, rarity in rarities}


def _without_links(pieces: list[Piece], _document: Document, _view: SiteView) -> list[Piece]:
    """M2: hyperlink text is dropped."""
    return [piece.drop("links") if piece.place.in_link else piece for piece in pieces]


def _sentences(pieces: list[Piece], _document: Document, _view: SiteView) -> list[Piece]:
    """M3: of each text node its sentences are kept, and what no mark ends is dropped."""
    cut: list[Piece] = []
    for piece in pieces:
        if piece.dropped:
            cut.append(piece)
            continue
        ended = ended_sentences(piece.text)
        cut += [Piece(sentence.text, piece.place, is_sentence=True) for sentence in ended]
        rest = piece.text[ended[-1].end if ended else 0 :].strip()
        if rest:
            cut.append(Piece(rest, piece.place, dropped="no-sentence"))
    return cut


def _depth_blocks(pieces: list[Piece]) -> list[list[int]]:
    """Return the depth blocks among what is kept: neighbours at one depth of the tree.

    The page's own title is what blocks are compared with, and none of them.
    """
    kept = (
        number
        for number, piece in enumerate(pieces)
        if not piece.dropped and piece.place.tag != "title"
    )
    blocks = groupby(kept, key=lambda number: pieces[number].place.depth)
    return [list(block) for _, block in blocks]


def _keep_only(pieces: list[Piece], chosen: Sequence[int], reason: str) -> list[Piece]:
    kept = set(chosen)
    return [piece if place in kept else piece.drop(reason) for place, piece in enumerate(pieces)]


def _similarities(
    pieces: list[Piece], blocks: list[list[int]], document: Document, view: SiteView
) -> list[float]:
    title = grams(document.title or "")

    def idf(keys: Sequence[int]) -> list[float]:
        if _GRAMS not in view.sums:
            # Without counts of the site all 3-grams weigh the same.
            return [1.0] * len(keys)
        pages = max(view.pages_seen, 1)
        # A page that was not counted may have 3-grams of count 0.
        return [math.log((pages + 1) / max(seen, 1)) for seen in view.sums[_GRAMS].look_up(keys)]

    texts = (grams(" ".join(pieces[number].text for number in block)) for block in blocks)
    return similarities(title, texts, idf)


def _most_similar(pieces: list[Piece], document: Document, view: SiteView) -> list[Piece]:
    """M4: of the depth blocks that hold a sentence the one most similar to the title.

    The first of several; none where no block holds a sentence (section 3.2.2: the candidates).
    """
    candidates = [
        block
        for block in _depth_blocks(pieces)
        if any(ended_sentences(pieces[number].text) for number in block)
    ]
    found = _similarities(pieces, candidates, document, view)
    chosen = candidates[found.index(max(found))] if candidates else []
    return _keep_only(pieces, chosen, "other-block")


def _most_sentences(pieces: list[Piece], _document: Document, _view: SiteView) -> list[Piece]:
    """MM's second step: the depth block with most sentences; the first of several."""
    blocks = _depth_blocks(pieces)
    counts = [sum(pieces[number].is_sentence for number in block) for block in blocks]
    chosen = blocks[counts.index(max(counts))] if blocks else []
    return _keep_only(pieces, chosen, "other-block")


def _like_the_title(pieces: list[Piece], document: Document, view: SiteView) -> list[Piece]:
    """M34's second step: the depth blocks that have anything in common with the title."""
    blocks = _depth_blocks(pieces)
    found = _similarities(pieces, blocks, document, view)
    chosen = [
        number for block, like in zip(blocks, found, strict=True) if like > 0 for number in block
    ]
    return _keep_only(pieces, chosen, "not-like-title")


class NewsMethod:
    """A method of Lee (2009), by the name that it has here and its steps, in order."""

    def __init__(self, name: str, *steps: _Step) -> None:
        self.name = name
        self._steps = steps
        self._by_title = bool({_most_similar, _like_the_title} & set(steps))

    def counts(self, document: Document) -> Mapping[str, Mapping[int, int]]:
        """Return the page's 3-grams, each once, where titles matter: they make the IDF."""
        if not self._by_title:
            return {}
        text = "\n".join(node.text for node in text_nodes(document.parsed))
        return {_GRAMS: dict.fromkeys(grams(text), 1)}

    def judge(self, document: Document, view: SiteView) -> list[tuple[Block, Label]]:
        """Return the page's text nodes, or their sentences, each with its label."""
        pieces = text_nodes(document.parsed)
        for step in self._steps:
            pieces = step(pieces, document, view)
        return _judged(pieces)


NEWS_METHODS = (
    NewsMethod("all-text"),
    NewsMethod("no-links", _without_links),
    NewsMethod("sentences", _sentences),
    NewsMethod("title-block", _most_similar),
    NewsMethod("mm", _sentences, _most_sentences),
    # The paper describes M34 as "MM, where the block's similarity to the title is at least 0". One
    # block cannot give its recall (87.48, where MM has 71.90), nor M324 the recall of M32 to the
    # digit: kept are all blocks of sentences that are like the title.
    NewsMethod("m34", _sentences, _like_the_title),
    # "M4, kept when it holds a sentence": a candidate of M4 always does. The paper's own figures
    # for M43, with a recall above M4's, cannot come of a choice among M4's text.
    NewsMethod("m43", _most_similar),
    NewsMethod("m32", _without_links, _sentences),
    NewsMethod("m42", _without_links, _most_similar),
    NewsMethod("m324", _without_links, _sentences, _like_the_title),
    NewsMethod("m423", _without_links, _most_similar, _sentences),
)
"""The methods: M1 to M4 have speaking names, the mixes those of the paper."""


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
        return _judged(
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
        return _judged(
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
