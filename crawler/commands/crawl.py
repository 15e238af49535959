"""``scrapy crawl``, with the spiders and formats of this package in any project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from scrapy.commands import crawl
from scrapy.exceptions import UsageError
from scrapy.utils.misc import load_object
from scrapy.utils.project import inside_project

from crawler.commands.base import CorpusCommand
from crawler.exporters.formats import FEED_EXPORTERS

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

_SPIDERS: Final = {
    "site": "crawler.spiders.site.SiteSpider",
    "urls": "crawler.spiders.urls.UrlsSpider",
    "archive": "crawler.spiders.archive.ArchiveSpider",
    "wrapper": "crawler.spiders.wrapper.WrapperSpider",
}
_ADDON: Final = 'ADDONS = {"crawler.addon.CorpusAddon": 500}'


class CrawlCommand(CorpusCommand, crawl.Command):
    """Scrapy's own command, which says in a line what to do where there is no project or spider.

    It takes the place of Scrapy's own by its entry point. The formats of this package are known to
    ``-o`` and ``-O``, which Scrapy checks before add-ons run. The spiders ``site``, ``urls``,
    ``archive`` and ``wrapper`` need not be named in ``SPIDER_MODULES``; one of the same name there
    wins.
    """

    name = "crawl"
    usage = "[options] SPIDER"
    summary = "Run a spider of the project, or of scrapy-corpus, by name"
    description = (
        "Run a spider of the project, by its name; where the add-on of scrapy-corpus is switched "
        f"on, also its own: {', '.join(_SPIDERS)}."
    )
    default_settings: ClassVar[dict[str, Any]] = {"FEED_EXPORTERS": FEED_EXPORTERS}

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options; outside of a project, say what to do, and end."""
        if not inside_project():
            raise UsageError(
                "this folder belongs to no Scrapy project. Without a project, "
                "'scrapy corpus URL -O pages.jsonl' crawls a site"
            )
        # A format of the project's own leaves those of this package known.
        settings = self.given_settings
        own = settings.getdict("FEED_EXPORTERS")
        priority = settings.getpriority("FEED_EXPORTERS") or 0
        settings.set("FEED_EXPORTERS", {**FEED_EXPORTERS, **own}, priority)
        super().process_options(args, opts)

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Find the spider, and crawl."""
        from crawler.addon import has_addon
        from crawler.core.errors import ArgumentError

        known = self.process.spider_loader.list()
        if len(args) == 1 and args[0] not in known:
            is_on = has_addon(settings)
            if args[0] not in _SPIDERS:
                names = ", ".join(sorted({*known, *(_SPIDERS if is_on else ())})) or "none"
                raise ArgumentError(
                    f"there is no spider '{args[0]}' in this project. There are: {names}"
                )
            if not is_on:
                raise ArgumentError(
                    f"the spider '{args[0]}' needs the add-on: put {_ADDON} into the settings"
                )
            args = [load_object(_SPIDERS[args[0]])]
        crawl.Command.run(self, args, opts)
        return self.exitcode
