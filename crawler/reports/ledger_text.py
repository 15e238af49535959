"""The work of ``scrapy ledger``: its call, and what it prints of the ledgers of a folder."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from crawler.core.errors import ArgumentError, CorpusError, StoreError, one_line
from crawler.core.wording import counted, fit_width
from crawler.reports.ledger import LISTS, as_json, figure, read_site
from crawler.reports.text_tables import Table, write_tables
from crawler.settings import Options
from crawler.store.files import known_sites, site_named
from crawler.store.ledger.file import ledger_path, move_aside

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy.settings import Settings

    from crawler.reports.ledger import Listed, Listing, SiteReport
    from crawler.store.ledger.rows import Run

__all__ = ["main"]

_SUFFIX = ".sqlite"
_REASON_COLUMNS = 60
_ADDRESS_COLUMNS = 200
_NOT_ENDED = "under way, or killed"
_NEWS = ("new", "changed", "gone")


def main(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> int:
    """Show ledgers; return the exit code: 0, 1 or 2, as the errors that are met have it."""
    try:
        return _show(args, opts, Options.from_settings(settings).dir / "ledger")
    except CorpusError as error:
        _tell(error)
        return error.exit_code


def _tell(error: CorpusError) -> None:
    print(f"scrapy ledger: {one_line(error)}", file=sys.stderr)  # noqa: T201 - a command speaks here


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(f"{text}\n".encode(encoding, "backslashreplace").decode(encoding))


def _print_json(value: Mapping[str, Any]) -> None:
    # ASCII, so that no terminal or pipe can spoil it.
    _print(json.dumps(value, indent=2, allow_nan=False))


def _show(args: Sequence[str], opts: argparse.Namespace, folder: Path) -> int:
    lists = tuple(name for name in LISTS if getattr(opts, name))
    _check(args, opts, lists)
    files = {site_named(path.stem): path for path in sorted(folder.glob(f"*{_SUFFIX}"))}
    if not args:
        return _show_all(folder, files, as_programs_read=opts.json)
    site = args[0]
    path = files.get(site) or ledger_path(folder, site)
    if not path.is_file():
        raise ArgumentError(f"no ledger of '{site}' in {folder}; {_known(site, files)}")
    if opts.move_aside:
        _print(f"moved to {move_aside(path)}; the next crawl of {site} begins anew")
        return 0
    report = read_site(site, path, lists, opts.limit)
    if opts.json:
        _print_json(as_json(report, opts.limit))
    elif lists:
        for name in lists:
            _print(f"{site}, {name} ({LISTS[name]}): {report.lists[name][0]:,}")
            _print_addresses(*report.lists[name])
    else:
        write_tables(_heading(report), _tables(report, opts.limit), sys.stdout)
    return 0


def _check(args: Sequence[str], opts: argparse.Namespace, lists: Sequence[Listing]) -> None:
    """Refuse a call that is wrong.

    Raises:
        ArgumentError: it is.
    """
    if unknown := [arg for arg in args if arg.startswith("-")]:
        raise ArgumentError(f"unknown option {unknown[0]}; 'scrapy ledger -h' lists them")
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


def _show_all(folder: Path, files: Mapping[str, Path], *, as_programs_read: bool) -> int:
    """List the ledgers. One that cannot be read is told of, and costs no other."""
    reports: list[SiteReport] = []
    code = 0
    for site, path in files.items():
        try:
            reports.append(read_site(site, path))
        except StoreError as error:
            _tell(error)
            code = error.exit_code
    if as_programs_read:
        _print_json({"folder": str(folder), "sites": [as_json(one) for one in reports]})
    elif not files:
        _print(f"No ledgers in {folder}: {_known('', files)}.")
    elif reports:
        count = counted(len(reports), "site")
        write_tables(f"ledgers in {folder}: {count}", (_list(reports),), sys.stdout)
    return code


def _list(reports: Sequence[SiteReport]) -> Table:
    columns = (
        "addresses", "waiting", "fetched", "refused", "failed", "gone", "articles", "last run",
        "it ended", *_NEWS,
    )  # fmt: skip
    rows = []
    for report in reports:
        figures = report.figures
        numbers = (
            figures.addresses,
            figures.queued + figures.fetching,
            figures.fetched,
            figures.refused,
            figures.failed,
            figures.gone,
            report.articles,
        )
        rows.append((report.site, *(f"{one:,}" for one in numbers), *_last(report.last)))
    return Table("site", columns, tuple(rows))


def _last(run: Run | None) -> tuple[str, ...]:
    if run is None:
        return ("-",) * (2 + len(_NEWS))
    return run.started, _end(run), *_figures(run, *(f"incremental/{name}" for name in _NEWS))


def _end(run: Run) -> str:
    return fit_width(run.reason, _REASON_COLUMNS) if run.ended else _NOT_ENDED


def _figures(run: Run, *names: str) -> tuple[str, ...]:
    """Return figures of a run; a run without any was killed, and tells nothing."""
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
        ("fetched, and to be exported still", figures.owed),
    )
    shown = report.runs[-limit:]
    title = "run" if len(shown) == len(report.runs) else f"run (last {len(shown)})"
    columns = ("ended", "why", "fetched", *_NEWS, "not modified")
    keys = ("pages/fetched", *(f"incremental/{name}" for name in (*_NEWS, "not_modified")))
    runs = tuple((run.started, run.ended or "-", _end(run), *_figures(run, *keys)) for run in shown)
    tables = [Table("addresses", ("number",), tuple((name, f"{n:,}") for name, n in states))]
    if runs:
        tables.append(Table(title, columns, runs))
    if report.unfinished:
        parts = tuple((part.name, part.begun, f"{part.pages:,}") for part in report.unfinished)
        tables.append(Table("part that is not whole", ("begun", "pages"), parts))
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
    if listed:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
        for row in rows:
            cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=False)]
            _print("  ".join([*cells, row[-1]]))
    if len(listed) < number:
        _print(f"and {number - len(listed):,} more; --limit 0 lists all")
