"""Structures of pages on items, and as files of a folder with an index."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from lxml import etree
from scrapy.settings import Settings

from crawler.addon import CorpusAddon, OptionExit
from crawler.core.errors import OptionError
from crawler.core.flow import Page, SiteView, annotate, get_method, read
from crawler.making import ItemMaker
from crawler.options import Options
from crawler.structurefolder import STRUCTURE_COLUMNS, StructureFolder

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.items import PageItem

HTML = """<html lang=en><title>The mill is open - The Run</title><body>
<ul><li><a href=/>Home</a></ul><article><h1>The mill is open</h1>
<p>The old mill by the river was opened on Sunday, and some two hundred people came to see its
wheel go round.</p><h2>What it grinds</h2><p>Rye &amp; wheat of the farms around, as it did until
the war, at the price of that time for all who came.</p></article>"""


def item_of(html: str = HTML, **settings: object) -> tuple[PageItem, dict[str, int]]:
    options = Options.from_settings(Settings({"CORPUS_STRUCTURE_MODEL": "news", **settings}))
    counted: dict[str, int] = {}

    def count(key: str, number: int) -> None:
        counted[key] = counted.get(key, 0) + number

    method = get_method("article")
    maker = ItemMaker(options, method, mode="single", count=count)
    view = SiteView.unknown()
    page = read(Page.from_text("https://run.example/mill?a=1", html))
    return maker.make(annotate(page, view, method), view), counted


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
    assert item.structure is None
    assert "corpus/structure/pages" not in counted


def test_a_page_without_a_match_gives_an_item_and_is_counted() -> None:
    item, counted = item_of("<p>Nothing of the kind.</p>", CORPUS_STRUCTURE_MODEL="recipe")
    assert item.structure is not None
    assert "Nothing of the kind." in item.structure
    assert counted["corpus/structure/with_problems"] == 1


def test_each_page_has_a_file_and_a_row(tmp_path: Path) -> None:
    item, _ = item_of()
    folder = StructureFolder(tmp_path / "xml")
    assert folder.put(item)
    (row,) = rows(tmp_path / "xml")
    assert tuple(row) == STRUCTURE_COLUMNS
    assert (row["url"], row["title"]) == (item.url, "The mill is open")
    written = (tmp_path / "xml" / row["file"]).read_text("utf-8")
    assert written == item.structure
    assert int(row["elements"]) == len(list(etree.fromstring(written.encode()).iter()))


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


def test_an_index_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.csv").write_text("file,url\n", "utf-8")
    with pytest.raises(OptionError, match="no index of structure"):
        StructureFolder(tmp_path)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"CORPUS_STRUCTURE_MODEL": "nowhere.medl"}, "the models are: blog, event, news"),
        ({"CORPUS_STRUCTURE_MODEL": "news", "CORPUS_STRUCTURE_METHOD": "x"}, "modern, published"),
        ({"CORPUS_STRUCTURE_FOLDER": "xml"}, "Name a model"),
    ],
)
def test_wrong_settings_end_a_crawl_before_it_begins(settings: dict[str, str], says: str) -> None:
    with pytest.raises(OptionExit, match=says):
        CorpusAddon().update_settings(Settings(settings))


def test_a_wrong_model_is_told_with_its_place(tmp_path: Path) -> None:
    model = tmp_path / "wrong.medl"
    model.write_text("<!ELEMENT A (B\n", "utf-8")
    with pytest.raises(OptionExit, match=r"wrong\.medl.*line"):
        CorpusAddon().update_settings(Settings({"CORPUS_STRUCTURE_MODEL": str(model)}))
