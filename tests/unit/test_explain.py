"""What the core tells of its results after the fact: why a label, and where on the page."""

from __future__ import annotations

import pytest

from crawler.core.flow import Document, Page, SiteCounts, SiteView, get_method, observe, read
from crawler.core.metadata.origins import origins
from crawler.core.metadata.read import read_metadata
from crawler.core.methods.article.explain import STEPS, explain
from crawler.core.page.places import in_order, places_of, tiled
from crawler.core.structure.places import blocks_of_nodes
from crawler.core.structure.structure import lines_read, structure_of
from crawler.store.document_models import load_model

PROSE = "A sentence that is long enough to be taken for the prose of an article, and more of it. "


def document(html: str, url: str = "https://a.example/") -> Document:
    return read(Page.from_text(url, html))


def texts(html: str) -> list[list[str | None]]:
    return [
        [place.element.tail if place.is_tail else place.element.text for place in places]
        for places in places_of(document(html))
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one <b>two</b> three</p><p>four", [["one ", "two", " three"], ["four"]]),
        ("<div>one<p>two</p>three</div>", [["one"], ["two"], ["three"]]),
        ("<p>one<span hidden>no</span> two", [["one", " two"]]),
        ("<p>one<br><br>two", [["one"], ["two"]]),
        ("<p> <i></i> <a href=/>한국어</a>  </p><script>x</script><p>글", [["한국어"], ["글"]]),
        ("<pre><span>a</span>\n<span>b</span></pre>", [["a", "b"]]),
    ],
)
def test_a_block_is_found_where_it_stands(html: str, expected: list[list[str]]) -> None:
    assert texts(f"<body>{html}") == expected


def test_a_block_of_a_script_stands_nowhere() -> None:
    body = " ".join(f"<p>{PROSE * 2}{number}</p>" for number in range(9)).replace('"', "'")
    page = document(
        '<title>Herons of the river</title><script type="application/ld+json">'
        f'{{"@type":"Article","headline":"Herons of the river","articleBody":"{body}"}}</script>'
        "<h1>Herons of the river</h1><p>Shown</p>"
    )
    assert page.added
    found = places_of(page)
    assert [bool(places) for places in found] == [
        block.index not in page.added for block in page.blocks
    ]


def test_parts_are_found_in_the_texts_that_they_tile() -> None:
    texts = ["Gazette - News", "Gazette", "One. Two. One.", "not read", "Two."]
    parts = ["Gazette", "One.", "Two.", "One.", "unseen", "Two."]
    assert tiled(texts, parts) == [1, 2, 2, 2, None, 4]
    assert tiled([], ["a"]) == [None]
    assert in_order(["ab", "c", "d"], ["a b c", "", "x", "d"]) == [
        range(2), range(0), range(0), range(2, 3),
    ]  # fmt: skip


def site(count: int) -> tuple[Document, SiteView]:
    counts = SiteCounts()
    pages = [
        document(
            f"<title>Post {number} of the river</title>"
            "<ul class=nav-menu><li><a href=/>Home</a></ul>"
            f"<article class=post-content><h1>Post {number} of the river</h1>"
            f"<p>{PROSE}The number {number} has {number * 7} of them.</p><h2>In short</h2>"
            f"<p>Herons {'abcdefghijkl'[number]}. {PROSE}</p></article>"
            "<div id=footer>All of the river</div>",
            f"https://a.example/{number}",
        )
        for number in range(count)
    ]
    method = get_method("article")
    for page in pages:
        counts.add(observe(page, method))
    return pages[0], counts.view()


def test_each_block_has_the_evidence_that_decided() -> None:
    page, view = site(12)
    labels = get_method("article").label(page, view)  # type: ignore[union-attr] # by blocks
    why = dict(zip([block.text for block in page.blocks], explain(page, view, labels), strict=True))
    assert why["Home"].rule == "links"
    assert why["Home"].site < 0 < why[page.blocks[2].text].site
    assert why["Home"].signs[:2] == (("nav", 1), ("<ul>", 1))
    assert why["All of the river"].rule == "frequent"
    assert ("foot", 0) in why["All of the river"].signs
    assert not any(each.in_comments for each in why.values())
    heading = why["In short"]
    assert heading.rule == "frequent"
    assert heading.changes == (("headings", True),)
    assert heading.changed_by in STEPS
    assert why["Home"].changed_by == ""


