"""The spider of ``scrapy replay``: an archive spider whose archive is a spool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Spider

from crawler.core.errors import StoreError
from crawler.fields import REQUIRED, declare
from crawler.spiders.arguments import ArgumentExit, parse_arguments
from crawler.store.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.core.page.page import Page

__all__ = ["ReplayArguments", "ReplaySpider"]


@dataclass(frozen=True, slots=True)
class ReplayArguments:
    """Arguments of the spider ``replay``."""

    path: str = declare(REQUIRED, "the spool that a crawl left behind")


class _Held:
    """The pages of a spool as an archive: read once to be counted and once for the items."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool

    def pages(self, on_skip: Callable[[str, str], None]) -> Iterator[Page]:
        for damage in self._spool.damage:
            on_skip("corrupt", f"{self._spool.path}: {damage}")
        yield from self._spool.pages()


class ReplaySpider(Spider):
    """Hands the crawl a spool to go on with."""

    name = "replay"

    def __init__(self, **raw: object) -> None:
        super().__init__()
        self.arguments = parse_arguments(ReplayArguments, raw, owner=self.name)
        try:
            self.spool = Spool.open(self.arguments.path)
        except StoreError as error:
            raise ArgumentExit(f"{self.name}: {error}") from error
        self.archive = _Held(self.spool)
