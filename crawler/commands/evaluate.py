"""``scrapy evaluate``: how well a method does its task on pages whose right answer is known."""

from __future__ import annotations

from crawler.commands.base import QuietCommand, flag, valued, whole_number


class EvaluateCommand(QuietCommand):
    """Measures a method on gold pages and prints the figures."""

    name = "evaluate"
    usage = (
        "TASK GOLD... [--method NAME] [--limit N] [--examples N] [--json FILE|-] [--blocks] "
        "[--collection] [--alone] [--items] [--curve FILE] [--pages FILE]"
    )
    summary = "Measure a method on pages whose right answer is known"
    description = (
        "Measure how well a method does TASK on gold data: JSON Lines, plain or gzip. "
        "text: main text, on pages of site, html and gold_text; all pages of a site are "
        "counted before any is judged, as in a crawl. "
        "sentences: sentence boundaries, on texts of text, sentences and lang. "
        "tables: genuine tables among layout tables, on pages of html and tables. "
        "metadata: dates, titles and authors, on pages of html and any of title, authors and "
        "publishing_date. "
        "pagetypes: which pages are articles, on pages of html and page_type. "
        "structure: logical structure by a document model, on pages of html and gold_body, or "
        "of model and gold_xml. "
        "wrapper: values and records found by rules learned from a site's first pages, on "
        "pages of site, html and gold or gold_records."
    )

    runs = "crawler.evaluation.command.evaluate"
    options = (
        valued(
            "--method",
            "NAME",
            "method to measure (default: CORPUS_TEXT_METHOD for text, CORPUS_TABLE_METHOD for "
            "tables, else the task's own)",
        ),
        valued(
            "--limit", "N", "use the first N pages or texts of the set only", type=whole_number(1)
        ),
        valued(
            "--examples",
            "N",
            "task wrapper: learn from N first pages of a site (default: 3)",
            type=whole_number(1),
        ),
        valued(
            "--json",
            "FILE",
            "also write the figures to FILE as one JSON object; with - print them, not the tables",
        ),
        flag("--blocks", "task text: count text blocks, right and wrong, beside words"),
        flag("--collection", "task text: count the pages of all sites together, not site by site"),
        flag("--alone", "task text: judge each page without the other pages of its site"),
        flag(
            "--items",
            "task text: measure the text as items have it, with the headline, without bylines",
        ),
        valued(
            "--pages",
            "FILE",
            "write the figures of each page, text or table to FILE: CSV if it ends in .csv, else "
            "JSON Lines",
        ),
        valued(
            "--curve",
            "FILE",
            "task text: write the figures at each threshold to FILE: a page with a plot if it "
            "ends in .html, else CSV",
        ),
    )
