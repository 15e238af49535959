"""End marks and their places in a text; its lines and lists; its quotations and brackets."""

# ruff: noqa: RUF001 - marks and words of many languages are this module's data

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from crawler.core.hot_loops import EndMarks
from crawler.core.hot_loops.sentences import FIRST, LAST, NEVER_LAST, WORD_CHARS
from crawler.core.patterns import compiled_later
from crawler.core.sentences.languages import habits_of
from crawler.core.sentences.sentence import readable_ends

CJK_MARKS = "。！？｡．።፧፨။۔।॥།༎។៕꘎᠃"
"""Marks that end a sentence whatever follows, in scripts that write no capitals."""
HARD_MARKS = frozenset("!?‼⁇⁈⁉؟⸮" + CJK_MARKS)
"""All marks that end sentences but the full stop and the ellipsis."""
LOOK_BACK = WORD_CHARS
"""Characters enough to see the word before a mark, and the word behind it."""

_CLOSING = "\"'”’»«“‘›‹)]}）］】〕」』》〉〗｣"
_CLOSERS_IN_CLASS = _CLOSING.replace("]", r"\]")
_QUOTES = frozenset("\"'”’»«“‘›‹」』》〉｣")
_MARKS = ".…‥" + "".join(sorted(HARD_MARKS))
_NOTE = r"\[(?:[^\W\d_]{1,5} ?)?\d{1,3}\]"
# A run: end marks, the quotation marks and brackets closed there, and references to notes.
_RUN = rf"[{_MARKS}%s](?:{_NOTE}|[{_MARKS}%s{_CLOSERS_IN_CLASS}])*+(?:[ \xa0\u202f][»”](?!\w))?"
_MORE_MARKS = {"el": ";\u037e", "hy": ":։"}
_RUNS = {more: re.compile(_RUN % (more, more)) for more in ("", *_MORE_MARKS.values())}
_EMOJI = "\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\u20e3\U0001f000-\U0001faff"
TRAIL = compiled_later(
    rf"(?:[ \t\xa0]*+(?:[{_EMOJI}]++|[:;=]-?[)(DPp]++(?![\w/])|\^[_.]?\^;*+"
    r"|[ㅋㅎㅅㅠㅜㅡㄷㅇ]++(?!\w)|[~♡♥]++))*+"
)
"""Faces, laughter and hearts, which belong to the sentence before them."""
LEAD = compiled_later(r"[\s\"'“”„‚«»‹›‘’<(\[{（［【「『《〈〖¿¡\-–—―•·▪●■◆*…._#>~=|]{0,40}+")
"""What may be before the first letter of a sentence."""
_BEHIND = compiled_later(rf"({TRAIL.pattern})(\s*+){LEAD.pattern}")

_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_BREAK = compiled_later(f"[{_BREAKS}]+")
_LINE_ENDED = compiled_later(r"[.!?:…。！？｡：։؟۔।॥።፧။។][\s\"'”’»«“)\]」』）】]*\Z")
# Characters enough to see the mark that ended the line before.
_LINE_END_CHARS = 16

_ITEM = r"(?P<before>[•⁃*–-]?[ ]?\(?)(?P<value>\d{1,2}|[a-z])(?P<after>\.\)|\.|\))(?=\s)"
_FIRST_ITEM = compiled_later(rf"\s*{_ITEM}")
_NEXT_ITEM = compiled_later(rf"(?<=\s){_ITEM}")
# Markers with a point have an end mark.
_LISTED = compiled_later(r"\s*+[•⁃*–-]?[ ]?\(?(?:\d{1,2}|[a-z])\)\s")

_NOTE_REFERENCE = compiled_later(_NOTE)
# All white space but the space, and marks. One class of characters is found many times as fast as
# several.
_ENCLOSING = compiled_later(
    r"[\t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    r"\"`´<>“”„‟«»‹›‘‚‛()\[\]{}（）【】「」『』《》〈〉\ud800-\udfff]"
)
_QUOTING_APOSTROPHE = compiled_later(r"['’](?:(?<!\w['’])|(?!\w))")


