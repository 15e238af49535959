"""A network that judges the blocks of a page together.

Each block begins with its own evidence. In some rounds it then hears from the blocks before and
after it, from those in the elements around it, from those in elements of the same kind, and from
the whole page. Trees see a block with what was counted around it; the network learns what to count.
It was trained on the F1 in words of each page.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crawler.core.errors import CorpusError
from crawler.core.hot_loops import means_within, ramps
from crawler.core.methods.article.features import TAG, TAGS, Evidence
from crawler.core.trees import read_weights

_Floats: TypeAlias = NDArray[np.float32]

LEVELS = 3
"""From so many elements around a block it hears, the nearest first."""
MOST_WORDS = 60.0
"""Among others a block counts by its words plus one; more words than these do not count."""
# The library of linear algebra shares larger products among threads, which costs more than it
# saves. It leaves so many rows to one thread.
_ROWS = 24
# Added to a mean square, so that nothing is divided by zero.
_LEAST = 1e-5
_UNFIT = "the weights do not fit together; install the package again"


def distance(number: int) -> int:
    """Return how far before and after it a block hears others in a round, in blocks: 1, 2, 4."""
    return 1 << number


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The weights, all float32: f features, t tags, d numbers a block, q of them for others.

    Attributes:
        names: the features that are read, without the tag.
        knots, slopes: (segments, f): a feature counts by how many of its segments lie below it; a
            segment begins at a knot, and its slope is one over its length.
        shares: (f,) what a segment adds, so that a feature goes from -1 to 1.
        enter: (f + t + 1, d): from the features, the tag and 1 to the numbers of a block.
        direct: (f + t, 1): what features add to the verdict.
        tell: (rounds, d, q): what a block tells those farther away.
        hear: (rounds, 3 d + (LEVELS + 2) q + 1, d): what it makes of the block before it, of
            itself, of the block after it, of the elements around it, of its kind, of the page, and
            of 1.
        keep: (rounds, d + 1, d): what that adds to its numbers.
        judge: (d + 1, 1): from the numbers and 1 to the verdict.
    """

    names: tuple[str, ...]
    knots: _Floats
    slopes: _Floats
    shares: _Floats
    enter: _Floats
    direct: _Floats
    tell: _Floats
    hear: _Floats
    keep: _Floats
    judge: _Floats

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the network whose weights come with the package; they are read once.

        Raises:
            CorpusError: the package is damaged.
        """
        data = files("crawler.core.methods.article").joinpath("data", "network.npz")
        return cls.from_bytes(data.read_bytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what :meth:`to_bytes` wrote.

        Raises:
            CorpusError: it is nothing of the kind.
        """
        names, weights = read_weights(data, {each.name: np.float32 for each in fields(cls)[1:]})
        found = cls(names, **weights)
        found._check()
        return found

    def _check(self) -> None:
        """Check that the weights fit together.

        Raises:
            CorpusError: they do not.
        """
        count = len(self.names)
        if self.tell.ndim != 3:  # noqa: PLR2004 - rounds, own and told
            raise CorpusError(_UNFIT)
        rounds, own, told = self.tell.shape
        shapes = {
            "knots": (*self.knots.shape[:1], count), "slopes": self.knots.shape, "shares": (count,),
            "enter": (count + TAGS + 1, own), "direct": (count + TAGS, 1),
            "hear": (rounds, 3 * own + (LEVELS + 2) * told + 1, own),
            "keep": (rounds, own + 1, own), "judge": (own + 1, 1),
        }  # fmt: skip
        fit = all(getattr(self, name).shape == shape for name, shape in shapes.items())
        if not fit or not all(np.isfinite(getattr(self, name)).all() for name in (*shapes, "tell")):
            raise CorpusError(_UNFIT)

    def to_bytes(self) -> bytes:
        """Write the weights in the form of numpy's ``npz``; those of products in 16 bits."""
        out = BytesIO()
        exact = ("knots", "slopes", "shares")
        weights: dict[str, Any] = {
            each.name: getattr(self, each.name).astype("f4" if each.name in exact else "f2")
            for each in fields(self)[1:]
        }
        np.savez_compressed(out, names=np.array(self.names), **weights)
        return out.getvalue()

    def score(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return the verdict on each block of a page, as log odds.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        around = _Surroundings(evidence)
        count, size = len(evidence.sizes), self.judge.shape[0] - 1
        seen = np.zeros((_filled(count), len(self.names) + TAGS), np.float32)
        seen[:count] = self.seen(evidence)
        own = _times(seen, self.enter)
        # What blocks hear, side by side; rows beyond the blocks stay empty.
        heard = np.zeros((len(own), self.hear.shape[1] - 1), np.float32)
        for number, (tell, hear, keep) in enumerate(
            zip(self.tell, self.hear, self.keep, strict=True)
        ):
            normal, step = _normal(own), distance(number)
            heard[step:count, :size] = normal[: max(count - step, 0)]
            heard[:step, :size] = 0.0
            heard[:count, size : 2 * size] = normal[:count]
            heard[: max(count - step, 0), 2 * size : 3 * size] = normal[step:count]
            heard[max(count - step, 0) : count, 2 * size : 3 * size] = 0.0
            heard[:count, 3 * size :] = around.means(_product(normal, tell))
            made = _times(heard, hear)
            own += _times(np.maximum(made, 0.0, out=made), keep)
        found = _times(_normal(own), self.judge) + _product(seen, self.direct)
        return found[:count, 0].astype(np.float64)

    def seen(self, evidence: Evidence) -> _Floats:
        """Return the features as the network reads them: one row a block, f + t columns.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        table = evidence.rows.T
        places, tag = _places(evidence.names, self.names)
        found = np.empty((len(self.names) + TAGS, len(evidence.sizes)), np.float32)
        found[:-TAGS] = ramps(table, places, self.knots, self.slopes, self.shares)
        found[-TAGS:] = table[tag] == np.arange(TAGS)[:, None]
        return found.T


@lru_cache(maxsize=4)
def _places(every: tuple[str, ...], names: tuple[str, ...]) -> tuple[NDArray[np.intp], int]:
    """Return where some features stand among all, and where the tag does.

    Raises:
        CorpusError: one is missing.
    """
    place_of = {name: place for place, name in enumerate(every)}
    if not place_of.keys() >= {*names, TAG}:
        raise CorpusError("the weights were learned from other features; learn them again")
    return np.array([place_of[name] for name in names]), place_of[TAG]


class _Surroundings:
    """Whom each block hears from afar: ranges of blocks, in which each counts by its words."""

    def __init__(self, evidence: Evidence) -> None:
        layout, count = evidence.layout, len(evidence.sizes)
        self._words = np.minimum(evidence.sizes, MOST_WORDS) + 1.0
        # Blocks of a kind are a range, too: of all blocks in the order of their kinds.
        self._order = np.argsort(layout.kinds, kind="stable")
        of_kind = np.bincount(layout.kinds)
        ends = count + 1 + np.cumsum(of_kind)
        low, high, here = [], [], layout.at
        for _ in range(LEVELS):
            low.append(layout.begin[here])
            high.append(layout.end[here])
            here = layout.outer[here]
        low += [(ends - of_kind)[layout.kinds], np.zeros(count, np.intp)]
        high += [ends[layout.kinds], np.full(count, count)]
        self._ranges = np.array((low, high)).transpose(0, 2, 1).copy()
        sums = np.zeros(2 * count + 2)
        np.cumsum(self._words, out=sums[1 : count + 1])
        np.cumsum(self._words[self._order], out=sums[count + 2 :])
        self._whole = sums[self._ranges[1]] - sums[self._ranges[0]]

    def means(self, told: _Floats) -> _Floats:
        """Return the means of what blocks tell, for each block those of the ranges it hears."""
        return means_within(told, self._words, self._order, self._ranges, self._whole)


def _filled(count: int) -> int:
    """Return the number of rows, rounded up to a multiple of ``_ROWS``."""
    return -(-count // _ROWS) * _ROWS


def _normal(values: _Floats) -> _Floats:
    """Bring the numbers of each block to a mean square of 1."""
    squares = np.einsum("bn,bn->b", values, values)[:, None] / values.shape[1]
    found: _Floats = values / np.sqrt(squares + np.float32(_LEAST))
    return found


def _times(values: _Floats, matrix: _Floats) -> _Floats:
    """Multiply rows, and a 1 behind each, by a matrix."""
    found = _product(values, matrix[:-1])
    found += matrix[-1]
    return found


def _product(values: _Floats, matrix: _Floats) -> _Floats:
    """Multiply rows by a matrix, so many at a time that one thread does it.

    There is a multiple of ``_ROWS`` of them.
    """
    found: _Floats = (values.reshape(-1, _ROWS, values.shape[1]) @ matrix).reshape(len(values), -1)
    return found
