from __future__ import annotations

import json
import random
import runpy
from typing import Any

import numpy as np
import pytest

from crawler.core.flow import Page, read
from support.crawling import ROOT

TRAINING = ROOT / "benchmarks" / "training"


@pytest.fixture
def block_labels(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(TRAINING))
    return runpy.run_path(str(TRAINING / "block_labels.py"))


def test_labels_of_blocks_follow_the_convention_of_gold_text(block_labels: dict[str, Any]) -> None:
    line = {"kind": "article", "blocks": 10, "labels": "T1 B2 S3 M4-6 X7 E8 Q9"}
    labels = block_labels["Reading"](line).labels()
    assert labels.main.tolist() == [False] * 3 + [True] * 4 + [False] * 3
    assert labels.weights.tolist() == [1] * 7 + [0, 0, 1]


@pytest.mark.parametrize(
    ("kind", "main", "certain"), [("forum", [0, 1, 1], [1, 1, 1]), ("list", [0, 1, 0], [0, 1, 1])]
)
def test_posts_of_a_forum_are_main_text_and_headlines_of_a_list_are_left_open(
    block_labels: dict[str, Any], kind: str, main: list[int], certain: list[int]
) -> None:
    line = {"kind": kind, "blocks": 3, "labels": "T0 M1 Q2"}
    labels = block_labels["Reading"](line).labels()
    assert labels.main.astype(int).tolist() == main
    assert labels.weights.tolist() == certain


def test_every_label_names_a_block_of_its_page(block_labels: dict[str, Any]) -> None:
    lines = (TRAINING / "article_blocks.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = block_labels["read_labels"]()
    assert len(found) == len(rows)
    for reading in found.values():
        assert max(reading.classes) < reading.blocks
        assert reading.labels().main.any()
    assert {key for row in rows for key in row} == {"set", "id", "kind", "blocks", "labels"}


def test_variants_are_parts_of_a_page_with_its_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TRAINING))
    variants = runpy.run_path(str(TRAINING / "variants.py"))["variants"]
    # Deeper than Python calls.
    deep = "<div class=deep>" * 1500
    text = "".join(
        f"<p class=text>Paragraph <strong class=loud>{number}</strong> of it" for number in range(9)
    )
    html = f"<ul class=menu><li>Home<li>News</ul><article>{text}</article>{deep}<p>The end"
    document = read(Page.from_text("https://a.example/", html))
    main = np.array([block.tag == "p" for block in document.blocks])
    sizes = np.full(len(main), 4.0)
    *named, unnamed = variants(document, main, sizes, random.Random(2))
    for variant, numbers in (*named, unnamed):
        assert [block.text for block in variant.blocks] == [
            document.blocks[number].text for number in numbers.tolist()
        ]
        assert [block.index for block in variant.blocks] == list(range(len(numbers)))
        assert main[numbers].any()
    assert all(len(numbers) < len(main) for _, numbers in named)
    blocks = unnamed[0].blocks
    assert {block.holder.names for block in blocks if block.holder} == {""}
    assert "strong" in " ".join(block.inner for block in blocks)
    assert "loud" not in " ".join(block.inner for block in blocks)
    again = list(variants(document, main, sizes, random.Random(2)))
    assert [numbers.tolist() for _, numbers in again] == [
        numbers.tolist() for _, numbers in (*named, unnamed)
    ]
