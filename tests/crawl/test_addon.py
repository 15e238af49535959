"""The add-on in somebody's project: wrong settings in one line, and the project's own kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from crawler.addon import CorpusAddon
from crawler.core.errors import OptionError
from crawler.core.methods.registry import method_names
from crawler.middlewares.politeness import POLITE_SETTINGS
from crawler.middlewares.two_pass import DrainingItems, TwoPass
from support.crawling import FOOTER, Held, Project, Site, html, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

WRONG = {
    "CORPUS_MODE=both": 'CORPUS_MODE is \'both\'. It accepts one of "two-pass", "streaming".',
    "CORPUS_TEXT_METHOD=best": f"no text method 'best'; use one of: {', '.join(method_names())}",
    "CORPUS_TEXT_METOD=all-text": "'CORPUS_TEXT_METOD' (did you mean 'CORPUS_TEXT_METHOD'?)",
    "CORPUS_MAX_PAGE_BYTES=much": "CORPUS_MAX_PAGE_BYTES is 'much'. It accepts a whole number",
    'FEEDS={"out.doc": {"format": "word"}}': "has the format 'word'. Known formats are ",
    'FEEDS={"out.doc": "csv"}': "It needs a dictionary of options",
    'FEEDS={"scrapy.cfg/x.csv": {"format": "csv"}}': "scrapy.cfg is a file, not a folder",
    'FEEDS={"../project": {"format": "csv"}}': "it is a folder. Name a file in it",
}

PROCESSOR = """
from scrapy.pipelines import ItemPipelineManager

class OwnProcessor(ItemPipelineManager):
    pass
"""

DROPPING = """
from scrapy.exceptions import DropItem

class Choosy:
    def process_item(self, item):
        if item.url.endswith("3"):
            raise DropItem("not this one")
        return item
"""

FETCHING = """
from dataclasses import replace
from scrapy import Request

class Fetching:
    def __init__(self, crawler):
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def process_item(self, item):
        site = item.url.split("/a/")[0].rstrip("/")
        response = await self.crawler.engine.download_async(Request(f"{site}/p.png"))
        return replace(item, fields={"picture": len(response.body)})
