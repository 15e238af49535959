"""``scrapy crawl``, with the spiders and formats of this package in any project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from scrapy.commands import crawl
from scrapy.exceptions import UsageError
from scrapy.utils.misc import load_object
from scrapy.utils.project import inside_project

from crawler.commands.base import feed_flaw, log_flaw
from crawler.exporters.formats import FEED_EXPORTERS

if TYPE_CHECKING:
    import argparse

_SPIDERS: Final = {
    "site": "crawler.spiders.site.SiteSpider",
    "urls": "crawler.spiders.urls.UrlsSpider",
    "archive": "crawler.spiders.archive.ArchiveSpider",
    "wrapper": "crawler.spiders.wrapper.WrapperSpider",
}
_ADDON: Final = 'ADDONS = {"crawler.addon.CorpusAddon": 500}'


class CrawlCommand(crawl.Command):
    """Scrapy's own command, which says in a line what to do where there is no project or spider.

    It takes the place of Scrapy's own by its entry point. The formats of this package are known to
    ``-o`` and ``-O``, which Scrapy checks before add-ons run. The spiders ``site``, ``urls``,
    ``archive`` and ``wrapper`` need not be named in ``SPIDER_MODULES``; one of the same name there
    wins.
    """

    # Outside of a project the command says what to do there.
    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"FEED_EXPORTERS": FEED_EXPORTERS}

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options; outside of a project, say what to do, and end."""
        if not inside_project():
            self._refuse(
                "this folder belongs to no Scrapy project. Without a project, "
                "'scrapy corpus URL -O pages.jsonl' crawls a site"
            )
            raise SystemExit(self.exitcode)
        assert self.settings is not None  # noqa: S101 - as in run()
        # A format of the project's own leaves those of this package known.
        own = self.settings.getdict("FEED_EXPORTERS")
        priority = self.settings.getpriority("FEED_EXPORTERS") or 0
        self.settings.set("FEED_EXPORTERS", {**FEED_EXPORTERS, **own}, priority)
        try:
            super().process_options(args, opts)
            flaw = log_flaw(self.settings)
        except UsageError:
            if not (flaw := feed_flaw(opts, self.settings)):
                raise
        if flaw:
            self._refuse(flaw)
            raise SystemExit(self.exitcode)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Find the spider, or say in a line why there is none; then crawl."""
        from crawler.core.errors import CorpusError

        assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it calls run()
        assert self.settings is not None  # noqa: S101 - likewise
        known = self.crawler_process.spider_loader.list()
        if len(args) == 1 and args[0] not in known:
            from crawler.addon import has_addon

            is_on = has_addon(self.settings)
            if args[0] not in _SPIDERS:
                names = ", ".join(sorted({*known, *(_SPIDERS if is_on else ())})) or "none"
                self._refuse(f"there is no spider '{args[0]}' in this project. There are: {names}")
                return
            if not is_on:
                self._refuse(
                    f"the spider '{args[0]}' needs the add-on: put {_ADDON} into the settings"
                )
                return
            args = [load_object(_SPIDERS[args[0]])]
        try:
            super().run(args, opts)
        except CorpusError as error:
            # What Scrapy would have logged as a traceback; see crawler.extensions.exits.
            self._refuse(str(error))
            self.exitcode = error.exit_code

    def _refuse(self, why: str) -> None:
        from crawler.reports.stdout import print_error

        print_error("crawl", why)
        self.exitcode = 2
