"""What the steps of an archive keep is read back as it was, and damage of it is an error."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.core.errors import StoreError
from crawler.core.flow import SiteCounts, SiteView, get_method, observe, read
from crawler.core.pagination.parts import next_part
from crawler.harvest.archive.counting import (
    StoredEvidence,
    merge_partition,
    observe_shard,
    read_observed,
)
from crawler.harvest.archive.run import find_shards, summary_lines
from crawler.harvest.archive.work import Archive, Figures
from support.archives import made_pages, options_for, write_archive

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.core.page.page import Page
    from crawler.core.page.parse import ParsedPage

PARTITIONS = 3
SITES = ("a.example", "b.example", "half \ud800", "site-0.example")
METHOD = "m324"


@pytest.fixture
def pages() -> list[Page]:
    """The pages of one site, under four names."""
    made = [page for page in made_pages(1, 6) if not page.url.endswith("binary")]
    return [replace(page, site=SITES[number % 4]) for number, page in enumerate(made)]


@pytest.fixture
def archive(pages: list[Page], tmp_path: Path) -> Archive:
    """An archive of these pages, in one file, that has been observed."""
    write_archive(tmp_path / "in", pages, 1)
    options = options_for(tmp_path, TEXT_METHOD=METHOD)
    made = Archive(tmp_path / "work", tmp_path / "out", options, (), PARTITIONS, merged="merged")
    (shard,) = find_shards([tmp_path / "in"])
    assert observe_shard(made, "key", shard)["partitions"] == sorted(
        set(map(made.partition_of, SITES))
    )
    return made


def counts_of(pages: list[Page], site: str) -> SiteCounts:
    counts = SiteCounts()
    for page in pages:
        if page.site == site:
            counts.add(observe(read(page), get_method(METHOD)))
    return counts


def assert_same_view(found: SiteView, own: SiteView) -> None:
    for each in fields(SiteView):
        value, expected = getattr(found, each.name), getattr(own, each.name)
        if each.name == "sums":
            assert value.keys() == expected.keys()
            assert expected
            assert all(np.array_equal(value[n].keys, expected[n].keys) for n in expected)
            assert all(np.array_equal(value[n].counts, expected[n].counts) for n in expected)
        elif isinstance(expected, np.ndarray):
            assert value.dtype == expected.dtype
            assert np.array_equal(value, expected)
        else:
            assert value == expected


def test_what_was_observed_is_read_by_partition(archive: Archive, pages: list[Page]) -> None:
    path = archive.observed_file("key")
    found = [
        (partition, *row)
        for partition in range(PARTITIONS)
        for row in read_observed(path, partition)
    ]
    assert len(found) == len(pages)
    for partition, facts, observation in found:
        page = pages[facts.number]
        assert (facts.site, facts.url, facts.fetched_at) == (page.site, page.url, page.fetched_at)
        assert partition == archive.partition_of(page.site)
        own = observe(read(page), get_method(METHOD))
        assert observation.url == page.url
        assert np.array_equal(observation.keys, own.keys)
        assert np.array_equal(observation.weights, own.weights)
        assert observation.sums.keys() == own.sums.keys()


def test_the_evidence_of_each_site_is_read_as_it_was(archive: Archive, pages: list[Page]) -> None:
    for partition in range(PARTITIONS):
        merge_partition(archive, partition, ["key"])
    # Memory for one site: each is read anew, and is the same.
    evidence = StoredEvidence(archive, memory=1)
    for site in (*SITES, SITES[0]):
        assert_same_view(evidence.view(site), counts_of(pages, site).view())


def test_damaged_results_are_errors(archive: Archive) -> None:
    partition = archive.partition_of(SITES[0])
    merge_partition(archive, partition, ["key"])
    path = archive.merged_file(partition)
    with closing(sqlite3.connect(path)) as database:
        (packed,) = database.execute("SELECT evidence FROM sites").fetchone()
        turned = packed[:200] + bytes([packed[200] ^ 1]) + packed[201:]
        database.execute("UPDATE sites SET evidence = ?", [turned])
        database.commit()
    with pytest.raises(StoreError, match=path.name):
        StoredEvidence(archive).view(SITES[0])
    for left in (b"no database", b""):
        archive.observed_file("key").write_bytes(left)
        with pytest.raises(StoreError, match=r"key\.sqlite"):
            merge_partition(archive, partition, ["key"])
    archive.observed_file("key").unlink()
    with pytest.raises(StoreError, match=r"key\.sqlite"):
        merge_partition(archive, partition, ["key"])


def test_damage_is_listed_in_some_lines_and_counted_in_all() -> None:
    summary = Figures()
    for number in range(30):
        one = Figures()
        for _ in range(30):
            one.skipped("corrupt", f"file {number}")
        one.skipped("status-404", "no damage")
        assert len(one.damage) == 20
        summary.add(one.result([]))
    assert summary.skips == {"corrupt": 900, "status-404": 30}
    assert len(summary.damage) == 200
    assert summary.as_json()["pages"] == 30, "a damaged place is no record"


def test_the_summary_separates_records_from_files_and_is_short() -> None:
    summary = Figures(50, failed=[f"observe {number}" for number in range(12)])
    for number in range(40):
        one = Figures()
        one.skipped("no-page", f"file {number}: nothing in it is a page")
        one.skipped("status-404", "not there")
        summary.add(one.result([]))
    first, *lines = summary_lines(summary)
    assert first == "50 files: 40 records of 0 sites, 0 items"
    assert lines[:2] == ["without an item: status-404 40", "damaged or without a page: no-page 40"]
    assert [line for line in lines if "more: see archive.json" in line] == [
        "… and 30 more: see archive.json",
        "… and 2 more: see archive.json",
    ]
    assert len(lines) == 2 + 11 + 11 + 1
    assert summary_lines(Figures(1)) == ["1 file: 0 records of 0 sites, 0 items"]


def test_a_fault_on_a_page_costs_that_page_alone(
    archive: Archive, pages: list[Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(parsed: ParsedPage, url: str) -> str | None:
        if url == pages[2].url:
            raise RuntimeError("no next part")
        return next_part(parsed, url)

    monkeypatch.setattr("crawler.harvest.archive.counting.next_part", faulty)
    (shard,) = find_shards([tmp_path / "in"])
    counts = observe_shard(archive, "other", shard)["counts"]
    assert counts["corpus/skipped/error"] == counts["corpus/pages/skipped"] == 1
    path = archive.observed_file("other")
    found = [row for partition in range(PARTITIONS) for row in read_observed(path, partition)]
    assert len(found) == counts["corpus/pages/fetched"] - 1 == len(pages) - 1
