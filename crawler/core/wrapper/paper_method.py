"""The matcher ``published``: tag sets with weights, aligned with paths of tag items.

Zhang, Jeong, Choi and Kim (2002), "GUI-based HTML2XML Wrapper using Inductive Reasoning", section
3.2. All costs of a rule are multiples of one over its number of examples; they are added as whole
numbers, so that they are exact.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from crawler.core.wrapper.example_nodes import TEXT_NODE, node_at, value_of
from crawler.core.wrapper.rules import Match
from crawler.core.wrapper.tree import TEXT, TagItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from crawler.core.wrapper.example_nodes import Example
    from crawler.core.wrapper.tree import PageTree
    from crawler.core.wrapper.view import View

ANONYMOUS_THRESHOLD = 3
"""From how many examples on a tag may match by its index alone (ANON_THRESHOLD)."""

# The paper takes the best node whatever it costs; below this confidence nothing is taken here.
_LEAST_CONFIDENCE = 0.5
# More than any alignment costs.
_NEVER = 1 << 40
_ADD, _OMIT, _REPLACE = 0, 1, 2
_Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TagSet:
    """The tag items that examples have at one place of their paths.

    ``items``
        Tag items with their weights, in the order in which they came.
    ``null``
        How many examples have nothing there.
    """

    items: tuple[tuple[TagItem, int], ...]
    null: int = 0

    @property
    def total(self) -> int:
        """The number of examples."""
        return self.null + sum(weight for _, weight in self.items)

    def with_item(self, item: TagItem) -> TagSet:
        """Return the set after one more example that has ``item`` there."""
        weights = dict(self.items)
        weights[item] = weights.get(item, 0) + 1
        return TagSet(tuple(weights.items()), self.null)

    def weight_by_name(self, item: TagItem) -> int:
        """Return the weight of the items with the same name and tag index, the largest of several.

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

    def weight_by_index(self, item: TagItem) -> int:
        """Return the weight of all items with the same index."""
        return sum(weight for known, weight in self.items if known.index == item.index)


