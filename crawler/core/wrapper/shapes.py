"""A document type or document model as the schema of an output.

The wish of the paper (Zhang and others 2002, section 5): that the output is shaped by a schema.
"""

from __future__ import annotations

import re
from typing import Final

from crawler.core.errors import ArgumentError
from crawler.core.structure.medl import parse_model
from crawler.core.structure.model import Model
from crawler.core.wrapper.project import GROUP, Element, check_schema

_MOST_ELEMENTS: Final = 1_000
_MOST_CHARS: Final = 1_000_000
_MOST_ROUNDS: Final = 20
_ENTITY: Final = re.compile(r"<!ENTITY\s+%\s+([^\s>]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>")
_REFERENCE: Final = re.compile(r"%([\w.-]+);")
# What else stands in a document type: instructions, attributes, notations, other entities.
_OTHERS: Final = re.compile(
    r"<\?.*?\?>|<!(?:ATTLIST|NOTATION|ENTITY)\b(?:\"[^\"]*\"|'[^']*'|[^>\"'])*+>", re.DOTALL
)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


def schema_of_dtd(text: str, name: str = "document type") -> Element:
    """Return the schema of a document type definition: its elements; attributes are left out.

    Its parameter entities are expanded, those of other files are not read.

    Raises:
        ModelError: it is none; the message names line and column.
        ArgumentError: an element holds itself, or there are too many.
    """
    text = _COMMENT.sub("", text)
    entities = {its[1]: its[2] if its[2] is not None else its[3] for its in _ENTITY.finditer(text)}
    text = _OTHERS.sub("", text)
    for _ in range(_MOST_ROUNDS):
        expanded = _REFERENCE.sub(lambda its: entities.get(its[1], ""), text)
        if expanded == text or len(expanded) > _MOST_CHARS:
            break
        text = expanded
    return schema_of_model(parse_model(text, name))


def schema_of_model(model: Model) -> Element:
    """Return the schema of a document model.

    An element that holds others is a group, and all others have text. What can be there several
    times repeats, and what has to be there is required. Text between elements has no place.

    Raises:
        ArgumentError: an element holds itself, or there are too many.
    """
    left = _MOST_ELEMENTS

    def make(name: str, around: tuple[str, ...], *, repeat: bool, required: bool) -> Element:
        nonlocal left
        left -= 1
        if name in around or left < 0:
            raise ArgumentError(
                f"'{name}' of {model.name} holds itself, or too much; an output has a fixed shape "
                "of up to 1000 elements: shorten the file"
            ).about("shape-endless", name, model.name)
        its = model.element(name)
        if its.holds_text or its.holds_any or not any(its.content.names()):
            return Element(name, "text", repeat, required)
        needed = its.content.required()
        names = dict.fromkeys(its.content.names())
        inner = tuple(
            make(
                part, (*around, name), repeat=model.may_repeat(name, part), required=part in needed
            )
            for part in names
        )
        return Element(name, GROUP, repeat, required, inner)

    root = make(model.root, (), repeat=False, required=False)
    if root.type != GROUP:
        raise ArgumentError(
            f"'{root.name}' of {model.name} holds no elements; begin with one that does"
        ).about("shape-empty", root.name, model.name)
    check_schema(root)
    return root
