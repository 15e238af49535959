"""Changes of a project: functions that return the changed project and leave the one given as it is.

To undo a change is to go on with the project from before. What is learned is added by
:mod:`crawler.core.wrapper.learning`, and taken back here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.example_nodes import Example
from crawler.core.wrapper.project import (
    GROUP,
    Action,
    Add,
    Copy,
    Element,
    Load,
    Project,
    Rule,
    Script,
    Source,
    checked,
    elements_of,
)


def remove_examples(project: Project, path: str, examples: Collection[Example]) -> Project:
    """Return the project as it would be without examples of an element.

    An element without any example left has no rule. Where a group has no more examples of a page,
    those of elements within its records on that page go with them.

    Raises:
        ArgumentError: there is no such element, or an action needs a rule that is gone.
    """
    project.element(path)
    if path not in project.rules:
        return project
    rules: dict[str, Rule] = dict(project.rules)
    _keep_examples(rules, path, lambda its: its not in examples)
    left = {its.page for its in rules[path].examples} if path in rules else set[str]()
    gone = {its.page for its in examples} - left
    if project.element(path).type == GROUP:
        for inner in [its for its in rules if its.startswith(f"{path}/")]:
            _keep_examples(rules, inner, lambda its: not its.record or its.page not in gone)
    return checked(replace(project, rules=rules))


def _keep_examples(rules: dict[str, Rule], path: str, is_kept: Callable[[Example], bool]) -> None:
    """Learn a rule anew from some of its examples, or drop it; ``rules`` changes."""
    kept = [its for its in rules[path].examples if is_kept(its)]
    if not kept:
        del rules[path]
    elif len(kept) < len(rules[path].examples):
        rules[path] = rules[path].learn(kept)


def change_element(
    project: Project,
    path: str,
    *,
    kind: str | None = None,
    repeat: bool | None = None,
    required: bool | None = None,
) -> Project:
    """Return the project with an element of another type, or one that repeats or is required.

    Args:
        project: the project.
        path: the element.
        kind: its type from now on.
        repeat: whether there can be several of it.
        required: whether a page without it does not fit.

    Raises:
        ArgumentError: there is no such element, or its rule cannot fill it any more.
    """
    was = project.element(path)
    now = replace(
        was,
        type=was.type if kind is None else kind,
        repeat=was.repeat if repeat is None else repeat,
        required=was.required if required is None else required,
    )
    return checked(replace(project, schema=_with_element(project.schema, path, now)))


def rename_element(project: Project, path: str, name: str) -> Project:
    """Return the project with another name of an element; its rule and its actions follow.

    Raises:
        ArgumentError: there is no such element, or the name is wrong or taken.
    """
    schema = _with_element(project.schema, path, replace(project.element(path), name=name))
    renamed = _path_in(path.rpartition("/")[0], name)
    return _followed(project, schema, partial(_moved, path, renamed))


def move_element(project: Project, path: str, place: int, into: str | None = None) -> Project:
    """Return the project with an element at another place, in its group or in another one.

    Its rules and its actions follow, with those of what is in it.

    Args:
        project: the project.
        path: the element.
        place: its place there, counted from 0.
        into: the group that it is moved into, empty for the root; None for its own.

    Raises:
        ArgumentError: there is no such element or group; the group has one of that name, or is
            within the element; a rule looks within a record, and would have to look elsewhere.
    """
    element = project.element(path)
    into = path.rpartition("/")[0] if into is None else into
    if _is_within(into, path):
        raise ArgumentError(f"'{path}' cannot be moved into itself; choose another group").about(
            "move-within", path
        )
    schema = _with_element(project.schema, path, None)
    group = {"": schema, **dict(elements_of(schema))}.get(into) or project.element(into)
    siblings = list(group.elements)
    siblings.insert(place, element)
    schema = _with_element(schema, into, replace(group, elements=tuple(siblings)))
    follow = partial(_moved, path, _path_in(into, element.name))
    after = _followed(project, schema, follow)
    for its in (its for its in project.rules if _is_within(its, path)):
        before, now = project.record_of(its), after.record_of(follow(its))
        if follow(before) != now:
            raise _cannot_follow(its, before, now)
    return after


def _cannot_follow(path: str, before: str, now: str) -> ArgumentError:
    """Return why a rule cannot look in other records than before."""
    where, there = (
        f"within the records of '{its}'" if its else "on the page" for its in (before, now)
    )
    error = ArgumentError(
        f"the rule of '{path}' looks {where}, and cannot look {there}; remove its examples first, "
        "and teach it again there"
    )
    return error.about("move-from-records" if before else "move-to-records", path, before or now)


def _path_in(group: str, name: str) -> str:
    return f"{group}/{name}" if group else name


def _moved(path: str, to: str, its: str) -> str:
    """Return the path of an element where one, which may be around it, has got another."""
    return to + its[len(path) :] if _is_within(its, path) else its


def _followed(project: Project, schema: Element, follow: Callable[[str], str]) -> Project:
    """Return a project with another schema, in which some elements have other paths."""
    rules = {follow(its): rule for its, rule in project.rules.items()}
    actions = tuple(_with_paths(action, follow) for action in project.actions)
    return checked(replace(project, schema=schema, rules=rules, actions=actions))


def remove_element(project: Project, path: str) -> Project:
    """Return the project without an element, what is in it, its rules, and actions that fill it.

    Raises:
        ArgumentError: there is no such element, or a script is called with its nodes.
    """
    project.element(path)
    rules: Mapping[str, Rule] = {
        its: rule for its, rule in project.rules.items() if not _is_within(its, path)
    }
    actions = tuple(
        action
        for action in project.actions
        if not (isinstance(action, Add | Copy) and _is_within(action.element, path))
    )
    schema = _with_element(project.schema, path, None)
    return checked(replace(project, schema=schema, rules=rules, actions=actions))


def _is_within(its: str, path: str) -> bool:
    return its == path or its.startswith(f"{path}/")


def _with_element(group: Element, path: str, element: Element | None) -> Element:
    """Return a group with another element at a path, or none; an empty path is the group."""
    if not path and element is not None:
        return element
    name, _, rest = path.partition("/")
    elements = [
        (_with_element(its, rest, element) if rest else element) if its.name == name else its
        for its in group.elements
    ]
    return replace(group, elements=tuple(its for its in elements if its is not None))


def _with_paths(action: Action, follow: Callable[[str], str]) -> Action:
    """Return an action with the paths that it names changed."""
    if isinstance(action, Script):
        return replace(action, rules=tuple(map(follow, action.rules)))
    return (
        replace(action, element=follow(action.element))
        if isinstance(action, Add | Copy)
        else action
    )


def script_of(action: Action) -> str:
    """Return the JavaScript of an action, as the paper stores each of them (section 3.3).

    As a script of a project it does what the action does, on the page of the project; for a copy it
    is the script of its own, which is given the node of the page and that of the output.
    """
    if isinstance(action, Script) or (isinstance(action, Copy) and action.script):
        return action.script
    if isinstance(action, Copy):
        name = json.dumps(action.element.rpartition("/")[2], ensure_ascii=False)
        return f"function main(node, parent) {{\n  parent.Add({name}, node.value);\n}}"
    if isinstance(action, Add):
        steps = "".join(
            f".Add({json.dumps(name, ensure_ascii=False)}, null)"
            for name in action.element.split("/")
        )
        return f"function main() {{\n  xtree.root{steps};\n}}"
    if isinstance(action, Load):
        return f"function main() {{\n  htree.AddUrl({_in_script(action.address)});\n}}"
    return f"function main() {{\n  xtree.Save({_in_script(action.file)});\n}}"


def _in_script(source: Source) -> str:
    """Return a value of an action in JavaScript: a literal, or an argument of the run."""
    if source.argument is None:
        return json.dumps(source.fixed, ensure_ascii=False)
    return f"system.args({source.argument})"
