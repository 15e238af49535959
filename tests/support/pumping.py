"""Every compiled pattern of the project, and texts that make bad ones slow: parts of it, repeated.

A search that takes time by the square of its text does so on a run of what one of the pattern's
repeats takes (``a+b`` on ``aaa…``), behind what may stand before that repeat, or on many such
beginnings (``<!--.*?-->`` on ``<!--<!--…``).
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from re import _compiler as compiler  # type: ignore[attr-defined] # of the standard library, untyped
from re import _constants as codes  # type: ignore[attr-defined] # of the standard library, untyped
from re import _parser as parser  # type: ignore[attr-defined] # as above
from time import process_time
from types import ModuleType
from typing import TYPE_CHECKING, Any

import crawler

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDLESS = 10
"""A repeat of at least so many times counts as one without an end."""
_CLASSES = {
    codes.CATEGORY_DIGIT: "7",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_OTHERS = "a7 -.A<\n\uac00"
_MATCHING = frozenset({"match", "fullmatch", "pattern"})


def modules() -> Iterator[ModuleType]:
    """Give all modules of the project that are written in Python."""
    for found in pkgutil.walk_packages(crawler.__path__, "crawler."):
        # What is compiled has no source to read, and is not there where Python alone is tried.
        if not found.name.endswith((".worker", ".__main__")) and ".compiled_" not in found.name:
            yield importlib.import_module(found.name)


def patterns() -> dict[re.Pattern[str] | re.Pattern[bytes], tuple[str, bool]]:
    """Return all patterns, each with where it was found, and whether it is only matched.

    Patterns are held by modules, classes, containers, instances and the caches of functions.
    """
    found: dict[Any, tuple[str, bool]] = {}
    for module in modules():
        tree = ast.parse(inspect.getsource(module))
        used = _uses(tree)
        for name, value in list(vars(module).items()):
            for pattern in _held(value, module.__name__, set()):
                place, only_matched = (
                    f"{module.__name__}.{name}",
                    used.get(name, set()) <= _MATCHING,
                )
                only_matched &= name in used and isinstance(value, re.Pattern)
                known = found.get(pattern)
                found[pattern] = (place, only_matched and (known is None or known[1]))
    return found


def _uses(tree: ast.AST) -> dict[str, set[str]]:
    """Return by name what is done to it: the methods called, and "" for any other use."""
    used: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used.setdefault(node.value.id, set()).add(node.attr)
            node.value.ctx = ast.Store()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used.setdefault(node.id, set()).add("")
    return used


def _held(value: object, module: str, seen: set[int]) -> Iterator[Any]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for one in value.items():
            yield from _held(one, module, seen)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _held(one, module, seen)
    elif getattr(type(value), "__module__", "").startswith("crawler.") or (
        isinstance(value, type) and value.__module__ == module
    ):
        slots = [getattr(value, name, None) for name in getattr(type(value), "__slots__", ())]
        yield from _held([*slots, *getattr(value, "__dict__", {}).values()], module, seen)
    elif hasattr(value, "cache_parameters"):
        # Words of languages and the like, which are read once.
        read: Any = value
        if value.__module__ == module and not inspect.signature(read).parameters:
            yield from _held(read(), module, seen)


def texts(pattern: re.Pattern[Any], size: int) -> set[str]:
    """Return texts of a size that are hard for a pattern."""
    made: set[str] = set()
    for before, units in _pumps(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), ""):
        for unit in units:
            run = unit * (size // max(len(unit), 1))
            made |= {f"{before}{run}", f"{before}{run}\x01"}
            both = before + unit
            made.add(both * (size // max(len(both), 1)))
        if before:
            made.add(before * (size // len(before)))
    return made


def _pumps(sequence: Any, before: str) -> Iterator[tuple[str, list[str]]]:  # noqa: ANN401 - untyped
    """Give of each repeat what may stand before it, and what it repeats."""
    for code, value in sequence:
        if code in _REPEATS:
            _, most, body = value
            if most is codes.MAXREPEAT or most >= ENDLESS:
                yield before, _units(body)
        for inner in _inner(code, value):
            yield from _pumps(inner, before)
        before += _sample([(code, value)])


def _inner(code: Any, value: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    if code in _REPEATS:
        yield value[2]
    elif code is codes.SUBPATTERN:
        yield value[3]
    elif code is codes.ATOMIC_GROUP:
        yield value
    elif code is codes.BRANCH:
        yield from value[1]
    elif code in {codes.ASSERT, codes.ASSERT_NOT}:
        yield value[1]


def _units(body: Any) -> list[str]:  # noqa: ANN401 - as above
    """Return what a repeat may take: samples of it, with each kind of character of its classes."""
    units = {_sample(body)}
    for code, value in body:
        if code is codes.IN:
            units |= set(_members(value))
        for inner in _inner(code, value):
            units |= set(_units(inner))
    return sorted(units - {""}, key=lambda unit: (len(unit), unit))[:8]


def _sample(sequence: Any) -> str:  # noqa: ANN401 - as above
    """Return a short text that a part of a pattern takes, as far as that is told from it alone."""
    made = ""
    for code, value in sequence:
        if code is codes.LITERAL:
            made += chr(value)
        elif code is codes.NOT_LITERAL:
            made += next(char for char in _OTHERS if ord(char) != value)
        elif code is codes.ANY:
            made += "a"
        elif code is codes.IN:
            made += _members(value)[0]
        elif code in _REPEATS:
            made += _sample(value[2]) * max(value[0], int(code is not codes.MAX_REPEAT))
        elif code is codes.BRANCH:
            made += min((_sample(branch) for branch in value[1]), key=len)
        elif code in {codes.SUBPATTERN, codes.ATOMIC_GROUP}:
            made += _sample(next(_inner(code, value)))
    return made


def _members(value: Any) -> list[str]:  # noqa: ANN401 - as above
    """Return characters of a class, one of each of its parts."""
    one = parser.SubPattern(parser.State(), [(codes.IN, value)])
    is_member = compiler.compile(one, re.UNICODE).match
    found = [char for char in _OTHERS if is_member(char)]
    for code, part in value:
        if code is codes.LITERAL:
            found.append(chr(part))
        elif code is codes.RANGE:
            found.append(chr(part[0]))
        elif code is codes.CATEGORY:
            found.append(_CLASSES[part])
    return [char for char in dict.fromkeys(found) if is_member(char)] or ["\x02"]


def cpu_seconds(pattern: re.Pattern[Any], text: str, *, only_matched: bool) -> float:
    """Return the processor time of going through a text by a pattern."""
    subject: Any = text
    if isinstance(pattern.pattern, bytes):
        subject = text.encode("latin-1", "replace")
    started = process_time()
    if only_matched:
        pattern.match(subject)
    else:
        for _ in pattern.finditer(subject):
            pass
    return process_time() - started
