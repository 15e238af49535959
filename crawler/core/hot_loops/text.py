"""Loops over the characters of texts, in Python: the reference of the compiled ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_SPACES = 6
# "related-topics", "shareBar", "HTMLText".
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_GRAM = 3
# In so many characters stems are searched for one by one; in more that takes longer.
_SEARCHED = 500
# Stands between texts; nothing that was parsed holds it.
_BORDER = "\0"
_AS_SPACE = bytes.maketrans(b"\n\t", b"  ")
_ASCII_DIGITS = b"0123456789"
_ASCII_FIGURE = re.compile(rb"[0-9]+")
_NOT_COUNTED = bytes(code for code in range(1, 128) if not chr(code).isalpha())
CONTROL = bytes((*range(9), 0x0B, *range(0x0E, 0x20), 0x7F))
"""Control characters of ASCII that are no white space, and the vertical tab."""
LETTER, UNCLEAR = 1 << 16, 1 << 17
"""What :func:`form_of` tells beside code points."""
DIGITS = re.compile(r"\d+")
"""A run of digits of any script."""
_LETTER = re.compile(r"[^\W\d_]")
# A tag up to so many attributes, as HTML reads it: "=" begins no name, and quoted values hide all.
# Nothing is given back, so that each tag is read once.
_BLANKS, _NAME_ENDS = r"\t\n\f\r ", r"\t\n\f\r />"
_VALUE = rf"[{_BLANKS}]*+=[{_BLANKS}]*+(?:\"[^\"]*+\"?+|'[^']*+'?+|[^{_BLANKS}>]*+)"
_ATTRIBUTE = rf"[{_BLANKS}/]*+[^{_NAME_ENDS}][^{_NAME_ENDS}=]*+(?:{_VALUE})?+"
MOST_ATTRIBUTES = 1_000
"""Attributes of a tag from which on it has many."""
READ_AGAIN = 8
"""So many times the length of a page may be read as tags.

What begins within a quoted value is read as a tag, too. Of pages that people read the whole length
is read less than four times; a hostile page could have every character read a thousand times.
"""
_TAG = rf"<[a-zA-Z][^{_NAME_ENDS}]*+(?:{_ATTRIBUTE})"
_TAG_BEGINS = re.compile(rb"<[a-zA-Z]")
_UP_TO_MANY = re.compile(rf"{_TAG}{{0,{MOST_ATTRIBUTES}}}+".encode())
_MANY = re.compile(rf"{_TAG}{{{MOST_ATTRIBUTES}}}+".encode())
BEGIN_CHARS = 3
"""Of so many characters are the beginnings by which :func:`cues_of_word` finds stems."""
MOST_STEMS = 256
"""How many :class:`Stems` looks for at most."""


def without_control(data: bytes) -> bytes:
    """Return bytes without :data:`CONTROL`; nearly none have any."""
    return data.translate(None, delete=CONTROL)


def may_have_many_attributes(data: bytes) -> bool:
    """Tell whether a tag may have :data:`MOST_ATTRIBUTES` or more. Takes linear time.

    Whatever may begin a tag is looked at, in comments, scripts and values, too. True also where
    that is more than :data:`READ_AGAIN` allows.

    Args:
        data: a page in UTF-8, without control characters.
    """
    left = READ_AGAIN * len(data)
    for begin in _TAG_BEGINS.finditer(data):
        tag = _UP_TO_MANY.match(data, begin.start())
        chars = tag.end() - tag.start() if tag else 0
        left -= chars
        # Each takes two characters at least.
        if left < 0 or (chars >= 2 * MOST_ATTRIBUTES and _MANY.match(data, begin.start())):
            return True
    return False


def _codes(text: str) -> NDArray[np.uint32]:
    """Return code points; those beyond the basic plane count as its last."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.minimum(codes, np.uint32(0xFFFF))


def _starts(text: str, ends: NDArray[np.intp]) -> NDArray[np.intp]:
    if ((ends < 0) | (ends >= len(text))).any():
        raise IndexError("a text ends where there is none")
    return np.concatenate((np.zeros(1, np.intp), ends[:-1] + 1))


