from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from crawler.core.errors import OptionError
from crawler.settings import OPTIONS, REPLAYED, Options, Pauses, TableConstants

if TYPE_CHECKING:
    from crawler.fields import Field

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


def test_nothing_set_gives_the_defaults() -> None:
    options = Options.from_settings(Settings())
    assert options == Options()
    assert {one.attribute: one.default for one in OPTIONS} == {
        one.name: getattr(options, one.name) for one in dataclasses.fields(options)
    }


def test_values_from_the_command_line_are_parsed() -> None:
    settings = Settings()
    for name, value in {
        "CORPUS_MODE": "streaming",
        "CORPUS_DIR": "held/here",
        "CORPUS_KEEP_SPOOL": "True",
        "CORPUS_ITEM_BLOCKS": "1",
        "CORPUS_DROP_NEAR_DUPLICATES": "false",
        "CORPUS_NEAR_DUPLICATE_SIMILARITY": "0.9",
        "CORPUS_MAX_PAGE_BYTES": "1000",
        "CORPUS_PROGRESS": "OFF",
    }.items():
        settings.set(name, value, priority="cmdline")
    assert Options.from_settings(settings) == Options(
        mode="streaming",
        dir=Path("held/here"),
        keep_spool=True,
        item_blocks=True,
        drop_near_duplicates=False,
        near_duplicate_similarity=0.9,
        max_page_bytes=1000,
        progress="off",
    )


def test_values_from_a_settings_file_are_taken_as_they_are() -> None:
    settings = Settings({"CORPUS_NEAR_DUPLICATE_SIMILARITY": 1, "CORPUS_DIR": Path("x")})
    options = Options.from_settings(settings)
    assert options.near_duplicate_similarity == 1.0
    assert isinstance(options.near_duplicate_similarity, float)
    assert options.dir == Path("x")


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("CORPUS_MODE", "two_pass", 'one of "two-pass", "streaming"'),
        ("CORPUS_MODE", 2, "one of"),
        ("CORPUS_DIR", " ", "a path"),
        ("CORPUS_TEXT_METHOD", "", "text that is not empty"),
        ("CORPUS_TEXT_METHOD", None, "text that is not empty"),
        ("CORPUS_KEEP_SPOOL", "maybe", "True or False"),
        ("CORPUS_KEEP_SPOOL", 2, "True or False"),
        ("CORPUS_NEAR_DUPLICATE_SIMILARITY", "1.1", "a number from 0 to 1"),
        ("CORPUS_NEAR_DUPLICATE_SIMILARITY", "nan", "a number from 0 to 1"),
        ("CORPUS_NEAR_DUPLICATE_SIMILARITY", True, "a number from 0 to 1"),
        ("CORPUS_MAX_PAGE_BYTES", "0", "a whole number of at least 1"),
        ("CORPUS_MAX_PAGE_BYTES", 1.5, "a whole number"),
        ("CORPUS_TABLES_FOLDER", " ", "a path, or nothing"),
        ("CORPUS_TABLES_FOLDER", 3, "a path, or nothing"),
        ("CORPUS_PROGRESS", "always", 'one of "auto", "on", "off"'),
    ],
)
def test_a_wrong_value_names_setting_value_and_what_is_accepted(
    name: str, value: object, accepted: str
) -> None:
    with pytest.raises(OptionError) as error:
        Options.from_settings(Settings({name: value}))
    message = str(error.value)
    assert message.startswith(f"{name} is {value!r}. It accepts ")
    assert accepted in message


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_folder_that_need_not_be_there_may_be_nothing(nothing: object) -> None:
    assert Options.from_settings(Settings({"CORPUS_TABLES_FOLDER": nothing})).tables_folder is None
    options = Options.from_settings(Settings({"CORPUS_TABLES_FOLDER": "tables"}))
    assert options.tables_folder == Path("tables")


