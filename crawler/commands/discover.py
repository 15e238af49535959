"""``scrapy discover``: which pages of a site would be fetched?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.settings import SETTINGS_PRIORITIES

if TYPE_CHECKING:
    import argparse

__all__ = ["DiscoverCommand"]


class DiscoverCommand(ScrapyCommand):
    """Prints the pages that ``scrapy crawl site`` would fetch, without fetching them.

    What could not be fetched, read or followed is told on standard error, each in one line. Leaves
    with 0 when it printed, 1 when neither the start page nor a listing could be fetched, 2 when the
    call is wrong.
    """

    requires_project = False

    def syntax(self) -> str:
        """Say how the command is called."""
        return "[options] URL"

    def short_desc(self) -> str:
        """Say what the command does in a line."""
        return "List the pages of a site that would be fetched, by its sitemaps and feeds"

    def long_desc(self) -> str:
        """Say what the command does, for its help."""
        return (
            "List the pages that 'scrapy crawl site' with the same arguments would fetch, in its "
            "order. Only the start page, robots.txt, sitemaps and feeds are fetched; what further "
            "pages link to is not known."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command takes."""
        super().add_options(parser)
        parser.add_argument(
            "-a",
            dest="arguments",
            metavar="NAME=VALUE",
            action="append",
            default=[],
            help="argument of the spider 'site', such as since=2026-11-01 (may be repeated)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON Lines, for programs")
        parser.add_argument(
            "--limit", metavar="N", type=int, default=0, help="print the first N pages only"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Say nothing but the answer unless asked for it."""
        super().process_options(args, opts)
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        # A project's own level is meant for its crawls.
        if (self.settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
            self.settings.set("LOG_LEVEL", "CRITICAL", "cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Find the pages and print them."""
        from crawler.core.errors import CorpusError, one_line
        from crawler.reports.stdout import for_a_reader
        from crawler.settings import Options
        from crawler.spiders.arguments import SiteArguments, parse_arguments
        from crawler.spiders.preview import find_pages, json_lines, table

        assert self.settings is not None  # noqa: S101 - as above
        assert self.crawler_process is not None  # noqa: S101 - as above
        try:
            Options.from_settings(self.settings)
            arguments = _arguments(args, opts)
            # Before the crawl begins, where it is a line: Scrapy would show a traceback.
            parse_arguments(SiteArguments, arguments, owner="site").start_addresses("site")
            found = find_pages(arguments, self.crawler_process)
        except CorpusError as error:
            print(f"scrapy discover: {one_line(error)}", file=sys.stderr)
            self.exitcode = error.exit_code
            return
        shown = found.visits[: opts.limit or None]
        with for_a_reader():
            for line in json_lines(shown) if opts.json else table(shown):
                print(line)
            if len(shown) < len(found.visits) and not opts.json:
                print(f"and {len(found.visits) - len(shown):,} more")
        for note in found.notes:
            print(f"scrapy discover: {note}", file=sys.stderr)


def _arguments(args: list[str], opts: argparse.Namespace) -> dict[str, str]:
    """Read the call.

    Raises:
        ArgumentError: it is wrong.
    """
    from crawler.core.errors import ArgumentError

    if unknown := [arg for arg in args if arg.startswith("-")]:
        raise ArgumentError(f"unknown option {unknown[0]}; 'scrapy discover -h' lists them")
    if len(args) != 1:
        raise ArgumentError("give the address of one site")
    if opts.limit < 0:
        raise ArgumentError(f"--limit is {opts.limit}; give a number of pages, or 0 for all")
    arguments = {"url": args[0]}
    for given in opts.arguments:
        name, equals, value = given.partition("=")
        if not equals:
            raise ArgumentError(f"-a {given} has no value; give -a {given}=…")
        if name == "url":
            raise ArgumentError("-a url is not needed: the address is given by itself")
        arguments[name] = value
    return arguments
