"""Lines within a text that lead to other pages of its site: "READ MORE: another headline"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from crawler.core.page.addresses import canonical_address
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.page import DEFAULT_PORTS, Document, site_of
from crawler.core.page.text import DENSE, any_phrase
from crawler.core.page.walk import Elements
from crawler.core.patterns import compiled_later
from crawler.core.words import Beginnings, fold, fold_all, read_data

_BY_LANGUAGE = read_data("crawler.core.methods.article", "teasers")
_PHRASES = [phrase for phrases in _BY_LANGUAGE.values() for phrase in phrases]
# Of advertisements and pictures: they lead in nothing.
_BESIDE = frozenset(_BY_LANGUAGE["beside"])
# Marks, then words that lead in, then marks: "[관련기사] ", "▶ Read more: ".
_LEAD_IN = compiled_later(rf"[\W_]*+(?:(?P<words>{any_phrase(_PHRASES)})[\W_]*+)?", re.IGNORECASE)
_BEGINNINGS = Beginnings(_PHRASES)
# Words that lead in may stand in sentences too; so the link has to be all of the rest but little.
_LINKED = 0.9
_AFTER_WORDS = compiled_later(r"[:\uff1a\]\u3011|>\u25b6]\s*$")
_LINES = frozenset(("p", "div", "blockquote", "section", "aside", "center", "figure"))
PROSE = 80
"""Characters outside of links from which on a block is prose."""
# No other blocks are looked at: those with so much in hyperlinks, or of so few characters.
_LEAST_LINKED, _SHORT = 0.3, 60
# A page with more of such lines is no text with links between.
_MOST_LINES = 100
_HEADLINE = 120
# "(3 May)" behind a link.
_NOTE = compiled_later(r"(?<!\s)\s*+[(\[\uff08][^()\[\]\uff08\uff09]{1,30}[)\]\uff09]\s*$")
_NOT_WORDS = compiled_later(r"[\W_]+")
# Files are no pages of the site, but sources.
_FILE = compiled_later(
    r"\.(?!s?html?$|php\d?$|aspx?$|jspx?$|cfm$|do$)[a-z0-9]{2,4}$", re.IGNORECASE
)
# Where readers send a page to others.
_SHARES = compiled_later(
    r"[/.](?:sharer?|intent|share-?offsite)\b|/pin/create|[?&]share=|://wa\.me", re.IGNORECASE
)


def is_lead_in(text: str) -> bool:
    """Tell whether a text is nothing but words that lead to other pages, as "Related articles:"."""
    if not _BEGINNINGS.may_be_of(text):
        return False
    found = _LEAD_IN.match(text)
    return found is not None and found["words"] is not None and found.end() == len(text)


def teasers(
    document: Document, kept: NDArray[np.bool_], own: NDArray[np.float64], links: Links
) -> NDArray[np.bool_]:
    """Return for each block whether it is a kept line that leads to another page of the site.

    It is words that lead in and a link; or a paragraph that is one link, between kept prose; or
    links after words that lead in and stand alone, with these. The links go to other pages of the
    site: those to other sites, and to files, are sources. Where paragraphs that are links are many
    for the prose, they are what the page is about.

    Args:
        document: the page.
        kept: whether each of its blocks is kept.
        own: the characters of each outside of hyperlinks.
        links: the hyperlinks of the page.
    """
    blocks = document.blocks
    found = np.zeros(len(blocks), np.bool_)
    prose = np.flatnonzero(kept & (own >= PROSE))
    lines = list(_lines(blocks, kept, prose)) if len(prose) else []
    if not 0 < len(lines) <= _MOST_LINES:
        return found
    lines = [line for line in lines if all(links.lead_inside(blocks[it].text) for it in line.links)]
    alone = {line.links[0] for line in lines if not line.led}
    if 2 * len(alone) > len(prose):
        lines = [line for line in lines if line.led]
    # Three in a row are a list of the text.
    lists = {it + by for it in alone if {it + 1, it + 2} <= alone for by in (0, 1, 2)}
    lines = [line for line in lines if line.led or line.links[0] not in lists]
    for line in lines:
        found[[*line.words, *line.links]] = True
    return found & kept


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that may lead to other pages.

    Attributes:
        words: the block of words that lead in and stand alone, where there is one.
        links: the blocks of links.
        led: whether any words lead in.
    """

    words: tuple[int, ...]
    links: tuple[int, ...]
    led: bool


def _lines(
    blocks: Sequence[Block], kept: NDArray[np.bool_], prose: NDArray[np.int64]
) -> Iterator[_Line]:
    """Go through the lines after the first prose that are links but for words that lead in."""
    first, last, of_prose = int(prose[0]), int(prose[-1]), set(prose.tolist())
    words: tuple[int, ...] = ()
    for number, is_kept in enumerate(kept.tolist()[first + 1 :], first + 1):
        if not (is_kept or words):
            continue
        block = blocks[number]
        # Most blocks are long texts with few hyperlinks.
        is_looked_at = block.chars <= _SHORT or block.link_chars >= _LEAST_LINKED * block.chars
        begins = _LEAD_IN.match(block.text) if is_looked_at and _may_lead(block) else None
        if begins is None:
            words = ()
            continue
        rest = block.text[begins.end() :]
        if rest.rstrip().endswith((")", "]", "\uff09")):
            rest = _NOTE.sub("", rest)
        if not rest and not block.links and begins["words"]:
            words = (number,)
            if number + 1 in of_prose and block.tag in _LINES:
                yield _Line(words, (), led=True)
        elif not block.links and _leads_unlinked(block, begins, rest):
            yield _Line((number,), (), led=True)
        elif block.links and block.link_chars >= _LINKED * len("".join(rest.split())):
            led = bool(words or begins["words"])
            if led or (number < last and _is_headline(blocks, number, rest, prose)):
                yield _Line(words, (number,), led)
        else:
            words = ()


