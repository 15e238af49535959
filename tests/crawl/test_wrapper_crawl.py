"""Rules at work in crawls: the spider ``wrapper``, and fields on the items of other spiders."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from crawler.core.page.page import Page
from crawler.core.wrapper.learning import learn_records, learn_values
from crawler.core.wrapper.project import Element, Load, Script, Source, new_project
from crawler.core.wrapper.project import Project as Rules
from crawler.core.wrapper.project_file import write_project
from crawler.core.wrapper.tree import read_tree
from support.crawling import Project, Site, html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

SCHEMA = Element(
    "shop",
    "group",
    elements=(
        Element("name", required=True),
        Element("count", "integer"),
        Element(
            "book", "group", repeat=True, elements=(Element("title"), Element("price", "number"))
        ),
    ),
)
# The second page is asked for once more by each of its like; a page out of the crawl's sites never.
SCRIPT = """
function main(titles) {
  xtree.root.Add("count", titles.length);
  htree.AddUrl("/shop/3");
  htree.AddUrl("http://elsewhere.invalid/");
  for (const text of ["http://[::1", "mailto:a@b", " /shop/3 "]) htree.AddUrl(text);
  xtree.Save("shop.xml");
  if (titles.length == 1) { while (true); }
}
"""
OWN = '''
from dataclasses import dataclass

import scrapy


@dataclass(frozen=True)
class Frozen:
    """An item that takes no field."""

    frozen: str
    name: str | None = None


class Reading(scrapy.Spider):
    """A spider that makes items of its own."""

    name = "reading"

    def __init__(self, start):
        super().__init__()
        self.start_urls = start.split(",")

    def parse(self, response):
        yield {"address": response.url, "name": "own" if response.url.endswith("2") else None}
        yield Frozen(response.url)
'''


def shop(name: str, *books: tuple[str, str]) -> str:
    rows = "".join(f"<li><a href='/b'>{title}</a> <b>{price}</b></li>" for title, price in books)
    return f"<title>{name}</title><h1>{name}</h1><ul class=books>{rows}</ul><p>The end</p>"


SHOPS = {
    "/shop/1": shop("Corner", ("Tree", "$3.50"), ("Sea", "$4")),
    "/shop/2": shop("Harbour", ("Rain", "$1"), ("Fog", "$9"), ("Hail", "$2")),
    "/shop/3": shop("Mill", ("Log", "$7")),
}
INDEX = "".join(f"<div><a href='{path}'>go</a></div>" for path in ("/shop/1", "/shop/2", "/x"))

FAULT = """
from crawler.wrapper.running import CrawlWrapper

sound = CrawlWrapper.run


def faulty(self, tree, args):
    return 1 / (not args[0].endswith("/shop/2")) and sound(self, tree, args)


