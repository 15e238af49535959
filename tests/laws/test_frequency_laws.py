"""What holds of counting and folding whatever the pages are, in whatever order they came, and
whether they are kept in memory or on disk."""

from __future__ import annotations

import math
import tempfile
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.counting.arrays import ArraySpace
from crawler.core.counting.site_counts import KeyCounts, Observation, SiteCounts, SiteView
from crawler.core.errors import StoreError
from crawler.store.counts import CountStore
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Some weights fall below what makes a page worth comparing, some are the largest there are.
WEIGHTS = st.sampled_from([0, 1, 30, 400, 65_535])
# Keys that begin with the same bits, and keys that all begin with others.
FEW_KEYS = st.integers(0, 11) | st.integers(0, 11).map(lambda number: number << 60)
ANY_KEY = st.integers(0, 2**64 - 1)
BLOCKS = st.dictionaries(FEW_KEYS | ANY_KEY, WEIGHTS, max_size=8)
SUMS = st.dictionaries(
    st.sampled_from(["nodes", "grams"]),
    st.dictionaries(FEW_KEYS | ANY_KEY, st.sampled_from([1, 3, 2**31, 2**32 - 1]), max_size=4),
    max_size=2,
)
ADDRESSES = st.text("abAÉ가\n\0 /%\ud800", max_size=3)


# Limits so small that everything is cut apart, and that nothing or only the last pages of a site
# stay in memory.
SPACES: st.SearchStrategy[ArraySpace] = st.builds(
    ArraySpace, st.sampled_from([1, 3, 20])
) | st.builds(
    DiskSpace,
    # Files there have no name.
    st.just(Path(tempfile.gettempdir())),
    memory=st.sampled_from([0, 100, 2000]),
    batch=st.sampled_from([1, 3, 20]),
)


def unusable(error: StoreError) -> None:
    pytest.fail(str(error))


def observation(
    url: str, blocks: Mapping[int, int], sums: Mapping[str, Mapping[int, int]] | None = None
) -> Observation:
    keys = sorted(blocks)
    return Observation(
        url=url,
        keys=np.array(keys, dtype=np.uint64),
        weights=np.array([blocks[key] for key in keys], dtype=np.uint16),
        sums={name: KeyCounts.of(counts) for name, counts in (sums or {}).items()},
    )


PAGES = st.lists(st.builds(observation, ADDRESSES, BLOCKS, SUMS), max_size=12)


def counted(pages: Iterable[Observation], space: ArraySpace | None = None) -> SiteCounts:
    counts = SiteCounts(space)
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
        "single_blocks": view.single_blocks,
        "single_texts": view.single_texts,
        "duplicate_of": dict(view.duplicate_of),
        "sums": {name: figures(sums) for name, sums in view.sums.items()},
    }


def figures(sums: KeyCounts) -> dict[int, int]:
    return dict(zip(sums.keys.tolist(), sums.counts.tolist(), strict=True))


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


@given(pages=PAGES, space=SPACES, similarity=st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.1]))
def test_where_counts_are_kept_does_not_matter(
    pages: list[Observation], space: ArraySpace, similarity: float
) -> None:
    kept = counted(pages, space)
    assert shown(kept.view(similarity)) == shown(counted(pages).view(similarity))
    assert [kept.page(url).url for url in kept.urls()] == kept.urls()
    assert {page.url: told(page) for page in kept.pages()} == {
        page.url: told(page) for page in counted(pages).pages()
    }


@given(pages=PAGES, data=st.data(), space=SPACES)
def test_neither_order_nor_parts_matter(
    pages: list[Observation], data: st.DataObject, space: ArraySpace
) -> None:
    whole = shown(counted(pages).view())
    shuffled = data.draw(st.permutations(pages))
    places = data.draw(
        st.lists(st.integers(0, 3), min_size=len(shuffled), max_size=len(shuffled)),
    )
    parts = [SiteCounts(space) for _ in range(4)]
    for page, place in zip(shuffled, places, strict=True):
        parts[place].add(page)
    merged = SiteCounts(space)
    for part in data.draw(st.permutations(parts)):
        merged.merge(part)
    assert shown(merged.view()) == whole


