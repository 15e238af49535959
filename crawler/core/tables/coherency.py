"""Whether values agree with each other, and with what their attribute is called.

Kim and Lee (2004), sections 3.2.2 (syntactic) and 3.2.3 (semantic).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.tables.datatypes import cell_type, matches
from crawler.core.tables.words import classes_of, default_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.tables.areas import Reading
    from crawler.core.tables.grid import Cell
    from crawler.core.tables.words import Words

__all__ = ["Constants", "count_alike", "main_type", "semantic", "syntactic"]


# A longer text may name a price and is no name of an attribute.
_LONGEST_ATTRIBUTE = 80


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of Kim and Lee (2004), section 4.1, chosen there by experiment.

    ``type_weight``, ``length_weight``
        W1 and W2, the weights of type and length coherency in that of a line.
    ``threshold``
        Coherency above which a table is genuine.
    ``shortest``, ``longest``
        Lengths that count as alike, as shares of a line's mean length (section 3.2.2).
    ``most``
        Share of cells above which they are "most" in rules 4, 5 and 6 (section 3.1). The paper
        gives no number; this is the plain meaning of the word.
    ``strings_need_sense``
        Whether values that are strings and nothing else need semantic coherency too: the check
        that section 4.1 asks for. Without it W1 alone lifts every such table above the threshold.
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


def main_type(reading: Reading, words: Words | None = None) -> tuple[str, bool]:
    """Return the commonest data type of a reading's values, and whether they have no other."""
    words = words or default_words()
    types = Counter(cell_type(cell, words) for _, values in reading.lines for cell in values)
    return types.most_common(1)[0][0], len(types) == 1


def _of_line(cells: Sequence[Cell], constants: Constants, words: Words) -> float:
    types = Counter(cell_type(cell, words) for cell in cells)
    alike = count_alike(cells, constants)
    commonest = max(types.values())
    weighted = constants.type_weight * commonest + constants.length_weight * alike
    return weighted / len(cells)


def count_alike(cells: Sequence[Cell], constants: Constants | None = None) -> int:
    """Count the cells of a line, one at least, whose length is like their mean length."""
    constants = constants or Constants()
    mean = sum(cell.chars for cell in cells) / len(cells)
    low, high = mean * constants.shortest, mean * constants.longest
    return sum(low <= cell.chars <= high for cell in cells)


def semantic(reading: Reading, words: Words | None = None) -> str | None:
    """Return the class of attributes by which a reading makes sense, None for none.

    An attribute with a keyword of a class has to have a value of that class.
    """
    words = words or default_words()
    # An attribute that spans many lines is asked for its classes once.
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
    """Return the first of the classes of which a value is there."""
    for name in classes:
        if any(
            matches(kind, cell.text, words)
            for cell in values
            if cell.text
            for kind in words.values[name]
        ):
            return name
    return None
