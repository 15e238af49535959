"""Text nodes: which there are, what is read of them, and where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.flow import Page, read
from crawler.core.methods.published import text_nodes

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawler.core.methods.published import Piece


def nodes(html: str, inside: Collection[str] = ()) -> list[Piece]:
    return text_nodes(read(Page.from_text("https://s.example/", html)).parsed, inside)


def in_body(html: str) -> list[tuple[str, str]]:
    """Text and path of what stands in the body."""
    found = nodes(f"<!doctype html><html><body>{html}</body></html>")
    return [(node.text, node.place.path.removeprefix("html/body")) for node in found]


def test_each_stretch_between_two_tags_is_a_node() -> None:
    assert in_body("one<p>two <b>three</b> four<br>five</p>six") == [
        ("one", ""),
        ("two", "/p"),
        ("three", "/p/b"),
        ("four", "/p"),
        ("five", "/p"),
        ("six", ""),
    ]


def test_scripts_style_sheets_comments_and_blanks_are_no_text() -> None:
    assert in_body(
        "<script>run()</script>a<style>p{}</style>b<!-- c -->\n <p> \t&nbsp;</p><i>d</i>"
    ) == [("a", ""), ("b", ""), ("d", "/i")]


def test_the_title_is_text_of_the_page() -> None:
    assert [(n.text, n.place.path) for n in nodes("<title>T</title><p>x</p>")] == [
        ("T", "html/head/title"),
        ("x", "html/body/p"),
    ]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>  much\n\t white&nbsp; space </p>", "much white space"),
        ("<p>hy&shy;phen\u200bated\ufeff</p>", "hyphenated"),
        ("<p>\u200e\u05d0\u200f</p>", "\u200e\u05d0\u200f"),
        ("<pre>one\n  two</pre>", "one two"),
    ],
)
def test_a_node_is_what_is_read_of_it(html: str, text: str) -> None:
    assert [found for found, _ in in_body(html)] == [text]


@pytest.mark.parametrize("unseen", ["&shy;", "\u200b", "\u200e \u200f", "\ufeff\u2060"])
def test_what_cannot_be_seen_is_no_node(unseen: str) -> None:
    assert in_body(f"<p>{unseen}</p>") == []


def test_text_behind_the_end_of_the_page_counts() -> None:
    assert [text for text, _ in in_body("<p>a</p></body></html><p>b</p>c")] == ["a", "b", "c"]


def test_links_at_any_depth() -> None:
    found = nodes("<p>a <a href=/>b <b>c</b></a> d</p><a name=x>e</a>")
    assert [(node.text, node.place.in_link) for node in found] == [
        ("a", False),
        ("b", True),
        ("c", True),
        ("d", False),
        ("e", True),
    ]


def test_paths_leave_out_what_parsers_put_in() -> None:
    assert in_body("<table><tbody><tr><td>x</td></tr></tbody></table>") == [("x", "/table/tr/td")]
    assert nodes("<table><tbody><tr><td>x</td></tr></tbody></table>")[0].place.depth == 6


@pytest.mark.parametrize(
    ("inside", "texts"), [(("header", "em"), ["a", "b", "d"]), (("head",), ["t"]), ((), [])]
)
def test_all_elements_around_a_node_count(inside: Collection[str], texts: list[str]) -> None:
    html = "<body><header>a<div><p>b</p></div></header><p>c <em>d</em> e</p>"
    found = nodes(f"<head><title>t</title></head>{html}", inside)
    assert [node.text for node in found] == ["t", "a", "b", "c", "d", "e"]
    assert [node.text for node in found if node.place.is_inside] == texts


def test_nodes_in_one_kind_of_place_share_it() -> None:
    depth = 1_500
    found = nodes("<div>" * depth + "".join(f"<p>{n} <i>x</i> y</p>" for n in range(2_000)))
    assert len(found) == 6_000
    assert {node.place.depth for node in found} == {depth + 3, depth + 4}
    # Not one place a node: that would take depth times nodes of memory for the names alone.
    assert len({id(node.place) for node in found}) == 2


def test_five_thousand_nested_elements_with_text_in_each() -> None:
    found = nodes("".join(f"<div>text {n} " for n in range(5_000)))
    assert [node.text for node in found] == [f"text {n}" for n in range(5_000)]
    assert max(len(node.place.path) for node in found) < 1_010


def test_twenty_thousand_nodes() -> None:
    found = nodes("<p>a<b>b</b></p>" * 10_000)
    assert len(found) == 20_000
    assert len({id(node.place) for node in found}) == 2
