"""Laws of similarity hashes: what the vote of the shingles says, for any text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from crawler.core.counting.simhash import hamming, similarity_hash

hashes = st.integers(0, 2**64 - 1)
any_text = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates too
word_lists = st.lists(
    st.sampled_from(["tide", "board", "pier", "gate", "harbour", "bread", "7"]), max_size=40
)


@given(word_lists)
def test_it_is_the_vote_of_the_distinct_shingles(words: list[str]) -> None:
    shingles = {" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))} - {""}
    ballots = [xxh3_64_intdigest(shingle.encode()) for shingle in shingles]
    expected = sum(
        1 << bit for bit in range(64) if 2 * sum(b >> bit & 1 for b in ballots) > len(ballots)
    )
    assert similarity_hash(" ".join(words)) == expected


@given(any_text)
def test_every_text_has_one_hash_of_64_bits(text: str) -> None:
    found = similarity_hash(text)
    assert 0 <= found < 2**64
    assert similarity_hash(f"  {text}\n") == found


@given(word_lists)
def test_case_marks_and_spaces_do_not_matter(words: list[str]) -> None:
    assert similarity_hash(", ".join(words).upper()) == similarity_hash("\n ".join(words))


@given(hashes, hashes, hashes)
def test_hamming_is_a_distance(one: int, other: int, third: int) -> None:
    assert hamming(one, other) == hamming(other, one) <= 64
    assert (hamming(one, other) == 0) == (one == other)
    assert hamming(one, third) <= hamming(one, other) + hamming(other, third)
