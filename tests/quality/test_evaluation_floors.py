from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from crawler.core.flow import DEFAULT_METHOD
from crawler.evaluation.command import get_task
from crawler.evaluation.task import Job

HERE = Path(__file__).parent
FLOORS = HERE / "floors.json"
SLACK = 0.01


def measure(folder: Path) -> dict[str, float]:
    gold = folder / "made.jsonl"
    spec = importlib.util.spec_from_file_location("made_corpus", HERE / "made_corpus.py")
    assert spec is not None
    assert spec.loader is not None
    made_corpus = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made_corpus
    spec.loader.exec_module(made_corpus)
    corpus = made_corpus.write_corpus(gold)
    report = get_task("text").run(Job(gold=(gold,), method=DEFAULT_METHOD))
    assert (report.pages, report.sites) == (corpus.pages, corpus.sites)
    assert report.figures["skipped"] == {}
    return {
        "site_mean_f1": report.figures["site_mean_f1"],
        "shingle4_f1": report.figures["shingle4"]["f1"],
    }


def test_no_figure_falls_below_its_floor(tmp_path: Path) -> None:
    floors = json.loads(FLOORS.read_text(encoding="utf-8"))["text"]
    figures = measure(tmp_path)
    assert figures.keys() == floors.keys()
    fallen = [
        f"{name}: {figures[name]:.4f} is below its floor {floor}"
        for name, floor in floors.items()
        if figures[name] < floor
    ]
    if fallen:
        pytest.fail("quality fell; floors never go down:\n" + "\n".join(fallen))
    risen = {
        name: int(figures[name] * 1000) / 1000
        for name, floor in floors.items()
        if figures[name] > floor + SLACK
    }
    if risen:
        pytest.fail(
            f"better than the floors by more than {SLACK}: hold the gain by writing these into "
            f"{FLOORS.name}:\n" + json.dumps(risen, indent=2)
        )


def test_the_corpus_is_the_same_every_time(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    first.mkdir()
    second.mkdir()
    assert measure(first) == measure(second)
    assert (first / "made.jsonl").read_bytes() == (second / "made.jsonl").read_bytes()
