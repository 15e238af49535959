"""A page's metadata: what each source gives, and which of them is believed."""

from __future__ import annotations

import json

import pytest

from crawler.core.metadata.read import Metadata, read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from support.pace import within

URL = "https://www.harbour.example/news/night-trains"
TITLE = "Night trains are back"


def read(html: str, url: str = URL, fetched_at: str | None = None) -> Metadata:
    return read_metadata(parse(Page.from_text(url, html)), url, fetched_at)


def linked(*objects: object) -> str:
    return "".join(
        f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in objects
    )


def article(**properties: object) -> dict[str, object]:
    return {"@type": "NewsArticle", "headline": TITLE, **properties}


def test_half_a_surrogate_pair_is_no_part_of_a_text() -> None:
    named = article(headline="Night\ud800 trains", author=["A. \udc00Desk"])
    found = read(f"{linked(named)}<p>Text</p>")
    assert (found.title, found.authors) == ("Night? trains", ("A. ?Desk",))


def test_no_value_holds_what_nobody_sees() -> None:
    page = """<title>Night&#27;[31m trains\u200b</title><meta name=author content="Ann\x1b[2J Lee">
    <meta property="og:site_name" content="Harbour\x07 Post"><meta name=description content="\x01">
    <meta name=keywords content="rail\x02,\x03,night"><p>Text"""
    found = read(page)
    assert found.title == "Night[31m trains"
    assert found.authors == ("Ann[2J Lee",)
    assert found.site_name == "Harbour Post"
    assert found.description is None
    assert found.tags == ("rail", "night")
    assert "description" not in found.sources


def test_everything_a_page_says_is_read() -> None:
    found = read(
        '<html lang="en-GB"><head><title>Night trains are back | Harbour Post</title>'
        '<meta property="og:site_name" content="Harbour Post">'
        '<meta property="og:image" content="/trains.jpg">'
        '<meta name="description" content="They leave at ten.">'
        '<meta property="article:tag" content="Trains">'
        '<meta property="article:tag" content="Night">'
        '<meta property="article:modified_time" content="2026-11-28T08:00:00Z">'
        '<link rel="canonical" href="/news/night-trains">'
        + linked(
            article(
                datePublished="2026-11-27T14:03:00+09:00",
                author=[{"@type": "Person", "name": "Harbour Desk"}, "Night Desk"],
            )
        )
        + f"</head><body><h1>{TITLE}</h1></body></html>"
    )
    assert found == Metadata(
        title=TITLE,
        authors=("Harbour Desk", "Night Desk"),
        published="2026-11-27T14:03:00+09:00",
        modified="2026-11-28T08:00:00Z",
        language="en-GB",
        site_name="Harbour Post",
        canonical_url=URL,
        description="They leave at ten.",
        tags=("Trains", "Night"),
        image="https://www.harbour.example/trains.jpg",
        sources={
            "title": "json-ld",
            "authors": "json-ld",
            "published": "json-ld",
            "modified": "opengraph",
            "language": "html",
            "site_name": "opengraph",
            "canonical_url": "link",
            "description": "meta",
            "tags": "opengraph",
            "image": "opengraph",
        },
    )


def test_a_page_that_says_nothing_has_nothing() -> None:
    assert read("<body><p>They leave at ten.</p></body>") == Metadata()


@pytest.mark.parametrize(
    "script",
    [
        '<!-- {"@type": "Article", "datePublished": "2026-11-27"} -->',
        '//<![CDATA[\n{"@type": "Article", "datePublished": "2026-11-27"}\n//]]>',
        '{"@type": ["Thing", "Article"], "description": "a\tb\nc", "datePublished": "2026-11-27",}',
        '{"@type": "Article", "datePublished": "2026-11-27"};',
        '{"@type": "WebSite"}{"@type": "Article", "datePublished": "2026-11-27"} and more',
        "{&quot;@type&quot;:&quot;Article&quot;,&quot;datePublished&quot;:&quot;2026-11-27&quot;}",
        '[[{"@graph": [{"@type": "http://schema.org/Article", "datePublished": "2026-11-27"}]}]]',
    ],
)
def test_broken_json_ld_is_mended(script: str) -> None:
    found = read(f'<script type="application/ld+json">{script}</script><p>Text</p>')
    assert (found.published, found.sources["published"]) == ("2026-11-27", "json-ld")


def test_of_several_articles_that_of_the_page_speaks() -> None:
    others = [
        {
            "@type": "ListItem",
            "item": {"@type": "Article", "headline": "Tides", "datePublished": "2020-01-01"},
        },
        {"@type": "Article", "headline": "Owls", "datePublished": "2021-01-01"},
    ]
    found = read(
        f"<h1>{TITLE}</h1>"
        + linked({"@type": "ItemList", "itemListElement": others[:1]}, others[1])
        + linked({"@type": "Article", "headline": TITLE, "datePublished": "2026-11-27"})
    )
    assert found.published == "2026-11-27"


