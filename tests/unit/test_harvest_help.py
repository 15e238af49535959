"""The help of ``scrapy harvest``, as Scrapy writes it."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings

from crawler.commands.harvest import HarvestCommand
from crawler.harvest.arguments import FORMS, add_arguments, every_option

if TYPE_CHECKING:
    from collections.abc import Sequence


def shown(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> str:
    """Return the help that is asked for."""
    command = HarvestCommand()
    command.settings = Settings()
    parser = ScrapyArgumentParser(
        formatter_class=ScrapyHelpFormatter,
        usage=f"scrapy harvest {command.syntax()}",
        conflict_handler="resolve",
        description=command.long_desc(),
    )
    command.add_options(parser)
    options, rest = parser.parse_known_args(arguments)
    with pytest.raises(SystemExit, match="0"):
        command.process_options(rest, options)
    return capsys.readouterr().out


def flags(text: str) -> set[str]:
    """Return the first spelling of each option in a help."""
    return set(re.findall(r"^ +(-[a-zA-Z]|--[a-z-]+)", text, re.MULTILINE))


def test_each_form_has_the_help_of_its_own_options(capsys: pytest.CaptureFixture[str]) -> None:
    own = {form: flags(shown(capsys, [form, "-h"])) for form in FORMS}
    run = {"--site", "--due", "--executor", "--processes", "--scheduler"}
    others = {"--last", "--json", "--html", "--times", "--fetch", "-O", "--work", "--memory"}
    assert run <= own["run"]
    assert not others & own["run"]
    assert {"--last", "--json", "--html"} <= own["status"]
    assert not {"--due", "--executor", "--work", "--times"} & own["status"]
    assert {"-O", "--work", "--memory", "-s"} <= own["archive"]
    # Settings of sites stand in the plan.
    assert [form for form in FORMS if "-s" in own[form]] == ["archive"]
    every = flags(shown(capsys, ["--help"]))
    assert set().union(*own.values()) == every


def test_the_help_of_a_form_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, ["-h", "status"])
    assert "scrapy harvest status PLAN [options]" in text
    assert "Shows the history of the sites" in " ".join(text.split())
    whole = " ".join(shown(capsys, ["-h", "nothing"]).split())
    assert "'status' shows the history of the sites" in whole
    assert "run|watch|status|check PLAN" in whole
    assert "print JSON, for programs [status]" in whole


def test_each_option_belongs_to_a_form() -> None:
    parser = ArgumentParser(add_help=False)
    add_arguments(parser)
    assert set(vars(parser.parse_args([]))) == set(every_option())


@pytest.mark.parametrize("form", [None, *FORMS], ids=str)
def test_no_line_of_help_is_taken_for_a_heading(
    form: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Scrapy takes every line that ends in a colon for one, wherever the width broke the line.
    for columns in range(60, 140):
        monkeypatch.setenv("COLUMNS", str(columns))
        parser = ArgumentParser(prog="harvest", formatter_class=ScrapyHelpFormatter)
        add_arguments(parser, form)
        lines = parser.format_help().splitlines()
        headings = [above for above, line in pairwise(lines) if line and set(line) == {"="}]
        assert len(headings) > 1
        assert [heading for heading in headings if heading.startswith(" ")] == [], columns
