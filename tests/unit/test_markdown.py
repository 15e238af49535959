"""Markdown of main text: each kind of block, what is within what, and nothing that is no mark."""

from __future__ import annotations

import pytest

from crawler.core.flow import Page, read
from crawler.core.markdown import escape, markdown


def of(html: str) -> str:
    return markdown(read(Page.from_text("https://blog.example/", html)).blocks)


CASES = {
    "a heading is no list": ("<h2>2014. 9. 3.</h2><h3>C#</h3><h3>- a</h3>",
                             "## 2014. 9. 3.\n\n### C#\n\n### - a"),
    "a cell is no list": ("<table><tr><td>1. a<td># b<tr><td>- c<td>2. d</table>",
                          "| 1. a | # b |\n| --- | --- |\n| - c | 2. d |"),
    "marks in cells": ("<table><tr><td>*a*<td>b\\|c<tr><td>d<td>e</table>",
                       "| \\*a\\* | b\\\\\\|c |\n| --- | --- |\n| d | e |"),
    "headings": ("<h1>A b</h1><p>c</p><h3>d</h3>", "# A b\n\nc\n\n### d"),
    "a broken heading": ("<h2>a<br>b #</h2>", "## a b \\#"),
    "lines": ("<p>a<br>b</p><p>c</p>", "a\\\nb\n\nc"),
    "a list": ("<ul><li>a</li><li>b</li></ul><p>c</p>", "- a\n- b\n\nc"),
    "numbers": ("<ol><li>a</li><li><p>b</p><p>c</p></li></ol>", "1. a\n2. b\n\n   c"),
    "within": ("<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>",
               "- a\n  1. b\n  2. c\n- d"),
    "two lists": ("<ul><li>a</li></ul><p>x</p><ol><li>b</li></ol>", "- a\n\nx\n\n1. b"),
    "a quote": ("<blockquote><p>a<br>b</p><p>c</p></blockquote><p>d</p>",
                "> a\\\n> b\n>\n> c\n\nd"),
    "a list in a quote": ("<blockquote><ul><li>a</li><li>b</li></ul></blockquote>",
                          "> - a\n> - b"),
    "code": ("<pre>x = *y*\nif `x`:</pre>", "```\nx = *y*\nif `x`:\n```"),
    "fences in code": ("<pre>````</pre>", "`````\n````\n`````"),
    "a table": ("<table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>2<br>3</td></tr></table>",
                "| a | b\\|c |\n| --- | --- |\n| 1 | 2 3 |"),
    "a short row": ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
                    "| a | b |\n| --- | --- |\n| c |  |"),
    "empty cells": ("<table><tr><th>n<th>25<th>26<tr><td>x<td>1<td><tr><td><td>y<td>2</table>",
                    "| n | 25 | 26 |\n| --- | --- | --- |\n| x | 1 |  |\n|  | y | 2 |"),
    "a wide cell": ("<table><tr><th colspan=2>a<th>b<tr><td>1<td>2<td>3</table>",
                    "| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
    "a high cell": ("<table><tr><td rowspan=2>a<td>b<tr><td>c</table>", "a\n\nb\n\nc"),
    "a high cell that is empty": ("<table><tr><td rowspan=2><td>b<tr><td>c<td>d</table>",
                                  "b\n\nc\n\nd"),
    "few cells of many": ("<table><tr><td>a<td><td><td><tr><td><td><td><td>b</table>", "a\n\nb"),
    "far columns": ("<table><tr><td colspan=99999>a<td>b<tr><td>c<td>d</table>",
                    "a\n\nb\n\nc\n\nd"),
    "a list from five": ("<ol start=5><li>a<li>b</ol>", "5. a\n6. b"),
    "a list from nowhere": ("<ol start=-3><li>a</ol><p>x<ol start=x><li>b</ol>",
                            "1. a\n\nx\n\n1. b"),
    "indented code": ("<pre>\n<b>def</b> f():\n    if x:\n\treturn  1\n\n    return 2\n</pre>",
                      "```\ndef f():\n    if x:\n\treturn  1\n\n    return 2\n```"),
    "code in an item": ("<ul><li>a<pre>b:\n\n  c</pre></ul>",
                        "- a\n\n  ```\n  b:\n\n    c\n  ```"),
    "layout": ("<table><tr><td><p>a</p><p>b</p></td></tr></table>", "a\n\nb"),
    "nothing": ("<img>", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_markdown_of(name: str) -> None:
    html, expected = CASES[name]
    assert of(html) == expected


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("# a", "\\# a"),
        ("- a", "\\- a"),
        ("12. a", "12\\. a"),
        ("1) a", "1\\) a"),
        ("> a", "\\> a"),
        ("a > b - c # d 1.", "a > b - c # d 1."),
        ("snake_case _a_", "snake_case \\_a\\_"),
        ("[a](b) <i> ~~c~~ `d` \\", "[a\\](b) \\<i> \\~\\~c\\~\\~ \\`d\\` \\"),
        ("&amp; AT&T a & b &#38; &x", "\\&amp; AT&T a & b \\&#38; &x"),
        ("===", "\\==="),
        ("a\n---", "a\n\\---"),
        ("a | b\n- | -", "a | b\n\\- | -"),
        ("a *\n* b c*", "a \\*\n\\* b c\\*"),
        ("```py", "\\```py"),
        ("[a]: b", "\\[a]: b"),
        ("C:\\new\\*", "C:\\new\\\\*"),
        ("물때 — 100 %", "물때 — 100 %"),
        # The good neighbours: what is no mark stays as it is.
        ("2865.0", "2865.0"),
        ("3.3m²", "3.3m²"),
        ("2014. 9.", "2014\\. 9."),
        ("-5 °C", "-5 °C"),
        ("+82 2 123", "+82 2 123"),
        ("#hashtag", "#hashtag"),
        ("10~20, 30~40", "10~20, 30~40"),
        ("[단독] 부두 벽 [종합]", "[단독] 부두 벽 [종합]"),
        ("김** 씨와 이** 씨", "김** 씨와 이** 씨"),
        ("2 * 3 * 4 <3", "2 * 3 * 4 <3"),
        ("Price* and `x", "Price* and `x"),
    ],
)
def test_what_would_be_a_mark_is_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_lists_nested_without_end_are_told_in_time() -> None:
    html = "<ul><li>a" * 3_000
    lines = of(html).split("\n")
    assert sum(line.endswith("a") for line in lines) == 3_000
    assert max(map(len, lines)) < 40
