"""Pages in WARC files: archives of any crawler are read, and own ones are written.

A page that this project writes is an ordinary ``resource`` record, so every WARC tool reads it.
What the standard headers cannot hold exactly is in ``X-Corpus-`` headers beside them, so that the
record gives the same page again.
"""

from __future__ import annotations

import json
import os
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self
from urllib.parse import quote

from crawler.core.errors import StoreError, UnreadableInputError
from crawler.core.page.page import MAX_PAGE_BYTES, Page
from crawler.store.files import append_whole, system_errors, time_of
from crawler.store.payload import PayloadError, undo_encodings
from crawler.store.warc import MAX_HEAD, Record, read_records

ARCHIVE_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_OK = 200
# Characters that stay as they are in a url; "%" is one, so that escapes are not escaped again.
_URL_SAFE = "%/?:@!$&'()*+,;=#[]~"
# Headers that keep an attribute of a page exactly, where the standard header beside it does not.
_STANDARD = {"URL": "WARC-Target-URI", "Content-Type": "Content-Type", "Fetched-At": "WARC-Date"}
# Headers for attributes that no standard header has, and the values that need none.
_FURTHER = {"Site": "", "Encoding": None, "Robots-Tags": (), "TDM-Reservation": ""}
_OTHER_TYPES = {"revisit": "revisit", "continuation": "segmented", "conversion": "not-html"}
_SILENT = frozenset({"request", "metadata", "warcinfo"})


def read_pages(
    paths: Iterable[str | os.PathLike[str]],
    *,
    on_skip: Callable[[str, str], None],
    max_bytes: int = MAX_PAGE_BYTES,
) -> Iterator[Page]:
    """Give the pages of WARC files (plain, ``.gz``, ``.zst``), one at a time, in their order.

    HTML answers with status 200 and HTML ``resource`` records are pages, their transfer and
    content encodings undone; so is every record written by :class:`WarcWriter`, whatever its
    content type. ``request``, ``metadata`` and ``warcinfo`` records are passed over.

    Args:
        paths: the files.
        on_skip: called with a reason and a detail for whatever else is left out. Reasons:
            ``truncated`` and ``corrupt`` (of the file; every whole record is still given),
            ``revisit``, ``segmented``, ``status-404`` and the like, ``not-html``, ``no-url``,
            ``too-large``, ``undecodable``, ``malformed``, ``unknown-record``.
        max_bytes: records and decoded pages larger than this are left out, unread.

    Raises:
        UnreadableInputError: a file cannot be opened or is no WARC file.
    """
    for path in paths:
        errors = system_errors(f"{path} cannot be read", "Check the path.", UnreadableInputError)
        with errors, Path(path).open("rb") as file:
            yield from pages_in(file, str(path), on_skip=on_skip, max_bytes=max_bytes)


def pages_in(
    file: IO[bytes], name: str, *, on_skip: Callable[[str, str], None], max_bytes: int
) -> Iterator[Page]:
    """Give the pages of an open WARC file, as :func:`read_pages` does; ``name`` is for errors.

    Raises:
        OSError: the file cannot be read.
        UnreadableInputError: it is no WARC file.
    """

    def report(reason: str, detail: str) -> None:
        on_skip(reason, f"{name}: {detail}")

    for record in read_records(file, name=name, max_block=max_bytes, on_damage=report):
        try:
            page = page_of(record, max_bytes=max_bytes)
        except PayloadError as error:
            url = _url_of(record)
            report(error.reason, f"{url}: {error.detail}" if url else error.detail)
            continue
        if page is not None:
            yield page


