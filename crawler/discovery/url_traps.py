"""Traps: address spaces without end, told by the pattern of an address and by what its pages give.

A pattern is an address with its numbers, what a program drew by lot, and the values of its query
left out: ``/page/#``, ``/s/*/news``, ``/shop?color&size``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from crawler.discovery.guesses import ARTICLE, LISTING, address_date
from crawler.discovery.mirror_urls import is_drawn

__all__ = ["TRAPS", "TrapLimits", "Traps", "address_pattern"]

TRAPS = {
    "calendar": "they are dated after {horizon}; -a calendar=true follows them",
    "facets": (
        "their queries combine parameters in more than {max_facets} ways; "
        "-a max_facets=0 lifts the limit"
    ),
    "variants": ("there are more than {max_variants} of them; -a max_variants=0 lifts the limit"),
    "barren": (
        "{max_barren} of these lists in a row named no page that no other list had named; "
        "-a max_barren=0 lifts the limit"
    ),
}
"""Why the addresses of a pattern are cut, by the reason they are counted under."""

_NUMBER = re.compile(r"\d+")
_CHARS = 200


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """How much is followed of an address space. A limit of 0 is none.

    ``max_barren``
        So many lists of one pattern in a row may name nothing that no other list named.
    ``max_variants``
        Most addresses of one pattern with a query, or with a part of the path before the last that
        was drawn by lot; those that seem to be articles apart.
    ``max_facets``
        Most ways in which the parameters of one path are combined.
    ``horizon``
        Lists of a later day than this (ISO 8601) are not followed; empty for no limit.
    """

    max_barren: int = 10
    max_variants: int = 1000
    max_facets: int = 20
    horizon: str = ""

    def explain(self, reason: str) -> str:
        """Say in words why addresses were cut, and how to lift the limit."""
        return TRAPS[reason].format(
            max_barren=self.max_barren,
            max_variants=self.max_variants,
            max_facets=self.max_facets,
            horizon=self.horizon,
        )


def address_pattern(address: str) -> str:
    """Return the pattern of a canonical address, with its host."""
    parts = urlsplit(address)
    names = "&".join(pair.partition("=")[0] for pair in parts.query.split("&")) or ""
    *folders, last = parts.path.split("/")
    plain = "/".join("*" if is_drawn(folder.lower()) else folder for folder in folders)
    path = _NUMBER.sub("#", f"{plain}/{last}")
    return f"{parts.netloc}{path}{'?' if names else ''}{_NUMBER.sub('#', names)}"[:_CHARS]


@dataclass(slots=True)
class Traps:
    """What is known of the patterns of a crawl's addresses. Picklable.

    ``cut``
        How many addresses were cut, by reason and pattern, in the order of the first ones.
    """

    limits: TrapLimits = field(default_factory=TrapLimits)
    cut: dict[tuple[str, str], int] = field(default_factory=dict)
    _barren: dict[str, int] = field(default_factory=dict)
    _variants: dict[str, int] = field(default_factory=dict)
    _facets: dict[str, set[str]] = field(default_factory=dict)

    def judge(self, address: str, kind: str) -> str:
        """Tell, of an address that was not met before, the trap it leads into; empty for none."""
        limits = self.limits
        if kind != ARTICLE and limits.horizon:
            date = address_date(address)
            if date and date > limits.horizon[: len(date)]:
                return "calendar"
        if self.is_barren(address, kind):
            return "barren"
        pattern = address_pattern(address)
        path, _, names = pattern.partition("?")
        if not names and "/*/" not in path:
            return ""
        combined = self._facets.setdefault(path, set())
        if names not in combined:
            if 0 < limits.max_facets <= len(combined):
                return "facets"
            combined.add(names)
        if kind != ARTICLE:
            number = self._variants.get(pattern, 0)
            if 0 < limits.max_variants <= number:
                return "variants"
            self._variants[pattern] = number + 1
        return ""

    def is_barren(self, address: str, kind: str) -> bool:
        """Say whether the lists of an address's pattern give nothing new any more."""
        return kind == LISTING and 0 < self.limits.max_barren <= self._barren.get(
            address_pattern(address), 0
        )

    def note(self, address: str, kind: str, new: int) -> None:
        """Note how many pages a fetched list was the first to name."""
        if kind == LISTING:
            pattern = address_pattern(address)
            self._barren[pattern] = 0 if new else self._barren.get(pattern, 0) + 1

    def count(self, reason: str, address: str) -> None:
        """Count an address that is cut."""
        key = (reason, address_pattern(address))
        self.cut[key] = self.cut.get(key, 0) + 1
