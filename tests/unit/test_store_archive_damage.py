"""Damaged archives, and files of another kind: no record is lost but the damaged one."""

from __future__ import annotations

import gzip
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from backports import zstd

from crawler.core.errors import UnreadableInputError
from crawler.store.archive import read_pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

from support.warcs import HTML, answer, gzipped, read, record


@pytest.mark.parametrize("spelling", [b"content-length", b"CONTENT-LENGTH", b"Content-length"])
@pytest.mark.parametrize("pack", [bytes, gzipped, zstd.compress])
def test_the_length_of_a_record_may_be_spelled_in_any_case(
    tmp_path: Path, spelling: bytes, pack: Callable[[bytes], bytes]
) -> None:
    block = answer(HTML + b"\n\ncontent-length: 1\n\nWARC/1.0\n\n")
    usual = record(block)
    other = usual.replace(b"Content-Length", spelling)
    unix = other.replace(b"\r\n", b"\n").replace(
        b": %d" % len(block), b": %d" % len(block.replace(b"\r\n", b"\n"))
    )
    long = record(block, X_Note="x" * 200_000).replace(b"Content-Length", spelling)
    for content, number in (
        (pack(other) * 3, 3),
        (pack(other * 3), 3),
        (pack(usual * 2 + other) + pack(other) + pack(usual), 5),
        (pack(unix) * 2, 2),
        (pack(other) + b"\0" * 5000 + pack(long * 2), 3),
    ):
        pages, skipped = read(tmp_path, content)
        assert {page.body for page in pages} == {block.partition(b"\r\n\r\n")[2]}
        assert (len(pages), skipped) == (number, [])
    bad = other.replace(b": %d" % len(block), b": abc")
    pages, skipped = read(tmp_path, pack(other) * 2 + pack(bad) + pack(other) * 2)
    assert (len(pages), skipped) == (4, ["corrupt"])
    pages, skipped = read(tmp_path, pack(other) * 2 + pack(other)[:-40])
    assert (len(pages), skipped) == (2, ["truncated"])


@pytest.mark.parametrize("length", ["abc", "-5", "", "\u0664"])
def test_a_record_without_a_length_is_damage(tmp_path: Path, length: str) -> None:
    bad = record(answer()).replace(
        b"Content-Length: %d" % len(answer()), f"Content-Length: {length}".encode()
    )
    pages, skipped = read(tmp_path, record(answer()) + bad + record(answer()))
    assert len(pages) == 2
    assert skipped == ["corrupt"]


def test_a_record_cut_off_in_its_headers_costs_no_other(tmp_path: Path) -> None:
    first, second = (record(answer(), WARC_Target_URI=f"http://a.example/{n}") for n in "12")
    cut = record(answer(), WARC_Target_URI="http://a.example/cut")
    for end in range(1, cut.index(b"\r\n\r\n") + 1):
        pages, skipped = read(tmp_path, first + cut[:end] + second)
        assert [page.url[-1] for page in pages] == ["1", "2"], cut[:end]
        assert set(skipped) <= {"corrupt"}
    pages, skipped = read(tmp_path, first + b"WARC/1.0 is cut" + second)
    assert ([page.url[-1] for page in pages], skipped) == (["1", "2"], ["corrupt"])


def test_junk_between_records_costs_no_record(tmp_path: Path) -> None:
    junk = b"<p>what is this</p>\n" * 9000
    pages, skipped = read(tmp_path, record(answer()) + junk + record(answer()) + junk)
    assert len(pages) == 2
    assert skipped == ["corrupt", "corrupt"]


def test_several_records_in_one_member_and_zeros_at_the_end(tmp_path: Path) -> None:
    content = gzipped(record(answer()) * 3) + b"\0" * 200_000
    pages, skipped = read(tmp_path, content)
    assert (len(pages), skipped) == (3, [])


