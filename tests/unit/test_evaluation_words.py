from __future__ import annotations

import unicodedata

import pytest

from crawler.evaluation.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t… — !", []),
        ("The cat's 2nd hat", ["the", "cat", "s", "2nd", "hat"]),
        ("snake_case file-name", ["snake", "case", "file", "name"]),
        ("ÄRGER Straße ΟΔΟΣ", ["ärger", "straße", "οδος"]),
        ("한국어 문장을 셉니다.", ["한국어", "문장을", "셉니다"]),
        ("漢字とカナ", ["漢", "字", "と", "カ", "ナ"]),
        ("ラーメン 人々", ["ラ", "ー", "メ", "ン", "人", "々"]),
        ("ﾗｰﾒﾝ・ﾊﾟ", ["ﾗ", "ｰ", "ﾒ", "ﾝ", "ﾊ", "ﾟ"]),
        ("𠮷野家", ["𠮷", "野", "家"]),
        ("iPhone15を買う", ["iphone15", "を", "買", "う"]),
        ("\uff11\uff12年 ½ \u3007", ["\uff11\uff12", "年", "½", "\u3007"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("ภาษาไทย", ["ภาษาไทย"]),
        ("العَرَبِيَّة", ["العَرَبِيَّة"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_an_accent_counts_the_same_however_it_is_written() -> None:
    text = "café Äpfel が 각"
    assert words(unicodedata.normalize("NFD", text)) == words(text)


def test_compatibility_variants_stay_different() -> None:
    assert words("\uff41") != words("a")
    assert words("ﬁn") != words("fin")


def test_a_mark_without_a_letter_is_no_word() -> None:
    assert words("\u0301 \u0301x") == ["x"]


def test_a_mark_belongs_to_the_single_character_before_it() -> None:
    # An ideographic variation selector chooses a glyph of the character before it.
    assert words("葛\U000e0100城") == ["葛\U000e0100", "城"]


def test_long_runs_of_marks_take_no_time() -> None:
    assert len(words("a" + "\u0316" * 50_000 + "!")) == 1
