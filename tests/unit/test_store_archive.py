"""Archives of any crawler: what is read, what is left out and under which reason."""

from __future__ import annotations

import io
import random
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

import brotli
import fastwarc
import pytest
from backports import zstd
from fastwarc import stream_io

from crawler.core.errors import StoreError
from crawler.core.page.page import Page
from crawler.store.archive import WarcWriter, read_pages, record_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

from support.warcs import HTML, STARTED, answer, gzipped, read, record


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
        (["Transfer-Encoding: chunked"], b"f" * 40 + b"\r\n" + HTML),
        (["Content-Encoding: gzip"], gzipped(HTML) + b"trailing"),
    ],
)
def test_encodings_are_undone(tmp_path: Path, headers: list[str], payload: bytes) -> None:
    pages, skipped = read(tmp_path, record(answer(payload, *headers)))
    assert [page.body for page in pages] == [HTML]
    assert skipped == []


@pytest.mark.parametrize(
    ("name", "pack"),
    [("br", partial(brotli.compress, quality=5)), ("zstd", zstd.compress)],
    ids=["br", "zstd"],
)
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
