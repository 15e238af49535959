"""``scrapy counts`` as it is called: after real crawls, and where there were none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from parsel import Selector

from crawler.core.flow import SiteCounts, get_method, observe, read
from crawler.core.page.page import Page
from crawler.store.counts import CountStore
from support.crawling import Project, article, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from crawler.demo.server import Answer
    from support.crawling import Site

    MakeSite = Callable[[Mapping[str, Answer]], Site]


def keep(project: Project, site: str, pages: int, crawls: int = 1, method: str = "") -> Path:
    """Keep counts as crawls do; return the last file."""
    store = CountStore(project.folder / "corpus-data" / "counts")
    for crawl in range(crawls):
        counts = SiteCounts()
        for number in range(pages):
            page = Page.from_text(f"https://{site}/{crawl}/{number}", article(number + 7 * crawl))
            counts.add(observe(read(page), get_method(method) if method else None))
        path = store.save(site, f"crawl-{crawl}", counts)
    return path


def table(out: str, title: str) -> list[list[str]]:
    """Read the rows below the line that begins with a title."""
    lines = out.splitlines()
    (start,) = [number for number, line in enumerate(lines) if line.startswith(title)]
    rows = []
    for line in lines[start + 1 :]:
        if not line:
            break
        rows.append(line.split())
    return rows


def test_after_a_crawl_its_site_is_listed_and_shown(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(10))
    project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    name = project.items()[0]["site"]
    out, err = project.run("counts")
    assert err == ""
    (row,) = table(out, "site ")
    assert row[:4] == [name, "11", "11", "0"]
    assert row[5] == "1"

    out, err = project.run("counts", name)
    assert err == ""
    assert table(out, "site ")[0][:4] == [name, "11", "11", "0"]
    assert project.items()[0]["counts_snapshot"] in out
    frequencies = table(out, "visible blocks, by distinct pages")
    assert frequencies[0][0] == "1"
    assert frequencies[-1] == ["11", "1", "11"], "the footer stands on all"
    assert sum(int(row[1]) for row in frequencies) == int(
        table(project.run("counts")[0], "site ")[0][4]
    )
    assert table(out, "method")[0][:3] == ["article", "(in", "use)"]
    assert table(out, "method")[0][-1] == "1"


def test_a_page_shows_the_curve_of_each_site(project: Project) -> None:
    keep(project, "a.example", 5)
    keep(project, "b.example", 4)
    out, _ = project.run("counts", "--html", "all.html")
    assert "2 sites" in out
    shown = Selector((project.folder / "all.html").read_text("utf-8"))
    assert shown.css("h2::text").getall() == ["a.example", "b.example"]
    assert [cells.css("td::text").getall()[1] for cells in shown.css("table")[0].css("tr")[1:]] == [
        "5",
        "4",
    ]
    for plot in shown.css("svg"):
        # A point for each frequency, and the threshold of the method as a line.
        assert plot.css("path.dots::attr(d)").get("").count("h0") >= 2
        assert len(plot.css("path.line")) == 1
    project.run("counts", "https://www.a.example/x", "--html", "new/one.html")
    assert Selector((project.folder / "new" / "one.html").read_text("utf-8")).css(
        "h2::text"
    ).getall() == ["a.example"]
    _, err = project.run("counts", "--html", "new/one.html/at.html", code=2)
    assert "--html" in err


def test_crawls_add_up_and_sums_of_methods_are_shown_with_their_threshold(
    project: Project,
) -> None:
    keep(project, "a.example", 5, crawls=2, method="frequency")
    keep(project, "b.example", 4)
    out, _ = project.run("counts")
    assert [row[0] for row in table(out, "site ")] == ["a.example", "b.example"]
    assert [row[1] for row in table(out, "site ")] == ["10", "4"]
    assert [row[5] for row in table(out, "site ")] == ["2", "1"]

    out, _ = project.run("counts", "a.example", "-s", "CORPUS_TEXT_METHOD=frequency")
    assert table(out, "text-nodes, by occurrences")[-1][0] == "10"
    methods = table(out, "method")
    assert methods[0][:3] == ["frequency", "(in", "use)"]
    assert methods[0][-1].isdigit() or methods[0][-1] == "all"
    assert methods[1][0] == "frequency-adaptive"
    assert "text-nodes" not in project.run("counts", "b.example")[0]


def test_damaged_counts_are_told_of_and_the_others_shown(project: Project) -> None:
    path = keep(project, "a.example", 4, crawls=2)
    path.write_bytes(b"PK")
    out, err = project.run("counts", "a.example")
    (row,) = table(out, "site ")
    assert (row[1], row[5]) == ("4", "2")
    (line,) = err.splitlines()
    assert line.startswith("scrapy counts: ")
    assert line.endswith("crawl-1.npz is damaged; delete it and crawl again")


def test_where_no_crawl_was(project: Project) -> None:
    out, err = project.run("counts")
    assert out.startswith("No counts in corpus-data/counts: crawl a site first")
    assert err == ""
    assert not (project.folder / "corpus-data").exists(), "looking makes nothing"


MISTAKES: list[tuple[list[str], str]] = [
    (["z.example"], "no counts of z.example in corpus-data/counts; there are those of: a.example"),
    (["a.example", "b.example"], "name one site at a time"),
    (["a.example", "--curvy=x"], "unknown option --curvy=x"),
    (["a.example", "-s", "CORPUS_MOOD=x"], "CORPUS_MODE"),
    (["a.example", "-s", "CORPUS_TEXT_METHOD=best"], "no text method 'best'"),
    (["a.example", "-s", "CORPUS_DIR=none"], "no counts of a.example in none/counts; crawl a"),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES)
def test_a_mistake_is_one_line(project: Project, arguments: list[str], words: str) -> None:
    keep(project, "a.example", 2)
    out, err = project.run("counts", *arguments, code=2)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("scrapy counts: ")
    assert words in line
