"""Learn the network of the ``article`` method, with the figure that is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax

from crawler.core.methods.article.features import TAG
from crawler.core.methods.article.network import LEVELS, MOST_WORDS, Network, distance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from crawler.core.methods.article.features import Evidence

__all__ = ["Lesson", "learn_network"]

_Weights: TypeAlias = "dict[str, jax.Array]"
_Batch: TypeAlias = "tuple[NDArray[Any], ...]"

_OWN, _TOLD, _ROUNDS, _SEGMENTS = 48, 16, 3, 6
_EPOCHS, _RATE, _DECAY, _DROPPED = 20, 3e-3, 0.05, 0.15
# How often one of a page's variants is learned in its place.
_VARIED = 0.3
# So many rows are looked at for the places of segments.
_SAMPLE = 60_000
# Pages are filled up to one of these sizes; so many blocks are learned from at a time.
_SIZES = (128, 256, 512, 1024, 2048)
_AT_ONCE = 2048
_MOST_COUNTED = 1e4


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A page to learn from.

    Attributes:
        evidence: of its blocks.
        main: whether each is main text.
        weights: how much each counts; 0 leaves it out.
        variants: what is learned in its place at times.
    """

    evidence: Evidence
    main: NDArray[np.bool_]
    weights: NDArray[np.float64]
    variants: tuple[Lesson, ...] = ()


def learn_network(lessons: Sequence[Lesson], seed: int) -> Network:
    """Learn the weights; the same lessons and seed give the same on one machine."""
    scale = _scale(lessons, np.random.default_rng(seed))
    pages = [[_page(each, scale) for each in (lesson, *lesson.variants)] for lesson in lessons]
    key = jax.random.PRNGKey(seed)
    weights = _begin(key, pages[0][0][0].shape[1])
    # Variants are of other sizes: each time through the pages takes another number of steps.
    steps = sum(1 for _ in _times_through(pages, np.random.default_rng(seed + 1)))
    rate = optax.cosine_onecycle_schedule(steps, _RATE)
    change = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(),
        optax.add_decayed_weights(_DECAY),
        optax.scale_by_learning_rate(rate),
    )
    state = change.init(weights)

    def step(weights: _Weights, state: Any, batch: _Batch, key: jax.Array) -> tuple[_Weights, Any]:  # noqa: ANN401 - of optax
        slopes = jax.grad(_loss)(weights, batch, key)
        changes, state = change.update(slopes, state, weights)
        return optax.apply_updates(weights, changes), state

    compiled = jax.jit(step)
    for batch in _times_through(pages, np.random.default_rng(seed + 1)):
        key, now = jax.random.split(key)
        weights, state = compiled(weights, state, batch, now)
    learned = {name: np.asarray(values, np.float32) for name, values in weights.items()}
    return Network(scale.names, scale.knots, scale.slopes, scale.shares, **learned)


def _scale(lessons: Sequence[Lesson], rng: np.random.Generator) -> Network:
    """Return a network that has no weights yet, and knows how features are read.

    What is told of the blocks before and after each is left out: the network hears it from them.
    """
    every = lessons[0].evidence.names
    rows = np.concatenate([lesson.evidence.rows for lesson in lessons])
    rows = rows[rng.choice(len(rows), min(len(rows), _SAMPLE), replace=False)]
    ends = {}
    for place, name in enumerate(every):
        if name != TAG and name[-2:-1] not in ("+", "-"):
            quantiles = np.quantile(rows[:, place], np.linspace(0, 1, _SEGMENTS + 1))
            near = name.startswith("near ")
            ends[name] = np.unique(quantiles[[0, -1]] if near else quantiles)
    names = list(ends)
    knots, slopes = np.zeros((2, _SEGMENTS, len(names)), np.float32)
    shares = np.zeros(len(names), np.float32)
    for place, name in enumerate(names):
        count = len(ends[name]) - 1
        knots[:count, place] = ends[name][:-1]
        slopes[:count, place] = 1.0 / np.diff(ends[name])
        shares[place] = 2.0 / max(count, 1)
    nothing = np.zeros(0, np.float32)
    return Network(tuple(names), knots, slopes, shares, *[nothing] * 6)


def _page(lesson: Lesson, scale: Network) -> _Batch:
    """Return what is learned from a page, an array each, one row a block."""
    evidence, layout = lesson.evidence, lesson.evidence.layout
    begins, ends, here = [], [], layout.at
    for _ in range(LEVELS):
        begins.append(layout.begin[here])
        ends.append(layout.end[here])
        here = layout.outer[here]
    return (
        scale.seen(evidence),
        lesson.main.astype(np.float32),
        lesson.weights.astype(np.float32),
        np.minimum(evidence.sizes, _MOST_COUNTED).astype(np.float32),
        (np.minimum(evidence.sizes, MOST_WORDS) + 1.0).astype(np.float32),
        np.stack(begins, axis=1),
        np.stack(ends, axis=1),
        layout.kinds,
    )


def _times_through(pages: Sequence[Sequence[_Batch]], rng: np.random.Generator) -> Iterator[_Batch]:
    for _ in range(_EPOCHS):
        yield from _batches(pages, rng)


