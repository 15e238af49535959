"""The compiled loops over characters give what those in Python give."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from crawler.core.hot_loops import text as pure
from support.compiled import TEXTS, compiled_part

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

MIXED = (
    "aZ 09.\u00a0\u00e9\u00bd\u0301\u0130\u00df\u03a3\u2026\u0663\uff11\uff21"
    "\u1100\u1161\u11a8\uac00\u09c7\u09be\u3042\u3099"
)
"""Letters, digits and marks that fold or compose."""


@pytest.fixture(scope="module")
def compiled() -> ModuleType:
    return compiled_part("crawler.core.hot_loops.compiled_text")


class Text(str):
    """A string of a class of its own, as parsers give."""

    __slots__ = ()


def joined(texts: list[str]) -> tuple[str, NDArray[np.intp]]:
    return "\n".join((*texts, "")), np.cumsum([len(text) + 1 for text in texts]) - 1


@given(texts=TEXTS, seed=st.integers(0, 2**32))
def test_class_counts(compiled: ModuleType, texts: list[str], seed: int) -> None:
    classes = np.random.default_rng(seed).integers(0, 256, 1 << 16, np.uint8)
    classes[ord("\n")] = 64  # a space, as in the tables that are used
    whole = joined(texts)
    assert np.array_equal(
        compiled.class_counts(*whole, classes), pure.class_counts(*whole, classes)
    )


@given(texts=TEXTS, others=st.lists(st.text(), max_size=8), seed=st.integers(0, 2**32))
def test_gram_hits(compiled: ModuleType, texts: list[str], others: list[str], seed: int) -> None:
    lower = np.random.default_rng(seed).integers(0, 4, 1 << 16, np.uint32)
    drawn = (*joined(texts), others, lower)
    assert np.array_equal(compiled.gram_hits(*drawn), pure.gram_hits(*drawn))


@given(texts=st.lists(st.text(st.sampled_from("abYZ -_0é\u212a"), max_size=14), max_size=5))
def test_cues_of_names(compiled: ModuleType, texts: list[str]) -> None:
    def word_cues(word: str) -> int:
        return 1 << zlib.crc32(word.encode()) % 64

    one, other = compiled.CueWords(word_cues), pure.CueWords(word_cues)
    for _ in range(2):
        assert np.array_equal(one.masks(list(map(Text, texts))), other.masks(texts))


@given(data=st.binary() | st.binary(max_size=99).map(lambda its: its.translate(None, pure.CONTROL)))
def test_control_characters(compiled: ModuleType, data: bytes) -> None:
    assert compiled.without_control(data) == pure.without_control(data)


PIECES = st.sampled_from([b"<", b"<a", b">", b'"', b"'", b"=", b"/", b" ", b"\n", b"b", b"<!--"])
RUNS = st.sampled_from([b" a1", b"/b", b" c=", b"<d ", b' e="', b" f='"])


@given(
    pieces=st.lists(PIECES, max_size=40),
    run=RUNS,
    times=st.integers(0, 2 * pure.MOST_ATTRIBUTES),
    rest=st.lists(PIECES, max_size=9),
)
def test_tags_of_many_attributes(
    compiled: ModuleType, pieces: list[bytes], run: bytes, times: int, rest: list[bytes]
) -> None:
    data = b"".join((*pieces, run * times, *rest))
    assert compiled.may_have_many_attributes(data) == pure.may_have_many_attributes(data)


@given(
    pieces=st.lists(PIECES, max_size=40),
    between=st.sampled_from([" ", "/", "=''", '=">"']),
    count=st.integers(pure.MOST_ATTRIBUTES - 40, pure.MOST_ATTRIBUTES + 40),
    rest=st.lists(PIECES, max_size=9),
)
def test_no_tag_has_more_attributes_than_are_seen(
    pieces: list[bytes], between: str, count: int, rest: list[bytes]
) -> None:
    many = between.join(f"x{number}" for number in range(count)).encode()
    data = b"".join((*pieces, many, *rest))
    if not pure.may_have_many_attributes(data):
        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
        root = etree.fromstring(b"<p>" + data, parser)
        assert max(len(each.attrib) for each in root.iter(etree.Element)) < pure.MOST_ATTRIBUTES


@given(
    stems=st.dictionaries(st.text("abé\u212a", min_size=2, max_size=4), st.integers(0, 2**64 - 1)),
    texts=st.lists(st.text("abé\u212a", max_size=12), max_size=5),
    times=st.sampled_from((1, 100)),
)
def test_stems_in_texts(
    compiled: ModuleType, stems: dict[str, int], texts: list[str], times: int
) -> None:
    # The twin in Python looks at many characters in another way.
    texts = [*texts, *(text * times for text in texts)]
    found = pure.Stems(stems).masks(texts)
    assert compiled.Stems(stems).masks(texts) == found
    own = {Text(stem): bits for stem, bits in stems.items()}
    assert compiled.Stems(own).masks(list(map(Text, texts))) == found


@pytest.mark.parametrize("stem", [(1, 2), b"ab", None, 5])
def test_stems_are_texts(compiled: ModuleType, stem: object) -> None:
    for its in (compiled, pure):
        with pytest.raises(TypeError):
            its.Stems({stem: 1})


def test_stems_are_few_and_of_two_characters(compiled: ModuleType) -> None:
    many = {f"{number:03}": 1 for number in range(pure.MOST_STEMS + 1)}
    for its in (compiled, pure):
        for stems in ({"a": 1}, many):
            with pytest.raises(ValueError, match="256 stems"):
                its.Stems(stems)


def test_nothing_is_no_text(compiled: ModuleType) -> None:
    ends, codes = np.zeros(1, np.intp), np.zeros(1 << 16, np.uint32)
    with pytest.raises(TypeError):
        compiled.class_counts(None, ends, codes.astype(np.uint8))
    with pytest.raises(TypeError):
        compiled.gram_hits(None, ends, [], codes)
    with pytest.raises(TypeError):
        compiled.without_control(None)
    with pytest.raises(TypeError):
        compiled.cues_of_word(None, {})


@pytest.mark.parametrize("end", [-1, 4, 10**9])
def test_texts_end_where_there_are_characters(compiled: ModuleType, end: int) -> None:
    ends, codes = np.array([1, end]), np.zeros(1 << 16, np.uint32)
    for its in (compiled, pure):
        with pytest.raises(IndexError):
            its.class_counts("a\nb\n", ends, codes.astype(np.uint8))
        with pytest.raises(IndexError):
            its.gram_hits("a\nb\n", ends, ["b"], codes)


STEMS = st.tuples(
    st.text("abc", min_size=1, max_size=4),
    st.booleans(),
    st.text("ab", max_size=1),
    st.integers(0, 63),
)


@given(stems=st.lists(STEMS, max_size=6), word=st.text("abc", max_size=9))
def test_cues_of_a_word(
    compiled: ModuleType, stems: list[tuple[str, bool, str, int]], word: str
) -> None:
    begins: dict[str, list[tuple[str, bool, str, int]]] = {}
    for stem, is_whole, unless, bit in stems:
        begins.setdefault(stem[: pure.BEGIN_CHARS], []).append((stem, is_whole, unless, 1 << bit))
    assert compiled.cues_of_word(word, begins) == pure.cues_of_word(word, begins)


@given(
    texts=st.lists(
        st.text("aZ 09\n\t.", max_size=9)
        | st.text(st.characters(exclude_characters="\0") | st.sampled_from(MIXED)).filter(
            lambda text: not text.isascii()
        )
    ),
    most=st.integers(1, 5),
)
def test_normal_forms(compiled: ModuleType, texts: list[str], most: int) -> None:
    assert compiled.normal_forms(list(map(Text, texts)), most) == pure.normal_forms(texts, most)


def test_what_stands_for_a_character_depends_on_none_around(compiled: ModuleType) -> None:
    for begin in range(128, 1 << 16, 64):
        text = "".join(map(chr, range(begin, begin + 64)))
        assert compiled.normal_forms([text], 99) == pure.normal_forms([text], 99)