def class_counts(
    text: str, ends: NDArray[np.intp], classes: NDArray[np.uint8]
) -> NDArray[np.int32]:
    """Count the characters of each class in texts that none is empty of; one column a text.

    Args:
        text: the texts, a line break behind each.
        ends: where each ends.
        classes: the classes of each code point of the basic plane, as eight bits. They are those of
            :mod:`crawler.core.methods.article.letters`.

    Returns:
        A line for each class; one for words, of letters that are not dense or of digits; one for
        stops before a space or another mark; and the classes of a text's first and last character.
    """
    its, starts = classes[_codes(text)], _starts(text, ends)
    word, dense, stops = ((its & bits) > 0 for bits in (1 | 4, 8, 32))
    begins = word & ~dense
    begins[1:] &= ~word[:-1] | dense[:-1]
    stops[:-1] &= (its[1:] & (64 | 128)) > 0
    masks = (*((its & (1 << bit)) > 0 for bit in range(8)), begins, stops)
    counts = np.array([np.add.reduceat(mask, starts, dtype=np.int32) for mask in masks])
    # The line breaks behind the texts are no part of them.
    counts[_SPACES] -= 1
    return np.concatenate((counts, its[starts][None], its[ends - 1][None]), dtype=np.int32)


def grams(text: str, lower: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a number of 16 bits for each three neighbouring characters, case folded.

    Args:
        text: three characters at least.
        lower: the small letter of each code point of the basic plane.
    """
    return _mixed(lower[_codes(text)])


def _mixed(low: NDArray[np.uint32]) -> NDArray[np.uint32]:
    mixed = low[:-2] * np.uint32(0x9E3779B1) + low[1:-1] * np.uint32(0x85EBCA77)
    mixed += low[2:] * np.uint32(0xC2B2AE3D)
    mixed ^= mixed >> np.uint32(15)
    found: NDArray[np.uint32] = mixed & np.uint32(0xFFFF)
    return found


def gram_hits(
    text: str, ends: NDArray[np.intp], others: Sequence[str], lower: NDArray[np.uint32]
) -> NDArray[np.int32]:
    """Count in each text the places whose :func:`grams` some other texts have; one line an other.

    Args:
        text: the texts, a line break behind each; none is empty.
        ends: where each ends.
        others: eight texts at most.
        lower: as in :func:`grams`.
    """
    # For each gram the others that have it, as bits.
    known = np.zeros(1 << 16, np.uint8)
    for bit, other in enumerate(others):
        if len(other) >= _GRAM:
            known[grams(other, lower)] |= 1 << bit
    found, starts = known[grams(f"{text}\n\n", lower)], _starts(text, ends)
    hits = [
        np.add.reduceat((found & (1 << bit)) > 0, starts, dtype=np.int32)
        for bit in range(len(others))
    ]
    return np.array(hits, np.int32).reshape(len(others), len(ends))


class CueWords:
    """The cues of words.

    Args:
        missing: returns the cues of a word as bits; few words are asked for more than once.
    """

    def __init__(self, missing: Callable[[str], int]) -> None:
        self._missing = missing

    def masks(self, texts: Sequence[str]) -> NDArray[np.uint64]:
        """Return for each text the cues of its words, as bits.

        Args:
            texts: names that authors give, as ``related-topics`` and ``shareBar``.
        """
        masks = dict.fromkeys(texts, 0)
        for text in masks:
            for word in _WORD.findall(text):
                masks[text] |= self._missing(word)
        return np.array([masks[text] for text in texts], np.uint64)


def cues_of_word(word: str, begins: Mapping[str, Sequence[tuple[str, bool, str, int]]]) -> int:
    """Return the cues in a word, as bits: of the stems at a place the first, then what follows.

    Args:
        word: the word, in small letters.
        begins: by their first letters (:data:`BEGIN_CHARS`) the stems, each with whether it has to
            be the whole word, with what must not follow it, and with the bit of its cue.
    """
    found = at = 0
    while at < len(word):
        step = 1
        for stem, is_whole, unless, bit in begins.get(word[at : at + BEGIN_CHARS], ()):
            if (stem == word if is_whole else word.startswith(stem, at)) and not (
                unless and word.startswith(unless, at + len(stem))
            ):
                found, step = found | bit, len(stem)
                break
        at += step
    return found


class Stems:
    """Stems that are looked for in texts.

    Args:
        bits: each stem, of two characters or more, with its bits; 256 at most.
    """

    def __init__(self, bits: Mapping[str, int]) -> None:
        if not all(isinstance(stem, str) for stem in bits):
            raise TypeError("stems are texts")
        if len(bits) > MOST_STEMS or not all(len(stem) > 1 for stem in bits):
            raise ValueError("there may be 256 stems, of two characters or more")
        self._bits = dict(bits)
        # By the number of their first three characters.
        self._by_gram: dict[int, list[tuple[str, int]]] = {}
        for stem, its in bits.items():
            for gram in _mixed(_codes(stem[:_GRAM])).tolist():
                self._by_gram.setdefault(gram, []).append((stem, its))
        self._begins = np.zeros(1 << 16, np.bool_)
        self._begins[list(self._by_gram)] = True
        self._short = [item for item in bits.items() if len(item[0]) < _GRAM]

    def masks(self, texts: Sequence[str]) -> list[int]:
        """Return the bits of the stems in each text."""
        whole, masks = "\0".join(texts), [0] * len(texts)
        stems: Iterable[tuple[str, int]] = self._bits.items()
        if len(whole) > _SEARCHED:
            # One look at all characters finds where stems may begin.
            stems = self._short
            grams = _mixed(_codes(whole))
            places = np.flatnonzero(self._begins[grams])
            begins = np.cumsum([0, *(len(text) + 1 for text in texts)])
            numbers = np.searchsorted(begins, places, side="right") - 1
            inside = places - begins[numbers]
            found = zip(numbers.tolist(), inside.tolist(), grams[places].tolist(), strict=True)
            for number, place, gram in found:
                for stem, bits in self._by_gram[gram]:
                    if texts[number].startswith(stem, place):
                        masks[number] |= bits
        here = [(stem, bits) for stem, bits in stems if stem in whole]
        for number, text in enumerate(texts) if here else ():
            for stem, bits in here:
                if stem in text:
                    masks[number] |= bits
        return masks


def normal_forms(texts: Sequence[str], most: int) -> list[bytes]:
    """Return the normal forms of texts in UTF-8, as :func:`crawler.core.page.text.normalise` does.

    Args:
        texts: the texts; without NUL, those of ASCII with no white space but spaces, line breaks
            and tabs.
        most: a text of more letters keeps its figures.
    """
    plain = iter(_plain_forms([text for text in texts if text.isascii()], most))
    others = iter(_other_forms([text for text in texts if not text.isascii()], most))
    return [next(plain if text.isascii() else others) for text in texts]


def _plain_forms(texts: Sequence[str], most: int) -> list[bytes]:
    data = _BORDER.join(texts).lower().encode().translate(_AS_SPACE)
    whole = b"\0" + data + b"\0"
    if b"  " in whole or b"\0 " in whole or b" \0" in whole:  # code alone has such white space
        data = b"\0".join(b" ".join(text.split()) for text in data.split(b"\0"))
    normal = data.split(b"\0")
    bare = data.translate(None, _ASCII_DIGITS).split(b"\0")
    letters = data.translate(None, _NOT_COUNTED).split(b"\0")
    for number, (text, rest, own) in enumerate(zip(normal, bare, letters, strict=True)):
        if len(rest) < len(text) and 0 < len(own) <= most:
            normal[number] = _ASCII_FIGURE.sub(b"0", text)
    return normal


def _other_forms(texts: Sequence[str], most: int) -> Iterator[bytes]:
    # Nothing composes with the border, or is moved over it.
    for text in folded(_BORDER.join(texts)).split(_BORDER) if texts else ():
        normal = " ".join(text.split())
        normal = DIGITS.sub("0", normal) if is_label(normal, most) else normal
        yield normal.encode("utf-8", "surrogatepass")


def folded(text: str) -> str:
    """Return a text in Unicode's compatibility form and in lower case."""
    if not text.isascii():
        # Folding the case may leave letters that compose with the marks after them.
        text = normalize("NFKC", normalize("NFKC", text).casefold())
    return text.casefold()


def is_label(text: str, most: int) -> bool:
    """Tell whether a text has digits, and letters but few.

    Args:
        text: the text.
        most: how many letters are few.
    """
    if text.isascii():  # deleting bytes takes a tenth of the time of a search
        data = text.encode()
        if len(data.translate(None, _ASCII_DIGITS)) == len(data):
            return False
        return 0 < len(data.translate(None, b"\0" + _NOT_COUNTED)) <= most
    if DIGITS.search(text) is None:
        return False
    if len(text) <= most:  # as most labels
        return _LETTER.search(text) is not None
    begins = len(_LETTER.findall(text[: 2 * most]))
    return begins <= most and 0 < len(_LETTER.findall(text)) <= most


def form_of(char: str) -> int:
    """Return the code point of what stands for a character in normal forms.

    :data:`LETTER` is added where it is a letter; :data:`UNCLEAR` is returned where it depends on
    what is around, or is more than one character, or white space but a space, or a digit outside
    ASCII.
    """
    form = folded(char)
    # Marks and the letters of Hangul syllables compose with what is before them.
    is_clear = len(form) == 1 and not any(
        category(each)[0] == "M" or "\u1100" <= each <= "\u11ff" for each in (char, form)
    )
    if not is_clear or (form.isspace() and char != " ") or (form > "9" and form.isdecimal()):
        return UNCLEAR
    return ord(form) | LETTER * (form.isalnum() and not form.isdecimal())
