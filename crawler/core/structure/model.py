"""A document model: its elements, which children each takes, and what identifies them.

Which sequences of children a content model takes is told by the automaton of Glushkov (1961): one
state for each place where an element is named, and one before any. XML asks of a content model that
the next child alone determines the next state (XML 1.0, appendix E), and has no ``&``. Other
content models are *eased*: they then take more, never less.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain
from typing import Final, Literal, NamedTuple

Kind = Literal["name", "sequence", "choice", "all"]
Occurs = Literal["", "?", "+", "*"]

TEXT: Final = "TEXT"
"""Name of a piece of text that is no element of the model."""
GROUP: Final = "GROUP"
"""Name of a group under a heading that is no element of the model."""
ROLES: Final = (
    "title", "author", "date", "summary", "section", "heading", "paragraph", "caption", "item",
    "quote", "code", "tag",
)  # fmt: skip
"""What ``KEYROLE`` may name: what a block of a page is, by the project's own reading of it."""

_MOST_PLACES: Final = 150
# To leave out a child of a page costs more than to put in an element that it lacks, which costs 1.
_LEAVE_OUT: Final = 2
# Larger sizes are all alike.
_HUGE: Final = 10**12


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
        if self.kind == "name":
            yield self.name
        for part in self.parts:
            yield from part.names()

    def required(self) -> frozenset[str]:
        """Return the elements without which nothing matches."""
        if self.occurs in ("?", "*"):
            return frozenset()
        if self.kind == "name":
            return frozenset((self.name,))
        sets = [part.required() for part in self.parts]
        return frozenset.intersection(*sets) if self.kind == "choice" else frozenset().union(*sets)

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
        names = tuple(name for _, names in options for name in names)
        return sum(size for size, _ in options), names

    def most(self, name: str) -> int:
        """Return how many of an element a match may hold; two and more stand for any number."""
        parts = [part.most(name) for part in self.parts]
        of_parts = max(parts) if self.kind == "choice" else sum(parts)
        here = int(self.name == name) + of_parts
        return 2 * here if self.occurs in ("*", "+") else here


def any_of(names: Iterable[str]) -> Particle:
    """Return the content model that takes any number of some elements in any order."""
    parts = tuple(Particle("name", name=name) for name in dict.fromkeys(names))
    return Particle("choice", "*", parts=parts)


class Step(NamedTuple):
    """What becomes of a child: ``missing`` elements to put before it, and whether it is taken."""

    missing: tuple[str, ...]
    taken: bool


_Link = tuple["_Link | None", Step]


