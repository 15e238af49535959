"""The nodes that a rule would take next: what a person corrects a wrong pick by."""

from __future__ import annotations

from heapq import nlargest

from crawler.core.wrapper.example_nodes import nodes_of, value_of
from crawler.core.wrapper.project import FieldRule
from crawler.core.wrapper.rules import BestRule, Match
from crawler.core.wrapper.view import View


def candidates(rule: FieldRule, view: View, most: int = 6) -> tuple[Match, ...]:
    """Return the nodes of most confidence, those that are taken among them, the surest first.

    Nodes below the threshold are among them. A rule that does not rank nodes has those that it
    takes, and no others.

    Args:
        rule: the rule.
        view: the page, or the record.
        most: how many are returned.
    """
    taken = rule.matches(view)
    found = {(match.node, match.kind): match for match in taken}
    if isinstance(rule, BestRule):
        for model in (model for group in rule.groups for model in group):
            nodes = nodes_of(view, model.kind)
            costs = model.find(view, nodes, model.worst)
            for node, cost in nlargest(most + len(taken), costs, key=lambda its: -its[1]):
                confidence = model.confidence(cost)
                known = found.get((node, model.kind))
                if known is None or known.confidence < confidence:
                    value = value_of(view, node, model.kind)
                    found[node, model.kind] = Match(node, model.kind, value, cost, confidence)
    ranked = sorted(found.values(), key=lambda its: (-its.confidence, its.node))
    return tuple(ranked[: most + len(taken)])
