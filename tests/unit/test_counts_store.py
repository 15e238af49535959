"""Counts on disk: any site name, any address; damage is named, never read as counts."""

from __future__ import annotations

import os
import random
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.core.counting.site_counts import KeyCounts, Observation, SiteCounts
from crawler.core.errors import StoreError
from crawler.store.counts import CountStore
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    from pathlib import Path

ODD_NAMES = [
    "", ".", "..", "...", "a/b", "a\\b", "../up", "/etc", "CON", "con", "Con", "nul.example",
    "a.example", "A.example", "%41.example", "a.", "a", "a%2E", "a b", "a:8080", "한국.example",
    "Ä", "ä", "\udcff", "a\n", "a\0", "*?", "~", "a" * 119, "a" * 120, "a" * 121, "a" * 5000,
    "a" * 4999 + "b", "가" * 300,
]  # fmt: skip


def unusable(error: StoreError) -> None:
    pytest.fail(str(error))


def counts_of(*urls: str) -> SiteCounts:
    counts = SiteCounts()
    for number, url in enumerate(urls):
        keys = np.array([number, 2**63 + number], dtype=np.uint64)
        counts.add(Observation(url, keys, np.array([0, 65_535], dtype=np.uint16)))
    return counts


def urls_in(counts: SiteCounts) -> list[str]:
    return [page.url for page in counts.pages()]


def load(store: CountStore, site: str) -> SiteCounts:
    return store.load(site, unusable)


def refusal(store: CountStore, site: str = "s") -> str:
    """Load a site of one file that cannot be used, and return what is said of it."""
    told: list[StoreError] = []
    assert len(store.load(site, told.append)) == 0
    (error,) = told
    return str(error)


def change(path: Path, **parts: np.ndarray | None) -> None:
    """Put other arrays in place of a file's own; None takes one out."""
    with np.load(path) as file:
        arrays = {**file, **parts}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


@pytest.fixture
def store(tmp_path: Path) -> CountStore:
    return CountStore(tmp_path / "deep" / "counts")


def test_a_site_never_counted_has_no_counts(store: CountStore) -> None:
    assert len(load(store, "nobody.example")) == 0
    assert not store.folder.exists(), "looking makes nothing"


def test_sites_of_any_name_are_kept_apart_on_any_file_system(store: CountStore) -> None:
    for name in ODD_NAMES:
        store.save(name, "one", counts_of(f"url of {name!r}"))
    for name in ODD_NAMES:
        assert urls_in(load(store, name)) == [f"url of {name!r}"]
    folders = [path.name for path in store.folder.iterdir()]
    assert len({name.casefold() for name in folders}) == len(ODD_NAMES)
    assert all(len(name) <= 120 for name in folders)
    assert not {name.partition(".")[0] for name in folders} & {"con", "nul", "CON", ""}
    assert not any(name.endswith((".", " ")) for name in folders)
    assert [path for path in store.folder.parent.iterdir() if path != store.folder] == []


def test_an_ordinary_name_stays_readable(store: CountStore) -> None:
    path = store.save("blog-1.example", "20240501-101500-000001-77", counts_of("u"))
    assert path == store.folder / "blog-1.example" / "20240501-101500-000001-77.npz"


def test_addresses_come_back_as_they_were(store: CountStore) -> None:
    urls = ["", "a\nb", "a%0Ab", "https://한국.example/글?q=\t", "half \ud83d", "nul\0", "\r\n"]
    store.save("s", "c", counts_of(*urls))
    assert urls_in(load(store, "s")) == urls


def test_an_observation_without_blocks_and_a_crawl_without_pages(store: CountStore) -> None:
    counts = SiteCounts()
    counts.add(Observation("u", np.empty(0, np.uint64), np.empty(0, np.uint16)))
    store.save("s", "c", counts)
    store.save("s", "d", SiteCounts())
    assert urls_in(load(store, "s")) == ["u"]


def test_saving_again_replaces_and_leaves_nothing_beside(store: CountStore) -> None:
    store.save("s", "c", counts_of("a", "b"))
    path = store.save("s", "c", counts_of("z"))
    assert urls_in(load(store, "s")) == ["z"]
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_crawls_of_one_site_merge_and_names_may_be_cut_apart(store: CountStore) -> None:
    for number in range(3):
        store.save("s", "long" * 100 + str(number), counts_of(f"u{number}", "shared"))
    assert sorted(urls_in(load(store, "s"))) == ["shared", "u0", "u1", "u2"]


