"""Spider arguments: read from ``-a name=value`` into a dataclass of :mod:`crawler.fields`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from crawler.core.errors import ArgumentError, OneLineExit
from crawler.fields import REQUIRED, fields_of, read_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ArgumentExit", "parse_arguments"]

_T = TypeVar("_T")


class ArgumentExit(OneLineExit, ArgumentError):  # noqa: N818 - it is an exit, as SystemExit is
    """An :class:`ArgumentError` where Scrapy would show any other exception as a traceback."""


def parse_arguments(cls: type[_T], raw: Mapping[str, object], *, owner: str) -> _T:
    """Read the arguments given on a command line, or from Python.

    Args:
        cls: A dataclass whose fields are declared with :func:`crawler.fields.declare`.
        raw: Argument names and values, typed or as text. Names that begin with ``_`` belong to
            the program that runs the spider and are ignored.
        owner: Name of the spider or command, which the error message begins with.

    Raises:
        ArgumentExit: An argument is unknown, missing or wrong. The message is one line.
    """
    known = fields_of(cls)
    given = {name: value for name, value in raw.items() if not name.startswith("_")}
    values, mistakes = read_fields(cls, given)
    missing = [name for name, one in known.items() if one.default is REQUIRED and name not in given]
    mistakes += [f"-a {name}=… is missing, {known[name].meaning}" for name in missing]
    if mistakes:
        raise ArgumentExit(f"{owner}: {mistakes[0]}; arguments are: {', '.join(known)}")
    return cls(**values)
