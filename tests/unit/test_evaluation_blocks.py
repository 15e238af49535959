"""Blocks as the unit of measuring, and a collection of sites that is counted as one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from crawler.evaluation.blocks import main_blocks
from crawler.evaluation.command import get_task
from crawler.evaluation.task import Job

if TYPE_CHECKING:
    from pathlib import Path


def found(blocks: str, gold: str) -> list[str]:
    cut = [block.split() for block in blocks.split("|")]
    main = main_blocks(cut, gold.split())
    return [" ".join(block) for number, block in enumerate(cut) if number in main]


@pytest.mark.parametrize(
    ("blocks", "gold", "main"),
    [
        ("home|a b c|d e|share", "a b c d e", ["a b c", "d e"]),
        # A word that the article has too, before and behind it.
        ("b|a b c|d e|b", "a b c d e", ["a b c", "d e"]),
        # A node within a sentence, and one at its end.
        ("a|b|c d|e", "a b c d e", ["a", "b", "c d", "e"]),
        # Half of a block is no block; words in another order are others.
        ("a b c|d x|b a", "a b c d", ["a b c"]),
        # Twice on the page, once in the gold: one of them. Twice in both: both.
        ("a b|a b|c", "a b c", ["a b", "c"]),
        ("a b|c|a b", "a b c a b", ["a b", "c", "a b"]),
        # The longer side of what cannot be in order.
        ("d e f|a b", "a b c d e f", ["d e f"]),
        ("a||", "", []),
        ("|", "a", []),
    ],
)
def test_the_blocks_of_the_gold_text(blocks: str, gold: str, main: list[str]) -> None:
    assert found(blocks, gold) == main


OWN = ("Apples fell all night.", "Boats lay in the yard.", "Clocks struck seven.")


def measured(tmp_path: Path, **options: Any) -> Any:  # noqa: ANN401 - JSON values
    """Measure on two pages of one site and one of another, all with the same frame."""
    frame = "<a href=/>Home</a><p>Menu</p><p>{}</p><p>Contact us</p><p>Contact us</p>"
    rows = [
        {"site": site, "html": frame.format(own), "gold_text": own + more}
        for own, site, more in zip(OWN, ("a", "a", "b"), ("", "", " Contact us"), strict=True)
    ]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return get_task("text").run(Job((gold,), "frequency", **options)).figures


def test_blocks_right_and_wrong(tmp_path: Path) -> None:
    # Links are removed before blocks are counted. Site a has frequencies 1, 2 and 4, of which the
    # two highest are dropped; site b has 1 and 2, too few to drop one: all its 4 blocks are kept.
    assert measured(tmp_path, with_blocks=True)["block"] == {
        "blocks": 12,
        "precision": 4 / 6,
        "recall": 1.0,
        "f1": 0.8,
        "accuracy": 10 / 12,
        "confusion": {"tp": 4, "fp": 2, "fn": 0, "tn": 6},
    }
    assert "block" not in measured(tmp_path)


def test_a_collection_is_counted_as_one(tmp_path: Path) -> None:
    # Frequencies 1, 3 and 6: of each page its own text alone is left.
    figures = measured(tmp_path, with_blocks=True, one_collection=True)
    assert figures["block"]["confusion"] == {"tp": 3, "fp": 0, "fn": 1, "tn": 8}
    assert figures["block"]["accuracy"] == 11 / 12
    assert {name: each["pages"] for name, each in figures["per_site"].items()} == {"a": 2, "b": 1}
