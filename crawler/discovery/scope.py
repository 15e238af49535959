"""The scope of a crawl: which addresses of a site are fetched, and why others are not."""

from __future__ import annotations

from dataclasses import dataclass
from re import Pattern
from typing import Any, Final

from crawler.core.listings.entries import Entry
from crawler.discovery.guesses import IGNORED_PARAMETERS, address_date, address_language
from crawler.fields import DAY, ValueType, declare, words

MAX_ADDRESS_LENGTH: Final = 2000
"""No server is known to answer longer addresses reliably, and real pages stay far below."""

CUT_REASONS: Final = {
    "allow": "the argument 'allow' rules it out",
    "deny": "the argument 'deny' rules it out",
    "lang": "the argument 'lang' rules it out",
    "date": "the arguments 'since' and 'until' rule its date out",
    "twin": "its plain address is followed instead; -a twins=true follows both",
    "session": "its plain address is followed instead; -a twins=true follows both",
    "depth": "it is more than {0.max_depth} links away; -a max_depth=0 lifts the limit",
    "file-type": "its ending names no HTML page",
    "nofollow": "it is marked nofollow; -a follow_nofollow=true follows it",
    "length": f"it is longer than {MAX_ADDRESS_LENGTH} characters",
    "path-depth": "its path is deeper than {0.max_path_depth}; -a max_path_depth=0 lifts the limit",
    "repeated-path": (
        "a part of its path is repeated more than {0.max_repeats} times; "
        "-a max_repeats=0 lifts the limit"
    ),
    "query": "its query has more than {0.max_query} parameters; -a max_query=0 lifts the limit",
    "calendar": "they are dated more than a month ahead; -a calendar=true follows them",
    "facets": (
        "their queries combine parameters in more than {0.max_facets} ways; "
        "-a max_facets=0 lifts the limit"
    ),
    "variants": "there are more than {0.max_variants} of them; -a max_variants=0 lifts the limit",
    "copies": (
        "{0.max_copies} pages of the site are the same, byte for byte; -a max_copies=0 lifts the "
        "limit"
    ),
    "alike": (
        "more than {0.max_alike} pages of the site in a row were as others but for numbers and "
        "keys; "
        "-a max_alike=0 lifts the limit"
    ),
    "barren": (
        "{0.max_barren} of these lists in a row named no page that no other list had named; "
        "-a max_barren=0 lifts the limit"
    ),
}
"""Why addresses are not followed, by the reason they are counted under, and how to follow them."""


def _names(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - anything may be given
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(name for part in parts if (name := part.strip().lower()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which addresses of a site are wanted. The fields are arguments of the spider ``site``.

    Methods whose names end with ``_cut`` return why an address is not wanted, a key of
    ``CUT_REASONS``, or the empty text where it is. Days of ``since`` and ``until`` are taken as
    they are written, whatever their time zone.
    """

    since: str = declare("", "the first day, month or year of pages wanted", DAY)
    until: str = declare("", "the last day, month or year of pages wanted", DAY)
    lang: tuple[str, ...] = declare(
        (), "codes of the languages wanted, with commas between", words()
    )
    allow: Pattern[str] | None = declare(
        None, "a regular expression; only addresses it is found in are followed"
    )
    deny: Pattern[str] | None = declare(
        None, "a regular expression; addresses it is found in are not followed"
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
    calendar: bool = declare(
        False, "whether lists of days to come, as calendars have them, are followed"
    )
    max_copies: int = declare(
        20, "how many pages of a site may have the same bytes, the start apart; 0 is no limit"
    )
    max_alike: int = declare(
        500,
        "how many pages of a site in a row may be as others but for numbers and keys of "
        "hexadecimal digits; 0 is no limit",
    )
    ignore: tuple[str, ...] = declare(
        IGNORED_PARAMETERS,
        "parameters that links are followed without, with commas between; empty for none",
        ValueType(_names, "names of parameters with commas between"),
    )
    translations: bool = declare(
        False, "whether translations that a page or sitemap names (hreflang) are followed"
    )
    twins: bool = declare(
        False, "whether print, AMP and session addresses are fetched beside their plain ones"
    )
    follow_nofollow: bool = declare(False, "whether links marked nofollow are followed")

    @property
    def ignored(self) -> frozenset[str]:
        """The parameters that links are followed without."""
        return frozenset(self.ignore)

    def explain(self, reason: str) -> str:
        """Say in words why an address is not followed, and how to follow it."""
        return CUT_REASONS[reason].format(self)

    @property
    def has_dates(self) -> bool:
        """Whether only some dates are wanted."""
        return bool(self.since or self.until)

    def pattern_cut(self, address: str) -> str:
        """Return ``allow`` or ``deny``, whichever rules an address out."""
        if self.allow is not None and not self.allow.search(address):
            return "allow"
        return "deny" if self.deny is not None and self.deny.search(address) else ""

    def link_cut(self, address: str, depth: int = 0) -> str:
        """Return why a linked address is not wanted; ``depth`` is its distance from the start."""
        return (
            self.pattern_cut(address)
            or ("date" if self.has_dates and self.misses(address_date(address)) else "")
            or self._language_cut(address_language(address) if self.lang else "")
            or ("depth" if 0 < self.max_depth < depth else "")
        )

    def entry_cut(self, entry: Entry) -> str:
        """Return why the page of a listing is not wanted.

        A page that was changed last before the first wanted day was published before it too; one
        that was changed later may have been published at any time until then, and is wanted.
        """
        published = entry.published or (address_date(entry.url) if self.has_dates else "")
        is_unwanted_date = self.is_too_old(entry.lastmod) or self.misses(published)
        language = entry.language or (address_language(entry.url) if self.lang else "")
        return (
            self.pattern_cut(entry.url)
            or ("date" if is_unwanted_date else "")
            or self._language_cut(language)
        )

    def page_cut(self, published: str, language: str) -> str:
        """Return why a page that was fetched is not wanted, by what it says of itself."""
        return "date" if self.misses(published) else self._language_cut(language)

    def misses(self, published: str) -> bool:
        """Say whether a date of publication lies outside what is wanted; an empty one does not."""
        if self.is_too_old(published):
            return True
        day = published[:10]
        # A month begins on no day later than itself: 2026-11 is not after 2026-11-27.
        return bool(self.until and day) and day[: len(self.until)] > self.until[: len(day)]

    def is_too_old(self, date: str) -> bool:
        """Say whether a date lies before the first wanted day; an empty one does not."""
        day = date[:10]
        return bool(self.since and day) and day[: len(self.since)] < self.since[: len(day)]

    def _language_cut(self, language: str) -> str:
        code = language.lower().replace("_", "-").partition("-")[0]
        return "lang" if self.lang and code and code not in self.lang else ""