"""


def without_start(err: str) -> list[str]:
    """Leave out what Scrapy logs of itself as it starts."""
    lines = err.splitlines()
    versions = [number for number, line in enumerate(lines) if line.endswith("'}")]
    return lines[versions[-1] + 1 :] if versions else lines


@pytest.mark.parametrize("setting", WRONG)
def test_a_wrong_setting_ends_a_crawl_before_it_begins_in_one_line(
    project: Project, make_site: MakeSite, setting: str
) -> None:
    site = make_site(small_site(2))
    out, err = project.run("crawl", "site", "-a", f"url={site.url}", "-s", setting, code=2)
    assert out == ""
    assert "Traceback" not in err
    (line,) = without_start(err)
    assert WRONG[setting] in line
    assert site.asked == []


@pytest.mark.parametrize(
    ("command", "setting"),
    [
        (("extract", "page.html"), "CORPUS_MODE=both"),
        (("extract", "page.html"), "CORPUS_TEXT_METHOD=best"),
        (("replay",), "CORPUS_MODE=both"),
        (("demo",), "CORPUS_MODE=both"),
        (("demo",), "CORPUS_TEXT_METHOD=best"),
    ],
)
def test_the_other_commands_say_it_in_one_line_too(
    project: Project, command: tuple[str, ...], setting: str
) -> None:
    (project.folder / "page.html").write_text("<p>A page.</p>", "utf-8")
    process = project.start(*command, "-s", setting)
    out, err = process.communicate(timeout=60)
    assert process.returncode in {1, 2}
    assert out == ""
    assert "Traceback" not in err
    (line,) = [line for line in without_start(err) if " [scrapy." not in line]
    assert WRONG[setting] in line


def test_a_program_catches_the_error_as_it_catches_others() -> None:
    with pytest.raises(OptionError, match="CORPUS_MODE"):
        CorpusAddon().update_settings(Settings({"CORPUS_MODE": "both"}))
    with pytest.raises(OptionError, match="no text method") as caught:
        CorpusAddon().update_settings(Settings({"CORPUS_TEXT_METHOD": "no\nsuch"}))
    assert "\n" not in str(caught.value)
    with pytest.raises(OptionError, match="no-such-words"):
        CorpusAddon().update_settings(Settings({"CORPUS_TABLE_WORDS": "no-such-words.json"}))


def test_what_a_project_has_set_wins_over_what_the_addon_brings() -> None:
    own = {
        "DOWNLOAD_DELAY": 7,
        "ROBOTSTXT_OBEY": False,
        "FEED_EXPORT_ENCODING": "latin-1",
        "SPIDER_MIDDLEWARES": {"crawler.middlewares.two_pass.TwoPass": 20},
        "FEED_EXPORTERS": {"csv": "scrapy.exporters.CsvItemExporter"},
        "DOWNLOAD_HANDLERS": {"http": None},
    }
    settings = Settings()
    settings.setdict(own, "project")
    CorpusAddon().update_settings(settings)
    assert settings.getint("DOWNLOAD_DELAY") == 7
    assert settings.getbool("ROBOTSTXT_OBEY") is False
    assert settings["FEED_EXPORT_ENCODING"] == "latin-1"
    assert settings.getdict("FEED_EXPORTERS")["csv"] == "scrapy.exporters.CsvItemExporter"
    assert settings.getdict("DOWNLOAD_HANDLERS")["http"] is None
    assert [
        order
        for one, order in settings.getdict("SPIDER_MIDDLEWARES").items()
        if load_object(one) is TwoPass
    ] == [20]
    assert load_object(settings["ITEM_PROCESSOR"]) is DrainingItems
    untouched = {name: settings[name] for name in POLITE_SETTINGS if name not in own}
    assert untouched == {name: POLITE_SETTINGS[name] for name in untouched}


def test_what_is_too_large_to_be_read_is_not_fetched() -> None:
    for own, fetched in [({}, 20_000_000), ({"DOWNLOAD_MAXSIZE": 500}, 500)]:
        settings = Settings()
        settings.setdict({"CORPUS_MAX_PAGE_BYTES": 20_000_000, **own}, "project")
        CorpusAddon().update_settings(settings)
        assert settings.getint("DOWNLOAD_MAXSIZE") == fetched
        assert settings.getint("DOWNLOAD_WARNSIZE") == 10_000_000


def test_the_command_line_wins_over_both() -> None:
    settings = Settings()
    settings.set("DOWNLOAD_DELAY", "0.5", "cmdline")
    CorpusAddon().update_settings(settings)
    assert settings.getfloat("DOWNLOAD_DELAY") == 0.5


def test_an_item_processor_of_the_projects_own_keeps_held_pages_for_a_replay(
    project: Project, make_site: MakeSite
) -> None:
    project.append("ownpipelines.py", PROCESSOR)
    project.append("ownsettings.py", 'ITEM_PROCESSOR = "ownpipelines.OwnProcessor"')
    site = make_site(small_site(30))
    crawl = ("crawl", "site", "-a", f"url={site.url}", "-a", "from=links", "-O", "out.jsonl")
    _, err = project.run(*crawl)
    assert "WARNING" not in err
    assert len(project.items()) == 31, "a crawl that ends by itself exports all"
    assert project.spools() == []

    _, err = project.run(*crawl, "-s", "CLOSESPIDER_PAGECOUNT=10", code=1)
    assert "the crawl ended before its pages were exported" in err
    assert "scrapy replay" in err
    assert len(project.spools()) == 1, "one that a limit ends keeps them for a replay"
    project.run("replay", "-O", "again.jsonl")
    assert len(project.items("again.jsonl")) >= 10


def test_an_item_processor_derived_from_the_addons_is_not_warned_of(
    project: Project, make_site: MakeSite
) -> None:
    project.append(
        "ownpipelines.py",
        "from crawler.middlewares.two_pass import DrainingItems\n\n"
        "class Derived(DrainingItems):\n    pass\n",
    )
    project.append("ownsettings.py", 'ITEM_PROCESSOR = "ownpipelines.Derived"')
    site = make_site(small_site(2))
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    assert "WARNING" not in err
    assert len(project.items()) == 3


def test_items_that_a_pipeline_drops_are_scrapys_to_count_and_keep_no_spool(
    project: Project, make_site: MakeSite
) -> None:
    project.append("ownpipelines.py", DROPPING)
    project.append("ownsettings.py", 'ITEM_PIPELINES = {"ownpipelines.Choosy": 300}')
    site = make_site(small_site(6))
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "STATS_DUMP=True"),
    )
    assert len(project.items()) == 6
    assert "'item_dropped_count': 1" in err
    assert "'corpus/pages/exported': 6" in err
    assert project.spools() == []


def test_a_pipeline_may_download_while_the_pages_drain(
    project: Project, make_site: MakeSite
) -> None:
    project.append("ownpipelines.py", FETCHING)
    project.append("ownsettings.py", 'ITEM_PIPELINES = {"ownpipelines.Fetching": 300}')
    picture = (200, {"Content-Type": "image/png"}, b"\x89PNG" + bytes(96))
    site = make_site({**small_site(20), "/p.png": picture})
    project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    items = project.items()
    assert len({item["url"] for item in items}) == len(items) == 21
    assert {item["fields"]["picture"] for item in items} == {100}
    assert all(FOOTER not in item["text"] for item in items if "/a/" in item["url"])
    assert site.asked.count("/p.png") == 21


def test_a_page_that_cannot_be_held_stops_the_crawl_and_is_counted(
    project: Project, make_site: MakeSite
) -> None:
    (project.folder / "corpus-data").mkdir()
    (project.folder / "corpus-data" / "spool").write_text("in the way")
    site = make_site(small_site(30))
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "STATS_DUMP=True"),
        code=1,
    )
    assert "Traceback" not in err
    assert "The crawl stops, and exports what it holds" in err
    assert "'corpus/skipped/not-held': 1" in err
    assert "'finish_reason': 'spool_failed'" in err
    assert len(site.asked) < 5


def test_a_spool_damaged_meanwhile_is_told_and_kept(project: Project, make_site: MakeSite) -> None:
    pages = Held(small_site(30), first=12)
    site = make_site(pages)
    process = project.start(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "DOWNLOAD_DELAY=0.1"),
        *("-a", "from=links"),
    )
    project.wait_for(lambda: project.held_pages() == 12, process)
    (spool,) = project.spools()
    with spool.open("r+b") as file:
        file.seek(spool.stat().st_size // 2)
        file.write(bytes(200))
    pages.let_go.set()
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert "Not all pages are exported" in err
    assert "scrapy replay" in err
    assert project.spools() == [spool]
    _, err = project.run("replay", "-O", "again.jsonl", code=1)
    assert project.spools() == [spool]
    items = {item["url"] for item in project.items("again.jsonl")}
    assert len(items) >= 27, "the pages that are whole"


def test_a_method_that_fails_on_one_page_costs_that_page_alone(
    project: Project, make_site: MakeSite
) -> None:
    (project.folder / "ownmethod.py").write_text(
        "from crawler.core.methods.adaptive import AdaptiveFrequency\n"
        "class Touchy(AdaptiveFrequency):\n"
        "    name = 'touchy'\n"
        "    def label(self, document, view):\n"
        "        if document.page.url.endswith('/a/3'):\n"
        "            raise RuntimeError('not this page')\n"
        "        return super().label(document, view)\n",
        "utf-8",
    )
    site = make_site(small_site(6))
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "STATS_DUMP=True"),
        *("-s", "CORPUS_TEXT_METHOD=ownmethod:Touchy"),
    )
    assert len(project.items()) == 6
    assert {item["method"] for item in project.items()} == {"touchy"}
    assert "'corpus/skipped/error': 1" in err
    assert "not this page" in err
    assert "1 of them could not be made items of" in err
    assert len(project.spools()) == 1, "nothing is lost: the page waits for a mended method"


def test_evaluate_names_a_wrong_setting_in_one_line(project: Project) -> None:
    row = {"site": "s", "html": "<p>text</p>", "gold_text": "text"}
    (project.folder / "gold.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    out, err = project.run("evaluate", "text", "gold.jsonl", "-s", "CORPUS_MODE=both", code=2)
    assert out == ""
    assert len(err.splitlines()) == 1


CHECKED = """
class Checked(scrapy.Spider):
    name = "checked"

    def parse(self, response):
        \"\"\"Has a contract.

        @url {url}
        @returns requests 0 0
        \"\"\"
