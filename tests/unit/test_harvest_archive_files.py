"""The files between the passes of an archive: what is written is read, and damage is an error."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.core.counting.spill_arrays import MemorySpace
from crawler.core.errors import StoreError
from crawler.core.flow import Page, SiteCounts, get_method, observe, read
from crawler.harvest.archive.command import summary_lines
from crawler.harvest.archive.figures import Figures
from crawler.harvest.archive.inline import InlineExecutor
from crawler.harvest.archive.merged import (
    JudgedBy,
    KnownView,
    Part,
    ViewFile,
    read_parts,
    views_path,
    write_parts,
    write_view,
)
from crawler.harvest.archive.observed import Fact, SeenSite, read_observed, write_observed
from crawler.harvest.archive.run import Summary
from crawler.harvest.archive.work import partition_of
from crawler.harvest.jobs import FAILED, Job
from support.archives import site_pages

if TYPE_CHECKING:
    from pathlib import Path

METHOD = get_method("article")


def counted(base: str, number: int = 6) -> SiteCounts:
    counts = SiteCounts()
    for url, html in site_pages(base, number).items():
        counts.add(observe(read(Page.from_text(url, html)), METHOD))
    return counts


def fact(number: int, url: str) -> Fact:
    return Fact(number, url, "2024-05-01", "https://a.example/\ud800", None, is_wanted=True)


def test_what_a_shard_tells_is_read_by_partition(tmp_path: Path) -> None:
    sites = {
        name: SeenSite(counted(f"https://{number}"), [fact(3, name), fact(9, f"{name}/\udfff")])
        for number, name in enumerate(("a.example", "b.example", "c\ud800", ""))
    }
    path = tmp_path / "shard.seen"
    there = write_observed(path, sites, 3)
    assert there == sorted({partition_of(name, 3) for name in sites})
    found = [
        (partition, *told)
        for partition in range(3)
        for told in read_observed(path, partition, MemorySpace())
    ]
    assert {name: partition for partition, name, _, _ in found} == {
        name: partition_of(name, 3) for name in sites
    }
    for _, name, facts, log in found:
        assert facts == sites[name].facts
        own = sites[name].counts
        assert log.urls() == own.log.urls()
        assert log.sections == own.log.sections
        assert SiteCounts(log).view().snapshot == own.view().snapshot


def test_damage_of_what_a_shard_tells_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "shard.seen"
    write_observed(path, {"a": SeenSite(counted("https://a"), [fact(0, "a")])}, 1)
    data = path.read_bytes()
    for place in range(100, len(data) - 100, len(data) // 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        with pytest.raises(StoreError, match="delete it, and run the command again"):
            list(read_observed(path, 0, MemorySpace()))
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(StoreError):
        list(read_observed(path, 0, MemorySpace()))
    path.unlink()
    with pytest.raises(StoreError):
        list(read_observed(path, 0, MemorySpace()))


def judged_by(base: str) -> JudgedBy:
    view = counted(base).view()
    known = {each.name: getattr(view, each.name) for each in fields(view)}
    aliases = {f"{base}/a?b": f"{base}/a"}
    return JudgedBy(KnownView(**known, aliases=aliases), [(f"{base}/1", f"{base}/2")])


def test_views_are_read_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "0000.parts"
    written = {name: judged_by(f"https://{name}.example") for name in ("a", "b", "c")}
    part = Part(unwanted=[4], together=[1, 2])
    with views_path(path).open("wb") as file:
        part.sites = {name: write_view(file, each) for name, each in written.items()}
    write_parts(path, {7: part})
    assert read_parts(path, 7) == part
    # Room for one view: each is read anew, and says the same.
    views = ViewFile(memory=1)
    views.add(path, read_parts(path, 7))
    for name in ("c", "a", "b", "a"):
        found, own = views.of(name), written[name]
        assert found.chains == own.chains
        for each in fields(KnownView):
            value, expected = getattr(found.view, each.name), getattr(own.view, each.name)
            if isinstance(expected, np.ndarray):
                assert value.dtype == expected.dtype
                assert np.array_equal(value, expected)
            elif each.name == "sums":
                assert value.keys() == expected.keys()
                assert all(np.array_equal(value[n].keys, expected[n].keys) for n in expected)
                assert all(np.array_equal(value[n].counts, expected[n].counts) for n in expected)
            else:
                assert value == expected
        assert len(views._kept) == 1
    assert not views.of("unheard of").view.is_known


def test_damaged_views_and_lists_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "0000.parts"
    with views_path(path).open("wb") as file:
        place = write_view(file, judged_by("https://a.example"))
    write_parts(path, {0: Part({"a": place})})
    data = bytearray(views_path(path).read_bytes())
    data[len(data) // 2] ^= 1
    views_path(path).write_bytes(data)
    views = ViewFile()
    views.add(path, read_parts(path, 0))
    with pytest.raises(StoreError, match="checksum"):
        views.of("a")
    with pytest.raises(StoreError):
        read_parts(path, 1)
    path.write_bytes(b"no archive")
    with pytest.raises(StoreError):
        read_parts(path, 0)


def test_damage_is_told_in_some_lines_and_counted_in_all() -> None:
    figures = Figures()
    for number in range(30):
        one = Figures()
        for _ in range(30):
            one.skipped("corrupt", f"file {number}")
        one.skipped("status-404", "no damage")
        assert len(one.damage) == 20
        figures.add(one.as_json())
    assert figures.skips == {"corrupt": 900, "status-404": 30}
    assert len(figures.damage) == 200
    assert figures.counts["corpus/pages/fetched"] == 30, "a damaged place is no record"


def test_the_summary_tells_records_from_files_and_is_short() -> None:
    figures = Figures()
    for number in range(40):
        figures.skipped("no-page", f"file {number}: nothing in it is a page")
        figures.skipped("status-404", "not there")
    summary = Summary(50, shards=60, failed=[f"observe {number}" for number in range(12)])
    summary.figures.add(figures.as_json())
    first, *lines = summary_lines(summary)
    assert first == "50 files in 60 shards: 40 records of 0 sites, 0 items"
    assert lines[:3] == [
        "without an item: status-404 40",
        "damaged or without a page: no-page 40",
        "no-page: file 0: nothing in it is a page",
    ]
    assert lines[12:14] == ["… and 30 more: see archive.json", "not done: observe 0"]
    assert lines[-2:] == [
        "… and 2 more: see archive.json",
        "the same command tries again what was not done",
    ]
    assert len(lines) == 2 + 11 + 11 + 1
    assert summary_lines(Summary(1)) == ["1 file in 0 shards: 0 records of 0 sites, 0 items"]


def test_jobs_in_this_process_fail_as_in_one_of_their_own() -> None:
    jobs = [
        Job(f"{partition_of.__module__}:gone", name="no function"),
        Job("builtins:len", [1, 2], name="good"),
    ]
    with InlineExecutor() as executor:
        missing, good = executor.run(jobs)
    assert missing.reason == FAILED
    assert "AttributeError" in missing.detail
    assert good.value == 2
    assert list(executor.run(jobs)) == []
