"""The operations of the studio: each takes a project and a message, and gives a new project."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from crawler.core.errors import ArgumentError, UnreadableInputError
from crawler.core.wrapper.editing import (
    change_element,
    move_element,
    remove_element,
    remove_examples,
    rename_element,
)
from crawler.core.wrapper.example_nodes import Example
from crawler.core.wrapper.learning import learn_nodes, learn_record_nodes
from crawler.core.wrapper.project import (
    GROUP,
    Element,
    Project,
    Rule,
    Script,
    checked,
    convert,
    elements_of,
)
from crawler.core.wrapper.project_file import read_project, write_project
from crawler.core.wrapper.rules import RecordRule
from crawler.core.wrapper.tree import PageTree
from crawler.core.wrapper.view import View
from crawler.studio.journal import Label
from crawler.studio.messages import Message
from crawler.studio.pages import OpenPage
from crawler.wrapper.learn_page import with_element

Pages = Callable[[int], OpenPage]
"""Returns the open page of a number."""

NEXT: Final = "next"
"""The name of the element that has the address of the next page of a list."""

Edit = Callable[[Project, Message, Pages], tuple[Project, Label]]


def added(project: Project, path: str, element: Element) -> Project:
    """Return a project with an element at a path; one that is there already stays as it is."""
    if path in dict(elements_of(project.schema)):
        return project
    return checked(replace(project, schema=with_element(project.schema, path, element)))


def teach(project: Project, message: Message, pages: Pages) -> tuple[Project, Label]:
    """Teach an element the nodes that were clicked; it is made where it is new.

    On a page that was taught before, the new nodes take the place of the old ones, or are added to
    them where the element repeats. Without nodes, the page lacks the element, or the record around
    the node ``within`` does. An element of numbers or dates becomes one of texts where a node is of
    another type.
    """
    path, kind = message.part("path", str).strip("/"), message.part("kind", str)
    page = pages(message.part("page", int))
    tree = page.tree
    nodes = [page.check(node) for node in message.all("nodes", int)]
    is_new = path not in dict(elements_of(project.schema))
    if is_new:
        name, its_type = path.rpartition("/")[2], message.part("type", str, "text")
        repeat, required = (
            message.part("repeat", bool, default=False),
            message.part("required", bool, default=False),
        )
        project = added(project, path, Element(name, its_type, repeat, required))
    if not nodes:
        record = record_around(project, path, page, message.part("within", int, -1))
        project = _without(project, path, tree, record)
        return learn_nodes(project, tree, path, [], record=record), ("step.absent", path)
    record = record_around(project, path, page, nodes[0])
    wrong = [page.check(node) for node in message.all("wrong", int)]
    if project.element(path).repeat:
        nodes = sorted({*nodes, *_taught(project, path, tree, record, kind)} - set(wrong))
    project = _without(project, path, tree, record)
    project = learn_nodes(project, tree, path, nodes, kind=kind, wrong=wrong, record=record)
    if any(not _is_typed(project.element(path).type, tree, node, kind) for node in nodes):
        project = change_element(project, path, kind="text")
    return project, ("step.add" if is_new else "step.teach", path)


def _is_typed(type_: str, tree: PageTree, node: int, kind: str) -> bool:
    """Return whether a value that was clicked is of a type, which may have been a guess."""
    text = tree.attribute(node, kind[1:]) if kind.startswith("@") else tree.value(node)
    return type_ not in {"number", "integer", "date"} or convert(text or "", type_) is not None


def teach_records(project: Project, message: Message, pages: Pages) -> tuple[Project, Label]:
    """Teach a group its records, and make the fields that were confirmed in one of them.

    ``nodes`` are elements of records, ``fields`` the fields: name, kind, type, and the node of each
    in one record.
    """
    path = message.part("path", str).strip("/")
    page = pages(message.part("page", int))
    tree = page.tree
    nodes = [page.check(node) for node in message.all("nodes", int)]
    project = added(project, path, Element(path.rpartition("/")[2], GROUP, repeat=True))
    outer = record_around(project, path, page, nodes[0] if nodes else -1)
    project = _without(project, path, tree, outer)
    whole = message.part("whole", bool, default=False)
    project = learn_record_nodes(project, tree, path, nodes, whole=whole)
    for field in map(Message, message.all("fields", dict)):
        name = field.part("name", str)
        its = f"{path}/{name}"
        project = added(project, its, Element(name, field.part("type", str, "text")))
        for node in field.all("nodes", int):
            record = record_around(project, its, page, page.check(node))
            project = _without(project, its, tree, record)
            kind = field.part("kind", str)
            project = learn_nodes(project, tree, its, [node], kind=kind, record=record)
    if message.has("next"):
        link = [page.check(message.part("next", int))]
        project = _without(added(project, NEXT, Element(NEXT, "url")), NEXT, tree, -1)
        project = learn_nodes(project, tree, NEXT, link, kind="@href")
    return checked(project), ("step.records", path)


def record_around(project: Project, path: str, page: OpenPage, node: int) -> int:
    """Return the record in which an element is looked for: the one around a node; -1 for the page.

    Without a node (-1) it is the first record of the page.

    Raises:
        ArgumentError: the node is in no record, or the page has none.
    """
    group = project.record_of(path)
    rule = project.rules.get(group)
    if not isinstance(rule, RecordRule):
        return -1
    view = View(page.tree, record_around(project, group, page, node))
    for record in page.memory.matches(rule, view, remember=True):
        if node < 0 or record.node <= node < page.tree.ends[record.node]:
            return record.node
    raise ArgumentError(
        f"'{path}' belongs to the records of '{group}', and this is in none of them; click within "
        f"a record, or teach '{group}' this one first"
    ).about("no-record", path, group)


def _examples_at(rule: Rule | None, tree: PageTree, record: int) -> list[Example]:
    place = (tree.fingerprint, tree.path(record))
    return [its for its in rule.examples if (its.page, its.record) == place] if rule else []


def _taught(project: Project, path: str, tree: PageTree, record: int, kind: str) -> Iterable[int]:
    """Yield the nodes of one kind that an element was taught on a page."""
    view = View(tree, record)
    for example in _examples_at(project.rules.get(path), tree, record):
        for value in example.values:
            node = view.find(value.nodes[0].path)
            if node is not None and value.nodes[0].kind == kind:
                yield node


def _without(project: Project, path: str, tree: PageTree, record: int) -> Project:
    """Return a project that forgot what an element was taught at a place, to be taught anew there.

    What was learned within the records of a group stays.
    """
    rule = project.rules.get(path)
    gone = _examples_at(rule, tree, record)
    if rule is None or not gone:
        return project
    return project.with_rule(path, rule.learn(its for its in rule.examples if its not in gone))


def forget_example(project: Project, message: Message, _: Pages) -> tuple[Project, Label]:
    """Take an example of an element back: what was learned follows."""
    path, at = message.part("path", str), message.part("at", int)
    rule = project.rules.get(path)
    if rule is None or not 0 <= at < len(rule.examples):
        raise ArgumentError(f"'{path}' has no such example any more").about("example-gone", path)
    return remove_examples(project, path, [rule.examples[at]]), ("step.forget", path)


def rename(project: Project, message: Message, _: Pages) -> tuple[Project, Label]:
    """Give an element another name."""
    path, name = message.part("path", str), message.part("name", str).strip()
    return rename_element(project, path, name), ("step.rename", path, name)


def move(project: Project, message: Message, _: Pages) -> tuple[Project, Label]:
    """Give an element another place among those of its group, or of the group ``into``."""
    path, place = message.part("path", str), max(message.part("to", int), 0)
    into = message.part("into", str) if message.has("into") else None
    return move_element(project, path, place, into), ("step.move", path)


def remove(project: Project, message: Message, _: Pages) -> tuple[Project, Label]:
    """Remove an element with all that it learned."""
    path = message.part("path", str)
    return remove_element(project, path), ("step.remove", path)


def change(project: Project, message: Message, _: Pages) -> tuple[Project, Label]:
    """Change the type of an element, and whether it repeats and is required."""
    path = message.part("path", str)
    changed = change_element(
        project,
        path,
        kind=message.part("type", str) if message.has("type") else None,
        repeat=message.part("repeat", bool, default=False) if message.has("repeat") else None,
        required=message.part("required", bool, default=False) if message.has("required") else None,
    )
    return changed, ("step.change", path)


def add_element(project: Project, message: Message, _: Pages) -> tuple[Project, Label]:
    """Add an element without an example to the output, for a script to fill."""
    path = message.part("path", str).strip("/")
    if path in dict(elements_of(project.schema)):
        raise ArgumentError(f"'{path}' is there already; give another name").about(
            "element-there", path
        )
    kind = message.part("type", str, "text")
    element = Element(
        path.rpartition("/")[2], kind, repeat=message.part("repeat", bool, default=False)
    )
    return added(project, path, element), ("step.add", path)


def with_shape(project: Project, shape: Element) -> Project:
    """Return a project whose output has another shape.

    Elements that have rules, or are named by actions, stay where the shape lacks them.
    """
    named = set(project.rules)
    for action in project.actions:
        own = action.rules if isinstance(action, Script) else [getattr(action, "element", "")]
        named |= {*own}
    for path, element in elements_of(project.schema):
        if path in named and path not in dict(elements_of(shape)):
            shape = with_element(shape, path, element)
    return checked(replace(project, schema=shape))


def set_actions(project: Project, message: Message, _: Pages) -> tuple[Project, Label]:
    """Give a project other actions, in the form of project files.

    ``label`` says what was done to them: a key of the interface's strings without ``step.``.
    """
    whole = json.loads(write_project(project))
    whole["actions"] = message.parts.get("actions")
    try:
        actions = read_project(json.dumps(whole), "the actions").actions
    except UnreadableInputError as error:
        raise ArgumentError(str(error)).about(error.kind, *error.data) from error
    # The rules stay those that they were, of which it is known what they find.
    project = replace(project, actions=actions)
    return project, (f"step.{message.part('label', str)}", message.part("what", str, ""))


EDITS: Final[Mapping[str, Edit]] = {
    "actions": set_actions,
    "add": add_element,
    "change": change,
    "forget": forget_example,
    "move": move,
    "remove": remove,
    "rename": rename,
    "teach": teach,
    "teach_records": teach_records,
}
"""The operations by their names."""
