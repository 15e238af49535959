"""What a person says of a page, on a command line, and teaching a project by it."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.example_nodes import nodes_of, places_of, value_of
from crawler.core.wrapper.learning import learn_nodes, learn_records, learn_values
from crawler.core.wrapper.project import checked
from crawler.core.wrapper.schema import GROUP, TYPES, Element, check_schema, elements_of
from crawler.core.wrapper.tree import fold
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.core.wrapper.project import Project
    from crawler.core.wrapper.tree import PageTree

__all__ = ["Lesson", "Said", "read_elements", "read_said", "read_shape", "teach", "with_elements"]

_SAID = re.compile(r"([^=:]+)(?::([^=:]+))?=(.*)", re.DOTALL)
_NEAR_CHARS = 200
# A group is made by naming an element of it.
_TYPES = tuple(kind for kind in TYPES if kind != GROUP)


@dataclass(frozen=True, slots=True)
class Said:
    """``--field name:type=value``, read.

    ``path``
        The element: names with ``/`` between. What stands behind the last ``/`` of several is the
        field of a record.
    ``type``
        Empty where none is given.
    """

    path: str
    type: str
    value: str

    @property
    def group(self) -> str:
        """The path of what the element stands in; empty for the page."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The last name of the path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Lesson:
    """All that is said of one page.

    ``said``
        Values, in the order in which they were given.
    ``elements``
        Elements that the output has from now on, without a value: scripts may fill them.
    ``absent``
        Paths of elements that the page does not have.
    ``wrong``
        Values that are not meant, though rules may find them.
    ``repeat``, ``required``
        Paths of elements, and of groups, that are so from now on.
    ``whole``
        Paths of groups of which the page has no other records than those said.
    """

    said: tuple[Said, ...] = ()
    elements: tuple[Said, ...] = ()
    absent: tuple[str, ...] = ()
    wrong: tuple[Said, ...] = ()
    repeat: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


def read_said(texts: Iterable[str], option: str) -> tuple[Said, ...]:
    """Read what an option was given.

    Raises:
        ArgumentError: one is not ``name=value`` or ``name:type=value``, or says nothing.
    """
    return tuple(_read_one(text, option) for text in texts)


