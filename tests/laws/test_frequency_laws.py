"""What holds of counting and folding whatever the pages are, and in whatever order they came."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.core.frequency import Observation, SiteCounts, SiteView
from crawler.store.counts import CountStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Some weights fall below what makes a page worth comparing, some are the largest there are.
WEIGHTS = st.sampled_from([0, 1, 30, 400, 65_535])
FEW_KEYS = st.integers(0, 11)
ANY_KEY = st.integers(0, 2**64 - 1)
BLOCKS = st.dictionaries(FEW_KEYS | ANY_KEY, WEIGHTS, max_size=8)
ADDRESSES = st.text("abAÉ가\n\0 /%\ud800", max_size=3)


def observation(url: str, blocks: Mapping[int, int]) -> Observation:
    keys = sorted(blocks)
    return Observation(
        url=url,
        keys=np.array(keys, dtype=np.uint64),
        weights=np.array([blocks[key] for key in keys], dtype=np.uint16),
    )


PAGES = st.lists(st.builds(observation, ADDRESSES, BLOCKS), max_size=12)


def counted(pages: Iterable[Observation]) -> SiteCounts:
    counts = SiteCounts()
    for page in pages:
        counts.add(page)
    return counts


def shown(view: SiteView) -> dict[str, Any]:
    """Everything a view says, in a form that compares."""
    return {
        "pages_seen": view.pages_seen,
        "pages": view.pages,
        "snapshot": view.snapshot,
        "keys": view.keys.tolist(),
        "frequencies": view.frequencies.tolist(),
        "text_frequencies": view.text_frequencies.tolist(),
        "duplicate_of": dict(view.duplicate_of),
    }


def joined(pages: Iterable[Observation]) -> dict[str, dict[int, int]]:
    """Each address with all its blocks, of the largest weight seen."""
    known: dict[str, dict[int, int]] = defaultdict(dict)
    for page in pages:
        blocks = known[page.url]
        for key, weight in zip(page.keys.tolist(), page.weights.tolist(), strict=True):
            blocks[key] = max(weight, blocks.get(key, 0))
    return known


def groups_of(pages: Iterable[Observation], view: SiteView) -> dict[str, list[str]]:
    """Each standing page with the pages it stands for, itself among them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for url in joined(pages):
        groups[view.duplicate_of.get(url, url)].append(url)
    return groups


@given(pages=PAGES, data=st.data())
def test_neither_order_nor_parts_matter(pages: list[Observation], data: st.DataObject) -> None:
    whole = shown(counted(pages).view())
    shuffled = data.draw(st.permutations(pages))
    places = data.draw(
        st.lists(st.integers(0, 3), min_size=len(shuffled), max_size=len(shuffled)),
    )
    parts = [SiteCounts() for _ in range(4)]
    for page, place in zip(shuffled, places, strict=True):
        parts[place].add(page)
    merged = SiteCounts()
    for part in data.draw(st.permutations(parts)):
        merged.merge(part)
    assert shown(merged.view()) == whole


@given(pages=PAGES)
def test_a_page_added_again_counts_once(pages: list[Observation]) -> None:
    counts = counted(pages)
    once = shown(counts.view())
    counts.merge(counted(pages))
    assert shown(counts.view()) == once


@given(pages=PAGES, similarity=st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.1]))
def test_frequencies_are_a_plain_count_over_groups(
    pages: list[Observation], similarity: float
) -> None:
    view = counted(pages).view(similarity)
    known = joined(pages)
    anyhow: dict[int, set[str]] = defaultdict(set)
    as_text: dict[int, set[str]] = defaultdict(set)
    for url, blocks in known.items():
        for key, weight in blocks.items():
            standing = view.duplicate_of.get(url, url)
            anyhow[key].add(standing)
            if weight:
                as_text[key].add(standing)
    keys = sorted(anyhow)
    assert view.keys.tolist() == keys
    assert view.page_frequencies(keys) == [len(anyhow[key]) for key in keys]
    assert view.page_text_frequencies(keys) == [len(as_text[key]) for key in keys]
    assert all(0 < frequency <= view.pages for frequency in view.frequencies.tolist())
    absent = [key for key in (0, 5, 12, 2**64 - 1) if key not in anyhow]
    assert view.page_frequencies(absent) == [0] * len(absent)
    assert view.is_known == bool(pages)


