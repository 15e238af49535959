"""Code: one block with its lines, and what is no code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.flow import Page, read

if TYPE_CHECKING:
    from crawler.core.page.blocks import Block


def blocks(html: str) -> tuple[Block, ...]:
    return read(Page.from_text("https://site.example/", html)).blocks


def texts(html: str) -> list[str]:
    return [block.text for block in blocks(html)]


CODE = "def f(x):\n    y = 2\n\n    return  y"


@pytest.mark.parametrize(
    "html",
    [
        "<pre>{0}\n{1}\n{2}\n{3}</pre>",
        "<pre><code><div>{0}</div><div>{1}</div><div>\n</div><div>{3}</div></code></pre>",
        (
            "<pre><code><div class=ec-line><div class=code><span>{0}</span></div></div>"
            "<div><div>{1}</div></div><div><div>\n</div></div><div><div>{3}</div></div>"
            "</code></pre>"
        ),
        "<pre><ol class=linenums><li>{0}</li><li>{1}</li><li><br></li><li>{3}</li></ol></pre>",
        (
            "<pre><span style='display:block'>{0}</span>\n<span style='display:block'>{1}</span>"
            "\n<span style='display:block'> </span><span style='display:block'>{3}</span></pre>"
        ),
        (
            "<pre><ul><li><code>{0}</code><li><code>{1}</code><li>&nbsp;<li><code>{3}</code></ul>"
            "</pre>"
        ),
        "<pre><button class=copy>Copy</button>{0}\n{1}\n{2}\n{3}</pre>",
        (
            "<pre><span class=lineno>1</span>{0}\n<span class=lineno>2</span>{1}\n"
            "<span class=lineno>3</span>{2}\n<span class=lineno>4 </span>{3}</pre>"
        ),
        (
            "<pre><code><table class=rouge-table><tbody><tr><td class='rouge-gutter gl'>"
            "<pre>1\n2\n3\n4\n"
            "</pre></td><td class=rouge-code><pre>{0}\n{1}\n{2}\n{3}\n</pre></td></tr>"
            "</table></code></pre>"
        ),
        (
            "<pre><table><tr><td class=hljs-ln-numbers><div>1</div></td><td><div>{0}</div>"
            "</td></tr><tr>"
            "<td>{1}</td></tr><tr><td>\n</td></tr><tr><td>{3}</td></tr></table></pre>"
        ),
        (
            "<table><tr><td class=gutter><pre><span>1</span><br><span>2</span></pre></td><td><pre>"
            "<span>{0}</span><br><span>{1}</span><br><br><span>{3}</span><br></pre></td></tr>"
            "</table>"
        ),
        "<div><button class=copy-code-button>Copier</button><pre>{0}<br>{1}<br><br>{3}</pre></div>",
        (
            "<pre><clipboard-copy value=x>Copy</clipboard-copy>"
            "<p-line>{0}</p-line>\n{1}\n{2}\n{3}</pre>"
        ),
        "<div><pre>{0}\n{1}\n{2}\n{3}</pre><div><button type=button>Copy</button></div></div>",
        (
            "<div class='syntaxhighlighter'><table><tr><td class=code><div class=container>"
            "<div class=line><code>{0}</code></div>"
            "<div class=line><code>{1}</code></div><div class=line>&nbsp;</div>"
            "<div class=line><code>{3}</code></div></div></table></div>"
        ),
        (
            "<div class=blob-wrapper><table>\n<tr>\n<td class=blob-num>1</td>\n"
            "<td class=blob-code>{0}</td>\n</tr><tr><td class=blob-code>{1}</td></tr>"
            "<tr><td class=blob-code>\n</td></tr><tr><td class=blob-code>{3}</table></div>"
        ),
        (
            "<div class=urvanov-syntax-highlighter-pre><div class=x-highlighter-line>{0}"
            "</div><div class=x-highlighter-line>{1}</div>"
            "<div class=x-highlighter-line>&nbsp;</div>"
            "<div class=x-highlighter-line>{3}</div></div>"
        ),
        (
            "<div class=code-view><table><tr><td class=lines-num></td><td class=chroma><code>{0}\n"
            "</code></td></tr><tr><td><code>{1}\n</code><tr><td><code>\n</code></td></tr>"
            "<tr><td><code>{3}</code></td></tr></table></div>"
        ),
        (
            "<div class=CodeMirror-code><div class=CodeMirror-line>{0}</div>"
            "<div class=CodeMirror-line>{1}</div><div class=CodeMirror-line>&#8203;</div>"
            "<div class=CodeMirror-line>{3}</div></div>"
        ),
        "<p><code>{0}<br>\n&nbsp; &nbsp; y = 2<br>\n<br>\n&nbsp; &nbsp; return&nbsp; y</code></p>",
        "<code style='display:block;white-space:pre'>{0}\n{1}\n{2}\n{3}\n</code>",
        "<div><code class='language-python'>{0}\n{1}\n{2}\n{3}</code></div>",
        "<div class=code>{0}<br>&nbsp; &nbsp; y = 2<br><br>&nbsp; &nbsp; return&nbsp; y</div>",
        "<div class=highlight style='white-space:pre'>{0}\n{1}\n{2}\n{3}</div>",
        "<div class='__se_code_view language-python'>{0}\n{1}\n{2}\n{3}</div>",
        (
            "<ol class='linenums hljs'><li class=L0><span>{0}</span></li><li class=L1>{1}</li>"
            "<li class=L2><br></li><li class=L3>{3}</li></ol>"
        ),
    ],
)
def test_a_code_is_one_block_with_its_lines(html: str) -> None:
    (block,) = blocks(html.format(*CODE.split("\n")))
    assert (block.tag, block.text) == ("pre", CODE)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # A pre that was never closed, or that holds an article, is no code.
        ("<pre>a\n b</pre><pre>c<div><p>d</p><div>e</div></div>f", ["a\n b", "c", "d", "e", "f"]),
        ("<pre><h2>a</h2><div>b</div></pre>", ["a", "b"]),
        ("<pre>1\n2</pre>", ["1\n2"]),
        ("<pre>a<button>b</button></pre><button>c</button>", ["a", "c"]),
        ("<div><p>a</p><pre>b</pre><button>c</button></div>", ["a", "b", "c"]),
        ("<div><pre>a</pre><div><b>sh</b><a class=copy href=/>Copy</a></div></div>", ["a", "sh"]),
        ("<div><p>a</p><pre>b</pre><a class=copy-link href=/>c</a></div>", ["a", "b", "c"]),
        ("<p>a <code>b<br>c</code> d</p>", ["a b\nc d"]),
        ("<table><tr><td><code>a<br>b</code><td>c</table>", ["a\nb", "c"]),
        ("<div class=highlight>a<br>b</div>", ["a\nb"]),
        ("<div class=highlight><div class=line>a</div><div class=line>b</div></div>", ["a", "b"]),
        ("<div class=line-block><div class=line>a</div><div class=line>b</div></div>", ["a", "b"]),
        ("<ol class=code-of-conduct><li>a<li>b</ol>", ["a", "b"]),
        ("<ul class=codes><li><code>a</code><li><code>b</code></ul>", ["a", "b"]),
        (
            "<table class=code><tr><td><code>a</code><td><code>b</code><tr><td><code>c</table>",
            ["a", "b", "c"],
        ),
        (
            "<div class=code><p>a</p><i class=code-line>b</i><br><i class=code-line>c</i></div>",
            ["a", "b\nc"],
        ),
        ("<div class=post-codes><h2>a</h2><div class=code-line>b</div></div>", ["a", "b"]),
        ("<div class=codes><div class=code-line>a</div></div>", ["a"]),
    ],
)
def test_what_is_no_code_or_no_part_of_it(html: str, expected: list[str]) -> None:
    assert texts(html) == expected
