"""Laws of listings: whatever is served is read without an error, and what is read is sound."""

from __future__ import annotations

import gzip
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.listings.read import read_listing
from crawler.core.page.addresses import _CANONICAL, _resolve_dots, canonical_address
from support.pace import within

# Without the time, which would stand in the names of tests.
gzipped = partial(gzip.compress, mtime=0)

URL = "https://a.example/maps/sitemap.xml"
_PIECES = [
    "<urlset>", "</urlset>", "<sitemapindex>", "<url>", "</url>", "<loc>", "</loc>", "<sitemap>",
    "<rss>", "<channel>", "<item>", "</item>", "<link>", "</link>", "<link rel='next' href='b'/>",
    "<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry>", "</entry>", "<link href=", "<title>",
    "</title>", "<lastmod>", "<pubDate>", "2026-11-27", "<news:news>", "<news:title>", "<x y='",
    "<![CDATA[", "]]>", "<!--", "-->", "<?xml version='1.0'?>", "<!DOCTYPE a [", "]>", "&amp;", "&",
    "&#x26;", "&#0;", "https://a.example/", "/one", "two", "http://[", "\n", " ", "<", ">", "'",
    '"', "{", "}", '"items": [', "\x00", "\ufeff", "é", "한", "<html>",
    "<a:b xmlns:a='c'>", "</a:b>",
]  # fmt: skip
soup = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)
served = st.one_of(
    soup.map(lambda text: text.encode()),
    soup.map(lambda text: f"<urlset>{text}".encode()),
    soup.map(lambda text: f"<rss><item>{text}".encode("utf-16")),
    soup.map(lambda text: gzipped(text.encode())[:-3]),
    st.binary(max_size=100),
    st.binary(max_size=60).map(lambda junk: b"\x1f\x8b\x08\x00" + junk),
)
paths = st.lists(st.integers(0, 999), min_size=1, max_size=12, unique=True)
FORMS = {
    "sitemap": "<urlset>{}</urlset>|<url><loc>https://a.example/{}</loc></url>",
    "rss": "<rss><channel>{}</channel></rss>|<item><title>T</title><link>/{}</link></item>",
    "atom": "<feed>{}</feed>|<entry><link href='/{}'/><title>T</title></entry>",
    "text": "{}|https://a.example/{}\n",
}


def made(form: str, numbers: list[int]) -> str:
    frame, _, entry = FORMS[form].partition("|")
    return frame.format("".join(entry.format(number) for number in numbers))


def urls(body: bytes) -> list[str]:
    return [entry.url for entry in read_listing(body, URL).entries]


@given(served, st.sampled_from([URL, "https://a.example", "not an address", "http://[", ""]))
def test_whatever_is_served_is_read_and_what_is_read_is_sound(body: bytes, url: str) -> None:
    listing = read_listing(body, url)
    found = [entry.url for entry in listing.entries]
    assert len(found) == len(set(found))
    assert all(canonical_address(address) == address for address in found)
    assert all(address.startswith(("http://", "https://")) for address in found)
    if listing.kind == "none":
        assert not found
        assert listing.problems


@given(st.sampled_from(sorted(FORMS)), paths)
def test_packing_and_encoding_change_nothing(form: str, numbers: list[int]) -> None:
    text = made(form, numbers)
    expected = [f"https://a.example/{number}" for number in numbers]
    assert urls(text.encode()) == expected
    assert urls(gzipped(text.encode())) == expected
    assert urls(text.encode("utf-16")) == expected
    middle = len(text) // 2
    packed = (gzipped(part.encode()) for part in (text[:middle], text[middle:]))
    assert urls(b"".join(packed)) == expected


@given(st.sampled_from(["sitemap", "rss", "atom"]), paths, st.data())
def test_what_is_cut_off_gives_the_first_entries(
    form: str, numbers: list[int], data: st.DataObject
) -> None:
    text = made(form, numbers)
    at = data.draw(st.integers(0, len(text)))
    found = urls(text[:at].encode())
    assert found == [f"https://a.example/{number}" for number in numbers][: len(found)]


@given(st.from_regex(_CANONICAL, fullmatch=True))
def test_addresses_of_the_usual_look_are_canonical(url: str) -> None:
    # A fragment is dropped, and with it what is known at a glance.
    assert canonical_address(f"{url}#x") == url
    assert _resolve_dots("/" + url.split("/", 3)[3]) == "/" + url.split("/", 3)[3]


HOSTILE = {
    "open elements": "<a>" * 20_000,
    "elements and stray ends": "<a>" * 10_000 + "</b>" * 10_000,
    "marks": "<" * 60_000,
    "quotes left open": '<a b="' * 10_000,
    "mixed quotes": '<a b="' + "'" * 10_000,
    "CDATA left open": "<![CDATA[" * 10_000,
    "comments left open": "<!--" * 20_000,
    "declarations left open": "<?x " * 20_000,
    "document types left open": "<!DOCTYPE a[" * 10_000,
    "closing brackets": "<!DOCTYPE a[" + "] " * 30_000,
    "attributes": "<a " + "b " * 30_000 + ">",
    "prefixes": "".join(f"<a xmlns:p{number}='x'>" for number in range(3_000)),
    "ampersands": "<url><loc>" + "&" * 60_000,
    "references": "<url><loc>" + "&a" * 30_000,
    "white space": "<url><loc>x" + " " * 60_000 + "y",
    "entries left open": "<url><loc>" * 8_000,
    "blanks in a field": "<url><loc>" + " <a>" * 15_000,
    "digits": "<url><loc>/x</loc><lastmod>" + "1" * 60_000 + "</lastmod>",
    "tags in a field": "<url><loc>/x</loc><news:language>" + "&lt;a" * 15_000,
    "slashes": "<url><loc>" + "/" * 60_000 + "</loc>",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_takes_linear_time(name: str) -> None:
    # All are some 60 kB: quadratic time would be many seconds.
    with within(2):
        listing = read_listing(f"<urlset>{HOSTILE[name]}".encode(), URL)
    assert listing.problems
    assert {entry.url for entry in listing.entries} <= {"https://a.example/x"}


def test_entities_are_not_expanded_and_bombs_not_unpacked() -> None:
    entities = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 30))
    body = f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><rss><item><link>/&e29;</link>'
    body += "<language>&e29;</language></item></rss>"
    (entry,) = read_listing(body.encode(), URL).entries
    assert entry.language == "&e29;"
    with within(5):
        layers = gzipped(gzipped(gzipped(bytes(20_000_000))))
        assert read_listing(layers, URL).entries == ()
