"""``scrapy replay``: finish what a killed crawl left on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import BaseRunSpiderCommand

from crawler.commands.base import CorpusCommand, flag
from crawler.exporters.formats import FEED_EXPORTERS

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from scrapy.settings import Settings

    from crawler.store.spool import SpoolInfo


class ReplayCommand(CorpusCommand, BaseRunSpiderCommand):
    """Counts the pages of a spool and sends all of them through the pipelines and feeds.

    The exit code is 0 when every page of the spool has been exported, 1 when that could not be
    done, 2 when the command line, a setting or the spool is wrong.
    """

    name = "replay"
    usage = "[options] [SPOOL]"
    summary = "Export the pages that a killed crawl left on disk"
    description = (
        "Finish a crawl that was killed before its pages were exported. Without SPOOL, the "
        "only spool that is waiting below CORPUS_DIR is taken; --list shows those there are. "
        "All pages of the spool are exported, also those that the killed crawl had exported "
        "already, so write to a fresh file with -O. The spool is removed when all is stored, "
        "unless CORPUS_KEEP_SPOOL is on; an archive that is replayed stays."
    )
    # Scrapy looks up the formats of -O before the add-on; a project's own settings win.
    default_settings: ClassVar[dict[str, Any]] = {"FEED_EXPORTERS": FEED_EXPORTERS}
    log_level = "WARNING"

    options = (flag("--list", "list the spools and do nothing"),)

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """List the spools, or replay one."""
        from crawler.core.errors import ArgumentError, StoreError
        from crawler.settings import Options
        from crawler.store.spool import find_spools

        if len(args) > 1:
            raise ArgumentError("give one spool at a time")
        if opts.spargs:
            raise ArgumentError("no -a is needed: name the spool as it is")
        folder = Options.from_settings(settings).dir / "spool"
        if opts.list:
            _print_list(find_spools(folder))
            return 0
        try:
            spool = _choose(args, folder)
        except StoreError as error:
            raise ArgumentError(str(error)) from error
        return self._replay(spool, settings)

    def _replay(self, spool: SpoolInfo, settings: Settings) -> int:
        from crawler.addon import switch_on
        from crawler.extensions.logs import show_progress
        from crawler.settings import REPLAYED
        from crawler.spiders.archive import ReplaySpider

        for name, value in spool.settings.items():
            # Anybody may have written the file: it may set these settings alone. Those of this
            # command line and of the project have priority over those of the killed crawl.
            if name in REPLAYED:
                settings.set(name, value, "command")
        # Nothing but the add-on reads a spool; a project may not have it.
        switch_on(settings, "cmdline")
        show_progress(settings)
        crawler = self.process.create_crawler(ReplaySpider)
        self.process.crawl(crawler, path=str(spool.path))
        self.process.start()
        if self.process.bootstrap_failed:
            return 1
        assert crawler.stats is not None  # noqa: S101 - the crawl has run
        return int(crawler.stats.get_value("corpus/spool_kept_because") is not None)


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
        raise ArgumentError(f"no spool is waiting in {folder}; there is nothing to export")
    if len(waiting) > 1:
        names = " ".join(str(spool.path) for spool in waiting)
        raise ArgumentError(f"several spools are waiting; name one of {names}")
    return waiting[0]


def _print_list(spools: list[SpoolInfo]) -> None:
    from crawler.reports.stdout import print_line

    if not spools:
        print_line("No spools.")
    for spool in spools:
        state = "kept" if spool.drained else "in use" if spool.in_use else "waiting"
        line = f"{state:8} {spool.pages:7,} pages  {spool.spider:12} {spool.started}  {spool.path}"
        if spool.damage:
            line += f"  damaged places: {len(spool.damage):,}"
        print_line(line)
