"""Pages on disk, of any kind: archives, folders of saved pages, lists in JSON Lines."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from crawler.core.errors import ArgumentError, UnreadableInputError
from crawler.core.page.page import MAX_PAGE_BYTES, Page
from crawler.store.archive import ARCHIVE_SUFFIXES, read_pages
from crawler.store.folders import is_saved_page, read_folder, read_saved_page

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

LISTS = (".jsonl", ".jsonl.gz")
"""How names of lists of pages end."""
# A character of a page takes at most this many bytes in JSON: six of an escape, or twelve of a
# pair of them for the four UTF-8 bytes of one beyond the basic plane.
_JSON_GROWTH = 6
_LINE_EXTRA = 1 << 20  # room for the other keys of a line


def read_source(
    path: str | os.PathLike[str],
    *,
    base_url: str | None = None,
    on_skip: Callable[[str, str], None],
    max_bytes: int = MAX_PAGE_BYTES,
) -> Iterator[Page]:
    """Give the pages of a folder or file of any kind.

    A folder gives its saved pages (:func:`crawler.store.folders.read_folder`); a ``.warc``,
    ``.warc.gz`` or ``.warc.zst`` file the pages archived in it
    (:func:`crawler.store.archive.read_pages`); a ``.jsonl`` or ``.jsonl.gz`` file one page a line,
    from ``url`` and ``html``, where ``site`` and ``fetched_at`` are the page's own and every other
    key becomes one of its fields; a single saved page itself.

    Args:
        path: the folder or file.
        base_url: the address of a folder of saved pages.
        on_skip: called with a reason and a detail for every page left out.
        max_bytes: larger pages are left out.

    Raises:
        UnreadableInputError: the path does not exist, cannot be read, or is of another kind.
    """
    source = Path(path)
    name = source.name.lower()
    if source.is_dir():
        return read_folder(source, base_url=base_url, on_skip=on_skip, max_bytes=max_bytes)
    if not source.exists():
        raise UnreadableInputError(f"{source} does not exist. Check the path.")
    if name.endswith(ARCHIVE_SUFFIXES):
        return read_pages([source], on_skip=on_skip, max_bytes=max_bytes)
    if name.endswith(LISTS):
        return _read_list(source, on_skip, max_bytes)
    if is_saved_page(source):
        page = read_saved_page(
            source, root=source.parent, base_url=base_url, on_skip=on_skip, max_bytes=max_bytes
        )
        return iter(() if page is None else (page,))
    raise UnreadableInputError(
        f"{source} is of no kind that can be read. Give a folder of saved pages, a saved page "
        f"(.html, .htm, .xhtml, .shtml, .mhtml), an archive ({', '.join(ARCHIVE_SUFFIXES)}), or a "
        f"list of pages with url and html on each line ({', '.join(LISTS)})."
    )


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


def check_address(url: str) -> None:
    """Refuse what is no http or https address.

    Raises:
        ArgumentError: it is none.
    """
    try:
        parts = urlsplit(url)
        usable = is_address(url) and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ArgumentError(f"{url} is no http(s) address; give one such as https://blog.example/a")


def page_of_file(path: str, url: str | None, max_bytes: int) -> Page:
    """Read a saved page.

    Args:
        path: the file.
        url: the address that the page has; without it, the file's own.
        max_bytes: a larger page is refused.

    Raises:
        ArgumentError: ``url`` is no http(s) address.
        UnreadableInputError: there is no such file, or it holds no page or more than one.
    """
    if url is not None:
        check_address(url)
    if not Path(path).is_file():
        raise UnreadableInputError(f"{path} is no file; give a saved page or an http(s) address")
    # An archive may be large, so no more than two pages are read.
    pages = list(islice(read_source(path, on_skip=_refuse, max_bytes=max_bytes), 2))
    if len(pages) != 1:
        raise UnreadableInputError(
            f"{path} holds {'no page' if not pages else 'several pages'}; give one saved page, "
            "or read archives with 'scrapy crawl archive'"
        )
    return replace(pages[0], url=url) if url else pages[0]


def _refuse(reason: str, detail: str) -> None:
    raise UnreadableInputError(f"{detail} ({reason})")
