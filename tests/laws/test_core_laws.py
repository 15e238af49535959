"""What holds of reading for any bytes, and for any page made of known pieces."""

from __future__ import annotations

import codecs
import html
import unicodedata
from dataclasses import dataclass

from hypothesis import example, given
from hypothesis import strategies as st

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Document, Page, read
from crawler.core.page.text import block_key, drop_unseen, normalise
from crawler.core.words import fold, fold_all

URL = "https://site.example/a"
REASONS = {"empty", "binary", "not-html", "too-large"}
CHARSETS = [
    "utf-8",
    "euc-kr",
    "shift_jis",
    "gbk",
    "iso-8859-1",
    "utf-16",
    "utf-7",
    "idna",
    "hex",
    "x",
]
PIECES = [
    *(b"<p>", b"</p>", b"<div hidden>", b"</div>", b"<a href=/>", b"</a>", b"<br>", b"<pre>"),
    *(b"<td>", b"<table>", b"<html>", b"</html>", b"<body>", b"</body>", b"<title>", b"<svg>"),
    *(b"<script>", b"</script>", b"<x-y>", b"<o:p>", b"<meta charset=", b"euc-kr>", b"<![CDATA["),
    *(b"<!--", b"<?", b"<", b">", b'"', b"'", b"&#1;", b"&#xD800;", b"&shy;", b"&#133;", b"&nbsp;"),
    *(b" \t\n\f", b"\x00", b"\x85", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b$B", b"word", b"12"),
    *("바다".encode(), "바다".encode("euc-kr")),
]

bodies = st.one_of(
    st.binary(max_size=300), st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)
)
content_types = st.one_of(
    st.sampled_from(["", "text/html", "application/xhtml+xml", "image/png", "text/plain"]),
    st.sampled_from(CHARSETS).map("text/html; charset={}".format),
    st.text(max_size=30),
)


def check_blocks(document: Document) -> None:
    for index, block in enumerate(document.blocks):
        assert block.index == index
        assert block.text
        assert not [
            c for c in block.text if unicodedata.category(c) in {"Cc", "Cs"} and c not in "\n\t"
        ]
        assert drop_unseen(block.text) == block.text
        lines = block.text.split("\n")
        assert lines[0]
        assert lines[-1]
        if block.tag in {"pre", "listing", "xmp", "plaintext"}:
            # Its runs of spaces are kept.
            lines = [" ".join(line.split()) for line in lines if line]
        assert all(line and line == " ".join(line.split()) for line in lines)
        assert block.chars == len("".join(block.text.split())) > 0
        assert 0 <= block.link_chars <= block.chars
        assert 0 <= block.link_share <= 1
        assert block.path.endswith(block.tag) or block.tag == "tbody"
        assert block.text not in (document.title or "") or block.key == block_key(
            block.text, mask_digits=False
        )


def outcome(page: Page, max_bytes: int | None = None) -> Document | str:
    """Read a page; the reason where it cannot be read."""
    try:
        return read(page, max_bytes)
    except UnreadablePageError as error:
        return error.reason


@given(body=bodies, content_type=content_types)
@example(body=b"<p>x\xe9", content_type="text/html; charset=undefined")
@example(body=b"<!-- -->" * 300, content_type="")
def test_any_bytes_give_a_document_or_a_reason(body: bytes, content_type: str) -> None:
    page = Page(URL, body, content_type)
    result = outcome(page)
    assert result == outcome(page)
    if isinstance(result, str):
        assert result in REASONS
    else:
        check_blocks(result)
        codecs.lookup(result.encoding)


@given(text=st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_gives_a_document_or_a_reason(text: str) -> None:
    result = outcome(Page.from_text(URL, text))
    if isinstance(result, str):
        assert result in REASONS
    else:
        check_blocks(result)


@given(body=bodies, limit=st.integers(0, 400))
def test_size_alone_decides_what_is_too_large(body: bytes, limit: int) -> None:
    assert (outcome(Page(URL, body), limit) == "too-large") == (len(body) > limit)


# Trees of known tags with known text: no tag here closes another by itself.
CONTAINERS = ["div", "section", "article", "main", "blockquote", "aside"]
LINE_HOLDERS = ["p", "h1", "h3", "pre", "address"]
INLINES = ["b", "i", "span", "font", "em", "a", "sup", "time", "mark", "x-tip"]
UNSEEN = ["<div hidden>{}</div>", "<template>{}</template>", "<script>{}</script>", "<!--{}-->"]
words = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6).filter(
    lambda word: word == drop_unseen(word) and "--" not in word
)


