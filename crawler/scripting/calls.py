"""What a script is given and what it answers: plain data, and JSON between the processes.

The answer is not trusted: a script can change how its process writes it.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from crawler.core.errors import ArgumentError, CorpusError
from crawler.core.page.text import drop_unseen
from crawler.core.wrapper.output import Node
from crawler.core.wrapper.project import XML_NAME, Scalar
from crawler.core.wrapper.tree import TEXT, PageTree

_LEAST_MEMORY: Final = 1024 * 1024
_MOST_SECONDS: Final = 24 * 60 * 60
# An output is at most this deep; ``objects.js`` has the same number.
_MOST_DEPTH: Final = 100
# Larger whole numbers are not exact in JavaScript (ECMA-262, MAX_SAFE_INTEGER).
_MOST_EXACT: Final = 2**53 - 1
_DETAILS: Final = {
    "syntax": "{how}",
    "exception": "{how}",
    "no-main": "there is no function main; write: function main(node) {{ ... }}",
    "promise": "it wants to go on later, by a promise, async, yield or import; nothing runs after "
    "main has returned, so write it without them",
    "stack": "it calls itself too deep; end the recursion, or write a loop",
    "time": "it took more than {seconds:g} s; look for a loop that does not end",
    "memory": "it needs more than {memory:g} MB of memory; keep less, or raise the limit",
    "output": "it puts out more than {output} characters; put out less, or raise the limit",
    "answer": "its answer cannot be read; leave the built-in objects of JavaScript as they are",
    "died": "the process that ran it ended ({how}); the next page gets a new one",
}
# These could move the cursor of a terminal; line breaks and tabs may stay.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# How the engine reports errors of its own. Where no memory is left for an error, it throws null.
_ENGINE_ERRORS: Final = {
    ("InternalError", "out of memory"): "memory",
    ("InternalError", "string too long"): "memory",
    ("thrown", "null"): "memory",
    ("RangeError", "Maximum call stack size exceeded"): "stack",
}


class ScriptsNotInstalledError(CorpusError):
    """The JavaScript engine is missing, or another one is in its place. Install what it names."""

    exit_code = 2


@dataclass(eq=False)
class ScriptError(CorpusError):
    """A script failed on a page. The message names the script, the place and what to do.

    ``reason``
        ``syntax``: it is no JavaScript. ``no-main``: it has no function ``main``. ``exception``: it
        threw an exception. ``stack``: its recursion is too deep. ``promise``: it left something to
        be done later. ``time``, ``memory``, ``output``: it reached a limit. ``answer``: it changed
        built-in objects, so that its output cannot be read. ``died``: its process ended.
    ``line``, ``column``
        Where, counted from 1; None where no place is known.
    ``debug``
        Its lines for ``system.Debug`` so far, where they are known.
    """

    name: str
    reason: str
    detail: str
    line: int | None = None
    column: int | None = None
    debug: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = "" if self.line is None else f", line {self.line}, column {self.column}"
        return f"{self.name}{place}: {self.detail}"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a script may use on one page.

    ``seconds``
        CPU time. Built-in functions that the engine cannot interrupt have one second more. A
        process that makes no progress, because the machine is busy or asleep, is killed after four
        times the limit and two seconds by the clock.
    ``memory``
        Bytes beside those that the page itself takes.
    ``output``
        Characters of output in all: names, values and attributes of nodes, lines for
        ``system.Debug``, addresses and file names. Each of them counts for 16 more.

    Raises:
        ArgumentError: a limit is not above 0, or leaves the engine no room.
    """

    seconds: float = 5.0
    memory: int = 128 * 1024 * 1024
    output: int = 8 * 1024 * 1024

    def __post_init__(self) -> None:
        is_time = 0 < self.seconds <= _MOST_SECONDS
        if not is_time or self.memory < _LEAST_MEMORY or self.output < 1:
            raise ArgumentError(
                f"{self} leaves a script no room; give seconds above 0, up to a day, at least "
                f"{_LEAST_MEMORY} bytes of memory, and at least 1 character of output"
            )


@dataclass(frozen=True, slots=True)
class NodeArgument:
    """A node of the page, or an attribute of one, as an argument of ``main``.

    An attribute that the node does not have is null in the script.
    """

    number: int
    attribute: str = ""


Argument = NodeArgument | Node | tuple[NodeArgument, ...] | None
"""An argument of ``main``: a node of the page or of the output, an array of nodes, or null."""


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """What a script did on a page.

    ``output``
        The output as it is now. Nodes that were there before keep their confidence and source;
        copies of nodes of the page have the path of these as their source. Whole numbers are int.
    ``debug``
        Lines for ``system.Debug``.
    ``urls``
        Addresses for ``htree.AddUrl``, as the script gave them: neither checked nor fetched.
    ``saves``
        File names for ``xtree.Save``, as the script gave them: neither checked nor written.
    """

    output: Node
    debug: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    saves: tuple[str, ...] = ()


def page_text(tree: PageTree) -> str:
    """Return a page in the form in which it is sent to scripts; nodes keep their numbers.

    It is JSON: a table of names, a column of the name of each node and one of its parent, the texts
    of text nodes, and attributes.
    """
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
    return json.dumps(page, separators=(",", ":"))