@dataclass(frozen=True, slots=True)
class PaperRule:
    """A list of tag sets, learned from the paths of that many example nodes."""

    sets: tuple[TagSet, ...] = ()
    examples: int = 0

    @classmethod
    def learn(cls, paths: Iterable[Sequence[TagItem]]) -> PaperRule:
        """Learn a rule from paths, one after the other; their order can matter."""
        rule = cls()
        for path in paths:
            rule = rule.learn_more(path)
        return rule

    def cost(self, path: Sequence[TagItem]) -> Fraction:
        """Return the least cost of aligning the rule with a path: 0 or more.

        A rule without examples costs what adding each item costs.
        """
        table = self._table(path)
        return Fraction(table[0][0], self._unit)

    def learn_more(self, path: Sequence[TagItem]) -> PaperRule:
        """Return the rule that has learned from one more path, given from the root on."""
        table = self._table(path)
        sets: list[TagSet] = []
        at, step = 0, 0
        while at < len(self.sets) or step < len(path):
            mode = self._mode(table, path, at, step)
            if mode == _ADD:
                sets.append(TagSet(((path[step], 1),), null=self.examples))
            elif mode == _OMIT:
                sets.append(TagSet(self.sets[at].items, self.sets[at].null + 1))
            else:
                sets.append(self.sets[at].with_item(path[step]))
            at += mode != _ADD
            step += mode != _OMIT
        return PaperRule(tuple(sets), self.examples + 1)

    def costs(self, tree: PageTree) -> _Ints:
        """Return the cost of every node of a page, times the number of examples.

        The alignment of a node begins as that of its parent: each node adds one row to that of its
        parent, and all nodes of one depth are computed at once.
        """
        length, unit = len(self.sets), self._unit
        skips = np.cumsum([0, *(unit - tags.null for tags in self.sets)])
        weights = _weights(self, tree)
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
                replacing = rows[:, :-1] + (unit - weights(level))
                np.minimum(best[:, 1:], replacing, out=best[:, 1:])
                # Several omissions in a row: a running minimum along the rule.
                best = np.minimum.accumulate(best - skips, axis=1) + skips
            found[level] = best[:, -1]
            above = best
        return found

    def best_node(
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
        weight = tags.weight_by_name(item)
        if self.examples >= ANONYMOUS_THRESHOLD:
            weight = max(weight, tags.weight_by_index(item))
        return self._unit - weight

    def _table(self, path: Sequence[TagItem]) -> list[list[int]]:
        """Return the costs of aligning the rule from each set with the path from each step."""
        height, width, unit = len(self.sets), len(path), self._unit
        table = [[0] * (width + 1) for _ in range(height + 1)]
        for at in range(height, -1, -1):
            for step in range(width, -1, -1):
                if at < height or step < width:
                    table[at][step] = min(self._moves(table, path, at, step, unit))
        return table

    def _moves(
        self, table: list[list[int]], path: Sequence[TagItem], at: int, step: int, unit: int
    ) -> tuple[int, int, int]:
        """Return the costs of addition, omission and replacement, with those of the rest."""
        has_set, has_item = at < len(self.sets), step < len(path)
        addition = unit + table[at][step + 1] if has_item else _NEVER
        omission = unit - self.sets[at].null + table[at + 1][step] if has_set else _NEVER
        replacement = (
            self._replacement(self.sets[at], path[step]) + table[at + 1][step + 1]
            if has_set and has_item
            else _NEVER
        )
        return addition, omission, replacement

    def _mode(self, table: list[list[int]], path: Sequence[TagItem], at: int, step: int) -> int:
        addition, omission, replacement = self._moves(table, path, at, step, self._unit)
        # A tie goes to the replacement. The worked example of the paper needs an exception that its
        # pseudocode lacks: where only the index is the same (UL for LI, both first of their
        # parents, after three examples), a tie goes to the addition or omission.
        slack = 0
        if replacement < _NEVER and not self.sets[at].weight_by_name(path[step]):
            slack = self._unit > self._replacement(self.sets[at], path[step])
        if addition < replacement + slack and addition < omission:
            return _ADD
        if omission < replacement + slack and omission <= addition:
            return _OMIT
        return _REPLACE


def _weights(rule: PaperRule, tree: PageTree) -> Callable[[_Ints], _Ints]:
    """Return a function from nodes to their weights in each set, a row a node."""
    length = len(rule.sets)
    by_name: dict[tuple[str, int], _Ints] = {}
    by_index: dict[int, _Ints] = {}
    for at, tags in enumerate(rule.sets):
        for item, _ in tags.items:
            row = by_name.setdefault((item.name, item.tag_index), np.zeros(length, np.int64))
            row[at] = tags.weight_by_name(item)
            if rule.examples >= ANONYMOUS_THRESHOLD:
                row = by_index.setdefault(item.index, np.zeros(length, np.int64))
                row[at] = tags.weight_by_index(item)

    def table(rows: Mapping[_Key, _Ints], keys: Iterable[_Key]) -> tuple[_Ints, _Ints]:
        """Return the rows, the first of zeros, and which of them each node has."""
        numbers = {key: number for number, key in enumerate(rows, start=1)}
        stacked = np.stack([np.zeros(length, np.int64), *rows.values()])
        return stacked, np.asarray([numbers.get(key, 0) for key in keys], np.int64)

    names, name_of = table(by_name, zip(tree.names, tree.tag_indexes, strict=True))
    indexes, index_of = table(by_index, tree.indexes)
    return lambda nodes: np.maximum(names[name_of[nodes]], indexes[index_of[nodes]])


@dataclass(frozen=True, slots=True)
class PaperFieldRule:
    """A rule of the paper as the rule of a field: it finds one node a page.

    The confidence in a match is 1 less the cost by the number of tag sets. Text nodes are found by
    their paths as elements are.
    """

    rule: PaperRule = field(default_factory=PaperRule)
    kind: str = TEXT_NODE
    examples: tuple[Example, ...] = ()

    def learn_page(self, view: View, example: Example) -> PaperFieldRule:
        """Return the rule that has learned from this example of a page as well.

        Of several copies of a value the one that costs the rule least is learned.
        """
        rule, kind, tree = self.rule, self.kind, view.tree
        for value in example.values:
            places = ((node_at(view, its.path), its.kind) for its in value.nodes)
            nodes = [(node, its) for node, its in places if node is not None]
            if nodes and self.rule.examples:
                nodes.sort(key=lambda its: self.rule.cost(tree.tag_path(its[0])))
            if nodes:
                rule, kind = rule.learn_more(tree.tag_path(nodes[0][0])), nodes[0][1]
        return PaperFieldRule(rule, kind, (*self.examples, example))

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:  # noqa: ARG002 - it remembers no page
        """Return the node of least cost, where its confidence is at least one half."""
        if not self.rule.examples:
            return ()
        chosen = self.rule.best_node(view.tree, texts=self.kind == TEXT_NODE, root=view.root)
        if chosen is None:
            return ()
        node, cost = chosen
        confidence = max(0.0, 1.0 - float(cost) / max(len(self.rule.sets), 1))
        if confidence < _LEAST_CONFIDENCE:
            return ()
        value = value_of(view, node, self.kind)
        return (Match(node, self.kind, value, float(cost), confidence),)
