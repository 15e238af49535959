"""Project files, ``.h2x``: a project as versioned JSON that people can read, and back.

Text in, text out: reading and writing files is left to who calls.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crawler.core.errors import ArgumentError, UnknownMethodError, UnreadableInputError
from crawler.core.wrapper.jsonreader import Place, read_json
from crawler.core.wrapper.project import (
    Action,
    Add,
    Copy,
    Load,
    Project,
    Save,
    Script,
    Source,
    checked,
)
from crawler.core.wrapper.ruleforms import read_rule, write_rule
from crawler.core.wrapper.schema import Element

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EXTENSION", "VERSION", "read_project", "read_schema", "write_project"]

EXTENSION = ".h2x"
VERSION = 1
"""The version that is written; versions up to it are read."""

_FORMAT = "h2x"
_MOST_DEPTH = 32


def write_project(project: Project) -> str:
    """Return a project as the text of its file, with a newline at its end.

    The same project gives the same text.
    """
    whole = {
        "format": _FORMAT,
        "version": VERSION,
        "matcher": project.matcher,
        "confidence": project.confidence,
        "schema": _write_element(project.schema),
        "actions": [_write_action(action) for action in project.actions],
        "rules": {path: write_rule(rule) for path, rule in sorted(project.rules.items())},
    }
    return _pretty(whole) + "\n"


def read_project(text: str, file: str = "project") -> Project:
    """Read the text of a project file.

    Args:
        text: what the file holds.
        file: its name, for error messages.

    Raises:
        UnreadableInputError: it is no project file, was written by a later version, or is not
            sound. The message says at which place of the file, and what to do.
    """
    place = read_json(text, file)
    members = place.members()
    if "format" not in members or members["format"].value != _FORMAT:
        place.fail(f"is no project file: 'format' must be '{_FORMAT}'")
    if "version" not in members:
        place.fail(f"'version' is missing; this version of scrapy-corpus writes {VERSION}")
    version = members["version"].count(1)
    if version > VERSION:
        members["version"].fail(
            f"it was written by a later version of scrapy-corpus ({version}; this one reads up to "
            f"{VERSION}); update scrapy-corpus, or learn the rules again"
        )
    found = place.fields(
        ("format", "version", "schema"), ("matcher", "confidence", "actions", "rules")
    )
    options: dict[str, Any] = {}
    if "matcher" in found:
        options["matcher"] = found["matcher"].text()
    if "confidence" in found:
        options["confidence"] = found["confidence"].share()
    if "actions" in found:
        options["actions"] = tuple(map(_read_action, found["actions"].items()))
    rules = found["rules"].members() if "rules" in found else {}
    project = Project(
        _read_element(found["schema"], 0),
        {path: read_rule(its) for path, its in rules.items()},
        **options,
    )
    return _sound(lambda: checked(project), file)


def read_schema(text: str, file: str = "schema") -> Element:
    """Read the text of a file that holds a schema alone, as it stands in project files.

    Raises:
        UnreadableInputError: it is none, or is not sound.
    """
    element = _read_element(read_json(text, file), 0)
    return _sound(lambda: checked(Project(element, {})), file).schema


def _sound(check: Callable[[], Project], file: str) -> Project:
    try:
        return check()
    except (ArgumentError, UnknownMethodError) as error:
        raise UnreadableInputError(f"{file}: {error}") from error


def _write_element(element: Element) -> dict[str, Any]:
    its: dict[str, Any] = {"name": element.name, "type": element.type}
    if element.repeat:
        its["repeat"] = True
    if element.required:
        its["required"] = True
    if element.elements:
        its["elements"] = [_write_element(child) for child in element.elements]
    return its


def _read_element(place: Place, depth: int) -> Element:
    if depth > _MOST_DEPTH:
        place.fail("is nested too deep; make the schema flatter")
    found = place.fields(("name",), ("type", "repeat", "required", "elements"))
    elements = found["elements"].items() if "elements" in found else []
    return Element(
        name=found["name"].text(),
        type=found["type"].text() if "type" in found else ("group" if elements else "text"),
        repeat=found["repeat"].flag() if "repeat" in found else False,
        required=found["required"].flag() if "required" in found else False,
        elements=tuple(_read_element(its, depth + 1) for its in elements),
    )


def _write_action(action: Action) -> dict[str, Any]:
    if isinstance(action, Load):
        return {"do": "load", "address": _write_source(action.address)}
    if isinstance(action, Save):
        return {"do": "save", "file": _write_source(action.file)}
    if isinstance(action, Add):
        return {"do": "add", "element": action.element}
    if isinstance(action, Copy):
        return {"do": "copy", "element": action.element}
    return {"do": "script", "rules": list(action.rules), "script": action.script.split("\n")}


def _read_action(place: Place) -> Action:
    members = place.members()
    if "do" not in members:
        place.fail("'do' is missing; give load, add, copy, save or script")
    do = members["do"].text()
    if do == "load":
        return Load(_read_source(place.fields(("do", "address"))["address"]))
    if do == "save":
        return Save(_read_source(place.fields(("do", "file"))["file"]))
    if do == "add":
        return Add(place.fields(("do", "element"))["element"].text())
    if do == "copy":
        return Copy(place.fields(("do", "element"))["element"].text())
    if do == "script":
        found = place.fields(("do", "script"), ("rules",))
        rules = found["rules"].items() if "rules" in found else []
        lines = [line.text() for line in found["script"].items()]
        return Script("\n".join(lines), tuple(rule.text() for rule in rules))
    return members["do"].fail(f"there is no action '{do}'; give load, add, copy, save or script")


def _write_source(source: Source) -> dict[str, Any]:
    return {"fixed": source.fixed} if source.argument is None else {"argument": source.argument}


def _read_source(place: Place) -> Source:
    found = place.fields((), ("fixed", "argument"))
    if len(found) != 1:
        place.fail("must have one of 'fixed', a name, and 'argument', its number from 0 on")
    if "fixed" in found:
        return Source(found["fixed"].text())
    return Source(argument=found["argument"].count())


def _pretty(value: object, depth: int = 0) -> str:
    """Write JSON with short values on one line each: what belongs together stays together."""
    flat = json.dumps(value, ensure_ascii=False)
    indent = "  " * depth
    if len(indent) + len(flat) <= 100 or not isinstance(value, dict | list) or not value:  # noqa: PLR2004 - the width of a page
        return flat
    inner = "  " * (depth + 1)
    if isinstance(value, dict):
        rows = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {_pretty(its, depth + 1)}"
            for key, its in value.items()
        ]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{inner}{_pretty(its, depth + 1)}" for its in value) + f"\n{indent}]"
