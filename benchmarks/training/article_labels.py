"""Which blocks of a page are its article: gold text aligned with the page.

Gold tells an article's words and not where on the page they stand. A page says many of them twice,
in a teaser or a box, and short words anywhere. So blocks are matched to runs of gold words, and of
all matches the chain is taken that goes forward on both sides and covers most words.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crawler.evaluation.scores import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from crawler.core.page.blocks import Block

__all__ = ["Labels", "align"]

_RUN = 4
_PLACES = 12
_SHORT = 4
_MAIN, _UNSURE = 0.6, 0.25


@dataclass(frozen=True, slots=True)
class Labels:
    """The truth about the blocks of one page.

    ``main``
        Whether each is main text, bool.
    ``weights``
        How much each counts in training: 0 where the gold leaves it open, else 1.
    """

    main: NDArray[np.bool_]
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Match:
    block: int
    start: int
    end: int
    weight: float


def align(blocks: Sequence[Block], gold_text: str) -> Labels:
    """Label the blocks of a page by its gold text."""
    gold = words(gold_text)
    said = [words(block.text) for block in blocks]
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for size in range(1, _RUN + 1):
        for start in range(len(gold) - size + 1):
            places[tuple(gold[start : start + size])].append(start)
    matches = [
        match for number, own in enumerate(said) for match in _matches(number, own, gold, places)
    ]
    chain = _without_strays(_best_chain(matches))
    taken = np.zeros(len(gold), np.bool_)
    for match in chain:
        taken[match.start : match.end] = True
    main = np.zeros(len(blocks), np.bool_)
    weights = np.ones(len(blocks))
    chosen = {match.block for match in chain}
    for number, own in enumerate(said):
        share = _share(own, places)
        if number in chosen:
            main[number] = share >= _MAIN
            weights[number] = float(share >= _MAIN or share < _UNSURE)
        elif len(own) >= 2 * _RUN and share >= _UNSURE:
            fresh = _fresh(own, places, taken)
            main[number] = share >= _MAIN and fresh >= _MAIN
            # What repeats the article is not the article, yet looks like it.
            weights[number] = float(main[number]) or (0.3 if share >= _MAIN else 0.0)
        elif not own:
            weights[number] = 0.0
    return Labels(main, weights)


def _matches(
    number: int,
    own: Sequence[str],
    gold: Sequence[str],
    places: dict[tuple[str, ...], list[int]],
) -> list[_Match]:
    """Return where in the gold a block may stand."""
    if not own:
        return []
    size = min(_RUN, len(own))
    if len(own) < _SHORT:
        found = places.get(tuple(own), ())
        return [
            _Match(number, start, start + len(own), len(own) - 0.5) for start in found[:_PLACES]
        ]
    starts: set[int] = set()
    for offset in {0, (len(own) - size) // 2, len(own) - size}:
        for place in places.get(tuple(own[offset : offset + size]), ())[:_PLACES]:
            starts.add(max(0, place - offset))
    weight = len(own) * _share(own, places)
    return [_Match(number, start, min(len(gold), start + len(own)), weight) for start in starts]


def _share(own: Sequence[str], places: dict[tuple[str, ...], list[int]]) -> float:
    """Return the share of a block's words that stand in the gold within runs."""
    size = min(_RUN, len(own))
    if not size:
        return 0.0
    covered = np.zeros(len(own), np.bool_)
    for start in range(len(own) - size + 1):
        if tuple(own[start : start + size]) in places:
            covered[start : start + size] = True
    return float(covered.mean())


def _fresh(
    own: Sequence[str], places: dict[tuple[str, ...], list[int]], taken: NDArray[np.bool_]
) -> float:
    """Return the share of a block's runs that stand in gold that no other block has taken."""
    runs = [tuple(own[start : start + _RUN]) for start in range(len(own) - _RUN + 1)]
    free = [any(not taken[place] for place in places.get(run, ())) for run in runs]
    return sum(free) / len(free)


def _best_chain(matches: list[_Match]) -> list[_Match]:
    """Return the matches of greatest weight that go forward in blocks and in gold."""
    if not matches:
        return []
    matches = sorted(matches, key=lambda match: (match.block, match.start))
    block = np.array([match.block for match in matches])
    # Where a page has a word more than the gold, neighbours overlap by some words.
    reach = np.array([match.end - min(3, (match.end - match.start) // 2) for match in matches])
    best = np.zeros(len(matches))
    before = np.full(len(matches), -1)
    for number, match in enumerate(matches):
        fits = np.flatnonzero((block[:number] < match.block) & (reach[:number] <= match.start))
        best[number] = match.weight
        if len(fits):
            # Of equal chains the one that ends nearest: runs of gold stay together.
            last = fits[np.lexsort((reach[fits], best[fits]))[-1]]
            if best[last] > 0:
                gap = match.start - matches[last].end
                best[number] += best[last] + (0.25 if abs(gap) <= 1 else 0.0)
                before[number] = last
    chain: list[_Match] = []
    here = int(np.argmax(best))
    while here >= 0:
        chain.append(matches[here])
        here = int(before[here])
    return chain[::-1]


def _without_strays(chain: list[_Match]) -> list[_Match]:
    """Leave out short blocks that do not join on to a neighbour in the gold."""
    kept = []
    for number, match in enumerate(chain):
        joins_before = number > 0 and match.start - chain[number - 1].end <= 1
        joins_after = number + 1 < len(chain) and chain[number + 1].start - match.end <= 1
        if match.end - match.start >= _SHORT or joins_before or joins_after:
            kept.append(match)
    return kept
