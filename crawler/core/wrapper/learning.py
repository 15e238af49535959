"""Examples for a project: from values that a page has, or from nodes that a person points at.

The rules themselves learn from these examples in ``rules.py``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.example_nodes import (
    Example,
    example_of_nodes,
    example_of_values,
    find_value,
)
from crawler.core.wrapper.project import GROUP, Project
from crawler.core.wrapper.rules import RecordRule, example_of_records, similar_siblings
from crawler.core.wrapper.tree import TEXT_NODE, PageTree, fold
from crawler.core.wrapper.view import View


@dataclass(frozen=True, slots=True)
class Learned:
    """A project that has learned from a page.

    ``not_found`` are elements and values that the page does not have; they taught nothing.
    """

    project: Project
    not_found: tuple[tuple[str, str], ...] = ()


def learn_values(project: Project, tree: PageTree, values: Mapping[str, Sequence[str]]) -> Learned:
    """Teach elements the values they have on a page.

    An element with no values learns that a page can lack it. Elements of records are taught by
    :func:`learn_records`.

    Raises:
        ArgumentError: there is no such element, or it is a group.
    """
    return _learn(project, [(View.of(tree), values)])


def learn_records(
    project: Project,
    tree: PageTree,
    group: str,
    records: Sequence[Mapping[str, Sequence[str]]],
    *,
    whole: bool = False,
) -> Learned:
    """Teach a group its records, and the elements of it their values, from values alone.

    A record is the smallest element that has all its values; or else the nearest element around
    that one with a similar element beside it.

    Args:
        project: the project.
        tree: the page.
        group: path of the group.
        records: values of each record, by the names of elements within the group.
        whole: whether the page has no other records.

    Returns:
        The project, or the values that the page does not have; nothing is learned then.

    Raises:
        ArgumentError: there is no such group, or a record has no values.
    """
    _check_group(project, group)
    view = View.of(tree)
    found = [
        [
            (f"{group}/{name}", value, find_value(view, fold(value))[1])
            for name, values in record.items()
            for value in values
        ]
        for record in records
    ]
    missing = [(path, value) for record in found for path, value, nodes in record if not nodes]
    if missing:
        return Learned(project, tuple(missing))
    if not all(found):
        raise ArgumentError(f"'{group}': a record has no values; give some")
    nodes = [
        _record_with(project, view, [nodes for _, _, nodes in record], group) for record in found
    ]
    project = learn_record_nodes(project, tree, group, nodes, whole=whole)
    return _learn(
        project,
        [
            (
                View(tree, node),
                {f"{group}/{name}": values for name, values in record.items()},
            )
            for node, record in zip(nodes, records, strict=True)
        ],
    )


def learn_record_nodes(
    project: Project,
    tree: PageTree,
    group: str,
    nodes: Iterable[int],
    *,
    whole: bool = False,
) -> Project:
    """Teach a group its records by their elements.

    A group within the records of another group is taught after that one: its records are looked
    for within each record of the other.

    Args:
        project: the project.
        tree: the page.
        group: path of the group.
        nodes: the elements of records.
        whole: whether the page has no other records.

    Raises:
        ArgumentError: there is no such group; a node is no element, or is in no record of the
            group around.
    """
    _check_group(project, group)
    known = project.rules.get(group)
    rule = known if isinstance(known, RecordRule) else RecordRule.learn(())
    by_record: dict[int, list[int]] = {}
    for node in nodes:
        by_record.setdefault(_record_around(project, tree, group, node), []).append(node)
    try:
        examples = [
            example_of_records(View.of(tree, record), its, whole=whole)
            for record, its in (by_record or {-1: []}).items()
        ]
    except ValueError as error:
        raise ArgumentError(f"'{group}': {error}; point at an element").about(
            "node-kind", group
        ) from error
    return project.with_rule(group, rule.learn_more(examples))


def learn_nodes(  # noqa: PLR0913 - an example has these parts, and most have a default
    project: Project,
    tree: PageTree,
    element: str,
    nodes: Iterable[int],
    *,
    kind: str = TEXT_NODE,
    wrong: Iterable[int] = (),
    record: int = -1,
) -> Project:
    """Teach an element the nodes that are meant, and those that are not.

    Args:
        project: the project.
        tree: the page.
        element: path of the element.
        nodes: nodes that are meant.
        kind: ``text`` for text nodes, ``element``, or ``@`` and the name of an attribute.
        wrong: nodes of that kind that are not meant.
        record: the record they are in; -1 for the page.

    Raises:
        ArgumentError: there is no such element, or a node is not of that kind.
    """
    rule = project.field_rule(element)
    try:
        example = example_of_nodes(View.of(tree, record), nodes, kind, wrong=wrong)
    except ValueError as error:
        raise ArgumentError(f"'{element}': {error}; point at another node").about(
            "node-kind", element
        ) from error
    return project.with_rule(element, rule.learn_more((example,)))


def _learn(project: Project, places: Iterable[tuple[View, Mapping[str, Sequence[str]]]]) -> Learned:
    """Teach values of pages or records: their views, and values by elements."""
    not_found: list[tuple[str, str]] = []
    learned: dict[str, list[Example]] = {}
    for view, values in places:
        for path, its in values.items():
            _check_field(project, path, view.root)
            example = example_of_values(view, its)
            found = {value.value for value in example.values}
            missing = [(path, value) for value in its if fold(value) not in found]
            not_found += missing
            # A page that has none of the values is no example of a page that lacks the element.
            if found or not missing:
                learned.setdefault(path, []).append(example)
    for path, examples in learned.items():
        # All at once takes as long as the last of them alone.
        project = project.with_rule(path, project.field_rule(path).learn_more(examples))
    return Learned(project, tuple(not_found))


def _check_field(project: Project, path: str, record: int) -> None:
    project.field_rule(path)
    in_record = bool(project.record_of(path))
    if in_record != (record >= 0):
        what = "is taught with its record" if in_record else "belongs to no record that was taught"
        raise ArgumentError(f"'{path}' {what}")


def _check_group(project: Project, group: str) -> None:
    if project.element(group).type != GROUP:
        raise ArgumentError(f"'{group}' is no group; only groups have records").about(
            "no-group", group
        )


def _record_around(project: Project, tree: PageTree, path: str, node: int) -> int:
    """Return the record around a node, of the group around an element; -1 for the page."""
    group = project.record_of(path)
    rule = project.rules.get(group)
    if not isinstance(rule, RecordRule):
        return -1
    view = View.of(tree, _record_around(project, tree, group, node))
    for record in rule.matches(view):
        if record.node < node < tree.ends[record.node]:
            return record.node
    place = tree.path(node) if 0 <= node < len(tree) else f"node {node}"
    raise ArgumentError(
        f"'{path}': {place} is in no record of '{group}'; teach '{group}' this page first"
    ).about("no-record", path, group)


def _record_with(project: Project, view: View, places: Sequence[Sequence[int]], group: str) -> int:
    """Return the element of the record that has a node of each list, of the nodes of a value."""
    tree = view.tree
    # The smallest element with all values: climb from each place of the rarest one.
    found = [_element_with(tree, node, places) for node in min(places, key=len)]
    best = min(found, key=lambda node: (tree.ends[node] - node, node))
    # The record is an element around it that has a similar one beside it.
    outside = _record_around(project, tree, group, best)
    here = best
    while tree.parents[here] != outside:
        if any(True for _ in similar_siblings(view, here)):
            return here
        here = tree.parents[here]
    return best


def _element_with(tree: PageTree, node: int, places: Sequence[Sequence[int]]) -> int:
    """Return the nearest element around a node with a node of each list, or the root.

    The lists are in document order.
    """
    here = node if tree.elements[node] is not None else tree.parents[node]
    while tree.parents[here] >= 0 and not all(
        bisect_left(nodes, here) < bisect_left(nodes, tree.ends[here]) for nodes in places
    ):
        here = tree.parents[here]
    return here
