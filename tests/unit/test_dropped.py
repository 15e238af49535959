"""The blocks dropped most often: the right ten, whatever came and in whatever order."""

from __future__ import annotations

import random

from crawler.core.flow import Annotation, Page, read
from crawler.core.methods import Label
from crawler.core.page.blocks import Block
from crawler.journey.main_text import BoilerplateStats


def annotation(*blocks: tuple[int, str, str, int], site: str = "s.example") -> Annotation:
    """Annotate a page of blocks given as key, text, reason and frequency."""
    page = Page(f"https://{site}/", b"<p>x</p>")
    return Annotation(
        document=read(page),
        blocks=tuple(
            Block(index, text, "p", "html/body/p", key, len(text), 0)
            for index, (key, text, _, _) in enumerate(blocks)
        ),
        labels=tuple(
            Label(kept=reason == "text", reason=reason, frequency=frequency)
            for _, _, reason, frequency in blocks
        ),
        duplicate_of=None,
    )


def test_of_nothing_nothing_is_most_frequent() -> None:
    assert BoilerplateStats().most_frequent() == []


def test_only_what_recurs_is_shown_most_pages_first_each_once() -> None:
    dropped = BoilerplateStats()
    page = annotation(
        (1, "rights reserved", "frequent", 9),
        (2, "home", "links", 30),
        (3, "an article", "text", 1),
        (4, "subscribe", "frequent", 20),
        (4, "subscribe", "frequent", 20),
    )
    for _ in range(3):
        dropped.add(page)
    assert dropped.most_frequent() == [
        {"text": "subscribe", "pages": 20},
        {"text": "rights reserved", "pages": 9},
    ]
    assert dropped.most_frequent(1) == [{"text": "subscribe", "pages": 20}]


def test_the_same_block_on_two_sites_is_two() -> None:
    dropped = BoilerplateStats()
    dropped.add(annotation((1, "legal", "frequent", 5)))
    dropped.add(annotation((1, "legal", "frequent", 7), site="t.example"))
    assert [entry["pages"] for entry in dropped.most_frequent()] == [7, 5]


def test_long_texts_are_cut() -> None:
    dropped = BoilerplateStats()
    dropped.add(annotation((1, "word " * 1000, "frequent", 5)))
    assert len(dropped.most_frequent()[0]["text"]) == 200


def test_neither_numbers_nor_order_change_the_ten() -> None:
    blocks = [(key, f"block {key:05}", "frequent", 2 + key % 40) for key in range(5000)]
    blocks += [(key + 9000, f"block {key:05}!", "frequent", 2) for key in range(2000)]
    right = sorted(((-pages, text) for _, text, _, pages in blocks))[:10]
    for seed in range(4):
        random.Random(seed).shuffle(blocks)
        dropped = BoilerplateStats()
        for start in range(0, len(blocks), 50):
            dropped.add(annotation(*blocks[start : start + 50]))
        found = [(-entry["pages"], entry["text"]) for entry in dropped.most_frequent()]
        assert found == right
        assert len(dropped._best) <= 450


def test_of_several_ways_to_write_a_block_one_is_shown_in_any_order() -> None:
    ways = ["Comments (3)", "Comments (12)", "COMMENTS (7)"]
    shown = set()
    for order in (ways, ways[::-1], ways[1:] + ways[:1]):
        dropped = BoilerplateStats()
        for text in order:
            dropped.add(annotation((1, text, "frequent", 3)))
        shown.add(dropped.most_frequent()[0]["text"])
    assert len(shown) == 1
