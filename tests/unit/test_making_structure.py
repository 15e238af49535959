"""Structures on the items of a crawl's journey: split articles, other methods, later crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from crawler.core.page.page import Page
from crawler.settings import REPLAYED, Options
from support.journeys import Journey, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crawler.items import PageItem

SITE = "https://s.example"
WORDS = ("amber", "birch", "cedar", "delta")


def paragraph(word: str) -> str:
    return (
        f"The {word} grew behind the second house, and nobody who passed it on the way to the "
        f"station ever asked why {word} should grow there. In spring the {word} was the first to "
        "turn green, and the last to lose its leaves when the cold came down from the hills."
    )


def part(number: int) -> Page:
    """Make a page of an article that stands on two."""
    words = WORDS[2 * number - 2 : 2 * number]
    return Page.from_text(
        f"{SITE}/walk/{number}" if number > 1 else f"{SITE}/walk",
        f"""<html lang="en"><head><title>A long walk to the coast</title>
        <meta property="og:type" content="article"></head><body><ul><li><a href="/">Home</a></ul>
        <article><h1>A long walk to the coast</h1>{"".join(f"<p>{paragraph(w)}</p>" for w in words)}
        <div class="pager"><a href="/walk">1</a> <a href="/walk/2">2</a></div></article>
        <p>All rights reserved by the makers of this site.</p></body></html>""",
        fetched_at="2026-06-01T10:00:00+00:00",
    )


def options(folder: Path, method: str = "article", *, join_parts: bool = True) -> Options:
    return Options(
        dir=folder,
        text_method=method,
        page_types=("all",),
        structure_model="news",
        join_parts=join_parts,
    )


def exported(pages: Sequence[Page], chosen: Options) -> tuple[dict[str, PageItem], Tally]:
    tally = Tally()
    crawl = Journey(chosen, "crawl-1", tally, mode="two-pass")
    for page in pages:
        assert crawl.count(page)
    return {item.url.removeprefix(SITE): item for item in crawl.items(pages)}, tally


def paragraphs(item: PageItem) -> list[str]:
    assert item.structure is not None
    root = etree.fromstring(item.structure.encode())
    return [" ".join((node.text or "").split()) for node in root.iter("paragraph")]


def test_an_article_on_several_pages_has_the_structure_of_the_first(tmp_path: Path) -> None:
    items, tally = exported([part(1), part(2)], options(tmp_path))
    (item,) = items.values()
    assert item.parts == [f"{SITE}/walk", f"{SITE}/walk/2"]
    assert all(paragraph(word) in item.text for word in WORDS)
    assert paragraphs(item) == [paragraph(word) for word in WORDS[:2]]
    assert tally["corpus/structure/pages"] == 1


def test_each_page_has_its_own_where_none_are_joined(tmp_path: Path) -> None:
    items, _ = exported([part(1), part(2)], options(tmp_path, join_parts=False))
    assert [paragraphs(items[url]) for url in ("/walk", "/walk/2")] == [
        [paragraph(word) for word in WORDS[:2]],
        [paragraph(word) for word in WORDS[2:]],
    ]


@pytest.mark.parametrize("method", ["all-text", "frequency", "frequency-adaptive"])
def test_the_main_text_of_the_structure_is_that_of_the_item(tmp_path: Path, method: str) -> None:
    items, tally = exported([part(1), part(2)], options(tmp_path, method, join_parts=False))
    assert tally["corpus/structure/pages"] == len(items) == 2
    for item in items.values():
        found = paragraphs(item)
        assert found
        assert all(line in item.text for line in found)


def test_a_crawl_in_streaming_mode_has_structures(tmp_path: Path) -> None:
    chosen = options(tmp_path)
    crawl = Journey(chosen, "crawl-2", Tally(), mode="streaming")
    item = crawl.stream(part(1))
    assert item is not None
    assert paragraphs(item) == [paragraph(word) for word in WORDS[:2]]


def test_a_replay_takes_over_the_model_and_not_the_folder() -> None:
    assert {"CORPUS_STRUCTURE_MODEL", "CORPUS_STRUCTURE_METHOD"} <= set(REPLAYED)
    assert "CORPUS_STRUCTURE_FOLDER" not in REPLAYED
