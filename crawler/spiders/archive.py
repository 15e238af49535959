"""Spiders whose pages lie on disk: ``archive`` reads WARC files and folders, ``replay`` a spool.

Neither uses the network. The crawl reads their pages twice: to count them, and for the items.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import Spider

from crawler.core.errors import StoreError, UnreadableInputError
from crawler.fields import REQUIRED, declare
from crawler.settings import Options
from crawler.spiders.arguments import ArgumentExit, parse_arguments
from crawler.store.sources import read_source
from crawler.store.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.core.page.page import Page


@dataclass(frozen=True, slots=True)
class ArchiveArguments:
    """Arguments of the spider ``archive``."""

    path: str = declare(
        REQUIRED,
        "WARC file, folder of saved pages, or JSON Lines of url and html; several separated by |",
    )
    base_url: str = declare("", "address of the folder, for saved pages that do not say their own")


@dataclass(frozen=True, slots=True)
class Archive:
    """Pages on disk, which can be read any number of times, one at a time.

    Attributes:
        paths: Files and folders.
        base_url: Address of a folder whose pages do not say their own.
        max_bytes: Larger records are skipped unread.
    """

    paths: tuple[Path, ...]
    base_url: str
    max_bytes: int

    def pages(self, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        """Read all pages; ``on_skip`` is called with reason and detail for what gives none."""
        for path in self.paths:
            yield from self._pages_of(path, on_skip)

    def _pages_of(self, path: Path, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        is_empty = True

        def skip(reason: str, detail: str) -> None:
            nonlocal is_empty
            is_empty = False
            on_skip(reason, detail)

        try:
            for page in read_source(
                path, base_url=self.base_url, max_bytes=self.max_bytes, on_skip=skip
            ):
                is_empty = False
                yield page
        except UnreadableInputError as error:
            # The other files are still read.
            skip("unreadable", str(error))
        if is_empty:
            on_skip("no-page", f"{path}: nothing in it is a page")


class ArchiveSpider(Spider):
    """Gives the crawl an archive."""

    name = "archive"

    def __init__(self, **raw: object) -> None:
        super().__init__()
        self.arguments = parse_arguments(ArchiveArguments, raw, owner=self.name)
        parts = (part.strip() for part in self.arguments.path.split("|"))
        self._paths = tuple(Path(part) for part in parts if part)
        if not self._paths:
            raise ArgumentExit(f"{self.name}: path={self.arguments.path} names nothing to read")
        for path in self._paths:
            try:
                # Nothing is read yet: the crawl reports what a path holds.
                read_source(path, on_skip=lambda _reason, _detail: None)
            except UnreadableInputError as error:
                raise ArgumentExit(f"{self.name}: path={path}: {error}") from error

    @property
    def archive(self) -> Archive:
        """The pages that are read instead of fetched."""
        most = Options.from_settings(self.settings).max_page_bytes
        return Archive(self._paths, self.arguments.base_url, most)


@dataclass(frozen=True, slots=True)
class _ReplayArguments:
    path: str = declare(REQUIRED, "the spool that a crawl left behind")


@dataclass(frozen=True, slots=True)
class _SpooledPages:
    """The pages of a spool as an archive."""

    spool: Spool

    def pages(self, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        for damage in self.spool.damage:
            on_skip("corrupt", f"{self.spool.path}: {damage}")
        yield from self.spool.pages()


class ReplaySpider(Spider):
    """The spider of ``scrapy replay``: gives the crawl a spool that an earlier one left."""

    name = "replay"

    def __init__(self, **raw: object) -> None:
        super().__init__()
        self.arguments = parse_arguments(_ReplayArguments, raw, owner=self.name)
        try:
            self.spool = Spool.open(self.arguments.path)
        except StoreError as error:
            raise ArgumentExit(f"{self.name}: {error}") from error
        self.archive = _SpooledPages(self.spool)