"""

AS_DICTIONARIES = """
from itemadapter import ItemAdapter

class AsDictionaries:
    def process_item(self, item):
        return ItemAdapter(item).asdict()
"""


@pytest.mark.parametrize("command", ["check", "fetch", "parse"])
def test_commands_that_export_nothing_end_with_0_as_without_the_addon(
    project: Project, make_site: MakeSite, command: str
) -> None:
    site = make_site(small_site(1))
    project.append("ownspiders.py", CHECKED.replace("{url}", site.url))
    on = ("checked",) if command == "check" else (site.url,)
    spider = ("--spider", "checked") if command == "parse" else ()
    allowed = ("-s", "CORPUS_ALLOW_PRIVATE=127.0.0.1", "-s", "ITEM_PIPELINES={}")
    project.run(command, *on, *spider, *allowed)
    assert "/" in site.asked


def test_items_that_a_pipeline_makes_dictionaries_of_are_exported_ones(
    project: Project, make_site: MakeSite
) -> None:
    project.append("ownpipelines.py", AS_DICTIONARIES)
    project.append("ownsettings.py", 'ITEM_PIPELINES = {"ownpipelines.AsDictionaries": 300}')
    site = make_site(small_site(3))
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    assert len(project.items()) == 4
    assert "pages       4 fetched, 4 exported" in err
    assert "waiting" not in err


def test_what_a_stage_refuses_is_skipped_and_not_dropped_too(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site({**small_site(3), "/a/3": html("<title>Bare</title><img src=a.png>")})
    _, err = project.run(
        *("crawl", "urls", "-a", f"urls={site.url} {site.url}a/0 {site.url}a/1 {site.url}a/3"),
        *("-O", "out.jsonl"),
    )
    assert len(project.items()) == 3
    assert "pages       4 fetched, 3 exported" in err
    assert "  dropped     " not in err


def test_a_project_without_main_text_is_warned(project: Project, make_site: MakeSite) -> None:
    off = 'ITEM_PIPELINES = {"crawler.pipelines.stages.MainTextPipeline": None}'
    project.append("ownsettings.py", off)
    site = make_site(small_site(2))
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", code=1)
    (warning,) = [line for line in err.splitlines() if "MainTextPipeline is switched off" in line]
    assert "WARNING" in warning


def test_a_stage_whose_name_is_wrong_is_named_in_a_line(
    project: Project, make_site: MakeSite
) -> None:
    project.append("ownsettings.py", 'ITEM_PIPELINES = {"crawler.pipelines.stages.Sentence": None}')
    site = make_site(small_site(1))
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", code=2)
    assert "Traceback" not in err
    assert "Sentence" in without_start(err)[-1]


def test_a_format_of_the_projects_own_leaves_the_others_known(
    project: Project, make_site: MakeSite
) -> None:
    own = 'FEED_EXPORTERS = {"own": "scrapy.exporters.JsonItemExporter"}'
    project.append("ownsettings.py", own)
    site = make_site(small_site(2))
    outputs = ("-O", "out.own", "-O", "out.xml:tei")
    project.run("crawl", "site", "-a", f"url={site.url}", *outputs)
    assert (project.folder / "out.own").read_text("utf-8").startswith("[")
    assert "<TEI" in (project.folder / "out.xml").read_text("utf-8")
