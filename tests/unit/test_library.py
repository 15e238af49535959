"""The library: ``extract`` of one page, and ``Site``, whose items are those of an archive crawl."""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import crawler
from crawler import Page, PageItem, Site, extract
from crawler.core.errors import OptionError, UnknownMethodError
from crawler.items import FIELD_ORDER
from crawler.journey.extract import GivenPage
from support.archives import made_pages, one_process, options_for, write_archive
from support.crawling import FOOTER, article

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = [(f"https://s.example/{number}", article(number)) for number in range(6)]

_WORDS = (
    "tide",
    "harbour",
    "pier",
    "winter",
    "flood",
    "water",
    "board",
    "moon",
    "engine",
    "bridge",
)


def as_lines(items: list[PageItem]) -> list[str]:
    fields = [{name: getattr(item, name) for name in FIELD_ORDER} for item in items]
    return sorted(json.dumps(one) for one in fields)


@pytest.mark.parametrize("settings", [{}, {"page_types": "all", "join_parts": False}])
def test_a_site_gives_the_items_of_an_archive_crawl(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    pages = made_pages(2, 4)
    named = {name.upper(): value for name, value in settings.items()}
    paths = write_archive(tmp_path / "in", pages, 1)
    lines, skips = one_process(paths, options_for(tmp_path, **named))
    site = Site(tmp_path, **settings)
    items = list(site.items(iter(pages)))
    assert as_lines(items) == sorted(json.dumps(json.loads(line)) for line in lines)
    assert {
        name.removeprefix("corpus/skipped/"): count
        for name, count in site.stats.items()
        if name.startswith("corpus/skipped/")
    } == skips
    assert site.stats["corpus/pages/fetched"] == len(pages)
    assert site.stats["corpus/pages/exported"] == len(items)


def test_pages_are_text_bytes_or_pages_of_their_own_site() -> None:
    whole = [Page.from_text(url, html, site="one") for url, html in PAGES[2:]]
    mixed: list[GivenPage] = [PAGES[0], (PAGES[1][0], PAGES[1][1].encode()), *whole]
    items = list(Site(page_types="all").items(mixed))
    assert [item.url for item in items] == [url for url, _ in PAGES]
    assert {item.site: item.site_pages for item in items} == {"s.example": 2, "one": 4}
    assert all(FOOTER not in item.text and item.page is None for item in items)


def test_pages_are_taken_before_the_first_item_and_held_nowhere_after_the_last(
    tmp_path: Path,
) -> None:
    taken: list[str] = []

    def pages() -> Iterator[tuple[str, str]]:
        for page in PAGES:
            taken.append(page[0])
            yield page

    items = Site(tmp_path, page_types="all").items(pages())
    assert taken == []
    next(items)
    assert taken == [url for url, _ in PAGES]
    assert len(list(tmp_path.iterdir())) == 1
    assert len(list(items)) == len(PAGES) - 1
    assert list(tmp_path.iterdir()) == []


def test_an_unfinished_site_leaves_no_file(tmp_path: Path) -> None:
    items: Any = Site(tmp_path, page_types="all").items(PAGES)
    next(items)
    items.close()
    assert list(tmp_path.iterdir()) == []


def test_a_site_is_used_again_and_its_figures_add_up() -> None:
    site = Site(page_types="all")
    once, again = list(site.items(PAGES)), list(site.items(random.sample(PAGES, len(PAGES))))
    assert as_lines(once) == as_lines(again)
    assert site.stats["corpus/pages/fetched"] == 2 * len(PAGES)
    assert list(site.items([])) == []


@pytest.mark.parametrize("name", ["incremental", "keep_spool", "mode", "no_such"])
def test_settings_of_crawls_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match=name):
        extract("<p>Text</p>", **{name: "streaming"})
    with pytest.raises(OptionError, match=name):
        Site(**{name: "streaming"})


@pytest.mark.parametrize(
    ("name", "near"), [("favor_precision", None), ("item_markdwn", "item_markdown"), ("mod", None)]
)
def test_an_unknown_argument_is_named_as_it_was_given(name: str, near: str | None) -> None:
    wrong: dict[str, Any] = {name: True}
    with pytest.raises(OptionError, match=f"'{name}'") as error:
        extract("<p>Text</p>", **wrong)
    assert ("did you mean" in str(error.value)) == (near is not None)
    assert near is None or f"'{near}'" in str(error.value)


@pytest.mark.parametrize("place", ["pages/03.html", "03.html", "https://s.example/a", "C:\\a\\b"])
def test_the_path_of_a_page_is_not_taken_for_its_text(place: str) -> None:
    with pytest.raises(ValueError, match="read_bytes"):
        extract(place)


@pytest.mark.parametrize("text", ["Text", "No marks at all, and/or none.", "<p>a/b.c</p>"])
def test_text_without_marks_is_a_page(text: str) -> None:
    assert extract(text).text


