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
from crawler.evaluation.scores import Overlap
from crawler.evaluation.task import Report, count_tables, score_table, sorted_counts
from crawler.journey.stages import table_method, table_words
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from crawler.core.tables.areas import Areas
    from crawler.core.tables.classify import TableMethod, Verdict
    from crawler.core.tables.grid import Grid
    from crawler.evaluation.gold import Row
    from crawler.evaluation.task import Job

__all__ = ["GoldPage", "GoldTable", "measure_tables", "read_tables_gold"]

_NEEDS = "html and tables"
_HEADERS = ("first_row", "first_column", "both", "none")
_SURE = "sure"
_IDENTIFIERS = (("tabid", "tabid"), ("tid", "data-tid"))
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
class _Group:
    """Tables judged so far: pairs of label and verdict."""

    pairs: Counter[tuple[bool, bool]] = field(default_factory=Counter)

    @property
    def overlap(self) -> Overlap:
        right = self.pairs[True, True]
        return Overlap(right, right + self.pairs[False, True], right + self.pairs[True, False])

    def as_json(self) -> dict[str, object]:
        return {
            "tables": sum(self.pairs.values()),
            **self.overlap.score.as_json(),
            "confusion": {
                "tp": self.pairs[True, True],
                "fp": self.pairs[False, True],
                "fn": self.pairs[True, False],
                "tn": self.pairs[False, False],
            },
        }


@dataclass(slots=True)
class _Tally:
    """What has been counted: all tables, those of each language and source, errors, headers."""

    pages: int = 0
    all: _Group = field(default_factory=_Group)
    languages: defaultdict[str, _Group] = field(default_factory=lambda: defaultdict(_Group))
    sources: defaultdict[str, _Group] = field(default_factory=lambda: defaultdict(_Group))
    errors: Counter[tuple[bool, str]] = field(default_factory=Counter)
    headers: Counter[tuple[str, str]] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, page: GoldPage, *, genuine: bool, found: bool, kind: str) -> None:
        self.all.pairs[genuine, found] += 1
        if page.language:
            self.languages[page.language].pairs[genuine, found] += 1
        if page.source:
            self.sources[page.source].pairs[genuine, found] += 1
        if genuine != found:
            self.errors[genuine, kind] += 1


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
    method = table_method(options, table_words(options))
    tally = _Tally()
    for page in islice(read_tables_gold(job.gold), job.limit):
        tally.pages += 1
        if page.unreadable:
            tally.skipped[page.unreadable] += 1
        for table in page.tables:
            if table.is_judged:
                _measure(page, table, method, tally)
    if not tally.all.pairs:
        raise job.no_gold("labelled tables", _NEEDS)
    return Report(pages=tally.pages, figures=_figures(tally), tables=_tables(tally))


def _measure(page: GoldPage, table: GoldTable, method: TableMethod, tally: _Tally) -> None:
    if table.grid is None:
        tally.add(page, genuine=table.genuine, found=False, kind="not-found")
    else:
        verdict = method.judge(table.grid)
        kind = _kind(verdict, table.grid)
        tally.add(page, genuine=table.genuine, found=verdict.is_genuine, kind=kind)
    if table.genuine and table.header is not None:
        # Asked of every genuine table, so that the figure does not depend on the verdict.
        found = _place(method.locate(table.grid)) if table.grid is not None else "not-found"
        tally.headers[table.header, found] += 1


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
    figures = {
        **tally.all.as_json(),
        "errors": {
            "layout_as_genuine": _errors(tally, genuine=False),
            "genuine_as_layout": _errors(tally, genuine=True),
        },
        "skipped": sorted_counts(tally.skipped),
    }
    if tally.headers:
        right, wrong = _header_counts(tally)
        figures["header"] = {
            "tables": tally.headers.total(),
            "accuracy": right / tally.headers.total(),
            "errors": {f"{gold} as {found}": count for gold, found, count in wrong},
        }
    for name, groups in (("by_language", tally.languages), ("by_source", tally.sources)):
        if groups:
            figures[name] = {key: group.as_json() for key, group in sorted(groups.items())}
    return figures


def _header_counts(tally: _Tally) -> tuple[int, list[tuple[str, str, int]]]:
    """Return how many tables have their headers in the right place, and each kind of error."""
    pairs = [(gold, found, count) for (gold, found), count in sorted(tally.headers.items())]
    right = sum(count for gold, found, count in pairs if gold == found)
    return right, [pair for pair in pairs if pair[0] != pair[1]]


def _errors(tally: _Tally, *, genuine: bool) -> dict[str, int]:
    kinds = [(kind, count) for (side, kind), count in tally.errors.items() if side == genuine]
    return dict(sorted(kinds, key=lambda each: (-each[1], each[0])))


def _score_table(title: str, groups: Iterable[tuple[str, _Group]]) -> Table:
    rows = [(name, group.overlap.score, group.pairs.total()) for name, group in groups]
    return score_table(title, rows, "tables")


def _tables(tally: _Tally) -> tuple[Table, ...]:
    labelled = tuple(
        (name, str(tally.all.pairs[genuine, True]), str(tally.all.pairs[genuine, False]))
        for name, genuine in (("genuine", True), ("layout", False))
    )
    tables = [
        _score_table("figure", [("genuine tables", tally.all)]),
        Table("labelled", ("called genuine", "called layout"), labelled),
    ]
    errors = tuple(
        (f"{name}: {kind}", str(count))
        for name, genuine in (("layout called genuine", False), ("genuine called layout", True))
        for kind, count in _errors(tally, genuine=genuine).items()
    )
    if errors:
        tables.append(Table("error, by what decided", ("tables",), errors))
    if tally.headers:
        right, wrong = _header_counts(tally)
        total = tally.headers.total()
        rows = [("in the right place", f"{right} of {total} ({right / total:.3f})")]
        rows += [(f"{gold} taken for {found}", str(count)) for gold, found, count in wrong]
        tables.append(Table("headers of genuine tables", ("tables",), tuple(rows)))
    for title, groups in (("language", tally.languages), ("source", tally.sources)):
        if groups:
            tables.append(_score_table(title, sorted(groups.items())))
    return (*tables, *count_tables("pages that could not be read", "pages", tally.skipped))
