"""``scrapy articles``: the corpus as it is now, from the parts of all crawls."""

from __future__ import annotations

from crawler.commands.base import QuietCommand, valued


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
    runs = "crawler.exporters.merge_parts.main"
    options = (
        valued(
            "-O --overwrite-output",
            "FILE",
            "write to FILE, in place of one that is there; its ending, or a word behind a colon, "
            "is the format, as in a crawl (now.xlsx, now.xml:tei); - writes "
            "JSON Lines to standard output",
            dest="output",
        ),
    )
