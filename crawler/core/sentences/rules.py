"""Sentences in any language: sentencex proposes, rules judge.

sentencex knows the abbreviations and end marks of some 300 languages and proposes where sentences
end. Each run of end marks is then judged by the text around it, proposed or not.
"""

# ruff: noqa: RUF001 - marks and brackets of many languages are this module's data

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from crawler.core.hot_loops.sentences import GOES_ON, PROPOSED, UNKNOWN
from crawler.core.patterns import compiled_later
from crawler.core.sentences.languages import habits_of
from crawler.core.sentences.marks import (
    CJK_MARKS,
    HARD_MARKS,
    LEAD,
    LOOK_BACK,
    Enclosure,
    Place,
    divisible,
    enclosure_at,
    end_marks,
    list_items,
    outermost_enclosures,
    passages,
    place_of,
    proposals,
    run_at,
)
from crawler.core.sentences.sentence import (
    Sentence,
    ends_behind,
    is_abbreviation,
    sentences_between,
    sentencex_ends,
)

_WORD = compiled_later(r"\w")
_BEFORE_CAPITAL = compiled_later(" [A-Z]")
_LIST_MARKER = compiled_later(
    r"[\s(\[*•–-]*(?:\d{1,3}(?:\.\d{1,2}){0,3}|[^\W\d_]|[ivx]{1,4}|[IVX]{1,4})"
)
_LIST_MARKER_CHARS = 12
_ADDRESS = compiled_later(r"https?://|www\.")
_WEBLIKE = compiled_later(
    r"://|@|\bwww\.|\.(?i:com|org|net|edu|gov|info|html?|php|pdf|js|io)\b|\.[a-z]{2}\b"
)
# What sentencex takes for the beginning of a list's item.
_BULLET = compiled_later("[•⁃⁌⁍■□▪▫▶▸►◆◇○●◦★☆➢➣➤]")
_DASHES = frozenset("-–—―")
_OPENING_BRACKETS = frozenset("([（")
# Marks that are the full stop of one language each.
_STOPS = frozenset(";\u037e:։")
# A shorter quotation stays whole inside the sentence that quotes it.
_SHORT_QUOTE = 120
_UNSPACED = frozenset({"ja", "zh"})
_EAST_ASIAN = frozenset({"ja", "ko", "zh"})
_FIRST_HANGUL = "\u1100"
# An ellipsis ends a Korean sentence behind these, which are last words of sentences.
_FINAL_KOREAN = compiled_later(
    r"(?:다|요|죠|쥬|까|음|임|함|됨|네|군|니당|답니당|용|오|ㅋ|ㅎ|ㅠ|ㅜ)\s*\Z"
)
# Particles, endings that connect clauses, and single syllables: behind these it goes on.
_HANGING_KO = compiled_later(
    r"(?:[이가은는을를에로와과도의데나면서만고며어아까지려게해야랑]|(?<!\w)\w?)\s*\Z"
)
_NUMBER = compiled_later(r"\(?[-–]?(?:\d+\.?[-–/])*(\d+)")
_MONTH = compiled_later(
    r"(?:jan|feb|fév|m[aäá]r|apr|avr|ma[ijy]|máj|ju[nl]|jú[nl]|aug|sep|o[kc]t|nov|de[zc])",
    re.IGNORECASE,
)
_BEFORE_INITIAL = frozenset(("", "-", "."))
_INITIAL = compiled_later(r"(?:.*[-.])?[^\W\d_]", re.DOTALL)
_ACRONYM = compiled_later(r"(?:[^\W\d_]\.)+[^\W\d_]")
# Ordinals and days have no more digits; years have.
_ORDINAL_DIGITS = 2
# With fewer letters or digits, what is before a dot without a space is an abbreviation or initial.
_WORD_CHARS = 2
# Few abbreviations have more letters that are not known.
_ABBREVIATION_CHARS = 3
_NEXT_DOT = 3
# Arabic and Hebrew, which write no capitals and no dots inside words.
_UNCASED = compiled_later("[\u05d0-\u05ea\u0620-\u064a\u066e-\u06d3]+")
# "home.Joe went", but neither "Math.Random" nor "asp.Net".
_WHOLE = compiled_later(r"(?:^|\s)[^\W\d_A-Z]{4,}\Z")
_NAME = compiled_later(r"[^\W\d_][^\W\d_]+[\s,]")
_FIRST_WORD = compiled_later(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")
_TOKEN = compiled_later(r"[^\s(\[\"'“„«‘’/]*")
_APOSTROPHE = compiled_later("['’]")

# Korean particles and verbs that take up the words before them.
_QUOTING = r"이?라(?:고|며|는|면서|던|니|든지|도)(?=[\s,.]|\Z)|이?란\s"
_SAYING = r"하(?:고|며|면서|는|자)(?=[\s,.]|\Z)"
_QUOTING_KO = compiled_later(_QUOTING)
_ASKING_KO = compiled_later(rf"{_QUOTING}|{_SAYING}")
_AFTER_QUOTE_KO = compiled_later(
    rf"{_QUOTING}|{_SAYING}|(?:고(?:는|도)?|며|는)(?=[\s,.]|\Z)|등(?:의|을|이)?\s"
)
_HANGUL = compiled_later("[가-힣]")
_QUOTING_JA = compiled_later(
    r"と(?![こてもにりき])|って|は(?![いじる])|が(?!ん)|を|に(?![ほし])|の(?!ち)|も(?![うしっ])|で(?![もす])"
    r"|な(?:ど|んて)|だ[とっ]|、|，"
)
_SAYS_ZH = compiled_later("[^。，！？；：“”「」『』\\s]{0,10}?[说說问問道喊叫答想写寫讲講嚷骂罵]")
_TAKES_UP_ZH = compiled_later("[的地得之等里裡中，、；]")
_TITLE_CLOSERS = frozenset("》〉")
_ASKING_MARKS = frozenset("？！?!")
_SAYS_EN = compiled_later(
    r"\s*(?:(?:Mr|Mrs|Ms|Dr)\.\s)?[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)?\s(?:said|says|asked|asks|cried|"
    r"replied|shouted|whispered|answered|added|exclaimed|muttered|wrote|called|yelled|laughed|"
    r"beams|beamed|wondered|continued|agreed|insisted|declared)\b"
)
_QUOTE_LOOK_AHEAD = 80


def split_by_sentencex(texts: Sequence[str], language: str) -> list[tuple[Sentence, ...]]:
    """Return the sentences of sentencex alone, without white space around them."""
    return [sentences_between(text, sentencex_ends(text, language or "en")) for text in texts]


def split_by_marks(texts: Sequence[str], language: str) -> list[tuple[Sentence, ...]]:
    """Return the sentences of texts by their marks, lines and lists.

    Args:
        texts: any texts.
        language: primary subtag of a BCP 47 tag; "" for an unknown language in Latin script.
    """
    language = language or "en"
    within = divisible(texts, language)
    return [
        sentences_between(text, _cuts(text, language) if number in within else ())
        for number, text in enumerate(texts)
    ]


def _cuts(text: str, language: str) -> list[int]:
    """Return where the sentences of a text end, but for the last one."""
    # Most texts have no break, and begin no list.
    if text[:1].isupper() and text.splitlines() == [text]:
        return _ends(text, 0, language)
    found: list[int] = []
    for start, end in passages(text):
        passage = text[start:end]
        first = 0
        for item in (*list_items(passage), len(passage)):
            found += _ends(passage[first:item], start + first, language)
            found.append(start + item)
            first = item
    return found


def _ends(passage: str, start: int, language: str) -> list[int]:
    """Return where sentences end in a passage, which begins at ``start``, but for the last one."""
    found: list[int] = []
    marks = end_marks(language)
    pairs = outermost_enclosures(passage) if marks.encloses(passage) else ()
    judge = _Judge(passage, language)
    behind = 0
    for at, told in marks.places(passage):
        if at < behind:  # a mark of a run that was judged
            continue
        pair = enclosure_at(pairs, at) if pairs else None
        if told == UNKNOWN or pair is not None:
            run = run_at(passage, at, language)
            if run is None or run.end() == len(passage):
                break
            behind, end = run.end(), judge.end_at(run, pair)
        else:
            end = judge.end_at_dot(at, told)
        if end is not None:
            found.append(start + end)
    return found


class _Judge:
    """Judges the places of one passage in order, and knows where the present sentence began."""

    def __init__(self, passage: str, language: str) -> None:
        self._text = passage
        self._language = language
        self._habits = habits_of(language)
        self._proposals: list[int] | None = None
        self._begin_sentence(0)

    def _begin_sentence(self, at: int) -> None:
        self._begin = at
        # Offset of the first word of the present sentence; None until asked for.
        self._first_word: int | None = None

    @property
    def _words_begin(self) -> int:
        """Where the first word of the present sentence begins."""
        if self._first_word is None:
            word = _WORD.search(self._text, self._begin)
            self._first_word = word.start() if word else len(self._text)
        return self._first_word

    def end_at_dot(self, at: int, told: int) -> int | None:
        """Return where the present sentence ends with a dot between words; None where it goes on.

        Args:
            at: where the dot is, in no pair of marks.
            told: what the words tell, as :class:`crawler.core.hot_loops.sentences.EndMarks` says.
        """
        if told == GOES_ON:
            return None
        if told == PROPOSED:
            # A word is asked for sooner than the passage, and most words are met again.
            is_told = not self._has_bullets and ends_behind(self._token(at), self._language)
            if not is_told and not self._is_proposed(at, at + 2):
                return None
        self._begin, self._first_word = at + 1, at + 2
        return at + 1

    def end_at(self, run: re.Match[str], pair: Enclosure | None) -> int | None:
        """Return where the present sentence ends with a run of marks; None where it goes on.

        Args:
            run: the marks.
            pair: the quotation marks or brackets around the first of them.
        """
        text, (start, end) = self._text, run.span()
        # Marks without a word are no sentence of their own; "(?)" doubts a word.
        if (
            self._words_begin >= start
            or text[start - 1] in _OPENING_BRACKETS
            or (start - self._begin <= _LIST_MARKER_CHARS and self._is_list_marker(start))
        ):
            return None
        # What is below says the same of such a place, more slowly.
        if pair is None and run[0] == "." and _BEFORE_CAPITAL.match(text, end):
            if not self._ends_by_dot(start, end + 1):
                return None
            self._begin, self._first_word = end, end + 1
            return end
        place = place_of(text, run)
        if place is None or not self._ends(place, pair):
            return None
        self._begin_sentence(place.end)
        return place.end

    def _is_list_marker(self, end: int) -> bool:
        """Tell whether the sentence so far, a short one, is nothing but "1." or "b."."""
        is_dot = self._text[end] == "."
        return is_dot and _LIST_MARKER.fullmatch(self._text, self._begin, end) is not None

    def _ends(self, place: Place, pair: Enclosure | None) -> bool:
        """Tell whether the present sentence ends at a place, which may be within a pair."""
        if place.end >= self._words_end:
            return False
        if pair is not None and place.start + len(place.run) <= pair.closing:
            return self._may_end_within(pair, place) and self._ends_by_mark(place)
        if (pair is not None or place.run != ".") and self._goes_on_behind(pair, place):
            return False
        return self._ends_by_mark(place)

    def _may_end_within(self, pair: Enclosure, place: Place) -> bool:
        """Tell whether a sentence may end inside quotation marks or brackets."""
        length = pair.closing - pair.opening
        if not pair.bracket and length > _SHORT_QUOTE and self._language not in _EAST_ASIAN:
            return True
        if pair.opening > self._words_begin or place.end >= pair.closing:
            return False
        # It may if the enclosed text ends as a sentence, and none goes on behind it.
        text, end = self._text, pair.closing + 1
        last = text[pair.closing - 1]
        if last not in HARD_MARKS and last not in ".…":
            return False
        lead = LEAD.match(text, end)
        letter = lead.end() if lead else end
        goes_on = self._goes_on_after_quote(text[end - 2 : end], end, at_start=True)
        return not goes_on and not text[letter : letter + 1].islower()

    def _goes_on_behind(self, pair: Enclosure | None, place: Place) -> bool:
        """Tell whether the sentence goes on behind a quotation or bracket closed with the marks."""
        at_start = pair is not None and pair.opening <= self._words_begin
        if place.closes_quote:
            return self._goes_on_after_quote(place.run, place.end, at_start=at_start)
        remark = pair is not None and pair.bracket and not at_start
        return remark and self._language in _UNSPACED

    def _goes_on_after_quote(self, run: str, end: int, *, at_start: bool) -> bool:
        """Tell whether a sentence goes on right behind a closing quotation mark: "…?" she asked."""
        language, after = self._language, self._text[end : end + _QUOTE_LOOK_AHEAD]
        if language == "ko":
            return bool(_HANGUL.match(after) or _AFTER_QUOTE_KO.match(after.lstrip()))
        if language == "ja":
            return _QUOTING_JA.match(after) is not None
        if language == "zh":
            if not _TITLE_CLOSERS.isdisjoint(run) or _TAKES_UP_ZH.match(after):
                return True
            asked = not _ASKING_MARKS.isdisjoint(run)
            return at_start and asked and _SAYS_ZH.match(after) is not None
        says = language == "en" and at_start and "." not in run
        return says and _SAYS_EN.match(after) is not None

    def _ends_by_mark(self, place: Place) -> bool:
        # A Korean sentence may go on with a word that takes up what is before.
        if self._language == "ko":
            takes_up = _ASKING_KO if place.hard else _QUOTING_KO
            if takes_up.match(self._text, place.following):
                return False
        if place.following == place.start + len(place.run):
            return self._ends_unspaced(place)
        following = self._text[place.letter : place.letter + 1]
        if following.islower() and self._language not in _EAST_ASIAN and self._has_capitals:
            return self._ends_before_small(place)
        return bool(following) and self._ends_spaced(place)

    def _ends_spaced(self, place: Place) -> bool:
        if place.run == ".":
            return self._ends_by_dot(place.start, place.letter)
        if place.hard or place.run[0] in _STOPS:
            return True
        if not any(mark in place.run for mark in ("…", "‥", "..")):
            return self._ends_by_dot(place.start, place.letter)
        if self._language == "ko":
            before = self._before(place.start)
            return bool(_FINAL_KOREAN.search(before)) or _HANGING_KO.search(before) is None
        return self._language not in _UNSPACED

    @cached_property
    def _has_bullets(self) -> bool:
        """Whether any of the text is a list, of which sentencex makes one sentence an item."""
        return not self._text.isascii() and _BULLET.search(self._text) is not None

    @cached_property
    def _words_end(self) -> int:
        """Where the last word ends."""
        end = len(self._text)
        while end and _WORD.match(self._text, end - 1) is None:
            end -= 1
        return end

    @cached_property
    def _has_capitals(self) -> bool:
        """Whether the writer uses capitals at all; if not, small letters mean nothing."""
        return self._text != self._text.lower()

    def _ends_before_small(self, place: Place) -> bool:
        """Tell whether a sentence ends before a small letter: careless writers begin so."""
        between = self._text[place.following : place.letter]
        if place.closes_quote or not _DASHES.isdisjoint(between):
            return False
        if _ADDRESS.match(self._text, place.letter):
            return True
        careless = self._text[self._words_begin].islower()
        if place.hard:
            marks = [mark for mark in place.run if mark in HARD_MARKS]
            return careless or marks != ["!"]
        token = self._token(place.start)
        if not careless and not self._is_whole(token) and not self._begins_sentence(place.letter):
            return False
        is_short = len(token) <= _WORD_CHARS and not self._is_whole(token)
        if place.run != "." or is_short or not token.isalpha():
            return False
        return not self._is_short(token.lower()) and not is_abbreviation(token, self._language)

    def _is_whole(self, token: str) -> bool:
        """Tell whether a word of English is no abbreviation, but for those that are known."""
        if self._language != "en":
            return False
        is_name = len(token) > 1 and token.isupper()
        return is_name or len(token) > _ABBREVIATION_CHARS or token in self._habits.common

    def _is_short(self, word: str) -> bool:
        """Tell whether a word is a known abbreviation."""
        own = self._habits
        shorts = (own.never_final, own.before_number, own.abbreviations, own.list_ends)
        return any(word in words for words in shorts)

    def _ends_unspaced(self, place: Place) -> bool:
        """Tell whether a sentence ends where no space follows the mark, as in "end.The"."""
        text, at = self._text, place.following
        if any(mark in CJK_MARKS for mark in place.run):
            return True
        if self._language in _EAST_ASIAN and text[at].isalpha() and text[at] >= _FIRST_HANGUL:
            # In Korean a last word ends it, not syllables with dots between them for emphasis.
            word = re.split(r"[\s.]", self._before(place.start))[-1]
            final = len(word) > 1 and (place.hard or _FINAL_KOREAN.search(word) is not None)
            return final if self._language == "ko" else place.hard
        before = text[max(0, place.start - _WORD_CHARS) : place.start]
        is_marked = self._language == "ko" and text[at] in "[<*※" and _FINAL_KOREAN.search(before)
        is_uncased = len(before) > 1 and _UNCASED.fullmatch(before + text[at])
        if text[at] in "¿¡" or is_marked or is_uncased:
            return True
        is_word = before.isdigit() or (before.isalpha() and before.islower())
        if len(before) < _WORD_CHARS or not is_word or not text[at].isupper():
            return False
        is_new = self._is_proposed(place.start, place.letter) or self._begins_sentence(at)
        if not is_new and not (_WHOLE.search(self._before(place.start)) and _NAME.match(text, at)):
            return False
        around = text[max(0, place.start - LOOK_BACK) : at + LOOK_BACK]
        return _WEBLIKE.search(around) is None and "." not in text[at : at + _NEXT_DOT]

    def _ends_by_dot(self, start: int, letter: int) -> bool:
        """Tell whether a sentence ends at a dot before a space and no small letter.

        Args:
            start: where the dot is.
            letter: where the next character is that is neither white space nor an opening mark.
        """
        token = self._token(start)
        following = self._text[letter : letter + 1]
        if token[-1:].isdecimal() and (number := _NUMBER.fullmatch(token)):
            return self._ends_after_number(start, letter, number[1])
        word, habits = token.lower(), self._habits
        if word in habits.never_final or (following.isdigit() and word in habits.before_number):
            return False
        capital = following.isupper()
        # A short word, such as "it", is no abbreviation.
        common = word in habits.list_ends or (len(word) > 1 and word in habits.starters)
        if capital and (common or self._begins_sentence(letter)):
            return True
        is_name = capital or not following.isalpha() or _UNCASED.match(following) is not None
        if is_name and token[-2:-1] in _BEFORE_INITIAL and _INITIAL.fullmatch(token):
            is_acronym = not capital and _ACRONYM.fullmatch(token) is not None
            return is_acronym and self._is_proposed(start, letter)
        return self._is_proposed(start, letter)

    def _ends_after_number(self, start: int, letter: int, digits: str) -> bool:
        following = self._text[letter : letter + 1]
        if self._language == "ko" or (self._language in _UNSPACED and following.isdigit()):
            return False
        if len(digits) <= _ORDINAL_DIGITS and following.isalpha():
            if self._habits.ordinals:
                return self._begins_sentence(letter)
            if self._language != "en" and _MONTH.match(self._text, letter):
                return False
        return following.isupper() or self._is_proposed(start, letter)

    def _begins_sentence(self, at: int) -> bool:
        """Tell whether the word at ``at`` is one that begins sentences and is no name."""
        word = _FIRST_WORD.match(self._text, at, at + LOOK_BACK)
        if word is None:
            return False
        initial = len(word[0]) == 1 and self._text[word.end() : word.end() + 1] == "."
        return not initial and _APOSTROPHE.split(word[0], 1)[0].lower() in self._habits.starters

    def _is_proposed(self, start: int, letter: int) -> bool:
        """Tell whether sentencex ends a sentence here."""
        # Most places are judged without it.
        if self._proposals is None:
            self._proposals = proposals(self._text, self._language)
        at = bisect_right(self._proposals, start)
        return at < len(self._proposals) and self._proposals[at] <= letter

    def _before(self, at: int) -> str:
        return self._text[max(0, at - LOOK_BACK) : at]

    def _token(self, at: int) -> str:
        """Return the text before a mark, up to a space or an opening mark."""
        before = self._before(at)
        last = before.rpartition(" ")[2]
        if last.isalnum():  # most are
            return last
        found = _TOKEN.match(before[::-1])
        return found[0][::-1] if found else ""
