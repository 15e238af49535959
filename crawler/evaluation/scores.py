"""Precision, recall and F1 over multisets of words, for one page and for a set of pages.

A word is a run of letters and digits, lower-cased, in every language; every Han, Hiragana and
Katakana character is a word of its own, because those scripts write no spaces. *Letters and digits*
are the characters for which :meth:`str.isalnum` is true. A combining mark belongs to the word (or
the single character) that it follows; a mark that follows no letter or digit is no word. Everything
else separates words. Text is brought to Unicode normal form C first. Compatibility variants
(full-width letters, ligatures) stay different: a method that changed them would have changed the
text.

Sums over pages are exact (:func:`math.fsum`) before they are rounded, so no figure depends on the
order of the pages.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import groupby
from math import fsum
from typing import Any

from crawler.evaluation.rouge import tokens

SHINGLE_WORDS = 4
ROUGE_TOKENS = 5

# Letters and numbers of Han, Hiragana and Katakana, as the inside of a class of characters. Their
# punctuation and symbols separate words.
_CHARACTER_WORDS = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"  # marks and numerals
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fffd\U00030000-\U0003fffd"  # Han
    "\U00016fe3\U0001aff0-\U0001affe\U0001b000-\U0001b16f"  # an old mark, old kana
)

# All combining marks are in these ranges; a scan of all of Unicode would take longer.
_MARKED = (range(0x300, 0x20000), range(0xE0100, 0xE01F0))


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1, each between 0 and 1."""

    precision: float
    recall: float
    f1: float

    def as_json(self) -> dict[str, float]:
        """Return the three figures as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Overlap:
    """How two multisets meet: their sizes, and the size of their intersection.

    Overlaps add up: the sum over pages gives the *micro* score, in which every word weighs the same
    and a long page weighs more than a short one.
    """

    common: int = 0
    predicted: int = 0
    gold: int = 0

    def __add__(self, other: Overlap) -> Overlap:
        common, predicted = self.common + other.common, self.predicted + other.predicted
        return Overlap(common, predicted, self.gold + other.gold)

    @property
    def score(self) -> Score:
        """The score of this overlap.

        Nothing found where nothing is to be found is right: all three figures are 1. Where one side
        alone is empty nothing is right and all three are 0, so that a method gains no precision by
        keeping silent.
        """
        if not self.predicted and not self.gold:
            return Score(1.0, 1.0, 1.0)
        if not self.common:
            return Score(0.0, 0.0, 0.0)
        return Score(
            precision=self.common / self.predicted,
            recall=self.common / self.gold,
            f1=2 * self.common / (self.predicted + self.gold),
        )


class Confusion(Counter[tuple[Any, Any]]):
    """How many things of each kind were taken for which: counts of pairs of gold and found."""

    @property
    def accuracy(self) -> float:
        """Share of those whose kind is right."""
        right = sum(count for (gold, found), count in self.items() if gold == found)
        return right / self.total() if self else 0.0

    def score(self, kind: object) -> Score:
        """Return precision, recall and F1 of one kind."""
        predicted = sum(count for (_, found), count in self.items() if found == kind)
        wanted = sum(count for (gold, _), count in self.items() if gold == kind)
        return Overlap(self[kind, kind], predicted, wanted).score

    def as_json(self) -> dict[str, object]:
        """Return the figures and counts of a question of yes (True) and no."""
        cells = {"tp": (True, True), "fp": (False, True), "fn": (True, False), "tn": (False, False)}
        return {**self.figures(), "confusion": {name: self[pair] for name, pair in cells.items()}}

    def figures(self) -> dict[str, float]:
        """Return precision, recall, F1 and accuracy of such a question."""
        return {**self.score(kind=True).as_json(), "accuracy": self.accuracy}

    def rows(self) -> dict[Any, dict[Any, int]]:
        """Return for each gold kind the kinds it was taken for, the most frequent first."""
        ranked = sorted(self.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
        rows: dict[Any, dict[Any, int]] = {}
        for (gold, found), count in ranked:
            rows.setdefault(gold, {})[found] = count
        return rows


@dataclass(frozen=True, slots=True)
class PageScore:
    """How one page's text meets its gold text: in words, in shingles of four, and by ROUGE-5."""

    word: Overlap
    shingle: Overlap
    rouge: Overlap


def compare(predicted: Iterable[Hashable], gold: Iterable[Hashable]) -> Overlap:
    """Compare two multisets: an element found twice and wanted once is right once."""
    left, right = Counter(predicted), Counter(gold)
    return Overlap((left & right).total(), left.total(), right.total())


