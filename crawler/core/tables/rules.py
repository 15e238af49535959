"""Genuine tables and layout: Kim and Lee (2004), the method ``rules``.

Rules 1 to 8 of section 3.1 are asked in their order. A table that none of them decides is divided
into attributes and values, and judged by how well those agree (section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.tables.areas import Areas, marked_areas, readings
from crawler.core.tables.coherency import Constants, main_type, semantic, syntactic
from crawler.core.tables.words import default_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.tables.areas import Reading
    from crawler.core.tables.grid import Grid
    from crawler.core.tables.words import Words

__all__ = ["RulesMethod", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a table is genuine, and why.

    ``reason``
        What decided: ``caption``, ``one-cell``, ``no-text``, ``links``, ``images``, ``blanks``,
        ``header-cells``, ``nested-tables`` (rules 1 to 8), ``no-values`` (no value area),
        ``syntactic`` or ``semantic`` coherency, ``strings`` (coherent, but strings alone, which
        prove nothing), or ``incoherent``; ``evidence`` where a learned judge saw it otherwise.
    ``rule``
        Number of the rule, 0 where none decided.
    ``coherency``
        The syntactic coherency, 0 to 1; None where it was not asked for, or there was none.
    ``main_type``
        The commonest data type among the values of the reading that is most coherent; "" where
        that was not asked for.
    ``attribute_class``
        With ``semantic``, the class of the attribute that made sense, such as ``price``.
    ``areas``
        Where the attributes are. None for layout.
    ``confidence``
        How sure the method is that the table is genuine, or that it is layout, from 0.5 to 1; it
        says nothing of ``areas``. None where the method does not say.
    """

    is_genuine: bool
    reason: str
    rule: int = 0
    coherency: float | None = None
    main_type: str = ""
    attribute_class: str = ""
    areas: Areas | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class RulesMethod:
    """The method of Kim and Lee (2004), with its constants and lists.

    By the name ``rules-literal`` it goes without the check that section 4.1 adds for strings.
    """

    constants: Constants = field(default_factory=Constants)
    words: Words | None = None
    name: str = "rules"

    def judge(self, grid: Grid) -> Verdict:
        """Ask the rules in their order, then syntactic coherency, then semantic."""
        decided = _by_rule(grid, self.constants.most)
        if decided is not None:
            genuine, rule, reason = decided
            areas = self.locate(grid) if genuine else None
            return Verdict(genuine, reason, rule=rule, areas=areas)
        return self._by_coherency(grid)

    def judge_all(self, grids: Sequence[Grid]) -> tuple[Verdict, ...]:
        """Judge tables, each by itself."""
        return tuple(map(self.judge, grids))

    def _by_coherency(self, grid: Grid) -> Verdict:
        words = self.words or default_words()
        ways = readings(grid)
        if not ways:
            return Verdict(is_genuine=False, reason="no-values")
        best, coherency = _most_coherent(ways, self.constants, words)
        kind, alone = ("", False) if best is None else main_type(best, words)
        agreed = best is not None and (coherency or 0.0) > self.constants.threshold
        proven = agreed and not (self.constants.strings_need_sense and alone and kind == "string")
        marked = marked_areas(grid)
        if proven and best is not None:
            return Verdict(
                is_genuine=True,
                reason="syntactic",
                coherency=coherency,
                main_type=kind,
                areas=marked or best.areas,
            )
        for way in ways:
            found = semantic(way, words)
            if found is not None:
                return Verdict(
                    is_genuine=True,
                    reason="semantic",
                    coherency=coherency,
                    main_type=kind,
                    attribute_class=found,
                    areas=marked or way.areas,
                )
        return Verdict(
            is_genuine=False,
            reason="strings" if agreed else "incoherent",
            coherency=coherency,
            main_type=kind,
        )

    def locate(self, grid: Grid) -> Areas:
        """Return what the markup marks, else the reading whose values agree most."""
        marked = marked_areas(grid)
        if marked is not None:
            return marked
        ways = readings(grid)
        best, _ = _most_coherent(ways, self.constants, self.words or default_words())
        if best is not None:
            return best.areas
        return ways[0].areas if ways else Areas(0, 0)


def _most_coherent(
    ways: tuple[Reading, ...], constants: Constants, words: Words
) -> tuple[Reading | None, float | None]:
    """Return the reading whose values agree most; the first where several do."""
    best: Reading | None = None
    highest: float | None = None
    for way in ways:
        coherency = syntactic(way, constants, words)
        if coherency is not None and (highest is None or coherency > highest):
            best, highest = way, coherency
    return best, highest


def _by_rule(grid: Grid, most: float) -> tuple[bool, int, str] | None:  # noqa: PLR0911 - 8 rules
    """Return the verdict of the first rule that has one, its number and its name."""
    cells = grid.cells
    if grid.caption is not None:
        return True, 1, "caption"
    if len(cells) <= 1:
        return False, 2, "one-cell"
    if not any(cell.chars or cell.tables for cell in cells):
        return False, 3, "no-text"
    # Blank cells have a rule of their own: of links and images are "most" of those that are not.
    filled = [cell for cell in cells if not cell.is_blank]
    if sum(cell.is_link for cell in filled) > most * len(filled):
        return False, 4, "links"
    if sum(cell.is_image for cell in filled) > most * len(filled):
        return False, 5, "images"
    if len(cells) - len(filled) > most * len(cells):
        return False, 6, "blanks"
    if _has_headed_cell(grid):
        return True, 7, "header-cells"
    if grid.tables:
        return False, 8, "nested-tables"
    return None


def _has_headed_cell(grid: Grid) -> bool:
    """Tell whether a data cell stands to the right of a header cell, or below one."""
    first_in_row: dict[int, int] = {}
    first_in_column: dict[int, int] = {}
    for cell in grid.cells:
        if not cell.is_header:
            continue
        for row in range(cell.row, cell.row + cell.rowspan):
            first_in_row[row] = min(cell.column, first_in_row.get(row, cell.column))
        for column in range(cell.column, cell.column + cell.colspan):
            first_in_column[column] = min(cell.row, first_in_column.get(column, cell.row))
    return any(
        first_in_row.get(cell.row, cell.column) < cell.column
        or first_in_column.get(cell.column, cell.row) < cell.row
        for cell in grid.cells
        if not cell.is_header
    )
