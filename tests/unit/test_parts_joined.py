"""Articles cut into several pages leave as one item; whatever is not sure leaves by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.page.page import Page
from crawler.journey.item_page import Refusal, Stage
from crawler.settings import Options
from support.journeys import Journey, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from crawler.items import PageItem
    from crawler.journey.item_page import ItemPage

SITE = "https://s.example"
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron")
MENU = '<ul><li><a href="/">Home</a></li><li><a href="/about">About this site</a></li></ul>'
FOOTER = "<p>All rights reserved by the makers of this site, whatever stands on its pages.</p>"


def paragraph(word: str) -> str:
    return (
        f"The {word} grew behind the second house, and nobody who passed it on the way to the "
        f"station ever asked why {word} should grow there. In spring the {word} was the first to "
        "turn green, and the last to lose its leaves when the cold came down from the hills."
    )


def page(path: str, words: Iterable[str], **parts: str) -> Page:
    """Make a page of some words: title, lang, head, top and end may be given."""
    title = parts.get("title", "A long walk to the coast")
    text = "".join(f"<p>{paragraph(word)}</p>" for word in words)
    return Page.from_text(
        SITE + path,
        f"""<html lang="{parts.get("lang", "en")}"><head><title>{title}</title>
        <meta property="og:type" content="article">{parts.get("head", "")}</head><body>{MENU}
        <article><h1>{parts.get("heading", title)}</h1><p class="byline">By the editors</p>
        {parts.get("top", "")}{text}{parts.get("end", "")}</article>{FOOTER}</body></html>""",
        fetched_at="2026-06-01T10:00:00+00:00",
    )


def part(number: int, words: Sequence[str], last: int = 3, **parts: str) -> Page:
    """Make a part of the article /walk, with a pager."""
    path = "/walk" if number == 1 else f"/walk/{number}"
    links = [f'<a href="/walk/{n}">{n}</a>' if n > 1 else '<a href="/walk">1</a>'
             for n in range(1, last + 1)]  # fmt: skip
    pager = f'<div class="pager">{" ".join(links)}</div>'
    return page(path, words, **{"end": pager, **parts})


def three() -> list[Page]:
    dates = ('<meta property="article:modified_time" content="2026-05-0{}T08:00:00+00:00">',)
    return [
        part(1, WORDS[:2], head=dates[0].format(2)),
        part(2, WORDS[2:4], head=dates[0].format(4), top="<p>Page 2 of 3</p>"),
        part(3, WORDS[4:6], head=dates[0].format(3)),
    ]


def others() -> list[Page]:
    return [page(f"/about-{word}", [word, f"old {word}"], title=f"Of {word}")
            for word in ("gate", "house", "oak", "pond")]  # fmt: skip


def exported(
    folder: Path, pages: Sequence[Page], **options: object
) -> tuple[dict[str, PageItem], Tally]:
    values: dict[str, Any] = {"text_method": "article", "page_types": "all", **options}
    tally = Tally()
    crawl = Journey(Options(dir=folder, **values), "crawl-1", tally, mode="two-pass")
    for one in pages:
        assert crawl.count(one)
    items = list(crawl.items(pages))
    figures = tally["corpus/pages/joined"] + tally["corpus/pages/skipped"]
    assert len(items) + figures == len(pages), "every page is accounted for"
    assert sum(item.blocks_kept for item in items) == tally["corpus/blocks/kept"]
    return {item.url.removeprefix(SITE): item for item in items}, tally


def test_what_any_part_asks_of_robots_stands_on_the_item(tmp_path: Path) -> None:
    asks = [f'<meta name="robots" content="{wish}">' for wish in ("index", "noai", "noindex")]
    pages = [
        part(number + 1, WORDS[2 * number : 2 * number + 2], head=head)
        for number, head in enumerate(asks)
    ]
    items, _ = exported(tmp_path, [*pages, *others()])
    assert items["/walk"].robots == ["noai", "noindex"]
    assert items["/about-oak"].robots == []


def test_three_parts_leave_as_one_item_with_all_of_their_text(tmp_path: Path) -> None:
    items, tally = exported(
        tmp_path, [*three(), *others()], item_blocks=True, item_markdown=True, item_sources=True
    )
    assert set(items) == {"/walk", *(f"/about-{word}" for word in ("gate", "house", "oak", "pond"))}
    item = items["/walk"]
    assert item.parts == [f"{SITE}/walk", f"{SITE}/walk/2", f"{SITE}/walk/3"]
    assert [items[url].parts for url in items if url != "/walk"] == [None] * 4
    lines = item.text.split("\n")
    assert [line for line in lines if line.startswith("The ")] == [
        paragraph(word) for word in WORDS[:6]
    ]
    assert lines.count("A long walk to the coast") <= 1
    assert not any("Page 2 of 3" in line or "editors" in line for line in lines[2:])
    assert item.title == "A long walk to the coast"
    assert item.modified == "2026-05-04T08:00:00+00:00"
    assert tally["corpus/pages/joined"] == 2

    blocks = item.blocks or []
    assert [block["index"] for block in blocks] == list(range(len(blocks)))
    kept = [block for block in blocks if block["kept"]]
    assert "\n".join(block["text"] for block in kept) == item.text
    assert (item.blocks_kept, item.blocks_dropped) == (len(kept), len(blocks) - len(kept))
    by_index = {block["index"]: block["text"] for block in kept}
    sentences = item.sentences or []
    assert len(sentences) >= 12
    assert all(one["text"] in by_index[one["block"]] for one in sentences)
    assert item.markdown is not None
    assert all(paragraph(word) in item.markdown for word in WORDS[:6])


def test_each_part_leaves_by_itself_where_that_is_wished(tmp_path: Path) -> None:
    items, tally = exported(tmp_path, [*three(), *others()], join_parts=False)
    assert {"/walk", "/walk/2", "/walk/3"} < set(items)
    assert {item.parts for item in items.values()} == {None}
    assert tally["corpus/pages/joined"] == 0


def test_a_streaming_crawl_exports_each_part_by_itself(tmp_path: Path) -> None:
    options = Options(dir=tmp_path, page_types=("all",))
    crawl = Journey(options, "crawl-1", Tally(), mode="streaming")
    items = [item for one in three() if (item := crawl.stream(one))]
    assert [item.url for item in items] == [one.url for one in three()]
    assert [item.parts for item in items] == [None] * 3


@pytest.mark.parametrize(
    ("missing", "joined"),
    [(0, {}), (1, {}), (2, {"/walk": ["/walk", "/walk/2"]})],
    ids=["the head never came", "the second never came", "the third never came"],
)
def test_what_never_came_is_not_joined_over(
    tmp_path: Path, missing: int, joined: dict[str, list[str]]
) -> None:
    pages = [one for number, one in enumerate(three()) if number != missing]
    items, _ = exported(tmp_path, [*pages, *others()])
    found = {
        url: [part.removeprefix(SITE) for part in item.parts]
        for url, item in items.items()
        if item.parts
    }
    assert found == joined


def test_parts_of_another_headline_or_language_leave_by_themselves(tmp_path: Path) -> None:
    first, second, third = three()
    other = part(2, WORDS[2:4], title="What the baker said to us at noon")
    items, _ = exported(tmp_path / "a", [first, other, third, *others()])
    assert {"/walk", "/walk/2", "/walk/3"} < set(items)
    translated = part(3, WORDS[4:6], lang="de")
    items, _ = exported(tmp_path / "b", [first, second, translated, *others()])
    assert (items["/walk"].parts or [])[-1] == f"{SITE}/walk/2"
    assert items["/walk/3"].parts is None


def test_lists_with_next_pages_are_not_joined(tmp_path: Path) -> None:
    rows = "".join(f'<li><a href="/boots/{n}">Boot {n}</a> 20.00</li>' for n in range(30))
    pager = '<a rel="next" href="/boots?page=2">Next page</a>'
    pages = [
        Page.from_text(
            f"{SITE}/boots{query}",
            f"<html><title>Boots</title><h1>Boots</h1>{paragraph(text)}<ul>{rows}</ul>{link}</html>",
        )
        for query, link, text in (("", pager, "amber"), ("?page=2", "", "birch"))
    ]
    items, _ = exported(tmp_path, [*pages, *others()])
    assert items["/boots"].parts is items["/boots?page=2"].parts is None


def test_a_page_without_text_is_an_item_for_its_tables_alone(tmp_path: Path) -> None:
    months = "".join(
        f"<tr><td>2026-0{n}</td><td>{n}.5</td><td>{n * 9}</td></tr>" for n in range(1, 9)
    )
    data = f"<table><tr><th>Month</th><th>Rain</th><th>Days</th></tr>{months}</table>"
    cells = "".join(f'<a href="/{n}">Piece {n}</a><br>' for n in range(9))
    pages = [
        Page.from_text(SITE + path, f"<html><title>T</title><body>{body}</body></html>")
        for path, body in (
            ("/data", data),
            ("/links", f"<table><tr><td>{cells}</table>"),
            ("/empty", ""),
        )
    ]
    items, tally = exported(tmp_path, [*pages, *others()])
    assert {"/data", "/links", "/empty"} & set(items) == {"/data"}
    assert tally["corpus/skipped/no-text"] == 2


@pytest.mark.parametrize("step", [-1, 2, 3, 5])
def test_the_order_of_pages_changes_no_item(tmp_path: Path, step: int) -> None:
    pages = [*three(), *others(), page("/walk?page=2", WORDS[6:])]
    # Eight pages: every step is prime to that, and each order holds them all.
    order = [pages[step * n % 8] for n in range(8)] if step % 2 else [*pages[::2], *pages[1::2]]
    assert sorted(one.url for one in order) == sorted(one.url for one in pages)
    items, tally = exported(tmp_path / "a", pages)
    shuffled, figures = exported(tmp_path / "b", order)
    assert shuffled == items
    assert figures == tally


def test_a_page_that_comes_again_under_a_number_is_no_part(tmp_path: Path) -> None:
    first, second, third = three()
    again = Page.from_text(f"{SITE}/walk/2", first.body.decode())
    items, _ = exported(tmp_path / "a", [first, again, *others()])
    assert items["/walk"].parts is None
    # Page 1 has an address with its number as well: it claims the second part, and has no right to.
    numbered = [
        page("/walk", WORDS[:2], end='<a href="/walk?page=2">2</a>'),
        page("/walk?page=1", WORDS[:2], end='<a href="/walk?page=2">2</a>'),
        page("/walk?page=2", WORDS[2:4]),
    ]
    items, _ = exported(tmp_path / "b", [*numbered, *others()])
    assert items["/walk"].parts == [f"{SITE}/walk", f"{SITE}/walk?page=2"]
    assert items["/walk?page=1"].near_duplicate_of == f"{SITE}/walk"
    assert second.url != third.url


def test_copies_of_all_parts_are_left_out_one_by_one(tmp_path: Path) -> None:
    copies = [
        Page.from_text(
            one.url.replace("/walk", "/print/walk"),
            one.body.decode().replace("/walk", "/print/walk"),
        )
        for one in three()
    ]
    pages = [*three(), *copies, *others()]
    items, tally = exported(tmp_path / "a", pages, drop_near_duplicates=True)
    assert tally["corpus/skipped/near-duplicate"] == 3
    assert tally["corpus/pages/joined"] == 2
    assert len(items["/walk"].parts or []) == 3
    items, _ = exported(tmp_path / "b", pages)
    assert items["/print/walk"].near_duplicate_of == f"{SITE}/walk"
    assert len(items["/print/walk"].parts or []) == 3


def test_a_part_that_cannot_be_made_an_item_of_costs_itself_alone(tmp_path: Path) -> None:
    crawl = Journey(Options(dir=tmp_path, page_types=("all",)), "c", Tally(), mode="two-pass")
    pages = [*three(), *others()]
    for one in pages:
        crawl.count(one)
    broken = Page(url=pages[1].url, body=b"", site="s.example")
    items = list(crawl.items([pages[0], broken, *pages[2:]]))
    assert crawl.lost == 1
    assert sorted(item.url.removeprefix(SITE) for item in items if "/walk" in item.url) == [
        "/walk", "/walk/3"
    ]  # fmt: skip
    assert {item.parts for item in items} == {None}


def test_parts_that_are_not_read_again_keep_none_of_the_others(tmp_path: Path) -> None:
    crawl = Journey(Options(dir=tmp_path, page_types=("all",)), "c", Tally(), mode="two-pass")
    for one in three():
        crawl.count(one)
    items = list(crawl.items(three()[:2]))
    assert [item.parts for item in items] == [[f"{SITE}/walk", f"{SITE}/walk/2"]]


def test_what_a_stage_refuses_is_recorded_of_all_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refuses(Stage):
        def process(self, item: PageItem, page: ItemPage) -> None:  # noqa: ARG002 - as all stages
            raise Refusal("own", "it is refused", kind="listing")

    crawl = Journey(Options(dir=tmp_path), "crawl-1", Tally(), mode="two-pass")
    for page in three():
        crawl.count(page)
    recorded: list[tuple[str, str]] = []
    monkeypatch.setattr(
        crawl.session, "mark_without_item", lambda url, why: recorded.append((url, why.kind))
    )
    (item,) = crawl.session.items(three())
    assert not crawl.session.run(Refuses(Options(), Tally()), item)
    assert recorded == [(page.url, "listing") for page in three()]
