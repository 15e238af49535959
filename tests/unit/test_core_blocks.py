from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.flow import Page, read
from crawler.core.page.text import block_key, drop_unseen, normalise

if TYPE_CHECKING:
    from crawler.core.page.blocks import Block


def blocks(html: str) -> tuple[Block, ...]:
    return read(Page.from_text("https://site.example/", html)).blocks


def texts(html: str) -> list[str]:
    return [block.text for block in blocks(html)]


def test_a_block_says_where_it_stands() -> None:
    html = "<body><div><table><tbody><tr><td>a <a href=/>b</a></td></tr></tbody></table></div>c"
    cell, rest = blocks(html)
    assert (cell.index, cell.tag, cell.path) == (0, "td", "html/body/div/table/tr/td")
    assert (cell.chars, cell.link_chars, cell.link_share) == (2, 1, 0.5)
    assert (rest.index, rest.tag, rest.path, rest.link_share) == (1, "body", "html/body", 0.0)


def test_a_tbody_that_the_author_left_out_changes_no_path() -> None:
    (left_out,) = blocks("<table><tr><td>a</table>")
    (put_in,) = blocks("<table><tbody><tr><td>a</table>")
    assert left_out == put_in


def test_deep_paths_end_and_are_shared() -> None:
    deep = blocks("<div>" * 900 + "<p>a</p><p>b</p>")
    assert len(deep[0].path) < 1100
    assert deep[0].path is deep[1].path


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<br>b", ["a\nb"]),
        ("<p>a<br><br>b", ["a", "b"]),
        ("<p>a<br>\n <br>b", ["a", "b"]),
        ("<p>a<br>&#8203;<br>b", ["a", "b"]),
        ("<p>a<br><img><br>b", ["a", "b"]),
        ("<p>a<br><b>x</b><br>b", ["a\nx\nb"]),
        ("<p><br><br>a<br>", ["a"]),
        ("<p>a<br></p>b<br>c", ["a", "b\nc"]),
        ("<pre>a\n\n  b<br>c</pre>", ["a\n\n  b\nc"]),
        ("<pre>\n\n <b> </b>a  b \n&nbsp;\tb<br><br>\n\n</pre>", ["  a b\n \tb"]),
        ("<pre>a<br><br>b</pre>", ["a\n\nb"]),
        ("<pre>  a\n</pre>", ["a"]),
        ("<pre> \n&#8206;\n&#8206;</pre>", []),
        ("<pre>\n</pre>", []),
        ("<pre>a <x-y>b</x-y> c</pre>", ["a b c"]),
    ],
)
def test_lines(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<x-y>b</x-y>c", ["abc"]),
        ("<h2>a <x-y><b>b</b></x-y></h2>c", ["a b", "c"]),
        ("<p>a<x-y>b<div>c</div></x-y>d", ["ab", "c", "d"]),
        ("<div>a<x-y>b</x-y>c</div>", ["a", "b", "c"]),
        ("<x-y><p>a</p></x-y><x-y>b</x-y>", ["a", "b"]),
        ("<p>a<o:p>b</o:p></p>", ["ab"]),
        ("<button>a</button><button>b</button>", ["a b"]),
        ("<p>a<button>b</button>c", ["a b c"]),
        ("<span>a</span><span>b</span>", ["ab"]),
    ],
)
def test_what_stands_in_one_line(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>a",
        "<p hidden=''>a",
        "<p style='display:none'>a",
        "<p style='COLOR:RED;Display : None !important'>a",
        "<p style='visibility:hidden'>a",
        "<div hidden><div><p>a</p></div></div>",
        "<template><p>a</template>",
        "<noscript>a</noscript>",
        "<script>a</script><style>a</style>",
        "<p>&lrm;&rlm;</p>",
        "<p>&shy;&#8203;&nbsp;</p>",
    ],
)
def test_what_is_not_seen_is_no_text(html: str) -> None:
    assert texts(f"{html}<div>") == []


@pytest.mark.parametrize("style", ["display:none", "visibility:hidden"])
@pytest.mark.parametrize("tag", ["html", "body"])
def test_a_page_waiting_for_its_scripts_has_text(tag: str, style: str) -> None:
    assert texts(f"<{tag} style='{style}'><p>a") == ["a"]


@pytest.mark.parametrize(
    ("html", "share"),
    [
        ("<p><a href=/x>all</a>", 1.0),
        ("<p><a>none</a>", 0.0),
        ("<p><a href>all</a>", 1.0),
        ("<p>1234 <a href=/x>12 34</a>", 0.5),
        ("<p>1234 <a href=/x>12&#8203;&nbsp;&#8203;34</a>", 0.5),
        ("<pre>1234\n<a href=/x>12\n\t 34</a>\n</pre>", 0.5),
        ("<a href=/x><p>all</p></a>", 1.0),
        ("<p><a href=/x>12<span hidden>3456</span></a>34", 0.5),
    ],
)
def test_link_share(html: str, share: float) -> None:
    assert [block.link_share for block in blocks(html)] == [share]


def test_links_end_where_they_end() -> None:
    assert [b.link_share for b in blocks("<div><a href=/x>a<p>b</p></a><p>c</p></div>")] == [
        1,
        1,
        0,
    ]


def test_digits_of_the_page_s_own_title_are_its_own() -> None:
    day12 = blocks("<title>Day 12 - Diary</title><h1>Day 12</h1><p>Day 13</p>")
    assert day12[0].key == block_key("Day 12", mask_digits=False)
    assert day12[1].key == block_key("Day 12")
    assert day12[0].key != day12[1].key


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Comments (3)", "comments  (12)"),
        ("\uff21\uff22\uff23", "abc"),
        ("Straße", "STRASSE"),
        ("a\nb", "A b"),
    ],
)
def test_same_text(text: str, same: str) -> None:
    assert normalise(text) == normalise(same)
    assert block_key(text) == block_key(same)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("3.5", "4.5"),
        ("Tide", "Tides"),
        ("9 degrees " + "warm and dry " * 9, "8 degrees " + "warm and dry " * 9),
    ],
)
def test_different_text(text: str, other: str) -> None:
    assert block_key(text) != block_key(other)


def test_joiners_are_part_of_words() -> None:
    assert drop_unseen("a\u00adb\u200bc\ufeff\u2060d\x07\x9f") == "abcd"
    assert drop_unseen("ن\u200cمی \u200f\u200d\t\n") == "ن\u200cمی \u200f\u200d\t\n"
