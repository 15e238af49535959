"""The stages as item pipelines: shown, switched off, reordered, replaced, and others in between."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.pipelines.order import ITEM_PIPELINES
from support.crawling import FOOTER, Project, Site, article, html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

STAGES = "crawler.pipelines.stages"
OWN = '''

class Between:
    """Sees an item as far as the stages before have filled it."""

    def process_item(self, item):
        assert item.text and not item.sentences and not item.tables
        item.fields["kept"] = [block.tag for block, label in item.page.pairs() if label.kept]
        item.fields["links"] = item.page.selector.css("a::attr(href)").getall()
        item.text = item.text.upper()
        return item


class FirstParagraph:
    """Takes the place of the stage of main text."""

    def process_item(self, item):
        item.text = item.page.selector.xpath("string(//p)").get()
        item.page.blocks = item.page.document.blocks
        item.page.labels = tuple(
            Label(kept=block.tag == "p", reason="own") for block in item.page.blocks
        )
        return item


class Last:
    """Keeps what it was given, to be looked at when the crawl is over."""

    def __init__(self):
        self.items = []

    def process_item(self, item):
        self.items.append(item)
        return item

    def close_spider(self):
        with open("last.txt", "w") as file:
            file.write(" ".join(str(item.page) for item in self.items))
'''


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    pages = {f"/a/{n}": html(article(n)) for n in range(3)}
    links = "".join(f'<li><a href="/a/{n}">Piece {n}</a></li>' for n in range(3))
    return make_site({"/": html(f"<ul>{links}</ul><p>{FOOTER}</p>"), **pages})


def crawl(
    project: Project, site: Site, pipelines: Mapping[str, int | None], code: int = 0
) -> list[dict[str, object]]:
    project.append("ownpipelines.py", f"from crawler.core.methods import Label{OWN}")
    project.append("ownsettings.py", f"ITEM_PIPELINES = {dict(pipelines)!r}")
    arguments = ("-a", f"url={site.url}", "-a", "allow=/a/", "-O", "out.jsonl")
    project.run("crawl", "site", *arguments, code=code)
    return sorted(
        (item for item in project.items() if "/a/" in item["url"]), key=lambda item: item["url"]
    )


@pytest.mark.quick
def test_each_stage_stands_in_the_settings_and_the_log(project: Project, site: Site) -> None:
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    shown = err[err.index("Enabled item pipelines") :]
    order = [name for name in ITEM_PIPELINES if name in shown]
    assert [name.rpartition(".")[2] for name in order] == [
        f"{name}Pipeline" for name in ("MainText", "Metadata", "Filters", "Sentences", "Tables")
    ]
    assert sorted(order, key=shown.index) == order


def test_the_projects_settings_of_this_checkout_name_them() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "scrapy", "settings", "--get", "ITEM_PIPELINES"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(told.stdout) == ITEM_PIPELINES


def test_a_stage_is_switched_off_like_any_pipeline(project: Project, site: Site) -> None:
    items = crawl(project, site, {f"{STAGES}.SentencesPipeline": None})
    assert len(items) == 3
    assert [item["sentences"] for item in items] == [None] * 3
    assert all(item["text"] and item["title"] for item in items)


def test_a_pipeline_stands_between_two_stages(project: Project, site: Site) -> None:
    items = crawl(project, site, {"ownpipelines.Between": 125, "ownpipelines.Last": 900})
    assert [item["fields"] for item in items] == [
        {"kept": ["h1", "p", "p"], "links": ["/"]} for _ in range(3)
    ]
    assert all(str(item["text"]).isupper() for item in items)
    assert all(item["sentences"] for item in items), "the stages behind went on with the page"
    assert (project.folder / "last.txt").read_text() == "None None None", "exports have no page"


def test_a_stage_is_replaced(project: Project, site: Site) -> None:
    items = crawl(
        project, site, {f"{STAGES}.MainTextPipeline": None, "ownpipelines.FirstParagraph": 100}
    )
    assert len(items) == 3
    for number, item in enumerate(items):
        assert f"The {number}th walk" in str(item["text"])
        assert FOOTER not in str(item["text"])
        sentences = item["sentences"]
        assert isinstance(sentences, list)
        assert sentences[0]["text"].startswith(f"The {number}th walk")
        assert item["title"] == f"Piece number {number} of the run"


def test_stages_are_put_in_another_order(project: Project, site: Site) -> None:
    items = crawl(project, site, {f"{STAGES}.TablesPipeline": 90, f"{STAGES}.MetadataPipeline": 95})
    assert [item["title"] for item in items] == [f"Piece number {n} of the run" for n in range(3)]
    assert all(item["tables"] == [] and item["sentences"] for item in items)


def test_a_copy_or_a_dictionary_between_stages_is_warned_of(project: Project, site: Site) -> None:
    copies = """

class Copies:
    def process_item(self, item):
        if item.url.endswith("/1"):
            return dataclasses.replace(item)
        return dataclasses.asdict(item) if item.url.endswith("/2") else item
"""
    project.append("ownpipelines.py", f"import dataclasses{copies}")
    project.append("ownsettings.py", 'ITEM_PIPELINES = {"ownpipelines.Copies": 135}')
    arguments = ("-a", f"url={site.url}", "-a", "allow=/a/", "-O", "out.jsonl")
    _, err = project.run("crawl", "site", *arguments, "-s", "CORPUS_STRUCTURE_MODEL=news")
    items = {item["url"].rpartition("/")[2]: item for item in project.items()}
    assert [items[n]["tables"] for n in "012"] == [[], None, None]
    assert all(items[n]["sentences"] for n in "012")
    # Tables and structure, of two items.
    assert "'corpus/items/unfilled': 4" in err
    assert err.count("TablesPipeline cannot fill") == 1


def test_an_item_that_is_dropped_or_fails_keeps_no_page(project: Project, site: Site) -> None:
    keeps = """

class Refuses:
    def __init__(self):
        self.items = []

    def process_item(self, item):
        self.items.append(item)
        raise DropItem("no") if item.url.endswith("/1") else ValueError("no")

    def close_spider(self):
        with open("refused.txt", "w") as file:
            file.write(" ".join(str(item.page) for item in self.items))
"""
    project.append("ownpipelines.py", f"from scrapy.exceptions import DropItem{keeps}")
    crawl(project, site, {"ownpipelines.Refuses": 125}, code=1)
    assert set((project.folder / "refused.txt").read_text().split()) == {"None"}
