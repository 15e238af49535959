"""A report as one JSON object, and as tables for a person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

    from crawler.evaluation.report import Report, Table

__all__ = ["as_json", "write_grids", "write_tables"]


def as_json(report: Report, seconds: float) -> str:
    """Return the report as one JSON object on several lines, with a newline at its end.

    ``seconds`` is the time the task took. The text is ASCII, so that no terminal or pipe can spoil
    the names of sites.
    """
    sites = {} if report.sites is None else {"sites": report.sites}
    figures = {
        "task": report.task,
        "method": report.method,
        f"{report.unit}s": report.pages,
        **sites,
        "seconds": round(seconds, 3),
        f"{report.unit}s_per_second": _rate(report, seconds),
        **report.figures,
    }
    return json.dumps(figures, indent=2, allow_nan=False) + "\n"


def write_tables(report: Report, seconds: float, stream: TextIO) -> None:
    """Write the report for a reader: ruled tables on a terminal, plain columns elsewhere."""
    sites = "" if report.sites is None else f"sites {report.sites}, "
    heading = (
        f"{report.task}, method {report.method}: {report.unit}s {report.pages}, {sites}"
        f"seconds {seconds:.1f}, {report.unit}s a second {_rate(report, seconds):.0f}"
    )
    write_grids(heading, report.tables, stream)


def write_grids(heading: str, tables: tuple[Table, ...], stream: TextIO) -> None:
    """Write some tables below a line: ruled on a terminal, plain columns elsewhere."""
    if stream.isatty():
        _write_rich(heading, tables, stream)
    else:
        _write_plain(heading, tables, stream)


def _rate(report: Report, seconds: float) -> float:
    # A clock may be too coarse for a handful of pages.
    return round(report.pages / max(seconds, 1e-9), 1)


def _write_plain(heading: str, tables: tuple[Table, ...], stream: TextIO) -> None:
    lines = [heading]
    for table in tables:
        grid = [(table.title, *table.columns), *table.rows]
        widths = [max(len(cell) for cell in column) for column in zip(*grid, strict=True)]
        lines.append("")
        for name, *numbers in grid:
            cells = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
            lines.append("  ".join([name.ljust(widths[0]), *cells]))
    text = "\n".join(lines) + "\n"
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _write_rich(heading: str, tables: tuple[Table, ...], stream: TextIO) -> None:
    # Only a terminal needs it, and it takes a while to import.
    from rich.console import Console  # noqa: PLC0415 - as said above
    from rich.table import Table as RichTable  # noqa: PLC0415 - as said above

    # Names of sites come from the gold file: "[red]" in one is text and not a colour.
    console = Console(file=stream, markup=False, highlight=False, emoji=False)
    console.print(heading, style="bold")
    for table in tables:
        grid = RichTable(table.title)
        for column in table.columns:
            grid.add_column(column, justify="right")
        for row in table.rows:
            grid.add_row(*row)
        console.print(grid)
