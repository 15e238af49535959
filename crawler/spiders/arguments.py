"""Spider arguments: read from ``-a name=value`` into a dataclass; those of the spider ``site``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from crawler.core.errors import ArgumentError
from crawler.core.page.addresses import canonical_address
from crawler.discovery.addresses import complete_address, split_addresses
from crawler.discovery.scope import Scope
from crawler.discovery.sources import SOURCES
from crawler.extensions.exits import ending
from crawler.fields import REQUIRED, declare, fields_of, read_fields, words

_T = TypeVar("_T")


def parse_arguments(cls: type[_T], raw: Mapping[str, object], *, owner: str) -> _T:
    """Read the arguments given on a command line, or from Python.

    Args:
        cls: A dataclass whose fields are declared with :func:`crawler.fields.declare`.
        raw: Argument names and values, typed or as text. Names that begin with ``_`` belong to
            the program that runs the spider and are ignored.
        owner: Name of the spider or command, which the error message begins with.

    Raises:
        ArgumentError: An argument is unknown, missing or wrong. The message is one line.
    """
    known = fields_of(cls)
    given = {name: value for name, value in raw.items() if not name.startswith("_")}
    values, mistakes = read_fields(cls, given)
    missing = [name for name, one in known.items() if one.default is REQUIRED and name not in given]
    mistakes += [f"-a {name}=… is missing, {known[name].meaning}" for name in missing]
    if mistakes:
        names = sorted(known, key=lambda name: known[name].default is not REQUIRED)
        # Who gave a wrong value knows the name of its argument.
        is_named = not missing and given.keys() <= known.keys()
        others = "" if is_named else f"; arguments are: {', '.join(names)}"
        raise ending(ArgumentError(f"{owner}: {mistakes[0]}{others}"))
    return cls(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteArguments(Scope):
    """What ``scrapy crawl site`` and ``scrapy discover`` understand."""

    url: str = declare(REQUIRED, "the address to start from; several are separated by spaces")
    from_: tuple[str, ...] = declare(
        SOURCES, "where pages are found, with commas between", words(*SOURCES)
    )
    max_pages: int = declare(10000, "the most pages of a site; 0 is no limit")
    max_listings: int = declare(
        500, "the most sitemaps and feeds of a site that are read; 0 is no limit"
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

    def given_addresses(self) -> list[str]:
        """Return the addresses to start from as they were given, with their credentials."""
        return [complete_address(text) or text for text in split_addresses(self.url)]

    def start_addresses(self, owner: str) -> list[str]:
        """Return the canonical addresses to start from.

        Raises:
            ArgumentError: one is no address; or no date can be both since and until.
        """
        if self.since and self.until and self.since[: len(self.until)] > self.until:
            why = f"since={self.since} is later than until={self.until}; exchange them"
            raise ending(ArgumentError(f"{owner}: {why}"))
        addresses = []
        for text in split_addresses(self.url):
            address = complete_address(text)
            if address is None:
                why = f"url={text} is no web address; give one such as https://blog.example/"
                raise ending(ArgumentError(f"{owner}: {why}"))
            addresses.append(canonical_address(address))
        return addresses
