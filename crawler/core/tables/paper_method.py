"""Genuine tables and layout: Kim and Lee (2004), the method ``rules``.

Rules 1 to 8 of section 3.1 are asked in their order. A table that none of them decides is divided
into attributes and values, and judged by whether values agree with each other (section 3.2.2) and
with what their attribute is called (section 3.2.3).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from crawler.core.tables.areas import Areas, Reading, marked_areas, readings
from crawler.core.tables.grid import Cell, Grid
from crawler.core.tables.values import cell_type, matches
from crawler.core.tables.words import Words, classes_of

# A longer text is no name of an attribute.
_LONGEST_ATTRIBUTE = 80
# So few are counted one by one.
_FEW = 8
# Types of which any cells of words, pictures or controls are.
_SHAPELESS = frozenset(("string", "image", "form"))


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
        strings_need_sense: whether values need semantic coherency too where no two of them have a
            type other than string, image and form in common: the check that section 4.1 asks for.
            Without it W1 alone lifts every table of words and icons above the threshold.
        forms: patterns of postal codes, times and dates beside the project's own, by which texts
            are of a type that would be strings otherwise.
    """

    type_weight: float = 0.6
    length_weight: float = 0.4
    threshold: float = 0.54
    shortest: float = 0.5
    longest: float = 1.5
    most: float = 0.5
    strings_need_sense: bool = True
    forms: tuple[tuple[str, re.Pattern[str]], ...] = ()

    def type_of(self, cell: Cell, words: Words) -> str:
        """Return the data type of a cell."""
        return cell_type(cell, words, self.forms)


def syntactic(reading: Reading, constants: Constants, words: Words) -> float | None:
    """Return the coherency of a reading's values, 0 to 1: the mean over its lines.

    Blank cells hold no data and are left out. None where there is nothing to compare: no line of
    two values, or a reading that gives each attribute one value.

    Args:
        reading: a division of the table into attributes and values.
        constants: the weights and lengths.
        words: the lists by which data types are told.
    """
    if not reading.is_syntactic:
        return None
    coherencies = []
    for _, values in reading.lines:
        cells = [cell for cell in values if not cell.is_blank]
        if len(cells) > 1:
            commonest = count_commonest([constants.type_of(cell, words) for cell in cells])
            alike = count_alike(cells, constants)
            weighted = constants.type_weight * commonest + constants.length_weight * alike
            coherencies.append(weighted / len(cells))
    return sum(coherencies) / len(coherencies) if coherencies else None


def coherencies(grid: Grid, constants: Constants, words: Words) -> list[tuple[Reading, float]]:
    """Return the ways to divide a table whose values can be compared, each with its coherency."""
    key = ("coherencies", constants, words)
    if key not in grid.found:
        told = ((way, syntactic(way, constants, words)) for way in readings(grid))
        grid.found[key] = [(way, coherency) for way, coherency in told if coherency is not None]
    found: list[tuple[Reading, float]] = grid.found[key]
    return found


def count_alike(cells: Sequence[Cell], constants: Constants) -> int:
    """Count the cells of a non-empty line whose length is near the mean length."""
    lengths = [cell.chars for cell in cells]
    mean = sum(lengths) / len(lengths)
    low, high = mean * constants.shortest, mean * constants.longest
    return sum([low <= length <= high for length in lengths])


def count_commonest(things: Sequence[Hashable]) -> int:
    """Return how often the commonest of some things occurs."""
    kinds = set(things)
    if len(kinds) > _FEW:
        return max(Counter(things).values())
    return max(map(things.count, kinds))


def semantic(reading: Reading, words: Words) -> str | None:
    """Return the class of attributes by which a reading is semantically coherent, None for none.

    An attribute with a keyword of a class has to have a value of that class.
    """
    # An attribute may span many lines.
    known: dict[str, tuple[str, ...]] = {}
    for attributes, values in reading.lines:
        for text in dict.fromkeys([attribute.text for attribute in attributes]):
            if text not in known:
                is_name = text and len(text) <= _LONGEST_ATTRIBUTE
                known[text] = classes_of(text.lower(), words) if is_name else ()
            for name in known[text]:
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
            area), ``syntactic`` or ``semantic`` coherency, ``strings`` (coherent, of strings and
            pictures alone), or ``incoherent``; ``evidence`` where a learned judge
            saw it otherwise.
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


def judge_by_rules(grid: Grid, constants: Constants, words: Words) -> Verdict:
    """Ask the rules in their order, then syntactic coherency, then semantic.

    Args:
        grid: the table.
        constants: those of the paper, or others.
        words: the lists by which data types and attributes are told.
    """
    decided = _by_rule(grid, constants.most)
    if decided is not None:
        is_genuine, rule, reason = decided
        areas = locate_by_rules(grid, constants, words) if is_genuine else None
        return Verdict(is_genuine, reason, rule=rule, areas=areas)
    ways = readings(grid)
    if not ways:
        return Verdict(is_genuine=False, reason="no-values")
    best, coherency = _most_coherent(grid, constants, words)
    types: Counter[str] = Counter()
    if best is not None:
        cells = (cell for _, values in best.lines for cell in values)
        types = Counter(constants.type_of(cell, words) for cell in cells)
    kind = types.most_common(1)[0][0] if types else ""
    agreed = coherency is not None and coherency > constants.threshold
    reason = "strings" if agreed else "incoherent"
    layout = Verdict(is_genuine=False, reason=reason, coherency=coherency, main_type=kind)
    genuine = replace(layout, is_genuine=True, areas=marked_areas(grid))
    is_proven = not constants.strings_need_sense or any(
        count > 1 for name, count in types.items() if name not in _SHAPELESS
    )
    if best is not None and agreed and is_proven:
        return replace(genuine, reason="syntactic", areas=genuine.areas or best.areas)
    for way in ways:
        if (found := semantic(way, words)) is not None:
            areas = genuine.areas or way.areas
            return replace(genuine, reason="semantic", attribute_class=found, areas=areas)
    return layout


def locate_by_rules(grid: Grid, constants: Constants, words: Words) -> Areas:
    """Return what the markup marks, else the reading whose values agree most."""
    if (marked := marked_areas(grid)) is not None:
        return marked
    best, _ = _most_coherent(grid, constants, words)
    best = best or next(iter(readings(grid)), None)
    return best.areas if best else Areas(0, 0)


def _most_coherent(
    grid: Grid, constants: Constants, words: Words
) -> tuple[Reading, float] | tuple[None, None]:
    """Return the reading whose values agree most; the first where several do."""
    found = coherencies(grid, constants, words)
    return max(found, key=itemgetter(1), default=(None, None))


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
    if sum([cell.is_link for cell in filled]) > most * len(filled):
        return False, 4, "links"
    if sum([cell.is_image for cell in filled]) > most * len(filled):
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
