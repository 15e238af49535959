"""The judge: how likely each block is main text, by all its evidence.

Two ensembles of trees in a row. The first sees each block with its surroundings; the second sees
that and the first verdict on all blocks. What the site's pages tell is added to the margin of
either, since it is of another kind: it was counted, not learned, and is absent on a single page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crawler.core.errors import CorpusError
from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.layout import Layout
from crawler.core.page.blocks import Block, Holder
from crawler.core.trees import TreeEnsemble, sigmoid

_Columns: TypeAlias = "dict[str, NDArray[np.float64]]"

_OFFSETS = (-4, -3, -2, -1, 1, 2, 3, 4)
_WINDOWS = (2, 5, 12)
_LEVELS = 4
# The most words of a block that count.
_MOST = 60.0
LIKELY = 0.5
"""A block is main text where it is likelier than this."""
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
    """Two ensembles of trees.

    Attributes:
        first: asked by the evidence of :mod:`crawler.core.methods.article.features`.
        second: asked by that and what :func:`in_context` adds.
    """

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
        return cls(first, second)

    def likelihoods(
        self, evidence: Evidence, looked: NDArray[np.float64], site: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return for each block how likely it is main text, 0 to 1.

        Args:
            evidence: what is known of the blocks.
            looked: the first verdict by the page alone, as log odds: ``ask(self.first, evidence)``.
            site: what the site's counts say for (above 0) or against each block, as log odds.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        first = sigmoid(looked + site)
        return sigmoid(ask(self.second, in_context(evidence, first)) + site)


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
    columns = {
        "first": first,
        **_around(first, weights),
        **_in_elements(evidence.layout, first, weights),
        **_in_page(first, weights),
    }
    found = copy(evidence)
    found.names = (*evidence.names, *columns)
    table = np.empty((len(found.names), len(first)), np.float32)
    table[: len(evidence.names)] = evidence.rows.T
    np.concatenate(
        list(columns.values()), out=table[len(evidence.names) :].reshape(-1), casting="same_kind"
    )
    found.rows = table.T
    return found


def _sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate(([0.0], np.cumsum(values)))


def _around(first: NDArray[np.float64], weights: NDArray[np.float64]) -> _Columns:
    count = len(first)
    columns: _Columns = {}
    reach = max(_OFFSETS)
    padded = np.full(count + 2 * reach, -1.0)
    padded[reach:-reach] = first
    for offset in _OFFSETS:
        columns[f"first{offset:+}"] = padded[reach + offset : reach + offset + count]
    heavy, whole = _sums(first * weights), _sums(weights)
    at = np.arange(count)
    for window in _WINDOWS:
        low, high = np.maximum(at - window, 0), np.minimum(at + window + 1, count)
        columns[f"window{window}"] = (heavy[high] - heavy[low]) / (whole[high] - whole[low])
        columns[f"before{window}"] = (heavy[at] - heavy[low]) / (whole[at] - whole[low] + 1.0)
        behind = whole[high] - whole[at + 1] + 1.0
        columns[f"after{window}"] = (heavy[high] - heavy[at + 1]) / behind
    return columns


def _in_elements(
    layout: Layout, first: NDArray[np.float64], weights: NDArray[np.float64]
) -> _Columns:
    heavy, whole = _sums(first * weights), _sums(weights)
    columns: _Columns = {}
    here = layout.at
    for level in range(_LEVELS):
        low, high = layout.begin[here], layout.end[here]
        inside, around = heavy[high] - heavy[low], whole[high] - whole[low]
        columns[f"held{level}"] = inside / around
        columns[f"others{level}"] = (inside - first * weights) / (around - weights + 1.0)
        columns[f"mass{level}"] = inside / max(heavy[-1], 1.0)
        here = layout.outer[here]
    kind = layout.kinds
    alike, alike_whole = np.bincount(kind, first * weights), np.bincount(kind, weights)
    columns["alike"] = (alike[kind] - first * weights) / (alike_whole[kind] - weights + 1.0)
    return columns


def _in_page(first: NDArray[np.float64], weights: NDArray[np.float64]) -> _Columns:
    count = len(first)
    heavy = _sums(first * weights)
    place = np.arange(count, dtype=np.float64)
    begin, end = _best_run((first - 0.5) * weights)
    likely = first > LIKELY
    behind = np.maximum.accumulate(np.where(likely, place, -99.0))
    ahead = np.minimum.accumulate(np.where(likely, place, count + 99.0)[::-1])[::-1]
    return {
        "mass_before": heavy[:-1] / max(heavy[-1], 1.0),
        "mass": np.full(count, np.log1p(heavy[-1])),
        "mass_share": np.full(count, heavy[-1] / _sums(weights)[-1]),
        "from_run": place - begin,
        "to_run": end - 1 - place,
        "from_likely": place - behind,
        "to_likely": ahead - place,
    }


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
    firsts = np.full(len(blocks), -1)
    for number in np.flatnonzero(kept).tolist():
        block = blocks[number]
        if "\n" in block.text and _LINE_NUMBERS.fullmatch(block.text):
            kept[number] = False
        else:
            firsts[number] = seen.setdefault(block.key, number)
    again = kept & (firsts < np.arange(len(blocks)))
    if not again.any():
        return kept
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
