"""Pages on disk, of any kind: archives, folders of saved pages, lists in JSON Lines.

Saved pages are what a browser's "save page as" or a mirroring tool leaves on disk.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from html import unescape
from itertools import islice
from mimetypes import guess_type
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import quote, urljoin

from crawler.core.errors import UnreadableInputError
from crawler.core.page.page import LOCAL_SITE, MAX_PAGE_BYTES, Page
from crawler.store.archive import ARCHIVE_SUFFIXES, HTML_TYPES, read_pages
from crawler.store.files import system_errors

logger = logging.getLogger(__name__)

LISTS = (".jsonl", ".jsonl.gz")
"""How names of lists of pages end."""
# A character of a page takes at most this many bytes in JSON: six of an escape, or twelve of a
# pair of them for the four UTF-8 bytes of one beyond the basic plane.
_JSON_GROWTH = 6
_LINE_EXTRA = 1 << 20  # room for the other keys of a line
PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
_MHTML_SUFFIXES = (".mht", ".mhtml")
_MEDIA: Final = ("image/", "audio/", "video/", "font/", "text/css", "text/javascript")
_COPIES: Final = ("~", ".bak", ".orig", ".swp", ".tmp")
_SNIFF = 2048  # bytes at the beginning of a file that are looked at
# Of a head of a message. No address is longer.
_HEAD_CHARS: Final = 4_000
_FOLD: Final = re.compile(r"\r?\n[ \t]+")
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d+\)(\S+?)\s*-->", re.IGNORECASE)
_HTML_START = re.compile(
    # Possessive: a run of comments is read in one way only.
    rb"^(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*>\s*+)?(?:(?><!--.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
# A first folder level that names a host: labels and a top level of letters, maybe a port.
_HOST = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)(?::\d+)?|localhost(?::\d+)?",
    re.IGNORECASE,
)
_URL_SAFE = "/:@!$&'()*+,;=~"


def _logged(reason: str, detail: str) -> None:
    logger.warning("Left out (%s): %s", reason, detail)


def read_source(
    path: str | os.PathLike[str],
    *,
    base_url: str | None = None,
    on_skip: Callable[[str, str], None] = _logged,
    max_bytes: int = MAX_PAGE_BYTES,
) -> Iterator[Page]:
    """Give the pages of a folder or file of any kind.

    A ``.warc``, ``.warc.gz`` or ``.warc.zst`` file gives the pages archived in it
    (:func:`crawler.store.archive.read_pages`); a ``.jsonl`` or ``.jsonl.gz`` file one page a line,
    from ``url`` and ``html``, where ``site`` and ``fetched_at`` are the page's own and every other
    key becomes one of its fields; a single saved page itself; a folder the saved pages below it, in
    an order that does not depend on the file system.

    Saved pages are files named ``.html``, ``.htm``, ``.xhtml`` or ``.shtml`` (also compressed,
    ``.gz``), single-file saves (``.mht``, ``.mhtml``), and files of any name that begin as HTML
    does, as ``index.php?id=3``. Other files of a folder (images, scripts, copies of editors) are
    passed over. Links to
    folders are followed, each real folder once.

    A saved page's url is the first of: the ``saved from url`` comment that browsers write at the
    top; ``base_url`` and the path below the folder; ``http://`` and that path, where its first
    level is named like a host, as mirroring tools do; the file's own ``file://`` address. Pages of
    a folder that have no address but that are of the site that is named like the folder.

    Args:
        path: the folder or file.
        base_url: the address of a folder of saved pages.
        on_skip: called with a reason and a detail for every page left out; by default they are
            logged as warnings. Of saved pages:
            ``unreadable``, ``too-large``, ``undecodable`` (compressed file), ``not-html`` (a
            single-file save without HTML), ``archive`` (a WARC file in the folder).
        max_bytes: larger pages are left out.

    Raises:
        UnreadableInputError: the path does not exist, cannot be read, or is of another kind, or
            ``base_url`` is no address.
    """
    if base_url and not is_address(base_url):
        raise UnreadableInputError(f"base_url is {base_url!r}; give it with http:// or https://.")
    source = Path(path)
    name = source.name.lower()
    if not source.exists():
        raise UnreadableInputError(f"{source} does not exist. Check the path.").about(
            "no-file", source
        )
    if name.endswith(ARCHIVE_SUFFIXES) and not source.is_dir():
        return read_pages([source], on_skip=on_skip, max_bytes=max_bytes)
    if name.endswith(LISTS) and not source.is_dir():
        return _read_list(source, on_skip, max_bytes)
    if source.is_dir():
        pages = _saved_pages(source, _files(source, on_skip), base_url, on_skip, max_bytes)
        # A name need not be in the encoding of the system.
        name = os.fsencode(source.resolve().name).decode("utf-8", "replace")
        return (_of_folder(page, name) for page in pages)
    with system_errors(f"{source} cannot be read", "Check the file.", UnreadableInputError):
        is_page = _is_saved_page(source) or (source.is_file() and _begins_as_html(source))
    if is_page:
        return _saved_pages(source.parent, [source], base_url, on_skip, max_bytes)
    raise UnreadableInputError(
        f"{source} is of no kind that can be read. Give a folder of saved pages, a saved page "
        f"(.html, .htm, .xhtml, .shtml, .mhtml), an archive ({', '.join(ARCHIVE_SUFFIXES)}), or a "
        f"list of pages with url and html on each line ({', '.join(LISTS)})."
    ).about("file-kind", source)


def _read_list(path: Path, on_skip: Callable[[str, str], None], max_bytes: int) -> Iterator[Page]:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            for number, line in enumerate(_lines(file, max_bytes), start=1):
                if line is None:
                    on_skip("too-large", f"{path}, line {number}: far more than {max_bytes} bytes")
                elif line.strip():
                    page = _page_of_line(line, f"{path}, line {number}", on_skip, max_bytes)
                    if page is not None:
                        yield page
    except EOFError as error:
        on_skip("truncated", f"{path}: {error}")
    except (zlib.error, gzip.BadGzipFile) as error:
        on_skip("corrupt", f"{path}: {error}; nothing after it was read")
    except OSError as error:
        raise UnreadableInputError(
            f"{path} cannot be read: {error.strerror or error}. Check the file."
        ) from error


def _lines(file: IO[bytes] | gzip.GzipFile, max_bytes: int) -> Iterator[bytes | None]:
    """Give the lines of a file; ``None`` for one too long for a page of the size allowed."""
    limit = max_bytes * _JSON_GROWTH + _LINE_EXTRA
    while line := file.readline(limit):
        if len(line) < limit or line.endswith(b"\n"):
            yield line
            continue
        while (rest := file.readline(limit)) and not rest.endswith(b"\n"):
            pass
        yield None


def _page_of_line(
    line: bytes, where: str, on_skip: Callable[[str, str], None], max_bytes: int
) -> Page | None:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        on_skip("malformed", f"{where}: no JSON ({error})")
        return None
    texts = (row.get("url"), row.get("html")) if isinstance(row, dict) else ()
    if not texts or not all(isinstance(text, str) for text in texts) or not texts[0]:
        on_skip("malformed", f"{where}: an object with the texts url and html is needed")
        return None
    url, html = row.pop("url"), row.pop("html")
    own = {name: row.pop(name, "") for name in ("fetched_at", "site")}
    own = {name: value if isinstance(value, str) else "" for name, value in own.items()}
    page = Page.from_text(url, html, **own, fields=row)
    if len(page.body) > max_bytes:
        on_skip("too-large", f"{where}: {len(page.body)} bytes, more than {max_bytes}")
        return None
    return page


def is_address(source: str) -> bool:
    """Tell whether a source is an address to fetch, and no file."""
    return source.lower().startswith(("http://", "https://"))


def page_of_file(path: str, url: str | None, max_bytes: int) -> Page:
    """Read a saved page.

    Args:
        path: the file.
        url: the http(s) address that the page has; without it, the file's own.
        max_bytes: a larger page is refused.

    Raises:
        UnreadableInputError: there is no such file, or it holds no page or more than one.
    """
    if not Path(path).is_file():
        raise UnreadableInputError(
            f"{path} is no file; give a saved page or an http(s) address, or read a folder with "
            "'scrapy corpus --archive'"
        ).about("no-file", path)
    # An archive may be large, so no more than two pages are read.
    pages = list(islice(read_source(path, on_skip=_refuse, max_bytes=max_bytes), 2))
    if len(pages) != 1:
        raise UnreadableInputError(
            f"{path} holds {'no page' if not pages else 'several pages'}; give one saved page, "
            "or read archives with 'scrapy corpus --archive'"
        ).about("not-one-page", path)
    return replace(pages[0], url=url) if url else pages[0]


def _refuse(reason: str, detail: str) -> None:
    raise UnreadableInputError(f"{detail} ({reason})")


def _is_saved_page(path: Path) -> bool:
    name = path.name.lower()
    return name.removesuffix(".gz").endswith(PAGE_SUFFIXES) or name.endswith(_MHTML_SUFFIXES)


def _is_other(name: str) -> bool:
    """Say whether a file is named as pictures and scripts are, or as the copy of an editor."""
    kind = guess_type(name)[0] or ""
    return kind.startswith(_MEDIA) or name.endswith(_COPIES)


def _begins_as_html(path: Path) -> bool:
    """Say whether a file begins as HTML does.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return _HTML_START.match(file.read(_SNIFF)) is not None


