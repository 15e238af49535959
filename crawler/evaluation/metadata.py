"""The task ``metadata``: how often the date, title and authors of a page are found right.

A gold page is ``{html}`` with any of ``url``, ``title``, ``authors`` or ``author`` (a string or a
list), and ``publishing_date`` or ``publish_date``. What a line does not give is not
counted; a date that names no year is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from crawler.core.metadata.read import Metadata, read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.evaluation.gold import GOLD_URL, Row, read_rows
from crawler.evaluation.scores import Overlap
from crawler.evaluation.task import Job, Report

_NEEDS = "html and any of title, authors and publishing_date"
# Each measured field, and its field of the metadata.
_FIELDS = {"date": "published", "title": "title", "author": "authors"}
_NONE = "none"
_DATES = ("publishing_date", "publish_date")
_AUTHORS = ("authors", "author")
# A day, whatever follows it; gold may know no more than a month or a year.
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_BETWEEN_NAMES = re.compile(r"[,;&]|\sand\s")


def measure_metadata(job: Job) -> Report:
    """Read the metadata of all pages, and report.

    A page that cannot be read counts as one on which nothing was found.

    Raises:
        UnreadableInputError: the gold files cannot be used, or know nothing of any page.
    """
    report, authors = Report(), Overlap()
    # How often each source of a field was right (True) and wrong.
    counts: dict[str, Counter[tuple[str, bool]]] = {name: Counter() for name in _FIELDS}
    for row in islice(read_rows(job.gold, _NEEDS), job.limit):
        page = Page.from_text(_known(row, "url") or GOLD_URL, row.text("html"))
        # None and empty where the gold does not know.
        date, title, gold_authors = _date(row, report), _known(row, "title"), _authors(row)
        found = report.readable(lambda: read_metadata(parse(page), page.url)) or Metadata()  # noqa: B023 - called at once
        wanted, names = _names(gold_authors), _names(found.authors)
        if gold_authors:
            authors += Overlap(len(wanted & names), len(names), len(wanted))
        right = {
            # Gold that knows no day is right by the month or year that it knows.
            "date": date and (found.published or "")[: len(date)] == date,
            "title": title and folded(found.title or "") == folded(title),
            "author": wanted == names if gold_authors else None,
        }
        report.rows.append({**row.identity, **right})
        for name, is_right in right.items():
            if is_right is not None:
                counts[name][found.sources.get(_FIELDS[name], _NONE), bool(is_right)] += 1
    report.pages = len(report.rows)
    if not any(counts.values()):
        raise job.no_gold("page with a title, authors or a date", _NEEDS)
    return report.finished(_figures(counts, authors))


def _figures(counts: Mapping[str, Counter[tuple[str, bool]]], authors: Overlap) -> dict[str, Any]:
    """Return the figures of each field, and of each of its sources."""
    known = {name: own.total() for name, own in counts.items()}
    date, title = (
        _share(counts[name], [pair for pair in counts[name] if pair[1]])
        for name in ("date", "title")
    )
    dated = [pair for pair in counts["date"] if pair[0] != _NONE]
    # Where no line names an author there is nothing that could be right.
    score = (authors if known["author"] else Overlap(0, 1, 1)).score
    return {
        "date": {
            "accuracy": date,
            "found": _share(counts["date"], dated),
            "pages": known["date"],
        },
        "title": {"accuracy": title, "pages": known["title"]},
        "author": {**score.as_json(), "pages": known["author"]},
        "sources": {
            name: {
                source: {"right": own[source, True], "wrong": own[source, False]}
                for source in sorted({source for source, _ in own})
            }
            for name, own in sorted(counts.items())
            if own
        },
    }


def folded(text: str) -> str:
    """Return what texts share that differ in case, white space and punctuation only.

    >>> folded("“A café,  again!”") == folded("a CAFÉ again")
    True
    """
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _share(counts: Counter[tuple[str, bool]], counted: Iterable[tuple[str, bool]]) -> float:
    return sum(counts[pair] for pair in counted) / counts.total() if counts else 0.0


def _names(authors: Iterable[str]) -> set[str]:
    return {name for author in authors if (name := folded(author))}


def _known(row: Row, key: str) -> str | None:
    """Return a string with letters; None for null, and for NaN, which table programs write."""
    value = row.values.get(key)
    if value != value:  # noqa: PLR0124 - NaN alone differs from itself
        return None
    text = row.optional(key)
    return text if text and folded(text) else None


def _date(row: Row, report: Report) -> str | None:
    for key in _DATES:
        if (value := _known(row, key)) is not None:
            if match := _DAY.match(value.strip()):
                return match[0]
            flaw = row.flaw(f"'{key}' is '{value}'; give the day as YYYY-MM-DD")
            report.leave_out("unknown-date", flaw)
            break
    return None


def _authors(row: Row) -> tuple[str, ...]:
    for key in _AUTHORS:
        if isinstance(row.values.get(key), list):
            return row.texts(key)
        if (text := _known(row, key)) is not None:
            return tuple(_BETWEEN_NAMES.split(text))
    return ()
