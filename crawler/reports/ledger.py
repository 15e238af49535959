"""The work of ``scrapy ledger``: what ledgers hold, for people and for programs.

Ledgers are opened read-only: a crawl may be writing them.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from crawler.core.errors import ArgumentError, StoreError
from crawler.core.wording import counted, fit_width
from crawler.reports.stdout import Table, print_error, print_line, table_lines, write_tables
from crawler.settings import Options
from crawler.store.files import known_sites, site_named
from crawler.store.ledger.database import ledger_path, move_aside
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import GONE_HASH, STATES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from scrapy.settings import Settings

    from crawler.store.ledger.rows import Figures, Part, Row, Run

Listing = Literal["failed", "gone", "refused", "waiting"]

LISTS: Final[dict[Listing, str]] = {
    "failed": "could not be fetched",
    "gone": "their server says that they are no more",
    "refused": "not to be fetched",
    "waiting": "to be fetched, or under way",
}
"""The lists of addresses there are, and what they hold."""

_SUFFIX: Final = ".sqlite"
_REASON_COLUMNS: Final = 60
_ADDRESS_COLUMNS: Final = 200
_NOT_ENDED: Final = "under way, or killed"
_CHANGES: Final = ("new", "changed", "gone")
# The ledger also keeps what is exported of a page that is gone.
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
    """The content of a ledger.

    ``articles``
        Pages of which a version is in the corpus now. An article on several pages counts with each
        of them.
    ``runs``
        All runs, the last one last.
    ``unfinished``
        Parts of the output that are not finished.
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


class _LedgerReader(Ledger):
    """A ledger opened read-only."""

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
    with _advice_on_damage(site, path), _LedgerReader(path) as ledger:
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
def _advice_on_damage(site: str, path: Path) -> Iterator[None]:
    """Add to the error of a damaged ledger what moves it aside."""
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
        # SQLite keeps no checksums: it reads some damaged rows without an error.
        raise StoreError(
            f"{path}: the ledger is damaged ({error}). Put a copy of it in its place, or begin "
            f"anew: {advice}, and the site's pages are fetched and exported once more."
        ) from error


def _number(name: Listing, figures: Figures) -> int:
    return figures.queued + figures.fetching if name == "waiting" else getattr(figures, name)


def _addresses(ledger: Ledger, name: Listing, figures: Figures, limit: int) -> tuple[Listed, ...]:
    """Return the first addresses of a list: the latest ones, or the next to be fetched."""
    limit = limit or max(_number(name, figures), 1)
    if name == "waiting":
        rows = list(islice(ledger.rows("fetching"), limit))
        rows += ledger.next_due(limit - len(rows))
    else:
        rows = nlargest(limit, ledger.rows(name), key=lambda row: (row.asked_at, row.address))
    return tuple(
        Listed(
            address=row.address,
            date=row.asked_at or (row.found_at if name == "waiting" else ""),
            status=row.status,
            tries=row.tries,
            reason=_reason(row),
        )
        for row in rows
    )


def _reason(row: Row) -> str:
    """Say why an address is in the list of its state."""
    if row.state == "gone":
        waits = "the next crawl exports it as gone" if row.exported_hash else "never exported"
        return "exported as gone" if row.exported_hash == GONE_HASH else waits
    if row.state == "fetching":
        return "under way"
    if row.state == "queued" and row.tries:
        return f"failed before: {row.reason}"
    if row.state == "queued":
        return "asked for again" if row.asked_at else f"found by {row.found_by}"
    instead = row.canonical if row.canonical != row.address and row.state == "refused" else ""
    return f"{row.reason}: {instead}" if instead else row.reason


def figure(run: Run, name: str) -> int:
    """Return a statistic of a run by its name without ``corpus/``; 0 where it is missing.

    A crawl of several sites has the statistics of all of them together. A run that was killed has
    none.
    """
    value = run.figures.get(f"corpus/{name}", 0)
    return value if isinstance(value, int) else 0


