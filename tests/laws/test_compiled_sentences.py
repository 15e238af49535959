"""The compiled search for ends of sentences finds what that in Python finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.hot_loops import sentences as pure
from crawler.core.sentences.sentence import Sentence
from support.compiled import compiled_part

if TYPE_CHECKING:
    from types import ModuleType

PROSE = st.text(
    st.sampled_from("aAixThe  ..,!?\n'\"()[]:;@-=1\u2019\u3002\u00e9\ud800\U0001f600\0"),
    max_size=60,
)
"""What may end a sentence, and what may not."""
TOLD = {"the": pure.FIRST, "he": pure.FIRST | pure.LAST, "xi": pure.NEVER_LAST, "a": pure.LAST}


@pytest.fixture(scope="module")
def compiled() -> ModuleType:
    return compiled_part("crawler.core.hot_loops.compiled_sentences")


class Text(str):
    """A string of a class of its own, as parsers give."""

    __slots__ = ()


@given(texts=st.lists(PROSE | st.text(max_size=30), max_size=6), more=st.sampled_from(["", ";"]))
def test_end_marks(compiled: ModuleType, texts: list[str], more: str) -> None:
    chars = f".!?\u3002{more}", "\n\x85", "\"')]", "()[]'\"\u2019", TOLD
    one, other = compiled.EndMarks(*chars), pure.EndMarks(*chars)
    assert one.within(list(map(Text, texts))) == other.within(texts)
    for text in texts:
        assert list(one.places(Text(text))) == list(other.places(text))
        assert one.encloses(Text(text)) == other.encloses(text)


@given(before=st.integers(0, 45), word=st.integers(0, 45), tail=st.sampled_from(" .-'a\u00e9"))
def test_words_around_a_dot(compiled: ModuleType, before: int, word: int, tail: str) -> None:
    text = f" {'he' * before}x. T{'he' * word}{tail}e"
    told = {"the": pure.FIRST}
    one, other = (each.EndMarks(".", "", "", "'", told) for each in (compiled, pure))
    assert list(one.places(text)) == list(other.places(text))
    assert list(one.places(text[1:])) == list(other.places(text[1:]))


@given(text=PROSE | st.text(max_size=30), signs=st.integers(0, 24))
def test_spots_of_hints(compiled: ModuleType, text: str, signs: int) -> None:
    text += "-" * signs
    words = {"the", "a", "aaa", "xa"}
    assert list(compiled.hint_spots(Text(text), words)) == list(pure.hint_spots(text, words))


@given(text=PROSE | st.text(max_size=30), ends=st.lists(st.integers(-9, 70), max_size=6))
def test_pieces_of_a_text(compiled: ModuleType, text: str, ends: list[int]) -> None:
    found = compiled.cut(Sentence, Text(text), iter(ends))
    assert found == pure.cut(Sentence, text, ends)
    assert found == pure.cut(Sentence, text, [max((0, *ends[:at])) for at in range(1, 7)])
    assert all(type(each) is Sentence and type(each.text) is str for each in found)
