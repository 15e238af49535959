"""Title similarity, with figures computed by hand from the paper's rule (section 4.1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from crawler.core.methods.news import grams, similarities

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def similarity(
    title: Mapping[int, int],
    text: Mapping[int, int],
    idf: Callable[[Sequence[int]], Sequence[float]],
) -> float:
    (found,) = similarities(title, [text], idf)
    return found


def gram(text: str) -> int:
    (code,) = grams(text)
    return code


def alike(keys: Sequence[int]) -> list[float]:
    return [1.0] * len(keys)


def test_grams_are_runs_of_three_characters() -> None:
    assert grams("abcabc") == {gram("abc"): 2, gram("bca"): 1, gram("cab"): 1}
    assert grams("바다로") == {gram("바다로"): 1}
    assert grams("\U0001f30a\U0001f30a\U0001f30a\U0001f30a") == {gram("\U0001f30a" * 3): 2}


def test_case_and_white_space_are_folded() -> None:
    assert grams(" The\n\t SEA ") == grams("the sea")
    assert len(grams("the sea")) == 5


@pytest.mark.parametrize("short", ["", "a", "ab", " \n ", " a b"[:3]])
def test_fewer_than_three_characters_have_no_gram(short: str) -> None:
    assert not grams(short)


def test_grams_are_64_bit_keys() -> None:
    assert max(grams("\U0010ffff" * 3)) < 2**63


def test_log_tf_and_cosine_by_hand() -> None:
    # The title "abcd" is abc 1, bcd 1: length sqrt(2). The text "abcabc" is abc 2, bca 1, cab 1:
    # weights 1 + ln 2 = 1.693147, 1, 1, so length sqrt(2.866748 + 2) = 2.206071. They share abc:
    # 1 * 1.693147 / (1.414214 * 2.206071) = 0.542701.
    assert similarity(grams("abcd"), grams("abcabc"), alike) == pytest.approx(0.542701, abs=1e-6)


def test_idf_by_hand() -> None:
    # Of 3 pages abc stands on all, bcd on one: ln(4 / 3) = 0.287682 and ln(4 / 1) = 1.386294.
    rarity = {gram("abc"): math.log(4 / 3), gram("bcd"): math.log(4)}

    def idf(keys: Sequence[int]) -> list[float]:
        return [rarity[key] for key in keys]

    # Title "abcd": length sqrt(0.082761 + 1.921812) = 1.415830. "abc" is one gram, so its own
    # vector has length 0.287682, and the cosine is 0.287682 / 1.415830 = 0.203190; for "bcd" it is
    # 1.386294 / 1.415830 = 0.979139: the rare gram says more.
    found = similarities(grams("abcd"), [grams("abc"), grams("bcd"), grams("abcd")], idf)
    assert found == pytest.approx([0.203190, 0.979139, 1.0], abs=1e-6)


def test_nothing_in_common_is_nothing() -> None:
    assert similarity(grams("abc"), grams("xyz"), alike) == 0
    assert similarity(grams(""), grams("xyz"), alike) == 0
    assert similarity(grams("abc"), grams(""), alike) == 0


def test_grams_that_tell_nothing_make_no_similarity() -> None:
    assert similarity(grams("abc"), grams("abc"), lambda keys: [0.0] * len(keys)) == 0


def test_similarities_are_those_of_each_text_and_weigh_the_title_once() -> None:
    title = grams("the storm of the century")
    texts = [grams(text) for text in ("a storm", "the storm of the century", "else", "the sea")]
    asked = []

    def idf(keys: Sequence[int]) -> list[float]:
        asked.append(list(keys))
        return alike(keys)

    found = similarities(title, texts, idf)
    assert found == [similarity(title, text, alike) for text in texts]
    assert asked == [list(title), *(list(text) for text in texts if title.keys() & text.keys())]
    assert similarities(title, [], idf) == []
