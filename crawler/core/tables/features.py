"""The features by which learned methods judge tables, and the statistics they are made of.

None of the features depends on the page's language beyond the lists by which data types are told.
All are shares, counts or logarithms, so that no table makes them large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from math import log1p

from crawler.core.patterns import compiled_later
from crawler.core.tables.areas import is_alone, marked_areas, readings
from crawler.core.tables.grid import Cell, Grid
from crawler.core.tables.paper_method import (
    Constants,
    coherencies,
    count_alike,
    count_commonest,
    semantic,
)
from crawler.core.tables.values import cell_type
from crawler.core.tables.words import Words, classes_of

# Of a large table only the first columns and rows are read: they show what it is.
_MOST_COLUMNS = 100
_MOST_CELLS = 4_000
_KINDS = {
    "integer": "number", "real": "number", "currency": "number", "percentage": "number",
    "weight": "number", "electric": "number", "temperature": "number", "postal-code": "number",
    "date": "date", "time": "date", "month": "date", "day": "date",
}  # fmt: skip
_STRONG = 0.8
_LONGEST_KEYWORD = 40
_ASCII_DIGIT = compiled_later("[0-9]")
_COLONS = (":", "\uff1a")
# Full stops of many scripts, with what may close a quotation.
_SENTENCE_END = compiled_later("[.!?\u3002\uff01\uff1f\u2026\u0964][\"'\u201d\u2019)\\]]*(?:\\s|$)")
_SEPARATORS = frozenset(("|", "\u00b7", "\u2022", "\u00bb", ">", "-", "::", "/", "*"))
# Words of class names and identifiers, in English everywhere.
_DATA_NAMES = compiled_later(
    r"data|wikitable|infobox|stat|result|score|standing|price|spec|sort|rank|schedule|grid|compar|"
    r"tbl|table(?!.?layout)|list|striped|border|confluence|views-table|bbcode|fact|info"
)
_LAYOUT_NAMES = compiled_later(
    r"layout|nav|menu|calend|header|footer|sidebar|banner|button|share|social|gallery|photo|image|"
    r"form|login|search|comment|highlight|code|line|box|wrap|contain|content|main|page|post|module|"
    r"widget|captcha|ad[sv_-]|caption|quote|toolbar|tab(?!le)"
)
_NAMED = compiled_later(r"(?:class|id)=(\S[^=]*)(?: |\Z)")
_AMOUNT = compiled_later(r"(border|cellpadding|cellspacing)=(\d{1,3})")
_RULES = compiled_later(r"border=(?!\d)|rules=(?:all|rows|cols|groups)")
_DATA_TYPES = (
    "image", "form", "time", "date", "month", "day", "currency", "percentage", "integer", "real",
    "string",
)  # fmt: skip
_TWO = 2
_TIGHT, _SHORT, _LONG, _LONGER, _LONGEST = 2, 30, 40, 100, 300
_MOSTLY = 0.6


class Survey:
    """A table, or the first part of a large one.

    Attributes:
        grid: that part as a grid of its own.
        words: the lists by which data types are told.
    """

    def __init__(self, grid: Grid, words: Words) -> None:
        self.grid = _first_part(grid)
        self.words = words

    @cached_property
    def type_of(self) -> Callable[[Cell], str]:
        """What returns a cell's data type, "" for a blank one."""
        words = self.words
        return {
            cell: "" if cell.is_blank else cell_type(cell, words) for cell in self.grid.cells
        }.__getitem__

    @cached_property
    def kind_of(self) -> Callable[[Cell], str]:
        """What returns a coarser type: all numbers are one kind, all dates and times another."""
        types = [(cell, self.type_of(cell)) for cell in self.grid.cells]
        return {cell: _KINDS.get(name, name) for cell, name in types}.__getitem__

    @cached_property
    def numbered(self) -> frozenset[Cell]:
        """The cells whose text has a digit."""
        return frozenset([cell for cell in self.grid.cells if _has_digits(cell.text)])

    @cached_property
    def first_row(self) -> dict[str, float]:
        """The features of the first row."""
        return _first_features("row", self.rows, self)

    @property
    def rows(self) -> list[list[Cell]]:
        """The rows of the table, each the cells that cover it."""
        return self.grid.lines()

    @property
    def columns(self) -> list[list[Cell]]:
        """The columns of the table, each the cells that cover it."""
        return self.grid.lines(down=True)

    def is_keyword(self, cell: Cell) -> bool:
        """Tell whether a cell names an attribute of a known class."""
        text = cell.text
        if not text or len(text) >= _LONGEST_KEYWORD:
            return False
        return bool(classes_of(text.lower(), self.words))


