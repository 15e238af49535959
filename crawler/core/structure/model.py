"""What a document model says: which elements there are, where they may stand, how they are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from crawler.core.structure.least import ENDLESS, least_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawler.core.structure.patterns import Pattern

__all__ = ["GROUP", "ROLES", "TEXT", "Element", "Kind", "Model", "Occurs", "Particle", "Rule"]

Kind = Literal["name", "sequence", "choice", "all"]
Occurs = Literal["", "?", "+", "*"]

TEXT: Final = "TEXT"
"""Name of what no element of the model is: a piece of text."""
GROUP: Final = "GROUP"
"""Name of a group under a heading that no element of the model is."""
ROLES: Final = (
    "title", "author", "date", "summary", "section", "heading", "paragraph", "caption", "item",
    "quote", "code", "tag",
)  # fmt: skip
"""What ``KEYROLE`` may name: what a block of a page is, by the project's own reading of it."""


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
    _hash: int = field(default=0, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Told once: at each node of a page it is asked what is kept for a content model.
        object.__setattr__(self, "_hash", hash((self.kind, self.occurs, self.name, self.parts)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Particle], tuple[object, ...]]:
        # Texts hash otherwise in each process, so that what is kept is told anew in another.
        return Particle, (self.kind, self.occurs, self.name, self.parts)

    def names(self) -> Iterator[str]:
        """Yield the elements it names, in order, each as often as it is named."""
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

    def least(self, sizes: Mapping[str, int]) -> tuple[int, tuple[str, ...]]:
        """Return how many elements the smallest match is, with those below, and its own.

        Args:
            sizes: of each element that is in such a sequence how many it is, with those below it.
        """
        if self.occurs in ("?", "*"):
            return 0, ()
        if self.kind == "name":
            # What never ends is in no smallest sequence, but may stand beside one in a choice.
            return sizes.get(self.name, ENDLESS), (self.name,)
        options = [part.least(sizes) for part in self.parts]
        if self.kind == "choice":
            return min(options, key=lambda option: option[0])
        return sum(size for size, _ in options), tuple(
            name for _, names in options for name in names
        )


@dataclass(frozen=True, slots=True)
class Element:
    """An ``ELEMENT`` declaration.

    ``content``
        What it may hold; None for ``EMPTY``, ``ANY`` and ``(#PCDATA)`` alone.
    ``holds_text``
        Whether it has ``#PCDATA``: its own text stands as its content. That of others stands in the
        attribute ``val``.
    ``holds_any``
        Whether it is ``ANY``.
    """

    name: str
    content: Particle | None = None
    holds_text: bool = False
    holds_any: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A ``KEYWORD`` declaration: what tells an element. Several may name one element.

    ``tokens``
        Words as they are written in the model; an underscore stands for a space.
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
        What tells them, in that order.
    ``name``
        What messages call it.
    """

    elements: Mapping[str, Element]
    rules: tuple[Rule, ...]
    name: str = "model"
    _below: dict[str, frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _required: dict[str, frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _least: dict[str, tuple[str, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def root(self) -> str:
        """The element declared first: it stands around all others."""
        return next(iter(self.elements))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All elements, declared or only named, in the order in which they come first."""
        found: dict[str, None] = {}
        for element in self.elements.values():
            found[element.name] = None
            if element.content is not None:
                found.update(dict.fromkeys(element.content.names()))
        return tuple(found)

    @cached_property
    def _children(self) -> Mapping[str, frozenset[str]]:
        every = frozenset(self.names)
        return MappingProxyType(
            {
                element.name: every
                if element.holds_any
                else frozenset(element.content.names() if element.content else ())
                for element in self.elements.values()
            }
        )

    def children(self, name: str) -> frozenset[str]:
        """Return the elements that may stand directly under one."""
        return self._children.get(name, frozenset())

    def below(self, name: str) -> frozenset[str]:
        """Return the elements that may stand under one, at any depth."""
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

    def required(self, name: str) -> frozenset[str]:
        """Return the elements that have to stand directly under one."""
        known = self._required.get(name)
        if known is None:
            element = self.elements.get(name)
            content = element.content if element is not None else None
            known = self._required[name] = content.required() if content else frozenset()
        return known

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Of each element how many it is at the least, with all below it that it has to hold.

        Elements that no finite document can hold are not in it.
        """
        return MappingProxyType(least_sizes(self))

    def least(self, name: str) -> tuple[str, ...]:
        """Return the children that an element has at the least, in order: those of fewest below."""
        known = self._least.get(name)
        if known is None:
            element = self.elements.get(name)
            content = element.content if element is not None else None
            known = self._least[name] = content.least(self.sizes)[1] if content else ()
        return known

    def may_repeat(self, name: str, child: str) -> bool:
        """Tell whether one element may hold more than one of another."""
        element = self.elements.get(name)
        if element is None or element.content is None:
            return element is not None and element.holds_any
        seen = 0
        waiting = [(element.content, False)]
        while waiting:
            here, repeated = waiting.pop()
            repeated = repeated or here.occurs in ("*", "+")
            if here.kind == "name" and here.name == child:
                if repeated:
                    return True
                seen += 1
            waiting += [(part, repeated) for part in here.parts]
        return seen > 1

    @cached_property
    def roles(self) -> Mapping[str, tuple[str, ...]]:
        """For each role the elements that have it, in the order of the model."""
        found: dict[str, dict[str, None]] = {}
        for rule in self.rules:
            for role in rule.roles:
                found.setdefault(role, {})[rule.element] = None
        return MappingProxyType({role: tuple(names) for role, names in found.items()})

    def with_role(self, role: str, within: frozenset[str] | None = None) -> str | None:
        """Return the first element that has a role, of those named by ``within``."""
        return next(
            (name for name in self.roles.get(role, ()) if within is None or name in within), None
        )
