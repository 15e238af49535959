"""What the elements of a table say by name and attributes: parts, cells, links, what is hidden."""

from __future__ import annotations

import re

from lxml import etree

from crawler.core.page.elements import UNSEEN
from crawler.core.page.text import DENSE, drop_unseen
from crawler.core.patterns import compiled_later
from crawler.core.tables.grid import MAX_COLSPAN, MAX_ROWSPAN, Cell, parse_span

# Shown where scripts or plug-ins are missing: no text of a cell, but some pages are wholly in one.
INSTEAD = frozenset(("noscript", "object"))
CONTROLS = frozenset(("input", "select", "textarea", "button"))
# Elements that hold neither text of a table nor a table: those of blocks, and controls but buttons.
_CLOSED = (UNSEEN | CONTROLS) - INSTEAD - {"button"}
_FOR_THE_EAR = compiled_later(
    r"(?<![\w-])(?:(?:is-|u-)?(?:sr-only|visually-?hidden|hidden-visually)|screen-?reader(?:-text|"
    r"-only)?|assistive-text|element-invisible|show-for-sr|a11y-hidden)(?![\w-])"
)
_OUT_OF_SIGHT = compiled_later(r"\bclip(?:-path)?\s*:\s*(?:rect|inset)\(|\bleft\s*:\s*-\d{3}")
NATIVE = {
    "table": "table", "thead": "head", "tbody": "body", "tfoot": "foot", "tr": "row",
    "td": "cell", "th": "cell", "caption": "caption",
}  # fmt: skip
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


def part_of(element: etree._Element, tag: str) -> str:
    """Return what an element is in a table, "" for nothing."""
    if (part := NATIVE.get(tag)) is not None:
        return part
    if tag in ("dl", "dt", "dd"):
        return {"dl": "list", "dt": "term", "dd": "description"}[tag]
    if not element.attrib:
        return ""
    role = (element.get("role") or "").strip().lower()
    if role in _ROLES:
        return _ROLES[role]
    style = element.get("style")
    # All names of such styles say so, and few styles do.
    found = _DISPLAY.search(style) if style and "table" in style.lower() else None
    return _STYLES.get(found[1].lower(), "") if found else ""


def read_cell(element: etree._Element, cell: Cell) -> None:
    """Set the fields of a cell that its attributes give."""
    cell.look = look_of(element, _CELL_LOOKS)
    role = (element.get("role") or "").strip().lower()
    scope = (element.get("scope") or "").strip().lower()
    cell.scope = scope if scope in _SCOPES else _HEADER_ROLES.get(role, "")
    cell.is_header = cell.is_header or bool(cell.scope)
    rows = element.get("rowspan") or element.get("aria-rowspan")
    columns = element.get("colspan") or element.get("aria-colspan")
    cell.rowspan = parse_span(rows, MAX_ROWSPAN, zero=0)
    cell.colspan = parse_span(columns, MAX_COLSPAN)


def read_alt(element: etree._Element, cell: Cell) -> None:
    """Add what an image says to what its cell says of images."""
    alt = element.get("alt")
    if alt and len(cell.alt) < _ALT_CHARS:
        cell.alt = " ".join(f"{cell.alt} {drop_unseen(alt[:_ALT_CHARS])}".split())


def look_of(element: etree._Element, names: tuple[str, ...]) -> str:
    """Return the attributes by which an element is drawn, ``name=value`` with spaces between."""
    if not element.attrib:
        return ""
    found = ((name, element.get(name)) for name in names)
    return " ".join(
        f"{name}={' '.join(value.lower().split())}"[:_LOOK_CHARS]
        for name, value in found
        if value is not None
    )


def is_link(element: etree._Element, tag: str, cell: Cell | None) -> bool:
    """Tell whether an element is a hyperlink. Scripts make links of an ``a`` without an address.

    A link in a header cell that sorts the rows leads nowhere else: it is none.
    """
    if tag != "a":
        return False
    href = element.get("href")
    if href is None:
        return element.get("name") is None
    return cell is None or not cell.is_header or _SORTS.search(href) is None


def is_closed(element: etree._Element, tag: str) -> bool:
    """Tell whether what is in an element is not shown; it is in shadow roots and open dialogs."""
    if tag not in _CLOSED:
        return False
    return element.get("open" if tag == "dialog" else "shadowrootmode") is None


def is_aside(element: etree._Element, tag: str, cell: Cell) -> bool:
    """Tell whether a cell's element is out of sight, or a button behind the name of a column."""
    if tag == "button" and cell.is_header:
        return cell.unlinked + cell.link_chars > 0
    if not element.attrib:
        return False
    style = element.get("style")
    return _FOR_THE_EAR.search(element.get("class") or "") is not None or (
        style is not None and _OUT_OF_SIGHT.search(style) is not None
    )


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
