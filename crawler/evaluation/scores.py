"""Precision, recall and F1 over multisets, for one page and for a set of pages.

Sums over pages are exact (:func:`math.fsum`) before they are rounded, so no figure depends on the
order in which pages came.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING

from crawler.evaluation.words import words

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

__all__ = [
    "Overlap",
    "PageScore",
    "Score",
    "ScoreBoard",
    "compare",
    "harmonic_mean",
    "score_page",
    "shingles",
]

SHINGLE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1, each between 0 and 1."""

    precision: float
    recall: float
    f1: float

    def as_json(self) -> dict[str, float]:
        """Return the three figures as a JSON object."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


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
        return Overlap(
            self.common + other.common,
            self.predicted + other.predicted,
            self.gold + other.gold,
        )

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


@dataclass(frozen=True, slots=True)
class PageScore:
    """How one page's text meets its gold text, in words and in shingles of four words."""

    word: Overlap
    shingle: Overlap


def compare(predicted: Iterable[Hashable], gold: Iterable[Hashable]) -> Overlap:
    """Compare two multisets: an element found twice and wanted once is right once."""
    left, right = Counter(predicted), Counter(gold)
    return Overlap(
        common=(left & right).total(),
        predicted=left.total(),
        gold=right.total(),
    )


def shingles(page: Sequence[str], size: int = SHINGLE_WORDS) -> list[tuple[str, ...]]:
    """Return every run of ``size`` neighbouring words.

    A page shorter than that is one shingle, the whole of it; a page without words has none.
    """
    if len(page) < size:
        return [tuple(page)] if page else []
    return list(zip(*(page[start:] for start in range(size)), strict=False))


def score_page(predicted: str, gold: str) -> PageScore:
    """Compare the text found on a page with the text that is right."""
    found, right = words(predicted), words(gold)
    return PageScore(
        word=compare(found, right),
        shingle=compare(shingles(found), shingles(right)),
    )


def harmonic_mean(precision: float, recall: float) -> float:
    """Return the F1 of a precision and a recall; 0 where both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _column() -> array[float]:
    return array("d")


@dataclass(slots=True)
class _SiteScores:
    """Figures of one site's pages, one number a page and column."""

    micro: Overlap = field(default_factory=Overlap)
    precision: array[float] = field(default_factory=_column)
    recall: array[float] = field(default_factory=_column)
    f1: array[float] = field(default_factory=_column)
    shingle_precision: array[float] = field(default_factory=_column)
    shingle_recall: array[float] = field(default_factory=_column)

    def add(self, page: PageScore) -> None:
        self.micro += page.word
        word, shingle = page.word.score, page.shingle.score
        self.precision.append(word.precision)
        self.recall.append(word.recall)
        self.f1.append(word.f1)
        self.shingle_precision.append(shingle.precision)
        self.shingle_recall.append(shingle.recall)


class ScoreBoard:
    """Collects page scores by site and reads the means off. Asking an empty one is an error."""

    def __init__(self) -> None:
        self._sites: dict[str, _SiteScores] = {}

    def add(self, site: str, page: PageScore) -> None:
        """Count one page of ``site``."""
        self._sites.setdefault(site, _SiteScores()).add(page)

    @property
    def pages(self) -> int:
        """Number of pages counted."""
        return sum(len(site.f1) for site in self._sites.values())

    @property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites counted, sorted."""
        return tuple(sorted(self._sites))

    @property
    def word(self) -> Score:
        """Means over pages of the word precision, recall and F1."""
        return Score(self._mean("precision"), self._mean("recall"), self._mean("f1"))

    @property
    def word_micro(self) -> Score:
        """Word precision, recall and F1 of all pages' counts added up."""
        return sum((site.micro for site in self._sites.values()), Overlap()).score

    @property
    def shingle(self) -> Score:
        """Means over pages of the shingle precision and recall, and the F1 of those two means."""
        precision, recall = self._mean("shingle_precision"), self._mean("shingle_recall")
        return Score(precision, recall, harmonic_mean(precision, recall))

    @property
    def site_mean_f1(self) -> float:
        """Mean over sites of the mean word F1 of a site's pages."""
        return _mean([_mean(site.f1) for site in self._sites.values()])

    def site(self, name: str) -> tuple[int, Score]:
        """Return a site's number of pages and the means over them, in words."""
        scores = self._sites[name]
        return len(scores.f1), Score(
            _mean(scores.precision), _mean(scores.recall), _mean(scores.f1)
        )

    def _mean(self, column: str) -> float:
        return _mean([value for site in self._sites.values() for value in getattr(site, column)])
