"""What feeds say of pages: RSS of all versions, Atom, JSON Feed."""

from __future__ import annotations

import pytest

from crawler.core.listings.entries import Entry, Listing
from crawler.core.listings.read import read_listing

URL = "https://a.example/blog/feed.xml"


def read(body: str, url: str = URL) -> Listing:
    return read_listing(body.encode(), url)


def urls(body: str, url: str = URL) -> list[str]:
    return [entry.url for entry in read(body, url).entries]


def rss(item: str, channel: str = "") -> str:
    return f'<rss version="2.0"><channel>{channel}<item>{item}</item></channel></rss>'


def atom(entry: str, feed: str = "") -> str:
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{feed}<entry>{entry}</entry></feed>'


ONE = Entry(
    "https://a.example/one",
    published="2026-11-27T14:03:05Z",
    language="en",
)

FEEDS = {
    "RSS 0.91": """<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
        "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel>
        <title>Site</title><link>https://a.example/</link><language>en</language>
        <image><title>I</title><url>https://a.example/i.png</url><link>https://a.example/</link>
        </image><item><title>One &amp; only</title><link>https://a.example/one</link>
        <pubDate>Fri, 27 Nov 2026 14:03:05 GMT</pubDate></item>
        <textinput><title>T</title><link>https://a.example/search</link></textinput>
        </channel></rss>""",
    "RSS 0.90": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xml:lang="en"
        xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel><title>Site</title>
        <link>https://a.example/</link></channel><item><title>One &amp; only</title>
        <link>https://a.example/one</link><date>2026-11-27T14:03:05Z</date></item></rdf:RDF>""",
    "RSS 1.0": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="http://purl.org/rss/1.0/"
        xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel
        rdf:about="https://a.example/feed"><title>Site</title><dc:language>en</dc:language><items>
        <rdf:Seq><rdf:li rdf:resource="https://a.example/one"/></rdf:Seq></items></channel>
        <item rdf:about="https://a.example/one"><title>One &amp; only</title>
        <dc:date>2026-11-27T14:03:05Z</dc:date><content:encoded>
        <![CDATA[<a href="/x">x</a>]]></content:encoded></item></rdf:RDF>""",
    "RSS 2.0": """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
        xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Site</title>
        <link>https://a.example/</link><atom:link rel="self" href="https://a.example/feed"/>
        <language>en</language><item><media:group><media:title>M</media:title></media:group>
        <title><![CDATA[One &amp; <i>only</i>]]></title><link>https://a.example/one?utm_source=rss
        </link><guid isPermaLink="false">tag:1</guid><description>&lt;p&gt;Text</description>
        <comments>https://a.example/one#comments</comments><source url="https://b.example/feed">
        <title>B</title></source><pubDate>Fri, 27 Nov 2026 14:03:05 UT</pubDate>
        <enclosure url="https://a.example/one.mp3" length="1" type="audio/mpeg"/></item>
        </channel></rss>""",
    "RSS without channel": """<rss><language>en</language><item><title>One &amp; only</title>
        <link>https://a.example/one</link><pubDate>2026-11-27T14:03:05Z</pubDate></item></rss>""",
    "Atom 0.3": """<feed version="0.3" xmlns="http://purl.org/atom/ns#" xml:lang="en">
        <link rel="alternate" type="text/html" href="https://a.example/"/><entry>
        <title mode="escaped">One &amp;amp; only</title><link rel="alternate" type="text/html"
        href="https://a.example/one"/><issued>2026-11-27T14:03:05Z</issued></entry></feed>""",
    "Atom 1.0": """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Site</title>
        <link rel="self" href="https://a.example/feed"/><id>urn:1</id><entry>
        <link rel="enclosure" type="audio/mpeg" href="https://a.example/one.mp3"/>
        <link rel="alternate" type="application/json" href="https://a.example/one.json"/>
        <link rel="edit" href="https://a.example/edit"/><link href="/one"/>
        <source><title>B</title><id>https://b.example/</id><updated>2001-01-01</updated></source>
        <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One &amp; <b>only</b></div>
        </title><published>2026-11-27T14:03:05Z</published><content type="xhtml">
        <div xmlns="http://www.w3.org/1999/xhtml"><title>x</title><a href="/y">y</a></div></content>
        </entry></feed>""",
    "Atom with a prefix": """<a:feed xmlns:a="http://www.w3.org/2005/Atom" xml:lang="en"><a:entry>
        <a:title>One &amp; only</a:title><a:id>https://a.example/one</a:id>
        <a:published>2026-11-27T14:03:05Z</a:published></a:entry></a:feed>""",
    "Atom without a namespace": """<feed><entry xml:lang="en"><title>One &amp; only</title>
        <id>tag:a.example,2026:1</id><link rel="alternate" href="https://a.example/one"></link>
        <created>2026-11-27T14:03:05Z</created></entry></feed>""",
    "JSON Feed": """{"version": "https://jsonfeed.org/version/1.1", "language": "en", "items": [
        {"id": "1", "url": "https://a.example/one", "title": "One & only", "content_text": "x",
        "date_published": "2026-11-27T14:03:05Z"}]}""",
}


