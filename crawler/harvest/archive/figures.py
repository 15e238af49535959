"""What became of pages, as figures by name and a few lines for a person."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["OF_FILES", "Figures"]

OF_FILES: Final = frozenset({"corrupt", "no-page", "truncated", "unreadable"})
"""The reasons that tell of no record: a file is damaged, is no archive, or has no page in it."""

_MOST_LINES: Final = 20
_MOST_ADDED: Final = 200


class Figures:
    """Adds up by name, as Scrapy's stats do; damage of files is told in some lines as well."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.damage: list[str] = []

    def inc_value(self, key: str, count: int = 1) -> None:
        """Add to a figure."""
        self.counts[key] += count

    def skipped(self, reason: str, detail: str) -> None:
        """Take note of what gives no page."""
        self.inc_value(f"corpus/skipped/{reason}")
        if reason not in OF_FILES:
            self.inc_value("corpus/pages/fetched")
            self.inc_value("corpus/pages/skipped")
        elif len(self.damage) < _MOST_LINES:
            self.damage.append(f"{reason}: {detail}")

    def add(self, values: Mapping[str, Any]) -> None:
        """Add what :meth:`as_json` gave."""
        self.counts.update(values["counts"])
        self.damage += values["damage"][: _MOST_ADDED - len(self.damage)]

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {"counts": dict(self.counts), "damage": self.damage}

    @property
    def skips(self) -> dict[str, int]:
        """How many pages gave no item, by reason, the most frequent reason first."""
        head = "corpus/skipped/"
        found = {k.removeprefix(head): n for k, n in self.counts.items() if k.startswith(head)}
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
