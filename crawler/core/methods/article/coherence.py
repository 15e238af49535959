"""What follows from a settled choice of blocks: headings and lists go with their sections.

A site may use the same headings in all of its articles ("Ingredients", "Conclusion"), and the same
items in some, so that both recur like boilerplate. What is kept around them tells them apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from crawler.core.methods import Label
from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.judge import LIKELY
from crawler.core.methods.article.layout import SIGNS
from crawler.core.methods.article.notices import is_code_bar, is_credit
from crawler.core.methods.article.teasers import PROSE, Links, is_lead_in
from crawler.core.page.elements import HEADINGS
from crawler.core.page.page import Document

_FIRST_HEADINGS = ("h1", "h2")
_HEADINGS = HEADINGS | {"dt"}
_QUESTIONS = ("?", "\uff1f", "\u061f", "\u037e")
_STRONG = frozenset(("b", "strong", "em"))
_LABEL = 40
_CAPTION, _CODE, _SAID, _TERM = "figcaption", "pre", "dd", "dt"
_ITEMS = frozenset(("li", "dt", "dd"))
# A box of a heading alone, or with so many characters ("[edit]"), is a part of its section. No page
# of the gold changes from 0 to 40, nor from 1 to 5 steps.
_BESIDE, _STEPS = 12, 3
_BOXES = sum(
    1 << SIGNS.index(sign)
    for sign in ("caption", "author", "date", "share", "letter", "promo", "related", "popular",
                "topics", "cookie", "nav", "foot", "side", "comment", "login", "modal", "shop",
                "button", "<aside>", "<nav>", "<footer>", "<form>", "<figure>")
)  # fmt: skip
# A lead has so many characters: a sentence of Korean or Chinese. It stands so few blocks above the
# first prose: 6 and 3 are equal on either half of the gold sites, 12 is worse on both.
_LEAD, _ABOVE = 40, 6
_LEADS = re.compile(
    r"standfirst|teaser|summary|chapo|vorspann|entradilla|excerpt|(?<![a-z])(?:lead|lede|intro|dek|deck"
    r"|sapo|ingress)(?![a-z])",
    re.IGNORECASE,
)
# What an element of the text may show, when it stands between paragraphs; so deep it may stand.
_OF_TEXT = sum(
    1 << SIGNS.index(sign)
    for sign in ("article", "story", "entry", "post", "blog", "body", "content", "text", "main",
                 "quote", "<section>", "<blockquote>", "<ul>", "<ol>", "<p>", "<table>")
)  # fmt: skip
_DEEP = 8
_NO_TEXT = frozenset((*_HEADINGS, "td", "th", "figcaption", "button", "label", "option", "summary"))
_NO_LEADS = sum(
    1 << SIGNS.index(sign)
    for sign in ("promo", "related", "letter", "share", "author", "caption", "image", "media",
                "<figure>", "<figcaption>")
)  # fmt: skip
# Of so many pages an item stands on this share, and all together on this, or are boilerplate: no
# page of the gold is judged otherwise by 0.34 to 1 and by 0.5 to 1.
_PAGES, _SOME, _MEAN = 3, 1 / 2, 2 / 3
# A line is text with links rather than links. No page of the gold changes from 0.3 to 0.8.
_LINKS = 0.5
# Two fixed questions may be boilerplate, unless they are set in bold type.
_LABELS, _INTERVIEW = 2, 3
_PARAGRAPHS = frozenset(("p", "div"))
# What the page alone finds less likely than this is none of the text. From 0.05 to 0.5 word F1
# changes by less than 0.0001 on either half of the gold sites.
_LEAST = 0.12


class Coherence:
    """Makes a choice of a page's blocks whole: of one block at least.

    Args:
        document: the page.
        found: its evidence.
        likely: how likely each block is main text by the page alone, 0 to 1.

    Attributes:
        links: the hyperlinks of the page.
    """

    def __init__(self, document: Document, found: Evidence, likely: NDArray[np.float64]) -> None:
        self._blocks = document.blocks
        self._layout, self._own, self._shut = found.layout, found.own, found.comments
        self._times, self._likely = found.times, likely
        self._open = ~found.comments & (likely > _LEAST)
        self.links = Links(document)

    def steps(
        self, rules: Sequence[Label], pages: int
    ) -> tuple[tuple[str, Callable[[NDArray[np.bool_]], None]], ...]:
        """Return what is to be done in order: a name, and a function that changes what is kept.

        Args:
            rules: what the rule of frequency says of each block.
            pages: distinct pages of the site.
        """
        return (
            ("lead", self.add_lead),
            ("lists", partial(self.add_lists, rules=rules, pages=pages)),
            ("headings", self.add_headings),
            ("between", partial(self.add_between, rules=rules)),
            ("lines", self.add_lines),
        )

    def add_lists(self, kept: NDArray[np.bool_], rules: Sequence[Label], pages: int) -> None:
        """Keep the items of lists in the text that recur because they are short.

        The items of boilerplate stand on all pages together; those of the text ("500 g flour") on
        some, each on others. Items of hyperlinks are left out.

        Args:
            kept: what is kept so far; changes.
            rules: what the rule of frequency says of each block.
            pages: distinct pages of the site.
        """
        places = np.flatnonzero(kept)
        if pages < _PAGES:
            return
        layout, blocks = self._layout, self._blocks
        dropped = {
            int(layout.parent[layout.at[number]])
            for number in range(int(places[0]) + 1, int(places[-1]))
            if not kept[number]
            and rules[number].reason == "frequent"
            and blocks[number].tag in _ITEMS
        }
        for element in sorted(dropped):
            inside = slice(int(layout.begin[element]), int(layout.end[element]))
            around = int(layout.outer[element])
            is_list = all(block.tag in _ITEMS for block in blocks[inside])
            beside = kept[layout.begin[around] : layout.end[around]].any()
            if not (is_list and beside) or self._shut[inside].any():
                continue
            shares = [rule.frequency / pages for rule in rules[inside]]
            chars = sum(block.chars for block in blocks[inside])
            if (
                self._likely[inside].mean() > LIKELY
                and min(shares) <= _SOME
                and sum(shares) <= _MEAN * len(shares)
                and self._own[inside].sum() >= _LINKS * chars
            ):
                kept[inside] = True

    def add_headings(self, kept: NDArray[np.bool_]) -> None:
        """Keep the sub-headings after which the text goes on."""
        places = np.flatnonzero(kept)
        # From the last to the first: of two headings in a row the lower one is settled first.
        for number in reversed(self._unkept(kept, int(places[0]) + 1, int(places[-1]))):
            block = self._blocks[number]
            if (
                block.tag in _HEADINGS
                and not is_lead_in(block.text)
                and self._has_section(number, kept)
                and (block.link_share < _LINKS or not self.links.lead_inside(block.text))
            ):
                kept[number] = True

    def add_lines(self, kept: NDArray[np.bool_]) -> None:
        """Keep code, questions and labels between kept lines, and answers that recur.

        Bars at the code, with its language or a button, are left out.
        Questions are kept from three on, those and labels in bold type from two on.
        """
        places = np.flatnonzero(kept)
        answers = Counter([block.key for block in self._blocks if block.tag == _SAID])
        said = {key for key, times in answers.items() if times > 1}
        for number in range(int(places[0]) + 1, min(int(places[-1]) + 4, len(kept))):
            block = self._blocks[number]
            if block.tag == _CODE and not self._shut[number]:
                before = number - 1
                while before and is_code_bar(self._blocks[before]):
                    kept[before] = False
                    before -= 1
                kept[number] |= kept[before] or self._goes_on(number, kept)
                if is_code_bar(self._blocks[min(number + 1, len(kept) - 1)]):
                    kept[number + 1] = False
            if (
                block.tag == _SAID
                and block.key in said
                and self._blocks[number - 1].tag == _TERM
                and kept[number - 1]
                and self._may_be_text(number, kept)
            ):
                kept[number] = True
        lines = [
            number
            for number in self._unkept(kept, int(places[0]) + 1, int(places[-1]))
            if self._is_question(number, kept) and self._may_be_text(number, kept)
        ]
        bold = any(not _STRONG.isdisjoint(self._blocks[number].inner.split()) for number in lines)
        if len({self._blocks[number].key for number in lines}) >= (_LABELS if bold else _INTERVIEW):
            kept[lines] = True

    def add_between(self, kept: NDArray[np.bool_], rules: Sequence[Label]) -> None:
        """Keep what stands between prose in the element that holds it, and is called nothing else.

        Lines of verse, formulas and short items look like boilerplate, which has links or a name,
        recurs, or is firmly rejected by the page. What follows a picture is its caption. A
        paragraph that is a link to another site, a file or an address is a source.
        """
        prose = np.flatnonzero(kept & (self._own >= PROSE))
        unkept = self._unkept(kept, int(prose[0]) + 1, int(prose[-1])) if len(prose) else ()
        for number in unkept:
            block = self._blocks[number]
            if (
                rules[number].frequency <= 1
                and self._times[number] <= 1
                and (block.tag == "p" or "img" not in block.inner.split())
                and self._is_within(number, prose)
                and not is_lead_in(block.text)
            ):
                is_alone = block.tag in _PARAGRAPHS and block.links == 1
                kept[number] = (
                    is_alone and self.links.is_source(block)
                    if block.link_share >= _LINKS
                    else block.tag not in _NO_TEXT
                    and any(map(str.isalpha, block.text))
                    and not (is_credit(block) or is_code_bar(block))
                )

    def _is_within(self, number: int, prose: NDArray[np.int64]) -> bool:
        """Tell whether the element around the prose before and after a block holds the block."""
        parent, at = self._layout.parent, self._layout.at
        place = int(np.searchsorted(prose, number))
        around, after = (int(parent[at[prose[it]]]) for it in (place - 1, place))
        element = int(at[number])
        for _ in range(_DEEP if around == after else 0):
            if element == around:
                return True
            if int(self._layout.signs[element]) & ~_OF_TEXT:
                return False
            element = int(parent[element])
        return False

    def add_lead(self, kept: NDArray[np.bool_]) -> None:
        """Keep what stands in a box of the lead paragraph, after a heading and above the text.

        What the text says again is a copy.
        """
        prose = np.flatnonzero(kept & (self._own >= PROSE))
        if not len(prose):
            return
        layout, above = self._layout, range(max(0, int(prose[0]) - _ABOVE), int(prose[0]))
        heads = [number for number in above if self._blocks[number].tag in _FIRST_HEADINGS]
        said = "\n".join(self._blocks[number].text for number in np.flatnonzero(kept).tolist())
        for number in range(heads[-1] + 1, int(prose[0])) if heads else ():
            element = int(layout.at[number])
            boxes = [element, int(layout.parent[element])]
            boxes.append(int(layout.parent[boxes[-1]]))
            if (
                not (kept[number] or self._shut[number])
                and (self._own[number] >= _LEAD or self._blocks[number].tag in _ITEMS)
                and self._blocks[number].link_share < _LINKS
                and self._blocks[number].text.rstrip(" .\u2026") not in said
                and any(_LEADS.search(layout.holders[box].names) for box in boxes)
                and not any(int(layout.signs[box]) & _NO_LEADS for box in boxes)
            ):
                kept[number] = True

    def _goes_on(self, number: int, kept: NDArray[np.bool_]) -> bool:
        """Tell whether what stands before the box of a code is kept beside it."""
        parent, element = self._layout.parent, int(self._layout.at[number])
        for _ in range(_STEPS):
            element = int(parent[element])
            before = int(self._layout.begin[element]) - 1
            is_beside = parent[self._layout.at[before]] == parent[element]
            if before >= 0 and kept[before] and is_beside:
                return True
        return False

    def _unkept(self, kept: NDArray[np.bool_], begin: int, end: int) -> list[int]:
        """Return the blocks of a range that are not kept, no comments, and likely enough."""
        found: list[int] = np.flatnonzero(self._open[begin:end] & ~kept[begin:end]).tolist()
        return [number + begin for number in found]

    def _may_be_text(self, number: int, kept: NDArray[np.bool_]) -> bool:
        """Tell whether a block that is not kept might be, were it not for what recurs."""
        return bool(
            self._open[number] and not kept[number] and not is_lead_in(self._blocks[number].text)
        )

    def _has_section(self, number: int, kept: NDArray[np.bool_]) -> bool:
        """Tell whether the block after a heading, or after the box of it alone, is kept."""
        layout = self._layout
        element = int(layout.at[number])
        for _ in range(_STEPS):
            around = int(layout.parent[element])
            begin, end = int(layout.begin[around]), int(layout.end[around])
            if kept[begin:end].any():
                break
            beside = self._own[begin:end].sum() - self._own[number]
            others = np.count_nonzero(layout.at[begin:end] != around) > 1
            is_box = int(layout.signs[around]) & _BOXES or others or around == element
            if is_box or beside > _BESIDE:
                return False
            element = around
        else:
            return False
        after = int(layout.end[element])
        while after < end and self._blocks[after].tag == _CAPTION:
            after += 1
        return after < end and bool(kept[after])

    def _is_question(self, number: int, kept: NDArray[np.bool_]) -> bool:
        """Tell whether a block is a question, or a label in bold type, between kept lines."""
        block = self._blocks[number]
        is_label = block.chars <= _LABEL and not _STRONG.isdisjoint(block.inner.split())
        return (
            (is_label or block.text.endswith(_QUESTIONS))
            and block.link_share < _LINKS
            and self._is_between(number, kept)
        )

    def _is_between(self, number: int, kept: NDArray[np.bool_]) -> bool:
        """Tell whether the lines before and after a block are kept, and in one element with it."""
        around = [int(self._layout.parent[it]) for it in self._layout.at[number - 1 : number + 2]]
        return len(set(around)) == 1 and bool(
            kept[number - 1] and kept[number + 1 : number + 2].any()
        )
