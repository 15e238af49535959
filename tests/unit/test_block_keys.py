"""Which texts are the same block: the key of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.flow import Page, read
from crawler.core.page.text import block_key, block_keys, drop_unseen, normalise

if TYPE_CHECKING:
    from crawler.core.page.blocks import Block


def blocks(html: str) -> tuple[Block, ...]:
    return read(Page.from_text("https://site.example/", html)).blocks


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


def test_keys_of_all_texts_at_once() -> None:
    texts = [
        "Día 3",
        "day 3",
        "\u0301acute",
        "e",
        "\uff23\uff2f\u3000\xa02",
        "ς 5 \ud800",
        "Ǆ\u0323",
        "x",
    ]
    assert block_keys(texts, "") == list(map(block_key, texts))
