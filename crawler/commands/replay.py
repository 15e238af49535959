"""``scrapy replay``: finish what a killed crawl left on disk."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import BaseRunSpiderCommand
from scrapy.utils.misc import load_object

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from crawler.options import Options
    from crawler.store.spool import SpoolInfo

__all__ = ["ReplayCommand"]

_ADDON = "crawler.addon.CorpusAddon"


class ReplayCommand(BaseRunSpiderCommand):
    """Counts the pages of a spool and sends them through the pipelines and feeds, all of them.

    Leaves with 0 when the spool was replayed, 1 when the crawl could not start, 2 when the command
    line, a setting or the spool is wrong; then the reason is one line on standard error.
    """

    # Formats of -O are looked up before the add-on is; a project's own settings win.
    default_settings: ClassVar[dict[str, Any]] = {
        "FEED_EXPORTERS": {
            "csv": "crawler.exporters.CorpusCsvItemExporter",
            "parquet": "crawler.exporters.ParquetItemExporter",
        },
    }

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
            "unless CORPUS_KEEP_SPOOL is on."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command takes beside the options of every crawl."""
        super().add_options(parser)
        parser.add_argument("--list", action="store_true", help="list the spools and do nothing")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """List the spools, or replay one."""
        from crawler.core.errors import (  # noqa: PLC0415 - only when this command runs
            ArgumentError,
            CorpusError,
        )
        from crawler.options import Options  # noqa: PLC0415
        from crawler.store.spool import find_spools  # noqa: PLC0415

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        try:
            if len(args) > 1:
                raise ArgumentError("give one spool at a time")
            options = Options.from_settings(self.settings)
            spools = find_spools(options.dir / "spool")
            if opts.list:
                _print_list(spools)
                return
            self._replay(_choose(args, spools, options), opts.spargs)
        except CorpusError as error:
            # File names may hold line breaks, yet an error is one line.
            print(f"scrapy replay: {' '.join(str(error).split())}", file=sys.stderr)
            self.exitcode = 2

    def _replay(self, spool: SpoolInfo, arguments: dict[str, Any]) -> None:
        from crawler.core.errors import ArgumentError  # noqa: PLC0415 - only when needed
        from crawler.spiders.replay import ReplaySpider  # noqa: PLC0415

        assert self.settings is not None  # noqa: S101 - as above
        assert self.crawler_process is not None  # noqa: S101 - as above
        if "path" in arguments:
            raise ArgumentError("name the spool as it is, without -a path=")
        for name, value in spool.settings.items():
            # What this command line or project sets goes before what the killed crawl had.
            self.settings.set(name, value, "command")
        _switch_on(self.settings)
        self.crawler_process.crawl(ReplaySpider, path=str(spool.path), **arguments)
        self.crawler_process.start()
        if self.crawler_process.bootstrap_failed:
            self.exitcode = 1


def _switch_on(settings: Settings) -> None:
    """Make the add-on part of the crawl where no project does: nothing else reads a spool."""
    from crawler.addon import CorpusAddon  # noqa: PLC0415 - only when needed

    addons = settings.getdict("ADDONS")
    if not any(load_object(addon) is CorpusAddon for addon in addons):
        settings.set("ADDONS", {**addons, _ADDON: 500}, "cmdline")


def _choose(args: list[str], spools: list[SpoolInfo], options: Options) -> SpoolInfo:
    from crawler.core.errors import ArgumentError  # noqa: PLC0415 - only when needed
    from crawler.store.spool import Spool  # noqa: PLC0415

    if args:
        spool = Spool.open(args[0])
        info = spool.info
        spool.close()
        return info
    waiting = [spool for spool in spools if not spool.drained and not spool.in_use]
    if not waiting:
        raise ArgumentError(f"no spool is waiting in {options.dir / 'spool'}")
    if len(waiting) > 1:
        names = " ".join(str(spool.path) for spool in waiting)
        raise ArgumentError(f"several spools are waiting; name one of {names}")
    return waiting[0]


def _print_list(spools: list[SpoolInfo]) -> None:
    if not spools:
        print("No spools.")
    for spool in spools:
        state = "kept" if spool.drained else "in use" if spool.in_use else "waiting"
        print(f"{state:8} {spool.pages:7,} pages  {spool.spider:12} {spool.started}  {spool.path}")
