"""The kind of a page by learned likelihoods and rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Self

import numpy as np

from crawler.core.errors import CorpusError
from crawler.core.pagetype.evidence import PageEvidence
from crawler.core.pagetype.rules import LEARNED, decide
from crawler.core.trees import TreeEnsemble, sigmoid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from crawler.core.page.page import Document
    from crawler.core.pagetype.rules import PageType

_OTHER_FEATURES = "the weights of page types were learned from other features; learn them again"


@dataclass(frozen=True, slots=True, eq=False)
class TypeJudge:
    """One ensemble of trees for each learned kind: is a page of it, or of any other?

    Raises:
        CorpusError: the ensembles do not ask the same features.
    """

    trees: Mapping[str, TreeEnsemble]
    _joined: TreeEnsemble = field(init=False, repr=False)
    _firsts: NDArray[np.intp] = field(init=False, repr=False)
    _bases: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Join the ensembles, to apply them at once."""
        if len({trees.names for trees in self.trees.values()}) != 1:
            raise CorpusError(_OTHER_FEATURES)
        ensembles = tuple(self.trees.values())
        sizes = [len(each.roots) for each in ensembles]
        object.__setattr__(self, "_joined", TreeEnsemble.joined(ensembles))
        object.__setattr__(self, "_firsts", np.cumsum([0, *sizes])[:-1])
        object.__setattr__(self, "_bases", np.array([each.base for each in ensembles]))

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the judge whose weights come with the package; they are read once.

        Raises:
            CorpusError: the package is damaged.
        """
        package = "crawler.core.pagetype"
        return cls({kind: TreeEnsemble.shipped(package, kind) for kind in LEARNED})

    def likelihoods(self, features: Mapping[str, float]) -> dict[str, float]:
        """Return how likely a page is of each learned kind, 0 to 1; they need not add up to 1.

        Args:
            features: the row of a :class:`PageEvidence`.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        if tuple(features) != self._joined.names:
            raise CorpusError(_OTHER_FEATURES)
        values = self._joined.leaves(np.array([list(features.values())], np.float32))[:, 0]
        margins = np.add.reduceat(values, self._firsts) + self._bases
        return dict(zip(self.trees, sigmoid(margins).tolist(), strict=True))


def page_type(document: Document, judge: TypeJudge | None = None) -> PageType:
    """Return the kind of a page.

    Args:
        document: the page, read.
        judge: what has learned to tell; the shipped one without.
    """
    evidence = PageEvidence.of(document)
    asked = TypeJudge.shipped() if judge is None else judge
    return decide(evidence, asked.likelihoods(evidence.features))
