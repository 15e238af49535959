"""The pages that a call of ``scrapy wrap`` names: files, folders, archives, lists, addresses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, FetchError
from crawler.journey.extract import is_address, page_of_file
from crawler.spiders.fetch import fetch_pages
from crawler.store.archive import ARCHIVE_SUFFIXES
from crawler.store.sources import LISTS, read_source
from crawler.wrapper.files import is_of_a_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crawler.core.page.page import Page
    from crawler.spiders.fetch import Process

__all__ = ["Inputs"]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Pages that a call names.

    ``names``
        Addresses, saved pages, folders of them, archives, lists.
    ``url``
        The address of a saved page, where it is one.
    ``process``
        Fetches what is an address.
    ``max_bytes``
        Larger pages are left out.
    """

    names: tuple[str, ...]
    process: Process
    max_bytes: int
    url: str | None = None

    @property
    def is_one_page(self) -> bool:
        """Whether there is one page by the form of the call, whatever it holds."""
        if len(self.names) != 1:
            return False
        return is_address(self.names[0]) or _is_saved_page(self.names[0])

    def pages(self, on_skip: Callable[[str, str, str], None]) -> Iterator[tuple[str, Page]]:
        """Yield all pages, each with the name it was asked for by.

        Args:
            on_skip: called with name, reason and detail for what gives no page.

        Raises:
            ArgumentError: there is no input, or ``url`` does not belong to it.
            UnreadableInputError: there is no such file, or it cannot be read.
        """
        addresses = [name for name in self.names if is_address(name)]
        if self.url is not None and (addresses or not self.is_one_page):
            raise ArgumentError("--url is for one saved page")
        # Files that are not there are told before anything is fetched.
        sources = {
            name: self._source(name, on_skip) for name in self.names if name not in addresses
        }
        fetched = dict(zip(addresses, self._fetched(addresses), strict=True))
        for name in self.names:
            found = fetched.get(name)
            if isinstance(found, FetchError):
                on_skip(name, "not-fetched", str(found))
            elif found is not None:
                yield name, found
            else:
                yield from ((name, page) for page in sources[name])

    def _fetched(self, addresses: Sequence[str]) -> list[Page | FetchError]:
        return fetch_pages(addresses, self.process) if addresses else []

    def _source(self, name: str, on_skip: Callable[[str, str, str], None]) -> Iterator[Page]:
        if self.url is not None:
            return iter([page_of_file(name, self.url, self.max_bytes)])

        def pass_over(reason: str, detail: str) -> None:
            # Pages that a project was taught lie beside it, and often beside other pages.
            if reason != "archive" or not is_of_a_project(detail.partition(": ")[0]):
                on_skip(name, reason, detail)

        return read_source(name, on_skip=pass_over, max_bytes=self.max_bytes)


def _is_saved_page(name: str) -> bool:
    path = Path(name)
    return not path.is_dir() and not path.name.lower().endswith((*ARCHIVE_SUFFIXES, *LISTS))
