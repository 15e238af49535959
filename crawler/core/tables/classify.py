"""The ways to tell genuine tables from layout, by their names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from crawler.core.errors import UnknownMethodError
from crawler.core.tables.coherency import Constants
from crawler.core.tables.learned import LearnedMethod
from crawler.core.tables.rules import RulesMethod, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.tables.areas import Areas
    from crawler.core.tables.grid import Grid
    from crawler.core.tables.words import Words

__all__ = [
    "DEFAULT_TABLE_METHOD",
    "TableMethod",
    "Verdict",
    "get_table_method",
    "table_method_names",
]

DEFAULT_TABLE_METHOD = "learned"
_METHODS = ("learned", "rules", "rules-literal")


class TableMethod(Protocol):
    """Tells genuine tables from layout."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""

    def judge(self, grid: Grid) -> Verdict:
        """Judge one table. The same table always gets the same verdict."""

    def judge_all(self, grids: Sequence[Grid]) -> tuple[Verdict, ...]:
        """Judge tables, each by itself."""

    def locate(self, grid: Grid) -> Areas:
        """Return where the attributes of a table stand, given that it is genuine."""


def table_method_names() -> tuple[str, ...]:
    """Return the names of all methods, sorted."""
    return _METHODS


def get_table_method(
    name: str, constants: Constants | None = None, words: Words | None = None
) -> TableMethod:
    """Return the method of that name.

    Args:
        name: one of :func:`table_method_names`.
        constants: those of the published method; None for its own.
        words: the lists by which data types and attributes are told; None for those that come with
            the project.

    Raises:
        UnknownMethodError: There is none. The message lists those there are.
    """
    constants = constants or Constants()
    if name == "rules":
        return RulesMethod(constants, words)
    if name == "rules-literal":
        literal = replace(constants, strings_need_sense=False)
        return RulesMethod(literal, words, name="rules-literal")
    if name == "learned":
        return LearnedMethod(RulesMethod(constants, words), words)
    raise UnknownMethodError(
        f"no table method is called '{name}'; use one of: {', '.join(_METHODS)}"
    )
