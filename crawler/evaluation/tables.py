"""The task ``tables``: how many genuine tables are told from layout, and how many wrongly.

Gold pages are those of :mod:`crawler.evaluation.tablegold`. Where a label says in which row or
column a genuine table has its headers, that is measured too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadableInputError
from crawler.evaluation.report import Report
from crawler.evaluation.scores import Overlap
from crawler.evaluation.tablegold import NEEDS, read_tables_gold
from crawler.journey.stages import table_method, table_words
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from crawler.core.tables.areas import Areas
    from crawler.core.tables.classify import TableMethod, Verdict
    from crawler.core.tables.grid import Grid
    from crawler.evaluation.report import Job
    from crawler.evaluation.tablegold import GoldPage, GoldTable

__all__ = ["TablesTask"]

_PAIR = 2


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
    languages: dict[str, _Group] = field(default_factory=dict)
    sources: dict[str, _Group] = field(default_factory=dict)
    errors: Counter[tuple[bool, str]] = field(default_factory=Counter)
    headers: Counter[tuple[str, str]] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, page: GoldPage, *, genuine: bool, found: bool, kind: str) -> None:
        groups = [self.all]
        if page.language:
            groups.append(self.languages.setdefault(page.language, _Group()))
        if page.source:
            groups.append(self.sources.setdefault(page.source, _Group()))
        for group in groups:
            group.pairs[genuine, found] += 1
        if genuine != found:
            self.errors[genuine, kind] += 1


class TablesTask:
    """Measures genuine tables against labelled ones."""

    name = "tables"
    has_curves = False
    default_method = None  # CORPUS_TABLE_METHOD

    def run(self, job: Job) -> Report:
        """Judge all labelled tables that hold no other, and report.

        Constants and words are those of the job's settings.

        A table that is not found on its page, or whose page cannot be read, counts as one that
        was not called genuine.

        Raises:
            UnreadableInputError: The gold files cannot be used, or hold no labelled table.
            UnknownMethodError: There is no table method of that name.
            OptionError: The words that the settings add cannot be used.
        """
        # A wrong name or setting is told before a file is opened.
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
            names = ", ".join(str(path) for path in job.gold)
            raise UnreadableInputError(
                f"{names}: no labelled tables; each line is one JSON object with {NEEDS}"
            )
        return Report(
            task=self.name,
            method=job.method,
            pages=tally.pages,
            sites=None,
            figures=_figures(tally),
            tables=_tables(tally),
        )


def _measure(page: GoldPage, table: GoldTable, method: TableMethod, tally: _Tally) -> None:
    if table.grid is None:
        tally.add(page, genuine=table.genuine, found=False, kind="not-found")
    else:
        verdict = method.judge(table.grid)
        kind = _kind(verdict, table.grid)
        tally.add(page, genuine=table.genuine, found=verdict.is_genuine, kind=kind)
    if table.genuine and table.header is not None:
        # Asked of every genuine table, so that the figure does not hang on the verdict.
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
        "skipped": dict(sorted(tally.skipped.items())),
    }
    if tally.headers:
        figures["header"] = _header_figures(tally)
    for name, groups in (("by_language", tally.languages), ("by_source", tally.sources)):
        if groups:
            figures[name] = {key: group.as_json() for key, group in sorted(groups.items())}
    return figures


@dataclass(frozen=True, slots=True)
class _Headers:
    """On how many tables the headers are in the right place, and each kind of error."""

    total: int
    right: int
    wrong: tuple[tuple[str, str, int], ...]


def _headers(tally: _Tally) -> _Headers:
    pairs = sorted(tally.headers.items())
    return _Headers(
        total=tally.headers.total(),
        right=sum(count for (gold, found), count in pairs if gold == found),
        wrong=tuple((gold, found, count) for (gold, found), count in pairs if gold != found),
    )


def _header_figures(tally: _Tally) -> dict[str, object]:
    headers = _headers(tally)
    return {
        "tables": headers.total,
        "accuracy": headers.right / headers.total,
        "errors": {f"{gold} as {found}": count for gold, found, count in headers.wrong},
    }


def _errors(tally: _Tally, *, genuine: bool) -> dict[str, int]:
    kinds = [(kind, count) for (side, kind), count in tally.errors.items() if side == genuine]
    return dict(sorted(kinds, key=lambda each: (-each[1], each[0])))


_FIGURES = ("tables", "precision", "recall", "F1")


def _line(name: str, group: _Group) -> tuple[str, ...]:
    score = group.overlap.score
    return (
        name,
        str(sum(group.pairs.values())),
        f"{score.precision:.3f}",
        f"{score.recall:.3f}",
        f"{score.f1:.3f}",
    )


def _tables(tally: _Tally) -> tuple[Table, ...]:
    tables = [
        Table("figure", _FIGURES, (_line("genuine tables", tally.all),)),
        Table(
            "labelled",
            ("called genuine", "called layout"),
            tuple(
                (
                    name,
                    str(tally.all.pairs[genuine, True]),
                    str(tally.all.pairs[genuine, False]),
                )
                for name, genuine in (("genuine", True), ("layout", False))
            ),
        ),
    ]
    errors = tuple(
        (f"{name}: {kind}", str(count))
        for name, genuine in (("layout called genuine", False), ("genuine called layout", True))
        for kind, count in _errors(tally, genuine=genuine).items()
    )
    if errors:
        tables.append(Table("error, by what decided", ("tables",), errors))
    if tally.headers:
        tables.append(_header_table(tally))
    for title, groups in (("language", tally.languages), ("source", tally.sources)):
        if groups:
            lines = tuple(_line(name, group) for name, group in sorted(groups.items()))
            tables.append(Table(title, _FIGURES, lines))
    if tally.skipped:
        reasons = tuple((reason, str(count)) for reason, count in sorted(tally.skipped.items()))
        tables.append(Table("pages that could not be read", ("pages",), reasons))
    return tuple(tables)


def _header_table(tally: _Tally) -> Table:
    headers = _headers(tally)
    share = headers.right / headers.total
    return Table(
        "headers of genuine tables",
        ("tables",),
        (
            ("in the right place", f"{headers.right} of {headers.total} ({share:.3f})"),
            *((f"{gold} taken for {found}", str(count)) for gold, found, count in headers.wrong),
        ),
    )