def page_of(record: Record, *, max_bytes: int = MAX_PAGE_BYTES) -> Page | None:
    """Return the page in a record; ``None`` for a record that is not meant to hold one.

    Raises:
        PayloadError: the record is left out, for the reason given.
    """
    headers, kind = record.headers, record.type
    if kind in _SILENT:
        return None
    if kind not in {"response", "resource"}:
        raise PayloadError(_OTHER_TYPES.get(kind, "unknown-record"), f"a record of type {kind!r}")
    if "warc-segment-number" in headers:
        raise PayloadError("segmented", "a page in several records")
    if record.block is None:
        raise PayloadError("too-large", f"{record.length} bytes, more than {max_bytes}")
    if "x-corpus-fields" in headers:
        return _own_page(headers, record.block)
    url = _url_of(record)
    if not url:
        raise PayloadError("no-url", "a record without WARC-Target-URI")
    fetched_at, content_type = headers.get("warc-date", ""), headers.get("content-type", "")
    if record.is_http_response:
        return _response_page(url, record, record.block, max_bytes)
    _check_html(content_type)
    return Page(url=url, body=record.block, content_type=content_type, fetched_at=fetched_at)


def _url_of(record: Record) -> str:
    # Some writers took WARC 1.0 to ask for angle brackets around the address.
    return record.headers.get("warc-target-uri", "").removeprefix("<").removesuffix(">")


def _response_page(url: str, record: Record, payload: bytes, max_bytes: int) -> Page:
    if record.status is None:
        raise PayloadError("malformed", "the block does not begin with an HTTP status line")
    if record.status != _OK:
        raise PayloadError(f"status-{record.status}", f"HTTP status {record.status}")
    headers = dict(reversed(record.http_headers))  # of a repeated header the first
    content_type = headers.get("content-type", "")
    _check_html(content_type)  # before the work of decoding
    return Page(
        url=url,
        body=undo_encodings(payload, headers, max_bytes=max_bytes),
        content_type=content_type,
        fetched_at=record.headers.get("warc-date", ""),
        robots_tags=tuple(value for name, value in record.http_headers if name == "x-robots-tag"),
        tdm_reservation=headers.get("tdm-reservation", ""),
    )


def _check_html(content_type: str) -> None:
    media_type = content_type.partition(";")[0].strip().lower()
    # A page without a type is left to the parser.
    if media_type and media_type not in HTML_TYPES:
        raise PayloadError("not-html", f"its type is {media_type}")


class FieldsError(StoreError):
    """The fields of one page cannot be kept; other pages can."""


