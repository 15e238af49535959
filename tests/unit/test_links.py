"""Which addresses a page leads to, why some are cut, and in which order they are fetched."""

from __future__ import annotations

import pickle

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.discovery.frontier import Frontier, Visit
from crawler.discovery.links import Link, page_links
from crawler.discovery.scope import CUT_REASONS, Scope
from support.pace import within

SCOPE = Scope()


def links_of(body: bytes, scope: Scope = SCOPE, charset: str = "utf-8") -> list[Link]:
    kind = f"text/html; charset={charset}"
    return page_links(parse(Page("http://a.example/dir/page", body, content_type=kind)), scope)


def links(
    body: str, *, head: str = "", scope: Scope = SCOPE, encoding: str = "utf-8"
) -> list[Link]:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return links_of(html.encode(encoding), scope, charset=encoding)


def addresses(body: str, *, head: str = "", encoding: str = "utf-8") -> list[str]:
    return [link.address for link in links(body, head=head, encoding=encoding)]


def test_links_are_resolved_and_come_once_in_document_order() -> None:
    body = """<a href="b">b</a><a href="/c?utm_source=x">c</a><area href="//other.example/d">
    <a href=" ../e
    ">e</a><a href="b#part">b</a><a name="x">no link</a><a href="">here</a><a href="#top">top</a>"""
    assert addresses(
        body, head='<link rel="next" href="?p=2"><link rel="stylesheet" href="s">'
    ) == [
        "http://a.example/dir/page?p=2",
        "http://a.example/dir/b",
        "http://a.example/c",
        "http://other.example/d",
        "http://a.example/e",
    ]


def test_the_first_base_counts() -> None:
    head = '<base target="_blank"><base href="/root/"><base href="/no/">'
    assert addresses('<a href="x">', head=head) == ["http://a.example/root/x"]


def test_other_schemes_and_broken_links_are_left_out() -> None:
    hrefs = ["mailto:a@b.example", "javascript:void(0)", "DATA:text/html,x", "tel:1", "ftp://a/b"]
    hrefs += ["http://[", "http://a:99999/", "https:"]
    assert addresses("".join(f'<a href="{href}">x</a>' for href in hrefs)) == []


def test_a_query_is_sent_in_the_encoding_of_its_page() -> None:
    body = '<a href="/검색?q=한">x</a>'
    assert addresses(body, encoding="euc-kr") == [
        "http://a.example/%EA%B2%80%EC%83%89?q=%C7%D1",
    ]
    assert addresses('<a href="/?q=한">x</a>') == ["http://a.example/?q=%ED%95%9C"]


def test_a_body_beside_the_root_is_read_too() -> None:
    html = b"<!--[if IE]><html><![endif]--><body><a href='/x'>x</a></body><a href='/y'>y</a>"
    assert [link.address for link in links_of(html)] == [
        "http://a.example/x",
        "http://a.example/y",
    ]


@pytest.mark.parametrize("body", [b"<", b"a\x00<a href=/\xff\xfe>x", b"<a href=/x><" + b"a" * 99])
def test_broken_pages_have_links_or_none(body: bytes) -> None:
    assert len(links_of(body)) <= 1


def test_links_below_any_depth_are_found() -> None:
    deep = b"<div>" * 3000 + b"<a href=/x>x</a>"
    assert links_of(b"<a href=/a>a</a>" + deep) == [
        Link("http://a.example/a"),
        Link("http://a.example/x"),
    ]


def test_a_tag_of_many_attributes_costs_no_time() -> None:
    many = " ".join(f"a{number}=1" for number in range(40_000))
    with within(2):
        found = links_of(f"<p {many}>text</p><a href=/x>x</a>".encode())
    assert found == [Link("http://a.example/x")]


@pytest.mark.parametrize(
    "base", ["http://[bad", "http://a:99999/", "data:text/html,x", " javascript:void(0) "]
)
def test_a_base_that_is_no_address_is_ignored(base: str) -> None:
    head = f'<base href="{base}"><base href="/no/">'
    assert addresses('<a href="x">', head=head) == ["http://a.example/dir/x"]


