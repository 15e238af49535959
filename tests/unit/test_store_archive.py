"""Archives of any crawler: what is read, what is left out and under which reason."""

from __future__ import annotations

import gzip
import io
import random
import tracemalloc
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

import brotli
import fastwarc
import pytest
from backports import zstd
from fastwarc import stream_io

from crawler.core.errors import StoreError, UnreadableInputError
from crawler.core.page.page import Page
from crawler.store.archive import WarcWriter, read_pages, record_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Without the time, which would stand in the names of tests.
gzipped = partial(gzip.compress, mtime=0)

HTML = "<p>안녕하세요</p>".encode() * 20
STARTED = "2024-05-01T10:00:00Z"


def record(block: bytes, **headers: str) -> bytes:
    lines = {
        "WARC-Type": "response",
        "WARC-Target-URI": "http://a.example/",
        "WARC-Date": STARTED,
        "Content-Type": "application/http; msgtype=response",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"WARC/1.0\r\n{head}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"


def answer(payload: bytes = HTML, *headers: str, status: str = "200 OK") -> bytes:
    lines = (
        headers
        if any(h.startswith("Content-Type") for h in headers)
        else (
            "Content-Type: text/html; charset=utf-8",
            *headers,
        )
    )
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", *lines) if line)
    return f"{head}\r\n".encode() + payload


def read(
    tmp_path: Path, content: bytes, *, max_bytes: int = 10 << 20
) -> tuple[list[Page], list[str]]:
    path = tmp_path / "made.warc"
    path.write_bytes(content)
    skipped: list[str] = []

    def on_skip(reason: str, detail: str) -> None:
        assert str(path) in detail
        skipped.append(reason)

    return list(read_pages([path], on_skip=on_skip, max_bytes=max_bytes)), skipped


def chunked(payload: bytes) -> bytes:
    half = len(payload) // 2
    return b"%x;note=1\r\n%b\r\n%X\r\n%b\r\n0\r\n\r\n" % (
        half,
        payload[:half],
        len(payload) - half,
        payload[half:],
    )


def raw_deflate(payload: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(payload) + packer.flush()


def test_an_answer_gives_its_page(tmp_path: Path) -> None:
    pages, skipped = read(tmp_path, record(answer(), WARC_Target_URI="<http://a.example/1>"))
    assert pages == [
        Page(
            url="http://a.example/1",
            body=HTML,
            content_type="text/html; charset=utf-8",
            fetched_at=STARTED,
        )
    ]
    assert skipped == []


def test_what_the_headers_of_an_answer_ask_of_robots_comes_along(tmp_path: Path) -> None:
    asked = answer(
        HTML,
        "X-Robots-Tag: otherbot: noindex",
        "x-robots-tag: noai,",
        "  nofollow",
        "TDM-Reservation: 1",
        "tdm-reservation: 0",
    )
    pages, _ = read(tmp_path, record(asked) + record(answer()))
    assert [(page.robots_tags, page.tdm_reservation) for page in pages] == [
        (("otherbot: noindex", "noai, nofollow"), "1"),
        ((), ""),
    ]


def test_the_record_of_a_page_keeps_what_its_headers_ask(tmp_path: Path) -> None:
    asking = Page("http://a.example/", HTML, robots_tags=("noai", "b: none"), tdm_reservation="1")
    written = record_bytes(asking, date=STARTED)
    assert b'\r\nX-Corpus-Robots-Tags: ["noai", "b: none"]\r\n' in written
    assert b'\r\nX-Corpus-TDM-Reservation: "1"\r\n' in written
    silent = record_bytes(Page("http://a.example/", HTML), date=STARTED)
    assert b"Robots" not in silent
    assert b"TDM" not in silent
    damaged = written.replace(b'["noai", "b: none"]', b'["noai", "b: none"')
    pages, skipped = read(tmp_path, written + damaged)
    assert [page.robots_tags for page in pages] == [("noai", "b: none")]
    assert skipped == ["malformed"]


@pytest.mark.parametrize(
    ("headers", "payload"),
    [
        (["Content-Encoding: gzip"], gzipped(HTML)),
        (["Content-Encoding: x-gzip"], gzipped(HTML)),
        (["content-encoding: GZIP"], gzipped(HTML[:60]) + gzipped(HTML[60:])),
        (["Content-Encoding: deflate"], zlib.compress(HTML)),
        (["Content-Encoding: deflate"], raw_deflate(HTML)),
        (["Transfer-Encoding: chunked"], chunked(HTML)),
        (
            ["Transfer-Encoding: chunked", "Content-Encoding: gzip"],
            chunked(gzipped(HTML)),
        ),
        (["Content-Encoding: deflate, gzip"], gzipped(zlib.compress(HTML))),
        (["Content-Encoding: identity"], HTML),
        # Stored decoded, the headers as they were sent:
        (["Content-Encoding: gzip"], HTML),
        (["Content-Encoding: br"], HTML),
        (["Content-Encoding: made-up"], HTML),
        (["Transfer-Encoding: chunked"], HTML),
        (["Content-Encoding: gzip"], gzipped(HTML) + b"trailing"),
    ],
)
def test_encodings_are_undone(tmp_path: Path, headers: list[str], payload: bytes) -> None:
    pages, skipped = read(tmp_path, record(answer(payload, *headers)))
    assert [page.body for page in pages] == [HTML]
    assert skipped == []


@pytest.mark.parametrize(("name", "pack"), [("br", brotli.compress), ("zstd", zstd.compress)])
def test_brotli_and_zstd_are_undone(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    content = record(answer(pack(HTML), f"Content-Encoding: {name}"))
    assert [page.body for page in read(tmp_path, content)[0]] == [HTML]
    bomb = record(answer(pack(b"a" * 50_000_000), f"Content-Encoding: {name}"))
    assert read(tmp_path, bomb) == ([], ["too-large"])
    long = b"<p>%s</p>" % random.Random(1).randbytes(300_000).hex().encode()
    (cut,), skipped = read(tmp_path, record(answer(pack(long)[:-9], f"Content-Encoding: {name}")))
    assert long.startswith(cut.body)
    assert len(cut.body) > 200_000
    assert skipped == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (record(answer(status="404 Not Found")), "status-404"),
        (record(answer(status="301 Moved")), "status-301"),
        (record(answer(b"\xff\xd8\xff", "Content-Type: image/jpeg")), "not-html"),
        (record(b"{}", WARC_Type="resource", Content_Type="application/json"), "not-html"),
        (record(b"some text", WARC_Type="conversion", Content_Type="text/plain"), "not-html"),
        (record(b"", WARC_Type="revisit"), "revisit"),
        (record(b"rest", WARC_Type="continuation"), "segmented"),
        (record(answer(), WARC_Segment_Number="1"), "segmented"),
        (record(b"x", WARC_Type="made-up"), "unknown-record"),
        (record(answer(), WARC_Target_URI=""), "no-url"),
        (record(b"no head at all"), "malformed"),
        (record(b"x", WARC_Type="resource", X_Corpus_Fields="{"), "malformed"),
        (record(answer(b"\0\1\2", "Content-Encoding: gzip")), "undecodable"),
        (record(answer(b"\0\1\2", "Content-Encoding: made-up")), "undecodable"),
        (record(answer(b"<" * 5000)), "too-large"),
        (record(answer(gzipped(b"<" * 5000), "Content-Encoding: gzip")), "too-large"),
    ],
)
def test_what_is_no_page_is_counted_and_the_next_is_read(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    pages, skipped = read(tmp_path, content + record(answer()), max_bytes=4000)
    assert [page.body for page in pages] == [HTML]
    assert skipped == [reason]


def test_what_never_holds_a_page_is_passed_over(tmp_path: Path) -> None:
    content = b"".join(record(b"x", WARC_Type=name) for name in ("warcinfo", "request", "metadata"))
    assert read(tmp_path, content) == ([], [])


def test_an_answer_without_a_type_is_left_to_the_parser(tmp_path: Path) -> None:
    pages, skipped = read(tmp_path, record(answer(HTML, "Content-Type:")))
    assert (pages[0].content_type, skipped) == ("", [])


def test_headers_are_read_as_loosely_as_they_are_written(tmp_path: Path) -> None:
    strict = record(answer())
    head, _, block = strict.partition(b"\r\n\r\n")
    lower = head.replace(b"WARC-Target-URI: ", b"warc-target-uri:\t")
    lower = lower.replace(b"WARC-Type", b"warc-type").replace(b"Content-Type", b"CONTENT-TYPE")
    folded = head.replace(
        b"Content-Type: application/http;", b"Content-Type: application/http;\r\n "
    )
    unix = strict.replace(b"\r\n", b"\n").replace(
        b"Content-Length: %d" % (len(block) - 4),
        b"Content-Length: %d" % (len(answer().replace(b"\r\n", b"\n"))),
    )
    broken = head + b"\r\nX-Note: \xff\xfe"
    content = b"".join(part + b"\r\n\r\n" + block for part in (lower, folded, broken))
    for form, number in ((content, 3), (unix * 2, 2), (gzipped(unix) * 2, 2)):
        pages, skipped = read(tmp_path, form)
        assert [(page.url, page.body) for page in pages] == [("http://a.example/", HTML)] * number
        assert skipped == []
    latin = strict.replace(b"http://a.example/", b"http://a.example/caf\xe9")
    assert [page.url for page in read(tmp_path, latin)[0]] == ["http://a.example/caf\xe9"]


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


def test_other_tools_read_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "own.warc.gz"
    page = Page("http://a.example/한", HTML, "text/html", fetched_at="2024-05-01T19:00:00.5+09:00")
    with WarcWriter(path, date=STARTED) as writer:
        writer.write(page)
        writer.write(Page("", b"", "t\n", fetched_at="yesterday"))
    info, first, second = [
        (dict(one.headers.to_tuples()), one.reader.read())
        for one in fastwarc.ArchiveIterator(str(path), parse_http=False)
    ]
    assert info[0]["WARC-Type"] == "warcinfo"
    assert first[0]["WARC-Target-URI"] == "http://a.example/%ED%95%9C"
    assert first[0]["WARC-Date"] == "2024-05-01T10:00:00.500000Z"
    assert first[0]["Content-Type"] == "text/html"
    assert first[1] == HTML
    assert second[0]["WARC-Date"] == STARTED
    assert first[0]["WARC-Record-ID"] != second[0]["WARC-Record-ID"]
    assert next(iter(read_pages([path], on_skip=lambda *_: None))) == page


@pytest.mark.parametrize("packer", ["GzipWriter", "ZstdWriter", None])
def test_what_other_tools_write_is_read(tmp_path: Path, packer: str | None) -> None:
    buffer = io.BytesIO()
    stream: Any = getattr(stream_io, packer)(buffer) if packer else buffer
    for number in range(3):
        one = fastwarc.WarcRecord()
        one.init_headers(fastwarc.WarcRecordType.response)
        one.headers["WARC-Target-URI"] = f"http://a.example/{number}"
        one.headers["Content-Type"] = "application/http; msgtype=response"
        one.is_http = True
        one.set_bytes_content(answer())
        one.write(stream)
        if packer:
            stream.finish()
    stream.flush()
    pages, skipped = read(tmp_path, buffer.getvalue())
    assert [page.url[-1] for page in pages] == ["0", "1", "2"]
    assert skipped == []


def test_fields_that_are_no_json_are_an_error_and_leave_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "own.warc.gz"
    with WarcWriter(path, date=STARTED) as writer:
        with pytest.raises(StoreError, match="cannot be kept as JSON"):
            writer.write(Page("http://a.example/", b"x", fields={"when": object()}))
        with pytest.raises(StoreError, match="smaller fields"):
            writer.write(Page("http://a.example/", b"x", fields={"long": "x" * (17 << 20)}))
        writer.write(Page("http://a.example/", b"x", fields={"long": "x" * (1 << 20)}))
    assert len(list(read_pages([path], on_skip=lambda *_: None))) == 1
    with pytest.raises(StoreError, match="closed"):
        writer.write(Page("http://a.example/", b"x"))


def test_a_writer_never_takes_a_file_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "own.warc.gz"
    path.write_bytes(b"mine")
    with pytest.raises(StoreError, match="File exists"):
        WarcWriter(path, date=STARTED)
    with pytest.raises(StoreError, match="cannot be created"):
        WarcWriter(tmp_path / "none" / "a.warc.gz", date=STARTED)
    with pytest.raises(StoreError, match="no time"):
        WarcWriter(tmp_path / "b.warc.gz", date="now")
    assert path.read_bytes() == b"mine"
