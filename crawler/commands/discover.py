"""``scrapy discover``: which pages of a site would be fetched?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.commands.base import CorpusCommand, flag, valued, whole_number

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class DiscoverCommand(CorpusCommand):
    """Prints the pages that ``scrapy crawl site`` would fetch, without fetching them.

    What could not be fetched, read or followed is one line each on standard error.
    """

    name = "discover"
    usage = "[options] URL"
    summary = "List the pages of a site that would be fetched, by its sitemaps and feeds"
    description = (
        "List the pages that 'scrapy crawl site' with the same arguments would fetch, in its "
        "order. Only the start page, robots.txt, sitemaps and feeds are fetched; the links of "
        "other pages are not known."
    )
    log_level = "CRITICAL"

    options = (
        valued(
            "-a",
            "NAME=VALUE",
            "argument of the spider 'site', such as since=2026-11-01 (may be repeated)",
            dest="arguments",
            action="append",
            default=[],
        ),
        flag("--json", "print JSON Lines, for programs"),
        valued("--limit", "N", "print the first N pages only", type=whole_number(0), default=0),
    )

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Find the pages and print them."""
        from crawler.reports.stdout import print_error, print_line
        from crawler.settings import Options
        from crawler.spiders.arguments import SiteArguments, parse_arguments
        from crawler.spiders.fetch import find_pages, json_lines, table

        Options.from_settings(settings)
        arguments = _arguments(args, opts)
        # Before the crawl begins, where an error is one line: Scrapy would show a traceback.
        parse_arguments(SiteArguments, arguments, owner="site").start_addresses("site")
        found = find_pages(arguments, self.process)
        shown = found.visits[: opts.limit or None]
        for line in json_lines(shown) if opts.json else table(shown):
            print_line(line)
        if len(shown) < len(found.visits) and not opts.json:
            print_line(f"and {len(found.visits) - len(shown):,} more")
        for note in found.notes:
            print_error(self.name, note)
        return 0


def _arguments(args: list[str], opts: argparse.Namespace) -> dict[str, str]:
    from scrapy.utils.conf import arglist_to_dict

    from crawler.core.errors import ArgumentError

    if len(args) != 1:
        raise ArgumentError("give the address of one site")
    try:
        arguments = arglist_to_dict(opts.arguments)
    except ValueError:
        raise ArgumentError("an argument -a has no value; give -a NAME=VALUE") from None
    if "url" in arguments:
        raise ArgumentError("-a url is not needed: the address is given by itself")
    return {"url": args[0], **arguments}