def shingles(page: Sequence[str]) -> list[tuple[str, ...]]:
    """Return every run of four neighbouring words.

    A page shorter than that is one shingle, the whole of it; a page without words has none.
    """
    return _runs(page, SHINGLE_WORDS) or ([tuple(page)] if page else [])


def rouge(predicted: str, gold: str) -> Overlap:
    """Compare two texts by their runs of five tokens.

    A text of fewer tokens has no run, and only where both are blank is that right.
    """
    if not predicted.strip() and not gold.strip():
        return Overlap()
    found, right = (_runs(tokens(text), ROUGE_TOKENS) for text in (predicted, gold))
    return compare(found, right) if found or right else Overlap(0, 1, 1)


def _runs(items: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return list(zip(*(items[start:] for start in range(size)), strict=False))


def score_page(predicted: str, gold: str) -> PageScore:
    """Compare the text found on a page with the text that is right."""
    found, right = words(predicted), words(gold)
    shared = compare(shingles(found), shingles(right))
    return PageScore(compare(found, right), shared, rouge(predicted, gold))


def mean(values: Sequence[float]) -> float:
    """Return the mean, whatever the order of the values; 0 where there are none."""
    return fsum(values) / len(values) if values else 0.0


def words(text: str) -> list[str]:
    """Return the words of ``text`` in their order, repetitions included."""
    return _word_pattern().findall(unicodedata.normalize("NFC", text).lower())


class ScoreBoard:
    """Collects page scores by site and returns their means."""

    def __init__(self) -> None:
        self._sites: defaultdict[str, list[PageScore]] = defaultdict(list)

    def add(self, site: str, page: PageScore) -> None:
        """Count one page of ``site``."""
        self._sites[site].append(page)

    @property
    def _all(self) -> list[PageScore]:
        return [page for pages in self._sites.values() for page in pages]

    @property
    def pages(self) -> int:
        """Number of pages counted."""
        return len(self._all)

    @property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites counted, sorted."""
        return tuple(sorted(self._sites))

    @property
    def word(self) -> Score:
        """Means over pages of the word precision, recall and F1."""
        return mean_score(page.word.score for page in self._all)

    @property
    def word_micro(self) -> Score:
        """Word precision, recall and F1 of all pages' counts added up."""
        return sum((page.word for page in self._all), Overlap()).score

    @property
    def shingle(self) -> Score:
        """Means over pages of the shingle precision and recall, and the F1 of those two means."""
        means = mean_score(page.shingle.score for page in self._all)
        total = means.precision + means.recall
        return replace(means, f1=2 * means.precision * means.recall / total if total else 0.0)

    @property
    def rouge(self) -> Score:
        """Means over pages of the precision, recall and F1 of ROUGE-5."""
        return mean_score(page.rouge.score for page in self._all)

    @property
    def site_mean_f1(self) -> float:
        """Mean over sites of the mean word F1 of a site's pages."""
        return mean([self.site(name)[1].f1 for name in self.sites])

    def site(self, name: str) -> tuple[int, Score]:
        """Return a site's number of pages and the means over them, in words."""
        pages = self._sites[name]
        return len(pages), mean_score(page.word.score for page in pages)

    def by_name(self) -> dict[str, object]:
        """Return the pages and scores of each site as a JSON object."""
        scores = ((name, *self.site(name)) for name in self.sites)
        return {name: {"pages": pages, **score.as_json()} for name, pages, score in scores}


def mean_score(scores: Iterable[Score]) -> Score:
    """Return the means of the three figures."""
    rows = [(score.precision, score.recall, score.f1) for score in scores]
    return Score(*map(mean, zip(*rows, strict=True))) if rows else Score(0.0, 0.0, 0.0)


@cache
def _word_pattern() -> re.Pattern[str]:
    own = _CHARACTER_WORDS
    points = [
        point for block in _MARKED for point in block if unicodedata.category(chr(point))[0] == "M"
    ]
    # Neighbours become one range: a class of many single characters is slow.
    runs = groupby(enumerate(points), lambda pair: pair[1] - pair[0])
    ranges = [[point for _, point in run] for _, run in runs]
    marks = "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in ranges)
    letter = rf"[^\W_{own}]"
    return re.compile(rf"[{own}][{marks}]*|{letter}+(?:[{marks}]+{letter}*)*")
