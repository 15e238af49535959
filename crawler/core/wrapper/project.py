"""A wrapper project: the schema of its output, the rules that find values, and its actions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from crawler.core.errors import ArgumentError, UnknownMethodError
from crawler.core.wrapper.paper_method import PaperFieldRule
from crawler.core.wrapper.rules import BestRule, RecordRule
from crawler.core.wrapper.schema import GROUP, Element, check_schema, elements_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.core.wrapper.example_nodes import Example
    from crawler.core.wrapper.rules import Match
    from crawler.core.wrapper.view import View

DEFAULT_MATCHER = "best"


class FieldRule(Protocol):
    """Finds the values of a field on a page, or in a record of one."""

    @property
    def examples(self) -> tuple[Example, ...]:
        """The examples that it was learned from."""

    def learn_page(self, view: View, example: Example) -> FieldRule:
        """Return the rule that has learned from an example of this page as well."""

    def matches(self, view: View, *, remember: bool = True) -> tuple[Match, ...]:
        """Return the nodes that are taken, in document order."""


_MATCHERS: dict[str, FieldRule] = {
    DEFAULT_MATCHER: BestRule.learn(()),
    "published": PaperFieldRule(),
}


def matcher_names() -> tuple[str, ...]:
    """Return the names of all matchers, sorted."""
    return tuple(sorted(_MATCHERS))


def new_rule(matcher: str = DEFAULT_MATCHER) -> FieldRule:
    """Return a rule of that matcher that has learned nothing yet, and finds nothing.

    Raises:
        UnknownMethodError: there is no matcher of that name.
    """
    if matcher not in _MATCHERS:
        raise UnknownMethodError(
            f"unknown matcher '{matcher}'; the matchers are: {', '.join(matcher_names())}"
        )
    return _MATCHERS[matcher]


Rule = FieldRule | RecordRule


@dataclass(frozen=True, slots=True)
class Source:
    """A fixed name, or the number of an argument of the command line, counted from 0."""

    fixed: str = ""
    argument: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """Load a page."""

    address: Source


@dataclass(frozen=True, slots=True)
class Add:
    """Add an element to the output, named by its path in the schema."""

    element: str


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy to the output what the rule of an element finds."""

    element: str


@dataclass(frozen=True, slots=True)
class Save:
    """Save the output."""

    file: Source


@dataclass(frozen=True, slots=True)
class Script:
    """Run a script of the user: JavaScript with a function ``main``.

    ``rules`` names the elements whose nodes ``main`` is called with.
    """

    script: str
    rules: tuple[str, ...] = ()


Action = Load | Add | Copy | Save | Script


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that is saved in a project file.

    ``schema``
        The schema of the output. An element is named by its path below the root: ``offer/price``.
    ``rules``
        Rules by the elements they fill. The rule of a group finds its records, and rules of
        elements in that group look within one record.
    ``actions``
        What is done, in order. Without any :class:`Copy`, all rules are copied.
    ``matcher``
        The name of the matcher by which fields are learned.
    ``confidence``
        Matches below it are left out, whatever their rules say: 0 to 1.
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

    @property
    def scripts(self) -> tuple[Script, ...]:
        """The scripts among the actions."""
        return tuple(action for action in self.actions if isinstance(action, Script))

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
        """Return the path of the group in whose records an element is; empty for the page."""
        group = path.rpartition("/")[0]
        while group and not isinstance(self.rules.get(group), RecordRule):
            group = group.rpartition("/")[0]
        return group

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
    """Return the project if it is valid.

    Raises:
        ArgumentError: the schema is wrong; a rule or an action names an element that is not in the
            schema, or that it cannot fill; the confidence is not between 0 and 1.
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
