"""A report of an evaluation as one JSON object, and as tables of text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawler.reports.text_tables import write_tables

if TYPE_CHECKING:
    from typing import TextIO

    from crawler.evaluation.report import Report

__all__ = ["as_json", "write_report"]


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


def write_report(report: Report, seconds: float, stream: TextIO) -> None:
    """Write the report for a reader: ruled tables on a terminal, plain columns elsewhere."""
    sites = "" if report.sites is None else f"sites {report.sites}, "
    heading = (
        f"{report.task}, method {report.method}: {report.unit}s {report.pages}, {sites}"
        f"seconds {seconds:.1f}, {report.unit}s a second {_rate(report, seconds):.0f}"
    )
    write_tables(heading, report.tables, stream)


def _rate(report: Report, seconds: float) -> float:
    # A clock may be too coarse for a handful of pages.
    return round(report.pages / max(seconds, 1e-9), 1)
