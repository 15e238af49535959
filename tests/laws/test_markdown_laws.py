"""The text of Markdown, its marks taken away, is the text."""

from __future__ import annotations

import html as markup
import re

from hypothesis import example, given
from hypothesis import strategies as st

from crawler.core.flow import Page, read
from crawler.core.markdown import escape, markdown

WORDS = st.text(st.sampled_from("ab1.-_*#>[]()`~&;<|\\+=! 가물"), min_size=1, max_size=12)
# A number that is text has a backslash behind it.
MARKERS = re.compile(r"^(?:[> ]|- |\d+\. )*")
FENCE = re.compile(r"[> ]*(```+)$")
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


def letters(text: str) -> list[str]:
    """Return the letters and digits of Markdown without the numbers of its lists."""
    fence, kept = "", ""
    for line in text.split("\n"):
        bare = line if fence else MARKERS.sub("", line)
        kept += bare
        if ticks := FENCE.match(bare):
            fence = "" if ticks[1] == fence else fence or ticks[1]
    return [char for char in kept if char.isalnum()]


@given(pages())
@example("<ul><li> <ol><li>1</li><li>1</li></ol></li><li>1</li></ul>")
@example("<ol><li><pre>1. a</pre></li></ol>")
def test_markdown_says_what_the_text_says(page: str) -> None:
    blocks = read(Page.from_text("https://blog.example/", page)).blocks
    said = [char for char in "".join(block.text for block in blocks) if char.isalnum()]
    assert letters(markdown(blocks)) == said


@given(st.text(max_size=60))
def test_an_escaped_text_is_itself_without_its_escapes(text: str) -> None:
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escape(text)) == text
