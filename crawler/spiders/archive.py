"""Spiders whose pages lie on disk: ``archive`` reads WARC files and folders, ``replay`` a spool.

Neither uses the network. The crawl reads their pages twice: to count them, and for the items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scrapy import Spider

from crawler.core.errors import ArgumentError, StoreError, UnreadableInputError
from crawler.core.page.page import Page
from crawler.extensions.exits import ending
from crawler.fields import REQUIRED, declare
from crawler.settings import Options
from crawler.spiders.arguments import parse_arguments
from crawler.store.sources import read_source
from crawler.store.spool import Spool


@dataclass(frozen=True, slots=True)
class ArchiveArguments:
    """Arguments of the spider ``archive``."""

    path: str = declare(
        REQUIRED,
        "WARC file, folder of saved pages, or JSON Lines of url and html; several separated by |",
    )
    base_url: str = declare("", "address of the folder, for saved pages that do not say their own")


class ArchiveSpider(Spider):
    """Gives the crawl the pages of archives."""

    name = "archive"
    gives_pages = True

    def __init__(self, **raw: object) -> None:
        super().__init__()
        self.arguments = parse_arguments(ArchiveArguments, raw, owner=self.name)
        parts = (part.strip() for part in self.arguments.path.split("|"))
        self._paths = tuple(Path(part) for part in parts if part)
        if not self._paths:
            why = f"{self.name}: path={self.arguments.path} names nothing to read"
            raise ending(ArgumentError(why))
        for path in self._paths:
            try:
                # Nothing is read yet: the crawl reports what a path holds.
                read_source(
                    path,
                    base_url=self.arguments.base_url,
                    on_skip=lambda _reason, _detail: None,
                )
            except UnreadableInputError as error:
                raise ending(ArgumentError(f"{self.name}: path={path}: {error}")) from error

    def stored_pages(self, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        """Read all pages; ``on_skip`` is called with reason and detail for what gives none."""
        for path in self._paths:
            yield from self._pages_of(path, on_skip)

    def _pages_of(self, path: Path, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        is_empty = True

        def skip(reason: str, detail: str) -> None:
            nonlocal is_empty
            is_empty = False
            on_skip(reason, detail)

        most = Options.from_settings(self.settings).max_page_bytes
        try:
            for page in read_source(
                path, base_url=self.arguments.base_url, max_bytes=most, on_skip=skip
            ):
                is_empty = False
                yield page
        except UnreadableInputError as error:
            # The other files are still read.
            skip("unreadable", str(error))
        if is_empty:
            on_skip("no-page", f"{path}: nothing in it is a page")


@dataclass(frozen=True, slots=True)
class _ReplayArguments:
    path: str = declare(REQUIRED, "the spool that a crawl left behind")


class ReplaySpider(Spider):
    """The spider of ``scrapy replay``: gives the crawl a spool that an earlier one left."""

    name = "replay"
    gives_pages = True

    def __init__(self, **raw: object) -> None:
        super().__init__()
        self.arguments = parse_arguments(_ReplayArguments, raw, owner=self.name)
        try:
            self.spool = Spool.open(self.arguments.path)
        except StoreError as error:
            raise ending(ArgumentError(f"{self.name}: {error}")) from error

    def stored_pages(self, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        """Read the pages of the spool; ``on_skip`` is called for each damage."""
        for damage in self.spool.info.damage:
            on_skip("corrupt", f"{self.spool.path}: {damage}")
        yield from self.spool.pages()
