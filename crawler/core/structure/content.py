"""Content models: which sequences of children an element takes, and the nearest to a given one.

The automaton is that of Glushkov (1961): one state for each place in the content model where an
element is named, and one before any. XML asks of a content model that the next child alone
determines the next state (XML 1.0, appendix E), and has no ``&``. Other content models are *eased*:
they then take more, never less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Kind = Literal["name", "sequence", "choice", "all"]
Occurs = Literal["", "?", "+", "*"]

_MOST_PLACES: Final = 150
# To leave out a child of a page is worse than to put in an element that it lacks.
_LEAVE_OUT: Final = 2


@dataclass(frozen=True, slots=True)
class Particle:
    """Part of a content model.

    ``kind``
        ``name`` of one element; else ``sequence`` (``,``), ``choice`` (``|``) or ``all`` (``&``) of
        ``parts``.
    ``occurs``
        ``""`` once, ``?`` at most once, ``+`` once or more, ``*`` any number of times.
    """

    kind: Kind
    occurs: Occurs = ""
    name: str = ""
    parts: tuple[Particle, ...] = ()

    def names(self) -> Iterator[str]:
        """Yield the named elements in order, repeated ones too."""
        waiting = [self]
        while waiting:
            here = waiting.pop()
            if here.kind == "name":
                yield here.name
            waiting += reversed(here.parts)

    def required(self) -> frozenset[str]:
        """Return the elements without which nothing matches."""
        if self.occurs in ("?", "*"):
            return frozenset()
        if self.kind == "name":
            return frozenset((self.name,))
        parts = [part.required() for part in self.parts]
        if self.kind == "choice":
            return frozenset.intersection(*parts)
        return frozenset().union(*parts)

    def least(self, sizes: Mapping[str, float]) -> tuple[float, tuple[str, ...]]:
        """Return the smallest match: the number of its elements with all below, and its elements.

        Args:
            sizes: of each element, how many elements it is with all that it has to hold. One that
                is missing is endless.
        """
        if self.occurs in ("?", "*"):
            return 0, ()
        if self.kind == "name":
            return sizes.get(self.name, math.inf), (self.name,)
        options = [part.least(sizes) for part in self.parts]
        if self.kind == "choice":
            return min(options, key=lambda option: option[0])
        return sum(size for size, _ in options), tuple(
            name for _, names in options for name in names
        )

    def may_repeat(self, name: str) -> bool:
        """Tell whether a match may hold more than one of an element."""
        seen = 0
        waiting = [(self, False)]
        while waiting:
            here, repeated = waiting.pop()
            repeated = repeated or here.occurs in ("*", "+")
            if here.name == name:
                seen += 2 if repeated else 1
            waiting += [(part, repeated) for part in here.parts]
        return seen > 1

    @property
    def takes_everything(self) -> bool:
        """Whether it takes its elements in any number and order."""
        return (
            self.kind == "choice"
            and self.occurs == "*"
            and all(part.kind == "name" and not part.occurs for part in self.parts)
        )


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of a child: ``missing`` elements to put before it, and whether it is taken."""

    missing: tuple[str, ...]
    taken: bool


class Automaton:
    """The automaton of a content model without ``&``."""

    def __init__(self, content: Particle) -> None:
        self.labels: list[str] = [""]
        self.follow: list[set[int]] = [set()]
        first, last, empty = self._lay_out(content)
        self.follow[0] = first
        self.final = last | ({0} if empty else set())
        self._bridges: dict[int, dict[int, tuple[str, ...]]] = {}
        self._takings: dict[int, dict[str, dict[int, tuple[str, ...]]]] = {}

    def _lay_out(self, particle: Particle) -> tuple[set[int], set[int], bool]:
        """Return the states that a part begins and ends with, and whether it may be empty."""
        first: set[int] = set()
        last: set[int] = set()
        if particle.kind == "name":
            first, last, empty = {len(self.labels)}, {len(self.labels)}, False
            self.labels.append(particle.name)
            self.follow.append(set())
        elif particle.kind == "choice":
            options = [self._lay_out(part) for part in particle.parts]
            first = set().union(*(option[0] for option in options))
            last = set().union(*(option[1] for option in options))
            empty = any(option[2] for option in options)
        else:
            empty = True
            for part in particle.parts:
                begins, ends, may_be_empty = self._lay_out(part)
                for state in last:
                    self.follow[state] |= begins
                first |= begins if empty else set()
                last = last | ends if may_be_empty else ends
                empty = empty and may_be_empty
        if particle.occurs in ("*", "+"):
            for state in last:
                self.follow[state] |= first
        return first, set(last), empty or particle.occurs in ("?", "*")

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
        return bool(states & self.final)

    def nearest(self, children: Sequence[str]) -> tuple[list[Step], tuple[str, ...]]:
        """Return what to do to have children taken, and the elements missing behind the last.

        As few children as possible are left out and as few elements put in; of ways that need
        equally many, the one that takes the earlier children.
        """
        if self.accepts(children):
            # Most rows are accepted, and the search takes some ten times as long.
            return [Step((), taken=True)] * len(children), ()
        best: dict[int, int] = {0: 0}
        back: list[dict[int, tuple[int, Step]]] = []
        for child in children:
            # By state, the cost, the state before, and the step.
            reached: dict[int, tuple[int, int, Step]] = {}
            for state, cost in best.items():
                ways = [
                    (after, cost + len(missing), Step(missing, taken=True))
                    for after, missing in self._taking(state).get(child, {}).items()
                ]
                ways.append((state, cost + _LEAVE_OUT, Step((), taken=False)))
                for after, total, step in ways:
                    if after not in reached or total < reached[after][0]:
                        reached[after] = total, state, step
            best = {state: cost for state, (cost, _, _) in reached.items()}
            back.append({state: (before, step) for state, (_, before, step) in reached.items()})
        _, _, state, tail = min(
            (cost + len(missing), rank, state, missing)
            for state, cost in best.items()
            for rank, (target, missing) in enumerate(self._bridge(state).items())
            if target in self.final
        )
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
            # A bridge is in the order of its length: the first to a state has the fewest.
            for target, missing in self._bridge(state).items():
                for after in self.follow[target]:
                    known.setdefault(self.labels[after], {}).setdefault(after, missing)
        return known

    def _bridge(self, state: int) -> dict[int, tuple[str, ...]]:
        """Return the states that can be reached by putting elements in, each with the fewest."""
        known = self._bridges.get(state)
        if known is None:
            known = self._bridges[state] = {state: ()}
            front = [state]
            for here in front:  # it grows
                for after in sorted(self.follow[here]):
                    if after not in known:
                        known[after] = (*known[here], self.labels[after])
                        front.append(after)
        return known


def eased(content: Particle) -> Particle:
    """Return a content model that XML has a form for, and that takes all that this one takes.

    A group joined by ``&`` becomes any number of its elements in any order. If the next child
    would still not determine the next state, or the model names elements at more than 150 places,
    the whole becomes any number of its elements in any order.
    """
    without = _without_all(content)
    names = list(without.names())
    if len(names) <= _MOST_PLACES and Automaton(without).is_deterministic:
        return without
    return _any_of(names)


def _without_all(particle: Particle) -> Particle:
    if particle.kind == "all":
        return _any_of(particle.names())
    parts = tuple(map(_without_all, particle.parts))
    return Particle(particle.kind, particle.occurs, particle.name, parts)


def _any_of(names: Iterator[str] | Sequence[str]) -> Particle:
    parts = tuple(Particle("name", name=name) for name in dict.fromkeys(names))
    return Particle("choice", "*", parts=parts)
