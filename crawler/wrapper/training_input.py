"""What a person says of a page on the command line, and teaching it to a project."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError
from crawler.core.wording import did_you_mean
from crawler.core.wrapper.example_nodes import find_value, nodes_of, value_of
from crawler.core.wrapper.learning import learn_nodes, learn_records, learn_values
from crawler.core.wrapper.project import checked
from crawler.core.wrapper.schema import GROUP, TYPES, Element, check_schema, elements_of
from crawler.core.wrapper.tree import fold
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawler.core.wrapper.project import Project
    from crawler.core.wrapper.tree import PageTree

_VALUE = re.compile(r"([^=:]+)(?::([^=:]+))?=(.*)", re.DOTALL)
_NEAR_CHARS = 200
_NEAR_TEXTS = 5_000
# A group is made by naming an element of it.
_TYPES = tuple(kind for kind in TYPES if kind != GROUP)


@dataclass(frozen=True, slots=True)
class FieldValue:
    """One ``--field NAME:TYPE=VALUE``.

    ``path``
        The element: names with ``/`` between. The last name of several is a field of a record.
    ``type``
        Empty where none is given.
    """

    path: str
    type: str
    value: str


@dataclass(frozen=True, slots=True)
class TrainingInput:
    """What a person says of one page.

    ``values``
        The values that it has, in the order in which they were given.
    ``elements``
        Elements that the output has from now on, without a value: scripts may fill them.
    ``absent``
        Paths of elements that the page does not have.
    ``wrong``
        Values that are not meant, though rules may find them.
    ``repeat``, ``required``
        Paths of elements and groups that repeat, or are required, from now on.
    ``whole``
        Paths of groups of which the page has no other records than those given.
    """

    values: tuple[FieldValue, ...] = ()
    elements: tuple[FieldValue, ...] = ()
    absent: tuple[str, ...] = ()
    wrong: tuple[FieldValue, ...] = ()
    repeat: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


def read_values(texts: Iterable[str], option: str) -> tuple[FieldValue, ...]:
    """Read the arguments of an option, ``name=value`` or ``name:type=value``.

    Raises:
        ArgumentError: one has another form, or its value is empty.
    """
    return tuple(_read_value(text, option) for text in texts)


def _read_value(text: str, option: str) -> FieldValue:
    found = _VALUE.fullmatch(text)
    path = found[1].strip().strip("/") if found else ""
    if found is None or not path:
        raise ArgumentError(f"{option} {text!r} is no NAME=VALUE; give one such as price=12.50")
    kind, value = (found[2] or "").strip(), fold(found[3])
    if kind and kind not in _TYPES:
        raise ArgumentError(
            f"{option} {text!r}: there is no type '{kind}'{did_you_mean(kind, _TYPES)}; the types "
            f"are: {', '.join(_TYPES)}"
        )
    if not value:
        raise ArgumentError(
            f"{option} {text!r} has no value; where a page has none, give --absent {path}"
        )
    return FieldValue(path, kind, value)


def read_elements(texts: Iterable[str]) -> tuple[FieldValue, ...]:
    """Read the arguments of ``--element``: ``name`` or ``name:type``.

    Raises:
        ArgumentError: there is no such type.
    """
    # The value is not used, and must not be empty.
    return read_values((f"{text}=-" for text in texts), "--element")


def with_elements(schema: Element, given: TrainingInput) -> Element:
    """Return a schema with all elements that are named.

    A new element of the page repeats if several values of it are given; a new group repeats.

    Raises:
        ArgumentError: a name or type contradicts the schema, or a name is no XML name.
    """
    known = dict(elements_of(schema))
    counts = Counter(field.path for field in given.values)
    # Groups of records first: elements within their records are added to them.
    named = (*given.values, *given.elements, *given.wrong)
    for field in sorted(named, key=lambda one: one.path.count("/")):
        schema = _add(schema, field.path, field.type)
        # A record has one value of an element, unless the element is said to repeat.
        if field.path not in known and counts[field.path] > 1 and "/" not in field.path:
            schema = _mark(schema, field.path, repeat=True)
    for path in given.absent:
        schema = _add(schema, path, "")
    for path in given.repeat:
        schema = _mark(schema, path, repeat=True)
    for path in given.required:
        schema = _mark(schema, path, required=True)
    check_schema(schema)
    return schema


def _add(group: Element, path: str, kind: str) -> Element:
    """Return a group with the element of a path, new where it is not there."""
    name, _, rest = path.partition("/")
    known = {child.name: child for child in group.elements}
    child = known.get(name)
    if child is None:
        # Only the last group of a path has records; the groups around are there once.
        is_list = bool(rest) and "/" not in rest
        child = Element(name, GROUP if rest else kind or "text", repeat=is_list)
    elif kind and not rest and child.type != kind:
        raise ArgumentError(
            f"'{path}' is of the type '{child.type}' in the schema, and is called '{kind}' now; "
            "leave the type out, or change it in the project file"
        )
    elif rest and child.type != GROUP:
        raise ArgumentError(f"'{name}' holds no elements in the schema, so '{path}' has no place")
    elif not rest and child.type == GROUP:
        inner = child.elements[0].name if child.elements else "title"
        raise ArgumentError(f"'{name}' is a group; name an element of it, such as {name}/{inner}")
    if rest:
        child = _add(child, rest, kind)
    return replace(group, elements=tuple({**known, name: child}.values()))


def _mark(group: Element, path: str, *, repeat: bool = False, required: bool = False) -> Element:
    """Return a group in which the element of a path repeats, or is required."""
    name, _, rest = path.strip("/").partition("/")
    known = {child.name: child for child in group.elements}
    if name not in known:
        have = ", ".join(known) or "nothing"
        raise ArgumentError(f"there is no '{name}' in '{group.name}'; it has: {have}")
    child = known[name]
    known[name] = (
        _mark(child, rest, repeat=repeat, required=required)
        if rest
        else replace(child, repeat=child.repeat or repeat, required=child.required or required)
    )
    return replace(group, elements=tuple(known.values()))


def teach(project: Project, tree: PageTree, given: TrainingInput) -> Project:
    """Return a project that has learned all that is said of a page.

    A record of a group ends where an element that does not repeat is named again.

    Raises:
        ArgumentError: the page does not have a value, a value does not belong where it is said to
            be, or there are several where there can be one. Nothing is learned then.
    """
    project = replace(project, schema=with_elements(project.schema, given))
    values, records = _by_place(project, given)
    _check(project, given, values, records)
    # A list within records is looked for within those, which have to be known first.
    for group, its in sorted(records.items(), key=lambda one: one[0].count("/")):
        learned = learn_records(project, tree, group, its, whole=group in given.whole)
        _check_found(tree, learned.not_found)
        project = learned.project
    # Elements with values that are not meant are taught by their nodes.
    refused = dict.fromkeys(field.path for field in given.wrong)
    found = {path: its for path, its in values.items() if path not in refused}
    lacking = {path: list[str]() for path in given.absent if path not in refused}
    learned = learn_values(project, tree, {**found, **lacking})
    _check_found(tree, learned.not_found)
    project = learned.project
    for path in refused:
        wrong = [field.value for field in given.wrong if field.path == path]
        project = _refuse(project, tree, path, values.get(path, []), wrong)
    return checked(project)


def _by_place(
    project: Project, given: TrainingInput
) -> tuple[dict[str, list[str]], dict[str, list[dict[str, list[str]]]]]:
    """Return the values of the page by their paths, and those of records by their groups."""
    values: dict[str, list[str]] = {}
    records: dict[str, list[dict[str, list[str]]]] = {}
    for field in given.values:
        if _is_of_page(project, field.path):
            values.setdefault(field.path, []).append(field.value)
            continue
        group, _, name = field.path.rpartition("/")
        its = records.setdefault(group, [{}])
        if name in its[-1] and not project.element(field.path).repeat:
            its.append({})
        its[-1].setdefault(name, []).append(field.value)
    return values, records


def _is_of_page(project: Project, path: str) -> bool:
    steps = path.split("/")[:-1]
    groups = ["/".join(steps[:end]) for end in range(1, len(steps) + 1)]
    return not any(project.element(group).repeat or group in project.rules for group in groups)


def _check(
    project: Project,
    given: TrainingInput,
    values: dict[str, list[str]],
    records: dict[str, list[dict[str, list[str]]]],
) -> None:
    for path in given.absent:
        if any(field.path == path for field in given.values):
            raise ArgumentError(f"'{path}' has a value here, and is absent too; give one of both")
    for group in given.whole:
        if group not in records:
            raise ArgumentError(
                f"--whole {group} needs at least one of its records: --field {group}/NAME=VALUE"
            )
    for path, its in values.items():
        if len(its) > 1 and not project.element(path).repeat:
            raise ArgumentError(
                f"'{path}' does not repeat, and has {len(its)} values here; add --repeat {path}"
            )
    for path in dict.fromkeys(field.path for field in given.wrong):
        if not _is_of_page(project, path):
            raise ArgumentError(f"'{path}' is of records; --wrong is for elements of the page")
        if path not in values and path not in given.absent:
            raise ArgumentError(
                f"--wrong {path}=… needs the right value as well, by --field {path}=…, or --absent "
                f"{path} where the page has none"
            )


def _check_found(tree: PageTree, not_found: Sequence[tuple[str, str]]) -> None:
    """Refuse values that the page does not have; name the texts that are most like them."""
    if not not_found:
        return
    texts = [text for text in dict.fromkeys(tree.texts) if 0 < len(text) <= _NEAR_CHARS]
    values = []
    for path, value in not_found:
        near = [text for text in texts if value in text][:1] or get_close_matches(
            value[:_NEAR_CHARS], texts[:_NEAR_TEXTS], n=1
        )
        values.append(f"{path}={value}" + (f" (it has '{near[0]}')" if near else ""))
    raise ArgumentError(
        f"the page does not have {'; nor '.join(values)}. Give values as the page has them, or as "
        "its links and pictures have them"
    )


def _refuse(
    project: Project, tree: PageTree, path: str, right: Sequence[str], wrong: Sequence[str]
) -> Project:
    """Teach an element the nodes of its values, and those that are not meant."""
    view = View(tree)
    places = {value: find_value(view, value) for value in right}
    _check_found(tree, [(path, value) for value, (_, nodes) in places.items() if not nodes])
    kinds = {kind for kind, _ in places.values()}
    if len(kinds) > 1:
        raise ArgumentError(f"'{path}': some values are texts and some are not; teach them apart")
    kind = kinds.pop() if kinds else find_value(view, wrong[0])[0]
    nodes = {node: value_of(view, node, kind) for node in nodes_of(view, kind)}
    _check_found(tree, [(path, value) for value in wrong if value not in nodes.values()])
    return learn_nodes(
        project,
        tree,
        path,
        [node for _, its in places.values() for node in its],
        kind=kind,
        wrong=[node for node, value in nodes.items() if value in wrong],
    )
