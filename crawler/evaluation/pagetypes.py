"""The task ``pagetypes``: how often the kind of a page is found right.

A gold page is ``{html, page_type}`` and ``url`` where it has one. ``collection`` is another word
for ``listing``. A page without ``page_type`` is not counted; one of an unknown kind is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice

from crawler.core.flow import Page, read
from crawler.core.pagetype.judge import ARTICLE, KINDS, PageType, page_type
from crawler.evaluation.gold import Row, read_rows
from crawler.evaluation.scores import Confusion
from crawler.evaluation.task import Job, Report

_NEEDS = "html and page_type"
_NO_ADDRESS = "file:///page.html"
_ALIASES = {"collection": "listing"}
_UNREADABLE = PageType("empty", 1.0, 0.0)


def kind_of_gold(name: str) -> str:
    """Return the kind that gold calls ``name``."""
    return _ALIASES.get(name, name)


def measure_pagetypes(job: Job) -> Report:
    """Find the kind of all pages, and report.

    A page that cannot be read counts as ``empty``.

    Raises:
        UnreadableInputError: the gold files cannot be used, or name no page's kind.
    """
    report, confusion, left_out = Report(), Confusion(), Counter[str]()
    for row, kind, page in islice(_pages(job, report), job.limit):
        document = report.readable(partial(read, page))
        found = page_type(document) if document else _UNREADABLE
        confusion[kind, found.kind] += 1
        left_out[kind] += not found.is_among((ARTICLE,))
        figures = {"page_type": kind, "found": found.kind, "article": found.article}
        report.rows.append({**row.identity, **figures})
    report.pages = len(report.rows)
    if not report.rows:
        raise job.no_gold("page with a page_type", _NEEDS)
    return report.finished(
        {
            "accuracy": confusion.accuracy,
            "article": confusion.score(ARTICLE).as_json(),
            "confusion": confusion.rows(),
            "left_out": dict(sorted(left_out.items())),
        }
    )


def _pages(job: Job, report: Report) -> Iterator[tuple[Row, str, Page]]:
    for row in read_rows(job.gold, _NEEDS):
        if row.values.get("page_type") is None:
            continue
        kind = kind_of_gold(row.text("page_type"))
        if kind not in KINDS:
            names = ", ".join(KINDS)
            flaw = row.flaw(f"no kind of page is called '{kind}'; the kinds are: {names}")
            report.leave_out("unknown-kind", flaw)
            continue
        yield row, kind, Page.from_text(row.optional("url") or _NO_ADDRESS, row.text("html"))