class Automaton:
    """The automaton of a content model without ``&``. States are numbers; 0 is the first."""

    def __init__(self, content: Particle) -> None:
        self.labels: list[str] = [""]
        self.follow: list[set[int]] = [set()]
        first, last, empty = self._lay_out(content)
        self.follow[0] = first
        self.final = last | ({0} if empty else set())
        self._bridge = cache(self._find_bridge)
        self._taking = cache(self._find_taking)

    def _lay_out(self, particle: Particle) -> tuple[set[int], set[int], bool]:
        """Return the states that a part begins and ends with, and whether it may be empty."""
        if particle.kind == "name":
            first, last, empty = {len(self.labels)}, {len(self.labels)}, False
            self.labels.append(particle.name)
            self.follow.append(set())
        elif particle.kind == "choice":
            firsts, lasts, empties = zip(*map(self._lay_out, particle.parts), strict=True)
            first, last, empty = set().union(*firsts), set().union(*lasts), any(empties)
        else:
            first, last, empty = set(), set(), True
            for begins, ends, may_be_empty in map(self._lay_out, particle.parts):
                for state in last:
                    self.follow[state] |= begins
                first |= begins if empty else set()
                last = last | ends if may_be_empty else ends
                empty = empty and may_be_empty
        if particle.occurs in ("*", "+"):
            for state in last:
                self.follow[state] |= first
        return first, set(last), empty or particle.occurs in ("?", "*")

    def accepts(self, children: Sequence[str]) -> bool:
        """Tell whether the model takes just these children."""
        states = {0}
        for child in children:
            reached = set().union(*(self.follow[state] for state in states))
            states = {state for state in reached if self.labels[state] == child}
        return bool(states & self.final)

    def nearest(self, children: Sequence[str]) -> tuple[list[Step], tuple[str, ...]]:
        """Return what to do to have children taken, and the elements missing behind the last.

        As few children as possible are left out and as few elements put in; of ways that need
        equally many, the one that takes the earlier children.
        """
        if self.accepts(children):
            # Most rows are accepted, and the search takes some ten times as long.
            return [Step((), taken=True)] * len(children), ()
        # By state, the least cost, and the last step, linked with the one before.
        best: dict[int, tuple[int, _Link | None]] = {0: (0, None)}
        for child in children:
            reached: dict[int, tuple[int, _Link]] = {}
            for state, (cost, before) in best.items():
                ways = [
                    (after, cost + len(missing), Step(missing, taken=True))
                    for after, missing in self._taking(state).get(child, {}).items()
                ]
                ways.append((state, cost + _LEAVE_OUT, Step((), taken=False)))
                for after, total, step in ways:
                    if after not in reached or total < reached[after][0]:
                        reached[after] = total, (before, step)
            best = {**reached}
        _, _, state, tail = min(
            (cost + len(missing), rank, state, missing)
            for state, (cost, _) in best.items()
            for rank, (target, missing) in enumerate(self._bridge(state).items())
            if target in self.final
        )
        steps: list[Step] = []
        link = best[state][1]
        while link is not None:
            link, step = link
            steps.append(step)
        return steps[::-1], tail

    def _find_taking(self, state: int) -> dict[str, dict[int, tuple[str, ...]]]:
        """Return for each child the states it may lead to, each with the fewest put in before."""
        found: defaultdict[str, dict[int, tuple[str, ...]]] = defaultdict(dict)
        # A bridge is in the order of its length: the first to a state has the fewest.
        for target, missing in self._bridge(state).items():
            for after in self.follow[target]:
                found[self.labels[after]].setdefault(after, missing)
        return found

    def _find_bridge(self, state: int) -> dict[int, tuple[str, ...]]:
        """Return the states that can be reached by putting elements in, each with the fewest."""
        found: dict[int, tuple[str, ...]] = {state: ()}
        front = [state]
        for here in front:  # it grows
            for after in sorted(self.follow[here] - found.keys()):
                found[after] = (*found[here], self.labels[after])
                front.append(after)
        return found


def eased(content: Particle) -> Particle:
    """Return a content model that XML has a form for, and that takes all that this one takes.

    A group joined by ``&`` becomes any number of its elements in any order. If the next child
    would still not determine the next state, or the model names elements at more than 150 places,
    the whole becomes any number of its elements in any order.
    """
    without = _without_all(content)
    names = list(without.names())
    if len(names) <= _MOST_PLACES:
        automaton = Automaton(without)
        after = ([automaton.labels[state] for state in follow] for follow in automaton.follow)
        if all(len(set(labels)) == len(labels) for labels in after):
            return without
    return any_of(names)


def _without_all(particle: Particle) -> Particle:
    if particle.kind == "all":
        return any_of(particle.names())
    return replace(particle, parts=tuple(map(_without_all, particle.parts)))


_NOTHING: Final = Particle("sequence")


@dataclass(frozen=True)
class Element:
    """An ``ELEMENT`` declaration.

    ``content``
        What it may hold; nothing for ``EMPTY``, ``ANY`` and ``(#PCDATA)`` alone.
    ``holds_text``
        Whether it has ``#PCDATA``: its own text is its content. Other elements have their text in
        the attribute ``val``.
    ``holds_any``
        Whether it is ``ANY``.
    """

    name: str
    content: Particle = _NOTHING
    holds_text: bool = False
    holds_any: bool = False

    @cached_property
    def eased(self) -> Particle:
        """The content model in a form that XML has."""
        return eased(self.content)

    @cached_property
    def automaton(self) -> Automaton | None:
        """The automaton of the eased content model; None if it takes its elements in any order."""
        content = self.eased
        return None if content in (_NOTHING, any_of(content.names())) else Automaton(content)


_UNDECLARED: Final = Element("")


