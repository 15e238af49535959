"""The matcher ``best``: all features of a node, weighed by what the examples show they are worth.

A rule is a function of the set of its examples: they are sorted before anything is learned, so
that the order of learning does not matter. The records of a list are learned in the same way, from
whole lists, or from one or two of their records. Fields of a record are looked for within its
element alone, so that they stay together where one of them is missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from math import fsum
from typing import Self

from crawler.core.wrapper.example_nodes import Example, check_nodes, describe_values
from crawler.core.wrapper.features import FEATURES
from crawler.core.wrapper.role_model import RoleModel, role_groups
from crawler.core.wrapper.tree import ELEMENT, TEXT_NODE, PageTree
from crawler.core.wrapper.view import View, list_siblings

# A role that is the only one of its group to find something has to be this sure.
_ALONE = 0.8
# A list is known by some of its records, evenly spread.
_SAMPLE = 8
# Features of the markup of an element itself, and the share of them in which records of one list
# are the same at least.
_OWN_MARKUP = tuple(its for its in FEATURES if its.name in {"class", "attributes", "parts"})
_ALIKE = 0.5
# Records that are learned from one page alone are more alike than those of the next page.
_SLACK = 0.93
# A page of 20,000 records with ten fields is remembered whole.
_MOST_REMEMBERED = 200_000


@dataclass(frozen=True, slots=True)
class Match:
    """A node that a rule finds.

    ``confidence`` is 1 for a node that is as all examples are, 0 for one that has nothing in common
    with any. ``cost`` is what it lacks, 0 or more. ``with_siblings`` tells whether its list
    siblings are taken as well.
    """

    node: int
    kind: str
    value: str
    cost: float
    confidence: float
    with_siblings: bool = False


def _in_order(examples: Iterable[Example]) -> tuple[Example, ...]:
    return tuple(
        sorted(set(examples), key=lambda its: (its.page, its.record, its.address, repr(its)))
    )


class LearnedRule:
    """A rule is a function of its examples."""

    __slots__ = ()
    examples: tuple[Example, ...]

    @classmethod
    def learn(cls, examples: Iterable[Example]) -> Self:
        """Learn from examples."""
        raise NotImplementedError

    def learn_more(self, examples: Iterable[Example]) -> Self:
        """Return the rule that has learned from these examples as well."""
        return self.learn((*self.examples, *examples))

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:
        """Return the nodes that are taken, in document order.

        None are taken where nothing on the page is enough like the examples.

        Args:
            view: the page, or the record.
            remember: for a page that is itself an example, return the values of the example,
                whatever else was learned. Without, return what the evidence alone finds.
        """
        raise NotImplementedError

    def candidates(self, view: View, most: int = 6) -> tuple[Match, ...]:  # noqa: ARG002 - not all rules rank nodes
        """Return the nodes of most confidence, those that are taken among them, the surest first.

        Nodes below the threshold are among them. A rule that does not rank nodes has those that it
        takes, and no others.

        Args:
            view: the page, or the record.
            most: how many are returned, beside those that are taken.
        """
        return self.matches(view)


class Memory:
    """What rules found on one page: a rule that is asked again is not run again.

    It belongs to one tree, and is as good as long as that is not changed.
    """

    def __init__(self) -> None:
        # By the identity of rules, which are kept here so that none is used for another one.
        self._found: dict[tuple[int, int, bool], tuple[LearnedRule, Sequence[Match]]] = {}

    def matches(self, rule: LearnedRule, view: View, *, remember: bool) -> Sequence[Match]:
        """Return what :meth:`LearnedRule.matches` does."""
        key = id(rule), view.root, remember
        if key not in self._found:
            if len(self._found) >= _MOST_REMEMBERED:
                self._found.clear()
            self._found[key] = rule, rule.matches(view, remember=remember)
        return self._found[key][1]


@dataclass(frozen=True, slots=True)
class BestRule(LearnedRule):
    """What was learned from a set of examples. Made by :meth:`learn`.

    ``groups`` are the roles, each with those that have the same values; ``several`` tells whether
    an example has several values.
    """

    examples: tuple[Example, ...]
    groups: tuple[tuple[RoleModel, ...], ...]
    several: bool

    @classmethod
    def learn(cls, examples: Iterable[Example]) -> Self:
        """Learn from examples, in whatever order they come."""
        known = _in_order(examples)
        several = any(len(example.values) > 1 for example in known)
        return cls(known, role_groups(known, finer=several), several)

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:
        """Return the nodes that are taken: one, or all where examples have several values."""
        found = self._find(view)
        if not remember:
            return found
        place = (view.tree.fingerprint, view.tree.path(view.root))
        own = [example for example in self.examples if (example.page, example.record) == place]
        return _of_examples(view, found, own) if own else found

    def candidates(self, view: View, most: int = 6) -> tuple[Match, ...]:
        """Return the nodes of most confidence, of all roles, the surest first."""
        taken = self.matches(view)
        found = {(match.node, match.kind): match for match in taken}
        for model in (model for group in self.groups for model in group):
            costs = model.find(view, view.nodes(model.kind), model.worst)
            for node, cost in nlargest(most + len(taken), costs, key=lambda its: -its[1]):
                known = found.get((node, model.kind))
                if known is None or known.confidence < model.confidence(cost):
                    found[node, model.kind] = _match(model, view, node, cost)
        ranked = sorted(found.values(), key=lambda its: (-its.confidence, its.node))
        return tuple(ranked[: most + len(taken)])

    def _find(self, view: View) -> tuple[Match, ...]:
        found: dict[int, Match] = {}
        for group in self.groups:
            for match in self._find_by(group, view):
                known = found.get(match.node)
                if known is None or match.confidence > known.confidence:
                    found[match.node] = match
        if found and not self.several:
            best = max(found.values(), key=lambda match: (match.confidence, -match.node))
            found = {best.node: best}
        followed: set[int] = set()
        for match in list(found.values()):
            if match.node not in followed:
                siblings = self._siblings(view, match)
                followed.update(sibling.node for sibling in siblings)
                for sibling in siblings:
                    found.setdefault(sibling.node, sibling)
        return tuple(found[node] for node in sorted(found))

    def _find_by(self, group: Sequence[RoleModel], view: View) -> list[Match]:
        """Return what a group of roles finds: the value with most confidence in all."""
        if self.several:
            found = (_nodes_like(model, view, every=model.repeats) for model in group)
            return next((matches for matches in found if matches), [])
        votes = [match for model in group for match in _nodes_like(model, view, every=False)]
        if not votes or (len(votes) == 1 < len(group) and votes[0].confidence < _ALONE):
            return []
        value = max(
            (match.value for match in votes),
            key=lambda value: fsum(match.confidence for match in votes if match.value == value),
        )
        return [next(match for match in votes if match.value == value)]

    def _siblings(self, view: View, match: Match) -> list[Match]:
        """Return the list siblings of a match, where all examples had theirs."""
        if not match.with_siblings:
            return []
        nodes, separated = list_siblings(view, match.node)
        if not (self.several or separated):
            return []
        return [replace(match, node=node, value=view.tree.texts[node]) for node in nodes]


def _nodes_like(model: RoleModel, view: View, *, every: bool) -> list[Match]:
    """Return all nodes above the threshold, or the best one."""
    nodes = view.nodes(model.kind)
    if every:
        # The members of a list are in elements of the same name.
        names = view.tree.names
        levels = ((node, view.levels(node)) for node in nodes)
        nodes = [
            node for node, its in levels if (names[its[0]] if its else "") in model.element_names
        ]
    most = (1 - model.threshold) * model.worst + 1e-9
    return [
        _match(model, view, node, cost)
        for node, cost in model.find(view, nodes, most, best=not every)
    ]


def _match(model: RoleModel, view: View, node: int, cost: float) -> Match:
    value, siblings = view.value(node, model.kind), model.whole_lists
    confidence = model.confidence(cost)
    return Match(node, model.kind, value, cost, confidence, siblings and model.kind == TEXT_NODE)


def _of_examples(
    view: View, found: Sequence[Match], examples: Sequence[Example]
) -> tuple[Match, ...]:
    """Return the nodes of examples on their own page: those found, or else those remembered."""
    by_node = {match.node: match for match in found}
    kept: dict[int, Match] = {}
    for value in (value for example in examples for value in example.values):
        places = [(view.find(its.path), its.kind) for its in value.nodes]
        nodes = [(node, kind) for node, kind in places if node is not None]
        known = [by_node[node] for node, _ in nodes if node in by_node]
        if known:
            kept.update((match.node, match) for match in known)
        elif nodes:
            node, kind = nodes[0]
            kept[node] = Match(node, kind, view.value(node, kind), 0.0, 1.0)
    return tuple(kept[node] for node in sorted(kept))


@dataclass(frozen=True, slots=True)
class RecordRule(LearnedRule):
    """What records look like. Made by :meth:`learn`.

    ``one_parent`` tells whether all records of a page have the same parent.
    """

    examples: tuple[Example, ...]
    groups: tuple[tuple[RoleModel, ...], ...]
    one_parent: bool

    @classmethod
    def learn(cls, examples: Iterable[Example]) -> Self:
        """Learn from examples, in whatever order they come."""
        known = _in_order(examples)
        parents = [
            {node.path.rpartition("/")[0] for value in example.values for node in value.nodes}
            for example in known
        ]
        one_parent = all(len(paths) <= 1 for paths in parents)
        return cls(known, role_groups(known, finer=False), one_parent)

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:  # noqa: ARG002 - it remembers no page
        """Return the records of a page, without their texts."""
        names = view.tree.names
        found: dict[int, Match] = {}
        for model, *_ in self.groups:
            most = (1 - model.threshold * _SLACK) * model.worst + 1e-9
            within = view.tree.within(view.root)
            nodes = [node for node in within if names[node] in model.element_names]
            for node, cost in model.find(view, nodes, most):
                match = Match(node, ELEMENT, "", cost, model.confidence(cost))
                if node not in found or match.confidence > found[node].confidence:
                    found[node] = match
        kept = _surest_list(view.tree, found) if self.one_parent else _outermost(view.tree, found)
        return tuple(found[node] for node in kept)


def example_of_records(view: View, nodes: Iterable[int], *, whole: bool = True) -> Example:
    """Describe records of a page.

    Args:
        view: the page, or the record of another group around them.
        nodes: the elements of the records.
        whole: whether these are all; else siblings that look alike are taken for records as well.

    Raises:
        ValueError: a node is no element of the page.
    """
    meant = set(nodes)
    check_nodes(view, meant, ELEMENT)
    if not whole:
        meant.update(*[similar_siblings(view, node) for node in meant])
    chosen = sorted(meant)
    if len(chosen) > _SAMPLE:
        chosen = [chosen[at * (len(chosen) - 1) // (_SAMPLE - 1)] for at in range(_SAMPLE)]
    values = ((view.tree.value(node)[:80], ELEMENT, (node,)) for node in chosen)
    return describe_values(view, values, meant)


def similar_siblings(view: View, node: int) -> Iterable[int]:
    """Yield the siblings of an element that look like records of one list with it."""
    tree = view.tree
    if tree.parents[node] >= 0:
        for child in tree.children[tree.parents[node]]:
            is_other = child != node and tree.names[child] == tree.names[node]
            if is_other and _looks_alike(view, node, child):
                yield child


def _looks_alike(view: View, one: int, other: int) -> bool:
    """Tell whether two elements look like records of one list, by their own markup."""
    whole = same = 0.0
    for feature in _OWN_MARKUP:
        left, right = (set(feature.read(view, node).split()) for node in (one, other))
        if left or right:
            whole += feature.trust
            same += feature.trust * len(left & right) / len(left | right)
    return same >= _ALIKE * whole


def _surest_list(tree: PageTree, found: Mapping[int, Match]) -> list[int]:
    """Return the nodes of one parent, that in which there is most confidence in all."""
    lists: defaultdict[int, list[int]] = defaultdict(list)
    for node in sorted(found):
        lists[tree.parents[node]].append(node)
    return max(
        (lists[parent] for parent in sorted(lists)),
        key=lambda nodes: fsum(found[node].confidence for node in nodes),
        default=[],
    )


def _outermost(tree: PageTree, found: Iterable[int]) -> Sequence[int]:
    """Return the nodes that are within no other."""
    kept: list[int] = []
    end = 0
    for node in sorted(found):
        if node >= end:
            kept.append(node)
            end = tree.ends[node]
    return kept
