"""The work of ``scrapy ledger``: what ledgers hold.

Ledgers are opened read-only: a crawl may be writing them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from crawler.core.errors import ArgumentError, StoreError
from crawler.core.wording import counted, fit_width
from crawler.reports.stdout import Table, print_error, print_line, table_lines, write_tables
from crawler.settings import Options
from crawler.store.files import known_sites, site_asked, site_named
from crawler.store.ledger.database import damage_error, ledger_path, move_aside
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import GONE_HASH, STATES, Row, Run

if TYPE_CHECKING:
    from scrapy.settings import Settings

Listing = Literal["failed", "gone", "refused", "waiting"]

LISTS: Final[dict[Listing, str]] = {
    "failed": "could not be fetched",
    "gone": "their server says that they are no more",
    "refused": "not to be fetched",
    "waiting": "to be fetched, or under way",
}
"""The lists of addresses there are, and what they hold."""

_STATES_SHOWN: Final = {
    "queued": "waiting to be fetched",
    "fetching": "under way",
    "fetched": "fetched",
    "refused": "refused",
    "failed": "failed",
    "gone": "gone",
    "owed": "fetched, and still to be exported",
}
_REASON_COLUMNS: Final = 60
_ADDRESS_COLUMNS: Final = 200
_CHANGES: Final = ("new", "changed", "gone")


def addresses(ledger: Ledger, name: Listing, limit: int = 0) -> tuple[int, list[Row]]:
    """Return how many addresses a list has, and the latest ones or the next to be fetched.

    Args:
        ledger: of a site.
        name: the list.
        limit: how many addresses are wanted; 0 for all.
    """
    figures = ledger.figures()
    if name != "waiting":
        rows = ledger.rows(name)
        latest = nlargest(
            limit or max(figures[name], 1), rows, key=lambda row: (row.asked_at, row.address)
        )
        return figures[name], latest
    number = figures["queued"] + figures["fetching"]
    limit = limit or max(number, 1)
    under_way = list(islice(ledger.rows("fetching"), limit))
    return number, under_way + ledger.next_due(limit - len(under_way))


def reason(row: Row) -> str:
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


@contextmanager
def reading(path: Path) -> Iterator[Ledger]:
    """Open a ledger to read it.

    Raises:
        StoreError: it is not there, or damaged, or no ledger.
    """
    try:
        with Ledger(path, read_only=True) as ledger:
            yield ledger
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # SQLite keeps no checksums: it reads some damaged rows without an error.
        raise damage_error(path, error) from error


def show_ledgers(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> int:
    """Print what the ledgers of a folder hold, or one of them; return the exit code.

    Args:
        args: a site, or nothing for all.
        opts: the options of the command.
        settings: those of the project and of the command.

    Raises:
        ArgumentError: the call is wrong.
        StoreError: the ledger cannot be read.
    """
    folder = Options.from_settings(settings).dir / "ledger"
    lists = tuple(name for name in LISTS if getattr(opts, name))
    if len(args) > 1:
        raise ArgumentError("name one site at a time, or none for all")
    if not args and (lists or opts.move_aside):
        raise ArgumentError(f"name the site for --{lists[0] if lists else 'move-aside'}")
    if opts.move_aside and lists:
        raise ArgumentError("--move-aside takes no other option")
    files = {site_named(path.stem): path for path in sorted(folder.glob("*.sqlite"))}
    if not args:
        return _show_all(folder, files)
    site = site_asked(args[0])
    path = files.get(site) or ledger_path(folder, site)
    if not path.is_file():
        raise ArgumentError(f"no ledger of '{site}' in {folder}; {_known(site, files)}")
    if opts.move_aside:
        print_line(f"moved to {move_aside(path)}; the next crawl of {site} begins anew")
        return 0
    with reading(path) as ledger:
        if not lists:
            heading, tables = _site(site, path, ledger, opts.limit)
            write_tables(heading, tables, sys.stdout)
        for name in lists:
            number, rows = addresses(ledger, name, opts.limit)
            print_line(f"{site}, {name} ({LISTS[name]}): {number:,}")
            _print_addresses(rows)
            if len(rows) < number:
                print_line(f"and {number - len(rows):,} more; --limit 0 lists all")
    return 0


def _known(site: str, files: Mapping[str, Path]) -> str:
    if files:
        return known_sites(site, list(files))
    return "call 'scrapy corpus ADDRESS --daily' first, or set CORPUS_DIR to that of a crawl"


def _show_all(folder: Path, files: Mapping[str, Path]) -> int:
    """List the ledgers. One that cannot be read is an error, and the others are still listed."""
    rows = []
    code = 0
    states = ("fetched", "refused", "failed", "gone")
    for site, path in files.items():
        try:
            with reading(path) as ledger:
                figures, runs = ledger.figures(), ledger.runs()
        except StoreError as error:
            print_error("ledger", error)
            code = error.exit_code
            continue
        waiting = figures["queued"] + figures["fetching"]
        numbers = [_sum(figures), waiting, *(figures[name] for name in states)]
        numbers.append(figures["exported"])
        last = (runs[-1].started, _end(runs[-1]), *_changes(runs[-1])) if runs else ("-",) * 5
        rows.append((site, *(f"{number:,}" for number in numbers), *last))
    if not files:
        print_line(f"No ledgers in {folder}: {_known('', files)}.")
    elif rows:
        columns = ("addresses", "waiting", *states, "articles", "last run", "it ended", *_CHANGES)
        heading = f"ledgers in {folder}: {counted(len(rows), 'site')}"
        write_tables(heading, (Table("site", columns, tuple(rows)),), sys.stdout)
    return code


def _site(site: str, path: Path, ledger: Ledger, limit: int) -> tuple[str, list[Table]]:
    """Return the heading and the tables of a site; of its runs the last ones, 0 for all."""
    figures, runs = ledger.figures(), ledger.runs()
    heading = (
        f"{site}: {_sum(figures):,} addresses, {counted(figures['exported'], 'article')} in the "
        f"corpus, {counted(len(runs), 'run')}; {path}"
    )
    states = tuple((shown, f"{figures[name]:,}") for name, shown in _STATES_SHOWN.items())
    tables = [Table("addresses", ("number",), states)]
    if shown := runs[-limit:]:
        columns = ("ended", "why", "fetched", *_CHANGES, "not modified")
        rows = tuple(
            (
                run.started,
                run.ended or "-",
                _end(run),
                *_statistics(run, "pages/fetched"),
                *_changes(run),
                *_statistics(run, "incremental/not_modified"),
            )
            for run in shown
        )
        title = "run" if len(shown) == len(runs) else f"run (last {len(shown)})"
        tables.append(Table(title, columns, rows))
    if unfinished := ledger.parts(unfinished=True):
        parts = tuple((part.name, part.begun, f"{part.pages:,}") for part in unfinished)
        tables.append(Table("unfinished part", ("begun", "pages"), parts))
    return heading, tables


def _sum(figures: Mapping[str, int]) -> int:
    return sum(figures[state] for state in STATES)


def _end(run: Run) -> str:
    return fit_width(run.reason, _REASON_COLUMNS) if run.ended else "under way, or killed"


def _changes(run: Run) -> tuple[str, ...]:
    return _statistics(run, *(f"incremental/{name}" for name in _CHANGES))


def _statistics(run: Run, *names: str) -> tuple[str, ...]:
    """Return statistics of a run as cells.

    A crawl of several sites has the statistics of all of them together. A run that was killed has
    none.
    """
    values = [run.figures.get(f"corpus/{name}", 0) for name in names]
    numbers = [value if isinstance(value, int) else 0 for value in values]
    return tuple(f"{number:,}" if run.figures else "-" for number in numbers)


def _print_addresses(rows: Sequence[Row]) -> None:
    cells = [("date", "status", "tries", "reason", "address")]
    for row in rows:
        date = row.asked_at or (row.found_at if row.state in {"queued", "fetching"} else "")
        address = fit_width(row.address, _ADDRESS_COLUMNS)
        why = fit_width(reason(row), _REASON_COLUMNS)
        cells.append((date or "-", str(row.status or "-"), str(row.tries or "-"), why, address))
    for line in table_lines(cells) if rows else ():
        print_line(line)