def _saved_pages(
    root: Path,
    files: Iterable[Path],
    base_url: str | None,
    on_skip: Callable[[str, str], None],
    max_bytes: int,
) -> Iterator[Page]:
    for path in files:
        if path.name.lower().endswith(ARCHIVE_SUFFIXES):
            on_skip("archive", f"{path}: an archive among saved pages; give its own path")
        try:
            body = _read_file(path, max_bytes)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            on_skip("undecodable", f"{path}: {error}")
            continue
        except OSError as error:
            on_skip("unreadable", f"{path}: {error.strerror or error}")
            continue
        if body is None:
            continue
        url = _url_of(path, root, base_url)
        if len(body) > max_bytes:
            on_skip("too-large", f"{path}: more than {max_bytes} bytes")
        elif not path.name.lower().endswith(_MHTML_SUFFIXES):
            yield Page(url=_saved_from(body) or url, body=body)
        else:
            try:
                page = _single_file_page(body, url)
            except RecursionError:  # parts within parts
                page = None
            if page is None:
                on_skip("not-html", f"{path}: no HTML part in it")
            else:
                yield page


def _of_folder(page: Page, name: str) -> Page:
    """Return a page with the name of its folder as its site, where its address names no host."""
    return replace(page, site=name) if page.site_name == LOCAL_SITE else page


