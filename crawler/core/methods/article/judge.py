"""The judge: how likely is each block main text, by all that is known of it?

Two ensembles of trees in a row. The first sees each block with its surroundings; the second sees
that and what the first said of all blocks. What the site's pages tell is added to the margin of
either, since it is of another kind: it was counted, not learned, and is absent on a single page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Self

import numpy as np

from crawler.core.errors import CorpusError
from crawler.core.methods.article.context import in_context
from crawler.core.trees import TreeEnsemble, sigmoid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from crawler.core.methods.article.features import Evidence
    from crawler.core.page.blocks import Block

__all__ = ["Judge", "chosen", "expected_f1"]

_FIRST, _SECOND = "first.npz", "second.npz"
_LIKELY = 0.5
# The numbers of lines beside a listing are no text of it.
_LINE_NUMBERS = re.compile(r"\d+(?:\s+\d+)++")
# A text of so many characters that stands on a page twice may be said twice by its layout.
_REPEATED = 40
# A writer may repeat a sentence; from this share of the text on it is the article that is repeated.
_REPEATED_SHARE = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Two ensembles of trees.

    ``first``, ``second``
        See :mod:`crawler.core.methods.article.features` and
        :mod:`crawler.core.methods.article.context` for what each is asked.
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
        room = files("crawler.core.methods.article").joinpath("data")
        return cls(
            *(
                TreeEnsemble.from_bytes(room.joinpath(name).read_bytes())
                for name in (_FIRST, _SECOND)
            )
        )

    def first_look(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return for each block the first verdict by the page alone, as log odds.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        return _ask(self.first, evidence)

    def likelihoods(
        self,
        evidence: Evidence,
        site: NDArray[np.float64],
        looked: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return for each block how likely it is main text, 0 to 1.

        Args:
            evidence: what is known of the blocks.
            site: what the site's counts say for (above 0) or against each block, as log odds.
            looked: what :meth:`first_look` returned, where it is known.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        if looked is None:
            looked = self.first_look(evidence)
        first = sigmoid(looked + site)
        return sigmoid(_ask(self.second, in_context(evidence, first)) + site)


def _ask(trees: TreeEnsemble, evidence: Evidence) -> NDArray[np.float64]:
    if trees.names != evidence.names:
        raise CorpusError(
            "the weights were learned from other features than the page was read for; "
            "learn them again"
        )
    return trees.score(evidence.rows)


def chosen(blocks: Sequence[Block], likelihoods: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Choose the blocks that are main text: the likely ones, each text once.

    A page may hold its article twice, for wide screens and narrow ones; the first is kept.
    """
    kept: NDArray[np.bool_] = likelihoods > _LIKELY
    again = np.zeros(len(blocks), np.bool_)
    seen: set[int] = set()
    for number in np.flatnonzero(kept).tolist():
        block = blocks[number]
        if "\n" in block.text and _LINE_NUMBERS.fullmatch(block.text):
            kept[number] = False
        elif block.chars >= _REPEATED:
            again[number] = block.key in seen
            seen.add(block.key)
    if again.any():
        chars = np.array([block.chars for block in blocks])
        if chars[again].sum() >= _REPEATED_SHARE * chars[kept].sum():
            kept &= ~again
    return kept


def expected_f1(
    likelihoods: NDArray[np.float64], sizes: NDArray[np.float64], kept: NDArray[np.bool_]
) -> float:
    """Return the F1 in words that is to be expected of some blocks, 0 to 1.

    With p the likelihoods and s the sizes it is 2 sum(p s over the kept) / (sum(s over the kept) +
    sum(p s)): the words in common, found and wanted, each as expected.
    """
    wanted = likelihoods * sizes
    both = float(sizes[kept].sum() + wanted.sum())
    return float(2 * wanted[kept].sum() / both) if both else 0.0
