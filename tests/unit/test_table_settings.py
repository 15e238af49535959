"""The settings of tables: constants of the published method, and more words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import OptionError, UnknownMethodError
from crawler.core.page import Page
from crawler.core.parse import parse
from crawler.core.tables.markup import find_tables
from crawler.core.tables.values import read_value
from crawler.making import table_method, table_words
from crawler.options import Options

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.core.tables.grid import Grid

CZECH = {"classes": {"price": {"keywords": ["cena"]}}, "units": {"currency": ["korun"]}}
RULES = Options(table_method="rules")


def grid_of(html: str) -> Grid:
    return find_tables(parse(Page.from_text("https://site.example/", html)))[0].grid


NUMBERS = grid_of("<table><tr><td>Land<td>Area<tr><td>North<td>120<tr><td>South<td>340</table>")
LINKS = grid_of(
    "<table><tr><td><a href=/>a</a><td><a href=/>b</a><td>Price<tr><td>1<td>2<td>$3.50</table>"
)


@pytest.mark.parametrize(
    ("options", "grid"),
    [
        (replace(RULES, table_threshold=1.0), NUMBERS),
        (replace(RULES, table_type_weight=0.0), NUMBERS),
        (replace(RULES, table_length_weight=0.0, table_type_weight=0.5), NUMBERS),
        (replace(RULES, table_most=0.1), LINKS),
    ],
)
def test_the_constants_are_those_of_the_settings(options: Options, grid: Grid) -> None:
    assert table_method(RULES).judge(grid).is_genuine
    assert not table_method(options).judge(grid).is_genuine


def test_the_lengths_that_are_alike() -> None:
    html = "<table><tr><td>12<td>34<tr><td>56<td>1<tr><td>78<td>123456</table>"
    strict = replace(RULES, table_threshold=0.9)
    wide = replace(strict, table_shortest=0.0, table_longest=2.0)
    verdicts = [
        table_method(options).judge(grid_of(html)).is_genuine
        for options in (
            wide,
            replace(wide, table_shortest=1.0),
            replace(wide, table_longest=1.0),
        )
    ]
    assert verdicts == [True, False, False]


@pytest.mark.parametrize("in_folder", [True, False])
def test_words_are_added(tmp_path: Path, *, in_folder: bool) -> None:
    (tmp_path / "cs.json").write_text(json.dumps(CZECH), encoding="utf-8")
    options = replace(RULES, table_words=tmp_path if in_folder else tmp_path / "cs.json")
    words = table_words(options)
    grid = grid_of("<table><tr><td>Cena<td>20 korun</table>")
    assert not table_method(RULES).judge(grid).is_genuine
    verdict = table_method(options, words).judge(grid)
    assert (verdict.is_genuine, verdict.attribute_class) == (True, "price")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.json", None, "cannot be read as JSON"),
        ("broken.json", "{", "cannot be read as JSON"),
        ("list.json", "[1]", "list.json: the list is a list"),
        ("empty", "", "without any .json file"),
    ],
)
def test_words_of_another_form_are_refused(
    tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    path = tmp_path / name
    if name == "empty":
        path.mkdir()
    elif content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(OptionError, match=message):
        table_words(replace(RULES, table_words=path))


def test_marks_of_numbers_are_of_the_language_that_the_file_is_called_by(tmp_path: Path) -> None:
    marks = json.dumps({"decimal": ",", "group": "."})
    for name in ("cs.json", "czech.json"):
        (tmp_path / name).write_text(marks, encoding="utf-8")
    words = table_words(replace(RULES, table_words=tmp_path / "cs.json"))
    assert read_value("1,234", "cs", words).normal == "1.234"
    with pytest.raises(OptionError, match=r"czech\.json: decimal and group are of no language"):
        table_words(replace(RULES, table_words=tmp_path / "czech.json"))


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(UnknownMethodError, match="learned, rules, rules-literal"):
        table_method(Options(table_method="guess"))
