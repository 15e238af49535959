"""How long a site that is in trouble is left alone: the rules, without Scrapy and without a clock.

Times are seconds on any clock that only goes forward; the caller names them at each call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

__all__ = ["GivenUp", "Limits", "Patience", "Pause", "retry_after"]

_LONGEST_READ: Final = 10 * 366 * 86_400.0
"""Ten years: nobody waits for more, and dates can still be reckoned with."""
_MOST_DOUBLINGS: Final = 60
_DIGITS: Final = frozenset("0123456789.")


@dataclass(frozen=True, slots=True)
class Limits:
    """How patient a crawl is.

    Attributes:
        first: Seconds of the first pause; each further one in a row is twice as long.
        longest: Seconds of the longest pause. A site that asks for more is given up.
        in_a_row: So many pauses without an answer between them; then the site is given up.
        after_errors: So many errors without an answer between them begin the first pause.
    """

    first: float = 10.0
    longest: float = 600.0
    in_a_row: int = 5
    after_errors: int = 5


@dataclass(frozen=True, slots=True)
class Pause:
    """A site is left alone for a while.

    Attributes:
        seconds: How long.
        number: Which pause in a row it is, from 1.
        asked: Whether the site itself named the time.
    """

    seconds: float
    number: int
    asked: bool


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A site is left alone for the rest of the crawl.

    Attributes:
        pauses: How many pauses in a row did not help.
        asked: Seconds that the site asks to be left alone for; None where it named no time.
    """

    pauses: int
    asked: float | None


@dataclass(slots=True)
class _Trouble:
    """What is known of a site in trouble."""

    errors: int = 0
    pauses: int = 0
    began: float = -math.inf
    until: float = -math.inf
    given_up: GivenUp | None = None


class Patience:
    """Judges which sites may be asked.

    A site that asks to be left alone is paused at once, one that gives errors after some of them.
    While it is paused nothing is asked of it. Then it is *tried*: one request at a time. Trouble
    begins the next pause, twice as long; an answer ends the matter.

    What was under way when a pause began says nothing new of the site, so each outcome comes with
    the time at which its request was sent.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._sites: dict[str, _Trouble] = {}

    def wait(self, site: str, now: float) -> float:
        """Return for how many seconds more a site is to be left alone; 0 if it may be asked.

        That of a site given up is 0 too: nothing is gained by waiting.
        """
        trouble = self._sites.get(site)
        if trouble is None or trouble.given_up is not None:
            return 0.0
        return max(0.0, trouble.until - now)

    def given_up(self, site: str) -> GivenUp | None:
        """Return why a site is left alone for good; None if it is not."""
        trouble = self._sites.get(site)
        return trouble.given_up if trouble is not None else None

    def is_tried(self, site: str) -> bool:
        """Say whether a site has been paused, and has not answered since."""
        trouble = self._sites.get(site)
        return trouble is not None and trouble.pauses > 0 and trouble.given_up is None

    def is_any_paused(self, now: float) -> bool:
        """Say whether there is a site that may be asked later, and not now."""
        return any(self.wait(site, now) > 0 for site in self._sites)

    def answered(self, site: str, sent: float) -> bool:
        """Take note of an answer; say whether it ends pauses."""
        trouble = self._sites.get(site)
        if trouble is None or trouble.given_up is not None or sent < trouble.began:
            return False
        del self._sites[site]
        return trouble.pauses > 0

    def failed(self, site: str, sent: float, now: float) -> Pause | GivenUp | None:
        """Take note of an error; return what it leads to, if to anything."""
        trouble = self._sites.setdefault(site, _Trouble())
        if self._is_old(trouble, sent, now):
            return None
        trouble.errors += 1
        if trouble.pauses == 0 and trouble.errors < self._limits.after_errors:
            return None
        return self._pause(trouble, now, None)

    def asked_to_wait(
        self, site: str, sent: float, now: float, seconds: float | None
    ) -> Pause | GivenUp | None:
        """Take note that a site asks to be left alone; return what that leads to, if to anything.

        Args:
            site: The site.
            sent: When the request was sent that it answered so.
            now: The time now.
            seconds: How long it asks for; None where it does not say.
        """
        trouble = self._sites.setdefault(site, _Trouble())
        if not self._is_old(trouble, sent, now):
            return self._pause(trouble, now, seconds)
        if trouble.given_up is not None or seconds is None:
            return None
        if seconds > self._limits.longest:
            return self._give_up(trouble, seconds)
        trouble.until = max(trouble.until, now + seconds)
        return None

    @staticmethod
    def _is_old(trouble: _Trouble, sent: float, now: float) -> bool:
        return trouble.given_up is not None or sent < trouble.began or now < trouble.until

    def _pause(self, trouble: _Trouble, now: float, asked: float | None) -> Pause | GivenUp:
        limits = self._limits
        if trouble.pauses >= limits.in_a_row or (asked is not None and asked > limits.longest):
            return self._give_up(trouble, asked)
        grown = limits.first * 2.0 ** min(trouble.pauses, _MOST_DOUBLINGS)
        # A site that names a time is believed once; when that did not do, it is given more.
        seconds = asked if asked is not None and not trouble.pauses else max(asked or 0.0, grown)
        trouble.pauses += 1
        trouble.began = now
        seconds = min(seconds, limits.longest)
        trouble.until = now + seconds
        return Pause(seconds, trouble.pauses, asked is not None)

    @staticmethod
    def _give_up(trouble: _Trouble, asked: float | None) -> GivenUp:
        trouble.given_up = GivenUp(trouble.pauses, asked)
        return trouble.given_up


def retry_after(value: str, now: datetime) -> float | None:
    """Read the header ``Retry-After``: seconds, or a date as HTTP writes them (RFC 9110, 10.2.3).

    Args:
        value: What the header says.
        now: The time on the server's clock, with a time zone.

    Returns:
        Seconds from now; None where the header names no time to come, or none that can be read.
        More than ten years are ten years.
    """
    text = value.strip()
    seconds = _plain_seconds(text) if text and _DIGITS.issuperset(text) else _until(text, now)
    return min(seconds, _LONGEST_READ) if seconds > 0 else None


def _plain_seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _until(text: str, now: datetime) -> float:
    try:
        date = parsedate_to_datetime(text)
        return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