@given(pages=PAGES, space=SPACES)
def test_a_page_added_again_counts_once(pages: list[Observation], space: ArraySpace) -> None:
    counts = counted(pages, space)
    once = shown(counts.view())
    counts.merge(counted(pages, space))
    assert shown(counts.view()) == once


@given(pages=PAGES, space=SPACES, similarity=st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.1]))
def test_frequencies_are_a_plain_count_over_groups(
    pages: list[Observation], space: ArraySpace, similarity: float
) -> None:
    view = counted(pages, space).view(similarity)
    known = joined(pages)
    anyhow: dict[int, set[str]] = defaultdict(set)
    as_text: dict[int, set[str]] = defaultdict(set)
    for url, blocks in known.items():
        for key, weight in blocks.items():
            standing = view.duplicate_of.get(url, url)
            anyhow[key].add(standing)
            if weight:
                as_text[key].add(standing)
    keys = sorted(key for key in anyhow if len(anyhow[key]) > 1)
    single = sorted(anyhow.keys() - set(keys))
    assert view.keys.tolist() == keys
    assert view.page_frequencies(keys) == [len(anyhow[key]) for key in keys]
    assert view.page_text_frequencies(keys) == [len(as_text[key]) for key in keys]
    assert all(1 < frequency <= view.pages for frequency in view.frequencies.tolist())
    assert view.single_blocks == len(single)
    assert view.single_texts == len([key for key in single if as_text[key]])
    levels = Counter(len(pages) for pages in as_text.values() if pages)
    found, its_blocks = view.text_levels()
    assert list(zip(found.tolist(), its_blocks.tolist(), strict=True)) == sorted(levels.items())
    others = [*single, *(key for key in (0, 5, 12, 2**64 - 1) if key not in anyhow)]
    expected = [1 if pages else 0] * len(others)
    assert view.page_frequencies(others) == view.page_text_frequencies(others) == expected
    assert view.is_known == bool(pages)


@given(pages=PAGES, space=SPACES)
def test_sums_are_plain_sums_over_pages(pages: list[Observation], space: ArraySpace) -> None:
    most: dict[str, dict[tuple[str, int], int]] = defaultdict(dict)
    for page in pages:
        for name, sums in page.sums.items():
            for key, count in figures(sums).items():
                most[name][page.url, key] = max(count, most[name].get((page.url, key), 0))
    totals: dict[str, dict[int, int]] = {}
    for name, counts in most.items():
        added: dict[int, int] = defaultdict(int)
        for (_, key), count in counts.items():
            added[key] += count
        totals[name] = {key: min(count, 2**32 - 1) for key, count in added.items()}
    view = counted(pages, space).view()
    assert {name: figures(sums) for name, sums in view.sums.items()} == totals


@given(pages=PAGES, space=SPACES, similarity=st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.1]))
def test_groups_part_the_pages_and_the_shortest_address_stands_for_each(
    pages: list[Observation], space: ArraySpace, similarity: float
) -> None:
    view = counted(pages, space).view(similarity)
    groups = groups_of(pages, view)
    assert len(groups) == view.pages
    assert view.pages_seen == len(joined(pages)) == sum(map(len, groups.values()))
    for standing, urls in groups.items():
        assert standing == min(urls, key=lambda url: (len(url), url))
    if similarity > 1:
        assert not view.duplicate_of


@given(pages=PAGES, copies=st.sets(ADDRESSES, min_size=2, max_size=4), space=SPACES)
def test_exact_copies_are_one_page(
    pages: list[Observation], copies: set[str], space: ArraySpace
) -> None:
    # The blocks of their own weigh enough whatever the other pages are.
    blocks = {2**63 + number: 500 for number in range(3)} | {1: 30, 2: 0}
    others = [page for page in pages if page.url not in copies]
    view = counted([*others, *(observation(url, blocks) for url in copies)], space).view()
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


