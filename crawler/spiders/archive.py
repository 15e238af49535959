"""Spider ``archive``: pages from WARC files and folders, in two passes, without any network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import Spider

from crawler.arguments import ArgumentExit, parse_arguments, text_argument
from crawler.core.errors import UnreadableInputError
from crawler.options import Options
from crawler.store.sources import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.core.page import Page

__all__ = ["Archive", "ArchiveArguments", "ArchiveSpider"]


@dataclass(frozen=True, slots=True)
class ArchiveArguments:
    """Arguments of the spider ``archive``."""

    path: str = text_argument(
        "WARC file, folder of saved pages, or JSON Lines of url and html; several separated by |"
    )
    base_url: str = text_argument(
        "address of the folder, for saved pages that do not tell their own", default=""
    )


class Archive:
    """Pages that lie on disk and can be read as often as needed, one at a time.

    Args:
        paths: files and folders.
        base_url: address of a folder whose pages do not tell their own.
        max_bytes: larger records are passed over unread.
        on_skip: called with reason and detail for what gives no page.
    """

    def __init__(
        self,
        paths: tuple[Path, ...],
        base_url: str,
        max_bytes: int,
        on_skip: Callable[[str, str], None],
    ) -> None:
        self._paths = paths
        self._base_url = base_url
        self._max_bytes = max_bytes
        self._on_skip = on_skip

    def pages(self, *, quietly: bool = False) -> Iterator[Page]:
        """Read all pages; ``quietly`` where what is passed over was told already."""
        on_skip = _say_nothing if quietly else self._on_skip
        for path in self._paths:
            yield from read_source(
                path, base_url=self._base_url, max_bytes=self._max_bytes, on_skip=on_skip
            )


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
                self._skip,
            )
        return self._archive

    def _check(self, path: Path) -> None:
        """Refuse, before the crawl begins, a path that leads to nothing that can be read."""
        try:
            read_source(path, on_skip=_say_nothing)
        except UnreadableInputError as error:
            raise ArgumentExit(" ".join(f"{self.name}: path={path}: {error}".split())) from error

    def _skip(self, reason: str, detail: str) -> None:
        stats = self.crawler.stats
        stats.inc_value("corpus/pages/skipped")
        stats.inc_value(f"corpus/skipped/{reason}")
        self.logger.info("Skipped (%s): %s", reason, detail)


def _say_nothing(reason: str, detail: str) -> None:
    """Ignore what is told in the first pass."""
