"""A crawl that comes to nothing, or to less than there was, ends with 1 and says why."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.crawling import ROOT, Project, article, html, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer
    from support.crawling import Site

    MakeSite = Callable[[Mapping[str, Answer]], Site]

OLD = '{"url": "http://old.example/"}\n'
CLOSED = html("User-agent: *\nDisallow: /\n", kind="text/plain")


def crawl(project: Project, url: str, *more: str, code: int = 1) -> str:
    """Crawl a site over an earlier output; return the log."""
    (project.folder / "out.jsonl").write_text(OLD, "utf-8")
    _, err = project.run("crawl", "site", "-a", f"url={url}", "-O", "out.jsonl", *more, code=code)
    return err


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ({"/robots.txt": CLOSED, "/": html(article(1))}, "robots 1"),
        ({"/robots.txt": html("", status=503)}, "robots-unreachable 1"),
        ({}, "http-404 1"),
        ({"/": html("no", status=403)}, "http-403 1"),
        ({"/": html(article(1))}, "not-article 1"),
        ({"/": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4")}, "not-html 1"),
        ({"/": html("<script>write()</script><div id=app></div>")}, "not-article 1"),
    ],
)
def test_a_site_that_gives_nothing(
    project: Project, make_site: MakeSite, pages: dict[str, Answer], reason: str
) -> None:
    project.append("ownsettings.py", "ROBOTSTXT_OBEY = True\nCORPUS_PAGE_TYPES = 'article'")
    project.append("ownsettings.py", "RETRY_ENABLED = False\nCORPUS_PAUSES = {'count': 0}")
    err = crawl(project, make_site(pages).url)
    assert re.search(rf"why +nothing was exported: .+ \({reason}\)", err)
    assert "Traceback" not in err
    assert "ROBOTSTXT_OBEY=False" not in err
    # The earlier output stays.
    assert (project.folder / "out.jsonl").read_text("utf-8") == OLD


@pytest.mark.parametrize(
    ("url", "reason"), [("http://127.0.0.1:1/", "refused"), ("http://nowhere.invalid/", "dns")]
)
def test_a_dead_host_is_called_dead(project: Project, url: str, reason: str) -> None:
    project.append("ownsettings.py", "ROBOTSTXT_OBEY = True\nRETRY_ENABLED = False")
    err = crawl(project, url)
    assert re.search(rf"failed +1 \({reason} 1\)", err)
    assert re.search(rf"why +.+ \({reason} 1\)", err)
    assert "Traceback" not in err


def test_what_pipelines_do_to_all_pages_is_told(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(1))
    project.append(
        "ownpipelines.py",
        "from scrapy.exceptions import DropItem\n\n\nclass Dropping:\n"
        "    def process_item(self, item):\n        raise DropItem('no')",
    )
    project.append("ownsettings.py", 'ITEM_PIPELINES = {"ownpipelines.Dropping": 300}')
    err = crawl(project, site.url, "-O", "%(name)s.csv")
    assert re.search(r"why +.+ \(dropped 2\)", err)
    assert re.findall(r"  output +(\S+)", err) == ["out.jsonl", "site.csv"]


def test_an_output_that_lacks_a_page_is_an_error(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(2))
    crawl(project, site.url, "-s", "WITNESS_FAILS_ON=/a/1")
    assert len(project.items()) == 2
    (project.folder / "corpus-data").rename(project.folder / "first")
    # Nothing takes the pages.
    project.append("ownsettings.py", "ITEM_PIPELINES = {}")
    project.run("crawl", "site", "-a", f"url={site.url}", code=1)


def test_every_answer_is_accounted_for(project: Project, make_site: MakeSite) -> None:
    sitemap = "<urlset><url><loc>{}a/0</loc></url><url><loc>{}gone</loc></url></urlset>"
    site = make_site({**small_site(2), "/moved": (301, {"Location": "/a/1"}, b"")})
    site.pages["/robots.txt"] = html(f"Sitemap: {site.url}map.xml", kind="text/plain")
    site.pages["/map.xml"] = html(sitemap.format(site.url, site.url), kind="application/xml")
    site.pages["/a/0"] = html(article(0, '<a href="/moved">moved</a>'))
    project.append("ownsettings.py", "ROBOTSTXT_OBEY = True")
    err = crawl(project, site.url, code=0)
    found = re.search(r"answers +(\d+) \(([^)]+)\)", err)
    assert found
    by_status = dict(pair.split() for pair in found[2].split(", "))
    assert int(found[1]) == sum(map(int, by_status.values())) == len(site.asked)
    assert (by_status["301"], by_status["404"]) == (
        "1",
        str(
            site.asked.count("/gone")
            + len([path for path in site.asked if path not in site.pages and path != "/gone"])
        ),
    )
    assert re.search(r"listings +1 sitemaps and feeds read", err)


@pytest.mark.parametrize("robots", ["", "User-agent: *\nDisallow:\n"])
def test_a_spider_of_others_whose_pages_are_not_there(
    project: Project, make_site: MakeSite, robots: str
) -> None:
    project.append("ownsettings.py", "ROBOTSTXT_OBEY = True")
    site = make_site({"/robots.txt": html(robots, kind="text/plain")} if robots else {})
    project.append(
        "ownspiders.py", f"class There(Own):\n    name = 'there'\n    start_urls = ['{site.url}x']"
    )
    _, err = project.run("crawl", "there", "-O", "out.jsonl", code=1)
    assert re.search(r"why +nothing was exported: .+ \(http-404 1\)", err)


def test_a_jobdir_is_crawled_once(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(2))
    call = ("crawl", "site", "-a", f"url={site.url}", "-s", "JOBDIR=job")
    project.run(*call, "-O", "out.jsonl")
    before = (project.folder / "out.jsonl").read_text("utf-8")
    site.asked.clear()
    _, err = project.run(*call, "-O", "out.jsonl", code=2)
    assert "JOBDIR job goes on" in err
    _, err = project.run(*call, "-o", "out.jsonl", code=1)
    assert re.search(r"why +nothing was exported: .*JOBDIR", err)
    assert (project.folder / "out.jsonl").read_text("utf-8") == before
    assert site.asked == []


SCRIPT = """
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings

from crawler.spiders.site import SiteSpider

settings = get_project_settings()
settings.set("FEEDS", {{"out.jsonl": {{"format": "jsonlines"}}}})
process = AsyncCrawlerProcess(settings)
process.crawl(SiteSpider, url="{url}", max_pags=1)
process.crawl(SiteSpider, url="{url}")
process.start()
print("goes on")
"""


def test_a_wrong_crawl_of_a_script_leaves_the_others(project: Project, make_site: MakeSite) -> None:
    (project.folder / "run.py").write_text(SCRIPT.format(url=make_site(small_site(2)).url), "utf-8")
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": f"{project.folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "goes on\n"
    assert "ArgumentError: site: there is no 'max_pags'" in done.stderr
    assert len(project.items()) == 3
