"""The work of ``scrapy ledger``: what ledgers hold, for people and for programs.

A report is the JSON object that ``--json`` prints; the tables for people are made of it. Ledgers
are opened read-only: a crawl may be writing them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from crawler.core.errors import ArgumentError, StoreError
from crawler.core.wording import counted, fit_width
from crawler.reports.stdout import Table, print_error, print_line, table_lines, write_tables
from crawler.settings import Options
from crawler.store.files import known_sites, site_asked, site_named
from crawler.store.ledger.database import damage_error, ledger_path, move_aside
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import GONE_HASH, STATES, Row

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
}
_REASON_COLUMNS: Final = 60
_ADDRESS_COLUMNS: Final = 200
_CHANGES: Final = ("new", "changed", "gone")


def read_site(
    site: str, path: Path, lists: Sequence[Listing] = (), limit: int = 0
) -> dict[str, Any]:
    """Read a ledger; return what it holds as a JSON object.

    Args:
        site: whose it is.
        path: its file.
        lists: the lists of addresses that are wanted; each is a key of the report.
        limit: how many addresses of each list, and how many of the last runs; 0 for all.

    Raises:
        StoreError: it is not there, or damaged, or no ledger.
    """
    try:
        with Ledger(path, read_only=True) as ledger:
            figures, runs = ledger.figures(), ledger.runs()
            return {
                "site": site,
                "ledger": str(path),
                "addresses": sum(figures[state] for state in STATES),
                "states": {state: figures[state] for state in STATES},
                "articles": figures["exported"],
                "owed": figures["owed"],
                "runs_in_all": len(runs),
                "runs": [
                    {
                        "id": run.id,
                        "started": run.started,
                        "ended": run.ended or None,
                        "reason": run.reason or None,
                        "figures": dict(run.figures),
                    }
                    for run in runs[-limit:]
                ],
                "unfinished_parts": [
                    {"name": part.name, "run": part.run, "begun": part.begun, "pages": part.pages}
                    for part in ledger.parts(unfinished=True)
                ],
                **{name: _list(ledger, name, figures, limit) for name in lists},
            }
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # SQLite keeps no checksums: it reads some damaged rows without an error.
        raise damage_error(path, error) from error


def _list(ledger: Ledger, name: Listing, figures: Mapping[str, int], limit: int) -> dict[str, Any]:
    """Return how many addresses a list has, and the latest ones or the next to be fetched."""
    number = _waiting(figures) if name == "waiting" else figures[name]
    limit = limit or max(number, 1)
    if name == "waiting":
        rows = list(islice(ledger.rows("fetching"), limit))
        rows += ledger.next_due(limit - len(rows))
    else:
        rows = nlargest(limit, ledger.rows(name), key=lambda row: (row.asked_at, row.address))
    first = [
        {
            "address": row.address,
            "date": row.asked_at or (row.found_at if name == "waiting" else ""),
            "status": row.status,
            "tries": row.tries,
            "reason": _reason(row),
        }
        for row in rows
    ]
    return {"number": number, "first": first}


def _waiting(figures: Mapping[str, int]) -> int:
    return figures["queued"] + figures["fetching"]


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
    _check(args, opts, lists)
    files = {site_named(path.stem): path for path in sorted(folder.glob("*.sqlite"))}
    if not args:
        return _show_all(folder, files, as_json=opts.json)
    site = site_asked(args[0])
    path = files.get(site) or ledger_path(folder, site)
    if not path.is_file():
        raise ArgumentError(f"no ledger of '{site}' in {folder}; {_known(site, files)}")
    if opts.move_aside:
        print_line(f"moved to {move_aside(path)}; the next crawl of {site} begins anew")
        return 0
    report = read_site(site, path, lists, opts.limit)
    if opts.json:
        _print_json(report)
    elif not lists:
        heading = (
            f"{site}: {report['addresses']:,} addresses, "
            f"{counted(report['articles'], 'article')} in the corpus, "
            f"{counted(report['runs_in_all'], 'run')}; {path}"
        )
        write_tables(heading, _tables(report), sys.stdout)
    for name in () if opts.json else lists:
        print_line(f"{site}, {name} ({LISTS[name]}): {report[name]['number']:,}")
        _print_addresses(**report[name])
    return 0


def _check(args: Sequence[str], opts: argparse.Namespace, lists: Sequence[Listing]) -> None:
    if len(args) > 1:
        raise ArgumentError("name one site at a time, or none for all")
    if not args and (lists or opts.move_aside):
        raise ArgumentError(f"name the site for --{lists[0] if lists else 'move-aside'}")
    if opts.move_aside and (lists or opts.json):
        raise ArgumentError("--move-aside takes no other option")


def _known(site: str, files: Mapping[str, Path]) -> str:
    if files:
        return known_sites(site, list(files))
    return "call 'scrapy corpus ADDRESS --daily' first, or set CORPUS_DIR to that of a crawl"


def _show_all(folder: Path, files: Mapping[str, Path], *, as_json: bool) -> int:
    """List the ledgers. One that cannot be read is an error, and the others are still listed."""
    reports = []
    code = 0
    for site, path in files.items():
        try:
            reports.append(read_site(site, path, limit=1))
        except StoreError as error:
            print_error("ledger", error)
            code = error.exit_code
    if as_json:
        _print_json({"folder": str(folder), "sites": reports})
    elif not files:
        print_line(f"No ledgers in {folder}: {_known('', files)}.")
    elif reports:
        states = ("fetched", "refused", "failed", "gone")
        columns = ("addresses", "waiting", *states, "articles", "last run", "it ended", *_CHANGES)
        rows = []
        for report in reports:
            figures = report["states"]
            numbers = [report["addresses"], _waiting(figures), *(figures[name] for name in states)]
            cells = [report["site"], *(f"{n:,}" for n in (*numbers, report["articles"]))]
            for run in report["runs"]:
                cells += [run["started"], _end(run), *_changes(run)]
            rows.append((*cells, *("-",) * (1 + len(columns) - len(cells))))
        heading = f"ledgers in {folder}: {counted(len(reports), 'site')}"
        write_tables(heading, (Table("site", columns, tuple(rows)),), sys.stdout)
    return code


def _tables(report: Mapping[str, Any]) -> list[Table]:
    states = [(shown, report["states"][name]) for name, shown in _STATES_SHOWN.items()]
    states.append(("fetched, and still to be exported", report["owed"]))
    tables = [Table("addresses", ("number",), tuple((name, f"{n:,}") for name, n in states))]
    shown = report["runs"]
    if shown:
        is_all = len(shown) == report["runs_in_all"]
        columns = ("ended", "why", "fetched", *_CHANGES, "not modified")
        runs = [
            (
                run["started"],
                run["ended"] or "-",
                _end(run),
                *_statistics(run, "pages/fetched"),
                *_changes(run),
                *_statistics(run, "incremental/not_modified"),
            )
            for run in shown
        ]
        tables.append(Table("run" if is_all else f"run (last {len(shown)})", columns, tuple(runs)))
    if unfinished := report["unfinished_parts"]:
        parts = tuple((part["name"], part["begun"], f"{part['pages']:,}") for part in unfinished)
        tables.append(Table("unfinished part", ("begun", "pages"), parts))
    return tables


def _end(run: Mapping[str, Any]) -> str:
    if not run["ended"]:
        return "under way, or killed"
    return fit_width(run["reason"] or "", _REASON_COLUMNS)


def _changes(run: Mapping[str, Any]) -> tuple[str, ...]:
    return _statistics(run, *(f"incremental/{name}" for name in _CHANGES))


def _statistics(run: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """Return statistics of a run as cells.

    A crawl of several sites has the statistics of all of them together. A run that was killed has
    none.
    """
    values = [run["figures"].get(f"corpus/{name}", 0) for name in names]
    numbers = [value if isinstance(value, int) else 0 for value in values]
    return tuple(f"{number:,}" if run["figures"] else "-" for number in numbers)


def _print_json(value: Mapping[str, Any]) -> None:
    # ASCII, so that any terminal or pipe takes it.
    print_line(json.dumps(value, indent=2, allow_nan=False))


def _print_addresses(number: int, first: Sequence[Mapping[str, Any]]) -> None:
    rows = [("date", "status", "tries", "reason", "address")]
    for one in first:
        date, status, tries, reason = (
            str(one[name] or "-") for name in ("date", "status", "tries", "reason")
        )
        address = fit_width(one["address"], _ADDRESS_COLUMNS)
        rows.append((date, status, tries, fit_width(reason, _REASON_COLUMNS), address))
    for line in table_lines(rows) if first else ():
        print_line(line)
    if len(first) < number:
        print_line(f"and {number - len(first):,} more; --limit 0 lists all")
