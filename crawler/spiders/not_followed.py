"""What the spider ``site`` does not follow: counted once each, and told of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawler.discovery.addresses import address_key
from crawler.discovery.url_traps import TRAPS

if TYPE_CHECKING:
    from logging import LoggerAdapter

    from crawler.discovery.links import LinkRules
    from crawler.discovery.url_traps import Traps

__all__ = ["Cuts"]

_PATTERNS_TOLD = 20


class Cuts:
    """Addresses that are not followed.

    Args:
        rules: limits of single links.
        traps: limits of address spaces.
        max_depth: the most links between the start and a page, for its words.
        logger: of the spider.
    """

    def __init__(
        self,
        rules: LinkRules,
        traps: Traps,
        max_depth: int,
        logger: LoggerAdapter[Any],
    ) -> None:
        self.traps = traps
        self._rules = rules
        self._max_depth = max_depth
        self._logger = logger
        self._known: dict[str, set[int]] = {}

    def add(self, reason: str, address: str) -> bool:
        """Note an address, and explain the first of each reason; False where it was noted before.

        Those of traps are told of when the crawl ends, pattern by pattern.
        """
        known = self._known.setdefault(reason, set())
        if (key := address_key(address)) in known:
            return False
        if reason in TRAPS:
            self.traps.count(reason, address)
        elif not known:
            self._logger.info(
                "Not followed: %s: %s (more are counted in corpus/cut/%s)",
                address,
                self._explain(reason),
                reason,
            )
        known.add(key)
        return True

    def tell(self) -> None:
        """Tell, at the end, which patterns of addresses were cut most."""
        cut = sorted(self.traps.cut.items(), key=lambda entry: -entry[1])
        for (name, pattern), number in cut[:_PATTERNS_TOLD]:
            self._logger.info(
                "Not followed: %d addresses like %s: %s",
                number,
                pattern,
                self.traps.limits.explain(name),
            )
        if rest := cut[_PATTERNS_TOLD:]:
            self._logger.info(
                "Not followed for the same reasons: %d addresses of %d more patterns",
                sum(number for _, number in rest),
                len(rest),
            )

    def _explain(self, reason: str) -> str:
        if reason == "depth":
            limit = self._max_depth
            return f"it is more than {limit} links away; -a max_depth=0 lifts the limit"
        if reason in {"allow", "deny", "lang"}:
            return f"the argument '{reason}' rules it out"
        if reason == "date":
            return "the arguments 'since' and 'until' rule its date out"
        if reason in {"twin", "session"}:
            return "its plain address is followed instead; -a twins=true follows both"
        return self._rules.explain(reason)
