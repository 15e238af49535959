"""The methods that classify tables as genuine or layout, by name; among them ``learned``.

``learned`` applies small ensembles of decision trees, learned from labelled tables: two for whether
a table is genuine, whose answers are averaged, one for header rows, one for header columns.
docs/tables.md describes the training data and the accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crawler.core.errors import UnknownMethodError
from crawler.core.page.parse import ParsedPage
from crawler.core.tables.areas import Areas
from crawler.core.tables.features import Survey, judge_features
from crawler.core.tables.grid import Grid
from crawler.core.tables.headers import locate_all, names_its_links
from crawler.core.tables.paper_method import Constants, Verdict, judge_by_rules, locate_by_rules
from crawler.core.tables.values import PAPER_FORMS, WIDE_FORMS
from crawler.core.tables.words import Words, default_words
from crawler.core.trees import TreeEnsemble, sigmoid

DEFAULT_TABLE_METHOD = "learned"
TABLE_METHODS = (DEFAULT_TABLE_METHOD, "rules", "rules-literal")
MORE_LIKELY = 0.5
"""The probability above which a table is called genuine."""
# Reasons of the rules that need no further evidence: one cell, or no text at all.
_CERTAIN = ("one-cell", "no-text")
# The share of layout among labelled tables of one row or one column: 2,377 of 2,383.
_ONE_LINE = 0.997
# How likely a table of links is genuine whose columns or self markup names.
_MARKED = 0.6
# How many tables are judged at a time, which bounds the memory of their features.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class TableMethod:
    """Classifies tables as genuine or layout. The same table always gets the same verdict.

    Attributes:
        name: one of :data:`TABLE_METHODS`. ``rules`` takes d+:d+ for times and d+/d+/d+ for dates,
            as table 2 of the paper does. ``rules-literal`` takes d+-d+-d+ for dates and ddd:ddd for
            postal codes too, and goes without the check that section 4.1 adds for strings.
            Where the published rules come to the same verdict as ``learned`` the reason is theirs,
            else ``evidence``.
        constants: those of the published method.
        words: the lists by which data types and attributes are told.
    """

    name: str
    constants: Constants
    words: Words

    def judge(self, grid: Grid) -> Verdict:
        """Judge one table."""
        return self.judge_all((grid,))[0]

    def judge_all(self, grids: Sequence[Grid]) -> tuple[Verdict, ...]:
        """Judge tables, each by itself, many at a time, which is faster."""
        if self.name != "learned":
            return tuple(judge_by_rules(grid, self.constants, self.words) for grid in grids)
        found: list[Verdict] = []
        for start in range(0, len(grids), _AT_ONCE):
            found += self._learned(grids[start : start + _AT_ONCE])
        return tuple(found)

    def locate(self, grid: Grid) -> Areas:
        """Return where the attributes of a table stand, given that it is genuine."""
        if self.name != "learned":
            return locate_by_rules(grid, self.constants, self.words)
        return _located([Survey(grid, self.words)])[0]

    def _learned(self, grids: Sequence[Grid]) -> list[Verdict]:
        surveys = [Survey(grid, self.words) for grid in grids]
        # Of a huge table the rules see the same part as the trees.
        verdicts = [judge_by_rules(each.grid, self.constants, self.words) for each in surveys]
        asked: list[int] = []
        for at, (grid, said) in enumerate(zip(grids, verdicts, strict=True)):
            if said.reason in _CERTAIN and surveys[at].grid is grid:
                verdicts[at] = replace(said, confidence=1.0)
            elif grid.rows <= 1 or grid.columns <= 1:
                verdicts[at] = replace(_decided(said, genuine=False), confidence=_ONE_LINE)
            else:
                asked.append(at)
        if not asked:
            return verdicts
        boosted, forest = load_trees("genuine_boosted"), load_trees("genuine_forest")
        features = [judge_features(surveys[at]) for at in asked]
        rows = np.array([[row[name] for name in boosted.names] for row in features], np.float32)
        likely = probability(boosted, forest, rows).tolist()
        # Labelled tables of links are nearly all menus; markup says more of this one.
        likely = [
            max(share, _MARKED) if names_its_links(surveys[at]) else share
            for at, share in zip(asked, likely, strict=True)
        ]
        genuine = [at for at, share in zip(asked, likely, strict=True) if share > MORE_LIKELY]
        areas = dict(zip(genuine, _located([surveys[at] for at in genuine]), strict=True))
        for at, share in zip(asked, likely, strict=True):
            said = _decided(verdicts[at], genuine=at in areas)
            confidence = share if at in areas else 1 - share
            verdicts[at] = replace(said, confidence=confidence, areas=areas.get(at))
        return verdicts


def get_table_method(
    name: str, constants: Constants | None = None, words: Words | None = None
) -> TableMethod:
    """Return the method of that name.

    Args:
        name: one of :data:`TABLE_METHODS`.
        constants: those of the published method; None for its own.
        words: the lists by which data types and attributes are told; None for those that come with
            the project.

    Raises:
        UnknownMethodError: There is none. The message lists those there are.
    """
    if name not in TABLE_METHODS:
        raise UnknownMethodError(
            f"no table method is called '{name}'; use one of: {', '.join(TABLE_METHODS)}"
        )
    constants = constants or Constants()
    if name == "rules":
        constants = replace(constants, forms=WIDE_FORMS)
    elif name == "rules-literal":
        constants = replace(constants, strings_need_sense=False, forms=PAPER_FORMS)
    return TableMethod(name, constants, words or default_words())


def judge_grids(
    parsed: ParsedPage, grids: Sequence[Grid], method: TableMethod
) -> tuple[Verdict, ...]:
    """Judge tables of a page, which keeps the verdicts of the method that judged it first."""
    first, known = parsed.found.setdefault("verdicts", (method, {}))
    if first != method:
        return method.judge_all(grids)
    # The page keeps its grids alive, so that each ``id`` is unique.
    new = [grid for grid in grids if id(grid) not in known]
    known.update(zip(map(id, new), method.judge_all(new), strict=True))
    return tuple(known[id(grid)] for grid in grids)


def load_trees(name: str) -> TreeEnsemble:
    """Return ``genuine_boosted``, ``genuine_forest``, ``header_row`` or ``header_column``.

    Raises:
        CorpusError: The file is damaged.
    """
    return TreeEnsemble.shipped("crawler.core.tables", name)


def probability(
    boosted: TreeEnsemble, forest: TreeEnsemble, rows: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return how likely tables are genuine, one row of features each.

    Boosted trees separate the classes better; a forest is more robust against wrong labels, and
    counts twice.
    """
    return (sigmoid(boosted.score(rows)) + 2 * forest.score(rows)) / 3


def _decided(said: Verdict, *, genuine: bool) -> Verdict:
    """Return the verdict of the rules; against it, one with what the rules measured."""
    if said.is_genuine == genuine:
        return said
    return Verdict(genuine, "evidence", coherency=said.coherency, main_type=said.main_type)


def _located(surveys: Sequence[Survey]) -> tuple[Areas, ...]:
    return locate_all(surveys, load_trees("header_row"), load_trees("header_column"))
