"""What ``scrapy crawl site`` and ``scrapy discover`` understand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.discovery.addresses import canonical_address, complete_address, split_addresses
from crawler.discovery.choice import Choice
from crawler.discovery.links import LinkRules
from crawler.discovery.sources import SOURCES
from crawler.discovery.url_traps import TrapLimits
from crawler.fields import DAY, REQUIRED, declare, words
from crawler.spiders.arguments import ArgumentExit

if TYPE_CHECKING:
    from re import Pattern

__all__ = ["SiteArguments"]


@dataclass(frozen=True, slots=True)
class SiteArguments:
    """What the spider ``site`` understands."""

    url: str = declare(REQUIRED, "the address to start from; several are separated by spaces")
    from_: tuple[str, ...] = declare(
        SOURCES, "where pages are found, with commas between", words(*SOURCES)
    )
    since: str = declare("", "the first day, month or year of pages wanted", DAY)
    until: str = declare("", "the last day, month or year of pages wanted", DAY)
    lang: tuple[str, ...] = declare(
        (), "codes of the languages wanted, with commas between", words()
    )
    max_pages: int = declare(10000, "the most pages of a site; 0 is no limit")
    allow: Pattern[str] | None = declare(
        None, "a regular expression; only addresses it is found in are followed"
    )
    deny: Pattern[str] | None = declare(
        None, "a regular expression; addresses it is found in are not followed"
    )
    max_listings: int = declare(
        500, "the most sitemaps and feeds of a site that are read; 0 is no limit"
    )
    max_depth: int = declare(0, "the most links between the start and a page; 0 is no limit")
    max_path_depth: int = declare(16, "the most parts of an address's path; 0 is no limit")
    max_repeats: int = declare(
        3, "how often one part may stand in an address's path; 0 is no limit"
    )
    max_query: int = declare(8, "the most parameters in an address's query; 0 is no limit")
    max_barren: int = declare(
        10, "how many lists of one pattern in a row may name nothing new; 0 is no limit"
    )
    max_variants: int = declare(
        1000, "the most addresses that differ in the values of their query alone; 0 is no limit"
    )
    max_facets: int = declare(
        20, "the most ways in which the parameters of one path are combined; 0 is no limit"
    )
    recheck: float = declare(
        0.5,
        "when incremental crawls request a page again that nothing hints at: after this share of "
        "the time for which it is known to be unchanged; 0 is at every crawl",
    )
    max_rechecks: int = declare(
        500,
        "the most pages of a site requested again though nothing hints at a change, in one crawl",
    )
    calendar: bool = declare(
        False, "whether lists of days to come, as calendars have them, are followed"
    )
    twins: bool = declare(
        False, "whether print, AMP and session addresses are fetched beside their plain ones"
    )
    follow_nofollow: bool = declare(False, "whether links marked nofollow are followed")

    def start_addresses(self, owner: str) -> list[str]:
        """Return the canonical addresses to start from.

        Raises:
            ArgumentExit: one is no address; or no date can be both since and until.
        """
        if self.since and self.until and self.since[: len(self.until)] > self.until:
            raise ArgumentExit(
                f"{owner}: since={self.since} is later than until={self.until}; exchange them"
            )
        addresses = []
        for text in split_addresses(self.url):
            address = complete_address(text)
            if address is None:
                raise ArgumentExit(
                    f"{owner}: url={text} is no web address; give one such as https://blog.example/",
                )
            addresses.append(canonical_address(address))
        return addresses

    def choice(self) -> Choice:
        """Return which addresses are wanted."""
        return Choice(self.allow, self.deny, self.since, self.until, self.lang, self.twins)

    def rules(self) -> LinkRules:
        """Return the limits of single links."""
        return LinkRules(
            max_path_depth=self.max_path_depth,
            max_repeats=self.max_repeats,
            max_query=self.max_query,
            follow_nofollow=self.follow_nofollow,
        )

    def limits(self, horizon: str) -> TrapLimits:
        """Return the limits of address spaces; ``horizon`` is the last day that lists may have."""
        return TrapLimits(
            max_barren=self.max_barren,
            max_variants=self.max_variants,
            max_facets=self.max_facets,
            horizon="" if self.calendar else horizon,
        )
