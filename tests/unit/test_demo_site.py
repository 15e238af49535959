from __future__ import annotations

import http.client
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html

from crawler.demo.pages import (
    MISLABELLED_PATH,
    DemoPage,
    answers,
    demo_pages,
    load_articles,
    shop_pages,
)
from crawler.demo.server import serve

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Addresses that pages link to and that are missing on purpose.
MISSING_PATHS = {"/news/city/fountain-moved"}
_BASE = "http://demo.test"
_PAGES = {page.path: page for page in demo_pages()}
_WITH_GOLD = [page for page in demo_pages() if page.gold_text]


def _tree(page: DemoPage) -> HtmlElement:
    text = page.body.decode("euc-kr" if page.path == MISLABELLED_PATH else "utf-8")
    # lxml refuses text that declares its own encoding; bytes in UTF-8 with a parser told so work.
    return html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))


def _html_pages() -> list[DemoPage]:
    return [
        page
        for page in demo_pages()
        if page.headers.get("Content-Type", "").startswith("text/html") and page.kind != "broken"
    ]


def _links(page: DemoPage) -> set[str]:
    tree = _tree(page)
    hrefs = [str(href) for href in tree.xpath("//a/@href | //link/@href")]
    targets = [urlsplit(urljoin(_BASE + page.path, href)) for href in hrefs]
    return {
        target.path + (f"?{target.query}" if target.query else "")
        for target in targets
        if target.netloc == "demo.test"
    }


def _folded(text: str) -> str:
    return " ".join(text.split())


def test_every_address_is_served_once() -> None:
    paths = Counter(page.path for page in demo_pages())

    assert max(paths.values()) == 1
    assert set(answers()) == {*paths, *(page.path for page in shop_pages())}


def test_every_link_leads_to_a_page_or_is_dead_on_purpose() -> None:
    linked = set().union(*(_links(page) for page in _html_pages()))

    assert linked - set(_PAGES) == MISSING_PATHS


def test_every_redirect_leads_to_a_page() -> None:
    redirects = [page for page in demo_pages() if page.kind == "redirect"]

    assert {page.status for page in redirects} == {301, 302}
    for page in redirects:
        assert _PAGES[page.headers["Location"]].kind == "article"


def test_every_page_is_reached_from_the_front_page() -> None:
    reached = {"/", "/robots.txt"}
    waiting = ["/"]
    while waiting:
        page = _PAGES.get(waiting.pop())
        if page is None or page.kind in {"broken", "binary"}:
            continue
        following = {page.headers["Location"]} if page.kind == "redirect" else _links(page)
        waiting.extend(following - reached)
        reached |= following

    assert reached - MISSING_PATHS == set(_PAGES)


def test_the_site_has_every_kind_of_page() -> None:
    kinds = Counter(page.kind for page in demo_pages())

    assert kinds["article"] == sum(
        len(load_articles(folder)) for folder in ("news", "blog", "archive")
    )
    assert kinds["table"] == len(load_articles("data"))
    assert min(kinds[kind] for kind in ("duplicate", "near-duplicate", "broken", "binary")) >= 2
    assert {"index", "private", "robots", "redirect"} <= set(kinds)


@pytest.mark.parametrize("page", _WITH_GOLD, ids=lambda page: page.path)
def test_gold_lines_stand_on_the_page_in_order(page: DemoPage) -> None:
    text = _folded(str(_tree(page).text_content()))

    place = 0
    for line in page.gold_text.splitlines():
        assert _folded(line) in text[place:], "missing, or out of order"
        place = text.index(_folded(line), place) + len(line)


@pytest.mark.parametrize("page", _WITH_GOLD, ids=lambda page: page.path)
def test_gold_text_is_an_article_and_free_of_boilerplate(page: DemoPage) -> None:
    lines = page.gold_text.splitlines()

    assert len(lines) >= 4
    assert all(line == line.strip() and line for line in lines)
    for boilerplate in ("Gazette", "By the editors", "Subscribe", "댓글", "편집부", "visitor"):
        assert boilerplate not in page.gold_text
    assert "<" not in page.gold_text


def test_articles_are_all_different() -> None:
    lines = Counter(
        line
        for page in demo_pages()
        if page.kind == "article"
        for line in page.gold_text.splitlines()
    )

    assert [line for line, count in lines.items() if count > 1] == []


def test_duplicates_repeat_an_article() -> None:
    texts = tuple(page.gold_text for page in demo_pages() if page.kind == "article")
    for page in demo_pages():
        if page.kind == "duplicate":
            assert page.gold_text in texts
        elif page.kind == "near-duplicate":
            assert page.gold_text.startswith(texts)
            assert page.gold_text not in texts


def test_the_mislabelled_post_is_euc_kr_under_a_utf_8_header() -> None:
    page = _PAGES[MISLABELLED_PATH]

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    with pytest.raises(UnicodeDecodeError):
        page.body.decode("utf-8")
    assert page.gold_text.splitlines()[0] in page.body.decode("euc-kr")


def test_data_pages_hold_a_genuine_table_inside_a_layout_table() -> None:
    for page in demo_pages():
        if page.kind == "table":
            tree = _tree(page)
            assert tree.xpath("//table[@role='presentation']//table[caption and thead]//th[@scope]")
            assert tree.xpath("//table[caption]//*[@colspan or @rowspan]")


def test_the_boilerplate_carries_counters_that_differ_from_page_to_page() -> None:
    built = {
        str(_tree(page).xpath("string(//p[@class='built'])"))
        for page in demo_pages()
        if page.path.startswith("/news/") and page.kind == "article"
    }

    assert len(built) == len(load_articles("news"))


def test_the_site_is_the_same_at_every_call() -> None:
    first = [page.body for page in demo_pages()]
    demo_pages.cache_clear()

    assert [page.body for page in demo_pages()] == first


def _ask(base: str, method: str, target: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=10)
    try:
        connection.request(method, target)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_the_server_sends_every_page_as_made() -> None:
    with serve(answers()) as base:
        for page in demo_pages():
            status, headers, body = _ask(base, "GET", page.path)
            assert (status, body) == (page.status, page.body)
            assert headers["Content-Length"] == str(len(page.body))
            assert dict(page.headers).items() <= headers.items()


def test_head_has_the_headers_of_get_and_no_body() -> None:
    with serve(answers()) as base:
        status, headers, body = _ask(base, "HEAD", "/about")

    assert (status, body) == (200, b"")
    assert headers["Content-Length"] == str(len(_PAGES["/about"].body))


def test_unknown_addresses_are_404_and_unknown_queries_are_ignored() -> None:
    with serve({"/a": (200, {}, b"plain"), "/a?b=1": (200, {}, b"with query")}) as base:
        assert _ask(base, "GET", "/nothing")[0] == 404
        assert _ask(base, "GET", "/a?utm_source=x")[2] == b"plain"
        assert _ask(base, "GET", "/a?b=1")[2] == b"with query"


def test_one_connection_serves_many_requests_and_each_is_noted() -> None:
    asked: list[str] = []
    with serve({"/": (200, {}, b"yes")}, asked=asked) as base:
        connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=10)
        for _ in range(3):
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"yes"
        connection.close()

    assert asked == ["/", "/", "/"]


def test_the_server_listens_on_loopback_only_and_stops_with_its_block() -> None:
    with serve({}) as base:
        assert urlsplit(base).hostname == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        _ask(base, "GET", "/")
