"""Roles: the places of a layout at which examples have their values, and models of them.

A page may have a value at several places, and a field may have several values. Every value of the
examples gets a role; the fewest and most similar roles are taken. Further roles that have the same
values on all examples form a group with the first: where one of them is missing on a page, or has
another value, the others decide.

A model knows for each feature what each value costs. As in the paper's rules, what all examples
have costs nothing, and what some have costs less the more they are. A value costs how much less
likely it makes a node than the most likely value does, by its shares among examples, among all
nodes of their pages, and among the near misses: naive Bayes, written as a penalty. Features in
which examples disagree count less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, log, sqrt

from crawler.core.wrapper.example_nodes import Example, ExampleNode, rarities, shared
from crawler.core.wrapper.features import FEATURE_AT, FEATURES, Evidence
from crawler.core.wrapper.view import View

# These parameters were set on gold pages; docs/wrappers.md says what they mean.
_SMOOTHING = 0.5  # examples of which nothing is known, added to those that there are
_FOCUS = 0.5  # share of near misses, as against all nodes, in what is common
_DOUBT = 1.0  # ordered pairs of examples that the trust in a feature stands for
_BETWEEN = 0.5  # where the threshold lies between near misses and examples
_FLOOR = 0.6  # no node is taken below this confidence
_TELLING = 0.01  # share of the worst cost below which a feature is left out
_OTHER_LABEL = 0.25  # what another label costs, as a share of the worst cost
_HELD_OUT = 8  # pages that are left out in turn
# Similarity from which on two nodes have the same role. Where a role cannot be told from its near
# misses, roles are cut finer, as far as that helps.
_SIMILAR = (0.35, 0.5, 0.65, 0.8)
_MOST_ROLES = 8
_MOST_IN_GROUP = 5
# How many values may propose a role: a list is known by some of its members.
_SEEDS = 12
_LABEL = FEATURE_AT["label"]
_NEXT = FEATURE_AT["next"]
_LABEL_ENDINGS = " :.()*\uff1a"


@dataclass(frozen=True, slots=True, eq=False)
class _Member:
    """A node of a role.

    ``key`` is the number of its example, and that of its value in that example; ``weights`` are
    :func:`rarities`.
    """

    key: tuple[int, int]
    node: ExampleNode
    weights: tuple[float, ...]


_Role = tuple[_Member, ...]


@dataclass(frozen=True, slots=True)
class RoleModel:
    """What the nodes of one role look like.

    For each feature, ``costs`` has what each value of the examples costs, ``unseen`` what any other
    value costs; ``worst`` is the cost of a node with other values in all features.

    Attributes:
        element_names: names of the elements that the nodes are, or are in.
        order: the features that count, the most telling first.
        label: the label that all examples have, on more than one page; else empty.
        is_next: whether all examples are links to the next page of a list: no other link is taken.
        repeats: whether an example has several nodes of the role.
        whole_lists: whether examples have all list siblings of their nodes.
        threshold: confidence from which on a node is taken.
        margin: how far the confidence in examples, each held against the others, is above that in
            near misses.
    """

    kind: str
    element_names: frozenset[str]
    costs: tuple[Mapping[str, float], ...]
    unseen: tuple[float, ...]
    worst: float
    order: tuple[int, ...]
    label: str
    is_next: bool
    repeats: bool
    whole_lists: bool
    threshold: float = 0.0
    margin: float = 0.0

    def cost(self, evidence: Evidence) -> float:
        """Return what a node with this evidence costs: 0 or more."""
        cost = 0.0
        for at in self.order:
            cost += self.costs[at].get(evidence[at], self.unseen[at])
        if self.is_next and not evidence[_NEXT]:
            return self.worst
        return cost + self._label_cost(evidence[_LABEL])

    def _label_cost(self, label: str) -> float:
        """Return what another label than that of all examples costs: the next row is another."""
        if not self.label or not label:
            return 0.0
        # Labels of one value and of several differ in their endings alone.
        one, other = label.rstrip(_LABEL_ENDINGS), self.label.rstrip(_LABEL_ENDINGS)
        is_same = one.startswith(other) or other.startswith(one)
        return 0.0 if is_same else _OTHER_LABEL * self.worst

    def confidence(self, cost: float) -> float:
        """Return the confidence in a node of this cost, 0 to 1."""
        return max(0.0, 1.0 - cost / self.worst) if self.worst > 0 else float(cost <= 0)

    def find(
        self, view: View, nodes: Iterable[int], most: float, *, best: bool = False
    ) -> list[tuple[int, float]]:
        """Return the nodes that cost ``most`` at most, with their costs.

        Features of a node are read only as long as it can still be one of these.

        Args:
            view: the page, or the record.
            nodes: nodes of the view.
            most: the highest cost.
            best: return only the node of least cost, the first of several.
        """
        if self.is_next:
            nodes = [node for node in nodes if FEATURES[_NEXT].read(view, node)]
        readers = [(FEATURES[at].read, self.costs[at], self.unseen[at]) for at in self.order]
        found: list[tuple[int, float]] = []
        for node in nodes:
            cost = 0.0
            for read, costs, unseen in readers:
                cost += costs.get(read(view, node), unseen)
                if cost > most:
                    break
            else:
                if self.label:
                    cost += self._label_cost(FEATURES[_LABEL].read(view, node))
                if cost > most:
                    continue
                if not best:
                    found.append((node, cost))
                elif not found or cost < found[0][1]:
                    found = [(node, cost)]
                    most = cost
        return found


def role_groups(
    examples: Sequence[Example], *, finer: bool = True
) -> tuple[tuple[RoleModel, ...], ...]:
    """Return the groups of roles that together have all values of the examples.

    Args:
        examples: in an order that depends on their set alone.
        finer: whether roles may be cut finer, as for a field with several values. The records of
            a list are one role, and of the copies of one value the best is taken.
    """
    wrong = [node for example in examples for node in example.wrong]
    found: tuple[tuple[RoleModel, ...], ...] = ()
    best = float("-inf")
    for similar in _SIMILAR if finer else _SIMILAR[:1]:
        groups = _RoleFinder(examples, similar).groups(wrong)
        margin = min((group[0].margin for group in groups), default=1.0)
        if margin > best:
            found, best = groups, margin
        if best > 0:
            break
    return found


class _RoleFinder:
    """Cuts the nodes of examples into roles, at one least similarity."""

    def __init__(self, examples: Sequence[Example], similar: float) -> None:
        self._similar = similar
        # The nodes of each value.
        self._values = [
            [_Member((at, number), node, rarities(node.counts, node.nodes)) for node in value.nodes]
            for at, example in enumerate(examples)
            for number, value in enumerate(example.values)
            if value.nodes
        ]
        self._roles: dict[_Member, tuple[_Role, float]] = {}

    def groups(self, wrong: Sequence[ExampleNode]) -> tuple[tuple[RoleModel, ...], ...]:
        without_role = {members[0].key for members in self._values}
        groups: list[tuple[RoleModel, ...]] = []
        while without_role and len(groups) < _MOST_ROLES:
            role = self._best_role(without_role)
            without_role -= {member.key for member in role}
            roles = (role, *self._roles_like(role))
            groups.append(tuple(_model(each, wrong) for each in roles))
        return tuple(groups)

    def _best_role(self, without_role: set[tuple[int, int]]) -> _Role:
        """Return the role that has most of the values that have none yet."""
        best: _Role = ()
        most = 0.0
        waiting = [members for members in self._values if members[0].key in without_role]
        for seed in (member for members in waiting[:_SEEDS] for member in members):
            role, _ = self._role(seed)
            worth = fsum(_similarity(seed, its) for its in role if its.key in without_role)
            if worth > most + 1e-9:
                best, most = role, worth
        return best

    def _roles_like(self, role: _Role) -> list[_Role]:
        """Return other roles that have all values of this one, the most similar first."""
        keys, used = {member.key for member in role}, set(role)
        first = next(members for members in self._values if members[0].key in keys)
        ranked = sorted(
            (self._role(seed) for seed in first if seed not in used),
            key=lambda other: (-other[1], other[0][0].node.path),
        )
        found: list[_Role] = []
        for other, _ in ranked:
            if used.isdisjoint(other) and keys <= {member.key for member in other}:
                found.append(other)
                used.update(other)
        return found[: _MOST_IN_GROUP - 1]

    def _role(self, seed: _Member) -> tuple[_Role, float]:
        """Return, of each value, the node most similar to the seed, and their similarity in all."""
        if seed not in self._roles:
            role: list[_Member] = []
            shares: list[float] = []
            for members in self._values:
                likeness = [_similarity(seed, member) for member in members]
                if (share := max(likeness)) > self._similar:
                    role.append(members[likeness.index(share)])
                    shares.append(share)
            self._roles[seed] = tuple(role), fsum(shares)
        return self._roles[seed]


def _similarity(one: _Member, other: _Member) -> float:
    """Return how far two nodes are the same thing on two pages, 0 to 1."""
    if one is other:
        return 1.0
    if one.node.kind != other.node.kind:
        return 0.0
    # Added in a fixed order, so that the number is the same for both sides.
    weights = [left + right for left, right in zip(one.weights, other.weights, strict=True)]
    whole = sum(weights)
    return shared(weights, one.node.evidence, other.node.evidence) / whole if whole > 0 else 0.0


def _model(role: _Role, wrong: Sequence[ExampleNode]) -> RoleModel:
    """Learn the model of a role with its threshold."""
    wrong = [node for node in wrong if node.kind == role[0].node.kind]
    model = _costs(role, wrong)
    misses = [row for member in role for row in member.node.near_misses]
    misses += [node.evidence for node in wrong]
    low = max((model.confidence(model.cost(row)) for row in misses), default=0.0)
    high = min(_held_out(role, model, wrong))
    threshold = low + _BETWEEN * (high - low) if high > low else high
    own = min(_confidences(model, role))
    return replace(model, threshold=min(max(threshold, _FLOOR), own), margin=high - low)


def _confidences(model: RoleModel, members: Iterable[_Member]) -> list[float]:
    return [model.confidence(model.cost(member.node.evidence)) for member in members]


def _held_out(role: _Role, model: RoleModel, wrong: Sequence[ExampleNode]) -> list[float]:
    """Return the confidence in each member by a model that was learned without its page."""
    pages = sorted({member.key[0] for member in role})
    if len(pages) == 1:
        return _confidences(model, role)
    found: list[float] = []
    for page in pages[:_HELD_OUT]:
        others = _costs([member for member in role if member.key[0] != page], wrong)
        found += _confidences(others, (member for member in role if member.key[0] == page))
    return found


def _costs(role: Sequence[_Member], wrong: Sequence[ExampleNode]) -> RoleModel:
    """Learn the model of a role without its threshold."""
    nodes = [member.node for member in role]
    misses = [row for node in nodes for row in node.near_misses]
    # One node that was called wrong weighs as much as all near misses.
    misses += [node.evidence for node in wrong for _ in range(max(len(misses), 1))]
    costs: list[Mapping[str, float]] = []
    unseen: list[float] = []
    for at, feature in enumerate(FEATURES):
        shares = Counter(node.evidence[at] for node in nodes)
        near = Counter(row[at] for row in misses)
        penalties, of_others = _penalties(shares, _common(role, at), near)
        weight = _weight(shares, feature.trust)
        costs.append({value: weight * cost for value, cost in penalties.items()})
        unseen.append(weight * of_others)
    telling = [at for at in range(len(FEATURES)) if unseen[at] >= _TELLING * sum(unseen)]
    order = tuple(sorted(telling, key=lambda at: (-unseen[at], at)))
    # On one page alone, any text may be before all nodes.
    labels = {node.evidence[_LABEL] for node in nodes}
    on_pages = Counter(member.key[0] for member in role)
    return RoleModel(
        kind=nodes[0].kind,
        element_names=frozenset(node.element for node in nodes),
        costs=tuple(costs),
        unseen=tuple(unseen),
        worst=sum(unseen[at] for at in order),
        order=order,
        label=labels.pop() if len(labels) == 1 < len(on_pages) else "",
        is_next=all(node.evidence[_NEXT] for node in nodes),
        repeats=max(on_pages.values()) > 1,
        whole_lists=not any(node.siblings_other for node in nodes),
    )


def _common(role: Sequence[_Member], at: int) -> dict[str, float]:
    """Return how common each value of a feature is on the pages of the examples, without these."""
    own = Counter((member.key[0], member.node.evidence[at]) for member in role)
    shares: dict[str, list[float]] = {}
    for member in role:
        node = member.node
        value = node.evidence[at]
        others = max(node.counts[at] - own[member.key[0], value], 0)
        shares.setdefault(value, []).append((others + 0.5) / (node.nodes + 1))
    return {value: fsum(found) / len(found) for value, found in shares.items()}


def _penalties(
    shares: Counter[str], common: Mapping[str, float], near: Counter[str]
) -> tuple[dict[str, float], float]:
    """Return what each value of a feature costs, and what all others do.

    Of each value, ``shares`` has the number of examples, ``common`` how common it is on their
    pages, 0 to 1, and ``near`` the number of near misses.
    """
    base = shares.total() + _SMOOTHING
    worth: dict[str, float] = {}
    for value, count in shares.items():
        share = common[value]
        if misses := near.total():
            share = (1 - _FOCUS) * share + _FOCUS * near[value] / misses
        worth[value] = log((count / share + _SMOOTHING) / base)
    unseen = log(_SMOOTHING / base)
    best = max(worth.values())
    return {value: best - its for value, its in worth.items()}, best - unseen


def _weight(shares: Counter[str], trust: float) -> float:
    """Return how far examples agree in a feature; of one example, the trust in the feature.

    However well a few agree, a feature of little trust may change with the next page.
    """
    number, equal = shares.total(), sum(count * (count - 1) for count in shares.values())
    return sqrt(trust) * (equal + _DOUBT * trust) / (number * (number - 1) + _DOUBT)
