"""Sitemaps and feeds as sites really serve them: each broken one, and what is read of it."""

from __future__ import annotations

import gzip
import json
from functools import partial
from typing import TYPE_CHECKING

import pytest

from crawler.core.listings.read import read_listing

if TYPE_CHECKING:
    from crawler.core.listings.entries import Listing


# Without the time, which would stand in the names of tests.
gzipped = partial(gzip.compress, mtime=0)
URL = "https://a.example/maps/sitemap.xml"
ONE, TWO = "https://a.example/one", "https://a.example/two"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
ENTRIES = f"<url><loc>{ONE}</loc></url><url><loc>{TWO}</loc></url>"
SOUND = f"{DECLARATION}\n<urlset {NS}>{ENTRIES}</urlset>"
PACKED = gzipped(SOUND.encode(), mtime=0)
HALVES = (SOUND[:150].encode(), SOUND[150:].encode())
LISTED_IN_LINES = f"{ONE}\n{TWO}\n"


def urls(listing: Listing) -> list[str]:
    return [entry.url for entry in listing.entries]


# Each gives the two pages ONE and TWO: what is served, the kind, the problems counted.
READ_WHOLE: dict[str, tuple[str | bytes, str, dict[str, int]]] = {
    "sound": (SOUND, "sitemap", {}),
    "white space before the declaration": (f"\n  {SOUND}", "sitemap", {"before-declaration": 1}),
    "comment before the declaration": (
        f"<!-- made by <us> -->{SOUND}",
        "sitemap",
        {"before-declaration": 1},
    ),
    "comment before the root": (
        SOUND.replace("<urlset", "<!-- <urlset> --><urlset"),
        "sitemap",
        {},
    ),
    "a style sheet": (
        SOUND.replace("<urlset", "<?xml-stylesheet href='s.xsl'?><urlset"),
        "sitemap",
        {},
    ),
    "warnings of a program before it": (
        f"<br />\n<b>Warning</b>: date(): zone in <b>x.php</b><br />{SOUND}",
        "sitemap",
        {"before-root": 1},
    ),
    "UTF-8 mark": (b"\xef\xbb\xbf" + SOUND.encode(), "sitemap", {}),
    "UTF-8 mark twice": (b"\xef\xbb\xbf" * 2 + SOUND.encode(), "sitemap", {}),
    "UTF-16 with mark": (SOUND.replace("UTF-8", "UTF-16").encode("utf-16"), "sitemap", {}),
    "UTF-16 LE without mark": (SOUND.encode("utf-16-le"), "sitemap", {}),
    "UTF-16 BE without mark": (SOUND.encode("utf-16-be"), "sitemap", {}),
    "UTF-32 with mark": (SOUND.encode("utf-32"), "sitemap", {}),
    "UTF-16 declared, UTF-8 served": (SOUND.replace("UTF-8", "UTF-16"), "sitemap", {}),
    "no declaration": (SOUND.removeprefix(DECLARATION), "sitemap", {}),
    "no namespace": (SOUND.replace(NS, ""), "sitemap", {}),
    "odd namespace": (SOUND.replace("www.sitemaps.org", "sitemap.example"), "sitemap", {}),
    "namespace of Google": (
        SOUND.replace(
            "www.sitemaps.org/schemas/sitemap/0.9", "www.google.com/schemas/sitemap/0.84"
        ),
        "sitemap",
        {},
    ),
    "namespace of news on the root": (
        SOUND.replace("sitemap/0.9", "sitemap-news/0.9"),
        "sitemap",
        {},
    ),
    "prefix on all": (
        SOUND.replace("<", "<sm:")
        .replace("<sm:/", "</sm:")
        .replace("<sm:?", "<?")
        .replace("xmlns=", "xmlns:sm="),
        "sitemap",
        {},
    ),
    "prefix on all, not declared": (
        SOUND.replace("<", "<sm:").replace("<sm:/", "</sm:").replace("<sm:?", "<?").replace(NS, ""),
        "sitemap",
        {},
    ),
    "prefix on a part": (
        SOUND.replace("loc>", "sm:loc>").replace(NS, f'{NS} xmlns:sm="x"'),
        "sitemap",
        {},
    ),
    "upper case": (SOUND.replace("url", "URL").replace("loc", "Loc"), "sitemap", {}),
    "nested urlsets": (
        SOUND.replace("<url>", "<urlset><url>").replace("</url>", "</url></urlset>"),
        "sitemap",
        {},
    ),
    "urlset inside an index": (
        f"<sitemapindex {NS}><urlset>{ENTRIES}</urlset></sitemapindex>",
        "sitemap-index",
        {},
    ),
    "pages in an index": (
        f"<sitemapindex {NS}>{ENTRIES}</sitemapindex>",
        "sitemap-index",
        {"index-with-pages": 2},
    ),
    "two documents": (
        SOUND.replace(ENTRIES, f"<url><loc>{ONE}</loc></url>")
        + SOUND.replace(ENTRIES, f"<url><loc>{TWO}</loc></url>"),
        "sitemap",
        {},
    ),
    "no root": (ENTRIES, "sitemap", {}),
    "no end of the root": (SOUND.removesuffix("</urlset>"), "sitemap", {"tag-unclosed": 1}),
    "no end of an entry": (
        f"<urlset><url><loc>{ONE}</loc><url><loc>{TWO}</loc></url></urlset>",
        "sitemap",
        {"tag-unclosed": 1},
    ),
    "no end of a field": (
        f"<urlset><url><loc>{ONE}<priority>1</priority></url><url><loc>{TWO}</url></urlset>",
        "sitemap",
        {"tag-unclosed": 2},
    ),
    "stray ends": (SOUND.replace("</url>", "</url></p></url>"), "sitemap", {"tag-stray": 4}),
    "cut in a date": (
        f"{SOUND.removesuffix('</url></urlset>')}<lastmod>2026-11-2",
        "sitemap",
        {"cut-off": 1},
    ),
    "cut in a third address": (
        SOUND.replace("</urlset>", f"<url><loc>{ONE}/and-mo"),
        "sitemap",
        {"cut-off": 1},
    ),
    "CDATA": (
        SOUND.replace("<loc>", "<loc><![CDATA[").replace("</loc>", "]]></loc>"),
        "sitemap",
        {},
    ),
    "CDATA left open": (
        f"<urlset>{ENTRIES}<url><loc><![CDATA[{ONE}/more",
        "sitemap",
        {"cut-off": 1},
    ),
    "link in an address": (
        SOUND.replace("<loc>", "<loc><a>").replace("</loc>", "</a></loc>"),
        "sitemap",
        {},
    ),
    "control characters": (
        SOUND.replace("one", "o\x00n\x08e"),
        "sitemap",
        {"control-characters": 2},
    ),
    "address in lines": (
        SOUND.replace("<loc>", "<loc>\n  ").replace("example/", "example/\n\t "),
        "sitemap",
        {"address-in-pieces": 2},
    ),
    "address in quotes": (
        SOUND.replace("loc>h", 'loc>"h').replace("</loc", '"</loc'),
        "sitemap",
        {"address-in-pieces": 2},
    ),
    "relative addresses": (
        "<urlset><url><loc>/one</loc></url><url><loc>../two</loc></url></urlset>",
        "sitemap",
        {"address-relative": 2},
    ),
    "addresses without a scheme": (
        "<urlset><url><loc>//a.example/one</loc></url><url><loc>a.example/two</loc></url></urlset>",
        "sitemap",
        {"address-relative": 2},
    ),
    "entries without an address": (
        SOUND.replace("</urlset>", "<url><loc/></url><url><loc> </loc></url><url></url></urlset>"),
        "sitemap",
        {"address-missing": 3},
    ),
    "addresses of no page": (
        SOUND.replace(
            "</urlset>",
            "<url><loc>mailto:a@a.example</loc></url><url><loc>http://</loc></url>"
            "<url><loc>http://a b/c</loc></url><url><loc>http://a.example:99999/</loc></url>"
            "<url><loc>http://[x/</loc></url><url><loc>javascript:x()</loc></url></urlset>",
        ),
        "sitemap",
        {"address-wrong": 6},
    ),
    "an address too long": (
        SOUND.replace("</urlset>", f"<url><loc>{ONE}{'x' * 3000}</loc></url></urlset>"),
        "sitemap",
        {"address-long": 1},
    ),
    "addresses listed again": (
        SOUND.replace("</urlset>", f"{ENTRIES}<url><loc>{ONE}#x</loc></url></urlset>"),
        "sitemap",
        {"repeated": 3},
    ),
    "images and videos": (
        SOUND.replace(
            "</url>",
            "<image:image><image:loc>https://a.example/i.png</image:loc><image:title>I</image:title>"
            "</image:image><video:video><video:title>V</video:title></video:video></url>",
        ),
        "sitemap",
        {},
    ),
    "images without a prefix": (
        SOUND.replace("<url>", "<url><image><loc>https://a.example/i.png</loc></image>"),
        "sitemap",
        {},
    ),
    "billion laughs": (
        SOUND.replace(
            "<urlset",
            '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
            '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><urlset',
        ).replace("</url>", "<lastmod>&c;</lastmod></url>"),
        "sitemap",
        {"date-wrong": 2, "raw-ampersand": 2},
    ),
    "external entity": (
        SOUND.replace(
            "<urlset", '<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset'
        ).replace("</url>", "<lastmod>&x;</lastmod></url>"),
        "sitemap",
        {"date-wrong": 2, "raw-ampersand": 2},
    ),
    "external DTD": (
        SOUND.replace("<urlset", '<!DOCTYPE urlset SYSTEM "https://b.example/s.dtd"><urlset'),
        "sitemap",
        {},
    ),
    "gzip": (PACKED, "sitemap", {}),
    "gzip twice": (gzipped(PACKED), "sitemap", {}),
    "gzip of two members": (
        gzipped(HALVES[0]) + gzipped(HALVES[1]),
        "sitemap",
        {},
    ),
    "gzip with zeros behind": (PACKED + bytes(512), "sitemap", {}),
    "gzip with rubbish behind": (PACKED + b"rubbish", "sitemap", {"gzip-tail": 1}),
    "gzip without its end": (PACKED[:-8], "sitemap", {"gzip-cut": 1}),
    "gzip with a wrong sum": (
        gzipped(SOUND.encode() + b" " * 200_000)[:-8] + bytes(8),
        "sitemap",
        {"gzip-damaged": 1},
    ),
    "lines": (LISTED_IN_LINES, "text", {}),
    "lines with comments and blanks": (f"# ours\n\n{ONE}\r\n   \r\n  {TWO}  ", "text", {}),
    "lines with a mark": (b"\xef\xbb\xbf" + LISTED_IN_LINES.encode(), "text", {}),
    "lines in UTF-16": (LISTED_IN_LINES.encode("utf-16"), "text", {}),
    "lines packed": (gzipped(LISTED_IN_LINES.encode()), "text", {}),
    "lines with dates": (LISTED_IN_LINES.replace("\n", "\t2026-11-27\n"), "text", {}),
    "relative lines": (
        "/one\n../two\nhttps://\n",
        "text",
        {"address-relative": 2, "address-wrong": 1},
    ),
    "lines without a scheme": (
        "a.example/one\nwww.a.example/two\nHome",
        "text",
        {"address-relative": 2, "line-wrong": 1},
    ),
}


