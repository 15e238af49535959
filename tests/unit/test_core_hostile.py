"""Pages made to break a reader: each gives all of its text, or says why it gives none."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Document, Page, read
from crawler.core.hot_loops import may_have_many_attributes, text
from support.hostile_pages import HOSTILE, MEGABYTE
from support.pace import within

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://site.example/a"


def page(body: bytes | str) -> Document:
    if isinstance(body, str):
        return read(Page.from_text(URL, body))
    return read(Page(URL, body, "text/html; charset=utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_give_all_their_text(name: str) -> None:
    make, blocks, chars = HOSTILE[name]
    document = page(make())
    assert len(document.blocks) == blocks
    assert sum(block.chars for block in document.blocks) == chars
    assert sum(len(block.path) for block in document.blocks[:1000]) < 2_000 * 1000


UNREADABLE: dict[str, tuple[Callable[[], bytes], str]] = {
    "white space": (lambda: b" \t\r\n\f" * 10_000, "empty"),
    "zero bytes": (lambda: b"\x00" * 10_000, "binary"),
    "a zero byte in each word": (lambda: b"<p>a\x00b" * 10_000, "binary"),
    "open comments": (lambda: b"<!--" * 100_000, "empty"),
    "processing instructions": (lambda: b"<?x " * 100_000, "empty"),
    "random bytes": (lambda: random.Random(1).randbytes(MEGABYTE), "binary"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_says_why(name: str) -> None:
    make, reason = UNREADABLE[name]
    with pytest.raises(UnreadablePageError) as refused:
        page(make())
    assert refused.value.reason == reason


def test_a_page_that_is_all_tags_is_too_large_where_there_is_a_limit() -> None:
    body = Page(URL, b"<b>" * 750_001, "text/html")
    with pytest.raises(UnreadablePageError) as refused:
        read(body, len(body.body))
    assert refused.value.reason == "too-large"


def test_random_bytes_that_look_like_text_are_text() -> None:
    noise = bytes(random.Random(2).choices(range(32, 256), k=MEGABYTE // 4))
    assert page(b"<p>" + noise).blocks


def test_invalid_utf8_keeps_what_is_valid() -> None:
    text = page("<p>바다와 등대와 방파제</p>".encode() * 20 + b"<p>\xff\xc0\xaf</p>").blocks
    assert text[0].text == "바다와 등대와 방파제"
    assert set(text[-1].text) == {"\ufffd"}


def attributes(first: int, last: int) -> str:
    return " ".join(f"a{number}" for number in range(first, last))


MANY = attributes(0, 2_000)
LETTERS = [chr(code) for code in range(97, 123)]
SHORT_NAMES = " ".join(a + b + c for a in LETTERS for b in LETTERS for c in LETTERS[:18])
TAGS = {
    "a quoted end": f'<div x=">" {attributes(0, 80_000)}>',
    "quoted ends": f"""<div {attributes(0, 80_000).replace(" ", "='>'")}>""",
    "signs of tags": f"<div {attributes(0, 80_000).replace('5000 ', '5000 <9 ')}>",
    "a value of quotes": '<div x="' + "a '" * 60_000 + f'" {attributes(0, 20_000)}>',
    "ten of 7,900": f"<div {attributes(0, 7_900)} y='{'z' * 20_000}'>" * 10,
    "49,000 characters": f"<div {SHORT_NAMES}>",
    "behind a quote in a comment": f'<!-- <a x=" --><div {attributes(0, 40_000)}><p title="">',
    "behind a sign in a script": f"<script>a<b='</script><div {attributes(0, 40_000)}><p id=''>",
    "an end of a break": f'</br><p x="</br ">" {attributes(0, 40_000)}>',
}


@pytest.mark.parametrize("name", TAGS)
def test_no_tag_of_many_attributes_costs_time(name: str) -> None:
    with within(0.5):
        document = page(f"<p>one</p>{TAGS[name]}two")
    assert "one" in document.blocks[0].text
    assert "two" in document.blocks[-1].text


@pytest.mark.parametrize("run", ["<", "<a", "<b ", '<a x="', "<a x='<b y=\"", "<a =", "<a/"])
@pytest.mark.parametrize("find", [may_have_many_attributes, text.may_have_many_attributes])
def test_no_text_costs_the_search_for_attributes_time(
    find: Callable[[bytes], bool], run: str
) -> None:
    with within(2):
        has_many = find(run.encode() * 1_000_000)
    # Without a letter behind it the sign begins no tag.
    assert has_many is (run != "<")


@pytest.mark.parametrize(
    "tag",
    [
        f"<img src='data:image/png;base64,{'iVBORw0KGgo/' * 40_000}'>",
        f"""<p title="{"a '=> <b " * 40_000}">""",
        f"<p {attributes(0, 999)}>" * 20,
        f"<p>{MANY}</p>",
    ],
)
@pytest.mark.parametrize("find", [may_have_many_attributes, text.may_have_many_attributes])
def test_long_values_are_no_attributes(find: Callable[[bytes], bool], tag: str) -> None:
    assert not find(tag.encode())


@pytest.mark.parametrize(
    "char", ["\f", "\v", "\0", "\ufffe", "\uffff", "\ud800", "&#1;", "&#12;", "&#11;", "&#xfffe;"]
)
@pytest.mark.parametrize("start", ["<div>" * 2100, f"<p {MANY}>"])
def test_no_character_costs_a_page_that_is_nested_deep_or_may_have_many_attributes(
    start: str, char: str
) -> None:
    document = page(f"{start}one{char}two<p title='a{char}b'>three</p>")
    first, second = (block.text for block in document.blocks)
    assert (first[:3], first[-3:], second) == ("one", "two", "three")
    assert len(first) <= 7
    assert not set(first) & set("\f\v\0\ufffe\uffff")
