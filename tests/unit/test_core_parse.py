from __future__ import annotations

import gzip

import pytest
from lxml import etree

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Page, read
from crawler.core.hot_loops import may_have_many_attributes
from crawler.core.page.parse import ParsedPage, _bounded_roots, parse
from crawler.core.page.segment import segment

URL = "https://site.example/a/b"


def parsed(html: str, url: str = URL) -> ParsedPage:
    return parse(Page.from_text(url, html))


def reason(body: bytes, content_type: str = "text/html", max_bytes: int | None = None) -> str:
    with pytest.raises(UnreadablePageError) as refused:
        read(Page(URL, body, content_type), max_bytes)
    assert str(refused.value) == f"{URL}: {refused.value.detail}"
    return refused.value.reason


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" \r\n\t\f",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\n",
        b"\x00",
        b"<!-- a remark -->",
        b"<!doctype html>",
    ],
)
def test_empty(body: bytes) -> None:
    assert reason(body) == "empty"


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7\n<p>text</p>",
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b"GIF89a\x01\x00",
        b"\xff\xd8\xff\xe0\x00\x10JFIF",
        b"PK\x03\x04\x14\x00",
        gzip.compress(b"<p>text</p>", mtime=0),
        b"\x00\x00\x00\x20ftypmp42",
        b"\x7fELF\x02\x01",
        bytes(range(32)) * 40,
        "<p>text</p>".encode("utf-16-le"),
    ],
)
def test_binary(body: bytes) -> None:
    assert reason(body) == "binary"


@pytest.mark.parametrize(
    "body",
    [
        b"<rss version='2.0'><channel/></rss>",
        b"<?xml version='1.0'?>\n<!-- made by hand -->\n<feed xmlns='http://www.w3.org/2005/Atom'/>",
        b"\xef\xbb\xbf<?xml version='1.0'?><urlset></urlset>",
        b"<!-- a --><!-- b --> <sitemapindex/>",
        b"<?xml version='1.0'?><!DOCTYPE rdf:RDF><rdf:RDF></rdf:RDF>",
    ],
)
def test_feeds_and_sitemaps_list_pages_and_are_none(body: bytes) -> None:
    assert reason(body, "application/xml") == "not-html"


def test_a_feed_handed_over_as_text_is_a_feed() -> None:
    with pytest.raises(UnreadablePageError, match="feed"):
        parsed("\ufeff<rss></rss>")


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/ld+json; charset=utf-8",
        "IMAGE/PNG",
        " text/css",
        "application/pdf",
    ],
)
def test_other_kinds_are_not_html(content_type: str) -> None:
    assert reason(b"<p>text</p>", content_type) == "not-html"


@pytest.mark.parametrize(
    "content_type",
    ["", "text/html", "text/plain", "application/xhtml+xml", "application/xml", ";;", "x"],
)
def test_all_else_is_read(content_type: str) -> None:
    assert read(Page(URL, b"<p>text</p>", content_type)).blocks[0].text == "text"


def test_json_as_html_is_the_text_that_a_reader_sees() -> None:
    assert read(Page(URL, b'{"a": "b"}', "text/html")).blocks[0].text == '{"a": "b"}'


def test_a_page_that_speaks_of_feeds_is_a_page() -> None:
    assert read(Page(URL, b"<!-- <rss> --><p>&lt;rss&gt;</p>")).blocks[0].text == "<rss>"


def test_the_limit_is_the_last_size_that_is_read() -> None:
    body = b"<p>" + b"x" * 97
    assert read(Page(URL, body), 100).blocks
    assert reason(body, max_bytes=99) == "too-large"


def test_roots_are_all_that_the_page_has() -> None:
    page = parsed("<html><p>one</p></html><!-- x --><p>two</p>")
    assert [root.tag for root in page.roots] == ["html", "html"]
    assert [block.text for block in segment(page)] == ["one", "two"]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> A \n  title </title>", "A title"),
        ("<title></title><p>x<title>Late</title>", "Late"),
        ("<svg><title>Menu</title></svg><p>x", None),
        ("<svg><g><title>Menu</title></g></svg><title>Page</title><p>x", "Page"),
        ("<title>\u200b</title><p>x", None),
        ("<title>a<b>c</title><p>x", "a<b>c"),
        ("<title>Unclosed <p>x", "Unclosed <p>x"),
        ("<p>x", None),
    ],
)
def test_title(html: str, title: str | None) -> None:
    assert parsed(html).title == title


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<html lang="ko"><p>x', "ko"),
        ('<html lang=" " xml:lang="de"><p>x', "de"),
        ('<meta http-equiv="Content-Language" content="fr"><p>x', "fr"),
        ('<meta http-equiv="content-language"><p>x', None),
        ("<p lang=en>x", None),
    ],
)
def test_language(html: str, language: str | None) -> None:
    assert parsed(html).language == language


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ('<link rel="canonical" href="/c">', "https://site.example/c"),
        ('<link rel="Alternate CANONICAL" href=" c ">', "https://site.example/a/c"),
        (
            '<base href="https://other.example/x/"><link rel=canonical href=c>',
            "https://other.example/x/c",
        ),
        (
            '<base target=_top><base href="/x/"><link rel=canonical href=c>',
            "https://site.example/x/c",
        ),
        ('<link rel="canonical" href="">', None),
        ('<link rel="canonical">', None),
        ('<link rel="canonical" href="http://[broken">', None),
        ('<base href="http://[broken"><link rel=canonical href=c>', "https://site.example/a/c"),
        ('<link rel="stylesheet" href="/c">', None),
    ],
)
def test_canonical_url(html: str, address: str | None) -> None:
    assert parsed(f"{html}<p>x").canonical_url == address


