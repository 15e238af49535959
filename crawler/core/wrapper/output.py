"""The output of a project on a page: how rules, and scripts, fill its schema."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from crawler.core.wrapper.project import GROUP, Add, Copy, Element, Project, Scalar, convert
from crawler.core.wrapper.rules import Match, Memory, RecordRule
from crawler.core.wrapper.tree import PageTree, absolute, fold
from crawler.core.wrapper.view import View

NO_FIT = "rule no longer fits"
"""The reason in reports for a page on which too little was found."""

MISSING, WRONG_TYPE, INCOMPLETE = "missing", "wrong-type", "incomplete-record"
NOT_IN_SCHEMA, TOO_MANY, SCRIPT_FAILED = "not-in-schema", "too-many", "script-failed"

# A page fits if it has this share of the elements that all examples have.
_ENOUGH = 0.5
_SHOWN_CHARS = 80


@dataclass(frozen=True, slots=True)
class Node:
    """An element of the output.

    ``value`` is None for groups. ``confidence`` is that of the rule, 0 to 1; 1 for a node that no
    rule found. ``source`` is the path of the node of the page that it comes from, else empty.
    ``attributes`` are names and values, of elements that a script copied from the page.
    """

    name: str
    value: Scalar | None = None
    children: tuple[Node, ...] = ()
    confidence: float = 1.0
    source: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptPlace:
    """Where a script failed: the number of its action, from 1, and line and column where known.

    ``words`` says what failed, without the place.
    """

    action: int
    line: int | None
    column: int | None
    words: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in which a page does not fit the schema.

    ``element`` is the path of the element; empty for a script. ``detail`` is for people, ``data``
    for programs that say the same in another language; ``place`` is where a script failed.
    ``reason`` is one of these:

    ``missing``: a required element was not found, or not with enough confidence.
    ``wrong-type``: a value is not of the type of its element, and was left out.
    ``incomplete-record``: a record lacks a required element, and was left out.
    ``script-failed``: a script failed; what it did on this page is undone.
    ``not-in-schema``, ``too-many``: scripts added what the schema does not have, or not so often;
    it was left out.
    """

    element: str
    reason: str
    detail: str
    place: ScriptPlace | None = None
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The output of a project on a page.

    ``fits`` is False where the rules no longer fit the page: something required is missing, or more
    than half of what all examples have. The output of such a page cannot be trusted. ``missing``
    are elements with a rule that found nothing on the page, without those of records. ``found`` is,
    by the path of an element, all that its rule found, in document order; it includes elements that
    are looked for only for a script, and that are not in ``root``.
    """

    url: str
    root: Node
    problems: tuple[Problem, ...]
    fits: bool
    missing: tuple[str, ...] = ()
    found: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)


def apply_project(
    project: Project, tree: PageTree, *, remember: bool = True, memory: Memory | None = None
) -> Result:
    """Fill the schema of a project from a page.

    Args:
        project: the project. Its scripts are not run here; what is required and has no rule is
            taken to come from them.
        tree: the page.
        remember: see :meth:`crawler.core.wrapper.rules.LearnedRule.matches`.
        memory: what rules found on this page before.
    """
    filler = _Filler(project, tree, memory or Memory(), remember=remember)
    children = filler.children(project.schema, "", View.of(tree), shown=True)
    missing = tuple(path for path in _expected(project) if not filler.found[path])
    root = Node(project.schema.name, children=children)
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
    copied = {its.element for its in project.active if isinstance(its, Copy)} or project.rules
    return [path for path in project.paths if path in copied and not project.record_of(path)]


def _copied(project: Project) -> set[str]:
    copies = [action for action in project.active if isinstance(action, Copy)]
    return {its.element for its in copies if not its.script} if copies else set(project.rules)


def _groups_around(paths: Iterable[str]) -> set[str]:
    return {path[:at] for path in paths for at, char in enumerate(path) if char == "/"}


class _Filler:
    """Walks down the schema, whose depth is bounded."""

    def __init__(self, project: Project, tree: PageTree, memory: Memory, *, remember: bool) -> None:
        self._project = project
        self._tree = tree
        self._memory = memory
        self._remember = remember
        self._copied = _copied(project)
        # Scripts are called with the nodes of elements, which are found within groups.
        named = {path for script in project.scripts for path in script.rules}
        self._wanted = self._copied | named | _groups_around(named)
        self._added = {its.element for its in project.active if isinstance(its, Add)}
        # Groups that scripts of copies fill.
        self._filled_later = _groups_around(
            its.element for its in project.active if isinstance(its, Copy) and its.script
        )
        self.found: defaultdict[str, list[Node]] = defaultdict(list)
        self.problems: list[Problem] = []

    def children(self, group: Element, path: str, view: View, *, shown: bool) -> tuple[Node, ...]:
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
                    self.problems.append(_missing(its))
        return tuple(kept)

    def _nodes(self, element: Element, path: str, view: View, *, shown: bool) -> list[Node]:
        rule = self._project.rules.get(path)
        if rule is None and element.type == GROUP:
            children = self.children(element, path, view, shown=shown)
            is_there = children or path in self._added | self._filled_later
            return [Node(element.name, children=children)] if is_there else []
        if rule is None or path not in self._wanted:
            return []
        found = self._memory.matches(rule, view, remember=self._remember)
        kept = [its for its in found if its.confidence >= self._project.confidence]
        if kept and not element.repeat:
            kept = [max(kept, key=lambda its: (its.confidence, -its.node))]
        nodes = (
            self._record(element, path, its, shown=shown)
            if isinstance(rule, RecordRule)
            else self._value(element, path, its)
            for its in kept
        )
        return [node for node in nodes if node is not None]

    def _value(self, element: Element, path: str, match: Match) -> Node | None:
        attribute = f"/{match.kind}" if match.kind.startswith("@") else ""
        source = f"{self._tree.path(match.node)}{attribute}"
        given = Node(element.name, match.value, (), match.confidence, source)
        return _converted(given, element.type, path, self.problems)

    def _record(self, element: Element, path: str, record: Match, *, shown: bool) -> Node | None:
        start, source = len(self.problems), self._tree.path(record.node)
        children = self.children(element, path, View(self._tree, record.node), shown=shown)
        if _is_incomplete(self.problems, start, path, source):
            return None
        if element.elements and shown and not children and path not in self._filled_later:
            return None
        return Node(element.name, None, children, record.confidence, source)


def fit_to_schema(root: Node, schema: Element, base: str = "") -> tuple[Node, tuple[Problem, ...]]:
    """Bring an output that scripts have changed into the order, number and types of the schema.

    An element that holds others where the schema wants a value has all text in them as its value.
    The name of the root does not matter. Addresses are completed by that of the page, ``base``. The
    problems are of what was left out or is missing.
    """
    fitter = _Fitter(base)
    children = fitter.children(root, schema, "")
    return Node(schema.name, children=children), tuple(fitter.problems)


class _Fitter:
    """Walks down an output and its schema."""

    def __init__(self, base: str) -> None:
        self._base = base
        self.problems: list[Problem] = []

    def children(self, node: Node, group: Element, path: str) -> tuple[Node, ...]:
        problems = self.problems
        waiting: defaultdict[str, list[Node]] = defaultdict(list)
        for child in node.children:
            waiting[child.name].append(child)
        kept: list[Node] = []
        for element in group.elements:
            its = f"{path}/{element.name}" if path else element.name
            made = [self._fit(child, element, its) for child in waiting.pop(element.name, ())]
            nodes = [child for child in made if child is not None]
            if len(nodes) > 1 and not element.repeat:
                detail = f"'{its}' does not repeat; {len(nodes) - 1} more were left out"
                problems.append(Problem(its, TOO_MANY, detail, data=(str(len(nodes) - 1),)))
                del nodes[1:]
            if element.required and not nodes:
                problems.append(_missing(its))
            kept += nodes
        for name, unknown in waiting.items():
            its = f"{path}/{name}" if path else name
            count = f"{len(unknown)} times " if len(unknown) > 1 else ""
            detail = f"'{its}' was added {count}and is not in the schema; left out"
            problems.append(Problem(its, NOT_IN_SCHEMA, detail, data=(str(len(unknown)),)))
        return tuple(kept)

    def _fit(self, node: Node, element: Element, path: str) -> Node | None:
        if element.type != GROUP:
            if element.type == "url" and node.value and isinstance(node.value, str):
                node = replace(node, value=absolute(self._base, node.value))
            return _converted(node, element.type, path, self.problems)
        start = len(self.problems)
        children = self.children(node, element, path)
        if element.repeat and _is_incomplete(self.problems, start, path, f"a '{path}'"):
            return None
        return Node(element.name, None, children, node.confidence, node.source)


def _missing(path: str) -> Problem:
    return Problem(path, MISSING, f"'{path}' is required, and was not found")


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
    lacking = ", ".join(sorted(missing))
    detail = f"{record} lacks {lacking}, and was left out"
    others = [its for its in problems[start:] if its.reason != MISSING]
    problems[start:] = [*others, Problem(path, INCOMPLETE, detail, data=(lacking,))]
    return True


def _converted(node: Node, kind: str, path: str, problems: list[Problem]) -> Node | None:
    """Return an element with its value as one of a type, None where it is none of that type."""
    given = _text_within(node) if node.children else node.value
    value: Scalar | None
    if given is None:
        # An element that was added without a value: only text can be empty.
        value = "" if kind == "text" else None
    elif kind in {"number", "integer"} and isinstance(given, int | float):
        is_right = not isinstance(given, bool) and (kind == "number" or given == int(given))
        value = (float(given) if kind == "number" else int(given)) if is_right else None
    else:
        value = convert(_as_text(given), kind)
    if value is None:
        shown = str(given)[:_SHOWN_CHARS]
        detail = f"'{path}': '{shown}' is no {kind}"
        problems.append(Problem(path, WRONG_TYPE, detail, data=(shown, kind)))
        return None
    return Node(node.name, value, (), node.confidence, node.source)


def _text_within(node: Node) -> str:
    parts: list[str] = []
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here.value is not None:
            parts.append(_as_text(here.value))
        waiting += reversed(here.children)
    return fold(" ".join(parts))


def _as_text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
