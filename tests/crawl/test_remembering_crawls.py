"""Crawls that remember, where a site or the disk gives trouble."""

from __future__ import annotations

import re
import sqlite3
import time
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import Answer, serve
from support.crawling import article, html, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from support.crawling import Project, Site

REMEMBERING = ("-s", "CORPUS_INCREMENTAL=1", "-a", "from=links", "-s", "DOWNLOAD_DELAY=0")


def to(target: str, status: int) -> Answer:
    return status, {"Location": target}, b""


def next_second() -> None:
    """Wait until the clock shows another second: a ledger knows seconds.

    What was asked for in the second in which a crawl begins is not due.
    """
    now = int(time.time())
    while int(time.time()) == now:
        time.sleep(0.01)


def changes(project: Project) -> list[tuple[str, str]]:
    """Return the last part's items: path and change of each."""
    folder = project.folder / "corpus-data" / "articles"
    last = max(folder.glob("*/*.jsonl"), key=lambda part: part.name)
    items = project.items(str(last.relative_to(project.folder)))
    named = [(item["url"].rpartition("/")[2], item["change"]) for item in items]
    return sorted(pair for pair in named if pair[0])


def test_what_leads_elsewhere_for_now_is_asked_for_again(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    names = ("one", "two", "three", "soon", "closed")
    pages = {f"/{name}": html(article(number)) for number, name in enumerate(names)}
    front = html("".join(f'<p><a href="/{name}">{name}</a></p>' for name in names))
    begun = {**pages, "/": front, "/soon": html("", 404), "/closed": to("/", 302)}
    site = make_site(begun)
    crawl = ("crawl", "site", "-a", f"url={site.url}", "-a", "recheck=0", *REMEMBERING)
    project.run(*crawl)
    assert changes(project) == [("one", "new"), ("three", "new"), ("two", "new")]
    site.pages.update({"/soon": pages["/soon"], "/closed": pages["/closed"]})
    site.pages["/one"] = to("/", 301)
    next_second()
    project.run(*crawl)
    assert changes(project) == [("closed", "new"), ("one", "gone"), ("soon", "new")]


def test_a_site_in_trouble_loses_no_article(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    pages = {f"/news/{number}": html(article(number)) for number in range(12)}
    login = {f"/login?next=/news/{number}": html("<p>Log in, please.") for number in range(6)}
    front = html("".join(f'<p><a href="{path}">{path}</a></p>' for path in pages))
    closed = html("<p>Back in an hour.")
    site = make_site({**pages, **login, "/": front, "/maintenance": closed})
    crawl = ("crawl", "site", "-a", f"url={site.url}", "-a", "recheck=0", *REMEMBERING)
    project.run(*crawl)
    for number, path in enumerate(pages):
        there = f"/login?next={path}" if number < 6 else "/maintenance"
        site.pages[path] = to(there, 302 if number < 6 else 301)
    next_second()
    _, err = project.run(*crawl)
    assert changes(project) == [("maintenance", "new")]
    assert "  kept        12 " in err
    site.pages.update(pages)
    site.pages["/news/7"] = html(article(77))
    next_second()
    project.run(*crawl)
    assert changes(project) == [("7", "changed")]


def test_a_site_that_has_none_of_its_articles_keeps_them(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    pages = {f"/news/{number}": html(article(number)) for number in range(12)}
    front = html("".join(f'<p><a href="{path}">{path}</a></p>' for path in pages))
    site = make_site({**pages, "/": front})
    crawl = ("crawl", "site", "-a", f"url={site.url}", "-a", "recheck=0", *REMEMBERING)
    project.run(*crawl)
    begun = changes(project)
    site.pages.update(dict.fromkeys(pages, html("", 404)))
    next_second()
    _, err = project.run(*crawl)
    assert changes(project) == begun, "there is no further part"
    assert err.count("the site seems to be in trouble") == 1
    assert "  kept        12 " in err
    site.pages.update(pages)
    site.pages["/news/7"] = html("", 404)
    site.pages["/news/8"] = html(article(88))
    next_second()
    project.run(*crawl)
    assert changes(project) == [("7", "gone"), ("8", "changed")]


@pytest.mark.parametrize("kinds", ["all", "article"])
def test_a_login_page_in_place_of_all_articles_replaces_and_withdraws_none(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site], kinds: str
) -> None:
    pages = {f"/news/{number}": html(article(number)) for number in range(30)}
    front = html("".join(f'<p><a href="{path}">{path}</a></p>' for path in pages))
    site = make_site({**pages, "/": front})
    crawl = (
        *("crawl", "site", "-a", f"url={site.url}", "-a", "recheck=0", *REMEMBERING),
        *("-s", f"CORPUS_PAGE_TYPES={kinds}"),
    )
    project.run(*crawl)
    begun = changes(project)
    assert [change for _, change in begun] == ["new"] * 30
    for number, path in enumerate(pages):
        # The menu and the footer are those of the site, so that its template is known.
        body = re.sub(
            "<h1>.*?</p>.*?</p>", f"<h1>Log in</h1><p>At 12:{number:02} asked for by r-{number}, "
            "the paper is for members alone from now on, and who is one signs in here.</p>"
            "<form><input name=user><input name=password type=password></form>",
            article(0), flags=re.DOTALL,
        )  # fmt: skip
        site.pages[path] = html(body)
    next_second()
    site.asked.clear()
    _, err = project.run(*crawl)
    wrong = pages.keys() & set(site.asked)
    assert len(wrong) == 10
    assert err.count("the site seems to be in trouble") == 1
    assert "  kept        10 " in err
    assert changes(project) == begun, "there is no further part"
    site.pages.update(pages)
    site.pages[changed := min(wrong)] = html(article(77))
    next_second()
    site.asked.clear()
    project.run(*crawl)
    assert wrong <= set(site.asked)
    assert changes(project) == [(changed.rpartition("/")[2], "changed")]


def test_a_paused_crawl_whose_queue_was_damaged_is_refused_in_one_line(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    site = make_site(small_site(12))
    crawl = ("crawl", "site", "-a", f"url={site.url}", "-a", "from=links", "-s", "JOBDIR=job")
    project.run(*crawl, "-o", "out.jsonl", "-s", "CLOSESPIDER_PAGECOUNT=2")
    job = project.folder / "job"
    chunk = next(path for path in job.rglob("q0*") if path.stat().st_size > 99)
    whole = chunk.read_bytes()
    chunk.write_bytes(whole[:60] + bytes([whole[60] ^ 1]) + whole[61:])
    site.asked.clear()
    _, err = project.run(*crawl, "-o", "out.jsonl", code=1)
    assert site.asked == []
    assert err.count(str(chunk.relative_to(job))) == 1
    assert "Traceback" not in err
    chunk.write_bytes(whole)
    project.run(*crawl, "-o", "out.jsonl")
    assert len({item["url"] for item in project.items()}) == len(project.items()) == 13


class Trap(dict[str, Answer]):
    """A site that spoils the ledger of its crawl when one page is asked for."""

    ledgers: Path

    def get(self, key: str, default: Answer | None = None) -> Answer | None:  # type: ignore[override] # of the one use
        if key == "/1":
            (path,) = self.ledgers.glob("*.sqlite")
            spoiling = sqlite3.connect(path)
            spoiling.execute("DROP TABLE pages")
            spoiling.close()
        return super().get(key, default)


def test_a_ledger_that_fails_ends_the_crawl_in_one_line(project: Project) -> None:
    pages = Trap({f"/{number}": html(article(number)) for number in range(1, 6)})
    pages["/"] = html("".join(f'<p><a href="{path}">{path}</a></p>' for path in pages))
    pages.ledgers = project.folder / "corpus-data" / "ledger"
    with serve(pages) as url:
        _, err = project.run("crawl", "site", "-a", f"url={url}/", *REMEMBERING, code=1)
    assert err.count("The crawl stops: ") == 1
    assert "Closing spider (ledger_failed)" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "fails", ["UPDATE ON runs WHEN NEW.reason = 'killed'", "UPDATE OF state ON pages WHEN 1"]
)
def test_a_ledger_that_fails_as_a_crawl_starts_ends_it_in_one_line(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site], fails: str
) -> None:
    site = make_site({"/": html(article(1))})
    crawl = ("crawl", "site", "-a", f"url={site.url}", *REMEMBERING)
    project.run(*crawl)
    (path,) = (project.folder / "corpus-data" / "ledger").glob("*.sqlite")
    spoiling = sqlite3.connect(path)
    # As if the first crawl had been killed, and as if there were no room any more.
    spoiling.execute("UPDATE runs SET ended = NULL, reason = NULL")
    spoiling.execute(
        f"CREATE TRIGGER full BEFORE {fails} BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
    )
    spoiling.commit()
    spoiling.close()
    _, err = project.run(*crawl, code=1)
    assert err.count("The crawl stops: ") == 1
    assert "Closing spider (ledger_failed)" in err
    assert "Traceback" not in err
