"""A disk that is full or write-protected: one line says what to do, and nothing is destroyed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.crawling import Project, Site, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

pytestmark = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="no device that is always full here"
)


@pytest.mark.parametrize("name", ["/proc/none/out.jsonl", "ownsettings.py/out.jsonl"])
def test_an_output_that_cannot_be_made_ends_in_one_line_before_the_crawl(
    project: Project, make_site: MakeSite, name: str
) -> None:
    site = make_site(small_site(2))
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", name, code=2)
    assert "Traceback" not in err
    assert site.asked == []


def test_a_full_disk_at_the_output_is_one_line_and_leaves_what_was_there(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(6))
    (project.folder / "out.jsonl").write_text("an earlier crawl's\n", "utf-8")
    (project.folder / "out.jsonl.aside").symlink_to("/dev/full")
    _, err = project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", code=1)
    assert "Traceback" not in err
    assert err.count("No space left on device") == 1
    assert (project.folder / "out.jsonl").read_text("utf-8") == "an earlier crawl's\n"
    project.run("replay", "-O", "again.jsonl")
    assert len(project.items("again.jsonl")) == 7


def test_a_full_disk_at_the_log_is_one_line_and_costs_the_crawl_nothing(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(2))
    crawl = ("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    _, err = project.run(*crawl, "--logfile", "/dev/full")
    words = "The log file /dev/full cannot be written: No space left on device. The work goes on"
    assert err == f"{words} without it\n"
    assert len(project.items()) == 3
    site.asked.clear()
    _, err = project.run(*crawl, "--logfile", "/proc/none/log", code=2)
    assert err.startswith("scrapy crawl: the log file /proc/none/log cannot be written: ")
    assert err.count("\n") == 1
    assert site.asked == []


def test_a_field_that_is_too_large_costs_its_page_alone(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(4))
    spiders = project.folder / "ownspiders.py"
    large = '"x" * (17 << 20) if response.url.endswith("/2") else ""'
    spiders.write_text(spiders.read_text("utf-8").replace("[1, 2]", large), "utf-8")
    project.append("ownspiders.py", f"Own.start_urls = [{site.url!r}]")
    _, err = project.run("crawl", "own", "-O", "out.jsonl", "-s", "STATS_DUMP=True", code=1)
    assert "'corpus/skipped/not-held': 1" in err
    assert "'finish_reason': 'finished'" in err
    pages = {item["url"][-1] for item in project.items() if "url" in item and "text" in item}
    assert pages == {"0", "1", "3"}
