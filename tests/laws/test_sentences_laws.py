# ruff: noqa: RUF001 - marks of many scripts are what these laws are tried on

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.hot_loops.sentences import UNKNOWN
from crawler.core.sentences import ended_sentences, split, splitter_for, splitting_names
from crawler.core.sentences.languages import habits_of
from crawler.core.sentences.marks import end_marks
from crawler.core.sentences.rules import split_by_marks
from crawler.core.sentences.sentence import Sentence
from crawler.evaluation.sentences import boundaries

CASES: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "unit" / "sentences_gold.json").read_text("utf-8")
)
LANGUAGES = st.sampled_from([*CASES, "", "xx"])
METHODS = st.sampled_from([name for name in splitting_names() if name not in {"default", "kiwi"}])
# Marks, brackets, spaces of all kinds and letters of many scripts, close together.
PIECES = [
    *".!?…。！？:;։।؟\"'“”„«»「」()[]<>`-–—*•/@#\n\r\t\u2028\xa0\u3000\x00\ud800",
    *"aAiIz19äÄдДΩ다요あ漢ع😀",
    *(" ", " ", ". ", " Mr. ", " e.g. ", " J. ", "http://a.b/c ", "1. ", "b) "),
    *("습니다 ", "라고 "),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=60)
LENGTHS = (30_000, 120_000)
HOSTILE = [
    ".", "!", "。", "(", '"', "'", "a", "다", "\n", " ", "a. ", "A. ", "1. ", "b) ", "no. Then ",
    '" ', '"a. ', "(a. ", "' ", "? ", ". - ", "했다 ", "「あ。」", ".[1]", ".😀", ".:)",
    "^^ ", "ㅋ ",
    "http://a.b/. ", ". " + " " * 60, "This is ", "x <",
]  # fmt: skip


def check(text: str, found: tuple[Sentence, ...]) -> None:
    end = 0
    for sentence in found:
        assert sentence.text == text[sentence.start : sentence.end]
        assert sentence.text
        assert sentence.text == sentence.text.strip()
        assert sentence.start >= end
        assert not text[end : sentence.start].strip()
        end = sentence.end
    assert not text[end:].strip()


@given(TEXTS, LANGUAGES, METHODS)
def test_sentences_are_in_order_and_leave_out_white_space_alone(
    text: str, language: str, method: str
) -> None:
    check(text, splitter_for(language, method).split(text))


@pytest.mark.slow  # the model takes seconds to load
@given(TEXTS)
def test_so_are_those_of_the_model(text: str) -> None:
    pytest.importorskip("kiwipiepy")
    check(text, splitter_for("ko", "kiwi").split(text))


@given(TEXTS)
def test_so_are_those_of_a_guessed_language(text: str) -> None:
    check(text, split(text))


@given(TEXTS)
def test_ended_sentences_end(text: str) -> None:
    found = ended_sentences(text)
    for sentence in found:
        assert sentence.text == text[sentence.start : sentence.end]
        assert sentence.text[-1] in ".?!"
        assert text[sentence.end : sentence.end + 1].strip() == ""
    assert all(left.end <= right.start for left, right in pairwise(found))


# It does not hold for every string: whether a writer uses capitals, which words began the sentence
# before and which quotation marks are still open is read from the whole passage, and a sentence
# torn out of it may be too short to tell. For sentences as people write them it must hold.
@pytest.mark.parametrize("language", CASES)
def test_a_sentence_is_one_sentence(language: str) -> None:
    splitter = splitter_for(language, "rule")
    for case in CASES[language]:
        for sentence in splitter.split(case.replace("¦", "")):
            assert splitter.split(sentence.text) == (
                Sentence(sentence.text, 0, len(sentence.text)),
            )


@given(
    st.lists(TEXTS | st.sampled_from(["Dear Ann:", "1) One", "So it is. The end", "\0"])), LANGUAGES
)
def test_texts_split_together_are_split_as_one_by_one(texts: list[str], language: str) -> None:
    splitter = splitter_for(language, "rule")
    assert splitter.split_all(texts) == list(map(splitter.split, texts))


