"""The task ``pagetypes``: how often the kind of a page is found right.

A gold page is ``{html, page_type}`` and ``url`` where it has one. ``collection`` is another word
for ``listing``. A page without ``page_type`` is not counted.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Page, read
from crawler.core.pagetype import ARTICLE, KINDS, PageType, page_type
from crawler.evaluation.gold import read_rows
from crawler.evaluation.scores import Overlap
from crawler.evaluation.task import Report, check_only_method, sorted_counts
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.evaluation.scores import Score
    from crawler.evaluation.task import Job

__all__ = ["Confusion", "kind_of_gold", "measure_pagetypes"]

_NEEDS = "html and page_type"
_NO_ADDRESS = "file:///page.html"
_ALIASES = {"collection": "listing"}
_UNREADABLE = PageType("empty", 1.0, 0.0)


def kind_of_gold(name: str) -> str:
    """Return the kind that gold calls ``name``."""
    return _ALIASES.get(name, name)


class Confusion:
    """How many pages of each kind were taken for which kind."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, gold: str, found: str) -> None:
        """Count a page."""
        self._counts[gold, found] += 1

    @property
    def pages(self) -> int:
        """How many pages were counted."""
        return self._counts.total()

    @property
    def accuracy(self) -> float:
        """Share of the pages whose kind is right."""
        right = sum(count for (gold, found), count in self._counts.items() if gold == found)
        return right / self.pages if self.pages else 0.0

    def score(self, kind: str) -> Score:
        """Return precision, recall and F1 of one kind."""
        predicted = sum(count for (_, found), count in self._counts.items() if found == kind)
        gold = sum(count for (is_of, _), count in self._counts.items() if is_of == kind)
        return Overlap(self._counts[kind, kind], predicted, gold).score

    def rows(self) -> Iterator[tuple[str, dict[str, int]]]:
        """Yield each kind of the gold, and what its pages were taken for, most frequent first."""
        for kind in sorted({gold for gold, _ in self._counts}):
            own = [(found, n) for (gold, found), n in self._counts.items() if gold == kind]
            yield kind, dict(sorted(own, key=lambda pair: (-pair[1], pair[0])))


def measure_pagetypes(job: Job) -> Report:
    """Find the kind of all pages, and report.

    A page that cannot be read counts as ``empty``.

    Raises:
        UnreadableInputError: the gold files cannot be used, or name no page's kind.
        UnknownMethodError: the job names a method other than the only one.
    """
    check_only_method(job, "find page types")
    confusion, left_out, skipped = Confusion(), Counter[str](), Counter[str]()
    for kind, page in islice(_pages(job), job.limit):
        try:
            found = page_type(read(page))
        except UnreadablePageError as error:
            skipped[error.reason] += 1
            found = _UNREADABLE
        confusion.add(kind, found.kind)
        left_out[kind] += not found.is_among((ARTICLE,))
    if not confusion.pages:
        raise job.no_gold("page with a page_type", _NEEDS)
    return Report(
        pages=confusion.pages,
        figures={
            "accuracy": confusion.accuracy,
            "article": confusion.score(ARTICLE).as_json(),
            "confusion": dict(confusion.rows()),
            "left_out": {kind: left_out[kind] for kind, _ in confusion.rows()},
            "skipped": sorted_counts(skipped),
        },
        tables=_tables(confusion, left_out),
    )


def _pages(job: Job) -> Iterator[tuple[str, Page]]:
    for row in read_rows(job.gold, _NEEDS):
        if row.values.get("page_type") is None:
            continue
        kind = kind_of_gold(row.text("page_type"))
        if kind not in KINDS:
            raise row.flaw(f"no kind of page is called '{kind}'; the kinds are: {', '.join(KINDS)}")
        yield kind, Page.from_text(row.optional("url") or _NO_ADDRESS, row.text("html"))


def _tables(confusion: Confusion, left_out: Counter[str]) -> tuple[Table, ...]:
    article = (ARTICLE, f"{confusion.accuracy:.3f}", *confusion.score(ARTICLE).cells())
    rows = tuple(
        (
            kind,
            str(sum(found.values())),
            str(left_out[kind]),
            ", ".join(f"{other} {count}" for other, count in found.items()),
        )
        for kind, found in confusion.rows()
    )
    return (
        Table("figure", ("accuracy", "precision", "recall", "F1"), (article,)),
        Table("kind", ("pages", "left out", "taken for"), rows),
    )