def _batches(pages: Sequence[Sequence[_Batch]], rng: np.random.Generator) -> Iterator[_Batch]:
    """Go through the pages once by chance, several of like size at a time.

    Each page comes with its variants, and one of them may take its place.
    """
    chosen = [page[_choose_variant(len(page), rng)] for page in pages]
    alike: dict[int, list[int]] = {}
    for number in rng.permutation(len(pages)).tolist():
        count = len(chosen[number][0])
        size = next((size for size in _SIZES if count <= size), _SIZES[-1])
        alike.setdefault(size, []).append(number)
    parts = [
        (size, numbers[start : start + _AT_ONCE // size])
        for size, numbers in alike.items()
        for start in range(0, len(numbers), _AT_ONCE // size)
    ]
    for place in rng.permutation(len(parts)).tolist():
        size, numbers = parts[place]
        filled = [_filled(chosen[number], size, rng) for number in numbers]
        filled += [tuple(map(np.zeros_like, filled[0]))] * (_AT_ONCE // size - len(filled))
        yield tuple(np.stack(each) for each in zip(*filled, strict=True))


def _choose_variant(count: int, rng: np.random.Generator) -> int:
    """Return 0 for the page itself, or the number of one of its variants."""
    return int(rng.integers(1, count)) if count > 1 and rng.random() < _VARIED else 0


def _filled(page: _Batch, size: int, rng: np.random.Generator) -> _Batch:
    """Fill a page up to a size, or cut so many blocks out of it by chance."""
    *rows, begins, ends, kinds = page
    start = int(rng.integers(0, max(len(kinds) - size, 0) + 1))
    part = slice(start, start + size)
    count = len(kinds[part])
    more = size - count
    kinds = np.unique(kinds[part], return_inverse=True)[1]
    found = [np.pad(row[part], [(0, more)] + [(0, 0)] * (row.ndim - 1)) for row in rows]
    found += [
        np.pad(np.clip(each[part] - start, 0, count), ((0, more), (0, 0)))
        for each in (begins, ends)
    ]
    return (*found, np.pad(kinds, (0, more), constant_values=size - 1))


def _begin(key: jax.Array, seen: int) -> _Weights:
    heard = 3 * _OWN + (LEVELS + 2) * _TOLD + 1
    shapes = {
        "enter": (seen + 1, _OWN), "direct": (seen, 1), "tell": (_ROUNDS, _OWN, _TOLD),
        "hear": (_ROUNDS, heard, _OWN), "keep": (_ROUNDS, _OWN + 1, _OWN), "judge": (_OWN + 1, 1),
    }  # fmt: skip
    return {
        name: jax.random.normal(each, shape) / np.sqrt(shape[-2]) * (0.1 if shape[-1] == 1 else 1.0)
        for each, (name, shape) in zip(jax.random.split(key, 6), shapes.items(), strict=True)
    }


def _loss(weights: _Weights, batch: _Batch, key: jax.Array) -> jax.Array:
    """Return the mean over pages of the error of blocks, and of what F1 in words lacks to 1.

    It is the mean of a batch: a batch may be one large page or several small ones, and the last
    ones of a size are filled with empty pages, which count as pages without error.
    """
    keys = jax.random.split(key, len(batch[0]))
    return jnp.mean(jax.vmap(partial(_loss_of_page, weights))(batch, keys))


def _loss_of_page(weights: _Weights, page: _Batch, key: jax.Array) -> jax.Array:
    seen, main, counts, sizes, words, begins, ends, kinds = page
    margins = _forward(weights, seen, (words, begins, ends, kinds), key)
    errors = jax.nn.softplus(margins) - main * margins
    wrong = (errors * counts).sum() / jnp.maximum(counts.sum(), 1e-6)
    sizes = sizes * (counts > 0)
    likely = jax.nn.sigmoid(margins)
    wanted = (sizes * main).sum()
    common = (likely * sizes * main).sum()
    f1 = 2 * common / jnp.maximum((likely * sizes).sum() + wanted, 1e-6)
    return wrong + (1.0 - f1) * (wanted > 0)


def _forward(
    weights: _Weights, seen: jax.Array, around: tuple[jax.Array, ...], key: jax.Array
) -> jax.Array:
    """Return the verdicts on a page's blocks; features and what is heard are left out by chance."""
    words, begins, ends, kinds = around
    count, there = len(seen), (words > 0)[:, None]

    def dropped(values: jax.Array, number: int) -> jax.Array:
        left = jax.random.bernoulli(jax.random.fold_in(key, number), 1 - _DROPPED, values.shape[1:])
        return values * left / (1 - _DROPPED)

    def sums(values: jax.Array) -> jax.Array:
        return jnp.concatenate((jnp.zeros((1, values.shape[1])), jnp.cumsum(values, axis=0)))

    weighed = words[:, None]
    before, of_kind = sums(weighed), jax.ops.segment_sum(weighed, kinds, count)
    seen = dropped(seen, 0)
    own = _times(seen, weights["enter"])
    for number in range(_ROUNDS):
        normal = _normal(own) * there
        told = (normal @ weights["tell"][number]) * weighed
        total, step = sums(told), distance(number)
        heard = [jnp.pad(normal, ((step, 0), (0, 0)))[:count], normal]
        heard.append(jnp.pad(normal, ((0, step), (0, 0)))[step:])
        for level in range(LEVELS):
            low, high = begins[:, level], ends[:, level]
            heard.append((total[high] - total[low]) / jnp.maximum(before[high] - before[low], 1.0))
        alike = jax.ops.segment_sum(told, kinds, count) / jnp.maximum(of_kind, 1.0)
        whole = jnp.broadcast_to(total[-1] / jnp.maximum(before[-1], 1.0), told.shape)
        hears = jnp.concatenate((*heard, alike[kinds], whole), axis=1)
        made = dropped(jax.nn.relu(_times(hears, weights["hear"][number])), number + 1)
        own = own + _times(made, weights["keep"][number])
    found = _times(_normal(own), weights["judge"]) + seen @ weights["direct"]
    return found[:, 0]


def _times(values: jax.Array, matrix: jax.Array) -> jax.Array:
    return values @ matrix[:-1] + matrix[-1]


def _normal(values: jax.Array) -> jax.Array:
    return values / jnp.sqrt(jnp.mean(values * values, axis=1, keepdims=True) + 1e-5)