def as_json(report: SiteReport, limit: int = 1) -> dict[str, Any]:
    """Return a report as a JSON object with the last ``limit`` runs; 0 for all runs."""
    return {
        "site": report.site,
        "ledger": str(report.path),
        "addresses": report.figures.addresses,
        "states": {state: getattr(report.figures, state) for state in STATES},
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


def _print_json(value: Mapping[str, Any]) -> None:
    # ASCII, so that any terminal or pipe takes it.
    print_line(json.dumps(value, indent=2, allow_nan=False))


def show_ledgers(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> int:
    """Print what the ledgers of a folder hold, or one of them; return the exit code.

    Args:
        args: a site, or nothing for all.
        opts: the options of the command.
        settings: those of the project and of the call.

    Raises:
        ArgumentError: the call is wrong.
        StoreError: the ledger cannot be read.
    """
    folder = Options.from_settings(settings).dir / "ledger"
    lists = tuple(name for name in LISTS if getattr(opts, name))
    _check(args, opts, lists)
    files = {site_named(path.stem): path for path in sorted(folder.glob(f"*{_SUFFIX}"))}
    if not args:
        return _show_all(folder, files, as_json_object=opts.json)
    site = args[0]
    path = files.get(site) or ledger_path(folder, site)
    if not path.is_file():
        raise ArgumentError(f"no ledger of '{site}' in {folder}; {_known(site, files)}")
    if opts.move_aside:
        print_line(f"moved to {move_aside(path)}; the next crawl of {site} begins anew")
        return 0
    report = read_site(site, path, lists, opts.limit)
    if opts.json:
        _print_json(as_json(report, opts.limit))
    elif lists:
        for name in lists:
            print_line(f"{site}, {name} ({LISTS[name]}): {report.lists[name][0]:,}")
            _print_addresses(*report.lists[name])
    else:
        write_tables(_heading(report), _tables(report, opts.limit), sys.stdout)
    return 0


def _check(args: Sequence[str], opts: argparse.Namespace, lists: Sequence[Listing]) -> None:
    if len(args) > 1:
        raise ArgumentError("name one site at a time, or none for all")
    if opts.limit < 0:
        raise ArgumentError(f"--limit is {opts.limit}; give a number of lines, or 0 for all")
    if not args and (lists or opts.move_aside):
        raise ArgumentError(f"name the site for --{lists[0] if lists else 'move-aside'}")
    if opts.move_aside and (lists or opts.json):
        raise ArgumentError("--move-aside takes no other option")


def _known(site: str, files: Mapping[str, Path]) -> str:
    if files:
        return known_sites(site, list(files))
    return "crawl a site with CORPUS_INCREMENTAL=True first, or set CORPUS_DIR to that of a crawl"


def _show_all(folder: Path, files: Mapping[str, Path], *, as_json_object: bool) -> int:
    """List the ledgers. One that cannot be read is an error, and the others are still listed."""
    reports: list[SiteReport] = []
    code = 0
    for site, path in files.items():
        try:
            reports.append(read_site(site, path))
        except StoreError as error:
            print_error("ledger", error)
            code = error.exit_code
    if as_json_object:
        _print_json({"folder": str(folder), "sites": [as_json(one) for one in reports]})
    elif not files:
        print_line(f"No ledgers in {folder}: {_known('', files)}.")
    elif reports:
        count = counted(len(reports), "site")
        write_tables(f"ledgers in {folder}: {count}", (_list(reports),), sys.stdout)
    return code


def _list(reports: Sequence[SiteReport]) -> Table:
    states = ("waiting", "fetched", "refused", "failed", "gone")
    rows = []
    for report in reports:
        figures = report.figures
        waiting = figures.queued + figures.fetching
        numbers = (
            figures.addresses,
            *(waiting if state == "waiting" else getattr(figures, state) for state in states),
            report.articles,
        )
        last = ("-",) * (2 + len(_CHANGES))
        if report.runs:
            run = report.runs[-1]
            changes = _run_figures(run, *(f"incremental/{name}" for name in _CHANGES))
            last = (run.started, _end(run), *changes)
        rows.append((report.site, *(f"{number:,}" for number in numbers), *last))
    columns = ("addresses", *states, "articles", "last run", "it ended", *_CHANGES)
    return Table("site", columns, tuple(rows))


def _end(run: Run) -> str:
    return fit_width(run.reason, _REASON_COLUMNS) if run.ended else _NOT_ENDED


def _run_figures(run: Run, *names: str) -> tuple[str, ...]:
    """Return statistics of a run as cells; a run without any was killed."""
    return tuple(f"{figure(run, name):,}" if run.figures else "-" for name in names)


def _heading(report: SiteReport) -> str:
    return (
        f"{report.site}: {report.figures.addresses:,} addresses, "
        f"{counted(report.articles, 'article')} in the corpus, "
        f"{counted(len(report.runs), 'run')}; {report.path}"
    )


def _tables(report: SiteReport, limit: int) -> tuple[Table, ...]:
    figures = report.figures
    states = (
        ("waiting to be fetched", figures.queued),
        ("under way", figures.fetching),
        ("fetched", figures.fetched),
        ("refused", figures.refused),
        ("failed", figures.failed),
        ("gone", figures.gone),
        ("fetched, and still to be exported", figures.owed),
    )
    shown = report.runs[-limit:]
    title = "run" if len(shown) == len(report.runs) else f"run (last {len(shown)})"
    columns = ("ended", "why", "fetched", *_CHANGES, "not modified")
    keys = ("pages/fetched", *(f"incremental/{name}" for name in (*_CHANGES, "not_modified")))
    runs = tuple(
        (run.started, run.ended or "-", _end(run), *_run_figures(run, *keys)) for run in shown
    )
    tables = [Table("addresses", ("number",), tuple((name, f"{n:,}") for name, n in states))]
    if runs:
        tables.append(Table(title, columns, runs))
    if report.unfinished:
        parts = tuple((part.name, part.begun, f"{part.pages:,}") for part in report.unfinished)
        tables.append(Table("unfinished part", ("begun", "pages"), parts))
    return tuple(tables)


def _print_addresses(number: int, listed: Sequence[Listed]) -> None:
    rows = [("date", "status", "tries", "reason", "address")]
    rows += [
        (
            one.date or "-",
            str(one.status or "-"),
            str(one.tries or "-"),
            fit_width(one.reason or "-", _REASON_COLUMNS),
            fit_width(one.address, _ADDRESS_COLUMNS),
        )
        for one in listed
    ]
    for line in table_lines(rows) if listed else ():
        print_line(line)
    if len(listed) < number:
        print_line(f"and {number - len(listed):,} more; --limit 0 lists all")
