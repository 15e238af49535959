"""The records of a list, learned from whole lists, or from one or two of their records.

Fields of a record are looked for within its element alone, so that they stay together where one of
them is missing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

from crawler.core.wrapper.example_nodes import ELEMENT, Example, ExampleValue
from crawler.core.wrapper.features import FEATURES
from crawler.core.wrapper.role_model import role_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawler.core.wrapper.example_nodes import PageEvidence
    from crawler.core.wrapper.role_model import RoleModel
    from crawler.core.wrapper.tree import PageTree
    from crawler.core.wrapper.view import View

# A list is known by some of its records, evenly spread.
_SAMPLE = 8
# Features of the markup of an element itself, and the share of them in which records of one list
# are the same at least.
_OWN_MARKUP = tuple(
    feature for feature in FEATURES if feature.name in {"class", "attributes", "parts"}
)
_ALIKE = 0.5
# Records that are learned from one page alone are more alike than those of the next page.
_SLACK = 0.93


@dataclass(frozen=True, slots=True)
class Record:
    """An element that a rule takes for a record, and the confidence in it, 0 to 1."""

    node: int
    confidence: float


@dataclass(frozen=True, slots=True)
class RecordRule:
    """What records look like. Made by :meth:`learn`.

    ``one_parent``
        Whether all records of a page have the same parent.
    """

    examples: tuple[Example, ...]
    groups: tuple[tuple[RoleModel, ...], ...]
    one_parent: bool

    @classmethod
    def learn(cls, examples: Iterable[Example]) -> RecordRule:
        """Learn from examples, in whatever order they come."""
        known = tuple(sorted(set(examples), key=lambda example: (example.page, repr(example))))
        parents = [
            {node.path.rpartition("/")[0] for value in example.values for node in value.nodes}
            for example in known
        ]
        one_parent = all(len(paths) <= 1 for paths in parents)
        return cls(known, role_groups(known, finer=False), one_parent)

    def learn_more(self, examples: Iterable[Example]) -> RecordRule:
        """Return the rule that has learned from these examples as well."""
        return RecordRule.learn((*self.examples, *examples))

    def records(self, view: View) -> tuple[Record, ...]:
        """Return the records of a page in document order; none where none look like them."""
        found: dict[int, float] = {}
        for group in self.groups:
            for node, confidence in _nodes_like(group[0], view):
                found[node] = max(confidence, found.get(node, 0.0))
        kept = _surest_list(view.tree, found) if self.one_parent else _outermost(view.tree, found)
        return tuple(Record(node, found[node]) for node in kept)


def example_of_records(
    page_evidence: PageEvidence, nodes: Iterable[int], *, whole: bool = True
) -> Example:
    """Describe records of a page.

    Args:
        page_evidence: the page, or the record of another group around them.
        nodes: the elements of the records.
        whole: whether these are all; else siblings that look alike are taken for records as well.

    Raises:
        ValueError: a node is no element of the page.
    """
    view = page_evidence.view
    tree = view.tree
    chosen = sorted(set(nodes))
    known = set(page_evidence.nodes(ELEMENT))
    if strange := [node for node in chosen if node not in known]:
        raise ValueError(f"node {strange[0]} of {tree.url} is no element")
    if not whole:
        chosen = sorted({*chosen, *(it for node in chosen for it in similar_siblings(view, node))})
    sample = chosen
    if len(chosen) > _SAMPLE:
        sample = [chosen[at * (len(chosen) - 1) // (_SAMPLE - 1)] for at in range(_SAMPLE)]
    meant = set(chosen)
    return Example(
        page=tree.fingerprint,
        address=tree.url,
        record=tree.path(view.root) if view.root >= 0 else "",
        values=tuple(
            ExampleValue(tree.value(node)[:80], (page_evidence.example_node(node, ELEMENT, meant),))
            for node in sample
        ),
    )


def similar_siblings(view: View, node: int) -> Iterable[int]:
    """Yield the siblings of an element that look like records of one list with it."""
    tree = view.tree
    if tree.parents[node] < 0:
        return
    child = tree.parents[node] + 1
    while child < tree.ends[tree.parents[node]]:
        is_other = child != node and tree.names[child] == tree.names[node]
        if is_other and looks_alike(view, node, child):
            yield child
        child = tree.ends[child]


def looks_alike(view: View, one: int, other: int) -> bool:
    """Tell whether two elements look like records of one list, by their own markup."""
    whole = same = 0.0
    for feature in _OWN_MARKUP:
        left, right = (set(feature.read(view, node).split()) for node in (one, other))
        if left or right:
            whole += feature.trust
            same += feature.trust * len(left & right) / len(left | right)
    return same >= _ALIKE * whole


def _nodes_like(model: RoleModel, view: View) -> list[tuple[int, float]]:
    most = (1 - model.threshold * _SLACK) * model.worst + 1e-9
    names = view.tree.names
    nodes = [node for node in view.tree.within(view.root) if names[node] in model.element_names]
    return [(node, model.confidence(cost)) for node, cost in model.find(view, nodes, most)]


def _surest_list(tree: PageTree, found: dict[int, float]) -> list[int]:
    """Return the nodes of one parent, that in which there is most confidence in all."""
    lists: defaultdict[int, list[int]] = defaultdict(list)
    for node in sorted(found):
        lists[tree.parents[node]].append(node)
    return max(
        (lists[parent] for parent in sorted(lists)),
        key=lambda nodes: fsum(found[node] for node in nodes),
        default=[],
    )


def _outermost(tree: PageTree, found: dict[int, float]) -> Sequence[int]:
    """Return the nodes that are within no other."""
    kept: list[int] = []
    end = 0
    for node in sorted(found):
        if node >= end:
            kept.append(node)
            end = tree.ends[node]
    return kept
