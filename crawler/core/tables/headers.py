"""The attribute area of a genuine table: its header rows, its header columns, or both.

Markup gives only a part of it: authors mark the header row and not the row headings of a matrix, or
mark nothing. Two learned ensembles decide whether the table begins with a header row and whether it
begins with a header column; markup and spans give the number of each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from crawler.core.tables.areas import (
    Areas,
    above_sections,
    depth_of,
    heads_its_rows,
    is_alone,
    is_one_cell,
    marked_areas,
    marked_pairs,
)
from crawler.core.tables.features import (
    Survey,
    chars_of,
    commonest,
    ends_in_colon,
    first_line_features,
    mean,
    share,
    spread,
    with_text,
)
from crawler.core.tables.grid import Cell
from crawler.core.trees import TreeEnsemble

# Larger numbers of rows and columns make no difference.
_MANY = 12
_LONG = 40
_NOT_UNIT = re.compile(r"[\d.,\s]+")
_UNIT_CHARS = 4
_RANK_CHARS = 4
_TICK_CHARS = 2
_PAIR = 2
# Features of a first line that go by the same name here.
_AS_THEY_ARE = (
    "row_digits", "row_blank", "row_keywords", "column_digits", "column_blank", "column_keywords",
    "column_unique", "column_colons", "column_chars",
)  # fmt: skip


def title_rows(survey: Survey) -> int:
    """Count the first rows that are a title of the table: rows of one cell, or blank rows."""
    rows = survey.rows
    count = 0
    while count < len(rows) - 1 and (
        is_one_cell(rows[count], survey.grid.columns) or all(cell.is_blank for cell in rows[count])
    ):
        count += 1
    return count


def locate_all(
    surveys: Sequence[Survey], by_row: TreeEnsemble, by_column: TreeEnsemble
) -> tuple[Areas, ...]:
    """Return the attribute area of each of some genuine tables.

    Where markup or colons make the first cell of each row its heading, the trees are not applied: a
    pair of name and value in the first row is no header row.

    Args:
        surveys: the tables.
        by_row: tells whether one begins with a header row.
        by_column: tells whether one begins with a header column.
    """
    found = [areas_by_markup(survey) for survey in surveys]
    asked = [survey for survey, areas in zip(surveys, found, strict=True) if areas is None]
    features = [header_features(survey) for survey in asked]
    answers = zip(asked, _yes(by_row, features), _yes(by_column, features), strict=True)
    judged = iter([_areas(survey, row, column) for survey, row, column in answers])
    return tuple(next(judged) if areas is None else areas for areas in found)


def names_its_links(survey: Survey) -> bool:
    """Tell whether markup names the columns of a table of links.

    It has different header cells above its columns, or a caption and other first cells: none of
    them links. Days of a calendar are no names of links.
    """
    grid = survey.grid
    filled = _filled(grid.cells)
    links = sum(cell.is_link and not cell.text.isdecimal() for cell in filled)
    if grid.says_layout or grid.tables or 2 * links <= len(filled):
        return False
    rows = survey.rows[title_rows(survey) :]
    if len(rows) <= _PAIR or grid.columns < _PAIR or any(cell.is_link for cell in rows[0]):
        return False
    names = {cell.text for cell in rows[0] if cell.is_header and cell.chars}
    is_headed = len(names) == len(rows[0]) and not any(
        cell.is_header for row in rows[1:] for cell in row[1:]
    )
    return bool(grid.caption) or is_headed


def _yes(trees: TreeEnsemble, features: Sequence[dict[str, float]]) -> list[bool]:
    if not features:
        return []
    margins = trees.score([[row[name] for name in trees.names] for row in features])
    return [bool(margin > 0) for margin in margins]


def areas_by_markup(survey: Survey) -> Areas | None:
    """Return the attribute area where markup or colons decide it, else None."""
    if not survey.grid.cells:
        return Areas(0, 0)
    titles = title_rows(survey)
    if not _is_headed_by_column(survey, titles):
        return None
    marked = marked_areas(survey.grid)
    columns = max(marked.header_columns if marked else 0, 1)
    return Areas(0, min(columns, survey.grid.columns - 1), title_rows=titles)


def _areas(survey: Survey, has_row: bool, has_column: bool) -> Areas:  # noqa: FBT001 - two answers
    """Count the header rows and columns of a table of which it is known whether it has any."""
    grid, titles, marked = survey.grid, title_rows(survey), marked_areas(survey.grid)
    rows = columns = 0
    if (has_row or _has_named_head(survey.rows[titles:])) and grid.rows - titles > 1:
        rows = _header_rows(survey, titles, marked)
        rows = above_sections(survey.rows[titles:], rows, grid.columns)
        rows = min(rows, grid.rows - titles - 1)
    if has_column and grid.columns > 1:
        columns = max(marked.header_columns if marked else 0, 1)
        columns = min(columns, grid.columns - 1)
    return Areas(rows, columns, title_rows=titles)


def _is_headed_by_column(survey: Survey, titles: int) -> bool:
    """Tell whether markup or colons make the first column, and no row, headers."""
    if survey.grid.columns < _PAIR:
        return False
    rows = survey.rows[titles:]
    if survey.grid.kind == "list" or marked_pairs(rows):
        return True
    if heads_its_rows(rows):
        return bool(rows[0][0].scope) or not _may_name_numbers(survey, rows)
    # Name: value. One such row alone may be two labels.
    return survey.grid.columns == _PAIR < len(rows) and all(
        len(row) == _PAIR and ends_in_colon(row[0]) and not ends_in_colon(row[1]) for row in rows
    )


def _may_name_numbers(survey: Survey, rows: Sequence[Sequence[Cell]]) -> bool:
    """Tell whether the first row is words and all rows below are numbers."""
    kinds = [{survey.kind_of(cell) for cell in row[1:] if not cell.is_blank} for row in rows]
    return len(rows) > _PAIR and kinds[0] == {"string"} and set().union(*kinds[1:]) == {"number"}


def _header_rows(survey: Survey, titles: int, marked: Areas | None) -> int:
    """Count header rows by the markup, else by their spans.

    Below marked rows another is a header row only where a header cell reaches into it, or it stands
    in the head of the table.
    """
    spanned = _spanned(survey, titles)
    own = marked.header_rows - titles if marked else 0
    if own <= 0 or all(cell.is_header for cell in survey.grid.cells):
        return max(own, spanned)
    rows = survey.rows[titles:]
    reach = max(cell.row + cell.rowspan - titles for cell in rows[own - 1])
    return max(own, min(spanned, max(reach, _head_rows(rows))))


def _head_rows(rows: Sequence[Sequence[Cell]]) -> int:
    """Count the rows of the head of a table, 0 where it holds all rows."""
    count = sum(1 for _ in takewhile(lambda row: row and row[0].section == "head", rows))
    return count if count < len(rows) else 0


def _has_named_head(rows: Sequence[Sequence[Cell]]) -> bool:
    """Tell whether the first row is header cells in the head, all of them with text."""
    return _head_rows(rows) > 0 and all(cell.is_header and cell.chars for cell in rows[0])


def _spanned(survey: Survey, titles: int) -> int:
    """Count header rows by their spans; a row with gaps holds no names of columns."""
    depth = depth_of(survey.grid, down=True, start=titles)
    full = len(survey.rows[titles])
    below = survey.rows[titles + 1 : titles + depth]
    return 1 + sum(1 for _ in takewhile(lambda row: len(row) >= full, below))


def header_features(survey: Survey) -> dict[str, float]:
    """Return the features for header rows and header columns, by name.

    The table must have cells. Title rows are left aside. Values are what stands below the first
    row and to the right of the first column.
    """
    titles = title_rows(survey)
    rows = survey.rows[titles:]
    columns = [
        [cell for cell in line if cell.row + cell.rowspan > titles] for line in survey.columns
    ]
    return {
        **_of_markup(survey, rows, titles),
        **_of_first_lines(survey, rows, columns),
        **_of_values(survey, rows, columns),
    }


def _of_markup(survey: Survey, rows: Sequence[Sequence[Cell]], titles: int) -> dict[str, float]:
    marked = marked_areas(survey.grid)
    first = rows[0]
    return {
        "titles": titles,
        "rows": min(len(rows), _MANY),
        "columns": min(survey.grid.columns, _MANY),
        "marked": marked is not None,
        "marked_rows": marked is not None and marked.header_rows > 0,
        "marked_columns": marked is not None and marked.header_columns > 0,
        "headers_in_first_row": share([cell.is_header for cell in first]),
        "headers_with_content": share([cell.is_header and not cell.is_blank for cell in first]),
        "head_section": any(cell.section == "head" for cell in first),
        "header_row_anywhere": any(
            all(cell.is_header for cell in row)
            and any(cell.chars for cell in row)
            and not is_alone(row)
            for row in rows
        ),
    }


def _of_first_lines(
    survey: Survey, rows: Sequence[Sequence[Cell]], columns: Sequence[Sequence[Cell]]
) -> dict[str, float]:
    """Compare the first row with the rows below it, and its first cells with what is right."""
    below = [cell for row in rows[1:] for cell in row]
    first = [row[0] for row in rows[1:] if row]
    right = [cell for row in rows[1:] for cell in row[1:]]
    has_titles = len(rows) < len(survey.rows)
    row = first_line_features("row", rows[0], below, survey) if has_titles else survey.first_row
    column = first_line_features("column", first, right, survey)
    found = {name: (row | column)[name] for name in _AS_THEY_ARE}
    for name, own, rest in (("row", row, below), ("column", column, right)):
        found[f"{name}_stronger"] = own[f"{name}_strong"] - own[f"{name}_strong_rest"]
        found[f"{name}_look_differs"] = own[f"{name}_looks_unlike"] if rest else 1.0
    corner = rows[0][0] if rows[0] else None
    differing = []
    for line in columns[1:] or columns:
        kinds = Counter(survey.kind_of(cell) for cell in line[1:] if not cell.is_blank)
        if kinds:
            kind, count = kinds.most_common(1)[0]
            differing.append((survey.kind_of(line[0]) != kind) * count / kinds.total())
    first_kinds = list(map(survey.kind_of, first))
    ranks = [cell.text.strip().rstrip(".") for cell in first]
    return {
        **found,
        "digits_below": row["row_digits_rest"],
        "row_one_cell": row["row_is_one_cell"],
        "headers_in_first_column": column["column_headers"],
        "chars_right": column["column_chars_rest"],
        "corner_blank": corner is not None and corner.is_blank,
        "corner_number": corner is not None and survey.kind_of(corner) in ("number", "date"),
        "row_kind_differs": mean(differing),
        "column_strings": share([kind == "string" for kind in first_kinds]),
        "column_numbers": share([kind in ("number", "date") for kind in first_kinds]),
        "column_long": share([cell.chars > _LONG for cell in first if cell.chars]),
        "column_ranks": mean(
            [
                float(rank.isdecimal() and len(rank) <= _RANK_CHARS and int(rank) == number)
                for number, rank in enumerate(ranks, start=1)
            ]
        ),
    }


def _of_values(
    survey: Survey, rows: Sequence[Sequence[Cell]], columns: Sequence[Sequence[Cell]]
) -> dict[str, float]:
    """Return how alike values are: a matrix has one kind in all columns, records one in each.

    So with units: they agree along the rows of a matrix and down the columns of records.
    """
    values = [cell for row in rows[1:] for cell in row[1:]]
    said, filled = with_text(values), _filled(values)
    types = Counter(survey.type_of(cell) for cell in filled)
    kinds = Counter(survey.kind_of(cell) for cell in filled)
    total = max(len(filled), 1)
    in_columns = [
        Counter(map(survey.kind_of, found)).most_common(1)[0][0]
        for line in columns[1:]
        if (found := _filled(line[1:]))
    ]
    in_rows = [
        commonest(list(map(survey.kind_of, found)))
        for row in rows[1:]
        if (found := _filled(row[1:]))
    ]
    # The text beside the digits of each cell that has digits.
    unit_of = {cell: _NOT_UNIT.sub("", cell.text)[-_UNIT_CHARS:] for cell in survey.numbered}

    def units_of(cells: Sequence[Cell]) -> list[str]:
        return [unit_of[cell] for cell in cells if cell in unit_of]

    unit_rows = [commonest(units) for row in rows[1:] if row[2:] and (units := units_of(row[1:]))]
    unit_columns = [commonest(units) for line in columns[1:] if (units := units_of(line[1:]))]
    return {
        "values_of_one_type": max(types.values(), default=0) / total,
        "values_of_one_kind": max(kinds.values(), default=0) / total,
        "values_numbers": kinds["number"] / total,
        "values_measured": (types["currency"] + types["percentage"] + types["real"]) / total,
        "values_strings": types["string"] / total,
        "values_without_digits": share([cell not in survey.numbered for cell in said]),
        "values_repeated": 1 - len({cell.text for cell in said}) / max(len(said), 1),
        "values_ticks": share(
            [cell.is_image or cell.is_blank or cell.chars <= _TICK_CHARS for cell in values]
        ),
        "columns_of_one_kind": commonest(in_columns),
        "rows_of_one_kind": mean(in_rows),
        "columns_length_spread": spread([mean(chars_of(line[1:])) for line in columns[1:]]),
        "rows_length_spread": mean([spread(chars_of(row[1:])) for row in rows[1:] if row[2:]]),
        "units_alike": max(Counter(units_of(values)).values(), default=0) / total,
        "units_alike_in_rows": mean(unit_rows),
        "units_alike_in_columns": mean(unit_columns),
        "units_rather_in_rows": mean(unit_rows) - mean(unit_columns),
    }


def _filled(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if not cell.is_blank]
