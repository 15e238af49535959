"""scrapy-playwright, scrapy-poet, Spidermon and the add-on live together in one project."""

from __future__ import annotations

import json
import re
import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from support.crawling import ROOT, Project, Site, small_site
from support.scripted_site import scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

# Spidermon is no part of the extra dev: it brings a package that is under the GPL. CI runs this in
# an environment of its own, which has Spidermon without that.
is_missing = not all(map(find_spec, ("scrapy_playwright", "scrapy_poet", "spidermon")))

HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
SETTINGS = f"""
BOT_NAME = "everything"
SPIDER_MODULES = ["everyspider"]
ADDONS = {{"crawler.addon.CorpusAddon": 500, "scrapy_poet.Addon": 300}}
SCRAPY_POET_PROVIDERS = {{"crawler.extensions.poet.PageItemProvider": 500}}
EXTENSIONS = {{"spidermon.contrib.scrapy.extensions.Spidermon": 500}}
SPIDERMON_ENABLED = True
SPIDERMON_SPIDER_CLOSE_MONITORS = ["newsmonitors.NewsMonitors"]
DOWNLOAD_HANDLERS = {{"http": "{HANDLER}", "https": "{HANDLER}"}}
PLAYWRIGHT_LAUNCH_OPTIONS = {{"executable_path": "/usr/bin/chromium"}}
CORPUS_PAGE_TYPES = "all"
CORPUS_BROWSER = "127.0.0.1"
CORPUS_CRAWL_REPORT = "report.json"
DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = False
"""
SPIDER = """
import scrapy

from crawler import PageItem


class EverySpider(scrapy.Spider):
    name = "every"

    async def start(self):
        # By scrapy-playwright alone.
        yield scrapy.Request(self.url, meta={"playwright": True})

    def parse(self, response):
        assert response.flags == ["playwright"]
        yield from response.follow_all(css="a", callback=self.parse_post)

    async def parse_post(self, response, item: PageItem):
        # The add-on takes the response as a page; scrapy-poet gives its item.
        yield response
        yield {"headline": item.title, "from": response.url, "flags": response.flags}
"""


@pytest.mark.skipif(is_missing, reason="not installed; .ci/run has them")
def test_they_live_together_without_warnings(project: Project, make_site: MakeSite) -> None:
    site = make_site(scripted(small_site(4)))
    # The monitors are told to people as they are.
    shutil.copy(ROOT / "docs" / "deploy" / "newsmonitors.py", project.folder)
    (project.folder / "ownsettings.py").write_text(SETTINGS, "utf-8")
    (project.folder / "everyspider.py").write_text(SPIDER, "utf-8")
    _, err = project.run("crawl", "every", "-a", f"url={site.url}", "-O", "out.jsonl")
    lines = re.findall(r"^.*(?:Warning|WARNING|ERROR|CRITICAL)\b.*$", err, re.MULTILINE)
    # Spidermon writes its log by a method that Scrapy has given up.
    assert [line for line in lines if "/spidermon/" not in line] == []
    pages = {item["url"]: item for item in project.items() if "site_pages" in item}
    heads = {item["from"]: item for item in project.items() if "headline" in item}
    assert len(pages) == len(heads) == 4
    for url, page in pages.items():
        assert (page["mode"], page["site_pages"]) == ("two-pass", 4)
        assert "a heron stood" in page["text"]
        assert heads[url]["headline"] == page["title"]
        assert heads[url]["flags"] == ["browser"]
    stats = json.loads((project.folder / "report.json").read_text("utf-8"))["stats"]
    assert stats["corpus/browser/pages"] == 4
    assert dict(re.findall(r"\[Spidermon\] Crawl/(\w+).*\.\.\. (\w+)", err)) == dict.fromkeys(
        ("All", "Few", "Pages"), "OK"
    )
