"""Laws of archives in shards: how they are cut, and how files are split, decides nothing."""

from __future__ import annotations

import gzip
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.core.page import Page
from crawler.harvest.archive.inputs import ArchiveFile
from crawler.store.archive import read_pages, record_bytes
from crawler.store.cuts import read_stretch
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
    from collections.abc import Callable

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".zst": zstd.compress,
    "": bytes,
}
# What stands in bodies that are archives themselves, or look like one.
TRICKS = [
    b"WARC/1.1\r\n",
    b"\r\n\r\nWARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n",
    gzip.compress(b"WARC/1.1\r\nContent-Length: 9\r\n\r\n"),
    zstd.compress(b"WARC/1.1\r\nContent-Length: 9\r\n\r\n"),
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
]
bodies = st.lists(
    st.one_of(st.sampled_from(TRICKS), st.binary(max_size=40), st.just(b"<p>text</p>" * 40)),
    max_size=6,
).map(b"".join)


def pass_over(reason: str, detail: str) -> None:
    """Tell nothing."""


def pages_by_shards(path: Path, every: int) -> list[Page]:
    """Read an archive in shards, joining those that end within a record, as a harvest does."""
    file = ArchiveFile(path, every)
    while True:
        found: list[list[Page]] = []
        cut_off: list[bool] = []
        for shard in file.shards:
            reasons: list[str] = []

            def note(reason: str, _: str, reasons: list[str] = reasons) -> None:
                reasons.append(reason)

            found.append(list(read_stretch(shard.stretch, on_skip=note, max_bytes=10**6)))
            cut_off.append("truncated" in reasons and not shard.is_last)
        if not file.join(cut_off):
            return [page for pages in found for page in pages]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(bodies, min_size=1, max_size=12),
    st.sampled_from(sorted(PACKERS)),
    st.integers(1, 3_000),
)
def test_a_whole_archive_gives_its_pages_however_it_is_cut(
    contents: list[bytes], suffix: str, every: int
) -> None:
    pages = [Page(f"https://a.example/{n}", body, "text/html") for n, body in enumerate(contents)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"pages.warc{suffix}")
        pack = PACKERS[suffix]
        path.write_bytes(b"".join(pack(record_bytes(page, date=DATE)) for page in pages))
        whole = list(read_pages([path], on_skip=pass_over, max_bytes=10**6))
        assert len(whole) == len(pages)
        assert pages_by_shards(path, every) == whole


@cache
def made() -> tuple[list[Page], list[bytes]]:
    """Make pages, and what one process makes of them."""
    pages = made_pages(2, 4, seed=9)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_archive(Path(folder), pages, 1)
        return pages, one_process(paths, options_for(Path(folder)))[0]


@settings(deadline=None, max_examples=5)
@given(st.lists(st.integers(0, 60), max_size=4), st.integers(500, 40_000))
def test_one_order_of_pages_gives_one_corpus_however_files_are_split(
    cuts: list[int], every: int
) -> None:
    pages, lines = made()
    ends = sorted({0, len(pages), *(min(cut, len(pages)) for cut in cuts)})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [
            write_archive(folder / str(start), pages[start:end], 1)[0]
            for start, end in pairwise(ends)
        ]
        harvest(paths, folder, options_for(folder), shard_bytes=every)
        assert lines_of(folder) == lines
