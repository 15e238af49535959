"""The best matcher: every kind of evidence weighed by what the examples say it is worth.

A rule is a function of the set of its examples: they are put in one order before anything is
learned, so that no order of merging matters. Examples are cut into roles
(:mod:`crawler.core.wrapper.roles`), to each of which belongs a
:class:`~crawler.core.wrapper.role_model.Variant`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING

from crawler.core.wrapper.example_nodes import TEXT_RUN, Example, node_at, nodes_of, value_of
from crawler.core.wrapper.list_siblings import mates_of
from crawler.core.wrapper.roles import teams_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawler.core.wrapper.role_model import Variant
    from crawler.core.wrapper.view import View

__all__ = ["BestRule", "Match"]

# A role that alone of its team finds something has to be this sure.
_ALONE = 0.8


@dataclass(frozen=True, slots=True)
class Match:
    """A node that a rule finds.

    ``confidence`` is between 0 and 1: 1 for what is as all examples are, 0 for what has nothing in
    common with any. ``cost`` is what it lacks, 0 or more.
    ``with_mates`` tells whether its list mates belong to it.
    """

    node: int
    kind: str
    value: str
    cost: float
    confidence: float
    with_mates: bool = False


@dataclass(frozen=True, slots=True)
class BestRule:
    """What was learned from a set of examples. Made by :meth:`learned`.

    ``teams``
        The roles, and with each those that say the same.
    ``several``
        Whether an example has several values.
    """

    examples: tuple[Example, ...]
    teams: tuple[tuple[Variant, ...], ...]
    several: bool

    @classmethod
    def learned(cls, examples: Iterable[Example]) -> BestRule:
        """Learn from examples, in whatever order they come."""
        known = tuple(sorted(set(examples), key=_key))
        several = any(len(example.wanted) > 1 for example in known)
        return cls(
            examples=known,
            teams=teams_of(known, finer=several),
            several=several,
        )

    def merged(self, examples: Iterable[Example]) -> BestRule:
        """Return the rule that has learned from these examples as well."""
        return BestRule.learned((*self.examples, *examples))

    def taught(self, view: View, example: Example) -> BestRule:  # noqa: ARG002 - other rules look
        """Return the rule that has learned from this example of a page as well."""
        return self.merged((example,))

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:
        """Return the nodes that are taken, in document order: one, or all where there are several.

        None are taken where nothing on the page is enough like the examples.

        Args:
            view: the page, or the record.
            remember: answer for a page that is itself an example what was said of it, whatever
                else was learned. Without, one sees what the evidence alone finds.
        """
        found = self._found(view)
        if not remember:
            return found
        root = view.tree.path(view.root) if view.root >= 0 else ""
        told = [
            example
            for example in self.examples
            if example.record == root and example.page == view.tree.fingerprint
        ]
        return _as_told(view, found, told) if told else found

    def _found(self, view: View) -> tuple[Match, ...]:
        found: dict[int, Match] = {}
        for team in self.teams:
            for match in self._found_by(team, view):
                known = found.get(match.node)
                if known is None or match.confidence > known.confidence:
                    found[match.node] = match
        if found and not self.several:
            best = max(found.values(), key=lambda match: (match.confidence, -match.node))
            found = {best.node: best}
        seen: set[int] = set()
        for match in list(found.values()):
            if match.node not in seen:
                mates = self._mates(view, match)
                seen.update(mate.node for mate in mates)
                for mate in mates:
                    found.setdefault(mate.node, mate)
        return tuple(found[node] for node in sorted(found))

    def _found_by(self, team: Sequence[Variant], view: View) -> list[Match]:
        if self.several:
            for variant in team:
                if found := _nodes_like(variant, view, every=variant.repeats):
                    return found
            return []
        votes = [match for variant in team for match in _nodes_like(variant, view, every=False)]
        if len(votes) == 1 < len(team) and votes[0].confidence < _ALONE:
            return []
        if not votes:
            return []
        value = max(
            (match.value for match in votes),
            key=lambda value: fsum(match.confidence for match in votes if match.value == value),
        )
        return [next(match for match in votes if match.value == value)]

    def _mates(self, view: View, match: Match) -> list[Match]:
        """Return the list mates of a match, where all examples had theirs."""
        if not match.with_mates:
            return []
        mates = mates_of(view, match.node)
        if not (self.several or mates.lined):
            return []
        return [replace(match, node=mate, value=view.tree.texts[mate]) for mate in mates.nodes]


def _nodes_like(variant: Variant, view: View, *, every: bool) -> list[Match]:
    """Return all nodes above the threshold, or the best one."""
    most = (1 - variant.threshold) * variant.worst + 1e-9
    nodes = nodes_of(view, variant.kind)
    if every:
        # Lists are regular: what stands in another kind of element is none of their members.
        nodes = [node for node in nodes if _element_name(view, node) in variant.names]
    found = variant.within(view, nodes, most, best=not every)
    kind = variant.kind
    with_mates = variant.closed and kind == TEXT_RUN
    return [
        Match(node, kind, value_of(view, node, kind), cost, variant.confidence(cost), with_mates)
        for node, cost in found
    ]


def _element_name(view: View, node: int) -> str:
    levels = view.levels(node)
    return view.tree.names[levels[0]] if levels else ""


def _as_told(view: View, found: Sequence[Match], told: Sequence[Example]) -> tuple[Match, ...]:
    """Return what examples say of their own page: the nodes found, or else those remembered."""
    by_node = {match.node: match for match in found}
    kept: dict[int, Match] = {}
    for wanted in (wanted for example in told for wanted in example.wanted):
        nodes = [(node_at(view, its.path), its.kind) for its in wanted.sightings]
        there = [(node, kind) for node, kind in nodes if node is not None]
        known = [by_node[node] for node, _ in there if node in by_node]
        if known:
            kept.update((match.node, match) for match in known)
        elif there:
            node, kind = there[0]
            kept[node] = Match(node, kind, value_of(view, node, kind), 0.0, 1.0)
    return tuple(kept[node] for node in sorted(kept))


def _key(example: Example) -> tuple[str, str, str, str]:
    return example.page, example.record, example.address, repr(example)
