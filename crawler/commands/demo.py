"""``scrapy demo``: a crawl of a small site that comes with the project."""

from __future__ import annotations

from typing import Final

from crawler.commands.base import CorpusCommand, flag, valued

_DEFAULT_OUTPUT: Final = "demo.jsonl"


class DemoCommand(CorpusCommand):
    """Serves the demo site on loopback, crawls it, and shows the result."""

    name = "demo"
    usage = "[-O FILE] [--keep-serving]"
    summary = "Crawl a small site that comes with the project, and show the clean text"
    description = (
        "Serve a small made-up site on this machine, crawl it with the site spider, export one "
        "row a page, and show what was kept and what was dropped. Needs no internet."
    )

    # The crawl has its own settings, not those of a project around it.
    requires_crawler_process = False

    runs = "crawler.demo.show.show_demo"
    options = (
        valued(
            "-O --overwrite-output",
            "FILE",
            "write the pages to FILE, whose extension gives the format (jsonl, json, csv, xml, "
            f"parquet); without it to {_DEFAULT_OUTPUT}",
            dest="output",
            default=_DEFAULT_OUTPUT,
        ),
        flag(
            "--keep-serving",
            "serve the site after the crawl, for a browser or other crawls, until Ctrl-C",
        ),
    )
