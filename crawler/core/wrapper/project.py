"""A project: what a wrapper writes, the rules that find it, and the actions done in turn."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.matchers import DEFAULT_MATCHER, FieldRule, new_rule
from crawler.core.wrapper.records import RecordRule
from crawler.core.wrapper.schema import GROUP, Element, check_schema, elements_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Action",
    "Add",
    "Copy",
    "Load",
    "Project",
    "Rule",
    "Save",
    "Script",
    "Source",
    "checked",
    "new_project",
    "script_of",
]

Rule = FieldRule | RecordRule


@dataclass(frozen=True, slots=True)
class Source:
    """A name that is fixed, or that of an argument of the command line, counted from 0."""

    fixed: str = ""
    argument: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """Load a page."""

    address: Source


@dataclass(frozen=True, slots=True)
class Add:
    """Add an element to the output tree, named by its path in the schema."""

    element: str


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy what the rule of an element finds into it."""

    element: str


@dataclass(frozen=True, slots=True)
class Save:
    """Save the output tree."""

    file: Source


@dataclass(frozen=True, slots=True)
class Script:
    """Run the user's script: a JavaScript body with ``main``, called with what rules find."""

    script: str
    rules: tuple[str, ...] = ()


Action = Load | Add | Copy | Save | Script


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that is saved in a project file.

    ``schema``
        The shape of the output. An element is named by its path below the root: ``offer/price``.
    ``rules``
        Rules by the elements they fill. The rule of a group finds its records, and rules of
        elements in that group look within one record.
    ``actions``
        What is done, in order. Without any :class:`Copy`, all rules are copied.
    ``matcher``
        The name of the matcher by which fields are learned.
    ``confidence``
        Matches below it are taken for none, whatever their rules say: between 0 and 1.
    """

    schema: Element
    rules: Mapping[str, Rule]
    actions: tuple[Action, ...] = ()
    matcher: str = DEFAULT_MATCHER
    confidence: float = 0.0

    @property
    def paths(self) -> tuple[str, ...]:
        """The elements that have rules, in the order of the schema."""
        return tuple(path for path, _ in elements_of(self.schema) if path in self.rules)

    def element(self, path: str) -> Element:
        """Return the element of a path.

        Raises:
            ArgumentError: there is none. The message lists those there are.
        """
        known = dict(elements_of(self.schema))
        if path not in known:
            raise ArgumentError(f"no element '{path}' in the schema; it has: {', '.join(known)}")
        return known[path]

    def record_of(self, path: str) -> str:
        """Return the path of the group whose records an element is looked for in; empty: pages."""
        around, _, _ = path.rpartition("/")
        while around and not isinstance(self.rules.get(around), RecordRule):
            around, _, _ = around.rpartition("/")
        return around

    def field_rule(self, path: str) -> FieldRule:
        """Return the rule of an element that is no group, new where it has none.

        Raises:
            ArgumentError: there is no such element, or it is a group.
        """
        if self.element(path).type == GROUP:
            raise ArgumentError(
                f"'{path}' is a group; teach it records, or an element of it values"
            )
        rule = self.rules.get(path)
        return new_rule(self.matcher) if rule is None or isinstance(rule, RecordRule) else rule

    def with_rule(self, path: str, rule: Rule) -> Project:
        """Return the project with this rule for an element."""
        self.element(path)
        return replace(self, rules={**self.rules, path: rule})


def new_project(
    schema: Element, *, matcher: str = DEFAULT_MATCHER, confidence: float = 0.0
) -> Project:
    """Return a project that has learned nothing yet.

    Raises:
        ArgumentError: the schema is wrong, or the confidence is not between 0 and 1.
        UnknownMethodError: there is no such matcher.
    """
    return checked(Project(schema, {}, matcher=matcher, confidence=confidence))


def checked(project: Project) -> Project:
    """Return the project, if it is sound.

    Raises:
        ArgumentError: the schema is wrong; a rule or an action names an element that there is none
            of, or that it cannot fill; the confidence is not between 0 and 1.
        UnknownMethodError: there is no such matcher.
    """
    check_schema(project.schema)
    new_rule(project.matcher)
    if not 0 <= project.confidence <= 1:
        raise ArgumentError(f"confidence is {project.confidence}; give a number from 0 to 1")
    for path, rule in project.rules.items():
        is_group = project.element(path).type == GROUP
        if is_group != isinstance(rule, RecordRule):
            wanted = "finds records" if is_group else "finds values"
            raise ArgumentError(f"'{path}': only a rule that {wanted} can fill it")
    for number, action in enumerate(project.actions):
        names = action.rules if isinstance(action, Script) else ()
        if isinstance(action, Add | Copy):
            names = (action.element,)
        for name in names:
            project.element(name)
            if name not in project.rules and not isinstance(action, Add):
                raise ArgumentError(f"action {number} needs a rule for '{name}'; teach it values")
    return project


def script_of(action: Action) -> str:
    """Return an action as the JavaScript that does it, with the objects of the paper."""
    if isinstance(action, Script):
        return action.script
    if isinstance(action, Load):
        return f"function main() {{ htree.AddUrl({_expression(action.address)}); }}"
    if isinstance(action, Save):
        return f"function main() {{ xtree.Save({_expression(action.file)}); }}"
    name = json.dumps(action.element.rpartition("/")[2])
    if isinstance(action, Add):
        return f"function main(parent) {{ parent.Add({name}, null); }}"
    return f"function main(node, parent) {{ parent.Add({name}, node.value); }}"


def _expression(source: Source) -> str:
    return (
        json.dumps(source.fixed) if source.argument is None else f"system.args({source.argument})"
    )
