"""Ensembles of decision trees, as gradient boosting learns them: read from bytes and applied.

The learned judges of the project (articles, kinds of pages, tables) are such ensembles. Learning
them takes a library; applying them takes numpy alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Self
from zipfile import BadZipFile

import numpy as np

from crawler.core.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Rows at a time: each row takes 36 bytes a tree meanwhile.
_ROWS_AT_ONCE = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class TreeEnsemble:
    """Trees whose leaves add up to a margin: above 0 the answer is more likely yes than no.

    All trees stand in one list of nodes. A node sends a row to ``left`` where the row's ``feature``
    is at most ``threshold``, else to ``right``, which is the node after ``left``; a leaf sends it
    to itself.

    Attributes:
        names: the features in the order in which rows must give them.
        feature, threshold, left, right, value: one entry a node; ``value`` counts at leaves.
        roots: the first node of each tree.
        base: the margin before any tree.
        depth: how many steps lead from a root to the farthest leaf.
    """

    names: tuple[str, ...]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    value: NDArray[np.float64]
    roots: NDArray[np.intp]
    base: float = 0.0
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        """Check that every step leads on to a leaf, and count the steps."""
        nodes = np.arange(len(self.left))
        leaf = (self.left == nodes) & (self.right == nodes)
        # Children come after their parents, so that no path is a circle; the right one follows the
        # left one, so that a step is an addition.
        ordered = (self.left > nodes) & (self.right == self.left + 1) & (self.right < len(nodes))
        if not (leaf | ordered).all():
            raise CorpusError("the weights hold broken trees; install the package again")
        object.__setattr__(self, "depth", self._steps(leaf))
        endless = np.where(leaf, np.float32(np.inf), self.threshold).astype(np.float32)
        object.__setattr__(self, "threshold", endless)

    def _steps(self, leaf: NDArray[np.bool_]) -> int:
        depth, at = 0, np.unique(self.roots)
        while len(inner := at[~leaf[at]]):
            depth, at = depth + 1, np.unique(np.concatenate((self.left[inner], self.right[inner])))
        return depth

    @classmethod
    @cache
    def shipped(cls, package: str, name: str) -> Self:
        """Return an ensemble that comes with the package; it is read once.

        Args:
            package: the package in whose folder ``data`` it lies, by its dotted name.
            name: name of its file without ``.npz``.

        Raises:
            CorpusError: the file is damaged.
        """
        return cls.from_bytes(files(package).joinpath("data", f"{name}.npz").read_bytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what :meth:`to_bytes` wrote.

        Raises:
            CorpusError: it is nothing of the kind.
        """
        try:
            with np.load(BytesIO(data), allow_pickle=False) as arrays:
                return cls(
                    names=tuple(str(name) for name in arrays["names"]),
                    feature=arrays["feature"].astype(np.intp),
                    threshold=arrays["threshold"].astype(np.float32),
                    left=arrays["left"].astype(np.intp),
                    right=arrays["right"].astype(np.intp),
                    value=arrays["value"].astype(np.float64),
                    roots=arrays["roots"].astype(np.intp),
                    base=float(arrays["base"]),
                )
        except (ValueError, KeyError, EOFError, OSError, BadZipFile) as error:
            raise CorpusError("the weights cannot be read; install the package again") from error

    def to_bytes(self) -> bytes:
        """Write the ensemble in the form of numpy's ``npz``, compressed."""
        out = BytesIO()
        np.savez_compressed(
            out,
            names=np.array(self.names),
            feature=self.feature.astype(np.uint16),
            threshold=self.threshold,
            left=self.left.astype(np.int32),
            right=self.right.astype(np.int32),
            value=self.value.astype(np.float32),
            roots=self.roots.astype(np.int32),
            base=np.float64(self.base),
        )
        return out.getvalue()

    @classmethod
    def joined(cls, ensembles: Sequence[Self]) -> Self:
        """Return the trees of ensembles that ask the same features as one, with base 0."""
        sizes = [len(each.value) for each in ensembles]
        moved = list(zip(ensembles, np.cumsum([0, *sizes[:-1]]), strict=True))
        return cls(
            names=ensembles[0].names,
            feature=np.concatenate([each.feature for each in ensembles]),
            threshold=np.concatenate([each.threshold for each in ensembles]),
            left=np.concatenate([each.left + before for each, before in moved]).astype(np.intp),
            right=np.concatenate([each.right + before for each, before in moved]).astype(np.intp),
            value=np.concatenate([each.value for each in ensembles]),
            roots=np.concatenate([each.roots + before for each, before in moved]).astype(np.intp),
        )

    def score(self, rows: NDArray[np.float32] | Sequence[Sequence[float]]) -> NDArray[np.float64]:
        """Return the margin of each row.

        Args:
            rows: one row a question, one column a feature, in the order of ``names``.

        Raises:
            ValueError: rows have more or fewer columns than there are features.
        """
        table = np.asarray(rows, dtype=np.float32)
        if table.ndim != 2 or table.shape[1] != len(self.names):  # noqa: PLR2004 - rows and columns
            raise ValueError(f"rows of {len(self.names)} features, not of shape {table.shape}")
        parts = [
            self.leaves(table[start : start + _ROWS_AT_ONCE]).sum(axis=0) + self.base
            for start in range(0, len(table), _ROWS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def leaves(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the value of the leaf that each row comes to: one line a tree, one column a row.

        Args:
            table: one row a question, one column a feature.
        """
        columns = len(self.names)
        flat = np.ascontiguousarray(table).reshape(-1)
        offsets = (np.arange(len(table), dtype=np.intp) * columns)[None, :]
        # One line a tree: rows at the same node are neighbours in memory.
        at = np.repeat(self.roots[:, None], len(table), axis=1)
        for _ in range(self.depth):
            values = flat.take(self.feature.take(at) + offsets)
            right = values > self.threshold.take(at)
            at = self.left.take(at)
            at += right
        return self.value.take(at)


def sigmoid(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn margins into probabilities."""
    # Beyond 500 the exponential overflows and the answer no longer changes.
    out: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(margins, -500.0, 500.0)))
    return out
