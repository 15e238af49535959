"""Project files, ``.h2x``: a project as versioned JSON that people can read, and back.

Text in, text out. Rules are written as their examples, of which they are a function. Near misses
are written as the features in which they differ from their example node.

Tables at the end declare the keys of each object. People may edit the files, so an error names its
place, such as ``rules.title.examples[0].page``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from typing import Any, NoReturn

from crawler.core.errors import ArgumentError, CorpusError, UnknownMethodError, UnreadableInputError
from crawler.core.wrapper.example_nodes import Example, ExampleNode, ExampleValue
from crawler.core.wrapper.features import FEATURE_AT, FEATURES
from crawler.core.wrapper.paper_method import PaperFieldRule
from crawler.core.wrapper.project import (
    DEFAULT_MATCHER,
    GROUP,
    Action,
    Add,
    Copy,
    Element,
    Load,
    Project,
    Save,
    Script,
    Source,
    checked,
)
from crawler.core.wrapper.rules import BestRule, LearnedRule, RecordRule
from crawler.core.wrapper.tree import ELEMENT, TEXT_NODE

EXTENSION = ".h2x"
VERSION = 1
"""The version that is written; versions up to it are read."""

_FORMAT = "h2x"
_LINE_CHARS = 100
_SHOWN_CHARS = 800
# Half of a UTF-16 pair, which JSON can write and a file in UTF-8 cannot hold.
_HALF = re.compile("[\ud800-\udfff]")
# The kinds of example nodes.
_KIND = re.compile(f"{TEXT_NODE}|{ELEMENT}|@.+", re.DOTALL)
_TYPE_NAMES = {
    type(None): "null", dict: "an object", list: "a list", bool: "true or false", str: "a string",
    int: "a whole number", float: "a number",
}  # fmt: skip


def read_project(text: str, file: str = "project") -> Project:
    """Read the text of a project file; ``file`` is its name in error messages.

    Raises:
        UnreadableInputError: it is no project file, was written by a later version, or is not
            valid. The message names the place in the file.
    """
    return _read_file(text, file, _read_versioned)


def read_schema(text: str, file: str = "schema") -> Element:
    """Read the text of a file that holds a schema alone, in the form of project files.

    Raises:
        UnreadableInputError: it is none, or is not valid.
    """
    return _read_file(text, file, _SCHEMA).schema


def write_project(project: Project) -> str:
    """Return a project as the text of its file, with a newline at its end.

    The same project gives the same text.
    """
    whole = {
        "format": _FORMAT,
        "version": VERSION,
        "matcher": project.matcher,
        "confidence": project.confidence,
        "schema": _plain(project.schema),
        "actions": [_plain_action(it) for it in project.actions],
        "rules": {path: _plain(rule) for path, rule in sorted(project.rules.items())},
    }
    return _pretty(whole) + "\n"


def _read_file(text: str, file: str, shape: object) -> Project:
    try:
        whole = json.loads(text, parse_constant=_refuse, object_pairs_hook=_without_twice)
        return checked(_read(whole, shape, ""))
    except RecursionError as error:
        raise UnreadableInputError(f"{file}: is nested too deep; make it flatter") from error
    except (ValueError, ArgumentError, UnknownMethodError) as error:
        what = str(error)
        if isinstance(error, json.JSONDecodeError):
            what = f"not JSON, line {error.lineno}, column {error.colno}: {error.msg}"
        if len(what) > _SHOWN_CHARS:
            what = f"{what[: _SHOWN_CHARS // 2]}...{what[-_SHOWN_CHARS // 2 :]}"
        what = what.encode("utf-8", "backslashreplace").decode("utf-8")
        refused = UnreadableInputError(f"{file}: {what}").about("file-wrong", file, what)
        if isinstance(error, CorpusError) and error.kind:
            refused.about(error.kind, *error.data)
        raise refused from error


def _without_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that is there twice: one of the two values would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {key!r} is twice in one object; remove one")
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _pretty(value: object, depth: int = 0) -> str:
    """Write JSON with short values on one line each."""
    flat = json.dumps(value, ensure_ascii=False)
    indent = "  " * depth
    if len(indent) + len(flat) <= _LINE_CHARS or not isinstance(value, dict | list) or not value:
        return flat
    if isinstance(value, dict):
        rows = [
            f"{json.dumps(key, ensure_ascii=False)}: {_pretty(its, depth + 1)}"
            for key, its in value.items()
        ]
    else:
        rows = [_pretty(its, depth + 1) for its in value]
    inner = f",\n{indent}  ".join(rows)
    return f"{flat[0]}\n{indent}  {inner}\n{indent}{flat[-1]}"


def _plain(it: Any) -> Any:  # noqa: ANN401, PLR0911 - a part of a project, and any JSON
    """Return a part of a project as JSON: a dataclass as its fields, but for these exceptions."""
    match it:
        case tuple():
            return [_plain(part) for part in it]
        case Element():
            named = {"name": it.name, "type": it.type, "repeat": it.repeat, "required": it.required}
            its = {**named, "elements": _plain(it.elements)}
            return {key: value for key, value in its.items() if value not in (False, [])}
        case Source():
            return {"fixed": it.fixed} if it.argument is None else {"argument": it.argument}
        case LearnedRule():
            return {"matcher": _MATCHERS[type(it)], "examples": _plain(it.examples)}
        case ExampleNode():
            return _plain_node(it)
    if is_dataclass(it):
        return {each.name: _plain(getattr(it, each.name)) for each in fields(it)}
    return it


def _plain_action(it: Action) -> dict[str, Any]:
    its = {each.name: _plain(getattr(it, each.name)) for each in fields(it) if each.name != "off"}
    if isinstance(it, Script | Copy):
        script = its.pop("script")
        its |= {"script": script.split("\n")} if script else {}
    return {"do": type(it).__name__.lower(), **its, **({"off": True} if it.off else {})}


def _plain_node(node: ExampleNode) -> dict[str, Any]:
    names = [feature.name for feature in FEATURES]
    pairs = map(list, zip(node.evidence, node.counts, strict=True))
    near = [
        {
            name: other
            for name, own, other in zip(names, node.evidence, row, strict=True)
            if own != other
        }
        for row in node.near_misses
    ]
    return {
        "kind": node.kind,
        "path": node.path,
        "nodes": node.nodes,
        "evidence": dict(zip(names, pairs, strict=True)),
        "mates": node.siblings_meant,
        "strangers": node.siblings_other,
        "indexes": list(node.indexes),
        "near": near,
    }


@dataclass(frozen=True, slots=True)
class _Object:
    """The keys of an object with their shapes, and what makes the part of a project from it.

    ``make`` is called with all keys, and may raise ValueError. ``optional`` has keys with their
    shapes and default values.
    """

    make: Callable[..., Any]
    needed: Mapping[str, Any]
    optional: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)


def _read(value: Any, shape: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
    """Read JSON of a shape.

    Args:
        value: the JSON.
        shape: a type; a pattern of texts; the least whole number; a list of the shape of all
            items; a pair of shapes; a dictionary of the shape of all values under "*"; the keys of
            an object; or the function that reads it.
        path: its place in the file.
    """
    match shape:
        case [item]:
            _check_type(value, path, list)
            return tuple(_read(its, item, f"{path}[{at}]") for at, its in enumerate(value))
        case (first, second):
            _check_type(value, path, list)
            if len(value) != 2:  # noqa: PLR2004 - a pair
                _fail(path, "must be a list of two")
            return _read(value[0], first, f"{path}[0]"), _read(value[1], second, f"{path}[1]")
        case {"*": item}:
            _check_type(value, path, dict)
            return {name: _read(its, item, _inner(path, name)) for name, its in value.items()}
        case _Object():
            return _read_object(value, shape, path)
        case re.Pattern() | type() | int():
            return _read_scalar(value, shape, path)
    return shape(value, path)


def _read_scalar(value: Any, shape: re.Pattern[str] | type | int, path: str) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(shape, int):
        _check_type(value, path, int)
        if not shape <= value < 1 << 31:
            _fail(path, f"must be a number from {shape} on, not {value}")
    elif shape is float:
        _check_type(value, path, int, float)
        try:
            return float(value)
        except OverflowError:
            _fail(path, "is too large a number")
    else:
        _check_type(value, path, shape if isinstance(shape, type) else str)
        if isinstance(value, str) and _HALF.search(value):
            _fail(path, "has half of a character (\\ud800 to \\udfff); write it whole")
        if isinstance(shape, re.Pattern) and not shape.fullmatch(value):
            _fail(path, f"must be {shape.pattern}, not '{value}'")
    return value


def _read_object(value: Any, shape: _Object, path: str) -> Any:  # noqa: ANN401 - any JSON
    _check_type(value, path, dict)
    found = {name: default for name, (_, default) in shape.optional.items()}
    shapes = {**shape.needed, **{name: its for name, (its, _) in shape.optional.items()}}
    for name, its in shapes.items():
        if name in value:
            found[name] = _read(value[name], its, _inner(path, name))
        elif name not in found:
            _fail(path, f"'{name}' is missing; add it")
    for name in value:
        if name not in shapes:
            _fail(path, f"there is no key '{name}' here; the keys are: {', '.join(shapes)}")
    try:
        return shape.make(**found)
    except ValueError as error:
        return _fail(path, str(error))


def _read_by_tag(value: Any, path: str, tag: str, shapes: Mapping[str, _Object]) -> Any:  # noqa: ANN401 - any JSON
    """Read an object of one of several shapes, which its member ``tag`` names."""
    _check_type(value, path, dict)
    name = _read(value.get(tag), str, _inner(path, tag))
    if name not in shapes:
        _fail(_inner(path, tag), f"there is no '{name}'; give one of: {', '.join(shapes)}")
    return _read_object({key: its for key, its in value.items() if key != tag}, shapes[name], path)


def _check_type(value: object, path: str, *types: type) -> None:
    if type(value) not in types:
        _fail(path, f"must be {_TYPE_NAMES[types[-1]]}, not {_TYPE_NAMES[type(value)]}")


def _inner(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fail(path: str, what: str) -> NoReturn:
    raise ValueError(f"{path or 'the file'}: {what}")


def _read_versioned(value: Any, path: str) -> Project:  # noqa: ANN401 - any JSON
    _check_type(value, path, dict)
    if value.get("format") != _FORMAT:
        _fail(path, f"is no project file: 'format' must be '{_FORMAT}'")
    version = _read(value.get("version"), 1, "version")
    if version > VERSION:
        _fail(
            "version",
            f"it was written by a later version of scrapy-corpus ({version}; this one reads up to "
            f"{VERSION}); update scrapy-corpus, or learn the rules again",
        )
    project: Project = _read(value, _PROJECT, path)
    return project


def _element(**found: Any) -> Element:  # noqa: ANN401 - the values of its keys
    kind = found.pop("type") or (GROUP if found["elements"] else "text")
    return Element(type=kind, **found)


def _source(fixed: str | None, argument: int | None) -> Source:
    if (fixed is None) == (argument is None):
        raise ValueError("must have one of 'fixed', a name, and 'argument', its number from 0 on")
    return Source(fixed or "", argument)


def _example_node(**found: Any) -> ExampleNode:  # noqa: ANN401 - the values of its keys
    nodes, near = found["nodes"], found["near"]
    for name in (name for row in (found["evidence"], *near) for name in row):
        if name not in FEATURE_AT:
            raise ValueError(f"no evidence is called '{name}'; give {', '.join(FEATURE_AT)}")
    # A feature that the file lacks is taken to be the same on all nodes.
    pairs = [found["evidence"].get(feature.name, ("", nodes)) for feature in FEATURES]
    own = dict(zip(FEATURE_AT, (value for value, _ in pairs), strict=True))
    return ExampleNode(
        kind=found["kind"],
        path=found["path"],
        evidence=tuple(own.values()),
        counts=tuple(min(count, nodes) for _, count in pairs),
        nodes=nodes,
        near_misses=tuple(tuple({**own, **row}.values()) for row in near),
        siblings_meant=found["mates"],
        siblings_other=found["strangers"],
        indexes=found["indexes"],
    )


def _example_value(value: str, nodes: tuple[ExampleNode, ...]) -> ExampleValue:
    if not nodes:
        raise ValueError("'nodes' must name at least one node that has the value")
    return ExampleValue(value, nodes)


_ELEMENT: _Object = _Object(
    _element,
    {"name": str},
    {
        "type": (str, ""),
        "repeat": (bool, False),
        "required": (bool, False),
        "elements": ([lambda value, path: _read(value, _ELEMENT, path)], ()),
    },
)
_SCHEMA = _Object(
    lambda **found: Project(_element(**found), {}), _ELEMENT.needed, _ELEMENT.optional
)
_SOURCE = _Object(_source, {}, {"fixed": (str, None), "argument": (0, None)})
_OFF: Mapping[str, tuple[Any, Any]] = {"off": (bool, False)}
_ACTIONS = {
    "load": _Object(Load, {"address": _SOURCE}, _OFF),
    "save": _Object(Save, {"file": _SOURCE}, _OFF),
    "add": _Object(Add, {"element": str}, _OFF),
    "copy": _Object(
        lambda script, **its: Copy(script="\n".join(script), **its),
        {"element": str},
        {"script": ([str], ()), **_OFF},
    ),
    "script": _Object(
        lambda script, **its: Script("\n".join(script), **its),
        {"script": [str]},
        {"rules": ([str], ()), **_OFF},
    ),
}
_NODE = _Object(
    _example_node,
    {"kind": _KIND, "path": str, "nodes": 1, "evidence": {"*": (str, 1)}},
    {"mates": (0, 0), "strangers": (0, 0), "near": ([{"*": str}], ()), "indexes": ([1], ())},
)
_VALUE = _Object(_example_value, {"value": str, "nodes": [_NODE]})
_EXAMPLE = _Object(
    Example,
    {"page": str, "values": [_VALUE]},
    {"address": (str, ""), "record": (str, ""), "wrong": ([_NODE], ())},
)
_MATCHERS: dict[type[LearnedRule], str] = {
    BestRule: "best",
    RecordRule: "records",
    PaperFieldRule: "published",
}
_RULES = {name: _Object(kind.learn, {"examples": [_EXAMPLE]}) for kind, name in _MATCHERS.items()}
_PROJECT = _Object(
    lambda format, version, **found: Project(**found),  # noqa: A006, ARG005 - keys of the file
    {"format": str, "version": 1, "schema": _ELEMENT},
    {
        "matcher": (str, DEFAULT_MATCHER),
        "confidence": (float, 0.0),
        "actions": ([partial(_read_by_tag, tag="do", shapes=_ACTIONS)], ()),
        "rules": ({"*": partial(_read_by_tag, tag="matcher", shapes=_RULES)}, {}),
    },
)