@pytest.mark.parametrize(
    "html",
    [
        "<!doctype html><html lang=en><title>T</title><body class=a><p>one <b>two</b> three<p>four",
        "<ul><li>a<li>b<ul><li>c</ul>d</ul>tail<table><tr><td>e<td>f</table>",
        "<html><p>one</html><p>two</p>three",
        "text <o:p>only</o:p><my-card x=1 y>z</my-card>",
        "<p>a<!-- b -->c<?d e?>f",
    ],
)
def test_the_bounded_tree_is_the_same_tree_within_its_bounds(html: str) -> None:
    usual = [etree.tostring(root) for root in parsed(html).roots]
    assert [etree.tostring(root) for root in _bounded_roots(html.encode())] == usual


def test_text_nested_too_deep_for_libxml2_keeps_its_order() -> None:
    html = "".join(f"<div>{n}" for n in range(3000)) + "".join(f"</div>t{n}" for n in range(3000))
    texts = [block.text for block in read(Page.from_text(URL, html)).blocks]
    assert texts == [*map(str, range(2999)), "2999", *(f"t{n}" for n in range(3000))]


def test_names_that_lxml_refuses_lose_no_text() -> None:
    html = '<p a"b="c" d=e>one <x"y>two</x"y></p>' + "<i>" * 3000 + "three"
    document = read(Page.from_text(URL, html))
    assert " ".join(block.text for block in document.blocks) == "one two three"


CONTROL = "one&#1; <br>"


@pytest.mark.parametrize(
    "markup",
    [
        f"<title>t</title><x-app>a</x-app></head>{CONTROL}<p>last",
        f"<div><template shadowrootmode=open>{CONTROL}<slot></slot></template>last</div>",
        f"<div><template shadowrootmode=open><slot></slot></template>{CONTROL}last</div>",
        f'<template id="B:0"></template>{CONTROL}<div hidden id="S:0">last</div>{CONTROL}',
    ],
)
def test_control_characters_stop_no_text_that_is_moved(markup: str) -> None:
    texts = " ".join(block.text for block in read(Page.from_text(URL, markup)).blocks)
    assert "one" in texts
    assert "last" in texts


def test_attributes_beyond_all_use_are_left_out() -> None:
    many = " ".join(f'a{n}="1"' for n in range(20_000))
    (root,) = parsed(f"<p {many}>text <a href=/x>link</a>").roots
    paragraph = next(root.iter("p"))
    assert 0 < len(paragraph.attrib) < 1000
    assert "".join(str(piece) for piece in paragraph.itertext()) == "text link"


def test_a_tag_without_end_is_bounded_and_long_text_is_none() -> None:
    long = " ".join(f"a{number}=1" for number in range(20_000))
    tag = parse(Page.from_text("https://site.example/", f"<p>b</p><div {long}>c</div>"))
    text = parse(Page.from_text("https://site.example/", f"<p>{long}</p><div x=1>c</div>"))
    assert max(len(each.attrib) for root in tag.roots for each in root.iter()) == 256
    assert max(len(each.attrib) for root in text.roots for each in root.iter()) == 1


@pytest.mark.parametrize("sign", [" ", "/", '=""'])
def test_a_tag_has_few_attributes_however_they_are_parted(sign: str) -> None:
    many = sign.join(f"a{number}" for number in range(20_000))
    root = parse(Page.from_text(URL, f"<p>b</p><div {many}>c</div>")).roots[0]
    assert max(len(each.attrib) for each in root.iter()) <= 256


def test_a_long_value_makes_no_tag_of_many_attributes() -> None:
    picture = "data:image/png;base64," + "iVBORw0KGgo/" * 5_000
    others = {f"a{number}": "b" for number in range(300)}
    written = " ".join(map("=".join, others.items()))
    (root,) = parse(Page.from_text(URL, f'<p>b</p><img src="{picture}" {written}>')).roots
    assert [dict(image.attrib) for image in root.iter("img")] == [{"src": picture} | others]


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        ("<title>t</title><main><p>one</p></main>", ["one"]),
        ("<title>t</title><article>one</article>two<p>three", ["one", "two", "three"]),
        ("<meta charset=utf-8><section>one</section><div>two</div>", ["one", "two"]),
        ("<head><title>t</title></head><main>one</main>", ["one"]),
        ("<title>t</title><main>one</main> <body>two<p>three</body>", ["one", "two", "three"]),
        ("<title>t</title><style>p {}</style><p>one</p>", ["one"]),
        ("<title>t</title><x-app><p>one</p></x-app>", ["one"]),
        ("<title>only a title</title>", []),
    ],
)
def test_pages_without_a_body_are_read_as_a_browser_reads_them(
    markup: str, texts: list[str]
) -> None:
    document = read(Page.from_text("https://s.example/", markup))
    assert [block.text for block in document.blocks] == texts


def test_a_script_is_no_tag_of_many_attributes() -> None:
    script = "if(a<b." + " c='d'; e='f';" * 2_000
    deep = "<div>" * 1_500
    assert may_have_many_attributes(script.encode())
    (root,) = parse(Page.from_text(URL, f"<script>{script}</script>{deep}<p>one")).roots
    assert sum(1 for _ in root.iter("div")) == 1_500
    assert sum(1 for _ in next(root.iter("p")).iterancestors("div")) == 1_500
