"""A wrapper project: the schema of its output, the rules that find values, and its actions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from crawler.core.errors import ArgumentError, UnknownMethodError
from crawler.core.metadata.dates import read_date
from crawler.core.wrapper.paper_method import PaperFieldRule
from crawler.core.wrapper.rules import BestRule, RecordRule

Scalar = str | int | float

GROUP = "group"
"""The type of elements that hold others."""

TYPES = (GROUP, "text", "integer", "number", "date", "url")
"""The types of elements."""

# Names of XML 1.0 (fifth edition, 2.3 "Common Syntactic Constructs") without colons.
_STARTS = (
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
XML_NAME = re.compile(f"[{_STARTS}][{_STARTS}0-9.\xb7\u0300-\u036f\u203f\u2040-]*")
"""The whole name of an element."""

_NAME_CHARS = 100
_MOST_DEPTH = 16
_MOST_ELEMENTS = 1_000
_NUMBER_CHARS = 80
_NUMBER = re.compile(r"\d+(?:[.,'\u2019\u00a0\u202f ]\d+)*")
_SIGNS = ("-", "\u2212")
_THOUSAND = 3


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the output.

    ``name`` is its name in XML and its key in JSON; ``type`` one of :data:`TYPES`; ``repeat`` and
    ``required`` whether there can be several, and has to be one. Groups hold ``elements``.
    """

    name: str
    type: str = "text"
    repeat: bool = False
    required: bool = False
    elements: tuple[Element, ...] = ()


def elements_of(schema: Element) -> Iterator[tuple[str, Element]]:
    """Yield the elements below the root with their paths: names with ``/`` between, no root."""
    pending = [(child.name, child) for child in reversed(schema.elements)]
    while pending:
        path, element = pending.pop()
        yield path, element
        pending += [(f"{path}/{child.name}", child) for child in reversed(element.elements)]


def may_repeat(schema: Element, path: str) -> bool:
    """Tell whether a page can have several of an element: it, or a group around it, repeats."""
    known = dict(elements_of(schema))
    steps = path.split("/")
    return any(known["/".join(steps[:end])].repeat for end in range(1, len(steps) + 1))


def check_schema(schema: Element) -> None:
    """Refuse a schema by which no output can be written.

    Raises:
        ArgumentError: a name is no XML name, or is used twice in one group; a type is unknown; the
            root is no group or repeats; the schema is too large.
    """
    if schema.type != GROUP or schema.repeat:
        raise ArgumentError(f"the root '{schema.name}' must be a group that does not repeat")
    _check(schema, schema.name)
    for number, (path, element) in enumerate(elements_of(schema)):
        if number >= _MOST_ELEMENTS or path.count("/") >= _MOST_DEPTH:
            raise ArgumentError(
                f"'{path}': a schema has at most {_MOST_ELEMENTS} elements, {_MOST_DEPTH} deep"
            ).about("schema-size", path, _MOST_ELEMENTS, _MOST_DEPTH)
        _check(element, path)


def _check(element: Element, path: str) -> None:
    if not XML_NAME.fullmatch(element.name) or len(element.name) > _NAME_CHARS:
        raise ArgumentError(
            f"'{path[:_NAME_CHARS]}' is no name of an element; use up to {_NAME_CHARS} letters, "
            "digits, '_', '-' and '.', a letter or '_' first"
        ).about("element-name", path[:_NAME_CHARS], _NAME_CHARS)
    if element.type not in TYPES:
        raise ArgumentError(
            f"'{path}': there is no type '{element.type}'; the types are: {', '.join(TYPES)}"
        )
    if element.elements and element.type != GROUP:
        raise ArgumentError(f"'{path}' holds elements; give it the type '{GROUP}'").about(
            "no-group", path
        )
    names = [child.name for child in element.elements]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ArgumentError(
            f"'{path}' has '{twice[0]}' twice; let one element repeat instead"
        ).about("element-twice", path, twice[0])


def convert(text: str, kind: str) -> Scalar | None:
    """Return a text as a value of a type, None where it is not of that type.

    A number may have other words around it, as prices have, but no other number. A single comma
    before exactly three digits groups thousands; a single point is always decimal.
    """
    if kind == "url":
        return text if _is_address(text) else None
    if kind == "date":
        date = read_date(text)
        return None if date is None else date.text
    if kind not in {"integer", "number"}:
        return text
    number = _number(text)
    if kind == "number" or number is None:
        return number
    return int(number) if number.is_integer() else None


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and " " not in text


def _number(text: str) -> float | None:
    if len(text) > _NUMBER_CHARS:
        return None
    found = list(_NUMBER.finditer(text))
    if len(found) != 1:
        return None
    written = found[0][0]
    last = max(written.rfind("."), written.rfind(","))
    if last >= 0 and not _is_decimal(written, last):
        last = -1
    whole = re.sub(r"\D", "", written if last < 0 else written[:last])
    decimals = "" if last < 0 else re.sub(r"\D", "", written[last:])
    number = float(f"{whole}.{decimals or '0'}")
    before = text[: found[0].start()].rstrip("$€£¥₩ ")
    return -number if before.endswith(_SIGNS) and not before[:-1].strip() else number