CrawlWrapper.run = faulty
CORPUS_CRAWL_REPORT = "report.json"
"""

BARE = "<div><img src=/a.png alt=''></div><div>There is nothing here but these words.</div>"


def rules(*actions: Load | Script) -> str:
    tree = read_tree(Page.from_text("https://shop.example/", SHOPS["/shop/1"]))
    project = learn_values(new_project(SCHEMA), tree, {"name": ["Corner"]}).project
    project = learn_records(
        project, tree, "book", [{"title": ["Tree"], "price": ["$3.50"]}]
    ).project
    return write_project(Rules(project.schema, project.rules, actions))


@pytest.fixture
def project(project: Project) -> Project:
    project.append("ownsettings.py", "ITEM_PIPELINES = {}")
    return project


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    pages = {path: html(page) for path, page in SHOPS.items()}
    return make_site({"/": html(INDEX), "/x": html(BARE), **pages})


def test_the_spider_follows_runs_scripts_and_lists_what_no_longer_fits(
    project: Project, site: Site
) -> None:
    (project.folder / "shop.h2x").write_text(
        rules(Load(Source(site.url)), Script(SCRIPT, ("book/title",))), "utf-8"
    )
    _, err = project.run(
        *("crawl", "wrapper", "-a", "rules=shop.h2x", "-a", "follow=/shop/|/x", "-O", "out.jsonl"),
        *("-a", "saves=saves", "-s", "CORPUS_WRAPPER_REPORT=misfits.jsonl"),
        *("-s", "CORPUS_WRAPPER_SECONDS=0.3"),
    )
    items = {item["url"].removeprefix(site.url): item for item in project.items()}
    assert {path: (item["name"], item["count"]) for path, item in items.items()} == {
        "shop/1": ("Corner", 2),
        "shop/2": ("Harbour", 3),
        # Its script never ended; the rules' own fields are there.
        "shop/3": ("Mill", None),
    }
    assert items["shop/2"]["book"][2] == {"title": "Hail", "price": 2.0}
    assert sorted(path.name for path in (project.folder / "saves").iterdir()) == [
        "shop-2.xml",
        "shop.xml",
    ]
    listed = [
        json.loads(line)
        for line in (project.folder / "misfits.jsonl").read_text("utf-8").splitlines()
    ]
    assert {row["url"].removeprefix(site.url): row["reason"] for row in listed} == {
        "": "rule no longer fits",
        "x": "rule no longer fits",
        "shop/3": None,
    }
    (endless,) = [row for row in listed if row["reason"] is None]
    assert [its["reason"] for its in endless["problems"]] == ["script-failed"]
    assert sorted(site.asked) == ["/", "/shop/1", "/shop/2", "/shop/3", "/x"]
    assert "pages       5 fetched, 3 exported\n  skipped     2 (no-fit 2)" in err
    assert (
        re.search(r"shop\.h2x, action 2, line \d, column \d+: it took more than", err) is not None
    ), err
    assert "Traceback" not in err


def test_a_record_is_an_item_where_that_is_asked_for(project: Project, site: Site) -> None:
    (project.folder / "shop.h2x").write_text(rules(), "utf-8")
    project.run(
        *("crawl", "wrapper", "-a", "rules=shop.h2x", "-a", "rows=yes", "-O", "out.jsonl"),
        *("-a", f"url={site.url}shop/1 {site.url}shop/3"),
    )
    assert sorted((item["name"], item["title"], item["price"]) for item in project.items()) == [
        ("Corner", "Sea", 4.0),
        ("Corner", "Tree", 3.5),
        ("Mill", "Log", 7.0),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-a", "rules=none.h2x", "-a", "url=http://127.0.0.1:9/"], "none.h2x cannot be read"),
        (["-a", "rules=shop.h2x"], "there is nothing to fetch"),
        (["-a", "url=http://127.0.0.1:9/"], "rules=… is missing"),
    ],
    ids=["file", "pages", "rules"],
)
def test_a_wrong_call_is_told_in_a_line(
    project: Project, arguments: list[str], message: str
) -> None:
    (project.folder / "shop.h2x").write_text(rules(), "utf-8")
    _, err = project.run("crawl", "wrapper", *arguments, code=2)
    assert message in err
    assert "Traceback" not in err


def test_items_of_any_spider_get_the_fields(project: Project, site: Site) -> None:
    (project.folder / "shop.h2x").write_text(rules(Script(SCRIPT, ("book/title",))), "utf-8")
    with (project.folder / "ownspiders.py").open("a", encoding="utf-8") as file:
        file.write(OWN)
    urls = ",".join(f"{site.url}{path}" for path in ("shop/1", "shop/2", "x"))
    _, err = project.run(
        *("crawl", "reading", "-O", "out.jsonl", "-s", "CORPUS_WRAPPER=shop.h2x"),
        *("-a", f"start={urls}"),
    )
    # A class that takes no field costs no item.
    assert sum("frozen" in item for item in project.items()) == 3
    items = {
        item["address"].removeprefix(site.url): item
        for item in project.items()
        if "address" in item
    }
    assert (items["shop/1"]["name"], items["shop/1"]["count"]) == ("Corner", 2)
    assert (items["shop/2"]["name"], len(items["shop/2"]["book"])) == ("own", 3)
    assert set(items["x"]) == {"address", "name"}
    # Two items of a page, and one run of the rules on it.
    assert "3 pages, 1 of them no longer fit, 0 scripts failed" in err
    assert "Frozen takes no such field" in err
    assert "Traceback" not in err


def test_page_items_get_them_too_and_keep_them_in_a_replay(project: Project, site: Site) -> None:
    (project.folder / "shop.h2x").write_text(rules(), "utf-8")
    project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-a", "from=links", "-O", "out.jsonl"),
        *("-s", "CORPUS_WRAPPER=shop.h2x", "-s", "CORPUS_PAGE_TYPES=all"),
        *("-s", "CORPUS_KEEP_SPOOL=True"),
    )
    items = {item["url"].removeprefix(site.url): item for item in project.items()}
    assert [items[path]["fields"].get("name") for path in ("shop/1", "shop/2", "x")] == [
        "Corner",
        "Harbour",
        None,
    ]
    (kept,) = (project.folder / "corpus-data" / "spool").iterdir()
    project.run("replay", str(kept), "-O", "out.jsonl")
    again = {item["url"].removeprefix(site.url): item for item in project.items()}
    assert {path: item["fields"] for path, item in again.items()} == {
        path: item["fields"] for path, item in items.items()
    }


def test_scripts_of_items_that_leave_at_once_run_on_their_way(project: Project, site: Site) -> None:
    (project.folder / "shop.h2x").write_text(rules(Script(SCRIPT, ("book/title",))), "utf-8")
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-a", "from=links", "-O", "out.jsonl"),
        *("-s", "CORPUS_WRAPPER=shop.h2x", "-s", "CORPUS_MODE=streaming"),
    )
    items = {item["url"].removeprefix(site.url): item["fields"] for item in project.items()}
    assert (items["shop/1"]["count"], items["shop/2"]["count"]) == (2, 3)
    assert items["x"] == {}
    assert "no longer fit, 0 scripts failed" in err


@pytest.mark.parametrize("mode", ["two-pass", "streaming"])
def test_a_fault_of_the_wrapper_costs_an_item_nothing_but_the_fields(
    project: Project, site: Site, mode: str
) -> None:
    # In streaming mode a project with scripts runs on its own way, in a thread.
    (project.folder / "shop.h2x").write_text(rules(Script(SCRIPT, ("book/title",))), "utf-8")
    project.append("ownsettings.py", FAULT)
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-a", "from=links", "-O", "out.jsonl"),
        *("-s", "CORPUS_WRAPPER=shop.h2x", "-s", f"CORPUS_MODE={mode}"),
    )
    items = {item["url"].removeprefix(site.url): item for item in project.items()}
    assert items["shop/1"]["fields"]["count"] == 2
    assert (items["shop/2"]["fields"], "Harbour" in items["shop/2"]["title"]) == ({}, True)
    assert "ZeroDivisionError" in err
    report = json.loads((project.folder / "report.json").read_text("utf-8"))
    assert report["stats"]["corpus/wrapper/failed"] == 1


def test_a_project_that_cannot_be_used_ends_the_crawl_before_it_begins(project: Project) -> None:
    (project.folder / "shop.h2x").write_text("{}", "utf-8")
    _, err = project.run(
        *("crawl", "site", "-a", "url=http://127.0.0.1:9/", "-s", "CORPUS_WRAPPER=shop.h2x"),
        code=2,
    )
    assert "CORPUS_WRAPPER: shop.h2x" in err
    assert "Traceback" not in err
