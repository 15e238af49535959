"""The rules of tags as published: tag sets with weights, aligned with paths of tag items.

Zhang, Jeong, Choi and Kim (2002), "GUI-based HTML2XML Wrapper using Inductive Reasoning", section
3.2. All costs of a rule are multiples of one over its number of examples, so that they are added
up as whole numbers and are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.wrapper.tree import TEXT, TagItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawler.core.wrapper.tree import PageTree

__all__ = ["ANONYMOUS_THRESHOLD", "PublishedRule", "TagSet"]

ANONYMOUS_THRESHOLD = 3
"""From how many examples on a tag may be known by its index alone (ANON_THRESHOLD)."""

# More than any alignment costs.
_NEVER = 1 << 40
_ADD, _OMIT, _REPLACE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class TagSet:
    """What examples had at one place of their paths.

    ``items``
        Tag items with their weights, in the order in which they came.
    ``null``
        How many examples had nothing there.
    """

    items: tuple[tuple[TagItem, int], ...]
    null: int = 0

    @property
    def total(self) -> int:
        """How many examples the set has seen."""
        return self.null + sum(weight for _, weight in self.items)

    def raised(self, item: TagItem) -> TagSet:
        """Return the set after one more example that has ``item`` there."""
        weights = dict(self.items)
        weights[item] = weights.get(item, 0) + 1
        return TagSet(tuple(weights.items()), self.null)

    def named(self, item: TagItem) -> int:
        """Return the weight of the same name and tag index; where several have them, the largest.

        Items that differ in their index alone are different items of a set.
        """
        return max(
            (
                weight
                for known, weight in self.items
                if known.name == item.name and known.tag_index == item.tag_index
            ),
            default=0,
        )

    def placed(self, item: TagItem) -> int:
        """Return the weight of all items with the same index."""
        return sum(weight for known, weight in self.items if known.index == item.index)


@dataclass(frozen=True, slots=True)
class PublishedRule:
    """A list of tag sets, learned from the paths of ``examples`` nodes."""

    sets: tuple[TagSet, ...] = ()
    examples: int = 0

    @classmethod
    def learned(cls, instances: Iterable[Sequence[TagItem]]) -> PublishedRule:
        """Learn a rule from paths, one after the other; their order can matter."""
        rule = cls()
        for instance in instances:
            rule = rule.merged(instance)
        return rule

    def cost(self, instance: Sequence[TagItem]) -> Fraction:
        """Return the least cost of aligning the rule with a path: 0 or more.

        A rule without examples costs what adding each item costs.
        """
        table = self._table(instance)
        return Fraction(table[0][0], self._unit)

    def merged(self, instance: Sequence[TagItem]) -> PublishedRule:
        """Return the rule after one more example. An example is its path, from the root on."""
        table = self._table(instance)
        sets: list[TagSet] = []
        at, step = 0, 0
        while at < len(self.sets) or step < len(instance):
            mode = self._mode(table, instance, at, step)
            if mode == _ADD:
                sets.append(TagSet(((instance[step], 1),), null=self.examples))
            elif mode == _OMIT:
                sets.append(TagSet(self.sets[at].items, self.sets[at].null + 1))
            else:
                sets.append(self.sets[at].raised(instance[step]))
            at += mode != _ADD
            step += mode != _OMIT
        return PublishedRule(tuple(sets), self.examples + 1)

    def costs(self, tree: PageTree) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the cost of every node of a page, times the number of examples.

        The alignments of a node and of those around it share their beginning: each node adds one
        row to that of its parent, and all nodes of one depth are worked out at once.
        """
        length, unit = len(self.sets), self._unit
        skips = np.cumsum([0, *(unit - tags.null for tags in self.sets)])
        replaced = _Weights(self, tree)
        depths = np.asarray(tree.depths)
        parents = np.asarray(tree.parents)
        order = np.argsort(depths, kind="stable")
        bounds = np.searchsorted(depths[order], np.arange(depths.max(initial=-1) + 2))
        found = np.empty(len(tree), np.int64)
        place = np.zeros(len(tree), np.int64)
        above = skips[np.newaxis, :]
        for start, end in pairwise(bounds.tolist()):
            level = order[start:end]
            place[level] = np.arange(end - start)
            around = parents[level]
            rows = above[np.where(around < 0, 0, place[around])]
            best = rows + unit
            if length:
                replacing = rows[:, :-1] + (unit - replaced.rows(level))
                np.minimum(best[:, 1:], replacing, out=best[:, 1:])
                # Omissions run along the rule: a running minimum of what is left after them.
                best = np.minimum.accumulate(best - skips, axis=1) + skips
            found[level] = best[:, -1]
            above = best
        return found

    def choose(
        self, tree: PageTree, *, texts: bool = False, root: int = -1
    ) -> tuple[int, Fraction] | None:
        """Return the node of a page with the least cost, and its cost; the first of several.

        Args:
            tree: the page.
            texts: choose among text nodes, else among elements.
            root: choose among the nodes in this element; with -1 among those of the page.

        Returns:
            None where the page has no such node.
        """
        within = tree.within(root)
        is_text = np.asarray(
            [name == TEXT for name in tree.names[within.start : within.stop]], bool
        )
        among = np.flatnonzero(is_text == texts) + within.start
        if not among.size:
            return None
        costs = self.costs(tree)[among]
        best = int(np.argmin(costs))
        return int(among[best]), Fraction(int(costs[best]), self._unit)

    @property
    def _unit(self) -> int:
        return max(self.examples, 1)

    def _replacement(self, tags: TagSet, item: TagItem) -> int:
        weight = tags.named(item)
        if self.examples >= ANONYMOUS_THRESHOLD:
            weight = max(weight, tags.placed(item))
        return self._unit - weight

    def _table(self, instance: Sequence[TagItem]) -> list[list[int]]:
        """Return what aligning the rests costs: of the rule from a set, of the path from a step."""
        height, width, unit = len(self.sets), len(instance), self._unit
        table = [[0] * (width + 1) for _ in range(height + 1)]
        for at in range(height, -1, -1):
            for step in range(width, -1, -1):
                if at < height or step < width:
                    table[at][step] = min(self._moves(table, instance, at, step, unit))
        return table

    def _moves(
        self, table: list[list[int]], instance: Sequence[TagItem], at: int, step: int, unit: int
    ) -> tuple[int, int, int]:
        """Return the costs of addition, omission and replacement, with what then is left."""
        has_set, has_item = at < len(self.sets), step < len(instance)
        addition = unit + table[at][step + 1] if has_item else _NEVER
        omission = unit - self.sets[at].null + table[at + 1][step] if has_set else _NEVER
        replacement = (
            self._replacement(self.sets[at], instance[step]) + table[at + 1][step + 1]
            if has_set and has_item
            else _NEVER
        )
        return addition, omission, replacement

    def _mode(self, table: list[list[int]], instance: Sequence[TagItem], at: int, step: int) -> int:
        addition, omission, replacement = self._moves(table, instance, at, step, self._unit)
        # A tie goes to the replacement. The worked example of the paper needs an exception that its
        # pseudocode lacks: where only the index speaks for the replacement (UL for LI, both first
        # of their parents, after three examples), the tie goes to what keeps the names together.
        slack = 0
        if replacement < _NEVER and not self.sets[at].named(instance[step]):
            slack = self._unit > self._replacement(self.sets[at], instance[step])
        if addition < replacement + slack and addition < omission:
            return _ADD
        if omission < replacement + slack and omission <= addition:
            return _OMIT
        return _REPLACE


