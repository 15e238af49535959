"""Teaching a project: from values that a page says, or from nodes that somebody points at."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.best import BestRule
from crawler.core.wrapper.example_nodes import (
    TEXT_RUN,
    Survey,
    example_of_nodes,
    example_of_values,
    places_of,
)
from crawler.core.wrapper.records import RecordRule, example_of_records, looks_like
from crawler.core.wrapper.schema import GROUP
from crawler.core.wrapper.tree import fold
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.core.wrapper.example_nodes import Example
    from crawler.core.wrapper.project import Project
    from crawler.core.wrapper.tree import PageTree

__all__ = ["Lesson", "learn_nodes", "learn_record_nodes", "learn_records", "learn_values"]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A project that has learned from a page.

    ``not_said``
        Elements and the values that the page does not say, from which nothing was learned.
    """

    project: Project
    not_said: tuple[tuple[str, str], ...] = ()


def learn_values(project: Project, tree: PageTree, values: Mapping[str, Sequence[str]]) -> Lesson:
    """Teach elements the values they have on a page.

    An element with no values learns that a page can lack it. Elements of records are taught by
    :func:`learn_records`.

    Raises:
        ArgumentError: there is no such element, or it is a group.
    """
    return _taught(project, [(Survey(View(tree)), values, "")])


def learn_records(
    project: Project,
    tree: PageTree,
    group: str,
    records: Sequence[Mapping[str, Sequence[str]]],
    *,
    whole: bool = False,
) -> Lesson:
    """Teach a group its records, and the elements of it their values, from values alone.

    A record is the smallest element that says all values of one, together with what is around it
    up to an element that has its like beside it.

    Args:
        project: what is taught.
        tree: the page.
        group: path of the group.
        records: values of each record, by the names of elements within the group.
        whole: whether the page has no other records.

    Raises:
        ArgumentError: there is no such group; or no element says all values of a record.
    """
    _check_group(project, group)
    nodes = [_record_with(project, tree, record, group) for record in records]
    project = learn_record_nodes(project, tree, group, nodes, whole=whole)
    shown = [
        (
            Survey(View(tree, node)),
            {f"{group}/{name}": its for name, its in record.items()},
            tree.path(node),
        )
        for node, record in zip(nodes, records, strict=True)
    ]
    return _taught(project, shown)


def learn_record_nodes(
    project: Project, tree: PageTree, group: str, nodes: Iterable[int], *, whole: bool = False
) -> Project:
    """Teach a group its records by their elements.

    Records that stand in those of another group are learned as what is found within one of these,
    so that group has to be taught first.

    Raises:
        ArgumentError: there is no such group; a node is no element, or stands in no record of the
            group around.
    """
    _check_group(project, group)
    known = project.rules.get(group)
    rule = known if isinstance(known, RecordRule) else RecordRule.learned(())
    by_record: dict[int, list[int]] = {}
    for node in nodes:
        by_record.setdefault(_record_around(project, tree, group, node), []).append(node)
    try:
        examples = [
            example_of_records(Survey(View(tree, record)), its, whole=whole)
            for record, its in (by_record or {-1: []}).items()
        ]
    except ValueError as error:
        raise ArgumentError(f"'{group}': {error}; point at an element") from error
    return project.with_rule(group, rule.merged(examples))


def learn_nodes(  # noqa: PLR0913 - a lesson is these six, and most have a default
    project: Project,
    tree: PageTree,
    element: str,
    nodes: Iterable[int],
    *,
    kind: str = TEXT_RUN,
    wrong: Iterable[int] = (),
    record: int = -1,
) -> Project:
    """Teach an element the nodes that are meant, and those that are not.

    Args:
        project: what is taught.
        tree: the page.
        element: path of the element.
        nodes: nodes that are meant.
        kind: ``text`` for text nodes, ``element``, or ``@`` and the name of an attribute.
        wrong: nodes of that kind that are not meant.
        record: the record they stand in; -1 for the page.

    Raises:
        ArgumentError: there is no such element, or a node is not of that kind.
    """
    rule = project.field_rule(element)
    survey = Survey(View(tree, record))
    path = tree.path(record) if record >= 0 else ""
    try:
        example = example_of_nodes(survey, nodes, kind, wrong=wrong, record=path)
    except ValueError as error:
        raise ArgumentError(f"'{element}': {error}; point at another node") from error
    return project.with_rule(element, rule.taught(survey.view, example))