def test_a_page_in_a_wide_encoding_sends_its_queries_in_utf8() -> None:
    html = '<html><body><p>검색</p><a href="/?q=한">x</a></body></html>'
    assert links_of(html.encode("utf-16"), charset="utf-16") == [
        Link("http://a.example/?q=%ED%95%9C"),
    ]


@pytest.mark.parametrize(
    ("href", "cut"),
    [
        ("/a.JPG", "file-type"),
        ("/report.pdf?page=1", "file-type"),
        ("/a.html", ""),
        ("/about-node.js", ""),
        ("/list?file=a.jpg", ""),
        ("/" + "x" * 2000, "length"),
        ("/" + "/".join(map(str, range(17))), "path-depth"),
        ("/a/b/a/b/a/b/a", "repeated-path"),
        ("/a/b/a/b/a/b", ""),
        ("/?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8", ""),
        ("/?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9", "query"),
    ],
)
def test_links_are_cut_for_a_reason(href: str, cut: str) -> None:
    assert [link.cut for link in links(f'<a href="{href}">x</a>')] == [cut]


def test_a_limit_of_zero_is_none() -> None:
    scope = Scope(max_path_depth=0, max_repeats=0, max_query=0)
    href = "/a" * 30 + "?" + "&".join(f"p{number}=1" for number in range(20))
    assert [link.cut for link in links(f'<a href="{href}">x</a>', scope=scope)] == [""]


def test_nofollow_is_kept_to_unless_told_otherwise() -> None:
    body = '<a href="/a" rel="noopener NoFollow">a</a><a href="/b">b</a><a href="/a2" rel=nofollow>'
    assert [link.cut for link in links(body)] == ["nofollow", "", "nofollow"]
    whole_page = '<meta name="ROBOTS" content="noindex,nofollow">'
    assert [link.cut for link in links(body, head=whole_page)] == ["nofollow"] * 3
    lifted = Scope(follow_nofollow=True)
    assert [link.cut for link in links(body, head=whole_page, scope=lifted)] == [""] * 3


def test_an_address_linked_with_and_without_nofollow_is_followed() -> None:
    assert links('<a href="/a" rel=nofollow>a</a><a href="/a">a</a>') == [
        Link("http://a.example/a"),
    ]


def test_each_reason_is_explained() -> None:
    for reason in CUT_REASONS:
        words = SCOPE.explain(reason)
        assert words
        assert "{" not in words


def test_the_frontier_never_has_more_under_way_than_may_be_taken() -> None:
    frontier = Frontier(max_pages=3)
    site = frontier.add_root("http://www.a.example/")
    for number in range(6):
        assert frontier.add(Visit(f"http://a.example/{number}", site, 1))
    assert not frontier.add(Visit("http://a.example/0?utm_source=x", site, 1))
    assert frontier.site("http://b.example/") is None
    visits = frontier.next_visits(site)
    assert [visit.address[-1] for visit in visits] == ["0", "1", "2"]
    assert frontier.next_visits(site) == []
    frontier.finish(visits[0])
    assert frontier.take("http://a.example/0", site)
    assert frontier.next_visits(site) == []
    frontier.finish(visits[1])
    assert not frontier.take("http://a.example/0#again", site)
    assert frontier.next_visits(site) == [Visit("http://a.example/3", site, 1)]
    for number in (2, 3):
        frontier.finish(visits[2])
        assert frontier.take(f"http://a.example/{number}", site)
    assert frontier.is_full(site)
    assert frontier.left_out(site) == 2


def test_a_frontier_survives_being_kept_on_disk() -> None:
    frontier = Frontier()
    site = frontier.add_root("http://a.example/")
    frontier.add_root("https://moved.example/", site)
    frontier.add(Visit("http://a.example/", site, 0))
    kept: Frontier = pickle.loads(pickle.dumps(frontier))
    assert kept == frontier
    assert kept.site("http://moved.example/x") == "a.example"
    assert kept.next_visits(site) == [Visit("http://a.example/", site, 0)]
    assert not kept.add(Visit("http://a.example/#again", site, 1))
