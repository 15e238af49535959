"""Lines within a text that are none of it: notices, photo credits, the end of press releases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from crawler.core.hot_loops import Stems
from crawler.core.methods import Label
from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.layout import SIGNS
from crawler.core.methods.article.teasers import PROSE
from crawler.core.page.blocks import Block
from crawler.core.page.elements import HEADINGS
from crawler.core.page.text import any_phrase
from crawler.core.patterns import compiled_later
from crawler.core.words import Beginnings, any_of, fold_letters, read_data

_WORDS: dict[str, list[str]] = read_data("crawler.core.methods.article", "notices")


# A notice is no longer than this. Longer texts tell about cookies.
_NOTICE = 600
# With more of the text in them a page is about cookies.
_MOST_IN_NOTICES = 1 / 3


_EMBED = Stems(dict.fromkeys(_WORDS["embed"], 1))
_EMBED_PHRASES, _COMMENT_PHRASES = (
    Stems(dict.fromkeys(map(fold_letters, _WORDS[name]), 1)) for name in ("embed_lines", "comment")
)
# Each phrase has one of these in it. Few texts have any, which a plain search tells much sooner.
_ON_EMBEDS, _INVITING = 1, 2
_STEMS = Stems(
    dict.fromkeys(_WORDS["comment_stems"], _INVITING)
    | dict.fromkeys(_WORDS["embed_stems"], _ON_EMBEDS)
)
_EMBED_LINES = compiled_later(any_phrase(_WORDS["embed_lines"]), re.IGNORECASE)
_INVITES = compiled_later(any_phrase(_WORDS["comment"]), re.IGNORECASE)
_ABOUT_COMMENTS = compiled_later(
    any_phrase(_WORDS["comment"] + _WORDS["comment_words"]), re.IGNORECASE
)
_INVITATION = 160
_LETTER = compiled_later(r"[^\W\d_]")
# "Photo: Ada Mott / Reuters", "[사진=연합뉴스]", "© AFP".
_CREDIT = compiled_later(
    rf"[\W_]*(?:(?:{any_phrase(_WORDS['credit'])})\s?(?:[:=/|\uff1a\uff0f\uff1d©]|by\b)|(?:\(c\)|©|ⓒ)).*\S.*",
    re.IGNORECASE,
)
# "(c)" without the sign that it begins with.
_CREDITS = Beginnings((*_WORDS["credit"], "c)"))
_CREDIT_CHARS, _CAPTION_CHARS = 100, 300
_CREDITED = frozenset(("p", "div", "span", "figcaption", "small", "figure", "section"))
_PICTURES = np.uint64(
    sum(1 << SIGNS.index(sign) for sign in ("caption", "<figure>", "<figcaption>"))
)
_SENTENCE = compiled_later(r"[a-z]{3}\.\W*$|[\u3002\uff01!?\uff1f]\W*$")
# "© The Gazette", "Copyright 2026 …", "… All rights reserved.", who edited the text.
_LICENCE = compiled_later(
    rf"[<\[(\u3010\uff08\s]*(?:[©ⓒ]|\(c\)\s*\d{{4}}|(?:copyright|저작권자?)\s*[:\uff1a(©ⓒ\d]"
    rf"|(?:{any_of(_WORDS['editor'])})\s*[:\uff1a]\s*\S{{1,20}}$)"
    rf"|(?:.*[\d.,;|)©·\u2013-]\s*)?(?:{any_of(_WORDS['rights'])})\W*$"
    rf"|.*(?:{any_of(_WORDS['no_copies'])})\W*$",
    re.IGNORECASE,
)
_LICENCE_CHARS = 200
# "python", "Copy code": a bar at a listing.
_CODE_BAR = compiled_later(
    rf"(?:\W*(?:{any_of(_WORDS['copy'] + _WORDS['code'])}))+\W*",
    re.IGNORECASE,
)
_CODE_BAR_CHARS = 40
_IN_TEXT = HEADINGS | {"p", "li", "dt", "dd", "pre"}
# A release ends with a mark, or with who its company is; there is how to reach its press office.
_PRESS_END = frozenset(_WORDS["press_end"])
_PRESS_END_CHARS = max(map(len, _PRESS_END))
_ABOUT_ENDS = ("소개", "について")
_ABOUT = compiled_later(
    rf"(?:{any_phrase(_WORDS['about'])})\s\S.*|.*\S\s?(?:{any_of(_ABOUT_ENDS)})", re.IGNORECASE
)
_ABOUTS = Beginnings(_WORDS["about"])
_ABOUT_CHARS, _TITLE, _TITLE_END = 80, 40, re.compile(r"[:\uff1a\n]")
_CONTACT = compiled_later(
    rf"\W*(?:{any_phrase(_WORDS['contact'])})(?=\W*$|.*[\d@])"
    # The first "@" of a word that has something before it leaves the most behind it.
    r"|.*(?<!\S)\S[^\s@]*+@\S+\.\w",
    re.IGNORECASE | re.DOTALL,
)
_TAIL = 0.5
_TITLES = HEADINGS | {"dt"}


def notices(
    blocks: Sequence[Block], kept: NDArray[np.bool_], rules: Sequence[Label]
) -> dict[int, str]:
    """Return the kept blocks that are none of the text, by their numbers, with the reasons.

    They are short notices that ask to accept cookies, mostly to see something of another site
    (``cookie``), where they are few; lines that invite readers to comment and say nothing else,
    after the first prose (``outside``); and at the end of press releases what their company is and
    how to reach it (``promotion``). Behind the last prose they are lines that say whose the text is
    (``footer``).

    Args:
        blocks: the page's blocks.
        kept: whether each is kept so far.
        rules: what the rule of frequency says of each block.
    """
    places = np.flatnonzero(kept).tolist()
    short = [number for number in places if blocks[number].chars <= _NOTICE]
    texts = [fold_letters(blocks[number].text) for number in short]
    found_in = [it for it in zip(short, texts, _STEMS.masks(texts), strict=True) if it[2]]
    cookies = [
        number
        for number, text, stems in found_in
        if stems & _ON_EMBEDS and _is_on_cookies(blocks[number], text)
    ]
    if cookies:
        chars = sum(blocks[number].chars for number in places)
        if sum(blocks[number].chars for number in cookies) > _MOST_IN_NOTICES * chars:
            cookies.clear()
    found = dict.fromkeys(cookies, "cookie")
    prose = next((number for number in places if blocks[number].chars >= PROSE), len(blocks))
    for number, text, stems in found_in:
        is_line = number > prose and stems & _INVITING and len(blocks[number].text) <= _INVITATION
        if is_line and any(_COMMENT_PHRASES.masks([text])) and _INVITES.search(blocks[number].text):
            said = [it for it in (number, number - 1) if _is_all(_ABOUT_COMMENTS, blocks[it])]
            found.update(dict.fromkeys(said if number in said else (), "outside"))
    for number in reversed(places[1:]):
        if is_licence(blocks[number].text):
            found[number] = "footer"
        elif blocks[number].chars >= PROSE:
            break
    found.update(dict.fromkeys(_end_of_release(blocks, kept, rules), "promotion"))
    return found


def is_licence(text: str) -> bool:
    """Tell whether a line says whose the text is or who edited it, and nothing else."""
    return len(text) <= _LICENCE_CHARS and _LICENCE.match(text) is not None


def is_code_bar(block: Block) -> bool:
    """Tell whether a block is a bar at a listing: its language, a button that copies it."""
    return (
        block.chars <= _CODE_BAR_CHARS
        and block.tag not in _IN_TEXT
        and _CODE_BAR.fullmatch(block.text) is not None
    )


def _is_on_cookies(block: Block, folded: str) -> bool:
    plain = folded if block.text.isascii() else block.text.casefold()
    return any(_EMBED.masks([plain])) or (
        any(_EMBED_PHRASES.masks([folded])) and _is_all(_EMBED_LINES, block)
    )


def _is_all(phrases: re.Pattern[str], block: Block) -> bool:
    """Tell whether a block is nothing but phrases, marks and numbers."""
    text = block.text
    return phrases.search(text) is not None and _LETTER.search(phrases.sub("", text)) is None


def _end_of_release(
    blocks: Sequence[Block], kept: NDArray[np.bool_], rules: Sequence[Label]
) -> Iterator[int]:
    """Go through the end of a press release: no more than a third of it.

    It begins with the one mark of an end, or with the last title "About COMPANY". How to reach the
    press office follows; or, behind such a title, a text that stands on several pages.
    """
    places = np.flatnonzero(kept).tolist()
    ends = [
        number
        for number in places
        if len(text := blocks[number].text) <= _PRESS_END_CHARS and text.casefold() in _PRESS_END
    ]
    titles = [
        number
        for number in reversed(places)
        if (
            (block := blocks[number]).tag in _TITLES
            or "b" in block.inner
            or "strong" in block.inner
        )
        and _is_about(block)
    ]
    for start in [*(ends if len(ends) == 1 else ()), *titles[:1]]:
        tail = [number for number in places if number >= start]
        chars = sum(blocks[number].chars for number in tail)
        whole = sum(blocks[number].chars for number in places)
        long = [number for number in tail if blocks[number].chars > _TITLE]
        recurs = start in titles and any(rules[number].frequency > 1 for number in long)
        reached = any(_CONTACT.match(blocks[number].text) for number in tail)
        if (recurs or reached) and chars <= _TAIL * (whole - chars):
            yield from tail


def _is_about(block: Block) -> bool:
    if block.text.isascii() and not _ABOUTS.may_be_of(block.text):
        return False
    if block.tag not in _TITLES and {"b", "strong"}.isdisjoint(block.inner.split()):
        return False
    title = _TITLE_END.split(block.text[: _ABOUT_CHARS + 1], maxsplit=1)[0]
    return (
        len(title) <= _ABOUT_CHARS
        and (_ABOUTS.may_be_of(title) or title.endswith(_ABOUT_ENDS))
        and _ABOUT.fullmatch(title) is not None
    )


def settle_credits(
    blocks: Sequence[Block],
    found: Evidence,
    kept: NDArray[np.bool_],
) -> list[int]:
    """Keep the credit of a photo where its caption is kept; return those left out with theirs.

    Its caption is the block before or after it which stands in a figure, is called a caption, or
    follows an image.

    Args:
        blocks: the page's blocks.
        found: their evidence.
        kept: whether each is kept so far; changes.
    """
    left, layout = [], found.layout
    own = layout.signs & _PICTURES
    figures = (own | own[layout.parent])[layout.at] > 0
    # One behind the last block, which is none.
    are_captions = np.zeros(len(blocks) + 1, np.bool_)
    np.logical_and(
        figures | found.captions | found.images,
        found.chars <= _CAPTION_CHARS,
        out=are_captions[:-1],
    )
    beside = are_captions[1:].copy()
    beside[1:] |= are_captions[:-2]
    for number in np.flatnonzero(beside & (found.chars <= _CREDIT_CHARS)).tolist():
        if not is_credit(blocks[number]):
            continue
        captions = [near for near in (number - 1, number + 1) if are_captions[near]]
        if captions and kept[number] != kept[captions[0]]:
            kept[number] = kept[captions[0]]
            if not kept[number]:
                left.append(number)
    return left


def is_credit(block: Block) -> bool:
    """Tell whether a block is a line that says whose a photo is, and nothing else."""
    return (
        block.chars <= _CREDIT_CHARS
        and block.tag in _CREDITED
        and _CREDITS.may_be_of(block.text)
        and _CREDIT.fullmatch(block.text) is not None
        and _SENTENCE.search(block.text) is None
    )
