"""What a rule keeps of its examples: the nodes that were meant, and the nodes most like them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from crawler.core.wrapper.features import FEATURE_AT, FEATURES, Evidence
from crawler.core.wrapper.tree import ELEMENT, TEXT_NODE, fold
from crawler.core.wrapper.view import View, list_siblings

# Attributes in which values are looked for, where no text is the value.
_ATTRIBUTES = ("href", "src", "content", "datetime", "alt", "title", "value")
# For how many values of an example near misses are looked for, which takes long.
_WITH_NEAR_MISSES = 12
# How many copies of a value are kept, and how many near misses of each.
_MOST_COPIES = 10
_MOST_NEAR_MISSES = 6


@dataclass(frozen=True, slots=True)
class ExampleNode:
    """A node that has a value of an example.

    Attributes:
        kind: :data:`TEXT_NODE`, :data:`ELEMENT`, or ``@`` and the name of an attribute.
        path: its path, from the root of the page or record.
        counts: how many nodes of its kind have the same value of each feature, itself included.
        nodes: how many nodes of its kind there are.
        near_misses: the evidence of the nodes most like it that have another value.
        siblings_meant: how many of its list siblings are values of the example as well.
        indexes: the index of each step of its path, from the root of the page.
    """

    kind: str
    path: str
    evidence: Evidence
    counts: tuple[int, ...]
    nodes: int
    near_misses: tuple[Evidence, ...] = ()
    siblings_meant: int = 0
    siblings_other: int = 0
    indexes: tuple[int, ...] = ()

    @property
    def element(self) -> str:
        """Name of the element that the node is, or is in; empty where the view has none."""
        return self.evidence[FEATURE_AT["name"]].partition("/")[0]


@dataclass(frozen=True, slots=True)
class ExampleValue:
    """A value, and the nodes that have it: several, where the page repeats it."""

    value: str
    nodes: tuple[ExampleNode, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """The values of a field on one page, or in one record of a page.

    ``page`` is the fingerprint of the page, ``address`` where it came from, for people; ``record``
    is the path of the record on its page, empty for a field of the page itself. ``values`` are none
    where the page lacks the field. ``wrong`` are nodes that a person said are not meant.
    """

    page: str
    address: str = ""
    record: str = ""
    values: tuple[ExampleValue, ...] = ()
    wrong: tuple[ExampleNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Columns:
    """The evidence of nodes, feature by feature, in numbers.

    ``values`` are the values that there are of each feature; ``codes`` has a row a feature, with
    the number of the value of each node.
    """

    nodes: NDArray[np.int64]
    values: tuple[tuple[str, ...], ...]
    codes: NDArray[np.int32]

    def evidence(self, at: int) -> Evidence:
        """Return the evidence of the node at a place."""
        codes = self.codes[:, at].tolist()
        return tuple(values[code] for values, code in zip(self.values, codes, strict=True))


def columns_of(view: View, kind: str) -> Columns:
    """Return the evidence of all nodes of a kind, computed once a view."""
    if kind not in view.columns:
        nodes = view.nodes(kind)
        codes = np.empty((len(FEATURES), len(nodes)), np.int32)
        values = []
        for row, feature in zip(codes, FEATURES, strict=True):
            known: dict[str, int] = {}
            row[:] = [known.setdefault(feature.read(view, node), len(known)) for node in nodes]
            values.append(tuple(known))
        view.columns[kind] = Columns(np.array(nodes, np.int64), tuple(values), codes)
    columns: Columns = view.columns[kind]
    return columns


def describe_node(
    view: View, node: int, kind: str, meant: Collection[int], *, near_misses: bool = True
) -> ExampleNode:
    """Describe a node of an example.

    Args:
        view: the page, or the record.
        node: the node.
        kind: its kind.
        meant: all nodes of the example, which are no near misses of each other.
        near_misses: whether near misses are looked for.
    """
    columns = columns_of(view, kind)
    at = bisect_left(view.nodes(kind), node)
    same = columns.codes == columns.codes[:, at : at + 1]
    counts = tuple(same.sum(axis=1).tolist())
    tree = view.tree
    siblings, _ = list_siblings(view, node)
    siblings_meant = sum(sibling in meant for sibling in siblings)
    return ExampleNode(
        kind,
        tree.path(node).removeprefix(tree.path(view.root)) or "/",
        columns.evidence(at),
        counts,
        nodes=len(columns.nodes),
        near_misses=_near_misses(columns, same, counts, meant) if near_misses else (),
        siblings_meant=siblings_meant,
        siblings_other=len(siblings) - siblings_meant,
        indexes=tuple(step.index for step in tree.tag_path(node)),
    )


def check_nodes(view: View, nodes: Iterable[int], kind: str) -> None:
    """Refuse nodes of another kind.

    Raises:
        ValueError: a node is not of this kind.
    """
    if strange := sorted(set(nodes) - set(view.nodes(kind))):
        raise ValueError(f"node {strange[0]} of {view.tree.url} is no node of the kind '{kind}'")


def _near_misses(
    columns: Columns, same: NDArray[np.bool_], counts: Sequence[int], meant: Collection[int]
) -> tuple[Evidence, ...]:
    """Return the evidence of the nodes most like one, by the features in which they are the same.

    Args:
        columns: the evidence of all nodes.
        same: for each feature, and each node, whether it is the same.
        counts: how many nodes are the same in each feature.
        meant: the nodes that are none.
    """
    likeness = np.zeros(len(columns.nodes))
    # Feature by feature, so that nodes that are alike in the same ones get the same number.
    for weight, row in zip(rarities(counts, len(columns.nodes)), same, strict=True):
        likeness += weight * row
    likeness[np.isin(columns.nodes, list(meant))] = -1
    found: dict[Evidence, float] = {}
    least = 0.0
    for at in np.argsort(-likeness, kind="stable").tolist():
        its = float(likeness[at])
        if its < 0 or (len(found) >= _MOST_NEAR_MISSES and its < least):
            break
        found[columns.evidence(at)] = least = its
    ranked = sorted(found, key=lambda row: (-found[row], row))
    return tuple(ranked[:_MOST_NEAR_MISSES])


def rarities(counts: Sequence[int], nodes: int) -> tuple[float, ...]:
    """Return for each feature how much it tells that another node has the same value.

    It is the logarithm of how rare the value is, times the trust in the feature. ``counts`` are how
    many nodes of the page have the value of each feature, ``nodes`` how many there are.
    """
    rows = zip(FEATURES, counts, strict=True)
    return tuple(feature.trust * log((nodes + 1) / count) for feature, count in rows)


def shared(weights: Sequence[float], left: Evidence, right: Evidence) -> float:
    """Return the weights of the features in which two nodes are the same, added up."""
    return sum(
        weight for weight, one, other in zip(weights, left, right, strict=True) if one == other
    )


def example_of_values(view: View, values: Iterable[str]) -> Example:
    """Look values up on a page, or in a record, and describe the nodes that have them.

    A value that is not there is left out; compare the result's ``values`` with what was asked for.
    """
    places = {folded: find_value(view, folded) for value in values if (folded := fold(value))}
    meant = {node for _, nodes in places.values() for node in nodes}
    found = [(value, kind, nodes) for value, (kind, nodes) in places.items()]
    return describe_values(view, found, meant)


def describe_values(
    view: View,
    values: Iterable[tuple[str, str, Sequence[int]]],
    meant: Collection[int],
    wrong: tuple[ExampleNode, ...] = (),
) -> Example:
    """Return an example of values.

    Args:
        view: the page, or the record.
        values: the values, each with its kind and its nodes; those without nodes are left out.
        meant: all nodes of the values.
        wrong: nodes that a person said are not meant.
    """
    tree, root = view.tree, view.root
    found: list[ExampleValue] = []
    for number, (value, kind, nodes) in enumerate(values):
        near = number < _WITH_NEAR_MISSES
        if described := tuple(
            describe_node(view, node, kind, meant, near_misses=near)
            for node in nodes[:_MOST_COPIES]
        ):
            found.append(ExampleValue(value, described))
    return Example(tree.fingerprint, tree.url, tree.path(root), tuple(found), wrong)


def find_value(view: View, value: str) -> tuple[str, list[int]]:
    """Return the kind of the nodes that have a value, and these nodes; none where it is not there.

    Text nodes come first, then elements, then attributes: the first kind that has any.
    """
    if found := view.by_text.get(value, []):
        return TEXT_NODE, found
    if found := _elements_with_text(view, value):
        return ELEMENT, found
    for kind in (f"@{name}" for name in _ATTRIBUTES):
        for node in view.nodes(kind):
            written = fold(view.tree.attribute(node, kind[1:]) or "")
            if value in {view.value(node, kind), written}:
                found.append(node)
        if found:
            return kind, found
    return TEXT_NODE, []


def _elements_with_text(view: View, value: str) -> list[int]:
    """Return the elements whose whole text is this, the innermost of those around it."""
    tree = view.tree
    length = len(value.replace(" ", ""))
    first, stop = max(view.root, 0), tree.within(view.root).stop
    # How many characters there are before each node of the view, and before its end.
    sizes = [0]
    for raw in tree.raws[first:stop]:
        sizes.append(sizes[-1] + len("".join(raw.split())))
    found = [
        node
        for node in view.nodes(ELEMENT)
        # The size leaves few elements whose text has to be read; invisible characters are few.
        if length <= sizes[tree.ends[node] - first] - sizes[node - first] <= length + 8
        and tree.value(node) == value
    ]
    inner = set(found)
    for node in found:
        inner.discard(tree.parents[node])
    return sorted(inner)


def example_of_nodes(
    view: View,
    nodes: Iterable[int],
    kind: str = TEXT_NODE,
    *,
    wrong: Iterable[int] = (),
) -> Example:
    """Describe nodes that a person pointed at.

    Args:
        view: the page, or the record.
        nodes: the nodes that are meant.
        kind: their kind.
        wrong: nodes of that kind that are not meant.

    Raises:
        ValueError: a node is not of this kind.
    """
    meant = set(nodes)
    not_meant = set(wrong) - meant
    check_nodes(view, meant | not_meant, kind)
    wrong_nodes = (describe_node(view, node, kind, meant) for node in sorted(not_meant))
    values = [(view.value(node, kind), kind, [node]) for node in sorted(meant)]
    return describe_values(view, values, meant, tuple(wrong_nodes))
