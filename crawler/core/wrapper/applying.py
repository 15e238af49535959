"""Applying a project to a page: a tree of the schema's shape, and what does not fit it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.wrapper.project import Add, Copy
from crawler.core.wrapper.records import RecordRule
from crawler.core.wrapper.schema import GROUP, Scalar, elements_of, typed
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    from crawler.core.wrapper.best import Match
    from crawler.core.wrapper.matchers import FieldRule
    from crawler.core.wrapper.project import Project
    from crawler.core.wrapper.schema import Element
    from crawler.core.wrapper.tree import PageTree

__all__ = ["NO_FIT", "Node", "Problem", "Result", "apply_project"]

NO_FIT = "rule no longer fits"
"""How a page is listed on which too little was found."""

MISSING, WRONG_TYPE, INCOMPLETE = "missing", "wrong-type", "incomplete-record"
# A page fits from this share of the elements on that all examples have.
_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class Node:
    """An element of the output.

    ``value``
        What it says, by its type; None for groups.
    ``confidence``
        How sure the rule is, between 0 and 1; 1 for a group that no rule found.
    ``source``
        Path of the node it comes from; empty for a group that no rule found.
    """

    name: str
    value: Scalar | None = None
    children: tuple[Node, ...] = ()
    confidence: float = 1.0
    source: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not fit the schema.

    ``element``
        Path of the element.
    ``reason``
        ``missing``: a required one was not found, or not surely enough. ``wrong-type``: what was
        found is none of its type, and was left out. ``incomplete-record``: a record lacks a
        required element, and was left out.
    ``detail``
        For people.
    """

    element: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a project makes of a page.

    ``fits``
        False where the rules no longer fit: something required is missing, or more than half of
        what all examples have. Such a page is listed, and what was found is not to be trusted.
    ``missing``
        Elements with a rule of which the page, as opposed to a record, gave none.
    """

    url: str
    root: Node
    problems: tuple[Problem, ...]
    fits: bool
    missing: tuple[str, ...] = ()


def apply_project(project: Project, tree: PageTree, *, remember: bool = True) -> Result:
    """Fill the schema of a project from a page.

    Args:
        project: with its rules. Its scripts are not run here.
        tree: the page.
        remember: see :meth:`crawler.core.wrapper.best.BestRule.matches`.
    """
    filler = _Filler(project, tree, remember=remember)
    children = filler.children(project.schema, "", View(tree))
    missing = tuple(path for path in filler.expected if not filler.found[path])
    required = any(problem.reason == MISSING for problem in filler.problems)
    firm = [path for path in filler.expected if _always(project.rules[path].examples)]
    lacking = sum(path in missing for path in firm)
    fits = not required and lacking <= (1 - _ENOUGH) * len(firm)
    if filler.expected and len(missing) == len(filler.expected):
        fits = False
    root = Node(project.schema.name, children=tuple(children))
    return Result(tree.url, root, tuple(filler.problems), fits, missing)


def _always(examples: tuple[object, ...]) -> bool:
    return all(getattr(example, "wanted", ()) for example in examples)


class _Filler:
    """Walks down the schema; its depth is bounded."""

    def __init__(self, project: Project, tree: PageTree, *, remember: bool) -> None:
        self._project = project
        self._tree = tree
        self._remember = remember
        copied = {action.element for action in project.actions if isinstance(action, Copy)}
        self._copied = copied or set(project.rules)
        self._added = {action.element for action in project.actions if isinstance(action, Add)}
        # A group that is not copied hides what is in it.
        self.expected = [
            path
            for path, _ in elements_of(project.schema)
            if path in project.rules and path in self._copied and not project.record_of(path)
        ]
        self.found: Counter[str] = Counter()
        self.problems: list[Problem] = []

    def children(self, group: Element, path: str, view: View) -> list[Node]:
        found: list[Node] = []
        for element in group.elements:
            its = f"{path}/{element.name}" if path else element.name
            nodes = self._nodes(element, its, view)
            self.found[its] += len(nodes)
            if not nodes and element.required:
                self._problem(its, MISSING, f"'{its}' is required, and was not found")
            found += nodes
        return found

    def _nodes(self, element: Element, path: str, view: View) -> list[Node]:
        rule = self._project.rules.get(path) if path in self._copied else None
        if element.type != GROUP:
            return (
                []
                if rule is None or isinstance(rule, RecordRule)
                else self._values(element, path, view, rule)
            )
        if isinstance(rule, RecordRule):
            return self._records(element, path, view, rule)
        if path in self._project.rules:
            return []
        children = self.children(element, path, view)
        return [Node(element.name, children=tuple(children))] if self._has(path, children) else []

    def _has(self, path: str, children: list[Node]) -> bool:
        return bool(children) or path in self._added

    def _values(self, element: Element, path: str, view: View, rule: FieldRule) -> list[Node]:
        matches = [
            match
            for match in rule.matches(view, remember=self._remember)
            if match.confidence >= self._project.confidence
        ]
        if matches and not element.repeat:
            matches = [max(matches, key=lambda match: (match.confidence, -match.node))]
        found = []
        for match in matches:
            value = typed(match.value, element.type)
            if value is None:
                shown = match.value[:80]
                self._problem(path, WRONG_TYPE, f"'{path}': '{shown}' is no {element.type}")
            else:
                found.append(self._node(element, value, match))
        return found

    def _node(self, element: Element, value: Scalar, match: Match) -> Node:
        source = self._tree.path(match.node)
        if match.kind.startswith("@"):
            source = f"{source}/{match.kind}"
        return Node(element.name, value, confidence=match.confidence, source=source)

    def _records(self, element: Element, path: str, view: View, rule: RecordRule) -> list[Node]:
        records = [
            record for record in rule.records(view) if record.confidence >= self._project.confidence
        ]
        if records and not element.repeat:
            records = [max(records, key=lambda record: (record.confidence, -record.node))]
        found = []
        for record in records:
            before = len(self.problems)
            children = self.children(element, path, View(self._tree, record.node))
            lacking = [its for its in self.problems[before:] if its.reason == MISSING]
            source = self._tree.path(record.node)
            if lacking:
                names = ", ".join(sorted({its.element for its in lacking}))
                self.problems[before:] = [
                    its for its in self.problems[before:] if its.reason != MISSING
                ]
                self._problem(path, INCOMPLETE, f"{source} lacks {names}, and was left out")
            elif children or not element.elements:
                found.append(Node(element.name, None, tuple(children), record.confidence, source))
        return found

    def _problem(self, path: str, reason: str, detail: str) -> None:
        self.problems.append(Problem(path, reason, detail))
