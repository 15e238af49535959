"""Posts that are not logins or front pages, whatever words and letters their addresses have."""

from __future__ import annotations

import pytest

from crawler.core.flow import Page, read
from crawler.core.pagetype.address import Address
from crawler.core.pagetype.judge import PageType, page_type

SENTENCE = "We walked up to the mill on Sunday because the road was dry for once, and met nobody. "
FORM = "<form>Sign in <input name=u><input type=password></form>"


def type_of(main: str, url: str, title: str = "The mill") -> PageType:
    nav = '<nav><a href="/">Home</a><a href="/about">About</a></nav>'
    html = (
        f"<html lang=en><title>{title} - Hill notes</title><body>{nav}{FORM}"
        f"<main><h1>{title}</h1>{main}</main><footer>Hill notes</footer></body></html>"
    )
    return page_type(read(Page.from_text(url, html)))


@pytest.mark.parametrize(
    "url",
    [
        "https://hill.example/members/mo/the-mill",
        "https://hill.example/users/mo/the-mill",
        "https://hill.example/join/the-mill",
        "https://members.hill.example/mill/the-mill-in-may",
    ],
)
@pytest.mark.parametrize("paragraphs", [1, 3])
def test_a_post_below_a_form_to_sign_in_is_no_login(url: str, paragraphs: int) -> None:
    found = type_of(f"<p>{SENTENCE * 2}</p>" * paragraphs, url)
    assert found.kind != "login"
    assert found.is_among({"article"})


def test_logins_are_still_told() -> None:
    assert type_of("<p>Welcome.</p>", "https://hill.example/members/").kind == "login"
    assert type_of("", "https://hill.example/x", "Sign in").kind == "login"


@pytest.mark.parametrize("slug", ["ai", "go", "tv", "vr"])
def test_two_letters_that_are_no_language_are_a_subject(slug: str) -> None:
    url = f"https://essay.example/{slug}"
    assert not Address((url,)).is_root
    found = type_of(f"<p>{SENTENCE * 3}</p>" * 8, url)
    assert found.kind != "front"
    assert found.is_among({"article"})


@pytest.mark.parametrize("edition", ["en", "de-at", "ko", "us", "pt_br", "index.html", ""])
def test_editions_are_first_pages(edition: str) -> None:
    assert Address((f"https://essay.example/{edition}",)).is_root


@pytest.mark.parametrize(
    "path", ["archives/the-mill", "category/walks/the-mill", "author/mo/the-mill", "label/the-mill"]
)
def test_a_short_post_at_the_address_of_a_list_is_kept(path: str) -> None:
    found = type_of(f"<p>{SENTENCE * 2}</p>", f"https://hill.example/{path}")
    assert found.is_among({"article"})
    links = "".join(f"<h2><a href=/p{n}>Post {n}</a></h2><p>{SENTENCE}</p>" for n in range(6))
    assert not type_of(links, f"https://hill.example/{path}").is_among({"article"})
