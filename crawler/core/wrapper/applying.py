"""Applying a project to a page: a tree of the schema's shape, and what does not fit it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.wrapper.project import Add, Copy, Script
from crawler.core.wrapper.records import RecordRule
from crawler.core.wrapper.schema import GROUP, Scalar, elements_of, typed
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crawler.core.wrapper.best import Match
    from crawler.core.wrapper.matchers import FieldRule
    from crawler.core.wrapper.project import Project
    from crawler.core.wrapper.schema import Element
    from crawler.core.wrapper.tree import PageTree

__all__ = [
    "INCOMPLETE",
    "MISSING",
    "NO_FIT",
    "WRONG_TYPE",
    "Node",
    "Problem",
    "Result",
    "apply_project",
    "does_fit",
]

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
        required element, and was left out. Scripts know more of them.
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
    ``found``
        By the path of an element, all that its rule found, in document order; also where it is
        looked for on behalf of a script alone, and ``root`` does not have it.
    """

    url: str
    root: Node
    problems: tuple[Problem, ...]
    fits: bool
    missing: tuple[str, ...] = ()
    found: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)


def apply_project(project: Project, tree: PageTree, *, remember: bool = True) -> Result:
    """Fill the schema of a project from a page.

    Args:
        project: with its rules. Its scripts are not run here, and what is required and has no
            rule is taken to be theirs to add.
        tree: the page.
        remember: see :meth:`crawler.core.wrapper.best.BestRule.matches`.
    """
    filler = _Filler(project, tree, remember=remember)
    children = filler.children(project.schema, "", View(tree), shown=True)
    missing = tuple(path for path in _expected(project) if not filler.found[path])
    root = Node(project.schema.name, children=tuple(children))
    found = {path: tuple(nodes) for path, nodes in filler.found.items() if path in project.rules}
    fits = does_fit(project, missing, filler.problems)
    return Result(tree.url, root, tuple(filler.problems), fits, missing, found)


def does_fit(project: Project, missing: Sequence[str], problems: Sequence[Problem]) -> bool:
    """Tell whether the rules still fit a page on which these are missing and these are wrong."""
    expected = _expected(project)
    firm = [path for path in expected if _always(project.rules[path].examples)]
    lacking = sum(path in missing for path in firm)
    if any(problem.reason == MISSING for problem in problems):
        return False
    if expected and len(missing) == len(expected):
        return False
    return lacking <= (1 - _ENOUGH) * len(firm)


def _expected(project: Project) -> list[str]:
    """Return the elements that the rules should find on a page, as opposed to a record."""
    copied = _copied(project)
    return [
        path
        for path, _ in elements_of(project.schema)
        if path in project.rules and path in copied and not project.record_of(path)
    ]


def _copied(project: Project) -> set[str]:
    named = {action.element for action in project.actions if isinstance(action, Copy)}
    return named or set(project.rules)


def _always(examples: tuple[object, ...]) -> bool:
    return all(getattr(example, "wanted", ()) for example in examples)


def _named_by_scripts(project: Project) -> set[str]:
    """Return the elements whose nodes scripts are called with, and the groups they stand in."""
    named: set[str] = set()
    for action in project.actions:
        for path in action.rules if isinstance(action, Script) else ():
            names = path.split("/")
            named.update("/".join(names[:end]) for end in range(1, len(names) + 1))
    return named


class _Filler:
    """Walks down the schema; its depth is bounded."""

    def __init__(self, project: Project, tree: PageTree, *, remember: bool) -> None:
        self._project = project
        self._tree = tree
        self._remember = remember
        actions = project.actions
        self._copied = _copied(project)
        self._looked_for = self._copied | _named_by_scripts(project)
        self._added = {action.element for action in actions if isinstance(action, Add)}
        self._has_scripts = any(isinstance(action, Script) for action in actions)
        self.found: defaultdict[str, list[Node]] = defaultdict(list)
        self.problems: list[Problem] = []

    def children(self, group: Element, path: str, view: View, *, shown: bool) -> list[Node]:
        """Fill a group; ``shown`` tells whether it stands in the output, or serves scripts."""
        kept: list[Node] = []
        for element in group.elements:
            its = f"{path}/{element.name}" if path else element.name
            # An element without a rule is shown for what stands in it.
            shows = shown and (its in self._copied or its not in self._project.rules)
            nodes = self._nodes(element, its, view, shown=shows)
            self.found[its] += nodes
            if shows:
                kept += nodes
                if not nodes and element.required and self._is_owed(its):
                    self._problem(its, MISSING, f"'{its}' is required, and was not found")
        return kept

    def _is_owed(self, path: str) -> bool:
        return path in self._copied or not self._has_scripts

    def _nodes(self, element: Element, path: str, view: View, *, shown: bool) -> list[Node]:
        rule = self._project.rules.get(path) if path in self._looked_for else None
        if element.type != GROUP:
            return (
                []
                if rule is None or isinstance(rule, RecordRule)
                else self._values(element, path, view, rule)
            )
        if isinstance(rule, RecordRule):
            return self._records(element, path, view, rule, shown=shown)
        if path in self._project.rules:
            return []
        children = self.children(element, path, view, shown=shown)
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

    def _records(
        self, element: Element, path: str, view: View, rule: RecordRule, *, shown: bool
    ) -> list[Node]:
        records = [
            record for record in rule.records(view) if record.confidence >= self._project.confidence
        ]
        if records and not element.repeat:
            records = [max(records, key=lambda record: (record.confidence, -record.node))]
        found = []
        for record in records:
            before = len(self.problems)
            children = self.children(element, path, View(self._tree, record.node), shown=shown)
            lacking = [its for its in self.problems[before:] if its.reason == MISSING]
            source = self._tree.path(record.node)
            if lacking:
                names = ", ".join(sorted({its.element for its in lacking}))
                self.problems[before:] = [
                    its for its in self.problems[before:] if its.reason != MISSING
                ]
                self._problem(path, INCOMPLETE, f"{source} lacks {names}, and was left out")
            elif children or not element.elements or not shown:
                found.append(Node(element.name, None, tuple(children), record.confidence, source))
        return found

    def _problem(self, path: str, reason: str, detail: str) -> None:
        self.problems.append(Problem(path, reason, detail))
