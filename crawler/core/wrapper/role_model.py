"""What one role of the examples looks like, and what it costs a node to look otherwise.

A variant knows for each slot of evidence what a value costs. As in the published rules, what all
examples have costs nothing, and what some have costs less the more they are. A value costs how
much less likely it makes a node than the likeliest value does, by its shares among examples, among
all nodes of their pages, and among those that came near: naive Bayes, written as a penalty. Slots
in which examples do not agree count less.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import fsum, log, sqrt
from typing import TYPE_CHECKING

from crawler.core.wrapper.evidence import SLOTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.core.wrapper.evidence import Evidence
    from crawler.core.wrapper.example_nodes import Sighting
    from crawler.core.wrapper.view import View

__all__ = ["Member", "Variant", "fit"]

# These parameters were set on gold pages; docs/wrappers.md says what they mean.
_SMOOTHING = 0.5  # examples of which nothing is known, added to those that there are
_FOCUS = 0.5  # share of near misses, as against all nodes, in what is common
_DOUBT = 1.0  # ordered pairs of examples that a slot's trust stands for
_BETWEEN = 0.5  # where the threshold lies between near misses and examples
_FLOOR = 0.6  # no node is taken below this confidence
_TELLING = 0.01  # share of all that can be lacked below which a slot is left out
_MISLABELLED = 0.25  # what another label costs, as a share of all that can be lacked
_HELD_OUT = 8  # pages that are left out in turn
_LABEL = next(at for at, slot in enumerate(SLOTS) if slot.name == "label")
_ENDINGS = " :.()*\uff1a"


@dataclass(frozen=True, slots=True)
class Member:
    """A sighting with the number of the example it is from, and of its value there."""

    example: int
    wanted: int
    sighting: Sighting

    @property
    def pair(self) -> tuple[int, int]:
        """The value it says."""
        return self.example, self.wanted


@dataclass(frozen=True, slots=True)
class Variant:
    """What one role looks like.

    ``names``
        Names of the elements that the nodes are, or stand in.
    ``costs``
        For each slot, what each value that examples have costs.
    ``strange``
        For each slot, what any other value costs.
    ``worst``
        Cost of a node that is strange in all of them.
    ``order``
        The slots that count, the most telling first.
    ``label``
        The label that all examples have, on more than one page; empty where they have none.
    ``repeats``
        Whether an example has several.
    ``closed``
        Whether examples have all list mates of their nodes.
    ``threshold``
        Confidence from which on a node is taken.
    ``margin``
        How far examples, each held against the others, are above what came near.
    """

    kind: str
    names: frozenset[str]
    costs: tuple[Mapping[str, float], ...]
    strange: tuple[float, ...]
    worst: float
    order: tuple[int, ...]
    label: str
    repeats: bool
    closed: bool
    threshold: float = 0.0
    margin: float = 0.0

    def cost(self, evidence: Evidence) -> float:
        """Return what a node with this evidence costs: 0 or more."""
        cost = 0.0
        for slot in self.order:
            cost += self.costs[slot].get(evidence[slot], self.strange[slot])
        return cost + self._mislabelled(evidence[_LABEL])

    def _mislabelled(self, label: str) -> float:
        """Return what another label than that of all examples costs: the next row is none."""
        if not self.label or not label or _alike(label, self.label):
            return 0.0
        return _MISLABELLED * self.worst

    def confidence(self, cost: float) -> float:
        """Return the confidence in a node of this cost."""
        return max(0.0, 1.0 - cost / self.worst) if self.worst > 0 else float(cost <= 0)

    def within(
        self, view: View, nodes: Iterable[int], most: float, *, best: bool = False
    ) -> list[tuple[int, float]]:
        """Return the nodes that cost ``most`` at most, with their costs.

        Evidence is looked at only as long as a node can still be one of them.

        Args:
            view: the page, or the record.
            nodes: nodes of it.
            most: the highest cost.
            best: return the one of least cost alone, the first of several.
        """
        looks = [(SLOTS[at].read, self.costs[at], self.strange[at]) for at in self.order]
        found: list[tuple[int, float]] = []
        for node in nodes:
            cost = 0.0
            for read, costs, strange in looks:
                cost += costs.get(read(view, node), strange)
                if cost > most:
                    break
            else:
                if self.label:
                    cost += self._mislabelled(SLOTS[_LABEL].read(view, node))
                if cost > most:
                    continue
                if not best:
                    found.append((node, cost))
                elif not found or cost < found[0][1]:
                    found = [(node, cost)]
                    most = cost
        return found


def _alike(label: str, other: str) -> bool:
    """Tell whether labels differ in their endings alone, as those of one and of several do."""
    one, two = label.rstrip(_ENDINGS), other.rstrip(_ENDINGS)
    return one.startswith(two) or two.startswith(one)


def fit(role: Sequence[Member], wrong: Sequence[Sighting]) -> Variant:
    """Learn what a role looks like, and from what confidence on a node is taken for it.

    Args:
        role: its members, in an order that depends on the set alone.
        wrong: nodes that somebody said are not meant.
    """
    variant = _weighed(role, wrong)
    misses = [row for member in role for row in member.sighting.near]
    misses += [sighting.evidence for sighting in wrong]
    low = max((variant.confidence(variant.cost(row)) for row in misses), default=0.0)
    high = min(_held_out(role, variant, wrong))
    threshold = low + _BETWEEN * (high - low) if high > low else high
    own = min(variant.confidence(variant.cost(member.sighting.evidence)) for member in role)
    return replace(variant, threshold=min(max(threshold, _FLOOR), own), margin=high - low)


def _weighed(role: Sequence[Member], wrong: Sequence[Sighting]) -> Variant:
    rows = [member.sighting for member in role]
    near = [row for sighting in rows for row in sighting.near]
    # One node that was called wrong weighs as much as all that merely came near.
    near += [sighting.evidence for sighting in wrong for _ in range(max(len(near), 1))]
    costs: list[Mapping[str, float]] = []
    strange: list[float] = []
    for slot, its in enumerate(SLOTS):
        shares = Counter(sighting.evidence[slot] for sighting in rows)
        close = Counter(row[slot] for row in near)
        found, unseen = _penalties(shares, _common(role, slot), close)
        weight = _trust(shares, its.trust)
        costs.append({value: weight * cost for value, cost in found.items()})
        strange.append(weight * unseen)
    telling = [slot for slot in range(len(SLOTS)) if strange[slot] >= _TELLING * sum(strange)]
    order = tuple(sorted(telling, key=lambda slot: (-strange[slot], slot)))
    return Variant(
        kind=rows[0].kind,
        names=frozenset(sighting.element for sighting in rows),
        costs=tuple(costs),
        strange=tuple(strange),
        worst=sum(strange[slot] for slot in order),
        order=order,
        label=_common_label(role),
        repeats=max(Counter(member.example for member in role).values()) > 1,
        closed=not any(sighting.strangers for sighting in rows),
    )


def _common_label(role: Sequence[Member]) -> str:
    """Return the label of all, where more than one page has it: one alone may be any text."""
    labels = {member.sighting.evidence[_LABEL] for member in role}
    pages = {member.example for member in role}
    return labels.pop() if len(labels) == 1 and len(pages) > 1 else ""


def _common(role: Sequence[Member], slot: int) -> dict[str, float]:
    """Return how common each value is on the pages of the examples, these apart."""
    own = Counter((member.example, member.sighting.evidence[slot]) for member in role)
    shares: dict[str, list[float]] = {}
    for member in role:
        sighting = member.sighting
        value = sighting.evidence[slot]
        others = max(sighting.counts[slot] - own[member.example, value], 0)
        shares.setdefault(value, []).append((others + 0.5) / (sighting.nodes + 1))
    return {value: fsum(found) / len(found) for value, found in shares.items()}


def _penalties(
    shares: Counter[str], common: Mapping[str, float], close: Counter[str]
) -> tuple[dict[str, float], float]:
    """Return what each value costs, and what all others do."""
    base = shares.total() + _SMOOTHING
    near = close.total()
    worth: dict[str, float] = {}
    for value, count in shares.items():
        share = common[value]
        if near:
            share = (1 - _FOCUS) * share + _FOCUS * close[value] / near
        worth[value] = log((count / share + _SMOOTHING) / base)
    unseen = log(_SMOOTHING / base)
    best = max(worth.values())
    return {value: best - its for value, its in worth.items()}, best - unseen


def _trust(shares: Counter[str], trust: float) -> float:
    """Return how far examples agree in a slot; one alone is believed as far as such slots are.

    However well a few agree, a slot that is seldom to be trusted may change with the next page.
    """
    number = shares.total()
    alike = sum(count * (count - 1) for count in shares.values())
    return sqrt(trust) * (alike + _DOUBT * trust) / (number * (number - 1) + _DOUBT)


def _held_out(role: Sequence[Member], variant: Variant, wrong: Sequence[Sighting]) -> list[float]:
    """Return the confidence in each member by a rule that was learned without its page."""
    pages = sorted({member.example for member in role})
    if len(pages) == 1:
        return [variant.confidence(variant.cost(member.sighting.evidence)) for member in role]
    found = []
    for page in pages[:_HELD_OUT]:
        others = _weighed([member for member in role if member.example != page], wrong)
        found += [
            others.confidence(others.cost(member.sighting.evidence))
            for member in role
            if member.example == page
        ]
    return found
