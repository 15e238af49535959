"""Project files on disk, and beside each the pages that the project was taught."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadableInputError, UnreadablePageError
from crawler.core.wrapper.project_file import EXTENSION, read_project, read_schema, write_project
from crawler.core.wrapper.tree import read_tree
from crawler.store.archive import WarcWriter
from crawler.store.files import replacing, write_whole
from crawler.store.sources import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from crawler.core.page.page import Page
    from crawler.core.wrapper.project import Project
    from crawler.core.wrapper.schema import Element
    from crawler.core.wrapper.tree import PageTree

PAGES_SUFFIX = ".pages.warc.gz"
"""Ending of the files in which projects keep their pages."""

_MOST_BYTES = 256 * 2**20


def check_name(path: Path) -> None:
    """Refuse a name that is none of a project file.

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
        UnreadableInputError: it cannot be read or is not valid; the message names the place.
    """
    check_name(path)
    text = read_text(path, "check the name, or make it with 'scrapy wrap learn'")
    return read_project(text, path.name)


def load_schema(path: Path) -> Element:
    """Read a schema from a file that holds it alone, or from a project file.

    Raises:
        UnreadableInputError: as :func:`load_project`.
    """
    if path.suffix.lower() == EXTENSION:
        return load_project(path).schema
    return read_schema(read_text(path, "name a file of JSON, or a project"), path.name)


def read_text(path: Path, hint: str) -> str:
    """Read a text file.

    Raises:
        UnreadableInputError: it cannot be read, is too large, or is not in UTF-8.
    """
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
    """Write a project file in one step.

    Raises:
        UnreadableInputError: its name does not end in ``.h2x``.
        StoreError: it cannot be written.
    """
    check_name(path)
    write_whole(path, [write_project(project).encode("utf-8")])


def kept_pages(project: Path, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
    """Yield the pages that are kept beside a project, none where there are none.

    Raises:
        UnreadableInputError: they cannot be read.
    """
    path = project.with_suffix(PAGES_SUFFIX)
    if path.exists():
        yield from read_source(path, on_skip=on_skip)


def keep_page(project: Path, page: Page, tree: PageTree) -> None:
    """Keep a page beside a project, so that what was learned from it can be tested again.

    Raises:
        StoreError: it cannot be written; what was there is left as it was.
        UnreadableInputError: what was there cannot be read.
    """
    # What cannot be read is reported when the project is tested.
    known = list(kept_pages(project, lambda _reason, _detail: None))
    if any(_fingerprint(each) == tree.fingerprint for each in known):
        return
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with (
        replacing(project.with_suffix(PAGES_SUFFIX)) as aside,
        WarcWriter(aside, date=now, compression=6) as writer,
    ):
        for each in (*known, page):
            writer.write(each)


def _fingerprint(page: Page) -> str | None:
    try:
        return read_tree(page).fingerprint
    except UnreadablePageError:
        return None
