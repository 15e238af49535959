"""What sitemaps say of pages: dates, news, other languages, further sitemaps."""

from __future__ import annotations

import pytest

from crawler.core.listings.entries import Alternate, Entry, read_listed_date
from crawler.core.listings.read import read_listing

URL = "https://www.a.example/sitemap.xml"


def entries(body: str) -> tuple[Entry, ...]:
    return read_listing(body.encode(), URL).entries


def test_an_index_lists_sitemaps_with_their_dates() -> None:
    listing = read_listing(
        b"""<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <sitemap><loc>https://www.a.example/s/1.xml.gz</loc><lastmod>2026-11-27</lastmod></sitemap>
        <sitemap><loc>/s/2</loc><lastmod/></sitemap></sitemapindex>""",
        URL,
    )
    assert listing.kind == "sitemap-index"
    assert listing.entries == (
        Entry("https://www.a.example/s/1.xml.gz", "sitemap", lastmod="2026-11-27"),
        Entry("https://www.a.example/s/2", "sitemap"),
    )
    assert listing.problems == {"address-relative": 1}
    assert listing.explained() == {"address-relative": "relative address, resolved: 1"}


def test_further_sitemaps_are_known_by_their_addresses_too() -> None:
    listing = read_listing(
        b"<urlset><url><loc>/post-sitemap1.xml</loc></url><url><loc>/2026/11.xml.gz</loc></url>"
        b"<url><loc>/maps/sitemap-3.txt</loc></url><sitemap><loc>/more</loc></sitemap>"
        b"<url><loc>/2026/sitemaps-explained</loc></url></urlset>",
        URL,
    )
    kinds = [entry.kind for entry in listing.entries]
    assert kinds == ["sitemap", "sitemap", "sitemap", "sitemap", "page"]
    assert listing.problems["sitemap-among-pages"] == 4
    index = b"<sitemapindex><url><loc>/s.xml</loc></url><url><loc>/one</loc></url></sitemapindex>"
    assert [entry.kind for entry in read_listing(index, URL).entries] == ["sitemap", "page"]


NEWS = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"{declared}><url>
<loc>https://www.a.example/one</loc><{n}:news><{n}:publication><{n}:name>The &amp; Times</{n}:name>
<{n}:language>ko</{n}:language></{n}:publication><{n}:genres>Blog</{n}:genres>
<{n}:publication_date>2026-11-27T09:30+09:00</{n}:publication_date>
<{n}:title>  One &amp;#8217; <![CDATA[<b>bold</b> & two]]>
</{n}:title></{n}:news><lastmod>2026-11-28</lastmod></url></urlset>"""


@pytest.mark.parametrize(
    ("prefix", "declared"),
    [
        ("news", ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'),
        ("news", ' xmlns:news="https://example.org/news"'),
        ("news", ""),
        ("ns1", ' xmlns:ns1="http://www.google.com/schemas/sitemap-news/0.9"'),
    ],
)
def test_news_are_read_under_any_prefix(prefix: str, declared: str) -> None:
    assert entries(NEWS.format(n=prefix, declared=declared)) == (
        Entry(
            "https://www.a.example/one",
            lastmod="2026-11-28",
            published="2026-11-27T09:30+09:00",
            language="ko",
        ),
    )


def test_other_languages_are_kept_and_tell_the_own_one() -> None:
    (entry,) = entries("""<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml"><url>
        <loc>https://www.a.example/de/eins</loc>
        <xhtml:link rel="alternate" hreflang="de" href="https://www.a.example/de/eins"/>
        <xhtml:link rel="alternate" hreflang='en-GB' href='https://a.example/one?a=1&amp;b=2'/>
        <xhtml:link rel="alternate" hreflang="x-default" href="/"></xhtml:link>
        <xhtml:link rel="alternate" media="handheld" href="/m/eins"/>
        <xhtml:link rel="canonical" hreflang="fr" href="/fr"/></url></urlset>""")
    assert entry.language == "de"
    assert entry.alternates == (
        Alternate("https://www.a.example/de/eins", "de"),
        Alternate("https://a.example/one?a=1&b=2", "en-GB"),
        Alternate("https://www.a.example/", "x-default"),
    )


def test_wrong_and_too_many_languages_are_counted() -> None:
    links = "".join(f"<link rel='alternate' hreflang='l{n}' href='/{n}'/>" for n in range(252))
    body = f"<urlset><url><loc>/x</loc><link rel='alternate' hreflang='a' href='tel:1'/>{links}"
    listing = read_listing(f"{body}</url></urlset>".encode(), URL)
    assert len(listing.entries[0].alternates) == 250
    assert listing.problems["alternate-wrong"] == 1
    assert listing.problems["alternates-many"] == 2


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-11-27", "2026-11-27"),
        ("2026-11", "2026-11"),
        ("2026", "2026"),
        ("2026-11-27T14:03Z", "2026-11-27T14:03Z"),
        (" 2026-11-27T14:03:05.123+09:00\n", "2026-11-27T14:03:05.123+09:00"),
        ("2026-11-27 14:03:05", "2026-11-27T14:03:05"),
        ("20261127", "2026-11-27"),
        ("Fri, 27 Nov 2026 14:03:05 GMT", "2026-11-27T14:03:05Z"),
        ("Fri, 27 Nov 26 14:03 EST", "2026-11-27T14:03-05:00"),
        ("27 Nov 99 14:03:05 +0100", "1999-11-27T14:03:05+01:00"),
        ("Friday, 27-Nov-26 14:03:05 GMT", "2026-11-27T14:03:05Z"),
        ("ven., 27 nov. 2026 14:03:05 +0100", "2026-11-27T14:03:05+01:00"),
        ("1795788185", "2026-11-27T14:03:05Z"),
        ("1795788185000", "2026-11-27T14:03:05Z"),
        ("2026. 11. 27. 오후 2:03", "2026-11-27T14:03"),
        ("2026-11-27T99:00:00Z", "2026-11-27"),
        ("0000-00-00", ""),
        ("0000", ""),
        ("1970-01-01T00:00:00Z", ""),
        ("2026-13-45", ""),
        ("2026-13", ""),
        ("yesterday", ""),
        ("", ""),
        ("9" * 100_000, ""),
    ],
)
def test_dates_are_read_in_many_forms(written: str, read: str) -> None:
    assert read_listed_date(written) == read


def test_a_date_that_is_none_is_left_out_and_counted() -> None:
    listing = read_listing(
        b"<urlset><url><loc>/1</loc><lastmod>never</lastmod></url>"
        b"<url><loc>/2</loc><lastmod>never</lastmod></url></urlset>",
        URL,
    )
    assert [entry.lastmod for entry in listing.entries] == ["", ""]
    assert listing.problems["date-wrong"] == 2
