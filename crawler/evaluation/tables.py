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
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from lxml import etree
from lxml.html import fromstring

from crawler.core.errors import UnreadableInputError
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
from crawler.evaluation.task import Job, Report
from crawler.evaluation.teds import teds, tree_of_grid, tree_of_markup
from crawler.journey.stages import table_method

_NEEDS = "html and tables"
# The names of where headers are, by whether there are rows and columns of them.
_HEADERS = {
    (True, False): "first_row",
    (False, True): "first_column",
    (True, True): "both",
    (False, False): "none",
}
_ATTRIBUTES = {"tabid": "tabid", "tid": "data-tid"}
_ERRORS = ("layout_as_genuine", "genuine_as_layout")
_GROUPS = {"by_language": "lang", "by_site": "site", "by_source": "source"}
_NOT_FOUND = "not-found"
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
    """

    tables: tuple[GoldTable, ...]
    identity: Mapping[str, Any]
    groups: Mapping[str, str]


def read_tables_gold(files: Iterable[Path], report: Report) -> Iterator[GoldPage]:
    """Yield the pages of ``files``, read as one set, line by line; report what is left out.

    Raises:
        UnreadableInputError: a file cannot be read, or a line is no gold page of tables. The
            message names the file and the line.
    """
    for row in read_rows(files, _NEEDS):
        html, labels = row.text("html"), _labels(row, report)
        page = report.readable(partial(parse, Page.from_text(GOLD_URL, html)))
        groups = {name: row.optional(key) or "" for name, key in _GROUPS.items()}
        if not groups["by_site"] and (url := row.optional("url")):
            groups["by_site"] = site_of(url)
        found = labels if page is None else _on_page(row, page, labels, report)
        yield GoldPage(tuple(found), row.identity, groups)


def _on_page(
    row: Row, page: ParsedPage, labels: Iterable[GoldTable], report: Report
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
            report.leave_out("no-such-element", flaw)
            continue
        element = elements[label.key]
        tree = label.tree
        if tree is None and label.genuine and element.tag == "table":
            tree = tree_of_markup(element)
        yield replace(label, grid=grids.get(element), tree=tree)


def _labels(row: Row, report: Report) -> Iterable[GoldTable]:
    labels: dict[tuple[str, str], GoldTable] = {}
    for table in row.objects("tables"):
        try:
            label = _label(table)
        except UnreadableInputError as flaw:
            report.leave_out("unknown-label", flaw)
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
    if header is not None and header not in _HEADERS.values():
        names = ", ".join(_HEADERS.values())
        raise table.flaw(f"'header' of a table must be null or one of {names}")
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
    method = table_method(replace(job.options, table_method=job.method))
    counts: _Counts = defaultdict(Confusion)
    report = Report()
    for page in islice(read_tables_gold(job.gold, report), job.limit):
        report.pages += 1
        report.rows += _count(page, method, counts)
    if not report.rows:
        raise job.no_gold("labelled tables", _NEEDS)
    likeness = [row["teds"] for row in report.rows if row["teds"] is not None]
    of_trees = {"tables": len(likeness), "mean": mean(likeness)}
    return report.finished({**_figures(counts), "teds": of_trees})


def _count(page: GoldPage, method: TableMethod, counts: _Counts) -> Iterator[dict[str, Any]]:
    """Count the tables of a page: all, those of its groups, errors, headers; yield them as rows."""
    groups = [("all", ""), *(group for group in page.groups.items() if group[1])]
    for table in (table for table in page.tables if table.is_judged):
        found, kind = False, _NOT_FOUND
        if table.grid is not None:
            verdict = method.judge(table.grid)
            found, kind = verdict.is_genuine, _kind(verdict, table.grid)
        for group in groups:
            counts[group][table.genuine, found] += 1
        if table.genuine != found:
            counts["errors", ""][_ERRORS[table.genuine], kind] += 1
        if table.genuine and table.header is not None:
            # Asked of every genuine table, so that the figure does not depend on the verdict.
            place = _place(method.locate(table.grid)) if table.grid else _NOT_FOUND
            counts["header", ""][table.header, place] += 1
        likeness = None
        if table.genuine and table.tree is not None:
            read = tree_of_grid(table.grid) if found and table.grid else None
            likeness = teds(read, table.tree) if read else 0.0
        yield {
            **page.identity,
            **dict(zip(("attribute", "value"), table.key, strict=True)),
            "genuine": table.genuine,
            "found": found,
            "reason": kind,
            "teds": likeness,
        }


def _figures(counts: _Counts) -> dict[str, object]:
    rows = counts["errors", ""].rows()
    figures: dict[str, Any] = {
        **_of_group(counts["all", ""]),
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
            figures.setdefault(name, {})[key] = _of_group(group)
    return figures


def _of_group(group: Confusion) -> dict[str, object]:
    return {"tables": group.total(), **group.as_json()}


def _place(areas: Areas) -> str:
    """Name an attribute area as labels do."""
    return _HEADERS[bool(areas.header_rows), bool(areas.header_columns)]


def _kind(verdict: Verdict, grid: Grid) -> str:
    """Name the kind of error as Kim and Lee (2004), table 6, do; other kinds by what decided."""
    if verdict.reason == "syntactic" and verdict.main_type == "string":
        return "syntactic-strings"
    undecided = verdict.reason in ("incoherent", "no-values", "strings")
    if undecided and grid.rows == grid.columns == _PAIR:
        return "two-by-two"
    return verdict.reason
