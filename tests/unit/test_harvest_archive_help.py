"""The help of the options of archives, as Scrapy writes it."""

from __future__ import annotations

from argparse import ArgumentParser
from itertools import pairwise
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyHelpFormatter

from crawler.harvest.archive.arguments import add_archive_arguments

if TYPE_CHECKING:
    import pytest


def test_no_line_of_help_is_taken_for_a_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    # Scrapy takes every line that ends in a colon for one, wherever the width broke the line.
    for columns in range(60, 140):
        monkeypatch.setenv("COLUMNS", str(columns))
        parser = ArgumentParser(prog="harvest", formatter_class=ScrapyHelpFormatter)
        add_archive_arguments(parser)
        lines = parser.format_help().splitlines()
        headings = [above for above, line in pairwise(lines) if line and set(line) == {"="}]
        assert "Archives" in headings
        assert [heading for heading in headings if heading.startswith(" ")] == [], columns