def test_authors_are_found_behind_references_and_publishers_are_none() -> None:
    graph = [
        {
            "@type": "Article",
            "headline": TITLE,
            "author": {"@id": "#desk"},
            "publisher": {"@type": "Organization", "name": "Harbour Post"},
        },
        {"@type": "Person", "@id": "#desk", "name": "Harbour Desk"},
    ]
    found = read(linked({"@graph": graph}))
    assert found.authors == ("Harbour Desk",)
    assert found.site_name == "Harbour Post"


def test_people_come_before_accounts_and_accounts_before_the_site() -> None:
    site = linked(article(author={"@type": "Organization", "name": "Harbour Post"}))
    name = '<meta property="og:site_name" content="Harbour Post">'
    account = '<meta name="author" content="night.desk">'
    person = f'<h1>{TITLE}</h1><p class="byline">By Night Desk</p>'
    assert read(name + site).authors == ("Harbour Post",)
    assert read(name + site + account).authors == ("night.desk",)
    found = read(name + site + account + person)
    assert (found.authors, found.sources["authors"]) == (("Night Desk",), "byline")


@pytest.mark.parametrize(
    "byline",
    [
        "<p>By Night Desk and Tide Desk</p>",
        "<div><span>By</span> <b>Night Desk</b>, <b>Tide Desk</b></div>",
        '<p><a rel="author" href="/n">Night Desk</a> <a rel="author" href="/t">Tide Desk</a></p>',
        '<p><a href="/author/night">Night Desk</a>, <a href="/author/tide">Tide Desk</a></p>',
        "<p>Von Night Desk und Tide Desk</p>",
        "<p>글쓴이: Night Desk, Tide Desk</p>",
        "<div><h4>Author</h4><p>Night Desk, Tide Desk</p></div>",
        (
            '<p itemprop="author"><b itemprop="name">Night Desk</b></p>'
            '<p itemprop="author">Tide Desk</p>'
        ),
    ],
)
def test_bylines_are_read_as_readers_see_them(byline: str) -> None:
    aside = '<aside><p class="author">By Owl Desk</p></aside>'
    found = read(f"<main><h1>{TITLE}</h1>{byline}<p>They leave at ten.</p>{aside}</main>")
    assert found.authors == ("Night Desk", "Tide Desk")


@pytest.mark.parametrize(
    ("markup", "published", "source"),
    [
        ('<time datetime="2026-11-27T14:03:00Z">today</time>', "2026-11-27T14:03:00Z", "time"),
        ("<p>입력 2026.11.27 14:03</p>", "2026-11-27T14:03", "text"),
        ('<span class="entry-date">27. November 2026</span>', "2026-11-27", "text"),
        ('<abbr class="published" title="2026-11-27T05:11:00Z">5</abbr>',
         "2026-11-27T05:11:00Z", "microdata"),
        ("<p>Updated 28 November 2026</p><p>27 November 2026</p>", "2026-11-27", "text"),
        ("<p>Updated 28 November 2026</p>", "2026-11-28", "modified"),
        ("<script>var page = {'publishedAt': '2026-11-27T14:03:00Z'}</script><p>Text</p>",
         "2026-11-27T14:03:00Z", "script"),
    ],
)  # fmt: skip
def test_dates_are_read_as_readers_see_them(markup: str, published: str, source: str) -> None:
    found = read(f"<h1>{TITLE}</h1>{markup}<aside><time>1 May 2020</time></aside>")
    assert (found.published, found.sources["published"]) == (published, source)


def test_what_is_marked_as_a_change_is_the_change() -> None:
    found = read(f"<h1>{TITLE}</h1><p>27 November 2026</p><p>Updated 28 November 2026</p>")
    assert (found.published, found.modified) == ("2026-11-27", "2026-11-28")


def test_addresses_give_dates() -> None:
    for address in ("2026/11/27/night", "2026-11-27-night", "20261127-night", "2026/nov/27/night"):
        found = read("<p>Text</p>", f"https://harbour.example/{address}")
        assert (found.published, found.sources["published"]) == ("2026-11-27", "url")
    assert read("<p>Text</p>", "https://harbour.example/29-10-2026").published == "2026-10-29"


@pytest.mark.parametrize("url", ["", "page.html", "http://[harbour/2026/", "file:///2026.html"])
def test_an_address_that_is_none_breaks_nothing(url: str) -> None:
    parsed = parse(Page.from_text(URL, f"<title>{TITLE}</title><time>27 November 2026</time>"))
    found = read_metadata(parsed, url)
    assert (found.title, found.published) == (TITLE, "2026-11-27")


