"""Applying a project to a page: an output in the shape of the schema, and what does not fit it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from crawler.core.wrapper.output import (
    INCOMPLETE,
    MISSING,
    NOT_IN_SCHEMA,
    TOO_MANY,
    WRONG_TYPE,
    Node,
    Problem,
    Result,
)
from crawler.core.wrapper.project import Add, Copy
from crawler.core.wrapper.rules import RecordRule
from crawler.core.wrapper.schema import GROUP, Scalar, convert
from crawler.core.wrapper.tree import fold
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.wrapper.project import FieldRule, Project
    from crawler.core.wrapper.schema import Element
    from crawler.core.wrapper.tree import PageTree

# A page fits if it has this share of the elements that all examples have.
_ENOUGH = 0.5
_SHOWN_CHARS = 80


def apply_project(project: Project, tree: PageTree, *, remember: bool = True) -> Result:
    """Fill the schema of a project from a page.

    Args:
        project: the project. Its scripts are not run here; what is required and has no rule is
            taken to come from them.
        tree: the page.
        remember: see :meth:`crawler.core.wrapper.rules.BestRule.matches`.
    """
    filler = _Filler(project, tree, remember=remember)
    children = filler.children(project.schema, "", View(tree), shown=True)
    missing = tuple(path for path in _expected(project) if not filler.found[path])
    root = Node(project.schema.name, children=tuple(children))
    found = {path: tuple(nodes) for path, nodes in filler.found.items() if path in project.rules}
    problems = tuple(filler.problems)
    return Result(tree.url, root, problems, fits(project, missing, problems), missing, found)


def fits(project: Project, missing: Sequence[str], problems: Sequence[Problem]) -> bool:
    """Tell whether the rules still fit a page.

    Args:
        project: the project.
        missing: the elements whose rules found nothing on the page.
        problems: those of the page.
    """
    expected = _expected(project)
    if any(problem.reason == MISSING for problem in problems):
        return False
    if expected and len(missing) == len(expected):
        return False
    always = [path for path in expected if all(its.values for its in project.rules[path].examples)]
    return sum(path in missing for path in always) <= (1 - _ENOUGH) * len(always)


def _expected(project: Project) -> list[str]:
    """Return the elements that the rules should find on a page, without those of records."""
    copied = _copied(project)
    return [path for path in project.paths if path in copied and not project.record_of(path)]


def _copied(project: Project) -> set[str]:
    named = {action.element for action in project.actions if isinstance(action, Copy)}
    return named or set(project.rules)


class _Filler:
    """Walks down the schema, whose depth is bounded."""

    def __init__(self, project: Project, tree: PageTree, *, remember: bool) -> None:
        self._project = project
        self._tree = tree
        self._remember = remember
        self._copied = _copied(project)
        # Scripts are called with the nodes of elements, which are found within groups.
        named = [path.split("/") for script in project.scripts for path in script.rules]
        self._wanted = self._copied | {
            "/".join(names[:end]) for names in named for end in range(1, len(names) + 1)
        }
        self._added = {its.element for its in project.actions if isinstance(its, Add)}
        self.found: defaultdict[str, list[Node]] = defaultdict(list)
        self.problems: list[Problem] = []

    def children(self, group: Element, path: str, view: View, *, shown: bool) -> list[Node]:
        """Fill a group.

        Args:
            group: the group.
            path: its path; empty for the root.
            view: the page, or the record.
            shown: whether it is in the output; else it is looked for only for scripts.
        """
        kept: list[Node] = []
        for element in group.elements:
            its = f"{path}/{element.name}" if path else element.name
            # An element without a rule is shown for what is in it.
            shows = shown and (its in self._copied or its not in self._project.rules)
            nodes = self._nodes(element, its, view, shown=shows)
            self.found[its] += nodes
            if shows:
                kept += nodes
                from_rule = its in self._copied or not self._project.scripts
                if not nodes and element.required and from_rule:
                    self._add_problem(its, MISSING, f"'{its}' is required, and was not found")
        return kept

    def _nodes(self, element: Element, path: str, view: View, *, shown: bool) -> list[Node]:
        rule = self._project.rules.get(path) if path in self._wanted else None
        if element.type != GROUP:
            if rule is None or isinstance(rule, RecordRule):
                return []
            return self._values(element, path, view, rule)
        if isinstance(rule, RecordRule):
            return self._records(element, path, view, rule, shown=shown)
        if path in self._project.rules:
            return []
        children = self.children(element, path, view, shown=shown)
        is_there = bool(children) or path in self._added
        return [Node(element.name, children=tuple(children))] if is_there else []

    def _values(self, element: Element, path: str, view: View, rule: FieldRule) -> list[Node]:
        least = self._project.confidence
        matches = [
            match
            for match in rule.matches(view, remember=self._remember)
            if match.confidence >= least
        ]
        if matches and not element.repeat:
            matches = [max(matches, key=lambda match: (match.confidence, -match.node))]
        found = []
        for match in matches:
            value = convert(match.value, element.type)
            if value is None:
                self._add_problem(path, WRONG_TYPE, _wrong_type(path, match.value, element))
                continue
            source = self._tree.path(match.node)
            if match.kind.startswith("@"):
                source = f"{source}/{match.kind}"
            found.append(Node(element.name, value, (), match.confidence, source))
        return found

    def _records(
        self, element: Element, path: str, view: View, rule: RecordRule, *, shown: bool
    ) -> list[Node]:
        least = self._project.confidence
        records = [record for record in rule.records(view) if record.confidence >= least]
        if records and not element.repeat:
            records = [max(records, key=lambda record: (record.confidence, -record.node))]
        found = []
        for record in records:
            before = len(self.problems)
            children = self.children(element, path, View(self._tree, record.node), shown=shown)
            source = self._tree.path(record.node)
            if _is_incomplete(self.problems, before, path, source):
                continue
            if children or not element.elements or not shown:
                found.append(Node(element.name, None, tuple(children), record.confidence, source))
        return found

    def _add_problem(self, path: str, reason: str, detail: str) -> None:
        self.problems.append(Problem(path, reason, detail))


def _wrong_type(path: str, value: object, element: Element) -> str:
    return f"'{path}': '{str(value)[:_SHOWN_CHARS]}' is no {element.type}"


def _is_incomplete(problems: list[Problem], start: int, path: str, record: str) -> bool:
    """Tell whether a record lacks something; make its missing elements one problem of the record.

    Args:
        problems: the problems of the page so far, which are changed.
        start: where those of the record begin.
        path: path of the group.
        record: how messages call the record.
    """
    missing = {its.element for its in problems[start:] if its.reason == MISSING}
    if not missing:
        return False
    detail = f"{record} lacks {', '.join(sorted(missing))}, and was left out"
    others = [its for its in problems[start:] if its.reason != MISSING]
    problems[start:] = [*others, Problem(path, INCOMPLETE, detail)]
    return True


def fit_to_schema(root: Node, schema: Element) -> tuple[Node, tuple[Problem, ...]]:
    """Bring an output that scripts have changed into the order, number and types of the schema.

    An element that holds others where the schema wants a value has all text in them as its value.

    Args:
        root: the output as scripts left it. The name of its root does not matter.
        schema: the schema.

    Returns:
        The output, and the problems of what was left out or is missing.
    """
    problems: list[Problem] = []
    children = _fit_children(root, schema, "", problems)
    return Node(schema.name, children=tuple(children)), tuple(problems)


def _fit_children(node: Node, group: Element, path: str, problems: list[Problem]) -> list[Node]:
    waiting: dict[str, list[Node]] = {}
    for child in node.children:
        waiting.setdefault(child.name, []).append(child)
    kept: list[Node] = []
    for element in group.elements:
        its = f"{path}/{element.name}" if path else element.name
        made = [_fit(child, element, its, problems) for child in waiting.pop(element.name, ())]
        nodes = [child for child in made if child is not None]
        if len(nodes) > 1 and not element.repeat:
            detail = f"'{its}' does not repeat; {len(nodes) - 1} more were left out"
            problems.append(Problem(its, TOO_MANY, detail))
            del nodes[1:]
        if element.required and not nodes:
            problems.append(Problem(its, MISSING, f"'{its}' is required, and nothing gave it"))
        kept += nodes
    for name, unknown in waiting.items():
        its = f"{path}/{name}" if path else name
        count = f"{len(unknown)} times " if len(unknown) > 1 else ""
        detail = f"'{its}' was added {count}and is not in the schema; left out"
        problems.append(Problem(its, NOT_IN_SCHEMA, detail))
    return kept


def _fit(node: Node, element: Element, path: str, problems: list[Problem]) -> Node | None:
    if element.type != GROUP:
        found = _value_of(node)
        value = _converted(found, element.type)
        if value is None:
            problems.append(Problem(path, WRONG_TYPE, _wrong_type(path, found, element)))
            return None
        return Node(element.name, value, (), node.confidence, node.source)
    start = len(problems)
    children = _fit_children(node, element, path, problems)
    if element.repeat and _is_incomplete(problems, start, path, f"a '{path}'"):
        return None
    return Node(element.name, None, tuple(children), node.confidence, node.source)


def _value_of(node: Node) -> Scalar | None:
    """Return the value of an element, or else all text in it."""
    if not node.children:
        return node.value
    parts: list[str] = []
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here.value is not None:
            parts.append(_as_text(here.value))
        waiting += reversed(here.children)
    return fold(" ".join(parts))


def _converted(value: Scalar | None, kind: str) -> Scalar | None:
    if value is None:
        # An element that was added without a value: only text can be empty.
        return "" if kind == "text" else None
    if kind in {"number", "integer"} and isinstance(value, int | float):
        if isinstance(value, bool) or (kind == "integer" and value != int(value)):
            return None
        return int(value) if kind == "integer" else float(value)
    return convert(_as_text(value), kind)


def _as_text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
