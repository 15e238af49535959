"""Folders of saved pages: what a browser's "save page as" or a mirroring tool leaves on disk."""

from __future__ import annotations

import gzip
import os
import re
import stat
import zlib
from email import policy
from email.parser import BytesParser
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

from crawler.core.errors import UnreadableInputError
from crawler.core.page.page import MAX_PAGE_BYTES, Page
from crawler.store.archive import ARCHIVE_SUFFIXES, HTML_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import EmailMessage

PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
_MHTML_SUFFIXES = (".mht", ".mhtml")
_SNIFF = 2048  # bytes at the beginning of a file that are looked at
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d+\)(\S+?)\s*-->", re.IGNORECASE)
_HTML_START = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
# A first folder level that names a host: labels and a top level of letters, maybe a port.
_HOST = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)(?::\d+)?|localhost(?::\d+)?",
    re.IGNORECASE,
)
_URL_SAFE = "/:@!$&'()*+,;=~"


def read_folder(
    path: str | os.PathLike[str],
    *,
    base_url: str | None = None,
    on_skip: Callable[[str, str], None],
    max_bytes: int = MAX_PAGE_BYTES,
) -> Iterator[Page]:
    """Give the saved pages below a folder, in an order that does not depend on the file system.

    Pages are files named ``.html``, ``.htm``, ``.xhtml`` or ``.shtml`` (also compressed, ``.gz``),
    single-file saves (``.mht``, ``.mhtml``), and files without an extension that begin as HTML
    does. Other files (images, scripts) are passed over. Links to folders are followed, each real
    folder once.

    A page's url is the first of: the ``saved from url`` comment that browsers write at the top;
    ``base_url`` and the path below the folder; ``http://`` and that path, where its first level is
    named like a host, as mirroring tools do; the file's own ``file://`` address.

    Args:
        path: the folder.
        base_url: the address of the folder.
        on_skip: called with a reason and a detail for a page left out: ``unreadable``,
            ``too-large``, ``undecodable`` (compressed file), ``not-html`` (a single-file save
            without HTML), ``archive`` (a WARC file in the folder).
        max_bytes: larger files are left out, unread.

    Raises:
        UnreadableInputError: the path is no folder or cannot be listed.
    """
    root = Path(path)
    try:
        with os.scandir(root):
            pass
    except OSError as error:
        raise UnreadableInputError(
            f"{root} cannot be read as a folder: {error.strerror or error}. Check the path."
        ) from error
    for file in _files(root, on_skip):
        page = read_saved_page(
            file, root=root, base_url=base_url, on_skip=on_skip, max_bytes=max_bytes
        )
        if page is not None:
            yield page


def is_saved_page(path: Path) -> bool:
    """Say whether a file's name is that of a saved page."""
    name = path.name.lower()
    return name.removesuffix(".gz").endswith(PAGE_SUFFIXES) or name.endswith(_MHTML_SUFFIXES)


def read_saved_page(
    path: Path,
    *,
    root: Path,
    base_url: str | None,
    on_skip: Callable[[str, str], None],
    max_bytes: int = MAX_PAGE_BYTES,
) -> Page | None:
    """Read one saved page below ``root``; ``None`` where it is none, or was left out and reported.

    The arguments are those of :func:`read_folder`.
    """
    if path.name.lower().endswith(ARCHIVE_SUFFIXES):
        on_skip("archive", f"{path}: an archive among saved pages; give its own path to read it")
    try:
        body = _read_file(path, max_bytes)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        on_skip("undecodable", f"{path}: {error}")
        return None
    except OSError as error:
        on_skip("unreadable", f"{path}: {error.strerror or error}")
        return None
    if body is None:
        return None
    if len(body) > max_bytes:
        on_skip("too-large", f"{path}: more than {max_bytes} bytes")
        return None
    fallback = _url_of(path, root, base_url)
    if not path.name.lower().endswith(_MHTML_SUFFIXES):
        return Page(url=_saved_from(body) or fallback, body=body)
    page = _single_file_page(body, fallback)
    if page is None:
        on_skip("not-html", f"{path}: no HTML part in it")
    return page


def _read_file(path: Path, max_bytes: int) -> bytes | None:
    """Read a file, at most one byte more than ``max_bytes``; ``None`` where it is no page."""
    is_named = is_saved_page(path)
    if path.suffix and not is_named:
        return None
    with path.open("rb") as file:
        if not is_named and not _HTML_START.match(file.read(_SNIFF)):
            return None
        file.seek(0)
        body = file.read(max_bytes + 1)
    if path.name.lower().endswith(".gz") and len(body) <= max_bytes:
        with gzip.open(path) as packed:
            body = packed.read(max_bytes + 1)
    return body


def _files(root: Path, on_skip: Callable[[str, str], None]) -> Iterator[Path]:
    """Give all files below a folder, sorted level by level; a real folder is entered once."""
    seen: set[str] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        try:
            entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
        except OSError as error:
            on_skip("unreadable", f"{folder}: {error.strerror or error}")
            continue
        folders = []
        for entry in entries:
            try:
                mode = entry.stat().st_mode
            except OSError:
                yield entry  # a dead link, or no permission: reading it will say which
                continue
            if stat.S_ISDIR(mode):
                folders.append(entry)
            elif stat.S_ISREG(mode):
                yield entry
        waiting += reversed(folders)


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
    return path.absolute().as_uri()


def _single_file_page(content: bytes, fallback: str) -> Page | None:
    """Return the first HTML part of a ``multipart/related`` save, with its address."""
    message: EmailMessage = BytesParser(policy=policy.default).parsebytes(content)
    for part in message.walk():
        if part.get_content_type() not in HTML_TYPES:
            continue
        body = part.get_payload(decode=True)
        if not isinstance(body, bytes):
            continue
        url = str(part.get("Content-Location") or message.get("Snapshot-Content-Location") or "")
        charset = part.get_content_charset()
        return Page(
            url=url.strip() or _saved_from(body) or fallback,
            body=body,
            content_type=part.get_content_type() + (f"; charset={charset}" if charset else ""),
        )
    return None
