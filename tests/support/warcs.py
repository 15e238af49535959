"""Records of WARC files, written by hand."""

from __future__ import annotations

import gzip
from functools import partial
from typing import TYPE_CHECKING

from crawler.core.page.page import Page
from crawler.store.archive import read_pages

if TYPE_CHECKING:
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
