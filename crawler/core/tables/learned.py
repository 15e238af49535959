"""Genuine tables and layout: the method ``learned``.

Small ensembles of decision trees, learned from labelled tables, are asked in turn: two whether a
table is genuine, whose answers are averaged, one whether it has header rows, one whether it has
header columns. What they were learned from and how well they judge stands in docs/tables.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.tables.features import judge_features
from crawler.core.tables.headers import locate
from crawler.core.tables.rules import RulesMethod, Verdict
from crawler.core.tables.survey import Survey
from crawler.core.tables.words import default_words
from crawler.core.trees import TreeEnsemble, sigmoid

if TYPE_CHECKING:
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
_CERTAIN = (2, 3)
# Of 2,383 labelled tables of one row or one column 2,377 are layout, whatever they hold.
_ONE_LINE = 0.997
MORE_LIKELY = 0.5
"""The probability above which a table is called genuine."""


@cache
def load_trees(name: str) -> TreeEnsemble:
    """Read one of ``WEIGHTS``.

    Raises:
        CorpusError: The file is damaged.
    """
    path = files("crawler.core.tables").joinpath("weights", f"{name}.npz")
    return TreeEnsemble.from_bytes(path.read_bytes())


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
    reason is ``evidence``.
    """

    rules: RulesMethod = field(default_factory=RulesMethod)
    words: Words | None = None
    name: str = "learned"

    def judge(self, grid: Grid) -> Verdict:
        """Judge one table by all its evidence."""
        said = self.rules.judge(grid)
        if said.rule in _CERTAIN:
            return replace(said, confidence=1.0)
        if is_one_line(grid):
            said = said if not said.is_genuine else _undecided(said, is_genuine=False)
            return replace(said, confidence=_ONE_LINE)
        survey = Survey(grid, self.words or default_words())
        boosted, forest = load_trees("genuine_boosted"), load_trees("genuine_forest")
        features = judge_features(survey)
        rows = np.array([[features[name] for name in boosted.names]], np.float32)
        genuine = float(probability(boosted, forest, rows)[0])
        is_genuine = genuine > MORE_LIKELY
        if said.is_genuine != is_genuine:
            said = _undecided(said, is_genuine=is_genuine)
        return replace(
            said,
            confidence=genuine if is_genuine else 1 - genuine,
            areas=_located(survey) if is_genuine else None,
        )

    def locate(self, grid: Grid) -> Areas:
        """Return where the attributes of a table stand, given that it is genuine."""
        return _located(Survey(grid, self.words or default_words()))


def is_one_line(grid: Grid) -> bool:
    """Tell whether a table has one row or one column only."""
    return grid.rows <= 1 or grid.columns <= 1


def _undecided(said: Verdict, *, is_genuine: bool) -> Verdict:
    """Return a verdict that the rules do not share, with what they measured."""
    return Verdict(is_genuine, "evidence", coherency=said.coherency, main_type=said.main_type)


def _located(survey: Survey) -> Areas:
    return locate(survey, load_trees("header_row"), load_trees("header_column"))