@dataclass(frozen=True)
class Made:
    """Markup, and its visible words, each with whether it is linked; None where a block ends."""

    markup: str
    seen: tuple[tuple[str, bool] | None, ...]


def joined(parts: list[Made]) -> Made:
    return Made("".join(p.markup for p in parts), tuple(s for p in parts for s in p.seen))


def spaced(word: str) -> Made:
    return Made(f" {html.escape(word)} ", ((word, False),))


def inline(tag: str, parts: list[Made]) -> Made:
    inner = joined(parts)
    seen = inner.seen if tag != "a" else tuple((each[0], True) for each in inner.seen if each)
    return Made(f"<{tag} href=/>{inner.markup}</{tag}>", seen)


def block(tag: str, parts: list[Made]) -> Made:
    inner = joined(parts)
    return Made(f"<{tag}>{inner.markup}</{tag}>", (None, *inner.seen, None))


def unseen(frame: str, word: str) -> Made:
    return Made(frame.format(f"hidden{word.replace('>', '').replace('<', '')}"), ())


seen_words = words.map(spaced)
phrases = st.recursive(
    seen_words,
    lambda inner: st.builds(
        inline,
        # A link within a link would be closed by the parser, as browsers close it.
        st.sampled_from([tag for tag in INLINES if tag not in {"a", "x-tip"}]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=5,
)
lines = st.builds(
    block,
    st.sampled_from(LINE_HOLDERS),
    st.lists(
        st.one_of(
            phrases,
            st.builds(inline, st.just("a"), st.lists(phrases, max_size=2)),
            st.builds(unseen, st.sampled_from(UNSEEN[2:]), words),
        ),
        max_size=4,
    ),
)


def trees_of(containers: list[str]) -> st.SearchStrategy[Made]:
    return st.recursive(
        st.one_of(lines, seen_words, st.builds(unseen, st.sampled_from(UNSEEN), words)),
        lambda inner: st.builds(block, st.sampled_from(containers), st.lists(inner, max_size=4)),
        max_leaves=12,
    )


def paragraphs(made: Made) -> list[tuple[str, int]]:
    found: list[list[tuple[str, bool]]] = [[]]
    for word in made.seen:
        if word is None:
            found.append([])
        else:
            found[-1].append(word)
    return [
        (" ".join(word for word, _ in each), sum(len(word) for word, linked in each if linked))
        for each in found
        if each
    ]


def blocks_of(made: Made) -> list[tuple[str, int]]:
    page = Page.from_text(URL, f"<!doctype html><html><body>{made.markup}</body></html>")
    document = read(page)
    check_blocks(document)
    return [(" ".join(block.text.split()), block.link_chars) for block in document.blocks]


@given(parts=st.lists(trees_of(CONTAINERS), max_size=6))
def test_all_that_is_seen_is_in_exactly_one_block(parts: list[Made]) -> None:
    made = joined(parts)
    assert blocks_of(made) == paragraphs(made)


# Text beside an element that HTML does not know tells whether it begins a block.
@given(parts=st.lists(trees_of([*CONTAINERS, "x-card"]), max_size=6))
@example(parts=[spaced("0"), block("x-card", [spaced("0")])])
def test_unknown_elements_lose_and_double_no_word(parts: list[Made]) -> None:
    made = joined(parts)
    found = blocks_of(made)
    assert [word for text, _ in found for word in text.split()] == [
        each[0] for each in made.seen if each
    ]
    assert sum(links for _, links in found) == sum(len(e[0]) for e in made.seen if e and e[1])


@given(text=st.text(), mask=st.booleans())
@example(text="\u1e9e\u0301", mask=True)
@example(text="\u03aa\u0301", mask=True)
def test_normalising_twice_is_normalising_once(text: str, mask: bool) -> None:  # noqa: FBT001 - drawn
    once = normalise(text, mask_digits=mask)
    assert normalise(once, mask_digits=mask) == once
    assert block_key(text, mask_digits=mask) == block_key(once, mask_digits=mask)


@given(text=st.text())
def test_dropping_the_unseen_twice_is_dropping_it_once(text: str) -> None:
    once = drop_unseen(text)
    assert drop_unseen(once) == once


@given(st.lists(st.text("aB _.\0\u00e9", max_size=5) | st.text(max_size=5), max_size=5))
def test_folding_texts_at_once_is_folding_each(texts: list[str]) -> None:
    assert fold_all(texts) == list(map(fold, texts))
