"""The rules of throttling: how long requests to a site in trouble stop, without Scrapy and a clock.

Times are seconds of any monotonic clock; the caller passes them with each call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from crawler.settings import Pauses

_LONGEST_READ: Final = 10 * 366 * 86_400.0
_MOST_DOUBLINGS: Final = 60
_DIGITS: Final = frozenset("0123456789.")


@dataclass(frozen=True, slots=True)
class Verdict:
    """No requests are sent to a site for a while, or for the rest of the crawl.

    Attributes:
        seconds: How long; None for the rest of the crawl.
        pauses: Which pause in a row it is, from 1; of a site given up, how many did not help.
        asked: Seconds that the site asks to wait for; None where it named no time.
    """

    seconds: float | None
    pauses: int
    asked: float | None


@dataclass(slots=True)
class _Trouble:
    errors: int = 0
    pauses: int = 0
    began: float = -math.inf
    until: float = -math.inf
    is_given_up: bool = False


class Throttle:
    """Decides to which sites requests may be sent.

    A site that asks to wait is paused at once, one that gives errors after some of them. After a
    pause the site is *tried*: one request at a time. Trouble begins the next pause, twice as long;
    an answer ends the trouble.

    What was under way when a pause began says nothing new of the site, so each outcome comes with
    the time at which its request was sent. The parameters of all methods: ``site``, its name;
    ``sent``, when the request was sent; ``now``, the time.
    """

    def __init__(self, limits: Pauses) -> None:
        self._limits = limits
        self._sites: dict[str, _Trouble] = {}

    def wait(self, site: str, now: float) -> float:
        """Return the seconds until requests may be sent; 0 for now, and for a site given up."""
        trouble = self._sites.get(site)
        if trouble is None or trouble.is_given_up:
            return 0.0
        return max(0.0, trouble.until - now)

    def is_tried(self, site: str) -> bool:
        """Say whether a site has been paused, and has not answered since."""
        trouble = self._sites.get(site)
        return trouble is not None and trouble.pauses > 0 and not trouble.is_given_up

    def is_any_paused(self, now: float) -> bool:
        """Say whether there is a site to which requests may be sent later, and not now."""
        return any(self.wait(site, now) > 0 for site in self._sites)

    def answered(self, site: str, sent: float) -> bool:
        """Note an answer; say whether it ends pauses."""
        trouble = self._sites.get(site)
        if trouble is None or trouble.is_given_up or sent < trouble.began:
            return False
        del self._sites[site]
        return trouble.pauses > 0

    def failed(self, site: str, sent: float, now: float) -> Verdict | None:
        """Note an error; return what it leads to, if to anything."""
        trouble = self._sites.setdefault(site, _Trouble())
        if self._is_old(trouble, sent, now):
            return None
        trouble.errors += 1
        if trouble.pauses == 0 and trouble.errors < self._limits.after_errors:
            return None
        return self._pause(trouble, now, None)

    def asked_to_wait(
        self, site: str, sent: float, now: float, seconds: float | None
    ) -> Verdict | None:
        """As :meth:`failed`, for a site that asks to wait, for ``seconds`` where it says it."""
        trouble = self._sites.setdefault(site, _Trouble())
        if not self._is_old(trouble, sent, now):
            return self._pause(trouble, now, seconds)
        if trouble.is_given_up or seconds is None:
            return None
        if seconds > self._limits.longest:
            return self._give_up(trouble, seconds)
        trouble.until = max(trouble.until, now + seconds)
        return None

    @staticmethod
    def _is_old(trouble: _Trouble, sent: float, now: float) -> bool:
        return trouble.is_given_up or sent < trouble.began or now < trouble.until

    def _pause(self, trouble: _Trouble, now: float, asked: float | None) -> Verdict:
        limits = self._limits
        if trouble.pauses >= limits.count or (asked is not None and asked > limits.longest):
            return self._give_up(trouble, asked)
        grown = limits.first * 2.0 ** min(trouble.pauses, _MOST_DOUBLINGS)
        # The time that a site names is used once; when that did not help, the pause is longer.
        seconds = asked if asked is not None and not trouble.pauses else max(asked or 0.0, grown)
        seconds = min(seconds, limits.longest)
        trouble.pauses += 1
        trouble.began, trouble.until = now, now + seconds
        return Verdict(seconds, trouble.pauses, asked)

    @staticmethod
    def _give_up(trouble: _Trouble, asked: float | None) -> Verdict:
        trouble.is_given_up = True
        return Verdict(None, trouble.pauses, asked)


def retry_after(value: str, now: datetime) -> float | None:
    """Read the header ``Retry-After``: seconds, or a date as HTTP writes them (RFC 9110, 10.2.3).

    Returns seconds from ``now``, the time on the server's clock, ten years at most; None where the
    header names no time to come.
    """
    text = value.strip()
    seconds = 0.0
    if text and _DIGITS.issuperset(text):
        seconds = float(text) if text.count(".") <= 1 and text != "." else 0.0
    elif (date := http_date(text)) is not None:
        seconds = (date - now).total_seconds()
    return min(seconds, _LONGEST_READ) if seconds > 0 else None


def http_date(text: str) -> datetime | None:
    """Read a date as HTTP writes them; None where it cannot be read."""
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
