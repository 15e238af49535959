"""What goes into a script and what comes out of it, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crawler.core.errors import ArgumentError, CorpusError

if TYPE_CHECKING:
    from crawler.core.wrapper.output import Node

_LEAST_MEMORY: Final = 1024 * 1024
_MOST_SECONDS: Final = 24 * 60 * 60


class ScriptsNotInstalledError(CorpusError):
    """The JavaScript engine is missing, or another one is in its place. Install what it names."""

    exit_code = 2


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
        if not 0 < self.seconds <= _MOST_SECONDS:
            raise ArgumentError(f"seconds is {self.seconds}; give a number above 0, up to a day")
        if self.memory < _LEAST_MEMORY:
            raise ArgumentError(f"memory is {self.memory}; give at least {_LEAST_MEMORY} bytes")
        if self.output < 1:
            raise ArgumentError(f"output is {self.output}; give at least 1 character")


@dataclass(frozen=True, slots=True)
class NodeArgument:
    """A node of the page, or an attribute of one, as an argument of ``main``.

    An attribute that the node does not have is null in the script.
    """

    number: int
    attribute: str = ""


Argument = NodeArgument | tuple[NodeArgument, ...] | None
"""An argument of ``main``: a node, an array of nodes, or null."""


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
