"""The pages that a call of ``scrapy wrap`` names: files, folders, archives, lists, addresses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, FetchError
from crawler.store.archive import ARCHIVE_SUFFIXES
from crawler.store.sources import LISTS, is_address, page_of_file, read_source
from crawler.wrapper.project_store import PAGES_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crawler.core.page.page import Page


@dataclass(frozen=True, slots=True)
class Inputs:
    """The pages that a call names.

    ``names``
        Addresses, saved pages, folders of them, archives, lists.
    ``fetch``
        Returns the page of each of some addresses, or the error that says why there is none.
    ``max_bytes``
        Larger pages are left out.
    ``url``
        The address of a saved page, where the call has one.
    """

    names: tuple[str, ...]
    fetch: Callable[[Sequence[str]], Sequence[Page | FetchError]]
    max_bytes: int
    url: str | None = None

    @property
    def is_one_page(self) -> bool:
        """Whether the call names a single address or saved page, not a folder, archive or list."""
        if len(self.names) != 1 or is_address(self.names[0]):
            return len(self.names) == 1
        path = Path(self.names[0])
        return not path.is_dir() and not path.name.lower().endswith((*ARCHIVE_SUFFIXES, *LISTS))

    def pages(self, on_skip: Callable[[str, str, str], None]) -> Iterator[tuple[str, Page]]:
        """Yield all pages, each with the name it was asked for by.

        Args:
            on_skip: called with name, reason and detail for what gives no page.

        Raises:
            ArgumentError: ``url`` does not belong to the input.
            UnreadableInputError: there is no such file, or it cannot be read.
        """
        addresses = [name for name in self.names if is_address(name)]
        if self.url is not None and (addresses or not self.is_one_page):
            raise ArgumentError("--url is for one saved page")
        # Missing files are reported before anything is fetched.
        sources = {its: self._source(its, on_skip) for its in self.names if its not in addresses}
        pages = self.fetch(addresses) if addresses else []
        fetched = dict(zip(addresses, pages, strict=True))
        for name in self.names:
            found = fetched.get(name)
            if isinstance(found, FetchError):
                on_skip(name, "not-fetched", str(found))
            elif found is not None:
                yield name, found
            else:
                yield from ((name, page) for page in sources[name])

    def _source(self, name: str, on_skip: Callable[[str, str, str], None]) -> Iterator[Page]:
        if self.url is not None:
            return iter([page_of_file(name, self.url, self.max_bytes)])

        def skip(reason: str, detail: str) -> None:
            # The pages of a project are often in one folder with other pages.
            if reason != "archive" or not detail.partition(": ")[0].endswith(PAGES_SUFFIX):
                on_skip(name, reason, detail)

        return read_source(name, on_skip=skip, max_bytes=self.max_bytes)
