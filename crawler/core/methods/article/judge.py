"""The judge: how likely each block is main text, by all its evidence on the page.

A network sees all blocks at once. Where it is unsure of a page, trees are asked, too: two ensembles
in a row, of which the first sees each block with its surroundings, and the second that and the
first verdict on all blocks. Network and trees err on different pages, and the mean of their margins
counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from crawler.core.errors import CorpusError
from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.layout import Layout
from crawler.core.methods.article.network import Network
from crawler.core.page.blocks import Block, Holder
from crawler.core.trees import TreeEnsemble, sigmoid

_OFFSETS = (-4, -3, -2, -1, 1, 2, 3, 4)
_WINDOWS = (2, 5, 12)
_LEVELS = 4
_IN_PAGE = ("mass_before", "mass", "mass_share", "from_run", "to_run", "from_likely", "to_likely")
# What the second ensemble sees of the first verdict, in this order.
_NAMES = (
    "first",
    *(f"first{offset:+}" for offset in _OFFSETS),
    *(f"{name}{window}" for window in _WINDOWS for name in ("window", "before", "after")),
    *(f"{name}{level}" for level in range(_LEVELS) for name in ("held", "others", "mass")),
    "alike",
    *_IN_PAGE,
)
# The most words of a block that count.
_MOST = 60.0
LIKELY = 0.5
"""A block is main text where it is likelier than this."""
# The share of the network where trees are asked, and the expected F1 of its verdict from which on
# they are not. By folds 62 pages in 100 are sure, and word F1 over all kinds of pages is .9170;
# it is .9171 where trees are always asked, and .9122 where they never are.
_NETWORK, _SURE = 0.4, 0.98
# It has learned from threads of forums, which look like comments, and goes by what stands around a
# block more than by its name. So the log odds of blocks beside the text are lowered by this.
_BESIDE = 2.0
# Line numbers beside a listing are no text.
_LINE_NUMBERS = re.compile(r"\d+(?:\s+\d+)++")
# A text of so many characters that is twice on a page may be there for two layouts.
_REPEATED = 40
# What was kept once is kept again where it is likelier than this.
_LIKELY_AGAIN = 0.25
# From this share of the text on the article itself may be repeated. At 0.5 word F1 falls by 0.002
# on half of the gold sites; below 0.25 no page changes.
_REPEATED_SHARE = 0.25
# So much of the article is repeated by a copy of it, and so much of the copy is repeated. No gold
# page changes from 0.4 to 0.6, nor from 0.6 to 0.95.
_COPIED, _COPY_SHARE = 0.6, 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """What has learned to tell main text.

    Attributes:
        network: asked by the evidence of :mod:`crawler.core.methods.article.features`.
        first: asked by that, where the network is unsure.
        second: asked by that and what :func:`in_context` adds.
    """

    network: Network
    first: TreeEnsemble
    second: TreeEnsemble

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the judge whose weights come with the package; they are read once.

        Raises:
            CorpusError: the package is damaged.
        """
        first, second = (
            TreeEnsemble.shipped("crawler.core.methods.article", name)
            for name in ("first", "second")
        )
        return cls(Network.shipped(), first, second)

    def margins(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return for each block how likely it is main text, for the page alone, as log odds.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        network = self.network.score(evidence) - _BESIDE * evidence.beside
        likely = sigmoid(network)
        if expected_f1(likely > LIKELY, likely, evidence.chars) >= _SURE:
            return network
        first = sigmoid(ask(self.first, evidence))
        trees = ask(self.second, in_context(evidence, first))
        found: NDArray[np.float64] = _NETWORK * network + (1 - _NETWORK) * trees
        return found


def expected_f1(
    kept: NDArray[np.bool_], likelihoods: NDArray[np.float64], sizes: NDArray[np.float64]
) -> float:
    """Return the F1 in characters that is to be expected of a page's main text, 0 to 1.

    With p the likelihoods and s the sizes of blocks it is 2 sum(p s over the kept) / (sum(s over
    the kept) + sum(p s)): the characters in common, found and wanted, each as expected.

    Args:
        kept: the blocks that are taken for main text.
        likelihoods: how likely each is main text, 0 to 1.
        sizes: the characters of each.
    """
    wanted = likelihoods * sizes
    both = float(sizes[kept].sum() + wanted.sum())
    return float(2 * wanted[kept].sum() / both) if both else 0.0


def ask(trees: TreeEnsemble, evidence: Evidence) -> NDArray[np.float64]:
    """Return the verdict of an ensemble on each block, as log odds.

    Raises:
        CorpusError: the weights were learned from other features.
    """
    if trees.names != evidence.names:
        raise CorpusError("the weights were learned from other features; learn them again")
    return trees.score(evidence.rows)


def in_context(evidence: Evidence, first: NDArray[np.float64]) -> Evidence:
    """Return the evidence for the second verdict: the first verdict around each block is added.

    An article is coherent: blocks between its blocks are likely of it, and so are blocks in the
    same element, or in elements of the same kind.

    Args:
        evidence: what is known of the blocks.
        first: how likely each is main text, 0 to 1, by the first verdict.
    """
    weights = np.minimum(evidence.sizes, _MOST) + 1.0
    said = _Said(first, weights)
    columns = (first[None], _around(said), _in_elements(evidence.layout, said), _in_page(said))
    found = copy(evidence)
    found.names = (*evidence.names, *_NAMES)
    table = np.empty((len(found.names), len(first)), np.float32)
    table[: len(evidence.names)] = evidence.rows.T
    np.concatenate(columns, out=table[len(evidence.names) :], casting="same_kind")
    found.rows = table.T
    return found


class _Said:
    """The first verdict on the blocks of a page.

    Attributes:
        first: how likely each is main text, 0 to 1.
        weights: how much each counts.
        mass: the one by the other.
        heavy, whole: the mass and the weights of all blocks before each, and of all.
    """

    def __init__(self, first: NDArray[np.float64], weights: NDArray[np.float64]) -> None:
        self.first, self.weights, self.mass = first, weights, first * weights
        self.heavy, self.whole = _sums(self.mass), _sums(weights)


def _sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums


def _around(said: _Said) -> NDArray[np.float64]:
    count = len(said.first)
    reach = max(_OFFSETS)
    padded = np.full(count + 2 * reach, -1.0)
    padded[reach:-reach] = said.first
    found = np.empty((len(_OFFSETS) + 3 * len(_WINDOWS), count))
    for place, offset in enumerate(_OFFSETS):
        found[place] = padded[reach + offset : reach + offset + count]
    # One line a window.
    at, window = np.arange(count), np.array(_WINDOWS)[:, None]
    low, high = np.maximum(at - window, 0), np.minimum(at + window + 1, count)
    heavy_low, heavy_high = said.heavy.take(low), said.heavy.take(high)
    whole_low, whole_high = said.whole.take(low), said.whole.take(high)
    windows = found[len(_OFFSETS) :].reshape(len(_WINDOWS), 3, count)
    windows[:, 0] = (heavy_high - heavy_low) / (whole_high - whole_low)
    windows[:, 1] = (said.heavy[:-1] - heavy_low) / (said.whole[:-1] - whole_low + 1.0)
    windows[:, 2] = (heavy_high - said.heavy[1:]) / (whole_high - said.whole[1:] + 1.0)
    return found


def _in_elements(layout: Layout, said: _Said) -> NDArray[np.float64]:
    found = np.empty((3 * _LEVELS + 1, len(said.first)))
    elements = np.empty((_LEVELS, len(said.first)), np.intp)
    here = layout.at
    for level in range(_LEVELS):
        elements[level] = here
        here = layout.outer.take(here)
    of_elements = said.heavy.take(layout.end) - said.heavy.take(layout.begin)
    inside = of_elements.take(elements)
    around = (said.whole.take(layout.end) - said.whole.take(layout.begin)).take(elements)
    levels = found[:-1].reshape(_LEVELS, 3, len(said.first))
    levels[:, 0] = inside / around
    levels[:, 1] = (inside - said.mass) / (around - said.weights + 1.0)
    levels[:, 2] = inside / max(said.heavy[-1], 1.0)
    kind = layout.kinds
    alike, alike_whole = np.bincount(kind, said.mass), np.bincount(kind, said.weights)
    found[-1] = (alike[kind] - said.mass) / (alike_whole[kind] - said.weights + 1.0)
    return found


def _in_page(said: _Said) -> NDArray[np.float64]:
    first, heavy = said.first, said.heavy
    count = len(first)
    place = np.arange(count, dtype=np.float64)
    begin, end = _best_run((first - 0.5) * said.weights)
    likely = first > LIKELY
    behind = np.maximum.accumulate(np.where(likely, place, -99.0))
    ahead = np.minimum.accumulate(np.where(likely, place, count + 99.0)[::-1])[::-1]
    found = np.empty((len(_IN_PAGE), count))
    found[0] = heavy[:-1] / max(heavy[-1], 1.0)
    found[1], found[2] = np.log1p(heavy[-1]), heavy[-1] / said.whole[-1]
    found[3], found[4] = place - begin, end - 1 - place
    found[5], found[6] = place - behind, ahead - place
    return found


def _best_run(worth: NDArray[np.float64]) -> tuple[int, int]:
    sums = _sums(worth)
    lowest = np.minimum.accumulate(sums[:-1])
    end = int(np.argmax(sums[1:] - lowest)) + 1
    return int(np.argmin(sums[:end])), end


def chosen(blocks: Sequence[Block], likelihoods: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Choose the blocks that are main text: the likely ones, and of two copies the first.

    A page may hold its article twice, for wide screens and narrow ones: then all that follows the
    first is said before. It may show some of it twice, in other elements, for a quotation or for
    the slides of a gallery: there at least two blocks in a row come again. A chorus, or one answer
    to several questions, is kept each time: what is kept once in an element is kept again in it,
    after kept text.
    """
    kept: NDArray[np.bool_] = likelihoods > LIKELY
    near = np.flatnonzero(kept[:-1] & ~kept[1:] & (likelihoods[1:] > _LIKELY_AGAIN)) + 1
    if len(near):
        said = {(blocks[it].key, _around_it(blocks[it])) for it in np.flatnonzero(kept).tolist()}
        for number in near.tolist():
            kept[number] = (blocks[number].key, _around_it(blocks[number])) in said
    seen: dict[int, int] = {}
    first_of: dict[int, int] = {}
    for number in np.flatnonzero(kept).tolist():
        block = blocks[number]
        if "\n" in block.text and _LINE_NUMBERS.fullmatch(block.text):
            kept[number] = False
        else:
            first_of[number] = seen.setdefault(block.key, number)
    if len(seen) == len(first_of):
        return kept
    firsts = np.full(len(blocks), -1)
    firsts[list(first_of)] = list(first_of.values())
    again = kept & (firsts < np.arange(len(blocks)))
    chars = np.array([block.chars if block.chars >= _REPEATED else 0 for block in blocks]) * kept
    if chars[again].sum() < _REPEATED_SHARE * chars.sum():
        return kept
    copied = np.ones(len(blocks), np.bool_)
    keys = np.array([block.key for block in blocks], np.uint64)
    copied[np.unique(keys, return_index=True)[1]] = False
    if not _is_copy(blocks, chars, copied, again):
        again &= _in_runs(blocks, kept, firsts) & (chars > 0)
    return kept & ~again


def _in_runs(
    blocks: Sequence[Block], kept: NDArray[np.bool_], firsts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return for each kept block whether it and one beside it come again, in another element."""
    found = np.zeros(len(blocks), np.bool_)
    places = np.flatnonzero(kept)
    rank = np.zeros(len(blocks), np.int64)
    rank[places] = np.arange(len(places))
    for one, other in zip(places[:-1].tolist(), places[1:].tolist(), strict=True):
        first, second = int(firsts[one]), int(firsts[other])
        if (
            first < one
            and rank[second] == rank[first] + 1
            and second < other
            and _around_it(blocks[first]) is not _around_it(blocks[one])
        ):
            found[[one, other]] = True
    return found


def _is_copy(
    blocks: Sequence[Block],
    chars: NDArray[np.int64],
    copied: NDArray[np.bool_],
    again: NDArray[np.bool_],
) -> bool:
    """Tell whether most of an article comes once more, in a run.

    Args:
        blocks: the page's blocks.
        chars: the characters of the kept ones that are long.
        copied: whether the text of each stands before it on the page.
        again: whether it stands before it in what is kept.
    """
    places = np.flatnonzero(copied & (chars > 0))
    if not len(places):
        return False
    run = slice(int(places[0]), int(places[-1]) + 1)
    repeated = {blocks[number].key: chars[number] for number in places.tolist()}
    return bool(
        sum(repeated.values()) >= _COPIED * chars[~again].sum()
        and chars[copied].sum() >= _COPY_SHARE * chars[run].sum()
    )


def _around_it(block: Block) -> Holder | None:
    return block.holder.parent if block.holder else None
