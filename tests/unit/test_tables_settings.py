"""What the add-on says to settings of tables that cannot work, before a page is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from crawler.addon import CorpusAddon, OptionExit
from crawler.tablefolder import INDEX, TableFolderPipeline

if TYPE_CHECKING:
    from pathlib import Path


FILES = "scrapy.pipelines.files.FilesPipeline"


def update(**values: Any) -> Settings:  # noqa: ANN401 - any setting
    settings = Settings(values)
    CorpusAddon().update_settings(settings)
    return settings


def test_the_folder_brings_its_pipeline_and_nothing_else_does(tmp_path: Path) -> None:
    assert TableFolderPipeline not in update()["ITEM_PIPELINES"]
    settings = update(CORPUS_TABLES_FOLDER=tmp_path / "new", ITEM_PIPELINES={FILES: 300})
    assert dict(settings["ITEM_PIPELINES"]) == {FILES: 300, TableFolderPipeline: 1000}
    assert not (tmp_path / "new").exists(), "made when the crawl begins"


@pytest.mark.parametrize("rows", ["tables", "records"])
def test_a_feed_of_tables_that_are_switched_off_is_refused(rows: str) -> None:
    feeds = {"t.csv": {"format": f"{rows}-csv", "overwrite": True}}
    update(FEEDS=feeds)
    with pytest.raises(OptionExit, match=f"one of {rows}, and CORPUS_TABLES is off"):
        update(FEEDS=feeds, CORPUS_TABLES=False)


def test_constants_that_the_method_does_not_ask_are_told(caplog: pytest.LogCaptureFixture) -> None:
    update(CORPUS_TABLE_THRESHOLD="0.6", CORPUS_TABLE_METHOD="rules-literal")
    update(CORPUS_TABLE_THRESHOLD="0.54")
    assert caplog.messages == []
    update(CORPUS_TABLE_THRESHOLD="0.6", CORPUS_TABLE_MOST="0.4")
    (told,) = caplog.messages
    assert told == (
        'CORPUS_TABLE_THRESHOLD, CORPUS_TABLE_MOST: the verdicts of the method "learned" do not '
        'depend on constants of "rules". CORPUS_TABLE_METHOD=rules lets that judge.'
    )


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(OptionExit, match="no table method is called 'best'; use one of: "):
        update(CORPUS_TABLE_METHOD="best")
    with pytest.raises(OptionExit, match="CORPUS_TABLES is off: nothing would be written"):
        update(CORPUS_TABLES=False, CORPUS_TABLES_FOLDER=str(tmp_path))
    (tmp_path / INDEX).write_text("own")
    with pytest.raises(OptionExit, match="is no index of tables"):
        update(CORPUS_TABLES_FOLDER=str(tmp_path))
