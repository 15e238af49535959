"""One call of a script: what is sent to its process, and how the answer is read.

The answer is not trusted: a script can change how its process writes it.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import ArgumentError
from crawler.core.page.text import drop_unseen
from crawler.core.wrapper.output import Node
from crawler.core.wrapper.schema import XML_NAME
from crawler.core.wrapper.tree import TEXT
from crawler.scripting.forms import NodeArgument, ScriptError, ScriptResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.core.wrapper.schema import Scalar
    from crawler.core.wrapper.tree import PageTree
    from crawler.scripting.forms import Argument, Limits

# An output is at most this deep; ``objects.js`` has the same number.
_MOST_DEPTH: Final = 100
# Larger whole numbers are not exact in JavaScript (ECMA-262, MAX_SAFE_INTEGER).
_MOST_EXACT: Final = 2**53 - 1
# A character takes at most six bytes in JSON. Each part of the output counts for at least 16
# characters, and takes at most some sixty bytes beside its characters.
_BYTES_PER_CHARACTER: Final = 6
_BYTES_BESIDE: Final = 1024 * 1024
_ADVICE: Final = {
    "no-main": "there is no function main; write: function main(node) { ... }",
    "promise": (
        "it wants to go on later, by a promise, async, yield or import; nothing runs after main "
        "has returned, so write it without them"
    ),
    "stack": "it calls itself too deep; end the recursion, or write a loop",
}
_OVER_LIMIT: Final = {
    "time": "it took more than {seconds:g} s; look for a loop that does not end",
    "memory": "it needs more than {memory:g} MB of memory; keep less, or raise the limit",
    "output": "it puts out more than {output} characters; put out less, or raise the limit",
}
# These could move the cursor of a terminal; line breaks and tabs may stay.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# How the engine reports that memory ran out; the last, where none is left for an error.
_NO_MEMORY: Final = frozenset(
    (("InternalError", "out of memory"), ("InternalError", "string too long"), ("thrown", "null"))
)


@dataclass(frozen=True, slots=True)
class ScriptPage:
    """A page in the form in which scripts get it: made once for any number of scripts.

    ``text``
        JSON: a table of names, a column of the name of each node and one of its parent, the texts
        of text nodes, and attributes.
    """

    tree: PageTree
    text: str


def script_page(tree: PageTree) -> ScriptPage:
    """Return the form of a page in which it is sent to scripts; nodes keep their numbers."""
    table = {name: number for number, name in enumerate(dict.fromkeys(tree.names))}
    page = {
        "table": list(table),
        "names": [table[name] for name in tree.names],
        "parents": tree.parents,
        "texts": [(number, drop_unseen(tree.raws[number])) for number in tree.text_nodes],
        "attributes": [
            (number, list(element.attrib.items()))
            for number, element in enumerate(tree.elements)
            if element is not None and element.attrib
        ],
    }
    return ScriptPage(tree, json.dumps(page, separators=(",", ":")))


class _OddAnswerError(Exception):
    """The answer is none that the process gives by itself."""


class ScriptCall:
    """One call of a script on a page.

    Args:
        name: what errors call the script.
        script: JavaScript with a function ``main``.
        page: the page.
        output: the output so far.
        limits: what the script may use.

    Raises:
        ArgumentError: the script cannot be encoded, or the output is too deep.
    """

    def __init__(
        self, name: str, script: str, page: ScriptPage, output: Node, limits: Limits
    ) -> None:
        self._name = name
        # Each of these ends a line in JavaScript; the engine counts only the last.
        self._script = script.replace("\r\n", "\n").replace("\r", "\n")
        self._page = page
        self._limits = limits
        self._output = list(_in_order(output))
        try:
            self._encoded = self._script.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ArgumentError(f"{name} is no text: {error}; save it as UTF-8") from error

    def request(self, arguments: Sequence[Argument], args: Sequence[str]) -> tuple[bytes, ...]:
        """Return the frames of the request: the call, the page, the script.

        Args:
            arguments: nodes that ``main`` is called with.
            args: what ``system.args`` gives, in order.

        Raises:
            ArgumentError: an argument names no node.
        """
        world = {
            "output": [
                (depth, node.name, _exact(node.value), node.attributes)
                for depth, node in self._output
            ],
            "words": list(args),
            "budget": self._limits.output,
            "arguments": [self._reference(argument) for argument in arguments],
        }
        call = {"world": world, "seconds": self._limits.seconds, "memory": self._limits.memory}
        return json.dumps(call).encode("ascii"), self._page.text.encode("ascii"), self._encoded

    def most_bytes(self, request: Sequence[bytes]) -> int:
        """Return how many bytes an answer can have at most."""
        sent = sum(map(len, request))
        return _BYTES_PER_CHARACTER * (self._limits.output + sent) + _BYTES_BESIDE

    def _reference(self, argument: Argument) -> object:
        if argument is None:
            return None
        if not isinstance(argument, NodeArgument):
            return [self._reference(its) for its in argument]
        nodes = len(self._page.tree)
        if not 0 <= argument.number < nodes:
            raise ArgumentError(
                f"the page has no node {argument.number}; it has {nodes}, from 0 on"
            )
        return {"page": argument.number, "attribute": argument.attribute or None}

    def read(self, answer: bytes) -> ScriptResult:
        """Return what the script did.

        Raises:
            ScriptError: it failed, or its answer cannot be read.
        """
        try:
            answered = json.loads(answer)
            if "reason" not in answered:
                return ScriptResult(
                    self._tree(answered["rows"]),
                    debug=_texts(answered["debug"]),
                    urls=_texts(answered["urls"]),
                    saves=_texts(answered["saves"]),
                )
            script_error = self._failure(answered)
        except (
            ValueError, KeyError, TypeError, IndexError, RecursionError, _OddAnswerError,
        ) as error:  # fmt: skip
            raise ScriptError(
                self._name,
                "answer",
                "its answer cannot be read; leave the built-in objects of JavaScript as they are",
            ) from error
        raise script_error

    def lost(self, reason: str, detail: str) -> ScriptError:
        """Return the error of a process that gave no answer: its reason, and how it ended."""
        detail = f"the process that ran it ended ({detail}); the next page gets a new one"
        return ScriptError(self._name, reason, detail if reason == "died" else self._limit(reason))

    def _limit(self, reason: str) -> str:
        limits = self._limits
        return _OVER_LIMIT[reason].format(
            seconds=limits.seconds, memory=limits.memory / 1024**2, output=limits.output
        )

    def _failure(self, failure: dict[str, Any]) -> ScriptError:
        reason = failure["reason"]
        message = str(failure.get("message", ""))
        name = str(failure.get("name", ""))
        if failure.get("spent") is True:
            reason = "output"
        elif (name, message) in _NO_MEMORY:
            reason = "memory"
        elif name == "RangeError" and message == "Maximum call stack size exceeded":
            reason = "stack"
        if reason in _OVER_LIMIT:
            detail = self._limit(reason)
        elif reason in {"syntax", "exception"}:
            detail = _CONTROL.sub("\ufffd", f"{_clean(name)}: {_clean(message)}")
        else:
            detail = _ADVICE[reason]
        line, column = self._place(failure.get("place"))
        debug = _texts(failure.get("debug", []))
        return ScriptError(self._name, reason, detail, line=line, column=column, debug=debug)

    def _place(self, place: object) -> tuple[int | None, int | None]:
        if place is None:
            return None, None
        if not isinstance(place, list):
            raise _OddAnswerError
        line, column = place
        if not all(type(number) is int and number > 0 for number in place):
            raise _OddAnswerError
        lines = self._script.split("\n")
        if line > len(lines):
            # Something that is never closed is reported behind the end.
            return len(lines), len(lines[-1]) + 1
        # The engine counts bytes of UTF-8.
        before = lines[line - 1].encode("utf-8")[: column - 1]
        return line, len(before.decode("utf-8", "ignore")) + 1

    def _tree(self, rows: Any) -> Node:  # noqa: ANN401 - JSON is of any type
        """Return the output of rows in document order: depth, name, value, attributes, origin."""
        depths = [row[0] for row in rows]
        if depths[0] != 0 or not all(
            type(depth) is int and 1 <= depth <= min(before + 1, _MOST_DEPTH)
            for before, depth in pairwise(depths)
        ):
            raise _OddAnswerError
        # Nodes whose parents are still to come, by their depth, the last first.
        waiting: defaultdict[int, list[Node]] = defaultdict(list)
        for depth, *row in reversed(rows):
            children = tuple(reversed(waiting.pop(depth + 1, ())))
            waiting[depth].append(self._node(children, *row))
        return waiting[0][0]

    def _node(  # noqa: PLR0913, PLR0917 - the columns of a row
        self,
        children: tuple[Node, ...],
        name: object,
        value: object,
        pairs: Any,  # noqa: ANN401 - JSON is of any type
        origin: object,
        source: object,
    ) -> Node:
        if origin is not None:
            # It was there before: a script can change its value and add children.
            _, node = self._output[_number(origin, len(self._output))]
            confidence, path = node.confidence, node.source
            return Node(node.name, _scalar(value), children, confidence, path, node.attributes)
        tree = self._page.tree
        path = "" if source is None else tree.path(_number(source, len(tree)))
        attributes = tuple((_xml_name(key), _text(its)) for key, its in pairs)
        return Node(_xml_name(name), _scalar(value), children, 1.0, path, attributes)


def _in_order(root: Node) -> Iterator[tuple[int, Node]]:
    """Yield the nodes of an output in document order with their depths."""
    waiting = [(0, root)]
    while waiting:
        depth, node = waiting.pop()
        if depth > _MOST_DEPTH:
            raise ArgumentError(
                f"the output tree is more than {_MOST_DEPTH} elements deep; make its schema flatter"
            )
        yield depth, node
        waiting += [(depth + 1, child) for child in reversed(node.children)]


def _exact(value: Scalar | None) -> Scalar | None:
    return str(value) if isinstance(value, int) and abs(value) > _MOST_EXACT else value


def _texts(found: object) -> tuple[str, ...]:
    if not isinstance(found, list):
        raise _OddAnswerError
    return tuple(map(_text, found))


def _text(found: object) -> str:
    if not isinstance(found, str):
        raise _OddAnswerError
    return _clean(found)


def _clean(text: str) -> str:
    """Replace halves of characters, which cannot be written anywhere."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _xml_name(found: object) -> str:
    if not isinstance(found, str) or (found != TEXT and XML_NAME.fullmatch(found) is None):
        raise _OddAnswerError
    return found


def _scalar(value: object) -> Scalar | None:
    if isinstance(value, str):
        return _clean(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise _OddAnswerError


def _number(value: object, size: int) -> int:
    if type(value) is not int or not 0 <= value < size:
        raise _OddAnswerError
    return value
