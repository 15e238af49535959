"""The text of Markdown, its marks taken away, is the text."""

from __future__ import annotations

import html as markup
import re

from hypothesis import given
from hypothesis import strategies as st

from crawler.core.flow import Page, read
from crawler.core.markdown import escape, markdown

WORDS = st.text(st.sampled_from("ab1.-_*#>[]()`~&;<|\\+=! 가물"), min_size=1, max_size=12)
WRAPPED = ("p", "h1", "h2", "pre", "blockquote", "ul", "ol", "div", "table")


@st.composite
def pages(draw: st.DrawFn, depth: int = 2) -> str:
    """Draw markup of some elements within each other, and text in them."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        tag = draw(st.sampled_from(WRAPPED))
        inner = markup.escape(draw(WORDS))
        if depth and tag in ("blockquote", "ul", "ol", "div") and draw(st.booleans()):
            inner += draw(pages(depth - 1))
        if tag in ("ul", "ol"):
            inner = f"<li>{inner}</li><li>{markup.escape(draw(WORDS))}</li>"
        if tag == "table":
            cells = "".join(f"<td>{markup.escape(draw(WORDS))}</td>" for _ in range(2))
            inner = f"<tr>{cells}</tr>" * draw(st.integers(1, 2))
        parts.append(f"<{tag}>{inner}</{tag}>")
    return "".join(parts)


@given(pages())
def test_markdown_says_what_the_text_says(page: str) -> None:
    blocks = read(Page.from_text("https://blog.example/", page)).blocks
    said = [char for char in "".join(block.text for block in blocks) if char.isalnum()]
    # A number that is text has a backslash behind it.
    told = [char for char in re.sub(r"(?m)^[> ]*\d+\. ", "", markdown(blocks)) if char.isalnum()]
    assert told == said


@given(st.text(max_size=60))
def test_an_escaped_text_is_itself_without_its_escapes(text: str) -> None:
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escape(text)) == text
