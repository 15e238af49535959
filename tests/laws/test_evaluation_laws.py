from __future__ import annotations

import unicodedata
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from crawler.evaluation.scores import ScoreBoard, compare, score_page, shingles, words

# Few letters, so that words repeat and texts overlap; several scripts, marks and separators.
TEXTS = st.text(alphabet="abÀ1 _-.가나漢々かﾊｰ\u0301\u093f\n", max_size=40) | st.text(
    # Newer Unicode than this Python knows has Han where it sees unassigned characters.
    st.characters(exclude_categories=["Cn", "Cs"]),
    max_size=40,
)
PAGES = st.lists(st.tuples(st.sampled_from("xyz"), TEXTS, TEXTS), min_size=1, max_size=12)


def figures(board: ScoreBoard) -> object:
    sites = {name: board.site(name) for name in board.sites}
    return board.word, board.word_micro, board.shingle, board.site_mean_f1, sites


def board_of(pages: list[tuple[str, str, str]]) -> ScoreBoard:
    board = ScoreBoard()
    for site, predicted, gold in pages:
        board.add(site, score_page(predicted, gold))
    return board


@given(TEXTS)
def test_every_word_starts_with_a_letter_or_digit_and_is_lower_case(text: str) -> None:
    for word in words(text):
        assert word[0].isalnum()
        assert all(c.isalnum() or unicodedata.category(c)[0] == "M" for c in word)


@given(TEXTS)
def test_no_letter_or_digit_is_lost(text: str) -> None:
    folded = unicodedata.normalize("NFC", text).lower()
    assert Counter(filter(str.isalnum, folded)) == Counter(
        filter(str.isalnum, "".join(words(text)))
    )


@given(TEXTS, TEXTS)
def test_a_line_break_separates_words(left: str, right: str) -> None:
    assert words(f"{left}\nx\n{right}") == [*words(f"{left}\n"), "x", *words(f"\n{right}")]


@given(TEXTS)
def test_a_text_is_right_about_itself(text: str) -> None:
    page = score_page(text, text)
    assert page.word.score.as_json() == {"precision": 1, "recall": 1, "f1": 1}
    assert page.shingle.score.as_json() == {"precision": 1, "recall": 1, "f1": 1}


@given(TEXTS, TEXTS)
def test_swapping_the_sides_swaps_precision_and_recall(one: str, other: str) -> None:
    there, back = score_page(one, other), score_page(other, one)
    for left, right in ((there.word, back.word), (there.shingle, back.shingle)):
        assert left.score.f1 == right.score.f1
        assert left.score.precision == right.score.recall
        assert left.score.recall == right.score.precision


@given(TEXTS, TEXTS)
def test_every_figure_lies_between_0_and_1_and_f1_between_the_two(one: str, other: str) -> None:
    score = score_page(one, other).word.score
    low, high = sorted((score.precision, score.recall))
    assert 0 <= low <= high <= 1
    assert low - 1e-12 <= score.f1 <= high + 1e-12


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_multisets_know_no_order(left: list[str], right: list[str]) -> None:
    assert compare(left, right) == compare(sorted(left), right[::-1])
    assert compare(left + right, right).common == len(right)


@given(PAGES, st.data())
def test_the_order_of_pages_changes_no_figure(
    pages: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(pages))
    assert figures(board_of(pages)) == figures(board_of(shuffled))


@given(TEXTS)
def test_a_page_has_as_many_shingles_as_runs_of_four(text: str) -> None:
    page = words(text)
    expected = len(page) - 3 if len(page) >= 4 else min(len(page), 1)
    assert len(shingles(page)) == expected
