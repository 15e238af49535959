"""Laws of archives in shards: how they are cut, and how files are split, decides nothing."""

from __future__ import annotations

import gzip
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from backports import zstd
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.core.errors import UnreadableInputError
from crawler.core.page.page import Page
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
    from collections.abc import Callable, Iterator

    from crawler.harvest.archive.work import Shard

    Skip = Callable[[str, str], None]

MOST_BYTES = 10**6
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


def heard(read: Callable[[Skip], Iterator[Page]]) -> tuple[list[Page], list[str]]:
    """Return the pages, and the reasons for which others were left out."""
    pages: list[Page] = []
    reasons: list[str] = []
    try:
        pages.extend(read(lambda reason, _: reasons.append(reason)))
    except UnreadableInputError:
        reasons.append("unreadable")
    return pages, reasons


def by_shards(path: Path, every: int) -> tuple[list[Page], list[str]]:
    """Read an archive in shards, joining those that end within a record, as a harvest does."""
    file = ArchiveFile(path, every)
    while True:
        pages: list[Page] = []
        reasons: list[str] = []
        cut_off: list[bool] = []
        for shard in file.shards:
            found, why, is_open = one_shard(shard)
            pages += found
            reasons += why
            cut_off.append(is_open and not shard.is_last)
        if not file.join(cut_off):
            return pages, reasons


def one_shard(shard: Shard) -> tuple[list[Page], list[str], bool]:
    """Read a shard; tell as well whether it ends elsewhere than between records."""
    is_open: list[bool] = []
    pages, reasons = heard(
        lambda skip: read_stretch(
            shard.stretch,
            on_skip=skip,
            max_bytes=MOST_BYTES,
            on_open=lambda: is_open.append(True),
        )
    )
    return pages, reasons, bool(is_open)


def at_once(path: Path) -> tuple[list[Page], list[str]]:
    """Read an archive as one process does."""
    return heard(lambda skip: read_pages([path], on_skip=skip, max_bytes=MOST_BYTES))


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
        whole, reasons = at_once(path)
        assert len(whole) == len(pages)
        assert reasons == []
        assert by_shards(path, every) == (whole, [])


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**9), st.sampled_from(sorted(PACKERS)))
# What is found again here depends on where the pieces of the file end that are read.
@example(24, ".gz")
@example(163, ".zst")
def test_a_damaged_archive_gives_what_one_process_finds_however_it_is_cut(
    seed: int, suffix: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"pages.warc{suffix}")
        path.write_bytes(b"".join(damaged_members(Random(seed), PACKERS[suffix])))
        whole = at_once(path)
        for every in (300, 3_000, 40_000):
            assert by_shards(path, every) == whole


def damaged_members(draw: Random, pack: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """Give packed records, some of which lie about their length, are cut, or are none."""
    sizes = draw.choice(((10, 200), (10, 20_000, 50_000)))
    for number in range(draw.randint(1, 14)):
        # Some that cannot be packed any smaller, so that pieces of files end within them.
        noise = draw.randbytes(draw.choice(sizes))
        page = Page(f"https://a.example/{number}", b"<p>text</p>" * 30 + noise, "text/html")
        record = record_bytes(page, date=DATE)
        length = len(page.body)
        lies = (length + draw.randint(1, 60_000), draw.randint(0, length), 10**12)
        said, told = b"Content-Length: %d", draw.choice(lies)
        record = draw.choice(
            [record] * 12
            + [
                record.replace(said % length, said % told),
                record.replace(b"Content-Length", b"Content-Width"),
                record[: draw.randrange(len(record))],
                record * 2,
                noise,
            ]
        )
        member = bytearray(pack(record))
        match draw.randrange(12):
            case 0:
                del member[draw.randrange(len(member)) :]
            case 1:
                member[draw.randrange(len(member))] ^= 1 << draw.randrange(8)
            case 2:
                member += draw.choice(TRICKS) + noise
        yield bytes(member)


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
