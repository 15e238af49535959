"""Genuine tables and layout: Kim and Lee (2004), the method ``rules``.

Rules 1 to 8 of section 3.1 are asked in their order. A table that none of them decides is divided
into attributes and values, and judged by whether values agree with each other (section 3.2.2) and
with what their attribute is called (section 3.2.3).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crawler.core.tables.areas import Areas, marked_areas, readings
from crawler.core.tables.values import cell_type, matches
from crawler.core.tables.words import classes_of, default_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.tables.areas import Reading
    from crawler.core.tables.grid import Cell, Grid
    from crawler.core.tables.words import Words

# A longer text is no name of an attribute.
_LONGEST_ATTRIBUTE = 80


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of Kim and Lee (2004), section 4.1, chosen there by experiment.

    Attributes:
        type_weight, length_weight: w1 and W2, the weights of type and length coherency in that of a
            line.
        threshold: coherency above which a table is genuine.
        shortest, longest: lengths that count as alike, as shares of a line's mean length (section
            3.2.2).
        most: share of cells above which they are "most" in rules 4, 5 and 6 (section 3.1). The
            paper gives no number; this is the plain meaning of the word.
        strings_need_sense: whether values that are strings and nothing else need semantic coherency
            too: the check that section 4.1 asks for. Without it W1 alone lifts every such table
            above the threshold.
    """

    type_weight: float = 0.6
    length_weight: float = 0.4
    threshold: float = 0.54
    shortest: float = 0.5
    longest: float = 1.5
    most: float = 0.5
    strings_need_sense: bool = True


def syntactic(reading: Reading, constants: Constants, words: Words | None = None) -> float | None:
    """Return the coherency of a reading's values, 0 to 1: the mean over its lines.

    Blank cells hold no data and are left out. None where there is nothing to compare: no line of
    two values, or a reading that gives each attribute one value.
    """
    if not reading.is_syntactic:
        return None
    words = words or default_words()
    coherencies = [
        _of_line(cells, constants, words)
        for _, values in reading.lines
        if len(cells := [cell for cell in values if not cell.is_blank]) > 1
    ]
    return sum(coherencies) / len(coherencies) if coherencies else None


def _main_type(reading: Reading, words: Words) -> tuple[str, bool]:
    """Return the commonest data type of a reading's values, and whether they have no other."""
    types = Counter(cell_type(cell, words) for _, values in reading.lines for cell in values)
    return types.most_common(1)[0][0], len(types) == 1


def _of_line(cells: Sequence[Cell], constants: Constants, words: Words) -> float:
    types = Counter(cell_type(cell, words) for cell in cells)
    alike = count_alike(cells, constants)
    commonest = max(types.values())
    weighted = constants.type_weight * commonest + constants.length_weight * alike
    return weighted / len(cells)


def count_alike(cells: Sequence[Cell], constants: Constants | None = None) -> int:
    """Count the cells of a non-empty line whose length is near the mean length."""
    constants = constants or Constants()
    mean = sum(cell.chars for cell in cells) / len(cells)
    low, high = mean * constants.shortest, mean * constants.longest
    return sum(low <= cell.chars <= high for cell in cells)


def semantic(reading: Reading, words: Words | None = None) -> str | None:
    """Return the class of attributes by which a reading is semantically coherent, None for none.

    An attribute with a keyword of a class has to have a value of that class.
    """
    words = words or default_words()
    # An attribute may span many lines.
    known: dict[str, tuple[str, ...]] = {}
    for attributes, values in reading.lines:
        for text in dict.fromkeys(attribute.text for attribute in attributes):
            if text not in known:
                known[text] = _classes_of(text, words)
            found = _class_with(known[text], values, words)
            if found is not None:
                return found
    return None


def _classes_of(attribute: str, words: Words) -> tuple[str, ...]:
    if not attribute or len(attribute) > _LONGEST_ATTRIBUTE:
        return ()
    return classes_of(attribute.lower(), words)


def _class_with(classes: Sequence[str], values: Sequence[Cell], words: Words) -> str | None:
    """Return the first class of which one of the values is."""
    for name in classes:
        if any(
            matches(kind, cell.text, words)
            for cell in values
            if cell.text
            for kind in words.values[name]
        ):
            return name
    return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a table is genuine, and why.

    Attributes:
        reason: what decided: ``caption``, ``one-cell``, ``no-text``, ``links``, ``images``,
            ``blanks``, ``header-cells``, ``nested-tables`` (rules 1 to 8), ``no-values`` (no value
            area), ``syntactic`` or ``semantic`` coherency, ``strings`` (coherent, but strings
            alone, which prove nothing), or ``incoherent``; ``evidence`` where a learned judge saw
            it otherwise.
        rule: number of the rule, 0 where none decided.
        coherency: the syntactic coherency, 0 to 1; None where it was not asked for, or there was
            none.
        main_type: the commonest data type among the values of the reading that is most coherent; ""
            where that was not asked for.
        attribute_class: with ``semantic``, the class of the attribute that made sense, such as
            ``price``.
        areas: where the attributes are. None for layout.
        confidence: how sure the method is that the table is genuine, or that it is layout, from 0.5
            to 1; it says nothing of ``areas``. None where the method does not say.
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
        kind, alone = ("", False) if best is None else _main_type(best, words)
        agreed = best is not None and (coherency or 0.0) > self.constants.threshold
        reason = "strings" if agreed else "incoherent"
        layout = Verdict(is_genuine=False, reason=reason, coherency=coherency, main_type=kind)
        genuine = replace(layout, is_genuine=True, areas=marked_areas(grid))
        is_proven = not (self.constants.strings_need_sense and alone and kind == "string")
        if best is not None and agreed and is_proven:
            return replace(genuine, reason="syntactic", areas=genuine.areas or best.areas)
        for way in ways:
            if (found := semantic(way, words)) is not None:
                areas = genuine.areas or way.areas
                return replace(genuine, reason="semantic", attribute_class=found, areas=areas)
        return layout

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
    known = [(way, syntactic(way, constants, words)) for way in ways]
    return max(
        ((way, coherency) for way, coherency in known if coherency is not None),
        key=lambda pair: pair[1],
        default=(None, None),
    )


def _by_rule(grid: Grid, most: float) -> tuple[bool, int, str] | None:  # noqa: PLR0911 - 8 rules
    """Return the verdict of the first rule that has one, its number and its name."""
    cells = grid.cells
    if grid.caption is not None:
        return True, 1, "caption"
    if len(cells) <= 1:
        return False, 2, "one-cell"
    if not any(cell.chars or cell.tables for cell in cells):
        return False, 3, "no-text"
    # Blank cells have a rule of their own: rules 4 and 5 count the others alone.
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
