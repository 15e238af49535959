"""``frequency-adaptive``: the run of blocks that are rare on their site."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from crawler.core.counting.site_counts import SiteView
from crawler.core.methods import Cutoff, Label
from crawler.core.page.blocks import Block
from crawler.core.page.elements import HEADINGS
from crawler.core.page.page import Document
from crawler.core.page.text import DENSE

_LINKS, _FREQUENT, _TEXT, _OUTSIDE = "links", "frequent", "text", "outside"
# A letter of a dense script weighs as much as 2.5 Latin letters.
_DENSE_WORTH = 2.5
# A shorter text may be in the title by chance.
_SHORTEST_TITLE = 10
# Only so much of a title is compared with each block.
_TITLE_CHARS = 1_000
# A sentence of so many characters on two of at least six pages is no boilerplate.
_TWICE = 2
_FEW = 1 / 3
_SENTENCE = 60
# A cell is short by nature: it pays a part of the toll of a row.
_PART_OF = {"td": 0.1, "th": 0.1}


@dataclass(frozen=True, slots=True)
class AdaptiveFrequency:
    """Keep the run of blocks in which the blocks that are rare on the site stand together.

    A block *recurs* when it stands on more than ``max(1, share x pages)`` distinct pages of its
    site as more than a hyperlink: near-duplicate pages count as one, text is normalised, digits
    that only count or date are masked, and a headline is not held to recur because other pages
    link to it. A block is *links* when at least ``link_share`` of its characters are hyperlink
    text. Every other block is rare, and worth its characters, ``most`` at most, less a toll for
    being short: ``toll / log2(pages + 2)``, since on a site of few pages much stands only once
    that is no article, and on one of many hardly anything does. A recurring block counts against,
    by the share of the site's pages it stands on, and so do links. Main text are the rare blocks
    in the run of blocks that is worth most together, and the page's headline above it; so a
    boilerplate of one section, a repeated line within an article, and a stray line below the footer
    each fall on the right side.

    Args:
        share: of a site's distinct pages, on how many a block may stand and still be an article's
            own: at 0.01 one page on small sites and three of 300.
        link_share: from what share of hyperlink text on a block is links.
        most: the worth of a long block, in characters.
        toll: what a block must bring in on a site of no pages.
        against: what a block that stands on every page counts against the run.
        links_against: what a block of links counts that stands on no other page.
    """

    name: ClassVar[str] = "frequency-adaptive"
    share: float = 0.01
    link_share: float = 0.9
    most: float = 120.0
    toll: float = 80.0
    against: float = 80.0
    links_against: float = 20.0

    def label(self, document: Document, view: SiteView) -> list[Label]:
        """Label each block ``text``, or ``frequent``, ``links`` or ``outside``."""
        blocks = document.blocks
        keys = [block.key for block in blocks]
        found = zip(
            blocks, view.page_frequencies(keys), view.page_text_frequencies(keys), strict=True
        )
        limit = self._limit(view)
        labels = [
            Label(kept=False, reason=_LINKS, frequency=anyhow)
            if block.link_share >= self.link_share
            else Label(
                kept=as_text <= limit,
                reason=_TEXT if as_text <= limit else _FREQUENT,
                frequency=as_text,
            )
            for block, anyhow, as_text in found
        ]
        start, end = _best_run(self._worth(document, labels, view.pages))
        while start > 0 and labels[start - 1].kept and blocks[start - 1].tag in HEADINGS:
            start -= 1
        headline = _headline(blocks[:start], labels, _title(document))
        for number in range(start + 1, end - 1):
            within = labels[number - 1].kept and labels[number + 1].kept
            if within and _is_said_twice(blocks[number], labels[number], view.pages):
                labels[number] = replace(labels[number], kept=True, reason=_TEXT)
        return [
            Label(kept=False, reason=_OUTSIDE, frequency=label.frequency)
            if label.kept and number != headline and not start <= number < end
            else label
            for number, label in enumerate(labels)
        ]

    def cutoff(self, view: SiteView) -> Cutoff:
        """Return the share of the site's pages as a number of pages, and the ranks there are."""
        return Cutoff(self._limit(view) if view.is_known else None, len(view.text_levels()[0]))

    def _limit(self, view: SiteView) -> int:
        return max(1, int(self.share * view.pages))

    def _worth(self, document: Document, labels: Sequence[Label], pages: int) -> list[float]:
        toll = self.toll / math.log2(pages + 2)
        title = _title(document)
        worth = []
        for block, label in zip(document.blocks, labels, strict=True):
            share = min(1.0, label.frequency / pages) if pages else 0.0
            if label.reason == _TEXT:
                # The headline is short by nature: it pays no toll.
                paid = 0.0 if _is_of_title(block, title) else toll * _PART_OF.get(block.tag, 1.0)
                worth.append(min(_size(block), self.most) - paid)
            elif label.reason == _LINKS:
                spread = self.against - self.links_against
                worth.append(-self.links_against - spread * (share if label.frequency > 1 else 0.0))
            else:
                twice = _is_said_twice(block, label, pages)
                worth.append(0.0 if twice else -self.against * share)
        return worth


def _title(document: Document) -> str:
    return (document.title or "")[:_TITLE_CHARS]


def _is_of_title(block: Block, title: str) -> bool:
    return _size(block) > _SHORTEST_TITLE and block.text in title


def _headline(above: Sequence[Block], labels: Sequence[Label], title: str) -> int | None:
    """Return the number of the page's headline among the blocks above the run, None if none is.

    Between a headline and its text stand bylines, dates and share bars, which recur.
    """
    for number in range(len(above) - 1, -1, -1):
        block = above[number]
        in_title = _is_of_title(block, title) or (block.tag == "h1" and block.text in title)
        if labels[number].kept and in_title:
            return number
    return None


def _is_said_twice(block: Block, label: Label, pages: int) -> bool:
    """Tell whether a recurring block is a sentence that stands on two pages."""
    few = label.frequency <= min(_TWICE, _FEW * pages)
    return label.reason == _FREQUENT and few and _size(block) >= _SENTENCE


def _size(block: Block) -> float:
    """Return the characters of a block outside hyperlinks, in Latin letters."""
    dense = 0 if block.text.isascii() else len(DENSE.findall(block.text))
    own = 1 - block.link_share
    return own * (block.chars + (_DENSE_WORTH - 1) * dense)


def _best_run(worth: Sequence[float]) -> tuple[int, int]:
    """Return where the run of greatest sum begins and ends; all where no value is above 0.

    The first of equal ones, in one pass: Kadane's algorithm, as Pasternack and Roth (2009),
    "Extracting Article Text from the Web with Maximum Subsequence Segmentation", use it on words.
    """
    best, begin, end = 0.0, 0, 0
    current, start = 0.0, 0
    for number, value in enumerate(worth):
        if current <= 0:
            current, start = 0.0, number
        current += value
        if current > best:
            best, begin, end = current, start, number + 1
    return (begin, end) if best > 0 else (0, len(worth))
