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
        ("<pre>\n\n <b> </b>a  b \n&nbsp;\tb<br><br>\n\n</pre>", ["  a  b\n \tb"]),
        (
            "<pre>+---+\n| a |\r\n+---+\n\n\na   = 1\t# x\n</pre>",
            ["+---+\n| a |\n+---+\n\n\na   = 1\t# x"],
        ),
        ("<p>a</br>b</BR>c", ["a\nb\nc"]),
        ("<p>a<br></br>b", ["a", "b"]),
        ("<p>a</br ></br>b</p></br>", ["a", "b"]),
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
        ("<div>a<x-y>b</x-y>c</div>", ["abc"]),
        ("<div>a <keyword>b</keyword> c <geo>d</geo></div>", ["a b c d"]),
        ("<li>a <x-y>b</x-y>, <x-z>c</x-z></li>", ["a b, c"]),
        ("<td><x-y>a</x-y></td>", ["a"]),
        ("<dl><dt><x-y>a</x-y><dd>b <x-y>c</x-y></dl>", ["a", "b c"]),
        ("<blockquote><tag>a</tag> b</blockquote>", ["a b"]),
        ("<section>당신은 <k-w>나루</k-w>를 <k-w>떠났다</k-w></section>", ["당신은 나루를 떠났다"]),
        (
            "<x-app><x-head>a</x-head><x-main><p>b</p></x-main><x-foot>c</x-foot></x-app>",
            ["a", "b", "c"],
        ),
        ("<li>a<x-y><p>b</p></x-y>c</li>", ["a", "b", "c"]),
        ("<div><x-a>a</x-a><x-b>b</x-b></div>", ["a", "b"]),
        ("<div><search>a</search>b<hgroup>c</hgroup></div>", ["a", "b", "c"]),
        # Spans with lines of their own.
        (
            "<div><span style='display:block'>a</span><span style='display: block'>b</span></div>",
            ["a", "b"],
        ),
        ("<p>a<span style='color:red;DISPLAY:BLOCK'>b</span>c</p>", ["a\nb\nc"]),
        (
            "<h1><span style='display:block'>a</span> <em style='display:block'>b</em></h1>",
            ["a\nb"],
        ),
        (
            "<div><a href=/ style='display:flex'>a</a><a href=/ class=d-block>b</a></div>",
            ["a", "b"],
        ),
        ("<td><b style='display:block'>a</b>b</td>", ["a\nb"]),
        ("<p>a<br><span style='display:block'>b</span></p>", ["a\nb"]),
        (
            "<p>a<span style='display:inline-block'>b</span><i style='display:inline'>c</i></p>",
            ["abc"],
        ),
        # Blocks within a line.
        ("<div>a <div style='display:inline'>b</div> c</div>", ["a b c"]),
        ("<div>a <p style='display: inline;'>b</p><p style='display:inline'>c</p></div>", ["a bc"]),
        ("<div><div style='display:inline'>a</div><div>b</div></div>", ["a", "b"]),
        ("<div>a<div style='display:inline-block'>b</div>c</div>", ["a", "b", "c"]),
        ("<div>a<div style='display:inline'><p>b</p></div>c</div>", ["a", "b", "c"]),
        ("<div>a <h3 style='display:inline'>b</h3> c</div>", ["a", "b", "c"]),
        # White space that is kept.
        ("<div style='white-space:pre-wrap'>a b\n\nc  d\n\n\ne</div>", ["a b", "c d", "e"]),
        (
            "<div style='white-space: pre-line'><span>a\nb</span>\n\nc</div>\n\nd",
            ["a\nb", "c", "d"],
        ),
        ("<div class='x whitespace-pre-wrap'><div>a\n\nb</div></div>c\n\nd", ["a", "b", "c d"]),
        ("<p>a <span style='white-space:break-spaces'>b\nc</span>\nd</p>", ["a b\nc d"]),
        ("<div style='white-space:nowrap'>a\n\nb</div>", ["a b"]),
        ("<div style='white-space:normal'>a\n\nb</div>", ["a b"]),
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
        "<p style='display:block;display:none'>a",
        "<p style='display:none!important;display:block'>a",
        "<p style='color:red; /* off */ display:none'>a",
        "<dialog>a</dialog>",
        "<div hidden><div><p>a</p></div></div>",
        "<template><p>a</template>",
        "<noscript>a</noscript>",
        "<script>a</script><style>a</style>",
        "<p>&lrm;&rlm;</p>",
        "<p>&shy;&#8203;&nbsp;</p>",
        "<span style='position:absolute;clip:rect(0 0 0 0);width:1px'>a</span>",
        "<span style='clip: rect(1px, 1px, 1px, 1px)'>a</span>",
        "<span class=mw-editsection>[<a href=/>a</a>]</span>",
        "<div class='secedit editbutton_1'>a</div>",
        "<p><button>a</button> <button>b</button></p>",
    ],
)
def test_what_is_not_seen_is_no_text(html: str) -> None:
    assert texts(f"{html}<div>") == []


