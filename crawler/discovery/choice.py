"""The choice of a crawl: which addresses are wanted, by pattern, date and language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.discovery.guesses import address_date, address_language

if TYPE_CHECKING:
    from re import Pattern

    from crawler.core.listings import Entry

__all__ = ["Choice"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a user wants of a site. Each reason to leave something out is a word; empty for none.

    ``allow``, ``deny``
        Looked for anywhere in an address.
    ``since``, ``until``
        First and last day, month or year wanted, in ISO 8601; empty for no limit. Days are taken
        as they are written, whatever their zone.
    ``languages``
        Codes of the languages wanted; empty for all. What names no language is wanted.
    ``twins``
        Whether pages for printers, AMP and single visits are wanted beside their plain ones.
    """

    allow: Pattern[str] | None = None
    deny: Pattern[str] | None = None
    since: str = ""
    until: str = ""
    languages: tuple[str, ...] = ()
    twins: bool = False

    @property
    def has_dates(self) -> bool:
        """Whether only some dates are wanted."""
        return bool(self.since or self.until)

    def of_pattern(self, address: str) -> str:
        """Return ``allow`` or ``deny``, whichever rules an address out."""
        if self.allow is not None and not self.allow.search(address):
            return "allow"
        return "deny" if self.deny is not None and self.deny.search(address) else ""

    def of_link(self, address: str) -> str:
        """Return why a linked address is not wanted."""
        return (
            self.of_pattern(address)
            or ("date" if self.has_dates and self.misses(address_date(address)) else "")
            or self._of_language(address_language(address) if self.languages else "")
        )

    def of_entry(self, entry: Entry) -> str:
        """Return why the page of a listing is not wanted.

        A page that was changed last before the first wanted day was published before it too; one
        that was changed later may have been published at any time until then, and is wanted.
        """
        published = entry.published or (address_date(entry.url) if self.has_dates else "")
        too_old = self._is_before(entry.lastmod)
        language = entry.language or (address_language(entry.url) if self.languages else "")
        return (
            self.of_pattern(entry.url)
            or ("date" if too_old or self.misses(published) else "")
            or self._of_language(language)
        )

    def skips_source(self, lastmod: str) -> bool:
        """Say whether a listing that was changed last then can name no wanted page."""
        return self._is_before(lastmod)

    def misses(self, published: str) -> bool:
        """Say whether a date of publication lies outside what is wanted; an empty one does not."""
        if self._is_before(published):
            return True
        day = published[:10]
        # A month begins on no day later than itself: 2026-11 is not after 2026-11-27.
        return bool(self.until and day) and day[: len(self.until)] > self.until[: len(day)]

    def _is_before(self, date: str) -> bool:
        day = date[:10]
        return bool(self.since and day) and day[: len(self.since)] < self.since[: len(day)]

    def _of_language(self, language: str) -> str:
        code = language.lower().replace("_", "-").partition("-")[0]
        return "lang" if self.languages and code and code not in self.languages else ""
