"""Project files, ``.h2x``: a project as versioned JSON that people can read, and back.

Text in, text out. Rules of the matcher ``best``, and those of records, are written as their
examples, of which they are a function; a rule of the paper is written as its tag sets. Near misses
are written as the features in which they differ from their example node.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from crawler.core.errors import ArgumentError, UnknownMethodError, UnreadableInputError
from crawler.core.wrapper.example_nodes import (
    ELEMENT,
    TEXT_NODE,
    Example,
    ExampleNode,
    ExampleValue,
)
from crawler.core.wrapper.features import FEATURE_AT, FEATURES
from crawler.core.wrapper.json_reader import JsonValue, read_json
from crawler.core.wrapper.paper_method import PaperFieldRule, PaperRule, TagSet
from crawler.core.wrapper.project import (
    DEFAULT_MATCHER,
    Action,
    Add,
    Copy,
    Load,
    Project,
    Rule,
    Save,
    Script,
    Source,
    checked,
)
from crawler.core.wrapper.rules import BestRule, RecordRule
from crawler.core.wrapper.schema import Element
from crawler.core.wrapper.tree import TagItem

if TYPE_CHECKING:
    from crawler.core.wrapper.features import Evidence

EXTENSION = ".h2x"
VERSION = 1
"""The version that is written; versions up to it are read."""

_FORMAT = "h2x"
_MOST_DEPTH = 32
_LINE_CHARS = 100


def read_project(text: str, file: str = "project") -> Project:
    """Read the text of a project file.

    Args:
        text: the text.
        file: the name of the file, for error messages.

    Raises:
        UnreadableInputError: it is no project file, was written by a later version, or is not
            valid. The message names the place in the file.
    """
    whole = read_json(text, file)
    members = whole.members()
    if "format" not in members or members["format"].value != _FORMAT:
        whole.fail(f"is no project file: 'format' must be '{_FORMAT}'")
    version = whole.member("version").count(1)
    if version > VERSION:
        members["version"].fail(
            f"it was written by a later version of scrapy-corpus ({version}; this one reads up to "
            f"{VERSION}); update scrapy-corpus, or learn the rules again"
        )
    optional = {"matcher": DEFAULT_MATCHER, "confidence": 0.0, "actions": [], "rules": {}}
    found = whole.fields(("format", "version", "schema"), optional)
    project = Project(
        schema=_read_element(found["schema"]),
        rules={path: _read_rule(rule) for path, rule in found["rules"].members().items()},
        actions=found["actions"].items(_read_action),
        matcher=found["matcher"].text(),
        confidence=float(found["confidence"].of_type(int, float)),
    )
    return _checked(project, file)


def read_schema(text: str, file: str = "schema") -> Element:
    """Read the text of a file that holds a schema alone, in the form of project files.

    Raises:
        UnreadableInputError: it is none, or is not valid.
    """
    return _checked(Project(_read_element(read_json(text, file)), {}), file).schema


def _checked(project: Project, file: str) -> Project:
    try:
        return checked(project)
    except (ArgumentError, UnknownMethodError) as error:
        raise UnreadableInputError(f"{file}: {error}") from error


def _read_element(value: JsonValue, depth: int = 0) -> Element:
    if depth > _MOST_DEPTH:
        value.fail("is nested too deep; make the schema flatter")
    optional = {"type": "", "repeat": False, "required": False, "elements": []}
    found = value.fields(("name",), optional)
    elements = found["elements"].items(partial(_read_element, depth=depth + 1))
    return Element(
        name=found["name"].text(),
        type=found["type"].text() or ("group" if elements else "text"),
        repeat=found["repeat"].of_type(bool),
        required=found["required"].of_type(bool),
        elements=elements,
    )


def _read_action(value: JsonValue) -> Action:
    kind = value.member("do")
    match kind.text():
        case "load":
            return Load(_read_source(value.fields(("do", "address"))["address"]))
        case "save":
            return Save(_read_source(value.fields(("do", "file"))["file"]))
        case "add":
            return Add(value.fields(("do", "element"))["element"].text())
        case "copy":
            return Copy(value.fields(("do", "element"))["element"].text())
        case "script":
            found = value.fields(("do", "script"), {"rules": []})
            lines = found["script"].items(JsonValue.text)
            return Script("\n".join(lines), found["rules"].items(JsonValue.text))
        case other:
            return kind.fail(f"there is no action '{other}'; give load, add, copy, save or script")


def _read_source(value: JsonValue) -> Source:
    found = value.members()
    if set(found) == {"fixed"}:
        return Source(found["fixed"].text())
    if set(found) == {"argument"}:
        return Source(argument=found["argument"].count())
    return value.fail("must have one of 'fixed', a name, and 'argument', its number from 0 on")


def _read_rule(value: JsonValue) -> Rule:
    matcher = value.member("matcher")
    match matcher.text():
        case "best":
            return BestRule.learn(_read_examples(value))
        case "records":
            return RecordRule.learn(_read_examples(value))
        case "published":
            found = value.fields(("matcher", "kind", "learned", "sets", "examples"))
            learned = found["learned"].count()
            sets = found["sets"].items(partial(_read_tag_set, total=learned))
            examples = found["examples"].items(_read_example)
            return PaperFieldRule(PaperRule(sets, learned), _read_kind(found["kind"]), examples)
        case other:
            return matcher.fail(
                f"there is no matcher '{other}'; give best, published, or records for groups"
            )


def _read_tag_set(value: JsonValue, total: int) -> TagSet:
    found = value.fields(("items", "null"))
    tags = TagSet(found["items"].items(_read_tag_item), found["null"].count())
    if tags.total != total:
        value.fail(f"its weights add up to {tags.total}, and must to 'learned', {total}")
    return tags


def _read_tag_item(value: JsonValue) -> tuple[TagItem, int]:
    found = value.fields(("name", "tag_index", "index", "weight"))
    item = TagItem(found["name"].text(), found["tag_index"].count(1), found["index"].count(1))
    return item, found["weight"].count(1)


def _read_kind(value: JsonValue) -> str:
    kind = value.text()
    if kind not in {TEXT_NODE, ELEMENT} and not (kind.startswith("@") and len(kind) > 1):
        value.fail(
            f"must be '{TEXT_NODE}', '{ELEMENT}', or '@' and the name of an attribute, not '{kind}'"
        )
    return kind


def _read_examples(value: JsonValue) -> tuple[Example, ...]:
    return value.fields(("matcher", "examples"))["examples"].items(_read_example)


def _read_example(value: JsonValue) -> Example:
    found = value.fields(("page", "values"), {"address": "", "record": "", "wrong": []})
    return Example(
        page=found["page"].text(),
        address=found["address"].text(),
        record=found["record"].text(),
        values=found["values"].items(_read_value),
        wrong=found["wrong"].items(_read_node),
    )


def _read_value(value: JsonValue) -> ExampleValue:
    found = value.fields(("value", "nodes"))
    nodes = found["nodes"].items(_read_node)
    if not nodes:
        found["nodes"].fail("must name at least one node that has the value")
    return ExampleValue(found["value"].text(), nodes)


def _read_node(value: JsonValue) -> ExampleNode:
    optional = {"mates": 0, "strangers": 0, "near": []}
    found = value.fields(("kind", "path", "nodes", "evidence"), optional)
    nodes = found["nodes"].count(1)
    # A feature that the file lacks is taken to be the same on all nodes.
    evidence, counts = [""] * len(FEATURES), [nodes] * len(FEATURES)
    for name, its in found["evidence"].members().items():
        at = _feature(its, name)
        pair = its.items(lambda part: part)
        if len(pair) != 2:  # noqa: PLR2004 - a pair
            its.fail("must be a list of a value and how many nodes have it")
        evidence[at], counts[at] = pair[0].text(), min(pair[1].count(1), nodes)
    return ExampleNode(
        kind=_read_kind(found["kind"]),
        path=found["path"].text(),
        evidence=tuple(evidence),
        counts=tuple(counts),
        nodes=nodes,
        near_misses=found["near"].items(partial(_read_near_miss, evidence=evidence)),
        siblings_meant=found["mates"].count(),
        siblings_other=found["strangers"].count(),
    )


def _read_near_miss(value: JsonValue, evidence: list[str]) -> Evidence:
    row = list(evidence)
    for name, its in value.members().items():
        row[_feature(its, name)] = its.text()
    return tuple(row)


def _feature(value: JsonValue, name: str) -> int:
    if name not in FEATURE_AT:
        value.fail(f"there is no evidence called '{name}'; it has: {', '.join(FEATURE_AT)}")
    return FEATURE_AT[name]


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
        "rules": {path: _write_rule(rule) for path, rule in sorted(project.rules.items())},
    }
    return _pretty(whole) + "\n"


def _write_element(element: Element) -> dict[str, Any]:
    its: dict[str, Any] = {"name": element.name, "type": element.type}
    if element.repeat:
        its["repeat"] = True
    if element.required:
        its["required"] = True
    if element.elements:
        its["elements"] = [_write_element(child) for child in element.elements]
    return its


def _write_action(action: Action) -> dict[str, Any]:
    match action:
        case Load(source):
            return {"do": "load", "address": _write_source(source)}
        case Save(source):
            return {"do": "save", "file": _write_source(source)}
        case Add(element):
            return {"do": "add", "element": element}
        case Copy(element):
            return {"do": "copy", "element": element}
        case Script(script, rules):
            return {"do": "script", "rules": list(rules), "script": script.split("\n")}


def _write_source(source: Source) -> dict[str, Any]:
    return {"fixed": source.fixed} if source.argument is None else {"argument": source.argument}


def _write_rule(rule: Rule) -> dict[str, Any]:
    examples = [_write_example(example) for example in rule.examples]
    if not isinstance(rule, PaperFieldRule):
        matcher = "records" if isinstance(rule, RecordRule) else "best"
        return {"matcher": matcher, "examples": examples}
    return {
        "matcher": "published",
        "kind": rule.kind,
        "learned": rule.rule.examples,
        "sets": [_write_tag_set(tags) for tags in rule.rule.sets],
        "examples": examples,
    }


def _write_tag_set(tags: TagSet) -> dict[str, Any]:
    items = [
        {"name": item.name, "tag_index": item.tag_index, "index": item.index, "weight": weight}
        for item, weight in tags.items
    ]
    return {"items": items, "null": tags.null}


def _write_example(example: Example) -> dict[str, Any]:
    return {
        "page": example.page,
        "address": example.address,
        "record": example.record,
        "values": [
            {"value": value.value, "nodes": [_write_node(node) for node in value.nodes]}
            for value in example.values
        ],
        "wrong": [_write_node(node) for node in example.wrong],
    }


def _write_node(node: ExampleNode) -> dict[str, Any]:
    evidence = zip(FEATURES, node.evidence, node.counts, strict=True)
    return {
        "kind": node.kind,
        "path": node.path,
        "nodes": node.nodes,
        "evidence": {feature.name: [value, count] for feature, value, count in evidence},
        "mates": node.siblings_meant,
        "strangers": node.siblings_other,
        "near": [
            {
                feature.name: other
                for feature, own, other in zip(FEATURES, node.evidence, row, strict=True)
                if own != other
            }
            for row in node.near_misses
        ],
    }


def _pretty(value: object, depth: int = 0) -> str:
    """Write JSON with short values on one line each."""
    flat = json.dumps(value, ensure_ascii=False)
    indent = "  " * depth
    if len(indent) + len(flat) <= _LINE_CHARS or not isinstance(value, dict | list) or not value:
        return flat
    inner = "  " * (depth + 1)
    if isinstance(value, dict):
        rows = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {_pretty(its, depth + 1)}"
            for key, its in value.items()
        ]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{inner}{_pretty(its, depth + 1)}" for its in value) + f"\n{indent}]"