@pytest.mark.parametrize(
    "html",
    [
        "<p class='sm:not-sr-only'>a",
        "<p class='hidden-visually-impaired'>a",
        "<p class='copyright line'>a",
        "<p style='clip:auto'>a",
        "<td class='line-number'>a",
        "<span class=copy-editor>a</span>",
        "<span class=edit-section>a</span>",
        "<li><button>a</button>",
        "<h3><button>a</button></h3>",
    ],
)
def test_what_is_seen_is_text(html: str) -> None:
    assert texts(html) == ["a"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<p>The <a href=/>report<span class=sr-only> (new tab)</span></a> is long",
            "The report is long",
        ),
        ("<li>a <span class='visually-hidden'>b</span>", "a"),
        ("<td><span class='label visuallyhidden'>b</span>a</td>", "a"),
        (
            "<p>길다 <b class=u-sr-only>새 창</b><i class=screen-reader-text>x</i> 보고서",
            "길다 보고서",
        ),
        ("<div><a href=/>a</a><span class=VisuallyHidden>b</span></div>", "a"),
        # A block for the ear alone is judged like any other.
        ("<h2 class=sr-only>a</h2>", "a"),
        ("<div><a href=/ class=screen-reader-text>a</a></div>", "a"),
        ("<p><ruby>岸<rt>がん</rt>壁<rt>ぺき</rt></ruby>へ", "岸壁へ"),
        ("<p><ruby>岸壁<rp>(</rp><rt>がんぺき</rt><rp>)</rp></ruby>へ", "岸壁(がんぺき)へ"),
        ("<p><ruby>岸壁<rp>《<rt>がんぺき<rp>》</ruby>へ", "岸壁《がんぺき》へ"),
        (
            "<p><ruby><rb>岸<rt>がん</ruby>、<ruby>壁<rp>(</rp><rt>ぺき</rt><rp>)</rp></ruby>",
            "岸、壁(ぺき)",
        ),
        ("<p><ruby>北<rt>běi</rt>京<rt>jīng</rt></ruby>", "北京"),
        ("<h1><ruby>東<rtc><rt>とう</rt></rtc></ruby>京", "東京"),
        ("<p>a <math alttext='F=ma'><mi>F</mi></math> b", "a F=ma b"),
        ("<p>a <math>\n <mi>F</mi> <mo>=</mo>\n<mi>m</mi></math>, b", "a F=m, b"),
        (
            (
                "<p>a <math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1"
                "</annotation></semantics></math>"
            ),
            "a x_1",
        ),
        (
            (
                "<p>a <span style='display:none'><math alttext='{\\displaystyle F}'>"
                "<mi>F</mi></math></span><img class='mwe-math-fallback-image-inline'"
                " aria-hidden=true alt='{\\displaystyle F}'> b"
            ),
            "a F b",
        ),
        ("<p>a <span><math alttext='F'><mi>F</mi></math></span><img class=tex alt=F> b", "a F b"),
        ("<p>a <img class=latex alt='x^2'> b <img class=photo alt='A quay'>", "a x^2 b"),
        # The glyphs that a script has drawn stand beside the formula.
        (
            (
                "<p>a <span class=katex><span class=katex-mathml><math><mi>F</mi></math></span>"
                "<span class=katex-html aria-hidden=true><span>F</span></span></span> b"
            ),
            "a F b",
        ),
        (
            (
                "<p>a <mjx-container><svg aria-hidden=true><path></svg><mjx-assistive-mml>"
                "<math><mi>F</mi>"
                "</math></mjx-assistive-mml></mjx-container> b"
            ),
            "a F b",
        ),
    ],
)
def test_what_is_read_of_words_and_formulas(html: str, expected: str) -> None:
    assert texts(html) == [expected]


