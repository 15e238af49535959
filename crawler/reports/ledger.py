"""What ledgers know, for people and for programs: ``scrapy ledger``.

Ledgers are opened to be read alone, beside a crawl that may be writing them.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from crawler.core.errors import StoreError
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import STATES
from crawler.store.ledger.versions import GONE_HASH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from crawler.store.ledger.rows import Figures, Part, Row, Run

__all__ = ["LISTS", "Listed", "Listing", "SiteReport", "as_json", "figure", "read_site"]

Listing = Literal["failed", "gone", "refused", "waiting"]

LISTS: Final[dict[Listing, str]] = {
    "failed": "could not be fetched",
    "gone": "their server says that they are no more",
    "refused": "not to be fetched",
    "waiting": "to be fetched, or under way",
}
"""The lists of addresses there are, and what they hold."""

# What is exported of a page that is gone stands in the ledger as well.
_ARTICLES = f"SELECT count(*) FROM pages WHERE exported <> '{GONE_HASH}'"  # noqa: S608 - a constant


@dataclass(frozen=True, slots=True)
class Listed:
    """An address with what became of it.

    ``date``
        When (ISO 8601): for what is waiting, when it was found, or last asked for without success.
    ``status``
        HTTP status of the last answer, 0 where there was none.
    ``tries``
        How often fetching failed since it last worked.
    ``reason``
        Why it is in the list, for people.
    """

    address: str
    date: str
    status: int
    tries: int
    reason: str


@dataclass(frozen=True, slots=True)
class SiteReport:
    """What is told of a ledger.

    ``articles``
        Pages of which a version stands in the corpus now; an article that its site cuts into
        several pages counts with each of them.
    ``runs``
        All runs, the last one last.
    ``unfinished``
        Parts of the output that are not whole.
    ``lists``
        The addresses asked for, by list: how many there are, and the first ones.
    """

    site: str
    path: Path
    figures: Figures
    articles: int
    runs: tuple[Run, ...]
    unfinished: tuple[Part, ...]
    lists: Mapping[Listing, tuple[int, tuple[Listed, ...]]]

    @property
    def last(self) -> Run | None:
        """The last run, where there was one."""
        return self.runs[-1] if self.runs else None


class _Reading(Ledger):
    """A ledger that is only read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, read_only=True)

    def articles(self) -> int:
        """Count the pages of which a version, and not that they are gone, was exported last."""
        return int(self._run(_ARTICLES).fetchone()[0])


def read_site(site: str, path: Path, lists: tuple[Listing, ...] = (), limit: int = 0) -> SiteReport:
    """Read a ledger.

    Args:
        site: whose it is.
        path: its file.
        lists: the lists of addresses that are wanted.
        limit: how many addresses of each at most; 0 for all.

    Raises:
        StoreError: it is not there, or damaged, or no ledger.
    """
    with _told(site, path), _Reading(path) as ledger:
        figures = ledger.figures()
        return SiteReport(
            site=site,
            path=path,
            figures=figures,
            articles=ledger.articles(),
            runs=tuple(ledger.runs()),
            unfinished=tuple(ledger.parts(unfinished=True)),
            lists={
                name: (_number(name, figures), _addresses(ledger, name, figures, limit))
                for name in lists
            },
        )


@contextmanager
def _told(site: str, path: Path) -> Iterator[None]:
    """Say of a damaged ledger what moves it aside."""
    advice = f"'scrapy ledger {site} --move-aside' moves it aside"
    try:
        yield
    except StoreError as error:
        name = getattr(error.__cause__, "sqlite_errorname", "")
        if isinstance(error.__cause__, sqlite3.Error) and name.startswith(
            ("SQLITE_CORRUPT", "SQLITE_NOTADB")
        ):
            raise StoreError(f"{error} {advice}.") from error
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # SQLite keeps no checksums: what is damaged may look sound to it.
        raise StoreError(
            f"{path}: the ledger is damaged ({error}). Put a copy of it in its place, or begin "
            f"anew: {advice}, and the site's pages are fetched and exported once more."
        ) from error


def _number(name: Listing, figures: Figures) -> int:
    numbers = {
        "failed": figures.failed,
        "gone": figures.gone,
        "refused": figures.refused,
        "waiting": figures.queued + figures.fetching,
    }
    return numbers[name]


def _addresses(ledger: Ledger, name: Listing, figures: Figures, limit: int) -> tuple[Listed, ...]:
    """Return the first addresses of a list: the last that came to it, or the next to be fetched."""
    limit = limit or max(_number(name, figures), 1)
    if name == "waiting":
        rows = list(islice(ledger.rows("fetching"), limit))
        rows += ledger.next_due(limit - len(rows))
        return tuple(map(_waiting, rows))
    # What is not among the last is never kept.
    found = nlargest(limit, ledger.rows(name), key=_when)
    return tuple(_gone(row) if name == "gone" else _unanswered(row) for row in found)


def _when(row: Row) -> tuple[str, str]:
    return row.asked_at, row.address


def _unanswered(row: Row) -> Listed:
    instead = row.canonical if row.canonical != row.address else ""
    reason = f"{row.reason}: {instead}" if row.state == "refused" and instead else row.reason
    return Listed(row.address, row.asked_at, row.status, row.tries, reason)


def _gone(row: Row) -> Listed:
    if row.exported_hash == GONE_HASH:
        reason = "exported as gone"
    elif row.exported_hash:
        reason = "the next crawl exports it as gone"
    else:
        reason = "never exported"
    return Listed(row.address, row.asked_at, row.status, row.tries, reason)


def _waiting(row: Row) -> Listed:
    if row.state == "fetching":
        reason = "under way"
    elif row.tries:
        reason = f"failed before: {row.reason}"
    elif row.asked_at:
        reason = "asked for again"
    else:
        reason = f"found by {row.found_by}"
    return Listed(row.address, row.asked_at or row.found_at, row.status, row.tries, reason)


def figure(run: Run, name: str) -> int:
    """Return a figure of a run; 0 where it has none, as one that was killed.

    A crawl of several sites notes the figures of all of them with each.

    Args:
        run: the run.
        name: as in the crawl's stats, without ``corpus/``.
    """
    value = run.figures.get(f"corpus/{name}", 0)
    return value if isinstance(value, int) else 0


def as_json(report: SiteReport, limit: int = 1) -> dict[str, Any]:
    """Return a report as what JSON holds.

    Args:
        report: the report.
        limit: how many of the last runs are in it, the last one last; 0 for all.
    """
    states = {state: getattr(report.figures, state) for state in STATES}
    return {
        "site": report.site,
        "ledger": str(report.path),
        "addresses": report.figures.addresses,
        "states": states,
        "articles": report.articles,
        "owed": report.figures.owed,
        "runs_in_all": len(report.runs),
        "runs": [
            {
                "id": run.id,
                "started": run.started,
                "ended": run.ended or None,
                "reason": run.reason or None,
                "figures": dict(run.figures),
            }
            for run in report.runs[-limit:]
        ],
        "unfinished_parts": [
            {"name": part.name, "run": part.run, "begun": part.begun, "pages": part.pages}
            for part in report.unfinished
        ],
        **{
            name: {"number": number, "first": [asdict(row) for row in rows]}
            for name, (number, rows) in report.lists.items()
        },
    }
