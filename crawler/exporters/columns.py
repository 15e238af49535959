"""The columns of a Parquet file: chosen once, then every value is converted to its column.

A column has a *kind*. Text columns take any value (what is no text is written as JSON), ``json``
columns are JSON throughout, number and flag columns take their own type alone. What does not fit
is written as JSON to the overflow column.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from itemadapter import is_item

from crawler.core.errors import OptionError
from crawler.items import PageItem, nested_to_json, value_to_text

Kind: TypeAlias = Literal["text", "whole", "real", "flag", "sentences", "texts", "json"]

EXTRA: Final = "_extra"
"""Name of the overflow: a column, or for page items a key inside ``fields``."""

_KINDS: Final[dict[str, Kind]] = {
    "str": "text",
    "int": "whole",
    "float": "real",
    "bool": "flag",
    "list[str]": "texts",
}
PAGE_COLUMNS: Final[dict[str, Kind]] = {
    field.name: _KINDS.get(str(field.type).removesuffix(" | None"), "json")
    for field in dataclasses.fields(PageItem)
} | {"sentences": "sentences"}
"""The kinds of the fields of page items by their types; fields of other types are JSON."""

_MOST_WAITING: Final = 1000
_WHOLE_LIMIT: Final = 2**63
_EXACT_LIMIT: Final = 2**53
"""Whole numbers up to here keep their value in a column of 64-bit floating point."""


class _MisfitError(Exception):
    """A value does not fit its column."""


def import_pyarrow() -> tuple[Any, Any]:
    """Return ``pyarrow`` and ``pyarrow.parquet``, loaded only where Parquet is written.

    Raises:
        OptionError: pyarrow is not installed.
    """
    return _of_extra("pyarrow", "Parquet needs", "parquet"), _of_extra("pyarrow.parquet")


def import_openpyxl() -> Any:  # noqa: ANN401 - a module of an extra
    """Return ``openpyxl``, loaded only where a workbook is written.

    Raises:
        OptionError: it is not installed.
    """
    return _of_extra("openpyxl", "Excel files need", "excel")


def _of_extra(name: str, needs: str = "", extra: str = "") -> Any:  # noqa: ANN401 - a module
    try:
        return import_module(name)
    except ImportError:
        raise OptionError(
            f'{needs} {name}. Install it with: pip install "scrapy-corpus[{extra}]"'
        ) from None


class FirstItems:
    """The first items of a feed, from which its columns are taken, those of pages first.

    Other items of a crawl in two passes come before all pages. So they wait for a page, or until
    there are a thousand. They wait as rows: what is wrong with an item is found when it comes.

    Attributes:
        columns: the names of the columns; None as long as items wait.
    """

    def __init__(self, row_of: Callable[[Any], Mapping[str, Any]]) -> None:
        """Begin without an item; ``row_of`` gives the fields of an item as they are written."""
        self._row_of = row_of
        self._waiting: list[Mapping[str, Any]] = []
        self.columns: list[str] | None = None

    def add(self, item: object) -> list[Any]:
        """Take an item; return what can be written: it, or the rows up to its own."""
        if self.columns is not None:
            return [item]
        is_page = isinstance(item, PageItem)
        self._waiting.append(self._row_of(item))
        return self.begin(is_page=is_page) if is_page or len(self._waiting) == _MOST_WAITING else []

    def begin(self, *, is_page: bool = False) -> list[Any]:
        """Choose the columns, and return the rows that wait.

        Args:
            is_page: whether the last of them is a page, whose columns are first.
        """
        rows, self._waiting = self._waiting, []
        first = rows[-1:] if is_page else []
        named = chain.from_iterable([*first, *rows] or [self._row_of(PageItem(""))])
        self.columns = list(dict.fromkeys(named))
        return rows


def choose_columns(
    rows: Sequence[Mapping[str, Any]],
    fixed: Mapping[str, Kind],
    named: Mapping[str, str] | None,
    *,
    has_fields: bool,
) -> dict[str, Kind]:
    """Choose the columns of a file: their names and kinds, the overflow last where it has one.

    Args:
        rows: The rows of the first row group.
        fixed: The kinds of the fields that are known whatever their values; empty for items of a
            foreign type.
        named: The columns asked for, mapped to the item's fields; None for all fields.
        has_fields: Whether items are page items, whose ``fields`` hold the overflow.
    """
    kinds: dict[str, set[Kind]] = {name: set() for name in named or ()}
    for row in rows:
        for name, value in row.items():
            found = kinds.setdefault(name, set())
            if value is not None:
                found.add(_kind_of(value))
    source = named or {}
    names = dict.fromkeys(kinds if named else (*fixed, *kinds))
    columns = {
        name: fixed.get(source.get(name, name)) or _common_kind(kinds.get(name))
        for name in names
        if name != EXTRA
    }
    if not (fixed and (columns.get("fields") == "json" or not has_fields)):
        columns[EXTRA] = "json"
    return columns


def arrow_schema(columns: Mapping[str, Kind]) -> Any:  # noqa: ANN401 - a pyarrow.Schema; pyarrow has no types
    """Return columns as a ``pyarrow.Schema``, JSON columns marked ``encoding: json``."""
    pyarrow, _ = import_pyarrow()
    text, whole = pyarrow.string(), pyarrow.int64()
    types = {
        "text": text,
        "json": text,
        "whole": whole,
        "real": pyarrow.float64(),
        "flag": pyarrow.bool_(),
        "texts": pyarrow.list_(text),
        "sentences": pyarrow.list_(pyarrow.struct([("block", whole), ("text", text)])),
    }
    marks = {"json": {"encoding": "json"}}
    return pyarrow.schema(
        [
            pyarrow.field(name, types[kind], metadata=marks.get(kind))
            for name, kind in columns.items()
        ]
    )


def arrow_table(
    columns: Mapping[str, Kind],
    rows: Sequence[Mapping[str, Any]],
    schema: Any,  # noqa: ANN401 - a pyarrow.Schema; pyarrow has no types
) -> tuple[Any, int]:
    """Make a ``pyarrow.Table`` of rows.

    Args:
        columns: The columns of the file.
        rows: The rows of one row group.
        schema: The columns as a ``pyarrow.Schema``.

    Returns:
        The table, and how many values were written to the overflow.
    """
    pyarrow, _ = import_pyarrow()
    cells: dict[str, list[Any]] = {name: [] for name in columns}
    misfits = 0
    for row in rows:
        extra = {
            name: value
            for name, value in row.items()
            if name not in columns or (name == EXTRA and value is not None)
        }
        fitted: dict[str, Any] = dict.fromkeys(cells)
        for name, kind in columns.items():
            value = None if name == EXTRA else row.get(name)
            try:
                fitted[name] = None if value is None else _fit(kind, value)
            except _MisfitError:
                extra[name] = value
        if extra:
            misfits += len(extra)
            if EXTRA in columns:
                fitted[EXTRA] = _clean(nested_to_json(extra))
            else:
                fields = row.get("fields")
                own = {} if fields is None else {"fields": fields}
                kept = fields if isinstance(fields, dict) else own
                fitted["fields"] = _clean(nested_to_json({**kept, EXTRA: extra}))
        for name, cell in fitted.items():
            cells[name].append(cell)
    arrays = [pyarrow.array(cells[field.name], type=field.type) for field in schema]
    return pyarrow.Table.from_arrays(arrays, schema=schema), misfits


def _kind_of(value: object) -> Kind:
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int):
        return "whole" if -_WHOLE_LIMIT <= value < _WHOLE_LIMIT else "json"
    if isinstance(value, float):
        return "real"
    if isinstance(value, dict | list | tuple | set | frozenset) or is_item(value):
        return "json"
    return "text"


def _common_kind(kinds: set[Kind] | None) -> Kind:
    if kinds and len(kinds) == 1:
        return next(iter(kinds))
    # JSON takes any value: of a column without values so far, or with several types.
    return "real" if kinds == {"whole", "real"} else "json"


def _fit(kind: Kind, value: object) -> Any:  # noqa: ANN401 - the column's type
    if kind == "json":
        return _clean(nested_to_json(value))
    if kind == "text":
        return _clean(value_to_text(value))
    if kind in {"texts", "sentences"}:
        if not isinstance(value, list | tuple):
            raise _MisfitError
        return [_text(one) if kind == "texts" else _sentence(one) for one in value]
    found = _kind_of(value)
    if found == kind:
        return value
    if kind == "real" and isinstance(value, int) and abs(value) <= _EXACT_LIMIT and found != "flag":
        return float(value)
    raise _MisfitError


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _MisfitError
    return _clean(value)


def _sentence(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or value.keys() != {"block", "text"}:
        raise _MisfitError
    return {"block": _fit("whole", value["block"]), "text": _fit("text", value["text"])}


def _clean(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 file can hold, by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
