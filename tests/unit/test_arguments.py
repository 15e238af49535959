"""Spider arguments are typed, and each mistake is one line that names the right ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from crawler.core.errors import ArgumentError
from crawler.spiders.arguments import (
    ArgumentHelp,
    describe_arguments,
    flag_argument,
    parse_arguments,
    pattern_argument,
    text_argument,
    whole_number_argument,
)
from crawler.spiders.site import SiteArguments
from crawler.spiders.urls import UrlsArguments


@dataclass(frozen=True, slots=True)
class Arguments:
    url: str = text_argument("where to start")
    label: str = text_argument("a name", default="none")
    most: int = whole_number_argument("the most pages", default=10, minimum=1)
    deep: bool = flag_argument("whether to go deep", default=False)
    allow: re.Pattern[str] | None = pattern_argument("what to follow")  # noqa: RUF009 - a field


def read(**raw: object) -> Arguments:
    return parse_arguments(Arguments, raw, owner="walk")


def test_values_are_typed_and_defaults_filled_in() -> None:
    given = read(url=" http://a.example ", most="3", deep="Yes", allow=r"/\d+")
    assert given == Arguments("http://a.example", "none", 3, True, re.compile(r"/\d+"))  # noqa: FBT003 - a value of the dataclass
    assert read(url="x") == Arguments("x", "none", 10, False, None)  # noqa: FBT003 - a value of the dataclass


def test_python_values_are_taken_as_well() -> None:
    given = read(url="x", most=3, deep=True, allow=re.compile("a"))
    assert (given.most, given.deep, given.allow) == (3, True, re.compile("a"))


def test_arguments_of_the_runner_are_passed_over() -> None:
    assert read(url="x", _job="123").url == "x"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            {"ur": "x"},
            (
                "walk: unknown argument 'ur' (did you mean 'url'?); "
                "arguments are: url, label, most, deep, allow"
            ),
        ),
        (
            {"zzz": "x"},
            "walk: unknown argument 'zzz'; arguments are: url, label, most, deep, allow",
        ),
        (
            {},
            (
                "walk: argument 'url' is missing: give -a url=…, where to start; "
                "arguments are: url, label, most, deep, allow"
            ),
        ),
        (
            {"url": "x", "most": "ten"},
            "walk: most=ten is not a whole number; most is the most pages",
        ),
        ({"url": "x", "most": "0"}, "walk: most=0 is less than 1; most is the most pages"),
        (
            {"url": "x", "deep": "maybe"},
            "walk: deep=maybe is neither true nor false; deep is whether to go deep",
        ),
        (
            {"url": "x", "allow": "(\n"},
            (
                "walk: allow=( is not a regular expression (missing ), unterminated subpattern at "
                "position 0 (line 1, column 1)); allow is what to follow"
            ),
        ),
    ],
)
def test_a_mistake_is_one_line(raw: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        read(**raw)
    assert str(caught.value) == message


def test_an_empty_required_argument_is_missing() -> None:
    with pytest.raises(ArgumentError, match="argument 'url' is missing"):
        read(url="  ")


def test_nobody_catching_it_ends_the_program_with_the_line() -> None:
    with pytest.raises(SystemExit) as caught:
        read(url="x", most="ten")
    assert caught.value.code == str(caught.value)


def test_arguments_describe_themselves() -> None:
    assert describe_arguments(Arguments) == (
        ArgumentHelp("url", "where to start", "", required=True),
        ArgumentHelp("label", "a name", "none", required=False),
        ArgumentHelp("most", "the most pages", "10", required=False),
        ArgumentHelp("deep", "whether to go deep", "False", required=False),
        ArgumentHelp("allow", "what to follow", "", required=False),
    )


@pytest.mark.parametrize("declared", [SiteArguments, UrlsArguments])
def test_each_argument_of_a_spider_is_documented(declared: type[object]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "spiders.md").read_text(encoding="utf-8")
    for item in describe_arguments(declared):
        default = "required" if item.required else f"`{item.default}`" if item.default else "none"
        assert f"| `{item.name}` | {default.replace('False', 'false')} |" in page