class _Weights:
    """What replacing each set by each node of a page takes off the cost, looked up by arrays."""

    def __init__(self, rule: PublishedRule, tree: PageTree) -> None:
        length = len(rule.sets)
        named: dict[tuple[str, int], np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
        placed: dict[int, np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
        for at, tags in enumerate(rule.sets):
            for item, _ in tags.items:
                row = named.setdefault((item.name, item.tag_index), np.zeros(length, np.int64))
                row[at] = tags.named(item)
                if rule.examples >= ANONYMOUS_THRESHOLD:
                    row = placed.setdefault(item.index, np.zeros(length, np.int64))
                    row[at] = tags.placed(item)
        nothing = np.zeros(length, np.int64)
        self._named = np.stack([nothing, *named.values()])
        self._placed = np.stack([nothing, *placed.values()])
        name_rows = {key: row for row, key in enumerate(named, start=1)}
        place_rows = {key: row for row, key in enumerate(placed, start=1)}
        self._by_name = np.asarray(
            [name_rows.get(key, 0) for key in zip(tree.names, tree.tag_indexes, strict=True)],
            np.int64,
        )
        self._by_place = np.asarray([place_rows.get(key, 0) for key in tree.indexes], np.int64)

    def rows(
        self, nodes: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Return a row a node: how much less than an addition each set's replacement costs."""
        return np.maximum(self._named[self._by_name[nodes]], self._placed[self._by_place[nodes]])
