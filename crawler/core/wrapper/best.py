"""The best matcher: every kind of evidence weighed by what the examples say it is worth.

A rule is a function of the set of its examples: they are put in one order before anything is
learned, so that no order of merging matters. Examples are cut into *roles*, places of the layout
where the wanted stands; to each belongs a :class:`Variant`, which knows for each slot of evidence
what a value costs. As in the published rules, what all examples have costs nothing, and what some
have costs less the more they are. The cost of a value is how much less likely it makes a node than
the likeliest value does, by the shares of the value among examples, among all nodes of their
pages, and among those that came near: naive Bayes with the shares smoothed, as a penalty.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import fsum, log
from typing import TYPE_CHECKING

from crawler.core.wrapper.evidence import SLOTS, View
from crawler.core.wrapper.sightings import Example, Sighting, agreement, nodes_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.core.wrapper.evidence import Evidence

__all__ = ["BestRule", "Match", "Variant"]

# Handful of parameters, set on gold pages; see docs/wrappers.md.
_ALIKE = 0.35  # agreement from which on two nodes play the same role
_SMOOTHING = 0.5  # examples of which nothing is known, added to those that there are
_FOCUS = 0.5  # share of near misses, as against all nodes, in what is common
_DOUBT = 0.5  # pairs of examples that a slot's trust stands for
_BETWEEN = 0.5  # where the threshold lies between near misses and examples
_FLOOR = 0.35  # no node is taken below this confidence
_ROLES = 8


@dataclass(frozen=True, slots=True)
class Match:
    """A node that a rule finds.

    ``confidence`` is between 0 and 1: 1 for what is as all examples are, 0 for what has nothing in
    common with any. ``cost`` is what it lacks, 0 or more.
    """

    node: int
    kind: str
    value: str
    cost: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Variant:
    """What one role of the examples looks like.

    ``costs``
        For each slot, what each value that examples have costs.
    ``strange``
        For each slot, what any other value costs.
    ``worst``
        Cost of a node that is strange in all.
    ``threshold``
        Confidence from which on a node is taken.
    ``repeats``
        Whether a page can have several.
    ``order``
        Slots, the most telling first.
    """

    kind: str
    costs: tuple[Mapping[str, float], ...]
    strange: tuple[float, ...]
    worst: float
    order: tuple[int, ...]
    repeats: bool
    threshold: float = 0.0

    def cost(self, evidence: Evidence) -> float:
        """Return what a node with this evidence costs: 0 or more."""
        return sum(self.costs[slot].get(evidence[slot], self.strange[slot]) for slot in self.order)

    def confidence(self, cost: float) -> float:
        """Return the confidence in a node of this cost."""
        return max(0.0, 1.0 - cost / self.worst) if self.worst > 0 else float(cost <= 0)

    def cost_within(self, view: View, node: int, most: float) -> float | None:
        """Return the cost of a node, None once it is known to be more than ``most``."""
        cost = 0.0
        for slot in self.order:
            value = SLOTS[slot].read(view, node)
            cost += self.costs[slot].get(value, self.strange[slot])
            if cost > most:
                return None
        return cost


@dataclass(frozen=True, slots=True)
class _Member:
    """A sighting with the number of the example it is from, and of its value there."""

    example: int
    wanted: int
    sighting: Sighting


def _roles(examples: Sequence[Example]) -> list[list[_Member]]:
    """Cut the sightings into roles, so that each value has one: the fewest, the most alike."""
    members = [
        [
            [_Member(at, number, sighting) for sighting in wanted.sightings]
            for number, wanted in enumerate(example.wanted)
        ]
        for at, example in enumerate(examples)
    ]
    seeds = [member for page in members for value in page for member in value]
    found: list[list[_Member]] = []
    open_values = {(member.example, member.wanted) for member in seeds}
    roles = {id(seed): _role(seed, members) for seed in seeds[: _seed_limit(members)]}
    while open_values and len(found) < _ROLES:
        best: tuple[float, list[_Member]] = (0.0, [])
        for seed in seeds:
            if (seed.example, seed.wanted) not in open_values:
                continue
            if id(seed) not in roles:
                roles[id(seed)] = _role(seed, members)
            alike = roles[id(seed)]
            worth = fsum(
                share for member, share in alike if (member.example, member.wanted) in open_values
            )
            if worth > best[0] + 1e-9:
                best = worth, [member for member, _ in alike]
        if not best[1]:
            break
        found.append(best[1])
        open_values -= {(member.example, member.wanted) for member in best[1]}
    return found


def _seed_limit(members: object) -> int:
    del members
    return 0


def _role(
    seed: _Member, members: Sequence[Sequence[Sequence[_Member]]]
) -> list[tuple[_Member, float]]:
    """Return, for each value, the sighting most like the seed, where one is like it at all."""
    role = []
    for page in members:
        for value in page:
            best, share = None, _ALIKE
            for member in value:
                alike = 1.0 if member is seed else agreement(seed.sighting, member.sighting)
                if alike > share:
                    best, share = member, alike
            if best is not None:
                role.append((best, share))
    return role


def _fit(role: Sequence[_Member], wrong: Sequence[Sighting]) -> Variant:
    """Learn what a role looks like."""
    rows = [member.sighting for member in role]
    near = [row for sighting in rows for row in sighting.near]
    near += [sighting.evidence for sighting in wrong for _ in range(len(rows))]
    costs, strange = [], []
    for slot, its in enumerate(SLOTS):
        shares = Counter(sighting.evidence[slot] for sighting in rows)
        common = _common(role, slot)
        close = Counter(row[slot] for row in near)
        found, unseen = _penalties(shares, common, close, len(near))
        weight = _trust(shares, len(rows), its.trust)
        costs.append({value: weight * cost for value, cost in found.items()})
        strange.append(weight * unseen)
    order = sorted(range(len(SLOTS)), key=lambda slot: (-strange[slot], slot))
    pages = Counter((member.example) for member in role)
    return Variant(
        kind=rows[0].kind,
        costs=tuple(costs),
        strange=tuple(strange),
        worst=sum(strange[slot] for slot in order),
        order=tuple(order),
        repeats=max(pages.values()) > 1,
    )


def _common(role: Sequence[_Member], slot: int) -> dict[str, float]:
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
    shares: Counter[str], common: Mapping[str, float], close: Counter[str], near: int
) -> tuple[dict[str, float], float]:
    number = shares.total()
    base = number + _SMOOTHING
    worth: dict[str, float] = {}
    for value, count in shares.items():
        share = common[value]
        if near:
            share = (1 - _FOCUS) * share + _FOCUS * close[value] / near
        worth[value] = log((count / share + _SMOOTHING) / base)
    unseen = log(_SMOOTHING / base)
    best = max(worth.values())
    return {value: best - its for value, its in worth.items()}, best - unseen


def _trust(shares: Counter[str], number: int, trust: float) -> float:
    """Return how far examples agree in a slot; one alone is believed as far as such slots are."""
    pairs = number * (number - 1)
    alike = sum(count * (count - 1) for count in shares.values())
    return (alike + _DOUBT * trust) / (pairs + _DOUBT)


def _with_threshold(
    role: Sequence[_Member], variant: Variant, wrong: Sequence[Sighting]
) -> Variant:
    """Set the threshold between the near misses and what examples would get from the others."""
    misses = [row for member in role for row in member.sighting.near]
    misses += [sighting.evidence for sighting in wrong]
    low = max((variant.confidence(variant.cost(row)) for row in misses), default=0.0)
    high = min(_held_out(role, variant, wrong))
    threshold = low + _BETWEEN * (high - low) if high > low else high
    own = min(variant.confidence(variant.cost(member.sighting.evidence)) for member in role)
    return Variant(
        variant.kind,
        variant.costs,
        variant.strange,
        variant.worst,
        variant.order,
        variant.repeats,
        min(max(threshold, _FLOOR), own),
    )


def _held_out(role: Sequence[_Member], variant: Variant, wrong: Sequence[Sighting]) -> list[float]:
    pages = sorted({member.example for member in role})
    if len(pages) == 1:
        return [variant.confidence(variant.cost(member.sighting.evidence)) for member in role]
    found = []
    for page in pages[:8]:
        others = [member for member in role if member.example != page]
        fitted = _fit(others, wrong)
        found += [
            fitted.confidence(fitted.cost(member.sighting.evidence))
            for member in role
            if member.example == page
        ]
    return found


@dataclass(frozen=True, slots=True)
class BestRule:
    """What was learned from a set of examples. Made by :meth:`learned`."""

    examples: tuple[Example, ...]
    variants: tuple[Variant, ...]
    several: bool

    @classmethod
    def learned(cls, examples: Iterable[Example]) -> BestRule:
        """Learn from examples, in whatever order they come."""
        known = tuple(sorted(set(examples), key=_key))
        wrong = [sighting for example in known for sighting in example.wrong]
        variants = []
        for role in _roles(known):
            alike = [sighting for sighting in wrong if sighting.kind == role[0].sighting.kind]
            variants.append(_with_threshold(role, _fit(role, alike), alike))
        several = any(len(example.wanted) > 1 for example in known)
        return cls(known, tuple(variants), several)

    def merged(self, examples: Iterable[Example]) -> BestRule:
        """Return the rule that has learned from these examples as well."""
        return BestRule.learned((*self.examples, *examples))

    def matches(self, view: View) -> tuple[Match, ...]:
        """Return the nodes that are taken: the best one, or all where examples have several."""
        found: dict[tuple[int, str], Match] = {}
        for variant in self.variants:
            for match in _found_by(variant, view, every=self.several and variant.repeats):
                known = found.get((match.node, match.kind))
                if known is None or match.confidence > known.confidence:
                    found[match.node, match.kind] = match
        if self.several:
            return tuple(found[key] for key in sorted(found))
        best = max(found.values(), key=lambda match: (match.confidence, -match.node), default=None)
        return () if best is None else (best,)


def _found_by(variant: Variant, view: View, *, every: bool) -> list[Match]:
    most = (1 - variant.threshold) * variant.worst + 1e-9
    found: list[tuple[int, float]] = []
    for node in nodes_of(view, variant.kind):
        cost = variant.cost_within(view, node, most)
        if cost is None:
            continue
        if every:
            found.append((node, cost))
        elif not found or cost < found[0][1]:
            found = [(node, cost)]
            most = cost
    return [
        Match(
            node, variant.kind, value_of(view, node, variant.kind), cost, variant.confidence(cost)
        )
        for node, cost in found
    ]


def _key(example: Example) -> tuple[str, str, str, str]:
    return example.page, example.record, example.address, repr(example)
