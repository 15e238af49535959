"""The columns of a Parquet file: chosen once, then every value is converted to its column.

A column has a *kind*. Text columns take any value (what is no text is written as JSON), ``json``
columns are JSON throughout, number and flag columns take their own type alone. What does not fit
is written as JSON to the overflow column.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from itemadapter import is_item

from crawler.core.errors import OptionError
from crawler.items import PageItem, nested_to_json, value_to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Kind: TypeAlias = Literal["text", "whole", "real", "flag", "blocks", "sentences", "texts", "json"]

EXTRA: Final = "_extra"
"""Name of the overflow: a column, or for page items a key inside ``fields``."""

_KINDS: Final[dict[str, Kind]] = {
    "str": "text",
    "int": "whole",
    "float": "real",
    "bool": "flag",
    "list[str]": "texts",
}
_BY_NAME: Final[dict[str, Kind]] = {"sentences": "sentences", "blocks": "blocks"}
PAGE_COLUMNS: Final[dict[str, Kind]] = {
    field.name: _BY_NAME.get(field.name)
    or _KINDS.get(str(field.type).removesuffix(" | None"), "json")
    for field in dataclasses.fields(PageItem)
}
"""The kinds of the fields of page items by their types; fields of other types are JSON."""

_BLOCK_KINDS: Final[dict[str, Kind]] = {
    "text": "text",
    "kept": "flag",
    "reason": "text",
    "frequency": "whole",
}
"""Members of a block with a type of their own; the others are JSON in the member ``details``."""
_WHOLE_LIMIT: Final = 2**63
_EXACT_LIMIT: Final = 2**53
"""Whole numbers up to here keep their value in a column of 64-bit floating point."""


class _MisfitError(Exception):
    """A value does not fit its column."""


class Column(NamedTuple):
    """One column: its name in the file and the kind of its values."""

    name: str
    kind: Kind


def import_pyarrow() -> tuple[Any, Any]:
    """Return ``pyarrow`` and ``pyarrow.parquet``, loaded only where Parquet is written.

    Raises:
        OptionError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, and slow to load
        from pyarrow import parquet  # noqa: PLC0415 - as above
    except ImportError:
        raise OptionError(
            'Parquet needs pyarrow. Install it with: pip install "scrapy-corpus[parquet]"'
        ) from None
    return pa, parquet


def choose_columns(
    rows: Sequence[Mapping[str, Any]],
    fixed: Mapping[str, Kind],
    named: Mapping[str, str] | None,
    *,
    has_fields: bool,
) -> tuple[Column, ...]:
    """Choose the columns of a file, the overflow last where it has a column of its own.

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
    columns = [
        Column(name, fixed.get(source.get(name, name)) or _common_kind(kinds.get(name)))
        for name in names
        if name != EXTRA
    ]
    takes_all = Column("fields", "json") in columns or not has_fields
    if not (fixed and takes_all):
        columns.append(Column(EXTRA, "json"))
    return tuple(columns)


def arrow_schema(columns: Sequence[Column]) -> Any:  # noqa: ANN401 - a pyarrow.Schema; pyarrow has no types
    """Return columns as a ``pyarrow.Schema``, JSON columns marked ``encoding: json``."""
    pyarrow, _ = import_pyarrow()
    text = pyarrow.string()
    types = {
        "text": text,
        "json": text,
        "whole": pyarrow.int64(),
        "real": pyarrow.float64(),
        "flag": pyarrow.bool_(),
    }
    block = [(key, types[kind]) for key, kind in _BLOCK_KINDS.items()]
    types["sentences"] = pyarrow.list_(pyarrow.struct([("block", pyarrow.int64()), ("text", text)]))
    types["texts"] = pyarrow.list_(text)
    types["blocks"] = pyarrow.list_(pyarrow.struct([*block, ("details", text)]))
    marks = {"json": {"encoding": "json"}}
    return pyarrow.schema(
        [pyarrow.field(name, types[kind], metadata=marks.get(kind)) for name, kind in columns]
    )


def arrow_table(
    columns: Sequence[Column],
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
    own_overflow = columns[-1].name == EXTRA
    cells: dict[str, list[Any]] = {column.name: [] for column in columns}
    misfits = 0
    for row in rows:
        extra = {name: value for name, value in row.items() if name not in cells}
        if own_overflow and row.get(EXTRA) is not None:
            extra[EXTRA] = row[EXTRA]
        fitted = dict.fromkeys(cells)
        for column in columns[:-1] if own_overflow else columns:
            value = row.get(column.name)
            try:
                fitted[column.name] = None if value is None else _fit(column.kind, value)
            except _MisfitError:
                extra[column.name] = value
        if extra:
            misfits += len(extra)
            _overflow(fitted, row, extra, own=own_overflow)
        for name, cell in fitted.items():
            cells[name].append(cell)
    arrays = [pyarrow.array(cells[field.name], type=field.type) for field in schema]
    return pyarrow.Table.from_arrays(arrays, schema=schema), misfits


def _overflow(
    fitted: dict[str, Any], row: Mapping[str, Any], extra: dict[str, Any], *, own: bool
) -> None:
    """Write values to the overflow: its own column, or the key ``_extra`` of ``fields``."""
    if own:
        fitted[EXTRA] = _clean(nested_to_json(extra))
        return
    fields = row.get("fields")
    kept = fields if isinstance(fields, dict) else {} if fields is None else {"fields": fields}
    fitted["fields"] = _clean(nested_to_json({**kept, EXTRA: extra}))


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
    if fit := _FITTED_LISTS.get(kind):
        return fit(value)
    found = _kind_of(value)
    if found == kind:
        return value
    if kind == "real" and isinstance(value, int) and abs(value) <= _EXACT_LIMIT and found != "flag":
        return float(value)
    raise _MisfitError


def _fit_blocks(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list | tuple) or not all(isinstance(block, dict) for block in value):
        raise _MisfitError
    return [_fit_block(block) for block in value]


def _fit_sentences(value: object) -> list[dict[str, Any]]:
    members = {"block", "text"}
    if not isinstance(value, list) or not all(
        isinstance(one, dict) and set(one) == members for one in value
    ):
        raise _MisfitError
    return [
        {"block": _fit("whole", one["block"]), "text": _fit("text", one["text"])} for one in value
    ]


def _fit_texts(value: object) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise _MisfitError
    return [_clean(one) for one in value]


_FITTED_LISTS: Final[dict[Kind, Callable[[object], list[Any]]]] = {
    "blocks": _fit_blocks,
    "sentences": _fit_sentences,
    "texts": _fit_texts,
}


def _fit_block(block: Mapping[str, Any]) -> dict[str, Any]:
    fitted: dict[str, Any] = dict.fromkeys(_BLOCK_KINDS)
    details = {key: value for key, value in block.items() if key not in fitted}
    for key, kind in _BLOCK_KINDS.items():
        value = block.get(key)
        try:
            fitted[key] = None if value is None else _fit(kind, value)
        except _MisfitError:
            details[key] = value
    return {**fitted, "details": _clean(nested_to_json(details)) if details else None}


def _clean(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 file can hold, by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
