"""What learned judges make of figures, in Python: the reference of the compiled loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rows at a time: what 256 take meanwhile, 36 bytes a row and tree, stays in the cache of a core.
_ROWS_AT_ONCE = 256


class Trees:
    """Trees in one list of nodes, as :class:`crawler.core.trees.TreeEnsemble` describes them.

    Args:
        feature: one entry a node.
        threshold: likewise; infinite at leaves.
        left: likewise.
        value: likewise.
        roots: the first node of each tree.
    """

    def __init__(
        self,
        feature: NDArray[np.intp],
        threshold: NDArray[np.float32],
        left: NDArray[np.intp],
        value: NDArray[np.float64],
        roots: NDArray[np.intp],
    ) -> None:
        self._nodes = feature, threshold, left, value
        self._roots = roots

    def leaves(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the value of the leaf that each row comes to: one line a tree, one column a row.

        Args:
            table: one line a feature, one column a row.
        """
        feature, threshold, left, value = self._nodes
        rows = table.shape[1]
        flat, numbers = table.reshape(-1), np.arange(rows)
        # One line a tree: rows at the same node are neighbours in memory.
        at = np.repeat(self._roots[:, None], rows, axis=1)
        before = at - 1
        while not np.array_equal(at, before):
            before = at
            places = feature.take(at) * rows
            places += numbers
            right = flat.take(places) > threshold.take(at)
            at = left.take(at)
            at += right
        return value.take(at)

    def sums(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of the :meth:`leaves` of all trees for each row.

        Args:
            table: one line a feature, one column a row.
        """
        parts = np.array_split(table, max(1, -(-table.shape[1] // _ROWS_AT_ONCE)), axis=1)
        sums = [self.leaves(np.ascontiguousarray(part)).sum(axis=0) for part in parts]
        return np.concatenate(sums)


def ramps(
    table: NDArray[np.float32],
    places: NDArray[np.intp],
    knots: NDArray[np.float32],
    slopes: NDArray[np.float32],
    shares: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return features as ramps: how many of its segments lie below a value, from -1 on.

    Args:
        table: one line a feature, one column a row.
        places: the lines that are read.
        knots: (segments, f) where the segments of each begin.
        slopes: (segments, f) one over their lengths; from a slope of 0 on there are no more.
        shares: (f,) what a segment adds.

    Returns:
        One line a feature that is read.

    Raises:
        ValueError: the arrays are not of these shapes.
        IndexError: the table has no such line.
    """
    if knots.shape != slopes.shape or not knots.shape[1] == len(places) == len(shares):
        raise ValueError("a place, knots, slopes and a share for each feature")
    if ((places < 0) | (places >= len(table))).any():
        raise IndexError("the table has no such line")
    found = np.zeros((len(places), table.shape[1]), np.float32)
    values = table[places]
    for begins, slope in zip(
        knots, np.where(np.cumsum(slopes == 0, axis=0), 0, slopes), strict=True
    ):
        used = np.flatnonzero(slope)
        steps = (values[used] - begins[used, None]) * slope[used, None]
        found[used] += np.clip(steps, np.float32(0), np.float32(1))
    found *= shares[:, None]
    found -= np.float32(1)
    return found


def means_within(
    told: NDArray[np.float32],
    weights: NDArray[np.float64],
    order: NDArray[np.intp],
    ranges: NDArray[np.intp],
    whole: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Return the means of what rows tell, for each row those of some ranges of rows.

    Args:
        told: one line a row; lines beyond the weights are not read.
        weights: how much each row counts.
        order: the rows in another order.
        ranges: where they begin and end, (2, rows, ranges): rows, or from one more than the number
            of rows on rows of the other order.
        whole: the weights in each range; where it is 0, means are not finite.

    Returns:
        One line a row, range behind range.

    Raises:
        ValueError: the arrays are not of these shapes.
        IndexError: the order or a range has a number that no row has.
    """
    count, size = len(weights), told.shape[1]
    shapes = order.shape, whole.shape[:1], ranges.shape
    if len(told) < count or shapes != ((count,), (count,), (2, *whole.shape)):
        raise ValueError("a line, a place in the order and as many ranges for each weight")
    for numbers, end in ((order, count), (ranges, 2 * count + 2)):
        if ((numbers < 0) | (numbers >= end)).any():
            raise IndexError("there is no such row")
    sums = np.zeros((2 * count + 2, size))
    with np.errstate(all="ignore"):
        weighed = told[:count] * weights[:, None]
        np.cumsum(weighed, axis=0, out=sums[1 : count + 1])
        np.cumsum(weighed[order], axis=0, out=sums[count + 2 :])
        means: NDArray[np.float64] = (sums[ranges[1]] - sums[ranges[0]]) / whole[:, :, None]
        return means.astype(np.float32).reshape(count, whole.shape[1] * size)
