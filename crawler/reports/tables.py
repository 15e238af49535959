"""The tables of a page as a person reads them in a terminal: for ``scrapy extract --tables``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.core.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ROWS_SHOWN: Final = 50
_COLUMNS_SHOWN: Final = 50
_CELL_CHARS: Final = 200
_CELL_LINES: Final = 4
_PIPED_WIDTH: Final = 100
# A column is not made narrower than its content, or than this.
_NARROW: Final = 14
# Two spaces around a column, and one between two of them.
_BETWEEN: Final = 3
_NUMBERS: Final = frozenset(
    ("integer", "real", "currency", "percentage", "temperature", "weight", "electric")
)


def tables_text(
    tables: Sequence[Mapping[str, Any]], *, layout: bool, console: Console | None = None
) -> str:
    """Return tables as text, in the form that suits where standard output goes.

    On a terminal headers are bold. What is wider than it is wrapped, or where there are too many
    columns continued below. Elsewhere there are no codes for weight or colour, and lines have 100
    columns, or as many as the environment's ``COLUMNS`` says.

    Args:
        tables: the tables of a page item, layout ones among them.
        layout: whether to show those; else they are counted in the last line.
        console: where they are shown; None for standard output.
    """
    console = console or _standard_output()
    shown = [table for table in tables if layout or table["verdict"]["is_genuine"]]
    with console.capture() as captured:
        for table in shown:
            _print(console, table)
        if not shown:
            console.print("No genuine table.")
        if left_out := len(tables) - len(shown):
            console.print(
                f"{left_out:,} layout table{'s' if left_out > 1 else ''} left out; "
                f"--layout shows {'them' if left_out > 1 else 'it'}."
            )
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n"))


def _standard_output() -> Console:
    console = Console(highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console.width = _PIPED_WIDTH
    return console


def _print(console: Console, table: Mapping[str, Any]) -> None:
    caption = f": {_clean(table['caption'])}" if table["caption"] else ""
    console.print(Text(f"Table {table['number']}{caption}", style="bold"))
    console.print(Text(" · ".join(_facts(table))))
    console.print(Text(_verdict(table["verdict"])))
    if not table["cells"]:
        console.print()
        return
    for number, columns in enumerate(_parts(table, console.width)):
        if number:
            console.print()
        console.print(_grid(table, columns, console.encoding))
    hidden = (
        (table["columns"] - _COLUMNS_SHOWN, "more column"),
        (table["rows"] - _first(table) - len(_body(table)), "more row"),
    )
    if told := " and ".join(counted(number, name) for number, name in hidden if number > 0):
        console.print(f"… and {told}")
    console.print()


def _facts(table: Mapping[str, Any]) -> Iterator[str]:
    if table["heading"]:
        yield f"under “{_clean(table['heading'])}”"
    yield f"{counted(table['rows'], 'row')} × {counted(table['columns'], 'column')}"  # noqa: RUF001 - a size
    headers = [
        counted(table[key], name)
        for key, name in (("header_rows", "header row"), ("header_columns", "header column"))
        if table[key]
    ]
    if headers:
        yield " and ".join(headers)
    records = len(table["records"])
    if records:
        yield counted(records, "record")


def _verdict(verdict: Mapping[str, Any]) -> str:
    details = [f"rule {verdict['rule']}"] if verdict["rule"] else []
    if verdict["coherency"] is not None:
        details.append(f"coherency {verdict['coherency']:.2f}")
    if verdict["confidence"] is not None:
        details.append(f"confidence {verdict['confidence']:.2f}")
    if verdict["attribute_class"]:
        details.append(f"class {verdict['attribute_class']}")
    shown = f" ({', '.join(details)})" if details else ""
    kind = "genuine" if verdict["is_genuine"] else "layout"
    return f"{kind}: {verdict['reason']}{shown}, by {verdict['method']}"


def _body(table: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    first = _first(table)
    return [row[:_COLUMNS_SHOWN] for row in table["cells"][first : first + _ROWS_SHOWN]]


def _first(table: Mapping[str, Any]) -> int:
    """Return the number of the first row of values."""
    return int(table["title_rows"] + table["header_rows"])


def _header(table: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    rows = table["cells"][table["title_rows"] : _first(table)]
    return [row[:_COLUMNS_SHOWN] for row in rows]


def _parts(table: Mapping[str, Any], width: int) -> Iterator[list[int]]:
    """Divide the columns into parts that fit, header columns or the first standing in each."""
    rows = [*_header(table), *_body(table)]
    needs = [
        min(max(map(_widest, column), default=1), _NARROW) + _BETWEEN
        for column in zip(*rows, strict=True)
    ]
    fixed = list(range(min(max(table["header_columns"], 1), len(needs))))
    if 2 * sum(needs[column] for column in fixed) > width:
        fixed = []
    part, used = list(fixed), sum(needs[column] for column in fixed)
    for column in range(len(fixed), len(needs)):
        if used + needs[column] > width and len(part) > len(fixed):
            yield part
            part, used = list(fixed), sum(needs[each] for each in fixed)
        part.append(column)
        used += needs[column]
    if part:
        yield part


def _widest(text: str) -> int:
    return max((cell_len(line) for line in text[:_CELL_CHARS].splitlines()), default=0)


def _grid(table: Mapping[str, Any], columns: Sequence[int], encoding: str) -> Table:
    header = _header(table)
    # The fields of records are columns unless header columns alone make them rows.
    types = list(table["types"].values())
    by_column = bool(header) or not table["header_columns"]
    grid = Table(
        box=box.SIMPLE_HEAD if _has_lines(encoding) else box.ASCII2,
        show_edge=False,
        show_header=bool(header),
        header_style="bold",
    )
    for column in columns:
        is_number = by_column and column < len(types) and types[column] in _NUMBERS
        grid.add_column(
            Text("\n".join(dict.fromkeys(_clean(row[column]) for row in header))),
            justify="right" if is_number else "left",
            style="bold" if column < table["header_columns"] else "",
            overflow="fold",
            vertical="top",
        )
    for row in _body(table):
        grid.add_row(*(Text(_clean(row[column])) for column in columns))
    return grid


def _has_lines(encoding: str) -> bool:
    try:
        "─".encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _clean(text: str) -> str:
    """Leave out what a terminal would act upon, and the end of a long text."""
    lines = text[:_CELL_CHARS].splitlines()
    is_cut = len(text) > _CELL_CHARS or len(lines) > _CELL_LINES
    kept = (" ".join(line.split()) for line in lines[:_CELL_LINES])
    shown = "\n".join("".join(filter(str.isprintable, line)) for line in kept)
    return f"{shown}…" if is_cut else shown