@pytest.mark.parametrize(
    "name",
    ["govuk-visually-hidden", "a-offscreen", "off-screen", "visually-hidden-text", "VisuallyHidden",
     "is-visually-hidden", "ui-helper-hidden-accessible", "accessibly-hidden", "fr-sr-only",
     "usa-sr-only", "wp-screen-reader-text", "Label_srOnly__x1Ab2", "sr-only focus:not-sr-only"],
)  # fmt: skip
def test_what_assists_is_no_part_of_a_line(name: str) -> None:
    assert texts(f"<p><b><span class='{name}'>a</span>b</b></p>") == ["b"]
    assert texts(f"<p class='{name}'>a</p>") == ["a"]


@pytest.mark.parametrize(
    "name",
    ["not-sr-only", "u-not-sr-only", "sr-only sm:not-sr-only", "sr-only-wrap", "offscreen-nav",
     "hidden-gem", "screen", "reader", "visually"],
)  # fmt: skip
def test_what_is_named_alike_is_part_of_a_line(name: str) -> None:
    assert texts(f"<p><b><span class='{name}'>a</span>b</b></p>") == ["ab"]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("a<a class=headerlink href=#a>\u00b6</a>", "a"),
        ("a<a class=anchor aria-hidden=true href=#a>#</a>", "a"),
        ("<a class=header-anchor href=#a>##</a> a", "a"),
        ("a <a href=/page#a>\u00a7</a>", "a"),
        ("a <a href=#a>\U0001f517\ufe0e</a>", "a"),
        ("a <a href=#top>[\u21a9]</a>", "a"),
        ("a<a href=#a><i class=icon>\uf0c1</i></a>", "a"),
        ("<a href=#a><span class=sr-only>Link to this</span>#</a>a", "a"),
        ("<a href=#a><svg><title>Link</title></svg></a>a", "a"),
        ("C#", "C#"),
        ("<a href=#a>C#</a>", "C#"),
        ("<a href=#toc>a \u00a7 1</a>", "a \u00a7 1"),
        ("a<a href=#fn1>*</a>", "a*"),
        ("a<sup><a href=#fn1>1</a></sup>", "a1"),
        ("a <a href=/issues>#</a>", "a #"),
    ],
)
def test_a_heading_has_no_link_to_itself(heading: str, expected: str) -> None:
    assert texts(f"<h2>{heading}</h2>") == [expected]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<dt>a<a class=headerlink href=#a>\u00b6</a>", ["a"]),
        ("<p>a<a class=permalink href=#a>#</a>", ["a"]),
        ("<p>a<a href=#fn>#</a>", ["a#"]),
        ("<p>a <a class=permalink href=#a>b</a>", ["a b"]),
        ("<li><a href=#a>\u00a7 1</a>", ["\u00a7 1"]),
    ],
)
def test_a_mark_outside_headings_is_a_permalink_by_its_name(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    "attributes",
    [
        "style='backface-visibility:hidden'",
        "style='--menu-display:none'",
        "style='-moz-display: none'",
        "style='display:none;display:block'",
        "style='visibility:hidden;color:red;Visibility:visible!important'",
        "style='background:url(x?display:none)'",
        "style='/* display:none */'",
    ],
)
def test_styles_that_hide_nothing(attributes: str) -> None:
    assert texts(f"<p>a</p><p {attributes}>b</p><p>c</p>") == ["a", "b", "c"]


def test_a_dialog_that_is_open_is_read() -> None:
    assert texts("<p>a</p><dialog open><p>b</p></dialog><dialog open>c</dialog>") == ["a", "b", "c"]


def test_white_space_between_lines_of_their_own_adds_nothing() -> None:
    lines = "<span class=d-block></span> " * 3
    assert texts(f"<p>a<br>{lines}<b class=d-block>b</b> {lines}c</p>") == ["a\nb\nc"]


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
