"""Spider ``archive``: pages from WARC files and folders, in two passes, without any network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import Spider

from crawler.core.errors import UnreadableInputError
from crawler.fields import REQUIRED, declare
from crawler.settings import Options
from crawler.spiders.arguments import ArgumentExit, parse_arguments
from crawler.store.sources import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.core.page.page import Page

__all__ = ["Archive", "ArchiveArguments", "ArchiveSpider"]


@dataclass(frozen=True, slots=True)
class ArchiveArguments:
    """Arguments of the spider ``archive``."""

    path: str = declare(
        REQUIRED,
        "WARC file, folder of saved pages, or JSON Lines of url and html; several separated by |",
    )
    base_url: str = declare("", "address of the folder, for saved pages that do not say their own")


class Archive:
    """Pages that lie on disk and can be read as often as needed, one at a time.

    Args:
        paths: files and folders.
        base_url: address of a folder whose pages do not tell their own.
        max_bytes: larger records are passed over unread.
    """

    def __init__(self, paths: tuple[Path, ...], base_url: str, max_bytes: int) -> None:
        self._paths = paths
        self._base_url = base_url
        self._max_bytes = max_bytes

    def pages(self, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        """Read all pages; ``on_skip`` is called with reason and detail for what gives none."""
        for path in self._paths:
            yield from self._pages_of(path, on_skip)

    def _pages_of(self, path: Path, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        something = False

        def tell(reason: str, detail: str) -> None:
            nonlocal something
            something = True
            on_skip(reason, detail)

        try:
            for page in read_source(
                path, base_url=self._base_url, max_bytes=self._max_bytes, on_skip=tell
            ):
                something = True
                yield page
        except UnreadableInputError as error:
            # One file of many must not cost the others.
            tell("unreadable", str(error))
        if not something:
            on_skip("no-page", f"{path}: nothing in it is a page")


class ArchiveSpider(Spider):
    """Hands its archive to the crawl, which counts it and then reads it again for the items."""

    name = "archive"

    def __init__(self, **raw: object) -> None:
        super().__init__()
        self.arguments = parse_arguments(ArchiveArguments, raw, owner=self.name)
        parts = (part.strip() for part in self.arguments.path.split("|"))
        self._paths = tuple(Path(part) for part in parts if part)
        if not self._paths:
            raise ArgumentExit(f"{self.name}: path={self.arguments.path} names nothing to read")
        for path in self._paths:
            self._check(path)
        self._archive: Archive | None = None

    @property
    def archive(self) -> Archive:
        """The pages to be read in place of pages fetched."""
        if self._archive is None:
            self._archive = Archive(
                self._paths,
                self.arguments.base_url,
                Options.from_settings(self.settings).max_page_bytes,
            )
        return self._archive

    def _check(self, path: Path) -> None:
        """Refuse, before the crawl begins, a path that leads to nothing that can be read."""
        try:
            read_source(path, on_skip=_say_nothing)
        except UnreadableInputError as error:
            raise ArgumentExit(f"{self.name}: path={path}: {error}") from error


def _say_nothing(reason: str, detail: str) -> None:
    """Leave it to the crawl to tell what a path holds."""
