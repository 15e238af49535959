"""The blocks of a page, and the text that only its scripts hold where it shows a fraction of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nlargest
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadablePageError
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.page.script_text import (
    JSON_LD,
    ScriptText,
    letters_of,
    script_texts,
    weight,
)
from crawler.core.page.segment import segment_part
from crawler.core.page.text import block_key

if TYPE_CHECKING:
    from crawler.core.page.parse import ParsedPage

# A page that shows so much prose shows its article. Blocks of prose are long, with few hyperlinks.
_WHOLE, _PROSE, _LINKED = 2_000, 60, 0.3
# A text is used where the page shows less than half of it; texts of half the length are rivals.
_PARTS = 2
# Letters that two texts have in common by no chance; of a title fewer do.
_SAME, _TITLE = 40, 8
# So many blocks at most, the longest, are looked for in texts.
_MOST_COMPARED = 200
# A text is looked for on the page by so many samples at most, of so many letters.
_SAMPLES, _SAMPLE = 40, 24
# Two forms of one text differ in length by this at most.
_ALIKE = 0.9
# Marks before a sentence, at its end and behind it; "..." says that it is cut off.
_OPENING = " \t\n\"'(\u00ab\u2018\u201a\u201c\u201e\u300c\u300e"
_ENDS = (".", "!", "?", "\u3002", "\uff01", "\uff1f", "\u0964", "\u061f")
_CLOSING = " \"')\u00bb\u2019\u201c\u201d\u300d\u300f"
_BEHIND = re.compile(f"[{''.join(_ENDS)}\u2026]*+[{_CLOSING.strip()}]*+")
_CUT_OFF = "..."
# Where a text without a place is put: within these, or before those.
_OF_HEADING = frozenset(("h1", "header", "hgroup", "a"))
_FEET = frozenset(("footer",))


def supplement(
    parsed: ParsedPage, blocks: tuple[Block, ...]
) -> tuple[tuple[Block, ...], str | None, frozenset[int]]:
    """Add the text of a page's scripts where the page shows nothing or less than half of it.

    It is a text in an object that is called as the page is, one that has a paragraph of the page in
    it, or one of JSON-LD; where the page shows next to nothing, any text that is the only one of
    its length. What the page shows of it stays as it is and is not added again; a paragraph of the
    page that is cut off in the middle of a sentence gives way to the whole one.

    Returns:
        The blocks; where the text in scripts was: ``json-ld``, ``script`` or ``template``, None
        where no block is from a script; and the indexes of the blocks that are.
    """
    as_shown = blocks, None, frozenset[int]()
    shown = 0
    for block in blocks:
        if block.chars >= _PROSE and block.link_chars < _LINKED * block.chars:
            shown += block.chars - block.link_chars
            if shown > _WHOLE:
                return as_shown
    least = _PARTS * shown + 1
    texts = script_texts(parsed, least)
    if not texts:
        return as_shown
    letters = [_letters_shown(block.text) for block in blocks]
    own = _own_texts(texts, parsed, blocks, _compared(letters).values())
    if not own and not shown:
        # The page has a headline of its own: what is called otherwise is another text.
        is_named = any(block.tag == "h1" for block in blocks)
        chars = sum(block.chars for block in blocks)
        least = _PARTS * chars + 1
        own = [text for text in texts if not (is_named and text.title)]
        own = _only([text for text in own if len(text.letters) >= least])
    found = _best_form(own, "".join(letters)) if own else None
    supplemented = found and _with_text(parsed, blocks, letters, found)
    return supplemented or as_shown


def _letters_shown(text: str) -> str:
    """Return the letters of a block; of one that is cut off, without a label behind that."""
    whole, mark, label = text.replace(_CUT_OFF, "\u2026").rpartition("\u2026")
    return letters_of(whole if mark and len(label) < _SAME else text)


def _compared(letters: Sequence[str]) -> dict[int, str]:
    """Return the letters of the blocks that are looked for in texts, by number and in order."""
    long = (each for each in enumerate(letters) if len(each[1]) >= _SAME)
    return dict(sorted(nlargest(_MOST_COMPARED, long, key=lambda each: len(each[1]))))


def _own_texts(
    texts: Sequence[ScriptText],
    parsed: ParsedPage,
    blocks: Sequence[Block],
    prose: Collection[str],
) -> list[ScriptText]:
    """Return the texts that are the page's own.

    Args:
        texts: those of its scripts.
        parsed: the page.
        blocks: its blocks.
        prose: the letters of the long ones.
    """
    own = [text for text in texts if any(shown in text.letters for shown in prose)]
    titles = _titles(parsed, blocks)
    own = own or [text for text in texts if _is_called(text.title, titles)]
    return own or _only([text for text in texts if text.source == JSON_LD])


def _only(texts: list[ScriptText]) -> list[ScriptText]:
    """Return texts if there is no other of about the length of the longest; else none."""
    longest = texts[0].letters if texts else ""
    has_rival = any(
        _PARTS * len(text.letters) >= len(longest) and text.letters[:_SAME] not in longest
        for text in texts[1:]
    )
    return [] if has_rival else texts


def _best_form(own: Sequence[ScriptText], seen: str) -> ScriptText | None:
    """Return the best form of the longest text; None where ``seen`` has half of its samples."""
    longest = len(own[0].letters)
    forms = [text for text in own if len(text.letters) >= _ALIKE * longest]
    # One with paragraphs is better than one without.
    best = max(forms, key=lambda text: text.markup.count("<p"))
    step = max(_SAMPLE, longest // _SAMPLES)
    samples = [best.letters[at : at + _SAMPLE] for at in range(0, len(best.letters), step)]
    return best if _PARTS * sum(map(seen.__contains__, samples)) < len(samples) else None


def _titles(parsed: ParsedPage, blocks: Sequence[Block]) -> list[str]:
    texts = [parsed.title or "", *(block.text for block in blocks if block.tag == "h1")]
    texts += [
        meta.get("content") or ""
        for meta in parsed.named["meta"]
        if meta.get("property") == "og:title"
    ]
    return [letters_of(text).casefold() for text in texts]


def _is_called(title: str, titles: Sequence[str]) -> bool:
    name = letters_of(title).casefold()
    return weight(name) >= _TITLE and any(name in each for each in titles)


def _with_text(
    parsed: ParsedPage, blocks: tuple[Block, ...], shown: Sequence[str], found: ScriptText
) -> tuple[tuple[Block, ...], str, frozenset[int]] | None:
    """Return the page's blocks with those of a text in their places; None where it has none.

    Args:
        parsed: the page.
        blocks: its blocks.
        shown: their letters.
        found: the text.
    """
    compared = _compared(shown)
    last = _number_before(blocks)
    first = next((number for number, text in compared.items() if text in found.letters), last)
    around = _around(blocks[first]) if blocks else None
    try:
        page = parse(Page.from_text(parsed.page.url, f"<html><body>{found.markup}</body></html>"))
    except UnreadablePageError:
        return None
    body = page.roots[0].find("body")
    if body is None:
        return None
    body.tag = "article"
    body.set("itemprop", "articleBody")
    added = segment_part(body, parsed.title, around)
    kept = dict(enumerate(blocks))
    equal = {text: number for number, text in reversed([*enumerate(shown)])}
    parts = [part for block in added for part in _unshown(block, blocks, equal, compared, kept)]
    # The page's own blocks keep their order; pieces stand behind the block that comes before.
    after = next((part for part in parts if isinstance(part, int)), last + 1) - 1
    numbered = [(number, 0, block) for number, block in kept.items()]
    for part in parts:
        if isinstance(part, int):
            after = max(after, part)
        else:
            numbered.append((after, 1, part))
    numbered.sort(key=lambda each: each[:2])
    return (
        tuple(replace(block, index=index) for index, (_, _, block) in enumerate(numbered)),
        found.source,
        frozenset(index for index, (_, is_added, _) in enumerate(numbered) if is_added),
    )


def _unshown(
    block: Block,
    blocks: Sequence[Block],
    equal: Mapping[str, int],
    compared: Mapping[int, str],
    kept: dict[int, Block],
) -> Iterator[Block | int]:
    """Yield what the page does not show of a block, and the numbers of the blocks that show it.

    Args:
        block: a block of the text.
        blocks: those of the page.
        equal: their numbers by their letters.
        compared: the letters of the long ones by number.
        kept: the page's blocks that stay, by number; what is cut off in a sentence goes.
    """
    letters = letters_of(block.text)
    number = equal.get(letters)
    if number is None and len(letters) >= _SAME:
        number = next((each for each, text in compared.items() if letters in text), None)
    if number is not None:
        yield number
        return
    # A text is there more than once where the author repeats it; the longest at a place counts.
    within = sorted(
        (match.start(), -len(text), number)
        for number, text in compared.items()
        if text in letters
        for match in re.finditer(text, letters)
    )
    places = [place for place, char in enumerate(block.text) if char.isalnum()]
    begin = 0
    for at, size, number in within:
        end = places[at - size - 1] + 1
        if end <= begin:  # a quotation of what is shown before
            continue
        if _ends_a_sentence(blocks[number].text):
            yield from _piece(block, block.text[begin : places[at]].rstrip(_OPENING))
            # The signs behind its last letter are part of what is shown.
            behind = _BEHIND.match(block.text, end)
            begin = behind.end() if behind else end
        else:
            kept.pop(number, None)
        yield number
    yield from _piece(block, block.text[begin:])


def _piece(block: Block, text: str) -> Iterator[Block]:
    """Yield the block with a part of its text, unless that has no letters."""
    text = text.strip()
    if text == block.text:
        yield block
    elif letters_of(text):
        chars = len("".join(text.split()))
        key, linked = block_key(text), min(block.link_chars, chars)
        yield replace(block, text=text, key=key, chars=chars, link_chars=linked)


def _ends_a_sentence(text: str) -> bool:
    """Tell whether a text ends with a full stop or the like, and not with "..."."""
    end = text.rstrip(_CLOSING)
    return end.endswith(_ENDS) and not end.endswith(_CUT_OFF)


def _number_before(blocks: Sequence[Block]) -> int:
    """Return the number of the block after which a text stands: the headline, or before a foot."""
    headlines = [number for number, block in enumerate(blocks) if block.tag == "h1"]
    if headlines:
        return headlines[-1]
    feet = (number for number, block in enumerate(blocks) if _is_in_foot(block.holder))
    return next(feet, len(blocks)) - 1


def _is_in_foot(holder: Holder | None) -> bool:
    while holder is not None and holder.tag not in _FEET:
        holder = holder.parent
    return holder is not None


def _around(block: Block) -> Holder | None:
    """Return the element that a text beside a block is put in: no heading or its header."""
    holder = block.holder
    if block.tag in _OF_HEADING or holder is None:
        while holder is not None and holder.tag in _OF_HEADING:
            holder = holder.parent
        return holder
    return holder.parent
