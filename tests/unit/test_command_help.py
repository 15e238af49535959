"""The help of each command, in terminals of any width."""

from __future__ import annotations

import re
from importlib.metadata import entry_points

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings

from crawler.commands.base import CorpusCommand

COMMANDS = {
    entry.name: entry.load()
    for entry in entry_points(group="scrapy.commands")
    if entry.value.startswith("crawler.")
}


def help_of(name: str, settings: Settings) -> str:
    """Return what Scrapy prints for ``-h``."""
    command: CorpusCommand = COMMANDS[name]()
    settings.setdict(command.default_settings, "command")
    command.settings = settings
    parser = ScrapyArgumentParser(
        formatter_class=ScrapyHelpFormatter,
        usage=f"scrapy {name} {command.syntax()}",
        conflict_handler="resolve",
        description=command.long_desc(),
    )
    command.add_options(parser)
    return parser.format_help()


@pytest.mark.parametrize("name", COMMANDS)
def test_only_headings_are_shown_as_such(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in range(60, 130, 3):
        monkeypatch.setenv("COLUMNS", str(columns))
        shown = help_of(name, Settings())
        headings = set(re.findall(r"^(.*)\n(?:=+|-+)$", shown, re.MULTILINE))
        assert headings <= {"Usage", "Options", "Positional Arguments", "Global Options"}
