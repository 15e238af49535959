from __future__ import annotations

import unicodedata

import pytest

from crawler.evaluation.scores import (
    Overlap,
    PageScore,
    Score,
    ScoreBoard,
    compare,
    score_page,
    shingles,
    words,
)


def test_multisets_count_repetitions() -> None:
    assert compare("aab", "abbb") == Overlap(common=2, predicted=3, gold=4)


def test_score_of_an_overlap() -> None:
    assert Overlap(common=2, predicted=4, gold=8).score == Score(0.5, 0.25, 1 / 3)


@pytest.mark.parametrize(
    ("predicted", "gold", "expected"),
    [
        ("", "", 1.0),
        (" … ", "\n", 1.0),
        ("", "words", 0.0),
        ("words", "", 0.0),
        ("other", "words", 0.0),
        ("Words!", "words", 1.0),
    ],
)
def test_edges(predicted: str, gold: str, expected: float) -> None:
    page = score_page(predicted, gold)
    everywhere = Score(expected, expected, expected)
    assert page.word.score == everywhere
    assert page.shingle.score == everywhere


def test_shingles_are_runs_of_four_words() -> None:
    assert shingles(list("abcde")) == [tuple("abcd"), tuple("bcde")]
    assert shingles(list("abcd")) == [tuple("abcd")]


def test_a_short_page_is_one_shingle() -> None:
    assert shingles(["a", "b"]) == [("a", "b")]
    assert shingles([]) == []


def test_shingles_see_order_and_words_do_not() -> None:
    page = score_page("five four three two one", "one two three four five")
    assert page.word.score.f1 == 1
    assert page.shingle.score.f1 == 0


def board_of(*pages: tuple[str, str, str]) -> ScoreBoard:
    board = ScoreBoard()
    for site, predicted, gold in pages:
        board.add(site, score_page(predicted, gold))
    return board


def test_sites_weigh_the_same_and_pages_weigh_the_same() -> None:
    board = board_of(
        ("big", "right", "right"),
        ("big", "right", "right"),
        ("big", "right", "right"),
        ("small", "wrong", "right"),
    )
    assert board.pages == 4
    assert board.sites == ("big", "small")
    assert board.word == Score(0.75, 0.75, 0.75)
    assert board.site_mean_f1 == 0.5
    assert board.site("big") == (3, Score(1, 1, 1))


def test_micro_weighs_words_the_same() -> None:
    board = board_of(("s", "a b c d e f", "a b c d e f"), ("s", "x y", "z z"))
    assert board.word.f1 == 0.5
    assert board.word_micro == Score(0.75, 0.75, 0.75)


def test_shingle_f1_is_the_harmonic_mean_of_the_means() -> None:
    board = board_of(
        ("s", "a b c d", "a b c d e"),  # precision 1, recall 1/2
        ("s", "a b c d e", "a b c d"),  # precision 1/2, recall 1
    )
    assert board.shingle == Score(0.75, 0.75, 0.75)
    assert board.shingle.f1 != pytest.approx(2 / 3), "the mean of the pages' F1 is another figure"


def test_page_scores_are_plain_counts() -> None:
    assert score_page("a b", "b c d") == PageScore(
        word=Overlap(common=1, predicted=2, gold=3),
        shingle=Overlap(common=0, predicted=1, gold=1),
        rouge=Overlap(common=0, predicted=0, gold=1),
    )


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
