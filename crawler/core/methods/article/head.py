"""The head of an article as items give it: the headline once, at the top; no byline, no date.

Whether a headline belongs to the text is a convention, and so what is learned from gold texts is of
two minds about it. An item settles it in one way for all pages, whatever is known of their sites.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from string import ascii_letters, digits

from crawler.core.metadata.dates import find_dates
from crawler.core.metadata.names import begins_as_byline, byline_words, line_names
from crawler.core.methods import Label
from crawler.core.page.blocks import Block
from crawler.core.page.text import DENSE
from crawler.core.words import fold_name

_RANKS = ("h1", "h2", "h3", "h4")
_HEADINGS = frozenset(_RANKS)
_SUB_HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
# No headlines, but entries of menus and lists.
_NOT_HEADLINES = frozenset(("li", "dd", "option", "button", "label", "figcaption"))
_PROSE = 80
# A heading may hold a part of the title, or the title a part of it: that much, or so many letters
# that it begins with.
_LONGER, _BEGIN = 2, 10
_BYLINE = 160
# What is left of such a line without dates and words about them: names, of so many words, or of so
# many characters where words are not parted.
_NAME_WORDS, _DENSE_NAME = 4, 12
_PLAIN = frozenset(ascii_letters + digits)
_LETTER = re.compile(r"[^\W\d_]")
_CLOCK = re.compile(
    # At the first of a row of digits, or right behind a time.
    r"(?:(?<!\d)|(?<=[:.h시時點]\d\d)|(?<=[:.h시時點]\s\d\d))\d++\s?(?:-\s?)?(?:min|mins|minutes?|minuten|minuti|minutos|мин|分|분)\.?(?![^\W_])"
    r"(?:[\s-](?:read|reading time|lesezeit|d[ei] (?:lecture|lectura|leitura|lettura)|읽기))?|"
    r"\d{1,2}\s?[:.h시時點]\s?\d{2}분?(?::\d{2})?|(?<![^\W_])(?:[ap]\.?m\.?|Uhr|\d{1,2}|(?-i:[A-Z]{2,3}[TC]))(?![^\W_])",
    re.IGNORECASE,
)
_PARTED = re.compile(
    r"[^\w\s.'\u2019&@-]+|\n|\s[-]\s|(?<![^\W_])(?:page|date|last|by|on|at|in|um|am|le|el|a|à|i|o|w|kl"
    r"|of|from|and)(?![^\W_])",
    re.IGNORECASE,
)
# The end of a sentence, from the last character to the first: so it is found at once or not at all.
_SENTENCE_BACKWARDS = re.compile(r"\W*[.!?\u3002\uff01\uff1f][^\W\d_]{4}")


def settle_head(
    blocks: Sequence[Block], labels: Sequence[Label], title: str, authors: Sequence[str] = ()
) -> list[Label]:
    """Keep the headline once and leave out what stands around it, on a page with main text.

    The headline is the first heading that is the article's title, above the text's first prose
    where there is one; else the last other line above it that is. Short lines above it are left
    out, unless prose stands there too; so are a second copy of it (``repeated``) and the lines
    between it and the first prose that hold nothing but authors or dates (``byline``), and such
    lines right below other headings.

    Args:
        blocks: the blocks of the page.
        labels: what the method says of each.
        title: the title of what the page is about, without the name of its site; may be empty.
        authors: the names of its authors, where they are known.
    """
    settled = list(labels)
    places = [number for number, label in enumerate(labels) if label.kept]
    if not places:
        return settled
    prose = next((it for it in places if blocks[it].chars >= _PROSE), places[0])
    headline = _headline(blocks, labels, title, prose)
    dropped: dict[int, str] = {}
    if headline is not None:
        settled[headline] = replace(labels[headline], kept=True, reason="text")
        # A headline below prose is a heading within the text: the lines above it are text too.
        above = [it for it in places if it < headline <= prose]
        dropped = {it: "outside" for it in above if blocks[it].chars < _PROSE}
        key, folded = blocks[headline].key, fold_name(blocks[headline].text)
        others = _other_beginnings(folded[:1])
        for number in places:
            block = blocks[number]
            if number != headline and (
                block.key == key or (block.text[:1] not in others and _is_title(block.text, folded))
            ):
                dropped[number] = "repeated"
    names = frozenset(map(fold_name, authors))
    start = places[0] if headline is None else headline + 1
    for number in places:
        is_near = start <= number <= prose
        is_below = number > 0 and blocks[number - 1].tag in _HEADINGS
        if (is_near or is_below) and _is_byline(blocks[number], names, labelled=not is_near):
            dropped[number] = "byline"
    for number, reason in dropped.items():
        settled[number] = replace(labels[number], kept=False, reason=reason)
    return settled


def _headline(
    blocks: Sequence[Block], labels: Sequence[Label], title: str, prose: int
) -> int | None:
    folded = fold_name(title)
    if not folded:
        return None
    last = next(it for it in range(len(labels) - 1, -1, -1) if labels[it].kept)
    others = _other_beginnings(folded[0])
    above = [
        number
        for number, block in enumerate(blocks[: min(last, prose + 1)])
        if (
            _is_like(fold_name(block.text), folded)
            if block.tag in _HEADINGS
            else block.text[:1] not in others and _is_title(block.text, folded)
        )
        if labels[number].reason != "comment" and block.tag not in _NOT_HEADLINES
    ]
    if (first := _first_heading(blocks, above)) is not None:
        return first
    whole = [
        number
        for number, block in enumerate(blocks[:last])
        if block.tag in _HEADINGS
        and labels[number].reason != "comment"
        and fold_name(block.text) == folded
    ]
    first = _first_heading(blocks, whole)
    return above[-1] if first is None and above else first


def _first_heading(blocks: Sequence[Block], numbers: Sequence[int]) -> int | None:
    """Return the first of some blocks that is a heading of the highest rank among them."""
    for tag in _RANKS:
        if of_tag := [number for number in numbers if blocks[number].tag == tag]:
            return of_tag[0]
    return None


def _other_beginnings(letter: str) -> frozenset[str]:
    """Return what a text begins with that is folded to another first letter: most texts do."""
    return _PLAIN - {letter, letter.upper()}


def _is_title(text: str, title: str) -> bool:
    """Tell whether a text is a folded title."""
    # A text is folded letter by letter: few are folded as a whole.
    return title.startswith(fold_name(text[:_BEGIN])) and fold_name(text) == title


def _is_like(text: str, title: str) -> bool:
    """Tell whether the folded text of a heading is a folded title, or holds a part of it."""
    if text == title or not text:
        return text == title
    short, long = sorted((text, title), key=len)
    begins = title.startswith(text) and len(text) >= _BEGIN
    return begins or (short in long and len(long) <= _LONGER * len(short))


def _is_byline(block: Block, authors: Collection[str], *, labelled: bool) -> bool:
    """Tell whether a block holds nothing but authors, dates and times; or words that say so too.

    Args:
        block: the block.
        authors: folded names of the article's authors.
        labelled: whether it has to say that it tells them.
    """
    text, words = block.text, byline_words()
    if (
        len(text) > _BYLINE
        or block.tag == _RANKS[0]
        or _SENTENCE_BACKWARDS.match(text[::-1]) is not None
    ):
        return False
    dates = list(find_dates(text))
    if block.tag in _HEADINGS and not dates:
        return False
    begins, said = begins_as_byline(text), words.said_of_dates(text)
    if (labelled or block.tag in _SUB_HEADINGS) and not (begins or said):
        return False
    if begins and not dates and line_names(text):
        return True
    for found in reversed(dates):
        text = f"{text[: found.start]}|{text[found.end :]}"
    begin = words.by.match(text)
    text = text[begin.end() :] if begin is not None else text
    text, times = _CLOCK.subn("|", text)
    text = words.by_within.sub("|", text)
    for bit, known in ((words.PUBLISHED, words.published), (words.MODIFIED, words.modified)):
        text = known.sub("|", text) if said & bit else text
    pieces = [piece.strip(" .-") for piece in _PARTED.split(text)]
    left = [piece for piece in pieces if _LETTER.search(piece) and not _is_weekday(piece)]
    if not left:
        return bool(dates or times)
    begins = begins or any(fold_name(it) in authors or line_names(it) for it in left)
    alone = bool(begins and dates)
    return bool(dates or begins) and all(_is_name(piece, alone=alone) for piece in left)


def _is_weekday(piece: str) -> bool:
    """Tell whether a text is the name of a weekday."""
    return piece.casefold() in byline_words().sets["weekdays"]


def _is_name(piece: str, *, alone: bool) -> bool:
    """Tell whether a text may be a name: a few words that begin with capitals, where there are any.

    ``alone``: whether a single word may be written in small letters, as accounts are.
    """
    words = piece.split()
    if any(map(DENSE.match, words)):
        return len(piece) <= _DENSE_NAME
    if alone and len(words) == 1:
        return True
    return len(words) <= _NAME_WORDS and not any(word[0].islower() for word in words)
