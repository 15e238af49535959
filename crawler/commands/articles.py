"""``scrapy articles``: the corpus as it is now, from the parts of all crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["ArticlesCommand"]


class ArticlesCommand(ScrapyCommand):
    """Writes the last version of each article that crawls which remember have exported.

    Leaves with 0 when the file is whole, 1 when it cannot be written, 2 when the command line or a
    part is wrong; each error is one line on standard error. So is what is left out.
    """

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return what follows ``scrapy articles``."""
        return "SITE|FOLDER -O FILE"

    def short_desc(self) -> str:
        """Return the line in the list of commands."""
        return "Write a site's corpus as it is now, from the parts of crawls that remember"

    def long_desc(self) -> str:
        """Return the text of ``scrapy articles -h``."""
        return (
            "Write the last version of each article of SITE, as crawls with CORPUS_INCREMENTAL "
            "have exported it in numbered parts, without the articles that are gone. FOLDER is a "
            "folder of such parts, in JSON Lines, CSV or Parquet. They stay as they are."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument(
            "-O",
            "--overwrite-output",
            dest="output",
            metavar="FILE",
            help="write to FILE (.jsonl, .csv or .parquet), in the place of one that is there; "
            "- writes JSON Lines to standard output",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the parts and write the articles."""
        # Scrapy imports this module on every call of ``scrapy``; the work is imported when wanted.
        from crawler.exporters.merge_parts import main
        from crawler.reports.stdout import for_a_reader

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls run()
        with for_a_reader():
            self.exitcode = main(args, opts.output, self.settings)
