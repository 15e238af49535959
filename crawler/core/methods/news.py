"""The methods of Lee (2009) on news pages: links, sentences, depth blocks, titles, and their mixes.

Each method is a few steps over a page's text nodes, applied in the order that its name gives: M32
is "the links removed (2), then sentences (3)", as the paper numbers them. The paper defines depth
blocks in two ways; :data:`NEWS_METHODS` has the methods of both.

Similarity to the title is that of section 4.1: a text is a vector of its character 3-grams,
weighted by log TF times IDF; two texts are as similar as the cosine of their vectors. IDF is over
the pages of the site.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from crawler.core.counting.site_counts import SiteView
from crawler.core.methods import Label
from crawler.core.methods.published import Piece, judged, text_nodes
from crawler.core.page.blocks import Block
from crawler.core.page.page import Document
from crawler.core.sentences import ended_sentences

# The name of what the methods count over a site.
_GRAMS = "grams"
_CODE_BITS = 21

_Cut: TypeAlias = "Callable[[list[Piece]], list[list[int]]]"
_Step: TypeAlias = "Callable[[list[Piece], _Context], list[Piece]]"
_Idf: TypeAlias = "Callable[[Sequence[int]], Sequence[float]]"


class _Context(NamedTuple):
    """What a step has beside the pieces: the page, its site, and how depth blocks are cut."""

    document: Document
    view: SiteView
    cut: _Cut


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


def _without_links(pieces: list[Piece], _seen: _Context) -> list[Piece]:
    """M2: hyperlink text is dropped."""
    return [piece.drop("links") if piece.place.in_link else piece for piece in pieces]


def _sentences(pieces: list[Piece], _seen: _Context) -> list[Piece]:
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


def _kept(pieces: list[Piece]) -> Iterator[int]:
    """Yield the numbers of the pieces that depth blocks are made of.

    The page's own title is what blocks are compared with, and in none of them.
    """
    for number, piece in enumerate(pieces):
        if not piece.dropped and piece.place.tag != "title":
            yield number


def _by_depth(pieces: list[Piece]) -> list[list[int]]:
    """Cut what is kept by its depth in the tree: one block for each depth of the page.

    This is section 3.2.2 by its words: the sentences that occur at the same depth are added up, and
    the depths whose sum is 1 or more are the candidates. Section 4.1 takes the text by depth too.
    """
    blocks: dict[int, list[int]] = {}
    for number in _kept(pieces):
        blocks.setdefault(pieces[number].place.depth, []).append(number)
    return list(blocks.values())


def _by_neighbours(pieces: list[Piece]) -> list[list[int]]:
    """Cut what is kept where the depth changes: one block for each run of neighbours.

    This is section 3.2.1: neighbouring nodes of the same depth are a block, and figure 1 has
    several blocks of one depth.
    """
    blocks = groupby(_kept(pieces), key=lambda number: pieces[number].place.depth)
    return [list(block) for _, block in blocks]


def _keep_only(pieces: list[Piece], chosen: Sequence[int], reason: str) -> list[Piece]:
    kept = set(chosen)
    return [piece if place in kept else piece.drop(reason) for place, piece in enumerate(pieces)]


def _similarities(pieces: list[Piece], blocks: list[list[int]], seen: _Context) -> list[float]:
    title, view = grams(seen.document.title or ""), seen.view

    def idf(keys: Sequence[int]) -> list[float]:
        if _GRAMS not in view.sums:
            # Without counts of the site all 3-grams weigh the same.
            return [1.0] * len(keys)
        pages = max(view.pages_seen, 1)
        # A page that was not counted may have 3-grams of count 0.
        return [math.log((pages + 1) / max(count, 1)) for count in view.sums[_GRAMS].look_up(keys)]

    texts = (grams(" ".join(pieces[number].text for number in block)) for block in blocks)
    return similarities(title, texts, idf)


def _most_similar(pieces: list[Piece], seen: _Context) -> list[Piece]:
    """M4: of the depth blocks that hold a sentence the one most similar to the title.

    The first of several; none where no block holds a sentence (section 3.2.2: the candidates).
    """
    candidates = [
        block
        for block in seen.cut(pieces)
        if any(ended_sentences(pieces[number].text) for number in block)
    ]
    found = _similarities(pieces, candidates, seen)
    chosen = candidates[found.index(max(found))] if candidates else []
    return _keep_only(pieces, chosen, "other-block")


def _most_sentences(pieces: list[Piece], seen: _Context) -> list[Piece]:
    """MM's second step: the depth block with most sentences; the first of several."""
    blocks = seen.cut(pieces)
    counts = [sum(pieces[number].is_sentence for number in block) for block in blocks]
    chosen = blocks[counts.index(max(counts))] if blocks else []
    return _keep_only(pieces, chosen, "other-block")


def _like_the_title(pieces: list[Piece], seen: _Context) -> list[Piece]:
    """M34's second step: the depth blocks that have anything in common with the title."""
    blocks = seen.cut(pieces)
    found = _similarities(pieces, blocks, seen)
    chosen = [
        number for block, like in zip(blocks, found, strict=True) if like > 0 for number in block
    ]
    return _keep_only(pieces, chosen, "not-like-title")


class NewsMethod:
    """A method of Lee (2009).

    Args:
        name: the name that it has here.
        steps: its steps, in order.
        cut: what a depth block is.
    """

    def __init__(self, name: str, steps: Sequence[_Step], cut: _Cut = _by_depth) -> None:
        self.name = name
        self._steps = steps
        self._cut = cut
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
            pieces = step(pieces, _Context(document, view, self._cut))
        return judged(pieces)


_BLOCK_STEPS = {_most_similar, _most_sentences, _like_the_title}
_STEPS: Mapping[str, tuple[_Step, ...]] = {
    "all-text": (),
    "no-links": (_without_links,),
    "sentences": (_sentences,),
    "title-block": (_most_similar,),
    "mm": (_sentences, _most_sentences),
    "m34": (_sentences, _like_the_title),
    # "M4, kept when it holds a sentence": a candidate of M4 always does. The paper's own figures
    # for M43, with a recall above M4's, cannot come of a choice among M4's text.
    "m43": (_most_similar,),
    "m32": (_without_links, _sentences),
    "m42": (_without_links, _most_similar),
    "m324": (_without_links, _sentences, _like_the_title),
    "m423": (_without_links, _most_similar, _sentences),
}
NEWS_METHODS = (
    *(NewsMethod(name, steps) for name, steps in _STEPS.items()),
    *(
        NewsMethod(f"{name}-neighbours", steps, _by_neighbours)
        for name, steps in _STEPS.items()
        if name != "m43" and not _BLOCK_STEPS.isdisjoint(steps)
    ),
)
"""The methods: M1 to M4 have speaking names, the mixes those of the paper.

Those that end in ``-neighbours`` take runs of neighbours for depth blocks, the others all text of
one depth.
"""
