"""Repeating records: the elements of a list, learned from lists, or from one or two of their items.

Fields of a record are found within its element alone, so that they stay together where one of them
is missing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

from crawler.core.wrapper.evidence import SLOTS
from crawler.core.wrapper.example_nodes import ELEMENT, Example, Wanted
from crawler.core.wrapper.roles import teams_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawler.core.wrapper.example_nodes import Survey
    from crawler.core.wrapper.role_model import Variant
    from crawler.core.wrapper.tree import PageTree
    from crawler.core.wrapper.view import View

__all__ = ["Record", "RecordRule", "example_of_records", "looks_like"]

# A list is known by some of its records, evenly spread.
_SAMPLE = 8
# The looks of an element itself, and from what share of them on a neighbour is its like.
_LOOKS = tuple(slot for slot in SLOTS if slot.name in {"class", "attributes", "parts"})
_ALIKE = 0.5
# Records that are learned from one page alone look more alike than those of the next.
_SLACK = 0.93


@dataclass(frozen=True, slots=True)
class Record:
    """An element that a rule takes for a record, and how sure it is: between 0 and 1."""

    node: int
    confidence: float


@dataclass(frozen=True, slots=True)
class RecordRule:
    """What records look like. Made by :meth:`learned`.

    ``together``
        Whether all records of a page stand in one element.
    """

    examples: tuple[Example, ...]
    teams: tuple[tuple[Variant, ...], ...]
    together: bool

    @classmethod
    def learned(cls, examples: Iterable[Example]) -> RecordRule:
        """Learn from examples, in whatever order they come."""
        known = tuple(sorted(set(examples), key=lambda example: (example.page, repr(example))))
        parents = [
            {
                sighting.path.rpartition("/")[0]
                for its in example.wanted
                for sighting in its.sightings
            }
            for example in known
        ]
        together = all(len(paths) <= 1 for paths in parents)
        return cls(known, teams_of(known, finer=False), together)

    def merged(self, examples: Iterable[Example]) -> RecordRule:
        """Return the rule that has learned from these examples as well."""
        return RecordRule.learned((*self.examples, *examples))

    def records(self, view: View) -> tuple[Record, ...]:
        """Return the records of a page in document order; none where none look like them."""
        sure: dict[int, float] = {}
        for team in self.teams:
            for node, confidence in _alike(team[0], view):
                sure[node] = max(confidence, sure.get(node, 0.0))
        kept = _one_list(view.tree, sure) if self.together else _outermost(view.tree, sure)
        return tuple(Record(node, sure[node]) for node in kept)


def example_of_records(survey: Survey, nodes: Iterable[int], *, whole: bool = True) -> Example:
    """Describe records of a page.

    Args:
        survey: the page, or the record of another group in which they stand.
        nodes: their elements.
        whole: whether these are all; else their like beside them are taken for records as well.

    Raises:
        ValueError: a node is no element of the page.
    """
    view = survey.view
    chosen = sorted(set(nodes))
    known = set(survey.nodes(ELEMENT))
    if strange := [node for node in chosen if node not in known]:
        raise ValueError(f"node {strange[0]} of {view.tree.url} is no element")
    if not whole:
        chosen = _with_their_like(survey, chosen)
    right = set(chosen)
    return Example(
        page=view.tree.fingerprint,
        address=view.tree.url,
        record=view.tree.path(view.root) if view.root >= 0 else "",
        wanted=tuple(
            Wanted(view.tree.value(node)[:80], (survey.sighting(node, ELEMENT, right),))
            for node in _spread(chosen)
        ),
    )


def _spread(nodes: Sequence[int]) -> list[int]:
    if len(nodes) <= _SAMPLE:
        return list(nodes)
    return [nodes[at * (len(nodes) - 1) // (_SAMPLE - 1)] for at in range(_SAMPLE)]


def _with_their_like(survey: Survey, nodes: Sequence[int]) -> list[int]:
    view = survey.view
    tree = view.tree
    found = set(nodes)
    for node in nodes:
        around = tree.parents[node]
        child = around + 1
        while around >= 0 and child < tree.ends[around]:
            if tree.names[child] == tree.names[node] and looks_like(view, node, child):
                found.add(child)
            child = tree.ends[child]
    return sorted(found)


def looks_like(view: View, node: int, other_node: int) -> bool:
    """Tell whether two elements look like records of one list, by their own markup."""
    whole = same = 0.0
    for slot in _LOOKS:
        trust = slot.trust
        one = set(slot.read(view, node).split())
        other = set(slot.read(view, other_node).split())
        if one or other:
            whole += trust
            same += trust * len(one & other) / len(one | other)
    return same >= _ALIKE * whole


def _alike(variant: Variant, view: View) -> list[tuple[int, float]]:
    least = variant.threshold * _SLACK
    most = (1 - least) * variant.worst + 1e-9
    nodes = [node for node in view.tree.within(view.root) if view.tree.names[node] in variant.names]
    return [(node, variant.confidence(cost)) for node, cost in variant.within(view, nodes, most)]


def _one_list(tree: PageTree, sure: dict[int, float]) -> list[int]:
    """Return those of one parent: the surest list as a whole."""
    lists: defaultdict[int, list[int]] = defaultdict(list)
    for node in sorted(sure):
        lists[tree.parents[node]].append(node)
    if not lists:
        return []
    return max(
        (lists[parent] for parent in sorted(lists)),
        key=lambda nodes: fsum(sure[node] for node in nodes),
    )


def _outermost(tree: PageTree, sure: dict[int, float]) -> list[int]:
    """Return those that stand in no other."""
    kept: list[int] = []
    end = 0
    for node in sorted(sure):
        if node >= end:
            kept.append(node)
            end = tree.ends[node]
    return kept
