"""``scrapy articles``: the corpus as it is now, from the parts of all crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.commands.base import QuietCommand

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class ArticlesCommand(QuietCommand):
    """Writes the last version of each article that incremental crawls have exported."""

    name = "articles"
    usage = "SITE|FOLDER -O FILE"
    summary = "Write a site's corpus as it is now, from the parts of incremental crawls"
    description = (
        "Write the last version of each article of SITE, as crawls with CORPUS_INCREMENTAL "
        "have exported it in numbered parts, without the articles that are gone. FOLDER is a "
        "folder of such parts, in JSON Lines, CSV or Parquet. The parts are not changed."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument(
            "-O",
            "--overwrite-output",
            dest="output",
            metavar="FILE",
            help="write to FILE (.jsonl, .csv or .parquet), in place of one that is there; "
            "- writes JSON Lines to standard output",
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Read the parts and write the articles."""
        from crawler.exporters.merge_parts import main

        return main(args, opts.output, settings)
