"""A crawl holds its pages, and lets none of them go unexported, however it ends."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.store.spool import spool_info
from support.crawling import (
    FOOTER,
    TIMEOUT_SETTINGS,
    Held,
    Project,
    Site,
    article,
    html,
    interrupt,
    small_site,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

WALKS = ("the harbour", "the lighthouse", "the long bridge")


def split_article() -> dict[str, Answer]:
    """Make an article on three pages."""
    return {
        "/walk/20240501" if number == 1 else f"/walk/20240501?page={number}": html(
            f"""<html lang="en"><head><title>A walk along the coast</title>
            <meta property="og:type" content="article"></head><body><ul><li><a href="/">Home</a>
            </li></ul><article><h1>A walk along the coast</h1><p>By the editors,
            <time datetime="2024-05-01">1 May 2024</time></p><p>On day {number} we came to {place},
            which nobody of us had seen before, and stayed there until the evening, since the wind
            had turned and the boats of {place} did not leave until the day after.</p><p>What the
            people of {place} told us, of storms and of years without fish, would fill a book of
            its own; we wrote down what we could.</p><p>The path out of
            {place} goes uphill at first,
            between walls of stone that are older than the houses, and then follows the edge of the
            cliff. "You will be back before it rains," said the woman at the gate, and she was
            right: we had our supper where we had had our breakfast.</p><p>From {place} it is half a
            day to the next village, or less for those who know the way over the sand at low
            water. We did not know it, and nobody whom we asked wanted to go with us.</p></article>
            <a href="{following}">Next page</a><div>{FOOTER}</div></body>"""
        )
        for number, place, following in zip(
            (1, 2, 3), WALKS, ("?page=2", "?page=3", "/"), strict=True
        )
    }


@pytest.mark.quick
def test_every_page_leaves_once_without_the_boilerplate(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(20))
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    items = project.items()
    assert sorted(item["url"] for item in items) == sorted(
        site.url + path[1:] for path in site.pages
    )
    pieces = [item for item in items if "/a/" in item["url"]]
    assert all(FOOTER not in item["text"] for item in pieces)
    assert all(len(item["text"].splitlines()) == 3 for item in pieces)
    assert {item["mode"] for item in items} == {"two-pass"}
    assert {item["site_pages"] for item in items} == {21}
    assert len({item["counts_snapshot"] for item in items}) == 1
    assert project.spools() == []
    assert FOOTER[:60] in err, "the summary names what was dropped most often"


def test_items_pass_the_projects_own_pipelines_before_those_close(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(5))
    project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    witnessed = project.witnessed()
    assert sorted(witnessed[:-1]) == sorted(item["url"] for item in project.items())
    assert witnessed[-1] == "closed"


@pytest.mark.parametrize("limit", ["CLOSESPIDER_PAGECOUNT=8", "CLOSESPIDER_TIMEOUT=1"])
def test_a_limit_ends_the_crawl_after_all_held_pages_are_exported(
    project: Project, make_site: MakeSite, limit: str
) -> None:
    site = make_site(small_site(60))
    if "TIMEOUT" in limit:
        project.append("ownsettings.py", TIMEOUT_SETTINGS)
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-a", "from=links"),
        *("-s", "DOWNLOAD_DELAY=0.1"),
        *("-O", "out.jsonl", "-s", limit),
    )
    items = project.items()
    assert 0 < len(items) < 61
    assert len({item["url"] for item in items}) == len(items)
    assert f"{len(items)} exported" in err
    assert project.spools() == []
    assert project.witnessed()[-1] == "closed"


def test_ctrl_c_while_fetching_exports_what_is_held(project: Project, make_site: MakeSite) -> None:
    pages = Held(small_site(60), first=8)
    site = make_site(pages)
    process = project.start(
        *("crawl", "site", "-a", f"url={site.url}", "-a", "from=links"),
        *("-s", "DOWNLOAD_DELAY=0.1"),
        *("-O", "out.jsonl", "-s", "WITNESS_PAUSE=0.05"),
    )
    project.wait_for(lambda: len(site.asked) > 8, process)
    interrupt(process)
    pages.let_go.set()
    _, err = process.communicate(timeout=60)
    items = project.items()
    assert 5 < len(items) < 61
    assert f"{len(items)} exported" in err
    assert len(set(project.witnessed())) == len(items) + 1
    assert project.spools() == []


def test_ctrl_c_while_exporting_exports_the_rest(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(40))
    process = project.start(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-s", "WITNESS_PAUSE=0.4", "-s", "CONCURRENT_ITEMS=8"),
    )
    project.wait_for(lambda: len(project.witnessed()) > 4, process)
    interrupt(process)
    process.communicate(timeout=60)
    assert len(project.items()) == 41
    assert project.witnessed()[-1] == "closed"
    assert project.spools() == []


def test_ctrl_c_while_a_limit_is_draining_exports_the_rest(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(60))
    process = project.start(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "WITNESS_PAUSE=0.5"),
        *("-a", "from=links", "-s", "CLOSESPIDER_PAGECOUNT=40"),
    )
    project.wait_for(lambda: len(project.witnessed()) > 4, process)
    interrupt(process)
    _, err = process.communicate(timeout=60)
    assert f"{len(project.items())} exported" in err
    assert len(project.items()) >= 40
    assert project.witnessed()[-1] == "closed"


@pytest.mark.parametrize("phase", ["fetching", "exporting"])
def test_replay_finishes_what_a_kill_left(
    project: Project, make_site: MakeSite, phase: str
) -> None:
    site = make_site(Held(small_site(40), first=12 if phase == "fetching" else 41))
    process = project.start(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "lost.jsonl", "-s", "WITNESS_PAUSE=0.1"),
        *("-a", "from=links", "-s", "DOWNLOAD_DELAY=0.05", "-s", "CONCURRENT_ITEMS=4"),
        *("-s", "WITNESS_HOLDS_AFTER=8"),
    )
    if phase == "fetching":
        project.wait_for(lambda: project.held_pages() >= 10, process)
    else:
        project.wait_for(lambda: len(project.witnessed()) > 4, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(project.spools()) == 1
    listed, _ = project.run("replay", "--list")
    assert "waiting" in listed

    asked = len(site.asked)
    project.run("replay", "-O", "out.jsonl")
    items = project.items()
    assert len(site.asked) == asked, "nothing is fetched again"
    assert len({item["url"] for item in items}) == len(items)
    assert len(items) >= 10 if phase == "fetching" else len(items) == 41
    assert {item["mode"] for item in items} == {"two-pass"}
    assert all(FOOTER not in item["text"] for item in items)
    assert project.spools() == []
    _, err = project.run("replay", code=2)
    assert "no spool is waiting" in err


def test_a_failing_pipeline_keeps_the_spool(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(6))
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "WITNESS_FAILS_ON=/3"),
        code=1,
    )
    assert len(project.items()) == 6
    assert "scrapy replay" in err
    assert len(project.spools()) == 1
    project.run("replay", "-O", "again.jsonl")
    assert len(project.items("again.jsonl")) == 7
    assert project.spools() == []


def test_a_feed_that_loses_an_item_keeps_the_spool(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(6))
    project.append(
        "ownpipelines.py",
        "from scrapy.exporters import JsonLinesItemExporter\n\n\n"
        "class FullDisk(JsonLinesItemExporter):\n"
        "    def export_item(self, item):\n"
        "        if item.url.endswith('/3'):\n"
        "            raise OSError(28, 'No space left on device')\n"
        "        super().export_item(item)",
    )
    project.append("ownsettings.py", 'FEED_EXPORTERS = {"full": "ownpipelines.FullDisk"}')
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl:full", code=1)
    assert len(project.items()) == 6
    assert "The 7 held pages are kept" in err
    assert "items missing from the feeds: 1. Run 'scrapy replay -O FILE " in err
    assert len(project.spools()) == 1
    project.run("replay", "-O", "again.jsonl")
    assert len(project.items("again.jsonl")) == 7


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
def test_a_full_disk_at_the_feed_keeps_the_spool_and_is_told(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(6))
    call = ("crawl", "site", "-a", f"url={site.url}", "-O", "/dev/full:jsonlines")
    _, err = project.run(*call, "-s", "STATS_DUMP=True", code=1)
    assert "'feedexport/failed_count/FileFeedStorage': 1" in err
    (spool,) = project.spools()
    assert f"The 7 held pages are kept in {spool.relative_to(project.folder)}: a feed " in err
    assert "kept because: a feed could not be stored" in err
    project.run("replay", "-O", "out.jsonl")
    assert len(project.items()) == 7
    assert project.spools() == []


def test_pages_that_nothing_takes_are_warned_of_and_kept(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(6))
    nowhere = ("-s", "ITEM_PIPELINES={}")
    limit = ("-s", "CORPUS_MAX_PAGE_BYTES=9000000")
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", *nowhere, *limit, code=1)
    lines = err.splitlines()
    (warning,) = [number for number, line in enumerate(lines) if "] WARNING: " in line]
    assert "There is no feed and no item pipeline" in lines[warning]
    assert "name a file with -O" in lines[warning]
    closing = next(number for number, line in enumerate(lines) if "Closing spider" in line)
    assert warning < closing, "it is told while something can be done"
    assert "7 fetched, 0 exported" in err
    assert "'scrapy replay -O FILE " in err
    (spool,) = project.spools()
    settings = spool_info(spool).settings
    assert settings["CORPUS_MAX_PAGE_BYTES"] == 9_000_000, "what a replay is to go by"
    assert "CORPUS_DIR" not in settings

    _, err = project.run("replay", *nowhere, code=1)
    assert "There is no feed and no item pipeline" in err
    assert len(project.spools()) == 1
    project.run("replay", *nowhere, "-O", "out.jsonl")
    assert len(project.items()) == 7
    assert project.spools() == []


def test_a_pipeline_alone_is_enough(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(3))
    _, err = project.run("crawl", "site", "-a", f"url={site.url}")
    assert "WARNING" not in err
    assert len(project.witnessed()) == 5
    assert project.spools() == []


def test_a_spool_that_is_kept_is_an_archive(project: Project, make_site: MakeSite) -> None:
    links = "".join(f'<a href="{path}">{path}</a>' for path in (*small_site(6), "/walk/20240501"))
    pages = {**small_site(6), "/": html(links), **split_article()}
    status, headers, body = pages["/a/3"]
    pages["/a/3"] = status, {**headers, "X-Robots-Tag": "noai", "TDM-Reservation": "1"}, body
    site = make_site(pages)
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "CORPUS_KEEP_SPOOL=1"),
        # Lists that lead nowhere are given up at once; the pages of an article are no lists.
        *("-a", "max_barren=1"),
    )
    joined = [item for item in project.items() if item["parts"]]
    assert [item["parts"] for item in joined] == [
        [f"{site.url}walk/20240501{end}" for end in ("", "?page=2", "?page=3")]
    ]
    assert [f"{word}, which" in joined[0]["text"] for word in WALKS] == [True] * 3
    assert "10 fetched, 7 exported" in err
    assert "joined      2" in err
    assert "waiting" not in err
    (archive,) = (project.folder / "corpus-data" / "spool").glob("*.warc.gz")
    project.run("crawl", "archive", "-a", f"path={archive}", "-O", "archive.jsonl")
    crawled = {item["url"]: (item["text"], item["robots"]) for item in project.items()}
    archived = {
        item["url"]: (item["text"], item["robots"]) for item in project.items("archive.jsonl")
    }
    assert archived == crawled
    asking = {url.removeprefix(site.url): robots for url, (_, robots) in crawled.items() if robots}
    assert asking == {"a/3": ["noai", "tdm"]}
    (again,) = [item for item in project.items("archive.jsonl") if item["parts"]]
    assert again["parts"] == joined[0]["parts"]
    assert {item["mode"] for item in project.items("archive.jsonl")} == {"archive"}


def test_a_later_crawl_streams_on_the_counts(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(12))
    project.run("crawl", "site", "-a", f"url={site.url}", "-O", "first.jsonl")
    site.pages["/a/99"] = html(article(99))
    site.pages["/"] = html('<a href="/a/99">new</a>')
    project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-s", "CORPUS_MODE=streaming"),
    )
    (piece,) = [item for item in project.items() if item["url"].endswith("/a/99")]
    assert piece["mode"] == "streaming"
    assert piece["site_pages"] == 13
    assert FOOTER not in piece["text"]
    assert "99th walk" in piece["text"]
    first = {item["counts_snapshot"] for item in project.items("first.jsonl")}
    assert {item["counts_snapshot"] for item in project.items()} == first


def test_streaming_a_site_never_counted_keeps_text_and_says_so(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(4))
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-s", "CORPUS_MODE=streaming"),
    )
    assert len(project.items()) == 5
    assert {item["site_pages"] for item in project.items()} == {0}
    assert "No counts of 127.0.0.1" in err


def test_a_spider_of_its_own_that_yields_items(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(6))
    project.append("ownspiders.py", f'Own.start_urls = ["{site.url}"]')
    project.run(*("crawl", "own", "-O", "out.jsonl", "-s", "ITEM_PIPELINES={}"))
    items = project.items()
    remarks = [item for item in items if item == {"remark": "not a page"}]
    pages = [item for item in items if "url" in item]
    assert len(remarks) == 6
    assert len(pages) == 6
    assert all(item["fields"] == {"section": "news", "seen": [1, 2]} for item in pages)
    assert all(FOOTER not in item["text"] for item in pages)


def test_a_spider_of_its_own_that_yields_responses(project: Project, make_site: MakeSite) -> None:
    picture = (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(40))
    index = html('<a href="/a/0">a</a><a href="/p.png">p</a>')
    site = make_site({**small_site(4), "/p.png": picture, "/": index})
    project.append("ownspiders.py", f'Yielding.start_urls = ["{site.url}"]')
    _, err = project.run("crawl", "yielding", "-O", "out.jsonl")
    assert {item["url"] for item in project.items()} == {f"{site.url}a/0"}
    assert "Skipped (not-html)" in err


def test_items_meant_as_pages_that_are_none_pass_and_are_told_of(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(6))
    project.append(
        "ownspiders.py",
        "class Flawed(Own):\n"
        "    name = 'flawed'\n"
        f"    start_urls = ['{site.url}']\n\n"
        "    def parse(self, response):\n"
        "        for output in super().parse(response):\n"
        "            if isinstance(output, dict) and output.get('url', '')[-2:] in ('/2', '/3'):\n"
        "                output['html'] = None\n"
        "            yield output",
    )
    call = ("crawl", "flawed", "-O", "out.jsonl", "-s", "ITEM_PIPELINES={}")
    _, err = project.run(*call, "-s", "STATS_DUMP=True")
    assert "'corpus/items/flawed': 2" in err
    (warning,) = [line for line in err.splitlines() if "] WARNING: " in line]
    assert "its html is None" in warning
    items = [item for item in project.items() if "url" in item]
    assert len([item for item in items if "text" in item]) == 4
    assert [item["html"] for item in items if "text" not in item] == [None, None]


def test_a_spider_may_have_attributes_of_any_name(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(3))
    project.append(
        "ownspiders.py",
        "class Archivist(Own):\n"
        "    name = 'archivist'\n"
        f"    start_urls = ['{site.url}']\n"
        "    archive = 'https://archive.example/'\n"
        "    spool = ['thread']",
    )
    project.run("crawl", "archivist", "-O", "out.jsonl", "-s", "ITEM_PIPELINES={}")
    assert len([item for item in project.items() if "text" in item]) == 3


def test_an_address_that_a_spider_yields_twice_is_exported_twice_and_so_by_a_replay(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(4))
    project.append(
        "ownspiders.py",
        "class Twice(Own):\n"
        "    name = 'twice'\n"
        f"    start_urls = ['{site.url}']\n\n"
        "    def parse(self, response):\n"
        "        for output in super().parse(response):\n"
        "            yield output\n"
        "            if isinstance(output, dict) and output.get('url', '').endswith('/2'):\n"
        "                yield output",
    )
    nowhere = ("-s", "ITEM_PIPELINES={}")
    project.run("crawl", "twice", *nowhere, code=1)
    project.run("replay", "-O", "out.jsonl", *nowhere)
    numbers = sorted(item["url"][-1] for item in project.items())
    assert numbers == ["0", "1", "2", "2", "3"]
    assert {item["site_pages"] for item in project.items()} == {4}
