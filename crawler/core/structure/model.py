"""A document model: its elements, where they may be, and what identifies them."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from crawler.core.structure.content import Automaton, eased

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from crawler.core.structure.content import Particle
    from crawler.core.structure.patterns import Pattern

TEXT: Final = "TEXT"
"""Name of a piece of text that is no element of the model."""
GROUP: Final = "GROUP"
"""Name of a group under a heading that is no element of the model."""
ROLES: Final = (
    "title", "author", "date", "summary", "section", "heading", "paragraph", "caption", "item",
    "quote", "code", "tag",
)  # fmt: skip
"""What ``KEYROLE`` may name: what a block of a page is, by the project's own reading of it."""

# Larger sizes are all alike.
_HUGE: Final = 10**12


@dataclass(frozen=True)
class Element:
    """An ``ELEMENT`` declaration.

    ``content``
        What it may hold; None for ``EMPTY``, ``ANY`` and ``(#PCDATA)`` alone.
    ``holds_text``
        Whether it has ``#PCDATA``: its own text is its content. Other elements have their text in
        the attribute ``val``.
    ``holds_any``
        Whether it is ``ANY``.
    """

    name: str
    content: Particle | None = None
    holds_text: bool = False
    holds_any: bool = False

    @cached_property
    def required(self) -> frozenset[str]:
        """The elements that have to be directly under it."""
        return self.content.required() if self.content else frozenset()

    @cached_property
    def eased(self) -> Particle | None:
        """The content model in a form that XML has."""
        return eased(self.content) if self.content else None

    @cached_property
    def automaton(self) -> Automaton | None:
        """The automaton of the eased content model; None if it takes its elements in any order."""
        content = self.eased
        return None if content is None or content.takes_everything else Automaton(content)


@dataclass(frozen=True, slots=True)
class Rule:
    """A ``KEYWORD`` declaration: what identifies an element. Several may name one element.

    ``tokens``
        Words as they are written in the model; an underscore is a space.
    ``pattern``
        An expression that part of a text has to match.
    ``roles``
        Some of :data:`ROLES`.
    """

    element: str
    tokens: tuple[str, ...] = ()
    pattern: Pattern | None = None
    roles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Model:
    """A document model: :func:`crawler.core.structure.medl.parse_model` reads one.

    ``elements``
        The declared elements by name, in the order of the model.
    ``rules``
        What identifies them, in that order.
    ``name``
        What messages call the model.
    """

    elements: Mapping[str, Element]
    rules: tuple[Rule, ...]
    name: str = "model"
    _below: dict[str, frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def root(self) -> str:
        """The element declared first, which is around all others."""
        return next(iter(self.elements))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All elements, declared or only named, in the order of first occurrence."""
        found: dict[str, None] = {}
        for element in self.elements.values():
            found[element.name] = None
            if element.content is not None:
                found.update(dict.fromkeys(element.content.names()))
        return tuple(found)

    @cached_property
    def _children(self) -> Mapping[str, frozenset[str]]:
        every = frozenset(self.names)
        return {
            name: every
            if element.holds_any
            else frozenset(element.content.names() if element.content else ())
            for name, element in self.elements.items()
        }

    def children(self, name: str) -> frozenset[str]:
        """Return the elements that may be directly under one."""
        return self._children.get(name, frozenset())

    def below(self, name: str) -> frozenset[str]:
        """Return the elements that may be under one, at any depth."""
        known = self._below.get(name)
        if known is None:
            found: set[str] = set()
            waiting = list(self.children(name))
            while waiting:
                here = waiting.pop()
                if here not in found:
                    found.add(here)
                    waiting += self.children(here)
            known = self._below[name] = frozenset(found)
        return known

    def lacking(self, name: str, children: Collection[str]) -> list[str]:
        """Return the elements that one has to hold and does not, in the order of the model."""
        element = self.elements.get(name)
        missing = element.required - set(children) if element else ()
        return [each for each in self.names if each in missing] if missing else []

    @cached_property
    def sizes(self) -> Mapping[str, float]:
        """Of each element, how many elements it is with all that it has to hold; at most 10¹².

        Elements that no finite document can hold are not in it.
        """
        users: defaultdict[str, list[Element]] = defaultdict(list)
        sizes: dict[str, float] = {}
        waiting: deque[Element] = deque()
        for name in self.names:
            element = self.elements.get(name)
            if element is None or element.content is None:
                sizes[name] = 1
                continue
            waiting.append(element)
            for held in self.children(name):
                users[held].append(element)
        while waiting:
            element = waiting.popleft()
            size = 1 + element.content.least(sizes)[0] if element.content else 1
            if size < sizes.get(element.name, math.inf):
                sizes[element.name] = min(size, _HUGE)
                waiting.extend(users[element.name])
        return MappingProxyType(sizes)

    @cached_property
    def _least(self) -> Mapping[str, tuple[str, ...]]:
        return {
            name: element.content.least(self.sizes)[1]
            for name, element in self.elements.items()
            if element.content is not None
        }

    def least(self, name: str) -> tuple[str, ...]:
        """Return the fewest children that an element may have, in order: those of fewest below."""
        return self._least.get(name, ())

    def may_repeat(self, name: str, child: str) -> bool:
        """Tell whether one element may hold more than one of another."""
        element = self.elements.get(name)
        if element is None or element.content is None:
            return element is not None and element.holds_any
        return element.content.may_repeat(child)

    @cached_property
    def roles(self) -> Mapping[str, tuple[str, ...]]:
        """For each role, the elements that have it, in the order of the model."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for rule in self.rules:
            for role in rule.roles:
                found[role][rule.element] = None
        return {role: tuple(names) for role, names in found.items()}

    def with_role(self, role: str, within: frozenset[str] | None = None) -> str | None:
        """Return the first element that has a role; of those in ``within``, if given."""
        return next(
            (name for name in self.roles.get(role, ()) if within is None or name in within), None
        )
