"""``scrapy extract``: what is the text of this page, and why?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse

    from crawler.core.page import Page

__all__ = ["ExtractCommand"]


class ExtractCommand(ScrapyCommand):
    """Prints one page's item as JSON, or its blocks with the verdict on each."""

    requires_project = False
    default_settings = {"LOG_LEVEL": "CRITICAL"}  # noqa: RUF012 - declared so by Scrapy

    def syntax(self) -> str:
        """Say how the command is called."""
        return "[options] FILE_OR_URL"

    def short_desc(self) -> str:
        """Say what the command does in a line."""
        return "Print one page's text and metadata, and why each block was kept or dropped"

    def long_desc(self) -> str:
        """Say what the command does, for its help."""
        return (
            "Print the item of one page as JSON. With --explain, show each block of the page with "
            "its label and the evidence for it instead. The page is judged by what is known of its "
            "site: the counts that crawls have kept in CORPUS_DIR, or the pages named by --with."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command takes."""
        super().add_options(parser)
        parser.add_argument(
            "--explain", action="store_true", help="show every block with its label and evidence"
        )
        parser.add_argument("--url", metavar="URL", help="address of the page that FILE was")
        parser.add_argument("--method", metavar="NAME", help="text method (CORPUS_TEXT_METHOD)")
        parser.add_argument(
            "--with",
            dest="others",
            metavar="PATH",
            action="append",
            default=[],
            help="count the pages of this folder or archive as the page's site (may be repeated)",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Put the method among the settings, and be polite where a page is fetched."""
        from crawler.manners import POLITE_SETTINGS  # noqa: PLC0415 - only when this command runs

        super().process_options(args, opts)
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        self.settings.setdict(POLITE_SETTINGS, "command")
        if opts.method:
            self.settings.set("CORPUS_TEXT_METHOD", opts.method, "cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Get the page, judge it, print it."""
        from crawler.core.errors import (  # noqa: PLC0415 - only when this command runs
            ArgumentError,
            CorpusError,
        )
        from crawler.single import explanation, item_json, judge  # noqa: PLC0415

        assert self.settings is not None  # noqa: S101 - as above
        try:
            if len(args) != 1:
                raise ArgumentError("give one file or address")
            page = self._page(args[0], opts.url)
            verdict = judge(page, self.settings, opts.others)
        except CorpusError as error:
            # File names may hold line breaks, yet an error is one line.
            print(f"scrapy extract: {' '.join(str(error).split())}", file=sys.stderr)
            self.exitcode = 2
            return
        encoding = sys.stdout.encoding or "utf-8"
        text = explanation(verdict) if opts.explain else item_json(verdict, encoding)
        print(text.encode(encoding, "backslashreplace").decode(encoding))

    def _page(self, source: str, url: str | None) -> Page:
        from crawler.single import fetch, page_of_file  # noqa: PLC0415 - only when needed

        if source.startswith(("http://", "https://")):
            assert self.crawler_process is not None  # noqa: S101 - as above
            return fetch(source, self.crawler_process)
        return page_of_file(source, url)
