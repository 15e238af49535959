"""Which blocks were dropped most often: what a person looks at to trust a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crawler.core.flow import Annotation

_MOST = 400
_PRUNED = 100
_SAMPLE = 200


class BoilerplateStats:
    """Remembers the most frequent of the blocks that were dropped because they recur.

    A label tells on how many pages its block stands, so nothing is counted here and memory is
    bounded: what ranks below the best hundred is forgotten. The order of pages does not matter.
    """

    def __init__(self) -> None:
        self._best: dict[tuple[str, int], tuple[int, str]] = {}
        self._floor = 0

    def add(self, annotation: Annotation) -> None:
        """Note the blocks that an annotated page lost as ``frequent``."""
        site = annotation.document.page.site_name
        for block, label in annotation.pairs():
            if label.reason == "frequent" and label.frequency > self._floor:
                found = (label.frequency, block.text[:_SAMPLE])
                key = (site, block.key)
                # One block is written in several ways; which is shown is not left to chance.
                self._best[key] = min(found, self._best.get(key, found), key=_rank)
        if len(self._best) > _MOST:
            kept = sorted(self._best.items(), key=lambda entry: _rank(entry[1]))[:_PRUNED]
            self._best = dict(kept)
            # Blocks that tie with the last one kept are as good as it: they may still come in.
            self._floor = kept[-1][1][0] - 1

    def most_frequent(self, count: int = 10) -> list[dict[str, Any]]:
        """Return ``{"text", "pages"}`` of the blocks that stand on most pages, most first."""
        ranked = sorted(self._best.values(), key=_rank)
        return [{"text": text, "pages": pages} for pages, text in ranked[:count]]


def _rank(value: tuple[int, str]) -> tuple[int, str]:
    pages, text = value
    return -pages, text
