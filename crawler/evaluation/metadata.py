"""The task ``metadata``: how often the date, title and authors of a page are found right.

A gold page is ``{html}`` with any of ``url``, ``title``, ``authors`` or ``author`` (a string or a
list), and ``publishing_date`` or ``publish_date``. What a line does not give is not counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnknownMethodError, UnreadableInputError, UnreadablePageError
from crawler.core.metadata import Metadata, read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.evaluation.gold import kind_of, read_rows, text_of
from crawler.evaluation.report import Report
from crawler.evaluation.scores import Overlap
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from crawler.evaluation.report import Job

__all__ = ["MetadataTask", "folded"]

_NEEDS = "html and any of title, authors and publishing_date"
_METHOD = "default"
_URL = "https://gold.example/"
_DATES = ("publishing_date", "publish_date")
_AUTHORS = ("authors", "author")
# A day, whatever follows it; gold may know no more than a month or a year.
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_BETWEEN_NAMES = re.compile(r"[,;&]|\sand\s")


@dataclass(frozen=True, slots=True)
class _GoldPage:
    """A page and what is right; None and empty where the gold does not tell."""

    url: str
    html: str
    date: str | None
    title: str | None
    authors: tuple[str, ...]


@dataclass(slots=True)
class _Share:
    """Of how many pages a field is known, found, and right."""

    known: int = 0
    found: int = 0
    right: int = 0

    def add(self, *, found: bool, right: bool) -> None:
        self.known += 1
        self.found += found
        self.right += right

    def share(self, count: int) -> float:
        return count / self.known if self.known else 0.0


@dataclass(slots=True)
class _Tally:
    pages: int = 0
    date: _Share = field(default_factory=_Share)
    title: _Share = field(default_factory=_Share)
    author_pages: int = 0
    authors: Overlap = field(default_factory=Overlap)
    sources: dict[str, Counter[tuple[str, bool]]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)

    def note(self, what: str, found: Metadata, *, right: bool) -> None:
        """Count from which source a field came, and whether it was right."""
        name = "authors" if what == "author" else "published" if what == "date" else what
        source = found.sources.get(name, "none")
        self.sources.setdefault(what, Counter())[source, right] += 1


class MetadataTask:
    """Measures dates, titles and authors against gold."""

    name = "metadata"
    has_curves = False
    default_method = _METHOD

    def run(self, job: Job) -> Report:
        """Read the metadata of all pages, and report.

        A page that cannot be read counts as one on which nothing was found.

        Raises:
            UnreadableInputError: The gold files cannot be used, or tell nothing of any page.
            UnknownMethodError: There is but one way to read metadata, and it has another name.
        """
        if job.method != _METHOD:
            raise UnknownMethodError(
                f"no way to read metadata is called '{job.method}'; use '{_METHOD}', or leave "
                "--method out"
            )
        tally = _Tally()
        for gold in islice(_pages(job), job.limit):
            tally.pages += 1
            _measure(gold, tally)
        if not (tally.date.known or tally.title.known or tally.author_pages):
            names = ", ".join(str(path) for path in job.gold)
            raise UnreadableInputError(
                f"{names}: no page with a title, authors or a date; each line is one JSON object "
                f"with {_NEEDS}"
            )
        return Report(
            task=self.name,
            method=job.method,
            pages=tally.pages,
            sites=None,
            figures=_figures(tally),
            tables=_tables(tally),
        )


def folded(text: str) -> str:
    """Return what texts share that differ in case, white space and punctuation alone.

    >>> folded("“A café,  again!”") == folded("a CAFÉ again")
    True
    """
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _measure(gold: _GoldPage, tally: _Tally) -> None:
    try:
        found = read_metadata(parse(Page.from_text(gold.url, gold.html)), gold.url)
    except UnreadablePageError as error:
        tally.skipped[error.reason] += 1
        found = Metadata()
    if gold.date is not None:
        # Gold that knows no day is right by the month or year that it knows.
        right = (found.published or "")[: len(gold.date)] == gold.date
        tally.date.add(found=found.published is not None, right=right)
        tally.note("date", found, right=right)
    if gold.title is not None:
        right = folded(found.title or "") == folded(gold.title)
        tally.title.add(found=found.title is not None, right=right)
        tally.note("title", found, right=right)
    if gold.authors:
        wanted, names = _names(gold.authors), _names(found.authors)
        tally.author_pages += 1
        tally.authors += Overlap(len(wanted & names), len(names), len(wanted))
        tally.note("author", found, right=wanted == names)


def _names(authors: Iterable[str]) -> set[str]:
    return {name for author in authors if (name := folded(author))}


def _pages(job: Job) -> Iterator[_GoldPage]:
    for where, row in read_rows(job.gold, _NEEDS):
        yield _GoldPage(
            url=_string(row, "url", where) or _URL,
            html=text_of(row, "html", where, _NEEDS),
            date=_date(row, where),
            title=_string(row, "title", where),
            authors=_authors(row, where),
        )


def _string(row: dict[str, Any], key: str, where: str) -> str | None:
    """Return a string that says something; null, and the NaN of table programs, say nothing."""
    value = row.get(key)
    if value is None or value != value:  # noqa: PLR0124 - NaN alone differs from itself
        return None
    if not isinstance(value, str):
        raise UnreadableInputError(f"{where}: '{key}' must be a string, not {kind_of(value)}")
    return value if folded(value) else None


def _date(row: dict[str, Any], where: str) -> str | None:
    for key in _DATES:
        if (value := _string(row, key, where)) is not None:
            match = _DAY.match(value.strip())
            if match is None:
                raise UnreadableInputError(
                    f"{where}: '{key}' is '{value}'; give the day as YYYY-MM-DD"
                )
            return match[0]
    return None


def _authors(row: dict[str, Any], where: str) -> tuple[str, ...]:
    for key in _AUTHORS:
        value = row.get(key)
        if isinstance(value, list):
            for name in value:
                if not isinstance(name, str):
                    raise UnreadableInputError(
                        f"{where}: '{key}' must hold strings, not {kind_of(name)}"
                    )
            return tuple(value)
        text = _string(row, key, where)
        if text is not None:
            return tuple(_BETWEEN_NAMES.split(text))
    return ()


def _figures(tally: _Tally) -> dict[str, object]:
    return {
        "date": {
            "accuracy": tally.date.share(tally.date.right),
            "found": tally.date.share(tally.date.found),
            "pages": tally.date.known,
        },
        "title": {
            "accuracy": tally.title.share(tally.title.right),
            "pages": tally.title.known,
        },
        "author": {**_author_score(tally), "pages": tally.author_pages},
        "sources": {
            what: {
                source: {"right": counts[source, True], "wrong": counts[source, False]}
                for source in sorted({source for source, _ in counts})
            }
            for what, counts in sorted(tally.sources.items())
        },
        "skipped": dict(sorted(tally.skipped.items())),
    }


def _author_score(tally: _Tally) -> dict[str, float]:
    # Where no line names an author there is nothing that could be right.
    return (tally.authors.score if tally.author_pages else Overlap(0, 1, 1).score).as_json()


def _tables(tally: _Tally) -> tuple[Table, ...]:
    def row(name: str, share: _Share) -> tuple[str, ...]:
        accuracy, found = share.share(share.right), share.share(share.found)
        return (name, str(share.known), f"{accuracy:.3f}", f"{found:.3f}")

    score = _author_score(tally)
    tables = [
        Table(
            "figure",
            ("pages", "accuracy", "found"),
            (row("date", tally.date), row("title", tally.title)),
        ),
        Table(
            "figure",
            ("pages", "precision", "recall", "F1"),
            (
                (
                    "author",
                    str(tally.author_pages),
                    *(f"{score[name]:.3f}" for name in ("precision", "recall", "f1")),
                ),
            ),
        ),
        Table(
            "source",
            ("right", "wrong"),
            tuple(
                (f"{what}: {source}", str(counts[source, True]), str(counts[source, False]))
                for what, counts in sorted(tally.sources.items())
                for source in sorted({source for source, _ in counts})
            ),
        ),
    ]
    if tally.skipped:
        reasons = tuple((reason, str(count)) for reason, count in sorted(tally.skipped.items()))
        tables.append(Table("pages that could not be read", ("pages",), reasons))
    return tuple(tables)
