"""The history of a crawl or harvest: its runs, and its pages by kind, language and date.

Runs are those that ``scrapy harvest status`` and ``scrapy ledger`` show. Pages over time come from
the ledger of a site and from its exported items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import ArgumentError, StoreError
from crawler.exporters.merge_parts import PartFile, read_rows
from crawler.harvest.history import RUNNING, History, Run
from crawler.harvest.plan import SitePlan, read_plan
from crawler.harvest.site_job import figures_of
from crawler.harvest.status import (
    COLUMNS,
    RUN_COLUMNS,
    gather,
    run_cells,
    run_plots,
    site_cells,
    status_of,
)
from crawler.harvest.storage import Storage, site_folder
from crawler.reports.timeline import Timeline
from crawler.store.files import site_named, time_of
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Run as LedgerRun
from crawler.studio.jobs import Reading
from crawler.studio.messages import Message
from crawler.studio.pages import inside

if TYPE_CHECKING:
    from crawler.harvest.status import SiteStatus
    from crawler.studio.workspace import Workspace

Answer = dict[str, Any]
_MOST_RUNS: Final = 200
_MOST_SITES: Final = 500
_ENDINGS: Final = (".jsonl", ".csv", ".parquet")
_KINDS: Final = (
    "name the plan (.toml) or the output of a harvest, the folder CORPUS_DIR of a crawl with "
    "CORPUS_INCREMENTAL, or the exported items of a crawl (.jsonl, .csv, .parquet)"
)


@dataclass(frozen=True, slots=True)
class Past:
    """Where the history of a site is: ledgers, and files of exported items."""

    ledgers: tuple[Path, ...] = ()
    items: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """Where a history is: that of each site, and the output of the harvest, with its sites."""

    sites: Mapping[str, Past]
    harvest: Path | None = None
    planned: tuple[SitePlan, ...] = ()


def find_history(folder: Path, name: str) -> Found:
    """Find the history that a name has.

    Raises:
        CorpusError: it is outside of the folder, or has no history.
    """
    path = inside(folder, name)
    if not path.exists():
        raise ArgumentError(f"{path} does not exist; {_KINDS}").about("no-file", name)
    if path.suffix == ".toml":
        plan = read_plan(path)
        if "://" in plan.output:
            shows = f"run: scrapy harvest status {name} --html history.html"
            raise ArgumentError(
                f"the output of {name} is no folder but {plan.output}; {shows}"
            ).about("remote-harvest", name, plan.output, shows)
        return _harvest(folder, inside(folder, plan.output), plan.sites)
    output = path.parent if path.name == "history.sqlite" else path
    if (output / "history.sqlite").is_file():
        return _harvest(folder, output, ())
    if path.is_dir():
        return Found(_crawl(folder, path, name))
    if path.suffix == ".sqlite":
        return Found({site_named(path.stem): Past((path,))})
    if path.suffix in _ENDINGS:
        return Found({"": Past(items=(path,))})
    raise ArgumentError(f"{name} has no history; {_KINDS}").about("no-history", name)


def _crawl(folder: Path, path: Path, name: str) -> dict[str, Past]:
    """Return the sites of the folder of a crawl, or its exported items, by the site ""."""
    past = {}
    for ledger in _ledgers(folder, path):
        items = _files(folder, path, f"articles/{escape(ledger.stem)}/*")
        past[site_named(ledger.stem)] = Past((ledger,), items)
    for patterns in (("articles/*/*", "articles/*"), ("*",), ("*/*",)):
        if not past and (exported := _files(folder, path, *patterns)):
            past[""] = Past(items=exported)
    if not past:
        raise ArgumentError(f"{name} keeps no history; {_KINDS}").about("no-history", name)
    return past


def _harvest(folder: Path, output: Path, planned: tuple[SitePlan, ...]) -> Found:
    history = output / "history.sqlite"
    sites = planned or tuple(map(SitePlan, History(history).sites())) if history.is_file() else ()
    if not sites:
        raise ArgumentError(f"{output} has no history; run the harvest first").about(
            "no-harvest", output
        )
    past = {}
    for site in sites:
        own = output / site_folder(site.id)
        items = _files(folder, own, "articles/*/*", "articles/*")
        past[site.id] = Past(_ledgers(folder, own), items)
    return Found(past, output, sites)


def _files(folder: Path, root: Path, *patterns: str) -> tuple[Path, ...]:
    """Return the files of items below a folder, all of them within the working folder."""
    found = [path for pattern in patterns for path in sorted(root.glob(pattern)) if path.is_file()]
    return tuple(inside(folder, str(path)) for path in found if path.suffix in _ENDINGS)


def _ledgers(folder: Path, root: Path) -> tuple[Path, ...]:
    """Return the ledgers of the folder of a crawl."""
    return tuple(inside(folder, str(path)) for path in sorted(root.glob("ledger/*.sqlite")))


class HistoryReading(Reading):
    """Reads a history in the background.

    Args:
        folder: the working folder.
        name: as in :func:`find_history`.
        site: the site whose pages are read; empty for the first.

    Raises:
        CorpusError: as :func:`find_history`.
    """

    def __init__(self, folder: Path, name: str, site: str) -> None:
        self._name = name
        self._past = find_history(folder, name)
        if site and site not in self._past.sites:
            raise ArgumentError(f"{name} has no site {site}; choose another one").about(
                "no-site", name, site
            )
        self._now = datetime.now(UTC)
        self._timeline = Timeline(self._now)
        self._statuses: list[SiteStatus] = []
        super().__init__(site or next(iter(self._past.sites)))

    def progress(self, known: int) -> Answer:
        """Return how far the reading is, and what it has found if that is not known."""
        sites = list(self._past.sites)
        return {"name": self._name, "sites": sites, **super().progress(known)}

    def work(self) -> None:
        """Read the runs, then the pages of the site."""
        self._statuses = list(self._read_statuses())
        self.show()
        past, is_item = self._past.sites[self.site], False
        try:
            for ledger in past.ledgers:
                self._read_ledger(ledger, dates=not past.items)
            for path in past.items:
                for row in read_rows(PartFile("", 0, path.suffix[1:], path)):
                    is_item |= self._timeline.add_item(row, kinds=not past.ledgers)
                    if self._counted():
                        break
        finally:
            # What was read before a damaged line is shown, too.
            self.show()
        if not self._statuses and not is_item and not self.stopped:
            raise ArgumentError(f"{self._name} holds no exported items; {_KINDS}").about(
                "no-history", self._name
            )

    def _read_statuses(self) -> Iterator[SiteStatus]:
        past = self._past
        if past.harvest is not None:
            storage = Storage(str(past.harvest))
            history = History(past.harvest / "history.sqlite")
            yield from gather(past.planned, history, storage.is_locked, self._now)
            return
        first = {site: its.ledgers[0] for site, its in past.sites.items() if its.ledgers}
        for site, path in first.items():
            try:
                with Ledger(path, read_only=True) as ledger:
                    runs = [run_of_ledger(site, run) for run in ledger.runs()]
            except StoreError:
                # A damaged ledger keeps nobody from the history of another site.
                if site == self.site:
                    raise
            else:
                yield status_of(SitePlan(site), runs, None)

    def _read_ledger(self, path: Path, *, dates: bool) -> None:
        with Ledger(path, read_only=True) as ledger:
            for row in ledger.rows("fetched"):
                self._timeline.add_kind(row.fetched_at, row.kind)
                if dates:
                    self._timeline.add_date(row.listed or row.priority)
                if self._counted():
                    return

    def _counted(self) -> bool:
        """Count a page, show from time to time what there is; return whether to stop."""
        self.read += 1
        self.show_soon()
        return self.stopped

    def found(self) -> Answer:
        """Return the runs of the site, its plots, and the table of all sites."""
        own = next((one for one in self._statuses if one.site.id == self.site), None)
        entries: Sequence[Run] = own.entries if own else ()
        return {
            "columns": COLUMNS,
            "rows": [site_cells(status) for status in self._statuses[:_MOST_SITES]],
            "plots": [asdict(one) for one in (*run_plots(entries), *self._timeline.plots())],
            "run_columns": RUN_COLUMNS,
            "runs": [run_cells(run) for run in reversed(entries[-_MOST_RUNS:])],
            "in_all": len(entries),
        }


def run_of_ledger(site: str, run: LedgerRun) -> Run:
    """Return a run that a ledger keeps as one of a history."""
    start, end = time_of(run.started), time_of(run.ended)
    figures = figures_of({"stats": run.figures, "reason": run.reason or RUNNING})
    return Run(site, start or datetime.min.replace(tzinfo=UTC), end=end, **figures)


def start_history(workspace: Workspace, message: Message) -> Answer:
    """Read a history in the background; a reading before it is stopped.

    Raises:
        CorpusError: there is nothing to read.
    """
    name, site = message.part("name", str).strip(), message.part("site", str, "")
    if not name:
        raise ArgumentError(_KINDS).about("name-history")
    return workspace.begin("history", HistoryReading(workspace.folder, name, site))
