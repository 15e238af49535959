"""Sites in trouble: those that answer for most known pages with one page, or with none.

A site under maintenance, or one that asks for a login, gives that answer at the address of each
article, often with status 200, and some answer 404. What was exported of such pages is neither
replaced nor withdrawn, and the next crawl requests them again.
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

import xxhash

from crawler.core.flow import Document
from crawler.journey.parts import now
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import GONE_HASH, PART_HASH, Row

logger = logging.getLogger(__name__)

# Fewer may be articles that were made one, or are no articles any more.
_MANY: Final = 5
# Where less is missing, the others show that the site works. Sites do remove many articles at once.
_MISSING_OF_EACH: Final = 3
# Fewer may be one article at two addresses.
_SAME_TEXT: Final = 3
_TOKEN: Final = re.compile(r"[0-9A-Za-z/_.:%?=&-]+")
_VARIES: Final = re.compile(r"[0-9/]")
_NO_VERSION: Final = frozenset({"", GONE_HASH, PART_HASH})


def text_hash(document: Document) -> int:
    """Return the hash of a page's text, without what differs in answers that are the same.

    These are words with digits, as clocks and numbers of requests have them, and addresses.
    """
    text = "\n".join(block.text for block in document.blocks)
    text = _TOKEN.sub(lambda found: "" if _VARIES.search(found[0]) else found[0], text)
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


@dataclass(slots=True)
class SiteTrouble:
    """What a site answers in one crawl for pages that earlier crawls have exported.

    Attributes:
        site: The site.
        ledger: Of the site.
        since: When the crawl began (ISO 8601).
        count: Adds a number to a statistic of the crawl.
        confirmed: How many of these pages are articles still.
    """

    site: str
    ledger: Ledger
    since: str
    count: Callable[[str, int], None]
    confirmed: int = 0
    # The exported versions that pages of one text would replace, and the texts of many.
    _replaced: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    _common: set[int] = field(default_factory=set)
    _told: set[int] = field(default_factory=set)
    _lost: set[str] = field(default_factory=set)

    def note_text(self, row: Row, document: Document) -> None:
        """Note a page that has changed since it was exported."""
        text = text_hash(document)
        versions = self._replaced[text]
        versions.add(row.exported_hash)
        if len(versions) >= _SAME_TEXT:
            self._common.add(text)

    def note_lost(self, row: Row) -> None:
        """Note a page that is no article any more."""
        if row.exported_hash not in _NO_VERSION:
            self._lost.add(row.address)

    def note_same(self, row: Row | None) -> None:
        """Note a page that came as it was, which says nothing where it was never exported."""
        self.confirmed += row is not None and row.exported_hash not in _NO_VERSION

    def common_text(self, document: Document) -> int | None:
        """Return the hash of a page's text where different articles give that text now."""
        text = text_hash(document) if self._common else None
        return text if text in self._common else None

    def keep_exported(self, text: int, addresses: Iterable[str]) -> None:
        """Keep what was exported of a page that gives a common text; warn once of each text.

        Args:
            text: the hash of the text.
            addresses: all addresses that the item of the page would be of.
        """
        if text not in self._told:
            self._told.add(text)
            self._tell(f"Different articles of {self.site} give one text now")
        self._keep(addresses, "one-text-for-many", "kept")

    def keep_known(self, new_pages: int = 0) -> None:
        """Keep, at the end, exported pages too many of which lead elsewhere, or are none any more.

        Args:
            new_pages: how many pages the crawl has found that are new.
        """
        for target, addresses in self._moved():
            self._tell(f"{len(addresses)} pages of {self.site} lead to {target}")
            self._keep(addresses, "moved-with-many", "redirected")
        if len(self._lost) >= _MANY and len(self._lost) > self.confirmed:
            self._tell(
                f"{len(self._lost)} articles of {self.site} are none any more, and "
                f"{self.confirmed} still are"
            )
            self._keep(self._lost, "lost-with-many", "kept")
        # Those too that a killed crawl has found missing.
        missing = [row.address for row in self.ledger.gone_to_export() if row.state == "gone"]
        there = self.confirmed + new_pages
        if len(missing) >= _MANY and len(missing) > _MISSING_OF_EACH * there:
            self._tell(
                f"{len(missing)} articles of {self.site} are missing (404), and {there} came"
            )
            self._keep(missing, "missing-with-many", "kept")

    def _tell(self, what: str) -> None:
        logger.warning(
            "%s: the site seems to be in trouble. What was exported stays, and the next crawl "
            "requests these pages again",
            what,
        )

    def _keep(self, addresses: Iterable[str], reason: str, figure: str) -> None:
        with self.ledger.transaction():
            for address in addresses:
                self.count(f"corpus/incremental/{figure}", 1)
                keep(self.ledger, address, reason)

    def _moved(self) -> Iterator[tuple[str, list[str]]]:
        """Give the addresses to which many pages redirect, with these pages."""
        moved = defaultdict[str, list[str]](list)
        for row in self.ledger.rows("refused"):
            if row.canonical and row.asked_at >= self.since and row.found_by != "start":
                moved[_target(row)].append(row.address)
        return (pair for pair in moved.items() if len(pair[1]) >= _MANY)


def keep(ledger: Ledger, address: str, reason: str) -> None:
    """Keep what was exported of a page, and have the next crawl request it again."""
    ledger.mark_failed(address, reason, at=now())
    ledger.keep(address)


def _target(row: Row) -> str:
    """Return where a page leads, without a query that says where one came from."""
    place, _, query = row.canonical.partition("?")
    path = urlsplit(row.address).path
    return place if len(path) > 1 and path in unquote(unquote(query)) else row.canonical