def _may_lead(block: Block) -> bool:
    """Tell whether a block may lead in: without a link it has to begin with words that do."""
    return block.links > 0 or _BEGINNINGS.may_be_of(block.text)


def _leads_unlinked(block: Block, begins: re.Match[str], rest: str) -> bool:
    """Tell whether a line without a link is several words that lead in, a mark, and a headline."""
    words, lead = begins["words"], begins[0]
    return bool(
        words
        and words.casefold() not in _BESIDE
        and (" " in words or DENSE.match(words[-1]))
        and _AFTER_WORDS.search(lead) is not None
        and block.tag in _LINES
        and block.chars <= _HEADLINE
        and rest
        and not rest.endswith((".", "\u3002", ",", ";", ":"))
    )


def _is_headline(blocks: Sequence[Block], number: int, text: str, prose: NDArray[np.int64]) -> bool:
    """Tell whether a block is one link between prose, its text a headline.

    That is no address and no lead paragraph.

    Args:
        blocks: the page's blocks.
        number: that of the block.
        text: its text without what leads in.
        prose: the numbers of the blocks of prose.
    """
    block = blocks[number]
    return (
        block.links == 1
        and block.tag in _LINES
        and block.link_chars >= len(_NOT_WORDS.sub("", text))
        and block.chars <= _HEADLINE
        and "://" not in text
        and is_between(blocks, number, prose)
    )


def is_between(blocks: Sequence[Block], number: int, prose: NDArray[np.int64]) -> bool:
    """Tell whether the element around a block holds the prose before it and after it.

    Args:
        blocks: the page's blocks.
        number: that of the block: after the first prose and before the last.
        prose: the numbers of the blocks of prose.
    """
    block = blocks[number]
    place = int(np.searchsorted(prose, number))
    before, after = (_around(blocks[int(prose[it])], 1) for it in (place - 1, place))
    return before is after and before in (_around(block, 1), _around(block, 2))


def _around(block: Block, steps: int) -> Holder | None:
    holder = block.holder
    for _ in range(steps):
        holder = holder.parent if holder is not None else None
    return holder


def _text_within(page: Elements, number: int) -> str:
    """Return the text of an element, by its number."""
    end = number + 1 + page.children[number]
    if any(page.children[number + 1 : end]):
        return "".join(map(str, page.nodes[number].itertext()))
    pieces = [page.texts[number]]
    for child in range(number + 1, end):
        pieces += page.texts[child], page.tails[child]
    return "".join(filter(None, pieces))


class Links:
    """The hyperlinks of a page by their texts; of one text the last. They are read on demand."""

    def __init__(self, document: Document) -> None:
        self._parsed = document.parsed
        self._site = site_of(document.page.url)
        self._here = canonical_address(document.page.url)

    @cached_property
    def _targets(self) -> dict[str, str]:
        page = self._parsed.elements
        links = [pair for pair in page.values["href"].items() if page.tags[pair[0]] == "a"]
        texts = fold_all([_text_within(page, number) for number, _ in links])
        targets = {text: target for text, (_, target) in zip(texts, links, strict=True)}
        targets.pop("", None)
        return targets

    @cached_property
    def _longest_first(self) -> list[str]:
        return sorted(self._targets, key=len, reverse=True)

    def lead_inside(self, text: str) -> bool:
        """Tell whether the hyperlinks in a line all lead to other pages of the site."""
        rest, any_inside = fold(text), False
        for link in self._longest_first:
            if link in rest:
                if not self._is_inside(self._targets[link]):
                    return False
                rest, any_inside = rest.replace(link, " ", 1).strip(), True
                if not rest or is_lead_in(rest):
                    break
        return any_inside

    def is_source(self, block: Block) -> bool:
        """Tell whether a block is one hyperlink to another site, to a file, or to an address."""
        return block.links == 1 and self.leads_out(block.text)

    def leads_away(self, text: str) -> bool:
        """Tell whether a line is one hyperlink to another page, of this site or another."""
        target = self._targets.get(fold(text))
        return target is not None and self._is_inside(target) is not None

    def leads_out(self, text: str) -> bool:
        """Tell whether a line is one hyperlink to another site, to a file or to an address."""
        target = self._targets.get(fold(text))
        return target is not None and self._is_inside(target) is False

    def _is_inside(self, target: str) -> bool | None:
        """Tell whether a link leads to another page of the site; None where to none at all."""
        try:
            parts = urlsplit(urljoin(self._parsed.base_url, target.strip()))
        except ValueError:
            return None
        if parts.scheme not in DEFAULT_PORTS:
            return False if parts.scheme == "mailto" and "@" in parts.path else None
        if _FILE.search(parts.path):
            return False
        url = parts.geturl()
        site, own = f".{site_of(url)}", f".{self._site}"
        if not (site.endswith(own) or own.endswith(site)):
            return None if _SHARES.search(url) else False
        return True if canonical_address(url) != self._here else None
