"""An archive read file by file gives what it gives read by one process, byte for byte."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.page.page import Page
from support.archives import (
    DATE,
    harvest,
    lines_of,
    made_pages,
    one_process,
    options_for,
    write_archive,
)

if TYPE_CHECKING:
    from pathlib import Path


def assert_same(paths: list[Path], folder: Path, **settings: object) -> None:
    options = options_for(folder, **settings)
    lines, skips = one_process(paths, options)
    summary = harvest(paths, folder, options)
    assert lines_of(folder) == lines
    assert summary.as_json()["items"] == len(lines) > 0
    assert summary.skips == skips
    assert summary.is_complete


@pytest.mark.parametrize("files", [1, 4])
@pytest.mark.parametrize("suffix", [".gz", ".zst", ""], ids=["gzip", "zstd", "plain"])
def test_files_of_any_number_and_packing(tmp_path: Path, suffix: str, files: int) -> None:
    assert_same(write_archive(tmp_path / "in", made_pages(3, 7), files, suffix), tmp_path)


@pytest.mark.parametrize("types", ["all", "article", "listing,article"])
def test_near_duplicates_left_out(tmp_path: Path, types: str) -> None:
    paths = write_archive(tmp_path / "in", made_pages(2, 9, seed=3), 4)
    assert_same(paths, tmp_path, PAGE_TYPES=types, DROP_NEAR_DUPLICATES=True)


@pytest.mark.parametrize(
    "settings",
    [
        {"JOIN_PARTS": False},
        {"ITEM_BLOCKS": True, "ITEM_MARKDOWN": True, "ITEM_SOURCES": True, "PAGE_TYPES": "all"},
        {"NEAR_DUPLICATE_SIMILARITY": 1.0, "SENTENCES": False, "TABLES": False},
        {"TEXT_METHOD": "frequency-adaptive"},
        {"TEXT_METHOD": "m324"},
    ],
    ids=["parts", "fields", "similarity", "method", "sums"],
)
def test_settings(tmp_path: Path, settings: dict[str, Any]) -> None:
    assert_same(write_archive(tmp_path / "in", made_pages(2, 7), 2), tmp_path, **settings)


def test_pages_that_ask_to_be_left_out(tmp_path: Path) -> None:
    pages = [
        replace(page, robots_tags=("noindex",)) if number % 3 == 0 else page
        for number, page in enumerate(made_pages(2, 7))
    ]
    paths = write_archive(tmp_path / "in", pages, 2)
    # With the same folder of work: what was observed without the setting is not used with it.
    assert_same(paths, tmp_path)
    every = len(lines_of(tmp_path))
    assert_same(paths, tmp_path, RESPECT="noindex")
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
    assert_same(write_archive(tmp_path / "in", pages + named, 3), tmp_path)


def test_files_count_in_the_order_given(tmp_path: Path) -> None:
    first, second = write_archive(tmp_path / "in", made_pages(1, 6), 2)
    assert_same([second, first], tmp_path / "one")
    assert_same([first, second], tmp_path / "other")


def test_a_file_that_is_named_twice_stands_at_its_last_place(tmp_path: Path) -> None:
    first, second = write_archive(tmp_path / "in", made_pages(1, 6), 2)
    options = options_for(tmp_path)
    assert harvest([second, first, second], tmp_path, options).files == 2
    assert lines_of(tmp_path) == one_process([second, first, second], options)[0]


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


@pytest.mark.parametrize("kind", ["cut", "zeros", "scattered", "text", "empty"])
def test_damage_costs_what_it_costs_one_process(tmp_path: Path, kind: str) -> None:
    paths = write_archive(tmp_path / "in", made_pages(1, 7), 2)
    damage(paths[0], kind)
    options = options_for(tmp_path)
    lines, skips = one_process(paths, options)
    summary = harvest(paths, tmp_path, options)
    assert lines_of(tmp_path) == lines
    assert summary.skips == skips
    assert summary.damage
