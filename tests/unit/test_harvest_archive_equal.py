"""An archive read in shards gives what it gives read by one process, byte for byte."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from backports import zstd

from crawler.core.page.page import Page
from crawler.store.archive import record_bytes
from crawler.store.cuts import cuts_of
from support.archives import (
    DATE,
    harvest,
    lines_of,
    made_pages,
    one_process,
    one_stream,
    options_for,
    write_archive,
)

if TYPE_CHECKING:
    from pathlib import Path


def assert_same(paths: list[Path], folder: Path, shard_bytes: int, **settings: object) -> None:
    options = options_for(folder, **settings)
    lines, skips = one_process(paths, options)
    summary = harvest(paths, folder, options, shard_bytes=shard_bytes)
    assert lines_of(folder) == lines
    assert summary.items == len(lines) > 0
    assert summary.figures.skips == skips
    assert summary.is_complete


@pytest.mark.parametrize("shard_bytes", [4_000, 30_000, 10_000_000])
@pytest.mark.parametrize("suffix", [".gz", ".zst", ""], ids=["gzip", "zstd", "plain"])
def test_shards_of_any_size(tmp_path: Path, suffix: str, shard_bytes: int) -> None:
    paths = write_archive(tmp_path / "in", made_pages(3, 7), 3, suffix)
    assert_same(paths, tmp_path, shard_bytes)


@pytest.mark.parametrize("types", ["all", "article", "listing,article"])
def test_near_duplicates_left_out(tmp_path: Path, types: str) -> None:
    paths = write_archive(tmp_path / "in", made_pages(2, 9, seed=3), 4)
    assert_same(paths, tmp_path, 9_000, PAGE_TYPES=types, DROP_NEAR_DUPLICATES=True)


@pytest.mark.parametrize(
    "settings",
    [
        {"JOIN_PARTS": False},
        {"ITEM_BLOCKS": True, "ITEM_MARKDOWN": True, "ITEM_SOURCES": True, "PAGE_TYPES": "all"},
        {"NEAR_DUPLICATE_SIMILARITY": 1.0, "SENTENCES": False, "TABLES": False},
        {"TEXT_METHOD": "frequency-adaptive"},
    ],
    ids=["parts", "fields", "similarity", "method"],
)
def test_settings(tmp_path: Path, settings: dict[str, Any]) -> None:
    assert_same(write_archive(tmp_path / "in", made_pages(2, 7), 2), tmp_path, 9_000, **settings)


def test_pages_that_ask_to_be_left_out(tmp_path: Path) -> None:
    pages = [
        replace(page, robots_tags=("noindex",)) if number % 3 == 0 else page
        for number, page in enumerate(made_pages(2, 7))
    ]
    paths = write_archive(tmp_path / "in", pages, 2)
    # With the same folder of work: what was told without is not taken for what is told now.
    assert_same(paths, tmp_path, 9_000)
    every = len(lines_of(tmp_path))
    assert_same(paths, tmp_path, 9_000, RESPECT="noindex")
    assert len(lines_of(tmp_path)) < every


def test_what_decides_across_files_is_in_the_test(tmp_path: Path) -> None:
    paths = write_archive(tmp_path / "in", made_pages(3, 7), 3)
    harvest(paths, tmp_path, options_for(tmp_path))
    items = [json.loads(line) for line in lines_of(tmp_path)]
    assert any(item["parts"] and len(item["parts"]) == 3 for item in items)
    assert any(item["near_duplicate_of"] for item in items)
    assert not any("?from=mail" in item["url"] for item in items)
    assert len({item["url"] for item in items}) == len(items)
    assert any(item["title"].startswith("Again: ") for item in items)
    assert {item["mode"] for item in items} == {"archive"}


def test_pages_of_a_site_under_two_names_and_an_address_on_two_sites(tmp_path: Path) -> None:
    pages = made_pages(2, 4)
    named = [
        Page.from_text(p.url, p.body.decode("utf-8", "replace"), fetched_at=DATE, site="all of it")
        for p in pages
    ]
    assert_same(write_archive(tmp_path / "in", pages + named, 3), tmp_path, 6_000)


def test_files_count_in_the_order_given_also_where_one_is_given_twice(tmp_path: Path) -> None:
    first, second = write_archive(tmp_path / "in", made_pages(1, 6), 2)
    assert_same([second, first, second], tmp_path / "one", 6_000)
    assert_same([first, second], tmp_path / "other", 6_000)


def test_a_file_packed_as_one_stream_is_one_shard(tmp_path: Path) -> None:
    (path,) = write_archive(tmp_path / "in", made_pages(1, 8), 1)
    target = tmp_path / "stream.warc.gz"
    one_stream(path, target)
    assert cuts_of(target, target.stat().st_size, 4_000) == [0]
    assert_same([target], tmp_path, 4_000)


def test_zstd_with_a_dictionary(tmp_path: Path) -> None:
    records = [record_bytes(page, date=DATE) for page in made_pages(1, 8)]
    dictionary = zstd.train_dict(records * 8, 4_000)
    content = dictionary.dict_content
    head = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
    path = tmp_path / "pages.warc.zst"
    path.write_bytes(head + b"".join(zstd.compress(r, zstd_dict=dictionary) for r in records))
    assert len(cuts_of(path, path.stat().st_size, 4_000)) > 1
    assert_same([path], tmp_path, 4_000)


@pytest.mark.parametrize("suffix", [".gz", ""], ids=["gzip", "plain"])
def test_an_archive_within_an_archive_misleads_no_cut(tmp_path: Path, suffix: str) -> None:
    pages = made_pages(1, 6)
    inner = [record_bytes(page, date=DATE) for page in pages]
    whole = b"".join(gzip.compress(record) for record in inner) if suffix else b"".join(inner)
    nested = Page("https://site-0.example/nested", b"<p>An archive</p>\n" + whole, "text/html")
    outer = [*pages[:5], nested, *pages[5:]]
    path = tmp_path / f"outer.warc{suffix}"
    records = [record_bytes(page, date=DATE) for page in outer]
    # Packed bytes are stored as they are, so that members stand within members.
    path.write_bytes(b"".join(gzip.compress(r, 0) if suffix else r for r in records))
    start = sum(len(gzip.compress(r, 0) if suffix else r) for r in records[:5])
    cuts = cuts_of(path, path.stat().st_size, 3_000)
    size = len(gzip.compress(records[5], 0) if suffix else records[5])
    assert any(start < cut < start + size for cut in cuts), "a cut is within the nested archive"
    assert_same([path], tmp_path, 3_000)


def damage(path: Path, kind: str) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    match kind:
        case "cut":
            del data[middle:]
        case "zeros":
            data[middle : middle + 500] = bytes(500)
        case "scattered":
            for place in range(200, len(data), 2_500):
                data[place] ^= 0x55
        case "text":
            data = bytearray(b"no archive at all")
        case "empty":
            data = bytearray()
    path.write_bytes(data)


@pytest.mark.parametrize("suffix", [".gz", ".zst", ""], ids=["gzip", "zstd", "plain"])
@pytest.mark.parametrize("kind", ["cut", "zeros", "scattered", "text", "empty"])
def test_damage_is_told_and_costs_what_it_costs_one_process(
    tmp_path: Path, kind: str, suffix: str
) -> None:
    paths = write_archive(tmp_path / "in", made_pages(1, 7), 2, suffix)
    damage(paths[0], kind)
    options = options_for(tmp_path)
    lines, skips = one_process(paths, options)
    summary = harvest(paths, tmp_path, options, shard_bytes=6_000)
    assert lines_of(tmp_path) == lines
    assert summary.figures.skips == skips
    # In a plain file, what is changed within a page is that page.
    shows = kind in {"cut", "text", "empty"} or suffix
    assert bool(summary.figures.damage) == bool(shows)