def test_the_head_of_the_article_is_the_last_step() -> None:
    page, view = site(3)
    labels = list(get_method("article").label(page, view))  # type: ignore[union-attr] # by blocks
    kept = [label.kept for label in labels]
    number = kept.index(True)
    labels[number] = type(labels[number])(kept=False, reason="byline")
    assert explain(page, view, labels)[number].changes[-1] == ("head", False)


def test_a_page_without_blocks_has_nothing_to_explain() -> None:
    assert explain(document("<p> </p>"), SiteView(), []) == []
    assert places_of(document("<p> </p>")) == []


HEAD = """<html lang=ko><title>Herons of the river - The Gazette</title>
<meta property="og:site_name" content="The Gazette">
<meta name=keywords content="herons, river"><link rel=canonical href=/herons>
<script type="application/ld+json">{"@type":"NewsArticle","headline":"Herons of the river",
"author":{"@type":"Person","name":"Ada Mott"}}</script>
<h1>Herons of the river</h1><p class=byline>입력 <time>2026-03-04</time></p>"""


@pytest.mark.parametrize(
    ("field", "source", "name", "tag"),
    [
        ("title", "json-ld", "headline", "script"),
        ("authors", "json-ld", "author.name", "script"),
        ("published", "text", "p", "p"),
        ("language", "html", "html", "html"),
        ("site_name", "opengraph", "og:site_name", "meta"),
        ("tags", "meta", "keywords", "meta"),
        ("canonical_url", "link", "link", "link"),
    ],
)
def test_a_field_is_found_where_it_was_read(field: str, source: str, name: str, tag: str) -> None:
    page = document(HEAD, "https://a.example/x")
    found = read_metadata(page.parsed, page.page.url)
    origin = origins(page.parsed, page.page.url, found)[field]
    assert (origin.source, origin.name) == (source, name)
    assert [element.tag for element in origin.elements] == [tag]


def test_what_readers_see_and_the_address_are_places_too() -> None:
    page = document(
        f"<title>A walk</title><h1>A walk</h1><p>By Ada Mott</p><p>{PROSE}</p>",
        "https://a.example/2026/03/04/walk",
    )
    found = origins(page.parsed, page.page.url, read_metadata(page.parsed, page.page.url))
    assert (found["published"].source, found["published"].elements) == ("url", ())
    assert found["authors"].elements[0].text == "By Ada Mott"
    assert found["title"].name == "h1"


def test_each_node_of_a_structure_has_the_blocks_of_its_text() -> None:
    last = f"{PROSE}That is the end."
    page = document(f"<ul><li>Home</ul><h1>A walk</h1><p>{PROSE}</p><h2>Home</h2><p>{last}</p>")
    model = load_model("news")
    structure = structure_of(page, model)
    lines, _ = lines_read(page, model)
    shown = {line.block.index: line.block.text for line in lines}
    found = zip(structure.root.walk(), blocks_of_nodes(structure, lines), strict=True)
    texts = {node.text: [shown[number] for number in blocks] for node, blocks in found}
    assert {"A walk", "Home", last} <= texts.keys()
    assert all(blocks == [text] for text, blocks in texts.items() if text)
    assert texts.pop("") == []


def test_the_title_is_the_heading_and_not_the_menu_that_names_it() -> None:
    menu = "<ul><li><a href=/walk>A walk</a><li><a href=/sail>A sail</a></ul>"
    page = document(f"<title>A walk</title>{menu}<h1>A walk</h1><p>{PROSE}</p><p>{PROSE}</p>")
    structure = structure_of(page, load_model("news"))
    assert [node.text for node in structure.root.walk()].count("A walk") == 1
    lines, _ = lines_read(page, load_model("news"))
    nodes = zip(structure.root.walk(), blocks_of_nodes(structure, lines), strict=True)
    blocks = next(found for node, found in nodes if node.text == "A walk")
    assert [page.blocks[number].tag for number in blocks] == ["h1"]
