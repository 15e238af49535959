"""The compiled cutter makes the blocks that the one in Python makes, on any page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.page.cutter import Cutter
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.page.text import block_key, block_keys, fold_lines
from support.compiled import PIECES, compiled_part

if TYPE_CHECKING:
    from crawler.core.page.blocks import Block


@pytest.fixture(scope="module")
def compiled() -> type[Cutter]:
    found: type[Cutter] = compiled_part("crawler.core.page.compiled_cutter").Cutter
    return found


MORE = st.sampled_from(
    ["<div class='post x' itemprop=text>", "</div>", "<div>", "<h2>", "</h2>", "<ul><li>", "</ul>",
     "<a class=anchor href='#x'>#</a>", "<span class=sr-only>", "<span class='D-Block'>", "</span>",
     "<pre>", "</pre>", "<code class=language-c>", "</code>", "<p style='display:none'>",
     "<b hidden>", "<div style='white-space:pre'>", "<p style='display:inline'>", "<table><tr>",
     "<td rowspan=2>", "<th>", "</table>", "<ol start=4>", "<button>", "</button>", "<x-y>",
     "<img class=tex alt='x^2'>", "<math><mi>x</mi></math>", "<ruby>a<rt>b</rt></ruby>", "Day 12",
     "12 comments", "  two\n  lines  ", "a\u00ad\u200bb", "\u200e", "\u2028", "½ Ⅷ",
     "<dialog open>"]
)  # fmt: skip


CLASSES = st.sampled_from(
    ["only", "sr-only", "Screen-Reader-Text", "visually-hidden", "hidden-accessible",
     "a11y-hidden", "assistive-text", "element-invisible", "show-for-sr", "lineno", "gutter", "lnt",
     "blob-num", "hljs-ln-n", "crayon-nums", "btn-copy", "clipboard", "d-block", "whitespace-pre",
     "__se_code_view", "mw-editsection", "secedit", "heading-link", "hash-link", "permalink",
     "x-code", "highlight", "prettyprint", "language-c", "offscreen", "accessibly-hidden"]
).map("<b class='{0}'>12</b><div class='a {0}'><br>b".format)  # fmt: skip


@given(pieces=st.lists(PIECES | MORE | CLASSES, max_size=40), title=st.sampled_from(["", "Day 12"]))
def test_blocks_of_a_page(compiled: type[Cutter], pieces: list[str], title: str) -> None:
    markup = f"<html><head><title>{title}</title></head><body>{''.join(pieces)}</body>"
    parsed = parse(Page.from_text("https://a.example/", markup))
    found, expected = (kind(parsed.elements, title).cut() for kind in (compiled, Cutter))
    assert list(map(facts, found)) == list(map(facts, expected))


def facts(block: Block) -> tuple[object, ...]:
    """Return all that a block says, and what is around it."""
    around, chain = block.holder, []
    while around is not None:
        chain.append((around.tag, around.names, around.depth, around.path, around.number))
        around = around.parent
    return block, block.inner, block.links, chain


@given(texts=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_keys_of_a_page_are_those_of_its_texts(texts: list[str]) -> None:
    texts = [folded for text in texts if (folded := fold_lines(text))]
    title = texts[0] if texts else ""
    assert block_keys(texts, title) == [
        block_key(text, mask_digits=len(text) > len(title) or text not in title) for text in texts
    ]
