"""The matcher ``published``: tag sets with weights, aligned with paths of tag items.

Zhang, Jeong, Choi and Kim (2002), "GUI-based HTML2XML Wrapper using Inductive Reasoning", section
3.2. All costs of a rule are multiples of one over its number of examples; they are added as whole
numbers, so that they are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Self

import numpy as np

from crawler.core.wrapper.example_nodes import Example, ExampleNode
from crawler.core.wrapper.rules import LearnedRule, Match
from crawler.core.wrapper.tree import ELEMENT, TEXT_NODE, PageTree, TagItem
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    _Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

ANONYMOUS_THRESHOLD = 3
"""From how many examples on a tag may match by its index alone (ANON_THRESHOLD)."""

# The paper takes the best node whatever it costs; below this confidence nothing is taken here.
_LEAST_CONFIDENCE = 0.5
# More than any alignment costs.
_NEVER = 1 << 40
_ADD, _OMIT, _REPLACE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class TagSet:
    """The tag items that examples have at one place of their paths.

    ``items`` are tag items with their weights, in the order in which they came; ``null`` is how
    many examples have nothing there.
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
        key = (item.name, item.tag_index)
        same = (weight for its, weight in self.items if (its.name, its.tag_index) == key)
        return max(same, default=0)

    def weight_by_index(self, item: TagItem) -> int:
        """Return the weight of all items with the same index."""
        return sum(weight for known, weight in self.items if known.index == item.index)


@dataclass(frozen=True, slots=True)
class PaperRule:
    """A list of tag sets, learned from the paths of that many example nodes.

    The order in which it learns can matter.
    """

    sets: tuple[TagSet, ...] = ()
    examples: int = 0

    def cost(self, path: Sequence[TagItem]) -> Fraction:
        """Return the least cost of aligning the rule with a path: 0 or more.

        A rule without examples costs what adding each item costs.
        """
        costs, _ = self._align(path)
        return Fraction(costs[0, 0], self._unit)

    def learn_more(self, path: Sequence[TagItem]) -> PaperRule:
        """Return the rule that has learned from one more path, given from the root on."""
        _, moves = self._align(path)
        sets: list[TagSet] = []
        at, step = 0, 0
        while at < len(self.sets) or step < len(path):
            move = moves[at, step]
            if move == _ADD:
                sets.append(TagSet(((path[step], 1),), null=self.examples))
            elif move == _OMIT:
                sets.append(TagSet(self.sets[at].items, self.sets[at].null + 1))
            else:
                sets.append(self.sets[at].with_item(path[step]))
            at += move != _ADD
            step += move != _OMIT
        return PaperRule(tuple(sets), self.examples + 1)

    def _align(
        self, path: Sequence[TagItem]
    ) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
        """Return the costs of aligning the sets from one on with the steps from one on.

        Also return the first move of each alignment.
        """
        height, width, unit = len(self.sets), len(path), self._unit
        costs, moves = {(height, width): 0}, {}
        for at, step in product(range(height, -1, -1), range(width, -1, -1)):
            if (at, step) == (height, width):
                continue
            addition = omission = replacement = _NEVER
            slack = False
            if step < width:
                addition = unit + costs[at, step + 1]
            if at < height:
                omission = unit - self.sets[at].null + costs[at + 1, step]
            if at < height and step < width:
                by_name = weight = self.sets[at].weight_by_name(path[step])
                if self.examples >= ANONYMOUS_THRESHOLD:
                    weight = max(by_name, self.sets[at].weight_by_index(path[step]))
                replacement = unit - weight + costs[at + 1, step + 1]
                # A tie goes to the replacement. The worked example of the paper needs an exception
                # that its pseudocode lacks: where only the index is the same (UL for LI, both first
                # of their parents, after three examples), a tie goes to the addition or omission.
                slack = weight > 0 and not by_name
            costs[at, step] = min(addition, omission, replacement)
            if addition < replacement + slack and addition < omission:
                moves[at, step] = _ADD
            else:
                moves[at, step] = _OMIT if omission < replacement + slack else _REPLACE
        return costs, moves

    def costs(self, tree: PageTree) -> _Ints:
        """Return the cost of every node of a page, times the number of examples.

        The alignment of a node begins as that of its parent: each node adds one row to that of its
        parent, and all nodes of one depth are computed at once.
        """
        length, unit = len(self.sets), self._unit
        skips = np.cumsum([0, *(unit - tags.null for tags in self.sets)])
        weights = self._weights(tree)
        depths, parents = np.asarray(tree.depths), np.asarray(tree.parents)
        order = np.argsort(depths, kind="stable")
        rows = np.empty((len(tree) + 1, length + 1), np.int64)
        # That of the parent of roots, -1.
        rows[-1] = skips
        for level in np.split(order, np.flatnonzero(np.diff(depths[order])) + 1):
            above = rows[parents[level]]
            best = above + unit
            np.minimum(best[:, 1:], above[:, :-1] + (unit - weights[level]), out=best[:, 1:])
            # Several omissions in a row: a running minimum along the rule.
            rows[level] = np.minimum.accumulate(best - skips, axis=1) + skips
        return rows[:-1, -1]

    def _weights(self, tree: PageTree) -> _Ints:
        """Return the weight that each node has in each set, a row a node."""
        names, numbers, indexes = map(np.asarray, (tree.names, tree.tag_indexes, tree.indexes))
        weights = np.zeros((len(tree), len(self.sets)), np.int64)
        for at, tags in enumerate(self.sets):
            column = weights[:, at]
            for item, _ in tags.items:
                same = np.flatnonzero(numbers == item.tag_index)
                same = same[names[same] == item.name]
                column[same] = np.maximum(column[same], tags.weight_by_name(item))
                if self.examples >= ANONYMOUS_THRESHOLD:
                    same = np.flatnonzero(indexes == item.index)
                    column[same] = np.maximum(column[same], tags.weight_by_index(item))
        return weights

    def best_node(self, tree: PageTree, nodes: Sequence[int]) -> tuple[int, Fraction] | None:
        """Return the first of some nodes with the least cost, and its cost; None without nodes."""
        if not nodes:
            return None
        costs = self.costs(tree)[nodes]
        best = int(np.argmin(costs))
        return nodes[best], Fraction(int(costs[best]), self._unit)

    @property
    def _unit(self) -> int:
        return max(self.examples, 1)


