"""The judge of page types: learned likelihoods, joined with rules."""

from __future__ import annotations

from dataclasses import dataclass
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
    from collections.abc import Mapping

    from crawler.core.document import Document

__all__ = ["PageType", "TypeJudge", "page_type"]


@dataclass(frozen=True, slots=True, eq=False)
class TypeJudge:
    """One ensemble of trees for each learned kind: is a page of it, or of any other?"""

    trees: Mapping[str, TreeEnsemble]

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
        names = tuple(features)
        row = np.array([list(features.values())], np.float32)
        found = {}
        for kind, trees in self.trees.items():
            if trees.names != names:
                raise CorpusError(
                    "the weights of page types were learned from other features; learn them again"
                )
            found[kind] = float(sigmoid(trees.score(row))[0])
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