@given(pages=PAGES, similarity=st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.1]))
def test_groups_part_the_pages_and_the_shortest_address_stands_for_each(
    pages: list[Observation], similarity: float
) -> None:
    view = counted(pages).view(similarity)
    groups = groups_of(pages, view)
    assert len(groups) == view.pages
    assert view.pages_seen == len(joined(pages)) == sum(map(len, groups.values()))
    for standing, urls in groups.items():
        assert standing == min(urls, key=lambda url: (len(url), url))
    if similarity > 1:
        assert not view.duplicate_of


@given(pages=PAGES, copies=st.sets(ADDRESSES, min_size=2, max_size=4))
def test_exact_copies_are_one_page(pages: list[Observation], copies: set[str]) -> None:
    # The blocks of their own weigh enough whatever the other pages are.
    blocks = {2**63 + number: 500 for number in range(3)} | {1: 30, 2: 0}
    others = [page for page in pages if page.url not in copies]
    view = counted([*others, *(observation(url, blocks) for url in copies)]).view()
    assert len({view.duplicate_of.get(url, url) for url in copies}) == 1


@given(quoted_by=st.lists(st.sets(st.integers(0, 9), min_size=3, max_size=6), min_size=4))
def test_exact_copies_find_each_other_past_the_pages_that_quote_them(
    quoted_by: list[set[int]],
) -> None:
    whole = dict.fromkeys(range(len(quoted_by)), 4000)
    quotes = [
        observation(f"q{number}", {key: 4000 for key in whole if number in quoted_by[key]})
        for number in range(10)
    ]
    # By their addresses all the quoting pages stand between the two copies.
    pages = [observation("a", whole), *quotes, observation("zzzz", whole)]
    view = counted(pages).view(similarity=1.0)
    assert view.duplicate_of["zzzz"] == "a"


@given(pages=PAGES, alone=st.dictionaries(st.integers(12, 40), WEIGHTS, max_size=8))
def test_a_page_that_shares_no_block_is_no_duplicate(
    pages: list[Observation], alone: dict[int, int]
) -> None:
    others = [
        page
        for page in pages
        if page.url != "alone" and alone.keys().isdisjoint(page.keys.tolist())
    ]
    for similarity in (0.0, 0.7):
        view = counted([*others, observation("alone", alone)]).view(similarity)
        assert "alone" not in view.duplicate_of
        assert "alone" not in view.duplicate_of.values()


@given(pages=PAGES, site=ADDRESSES | st.sampled_from(["..", "CON", "nul.example", "a" * 400]))
@settings(max_examples=40)
def test_counts_come_back_from_disk_as_they_were(pages: list[Observation], site: str) -> None:
    counts = counted(pages)
    with tempfile.TemporaryDirectory() as folder:
        store = CountStore(Path(folder, "counts"))
        store.save(site, "first", counts)
        loaded = store.load(site)
    assert shown(loaded.view()) == shown(counts.view())
    assert by_address(loaded) == by_address(counts)


@given(crawls=st.lists(PAGES, min_size=1, max_size=4))
@settings(max_examples=30)
def test_several_crawls_load_as_their_merge(crawls: Sequence[list[Observation]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = CountStore(Path(folder))
        merged = SiteCounts()
        for number, pages in enumerate(crawls):
            store.save("blog.example", f"crawl {number}", counted(pages))
            merged.merge(counted(pages))
        loaded = store.load("blog.example")
    assert by_address(loaded) == by_address(merged)
    assert shown(loaded.view()) == shown(merged.view())


def by_address(counts: SiteCounts) -> dict[str, tuple[list[int], list[int]]]:
    return {page.url: (page.keys.tolist(), page.weights.tolist()) for page in counts.observations()}
