"""What ``scrapy crawl site`` and ``scrapy discover`` understand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.discovery.addresses import canonical_address, complete_address, split_addresses
from crawler.discovery.choice import Choice
from crawler.discovery.links import LinkRules
from crawler.discovery.sources import SOURCES
from crawler.discovery.url_traps import TrapLimits
from crawler.spiders.arguments import (
    ArgumentExit,
    date_argument,
    flag_argument,
    pattern_argument,
    share_argument,
    text_argument,
    whole_number_argument,
    words_argument,
)

if TYPE_CHECKING:
    from re import Pattern

__all__ = ["SiteArguments"]


@dataclass(frozen=True, slots=True)
class SiteArguments:
    """What the spider ``site`` understands."""

    url: str = text_argument("the address to start from; several are separated by spaces")
    from_: tuple[str, ...] = words_argument(
        "where pages are found, with commas between", among=SOURCES
    )
    since: str = date_argument("the first day, month or year of pages wanted")
    until: str = date_argument("the last day, month or year of pages wanted")
    lang: tuple[str, ...] = words_argument("codes of the languages wanted, with commas between")
    max_pages: int = whole_number_argument("the most pages of a site; 0 is no limit", default=10000)
    allow: Pattern[str] | None = pattern_argument(  # noqa: RUF009 - it is a field declaration
        "a regular expression; only addresses it is found in are followed",
    )
    deny: Pattern[str] | None = pattern_argument(  # noqa: RUF009 - it is a field declaration
        "a regular expression; addresses it is found in are not followed",
    )
    max_listings: int = whole_number_argument(
        "the most sitemaps and feeds of a site that are read; 0 is no limit",
        default=500,
    )
    max_depth: int = whole_number_argument(
        "the most links between the start and a page; 0 is no limit",
        default=0,
    )
    max_path_depth: int = whole_number_argument(
        "the most parts of an address's path; 0 is no limit",
        default=16,
    )
    max_repeats: int = whole_number_argument(
        "how often one part may stand in an address's path; 0 is no limit",
        default=3,
    )
    max_query: int = whole_number_argument(
        "the most parameters in an address's query; 0 is no limit",
        default=8,
    )
    max_barren: int = whole_number_argument(
        "how many lists of one pattern in a row may name nothing new; 0 is no limit",
        default=10,
    )
    max_variants: int = whole_number_argument(
        "the most addresses that differ in the values of their query alone; 0 is no limit",
        default=1000,
    )
    max_facets: int = whole_number_argument(
        "the most ways in which the parameters of one path are combined; 0 is no limit",
        default=20,
    )
    recheck: float = share_argument(
        "when a page that nothing hints at is asked for again, in crawls that remember: after this "
        "share of the time for which it is known to be as it is; 0 is at every crawl",
        default=0.5,
    )
    max_rechecks: int = whole_number_argument(
        "the most pages of a site asked for again though nothing hints at a change, in one crawl",
        default=500,
    )
    calendar: bool = flag_argument(
        "whether lists of days to come, as calendars have them, are followed",
        default=False,
    )
    twins: bool = flag_argument(
        "whether pages for printers, AMP and single visits are fetched beside their plain ones",
        default=False,
    )
    follow_nofollow: bool = flag_argument(
        "whether links marked nofollow are followed",
        default=False,
    )

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