@given(st.sampled_from([(tag, case) for tag, cases in CASES.items() for case in cases]), TEXTS)
def test_an_empty_line_keeps_texts_apart(chosen: tuple[str, str], other: str) -> None:
    language, case = chosen
    splitter, text = splitter_for(language, "rule"), case.replace("¦", "")
    joined = splitter.split(f"{text}\n\n{other}")
    alone = splitter.split(text)
    assert joined[: len(alone)] == alone


@given(st.lists(TEXTS, max_size=8))
def test_boundaries_do_not_depend_on_white_space(sentences: list[str]) -> None:
    spaced = [f" \n{' '.join(sentence)}\t" for sentence in sentences]
    assert boundaries(sentences) == boundaries(spaced)


def seconds(language: str, text: str) -> float:
    splitter = splitter_for(language, "rule")
    started = process_time()
    splitter.split(text)
    return process_time() - started


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("unit", HOSTILE)
def test_the_time_grows_with_the_text_and_no_faster(unit: str, language: str) -> None:
    short, long = ((unit * length)[:length] for length in LENGTHS)
    # Four times the text: linear work takes four times as long, quadratic work sixteen times. A
    # busy machine may disturb one measurement, and what is over at once shows nothing.
    best = min(seconds(language, long) for _ in range(2))
    assert best < max(0.5, 10 * min(seconds(language, short) for _ in range(3)))


def by_rules_alone(texts: list[str], language: str) -> list[tuple[Sentence, ...]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crawler.core.sentences.rules.end_marks", Untold)
        return split_by_marks(texts, language)


PLAIN = st.sampled_from([
    *("The", "This", "He", "She", "Tom", "Dr", "Prof", "etc", "approx", "jan", "pp", "al", "vol"),
    *("no", "the", "it", "house", "said", "xI"),
])  # fmt: skip
OTHERS = st.sampled_from([
    *("A", "I", "iv", "XI", "GmbH", "Der", "Abb", "bzw", "Mme", "U.S", "e.g", "2020", "1", "b)"),
    *("well-known", "don't", "d'Or", "Zoë", "x" * 40, "x" * 41, "T" * 38, "T" * 39),
    *("(He", "he)", '"The', ":D", "*", "-", "\u05d0", "다", "ㅋㅋ"),
])  # fmt: skip
STOPPED = st.lists(
    st.tuples(
        PLAIN | PLAIN | OTHERS,
        st.just(". ") | st.sampled_from([". ", " ", ".", ".. ", '." ', "? ", ".  "]),
    ),
    max_size=12,
).map(lambda pieces: "".join(map("".join, pieces)))


@given(text=STOPPED, language=st.just("en") | LANGUAGES)
def test_what_plain_words_tell_of_a_dot_is_what_the_rules_say(text: str, language: str) -> None:
    assert split_by_marks([text], language) == by_rules_alone([text], language)


@pytest.mark.parametrize("language", [*CASES, "xx"])
def test_what_each_known_word_tells_of_a_dot_is_what_the_rules_say(language: str) -> None:
    its = habits_of(language)
    known = its.never_final | its.list_ends | its.abbreviations | its.starters
    words = sorted(word for word in known if word.isascii())
    texts = [
        f"We saw {before}. {behind} went on"
        for word in words
        for before, behind in (
            (word, "The"), (word.title(), "Tom"), (word, "T."), ("jan", word.title()),
            ("house", word.title()), ("jan", f"{word.title()}."), ("jan", f"{word.title()}-x"),
        )
    ]  # fmt: skip
    assert split_by_marks(texts, language) == by_rules_alone(texts, language)


@given(STOPPED, st.text("a'1(•▪○★.!\n\xa0 ’漢", max_size=12), st.just("en") | LANGUAGES)
def test_a_word_tells_of_a_dot_what_sentencex_says_of_the_whole_text(
    text: str, before: str, language: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crawler.core.sentences.rules.ends_behind", lambda *_: False)
        by_text = split_by_marks([before + text], language)
    assert split_by_marks([before + text], language) == by_text


class Untold:
    """Finds the marks of a language, and leaves all of them to the rules."""

    def __init__(self, language: str) -> None:
        self._marks = end_marks(language)
        self.encloses = self._marks.encloses

    def places(self, text: str) -> list[tuple[int, int]]:
        return [(at, UNKNOWN) for at, _ in self._marks.places(text)]
