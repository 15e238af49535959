"""Near-duplicates: which pages are one, and which only look alike."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from crawler.core.counting.arrays import ArraySpace
from crawler.core.counting.site_counts import Observation, SiteCounts
from crawler.store.spill_arrays import DiskSpace


def groups(*pages: dict[int, int], similarity: float = 0.7) -> list[int]:
    """Group pages given as block keys with their weights; each is named by its group's first."""
    spaces: list[ArraySpace] = [
        ArraySpace(),
        ArraySpace(batch=2),
        DiskSpace(Path(tempfile.gettempdir()), memory=50, batch=7),
    ]
    found, *others = (_groups(pages, similarity, space) for space in spaces)
    assert all(other == found for other in others)
    return found


def _groups(pages: tuple[dict[int, int], ...], similarity: float, space: ArraySpace) -> list[int]:
    counts = SiteCounts(space)
    urls = [f"{number:04}" for number in range(len(pages))]
    for url, page in reversed(list(zip(urls, pages, strict=True))):
        keys = sorted(page)
        weights = np.array([page[key] for key in keys], dtype=np.uint16)
        counts.add(Observation(url, np.array(keys, dtype=np.uint64), weights))
    view = counts.view(similarity)
    return [int(view.duplicate_of.get(url, url)) for url in urls]


def text(*keys: int, weight: int = 200) -> dict[int, int]:
    return dict.fromkeys(keys, weight)


FRAME = text(1000, 1001, 1002, weight=400)


def test_no_page_one_page_and_pages_without_blocks() -> None:
    assert groups() == []
    assert groups(text(1, 2)) == [0]
    assert groups({}, {}, {}) == [0, 1, 2]
    assert groups({}, text(1)) == [0, 1]


def test_a_frame_shared_by_all_pages_makes_none_a_duplicate() -> None:
    pages = [FRAME | text(number) for number in range(8)]
    assert groups(*pages) == list(range(8))


def test_a_copy_with_some_blocks_of_its_own_is_a_duplicate() -> None:
    article = text(1, 2, 3, 4, 5)
    others = [FRAME | text(number) for number in range(20, 30)]
    assert groups(FRAME | article, FRAME | article | text(9, weight=60), *others)[:2] == [0, 0]


def test_a_page_that_quotes_half_of_another_is_not() -> None:
    others = [FRAME | text(number) for number in range(20, 30)]
    pages = [FRAME | text(1, 2, 3, 4), FRAME | text(3, 4, 5, 6), *others]
    assert groups(*pages) == list(range(12))


def test_the_similarity_asked_for_decides() -> None:
    pages = [text(1, 2, 3, 4), text(2, 3, 4, 5)]
    assert groups(*pages, similarity=0.2) == [0, 0]
    assert groups(*pages, similarity=0.95) == [0, 1]
    assert groups(text(1, 2), text(1, 2), similarity=1.0) == [0, 0]
    assert groups(text(1, 2), text(1, 2), similarity=1.01) == [0, 1]


def test_pages_of_little_text_are_told_apart_by_chance_only() -> None:
    login = text(1, 2, weight=20)
    assert groups(login, login, text(5), text(6)) == [0, 1, 2, 3]


def test_links_are_no_content() -> None:
    index = dict.fromkeys(range(50), 0)
    assert groups(index, index) == [0, 1]
    assert groups(index | text(100), index | text(101)) == [0, 1]


def test_many_copies_are_one_group_named_by_the_first() -> None:
    copies = [text(1, 2, 3)] * 6
    between = [text(10 + number, 30 + number) for number in range(5)]
    mixed = [page for pair in zip(copies, [*between, {}], strict=True) for page in pair]
    assert groups(*mixed) == [0, 1, 0, 3, 0, 5, 0, 7, 0, 9, 0, 11]


def test_the_heaviest_weights_do_not_overflow() -> None:
    heavy = text(*range(2000), weight=65_535)
    assert groups(heavy, heavy, text(9000)) == [0, 0, 2]


@pytest.mark.parametrize("keys", [(0, 2**64 - 1), (2**63, 2**63 + 1)])
def test_keys_over_the_whole_range(keys: tuple[int, int]) -> None:
    assert groups(text(*keys), text(5), text(*keys)) == [0, 1, 0]


def test_exact_copies_meet_past_pages_that_quote_every_block_of_them() -> None:
    article = text(1, 2, 3, 4)
    quoting = [text(n % 4 + 1, (n + 1) % 4 + 1) | text(50 + n, weight=4000) for n in range(12)]
    found = groups(article, *quoting, article)
    assert found[-1] == 0
    assert found[1:-1] == list(range(1, 13))
