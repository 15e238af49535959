"""Projects with scrapy-poet get page items where they ask for them."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from support.crawling import Project, Site, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

# In CI it is installed.
is_missing = find_spec("scrapy_poet") is None
pytestmark = pytest.mark.skipif(is_missing and "CI" not in os.environ, reason="not installed")

SPIDER = """
import attrs
import scrapy
from scrapy_poet import DummyResponse
from web_poet import WebPage, field

from crawler import PageItem


@attrs.define
class Headline:
    text: str
    words: int


@attrs.define
class HeadlinePage(WebPage[Headline]):
    item: PageItem

    @field
    def text(self):
        return self.item.title

    @field
    def words(self):
        return len(self.item.text.split())


class PoetSpider(scrapy.Spider):
    name = "poet"

    async def start(self):
        yield scrapy.Request(self.url, self.parse)

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.parse_post)

    async def parse_post(self, response: DummyResponse, item: PageItem, page: HeadlinePage):
        yield item
        yield attrs.asdict(await page.to_item()) | {"url": item.url}
"""


@pytest.mark.slow
def test_callbacks_and_page_objects_get_the_item(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(4))
    project.append("ownspiders.py", SPIDER)
    project.append(
        "ownsettings.py",
        "ITEM_PIPELINES = {}\n"
        'ADDONS["scrapy_poet.Addon"] = 300\n'
        'SCRAPY_POET_PROVIDERS = {"crawler.extensions.poet.PageItemProvider": 500}\n',
    )
    project.run("crawl", "poet", "-a", f"url={site.url}", "-O", "out.jsonl")
    items = project.items()
    pages = [item for item in items if "site_pages" in item]
    headlines = {item["url"]: item for item in items if "words" in item}
    assert len(pages) == len(headlines) == 4
    for page in pages:
        assert page["mode"] == "single"
        assert headlines[page["url"]]["words"] == len(page["text"].split()) > 5