@pytest.mark.parametrize("content_type", ["", "text/html; charset=utf-8", "application/json"])
@pytest.mark.parametrize("name", FEEDS)
def test_a_feed_of_any_kind_says_the_same(name: str, content_type: str) -> None:
    listing = read_listing(FEEDS[name].encode(), "https://a.example/feed", content_type)
    assert listing.entries == (ONE,)
    assert listing.kind == {"R": "rss", "A": "atom", "J": "json-feed"}[name[0]]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("<link>/one</link>", "https://a.example/one"),
        ("<link>one</link>", "https://a.example/blog/one"),
        ("<link><![CDATA[ https://a.example/one ]]></link>", "https://a.example/one"),
        ("<guid>https://a.example/one</guid>", "https://a.example/one"),
        ("<guid isPermaLink='true'>https://a.example/one</guid>", "https://a.example/one"),
        ("<link/><guid>https://a.example/one</guid>", "https://a.example/one"),
        ("<link>tel:1</link><guid>https://a.example/one</guid>", "https://a.example/one"),
        ("<guid>https://a.example/g</guid><link>https://a.example/one</link>", "https://a.example/one"),
        ("<atom:link href='https://a.example/one'/>", "https://a.example/one"),
        ("<link href='https://a.example/one'/>", "https://a.example/one"),
        (
            "<link>/x</link><feedburner:origLink>https://a.example/one</feedburner:origLink>",
            "https://a.example/one",
        ),
    ],
)  # fmt: skip
def test_the_address_of_an_item(item: str, expected: str) -> None:
    listing = read(rss(item))
    assert [entry.url for entry in listing.entries] == [expected]
    assert set(listing.problems) <= {"address-relative"}


@pytest.mark.parametrize(
    "item",
    [
        "<title>T</title>",
        "<guid isPermaLink='false'>https://a.example/one</guid>",
        "<guid>1234</guid>",
        "<enclosure url='https://a.example/one.mp3'/>",
        "<description><link>https://a.example/x</link></description>",
    ],
)
def test_an_item_without_an_address_is_left_out_and_counted(item: str) -> None:
    listing = read(rss(item))
    assert listing.entries == ()
    assert listing.problems == {"address-missing": 1}


@pytest.mark.parametrize(
    "link",
    [
        "https://a.example/2020/one/#comment-12",
        "https://a.example/2020/one/#c4711",
        "https://a.example/2020/one/?showComment=4711#c4711",
    ],
)
def test_a_comment_dates_no_page(link: str) -> None:
    (entry,) = read(
        rss(f"<title>By: R</title><link>{link}</link><pubDate>2026-11-27</pubDate>")
    ).entries
    assert entry.url.startswith("https://a.example/2020/one/")
    assert (entry.published, entry.lastmod) == ("", "")