@given(
    # Of so few pages each meets each other one at every block that both have.
    blocks=st.lists(
        st.dictionaries(st.integers(0, 7), WEIGHTS | st.integers(0, 900), max_size=6), max_size=4
    ),
    space=SPACES,
    data=st.data(),
)
def test_few_pages_are_grouped_as_comparing_all_of_them_does(
    blocks: list[dict[int, int]], space: ArraySpace, data: st.DataObject
) -> None:
    frequencies = Counter(key for page in blocks for key in page)

    def rare(frequency: int) -> int:
        pages = len(blocks)
        found = math.log((pages + 1) / frequency)
        if 2 * frequency <= pages:
            scale = math.log(pages + 1) / math.log(pages + 32)
            found = math.log((pages + 32) / frequency) * scale
        return round(found * 65_536)

    rarity = {key: rare(frequency) for key, frequency in frequencies.items()}
    masses = [sum(page[key] * rarity[key] for key in page) for page in blocks]
    pairs = {}
    for (left, one), (right, other) in combinations(enumerate(blocks), 2):
        shared = sum(min(one[key], other[key]) * rarity[key] for key in one.keys() & other.keys())
        if shared and min(masses[left], masses[right]) >= 100 * 65_536:
            pairs[left, right] = shared, masses[left] + masses[right] - shared
    # Just where a pair is a near-duplicate or is none.
    limits = [shared / both for shared, both in pairs.values()] or [0.5]
    limit = data.draw(st.sampled_from(limits)) * data.draw(st.sampled_from([0.0, 0.9, 1.0, 1.1]))
    similarity = min(limit, 1.0)
    groups = list(range(len(blocks)))
    for (left, right), (shared, both) in pairs.items():
        if shared >= similarity * both:
            groups = [groups[left] if group == groups[right] else group for group in groups]
    urls = [str(number) for number in range(len(blocks))]
    pages = data.draw(st.permutations(list(map(observation, urls, blocks))))
    view = counted(pages, space).view(similarity)
    assert [view.duplicate_of.get(url, url) for url in urls] == [
        urls[groups.index(group)] for group in groups
    ]


@given(seed=st.integers(0, 2**32), space=SPACES, similarity=st.sampled_from([0.3, 0.6, 0.9]))
def test_versions_of_articles_are_grouped_the_same_in_any_order(
    seed: int, space: ArraySpace, similarity: float
) -> None:
    draw = np.random.default_rng(seed)
    articles = [[*range(100), *range(100 * n, 100 * n + 9)] for n in range(1, 5)]
    pages = []
    for number in range(30):
        kept = [key for key in articles[draw.integers(4)] if draw.random() < 0.8]
        weights = draw.integers(0, 400, len(kept)).tolist()
        pages.append(observation(str(number), dict(zip(kept, weights, strict=True))))
    shuffled = [pages[place] for place in draw.permutation(len(pages))]
    view = counted(pages).view(similarity)
    assert shown(counted(shuffled, space).view(similarity)) == shown(view)


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


@given(
    pages=PAGES,
    site=ADDRESSES | st.sampled_from(["..", "CON", "nul.example", "a" * 400]),
    space=SPACES,
)
def test_counts_come_back_from_disk_as_they_were(
    pages: list[Observation], site: str, space: ArraySpace
) -> None:
    counts = counted(pages, space)
    with tempfile.TemporaryDirectory() as folder:
        store = CountStore(Path(folder, "counts"))
        store.save(site, "first", counts)
        loaded = store.load(site, unusable, space)
    assert shown(loaded.view()) == shown(counts.view())
    assert by_address(loaded) == by_address(counts)


@given(crawls=st.lists(PAGES, min_size=1, max_size=4), space=SPACES)
def test_several_crawls_load_as_their_merge(
    crawls: Sequence[list[Observation]], space: ArraySpace
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = CountStore(Path(folder))
        merged = SiteCounts()
        for number, pages in enumerate(crawls):
            store.save("blog.example", f"crawl {number}", counted(pages))
            merged.merge(counted(pages))
        loaded = store.load("blog.example", unusable, space)
    assert by_address(loaded) == by_address(merged)
    assert shown(loaded.view()) == shown(merged.view())


def by_address(counts: SiteCounts) -> dict[str, tuple[dict[int, int], dict[str, dict[int, int]]]]:
    return {page.url: told(page) for page in counts.pages()}


def told(page: Observation) -> tuple[dict[int, int], dict[str, dict[int, int]]]:
    """Return what a page tells, its blocks and what it adds to sums."""
    blocks = dict(zip(page.keys.tolist(), page.weights.tolist(), strict=True))
    return blocks, {name: figures(sums) for name, sums in page.sums.items() if len(sums.keys)}