class Place(NamedTuple):
    """A run of end marks in a passage, where a sentence may end. All numbers are offsets.

    ``start``, ``run``
        Where the run begins, and the run itself: end marks and what is closed with them.
    ``end``
        Where a sentence would end: behind the run, and behind a face or laughter that follows.
    ``following``, ``letter``
        The next character that is no white space; and that is no opening mark or dash either.
    """

    start: int
    run: str
    end: int
    following: int
    letter: int

    @property
    def hard(self) -> bool:
        """Whether one of :data:`HARD_MARKS` is among the marks."""
        return self.run != "." and not HARD_MARKS.isdisjoint(self.run)

    @property
    def closes_quote(self) -> bool:
        """Whether a quotation is closed with the marks."""
        return len(self.run) > 1 and not _QUOTES.isdisjoint(self.run[1:])


def run_at(passage: str, at: int, language: str) -> re.Match[str] | None:
    """Return the run of end marks that begins at a place; None where no mark is."""
    return _RUNS[_MORE_MARKS.get(language, "")].match(passage, at)


@cache
def end_marks(language: str) -> EndMarks:
    """Return what finds the end marks of a language, and knows its plain words."""
    habits = habits_of(language)
    told: dict[str, int] = {}
    for bit, words in (
        (NEVER_LAST, habits.never_final),
        (LAST, habits.list_ends),
        (LAST, {word for word in habits.starters if len(word) > 1}),
        (FIRST, habits.starters),
    ):
        for word in words:
            told[word] = told.get(word, 0) | bit
    marks = _MARKS + _MORE_MARKS.get(language, "")
    return EndMarks(marks, _BREAKS, _CLOSING, _ENCLOSERS, told)


def place_of(passage: str, run: re.Match[str]) -> Place | None:
    """Return the place of a run of end marks; None where nothing follows it."""
    behind = _BEHIND.match(passage, run.end())
    if behind is None or behind.end(2) == len(passage):
        return None
    return Place(run.start(), run[0], behind.end(1), behind.end(2), behind.end())


def proposals(passage: str, language: str) -> list[int]:
    """Return the offsets at which sentencex ends the sentences of a passage, ascending."""
    return readable_ends(_without_enclosing_marks(passage), language)


def divisible(texts: Sequence[str], language: str) -> frozenset[int]:
    """Return the numbers of the texts that are lists, or have a break or an end mark within."""
    listed = [number for number, text in enumerate(texts) if _LISTED.match(text)]
    return frozenset((*end_marks(language).within(texts), *listed))