def test_counts_that_do_not_fit_memory_are_written_and_read_in_pieces(
    store: CountStore, tmp_path: Path
) -> None:
    space = DiskSpace(tmp_path / "aside", memory=1000, batch=50)
    counts, in_memory = SiteCounts(space), SiteCounts()
    draw = np.random.default_rng(2)
    for number in [*range(300), *range(100, 120)]:
        keys = np.unique(draw.integers(0, 500, 40, dtype=np.uint64))
        page = Observation(
            f"https://blog.example/{number}",
            keys,
            (keys % 90).astype(np.uint16),
            {"nodes": KeyCounts(keys[:5], np.arange(5, dtype=np.uint32))} if number % 3 else {},
        )
        counts.add(page)
        in_memory.add(page)
    path = store.save("s", "c", counts)
    store.save("t", "c", in_memory)
    loaded = store.load("s", unusable, space)
    assert loaded.view().snapshot == counts.view().snapshot == in_memory.view().snapshot
    assert loaded.view().sums["nodes"].counts.tolist() == (
        in_memory.view().sums["nodes"].counts.tolist()
    )
    with np.load(path) as file, np.load(store.files("t")[0]) as other:
        assert all(np.array_equal(file[name], other[name]) for name in file if name != "site")
    assert space.on_disk > 100_000


def test_what_cannot_be_written_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(StoreError, match=r"c\.npz cannot be written"):
        CountStore(tmp_path / "taken").save("s", "c", counts_of("u"))


@pytest.mark.parametrize(
    "content",
    [b"", b"PK", b"not a zip at all", b"\x93NUMPY" + bytes(200), b"\x80\x04K\x01."],
)
def test_a_file_of_another_kind_is_damaged(store: CountStore, content: bytes) -> None:
    path = store.save("s", "c", counts_of("u"))
    path.write_bytes(content)
    said = refusal(store)
    assert said == f"{path} is damaged; delete it and crawl again", "and no advice of numpy's"


def test_a_lone_array_is_damaged(store: CountStore) -> None:
    path = store.save("s", "c", counts_of("u"))
    with path.open("wb") as file:
        np.save(file, np.arange(5))
    assert "damaged" in refusal(store)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("keys", np.arange(3, dtype=np.uint64)),
        ("keys", np.arange(4, dtype=np.int64)),
        ("weights", np.zeros(5, dtype=np.uint16)),
        ("weights", np.zeros(4, dtype=np.float64)),
        ("sizes", np.array([2, 1], dtype=np.uint32)),
        ("sizes", np.array([4], dtype=np.uint32)),
        ("sizes", np.array([-1, 5], dtype=np.int64)),
        ("url_sizes", np.array([1, 5], dtype=np.uint32)),
        ("urls", np.array([0xFF, 0xFE], dtype=np.uint8)),
        ("urls", np.array([97, 97], dtype=np.uint8)),
        ("keys", np.arange(4, dtype=np.uint64).reshape(2, 2)),
        ("keys", np.array(7, dtype=np.uint64)),
        ("format", np.array(["1", "2"])),
        ("keys", None),
        ("urls", None),
    ],
)
def test_parts_that_do_not_fit_are_damage(
    store: CountStore, name: str, value: np.ndarray | None
) -> None:
    path = store.save("s", "c", counts_of("a", "b"))
    change(path, **{name: value})
    assert re.search(r"is damaged.*delete it and crawl again$", refusal(store))


def test_a_file_of_a_later_version_is_not_guessed_at(store: CountStore) -> None:
    path = store.save("s", "c", counts_of("a"))
    change(path, format=np.array(2))
    assert "later version; upgrade scrapy-corpus" in refusal(store)