@pytest.mark.parametrize("pack", [gzipped, zstd.compress])
def test_an_empty_member_does_not_end_a_file(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    one, empty = pack(record(answer())), pack(b"")
    for content, number in (
        (empty + one * 3, 3),
        (one + empty * 2 + one * 2 + empty, 3),
        ((one + empty) * 4, 4),
        (empty * 2, 0),
    ):
        pages, skipped = read(tmp_path, content)
        assert (len(pages), skipped) == (number, [])
    pages, skipped = read(tmp_path, one + empty + one[:-30])
    assert (len(pages), skipped) == (1, ["truncated"])


@pytest.mark.parametrize("pack", [bytes, gzipped, zstd.compress])
@pytest.mark.parametrize("zeros", [1, 70_000, 1 << 21])
def test_zeros_between_records_are_passed_over(
    tmp_path: Path, pack: Callable[[bytes], bytes], zeros: int
) -> None:
    one = pack(record(answer()))
    pages, skipped = read(tmp_path, one + b"\0" * zeros + one + b"\0" * zeros)
    assert (len(pages), skipped) == (2, [])


def test_damage_in_a_file_compressed_as_a_whole_costs_one_record(tmp_path: Path) -> None:
    bad = record(answer()).replace(b"Content-Length: %d" % len(answer()), b"Content-Length: abc")
    content = record(answer()) * 3 + bad + record(answer()) * 4
    for pack in (gzipped, zstd.compress):
        pages, skipped = read(tmp_path, pack(content))
        assert (len(pages), skipped) == (7, ["corrupt"])
    assert read(tmp_path, gzipped(record(answer()) * 3)[:-20])[1] == ["truncated"]


def test_a_file_that_ends_in_the_headers_of_a_gzip_member_is_truncated(tmp_path: Path) -> None:
    one = gzipped(record(answer()))
    for end in (1, 5, 12, 40):
        pages, skipped = read(tmp_path, one * 2 + one[:end])
        assert (len(pages), skipped) == (2, ["truncated"])


def test_a_huge_record_is_not_held(tmp_path: Path) -> None:

    path = tmp_path / "huge.warc.gz"
    size = 60 << 20
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\n" % size
    with gzip.open(path, "wb", 1) as file:
        file.write(head)
        for _ in range(60):
            file.write(b"\0" * (1 << 20))
        file.write(b"\r\n\r\n")
    with path.open("ab") as file:
        file.write(gzipped(record(answer())))
    skipped: list[str] = []
    tracemalloc.start()
    try:
        pages = list(read_pages([path], on_skip=lambda reason, _: skipped.append(reason)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(pages), skipped) == (1, ["too-large"])
    assert peak < 12 << 20


def test_zstd_archives_are_read_and_damage_costs_one_frame(tmp_path: Path) -> None:
    records = [record(answer(HTML + b"%d" % number)) for number in range(3)]
    frames = [zstd.compress(one) for one in records]
    assert len(read(tmp_path, b"".join(frames))[0]) == 3
    assert read(tmp_path, b"".join(frames)[:-9])[1] == ["truncated"]
    hurt = frames[1][:20] + bytes(byte ^ 0x55 for byte in frames[1][20:30]) + frames[1][30:]
    pages, skipped = read(tmp_path, frames[0] + hurt + frames[2])
    assert [page.body[-1:] for page in pages] == [b"0", b"2"]
    assert set(skipped) == {"corrupt"}


def test_a_zstd_archive_may_bring_its_dictionary(tmp_path: Path) -> None:
    samples = [record(answer(b"<p>%d %d</p>" % (n, n * n) * 9)) for n in range(400)]
    trained = zstd.train_dict(samples, 4096)
    packed = b"".join(zstd.compress(one, zstd_dict=trained) for one in samples[:3])
    for stored in (trained.dict_content, zstd.compress(trained.dict_content)):
        head = b"\x5d\x2a\x4d\x18" + len(stored).to_bytes(4, "little") + stored
        pages, skipped = read(tmp_path, head + packed)
        assert (len(pages), skipped) == (3, [])
    with pytest.raises(UnreadableInputError, match="dictionary"):
        read(tmp_path, b"\x5d\x2a\x4d\x18\x04\0\0\0abcd" + packed)


@pytest.mark.parametrize("content", [b"<html></html>", b"PK\x03\x04", b"\x89PNG", bytes(9000)])
def test_a_file_of_another_kind_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableInputError, match=r"made\.warc is no WARC file"):
        read(tmp_path, content)


@pytest.mark.parametrize(
    "content", [b"WAR", b"\x1f\x8b", b"\x1f\x8b\x08\0\0", b"WARC/1.0\r\nWARC-"]
)
def test_a_file_cut_off_at_its_start_is_truncated(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content) == ([], ["truncated"])


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="Check the path"):
        list(read_pages([tmp_path / "none.warc"], on_skip=lambda *_: None))