@pytest.mark.parametrize("page", [None, 3, Path("pages"), ["<p>"]])
def test_what_is_no_page_is_refused(page: object) -> None:
    with pytest.raises(TypeError, match=type(page).__name__):
        extract(page)  # type: ignore[arg-type] # that is the point


@pytest.mark.parametrize("page", ["pages", Path("pages"), (None, "<p>x"), ("u", None), ("u",)])
def test_a_site_is_given_pages_alone(tmp_path: Path, page: object) -> None:
    with pytest.raises(TypeError, match="Page"):
        next(Site(tmp_path).items([PAGES[0], page]))  # type: ignore[list-item] # that is the point
    assert list(tmp_path.iterdir()) == []


def test_a_pair_in_the_wrong_order_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="address"):
        next(Site(tmp_path).items([("<p>Text</p>", "https://s.example/")]))


def test_a_wrong_method_is_an_error_before_the_first_page() -> None:
    with pytest.raises(UnknownMethodError):
        Site(text_method="none-such")


def test_every_public_name_is_found_and_described() -> None:
    assert crawler.__all__ == ["Page", "PageItem", "Site", "extract"]
    assert all(getattr(crawler, name).__doc__ for name in crawler.__all__)
    with pytest.raises(AttributeError):
        crawler.__getattr__("none_such")


@pytest.mark.slow
def test_the_korean_model_is_told_of_once_before_it_is_loaded(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pytest.importorskip("kiwipiepy")
    said = "비가 그친 뒤에 동네를 {} 바퀴 돌았다. 골목마다 물웅덩이가 {} 개 있었고, 아무도 없었다."
    pages = [
        (f"https://s.example/{number}", f"<h1>산책 {each}</h1><p>{said.format(each, each) * 3}")
        for number, each in enumerate(("한", "여러"))
    ]
    with caplog.at_level(logging.INFO, "crawler.progress"):
        assert all(item.sentences for item in Site(page_types="all").items(pages))
        told = [record for record in caplog.records if record.name == "crawler.progress"]
        assert len(told) == 1
        caplog.clear()
        list(Site(page_types="all", sentence_method="rule").items(pages))
    assert not [record for record in caplog.records if record.name == "crawler.progress"]


@pytest.mark.parametrize(("versions", "others"), [(2, 2), (2, 12), (3, 3), (3, 12), (4, 12)])
def test_versions_of_an_article_keep_their_text_on_a_small_site(versions: int, others: int) -> None:
    draw = random.Random(5)

    def paragraph() -> str:
        return " ".join(draw.choices(_WORDS, k=50)).capitalize() + "."

    def written(title: str, paragraphs: list[str]) -> str:
        body = "".join(f"<p>{text}</p>" for text in paragraphs)
        head = f"<html lang=en><title>{title} - News</title><body><h1>{title}</h1>"
        return f"{head}{body}<p>All rights reserved, News Ltd</p></body></html>"

    shared = [paragraph() for _ in range(9)]
    pages = []
    for number in range(versions):
        own = [*shared[:-1], f"{shared[-1]} The mayor said so {number} times."]
        pages.append((f"https://n.example/v{number}", written("Council votes", own)))
    for number in range(others):
        own = [paragraph() for _ in range(8)]
        pages.append((f"https://n.example/o{number}", written(paragraph()[:40], own)))
    items = [item for item in Site(page_types="all").items(pages) if "/v" in item.url]
    assert [item.near_duplicate_of is None for item in items] == [n == 0 for n in range(versions)]
    assert all(text in item.text for item in items for text in shared)


def test_pages_that_scripts_fill_are_no_versions_of_each_other() -> None:
    footer = (
        "<p>All rights of any kind are reserved by the makers of this shop and its partners.</p>"
    )
    shell = f"<html><title>Shop</title><body><div id=app></div>{footer}</body></html>"
    pages = [(f"https://n.example/{number}", shell) for number in range(3)]
    items = list(Site(page_types="all").items(pages))
    assert [item.near_duplicate_of for item in items] == [None] * len(items)


@pytest.mark.parametrize(("pages", "notice"), [(2, 400), (5, 600), (10, 1200)])
def test_articles_with_a_long_notice_are_no_versions_of_each_other(pages: int, notice: int) -> None:
    draw = random.Random(9)
    legal = " ".join(draw.choices(_WORDS, k=notice))
    given = []
    for number in range(pages):
        own = " ".join(draw.choices(_WORDS, k=60))
        body = f"<h1>Piece {number}</h1><p>{own}.</p><p>{legal}.</p>"
        given.append((f"https://n.example/{number}", f"<html><body>{body}</body></html>"))
    # The front page does not have it.
    given.append(("https://n.example/", "<html><body><p>Pieces of all kinds</p></body></html>"))
    items = Site(page_types="all").items(given)
    assert [item.near_duplicate_of for item in items] == [None] * len(given)