def test_bytes_lost_or_turned_give_the_counts_or_one_error(store: CountStore) -> None:
    path = store.save("s", "c", counts_of("a", "b", "c"))
    whole = path.read_bytes()
    draw = random.Random(5)
    for _ in range(300):
        broken = bytearray(whole[: draw.choice([len(whole), draw.randrange(len(whole))])])
        for _ in range(draw.randrange(4) if broken else 0):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        path.write_bytes(broken)
        told: list[StoreError] = []
        found = urls_in(store.load("s", told.append))
        assert found == ([] if told else ["a", "b", "c"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_no_damage(store: CountStore) -> None:
    path = store.save("s", "c", counts_of("a"))
    path.chmod(0)
    assert "check its permissions" in refusal(store)


def test_a_folder_in_place_of_a_file_is_said(store: CountStore) -> None:
    path = store.save("s", "c", counts_of("a"))
    path.unlink()
    path.mkdir()
    assert "cannot be read" in refusal(store)


def test_a_damaged_file_costs_no_more_than_itself(store: CountStore) -> None:
    store.save("s", "one", counts_of("a"))
    broken = store.save("s", "two", counts_of("b"))
    store.save("s", "three", counts_of("c"))
    broken.write_bytes(broken.read_bytes()[:-30])
    told: list[StoreError] = []
    assert sorted(urls_in(store.load("s", told.append))) == ["a", "c"]
    (error,) = told
    assert str(broken) in str(error)
    assert "\n" not in str(error)
    assert "pickle" not in str(error)


def summed(**sums: dict[int, int]) -> Observation:
    """Make an observation of one block with sums."""
    return Observation(
        url="+".join(sums) or "none",
        keys=np.array([1], dtype=np.uint64),
        weights=np.array([5], dtype=np.uint16),
        sums={name: KeyCounts.of(counts) for name, counts in sums.items()},
    )


@pytest.fixture
def with_sums() -> SiteCounts:
    counts = SiteCounts()
    counts.add(summed())
    counts.add(summed(nodes={2**64 - 1: 3, 0: 2**32 - 1}))
    counts.add(summed(nodes={7: 1}, grams={7: 2, 8: 1}))
    counts.add(summed(grams={}))
    return counts


def test_sums_of_methods_come_back_as_they_were(store: CountStore, with_sums: SiteCounts) -> None:
    store.save("s", "c", with_sums)
    assert {
        page.url: {
            name: dict(zip(sums.keys.tolist(), sums.counts.tolist(), strict=True))
            for name, sums in page.sums.items()
        }
        for page in load(store, "s").pages()
    } == {
        "none": {},
        "nodes": {"nodes": {0: 2**32 - 1, 2**64 - 1: 3}},
        "nodes+grams": {"nodes": {7: 1}, "grams": {7: 2, 8: 1}},
        "grams": {},
    }
    kept, counted = load(store, "s").view(), with_sums.view()
    assert kept.snapshot == counted.snapshot
    for name, total in kept.sums.items():
        assert total.keys.tolist() == counted.sums[name].keys.tolist()
        assert total.counts.tolist() == counted.sums[name].counts.tolist()


def test_sums_of_several_crawls_add_up_over_their_pages(store: CountStore) -> None:
    for name, times in (("one", 2), ("two", 3)):
        counts = SiteCounts()
        page = summed(nodes={7: times})
        counts.add(Observation(name, page.keys, page.weights, page.sums))
        store.save("s", name, counts)
    store.save("s", "without", counts_of("plain"))
    assert load(store, "s").view().sums["nodes"].look_up([7]) == [5]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sums/nodes/sizes", None),
        ("sums/nodes/counts", None),
        ("sums/nodes/sizes", np.array([0, 2, 1], dtype=np.uint32)),
        ("sums/nodes/sizes", np.array([0, 2, 2, 0], dtype=np.uint32)),
        ("sums/nodes/sizes", np.array([0, 2, 1, 0], dtype=np.int32)),
        ("sums/nodes/keys", np.zeros(3, dtype=np.float64)),
        ("sums/nodes/keys", np.zeros(2, dtype=np.uint64)),
        ("sums/nodes/counts", np.zeros(4, dtype=np.uint32)),
        ("sums/nodes/counts", np.zeros(3, dtype=np.uint64)),
    ],
)
def test_sums_that_do_not_fit_are_damage(
    store: CountStore, with_sums: SiteCounts, name: str, value: np.ndarray | None
) -> None:
    path = store.save("s", "c", with_sums)
    change(path, **{name: value})
    assert re.search(r"is damaged.*delete it and crawl again$", refusal(store))


def test_the_sites_that_have_counts_are_listed_by_their_names(store: CountStore) -> None:
    assert store.sites() == []
    for name in ODD_NAMES:
        store.save(name, "one", counts_of("u"))
    (store.folder / "empty.example").mkdir()
    assert store.sites() == sorted(ODD_NAMES)


def test_each_crawl_of_a_site_is_a_file(store: CountStore) -> None:
    assert store.files("s") == []
    paths = [store.save("s", crawl, counts_of("u")) for crawl in ("a", "b")]
    assert store.files("s") == paths
