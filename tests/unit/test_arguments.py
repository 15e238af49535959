"""Spider arguments are typed, and each mistake is one line that names the right ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError
from crawler.fields import REQUIRED, declare, fields_of, whole_number
from crawler.spiders.archive import ArchiveArguments
from crawler.spiders.arguments import SiteArguments, parse_arguments
from crawler.spiders.urls import UrlsArguments
from crawler.spiders.wrapper import WrapperArguments

if TYPE_CHECKING:
    from re import Pattern


@dataclass(frozen=True, slots=True)
class Arguments:
    url: str = declare(REQUIRED, "where to start")
    label: str = declare("none", "a name")
    most: int = declare(10, "the most pages", whole_number(1))
    deep: bool = declare(False, "whether to go deep")
    allow: Pattern[str] | None = declare(None, "what to follow")


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
    ("raw", "words"),
    [
        ({"ur": "x"}, "'ur' (did you mean 'url'?)"),
        ({"zzz": "x"}, "'zzz'; arguments are: url, label, most, deep, allow"),
        ({}, "url=… is missing, where to start"),
        ({"url": ""}, "url is ''. It accepts a text"),
        ({"url": "x", "most": "ten"}, "most is 'ten'. It accepts a whole number of at least 1"),
        ({"url": "x", "most": "0"}, "most is '0'. It accepts a whole number of at least 1"),
        ({"url": "x", "deep": "maybe"}, "deep is 'maybe'. It accepts True or False"),
        ({"url": "x", "allow": "(\n"}, "a regular expression, or nothing (missing ), "),
    ],
)
def test_a_mistake_is_one_line(raw: dict[str, object], words: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        read(**raw)
    assert words in str(caught.value)
    assert str(caught.value).startswith("walk: ")
    assert "\n" not in str(caught.value)


def test_arguments_are_listed_only_for_a_wrong_name() -> None:
    for raw, is_listed in (
        ({"zzz": "x"}, True),
        ({}, True),
        ({"url": "x", "most": "ten"}, False),
    ):
        with pytest.raises(ArgumentError) as caught:
            read(**raw)
        assert ("arguments are: " in str(caught.value)) == is_listed


def test_nobody_catching_it_ends_the_program_with_the_line() -> None:
    with pytest.raises(SystemExit) as caught:
        read(url="x", most="ten")
    assert caught.value.code == str(caught.value)


def test_arguments_describe_themselves() -> None:
    assert [
        (one.name, one.meaning, one.default, one.type.accepts)
        for one in fields_of(Arguments).values()
    ] == [
        ("url", "where to start", REQUIRED, "a text that is not empty"),
        ("label", "a name", "none", "a text that is not empty"),
        ("most", "the most pages", 10, "a whole number of at least 1"),
        ("deep", "whether to go deep", False, "True or False"),
        ("allow", "what to follow", None, "a regular expression, or nothing"),
    ]


@pytest.mark.parametrize(
    "declared", [SiteArguments, UrlsArguments, ArchiveArguments, WrapperArguments]
)
def test_each_argument_of_a_spider_is_documented(declared: type[object]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "spiders.md").read_text(encoding="utf-8")
    for one in fields_of(declared).values():
        if one.default is REQUIRED:
            shown = "required"
        elif one.default in ("", (), None):
            shown = "none"
        else:
            words = ",".join(one.default) if isinstance(one.default, tuple) else one.default
            shown = f"`{words}`"
            shown = shown.replace("False", "false")
        assert f"| `{one.name}` | {shown} |" in page
