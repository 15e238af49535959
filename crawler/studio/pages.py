"""The pages that are open: their trees, and where further ones are found."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from crawler.core.errors import ArgumentError
from crawler.core.page.page import MAX_PAGE_BYTES, Page
from crawler.core.page.parse import ParsedPage, parse
from crawler.core.wrapper.project import Project
from crawler.core.wrapper.rules import Memory
from crawler.core.wrapper.tree import PageTree, tree_of
from crawler.store.files import system_errors
from crawler.store.sources import is_address, page_of_file, read_source
from crawler.studio.frame import frame_tokens

_LISTED = 2_000
_MOST_BYTES = 2_000_000
_OPENED = {
    ".h2x": "project", ".warc": "archive", ".jsonl": "archive", ".dtd": "shape", ".medl": "shape",
    **dict.fromkeys((".html", ".htm", ".xhtml", ".shtml", ".mht", ".mhtml"), "page"),
}  # fmt: skip


@dataclass(eq=False)
class OpenPage:
    """A page that is open: its number, how it was named, and the page itself.

    The trees of it are made once. ``preview`` is what a project did on it, with that project.
    """

    number: int
    name: str
    page: Page
    preview: tuple[Project, dict[str, Any]] | None = field(default=None, init=False)

    @cached_property
    def parsed(self) -> ParsedPage:
        """The page as a tree of elements.

        Raises:
            UnreadablePageError: it is none.
        """
        return parse(self.page)

    @cached_property
    def tree(self) -> PageTree:
        """The tag tree, by whose numbers nodes are named."""
        return tree_of(self.parsed)

    @cached_property
    def memory(self) -> Memory:
        """What rules found here."""
        return Memory()

    def tokens(self, folder: Path, *, pictures: bool) -> list[Any]:
        """Return the page as the browser makes it.

        Args:
            folder: the working folder: styles and pictures that were saved in it with the page are
                shown.
            pictures: whether other pictures are fetched from where they are.
        """
        return frame_tokens(self.parsed, partial(self._saved, folder), pictures=pictures)

    def _saved(self, folder: Path, address: str) -> bytes | None:
        """Return a file that was saved with the page, None where there is none of that name."""
        if is_address(self.name) or not address or ":" in address or address.startswith("/"):
            return None
        name = unquote(address.partition("?")[0].partition("#")[0])
        try:
            path = inside(folder, str(Path(self.name).parent / name))
            return path.read_bytes() if path.stat().st_size <= _MOST_BYTES else None
        except (ArgumentError, OSError):
            return None

    def check(self, node: int) -> int:
        """Return a node of this page.

        Raises:
            ArgumentError: there is none of that number.
        """
        if not 0 <= node < len(self.tree):
            raise ArgumentError(f"the page has no node {node}; open it again").about("node-gone")
        return node

    def described(self) -> dict[str, Any]:
        """Return what the list of pages shows."""
        title = self.parsed.title or ""
        return {"page": self.number, "name": self.name, "url": self.page.url, "title": title}


def inside(folder: Path, name: str) -> Path:
    """Return the path of a name within a folder, links followed.

    Raises:
        ArgumentError: it leads out of the folder.
    """
    # No file has such a name; asking for one is an error of another kind.
    path = (folder / name.replace("\0", "")).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ArgumentError(
            f"{name} is outside of {folder}; start the studio in a folder that contains it"
        ).about("outside", name, folder)
    with system_errors(f"{name} cannot be used", "Check its name", ArgumentError):
        # A pipe would never end.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ArgumentError(f"{name} is neither a file nor a folder").about(
                "no-file-kind", name
            )
    return path


def page_at(folder: Path, name: str, at: int, url: str | None) -> Page:
    """Return one page of a file or folder.

    Args:
        folder: the working folder.
        name: the name of the file or folder.
        at: the number of the page in it, from 0.
        url: the address that a saved page has, where it is known.

    Raises:
        ArgumentError: it is outside of the folder of the studio, or has no such page.
        UnreadableInputError: it cannot be read.
    """
    path = inside(folder, name)
    if url is not None:
        return page_of_file(str(path), url, MAX_PAGE_BYTES)
    skipped: list[str] = []
    pages = read_source(path, on_skip=lambda _reason, detail: skipped.append(detail))
    page = next(islice(pages, at, None), None)
    if page is None:
        why = f": {skipped[-1]}" if skipped else ""
        raise ArgumentError(f"{name} has no page {at + 1} that can be read{why}").about(
            "no-page", name, at + 1, why
        )
    return page


def addresses_in(folder: Path, name: str) -> list[str]:
    """Return the addresses of the first pages of a file or folder, 2,000 at most.

    Raises:
        CorpusError: as :func:`page_at`.
    """
    pages = read_source(inside(folder, name), on_skip=lambda _reason, _detail: None)
    return [page.url for page in islice(pages, _LISTED)]


def _in_order(name: str) -> list[tuple[int, str]]:
    """Return what a name is sorted by: page2 comes before page10."""
    parts = re.findall(r"([0-9]*)([^0-9]*)", name.lower())
    return [(int(number or 0), word) for number, word in parts]


def list_folder(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the folders and files of a folder that the studio can open, folders first.

    Raises:
        ArgumentError: there is no such folder.
    """
    path = inside(folder, name)
    if not path.is_dir():
        raise ArgumentError(f"{name} is no folder").about("no-folder", name)
    found = []
    for entry in sorted(path.iterdir(), key=lambda its: (not its.is_dir(), _in_order(its.name))):
        bare = entry.name.lower().removesuffix(".gz").removesuffix(".zst")
        is_own = entry.suffix == ".studio" or bare.endswith(".pages.warc")
        is_hidden = entry.name.startswith(".") or is_own
        if is_hidden or not entry.resolve().is_relative_to(folder.resolve()):
            continue
        kind = "folder" if entry.is_dir() else _OPENED.get(Path(bare).suffix)
        if kind:
            its = entry.relative_to(folder).as_posix()
            found.append({"name": entry.name, "path": its, "kind": kind})
    return found
