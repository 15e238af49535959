"""What the elements of a table say by name and attributes: parts, cells, links, what is hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from lxml import etree

from crawler.core.page.elements import UNSEEN
from crawler.core.page.text import DENSE, SHORT, cached_if_short, drop_unseen
from crawler.core.patterns import compiled_later
from crawler.core.tables.grid import MAX_COLSPAN, MAX_ROWSPAN, Cell, parse_span

# Shown where scripts or plug-ins are missing: no text of a cell, but some pages are wholly in one.
INSTEAD = frozenset(("noscript", "object"))
CONTROLS = frozenset(("input", "select", "textarea", "button"))
# Elements that hold neither text of a table nor a table: those of blocks, and controls but buttons.
CLOSED = (UNSEEN | CONTROLS) - INSTEAD - {"button"}
_FOR_THE_EAR = compiled_later(
    r"(?<![\w-])(?:(?:is-|u-)?(?:sr-only|visually-?hidden|hidden-visually)|screen-?reader(?:-text|"
    r"-only)?|assistive-text|element-invisible|show-for-sr|a11y-hidden)(?![\w-])"
)
_OUT_OF_SIGHT = compiled_later(r"\bclip(?:-path)?\s*:\s*(?:rect|inset)\(|\bleft\s*:\s*-\d{3}")
NATIVE = {
    "table": "table", "thead": "head", "tbody": "body", "tfoot": "foot", "tr": "row",
    "td": "cell", "th": "cell", "caption": "caption",
}  # fmt: skip
PARTS = {**NATIVE, "dl": "list", "dt": "term", "dd": "description"}
_ROLES = {
    "table": "table", "grid": "table", "treegrid": "table", "rowgroup": "body", "row": "row",
    "cell": "cell", "gridcell": "cell", "columnheader": "cell", "rowheader": "cell",
    "caption": "caption",
}  # fmt: skip
_STYLES = {
    "table": "table", "inline-table": "table", "table-header-group": "head",
    "table-row-group": "body", "table-footer-group": "foot", "table-row": "row",
    "table-cell": "cell", "table-caption": "caption",
}  # fmt: skip
# The address of a link that sorts the rows: Drupal's ?order=title&sort=asc, ?sort_by=, ?orderBy=.
_SORTS = compiled_later(r"[?&;]\w*(?:sort|order)\w*=", re.IGNORECASE)
# Small letters that are raised behind a word are marks of footnotes: behind a short word (No, Ma)
# they may be its end.
_MARKS = compiled_later(r"[a-z](?:, ?[a-z])*")
_WORD = compiled_later(rf"(?:[^\W\d_]{{4}}|{DENSE.pattern})$")
_DISPLAY = compiled_later(r"(?:^|[;\s])display\s*:\s*([a-z-]+)", re.IGNORECASE)
_HEADER_ROLES = {"columnheader": "col", "rowheader": "row"}
_SCOPES = frozenset(("col", "row", "colgroup", "rowgroup"))
# Attributes by which a cell is drawn.
_CELL_LOOKS = ("class", "align", "bgcolor", "style")
# Limits of what is kept of an attribute.
_LOOK_CHARS = 100
_ALT_CHARS = 200

_Attributes: TypeAlias = tuple[tuple[str | bytes, str | bytes], ...]


def part_of(tag: str, role: str, style: str) -> str:
    """Return what an element is in a table, "" for nothing.

    Args:
        tag: its name.
        role: its role, "" for none.
        style: likewise.
    """
    if (part := PARTS.get(tag)) is not None:
        return part
    if role and (part := _ROLES.get(role.strip().lower())) is not None:
        return part
    # All names of such styles say so, and few styles do.
    found = _DISPLAY.search(style) if style and "table" in style.lower() else None
    return _STYLES.get(found[1].lower(), "") if found else ""


def read_cell(items: _Attributes) -> tuple[str, str, int, int]:
    """Return how a cell is drawn, its scope, and how many rows and columns it covers.

    Args:
        items: its attributes, as lxml gives them.
    """
    is_short = sum([len(value) for _, value in items]) <= SHORT
    return (_read_alike if is_short else _read_cell)(items)


def _read_cell(items: _Attributes) -> tuple[str, str, int, int]:
    given = {str(name): str(value) for name, value in items}
    role, scope = (given.get(name, "").strip().lower() for name in ("role", "scope"))
    rows = given.get("rowspan") or given.get("aria-rowspan")
    columns = given.get("colspan") or given.get("aria-colspan")
    return (
        look_of(given, _CELL_LOOKS),
        scope if scope in _SCOPES else _HEADER_ROLES.get(role, ""),
        parse_span(rows, MAX_ROWSPAN, zero=0),
        parse_span(columns, MAX_COLSPAN),
    )


# The cells of a table are drawn alike.
_read_alike = lru_cache(maxsize=4096)(_read_cell)


def read_alt(element: etree._Element, cell: Cell) -> None:
    """Add what an image says to what its cell says of images."""
    alt = element.get("alt")
    if alt and len(cell.alt) < _ALT_CHARS:
        cell.alt = " ".join(f"{cell.alt} {drop_unseen(alt[:_ALT_CHARS])}".split())


def look_of(given: Mapping[str, str], names: tuple[str, ...]) -> str:
    """Return the attributes by which an element is drawn, ``name=value`` with spaces between."""
    return " ".join(
        f"{name}={' '.join(given[name].lower().split())}"[:_LOOK_CHARS]
        for name in names
        if name in given
    )


def sorts(href: str) -> bool:
    """Tell whether a hyperlink leads to the same table with its rows sorted."""
    return _SORTS.search(href) is not None


def is_closed(attributes: Iterable[str], tag: str) -> bool:
    """Tell whether what is in an element is not shown; it is in shadow roots and open dialogs.

    Args:
        attributes: what its attributes are called.
        tag: its name.
    """
    return tag in CLOSED and ("open" if tag == "dialog" else "shadowrootmode") not in attributes


@cached_if_short
def is_for_the_ear(classes: str) -> bool:
    """Tell whether classes are those of text for screen readers."""
    return _FOR_THE_EAR.search(classes) is not None


@cached_if_short
def is_out_of_sight(style: str) -> bool:
    """Tell whether a style puts its element out of sight."""
    return _OUT_OF_SIGHT.search(style) is not None


def is_mark(edge: str, text: str, before: str) -> bool:
    """Tell whether a text at an edge of a raised or lowered passage is apart from what is before.

    Args:
        edge: the tag of the passage that has just begun, or ``/``.
        text: what stands behind the edge.
        before: what stands before it.
    """
    if text[:1].isdigit():
        return before[-1:].isdigit()
    return edge == "sup" and bool(_MARKS.fullmatch(text) and _WORD.search(before))
