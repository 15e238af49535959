"""What goes into a script and what comes out of it, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from crawler.core.errors import ArgumentError, CorpusError

__all__ = [
    "Argument",
    "Limits",
    "NodeArgument",
    "OutputNode",
    "Scalar",
    "ScriptError",
    "ScriptResult",
    "ScriptsNotInstalledError",
]

Scalar = str | int | float | bool
"""What an output node can say."""


class ScriptsNotInstalledError(CorpusError):
    """The JavaScript engine is missing, or another one is in its place. Install what it names."""

    exit_code = 2


class ScriptError(CorpusError):
    """A script failed on a page. The message names the script, the place and what to do.

    ``reason``
        ``syntax``: it is no JavaScript. ``no-main``: it has no function ``main``. ``exception``: it
        threw. ``stack``: it calls itself too deep. ``promise``: it wants to go on later. ``time``,
        ``memory``, ``output``: it reached a limit. ``answer``: it changed built-in objects, so that
        what it made cannot be read. ``died``: the process that ran it ended.
    ``line``, ``column``
        Where, counted from 1; None where no place is known.
    ``debug``
        What it had told ``system.Debug`` so far, where that is known.
    """

    def __init__(  # noqa: PLR0913 - an error carries all that is known of it
        self,
        name: str,
        reason: str,
        detail: str,
        *,
        line: int | None = None,
        column: int | None = None,
        debug: tuple[str, ...] = (),
    ) -> None:
        place = "" if line is None else f", line {line}, column {column}"
        super().__init__(f"{name}{place}: {detail}")
        self.name = name
        self.reason = reason
        self.detail = detail
        self.line = line
        self.column = column
        self.debug = debug


@dataclass(frozen=True, slots=True)
class Limits:
    """What a script may use on one page.

    ``seconds``
        Processor time. Built-in functions that the engine cannot interrupt have one second more.
        A process that seems to stand still, because the machine is busy or asleep, is ended after
        four times the limit and two seconds more by the clock.
    ``memory``
        Bytes beside those that the page itself takes.
    ``output``
        Characters that it may put out in all: names, values and attributes of its output, lines
        for ``system.Debug``, addresses and files. Each of them counts for 16 more.

    Raises:
        ArgumentError: a limit is not above 0, or leaves the engine no room.
    """

    seconds: float = 5.0
    memory: int = 128 * 1024 * 1024
    output: int = 8 * 1024 * 1024

    def __post_init__(self) -> None:
        least_memory = 1024 * 1024
        if not 0 < self.seconds <= 24 * 60 * 60:
            raise ArgumentError(f"seconds is {self.seconds}; give a number above 0, up to a day")
        if self.memory < least_memory:
            raise ArgumentError(f"memory is {self.memory}; give at least {least_memory} bytes")
        if self.output < 1:
            raise ArgumentError(f"output is {self.output}; give at least 1 character")


@dataclass(frozen=True, slots=True)
class NodeArgument:
    """A node that is handed to ``main``.

    ``number``
        Its number in the page, or in the output tree in document order, from 0.
    ``attribute``
        The name of an attribute of the page's node; empty for the node itself. One that the node
        does not have is null in the script.
    ``in_output``
        True for a node of the output tree.
    """

    number: int
    attribute: str = ""
    in_output: bool = False


Argument = NodeArgument | tuple[NodeArgument, ...] | None
"""An argument of ``main``: a node, several as an array, or null where a rule found none."""


@dataclass(frozen=True, slots=True)
class OutputNode:
    """An element of the output tree, at most 100 below each other.

    ``value``
        What it says. A whole number comes back as int, however it was given.
    ``attributes``
        Names and values, of elements that were copied from the page.
    ``origin``
        The number, in document order, of the node it is in the tree that was given; None for one
        that the script added.
    ``source``
        The number of the page's node it was copied from; None for others.
    """

    name: str
    value: Scalar | None = None
    children: tuple[OutputNode, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    origin: int | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """What a script made of a page.

    ``output``
        The output tree as it is now.
    ``debug``
        Lines for ``system.Debug``.
    ``urls``
        Addresses for ``htree.AddUrl``, as the script gave them: neither checked nor fetched.
    ``saves``
        Files for ``xtree.Save``, as the script gave them: neither checked nor written.
    """

    output: OutputNode
    debug: tuple[str, ...] = field(default=())
    urls: tuple[str, ...] = field(default=())
    saves: tuple[str, ...] = field(default=())