def _read_file(path: Path, max_bytes: int) -> bytes | None:
    """Read a file, at most one byte more than ``max_bytes``; ``None`` where it is no page."""
    if not _is_saved_page(path) and (_is_other(path.name.lower()) or not _begins_as_html(path)):
        return None
    with path.open("rb") as file:
        body = file.read(max_bytes + 1)
    if path.name.lower().endswith(".gz") and len(body) <= max_bytes:
        with gzip.open(path) as packed:
            body = packed.read(max_bytes + 1)
    return body


def _files(root: Path, on_skip: Callable[[str, str], None]) -> Iterator[Path]:
    """Give all files below a folder, sorted level by level; a real folder is entered once."""
    what = f"{root} cannot be read as a folder"
    with system_errors(what, "Check the path.", UnreadableInputError), os.scandir(root):
        pass

    def skip(error: OSError) -> None:
        on_skip("unreadable", f"{error.filename}: {error.strerror or error}")

    seen: set[str] = set()
    for folder, folders, names in os.walk(root, onerror=skip, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        for path in (Path(folder, name) for name in sorted(names)):
            try:
                is_file = stat.S_ISREG(path.stat().st_mode)
            except OSError:
                is_file = True  # a dead link, or no permission: reading it will say which
            if is_file:
                yield path


def _saved_from(body: bytes) -> str:
    match = _SAVED_FROM.search(body[:_SNIFF])
    return unescape(match[1].decode("utf-8", "replace")) if match else ""


def _url_of(path: Path, root: Path, base_url: str | None) -> str:
    below = path.relative_to(root)
    # A name that is not in the system's encoding still has bytes, which a url can hold.
    relative = quote(os.fsencode(below.as_posix()), safe=_URL_SAFE)
    if base_url:
        return urljoin(base_url.rstrip("/") + "/", relative)
    if len(below.parts) > 1 and _HOST.fullmatch(below.parts[0]):
        return f"http://{relative}"
    return (root.resolve() / below).as_uri()


class _Message(Message):
    """A message of whose heads the beginning is read: Python's readers of them are quadratic."""

    def get(self, name: str, failobj: Any = None) -> Any:  # noqa: ANN401 - as the class's
        """Return the beginning of a head."""
        found = super().get(name, None)
        return failobj if found is None else str(found)[:_HEAD_CHARS]


def _single_file_page(content: bytes, fallback: str) -> Page | None:
    """Return the first HTML part of a ``multipart/related`` save, with its address."""
    # Not by `policy.default`, which reads comments within comments in quadratic time.
    message = BytesParser(_Message).parsebytes(content)
    for part in message.walk():
        if part.get_content_type() not in HTML_TYPES:
            continue
        body = part.get_payload(decode=True)
        if not isinstance(body, bytes):
            continue
        url = _address_in(part, "content-location")
        url = url or _address_in(message, "snapshot-content-location")
        charset = part.get_content_charset()
        return Page(
            url=url or _saved_from(body) or fallback,
            body=body,
            content_type=part.get_content_type() + (f"; charset={charset}" if charset else ""),
        )
    return None


def _address_in(message: Message, name: str) -> str:
    """Return the address that a head gives, in UTF-8 or in encoded words; "" if it gives none."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name), "")
    text = _FOLD.sub("", str(raw)).strip()
    if len(text) > _HEAD_CHARS:
        return ""
    if text.startswith("=?"):
        with suppress(LookupError, ValueError, HeaderParseError):
            return str(make_header(decode_header(text)))
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
