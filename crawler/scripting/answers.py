"""What the process that runs scripts answers, read without trust."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from crawler.core.wrapper.schema import XML_NAME
from crawler.core.wrapper.tree import TEXT
from crawler.scripting.forms import OutputNode, ScriptError, ScriptResult
from crawler.scripting.pages import MOST_DEPTH
from crawler.scripting.process import Lost

if TYPE_CHECKING:
    from crawler.scripting.forms import Limits, Scalar

__all__ = ["Asked", "read_answer"]

_ADVICE: Final = {
    "no-main": "there is no function main; write: function main(node) { ... }",
    "promise": (
        "it wants to go on later, by a promise, async, yield or import; nothing runs after main "
        "has returned, so write it without them"
    ),
    "stack": "it calls itself too deep; end the recursion, or write a loop",
}
# In messages these could move the cursor of a terminal; lines and tabs may stay.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# How the engine says that memory ran out; the last, where none is left to say it.
_NO_MEMORY: Final = frozenset(
    (("InternalError", "out of memory"), ("InternalError", "string too long"), ("thrown", "null"))
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, as far as the answer depends on it.

    ``outputs`` and ``nodes`` say how many nodes the output tree had, and the page has.
    """

    name: str
    script: str
    limits: Limits
    outputs: int
    nodes: int


class _OddAnswerError(Exception):
    """The answer is none that the worker gives by itself."""


def read_answer(answer: bytes | Lost, asked: Asked) -> ScriptResult:
    """Return what a script made of a page.

    Raises:
        ScriptError: it failed.
    """
    if isinstance(answer, Lost):
        raise _lost(answer, asked)
    try:
        read = _read(json.loads(answer), asked)
    # The script may have changed how its world writes JSON; deep nesting is among what it can do.
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, _OddAnswerError) as error:
        raise ScriptError(
            asked.name,
            "answer",
            "its answer cannot be read; leave the built-in objects of JavaScript as they are",
        ) from error
    if isinstance(read, ScriptError):
        raise read
    return read


def _read(told: Any, asked: Asked) -> ScriptResult | ScriptError:  # noqa: ANN401 - JSON is of any type
    if "reason" in told:
        return _failure(told, asked)
    return ScriptResult(
        _tree(told["rows"], asked),
        debug=_texts(told["debug"]),
        urls=_texts(told["urls"]),
        saves=_texts(told["saves"]),
    )


def _lost(lost: Lost, asked: Asked) -> ScriptError:
    if lost.reason == "died":
        detail = f"the process that ran it ended ({lost.detail}); the next page gets a new one"
        return ScriptError(asked.name, "died", detail)
    return ScriptError(asked.name, lost.reason, _limit(lost.reason, asked.limits))


def _limit(reason: str, limits: Limits) -> str:
    if reason == "time":
        return f"it took more than {limits.seconds:g} s; look for a loop that does not end"
    if reason == "memory":
        size = limits.memory / 1024 / 1024
        return f"it needs more than {size:g} MB of memory; keep less, or raise the limit"
    return f"it puts out more than {limits.output} characters; put out less, or raise the limit"


def _failure(told: dict[str, Any], asked: Asked) -> ScriptError:
    reason = told["reason"]
    message = str(told.get("message", ""))
    name = str(told.get("name", ""))
    if told.get("spent") is True:
        reason = "output"
    elif (name, message) in _NO_MEMORY:
        reason = "memory"
    elif name == "RangeError" and message == "Maximum call stack size exceeded":
        reason = "stack"
    if reason in {"time", "memory", "output"}:
        detail = _limit(reason, asked.limits)
    elif reason in _ADVICE:
        detail = _ADVICE[reason]
    elif reason in {"syntax", "exception"}:
        detail = _CONTROL.sub("\ufffd", f"{_clean(name)}: {_clean(message)}")
    else:
        raise _OddAnswerError
    line, column = _place(told.get("place"), asked.script)
    debug = _texts(told.get("debug", []))
    return ScriptError(asked.name, reason, detail, line=line, column=column, debug=debug)


def _place(place: object, script: str) -> tuple[int | None, int | None]:
    if place is None:
        return None, None
    if not (
        isinstance(place, list)
        and len(place) == 2  # noqa: PLR2004 - a line and a column
        and all(type(number) is int and number > 0 for number in place)
    ):
        raise _OddAnswerError
    line, column = place
    lines = script.split("\n")
    if line > len(lines):
        # Something that is never closed is missed behind the end.
        return len(lines), len(lines[-1]) + 1
    # The engine counts bytes of UTF-8.
    before = lines[line - 1].encode("utf-8")[: column - 1]
    return line, len(before.decode("utf-8", "ignore")) + 1


def _texts(found: object) -> tuple[str, ...]:
    if not isinstance(found, list):
        raise _OddAnswerError
    return tuple(_text(text) for text in found)


def _text(found: object) -> str:
    if not isinstance(found, str):
        raise _OddAnswerError
    return _clean(found)


def _clean(text: str) -> str:
    """Put the replacement character for halves of characters: they cannot be written anywhere."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass(slots=True)
class _Open:
    """A node whose children are still to come."""

    name: str
    value: Scalar | None
    attributes: tuple[tuple[str, str], ...]
    origin: int | None
    source: int | None
    children: list[OutputNode] = field(default_factory=list)

    def close(self) -> OutputNode:
        return OutputNode(
            self.name,
            self.value,
            tuple(self.children),
            self.attributes,
            self.origin,
            self.source,
        )


def _tree(rows: object, asked: Asked) -> OutputNode:
    if not isinstance(rows, list) or not rows:
        raise _OddAnswerError
    line: list[_Open] = []
    for number, (depth, name, value, pairs, origin, source) in enumerate(rows):
        if type(depth) is not int or not (number > 0) <= depth <= min(len(line), MOST_DEPTH):
            raise _OddAnswerError
        _close_to(line, depth)
        line.append(
            _Open(
                _text(name) if origin is not None else _name(name),
                _scalar(value),
                tuple((_name(key), _text(its)) for key, its in pairs),
                _number(origin, asked.outputs),
                _number(source, asked.nodes),
            )
        )
    _close_to(line, 1)
    return line[0].close()


def _close_to(line: list[_Open], depth: int) -> None:
    while len(line) > depth:
        closed = line.pop().close()
        line[-1].children.append(closed)


def _name(found: object) -> str:
    if not isinstance(found, str) or (found != TEXT and XML_NAME.fullmatch(found) is None):
        raise _OddAnswerError
    return found


def _scalar(value: object) -> Scalar | None:
    if isinstance(value, str):
        return _clean(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise _OddAnswerError


def _number(value: object, size: int) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < size:
        raise _OddAnswerError
    return value
