"""Project files on disk, and beside each the pages that it was taught."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadableInputError, UnreadablePageError
from crawler.core.wrapper.projectfile import EXTENSION, read_project, read_schema, write_project
from crawler.core.wrapper.tree import PageTree, read_tree
from crawler.store.archive import WarcWriter
from crawler.store.files import replacing, write_whole
from crawler.store.sources import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from crawler.core.page.page import Page
    from crawler.core.wrapper.project import Project
    from crawler.core.wrapper.schema import Element

__all__ = [
    "check_name",
    "is_of_a_project",
    "keep_page",
    "kept_pages",
    "load_project",
    "load_schema",
    "save_project",
]

_MOST_BYTES = 256 * 2**20
_PAGES = ".pages.warc.gz"


def check_name(path: Path) -> None:
    """Refuse a name that no project file has.

    Raises:
        UnreadableInputError: it does not end in ``.h2x``.
    """
    if path.suffix.lower() != EXTENSION:
        raise UnreadableInputError(
            f"{path} is no project file; the names of project files end in {EXTENSION}"
        )


def load_project(path: Path) -> Project:
    """Read a project file.

    Raises:
        UnreadableInputError: it cannot be read, or is not sound; the message names the place.
    """
    check_name(path)
    return read_project(_text(path), path.name)


def load_schema(path: Path) -> Element:
    """Read a schema from a file that holds it alone, or from a project file.

    Raises:
        UnreadableInputError: as :func:`load_project`.
    """
    if path.suffix.lower() == EXTENSION:
        return load_project(path).schema
    return read_schema(_text(path, "name a file of JSON, or a project"), path.name)


def _text(path: Path, hint: str = "check the name, or make it with 'scrapy wrap learn'") -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UnreadableInputError(f"{path} is larger than any project; name another file")
        return path.read_text("utf-8")
    except OSError as error:
        raise UnreadableInputError(
            f"{path} cannot be read: {error.strerror or error}; {hint}"
        ) from error
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{path} is not in UTF-8 ({error}); save it as UTF-8") from error


def save_project(path: Path, project: Project) -> None:
    """Write a project file whole, in place of what it was.

    Raises:
        UnreadableInputError: its name does not end in ``.h2x``.
        StoreError: it cannot be written.
    """
    check_name(path)
    write_whole(path, [write_project(project).encode("utf-8")])


def is_of_a_project(path: str) -> bool:
    """Say whether a file is called as those in which projects keep their pages."""
    return path.endswith(_PAGES)


def _pages_path(project: Path) -> Path:
    return project.with_suffix(_PAGES)


def kept_pages(project: Path, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
    """Give the pages that are kept beside a project, none where there are none.

    Raises:
        UnreadableInputError: they cannot be read.
    """
    path = _pages_path(project)
    if path.exists():
        yield from read_source(path, on_skip=on_skip)


def keep_page(project: Path, page: Page, tree: PageTree) -> None:
    """Keep a page beside a project, so that what was learned from it can be tried again.

    Raises:
        StoreError: it cannot be written; what was there is left as it was.
        UnreadableInputError: what was there cannot be read.
    """
    known = list(kept_pages(project, _pass_over))
    if tree.fingerprint in {print_ for page_ in known if (print_ := _fingerprint(page_))}:
        return
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with (
        replacing(_pages_path(project)) as aside,
        WarcWriter(aside, date=now, compression=6) as writer,
    ):
        for each in (*known, page):
            writer.write(each)


def _fingerprint(page: Page) -> str:
    try:
        return read_tree(page).fingerprint
    except UnreadablePageError:
        return ""


def _pass_over(reason: str, detail: str) -> None:
    """Leave out what cannot be read: it is told when the pages are tried."""
