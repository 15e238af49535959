"""Text: invisible characters, normal form, and the key by which blocks are the same block."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeVar

from xxhash import xxh3_64_intdigest

from crawler.core.hot_loops import normal_forms
from crawler.core.hot_loops.text import DIGITS, folded, is_label
from crawler.core.words import any_of

DENSE = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""A letter of a script that writes a syllable or a word with one: Korean, Japanese, Chinese."""

LINE_BEGINS, LINE_ENDS = "\x1e", "\x1f"
"""Stand where an element of code begins or ends a line; no page holds these characters."""

_EDGES = re.compile(f"[{LINE_BEGINS}{LINE_ENDS}]+")
# Markup between the lines, not a line of its own.
_BETWEEN = re.compile(f"(?<={LINE_ENDS})[ \t]*\n[ \t]*(?={LINE_BEGINS})")
_OTHER_SPACE = re.compile(r"[^\S\n\t ]")
# Control characters other than white space; soft hyphen, zero-width space, word joiner, byte order
# mark. Joiners and marks of direction stay: scripts are written with them.
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff]")
_NOT_IN_XML: Mapping[int, str] = {
    **dict.fromkeys((*range(9), *range(0x0E, 0x20), 0xFFFE, 0xFFFF), ""),
    0x0B: " ",
    0x0C: " ",
}
_ANY_NOT_IN_XML = re.compile(f"[{''.join(map(chr, _NOT_IN_XML))}]")
_SPACE = re.compile(r"\s+")
# A text with more letters is no label: its figures are part of its meaning.
_LABEL_LETTERS = 80


_T = TypeVar("_T")

SHORT: Final = 500
"""The longest text whose result :func:`cached_if_short` keeps; attributes may hold pictures."""


def any_phrase(phrases: Iterable[str]) -> str:
    """Return a regular expression for any of some phrases that no letters around make longer.

    One that ends in a script without spaces between words may stand within others.
    """
    all_phrases = set(phrases)
    dense = {phrase for phrase in all_phrases if DENSE.match(phrase[-1])}
    spaced = rf"(?<![^\W_])(?:{any_of(all_phrases - dense)})(?![^\W_])"
    return f"{spaced}|{any_of(dense)}" if dense else spaced


def cached_if_short(function: Callable[[str], _T]) -> Callable[[str], _T]:
    """Keep what a function of a text returns, but for long texts, which would fill the memory."""
    cached = lru_cache(maxsize=4096)(function)
    return lambda text: cached(text) if len(text) <= SHORT else function(text)


def drop_unseen(text: str) -> str:
    """Remove the characters that a reader cannot see and that only say where a line may break."""
    return _UNSEEN.sub("", text)


def in_xml(text: str) -> str:
    """Remove what lxml refuses to put in a tree, though it reads it in one (``&#1;``)."""
    # Nearly no text has any, which translating would read by a slow path.
    return text.translate(_NOT_IN_XML) if _ANY_NOT_IN_XML.search(text) else text


def one_line(text: str) -> str:
    """Remove what a reader cannot see, and fold runs of white space into one space each."""
    line = f"{' ' * text[0].isspace()}{' '.join(text.split())}{' ' * text[-1].isspace()}"
    # Mostly line breaks were all that is not printable.
    return line if line.isprintable() else _SPACE.sub(" ", drop_unseen(text))


def fold_lines(text: str) -> str:
    """Fold white space within each line, drop empty lines."""
    if "\n" not in text:
        return " ".join(text.split())
    lines: Iterable[str] = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def fold_code(text: str) -> str:
    """Keep lines and the space within them; a line that stands alone begins with none."""
    if LINE_ENDS in text:
        # A line's own break at its end makes no other line, unless the line is empty.
        text = text.replace(f"{LINE_BEGINS}\n{LINE_ENDS}", f"{LINE_BEGINS} {LINE_ENDS}")
        text = text.replace(f"\n{LINE_ENDS}", LINE_ENDS)
        text = _EDGES.sub("\n", _BETWEEN.sub("", text))
    lines = [line.rstrip() for line in _OTHER_SPACE.sub(" ", text).split("\n")]
    folded = "\n".join(lines).strip("\n")
    if "\n" not in folded:
        return folded.strip()
    # Marks of direction alone are nothing to read.
    return folded if any(map(str.isprintable, "".join(folded.split()))) else ""


def normalise(text: str, *, mask_digits: bool = True) -> str:
    """Return the normal form of a block's text: equal where the block recurs.

    Unicode compatibility form, lower case, white space folded; and in labels, texts of few
    letters, every run of digits one ``0``, so that "Comments (3)" and "Comments (12)", or "Friday,
    3 May" and "Friday, 10 May", are one block. Digits that only count or date are masked thereby.
    Text without letters keeps its digits, since the cells of a table of figures all differ; so do
    sentences, since a weather report differs from yesterday's in its figures alone.

    Args:
        text: any text.
        mask_digits: False where the digits are known to matter.
    """
    text = " ".join(folded(text).split())
    return DIGITS.sub("0", text) if mask_digits and is_label(text, _LABEL_LETTERS) else text


def block_key(text: str, *, mask_digits: bool = True) -> int:
    """Return the 64-bit identity of a block's text: equal for texts that :func:`normalise` alike.

    Two different texts of a site share a key with a chance of about n² / 2⁶⁵ for n distinct
    texts: one in 37,000 at 31 million.
    """
    return xxh3_64_intdigest(
        normalise(text, mask_digits=mask_digits).encode("utf-8", "surrogatepass")
    )


def block_keys(texts: Sequence[str], title: str) -> list[int]:
    """Return the keys of all texts of a page, all at once, which is faster.

    Args:
        texts: the texts of its blocks; without NUL.
        title: its title. Digits of what stands in it are known to matter: "Day 12" as the page's
            own headline is not "Day 13".
    """
    keys = list(map(xxh3_64_intdigest, normal_forms(texts, _LABEL_LETTERS)))
    most = len(title)
    for number, text in enumerate(texts):
        if len(text) <= most and text in title:
            keys[number] = block_key(text, mask_digits=False)
    return keys
