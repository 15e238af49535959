"""Genuine tables and layout: the method ``learned``.

Three small ensembles of decision trees, learned from labelled tables, are asked in turn: whether a
table is genuine, and whether it has header rows and header columns. What they were learned from and
how well they judge stands in docs/tables.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from crawler.core.tables.features import judge_features
from crawler.core.tables.headers import locate
from crawler.core.tables.rules import RulesMethod, Verdict
from crawler.core.tables.survey import Survey
from crawler.core.tables.words import default_words
from crawler.core.trees import TreeEnsemble, sigmoid

if TYPE_CHECKING:
    from crawler.core.tables.areas import Areas
    from crawler.core.tables.grid import Grid
    from crawler.core.tables.words import Words

__all__ = ["WEIGHTS", "LearnedMethod", "load_trees"]

WEIGHTS = ("genuine", "header_row", "header_column")
"""Names of the ensembles, each a file of the package's data."""


@cache
def load_trees(name: str) -> TreeEnsemble:
    """Read one of ``WEIGHTS``.

    Raises:
        CorpusError: The file is damaged.
    """
    path = files("crawler.core.tables").joinpath("weights", f"{name}.npz")
    return TreeEnsemble.from_bytes(path.read_bytes())


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
        if not grid.cells:
            return replace(said, confidence=1.0)
        survey = Survey(grid, self.words or default_words())
        trees = load_trees("genuine")
        features = judge_features(survey)
        margins = trees.score([[features[name] for name in trees.names]])
        genuine = float(sigmoid(margins)[0])
        is_genuine = genuine > 0.5  # noqa: PLR2004 - more likely than not
        if said.is_genuine != is_genuine:
            said = Verdict(
                is_genuine, "evidence", coherency=said.coherency, main_type=said.main_type
            )
        return replace(
            said,
            confidence=genuine if is_genuine else 1 - genuine,
            areas=_located(survey) if is_genuine else None,
        )

    def locate(self, grid: Grid) -> Areas:
        """Return where the attributes of a table stand, given that it is genuine."""
        return _located(Survey(grid, self.words or default_words()))


def _located(survey: Survey) -> Areas:
    return locate(survey, load_trees("header_row"), load_trees("header_column"))