@pytest.mark.parametrize("name", READ_WHOLE)
def test_a_broken_listing_is_read_whole(name: str) -> None:
    served, kind, counted = READ_WHOLE[name]
    body = served if isinstance(served, bytes) else served.encode()
    listing = read_listing(body, URL)
    assert listing.kind == kind
    if name == "lines without a scheme":
        assert urls(listing) == [ONE, TWO.replace("a.example", "www.a.example")]
    else:
        assert urls(listing) == [ONE, TWO]
    assert listing.problems == counted
    assert not any(entry.lastmod for entry in listing.entries)


def test_a_packed_listing_cut_off_is_read_as_far_as_it_goes() -> None:
    entries = "".join(f"<url><loc>{ONE}/{number * 7919}</loc></url>" for number in range(5000))
    packed = gzipped(f"<urlset>{entries}</urlset>".encode())
    whole = urls(read_listing(packed, URL))
    cut = read_listing(packed[: len(packed) // 2], URL)
    assert 1000 < len(cut.entries) < 4000
    assert urls(cut) == whole[: len(cut.entries)]
    assert cut.problems == {"gzip-cut": 1, "cut-off": 1}
    damaged = bytearray(packed)
    damaged[len(packed) // 2 : len(packed) // 2 + 50] = b"\xff" * 50
    assert set(read_listing(bytes(damaged), URL).problems) >= {"gzip-damaged"}
    lines = gzipped("".join(f"{url}\n" for url in whole).encode())
    from_lines = read_listing(lines[: len(lines) // 2], URL)
    assert from_lines.kind == "text"
    assert urls(from_lines) == whole[: len(from_lines.entries)]


def test_what_is_named_as_packed_and_is_not_is_read() -> None:
    listing = read_listing(SOUND.encode(), f"{URL}.gz", "application/x-gzip")
    assert urls(listing) == [ONE, TWO]
    assert listing.problems == {"gzip-not": 1}


def test_wide_text_of_no_listing_is_none() -> None:
    assert read_listing("a plain text of some length".encode("utf-16-le"), URL).kind == "none"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "empty"),
        (b" \r\n\t ", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (gzipped(b""), "empty"),
        (b"<!DOCTYPE html><html><body><h1>404</h1><url><loc>/x</loc></url></body></html>", "html"),
        (b"<html><head><title>Error</title></head></html>", "html"),
        (b"\n<!-- x --><HTML lang=en><body>Just a moment", "html"),
        (b"<opml><body><outline xmlUrl='https://a.example/feed'/></body></opml>", "html"),
        (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "unknown"),
        (b"Not found", "unknown"),
        (b"See https://a.example/one\nor ask us\nby mail\n", "unknown"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "unknown"),
        (b'{"error": "not found"}', "json-wrong"),
        (b'{"items": [1, {"name": "x"}]}', "json-wrong"),
        (b"[" * 200_000, "json-wrong"),
        (b'{"items": [', "json-wrong"),
        (b"[]", "json-wrong"),
    ],
)
def test_what_is_no_listing_says_why(body: bytes, problem: str) -> None:
    listing = read_listing(body, URL)
    assert (listing.kind, listing.entries) == ("none", ())
    assert problem in listing.problems


@pytest.mark.parametrize(
    ("declared", "real", "header"),
    [
        ("UTF-8", "cp949", ""),
        ("ISO-8859-1", "utf-8", ""),
        ("EUC-KR", "utf-8", "text/xml; charset=euc-kr"),
        ("UTF-8", "utf-8", "text/xml; charset=iso-8859-1"),
    ],
)
def test_a_wrong_encoding_is_found_out(declared: str, real: str, header: str) -> None:
    words = "서울 시내 버스 노선이 다음 달부터 크게 바뀐다"
    text = f'<?xml version="1.0" encoding="{declared}"?><rss><channel><item><link>{ONE}</link>'
    text += f"<language>{words}</language></item></channel></rss>"
    listing = read_listing(text.encode(real), URL, header)
    assert listing.entries[0].language == words
    assert listing.problems == {"encoding-wrong": 1}


def test_a_right_encoding_is_no_problem() -> None:
    text = f"<rss><item><link>{ONE}</link><title>서울 시내 버스 노선이 바뀐다</title></item></rss>"
    head = '<?xml version="1.0" encoding="EUC-KR"?>'
    for body in (text.encode(), f"{head}{text}".encode("euc-kr")):
        assert read_listing(body, URL).problems == {}


@pytest.mark.parametrize(
    ("written", "read", "counted"),
    [
        ("?a=1&amp;b=2", "?a=1&b=2", {}),
        ("?a=1&b=2", "?a=1&b=2", {"raw-ampersand": 1}),
        ("?a=1&copy=2&reg=3", "?a=1&copy=2&reg=3", {"raw-ampersand": 2}),
        ("?a=1&amp;amp;b=2", "?a=1&b=2", {"address-escaped-twice": 1}),
        ("?a=1&#38;b=2", "?a=1&b=2", {}),
        ("?a=1&#x26;b=&#0;2", "?a=1&b=2", {}),
        ("<![CDATA[?a=1&b=2]]>", "?a=1&b=2", {}),
        ("<![CDATA[?a=1&amp;b=2]]>", "?a=1&b=2", {"address-escaped-twice": 1}),
        ("/caf&eacute;", "/caf%C3%A9", {}),
        ("/a b", "/a%20b", {}),
        ("/서울", "/%EC%84%9C%EC%9A%B8", {}),
        ("/a/../b?utm_source=x#top", "/b", {}),
    ],
)
def test_addresses_are_mended(written: str, read: str, counted: dict[str, int]) -> None:
    body = f"<urlset><url><loc>https://a.example/x{written}</loc></url></urlset>"
    listing = read_listing(body.encode(), URL)
    start = "https://a.example/" if read == "/b" else "https://a.example/x"
    expected = "https://a.example/x/b" if read == "/b" else f"{start}{read}"
    assert urls(listing) == [expected]
    assert listing.problems == counted


def test_html_entities_and_json_halves_of_characters_do_no_harm() -> None:
    items = [{"url": "/one", "language": "half \ud800"}, {"url": "/two\ud800"}]
    listing = read_listing(json.dumps({"items": items}).encode(), URL)
    assert listing.entries[0].language == "half ?"
    assert len(listing.entries) == 2


def test_a_record_is_found_after_elements_too_deep_to_be_told_apart() -> None:
    text = "<p>" * 200 + "<i>x</i>" * 3
    listing = read_listing(
        f"<rss><channel><item><link>{ONE}</link><description>{text}</description></item>"
        f"<item><link>{TWO}</link></item></channel></rss>".encode(),
        URL,
    )
    assert urls(listing) == [ONE, TWO]
    assert listing.problems["nested-deeply"] > 100
