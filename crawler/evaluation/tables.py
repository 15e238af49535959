"""The task ``tables``: how many genuine tables are told from layout, and how many wrongly.

A gold page is ``{html, tables}``, each table ``{tabid or tid, leaf, genuine}``. The attribute
``TABID`` or ``data-tid`` of the element ties it to its label.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadableInputError, UnreadablePageError
from crawler.core.page import Page
from crawler.core.parse import parse
from crawler.core.tables.classify import DEFAULT_TABLE_METHOD, get_table_method
from crawler.core.tables.markup import find_tables
from crawler.evaluation.gold import kind_of, read_rows, text_of
from crawler.evaluation.report import Report, Table
from crawler.evaluation.scores import Overlap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from crawler.core.tables.classify import TableMethod, Verdict
    from crawler.core.tables.grid import Grid
    from crawler.evaluation.report import Job

__all__ = ["TablesTask"]

_NEEDS = "html and tables"
_SURE = "sure"
_IDENTIFIERS = (("tabid", "tabid"), ("tid", "data-tid"))
_PAIR = 2


@dataclass(frozen=True, slots=True)
class _GoldPage:
    """A page and which of its tables are genuine, by attribute and value that tie them."""

    html: str
    labels: dict[tuple[str, str], bool]


@dataclass(slots=True)
class _Tally:
    """The tables judged so far: ``cells`` counts pairs of gold and verdict."""

    pages: int = 0
    pairs: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    errors: Counter[tuple[bool, str]] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, *, genuine: bool, found: bool, kind: str) -> None:
        self.pairs[genuine, found] += 1
        if genuine != found:
            self.errors[genuine, kind] += 1

    @property
    def overlap(self) -> Overlap:
        right = self.pairs[True, True]
        return Overlap(right, right + self.pairs[False, True], right + self.pairs[True, False])


class TablesTask:
    """Measures genuine tables against labelled ones."""

    name = "tables"
    has_curves = False
    default_method = DEFAULT_TABLE_METHOD

    def run(self, job: Job) -> Report:
        """Judge all labelled tables that hold no other, and report.

        A table that is not found on its page, or whose page cannot be read, counts as one that
        was not called genuine.

        Raises:
            UnreadableInputError: The gold files cannot be used, or hold no labelled table.
            UnknownMethodError: There is no table method of that name.
        """
        method = get_table_method(job.method)  # A wrong name is told before a file is opened.
        tally = _Tally()
        for gold in islice(_pages(job), job.limit):
            tally.pages += 1
            _measure(gold, method, tally)
        if not tally.pairs:
            names = ", ".join(str(path) for path in job.gold)
            raise UnreadableInputError(
                f"{names}: no labelled tables; each line is one JSON object with {_NEEDS}"
            )
        return Report(
            task=self.name,
            method=job.method,
            pages=tally.pages,
            sites=None,
            figures=_figures(tally),
            tables=_tables(tally),
        )


def _measure(gold: _GoldPage, method: TableMethod, tally: _Tally) -> None:
    left = dict(gold.labels)
    try:
        found = find_tables(parse(Page.from_text("https://gold.example/", gold.html)))
    except UnreadablePageError as error:
        tally.skipped[error.reason] += 1
        found = ()
    for table in found:
        for _, attribute in _IDENTIFIERS:
            key = (attribute, table.element.get(attribute) or "")
            if key in left:
                verdict = method.judge(table.grid)
                tally.add(
                    genuine=left.pop(key),
                    found=verdict.is_genuine,
                    kind=_kind(verdict, table.grid),
                )
    for genuine in left.values():
        tally.add(genuine=genuine, found=False, kind="not-found")


def _kind(verdict: Verdict, grid: Grid) -> str:
    """Name the kind of error as Kim and Lee (2004), table 6, do; other kinds by what decided."""
    if verdict.reason == "syntactic" and verdict.main_type == "string":
        return "syntactic-strings"
    undecided = verdict.reason in ("incoherent", "no-values", "strings")
    if undecided and grid.rows == grid.columns == _PAIR:
        return "two-by-two"
    return verdict.reason


def _pages(job: Job) -> Iterator[_GoldPage]:
    for where, row in read_rows(job.gold, _NEEDS):
        yield _GoldPage(text_of(row, "html", where, _NEEDS), _labels(row, where))


def _labels(row: dict[str, Any], where: str) -> dict[tuple[str, str], bool]:
    if "tables" not in row:
        raise UnreadableInputError(f"{where}: no 'tables'; every line needs {_NEEDS}")
    tables = row["tables"]
    if not isinstance(tables, list):
        raise UnreadableInputError(f"{where}: 'tables' must be a list, not {kind_of(tables)}")
    labels: dict[tuple[str, str], bool] = {}
    for table in tables:
        if not isinstance(table, dict):
            raise UnreadableInputError(f"{where}: a table must be an object, not {kind_of(table)}")
        key = _key(table, where)
        leaf, genuine = _flag(table, "leaf", where), _flag(table, "genuine", where)
        if leaf and table.get("confidence") in (None, _SURE):
            labels[key] = genuine
    return labels


def _key(table: dict[str, Any], where: str) -> tuple[str, str]:
    for name, attribute in _IDENTIFIERS:
        value = table.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return attribute, str(value)
    raise UnreadableInputError(
        f"{where}: a table without 'tabid' or 'tid'; give the value of its element's TABID or "
        "data-tid attribute"
    )


def _flag(table: dict[str, Any], name: str, where: str) -> bool:
    value = table.get(name)
    if not isinstance(value, bool):
        raise UnreadableInputError(
            f"{where}: '{name}' of a table must be true or false, not {kind_of(value)}"
        )
    return value


def _figures(tally: _Tally) -> dict[str, object]:
    return {
        "tables": sum(tally.pairs.values()),
        **tally.overlap.score.as_json(),
        "confusion": {
            "tp": tally.pairs[True, True],
            "fp": tally.pairs[False, True],
            "fn": tally.pairs[True, False],
            "tn": tally.pairs[False, False],
        },
        "errors": {
            "layout_as_genuine": _errors(tally, genuine=False),
            "genuine_as_layout": _errors(tally, genuine=True),
        },
        "skipped": dict(sorted(tally.skipped.items())),
    }


def _errors(tally: _Tally, *, genuine: bool) -> dict[str, int]:
    kinds = [(kind, count) for (side, kind), count in tally.errors.items() if side == genuine]
    return dict(sorted(kinds, key=lambda each: (-each[1], each[0])))


def _tables(tally: _Tally) -> tuple[Table, ...]:
    score = tally.overlap.score
    figures = Table(
        "figure",
        ("tables", "precision", "recall", "F1"),
        (
            (
                "genuine tables",
                str(sum(tally.pairs.values())),
                f"{score.precision:.3f}",
                f"{score.recall:.3f}",
                f"{score.f1:.3f}",
            ),
        ),
    )
    confusion = Table(
        "labelled",
        ("called genuine", "called layout"),
        tuple(
            (name, str(tally.pairs[genuine, True]), str(tally.pairs[genuine, False]))
            for name, genuine in (("genuine", True), ("layout", False))
        ),
    )
    errors = Table(
        "error, by what decided",
        ("tables",),
        tuple(
            (f"{name}: {kind}", str(count))
            for name, genuine in (("layout called genuine", False), ("genuine called layout", True))
            for kind, count in _errors(tally, genuine=genuine).items()
        ),
    )
    tables = (figures, confusion, errors) if errors.rows else (figures, confusion)
    if not tally.skipped:
        return tables
    reasons = tuple((reason, str(count)) for reason, count in sorted(tally.skipped.items()))
    return (*tables, Table("pages that could not be read", ("pages",), reasons))