def _taught(
    project: Project, shown: Iterable[tuple[Survey, Mapping[str, Sequence[str]], str]]
) -> Lesson:
    """Teach values of pages or records: where to look, values by elements, the record's path."""
    not_said: list[tuple[str, str]] = []
    lessons: dict[str, list[tuple[View, Example]]] = {}
    for survey, values, record in shown:
        for path, its in values.items():
            _check_field(project, path, record)
            example = example_of_values(survey, its, record)
            said = {wanted.value for wanted in example.wanted}
            missing = [(path, value) for value in its if fold(value) not in said]
            not_said += missing
            # A page that says none of the values is no page that lacks them.
            if said or not missing:
                lessons.setdefault(path, []).append((survey.view, example))
    for path, its_lessons in lessons.items():
        rule = project.field_rule(path)
        if isinstance(rule, BestRule):
            # Learning takes as long for all at once as for the last of them.
            rule = rule.merged(example for _, example in its_lessons)
        else:
            for view, example in its_lessons:
                rule = rule.taught(view, example)
        project = project.with_rule(path, rule)
    return Lesson(project, tuple(not_said))


def _check_field(project: Project, path: str, record: str) -> None:
    project.field_rule(path)
    if bool(project.record_of(path)) != bool(record):
        raise ArgumentError(
            f"'{path}' is taught with its record"
            if project.record_of(path)
            else f"'{path}' belongs to no record that was taught"
        )


def _check_group(project: Project, group: str) -> None:
    if project.element(group).type != GROUP:
        raise ArgumentError(f"'{group}' is no group; only groups have records")


def _record_around(project: Project, tree: PageTree, path: str, node: int) -> int:
    """Return the record of the group around an element in which a node stands; -1 for the page."""
    around = project.record_of(path)
    rule = project.rules.get(around)
    if not isinstance(rule, RecordRule):
        return -1
    view = View(tree, _record_around(project, tree, around, node))
    for record in rule.records(view):
        if record.node < node < tree.ends[record.node]:
            return record.node
    place = tree.path(node) if 0 <= node < len(tree) else f"node {node}"
    raise ArgumentError(
        f"'{path}': {place} stands in no record of '{around}'; teach '{around}' this page first"
    )


def _record_with(
    project: Project, tree: PageTree, record: Mapping[str, Sequence[str]], group: str
) -> int:
    """Return the element of the record that says these values."""
    view = View(tree)
    wanted = [(name, fold(value)) for name, values in record.items() for value in values]
    places = [places_of(view, value)[1] for _, value in wanted]
    if not wanted or not all(places):
        unsaid = [
            f"{name}={value}" for (name, value), its in zip(wanted, places, strict=True) if not its
        ]
        raise ArgumentError(
            f"'{group}': the page does not say {', '.join(unsaid) or 'anything'}; give values as "
            "the page has them"
        )
    # The smallest element that has all values: climb from each place of the rarest one.
    rarest = min(places, key=len)
    found = [_climbed(tree, node, places) for node in rarest]
    best = min(found, key=lambda node: (tree.ends[node] - node, node))
    return _with_likes(view, best, _record_around(project, tree, group, best))


def _climbed(tree: PageTree, node: int, places: Sequence[Sequence[int]]) -> int:
    """Return the nearest element around a node that has one of each list of places, or the root.

    Places are in document order.
    """
    here = node if tree.elements[node] is not None else tree.parents[node]
    while tree.parents[here] >= 0 and not all(
        bisect_left(its, here) < bisect_left(its, tree.ends[here]) for its in places
    ):
        here = tree.parents[here]
    return here


def _with_likes(view: View, node: int, record: int) -> int:
    """Return the nearest element around a node that has its like beside it, else the node.

    Only elements within ``record`` are looked at; -1 for all of the page.
    """
    tree = view.tree
    here = node
    while tree.parents[here] != record:
        around = tree.parents[here]
        child = around + 1
        while child < tree.ends[around]:
            if (
                child != here
                and tree.names[child] == tree.names[here]
                and looks_like(view, here, child)
            ):
                return here
            child = tree.ends[child]
        here = around
    return node