@dataclass(frozen=True, slots=True)
class Rule:
    """A ``KEYWORD`` declaration: what identifies an element. Several may name one element.

    An underscore in one of the ``tokens`` is a space; ``pattern`` has to match part of a text;
    ``roles`` are some of :data:`ROLES`.
    """

    element: str
    tokens: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    roles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Model:
    """A document model: :func:`crawler.core.structure.medl.parse_model` reads one.

    ``elements``
        The declared elements by name, in the order of the model. The first is around all others.
    ``rules``
        What identifies them, in that order.
    ``name``
        What messages call the model.
    ``warnings``
        A sentence for each name that has keywords and is no element: with its line, and what to do.
    """

    elements: Mapping[str, Element]
    rules: tuple[Rule, ...]
    name: str = "model"
    warnings: tuple[str, ...] = ()
    _below: dict[str, frozenset[str]] = field(default_factory=dict, init=False, compare=False)

    @property
    def root(self) -> str:
        """The outermost element."""
        return next(iter(self.elements))

    def element(self, name: str) -> Element:
        """Return an element; one that is only named holds nothing."""
        return self.elements.get(name, _UNDECLARED)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All elements, declared or only named, in the order of first occurrence."""
        named = ((each.name, *each.content.names()) for each in self.elements.values())
        return tuple(dict.fromkeys(chain.from_iterable(named)))

    @cached_property
    def _children(self) -> Mapping[str, frozenset[str]]:
        return {
            name: frozenset(self.names if element.holds_any else element.content.names())
            for name, element in self.elements.items()
        }

    def children(self, name: str) -> frozenset[str]:
        """Return the elements that may be directly under one."""
        return self._children.get(name, frozenset())

    def below(self, name: str) -> frozenset[str]:
        """Return the elements that may be under one, at any depth."""
        if name not in self._below:
            found: set[str] = set()
            waiting = [name]
            while waiting:
                fresh = self.children(waiting.pop()) - found
                found |= fresh
                waiting += fresh
            self._below[name] = frozenset(found)
        return self._below[name]

    def lacking(self, name: str, children: Collection[str]) -> list[str]:
        """Return the elements that one has to hold and does not, in the order of the model."""
        missing = self.element(name).content.required().difference(children)
        return [each for each in self.names if each in missing] if missing else []

    @cached_property
    def sizes(self) -> Mapping[str, float]:
        """Of each element, how many elements it is with all that it has to hold; at most 10¹².

        Elements that no finite document can hold are not in it.
        """
        sizes: dict[str, float] = {}
        names, changes = self.names, True
        while changes:
            changes = False
            # Elements are mostly declared all before what they hold, or all behind it: few rounds
            # are enough.
            names = names[::-1]
            for name in names:
                least = self.element(name).content.least(sizes)[0]
                if 1 + least < sizes.get(name, math.inf):
                    sizes[name] = min(1 + least, _HUGE)
                    changes = True
        return sizes

    def least(self, name: str) -> tuple[str, ...]:
        """Return the fewest children that an element may have, in order: those of fewest below."""
        return self.element(name).content.least(self.sizes)[1]

    def may_repeat(self, name: str, child: str) -> bool:
        """Tell whether one element may hold more than one of another."""
        return self.element(name).holds_any or self.element(name).content.most(child) > 1

    @cached_property
    def patterns(self) -> Sequence[tuple[str, re.Pattern[str]]]:
        """The elements that have a pattern, each with it, in the order of the model."""
        return [(rule.element, rule.pattern) for rule in self.rules if rule.pattern is not None]

    @cached_property
    def roles(self) -> Mapping[str, tuple[str, ...]]:
        """For each role, the elements that have it, in the order of the model."""
        pairs = [(role, rule.element) for rule in self.rules for role in rule.roles]
        return {
            role: tuple(dict.fromkeys(element for each, element in pairs if each == role))
            for role, _ in pairs
        }

    def with_role(self, role: str, within: frozenset[str] | None = None) -> str | None:
        """Return the first element that has a role; of those in ``within``, if given."""
        return next(
            (name for name in self.roles.get(role, ()) if within is None or name in within), None
        )