def test_addresses_are_relative_to_their_base() -> None:
    feed = atom("<link href='one'/>").replace("<feed", "<feed xml:base='https://b.example/x/'")
    assert urls(feed) == ["https://b.example/x/one"]
    nested = feed.replace("<entry", "<entry xml:base='y/'").replace("<link", "<link xml:base='z/'")
    assert urls(nested) == ["https://b.example/x/y/z/one"]
    assert urls(feed.replace("https://b.example/x/", "https://[")) == ["https://a.example/blog/one"]


def test_relative_addresses_in_a_feed_served_for_another_site_are_relative_to_that_site() -> None:
    feed = rss("<link>/one</link>", "<link>https://b.example/blog/</link>")
    assert urls(feed, "https://feeds.example/b") == ["https://b.example/one"]
    assert urls(feed, "https://b.example/blog/feed") == ["https://b.example/one"]
    feed = atom("<link href='/one'/>", "<link rel='alternate' href='https://b.example/blog/'/>")
    assert urls(feed, "https://feeds.example/b") == ["https://b.example/one"]


def test_published_and_changed_are_kept_apart() -> None:
    (entry,) = read(
        atom(
            "<link href='/one'/><updated>2026-11-28T10:00:00Z</updated>"
            "<published>2026-11-27</published>"
        )
    ).entries
    assert (entry.published, entry.lastmod) == ("2026-11-27", "2026-11-28T10:00:00Z")
    (entry,) = read(
        rss(
            "<link>/one</link><dc:date>2026-11-26</dc:date><pubDate>2026-11-27</pubDate>"
            "<atom:updated>2026-11-28</atom:updated>"
        )
    ).entries
    assert (entry.published, entry.lastmod) == ("2026-11-27", "2026-11-28")


def test_a_feed_in_pages_names_the_next() -> None:
    link = "<link rel='{}' href='?page={}'/>"
    body = atom("<link href='/one'/>", link.format("next", 2) + link.format("previous", 0))
    assert read(body).next == "https://a.example/blog/feed.xml?page=2"
    archived = atom("", link.format("prev-archive", 7))
    assert read(archived).next == "https://a.example/blog/feed.xml?page=7"
    both = atom("", link.format("prev-archive", 7) + link.format("next", 2))
    assert read(both).next.endswith("=2")
    in_rss = rss("", "<atom:link rel='next' href='https://a.example/feed?paged=2'/>")
    assert read(in_rss).next == "https://a.example/feed?paged=2"
    assert read(atom("<link rel='next' href='/two'/><id>https://a.example/1</id>")).next == ""
    assert read(atom("", "<link rel='next' href=''/>")).next == ""  # the feed itself
    json_feed = '{"version": "https://jsonfeed.org/version/1", "items": [], "next_url": "/p2"}'
    assert read(json_feed).next == "https://a.example/p2"


def test_items_left_open_are_closed() -> None:
    body = "<rss><channel><item><link>/1</link><item><link>/2</link></item></channel></rss>"
    assert urls(body) == ["https://a.example/1", "https://a.example/2"]


def test_a_feed_cut_off_keeps_what_is_whole() -> None:
    body = "<rss><item><link>/1</link></item><item><link>/2</link><pubDate>2026-1"
    listing = read(body)
    assert [entry.url for entry in listing.entries] == [
        "https://a.example/1",
        "https://a.example/2",
    ]
    assert listing.problems["cut-off"] == 1
    assert len(read("<rss><item><link>/1</link></item><item><link>/2").entries) == 1


def test_json_items_are_found_by_other_addresses() -> None:
    body = """{"items": [{"id": "https://a.example/1"}, {"url": "", "external_url": "/2"},
        {"id": 3, "url": 4}, "x", {"url": "/5", "title": 5, "date_modified": "2026-11-27"}]}"""
    listing = read(body)
    assert [entry.url.rpartition("/")[2] for entry in listing.entries] == ["1", "2", "5"]
    assert listing.entries[2] == Entry("https://a.example/5", lastmod="2026-11-27")
    assert listing.problems["address-missing"] == 2