def test_sources_are_believed_in_their_order() -> None:
    parts = {
        "json-ld": linked(article(datePublished="2026-11-01")),
        "opengraph": '<meta property="article:published_time" content="2026-11-02">',
        "time": f"<h1>{TITLE}</h1><time class='published'>3 November 2026</time>",
        "meta": '<meta name="date" content="2026-11-04">',
    }
    while parts:
        found = read("".join(parts.values()))
        assert found.sources["published"] == next(iter(parts))
        del parts[next(iter(parts))]


def test_a_time_in_utc_gives_way_to_the_day_that_the_page_shows() -> None:
    late = linked(article(datePublished="2026-11-28T02:25:54Z"))
    assert read(late).published == "2026-11-28T02:25:54Z"
    found = read(late, "https://harbour.example/2026/11/27/night")
    assert (found.published, found.sources["published"]) == ("2026-11-27", "url")
    assert read(f"{late}<time>27 November 2026</time>").published == "2026-11-27"
    assert read(late, "https://harbour.example/2026/11/25/n").published == "2026-11-28T02:25:54Z"


def test_dates_after_the_fetch_and_before_the_web_are_not_believed() -> None:
    html = linked(article(datePublished="2027-05-01")) + "<time>27 November 2026</time>"
    assert read(html).published == "2027-05-01"
    assert read(html, fetched_at="2026-11-30T08:00:00Z").published == "2026-11-27"
    assert read(linked(article(datePublished="1970-01-01"))).published is None
    # The fetch is told in UTC: elsewhere the month may have begun.
    month = linked(article(datePublished="2026-12-01"))
    assert read(month, fetched_at="2026-11-30T20:00:00Z").published == "2026-12-01"


def test_hosts_and_languages_tell_the_month() -> None:
    html = "<html lang='en'><h1>Night</h1><p class='date'>03/04/2026</p>"
    assert read(html).published == "2026-03-04"
    assert read(html, "https://harbour.uk/night").published == "2026-04-03"
    assert read(html.replace("'en'", "'fr'")).published == "2026-04-03"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (f"<title>{TITLE} | Harbour Post</title>", TITLE),
        (f"<title>Harbour Post - {TITLE}</title>", TITLE),
        (f"<title>{TITLE} - Travel</title><h1>{TITLE}</h1>", TITLE),
        ("<title>Trains - a history</title>", "Trains - a history"),
        ("<title>Harbour Post</title><h1>Harbour Post</h1>", "Harbour Post"),
        (f"<title>Post</title><h1>Harbour Post</h1><h1>{TITLE}</h1>", "Post"),
        (f"<title>{TITLE} in winter</title><h1>{TITLE} again</h1>", f"{TITLE} again"),
        (f"<h1>Travel - {TITLE}</h1><title>News: {TITLE}</title>", TITLE),
        (f"<h1>{TITLE}</h1>", TITLE),
    ],
)
def test_titles_lose_the_site_and_agree_with_the_page(html: str, title: str) -> None:
    name = '<meta property="og:site_name" content="Harbour Post">'
    assert read(name + html).title == title


def test_news_carry_the_title_their_publisher_hands_on() -> None:
    page = linked(article()) + f"<h1>{TITLE}</h1><title>{TITLE}</title>"
    own = '<meta property="og:title" content="Sleep from town to town">'
    assert read(page + own).title == "Sleep from town to town"
    machine = '<meta property="og:title" content="Sleep | harbour">'
    assert read(page + machine).title == TITLE
    assert read(page.replace("NewsArticle", "BlogPosting") + own).title == TITLE


@pytest.mark.parametrize(
    "html",
    [
        "<h1>" + " - ".join(["night"] * 20_000) + "</h1>",
        "<title>" + " | ".join(["night"] * 20_000) + "</title>" + "<h1>night - trains</h1>" * 500,
        '<p class="author date">' + "<b>" * 200 + "By " * 50_000,
        "<time>" + "2026-" * 50_000 + "</time>",
        "<p>" + "27 November " * 50_000,
        "".join(f'<meta name="author" content="{"and " * 200}">' for _ in range(500)),
        '<script type="application/ld+json">' + "[" * 100_000 + "</script><p>Text</p>",
        '<script type="application/ld+json">' + ", " * 200_000 + "</script><p>Text</p>",
        '<script type="application/ld+json">' + "<!--" * 100_000 + "</script><p>Text</p>",
        "<script>" + 'datePublished"' * 50_000 + "</script><p>Text</p>",
        "".join('<div class="author byline date"><p>By</p>' for _ in range(900)),
    ],
)  # fmt: skip
def test_hostile_pages_take_little_time(html: str) -> None:
    parsed = parse(Page.from_text(URL, html))
    with within(2):
        found = read_metadata(parsed, URL)
    assert (found.published, found.modified) == (None, None)
    assert len(found.authors) <= 1
    assert len(found.title or "") <= 400
