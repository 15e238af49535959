"""Whether a sentence ends at a run of end marks, judged by what stands around it."""

# ruff: noqa: RUF001 - end marks and brackets of many languages are this module's data

from __future__ import annotations

import re
from functools import cached_property

from crawler.core.sentences.dots import ends_before_small, ends_by_dot, ends_unspaced
from crawler.core.sentences.enclosures import Enclosure, outermost_enclosures
from crawler.core.sentences.habits import habits_of
from crawler.core.sentences.korean_endings import FINAL_ENDING
from crawler.core.sentences.marks import CJK_MARKS, DASHES, HARD_MARKS, LEAD
from crawler.core.sentences.place import LOOK_BACK, Place, begins_sentence
from crawler.core.sentences.speech import goes_on_after_quote, is_taken_up

__all__ = ["Judge"]

_WORD = re.compile(r"\w")
_LIST_MARKER = re.compile(
    r"[\s(\[*•–-]*(?:\d{1,3}(?:\.\d{1,2}){0,3}|[^\W\d_]|[ivx]{1,4}|[IVX]{1,4})"
)
_LIST_MARKER_LENGTH = 12
_ADDRESS = re.compile(r"https?://|www\.")
_OPENING_BRACKETS = frozenset("([（")
# Marks that end sentences of one language as a full stop does others.
_STOPS = frozenset(";\u037e:։")
# Short quoted speech stays whole within the sentence that quotes it.
_SHORT_QUOTE = 120
_UNSPACED = frozenset({"ja", "zh"})
_EAST_ASIAN = frozenset({"ja", "ko", "zh"})
_FIRST_HANGUL = "\u1100"


class Judge:
    """Judges the places of one passage in order, knowing where the present sentence began."""

    def __init__(self, passage: str, language: str) -> None:
        self._text = passage
        self._language = language
        self._habits = habits_of(language)
        last = _WORD.search(passage[::-1])
        self._words_end = len(passage) - last.start() if last else 0
        self._next_enclosure = 0
        self.cut(0)

    def cut(self, end: int) -> None:
        """Begin a new sentence at ``end``."""
        self._begin = end
        word = _WORD.search(self._text, end)
        self._word = word.start() if word else len(self._text)

    def ends(self, place: Place) -> bool:
        """Tell whether the present sentence ends here."""
        # Marks without a word are no sentence of their own.
        if self._word >= place.start or place.end >= self._words_end:
            return False
        if self._is_list_marker(place):
            return False
        if self._text[place.start - 1] in _OPENING_BRACKETS:  # "(?)" doubts a word
            return False
        pair = self._enclosure(place.start)
        if pair is not None and place.start + len(place.run) <= pair.closing:
            return self._may_end_within(pair, place) and self._ends_by_mark(place)
        return not self._goes_on_behind(pair, place) and self._ends_by_mark(place)

    def _is_list_marker(self, place: Place) -> bool:
        """Tell whether nothing but "1." or "b." stands before the mark."""
        if place.start - self._begin > _LIST_MARKER_LENGTH or place.run[0] != ".":
            return False
        return _LIST_MARKER.fullmatch(self._text, self._begin, place.start) is not None

    @cached_property
    def _enclosures(self) -> list[Enclosure]:
        return outermost_enclosures(self._text)

    def _enclosure(self, at: int) -> Enclosure | None:
        """Return the pair around ``at``. Places come in order: the search goes on, never back."""
        pairs = self._enclosures
        while self._next_enclosure < len(pairs) and pairs[self._next_enclosure].closing < at:
            self._next_enclosure += 1
        if self._next_enclosure == len(pairs):
            return None
        pair = pairs[self._next_enclosure]
        return pair if pair.opening < at else None

    def _may_end_within(self, pair: Enclosure, place: Place) -> bool:
        """Tell whether a sentence may end between two quotation marks or brackets."""
        length = pair.closing - pair.opening
        if not pair.bracket and length > _SHORT_QUOTE and self._language not in _EAST_ASIAN:
            return True
        at_start = pair.opening <= self._word
        return at_start and place.end < pair.closing and self._is_whole(pair)

    def _is_whole(self, pair: Enclosure) -> bool:
        """Tell whether what is enclosed ends as a sentence and none goes on behind it."""
        text, end = self._text, pair.closing + 1
        last = text[pair.closing - 1]
        if last not in HARD_MARKS and last not in ".…":
            return False
        if goes_on_after_quote(text, self._language, text[end - 2 : end], end):
            return False
        lead = LEAD.match(text, end)
        letter = lead.end() if lead else end
        return not text[letter : letter + 1].islower()

    def _goes_on_behind(self, pair: Enclosure | None, place: Place) -> bool:
        """Tell whether the sentence goes on behind what is closed with the marks."""
        at_start = pair is not None and pair.opening <= self._word
        if place.closes_quote:
            return goes_on_after_quote(
                self._text, self._language, place.run, place.end, at_start=at_start
            )
        remark = pair is not None and pair.bracket and not at_start
        return remark and self._language in _UNSPACED

    def _ends_by_mark(self, place: Place) -> bool:
        east_asian = self._language in _EAST_ASIAN
        if self._language == "ko" and is_taken_up(self._text, place.following, asked=place.hard):
            return False
        if place.unspaced:
            return self._ends_unspaced(place)
        following = self._text[place.letter : place.letter + 1]
        if following.islower() and not east_asian and self._has_capitals:
            return self._ends_before_small(place)
        return bool(following) and self._ends_spaced(place)

    def _ends_spaced(self, place: Place) -> bool:
        if place.hard or place.run[0] in _STOPS:
            return True
        if place.ellipsis:
            return self._ends_after_ellipsis(place)
        return ends_by_dot(self._text, place, self._language, self._habits)

    def _ends_after_ellipsis(self, place: Place) -> bool:
        if self._language == "ko":
            return FINAL_ENDING.search(self._before(place)) is not None
        return self._language not in _UNSPACED

    @cached_property
    def _has_capitals(self) -> bool:
        """Whether the writer uses capitals at all: without, small letters tell nothing."""
        return self._text != self._text.lower()

    def _ends_before_small(self, place: Place) -> bool:
        """Tell whether a sentence ends before a word without a capital."""
        between = self._text[place.following : place.letter]
        if place.closes_quote or not DASHES.isdisjoint(between):
            return False
        if _ADDRESS.match(self._text, place.letter):
            return True
        careless = self._text[self._word].islower()
        if place.hard:
            marks = [mark for mark in place.run if mark in HARD_MARKS]
            return careless or marks != ["!"]
        begins = careless or begins_sentence(self._text, place.letter, self._habits)
        return begins and ends_before_small(self._text, place, self._language, self._habits)

    def _ends_unspaced(self, place: Place) -> bool:
        """Tell whether a sentence ends where no space follows the mark."""
        following = self._text[place.following]
        if any(mark in CJK_MARKS for mark in place.run):
            return True
        if self._language in _EAST_ASIAN and following.isalpha() and following >= _FIRST_HANGUL:
            return self._ends_korean(place) if self._language == "ko" else place.hard
        return ends_unspaced(self._text, place, self._habits)

    def _ends_korean(self, place: Place) -> bool:
        """Tell a last word from syllables that are set apart by dots for emphasis."""
        word = re.split(r"[\s.]", self._before(place))[-1]
        return len(word) > 1 and (place.hard or FINAL_ENDING.search(word) is not None)

    def _before(self, place: Place) -> str:
        return self._text[max(0, place.start - LOOK_BACK) : place.start]
