"""``scrapy evaluate``: how well a method does its task on pages whose right answer is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["EvaluateCommand"]


class EvaluateCommand(ScrapyCommand):
    """Measures a method on gold pages and prints the figures.

    Leaves with 0 when it measured, 1 when the result cannot be written, 2 when the command line or
    a gold file is wrong; each error is one line on standard error.
    """

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return what follows ``scrapy evaluate``."""
        return (
            "TASK GOLD... [--method NAME] [--limit N] [--examples N] [--json FILE|-] [--curve FILE]"
        )

    def short_desc(self) -> str:
        """Return the line in the list of commands."""
        return "Measure a method on pages whose right answer is known"

    def long_desc(self) -> str:
        """Return the text of ``scrapy evaluate -h``."""
        return (
            "Measure how well a method does TASK on gold data: JSON Lines, plain or gzip. "
            "text: main text, on pages of site, html and gold_text; all pages of a site are "
            "counted before any is judged, as in a crawl. "
            "sentences: sentence boundaries, on texts of text, sentences and lang. "
            "tables: genuine tables among layout tables, on pages of html and tables. "
            "metadata: dates, titles and authors, on pages of html and any of title, authors and "
            "publishing_date. "
            "pagetypes: which pages are articles, on pages of html. "
            "structure: logical structure by a document model, on pages of html and gold_body, or "
            "of model and gold_xml. "
            "wrapper: values and records found by rules learned from a site's first pages, on "
            "pages of site, html and gold or gold_records."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument(
            "--method",
            metavar="NAME",
            help="method to measure (default: CORPUS_TEXT_METHOD for text, CORPUS_TABLE_METHOD for "
            "tables, else the task's own)",
        )
        # Checked in run(), where a mistake takes one line and not argparse's whole usage.
        parser.add_argument(
            "--limit", metavar="N", help="use the first N pages or texts of the set only"
        )
        parser.add_argument(
            "--examples",
            metavar="N",
            help="learn from the first N pages of each site (task wrapper; default: 3)",
        )
        parser.add_argument(
            "--json",
            metavar="FILE",
            help="write the figures as one JSON object to FILE besides the table; "
            "with - to standard output in place of the table",
        )
        parser.add_argument(
            "--curve",
            metavar="FILE",
            help="draw frequencies, and accuracy at each threshold of frequency, in an HTML file "
            "(task text)",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Measure and print."""
        # Scrapy imports this module on every call of ``scrapy``; the work is imported when wanted.
        from crawler.evaluation.main import main
        from crawler.reports.stdout import for_a_reader

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls run()
        with for_a_reader():
            self.exitcode = main(args, opts, self.settings)
