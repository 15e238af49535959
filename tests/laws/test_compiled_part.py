"""The compiled part gives what Python gives, to the last bit."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from crawler.core import pure
from crawler.core.methods import Label
from crawler.core.page.blocks import Block, Holder
from crawler.core.sentences.sentence import Sentence
from crawler.core.trees import TreeEnsemble
from support.compiled import PIECES, compiled_part

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray


@pytest.fixture(scope="module")
def compiled() -> ModuleType:
    return compiled_part("crawler.core.compiled")


# Few rows, some, and more than are asked at once; trees of few leaves and of many.
@given(rows=st.integers(0, 40) | st.just(300), seed=st.integers(0, 2**32), has_gaps=st.booleans())
@pytest.mark.parametrize(
    "name", ["methods.article/first", "pagetype/forum", "tables/genuine_boosted"]
)
def test_leaves(compiled: ModuleType, name: str, rows: int, seed: int, has_gaps: bool) -> None:  # noqa: FBT001 - drawn
    package, name = name.split("/")
    trees = TreeEnsemble.shipped(f"crawler.core.{package}", name)
    random = np.random.default_rng(seed)
    # Values at thresholds too, where rounding would show.
    table = random.choice(trees.threshold, (len(trees.names), rows)).astype(np.float32)
    if has_gaps:
        table[random.random(table.shape) < 0.2] = np.nan
    nodes = trees.feature, trees.threshold, trees.left, trees.value, trees.roots
    one, other = compiled.Trees(*nodes), pure.Trees(*nodes)
    assert np.array_equal(one.leaves(table), other.leaves(table))
    assert np.array_equal(one.sums(table), other.sums(table))


MIXED = (
    "aZ 09.\u00a0\u00e9\u00bd\u0301\u0130\u00df\u03a3\u2026\u0663\uff11\uff21"
    "\u1100\u1161\u11a8\uac00\u09c7\u09be\u3042\u3099"
)
"""Letters, digits and marks that fold or compose."""

TEXTS = st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8)
"""Texts of any characters, lone surrogates too."""


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
        assert np.array_equal(one.masks(texts), other.masks(texts))


@given(data=st.binary() | st.binary(max_size=99).map(lambda its: its.translate(None, pure.CONTROL)))
def test_control_characters(compiled: ModuleType, data: bytes) -> None:
    assert compiled.without_control(data) == pure.without_control(data)


@given(texts=TEXTS, keys=st.lists(st.integers(0, 2**64 - 1), min_size=8, max_size=8))
def test_figures_of_blocks(compiled: ModuleType, texts: list[str], keys: list[int]) -> None:
    texts = [*texts, "a\n:", "\uff1a"]
    blocks = [
        Block(number, text, f"h{number}", "p", keys[number % 8 // 2], len(text), 3, None, "", 2)
        for number, text in enumerate(texts)
    ]
    drawn = blocks, {"h0": 5, "h2": 1}, 14
    assert np.array_equal(compiled.described(*drawn), pure.described(*drawn))


@given(rows=st.lists(st.tuples(st.booleans(), st.text(), st.integers(), st.floats() | st.none())))
def test_objects_of_columns(
    compiled: ModuleType, rows: list[tuple[bool, str, int, float | None]]
) -> None:
    columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True)) or [()] * 4
    assert compiled.made(Label, *columns) == pure.made(Label, *columns)
    with pytest.raises(ValueError, match="longer"):
        compiled.made(Label, *columns[:3], (*columns[3], 0.5))
    for module in (compiled, pure):
        with pytest.raises(TypeError, match="4 fields"):
            module.made(Label, *columns[:2])
        with pytest.raises(TypeError, match="4 fields"):
            module.made(Label, *columns, columns[0])


@given(parents=st.lists(st.integers(0, 20), min_size=1, max_size=30), data=st.data())
def test_numbers_of_elements(compiled: ModuleType, parents: list[int], data: st.DataObject) -> None:
    holders: list[Holder] = []
    for number, around in enumerate(parents):
        parent = holders[around % number] if around and number else None
        holders.append(
            Holder("div", "", parent, parent.depth + 1 if parent else 1, f"div{number % 3}")
        )
    at = data.draw(st.lists(st.sampled_from(holders), max_size=30))
    blocks = [Block(number, "x", "p", "p", 0, 1, 0, holder) for number, holder in enumerate(at)]
    found, columns = compiled.numbered(blocks)
    expected, expected_columns = pure.numbered(blocks)
    assert found == expected
    assert all(map(np.array_equal, columns, expected_columns))


@given(parents=st.lists(st.integers(0, 99), min_size=1, max_size=40), seed=st.integers(0, 2**32))
def test_distances_outwards(compiled: ModuleType, parents: list[int], seed: int) -> None:
    around = [parent % (number + 1) for number, parent in enumerate(parents)]
    signs = np.random.default_rng(seed).integers(0, 1 << 20, len(parents), np.uint64)
    drawn = signs & (signs >> np.uint64(3)) & (signs >> np.uint64(7)), np.array(around, np.intp)
    assert np.array_equal(compiled.distances(*drawn, 18, 12), pure.distances(*drawn, 18, 12))


@given(rows=st.integers(0, 30), features=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_ramps(compiled: ModuleType, rows: int, features: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    ends = np.sort(random.integers(0, 50, (features, 4)), axis=1).astype(np.float32)
    lengths = np.diff(ends).T.copy()
    used = np.minimum.accumulate(lengths > 0)
    slopes = np.divide(1, lengths, out=np.zeros_like(lengths), where=used)
    asked = (
        random.integers(-10, 60, (features + 2, rows)).astype(np.float32),
        random.permutation(features + 2)[:features],
        np.ascontiguousarray(ends.T[:-1]),
        slopes,
        random.random(features, np.float32),
    )
    assert np.array_equal(compiled.ramps(*asked), pure.ramps(*asked))


@given(rows=st.integers(1, 30), size=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_means_within_ranges(compiled: ModuleType, rows: int, size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    # Ranges of rows, and of rows in the other order, which begin one place farther on.
    cuts = np.sort(random.integers(0, rows + 1, (rows, 2, 2)), axis=2)
    cuts[:, 1] += rows + 1
    asked = (
        random.standard_normal((rows + 2, size), np.float32),
        random.integers(1, 60, rows).astype(np.float64),
        random.permutation(rows),
        cuts.transpose(2, 0, 1).copy(),
        random.random((rows, 2)) + 0.5,
    )
    assert np.array_equal(compiled.means_within(*asked), pure.means_within(*asked))


@given(pieces=st.lists(PIECES, max_size=30), keeps_comments=st.booleans(), from_child=st.booleans())
def test_columns_of_a_tree(
    compiled: ModuleType,
    pieces: list[str],
    keeps_comments: bool,  # noqa: FBT001 - drawn
    from_child: bool,  # noqa: FBT001 - drawn
) -> None:
    is_left_out = not keeps_comments
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=is_left_out, remove_pis=is_left_out, huge_tree=True
    )
    root = etree.fromstring("".join(("<html><body>", *pieces)).encode(), parser)
    assert root is not None
    if from_child:
        root = root[-1][-1] if len(root[-1]) else root[-1]
    found = pure.columns(root)
    assert compiled.columns(root) == found
    columns = found[1:4]
    unread = frozenset(("p", "script"))
    assert compiled.short_texts(*columns, unread, 9) == pure.short_texts(*columns, unread, 9)


@given(
    stems=st.dictionaries(st.text("abé\u212a", min_size=2, max_size=4), st.integers(0, 2**64 - 1)),
    texts=st.lists(st.text("abé\u212a", max_size=12), max_size=5),
)
def test_stems_in_texts(compiled: ModuleType, stems: dict[str, int], texts: list[str]) -> None:
    assert compiled.Stems(stems).masks(texts) == pure.Stems(stems).masks(texts)


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
    assert compiled.normal_forms(texts, most) == pure.normal_forms(texts, most)


def test_what_stands_for_a_character_depends_on_none_around(compiled: ModuleType) -> None:
    for begin in range(128, 1 << 16, 64):
        text = "".join(map(chr, range(begin, begin + 64)))
        assert compiled.normal_forms([text], 99) == pure.normal_forms([text], 99)


PROSE = st.text(
    st.sampled_from("aAixThe  ..,!?\n'\"()[]:;@-=1\u2019\u3002\u00e9\ud800\U0001f600\0"),
    max_size=60,
)
"""What may end a sentence, and what may not."""
TOLD = {"the": pure.FIRST, "he": pure.FIRST | pure.LAST, "xi": pure.NEVER_LAST, "a": pure.LAST}


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


@given(text=PROSE | st.text(max_size=30), ends=st.lists(st.integers(0, 70), max_size=6).map(sorted))
def test_pieces_of_a_text(compiled: ModuleType, text: str, ends: list[int]) -> None:
    found = compiled.cut(Sentence, Text(text), iter(ends))
    assert found == pure.cut(Sentence, text, ends)
    assert all(type(each) is Sentence and type(each.text) is str for each in found)