class WarcWriter:
    """Writes pages to a WARC file, one gzip member a record.

    When :meth:`write` returns, the operating system has the whole record, so a killed process
    loses no page whose write returned. There is no ``fsync`` per page: a power cut may lose the
    last seconds.

    Args:
        path: the file to create. It must not exist.
        date: ISO 8601 time used as ``WARC-Date`` of pages that carry none, and of the file itself.
        info: lines of the ``warcinfo`` record with which the file begins.
        compression: gzip level, 1 (fast) to 9.

    Raises:
        StoreError: the file exists or cannot be created, or ``date`` is no time.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        date: str,
        info: Mapping[str, str] | None = None,
        compression: int = 1,
    ) -> None:
        self.path = Path(path)
        self._date = _warc_date(date)
        if not self._date:
            raise StoreError(f"{date!r} is no time. Give the start of the crawl in ISO 8601.")
        self._compression = compression
        advice = (
            "Check the folder and its permissions; where another crawl writes the file or left it "
            "behind, move it away or choose another name."
        )
        # Of two processes only one can create the file.
        with system_errors(f"{self.path} cannot be created", advice):
            self._file: IO[bytes] = self.path.open("xb", buffering=0)
        self._size = 0
        self._append(_info_bytes(self.path.name, self._date, info or {}))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, page: Page) -> None:
        """Append a page.

        Raises:
            StoreError: the disk is full, the writer is closed, or ``page.fields`` holds what JSON
                cannot. The file is left as it was before.
        """
        self._append(record_bytes(page, date=self._date, serial=self._size))

    def close(self) -> None:
        """Close the file. Closing twice does no harm."""
        self._file.close()

    def _append(self, record: bytes) -> None:
        if self._file.closed:
            raise StoreError(f"{self.path} is closed: no page can be added any more.")
        packer = zlib.compressobj(self._compression, wbits=31)
        advice = "Free space on the disk or choose another folder; the pages before are safe."
        with system_errors(f"{self.path} cannot be written", advice):
            append_whole(self._file, packer.compress(record) + packer.flush())
        self._size = self._file.tell()


def record_bytes(page: Page, *, date: str, serial: int = 0) -> bytes:
    """Return a page as one WARC ``resource`` record, not compressed.

    Args:
        page: the page.
        date: ``WARC-Date`` where the page has no ``fetched_at``.
        serial: distinguishes records of the same url in one file.

    Raises:
        FieldsError: ``page.fields`` holds what JSON cannot, or far too much.
    """
    try:
        fields = json.dumps(dict(page.fields), ensure_ascii=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise FieldsError(
            f"{page.url}: a field cannot be kept as JSON ({error}). "
            "Give fields as text, numbers, lists and dicts."
        ) from None
    url = quote(page.url, safe=_URL_SAFE, errors="replace") or "urn:x-corpus:none"
    content_type = page.content_type if _is_plain(page.content_type) else ""
    warc_date = _warc_date(page.fetched_at) or _warc_date(date)
    record_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{url} {date} {serial}")
    headers = {
        "WARC-Type": "resource",
        "WARC-Record-ID": f"<urn:uuid:{record_id}>",
        "WARC-Target-URI": url,
        "WARC-Date": warc_date,
        "Content-Type": content_type,
    }
    for name, standard in _STANDARD.items():
        value = getattr(page, _attribute(name))
        headers[f"X-Corpus-{name}"] = "" if value == headers[standard] else json.dumps(value)
    for name, default in _FURTHER.items():
        value = getattr(page, _attribute(name))
        headers[f"X-Corpus-{name}"] = "" if value == default else json.dumps(value)
    headers["X-Corpus-Fields"] = fields
    record = _record(headers, page.body)
    if len(record) - len(page.body) > MAX_HEAD:
        raise FieldsError(
            f"{page.url[:200]}: its fields take more than {MAX_HEAD >> 20} MB as JSON. "
            "Yield smaller fields with the page."
        )
    return record


def _own_page(headers: Mapping[str, str], body: bytes) -> Page:
    values: dict[str, Any] = {
        _attribute(name): headers.get(header.lower(), "") for name, header in _STANDARD.items()
    }
    try:
        for name in (*_STANDARD, *_FURTHER):
            if (kept := headers.get(f"x-corpus-{name.lower()}")) is not None:
                value = json.loads(kept)
                is_list = name == "Robots-Tags"
                values[_attribute(name)] = tuple(map(str, value)) if is_list else str(value)
        return Page(body=body, fields=dict(json.loads(headers["x-corpus-fields"])), **values)
    except (ValueError, TypeError, RecursionError) as error:
        raise PayloadError("malformed", f"an X-Corpus header is damaged ({error})") from None


def _attribute(name: str) -> str:
    return name.lower().replace("-", "_")


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and text == text.strip()


def _warc_date(text: str) -> str:
    """Return a time as a ``WARC-Date``, in UTC with a ``Z``; empty where it is no time."""
    time = time_of(text)
    return "" if time is None else f"{time.replace(tzinfo=None).isoformat()}Z"


def _info_bytes(filename: str, date: str, info: Mapping[str, str]) -> bytes:
    record_id = uuid.uuid5(uuid.NAMESPACE_URL, f"warcinfo {filename} {date}")
    lines = {"software": "scrapy-corpus", "format": "WARC File Format 1.1", **info}
    body = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    headers = {
        "WARC-Type": "warcinfo",
        "WARC-Record-ID": f"<urn:uuid:{record_id}>",
        "WARC-Filename": quote(filename),
        "WARC-Date": date,
        "Content-Type": "application/warc-fields",
    }
    return _record(headers, body.encode("utf-8"))


def _record(headers: Mapping[str, str], block: bytes) -> bytes:
    lines = [f"{name}: {value}\r\n" for name, value in headers.items() if value]
    head = f"WARC/1.1\r\n{''.join(lines)}Content-Length: {len(block)}\r\n\r\n"
    return head.encode("ascii") + block + b"\r\n\r\n"
