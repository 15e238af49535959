"""Bringing a tree that scripts have worked on back into the shape of the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from crawler.core.wrapper.applying import INCOMPLETE, MISSING, WRONG_TYPE, Node, Problem
from crawler.core.wrapper.schema import GROUP, Scalar, typed
from crawler.core.wrapper.tree import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.core.wrapper.schema import Element
    from crawler.core.wrapper.tree import PageTree

__all__ = ["NOT_IN_SCHEMA", "SCRIPT_FAILED", "TOO_MANY", "Given", "in_order", "shaped"]

NOT_IN_SCHEMA, TOO_MANY, SCRIPT_FAILED = "not-in-schema", "too-many", "script-failed"
"""Reasons of problems beside those of :class:`~crawler.core.wrapper.applying.Problem`."""

_SHOWN_CHARS = 80


class Given(Protocol):
    """A node of a tree that scripts have worked on."""

    @property
    def name(self) -> str:
        """Any text."""

    @property
    def value(self) -> Scalar | bool | None:
        """What it says; None for nothing."""

    @property
    def children(self) -> Sequence[Given]:
        """What stands in it, in order."""

    @property
    def origin(self) -> int | None:
        """Its number, in document order, in the tree before; None for one that was added."""

    @property
    def source(self) -> int | None:
        """The number of the page's node that it is a copy of; None for others."""


def in_order(root: Node) -> Iterator[Node]:
    """Yield a tree's nodes in document order, the root first."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def shaped(
    given: Given, before: Node, schema: Element, tree: PageTree
) -> tuple[Node, tuple[Problem, ...]]:
    """Return a tree in the order, number and types of the schema, and what did not fit it.

    An element that holds others where the schema wants a value says all text in them.

    Args:
        given: the tree as scripts left it. Its root's name does not matter.
        before: the tree that they were given: what is of it still knows its source.
        schema: the shape.
        tree: the page, by which copies are told where they come from.

    Returns:
        The tree, and its problems: ``not-in-schema`` and ``too-many`` for elements that were left
        out since the schema has none such, or no more of them; ``wrong-type``, ``missing``, and
        ``incomplete-record`` as in :class:`~crawler.core.wrapper.applying.Problem`.
    """
    shaper = _Shaper(tuple(in_order(before)), tree)
    children = shaper.children(given, schema, "")
    return Node(schema.name, children=tuple(children)), tuple(shaper.problems)


class _Shaper:
    """Walks down the schema, whose depth is bounded."""

    def __init__(self, before: Sequence[Node], tree: PageTree) -> None:
        self._before = before
        self._tree = tree
        self.problems: list[Problem] = []

    def children(self, given: Given, group: Element, path: str) -> list[Node]:
        waiting: dict[str, list[Given]] = {}
        for child in given.children:
            waiting.setdefault(child.name, []).append(child)
        kept: list[Node] = []
        for element in group.elements:
            its = f"{path}/{element.name}" if path else element.name
            made = [self._node(child, element, its) for child in waiting.pop(element.name, ())]
            nodes = [node for node in made if node is not None]
            if len(nodes) > 1 and not element.repeat:
                self._problem(
                    its, TOO_MANY, f"'{its}' does not repeat; {len(nodes) - 1} more were left out"
                )
                del nodes[1:]
            if element.required and not nodes:
                self._problem(its, MISSING, f"'{its}' is required, and nothing gave it")
            kept += nodes
        for name, strangers in waiting.items():
            its = f"{path}/{name}" if path else name
            count = f"{len(strangers)} times " if len(strangers) > 1 else ""
            self._problem(
                its, NOT_IN_SCHEMA, f"'{its}' was added {count}and is not in the schema; left out"
            )
        return kept

    def _node(self, given: Given, element: Element, path: str) -> Node | None:
        confidence, source = self._origin(given)
        if element.type != GROUP:
            value = _value(given, element.type)
            if value is None:
                shown = str(_said(given))[:_SHOWN_CHARS]
                self._problem(path, WRONG_TYPE, f"'{path}': '{shown}' is no {element.type}")
                return None
            return Node(element.name, value, (), confidence, source)
        first = len(self.problems)
        children = self.children(given, element, path)
        lacking = [its for its in self.problems[first:] if its.reason == MISSING]
        if element.repeat and lacking:
            names = ", ".join(sorted({its.element for its in lacking}))
            self.problems[first:] = [its for its in self.problems[first:] if its not in lacking]
            self._problem(path, INCOMPLETE, f"a '{path}' lacks {names}, and was left out")
            return None
        return Node(element.name, None, tuple(children), confidence, source)

    def _origin(self, given: Given) -> tuple[float, str]:
        if given.origin is not None:
            before = self._before[given.origin]
            return before.confidence, before.source
        return 1.0, "" if given.source is None else self._tree.path(given.source)

    def _problem(self, path: str, reason: str, detail: str) -> None:
        self.problems.append(Problem(path, reason, detail))


def _said(given: Given) -> Scalar | bool | None:
    """Return what an element says: its value, or else all text in it."""
    if not given.children:
        return given.value
    parts: list[str] = [] if given.value is None else [_text(given.value)]
    waiting = list(reversed(given.children))
    while waiting:
        node = waiting.pop()
        if node.value is not None:
            parts.append(_text(node.value))
        waiting += reversed(node.children)
    return fold(" ".join(parts))


def _value(given: Given, kind: str) -> Scalar | None:
    said = _said(given)
    if said is None:
        # An element that was added to say nothing: only text can be empty.
        return "" if kind == "text" else None
    if kind in {"number", "integer"} and isinstance(said, int | float):
        if isinstance(said, bool) or (kind == "integer" and said != int(said)):
            return None
        return int(said) if kind == "integer" else float(said)
    return typed(_text(said), kind)


def _text(value: Scalar | bool) -> str:  # noqa: FBT001 - what scripts write may be true or false
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value}"
