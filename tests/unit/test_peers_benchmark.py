from __future__ import annotations

import runpy
import sys

import pytest

from support.crawling import ROOT

PEERS = runpy.run_path(str(ROOT / "benchmarks" / "peers.py"))

ECHO = """
import json, sys
print(json.dumps({"version": "1.0"}), flush=True)
for line in sys.stdin:
    page = json.loads(line)
    if page["html"] == "die":
        sys.exit(1)
    print(json.dumps({"text": page["html"].upper()}), flush=True)
"""


def test_a_program_that_dies_loses_one_page() -> None:
    worker = PEERS["Worker"]((sys.executable, "-S", "-c", ECHO))
    pages = [{"html": text, "url": ""} for text in ("a", "die", "b")]
    answers = [worker.ask(page) for page in pages]
    worker.stop()
    assert [answer.get("text") for answer in answers] == ["A", None, "B"]
    assert "error" in answers[1]
    assert worker.version == "1.0"


def test_answers_in_html_are_read_as_text() -> None:
    assert PEERS["text_of"]("<div><p>One.</p><p>T<b>w</b>o.</p></div>").split() == ["One.", "Two."]
    assert PEERS["text_of"](" ") == ""


def test_a_row_for_each_program_and_a_column_for_each_kind() -> None:
    word = {"precision": 0.5, "recall": 1.0, "f1": 2 / 3}
    own = {"word": word, "rouge5": word, "site_mean_f1": 0.25, "failed": 1}
    table = list(PEERS["lines"]("set", {"one 1.0": {**own, "per_kind": {"forum": word}}}))
    assert table[0].split(" | ")[-1] == "forum |"
    assert table[2] == "| one 1.0 | 0.667 | 0.500 | 1.000 | 0.250 | 0.667 | 1 | 0.667 |"


@pytest.mark.parametrize("name", ["peer_worker.py", "peer_worker.mjs"])
def test_the_other_sides_are_there(name: str) -> None:
    assert (ROOT / "benchmarks" / name).is_file()