def _read_one(text: str, option: str) -> Said:
    found = _SAID.fullmatch(text)
    path = found[1].strip().strip("/") if found else ""
    if found is None or not path:
        raise ArgumentError(f"{option} {text!r} is no NAME=VALUE; give one such as price=12.50")
    kind, value = (found[2] or "").strip(), fold(found[3])
    if kind and kind not in _TYPES:
        near = difflib.get_close_matches(kind, _TYPES, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else "."
        raise ArgumentError(
            f"{option} {text!r}: there is no type '{kind}'{hint} The types are: {', '.join(_TYPES)}"
        )
    if not value:
        raise ArgumentError(
            f"{option} {text!r} has no value; where a page has none, say --absent {path}"
        )
    return Said(path, kind, value)


def read_elements(texts: Iterable[str]) -> tuple[Said, ...]:
    """Read what ``--element`` was given: ``name`` or ``name:type``.

    Raises:
        ArgumentError: there is no such type.
    """
    # The value is of no use, and has to be one.
    return read_said((f"{text}=-" for text in texts), "--element")


def read_shape(lesson: Lesson, root: str) -> Element:
    """Return the schema of a project that begins with this lesson.

    Raises:
        ArgumentError: no schema can be made of its names.
    """
    return with_elements(Element(root, GROUP), lesson)


def with_elements(schema: Element, lesson: Lesson) -> Element:
    """Return a schema that has all elements a lesson names, and is as it says.

    A new element of a page repeats where the lesson has several values of it; a new group repeats.

    Raises:
        ArgumentError: the lesson contradicts the schema, or a name is no name of an element.
    """
    known = dict(elements_of(schema))
    counts: dict[str, int] = {}
    for said in lesson.said:
        counts[said.path] = counts.get(said.path, 0) + 1
    # Groups of records first: what stands within their records is grown into them.
    named = (*lesson.said, *lesson.elements, *lesson.wrong)
    for said in sorted(named, key=lambda one: one.path.count("/")):
        schema = _grown(schema, said.path, said.type)
        # Of a record an element has one value, unless it is said to repeat.
        if said.path not in known and counts.get(said.path, 0) > 1 and not said.group:
            schema = _changed(schema, said.path, repeat=True)
    for path in lesson.absent:
        schema = _grown(schema, path, "")
    for path in lesson.repeat:
        schema = _changed(schema, path, repeat=True)
    for path in lesson.required:
        schema = _changed(schema, path, required=True)
    check_schema(schema)
    return schema


def _grown(around: Element, path: str, kind: str) -> Element:
    name, _, rest = path.partition("/")
    known = {child.name: child for child in around.elements}
    child = known.get(name)
    if child is None:
        # What stands right in a group is of its records; groups around that are there once.
        child = (
            Element(name, GROUP, repeat="/" not in rest) if rest else Element(name, kind or "text")
        )
    elif kind and not rest and child.type != kind:
        raise ArgumentError(
            f"'{path}' is of the type '{child.type}' in the schema, and is called '{kind}' now; "
            "leave the type out, or change it in the project file"
        )
    elif rest and child.type != GROUP:
        raise ArgumentError(f"'{name}' holds no elements in the schema, so '{path}' has no place")
    elif not rest and child.type == GROUP:
        raise ArgumentError(
            f"'{name}' is a group; name an element of it, such as "
            f"{name}/{child.elements[0].name if child.elements else 'title'}"
        )
    if rest:
        child = _grown(child, rest, kind)
    children = {**known, name: child}
    return replace(around, elements=tuple(children.values()))


def _changed(
    around: Element, path: str, *, repeat: bool = False, required: bool = False
) -> Element:
    name, _, rest = path.strip("/").partition("/")
    known = {child.name: child for child in around.elements}
    if name not in known:
        have = ", ".join(known) or "nothing"
        raise ArgumentError(f"there is no '{name}' in '{around.name}'; it has: {have}")
    child = known[name]
    known[name] = (
        _changed(child, rest, repeat=repeat, required=required)
        if rest
        else replace(child, repeat=repeat or child.repeat, required=required or child.required)
    )
    return replace(around, elements=tuple(known.values()))


def teach(project: Project, tree: PageTree, lesson: Lesson) -> Project:
    """Return a project that has learned all that is said of a page.

    The records of a group are told apart by their order: one ends where an element that does not
    repeat is named again.

    Raises:
        ArgumentError: the page does not say a value, a value does not belong where it is said to,
            or several are said where one can be. Nothing is learned then.
    """
    project = replace(project, schema=with_elements(project.schema, lesson))
    by_group = _by_group(project, lesson)
    _check_absent(lesson)
    _check_whole(lesson, by_group)
    # A list within records is looked for in those, which have to be known first.
    for group, records in sorted(by_group.items(), key=lambda one: one[0].count("/")):
        _check_records(tree, group, records)
        whole = group in lesson.whole
        done = learn_records(project, tree, group, records, whole=whole)
        _check_said(tree, done.not_said)
        project = done.project
    values = _of_page(project, lesson)
    refused = dict.fromkeys(said.path for said in lesson.wrong)
    lacking: dict[str, list[str]] = {path: [] for path in lesson.absent if path not in refused}
    done = learn_values(project, tree, {**values, **lacking})
    _check_said(tree, done.not_said)
    project = done.project
    for path in refused:
        project = _refused(project, tree, lesson, path)
    return checked(project)


def _of_page(project: Project, lesson: Lesson) -> dict[str, list[str]]:
    refused = {said.path for said in lesson.wrong}
    values: dict[str, list[str]] = {}
    for said in lesson.said:
        if _is_of_page(project, said.path):
            values.setdefault(said.path, []).append(said.value)
    for path, its in values.items():
        if len(its) > 1 and not project.element(path).repeat:
            raise ArgumentError(
                f"'{path}' does not repeat, and has {len(its)} values here; add --repeat {path}"
            )
    # What has values that are not meant is taught by its nodes.
    return {path: its for path, its in values.items() if path not in refused}


def _is_of_page(project: Project, path: str) -> bool:
    steps = path.split("/")[:-1]
    around = ["/".join(steps[:end]) for end in range(1, len(steps) + 1)]
    return not any(project.element(group).repeat or group in project.rules for group in around)


def _by_group(project: Project, lesson: Lesson) -> dict[str, list[dict[str, list[str]]]]:
    records: dict[str, list[dict[str, list[str]]]] = {}
    for said in lesson.said:
        if _is_of_page(project, said.path):
            continue
        its = records.setdefault(said.group, [{}])
        if said.name in its[-1] and not project.element(said.path).repeat:
            its.append({})
        its[-1].setdefault(said.name, []).append(said.value)
    return records


def _check_absent(lesson: Lesson) -> None:
    for path in lesson.absent:
        if any(said.path == path for said in lesson.said):
            raise ArgumentError(f"'{path}' has a value here, and is said to be absent; say one")


def _check_whole(lesson: Lesson, by_group: Mapping[str, object]) -> None:
    for group in lesson.whole:
        if group not in by_group:
            raise ArgumentError(
                f"--whole {group} speaks of its records; say at least one: "
                f"--field {group}/NAME=VALUE"
            )


def _check_records(
    tree: PageTree, group: str, records: Iterable[Mapping[str, Sequence[str]]]
) -> None:
    view = View(tree)
    values = [
        (f"{group}/{name}", value)
        for record in records
        for name, its in record.items()
        for value in its
    ]
    _check_said(tree, [said for said in values if not places_of(view, said[1])[1]])


def _check_said(tree: PageTree, not_said: Sequence[tuple[str, str]]) -> None:
    if not not_said:
        return
    texts = [text for text in dict.fromkeys(tree.texts) if 0 < len(text) <= _NEAR_CHARS]
    told = []
    for path, value in not_said:
        near = [text for text in texts if value in text][:1] or difflib.get_close_matches(
            value[:_NEAR_CHARS], texts[:5_000], n=1
        )
        told.append(f"{path}={value}" + (f" (it says '{near[0]}')" if near else ""))
    raise ArgumentError(
        f"the page does not say {'; nor '.join(told)}. Give values as the page has them, or as "
        "its links and pictures have them"
    )


def _refused(project: Project, tree: PageTree, lesson: Lesson, path: str) -> Project:
    """Teach an element the nodes of its values, and those that are not meant."""
    if not _is_of_page(project, path):
        raise ArgumentError(f"'{path}' is of records; --wrong is for elements of the page")
    right = [said.value for said in lesson.said if said.path == path]
    if not right and path not in lesson.absent:
        raise ArgumentError(
            f"--wrong {path}=… says what is not meant; say also what is, by --field {path}=…, or "
            f"that the page has none, by --absent {path}"
        )
    view = View(tree)
    places = [places_of(view, value) for value in right]
    _check_said(
        tree,
        [(path, value) for value, (_, nodes) in zip(right, places, strict=True) if not nodes],
    )
    kinds = {kind for kind, _ in places}
    if len(kinds) > 1:
        raise ArgumentError(f"'{path}': some values are texts and some are not; teach them apart")
    refused = [said.value for said in lesson.wrong if said.path == path]
    kind = kinds.pop() if kinds else places_of(view, refused[0])[0]
    wrong = [node for node in nodes_of(view, kind) if value_of(view, node, kind) in refused]
    said = {value_of(view, node, kind) for node in wrong}
    _check_said(tree, [(path, value) for value in refused if value not in said])
    nodes = [node for _, its in places for node in its]
    return learn_nodes(project, tree, path, nodes, kind=kind, wrong=wrong)
