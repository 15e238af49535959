"""Ensembles of decision trees, as gradient boosting learns them: read from bytes and applied.

The learned judges of the project (articles, kinds of pages, tables) are such ensembles. Learning
them takes a library; applying them takes numpy alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from crawler.core.errors import CorpusError
from crawler.core.hot_loops import Trees

# The data types of the arrays of an ensemble.
_KINDS: Final[Mapping[str, Any]] = {
    "feature": np.intp, "threshold": np.float32, "left": np.intp, "value": np.float64,
    "roots": np.intp,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class TreeEnsemble:
    """Trees whose leaves add up to a margin: above 0 the answer is more likely yes than no.

    All trees stand in one list of nodes. A node sends a row to ``left`` where the row's ``feature``
    is at most ``threshold``, else to the node after ``left``; a leaf sends it to itself.

    Attributes:
        names: the features in the order in which rows must give them.
        feature, threshold, left, value: one entry a node; ``value`` counts at leaves.
        roots: the first node of each tree.
        base: the margin before any tree.
    """

    names: tuple[str, ...]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    left: NDArray[np.intp]
    value: NDArray[np.float64]
    roots: NDArray[np.intp]
    base: float = 0.0
    _trees: Trees = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check that every step leads on to a leaf, and asks a feature that there is."""
        nodes = np.arange(len(self.left))
        sizes = {len(each) for each in (self.feature, self.threshold, self.left, self.value)}
        asked = (self.feature >= 0) & (self.feature < len(self.names))
        leaf = self.left == nodes
        # Children come after their parents, so that no path is a circle.
        ordered = (self.left > nodes) & (self.left + 1 < len(nodes))
        rooted = np.isin(self.roots, nodes).all() and (np.diff(self.roots) > 0).all()
        if len(sizes) > 1 or not (rooted and (leaf | ordered).all() and asked.all()):
            raise CorpusError("the weights hold broken trees; install the package again")
        endless = np.where(leaf, np.float32(np.inf), self.threshold).astype(np.float32)
        object.__setattr__(self, "threshold", endless)
        its = (getattr(self, name) for name in _KINDS)
        object.__setattr__(self, "_trees", Trees(*its))

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """Leave the compiled form out of copies: it is made anew."""
        return type(self), tuple(getattr(self, each.name) for each in fields(self) if each.init)

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
        names, found = read_weights(data, {**_KINDS, "base": np.float64})
        base = float(found.pop("base").sum())
        return cls(names, base=base, **found)

    def to_bytes(self) -> bytes:
        """Write the ensemble in the form of numpy's ``npz``, compressed."""
        out = BytesIO()
        np.savez_compressed(
            out,
            names=np.array(self.names),
            feature=self.feature.astype(np.uint16),
            threshold=self.threshold,
            left=self.left.astype(np.int32),
            value=self.value.astype(np.float32),
            roots=self.roots.astype(np.int32),
            base=np.float64(self.base),
        )
        return out.getvalue()

    @classmethod
    def joined(cls, ensembles: Sequence[Self]) -> Self:
        """Return the trees of ensembles that ask the same features as one, with base 0."""
        sizes = [len(each.value) for each in ensembles]
        before = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
        trees = np.repeat(np.cumsum([0, *sizes[:-1]]), [len(each.roots) for each in ensembles])
        whole: dict[str, Any] = {
            name: np.concatenate([getattr(each, name) for each in ensembles]) for name in _KINDS
        }
        for name, moved in (("left", before), ("roots", trees)):
            whole[name] = (whole[name] + moved).astype(np.intp)
        return cls(names=ensembles[0].names, **whole)

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
        return self._trees.sums(np.ascontiguousarray(table.T)) + self.base

    def leaves(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the value of the leaf that each row comes to: one line a tree, one column a row.

        Args:
            table: one row a question, one column a feature.
        """
        return self._trees.leaves(np.ascontiguousarray(table.T))


def read_weights(
    data: bytes, kinds: Mapping[str, Any]
) -> tuple[tuple[str, ...], dict[str, NDArray[Any]]]:
    """Read learned weights from bytes in the form of numpy's ``npz``.

    Args:
        data: the bytes.
        kinds: the data type of each array that is asked for, by its name.

    Returns:
        The names of the features, and the arrays.

    Raises:
        CorpusError: the bytes are damaged, or an array is missing.
    """
    try:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            names = tuple(str(name) for name in arrays["names"])
            return names, {
                name: arrays[name].astype(kind, order="C") for name, kind in kinds.items()
            }
    # Damaged archives fail in a dozen ways.
    except Exception as error:
        raise CorpusError("the weights cannot be read; install the package again") from error


def sigmoid(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn margins into probabilities."""
    # Beyond 500 the exponential overflows and the answer no longer changes.
    bounded = np.minimum(np.maximum(margins, -500.0), 500.0)
    out: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-bounded))
    return out
