"""The task ``metadata``: how often the date, title and authors of a page are found right.

A gold page is ``{html}`` with any of ``url``, ``title``, ``authors`` or ``author`` (a string or a
list), and ``publishing_date`` or ``publish_date``. What a line does not give is not counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadablePageError
from crawler.core.metadata import Metadata, read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.evaluation.gold import GOLD_URL, read_rows
from crawler.evaluation.scores import Overlap
from crawler.evaluation.task import Report, sorted_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.evaluation.gold import Row
    from crawler.evaluation.scores import Score
    from crawler.evaluation.task import Job

_NEEDS = "html and any of title, authors and publishing_date"
_DATES = ("publishing_date", "publish_date")
_AUTHORS = ("authors", "author")
# A day, whatever follows it; gold may know no more than a month or a year.
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_BETWEEN_NAMES = re.compile(r"[,;&]|\sand\s")


@dataclass(frozen=True, slots=True)
class _GoldPage:
    """A page and what is right; None and empty where the gold does not know."""

    url: str
    html: str
    date: str | None
    title: str | None
    authors: tuple[str, ...]


@dataclass(slots=True)
class _Share:
    """On how many pages a field is known, found, and right."""

    known: int = 0
    found: int = 0
    right: int = 0

    def share(self, count: int) -> float:
        return count / self.known if self.known else 0.0


@dataclass(slots=True)
class _Tally:
    """What was found on all pages; ``sources`` counts by field, source, and whether it is right."""

    pages: int = 0
    date: _Share = field(default_factory=_Share)
    title: _Share = field(default_factory=_Share)
    author_pages: int = 0
    authors: Overlap = field(default_factory=Overlap)
    sources: defaultdict[str, Counter[tuple[str, bool]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def author_score(self) -> Score:
        # Where no line names an author there is nothing that could be right.
        return (self.authors if self.author_pages else Overlap(0, 1, 1)).score

    def rows(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield each field and source, and how often it was right and wrong."""
        for name, counts in sorted(self.sources.items()):
            for source in sorted({source for source, _ in counts}):
                yield name, source, counts[source, True], counts[source, False]


def measure_metadata(job: Job) -> Report:
    """Read the metadata of all pages, and report.

    A page that cannot be read counts as one on which nothing was found.

    Raises:
        UnreadableInputError: the gold files cannot be used, or know nothing of any page.
    """
    tally = _Tally()
    for gold in islice(map(_gold_page, read_rows(job.gold, _NEEDS)), job.limit):
        tally.pages += 1
        _measure(gold, tally)
    if not (tally.date.known or tally.title.known or tally.author_pages):
        raise job.no_gold("page with a title, authors or a date", _NEEDS)
    return Report(pages=tally.pages, figures=_figures(tally))


def folded(text: str) -> str:
    """Return what texts share that differ in case, white space and punctuation only.

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

    def count(name: str, key: str, *, right: bool) -> None:
        tally.sources[name][found.sources.get(key, "none"), right] += 1

    if gold.date is not None:
        # Gold that knows no day is right by the month or year that it knows.
        right = (found.published or "")[: len(gold.date)] == gold.date
        _add(tally.date, found=found.published is not None, right=right)
        count("date", "published", right=right)
    if gold.title is not None:
        right = folded(found.title or "") == folded(gold.title)
        _add(tally.title, found=found.title is not None, right=right)
        count("title", "title", right=right)
    if gold.authors:
        wanted, names = _names(gold.authors), _names(found.authors)
        tally.author_pages += 1
        tally.authors += Overlap(len(wanted & names), len(names), len(wanted))
        count("author", "authors", right=wanted == names)


def _add(share: _Share, *, found: bool, right: bool) -> None:
    share.known += 1
    share.found += found
    share.right += right


def _names(authors: Iterable[str]) -> set[str]:
    return {name for author in authors if (name := folded(author))}


def _gold_page(row: Row) -> _GoldPage:
    return _GoldPage(
        url=_known(row, "url") or GOLD_URL,
        html=row.text("html"),
        date=_date(row),
        title=_known(row, "title"),
        authors=_authors(row),
    )


def _known(row: Row, key: str) -> str | None:
    """Return a string with letters; None for null, and for NaN, which table programs write."""
    value = row.values.get(key)
    if value != value:  # noqa: PLR0124 - NaN alone differs from itself
        return None
    text = row.optional(key)
    return text if text and folded(text) else None


def _date(row: Row) -> str | None:
    for key in _DATES:
        if (value := _known(row, key)) is not None:
            match = _DAY.match(value.strip())
            if match is None:
                raise row.flaw(f"'{key}' is '{value}'; give the day as YYYY-MM-DD")
            return match[0]
    return None


def _authors(row: Row) -> tuple[str, ...]:
    for key in _AUTHORS:
        if isinstance(row.values.get(key), list):
            return row.texts(key)
        if (text := _known(row, key)) is not None:
            return tuple(_BETWEEN_NAMES.split(text))
    return ()


def _figures(tally: _Tally) -> dict[str, object]:
    sources: defaultdict[str, dict[str, object]] = defaultdict(dict)
    for name, source, right, wrong in tally.rows():
        sources[name][source] = {"right": right, "wrong": wrong}
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
        "author": {**tally.author_score.as_json(), "pages": tally.author_pages},
        "sources": dict(sources),
        "skipped": sorted_counts(tally.skipped),
    }
