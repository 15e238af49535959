from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from scrapy.settings import Settings

from crawler.core.errors import UnknownMethodError
from crawler.core.page.page import Page
from crawler.core.sentences import (
    ended_sentences,
    split,
    splitter_for,
    splitting_names,
)
from crawler.core.sentences.languages import guess_language, language_of, primary_language
from crawler.core.sentences.sentence import Sentence, sentencex_ends
from crawler.settings import Options
from support.crawling import ROOT
from support.journeys import item_of
from support.pace import within

# Each case is a text in which "¦" stands before every sentence but the first.
CASES: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "sentences_gold.json").read_text("utf-8")
)
TABLE = [(language, case) for language, cases in CASES.items() for case in cases]
THE_TEN = ("en", "ko", "ja", "zh", "de", "fr", "es", "ru", "el", "pl")


def texts(sentences: tuple[Sentence, ...]) -> list[str]:
    return [sentence.text for sentence in sentences]


def wanted(case: str) -> list[str]:
    return [sentence.strip() for sentence in case.split("¦")]


def test_the_table_is_large_enough() -> None:
    assert all(len(CASES[language]) >= 12 for language in THE_TEN)
    assert len(CASES) > 30


@pytest.mark.parametrize(("language", "case"), TABLE)
def test_hard_cases_by_rule(language: str, case: str) -> None:
    found = splitter_for(language, "rule").split(case.replace("¦", ""))
    assert texts(found) == wanted(case)


@pytest.mark.parametrize("case", CASES["ko"])
def test_hard_cases_by_the_korean_model(case: str) -> None:
    pytest.importorskip("kiwipiepy")
    splitter = splitter_for("ko-KR", "kiwi")
    assert splitter.name == "kiwi"
    assert texts(splitter.split(case.replace("¦", ""))) == wanted(case)


def test_the_model_knows_endings_that_the_rule_does_not() -> None:
    pytest.importorskip("kiwipiepy")
    text = "이 집은 빵이 정말 맛있어 우리 다음에 또 가자"
    assert len(splitter_for("ko", "rule").split(text)) == 1
    assert len(splitter_for("ko", "kiwi").split(text)) == 2


@pytest.mark.parametrize("text", ["가" * 50_000, ("가" * 300 + " ") * 200, "만지만지 " * 13_000])
def test_text_that_costs_the_model_much_is_not_given_to_it(text: str) -> None:
    pytest.importorskip("kiwipiepy")
    splitter_for("ko", "kiwi").split("먼저 불러온다")
    with within(2):
        found = splitter_for("ko", "kiwi").split(text)
    assert found == splitter_for("ko", "rule").split(text)


def test_the_blocks_of_a_page_share_the_characters_that_the_model_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("kiwipiepy")
    text = "이 집은 빵이 정말 맛있어 우리 다음에 또 가자"
    blocks = [f"{text} {number}." for number in range(9)]
    body = "".join(f"<p>{block}</p>" for block in blocks)
    page = Page.from_text("https://news.example/", f"<html lang=ko><body>{body}</body>")
    monkeypatch.setattr("crawler.journey.stages.MODEL_CHARS", 4 * len(blocks[0]))
    settings = Settings({"CORPUS_TEXT_METHOD": "density"})
    item = item_of(page, Options.from_settings(settings))
    numbers = [*Counter(each["block"] for each in item.sentences or ()).values()]
    assert numbers[:5] == [2, 2, 2, 2, 1]
    assert {*numbers[4:]} == {1}


