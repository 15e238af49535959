"""``scrapy wrap learn``: teach a project what a person says of a page."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import accumulate
from pathlib import Path

from crawler.core.errors import ArgumentError, FetchError
from crawler.core.wording import counted, did_you_mean, fit_width, pad_width, width_of
from crawler.core.wrapper.editing import change_element
from crawler.core.wrapper.example_nodes import find_value
from crawler.core.wrapper.learning import learn_nodes, learn_records, learn_values
from crawler.core.wrapper.output import NO_FIT, Node, apply_project
from crawler.core.wrapper.project import (
    DEFAULT_MATCHER,
    GROUP,
    TYPES,
    Element,
    Project,
    Script,
    checked,
    elements_of,
    new_project,
)
from crawler.core.wrapper.project_file import write_project
from crawler.core.wrapper.tree import PageTree, fold, read_tree
from crawler.core.wrapper.view import View
from crawler.store.files import write_whole
from crawler.wrapper.project_store import (
    Inputs,
    check_name,
    keep_page,
    load_project,
    load_schema,
    read_text,
)
from crawler.wrapper.running import Wrapped

_VALUE = re.compile(r"([^=:]+)(?::([^=:]+))?=(.*)", re.DOTALL)
_NEAR_CHARS = 200
# A group is made by naming an element of it.
_TYPES = tuple(kind for kind in TYPES if kind != GROUP)
_SHOWN_VALUES = 3


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
class Lesson:
    """The options of ``scrapy wrap learn PROJECT PAGE``: what a person says of one page.

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
    ``script``, ``nodes``
        A file of JavaScript to be run from now on, and the elements whose nodes it is called with.
    """

    values: tuple[FieldValue, ...] = ()
    elements: tuple[FieldValue, ...] = ()
    absent: tuple[str, ...] = ()
    wrong: tuple[FieldValue, ...] = ()
    repeat: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    schema: Path | None = None
    matcher: str | None = None
    script: Path | None = None
    nodes: tuple[str, ...] = ()


def read_values(texts: Iterable[str], option: str) -> tuple[FieldValue, ...]:
    """Read the arguments of an option, ``name=value`` or ``name:type=value``.

    Raises:
        ArgumentError: one has another form, or its value is empty.
    """
    values = []
    for text in texts:
        found = _VALUE.fullmatch(text)
        path = found[1].strip().strip("/") if found else ""
        if found is None or not path:
            raise ArgumentError(f"{option} {text!r} is no NAME=VALUE; give one such as price=12.50")
        kind, value = (found[2] or "").strip(), fold(found[3])
        if kind and kind not in _TYPES:
            raise ArgumentError(
                f"{option} {text!r}: there is no type '{kind}'{did_you_mean(kind, _TYPES)}; the "
                f"types are: {', '.join(_TYPES)}"
            )
        if not value:
            raise ArgumentError(
                f"{option} {text!r} has no value; where a page has none, give --absent {path}"
            )
        values.append(FieldValue(path, kind, value))
    return tuple(values)


def read_lesson(opts: argparse.Namespace) -> Lesson:
    """Read the options of ``scrapy wrap learn``.

    Raises:
        ArgumentError: a value has a wrong form, or nothing is said.
    """
    lesson = Lesson(
        values=read_values(opts.field, "--field"),
        # Their value is not used, and must not be empty.
        elements=read_values([f"{text}=-" for text in opts.element], "--element"),
        absent=tuple(opts.absent),
        wrong=read_values(opts.wrong, "--wrong"),
        repeat=tuple(opts.repeat),
        required=tuple(opts.required),
        whole=tuple(opts.whole),
        schema=opts.schema and Path(opts.schema),
        script=opts.script and Path(opts.script),
    )
    if lesson == Lesson():
        raise ArgumentError("give values of the page: --field NAME=VALUE, as often as you like")
    nodes = tuple(name for part in opts.nodes for name in part.split(",") if name)
    return replace(lesson, matcher=opts.matcher, nodes=nodes)


def learn_page(path: Path, lesson: Lesson, inputs: Inputs) -> Iterator[tuple[str, bool]]:
    """Teach a project what is said of a page, and yield lines on what it finds there by itself.

    Each line comes with True, as :func:`~crawler.wrapper.run_project.check_project` has it. Nothing
    is written where a value cannot be learned.

    Args:
        path: the project file, new or not.
        lesson: what is said.
        inputs: the page; none where only elements and scripts are added.

    Raises:
        CorpusError: the call is wrong, the page does not have a value, or a file cannot be read or
            written.
    """
    check_name(path)
    project = _project(path, lesson)
    if inputs.names and not inputs.is_one_page:
        raise ArgumentError("a lesson is of one page; name one saved page or address")
    page = next((page for _, page in inputs.pages(_refuse_skip)), None)
    tree = None if page is None else read_tree(page)
    if tree is not None:
        project = _teach(project, tree, lesson)
    elif lesson.values or lesson.absent or lesson.wrong or lesson.whole:
        raise ArgumentError("name the page that says this, a file or an address")
    else:
        project = _with_elements(project, lesson)
    if lesson.script is not None:
        script = Script(read_text(lesson.script).rstrip("\n"), lesson.nodes)
        others = tuple(action for action in project.actions if action != script)
        project = checked(replace(project, actions=(*others, script)))
    # A project that cannot be written is reported before its pages are touched.
    write_whole(path, [write_project(project).encode("utf-8")])
    if page is not None:
        keep_page(path, page)
    yield f"{path} has {counted(len(project.rules), 'rule')}", True
    for line in _findings(project, tree) if tree is not None else ():
        yield line, True


def _refuse_skip(_name: str, reason: str, detail: str) -> None:
    raise (FetchError if reason == "not-fetched" else ArgumentError)(detail)


def _project(path: Path, lesson: Lesson) -> Project:
    """Return the project before it learns: that of the file, or a new one."""
    schema = None if lesson.schema is None else load_schema(lesson.schema)
    if not path.exists():
        # What the lesson names is added to it.
        schema = schema or Element("page", GROUP)
        return new_project(schema, matcher=lesson.matcher or DEFAULT_MATCHER)
    project = load_project(path)
    if lesson.matcher not in {None, project.matcher}:
        raise ArgumentError(
            f"{path} is taught by the matcher '{project.matcher}'; begin another project to use "
            f"'{lesson.matcher}'"
        )
    return checked(replace(project, schema=schema or project.schema))


def _with_elements(project: Project, lesson: Lesson) -> Project:
    """Return a project with all elements that are named.

    A new element of the page repeats if several values of it are given; a new group repeats.

    Raises:
        ArgumentError: a name or type contradicts the schema, or a name is no XML name.
    """
    schema, known = project.schema, dict(elements_of(project.schema))
    counts = Counter(field.path for field in lesson.values)
    # Groups of records first: elements within their records are added to them.
    named = (*lesson.values, *lesson.elements, *lesson.wrong)
    for field in sorted(named, key=lambda one: one.path.count("/")):
        schema = _with_path(schema, field.path, field.type)
    for path in lesson.absent:
        schema = _with_path(schema, path)
    project = checked(replace(project, schema=schema))
    # A record has one value of an element, unless the element is said to repeat.
    several = [path for path in counts if counts[path] > 1 and "/" not in path]
    for path in (*lesson.repeat, *(path for path in several if path not in known)):
        project = change_element(project, path.strip("/"), repeat=True)
    for path in lesson.required:
        project = change_element(project, path.strip("/"), required=True)
    return project


def with_element(group: Element, path: str, element: Element, *, records: bool = False) -> Element:
    """Return a group with an element at a path below it; groups around it are made.

    Args:
        group: the group.
        path: the path of the element within the group.
        element: the element, in the place of one of the same name.
        records: whether the innermost of the groups that are made repeats.

    Raises:
        ArgumentError: an element on the way is no group.
    """
    name, _, rest = path.partition("/")
    known = {child.name: child for child in group.elements}
    if rest:
        inner = known.get(name, Element(name, GROUP, repeat=records and "/" not in rest))
        if inner.type != GROUP:
            raise ArgumentError(
                f"'{name}' holds no elements, so '{path}' has no place; choose another one"
            ).about("no-group", name)
        element = with_element(inner, rest, element, records=records)
    return replace(group, elements=tuple({**known, name: element}.values()))


def _with_path(schema: Element, path: str, kind: str = "") -> Element:
    """Return a schema that has a path, of a type where that is not empty."""
    known = dict(elements_of(schema)).get(path)
    name = path.rpartition("/")[2]
    if known is None:
        return with_element(schema, path, Element(name, kind or "text"), records=True)
    if kind and known.type != kind:
        raise ArgumentError(
            f"'{path}' is of the type '{known.type}' in the schema, and is called '{kind}' now; "
            "leave the type out, or change it in the project file"
        )
    if known.type == GROUP:
        inner = known.elements[0].name if known.elements else "title"
        raise ArgumentError(f"'{name}' is a group; name an element of it, such as {name}/{inner}")
    return schema


def _teach(project: Project, tree: PageTree, lesson: Lesson) -> Project:
    """Return a project that has learned all that is said of a page.

    A record of a group ends where an element that does not repeat is named again.

    Raises:
        ArgumentError: the page does not have a value, a value does not belong where it is said to
            be, or there are several where there can be one. Nothing is learned then.
    """
    project = _with_elements(project, lesson)
    values: dict[str, list[str]] = {}
    records: dict[str, list[dict[str, list[str]]]] = {}
    for field in lesson.values:
        if _is_of_page(project, field.path):
            values.setdefault(field.path, []).append(field.value)
            continue
        group, _, name = field.path.rpartition("/")
        its = records.setdefault(group, [{}])
        if name in its[-1] and not project.element(field.path).repeat:
            its.append({})
        its[-1].setdefault(name, []).append(field.value)
    wrong: dict[str, list[str]] = {}
    for field in lesson.wrong:
        wrong.setdefault(field.path, []).append(field.value)
    _check(project, lesson, values, records)
    # A list within records is looked for within those, which have to be known first.
    for group, found in sorted(records.items(), key=lambda one: one[0].count("/")):
        learned = learn_records(project, tree, group, found, whole=group in lesson.whole)
        _check_found(tree, learned.not_found)
        project = learned.project
    # Elements with values that are not meant are taught by their nodes.
    by_value = {**values, **{path: list[str]() for path in lesson.absent}}
    right = {path: its for path, its in by_value.items() if path not in wrong}
    learned = learn_values(project, tree, right)
    _check_found(tree, learned.not_found)
    project = learned.project
    for path, refused in wrong.items():
        project = _refuse(project, tree, path, values.get(path, []), refused)
    return checked(project)


def _is_of_page(project: Project, path: str) -> bool:
    groups = accumulate(path.split("/")[:-1], "{}/{}".format)
    return not any(project.element(group).repeat or group in project.rules for group in groups)


def _check(
    project: Project, lesson: Lesson, values: dict[str, list[str]], groups: Collection[str]
) -> None:
    """Refuse what contradicts itself or the schema; records of ``groups`` are given."""
    given = {field.path for field in lesson.values}
    for path in lesson.absent:
        if path in given:
            raise ArgumentError(f"'{path}' has a value here, and is absent too; give one of both")
    for group in lesson.whole:
        if group not in groups:
            raise ArgumentError(f"--whole {group} needs a record of it: --field {group}/NAME=VALUE")
    for path, its in values.items():
        if len(its) > 1 and not project.element(path).repeat:
            raise ArgumentError(
                f"'{path}' does not repeat, and has {len(its)} values here; add --repeat {path}"
            )
    for path in (field.path for field in lesson.wrong):
        if not _is_of_page(project, path):
            raise ArgumentError(f"'{path}' is of records; --wrong is for elements of the page")
        if path not in values and path not in lesson.absent:
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
            value[:_NEAR_CHARS], texts[:5_000], n=1
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
    nodes = {node: view.value(node, kind) for node in view.nodes(kind)}
    _check_found(tree, [(path, value) for value in wrong if value not in nodes.values()])
    meant = [node for _, its in places.values() for node in its]
    refused = [node for node, value in nodes.items() if value in wrong]
    return learn_nodes(project, tree, path, meant, kind=kind, wrong=refused)


def _findings(project: Project, tree: PageTree) -> Iterator[str]:
    """Describe what the rules find on the page they were just taught, and their confidence."""
    result = apply_project(project, tree, remember=False)
    width = max((width_of(path) for path in project.rules), default=0)
    for path in project.paths:
        found = result.found.get(path, ())
        name = pad_width(path, width)
        if not found:
            yield f"  {name}  nothing found"
            continue
        confidence = min(node.confidence for node in found)
        records = len(result.found.get(project.record_of(path), ()))
        few = len(found) < records and not project.element(path).repeat
        lacking = f", in {len(found):,} of {counted(records, 'record')}" if few else ""
        yield f"  {name}  {fit_width(_values(found), 90)}  ({confidence:.2f}){lacking}"
    for kind, line, *_ in Wrapped(result).told():
        yield f"by themselves the rules find too little here: {line}" if kind == NO_FIT else line


def _values(found: Sequence[Node]) -> str:
    if found[0].children or found[0].value is None:
        return counted(len(found), "record")
    values = [fit_width(str(node.value), 60) for node in found[:_SHOWN_VALUES]]
    more = f" and {len(found) - _SHOWN_VALUES} more" if len(found) > _SHOWN_VALUES else ""
    return " | ".join(values) + more
