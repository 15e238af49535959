"""Ctrl-C ends a crawl with the requests under way, of which there are few."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.crawling import Held, Project, Site, html, interrupt, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

SLOWLY = ("-s", "DOWNLOAD_DELAY=0.3", "-s", "LOGSTATS_INTERVAL=0.1", "-O", "out.jsonl")


@pytest.mark.parametrize("spider", ["site", "urls"])
def test_a_stopped_crawl_asks_for_no_more_than_one_or_two_further_pages(
    project: Project, make_site: MakeSite, spider: str
) -> None:
    project.append("ownsettings.py", "CONCURRENT_REQUESTS_PER_DOMAIN = 1")
    pages = Held(small_site(30), first=3)
    site = make_site(pages)
    addresses = " ".join(f"{site.url}{path[1:]}" for path in site.pages)
    start = f"url={site.url}" if spider == "site" else f"urls={addresses}"
    links = ["-a", "from=links"] if spider == "site" else []
    process = project.start("crawl", spider, "-a", start, *links, *SLOWLY)
    project.wait_for(lambda: len(site.asked) >= 4, process)
    interrupt(process)
    pages.let_go.set()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert 4 <= len(site.asked) <= 6
    assert len(project.items()) == len(site.asked)
    assert re.search(r"INFO: stopping: \d pages fetched", err)
    assert "Crawl ended early (shutdown)" in err


@pytest.mark.parametrize("robots", [True, False])
@pytest.mark.parametrize("job", [(), ("-s", "JOBDIR=job")])
def test_a_crawl_whose_first_request_hangs_ends_at_ctrl_c_and_is_told_as_interrupted(
    project: Project, make_site: MakeSite, job: tuple[str, ...], *, robots: bool
) -> None:
    pages = Held(small_site(3), first=0)
    site = make_site(pages)
    crawl = (
        *("crawl", "site", "-a", f"url={site.url}", "-a", "from=links", "-O", "out.jsonl"),
        *("-s", f"ROBOTSTXT_OBEY={robots}", "-s", "DOWNLOAD_DELAY=0", *job),
    )
    process = project.start(*crawl)
    project.wait_for(lambda: len(site.asked) == 1, process)
    interrupt(process)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in err
    assert "Retrying" not in err
    assert err.count("Not fetched (interrupted)") == (not job)
    assert "Crawl ended early (shutdown)" in err
    pages.let_go.set()
    project.run(*crawl)
    assert len(project.items()) == 4


def test_as_many_requests_are_under_way_as_are_allowed(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site({"/": html("".join(f'<a href="/a/{n}">x</a>' for n in range(40)))})
    site.pages.update({path: answer for path, answer in small_site(40).items() if path != "/"})
    project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8"),
    )
    assert len(project.items()) == 40


def test_several_sites_do_not_wait_for_each_other(project: Project, make_site: MakeSite) -> None:
    sites = [make_site(small_site(6)) for _ in range(3)]
    addresses = " ".join(site.url for site in sites)
    project.run(
        *("crawl", "site", "-a", f"url={addresses}", "-O", "out.jsonl"),
        *("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "-s", "CONCURRENT_REQUESTS=2"),
    )
    assert len(project.items()) == 21


def test_a_stopped_run_of_a_wrapper_leaves_the_output_of_before(
    project: Project, make_site: MakeSite
) -> None:
    (project.folder / "page.html").write_text("<h1>Boats</h1><p>One.</p>")
    project.run("wrap", "learn", "boats.h2x", "page.html", "--field", "name=Boats")
    (project.folder / "boats.csv").write_text("url,name\n")
    pages = Held(small_site(3), first=2)
    site = make_site(pages)
    urls = [f"{site.url}{path[1:]}" for path in site.pages]
    process = project.start("wrap", "boats.h2x", *urls, "-O", "boats.csv")
    project.wait_for(lambda: len(site.asked) >= 3, process)
    interrupt(process)
    pages.let_go.set()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "scrapy wrap: stopped\n")
    assert (project.folder / "boats.csv").read_text() == "url,name\n"
