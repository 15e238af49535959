"""The task ``tables``: how many genuine tables are told from layout, and how many wrongly.

A gold page is ``{html, tables}``. Each table is ``{tabid or tid, leaf, genuine}``; the attribute
``TABID`` or ``data-tid`` of an element says which label is its own. A label may also have
``confidence`` and ``header``, and a page ``site``, ``lang`` and ``source``. Where a label
says in which row or column a genuine table has its headers, that is measured too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from crawler.core.errors import UnreadablePageError
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.areas import Areas
from crawler.core.tables.classify import TableMethod
from crawler.core.tables.grid import Grid
from crawler.core.tables.markup import find_tables
from crawler.core.tables.paper_method import Verdict
from crawler.evaluation.gold import GOLD_URL, Row, kind_of, read_rows
from crawler.evaluation.scores import Confusion
from crawler.evaluation.task import Job, Report, sorted_counts
from crawler.journey.stages import table_method

_NEEDS = "html and tables"
_HEADERS = ("first_row", "first_column", "both", "none")
_ATTRIBUTES = {"tabid": "tabid", "tid": "data-tid"}
_ERRORS = ("layout_as_genuine", "genuine_as_layout")
_PAIR = 2
_Counts: TypeAlias = "defaultdict[tuple[str, str], Confusion]"


@dataclass(frozen=True, slots=True)
class GoldTable:
    """A table and its label.

    Attributes:
        key: the attribute of its element that identifies it, and its value.
        header: one of ``_HEADERS``; None where the label does not say.
        is_judged: whether figures count it: it holds no other table, and its label is sure.
        grid: the table as it is found on its page; None where it is not found.
    """

    key: tuple[str, str]
    genuine: bool
    header: str | None
    is_judged: bool
    grid: Grid | None = None


@dataclass(frozen=True, slots=True)
class GoldPage:
    """The labelled tables of one page.

    Attributes:
        site, language, source: what the gold says of the page, "" where it does not.
        unreadable: why the page could not be read; "" where it was.
    """

    tables: tuple[GoldTable, ...]
    site: str
    language: str
    source: str
    unreadable: str


def read_tables_gold(files: Iterable[Path]) -> Iterator[GoldPage]:
    """Yield the pages of ``files``, read as one set, line by line.

    Raises:
        UnreadableInputError: a file cannot be read, or a line is no gold page of tables. The
            message names the file and the line.
    """
    for row in read_rows(files, _NEEDS):
        html, labels = row.text("html"), _labels(row)
        grids: dict[tuple[str, str], Grid] = {}
        unreadable = ""
        try:
            found = find_tables(parse(Page.from_text(GOLD_URL, html)))
        except UnreadablePageError as error:
            unreadable, found = error.reason, ()
        for table in found:
            for name in _ATTRIBUTES.values():
                grids.setdefault((name, table.element.get(name) or ""), table.grid)
        site, language, source = (row.optional(key) or "" for key in ("site", "lang", "source"))
        tables = tuple(replace(gold, grid=grids.get(key)) for key, gold in labels.items())
        yield GoldPage(tables, site, language, source, unreadable)


def _labels(row: Row) -> dict[tuple[str, str], GoldTable]:
    labels: dict[tuple[str, str], GoldTable] = {}
    for table in row.objects("tables"):
        written = {each: table.values.get(name) for name, each in _ATTRIBUTES.items()}
        keys = [(each, str(value)) for each, value in written.items() if type(value) in (str, int)]
        key = next((key for key in keys if key[1]), None)
        if key is None:
            raise table.flaw(
                "a table without 'tabid' or 'tid'; give the value of its element's TABID or "
                "data-tid attribute"
            )
        for name in ("leaf", "genuine"):
            if not isinstance(value := table.values.get(name), bool):
                raise table.flaw(f"'{name}' of a table must be true or false, not {kind_of(value)}")
        header = table.values.get("header")
        if header is not None and header not in _HEADERS:
            raise table.flaw(f"'header' of a table must be null or one of {', '.join(_HEADERS)}")
        judged = table.values["leaf"] and table.values.get("confidence") in (None, "sure")
        if judged or key not in labels:
            labels[key] = GoldTable(key, table.values["genuine"], header, judged)
    return labels


def measure_tables(job: Job) -> Report:
    """Judge all labelled tables that hold no other, and report.

    Constants and words are those of the job's settings. A table that is not found on its page, or
    whose page cannot be read, counts as one that was not called genuine.

    Raises:
        UnreadableInputError: the gold files cannot be used, or hold no labelled table.
        UnknownMethodError: there is no table method of that name.
        OptionError: the words that the settings add cannot be used.
    """
    # Refuse a wrong name or setting before a file is opened.
    options = replace(job.options, table_method=job.method)
    method = table_method(options)
    counts: _Counts = defaultdict(Confusion)
    pages, skipped = 0, Counter[str]()
    for page in islice(read_tables_gold(job.gold), job.limit):
        pages += 1
        skipped.update([page.unreadable] if page.unreadable else [])
        _count(page, method, counts)
    if not counts["all", ""]:
        raise job.no_gold("labelled tables", _NEEDS)
    return Report(pages=pages, figures=_figures(counts, skipped))


def _count(page: GoldPage, method: TableMethod, counts: _Counts) -> None:
    """Count the tables of a page: all, those of its language and source, errors, headers."""
    groups = (("all", ""), ("by_language", page.language), ("by_source", page.source))
    for table in (table for table in page.tables if table.is_judged):
        found, kind, place = False, "not-found", "not-found"
        if table.grid is not None:
            verdict = method.judge(table.grid)
            found, kind = verdict.is_genuine, _kind(verdict, table.grid)
        for group in groups:
            if group[1] or group[0] == "all":
                counts[group][table.genuine, found] += 1
        if table.genuine != found:
            counts["errors", ""][_ERRORS[table.genuine], kind] += 1
        if table.genuine and table.header is not None:
            # Asked of every genuine table, so that the figure does not depend on the verdict.
            if table.grid is not None:
                place = _place(method.locate(table.grid))
            counts["header", ""][table.header, place] += 1


def _figures(counts: _Counts, skipped: Counter[str]) -> dict[str, object]:
    rows = counts["errors", ""].rows()
    figures: dict[str, Any] = {
        "tables": counts["all", ""].total(),
        **counts["all", ""].as_json(),
        "errors": {name: rows.get(name, {}) for name in _ERRORS},
        "skipped": sorted_counts(skipped),
    }
    if headers := counts["header", ""]:
        wrong = {pair: count for pair, count in sorted(headers.items()) if pair[0] != pair[1]}
        figures["header"] = {
            "tables": headers.total(),
            "accuracy": headers.accuracy,
            "errors": {f"{gold} as {found}": count for (gold, found), count in wrong.items()},
        }
    for (name, key), group in sorted(counts.items()):
        if key:
            figures.setdefault(name, {})[key] = {"tables": group.total(), **group.as_json()}
    return figures


def _place(areas: Areas) -> str:
    """Name an attribute area as labels do."""
    if areas.header_rows and areas.header_columns:
        return "both"
    if areas.header_rows:
        return "first_row"
    return "first_column" if areas.header_columns else "none"


def _kind(verdict: Verdict, grid: Grid) -> str:
    """Name the kind of error as Kim and Lee (2004), table 6, do; other kinds by what decided."""
    if verdict.reason == "syntactic" and verdict.main_type == "string":
        return "syntactic-strings"
    undecided = verdict.reason in ("incoherent", "no-values", "strings")
    if undecided and grid.rows == grid.columns == _PAIR:
        return "two-by-two"
    return verdict.reason
