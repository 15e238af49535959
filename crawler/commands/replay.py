"""``scrapy replay``: finish what a killed crawl left on disk."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import BaseRunSpiderCommand
from scrapy.utils.misc import load_object

from crawler.exporters.formats import FEED_EXPORTERS

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from scrapy.crawler import Crawler
    from scrapy.settings import Settings

    from crawler.store.spool import SpoolInfo

__all__ = ["ReplayCommand"]

_ADDON = "crawler.addon.CorpusAddon"
_NOT_DONE = 1
_WRONG_CALL = 2


class ReplayCommand(BaseRunSpiderCommand):
    """Counts the pages of a spool and sends them through the pipelines and feeds, all of them.

    Leaves with 0 when every page of the spool has been exported, 1 when that could not be done, 2
    when the command line, a setting or the spool is wrong; then the reason is one line on standard
    error.
    """

    # Formats of -O are looked up before the add-on is; a project's own settings win.
    default_settings: ClassVar[dict[str, Any]] = {"FEED_EXPORTERS": FEED_EXPORTERS}

    def syntax(self) -> str:
        """Say how the command is called."""
        return "[options] [SPOOL]"

    def short_desc(self) -> str:
        """Say what the command does in a line."""
        return "Export the pages that a killed crawl left on disk"

    def long_desc(self) -> str:
        """Say what the command does, for its help."""
        return (
            "Finish a crawl that was killed before its pages were exported. Without SPOOL, the "
            "only spool that is waiting below CORPUS_DIR is taken; --list shows those there are. "
            "All pages of the spool are exported, also those that the killed crawl had exported "
            "already, so write to a fresh file with -O. The spool is removed when all is stored, "
            "unless CORPUS_KEEP_SPOOL is on; an archive that is replayed stays."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command takes beside the options of every crawl."""
        super().add_options(parser)
        parser.add_argument("--list", action="store_true", help="list the spools and do nothing")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """List the spools, or replay one."""
        from crawler.core.errors import (
            ArgumentError,
            CorpusError,
            one_line,
        )
        from crawler.reports.stdout import for_a_reader
        from crawler.settings import Options
        from crawler.store.spool import find_spools

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        try:
            if len(args) > 1:
                raise ArgumentError("give one spool at a time")
            if opts.spargs:
                raise ArgumentError("no -a is needed: name the spool as it is")
            folder = Options.from_settings(self.settings).dir / "spool"
            if opts.list:
                with for_a_reader():
                    _print_list(find_spools(folder))
                return
            self._replay(_choose(args, folder))
        except CorpusError as error:
            print(f"scrapy replay: {one_line(error)}", file=sys.stderr)
            self.exitcode = _WRONG_CALL

    def _replay(self, spool: SpoolInfo) -> None:
        from crawler.settings import REPLAYED
        from crawler.spiders.replay import ReplaySpider

        assert self.settings is not None  # noqa: S101 - as above
        assert self.crawler_process is not None  # noqa: S101 - as above
        for name, value in spool.settings.items():
            # The file may be anybody's: what else it names is not for it to set.
            if name in REPLAYED:
                # What this command line or project sets goes before what the killed crawl had.
                self.settings.set(name, value, "command")
        _switch_on(self.settings)
        crawler = self.crawler_process.create_crawler(ReplaySpider)
        self.crawler_process.crawl(crawler, path=str(spool.path))
        self.crawler_process.start()
        if self.crawler_process.bootstrap_failed or not _all_exported(crawler):
            self.exitcode = _NOT_DONE


def _all_exported(crawler: Crawler) -> bool:
    assert crawler.stats is not None  # noqa: S101 - the crawl has run
    return crawler.stats.get_value("corpus/spool_kept_because") is None


def _switch_on(settings: Settings) -> None:
    """Make the add-on part of the crawl where no project does: nothing else reads a spool."""
    from crawler.addon import CorpusAddon

    addons = settings.getdict("ADDONS")
    if not any(load_object(addon) is CorpusAddon for addon in addons):
        settings.set("ADDONS", {**addons, _ADDON: 500}, "cmdline")


def _choose(args: list[str], folder: Path) -> SpoolInfo:
    from crawler.core.errors import ArgumentError
    from crawler.store.spool import find_spools, spool_info

    if args:
        named = spool_info(args[0])
        if named.in_use:
            raise ArgumentError(f"{named.path} is in use by another process; wait for its end")
        return named
    waiting = [spool for spool in find_spools(folder) if not spool.drained and not spool.in_use]
    if not waiting:
        raise ArgumentError(f"no spool is waiting in {folder}")
    if len(waiting) > 1:
        names = " ".join(str(spool.path) for spool in waiting)
        raise ArgumentError(f"several spools are waiting; name one of {names}")
    return waiting[0]


def _print_list(spools: list[SpoolInfo]) -> None:
    if not spools:
        print("No spools.")
    for spool in spools:
        state = "kept" if spool.drained else "in use" if spool.in_use else "waiting"
        line = f"{state:8} {spool.pages:7,} pages  {spool.spider:12} {spool.started}  {spool.path}"
        if spool.damaged:
            line += f"  damaged places: {spool.damaged:,}"
        # What stands in a file may hold whatever a terminal acts upon.
        print("".join(char if char.isprintable() else "?" for char in line))