@dataclass(frozen=True, slots=True)
class PaperFieldRule(LearnedRule):
    """A rule of the paper as the rule of a field: it finds one node a page.

    The confidence in a match is 1 less the cost by the number of tag sets. Text nodes are found by
    their paths as elements are.
    """

    examples: tuple[Example, ...] = ()
    rule: PaperRule = field(default_factory=PaperRule)
    kind: str = TEXT_NODE

    @classmethod
    def learn(cls, examples: Iterable[Example]) -> Self:
        """Learn from examples in their order, which can matter.

        Of several copies of a value the one that costs the rule least is learned.

        Raises:
            ValueError: a node has another number of indexes than its path has steps.
        """
        rule, kind, known = PaperRule(), TEXT_NODE, tuple(examples)
        for example in known:
            before = rule
            for value in example.values:
                paths = [_tag_path(example.record, node) for node in value.nodes]
                costs = [before.cost(path) if before.examples else 0 for path in paths]
                best = costs.index(min(costs))
                rule, kind = rule.learn_more(paths[best]), value.nodes[best].kind
        return cls(known, rule, kind)

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:  # noqa: ARG002 - it remembers no page
        """Return the node of least cost, where its confidence is at least one half."""
        nodes = view.text_nodes
        if self.kind != TEXT_NODE:
            nodes = [node for node in view.nodes(ELEMENT) if node != view.root]
        chosen = self.rule.best_node(view.tree, nodes) if self.rule.examples else None
        if chosen is None:
            return ()
        node, cost = chosen
        confidence = max(0.0, 1.0 - float(cost) / max(len(self.rule.sets), 1))
        if confidence < _LEAST_CONFIDENCE:
            return ()
        value = view.value(node, self.kind)
        return (Match(node, self.kind, value, float(cost), confidence),)


def _tag_path(record: str, node: ExampleNode) -> list[TagItem]:
    """Return the path of an example node from the root of its page."""
    steps = f"{record}{node.path}".strip("/").split("/")
    if len(steps) != len(node.indexes):
        raise ValueError(f"'indexes' must have a number for each of the {len(steps)} steps")
    found = []
    for step, index in zip(steps, node.indexes, strict=True):
        name, _, number = step.partition("[")
        found.append(TagItem(name, int(number.removesuffix("]") or 1), index))
    return found
