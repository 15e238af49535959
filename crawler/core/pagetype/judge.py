"""The judge of page types: learned likelihoods, joined with rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Self

import numpy as np

from crawler.core.errors import CorpusError
from crawler.core.pagetype.evidence import PageEvidence
from crawler.core.pagetype.kinds import LEARNED
from crawler.core.pagetype.rules import PageType, decide
from crawler.core.trees import TreeEnsemble, sigmoid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from crawler.core.page.page import Document

__all__ = ["PageType", "TypeJudge", "page_type"]

_OTHER_FEATURES = "the weights of page types were learned from other features; learn them again"


@dataclass(frozen=True, slots=True, eq=False)
class TypeJudge:
    """One ensemble of trees for each learned kind: is a page of it, or of any other?

    Raises:
        CorpusError: the ensembles do not ask the same features.
    """

    trees: Mapping[str, TreeEnsemble]
    _forest: _Forest = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Join the ensembles, to ask them at once."""
        object.__setattr__(self, "_forest", _Forest.of(tuple(self.trees.values())))

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the judge whose weights come with the package; they are read once.

        Raises:
            CorpusError: the package is damaged.
        """
        room = files("crawler.core.pagetype").joinpath("data")
        return cls(
            {
                kind: TreeEnsemble.from_bytes(room.joinpath(f"{kind}.npz").read_bytes())
                for kind in LEARNED
            }
        )

    def likelihoods(self, features: Mapping[str, float]) -> dict[str, float]:
        """Return how likely a page is of each learned kind, 0 to 1; they need not add up to 1.

        Args:
            features: the row of a :class:`PageEvidence`.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        if tuple(features) != self._forest.names:
            raise CorpusError(_OTHER_FEATURES)
        margins = self._forest.score(np.array(list(features.values()), np.float32))
        return dict(zip(self.trees, sigmoid(margins).tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Forest:
    """The trees of several ensembles in one list of nodes, for one row at a time.

    ``names``
        The features that all of them ask.
    ``feature``, ``threshold``, ``left``, ``value``, ``roots``
        As in :class:`TreeEnsemble`.
    ``firsts``, ``bases``
        Of each ensemble, its first tree, and the margin before any of its trees.
    ``depth``
        How many steps lead to the farthest leaf.
    """

    names: tuple[str, ...]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float32]
    left: NDArray[np.int64]
    value: NDArray[np.float64]
    roots: NDArray[np.int64]
    firsts: NDArray[np.int64]
    bases: NDArray[np.float64]
    depth: int

    @classmethod
    def of(cls, ensembles: Sequence[TreeEnsemble]) -> Self:
        """Join ensembles, of which each must ask the same features."""
        if len({each.names for each in ensembles}) != 1:
            raise CorpusError(_OTHER_FEATURES)
        nodes = np.cumsum([0, *(len(each.value) for each in ensembles)])[:-1]
        moved = list(zip(nodes, ensembles, strict=True))
        return cls(
            names=ensembles[0].names,
            feature=np.concatenate([each.feature for each in ensembles]).astype(np.int64),
            threshold=np.concatenate([each.threshold for each in ensembles]),
            left=np.concatenate([each.left + before for before, each in moved]).astype(np.int64),
            value=np.concatenate([each.value for each in ensembles]),
            roots=np.concatenate([each.roots + before for before, each in moved]).astype(np.int64),
            firsts=np.cumsum([0, *(len(each.roots) for each in ensembles)])[:-1],
            bases=np.array([each.base for each in ensembles]),
            depth=max(each.depth for each in ensembles),
        )

    def score(self, row: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the margin that each ensemble gives a row."""
        at = self.roots
        for _ in range(self.depth):
            right = row.take(self.feature.take(at)) > self.threshold.take(at)
            at = self.left.take(at) + right
        found: NDArray[np.float64] = np.add.reduceat(self.value.take(at), self.firsts) + self.bases
        return found


def page_type(document: Document, judge: TypeJudge | None = None) -> PageType:
    """Tell what kind of page a page is.

    Args:
        document: the page, read.
        judge: what has learned to tell; the shipped one without.
    """
    evidence = PageEvidence.of(document)
    asked = TypeJudge.shipped() if judge is None else judge
    return decide(evidence, asked.likelihoods(evidence.features))