def _is_decimal(written: str, last: int) -> bool:
    mark = written[last]
    if written.count(mark) > 1:
        return False
    if {".", ","} <= set(written):
        return True
    return mark == "." or len(written) - last - 1 != _THOUSAND


DEFAULT_MATCHER = "best"


FieldRule = BestRule | PaperFieldRule
"""Finds the values of a field on a page, or in a record of one."""

MATCHERS: Mapping[str, FieldRule] = {
    DEFAULT_MATCHER: BestRule.learn(()),
    "published": PaperFieldRule(),
}
"""The matchers: by their names, sorted, rules that have learned nothing yet."""


def new_rule(matcher: str = DEFAULT_MATCHER) -> FieldRule:
    """Return a rule of that matcher that has learned nothing yet, and finds nothing.

    Raises:
        UnknownMethodError: there is no matcher of that name.
    """
    if matcher not in MATCHERS:
        raise UnknownMethodError(
            f"unknown matcher '{matcher}'; the matchers are: {', '.join(MATCHERS)}"
        )
    return MATCHERS[matcher]


Rule = FieldRule | RecordRule


@dataclass(frozen=True, slots=True)
class Source:
    """A fixed name, or the number of an argument of the command line, counted from 0."""

    fixed: str = ""
    argument: int | None = None


@dataclass(frozen=True, slots=True)
class _Action:
    """``off`` tells whether it is switched off."""

    off: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Load(_Action):
    """Load a page, or several: addresses with blanks between."""

    address: Source


@dataclass(frozen=True, slots=True)
class Add(_Action):
    """Add an element to the output, named by its path in the schema."""

    element: str


@dataclass(frozen=True, slots=True)
class Copy(_Action):
    """Copy to the output what the rule of an element finds.

    A ``script`` of its own takes the place of that: ``main`` is called for each node that the rule
    finds, with that node and the node of the output that it belongs in.
    """

    element: str
    script: str = ""


@dataclass(frozen=True, slots=True)
class Save(_Action):
    """Save the output."""

    file: Source


@dataclass(frozen=True, slots=True)
class Script(_Action):
    """Run a script of the user: JavaScript with a function ``main``.

    ``rules`` names the elements whose nodes ``main`` is called with.
    """

    script: str
    rules: tuple[str, ...] = ()


Action = Load | Add | Copy | Save | Script


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that is saved in a project file.

    An element is named by its path below the root of the schema, such as ``offer/price``; ``rules``
    are by these paths. The rule of a group finds its records, and rules of elements in that group
    look within one record. ``actions`` are done in order; without any :class:`Copy`, all rules are
    copied. Fields are learned by the ``matcher``. Matches below ``confidence``, 0 to 1, are left
    out, whatever their rules say.
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
    def active(self) -> tuple[Action, ...]:
        """The actions that are not switched off."""
        return tuple(action for action in self.actions if not action.off)

    @property
    def scripts(self) -> tuple[Script, ...]:
        """The scripts among the active actions, those of copies too."""
        return tuple(
            action if isinstance(action, Script) else Script(action.script, (action.element,))
            for action in self.active
            if isinstance(action, Script) or (isinstance(action, Copy) and action.script)
        )

    @property
    def taught_by(self) -> set[str]:
        """The fingerprints of the pages that it has learned from."""
        return {its.page for rule in self.rules.values() for its in rule.examples}

    def element(self, path: str) -> Element:
        """Return the element of a path.

        Raises:
            ArgumentError: there is none. The message lists those there are.
        """
        known = dict(elements_of(self.schema))
        if path not in known:
            raise ArgumentError(
                f"no element '{path}' in the schema; it has: {', '.join(known)}"
            ).about("no-element", path)
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
            ).about("is-group", path)
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
    known = dict(elements_of(project.schema))
    for number, action in enumerate(project.actions):
        names = action.rules if isinstance(action, Script) else ()
        if isinstance(action, Add | Copy):
            names = (action.element,)
        for name in names:
            if name not in known:
                kind = type(action).__name__.lower()
                raise ArgumentError(
                    f"action {number}, a {kind}, uses '{name}', which the schema does not have; "
                    f"change the {kind} first, or take it out of the project"
                ).about("action-uses", number + 1, name)
            is_group = project.element(name).type == GROUP
            if name not in project.rules and not isinstance(action, Add) and not action.off:
                raise ArgumentError(
                    f"action {number} needs a rule for '{name}'; teach it values"
                ).about("action-rule", number + 1, name)
            if is_group and isinstance(action, Copy) and action.script:
                raise ArgumentError(
                    f"action {number}: '{name}' is a group; give the script to its elements"
                ).about("action-group", number + 1, name)
    return project
