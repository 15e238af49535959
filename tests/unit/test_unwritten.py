"""Pages that scripts write are told from those that came with their text."""

from __future__ import annotations

import json

import pytest
from scrapy.http import HtmlResponse

from crawler.browser.middleware import _as_rendered, _Site
from crawler.core.page.page import Page
from crawler.core.page.parse import ParsedPage, parse
from crawler.core.page.unwritten import has_gained, is_unwritten, shown_text

PROSE = "The night train to the sea is back, and whoever wants to ride on it goes to the station. "
SCRIPT = "<script src=/app.js></script>"
LINKS = "".join(
    f"<li><a href=/{n}>What happened on the {n}th day of the year</a>" for n in range(40)
)
STATE = json.dumps({"props": {"article": {"title": "Night train", "body": PROSE * 20}}})


def page(markup: str) -> ParsedPage:
    return parse(Page.from_text("https://blog.example/", f"<title>Night train</title>{markup}"))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (f"<div id=root></div>{SCRIPT}", True),
        (f"<noscript>{PROSE * 5}</noscript><div>Loading…</div>{SCRIPT}", True),
        (f"<nav><a href=/>Home</a><a href=/a>About</a></nav><main></main>{SCRIPT}", True),
        (f"<style>{PROSE * 9}</style><svg><title>{PROSE * 9}</title></svg>{SCRIPT}", True),
        ("<div id=root></div>", False),
        ("<div id=root></div><script type=application/ld+json>{}</script>", False),
        (f"<p>{PROSE * 3}</p>{SCRIPT}", False),
        (f"<ul>{LINKS}</ul>{SCRIPT}", False),
        (f"<div id=root></div>{SCRIPT}<script id=__NEXT_DATA__>{STATE}</script>", False),
    ],
)
def test_which_pages_wait_for_their_scripts(markup: str, *, expected: bool) -> None:
    assert is_unwritten(page(markup)) is expected


def test_how_much_text_a_page_shows() -> None:
    links = page("<body>ab<a href=/>cd<b>ef</b>gh</a>ij<p>k l<script>mn</script>o</p>")
    assert shown_text(links.elements) == (13, 7)
    assert has_gained(page(SCRIPT), page(f"<p>{PROSE * 3}</p>"))
    assert not has_gained(page(f"<p>{PROSE}</p>"), page(f"<p>{PROSE} and more</p>"))


def test_when_a_site_goes_on_in_the_browser() -> None:
    assert [_Site(gained=n).goes_on for n in (0, 2, 3)] == [False, False, True]
    assert not _Site(gained=3, written=3).goes_on
    assert [_Site(vain=n).is_hopeless for n in (2, 3)] == [False, True]
    assert not _Site(vain=3, gained=1).is_hopeless


def test_what_is_kept_of_the_headers() -> None:
    came = HtmlResponse(
        "https://blog.example/",
        headers={
            "ETag": "1",
            "Last-Modified": "x",
            "X-Robots-Tag": "noai",
            "Content-Type": "text/htm",
        },
        body=b"",
    )
    rendered = _as_rendered(came, "<p>Zürich".encode())
    assert isinstance(rendered, HtmlResponse)
    assert rendered.text == "<p>Zürich"
    assert rendered.headers.to_unicode_dict() == {
        "X-Robots-Tag": "noai",
        "Content-Type": "text/html; charset=utf-8",
    }
