"""The matchers by name: ``best``, and ``published`` as the paper has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from crawler.core.errors import UnknownMethodError
from crawler.core.wrapper.best import BestRule, Match
from crawler.core.wrapper.example_nodes import TEXT_RUN, node_at, value_of
from crawler.core.wrapper.paper_method import PublishedRule

if TYPE_CHECKING:
    from crawler.core.wrapper.example_nodes import Example, Sighting
    from crawler.core.wrapper.view import View

__all__ = ["DEFAULT_MATCHER", "FieldRule", "PublishedField", "matcher_names", "new_rule"]

DEFAULT_MATCHER = "best"
# The paper takes the best node whatever it costs; below this, nothing is taken here.
_LEAST = 0.5


class FieldRule(Protocol):
    """What finds the values of a field on a page, or in a record of one."""

    @property
    def examples(self) -> tuple[Example, ...]:
        """What it was learned from."""

    def taught(self, view: View, example: Example) -> FieldRule:
        """Return the rule that has learned from an example of this page as well."""

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:
        """Return the nodes that are taken, in document order."""


@dataclass(frozen=True, slots=True)
class PublishedField:
    """A published rule as the rule of a field: it finds one node.

    The confidence in a match is how much of the rule it does not cost: 1 less the cost by the
    number of tag sets. Text nodes are found by their paths as elements are.
    """

    rule: PublishedRule = field(default_factory=PublishedRule)
    kind: str = TEXT_RUN
    examples: tuple[Example, ...] = ()

    def taught(self, view: View, example: Example) -> PublishedField:
        """Return the rule that has learned from an example of this page as well.

        Of several copies of a value that which costs the rule least is learned.
        """
        rule, kind = self.rule, self.kind
        for wanted in example.wanted:
            best = min(wanted.sightings, key=lambda sighting: self._cost_of(view, sighting))
            node = node_at(view, best.path)
            if node is not None:
                rule, kind = rule.merged(view.tree.instance(node)), best.kind
        return PublishedField(rule, kind, (*self.examples, example))

    def _cost_of(self, view: View, sighting: Sighting) -> float:
        node = node_at(view, sighting.path)
        if node is None or not self.rule.examples:
            return 0.0
        return float(self.rule.cost(view.tree.instance(node)))

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:  # noqa: ARG002 - it has no memory
        """Return the node of least cost, where its confidence is at least one half."""
        if not self.rule.examples:
            return ()
        chosen = self.rule.choose(view.tree, texts=self.kind == TEXT_RUN, root=view.root)
        if chosen is None:
            return ()
        node, cost = chosen
        confidence = max(0.0, 1.0 - float(cost) / max(len(self.rule.sets), 1))
        if confidence < _LEAST:
            return ()
        value = value_of(view, node, self.kind)
        return (Match(node, self.kind, value, float(cost), confidence),)


_MATCHERS: dict[str, FieldRule] = {
    DEFAULT_MATCHER: BestRule.learned(()),
    "published": PublishedField(),
}


def matcher_names() -> tuple[str, ...]:
    """Return the names of all matchers, sorted."""
    return tuple(sorted(_MATCHERS))


def new_rule(matcher: str = DEFAULT_MATCHER) -> FieldRule:
    """Return a rule of that matcher that has learned nothing yet, and finds nothing.

    Raises:
        UnknownMethodError: there is no matcher of that name.
    """
    try:
        return _MATCHERS[matcher]
    except KeyError:
        raise UnknownMethodError(
            f"unknown matcher '{matcher}'; the matchers are: {', '.join(matcher_names())}"
        ) from None
