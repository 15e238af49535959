"""The settings of tables: constants of the published method, more words, and what cannot work.

What cannot work is told by the add-on before a page is fetched.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from crawler.addon import CorpusAddon
from crawler.core.errors import OptionError, UnknownMethodError
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.markup import find_tables
from crawler.core.tables.values import read_value
from crawler.journey.stages import table_method, table_words
from crawler.pipelines.folders import INDEX, TableFolderPipeline
from crawler.settings import Options

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.core.tables.grid import Grid

CZECH = {"classes": {"price": {"keywords": ["cena"]}}, "units": {"currency": ["korun"]}}
RULES = Options(table_method="rules")


def with_constants(options: Options, **constants: float) -> Options:
    return replace(options, table_constants=replace(options.table_constants, **constants))


def grid_of(html: str) -> Grid:
    return find_tables(parse(Page.from_text("https://site.example/", html)))[0].grid


NUMBERS = grid_of("<table><tr><td>Land<td>Area<tr><td>North<td>120<tr><td>South<td>340</table>")
LINKS = grid_of(
    "<table><tr><td><a href=/>a</a><td><a href=/>b</a><td>Price<tr><td>1<td>2<td>$3.50</table>"
)


@pytest.mark.parametrize(
    ("options", "grid"),
    [
        (with_constants(RULES, threshold=1.0), NUMBERS),
        (with_constants(RULES, type_weight=0.0), NUMBERS),
        (with_constants(RULES, length_weight=0.0, type_weight=0.5), NUMBERS),
        (with_constants(RULES, most=0.1), LINKS),
    ],
)
def test_the_constants_are_those_of_the_settings(options: Options, grid: Grid) -> None:
    assert table_method(RULES).judge(grid).is_genuine
    assert not table_method(options).judge(grid).is_genuine


def test_the_lengths_that_are_alike() -> None:
    html = "<table><tr><td>12<td>34<tr><td>56<td>1<tr><td>78<td>123456</table>"
    strict = with_constants(RULES, threshold=0.9)
    wide = with_constants(strict, shortest=0.0, longest=2.0)
    verdicts = [
        table_method(options).judge(grid_of(html)).is_genuine
        for options in (
            wide,
            with_constants(wide, shortest=1.0),
            with_constants(wide, longest=1.0),
        )
    ]
    assert verdicts == [True, False, False]


@pytest.mark.parametrize("in_folder", [True, False])
def test_words_are_added(tmp_path: Path, *, in_folder: bool) -> None:
    (tmp_path / "cs.json").write_text(json.dumps(CZECH), encoding="utf-8")
    options = replace(RULES, table_words=tmp_path if in_folder else tmp_path / "cs.json")
    grid = grid_of("<table><tr><td>Cena<td>20 korun</table>")
    assert not table_method(RULES).judge(grid).is_genuine
    verdict = table_method(options).judge(grid)
    assert (verdict.is_genuine, verdict.attribute_class) == (True, "price")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.json", None, "cannot be read as JSON"),
        ("broken.json", "{", "cannot be read as JSON"),
        ("list.json", "[1]", "list.json: it is no object"),
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


FILES = "scrapy.pipelines.files.FilesPipeline"


def update(**values: Any) -> Settings:  # noqa: ANN401 - any setting
    settings = Settings(values)
    CorpusAddon().update_settings(settings)
    return settings


def test_the_pipeline_of_the_folder_takes_itself_out_without_one(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured):
        build_from_crawler(TableFolderPipeline, get_crawler())
    settings = update(CORPUS_TABLES_FOLDER=tmp_path / "new", ITEM_PIPELINES={FILES: 300})
    pipelines = dict(settings["ITEM_PIPELINES"])
    assert (pipelines[FILES], pipelines[TableFolderPipeline]) == (300, 1000)
    assert not (tmp_path / "new").exists(), "made when the crawl begins"


@pytest.mark.parametrize("rows", ["tables", "records"])
def test_a_feed_of_tables_that_are_switched_off_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str
) -> None:
    monkeypatch.chdir(tmp_path)
    feeds = {"t.csv": {"format": f"{rows}-csv", "overwrite": True}}
    update(FEEDS=feeds)
    with pytest.raises(OptionError, match=f"{rows}, and CORPUS_TABLES is off"):
        update(FEEDS=feeds, CORPUS_TABLES=False)


def test_constants_that_the_method_does_not_ask_are_told(caplog: pytest.LogCaptureFixture) -> None:
    update(CORPUS_TABLE_CONSTANTS='{"threshold": 0.6}', CORPUS_TABLE_METHOD="rules-literal")
    update(CORPUS_TABLE_CONSTANTS={"threshold": 0.54})
    assert caplog.messages == []
    update(CORPUS_TABLE_CONSTANTS={"threshold": 0.6})
    (told,) = caplog.messages
    assert told.startswith("CORPUS_TABLE_CONSTANTS: ")


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no table method is called 'best'; use one of: "):
        update(CORPUS_TABLE_METHOD="best")
    with pytest.raises(OptionError, match="CORPUS_TABLES is off: nothing would be written"):
        update(CORPUS_TABLES=False, CORPUS_TABLES_FOLDER=str(tmp_path))
    (tmp_path / INDEX).write_text("own")
    with pytest.raises(OptionError, match="is no index of tables"):
        update(CORPUS_TABLES_FOLDER=str(tmp_path))
