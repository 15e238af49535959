"""Genuine tables and layout: the method ``learned``.

Small ensembles of decision trees, learned from labelled tables, are asked in turn: two whether a
table is genuine, whose answers are averaged, one whether it has header rows, one whether it has
header columns. What they were learned from and how well they judge stands in docs/tables.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.tables.features import judge_features
from crawler.core.tables.headers import locate_all
from crawler.core.tables.rules import RulesMethod, Verdict
from crawler.core.tables.survey import Survey
from crawler.core.tables.words import default_words
from crawler.core.trees import TreeEnsemble, sigmoid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from crawler.core.tables.areas import Areas
    from crawler.core.tables.grid import Grid
    from crawler.core.tables.words import Words

__all__ = [
    "MORE_LIKELY",
    "WEIGHTS",
    "LearnedMethod",
    "is_one_line",
    "load_trees",
    "probability",
]

WEIGHTS = ("genuine_boosted", "genuine_forest", "header_row", "header_column")
"""Names of the ensembles, each a file of the package's data."""
# A table of one cell, or without a character, relates nothing to anything.
_CERTAIN = ("one-cell", "no-text")
# Of 2,383 labelled tables of one row or one column 2,377 are layout, whatever they hold.
_ONE_LINE = 0.997
# Tables whose features are held at a time.
_AT_ONCE = 256
MORE_LIKELY = 0.5
"""The probability above which a table is called genuine."""


@cache
def load_trees(name: str) -> TreeEnsemble:
    """Read one of ``WEIGHTS``.

    Raises:
        CorpusError: The file is damaged.
    """
    return TreeEnsemble.shipped("crawler.core.tables", name)


def probability(
    boosted: TreeEnsemble, forest: TreeEnsemble, rows: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return how likely tables are genuine, one row of features each.

    Boosted trees tell kinds apart more sharply; a forest is less misled by labels that disagree,
    and counts twice.
    """
    return (sigmoid(boosted.score(rows)) + 2 * forest.score(rows)) / 3


@dataclass(frozen=True, slots=True)
class LearnedMethod:
    """Judges by shape, markup, drawing and content together.

    Where the published rules come to the same verdict their reason is told; where they do not the
    reason is ``evidence``. Of a huge table both look at its first part.
    """

    rules: RulesMethod = field(default_factory=RulesMethod)
    words: Words | None = None
    name: str = "learned"

    def judge(self, grid: Grid) -> Verdict:
        """Judge one table by all its evidence."""
        return self.judge_all((grid,))[0]

    def judge_all(self, grids: Sequence[Grid]) -> tuple[Verdict, ...]:
        """Judge tables, each by itself. The trees are asked of many at once, which is faster."""
        found: list[Verdict] = []
        for start in range(0, len(grids), _AT_ONCE):
            found += self._judge_some(grids[start : start + _AT_ONCE])
        return tuple(found)

    def _judge_some(self, grids: Sequence[Grid]) -> list[Verdict]:
        words = self.words or default_words()
        surveys = [Survey(grid, words) for grid in grids]
        # Of a huge table the rules see the same part as the trees.
        verdicts = [self.rules.judge(survey.grid) for survey in surveys]
        asked: list[int] = []
        for at, (grid, said) in enumerate(zip(grids, verdicts, strict=True)):
            if said.reason in _CERTAIN and surveys[at].grid is grid:
                verdicts[at] = replace(said, confidence=1.0)
            elif is_one_line(grid):
                layout = _undecided(said, is_genuine=False) if said.is_genuine else said
                verdicts[at] = replace(layout, confidence=_ONE_LINE)
            else:
                asked.append(at)
        likely = _likely([surveys[at] for at in asked])
        genuine = [at for at, share in zip(asked, likely, strict=True) if share > MORE_LIKELY]
        areas = dict(zip(genuine, _located([surveys[at] for at in genuine]), strict=True))
        for at, share in zip(asked, likely, strict=True):
            said, is_genuine = verdicts[at], at in areas
            if said.is_genuine != is_genuine:
                said = _undecided(said, is_genuine=is_genuine)
            confidence = share if is_genuine else 1 - share
            verdicts[at] = replace(said, confidence=confidence, areas=areas.get(at))
        return verdicts

    def locate(self, grid: Grid) -> Areas:
        """Return where the attributes of a table stand, given that it is genuine."""
        return _located([Survey(grid, self.words or default_words())])[0]


def is_one_line(grid: Grid) -> bool:
    """Tell whether a table has one row or one column only."""
    return grid.rows <= 1 or grid.columns <= 1


def _undecided(said: Verdict, *, is_genuine: bool) -> Verdict:
    """Return a verdict that the rules do not share, with what they measured."""
    return Verdict(is_genuine, "evidence", coherency=said.coherency, main_type=said.main_type)


def _likely(surveys: Sequence[Survey]) -> list[float]:
    """Return how likely each table is genuine."""
    if not surveys:
        return []
    boosted, forest = load_trees("genuine_boosted"), load_trees("genuine_forest")
    found = [judge_features(survey) for survey in surveys]
    rows = np.array([[row[name] for name in boosted.names] for row in found], np.float32)
    return [float(share) for share in probability(boosted, forest, rows)]


def _located(surveys: Sequence[Survey]) -> tuple[Areas, ...]:
    return locate_all(surveys, load_trees("header_row"), load_trees("header_column"))
