"""Structures of pages on items, and as files of a folder with an index."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from lxml import etree
from scrapy import Spider
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from crawler.addon import CorpusAddon
from crawler.core.errors import OptionError, StoreError
from crawler.core.flow import Page
from crawler.extensions.output_guard import OutputGuard
from crawler.extensions.summary import summary
from crawler.items import PageItem
from crawler.pipelines.folders import StructureFolder, StructureFolderPipeline
from crawler.settings import Options
from support import journeys
from support.journeys import Tally

if TYPE_CHECKING:
    from pathlib import Path

HTML = """<html lang=en><title>The mill is open - The Run</title><body>
<ul><li><a href=/>Home</a></ul><article><h1>The mill is open</h1>
<p>The old mill by the river was opened on Sunday, and some two hundred people came to see its
wheel go round.</p><h2>What it grinds</h2><p>Rye &amp; wheat of the farms around, as it did until
the war, at the price of that time for all who came.</p></article>"""


LOG = (
    "<!ELEMENT Log (Day*)>\n<!ELEMENT Day (Wind)>\n<!ELEMENT Wind (#PCDATA)>\n"
    '<!KEYWORD Day KEYTOKENS "monday tuesday">\n<!KEYWORD Wind KEYTOKENS "wind">\n'
)


@pytest.fixture
def log_model(tmp_path: Path) -> str:
    path = tmp_path / "log.medl"
    path.write_text(LOG, "utf-8")
    return str(path)


def item_of(html: str = HTML, **settings: object) -> tuple[PageItem, dict[str, int]]:
    options = Options.from_settings(Settings({"CORPUS_STRUCTURE_MODEL": "news", **settings}))
    counted = Tally()
    page = Page.from_text("https://run.example/mill?a=1", html)
    return journeys.item_of(page, options, tally=counted), counted


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "index.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("method", ["modern", "published"])
def test_an_item_has_the_structure_of_its_page(method: str) -> None:
    item, counted = item_of(CORPUS_STRUCTURE_METHOD=method)
    assert item.structure is not None
    root = etree.fromstring(item.structure.encode())
    told = [*(text for node in root.iter() for text in (node.text, node.get("val")) if text)]
    assert "Rye & wheat of the farms" in " ".join(" ".join(map(str, told)).split())
    assert counted["corpus/structure/pages"] == 1


def test_an_item_has_none_without_a_model() -> None:
    item, counted = item_of(CORPUS_STRUCTURE_MODEL=None)
    assert (item.structure, item.structure_problems) == (None, None)
    assert not any(key.startswith("corpus/structure/") for key in counted)


def test_a_page_without_a_match_gives_an_item_and_is_counted_and_logged(
    log_model: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        item, counted = item_of("<p>Nothing of the kind.</p>", CORPUS_STRUCTURE_MODEL=log_model)
    assert item.structure is not None
    assert '<TEXT val="Nothing of the kind."/>' in item.structure
    assert item.structure_problems is not None
    (problem,) = item.structure_problems
    assert problem.startswith("no element of the model")
    assert counted == {"corpus/structure/pages": 1, "corpus/structure/unmatched": 1}
    assert f"Structure of {item.url}: {problem}" in caplog.text


def test_a_page_that_lacks_a_part_is_incomplete_and_says_each_part_once(log_model: str) -> None:
    item, counted = item_of(
        "<h2>Monday</h2><p>calm</p><h2>Tuesday</h2><p>calm</p>", CORPUS_STRUCTURE_MODEL=log_model
    )
    assert item.structure_problems == ["Day: required element Wind is missing"]
    assert counted == {"corpus/structure/pages": 1, "corpus/structure/incomplete": 1}


def test_each_page_has_a_file_and_a_row(tmp_path: Path) -> None:
    item, _ = item_of()
    folder = StructureFolder(tmp_path / "xml")
    assert folder.put(item)
    (row,) = rows(tmp_path / "xml")
    assert tuple(row) == StructureFolder.columns
    assert (row["url"], row["title"]) == (item.url, "The mill is open")
    written = (tmp_path / "xml" / row["file"]).read_text("utf-8")
    assert written == item.structure
    names = [node.tag for node in etree.fromstring(written.encode()).iter()]
    assert int(row["elements"]) == sum(name not in {"TEXT", "GROUP"} for name in names)
    assert row["problems"] == ""


def test_what_is_no_element_is_not_counted_and_problems_are_told(
    tmp_path: Path, log_model: str
) -> None:
    item, _ = item_of("<h2>Monday</h2><p>calm</p><p>dry</p>", CORPUS_STRUCTURE_MODEL=log_model)
    StructureFolder(tmp_path / "xml").put(item)
    (row,) = rows(tmp_path / "xml")
    assert item.structure is not None
    assert "<TEXT" in item.structure
    # The outermost, Monday, and the wind that is put in.
    assert (row["elements"], row["problems"]) == ("3", "Day: required element Wind is missing")


def test_a_page_that_comes_again_replaces_its_file(tmp_path: Path) -> None:
    item, _ = item_of()
    folder = StructureFolder(tmp_path)
    folder.put(item)
    item.title = "Another\ntitle"
    folder.put(item)
    folder.close()
    assert [row["title"] for row in rows(tmp_path)] == ["Another title"]
    item.structure = None
    assert not folder.put(item)
    folder.close()
    assert rows(tmp_path) == []
    assert not list(tmp_path.rglob("*.xml"))


def test_a_killed_crawl_leaves_a_folder_to_go_on_with(tmp_path: Path) -> None:
    item, _ = item_of()
    StructureFolder(tmp_path).put(item)
    with (tmp_path / "index.csv").open("a", encoding="utf-8") as file:
        file.write("run.example/half-0123456789abcdef.xml,https://run.ex")
    (tmp_path / "run.example" / ".half.xml.part").write_text("<half", "utf-8")
    folder = StructureFolder(tmp_path)
    assert [row["url"] for row in rows(tmp_path)] == [item.url]
    item.url = "https://run.example/other"
    folder.put(item)
    assert len(rows(tmp_path)) == 2


def test_a_page_that_has_no_structure_any_more_takes_its_file_away(tmp_path: Path) -> None:
    crawler = get_crawler(Spider, {"CORPUS_STRUCTURE_FOLDER": str(tmp_path)})
    pipeline = StructureFolderPipeline.from_crawler(crawler)
    pipeline.open_spider()
    item, _ = item_of()
    assert pipeline.process_item(item) is item
    assert len(rows(tmp_path)) == 1
    pipeline.process_item(PageItem(url=item.url, site=item.site))
    pipeline.process_item(PageItem(url=f"{item.url}2", site="other.example"))
    pipeline.close_spider()
    assert rows(tmp_path) == []
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["index.csv"]
    assert crawler.stats is not None
    assert crawler.stats.get_value("corpus/structure/files") == 1


def test_a_file_that_cannot_be_written_is_counted_and_keeps_the_held_pages(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    feeds = {str(tmp_path / "o.jsonl"): {"format": "jsonlines"}}
    folder = tmp_path / "xml"
    crawler = get_crawler(Spider, {"CORPUS_STRUCTURE_FOLDER": str(folder), "FEEDS": feeds})
    watch = OutputGuard.from_crawler(crawler)
    pipeline = StructureFolderPipeline.from_crawler(crawler)
    pipeline.open_spider()
    item, _ = item_of()
    # A file stands where the folder of the site would.
    (folder / "run.example").touch()
    assert pipeline.process_item(item) is item
    pipeline.close_spider()
    assert crawler.stats is not None
    assert crawler.stats.get_value("corpus/structure/failed") == 1
    assert "The folder of structure cannot be written" in caplog.text
    assert watch.failure() == "pages whose structure could not be written: 1"
    lines = summary(crawler.stats.get_stats(), [])
    assert "  folder      it lacks the structure of 1 pages, see the log" in lines
    assert f"  output      {folder}" in lines


def test_a_file_without_a_row_does_not_stay(tmp_path: Path) -> None:
    folder = StructureFolder(tmp_path)
    item, _ = item_of()
    (tmp_path / "index.csv").unlink()
    (tmp_path / "index.csv").mkdir()
    with pytest.raises(StoreError, match="directory"):
        folder.put(item)
    assert not list(tmp_path.rglob("*.xml"))


def test_the_summary_tells_how_many_pages_match() -> None:
    figures = {"pages": 1200, "unmatched": 30, "incomplete": 4}
    lines = summary({f"corpus/structure/{key}": value for key, value in figures.items()}, [])
    assert "  structure   1,200 pages, 30 of them unmatched, 4 incomplete" in lines


def test_an_index_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.csv").write_text("file,url\n", "utf-8")
    with pytest.raises(OptionError, match="no index of structure"):
        StructureFolder(tmp_path)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (
            {
                "CORPUS_STRUCTURE_MODEL": "news",
                "CORPUS_STRUCTURE_FOLDER": "./out",
                "CORPUS_TABLES_FOLDER": "out",
            },
            "Name two folders",
        ),
        ({"CORPUS_STRUCTURE_MODEL": "nowhere.medl"}, "the models are: blog, event, news"),
        ({"CORPUS_STRUCTURE_MODEL": "news", "CORPUS_STRUCTURE_METHOD": "x"}, "modern, published"),
        ({"CORPUS_STRUCTURE_FOLDER": "xml"}, "CORPUS_STRUCTURE_MODEL is off"),
    ],
)
def test_wrong_settings_end_a_crawl_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=says):
        CorpusAddon().update_settings(Settings(settings))


def test_a_wrong_model_is_told_with_its_place(tmp_path: Path) -> None:
    model = tmp_path / "wrong.medl"
    model.write_text("<!ELEMENT A (B\n", "utf-8")
    with pytest.raises(OptionError, match=r"wrong\.medl.*line"):
        CorpusAddon().update_settings(Settings({"CORPUS_STRUCTURE_MODEL": str(model)}))
