"""The task ``tables``: how many genuine tables are told from layout, and how many wrongly.

A gold page is ``{html, tables}``. Each table is ``{tabid or tid, leaf, genuine}``; the attribute
``TABID`` or ``data-tid`` of an element says which label is its own. A label may also have
``confidence`` and ``header``, and a page ``site``, ``lang`` and ``source``. Where a label
says in which row or column a genuine table has its headers, that is measured too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadablePageError
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.markup import find_tables
from crawler.evaluation.gold import GOLD_URL, kind_of, read_rows
from crawler.evaluation.scores import Confusion
from crawler.evaluation.task import Report, sorted_counts
from crawler.journey.stages import table_method

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from crawler.core.tables.areas import Areas
    from crawler.core.tables.classify import TableMethod
    from crawler.core.tables.grid import Grid
    from crawler.core.tables.paper_method import Verdict
    from crawler.evaluation.gold import Row
    from crawler.evaluation.task import Job

_NEEDS = "html and tables"
_HEADERS = ("first_row", "first_column", "both", "none")
_SURE = "sure"
_IDENTIFIERS = (("tabid", "tabid"), ("tid", "data-tid"))
_ERRORS = ("layout_as_genuine", "genuine_as_layout")
_PAIR = 2


@dataclass(frozen=True, slots=True)
class GoldTable:
    """A table and its label.

    ``key``
        The attribute of its element that identifies it, and its value.
    ``header``
        One of ``_HEADERS``; None where the label does not say.
    ``is_judged``
        Whether figures count it: it holds no other table, and its label is sure.
    ``grid``
        The table as it is found on its page; None where it is not found.
    """

    key: tuple[str, str]
    genuine: bool
    header: str | None
    is_judged: bool
    grid: Grid | None = None


@dataclass(frozen=True, slots=True)
class GoldPage:
    """The labelled tables of one page.

    ``site``, ``language``, ``source``
        What the gold says of the page, "" where it does not.
    ``unreadable``
        Why the page could not be read; "" where it was.
    """

    tables: tuple[GoldTable, ...]
    site: str = ""
    language: str = ""
    source: str = ""
    unreadable: str = ""


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
            for _, attribute in _IDENTIFIERS:
                key = (attribute, table.element.get(attribute) or "")
                if key in labels:
                    grids.setdefault(key, table.grid)
        yield GoldPage(
            tables=tuple(replace(gold, grid=grids.get(key)) for key, gold in labels.items()),
            site=_string(row, "site"),
            language=_string(row, "lang"),
            source=_string(row, "source"),
            unreadable=unreadable,
        )


def _string(row: Row, key: str) -> str:
    value = row.values.get(key)
    return value if isinstance(value, str) else ""


def _labels(row: Row) -> dict[tuple[str, str], GoldTable]:
    labels: dict[tuple[str, str], GoldTable] = {}
    for table in row.objects("tables"):
        key = _key(table)
        leaf, genuine = _flag(table, "leaf"), _flag(table, "genuine")
        header = table.values.get("header")
        if header is not None and header not in _HEADERS:
            raise table.flaw(f"'header' of a table must be null or one of {', '.join(_HEADERS)}")
        judged = leaf and table.values.get("confidence") in (None, _SURE)
        if judged or key not in labels:
            labels[key] = GoldTable(key, genuine, header, judged)
    return labels


def _key(table: Row) -> tuple[str, str]:
    for name, attribute in _IDENTIFIERS:
        value = table.values.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return attribute, str(value)
    raise table.flaw(
        "a table without 'tabid' or 'tid'; give the value of its element's TABID or data-tid "
        "attribute"
    )


def _flag(table: Row, name: str) -> bool:
    value = table.values.get(name)
    if not isinstance(value, bool):
        raise table.flaw(f"'{name}' of a table must be true or false, not {kind_of(value)}")
    return value


@dataclass(slots=True)
class _Tally:
    """What has been counted: all tables, those of each language and source, errors, headers."""

    pages: int = 0
    all: Confusion = field(default_factory=Confusion)
    languages: defaultdict[str, Confusion] = field(default_factory=lambda: defaultdict(Confusion))
    sources: defaultdict[str, Confusion] = field(default_factory=lambda: defaultdict(Confusion))
    errors: Confusion = field(default_factory=Confusion)
    headers: Confusion = field(default_factory=Confusion)
    skipped: Counter[str] = field(default_factory=Counter)


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
    tally = _Tally()
    for page in islice(read_tables_gold(job.gold), job.limit):
        tally.pages += 1
        if page.unreadable:
            tally.skipped[page.unreadable] += 1
        for table in page.tables:
            if table.is_judged:
                _measure(page, table, method, tally)
    if not tally.all:
        raise job.no_gold("labelled tables", _NEEDS)
    return Report(pages=tally.pages, figures=_figures(tally))


def _measure(page: GoldPage, table: GoldTable, method: TableMethod, tally: _Tally) -> None:
    found, kind, place = False, "not-found", "not-found"
    if table.grid is not None:
        verdict = method.judge(table.grid)
        found, kind = verdict.is_genuine, _kind(verdict, table.grid)
    tally.all[table.genuine, found] += 1
    if page.language:
        tally.languages[page.language][table.genuine, found] += 1
    if page.source:
        tally.sources[page.source][table.genuine, found] += 1
    if table.genuine != found:
        tally.errors[_ERRORS[table.genuine], kind] += 1
    if table.genuine and table.header is not None:
        # Asked of every genuine table, so that the figure does not depend on the verdict.
        if table.grid is not None:
            place = _place(method.locate(table.grid))
        tally.headers[table.header, place] += 1


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


def _figures(tally: _Tally) -> dict[str, object]:
    errors = tally.errors.rows()
    figures = {
        **_group_figures(tally.all),
        "errors": {name: errors.get(name, {}) for name in _ERRORS},
        "skipped": sorted_counts(tally.skipped),
    }
    if tally.headers:
        figures["header"] = {
            "tables": tally.headers.total(),
            "accuracy": tally.headers.accuracy,
            "errors": {
                f"{gold} as {found}": count
                for (gold, found), count in sorted(tally.headers.items())
                if gold != found
            },
        }
    for name, groups in (("by_language", tally.languages), ("by_source", tally.sources)):
        if groups:
            figures[name] = {key: _group_figures(group) for key, group in sorted(groups.items())}
    return figures


def _group_figures(group: Confusion) -> dict[str, object]:
    return {
        "tables": group.total(),
        **group.score(kind=True).as_json(),
        "confusion": {
            "tp": group[True, True],
            "fp": group[False, True],
            "fn": group[True, False],
            "tn": group[False, False],
        },
    }