def passages(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of ``text`` that no sentence crosses, as (start, end).

    A line break ends a sentence unless the sentence clearly goes on: the line before has no end
    mark, no empty line follows, and the next line begins with a lower-case letter.
    """
    start = 0
    for found in _BREAK.finditer(text):
        if not _goes_on(text, found):
            yield start, found.end()
            start = found.end()
    if start < len(text):
        yield start, len(text)


def _goes_on(text: str, found: re.Match[str]) -> bool:
    if found[0] not in {"\n", "\r\n", "\r"}:
        return False
    after = text[found.end() : found.end() + _LINE_END_CHARS].lstrip(" \t\xa0")
    if not after[:1].islower():
        return False
    before = text[max(0, found.start() - _LINE_END_CHARS) : found.start()].rstrip(" \t\xa0")
    return bool(before) and _LINE_ENDED.search(before) is None


def list_items(passage: str) -> Iterator[int]:
    """Yield where the second and later items of a list in one line begin.

    "1. Open the box 2. Take out the lamp" has two items. A passage is a list if it begins with a
    marker ("1.", "b)", "• 9.") and has further markers of the same form that count up by one.
    """
    first = None if passage[:1].isupper() else _FIRST_ITEM.match(passage)
    if first is None:
        return
    form, value = _form(first), first["value"]
    for marker in _NEXT_ITEM.finditer(passage, first.end()):
        following = str(int(value) + 1) if value.isdigit() else chr(ord(value) + 1)
        if _form(marker) == form and marker["value"] == following:
            value = following
            yield marker.start()


def _form(marker: re.Match[str]) -> tuple[str, str, bool]:
    return marker["before"].strip(), marker["after"], marker["value"].isdigit()


def _without_enclosing_marks(text: str) -> str:
    """Return ``text`` with quotation marks, brackets and line breaks as spaces, one for one.

    sentencex takes a quotation or a bracket for one piece, and an unpaired mark hides the rest of
    the text from it.
    """
    if "[" in text:
        text = _NOTE_REFERENCE.sub(lambda found: " " * len(found[0]), text)
    if "'" in text or "’" in text:
        text = _QUOTING_APOSTROPHE.sub(" ", text)
    return _ENCLOSING.sub(" ", text)


_PAIRS = dict(zip("([{（［【〔「『《〈〖｢“„‘‚«»‹›", ")]}）］】〕」』》〉〗｣”“’’»«›‹", strict=True))
# Pairs whose closing mark has a second form.
_ALSO_CLOSE = {"„": "”", "‚": "‘", "“": "„", "”": "”"}
_BRACKETS = frozenset("([{（［【〔")
_ENCLOSERS = "()[]{}（）［］【】〔〕「」『』《》〈〉〖〗｢｣“”„‘’‚«»‹›\"'"
# An apostrophe between letters, as in "don't", is none; Hangul and Han have none.
_MARK = compiled_later(
    rf"[{re.escape(_ENCLOSERS)}]"
    r"""(?!(?<=[^\W\d_]['’])(?=[^\W\d_])[\0-\u05ff])"""
)
_OPENS_AFTER = frozenset(" \t\n\r\xa0\u3000([{（「『“„«—–-:,/=>")
# A mark with no partner within this many characters is a slip, an apostrophe or a sign for inches.
_REACH = 500
_REACH_SINGLE = 200
_DEPTH = 8


class Enclosure(NamedTuple):
    """The offsets of a pair of marks; ``bracket`` is false for quotation marks."""

    opening: int
    closing: int
    bracket: bool


def enclosure_at(pairs: Sequence[Enclosure], at: int) -> Enclosure | None:
    """Return the pair around an offset, of pairs that are in order."""
    number = bisect_left(pairs, at, key=attrgetter("opening")) - 1
    return pairs[number] if number >= 0 and pairs[number].closing >= at else None


def outermost_enclosures(text: str) -> list[Enclosure]:
    """Return the pairs that are inside no other pair, in order. Takes linear time."""
    found: list[Enclosure] = []
    opened: list[tuple[int, str]] = []
    for token in _MARK.finditer(text):
        at, mark = token.start(), token[0]
        before, after = text[at - 1 : at] if at else " ", text[at + 1 : at + 2]
        begins = before in _OPENS_AFTER and not after.isspace()
        opens = begins if mark in "\"'" else mark in _PAIRS
        partner = None if opens and mark in "\"'" else _partner(opened, mark, at)
        if partner is None:
            if opens:
                opened.append((at, mark))
                del opened[:-_DEPTH]
            continue
        opening, opener = opened[partner]
        del opened[partner:]
        while found and found[-1].opening > opening:
            found.pop()
        found.append(Enclosure(opening, at, opener in _BRACKETS))
    return found


def _partner(opened: list[tuple[int, str]], mark: str, at: int) -> int | None:
    """Find the innermost open mark that this one closes."""
    for number in range(len(opened) - 1, -1, -1):
        opening, opener = opened[number]
        reach = _REACH_SINGLE if opener in "'‘‚" else _REACH
        closers = _PAIRS.get(opener, opener), _ALSO_CLOSE.get(opener)
        if at - opening <= reach and mark in closers:
            return number
    return None