def test_an_unknown_setting_names_the_nearest() -> None:
    with pytest.raises(OptionError) as error:
        Options.from_settings(Settings({"CORPUS_MOD": "streaming"}))
    assert "'CORPUS_MOD' (did you mean 'CORPUS_MODE'?)" in str(error.value)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"count": 2}, Pauses(count=2)),
        ('{"first": "0.5", "after_errors": 1}', Pauses(first=0.5, after_errors=1)),
        (Pauses(longest=3.0), Pauses(longest=3.0)),
        ({}, Pauses()),
    ],
)
def test_a_dictionary_is_read_from_json_too(given: object, expected: Pauses) -> None:
    assert Options.from_settings({"CORPUS_PAUSES": given}).pauses == expected


@pytest.mark.parametrize("given", [3, "3", "{", "[]", {"frist": 1}, {"first": -1}, {"count": 1.5}])
def test_a_wrong_dictionary_names_the_keys(given: object) -> None:
    with pytest.raises(OptionError, match=r'CORPUS_PAUSES is .*"after_errors" \(a whole number'):
        Options.from_settings({"CORPUS_PAUSES": given})


def test_every_setting_says_what_it_changes() -> None:
    assert {option.affects for option in OPTIONS} == {"items", "observations", "neither"}
    assert {"CORPUS_TEXT_METHOD", "CORPUS_TABLE_CONSTANTS", "CORPUS_WRAPPER"} <= REPLAYED
    assert not {"CORPUS_DIR", "CORPUS_PAUSES", "CORPUS_TABLES_FOLDER"} & REPLAYED


def test_values_survive_json_and_another_folder() -> None:
    options = Options(
        page_types=("article", "forum"),
        table_constants=TableConstants(most=0.6),
        table_words=Path("words"),
        respect=("tdm",),
        tables_folder=Path("elsewhere"),
    )
    values = json.loads(json.dumps(options.values("items", "observations")))
    assert values["CORPUS_TABLE_WORDS"] == str(Path("words").absolute())
    expected = dataclasses.replace(
        options, table_words=Path("words").absolute(), tables_folder=None
    )
    assert Options.from_settings(values) == expected
    assert "CORPUS_TABLE_WORDS" not in options.values("observations")


def default_text(option: Field) -> str:
    if isinstance(option.default, tuple):
        return ",".join(option.default) or "None"
    if dataclasses.is_dataclass(option.default):
        return json.dumps(dataclasses.asdict(option.default))  # type: ignore[arg-type] # no class
    return str(option.default)


def test_every_setting_is_documented_with_its_default() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|]+) \| `([^`]*)` \| ([^|]+) \|$", DOCS.read_text("utf-8"), re.MULTILINE
    )
    assert [(name, default) for name, _, default, _ in rows] == [
        (option.name, default_text(option)) for option in OPTIONS
    ]
    assert [meaning for *_, meaning in rows] == [option.meaning for option in OPTIONS]
    assert [kind for _, kind, _, _ in rows] == [option.type.accepts for option in OPTIONS]


@pytest.mark.parametrize("value", ["10.0.0.0/8", "blog.example:", "oto", "never,blog.example", ""])
def test_what_no_page_is_of_is_refused_for_the_browser(value: str) -> None:
    with pytest.raises(OptionError, match="CORPUS_BROWSER"):
        Options.from_settings(Settings({"CORPUS_BROWSER": value}))


def test_kinds_of_pages_are_words_with_commas_between() -> None:
    chosen = Options.from_settings(Settings({"CORPUS_PAGE_TYPES": "Article, product,article"}))
    assert chosen.page_types == ("article", "product")
    assert chosen.wanted_types == {"article", "product"}
    assert "login" in Options(page_types=("all",)).wanted_types
    for wrong in ("", ",", "article,blog"):
        with pytest.raises(OptionError, match="with commas between"):
            Options.from_settings(Settings({"CORPUS_PAGE_TYPES": wrong}))
