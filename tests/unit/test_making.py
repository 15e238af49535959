"""What an item says beside its text: metadata, page type, confidence, Markdown, comments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawler.core.flow import Page
from crawler.settings import Options
from support.journeys import item_of

if TYPE_CHECKING:
    from crawler.items import PageItem

PARAGRAPH = "The board on the north pier is two metres tall, and painted in red and white bands."
HEAD = """<html lang="en-GB"><head><title>How the tide is read - The Gazette</title>
<link rel="canonical" href="/tide"><meta property="og:site_name" content="The Gazette">
<meta property="article:published_time" content="2026-11-27T14:03:00+09:00">
<meta name="author" content="Kim Editor"><meta name="author" content="Lee Reader">
<meta name="keywords" content="tide, harbour"><meta property="og:image" content="/tide.jpg">
<meta name="description" content="A board is read."></head>"""
MORE = "".join(
    f"<p>On day {n} the harbour master came down to the pier, looked at the board for a while, and "
    "wrote what he saw in a book that nobody else was allowed to read.</p>"
    for n in range(6)
)
PAGE = f"""{HEAD}<body><h1>How the tide is read</h1>
<p>{PARAGRAPH}</p><p>Nobody paid it much attention, until it was gone one morning in May.</p></body>
"""


def make(html: str, url: str = "https://gazette.example/2026/tide", **options: object) -> PageItem:
    options.setdefault("text_method", "frequency-adaptive")
    chosen = Options(**options)  # type: ignore[arg-type] # each test names the options it needs
    return item_of(Page.from_text(url, html), chosen)


def test_an_item_has_the_metadata_of_its_page() -> None:
    item = make(PAGE)
    assert (item.title, item.site_name) == ("How the tide is read", "The Gazette")
    assert item.authors == ["Kim Editor", "Lee Reader"]
    assert (item.published, item.modified) == ("2026-11-27T14:03:00+09:00", None)
    assert (item.language, item.tags) == ("en-GB", ["tide", "harbour"])
    assert (item.description, item.image) == (
        "A board is read.",
        "https://gazette.example/tide.jpg",
    )
    assert item.canonical_url == "https://gazette.example/tide"
    assert item.metadata_sources is None


def test_an_item_says_what_its_page_asks_of_robots() -> None:
    meta = '<meta name="robots" content="noindex, nofollow">'
    assert make(PAGE.replace("<title>", f"{meta}<title>")).robots == ["nofollow", "noindex"]
    assert make(PAGE).robots == []


def test_an_item_says_what_the_headers_of_its_page_ask() -> None:
    page = replace(
        Page.from_text("https://gazette.example/tide", PAGE),
        robots_tags=("noai", "otherbot: noindex"),
        tdm_reservation="1",
    )
    item = item_of(page, Options(text_method="frequency-adaptive"))
    assert item.robots == ["noai", "tdm"]


def test_where_metadata_were_read_is_told_on_request() -> None:
    sources = make(PAGE, item_sources=True).metadata_sources
    assert sources is not None
    assert (sources["published"], sources["canonical_url"]) == ("opengraph", "link")
    assert make("<p>A line and no more.</p>", item_sources=True).metadata_sources == {}


def test_a_document_title_serves_where_nothing_else_does() -> None:
    item = make(f"<title>Tides</title><p>{PARAGRAPH}</p>")
    assert item.title == "Tides"
    assert make(f"<p>{PARAGRAPH}</p>").title is None


def test_the_text_as_markdown_on_request() -> None:
    assert make(PAGE).markdown is None
    item = make(PAGE.replace("</body>", f"{MORE}</body>"), item_markdown=True)
    title, *paragraphs = item.text.split("\n")
    assert title == "How the tide is read"
    assert len(paragraphs) >= 6
    assert item.markdown == "\n\n".join((f"# {title}", *paragraphs))


def test_comments_and_confidence_where_the_method_tells_them() -> None:
    comments = "".join(
        f'<li class="comment"><p>I saw it too, on day {n}, and so did my sister.</p></li>'
        for n in range(4)
    )
    page = PAGE.replace("</body>", f'{MORE}<div id="comments"><ol>{comments}</ol></div></body>')
    item = make(page, text_method="article", item_comments=True)
    assert item.comments is not None
    assert item.comments.splitlines()[0] == "I saw it too, on day 0, and so did my sister."
    assert item.confidence is not None
    assert 0 <= item.confidence <= 1
    plain = make(page, item_comments=True)
    assert (plain.comments, plain.confidence) == ("", None)
    assert make(page, text_method="article").comments is None


def test_an_item_tells_its_page_type() -> None:
    assert make(PAGE).page_type == "article"
    assert make("<title>404</title><h1>Page not found</h1>").page_type == "error"
