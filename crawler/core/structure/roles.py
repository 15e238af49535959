"""What the blocks of an article are: title, summary, heading, paragraph, caption and the rest.

The text method says which blocks are main text; metadata say the title, the authors and the
description; markup and the look of the letters say the rest. Roles are those of
:data:`crawler.core.structure.model.ROLES`; a block without one is no part of the article, or has
text that only a table orders.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.core.metadata.names import begins_as_byline
from crawler.core.metadata.read import read_metadata
from crawler.core.methods.article.layout import CUES, cues_in
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.elements import HEADINGS
from crawler.core.page.page import Document
from crawler.core.page.text import drop_unseen
from crawler.core.structure.lines import Line
from crawler.core.words import fold_name

_CODE: Final = frozenset(("pre", "listing", "xmp", "plaintext"))
_CELLS: Final = frozenset(("td", "th", "caption"))
_ITEMS: Final = frozenset(("li", "dd", "dt"))
_ASIDE_TAGS: Final = frozenset(("aside", "nav", "footer", "form"))
_TEXTS: Final = frozenset(("paragraph", "item", "quote", "code"))
# A heading without a level in the markup is below those that have one.
_NO_LEVEL: Final = 10
_TITLE_CHARS: Final = 500
_LARGER: Final = 1.2
_TEASER_LINKED: Final = 0.95
_HEADING_LINKED: Final = 0.75
_LINKED: Final = 0.5
_STYLED_WORDS: Final = 14
_BYLINE_WORDS: Final = 10
_CREDIT_WORDS: Final = 6
_CREDIT_CHARS: Final = 80
_SENTENCE_WORDS: Final = 9
_LEAST_SUMMARY_WORDS, _MOST_SUMMARY_WORDS = 5, 120
# A summary has this share of the description's words. Descriptions are cut where they grow long,
# so it may have more words than they.
_DESCRIPTION_SHARE: Final = 0.75
_SUMMARY_SHARE: Final = 0.4
_JOINED_CHARS: Final = 2.0
_NEAR: Final = 2
_BELOW_TITLE: Final = 6
_ENDS: Final = (".", "!", ",", ";", ":", "…", "。", "、", "।", "。”", ".”", ".“", '."', ".»")
# Names of elements for standfirsts beside the words of the cue "lead"; and for what is beside them.
_LEAD_WORDS: Final = re.compile(
    r"strap|einleit|vorspann|anreisser|ingress|sous-?titre|chapeau|entradilla|bajada|sub-?title"
    r"|sub-?head|secondary-?title|sommario|catenaccio|리드|부제",
    re.IGNORECASE,
)
_NO_LEAD_WORDS: Final = re.compile(r"kicker|overline|eyebrow|dachzeile|spitzmarke", re.IGNORECASE)
_CREDIT: Final = re.compile(
    r"(?:©|\(c\)|foto(?:s|graf)?\b|photo(?:s|graph)?\b|bild(?:er|rechte)?\b|image\b|picture\b"
    r"|quelle\b|source\b|credit\b|crédit\b|fuente\b|사진|写真|図)\s*[:：=/©(|]|©",  # noqa: RUF001 - as written
    re.IGNORECASE,
)
_JOINED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def _mask(*names: str) -> int:
    return sum(1 << CUES.index(name) for name in names)


_CAPTIONS, _LEADS, _TITLES = _mask("caption"), _mask("lead"), _mask("title")
_AUTHORS, _DATES = _mask("author"), _mask("date")
_ASIDE: Final = _mask("related", "popular", "promo", "letter", "share", "cookie", "side", "nav",
                      "comment", "foot", "login", "card", "modal")  # fmt: skip


def article_roles(
    document: Document, main: frozenset[int], lines: Sequence[Line]
) -> dict[int, str]:
    """Return the roles of a page's blocks, by their numbers.

    Args:
        document: the page.
        main: the numbers of the blocks that are main text.
        lines: the lines of the page: the first of each block tells how it looks.
    """
    return _Article(document, main, lines).roles()


class _Article:
    """The page while the roles of its blocks are found."""

    def __init__(self, document: Document, main: frozenset[int], lines: Sequence[Line]) -> None:
        metadata = read_metadata(document.parsed, document.page.url, document.page.fetched_at)
        self._blocks = document.blocks
        self._looks = {line.block.index: line for line in reversed(lines)}
        # Text that stands in a script or a template has no line.
        self._main = main & self._looks.keys()
        self._headline = fold_name(metadata.title or "")
        self._authors = [name for author in metadata.authors if (name := fold_name(author))]
        self._description = _folded(metadata.description or "")
        self._title = self._find_title()
        self._roles = {number: self._role(self._blocks[number]) for number in sorted(self._main)}
        if self._title is not None:
            self._roles[self._title] = "title"

    def roles(self) -> dict[int, str]:
        self._find_beside()
        self._find_headings()
        self._leave_out_headings()
        self._find_summary()
        return {number: role for number, role in self._roles.items() if role}

    def _numbers(self, *roles: str) -> list[int]:
        return [number for number in sorted(self._roles) if self._roles[number] in roles]

    def _find_title(self) -> int | None:
        """Return the block that equals the title of the metadata; else the first ``h1``.

        Of several that equal it, a menu may have the first: a heading is taken before main text,
        and that before others.
        """
        equal: list[Block] = []
        first_heading = None
        for block in self._blocks[: max(self._main, default=-1) + 1]:
            if block.index not in self._looks:
                continue
            folded = fold_name(block.text) if len(block.text) < _TITLE_CHARS else ""
            if self._headline and folded == self._headline:
                equal.append(block)
            linked = block.link_share >= _LINKED
            if block.tag == "h1" and folded and first_heading is None and not linked:
                first_heading = block.index
        if not equal:
            return first_heading
        best = max(equal, key=lambda block: (block.tag in HEADINGS, block.index in self._main))
        return best.index

    def _role(self, block: Block) -> str:
        accompanying = self._accompanying(block)
        if block.tag in HEADINGS:
            return "author" if accompanying == "author" else "heading"
        if accompanying or block.tag in _CELLS:
            return accompanying
        if block.tag in _CODE:
            return "code"
        if block.tag in _ITEMS:
            return "item"
        return "quote" if "blockquote" in (block.tag, *_tags_around(block)) else "paragraph"

    def _accompanying(self, block: Block) -> str:
        """Return the role of what accompanies a text, a caption or a byline; empty for the text."""
        names = _names_cues(block)
        cues = names | cues_in(block.inner)
        credit = len(block.text) < _CREDIT_CHARS and _CREDIT.match(block.text)
        if credit or cues & _CAPTIONS or "figcaption" in _tags_around(block):
            return "caption"
        words = _words(block.text)
        if words <= _BYLINE_WORDS and not block.text.endswith(_ENDS):
            folded = fold_name(block.text)
            if cues & _AUTHORS or any(author in folded for author in self._authors):
                return "author"
            if words <= _CREDIT_WORDS and begins_as_byline(block.text):
                return "author"
            if names & _DATES or block.inner == "time":
                return "date"
        return ""

    def _find_beside(self) -> None:
        """Find blocks of the article that are no main text: captions, bylines, code."""
        texts = self._numbers("paragraph", "item", "quote")
        if not texts:
            return
        first, last = texts[0], texts[-1]
        second = texts[1] if len(texts) > 1 else first
        start = self._title if self._title is not None and self._title < first else first
        around = {_outside(self._blocks[number]) for number in texts}
        for block in self._blocks[start:]:
            if block.index in self._roles or block.index not in self._looks or _is_aside(block):
                continue
            role = self._accompanying(block) if block.index <= last else ""
            # Where no byline stands above the text, it may stand below a standfirst.
            is_byline = role in ("author", "date") and (
                block.index < first or (block.index < second and not self._numbers(role))
            )
            if role == "caption" or is_byline:
                self._roles[block.index] = role
            elif block.tag in _CODE and _outside(block) in around:
                self._roles[block.index] = "code"

    def _find_headings(self) -> None:
        """Find headings without a tag."""
        for number in self._numbers("paragraph"):
            block, look = self._blocks[number], self._looks[number]
            if block.text.endswith(_ENDS) or block.link_share >= _HEADING_LINKED:
                continue
            called = _names_cues(block) & _TITLES
            shown = called or look.style.bold or look.style.size > _LARGER or look.level > 0
            if shown and _words(block.text) <= _STYLED_WORDS:
                self._roles[number] = "heading"

    def _leave_out_headings(self) -> None:
        """Leave out headings with no text below them, teasers, and repetitions of the title."""
        # The level of the nearest heading below, without a text between; -1 behind the last text.
        level = -1
        for number in reversed(self._numbers("heading", *_TEXTS)):
            if self._roles[number] != "heading":
                level = 0
                continue
            block, own = self._blocks[number], self._looks[number].level or _NO_LEVEL
            # A teaser's heading leads to another page, or is on its picture.
            is_teaser = block.link_share > _LINKED or "img" in block.inner.split()
            left_out = level < 0 or is_teaser or 0 < level <= own
            if left_out or fold_name(block.text) == self._headline or block.tag == "h1":
                self._roles[number] = ""
            level = level if left_out else own
        for number in self._numbers("paragraph"):
            if self._blocks[number].link_share > _TEASER_LINKED:
                self._roles[number] = ""

    def _find_summary(self) -> None:
        """Find the summary: it is before the text, and called so, or equals the description."""
        paragraphs = self._numbers("paragraph")
        if not paragraphs:
            return
        first = paragraphs[0]
        start = self._title if self._title is not None and self._title < first else 0
        differs = self._stands_out(paragraphs)
        for block in self._blocks[max(start - _NEAR, 0) : first + differs]:
            if self._may_be_summary(block) and (
                _is_called_lead(block) or self._is_described(block.text)
            ):
                self._roles[block.index] = "summary"
                return
        if self._looks[first].style.bold and differs:
            self._roles[first] = "summary"
            return
        for number in self._numbers("heading"):
            # A long heading right above the text, before any other, sums it up.
            if number < first and _words(self._blocks[number].text) > _SENTENCE_WORDS:
                self._roles[number] = "summary"
                return

    def _stands_out(self, paragraphs: Sequence[int]) -> bool:
        """Tell whether the first paragraph looks different from the second."""
        shown = [
            (holder.path, holder.names, self._looks[number].style)
            for number in paragraphs[:2]
            if (holder := self._blocks[number].holder) is not None
        ]
        return len(shown) > 1 and shown[0] != shown[1]

    def _may_be_summary(self, block: Block) -> bool:
        words = _words(block.text)
        if not _LEAST_SUMMARY_WORDS <= words <= _MOST_SUMMARY_WORDS or block.link_share > _LINKED:
            return False
        if self._roles.get(block.index, "") in ("title", "caption", "author", "date", "item"):
            return False
        # What is right below the title belongs to it, even in an element that is called an aside.
        below = self._title is not None and 0 < block.index - self._title <= _BELOW_TITLE
        if block.index not in self._main and not below and _is_aside(block):
            return False
        return block.tag not in _CELLS and block.tag not in _ITEMS and block.tag != "h1"

    def _is_described(self, text: str) -> bool:
        words, shared = _folded(text), _folded(text) & self._description
        return (
            len(self._description) >= _LEAST_SUMMARY_WORDS
            and len(shared) / len(self._description) >= _DESCRIPTION_SHARE
            and len(shared) / len(words) >= _SUMMARY_SHARE
        )


def _near(block: Block, most: int = _NEAR + 1) -> list[Holder]:
    """Return the element of a block and those around it, the nearest ones."""
    found: list[Holder] = []
    holder = block.holder
    while holder is not None and len(found) < most:
        found.append(holder)
        holder = holder.parent
    return found


def _tags_around(block: Block) -> list[str]:
    return [holder.tag for holder in _near(block)]


def _names_cues(block: Block) -> int:
    return cues_in(block.holder.names) if block.holder is not None else 0


def _outside(block: Block) -> Holder | None:
    """Return the element around the one that holds a block."""
    return block.holder.parent if block.holder is not None else None


def _is_aside(block: Block) -> bool:
    return any(cues_in(each.names) & _ASIDE or each.tag in _ASIDE_TAGS for each in _near(block))


def _is_called_lead(block: Block) -> bool:
    names = " ".join((block.inner, *(holder.names for holder in _near(block, _NEAR))))
    cues = cues_in(names)
    called = cues & _LEADS or _LEAD_WORDS.search(names)
    return bool(called) and not cues & _ASIDE and _NO_LEAD_WORDS.search(names) is None


def _words(text: str) -> float:
    """Count words; two characters of a script without spaces are one."""
    return len(text.split()) + len(_JOINED.findall(text)) / _JOINED_CHARS


def _folded(text: str) -> set[str]:
    return set(re.findall(r"\w+", drop_unseen(text).casefold()))