def test_without_the_model_korean_is_split_by_rule() -> None:
    program = """
import sys
sys.modules["kiwipiepy"] = None  # what Python itself takes for "not installed"
from crawler.core.errors import UnknownMethodError
from crawler.core.sentences import split, splitter_for
assert splitter_for("ko").name == "rule"
print(len(split("빵이 맛있어요 또 올게요", "ko")))
try:
    splitter_for("ko", "kiwi")
except UnknownMethodError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, timeout=60
    )
    count, complaint = done.stdout.decode("utf-8").splitlines()
    assert count == "2"
    assert "scrapy-corpus[korean]" in complaint


def test_importing_does_not_load_the_model() -> None:
    program = (
        "import sys; from crawler.core.sentences import split; split('One. Two.', 'en'); "
        "sys.exit('kiwipiepy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)


@pytest.mark.parametrize("language", ["ko", "ja", "zh", "ru", "el", "hy", "am", "my", "th"])
def test_the_script_tells_the_language(language: str) -> None:
    assert {guess_language(case) for case in CASES[language]} == {language}


def test_a_few_foreign_letters_do_not_tell_the_language() -> None:
    assert guess_language("The word 빵 is Korean and means bread, the letter π is Greek.") == ""
    assert guess_language("삼성전자 Samsung Electronics 주가") == "ko"
    assert guess_language("2024 — 3.5 %") == ""


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("ko-KR", "ko"),
        ("ko_KR", "ko"),
        ("KO", "ko"),
        ("zh-Hant-TW", "zh"),
        ("Korean", "ko"),
        ("deutsch", "de"),
        ("English", "en"),
        ("gsw", "gsw"),
        ("klingonian", ""),
        ("", ""),
        ("한국어", ""),
    ],
)
def test_tags_and_names(name: str, tag: str) -> None:
    assert primary_language(name) == tag


def test_an_unknown_language_is_guessed() -> None:
    text = "빵이 맛있어요 또 올게요"
    assert texts(split(text, "x-none")) == texts(split(text)) == ["빵이 맛있어요", "또 올게요"]


def test_offsets_are_code_points_of_the_source() -> None:
    text = "  Good 😀 bread. \n\n\tNext one.  "
    assert split(text, "en") == (
        Sentence("Good 😀 bread.", 2, 15),
        Sentence("Next one.", 19, 28),
    )


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u3000\t"])
def test_white_space_has_no_sentences(text: str) -> None:
    assert split(text) == ()
    assert ended_sentences(text) == ()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One line\ngoes on here.", 1),
        ("One line\r\ngoes on here.", 1),
        ("One line\nGoes not.", 2),
        ("One line\n\ngoes not.", 2),
        ("One line.\ngoes not.", 2),
        ("Things to buy:\ntea", 2),
        ("한 줄\n두 줄", 2),
    ],
)
def test_line_breaks(text: str, count: int) -> None:
    assert len(split(text)) == count


def test_marks_without_words_join_their_neighbour() -> None:
    assert texts(split("... And so on. !!! *** ", "en")) == ["... And so on. !!! ***"]
    assert texts(split("!!!", "en")) == ["!!!"]


@pytest.mark.parametrize("mark", ['"', "'", "`", "(", "[", "“", "«", "「", "<", "„"])
def test_an_unpaired_mark_hides_nothing(mark: str) -> None:
    text = f"It {mark}rained. " + "We went home. " * 60
    assert len(split(text, "en")) == 61


def test_long_quotations_are_split_and_short_ones_are_whole() -> None:
    assert len(split('He said, "Go. Now." We went.', "en")) == 2
    long = "It was a long and very cold winter for all of us in the north. " * 3
    assert len(split(f'He said, "{long.strip()}" We went.', "en")) == 4


def test_the_paper_knows_three_marks_and_no_abbreviations() -> None:
    text = "Dr. Stone came! Did he stay?\nNo.1 was 3.5 high and"
    assert texts(ended_sentences(text)) == ["Dr.", "Stone came!", "Did he stay?"]
    assert texts(ended_sentences("그는 왔다. 끝")) == ["그는 왔다."]
    assert texts(ended_sentences("Wait... what?! Yes.")) == ["Wait...", "what?!", "Yes."]
    assert ended_sentences("Menu") == ()
    assert ended_sentences("今日は晴れです。") == ()


def test_the_paper_as_a_splitter_keeps_the_rest() -> None:
    found = splitter_for("en", "paper").split("One. Two")
    assert found == (Sentence("One.", 0, 4), Sentence("Two", 5, 8))


def test_the_bare_library_is_there_to_compare_with() -> None:
    assert texts(splitter_for("en", "sentencex").split(" One.  Two. ")) == ["One.", "Two."]


def test_unknown_ways_to_split() -> None:
    with pytest.raises(UnknownMethodError, match="use one of: default, rule, kiwi, sentencex"):
        splitter_for("en", "magic")
    assert splitting_names()[0] == "default"


def test_a_failing_library_ends_no_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def fail(*_: object) -> None:
        raise PanicException

    monkeypatch.setattr("crawler.core.sentences.sentence.get_sentence_boundaries", fail)
    assert sentencex_ends("One. Two", "en") == [5, 8]


def test_spaces_of_several_bytes_do_not_break_the_library() -> None:
    text = "Ask\u2028J. Miller.\xa0A. Stone knows.\u3000Z. B. too."
    for method in splitting_names():
        assert "".join("".join(texts(splitter_for("en", method).split(text))).split()) == "".join(
            text.split()
        )


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("비가 온다. 그래서 걸었다.", "en", "ko"),
        ("비가 온다.", None, "ko"),
        ("Es regnet.", "de-AT", "de"),
        ("Es regnet.", None, ""),
        ("It rains.", "ko", "ko"),
        ("Дощ іде.", "uk", "uk"),
        ("Дощ іде.", "en", "ru"),
        ("باران می‌آید.", "fa-IR", "fa"),
        ("Βρέχει.", "el", "el"),
        ("雨が降る。", "zh", "ja"),
        ("", "pl", "pl"),
        ("12 34", "x", ""),
    ],
)
def test_the_script_goes_before_the_declaration(
    text: str, declared: str | None, language: str
) -> None:
    assert language_of(text, declared) == language
