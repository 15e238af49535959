"""The task ``tables``: how many genuine tables are told from layout, and how many wrongly.

A gold page is ``{html, tables}``. Each table is ``{tabid or tid, leaf, genuine}``; the attribute
``TABID`` or ``data-tid`` of an element says which label is its own. A label may also have
``confidence``, ``header`` and ``gold_html``, and a page ``site``, ``lang`` and ``source``. Where a
label says in which row or column a genuine table has its headers, that is measured too; and so is
how like a genuine table is, as it was read, to its markup or its ``gold_html``.

A label that says none of this, or whose element is not on the page, is left out, counted and named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from lxml import etree
from lxml.html import fromstring

from crawler.core.errors import UnreadableInputError, UnreadablePageError
from crawler.core.page.page import Page, site_of
from crawler.core.page.parse import ParsedPage, parse
from crawler.core.structure.tree import Node
from crawler.core.tables.areas import Areas
from crawler.core.tables.classify import TableMethod
from crawler.core.tables.grid import Grid
from crawler.core.tables.markup import find_tables
from crawler.core.tables.paper_method import Verdict
from crawler.evaluation.gold import GOLD_URL, Row, kind_of, read_rows
from crawler.evaluation.scores import Confusion, mean
from crawler.evaluation.task import Job, Report, Skipped, sorted_counts
from crawler.evaluation.teds import teds, tree_of_grid, tree_of_markup
from crawler.journey.stages import table_method

_NEEDS = "html and tables"
_HEADERS = ("first_row", "first_column", "both", "none")
_ATTRIBUTES = {"tabid": "tabid", "tid": "data-tid"}
_ERRORS = ("layout_as_genuine", "genuine_as_layout")
_GROUPS = {"by_language": "lang", "by_site": "site", "by_source": "source"}
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
        tree: the right table; None where it is not known.
    """

    key: tuple[str, str]
    genuine: bool
    header: str | None
    is_judged: bool
    grid: Grid | None = None
    tree: Node | None = None


@dataclass(frozen=True, slots=True)
class GoldPage:
    """The labelled tables of one page.

    Attributes:
        identity: what says in a table which page it is.
        groups: the names of the figures that count it, and its value there: what the gold says of
            the page.
        unreadable: why the page could not be read; "" where it was.
    """

    tables: tuple[GoldTable, ...]
    identity: Mapping[str, Any]
    groups: Mapping[str, str]
    unreadable: str


def read_tables_gold(files: Iterable[Path], skipped: Skipped) -> Iterator[GoldPage]:
    """Yield the pages of ``files``, read as one set, line by line; count what is left out.

    Raises:
        UnreadableInputError: a file cannot be read, or a line is no gold page of tables. The
            message names the file and the line.
    """
    for row in read_rows(files, _NEEDS):
        html, labels = row.text("html"), _labels(row, skipped)
        unreadable = ""
        try:
            page = parse(Page.from_text(GOLD_URL, html))
            labels = _on_page(row, page, labels, skipped)
        except UnreadablePageError as error:
            unreadable = error.reason
        groups = {name: row.optional(key) or "" for name, key in _GROUPS.items()}
        if not groups["by_site"] and (url := row.optional("url")):
            groups["by_site"] = site_of(url)
        yield GoldPage(tuple(labels), row.identity, groups, unreadable)


def _on_page(
    row: Row, page: ParsedPage, labels: Iterable[GoldTable], skipped: Skipped
) -> Iterator[GoldTable]:
    """Yield the labels whose element is on the page, each with the table as it is found there."""
    elements: dict[tuple[str, str], etree._Element] = {}
    for element in (element for root in page.roots for element in root.iter(etree.Element)):
        for name in _ATTRIBUTES.values():
            elements.setdefault((name, element.get(name) or ""), element)
    grids = {table.element: table.grid for table in find_tables(page)}
    for label in labels:
        if label.key not in elements:
            flaw = row.flaw(f"no element has {label.key[0]}='{label.key[1]}'")
            skipped.leave_out("no-such-element", flaw)
            continue
        element = elements[label.key]
        tree = label.tree
        if tree is None and label.genuine and element.tag == "table":
            tree = tree_of_markup(element)
        yield replace(label, grid=grids.get(element), tree=tree)


def _labels(row: Row, skipped: Skipped) -> Iterable[GoldTable]:
    labels: dict[tuple[str, str], GoldTable] = {}
    for table in row.objects("tables"):
        try:
            label = _label(table)
        except UnreadableInputError as flaw:
            skipped.leave_out("unknown-label", flaw)
            continue
        if label.is_judged or label.key not in labels:
            labels[label.key] = label
    return labels.values()


def _label(table: Row) -> GoldTable:
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
    right = table.optional("gold_html")
    tree = tree_of_markup(fromstring(right)) if right else None
    return GoldTable(key, table.values["genuine"], header, judged, tree=tree)


def measure_tables(job: Job) -> Report:
    """Judge all labelled tables that hold no other, and report.

    Constants and words are those of the job's settings. An element that is not taken for a table,
    or whose page cannot be read, counts as one that was not called genuine.

    Raises:
        UnreadableInputError: the gold files cannot be used, or hold no labelled table.
        UnknownMethodError: there is no table method of that name.
        OptionError: the words that the settings add cannot be used.
    """
    # Refuse a wrong name or setting before a file is opened.
    options = replace(job.options, table_method=job.method)
    method = table_method(options)
    counts: _Counts = defaultdict(Confusion)
    pages, skipped = 0, Skipped()
    rows: list[Mapping[str, Any]] = []
    for page in islice(read_tables_gold(job.gold, skipped), job.limit):
        pages += 1
        skipped.update([page.unreadable] if page.unreadable else [])
        rows += _count(page, method, counts)
    if not rows:
        raise job.no_gold("labelled tables", _NEEDS)
    likeness = [row["teds"] for row in rows if row["teds"] is not None]
    figures = {
        **_figures(counts),
        "teds": {"tables": len(likeness), "mean": mean(likeness)},
        "skipped": sorted_counts(skipped),
    }
    return Report(pages=pages, figures=figures, rows=rows, flaws=skipped.flaws)


def _count(page: GoldPage, method: TableMethod, counts: _Counts) -> Iterator[dict[str, Any]]:
    """Count the tables of a page: all, those of its groups, errors, headers; yield them as rows."""
    groups = (("all", ""), *page.groups.items())
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
        yield {
            **page.identity,
            **dict(zip(("attribute", "value"), table.key, strict=True)),
            "genuine": table.genuine,
            "found": found,
            "reason": kind,
            "teds": _likeness(table, is_found=found),
        }


def _likeness(table: GoldTable, *, is_found: bool) -> float | None:
    """Return the TEDS of a genuine table; None where it is not known, or the table too large."""
    if not table.genuine or table.tree is None:
        return None
    return teds(tree_of_grid(table.grid), table.tree) if is_found and table.grid else 0.0


def _figures(counts: _Counts) -> dict[str, object]:
    rows = counts["errors", ""].rows()
    figures: dict[str, Any] = {
        "tables": counts["all", ""].total(),
        **counts["all", ""].as_json(),
        "errors": {name: rows.get(name, {}) for name in _ERRORS},
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
