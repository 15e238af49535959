"""Changes of a project: functions that return the changed project and leave the one given as it is.

To undo a change is to go on with the project from before. What is learned is added by
:mod:`crawler.core.wrapper.learning`, and taken back here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

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
    group, slash, _ = path.rpartition("/")
    renamed = f"{group}{slash}{name}"

    def follow(its: str) -> str:
        return renamed + its[len(path) :] if _is_within(its, path) else its

    rules = {follow(its): rule for its, rule in project.rules.items()}
    actions = tuple(_with_paths(action, follow) for action in project.actions)
    return checked(replace(project, schema=schema, rules=rules, actions=actions))


def move_element(project: Project, path: str, place: int) -> Project:
    """Return the project with an element at another place in its group, counted from 0.

    Raises:
        ArgumentError: there is no such element.
    """
    element, path_of_group = project.element(path), path.rpartition("/")[0]
    group = project.element(path_of_group) if path_of_group else project.schema
    siblings = [its for its in group.elements if its is not element]
    siblings.insert(place, element)
    group = replace(group, elements=tuple(siblings))
    return replace(project, schema=_with_element(project.schema, path_of_group, group))


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


def move_action(project: Project, number: int, place: int) -> Project:
    """Return the project with an action at another place, both counted from 0.

    Raises:
        ArgumentError: there is no such action.
    """
    actions = list(project.actions)
    actions.insert(place, actions.pop(_checked_number(project, number)))
    return replace(project, actions=tuple(actions))


def switch_action(project: Project, number: int, *, off: bool) -> Project:
    """Return the project with an action, counted from 0, that is switched off, or on again.

    Raises:
        ArgumentError: there is no such action, or it needs a rule that is gone.
    """
    actions = list(project.actions)
    actions[number] = replace(actions[_checked_number(project, number)], off=off)
    return checked(replace(project, actions=tuple(actions)))


def _checked_number(project: Project, number: int) -> int:
    """Return the number of an action, once it is known that there is one."""
    if not 0 <= number < len(project.actions):
        raise ArgumentError(f"there is no action {number}; there are {len(project.actions)}")
    return number


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
