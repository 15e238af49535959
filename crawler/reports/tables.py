"""The tables of a page as a person reads them in a terminal: for ``scrapy extract --tables``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.core.wording import counted

_Rows: TypeAlias = "Sequence[Sequence[str]]"
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
    if console is None:
        console = Console(highlight=False)
        if not console.is_terminal and not os.environ.get("COLUMNS"):
            console.width = _PIPED_WIDTH
    shown = [table for table in tables if layout or table["verdict"]["is_genuine"]]
    with console.capture() as captured:
        for table in shown:
            _print(console, table)
        if not shown:
            console.print("No genuine table.")
        if left_out := len(tables) - len(shown):
            shows = "--layout shows them" if left_out > 1 else "--layout shows it"
            console.print(f"{counted(left_out, 'layout table')} left out; {shows}.")
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n"))


def _print(console: Console, table: Mapping[str, Any]) -> None:
    caption = f": {_clean(table['caption'])}" if table["caption"] else ""
    console.print(Text(f"Table {table['number']}{caption}", style="bold"))
    console.print(Text(" · ".join(_facts(table))))
    console.print(Text(_verdict(table["verdict"])))
    first = table["title_rows"] + table["header_rows"]
    shown = [row[:_COLUMNS_SHOWN] for row in table["cells"][: first + _ROWS_SHOWN]]
    header, body = shown[table["title_rows"] : first], shown[first:]
    if shown:
        for number, columns in enumerate(_parts(table, [*header, *body], console.width)):
            if number:
                console.print()
            console.print(_grid(table, header, body, columns))
        hidden = (
            (table["columns"] - _COLUMNS_SHOWN, "more column"),
            (table["rows"] - first - len(body), "more row"),
        )
        if told := " and ".join(counted(number, name) for number, name in hidden if number > 0):
            console.print(f"… and {told}")
    console.print()


def _facts(table: Mapping[str, Any]) -> Iterator[str]:
    if table["heading"]:
        yield f"under “{_clean(table['heading'])}”"
    yield f"{counted(table['rows'], 'row')} × {counted(table['columns'], 'column')}"  # noqa: RUF001 - a size
    named = (("header_rows", "header row"), ("header_columns", "header column"))
    if headers := " and ".join(counted(table[key], name) for key, name in named if table[key]):
        yield headers
    if records := len(table["records"]):
        yield counted(records, "record")


def _verdict(verdict: Mapping[str, Any]) -> str:
    forms = {"coherency": "coherency {:.2f}", "confidence": "confidence {:.2f}"}
    details = [f"rule {verdict['rule']}"] if verdict["rule"] else []
    details += [
        form.format(verdict[key]) for key, form in forms.items() if verdict[key] is not None
    ]
    details += [f"class {verdict['attribute_class']}"] if verdict["attribute_class"] else []
    shown = f" ({', '.join(details)})" if details else ""
    kind = "genuine" if verdict["is_genuine"] else "layout"
    return f"{kind}: {verdict['reason']}{shown}, by {verdict['method']}"


def _parts(table: Mapping[str, Any], rows: _Rows, width: int) -> Iterator[list[int]]:
    """Divide the columns into parts that fit, header columns or the first standing in each."""
    needs = [
        min(max(map(_widest, column), default=1), _NARROW) + _BETWEEN
        for column in zip(*rows, strict=True)
    ]
    fixed = list(range(min(max(table["header_columns"], 1), len(needs))))
    if 2 * sum(needs[column] for column in fixed) > width:
        fixed = []
    part = list(fixed)
    for column in range(len(fixed), len(needs)):
        if sum(needs[each] for each in (*part, column)) > width and len(part) > len(fixed):
            yield part
            part = list(fixed)
        part.append(column)
    if part:
        yield part


def _widest(text: str) -> int:
    return max((cell_len(line) for line in text[:_CELL_CHARS].splitlines()), default=0)


def _grid(table: Mapping[str, Any], header: _Rows, body: _Rows, columns: Sequence[int]) -> Table:
    # The fields of records are columns unless header columns alone make them rows.
    types = list(table["types"].values()) if header or not table["header_columns"] else []
    grid = Table(
        box=box.SIMPLE_HEAD, show_edge=False, show_header=bool(header), header_style="bold"
    )
    for column in columns:
        grid.add_column(
            Text("\n".join(dict.fromkeys(_clean(row[column]) for row in header))),
            justify="right" if _NUMBERS.intersection(types[column : column + 1]) else "left",
            style="bold" if column < table["header_columns"] else "",
            overflow="fold",
            vertical="top",
        )
    for row in body:
        grid.add_row(*(Text(_clean(row[column])) for column in columns))
    return grid


def _clean(text: str) -> str:
    """Leave out what a terminal would act upon, and the end of a long text."""
    lines = text[:_CELL_CHARS].splitlines()
    is_cut = len(text) > _CELL_CHARS or len(lines) > _CELL_LINES
    kept = (" ".join(line.split()) for line in lines[:_CELL_LINES])
    shown = "\n".join("".join(filter(str.isprintable, line)) for line in kept)
    return f"{shown}…" if is_cut else shown