def _first_part(grid: Grid) -> Grid:
    columns = min(grid.columns, _MOST_COLUMNS)
    rows = min(grid.rows, max(_MOST_CELLS // max(columns, 1), 1))
    if (rows, columns) == (grid.rows, grid.columns):
        return grid
    cells = tuple(
        cell
        if cell.row + cell.rowspan <= rows and cell.column + cell.colspan <= columns
        else replace(
            cell,
            rowspan=min(cell.rowspan, rows - cell.row),
            colspan=min(cell.colspan, columns - cell.column),
        )
        for cell in grid.cells
        if cell.row < rows and cell.column < columns
    )
    return replace(grid, cells=cells, rows=rows, columns=columns)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation as a share of the mean, 0 where that is 0."""
    middle = mean(values)
    if not middle:
        return 0.0
    variance = mean([(value - middle) ** 2 for value in values])
    return float(variance**0.5) / middle


def share(told: Sequence[bool]) -> float:
    """Return the share of True among the values; 0.0 for none."""
    return told.count(True) / len(told) if told else 0.0


def commonest(things: Sequence[Hashable]) -> float:
    """Return the share of the commonest thing, 0 of nothing."""
    return count_commonest(things) / len(things) if things else 0.0


def chars_of(cells: Iterable[Cell]) -> list[float]:
    """Return how many characters each cell has."""
    return [float(cell.chars) for cell in cells]


def with_text(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells that have text."""
    return [cell for cell in cells if cell.chars]


def _ends_one(text: str) -> bool:
    return _SENTENCE_END.search(text) is not None


def _has_digits(text: str) -> bool:
    if text.isascii():  # searching takes a tenth of the time
        return _ASCII_DIGIT.search(text) is not None
    return any(map(str.isdigit, text))


def is_strong(cell: Cell) -> bool:
    """Tell whether nearly all of a cell's text is bold."""
    return cell.strong_chars > _STRONG * cell.chars


def ends_in_colon(cell: Cell) -> bool:
    """Tell whether a cell's text ends with a colon."""
    return cell.text.rstrip().endswith(_COLONS)


def judge_features(survey: Survey) -> dict[str, float]:
    """Return the features for whether a table is genuine, by name."""
    features = _of_shape(survey)
    features |= _of_markup(survey.grid)
    features |= _of_drawing(survey.grid.look)
    features |= _of_lengths(survey.grid.cells)
    features |= _of_content(survey)
    features |= _of_types(survey)
    for name, lines in (("column", survey.columns), ("row", survey.rows)):
        features |= _of_agreement(name, lines, survey)
    features |= survey.first_row
    features |= _first_features("column", survey.columns, survey)
    features |= _of_readings(survey)
    return features


def _of_shape(survey: Survey) -> dict[str, float]:
    grid, rows = survey.grid, survey.rows
    counts = list(map(len, map(set, rows)))
    places = max(grid.rows * grid.columns, 1)
    return {
        "rows": log1p(grid.rows),
        "columns": log1p(grid.columns),
        "cells": log1p(len(grid.cells)),
        "rows_a_column": log1p(grid.rows) - log1p(grid.columns),
        "one_row": grid.rows == 1,
        "one_column": grid.columns == 1,
        "two_rows": grid.rows == _TWO,
        "two_columns": grid.columns == _TWO,
        "rows_alike": commonest(counts),
        "cells_a_row": log1p(max(counts, key=Counter(counts).__getitem__)) if counts else 0.0,
        "rows_of_one_cell": counts.count(1) / len(counts) if counts else 0.0,
        "gaps": 1 - sum(map(len, rows)) / places,
        "spans": share([cell.rowspan > 1 or cell.colspan > 1 for cell in grid.cells]),
        "colspans": share([cell.colspan > 1 for cell in grid.cells]),
        "rowspans": share([cell.rowspan > 1 for cell in grid.cells]),
        "nesting": log1p(grid.nesting),
        "tables": log1p(grid.tables),
    }


def _of_markup(grid: Grid) -> dict[str, float]:
    cells = grid.cells
    marked = marked_areas(grid)
    sections, count = [cell.section for cell in cells], max(len(cells), 1)
    return {
        "caption": grid.caption is not None,
        "headers": share([cell.is_header for cell in cells]),
        "th": share([cell.tag == "th" for cell in cells]),
        "scopes": share([cell.scope != "" for cell in cells]),
        "head": sections.count("head") / count,
        "foot": sections.count("foot") / count,
        "marked_rows": marked is not None and marked.header_rows > 0,
        "marked_columns": marked is not None and marked.header_columns > 0,
        "summary": bool(grid.summary),
        "label": bool(grid.label),
        "says_layout": grid.says_layout,
        "says_table": grid.role in ("table", "grid", "treegrid"),
        "is_div": grid.kind == "div",
        "is_list": grid.kind == "list",
        "in_form": grid.in_form,
        "in_article": any(tag in ("article", "main") for tag in grid.path),
        "in_paragraph": any(tag in ("p", "center") for tag in grid.path[:3]),
        "in_list": any(tag in ("ul", "ol", "li", "dd") for tag in grid.path[:4]),
    }


@lru_cache(maxsize=256)  # the tables of a site are drawn alike
def _of_drawing(look: str) -> dict[str, float]:
    names = " ".join(_NAMED.findall(look))
    amounts = {name: float(value) for name, value in _AMOUNT.findall(look)}
    return {
        "named": bool(names),
        "named_data": _DATA_NAMES.search(names) is not None,
        "named_layout": _LAYOUT_NAMES.search(names) is not None,
        "ruled": amounts.get("border", 0.0) > 0 or _RULES.search(look) is not None,
        "border": log1p(amounts.get("border", 0.0)),
        "says_border": "border" in amounts,
        "padding": log1p(amounts.get("cellpadding", 0.0)),
        "says_padding": "cellpadding" in amounts,
        "spacing": log1p(amounts.get("cellspacing", 0.0)),
        "says_spacing": "cellspacing" in amounts,
        "has_width": "width=" in look,
        "full_width": "width=100%" in look,
        "coloured": "bgcolor=" in look,
    }


def _of_lengths(cells: Sequence[Cell]) -> dict[str, float]:
    lengths = sorted([float(cell.chars) for cell in cells if cell.chars])
    longest, total = max(lengths, default=0.0), sum(lengths)
    return {
        "chars": log1p(total),
        "mean_chars": log1p(mean(lengths)),
        "median_chars": log1p(lengths[len(lengths) // 2]) if lengths else 0.0,
        "longest": log1p(longest),
        "longest_share": longest / max(total, 1),
        "chars_spread": log1p(spread(lengths)),
        "tight": share([chars <= _TIGHT for chars in lengths]),
        "long": share([chars > _LONG for chars in lengths]),
        "longer": share([chars > _LONGER for chars in lengths]),
        "very_long": share([chars > _LONGEST for chars in lengths]),
    }


def _of_content(survey: Survey) -> dict[str, float]:
    cells, numbered = survey.grid.cells, survey.numbered
    filled = [cell for cell in cells if not cell.is_blank]
    said = with_text(cells)
    chars = max(sum([cell.chars for cell in cells]), 1)
    count = max(len(cells), 1)
    breaks = [cell.text.count("\n") for cell in said]
    return {
        "blanks": 1 - len(filled) / count,
        "images": share([cell.is_image for cell in filled]),
        "with_images": share([cell.images > 0 for cell in filled]),
        "images_a_cell": log1p(sum([cell.images for cell in cells]) / count),
        "links": share([cell.is_link for cell in filled]),
        "with_links": share([cell.links > 0 for cell in filled]),
        "with_many_links": share([cell.links > _TIGHT for cell in filled]),
        "links_a_cell": log1p(sum([cell.links for cell in cells]) / count),
        "link_chars": sum([cell.link_chars for cell in cells]) / chars,
        "controls": share([cell.controls > 0 for cell in filled]),
        "strong_chars": sum([cell.strong_chars for cell in cells]) / chars,
        "lines": log1p(mean(breaks)),
        "of_many_lines": share([count >= _TIGHT for count in breaks]),
        "sentences": share([cell.chars > _LONG and _ends_one(cell.text) for cell in said]),
        "colons": share(list(map(ends_in_colon, said))),
        "digits": share([cell in numbered for cell in said]),
        "separators": share([cell.text in _SEPARATORS for cell in said]),
        "repeated": 1 - len({cell.text for cell in said}) / max(len(said), 1),
    }


def _of_types(survey: Survey) -> dict[str, float]:
    filled = [cell for cell in survey.grid.cells if not cell.is_blank]
    types = list(map(survey.type_of, filled))
    count = max(len(filled), 1)
    features = {f"type_{name}": types.count(name) / count for name in _DATA_TYPES}
    features["numbers"] = list(map(survey.kind_of, filled)).count("number") / count
    return features


def _of_agreement(name: str, lines: Sequence[Sequence[Cell]], survey: Survey) -> dict[str, float]:
    """Return how alike the cells of each line are, without its first cell."""
    bodies = [
        body for line in lines if len(body := [cell for cell in line[1:] if not cell.is_blank]) > 1
    ]
    kinds = [list(map(survey.kind_of, body)) for body in bodies]
    lengths = list(map(chars_of, bodies))
    numbers = [(own.count("number") + own.count("date")) / len(own) for own in kinds]
    constants = Constants()
    return {
        f"{name}_of_one_kind": mean(list(map(commonest, kinds))),
        f"{name}_of_one_length": mean(
            [count_alike(body, constants) / len(body) for body in bodies]
        ),
        f"{name}_of_one_inside": mean([commonest([c.inside for c in body]) for body in bodies]),
        f"{name}_of_one_look": mean([commonest([c.look for c in body]) for body in bodies]),
        f"{name}_chars_spread": log1p(mean(list(map(spread, lengths)))),
        f"{name}_of_numbers": mean([float(own > _MOSTLY) for own in numbers]),
        f"{name}_short": mean([float(max(own) <= _SHORT) for own in lengths]),
    }


def _first_features(name: str, lines: Sequence[Sequence[Cell]], survey: Survey) -> dict[str, float]:
    rest = [cell for line in lines[1:] for cell in line]
    return first_line_features(name, lines[0] if lines else [], rest, survey)


def first_line_features(
    name: str, first: Sequence[Cell], rest: Sequence[Cell], survey: Survey
) -> dict[str, float]:
    """Compare the first line with the others: attributes are unlike their values.

    Args:
        name: what the names of the features begin with: ``row`` or ``column``.
        first: the cells of the line.
        rest: those of all others.
        survey: the table.
    """
    said, said_rest, numbered = with_text(first), with_text(rest), survey.numbered
    looks = Counter([cell.look for cell in rest])
    unlike = 1 - mean([looks[cell.look] / len(rest) for cell in first]) if rest else 0.0
    return {
        f"{name}_headers": share([cell.is_header for cell in first]),
        f"{name}_strong": share(list(map(is_strong, said))),
        f"{name}_strong_rest": share(list(map(is_strong, said_rest))),
        f"{name}_blank": share([cell.is_blank for cell in first]),
        f"{name}_digits": share([cell in numbered for cell in said]),
        f"{name}_digits_rest": share([cell in numbered for cell in said_rest]),
        f"{name}_chars": log1p(mean(chars_of(said))),
        f"{name}_chars_rest": log1p(mean(chars_of(said_rest))),
        f"{name}_links": share([cell.is_link for cell in said]),
        f"{name}_unique": len({cell.text for cell in said}) / max(len(said), 1),
        f"{name}_colons": share(list(map(ends_in_colon, said))),
        f"{name}_keywords": share(list(map(survey.is_keyword, said))),
        f"{name}_looks_unlike": unlike,
        f"{name}_is_one_cell": is_alone(first),
    }


def _of_readings(survey: Survey) -> dict[str, float]:
    """Return the measures of the published method: coherency and semantic coherency."""
    ways = readings(survey.grid)
    told = [coherency for _, coherency in coherencies(survey.grid, Constants(), survey.words)]
    return {
        "readings": len(ways),
        "coherency": max(told, default=0.0),
        "coherency_lowest": min(told, default=0.0),
        "makes_sense": any(semantic(way, survey.words) for way in ways),
    }
