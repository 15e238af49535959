"""Whatever fails on a page costs that page alone: it is counted, and the crawl goes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.crawling import FOOTER, Project, Site, article, html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

PAGES = 9
# Puts a function in the place of another, which fails on one page and never ends on another one.
FAULTY = """
import importlib

module = importlib.import_module("{module}")
sound = module.{name}


def faulty(page, *args, **kwargs):
    url = getattr(getattr(page, "page", page), "url", "")
    if url.endswith("/a/3"):
        raise ValueError("All strings must be XML compatible")
    while url.endswith("/a/5"):
        pass
    return sound(page, *args, **kwargs)


module.{name} = faulty
ITEM_PIPELINES = {{}}
CORPUS_PAGE_SECONDS = 1
CORPUS_CRAWL_REPORT = "report.json"
"""
FAULTS = {
    "the spider reads links": ("crawler.spiders.site", "page_links"),
    "the page is parsed": ("crawler.middlewares.to_page", "parse"),
    "blocks are read": ("crawler.journey.session", "read"),
    "a stage runs": ("crawler.journey.main_text", "annotate"),
}


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """Serve pages each of which links to the next one: what follows a fault is not lost."""
    pages = {
        f"/a/{n}": html(article(n, extra=f'<a href="/a/{n + 1}">on</a>')) for n in range(PAGES)
    }
    links = "".join(f'<li><a href="/a/{n}">Piece {n}</a></li>' for n in range(0, PAGES, 2))
    return make_site({"/": html(f"<ul>{links}</ul><p>{FOOTER}</p>"), **pages})


def figures(project: Project) -> dict[str, Any]:
    stats = json.loads((project.folder / "report.json").read_text("utf-8"))["stats"]
    return {
        name.removeprefix("corpus/"): value
        for name, value in stats.items()
        if name.startswith(("corpus/pages/", "corpus/skipped/"))
    }


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_pages_that_fail_or_never_end_are_counted_and_all_others_exported(
    project: Project, site: Site, fault: str
) -> None:
    module, name = FAULTS[fault]
    project.append("ownsettings.py", FAULTY.format(module=module, name=name))
    _, err = project.run(
        "crawl", "site", "-a", f"url={site.url}", "-a", "allow=/a/", "-O", "out.jsonl"
    )
    got = {item["url"].removeprefix(site.url) for item in project.items()}
    assert got - {""} == {f"a/{n}" for n in range(PAGES)} - {"a/3", "a/5"}
    stats = figures(project)
    assert (stats["skipped/error"], stats["skipped/time-limit"]) == (1, 1)
    assert stats["pages/fetched"] == stats["pages/exported"] + stats["pages/skipped"]
    assert f"{site.url}a/3" in err
    assert f"{site.url}a/5" in err
    assert "All strings must be XML compatible" in err