class ScriptCall:
    """One call of a script on a page; the arguments are those of :meth:`Sandbox.run`.

    Raises:
        ArgumentError: the output is too deep.
    """

    def __init__(
        self, name: str, script: str, tree: PageTree, output: Node, limits: Limits
    ) -> None:
        self._name = name
        # Each of these ends a line in JavaScript; the engine counts only the last.
        self._script = script.replace("\r\n", "\n").replace("\r", "\n")
        self._tree = tree
        self._limits = limits
        self._output = list(_in_order(output))
        self._numbers = {id(node): number for number, (_, node) in enumerate(self._output)}

    def request(self, calls: Sequence[Sequence[Argument]], args: Sequence[str]) -> bytes:
        """Return the line of JSON that asks for calls of ``main``; that of the page follows it.

        Raises:
            ArgumentError: an argument names no node, or the script cannot be encoded.
        """
        try:
            self._script.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ArgumentError(f"{self._name} is no text: {error}; save it as UTF-8") from error
        world = {
            "output": [
                (depth, node.name, _exact(node.value), node.attributes)
                for depth, node in self._output
            ],
            "words": list(args),
            "budget": self._limits.output,
            "calls": [[self._reference(its) for its in arguments] for arguments in calls],
        }
        seconds, memory = self._limits.seconds, self._limits.memory
        call = {"world": world, "script": self._script, "seconds": seconds, "memory": memory}
        return f"{json.dumps(call)}\n".encode("ascii")

    def _reference(self, argument: Argument) -> object:
        if isinstance(argument, Node):
            return {"output": self._numbers[id(argument)]}
        if isinstance(argument, tuple):
            return [self._reference(its) for its in argument]
        if argument is None:
            return None
        nodes = len(self._tree)
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
            debug = _texts(answered.get("debug", ()))
            if "reason" not in answered:
                output = self._output_of(answered["rows"])
                return ScriptResult(
                    output, debug, _texts(answered["urls"]), _texts(answered["saves"])
                )
            failed = self._failure(answered, debug)
        except (
            ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError,
        ) as error:  # fmt: skip
            raise self.error("answer") from error
        raise failed

    def error(self, reason: str, how: str = "", **more: Any) -> ScriptError:  # noqa: ANN401 - fields of the error
        """Return the error of a reason.

        Args:
            reason: one of those of :class:`ScriptError`.
            how: the exception, or how the process ended.
            more: further fields of the error.
        """
        limits = self._limits
        megabytes = limits.memory / 1024**2
        detail = _DETAILS[reason].format(
            how=how, seconds=limits.seconds, memory=megabytes, output=limits.output
        )
        return ScriptError(self._name, reason, detail, **more)

    def _failure(self, failure: dict[str, Any], debug: tuple[str, ...]) -> ScriptError:
        name, message = (str(failure.get(key, "")) for key in ("name", "message"))
        reason = _ENGINE_ERRORS.get((name, message), failure["reason"])
        if failure.get("spent") is True:
            reason = "output"
        how = _CONTROL.sub("\ufffd", _text(f"{name}: {message}"))
        line, column = self._place(failure.get("place"))
        return self.error(reason, how, line=line, column=column, debug=debug)

    def _place(self, place: Any) -> tuple[int | None, int | None]:  # noqa: ANN401 - JSON is of any type
        if place is None:
            return None, None
        line, column = place
        if not all(type(number) is int and number > 0 for number in place):
            raise ValueError(place)
        lines = self._script.split("\n")
        if line > len(lines):
            # Something that is never closed is reported behind the end.
            return len(lines), len(lines[-1]) + 1
        # The engine counts bytes of UTF-8.
        before = lines[line - 1].encode("utf-8")[: column - 1]
        return line, len(before.decode("utf-8", "ignore")) + 1

    def _output_of(self, rows: Any) -> Node:  # noqa: ANN401 - JSON is of any type
        """Return the output of rows in document order: depth, name, value, attributes, origin."""
        depths = [row[0] for row in rows]
        if depths[0] != 0 or not all(
            type(depth) is int and 1 <= depth <= min(before + 1, _MOST_DEPTH)
            for before, depth in pairwise(depths)
        ):
            raise ValueError(depths)
        # Nodes whose parents are still to come, by their depth, the last first.
        waiting: defaultdict[int, list[Node]] = defaultdict(list)
        for depth, *row in reversed(rows):
            children = tuple(reversed(waiting.pop(depth + 1, ())))
            waiting[depth].append(self._node(children, *row))
        return waiting[0][0]

    def _node(  # noqa: PLR0913, PLR0917 - the columns of a row
        self,
        children: tuple[Node, ...],
        name: str,
        value: object,
        pairs: list[tuple[str, str]],
        origin: int | None,
        source: int | None,
    ) -> Node:
        if origin is not None:
            # It was there before: a script can change its value and add children.
            _, node = self._output[_number(origin, len(self._output))]
            confidence, path = node.confidence, node.source
            return Node(node.name, _scalar(value), children, confidence, path, node.attributes)
        tree = self._tree
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


# The answer may hold anything: what has another type raises TypeError or ValueError below.


def _texts(found: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_text, found))


def _text(found: str) -> str:
    """Replace halves of characters, which cannot be written anywhere."""
    return str.encode(found, "utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _xml_name(found: str) -> str:
    if found != TEXT and XML_NAME.fullmatch(found) is None:
        raise ValueError(found)
    return found


def _scalar(value: object) -> Scalar | None:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise TypeError(value)


def _number(value: int, size: int) -> int:
    if type(value) is not int or not 0 <= value < size:
        raise ValueError(value)
    return value
