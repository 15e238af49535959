"""Traps: endless address spaces, recognized by the pattern of addresses and what pages give.

A pattern is an address whose numbers, random parts and query values are left out: ``/page/#``,
``/s/*/news``, ``/shop?color&size``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from logging import LoggerAdapter
from typing import Any, Final
from urllib.parse import urlsplit

import xxhash

from crawler.core.page.addresses import address_key
from crawler.discovery.guesses import ARTICLE, LISTING, address_date, article_numbers, is_random
from crawler.discovery.scope import Scope

_TRAPS: Final = frozenset({"calendar", "facets", "variants", "barren", "copies", "alike"})
# What clocks, counters and random keys write: numbers, and keys of hexadecimal digits.
_VARYING: Final = re.compile(rb"[0-9][0-9A-Fa-f]*+")
_NUMBERED: Final = re.compile(r"/[^/\d]++/\d{4}/?$")
# A page is as others when it came so often among the latest; a calendar has twelve names of months.
_OFTEN: Final = 5
_LATEST: Final = 1000
_NUMBER: Final = re.compile(r"\d+")
_CHARS: Final = 200
_PATTERNS_LOGGED: Final = 20
# A single page may be judged wrongly.
_ARTICLES: Final = 3


def address_pattern(address: str) -> str:
    """Return the pattern of a canonical address, with its host."""
    parts = urlsplit(address)
    names = "&".join(pair.partition("=")[0] for pair in parts.query.split("&")) or ""
    *folders, last = parts.path.split("/")
    plain = "/".join("*" if is_random(folder.lower()) else folder for folder in folders)
    path = _NUMBER.sub("#", f"{plain}/{last}")
    return f"{parts.netloc}{path}{'?' if names else ''}{_NUMBER.sub('#', names)}"[:_CHARS]


def _body_key(site: str, body: bytes) -> int:
    return xxhash.xxh3_64_intdigest(body, seed=address_key(f"//{site}"))


def _unvarying(body: bytes) -> bytes:
    """Return a body, backwards, without runs of hexadecimal digits that hold one of 0 to 9."""
    # The first pass leaves the letters that a run begins with, and a digit; the second, backwards,
    # removes these. That is faster than one pass that looks at each letter of the page.
    return _VARYING.sub(b"", _VARYING.sub(b"0", body)[::-1])


@dataclass(slots=True)
class Traps:
    """The patterns of a crawl's addresses. Picklable.

    Attributes:
        scope: How much is followed of an address space: ``max_barren`` lists of one pattern in a
            row that name nothing new; ``max_variants`` addresses of one pattern with a query or a
            random part, those that seem to be articles apart; ``max_facets`` combinations of the
            parameters of one path; ``max_copies`` pages of a site with the same bytes;
            ``max_alike`` pages of a site in a row that are as others but for numbers and keys of
            hexadecimal digits.
        horizon: Lists of a later day than this (ISO 8601) are not followed; empty for no limit.
        cut: How many addresses were cut, by reason and pattern, in the order of the first ones.
    """

    scope: Scope
    horizon: str = ""
    cut: Counter[tuple[str, str]] = field(default_factory=Counter)
    _barren: dict[str, int] = field(default_factory=dict)
    _variants: Counter[str] = field(default_factory=Counter)
    _facets: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _articles: Counter[str] = field(default_factory=Counter)
    _bodies: Counter[int] = field(default_factory=Counter)
    _latest: dict[int, int] = field(default_factory=dict)
    _in_a_row: Counter[str] = field(default_factory=Counter)
    _known: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def judge(self, address: str, kind: str) -> str:
        """Return the trap that a new address leads into, a key of ``CUT_REASONS``, or empty."""
        scope = self.scope
        if kind != ARTICLE and self.horizon:
            date = address_date(address)
            is_ahead = bool(date) and date > self.horizon[: len(date)]
            # Four digits alone may be the number of a post.
            if is_ahead and not _NUMBERED.search(urlsplit(address).path):
                return "calendar"
        if self.is_barren(address, kind):
            return "barren"
        pattern = address_pattern(address)
        path, _, names = pattern.partition("?")
        if not names and "/*/" not in path:
            return ""
        combined = self._facets[path]
        if names not in combined:
            if 0 < scope.max_facets <= len(combined):
                return "facets"
            combined.add(names)
        if kind != ARTICLE:
            # What has the number of an article, and more, varies as long as that stays the same.
            varied = " ".join((pattern, *sorted(article_numbers(address))))
            if 0 < scope.max_variants <= self._variants[varied]:
                return "variants"
            self._variants[varied] += 1
        return ""

    def learned_kind(self, address: str, kind: str) -> str:
        """Return the guessed kind of an address; empty for a list where articles were met."""
        is_wrong = kind == LISTING and self._articles[address_pattern(address)] >= _ARTICLES
        return "" if is_wrong else kind

    def note_article(self, address: str) -> None:
        """Note that what an address takes for a list is an article."""
        self._articles[address_pattern(address)] += 1

    def is_barren(self, address: str, kind: str) -> bool:
        """Say whether the lists of an address's pattern give nothing new any more."""
        most = self.scope.max_barren
        kind = self.learned_kind(address, kind)
        return kind == LISTING and 0 < most <= self._barren.get(address_pattern(address), 0)

    def body_trap(self, site: str, body: bytes) -> str:
        """Take a page; return the trap that it shows, ``copies`` or ``alike``, or empty.

        A server that answers every address with the same page, but perhaps for a clock or a
        counter, makes ever new addresses of its relative links.
        """
        if self.scope.max_copies and self._is_copy(site, body):
            return "copies"
        return "alike" if self.scope.max_alike and self._is_alike(site, body) else ""

    def _is_copy(self, site: str, body: bytes) -> bool:
        key = _body_key(site, body)
        self._bodies[key] += 1
        return self._bodies[key] > self.scope.max_copies

    def _is_alike(self, site: str, body: bytes) -> bool:
        key = _body_key(site, _unvarying(body))
        times = self._latest[key] = self._latest.pop(key, 0) + 1
        if len(self._latest) > _LATEST:
            del self._latest[next(iter(self._latest))]
        before = self._in_a_row[site]
        # A page unlike the others halves the count: a single one does not end the row.
        self._in_a_row[site] = before + 1 if times > _OFTEN else before // 2
        return times > _OFTEN and before >= self.scope.max_alike

    def note(self, address: str, kind: str, new: int) -> None:
        """Note how many pages a fetched list was the first to name."""
        if kind == LISTING:
            pattern = address_pattern(address)
            self._barren[pattern] = 0 if new else self._barren.get(pattern, 0) + 1

    def count_cut(self, reason: str, address: str, logger: LoggerAdapter[Any]) -> bool:
        """Count an address that is not followed; False where it was counted before.

        Args:
            reason: why, a key of ``CUT_REASONS``.
            address: canonical.
            logger: gets a line on the first address of a reason that is no trap.
        """
        known = self._known[reason]
        if (key := address_key(address)) in known:
            return False
        if reason in _TRAPS:
            self.cut[reason, address_pattern(address)] += 1
        elif not known:
            words = self.scope.explain(reason)
            logger.info(
                "Not followed: %s: %s (more are counted in corpus/cut/%s)", address, words, reason
            )
        known.add(key)
        return True

    def rule_out(self, address: str) -> None:
        """Note a page that was fetched and is not of the days wanted."""
        self._known["date"].add(address_key(address))

    def want(self, address: str) -> None:
        """Note that a listing gave an address a date that is wanted, whatever another one did."""
        self._known["date"].discard(address_key(address))

    def is_ruled_out(self, address: str) -> bool:
        """Say whether a listing, or the page itself, gave an address a date that is not wanted."""
        return address_key(address) in self._known["date"]

    def log_cut(self, logger: LoggerAdapter[Any]) -> None:
        """Log, at the end, which patterns of addresses were cut most."""
        cut = self.cut.most_common()
        for (reason, pattern), number in cut[:_PATTERNS_LOGGED]:
            words = self.scope.explain(reason)
            logger.info("Not followed: %d addresses like %s: %s", number, pattern, words)
        if rest := cut[_PATTERNS_LOGGED:]:
            logger.info(
                "Not followed for the same reasons: %d addresses of %d more patterns",
                sum(number for _, number in rest),
                len(rest),
            )
