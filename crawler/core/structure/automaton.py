"""Which sequences of children a content model takes, and the nearest it takes to a given one.

Glushkov's automaton (1961): one state for each place in the content model where an element is
named, and one before any. XML asks of a content model that the next child alone tells the next
state (XML 1.0, appendix E); where that is not so, or a group is joined by ``&``, the model is
*eased* for the DTD: see :mod:`crawler.core.structure.dtd`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crawler.core.structure.model import Particle

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Automaton", "Step", "eased"]

_MOST_PLACES: Final = 150
# What has to be left out of a model is worse than what has to be put in.
_LEAVE_OUT: Final = 2


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of a child: ``missing`` elements to put before it, and whether it is taken."""

    missing: tuple[str, ...]
    taken: bool


@dataclass(slots=True)
class _Part:
    """What one part of a content model begins and ends with, and whether it may be empty."""

    first: set[int]
    last: set[int]
    empty: bool


class Automaton:
    """The automaton of a content model without ``&``."""

    def __init__(self, content: Particle) -> None:
        self.labels: list[str] = [""]
        self.follow: list[set[int]] = [set()]
        whole = self._lay_out(content)
        self.follow[0] = whole.first
        self.final = whole.last | ({0} if whole.empty else set())
        self._bridges: dict[int, dict[int, tuple[str, ...]]] = {}
        self._takings: dict[int, dict[str, dict[int, tuple[str, ...]]]] = {}

    @property
    def is_deterministic(self) -> bool:
        """Whether in each state an element leads to one state at most."""
        return all(
            len({self.labels[after] for after in follow}) == len(follow) for follow in self.follow
        )

    def accepts(self, children: Sequence[str]) -> bool:
        """Tell whether the model takes just these children."""
        states = {0}
        for child in children:
            states = {
                after
                for here in states
                for after in self.follow[here]
                if self.labels[after] == child
            }
            if not states:
                return False
        return bool(states & self.final)

    def nearest(self, children: Sequence[str]) -> tuple[list[Step], tuple[str, ...]]:
        """Return what to do to have children taken, and the elements missing behind the last.

        As few children as can be are left out and as few elements put in; of ways that need equally
        many, the one that takes the earlier children.
        """
        if self.accepts(children):
            # As most are; the search takes some ten times as long.
            return [Step((), taken=True)] * len(children), ()
        best: dict[int, int] = {0: 0}
        back: list[dict[int, tuple[int, Step]]] = []
        for child in children:
            reached: dict[int, tuple[int, int, Step]] = {}
            for state, cost in best.items():
                for after, missing in self._taking(state).get(child, {}).items():
                    step = Step(missing, taken=True)
                    _improve(reached, after, cost + len(missing), state, step)
                _improve(reached, state, cost + _LEAVE_OUT, state, Step((), taken=False))
            best = {state: cost for state, (cost, _, _) in reached.items()}
            back.append({state: (before, step) for state, (_, before, step) in reached.items()})
        cost_at_end = [
            (cost + len(missing), not_same, state, missing)
            for state, cost in best.items()
            for not_same, (target, missing) in enumerate(self._bridge(state).items())
            if target in self.final
        ]
        _, _, state, tail = min(cost_at_end)
        steps: list[Step] = []
        for options in reversed(back):
            state, step = options[state]
            steps.append(step)
        return steps[::-1], tail

    def _taking(self, state: int) -> dict[str, dict[int, tuple[str, ...]]]:
        """Return for each child the states it may lead to, each with the fewest put in before."""
        known = self._takings.get(state)
        if known is None:
            known = self._takings[state] = {}
            # A bridge is in the order of what is put in: the first to a state has the fewest.
            for target, missing in self._bridge(state).items():
                for after in self.follow[target]:
                    known.setdefault(self.labels[after], {}).setdefault(after, missing)
        return known

    def _bridge(self, state: int) -> dict[int, tuple[str, ...]]:
        """Return the states that can be reached by putting elements in, each with the fewest."""
        known = self._bridges.get(state)
        if known is None:
            known = {state: ()}
            front = [state]
            while front:
                onward = []
                for here in front:
                    for after in sorted(self.follow[here]):
                        if after not in known:
                            known[after] = (*known[here], self.labels[after])
                            onward.append(after)
                front = onward
            self._bridges[state] = known
        return known

    def _lay_out(self, particle: Particle) -> _Part:
        if particle.kind == "name":
            number = len(self.labels)
            self.labels.append(particle.name)
            self.follow.append(set())
            part = _Part({number}, {number}, empty=False)
        else:
            parts = [self._lay_out(inner) for inner in particle.parts]
            part = parts[0]
            for other in parts[1:]:
                part = self._joined(part, other, particle.kind == "sequence")
        if particle.occurs in ("*", "+"):
            for end in part.last:
                self.follow[end] |= part.first
        return _Part(part.first, part.last, part.empty or particle.occurs in ("?", "*"))

    def _joined(self, one: _Part, two: _Part, in_sequence: bool) -> _Part:  # noqa: FBT001 - told by its name
        if not in_sequence:
            return _Part(one.first | two.first, one.last | two.last, one.empty or two.empty)
        for end in one.last:
            self.follow[end] |= two.first
        return _Part(
            one.first | two.first if one.empty else set(one.first),
            one.last | two.last if two.empty else set(two.last),
            one.empty and two.empty,
        )


def _improve(
    reached: dict[int, tuple[int, int, Step]], state: int, cost: int, before: int, step: Step
) -> None:
    if state not in reached or cost < reached[state][0]:
        reached[state] = (cost, before, step)


def eased(content: Particle) -> Particle:
    """Return a content model that XML has a form for, and that takes all that this one takes.

    A group joined by ``&`` becomes any number of its elements in any order. Where the next child
    would still not tell the next state, or the model names elements at more than 150 places, the
    whole becomes any number of its elements in any order.
    """
    without = _without_all(content)
    names = tuple(dict.fromkeys(without.names()))
    if sum(1 for _ in without.names()) <= _MOST_PLACES and Automaton(without).is_deterministic:
        return without
    return _any_of(names)


def _without_all(particle: Particle) -> Particle:
    if particle.kind == "all":
        return _any_of(tuple(dict.fromkeys(particle.names())))
    if particle.kind == "name":
        return particle
    return Particle(particle.kind, particle.occurs, parts=tuple(map(_without_all, particle.parts)))


def _any_of(names: tuple[str, ...]) -> Particle:
    return Particle("choice", "*", parts=tuple(Particle("name", name=name) for name in names))
