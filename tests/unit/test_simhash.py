"""Similarity hashes: near for texts that are nearly the same, far for others, fast."""

from __future__ import annotations

import random
import time

import pytest

from crawler.core.counting.simhash import hamming, similarity_hash
from support.pace import slowness, within

WORDS = [f"{one}{two}" for one in ("ba", "ke", "li", "no", "su", "tra") for two in "abcdefghijklmn"]


def words(seed: int, count: int) -> list[str]:
    chosen = random.Random(seed)
    return [chosen.choice(WORDS) for _ in range(count)]


def distance(one: list[str] | str, other: list[str] | str, between: str = " ") -> int:
    return hamming(similarity_hash(between.join(one)), similarity_hash(between.join(other)))


def test_a_word_changed_or_a_line_added_changes_few_bits() -> None:
    for seed in range(30):
        text = words(seed, 400)
        changed = [*text[:200], "gate", *text[201:]]
        assert distance(text, changed) <= 8
        assert distance(text, [*text, *words(seed + 1000, 6)]) <= 10


def test_the_more_is_changed_the_farther_is_the_text() -> None:
    means = []
    for share in (1, 5, 20, 60):
        distances = []
        for seed in range(30):
            text = words(seed, 200)
            changed = [f"x{word}" if at % 100 < share else word for at, word in enumerate(text)]
            distances.append(distance(text, changed))
        means.append(sum(distances) / len(distances))
    assert means == sorted(means)


def test_texts_that_have_nothing_in_common_differ_in_half_of_the_bits() -> None:
    distances = [distance(words(2 * n, 300), words(2 * n + 1, 300)) for n in range(60)]
    assert 30 <= sum(distances) / len(distances) <= 34
    assert min(distances) >= 16


def test_scripts_without_spaces_are_hashed_by_characters() -> None:
    text = (
        "潮位を読む人は毎朝桟橋に来て、板をしばらく眺め、見たものを誰にも読ませない帳面に書いた。"
        * 3
    )
    text += "그는 아침마다 부두에 나와 눈금판을 바라보았다. 港口的水位每天早上都会有人来看。"
    assert distance(text, text.replace("桟橋", "岸壁", 1), "") <= 12
    assert distance(text, "ตลาดเช้าเปิดก่อนพระอาทิตย์ขึ้นทุกวันและปิดเมื่อของหมด" * 2, "") >= 16


def test_the_same_words_in_another_order_are_another_text() -> None:
    text = words(5, 300)
    assert distance(text, sorted(text)) >= 12


@pytest.mark.parametrize(
    "other",
    [
        "The Tide\nis READ, every   morning.",
        "the tide is read every morning",
        "\u201cThe tide is \uff52\uff45\uff41\uff44 every morning!\u201d",
    ],
)
def test_case_marks_and_white_space_do_not_matter(other: str) -> None:
    assert similarity_hash(other) == similarity_hash("The tide is read every morning.")


@pytest.mark.parametrize("text", ["", " \n\t", "… — !", "。、"])
def test_a_text_without_words_has_no_hash(text: str) -> None:
    assert similarity_hash(text) == 0


def test_short_texts_are_told_apart() -> None:
    texts = ["tide", "board", "tide board", "board tide", "the tide board", "5", "6", "조수"]
    hashes = {similarity_hash(text) for text in texts}
    assert len(hashes) == len(texts)
    assert 0 not in hashes


def test_the_hash_of_a_text_stays_the_same_for_ever() -> None:
    # Ledgers keep hashes over years.
    assert (
        similarity_hash("The tide is read every morning on the north pier.") == 1878285482002028928
    )


def test_a_million_words_take_seconds_and_a_thousand_about_a_millisecond() -> None:
    thousand = " ".join(f"{word}{at}" for at, word in enumerate(words(1, 1000)))
    fastest = min(_seconds(thousand) for _ in range(20))
    # 0.8 ms on the machine this was written on.
    assert fastest < 0.004 or fastest < 0.004 * slowness()
    with within(10):
        similarity_hash("가" * 1_000_000)


def _seconds(text: str) -> float:
    began = time.process_time()
    similarity_hash(text)
    return time.process_time() - began
