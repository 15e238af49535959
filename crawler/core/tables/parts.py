"""The elements that make tables: which are tables, rows and cells, and which are counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.core.page.blocks import HIDDEN_STYLE, UNSEEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

# Shown where scripts or plug-ins are missing: no text of a cell, but some pages are wholly in one.
INSTEAD = frozenset(("noscript", "object"))
CONTROLS = frozenset(("input", "select", "textarea", "button"))
# Elements that hold neither text of a table nor a table: those of blocks, and controls but buttons.
CLOSED = (UNSEEN | CONTROLS) - INSTEAD - {"button"}
IMAGES = frozenset(("img", "svg", "canvas", "object", "embed", "amp-img"))
COUNTED = CONTROLS | IMAGES | {"a"}
STRONG = frozenset(("b", "strong"))
# Elements that begin a line of their own within a cell.
LINES = frozenset(
    ("p", "div", "br", "li", "ul", "ol", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
     "blockquote", "pre", "center", "form", "fieldset", "section", "article", "table", "tr",
     "figure", "figcaption", "address", "details", "summary", "option", "caption")
)  # fmt: skip
_NATIVE = {
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
_DISPLAY = re.compile(r"(?:^|[;\s])display\s*:\s*([a-z-]+)", re.IGNORECASE)
HEADER_ROLES = {"columnheader": "col", "rowheader": "row"}
SCOPES = frozenset(("col", "row", "colgroup", "rowgroup"))
LAYOUT_ROLES = frozenset(("presentation", "none"))


def part_of(element: etree._Element, tag: str) -> str:
    """Return what an element is in a table, "" for nothing."""
    if (part := _NATIVE.get(tag)) is not None:
        return part
    if tag in ("dl", "dt", "dd"):
        return {"dl": "list", "dt": "term", "dd": "description"}[tag]
    if not element.attrib:
        return ""
    role = (element.get("role") or "").strip().lower()
    if role in _ROLES:
        return _ROLES[role]
    style = element.get("style")
    found = _DISPLAY.search(style) if style else None
    return _STYLES.get(found[1].lower(), "") if found else ""


def tables_below(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements from ``root`` on that begin a table or a definition list, in order."""
    for element in root.iter():
        tag, names = element.tag, element.keys()
        if tag in ("table", "dl") or (
            ("role" in names or "style" in names) and part_of(element, tag) == "table"
        ):
            yield element


class Around:
    """The forms around tables, with what is known of each element passed."""

    def __init__(self) -> None:
        self._known: dict[etree._Element, int | None] = {}

    def forms_of(self, element: etree._Element) -> int | None:
        """Return how many forms are around an element; None inside a closed element."""
        chain: list[etree._Element] = []
        above: etree._Element | None = element
        while above is not None and above not in self._known:
            chain.append(above)
            above = above.getparent()
        forms = 0 if above is None else self._known[above]
        for each in reversed(chain[1:]):
            if forms is not None:
                forms = None if each.tag in CLOSED else forms + (each.tag == "form")
            self._known[each] = forms
        return forms

    def close(self, element: etree._Element) -> None:
        """Mark an element as closed: its tables have been read."""
        self._known[element] = None


def kind_with(tag: str, part: str) -> str:
    """Return which kind of table has such a part."""
    if part in ("term", "description"):
        return "list"
    return "table" if tag in _NATIVE else "div"


def is_link(element: etree._Element, tag: str) -> bool:
    """Tell whether an element is a hyperlink. Scripts make links of an ``a`` without an address."""
    return tag == "a" and (element.get("href") is not None or element.get("name") is None)


def is_hidden(element: etree._Element) -> bool:
    """Tell whether an element's own attributes hide it."""
    if not element.attrib:
        return False
    if element.get("hidden") is not None:
        return True
    style = element.get("style")
    return style is not None and HIDDEN_STYLE.search(style) is not None
