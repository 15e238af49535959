from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import UnknownMethodError, UnreadableInputError
from crawler.evaluation.command import TASKS, get_task
from crawler.evaluation.sentences import boundaries
from crawler.evaluation.task import Job
from support.running import ROOT, run_scrapy

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.evaluation.task import Report

WHOLE = {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def row(text: str, *sentences: str, lang: str | None = "en") -> dict[str, Any]:
    return {"text": text, "sentences": list(sentences), "lang": lang}


def measure(
    tmp_path: Path, *rows: object, method: str = "rule", limit: int | None = None
) -> Report:
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return get_task("sentences").run(Job(gold=(gold,), method=method, limit=limit))


def test_boundaries_are_micro_averaged(tmp_path: Path) -> None:
    report = measure(
        tmp_path,
        row("One. Two. Three.", "One.", "Two. Three."),  # 2 found, 1 wanted, 1 right
        row("Bei ca. 3 Grad.", "Bei ca.", "3 Grad.", lang="deutsch"),  # none found
    )
    assert (report.pages, report.unit) == (2, "text")
    assert report.sites is None
    figures = report.figures
    assert (figures["precision"], figures["recall"], figures["f1"]) == (1 / 2, 1 / 2, 1 / 2)
    assert figures["per_language"] == {
        "deutsch": {"texts": 1, "splitter": "rule", "precision": 0, "recall": 0, "f1": 0},
        "en": {"texts": 1, "splitter": "rule", "precision": 1 / 2, "recall": 1, "f1": 2 / 3},
    }
    assert figures["skipped"] == {}


def test_a_text_left_whole_that_is_one_sentence_is_right(tmp_path: Path) -> None:
    figures = measure(tmp_path, row("Mr. Stone came.", "Mr. Stone came.")).figures
    assert {key: figures[key] for key in WHOLE} == WHOLE


def test_gold_may_differ_in_white_space_alone(tmp_path: Path) -> None:
    same = row("One  fine day.\nTwo.", "One fine\tday. ", "", "Two.")
    figures = measure(tmp_path, same, row("One. Two.", "One.", "2.")).figures
    assert figures["skipped"] == {"gold-differs": 1}
    assert figures["per_language"]["en"] == {"texts": 1, "splitter": "rule", **WHOLE}


def test_gold_that_no_text_is_made_of_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="must hold all of 'text'"):
        measure(tmp_path, row("One. Two.", "One."))


def test_a_text_that_differs_from_its_gold_is_left_out_and_counted(tmp_path: Path) -> None:
    report = measure(tmp_path, row("One. Two.", "One."), row("Three.", "Three."))
    assert report.pages == 1
    assert report.figures["skipped"] == {"gold-differs": 1}


@pytest.mark.parametrize("lang", ["ko", "ko-KR", "korean", None, ""])
def test_the_language_is_named_or_guessed(tmp_path: Path, lang: str | None) -> None:
    text = row("빵이 맛있어요 또 올게요", "빵이 맛있어요", "또 올게요", lang=lang)
    figures = measure(tmp_path, text).figures
    assert figures["per_language"] == {lang or "unknown": {"texts": 1, "splitter": "rule", **WHOLE}}


def test_ways_to_split_differ(tmp_path: Path) -> None:
    text = row("Dr. Stone came. He left.", "Dr. Stone came.", "He left.")
    f1 = {
        method: measure(tmp_path, text, method=method).figures["f1"]
        for method in ("default", "rule", "sentencex", "paper")
    }
    assert f1 == {"default": 1, "rule": 1, "sentencex": 1, "paper": 2 / 3}


def test_limit_counts_texts(tmp_path: Path) -> None:
    text = row("One. Two.", "One.", "Two.")
    assert measure(tmp_path, text, text, {"no": "text"}, limit=2).pages == 2


def test_boundaries_count_characters_that_are_no_white_space() -> None:
    assert boundaries(["A b.", " ", "C\u3000d.", "E."]) == {3, 6}
    assert boundaries([]) == boundaries(["All of it."]) == set()


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"sentences": []}, "no 'text'; every line needs text and sentences"),
        ({"text": ""}, "no 'sentences'"),
        ({"text": 1, "sentences": []}, "'text' must be a string, not a number"),
        ({"text": "", "sentences": "One."}, "'sentences' must be a list, not a string"),
        ({"text": "", "sentences": [None]}, "'sentences' must hold strings, not null"),
        ({"text": "", "sentences": [], "lang": 1}, "'lang' must be a string, not a number"),
        ([], "a list where an object with text and sentences belongs"),
    ],
)
def test_a_line_that_is_no_gold_text(tmp_path: Path, bad: object, says: str) -> None:
    with pytest.raises(UnreadableInputError, match="line 1") as caught:
        measure(tmp_path, bad)
    assert says in str(caught.value)


def test_no_texts_and_no_such_method(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="no gold texts"):
        measure(tmp_path)
    with pytest.raises(UnknownMethodError, match="'magic'"):
        measure(tmp_path, method="magic")


def test_the_command(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl.gz"
    lines = [row("One. Two.", "One.", "Two."), row("Eins. Zwei.", "Eins.", "Zwei.", lang="de")]
    gold.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    folder = tmp_path / "anywhere"
    folder.mkdir()
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def evaluate(*options: str) -> tuple[int, str, str]:
        return run_scrapy(["evaluate", "sentences", str(gold), *options], folder, env, [str(ROOT)])

    code, out, _ = evaluate("--json", "-")
    assert code == 0
    figures = json.loads(out)
    assert list(figures) == [
        "task", "method", "texts", "seconds", "texts_per_second", "precision", "recall", "f1",
        "per_language", "skipped",
    ]  # fmt: skip
    assert (figures["task"], figures["method"], figures["texts"]) == ("sentences", "default", 2)
    assert {key: figures[key] for key in WHOLE} == WHOLE
    code, table, _ = evaluate("--method", "rule")
    assert code == 0
    assert table.startswith("task sentences, method rule, texts 2, ")
    assert "sites" not in table
    code, _, error = evaluate("--method", "magic")
    assert (code, error.count("\n")) == (2, 1)


def test_the_task_is_known() -> None:
    assert "sentences" in TASKS
