"""The schema of the output: names of elements, their types, which repeat, which are required."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.core.errors import ArgumentError
from crawler.core.metadata.dates import read_date

if TYPE_CHECKING:
    from collections.abc import Iterator

Scalar = str | int | float

GROUP = "group"
"""The type of elements that hold others."""

TYPES = (GROUP, "text", "integer", "number", "date", "url")
"""The types of elements."""

# Names of XML 1.0 (fifth edition, 2.3 "Common Syntactic Constructs") without colons.
_STARTS = (
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
XML_NAME = re.compile(f"[{_STARTS}][{_STARTS}0-9.\xb7\u0300-\u036f\u203f\u2040-]*")
"""The whole name of an element."""

_NAME_CHARS = 100
_MOST_DEPTH = 16
_MOST_ELEMENTS = 1_000
_NUMBER_CHARS = 80
_NUMBER = re.compile(r"\d+(?:[.,'\u2019\u00a0\u202f ]\d+)*")
_SIGNS = ("-", "\u2212")
_THOUSAND = 3


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the output.

    ``name``
        Its name in XML, and its key in JSON.
    ``type``
        One of :data:`TYPES`.
    ``repeat``
        Whether there can be several.
    ``required``
        Whether there has to be one.
    ``elements``
        The elements of a group, in order.
    """

    name: str
    type: str = "text"
    repeat: bool = False
    required: bool = False
    elements: tuple[Element, ...] = ()


def elements_of(schema: Element) -> Iterator[tuple[str, Element]]:
    """Yield the elements below the root with their paths: names with ``/`` between, no root."""
    pending = [(child.name, child) for child in reversed(schema.elements)]
    while pending:
        path, element = pending.pop()
        yield path, element
        pending += [(f"{path}/{child.name}", child) for child in reversed(element.elements)]


def may_repeat(schema: Element, path: str) -> bool:
    """Tell whether a page can have several of an element: it, or a group around it, repeats."""
    known = dict(elements_of(schema))
    steps = path.split("/")
    return any(known["/".join(steps[:end])].repeat for end in range(1, len(steps) + 1))


def check_schema(schema: Element) -> None:
    """Refuse a schema by which no output can be written.

    Raises:
        ArgumentError: a name is no XML name, or is used twice in one group; a type is unknown; the
            root is no group or repeats; the schema is too large.
    """
    if schema.type != GROUP or schema.repeat:
        raise ArgumentError(f"the root '{schema.name}' must be a group that does not repeat")
    _check(schema, schema.name)
    for number, (path, element) in enumerate(elements_of(schema)):
        if number >= _MOST_ELEMENTS or path.count("/") >= _MOST_DEPTH:
            raise ArgumentError(
                f"'{path}': a schema has at most {_MOST_ELEMENTS} elements, {_MOST_DEPTH} deep"
            )
        _check(element, path)


def _check(element: Element, path: str) -> None:
    if len(element.name) > _NAME_CHARS:
        shown = element.name[:20]
        raise ArgumentError(f"the name '{shown}...' is too long; give {_NAME_CHARS} characters")
    if not XML_NAME.fullmatch(element.name):
        raise ArgumentError(
            f"'{path}': '{element.name}' is no name of an element; use letters, digits, '_', '-' "
            "and '.', a letter or '_' first"
        )
    if element.type not in TYPES:
        raise ArgumentError(
            f"'{path}': there is no type '{element.type}'; the types are: {', '.join(TYPES)}"
        )
    if element.elements and element.type != GROUP:
        raise ArgumentError(f"'{path}' holds elements; give it the type '{GROUP}'")
    names = [child.name for child in element.elements]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ArgumentError(f"'{path}' has '{twice[0]}' twice; let one element repeat instead")


def convert(text: str, kind: str) -> Scalar | None:
    """Return a text as a value of a type, None where it is not of that type.

    A number may have other words around it, as prices have, but no other number. A single comma
    before exactly three digits groups thousands; a single point is always decimal.
    """
    if kind == "integer":
        number = _number(text)
        return int(number) if number is not None and number.is_integer() else None
    if kind == "number":
        return _number(text)
    if kind == "date":
        date = read_date(text)
        return None if date is None else date.text
    if kind == "url":
        return text if _is_address(text) else None
    return text


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and " " not in text


def _number(text: str) -> float | None:
    if len(text) > _NUMBER_CHARS:
        return None
    found = list(_NUMBER.finditer(text))
    if len(found) != 1:
        return None
    written = found[0][0]
    last = max(written.rfind("."), written.rfind(","))
    if last >= 0 and not _is_decimal(written, last):
        last = -1
    whole = re.sub(r"\D", "", written if last < 0 else written[:last])
    decimals = "" if last < 0 else re.sub(r"\D", "", written[last:])
    number = float(f"{whole}.{decimals or '0'}")
    before = text[: found[0].start()].rstrip("$€£¥₩ ")
    return -number if before.endswith(_SIGNS) and not before[:-1].strip() else number


def _is_decimal(written: str, last: int) -> bool:
    mark = written[last]
    if written.count(mark) > 1:
        return False
    if {".", ","} <= set(written):
        return True
    return mark == "." or len(written) - last - 1 != _THOUSAND
