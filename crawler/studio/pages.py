"""The pages that are open: their trees, and where further ones are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from crawler.core.errors import ArgumentError
from crawler.core.page.page import MAX_PAGE_BYTES, Page
from crawler.core.page.parse import ParsedPage, parse
from crawler.core.wrapper.example_nodes import PageEvidence
from crawler.core.wrapper.memory import Memory
from crawler.core.wrapper.tree import PageTree, tree_of
from crawler.core.wrapper.view import View
from crawler.store.sources import is_address, page_of_file, read_source
from crawler.studio.frame import frame_tokens

_LISTED = 500


@dataclass(frozen=True)
class OpenPage:
    """A page that is open, with the trees that are made of it once."""

    number: int
    name: str
    page: Page

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
    def evidence(self) -> PageEvidence:
        """What is known of all nodes for learning, computed once."""
        return PageEvidence(View(self.tree))

    @cached_property
    def memory(self) -> Memory:
        """What rules found here."""
        return Memory()

    def tokens(self, *, pictures: bool) -> list[Any]:
        """Return the page as the browser makes it."""
        return frame_tokens(self.parsed, pictures=pictures)

    def check(self, node: int) -> int:
        """Return a node of this page.

        Raises:
            ArgumentError: there is none of that number.
        """
        if not 0 <= node < len(self.tree):
            raise ArgumentError(f"the page has no node {node}; open it again")
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
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ArgumentError(
            f"{name} is outside of {folder}; start the studio in a folder that contains it"
        )
    return path


def pages_of(folder: Path, name: str, url: str | None) -> list[tuple[str, Page]]:
    """Return the pages of a file or folder, each with the name by which it is opened.

    Raises:
        ArgumentError: it is outside of the folder of the studio.
        UnreadableInputError: it cannot be read.
    """
    path = inside(folder, name)
    if url is not None:
        return [(name, page_of_file(str(path), url, MAX_PAGE_BYTES))]
    return [(name, page) for page in islice(_source(path), _LISTED)]


def _source(path: Path) -> Iterator[Page]:
    return read_source(path, on_skip=lambda _reason, _detail: None)


def list_folder(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the folders and files of a folder that the studio can open, folders first.

    Raises:
        ArgumentError: there is no such folder.
    """
    path = inside(folder, name)
    if not path.is_dir():
        raise ArgumentError(f"{name} is no folder")
    kept = (
        (".h2x", "project"), (".warc", "archive"), (".jsonl", "archive"),
        (".dtd", "shape"), (".medl", "shape"),
    )  # fmt: skip
    pages = (".html", ".htm", ".xhtml", ".shtml", ".mht", ".mhtml")
    found = []
    for entry in sorted(path.iterdir(), key=lambda its: (not its.is_dir(), its.name.lower())):
        if entry.name.startswith(".") or not entry.resolve().is_relative_to(folder.resolve()):
            continue
        if entry.name.endswith(".pages.warc.gz"):
            continue
        bare = entry.name.lower().removesuffix(".gz").removesuffix(".zst")
        kind = next((kind for suffix, kind in kept if bare.endswith(suffix)), "")
        kind = "page" if bare.endswith(pages) else kind
        kind = "folder" if entry.is_dir() else kind
        if kind and not (kind == "folder" and entry.suffix == ".studio"):
            its = entry.relative_to(folder).as_posix()
            found.append({"name": entry.name, "path": its, "kind": kind})
    return found


def is_remote(name: str) -> bool:
    """Tell whether a name is an address that has to be fetched."""
    return is_address(name)
