"""The walk over a table: which elements are its rows and cells, and what stands in them.

Text goes to the innermost cell it stands in, so that tables nested a thousand deep take no more
time than their markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from crawler.core.page.elements import is_hidden
from crawler.core.page.text import drop_unseen
from crawler.core.tables.elements import (
    CONTROLS,
    INSTEAD,
    NATIVE,
    is_aside,
    is_closed,
    is_link,
    is_mark,
    look_of,
    part_of,
    read_alt,
    read_cell,
)
from crawler.core.tables.grid import Cell, Grid, Row

CHARS = ("chars", "link_chars", "unlinked", "strong_chars")
"""The attributes of a cell that count letters of its text."""

_IMAGES = frozenset(("img", "svg", "canvas", "object", "embed", "amp-img"))
_COUNTED = CONTROLS | _IMAGES | {"a"}
# The reading of a word beside it in small letters, and the brackets around it.
_READINGS = frozenset(("rt", "rp", "rtc"))
_RAISED = frozenset(("sup", "sub"))
# By a click on these the rows are sorted.
_SORT_SIGNS = " \n▲▼△▽▴▾▵▿↑↓↕⇅⇵⬍⬆⬇"
_STRONG = frozenset(("b", "strong"))
# Elements that begin a line of their own within a cell.
_LINES = frozenset(
    ("p", "div", "br", "li", "ul", "ol", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
     "blockquote", "pre", "center", "form", "fieldset", "section", "article", "table", "tr",
     "figure", "figcaption", "address", "details", "summary", "option", "caption")
)  # fmt: skip
_LAYOUT_ROLES = frozenset(("presentation", "none"))
# Attributes by which a table is drawn.
_TABLE_LOOKS = ("class", "id", "border", "rules", "cellpadding", "cellspacing", "width", "bgcolor",
                "align")  # fmt: skip
# Limits of what is kept: of what a cell holds, of where a table stands.
_INSIDE_CHARS = 80
_PATH_LENGTH = 8
_NOT_ALNUM = re.compile(r"[\W_]+")


@dataclass(slots=True, eq=False)
class _OpenCell:
    """A cell, or a caption, that is still open.

    Attributes:
        pieces: the pieces of its text.
        guessed: whether only its place in a row makes it a cell.
        aside: labels for screen readers, and buttons behind a name: its text where it has no other.
    """

    cell: Cell
    pieces: list[str] = field(default_factory=list)
    guessed: bool = False
    aside: _OpenCell | None = None

    def close(self) -> Cell:
        """Join the pieces to the cell's text: white space folded in each line, no empty lines."""
        cell = self.cell
        if self.aside is not None and not "".join(self.pieces).strip(_SORT_SIGNS):
            self.pieces = self.aside.pieces
            for name in CHARS:
                setattr(cell, name, getattr(self.aside.cell, name))
        lines = (" ".join(line.split()) for line in "".join(self.pieces).split("\n"))
        cell.text = "\n".join(line for line in lines if line)
        if cell.is_header:
            cell.text = cell.text.strip(_SORT_SIGNS) or cell.text
        cell.chars = len(cell.text) - cell.text.count(" ") - cell.text.count("\n")
        if cell.chars or cell.controls or cell.tables:
            cell.alt = ""
        return cell


@dataclass(slots=True, eq=False)
class OpenTable:
    """A table that is still open.

    Attributes:
        grid: what it says of itself, without cells.
        rows: its rows so far.
        cells: its cells that are open, innermost last.
        outside: what text goes into that stands in none of its cells.
        host: of a definition list: the cell of a table in which it stands; its text is text of
            both.
        unseen, links, strong: how many elements are open that are hidden, hyperlinks, or bold.
        asides: the elements that are open whose text is a cell's only where it has no other.
    """

    element: etree._Element
    grid: Grid
    rows: list[Row] = field(default_factory=list)
    cells: list[_OpenCell] = field(default_factory=list)
    outside: list[_OpenCell] = field(default_factory=list)
    host: _OpenCell | None = None
    row: Row | None = None
    row_element: etree._Element | None = None
    section: str = "body"
    group: int = 0
    caption: _OpenCell | None = None
    unseen: int = 0
    links: int = 0
    strong: int = 0
    asides: list[etree._Element] = field(default_factory=list)

    def begin(self, section: str) -> None:
        """Begin a row group."""
        self.section = section
        self.group += 1
        self.row = None

    def begin_row(self, element: etree._Element | None = None) -> Row:
        """Begin a row; a cell outside rows begins one without an element."""
        self.row = Row(self.section, self.group)
        self.row_element = self.row_element if element is None else element
        self.rows.append(self.row)
        return self.row

    def holds(self, element: etree._Element) -> bool:
        """Tell whether an element is a direct child of the open row, and so a cell."""
        is_in_row = self.row is not None and not self.unseen and not self.cells
        return is_in_row and element.getparent() is self.row_element


class Walker:
    """The state of the walk: the tables and definition lists that are open, innermost last.

    Attributes:
        tables: those that were met, in the order in which they begin.
    """

    def __init__(self) -> None:
        self.tables: list[OpenTable] = []
        self._open: list[OpenTable] = []
        self._forms = 0
        self._edge = ""  # the tag of a raised or lowered passage that has just begun, "/" if ended

    def walk(self, root: etree._Element, forms: int) -> None:
        """Visit a table and every element below it.

        Args:
            root: an element that is a table or a definition list.
            forms: how many forms stand around it.
        """
        self._forms = forms
        kinds: list[str | None] = []
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                kinds.append(self._enter(element))
                if kinds[-1] is None:
                    walk.skip_subtree()
            else:
                kind = kinds.pop()
                if kind is not None:
                    self._leave(element, kind)
                if kinds and element.tail and self._open:
                    self._add(element.tail)

    def _enter(self, element: etree._Element) -> str | None:
        """Open an element and return its part in a table, "" for none; None skips what is in it."""
        tag = element.tag
        open_table = self._open[-1] if self._open else None
        if open_table is not None:
            cell = open_table.cells[-1].cell if open_table.cells else None
            self._count(open_table, element, tag, cell)
            if cell is not None and len(cell.inside) < _INSIDE_CHARS:
                cell.inside += f" {tag}"
        if is_closed(element, tag) or (
            open_table is not None and (tag in INSTEAD or tag in _READINGS)
        ):
            return None
        self._forms += tag == "form"
        kind = part_of(element, tag)
        if open_table is None and kind not in ("table", "list"):
            return ""
        if kind in ("table", "list"):
            self._open_table(element, tag, kind)
        elif open_table is not None:
            hidden = is_hidden(element)
            kind = self._open_part(open_table, element, tag, kind, hidden=hidden)
        if element.text:
            self._add(element.text)
        return kind

    def _count(
        self, table: OpenTable, element: etree._Element, tag: str, cell: Cell | None
    ) -> None:
        table.links += (links := is_link(element, tag, cell))
        table.strong += tag in _STRONG
        table.grid.in_form |= tag == "form" and not table.cells
        self._edge = tag if tag in _RAISED else self._edge
        if cell is not None and is_aside(element, tag, cell):
            table.asides.append(element)
        if tag in _LINES:
            self._add("\n")
        if tag not in _COUNTED:
            return
        for each in (opened.cell for opened in self._receiving()):
            each.links += links
            each.controls += tag in CONTROLS and element.get("type") != "hidden"
            if tag in _IMAGES:
                each.images += 1
                each.linked_images += table.links > 0
                read_alt(element, each)

    def _open_table(self, element: etree._Element, tag: str, kind: str) -> None:
        role = (element.get("role") or "").strip().lower()
        outer = self._open[-1] if self._open else None
        grid = Grid(
            kind="list" if kind == "list" else "table" if tag == "table" else "div",
            role=role,
            summary=(element.get("summary") or "").strip(),
            label=(element.get("aria-label") or "").strip(),
            says_layout=role in _LAYOUT_ROLES or element.get("datatable") == "0",
            in_form=self._forms > 0,
            look=look_of(element, _TABLE_LOOKS),
            nesting=0 if outer is None else outer.grid.nesting + (outer.grid.kind != "list"),
            path=tuple(above.tag for above in islice(element.iterancestors(), _PATH_LENGTH)),
        )
        opened = OpenTable(element, grid, outside=self._receiving())
        if outer is not None:
            opened.links, opened.strong = outer.links, outer.strong
            if kind == "list":
                opened.unseen, opened.host = outer.unseen, outer.host
                if outer.grid.kind != "list" and outer.cells:
                    opened.host = outer.cells[-1]
        self.tables.append(opened)
        self._open.append(opened)

    def _open_part(
        self, table: OpenTable, element: etree._Element, tag: str, kind: str, *, hidden: bool
    ) -> str:
        """Open an element inside a table; what is hidden is no part of it."""
        if hidden:
            table.unseen += 1
            return f"hidden {tag}"
        if not kind and table.grid.kind == "div" and table.holds(element):
            self._open_cell(table, element, tag)
            table.cells[-1].guessed = True
            return "cell"
        wanted = "list" if kind in ("term", "description") else "table" if tag in NATIVE else "div"
        if table.unseen or table.grid.kind != wanted:
            return ""  # a part of another kind of table
        if kind in ("head", "body", "foot"):
            table.begin(kind)
        elif kind == "row":
            table.begin_row(element)
        elif kind == "caption" and table.caption is None and not table.cells:
            table.caption = _OpenCell(Cell(tag=tag))
        elif kind in ("cell", "term", "description"):
            self._open_cell(table, element, tag)
        else:
            return ""
        return kind

    @staticmethod
    def _open_cell(table: OpenTable, element: etree._Element, tag: str) -> None:
        row = table.begin_row() if table.row is None else table.row
        outer = table.cells[-1] if table.cells else None
        if outer is not None and outer.guessed and row.cells and row.cells[-1] is outer.cell:
            row.cells.pop()  # it only wraps cells
        cell = Cell(tag=tag, is_header=tag in ("th", "dt"))
        if element.attrib:
            read_cell(element, cell)
        if table.grid.kind == "list":
            cell.rowspan = cell.colspan = 1
        row.cells.append(cell)
        table.cells.append(_OpenCell(cell))

    def _leave(self, element: etree._Element, kind: str) -> None:
        tag = element.tag
        self._forms -= tag == "form"
        if not self._open:
            return
        table = self._open[-1]
        if kind in ("table", "list"):
            self._close_table()
            table = self._open[-1] if self._open else table
        elif kind.startswith("hidden "):
            table.unseen -= 1
        elif kind in ("head", "body", "foot"):
            table.begin("body")
        elif kind == "row":
            table.row = None
        elif kind == "caption" and table.caption is not None and table.grid.caption is None:
            table.grid.caption = table.caption.close().text
        elif kind in ("cell", "term", "description"):
            table.cells.pop().close()
        if tag in _LINES:
            self._add("\n")
        table.links -= is_link(element, tag, table.cells[-1].cell if table.cells else None)
        table.strong -= tag in _STRONG
        self._edge = "/" if tag in _RAISED else self._edge
        if table.asides and table.asides[-1] is element:
            table.asides.pop()

    def _close_table(self) -> None:
        closed = self._open.pop()
        kind = closed.grid.kind
        if not self._open or (kind != "table" and not closed.rows):
            return
        # A definition list is no table, but tables may be nested in it.
        self._open[-1].grid.tables += closed.grid.tables + (kind != "list")
        for outside in closed.outside[:1]:
            outside.cell.tables += kind != "list"

    def _receiving_text(self) -> list[_OpenCell]:
        """Return the cells that text goes into, or what is aside of them."""
        receiving = self._receiving()
        if not self._open or not self._open[-1].asides:
            return receiving
        for opened in receiving:
            opened.aside = opened.aside or _OpenCell(Cell())
        return [opened.aside for opened in receiving if opened.aside is not None]

    def _receiving(self) -> list[_OpenCell]:
        """Return the cells that are open: one, or two in a list inside a table."""
        table = self._open[-1] if self._open else None
        if table is None or table.unseen:
            return []
        if not table.cells:
            if table.caption is not None and table.grid.caption is None:
                return [table.caption]
            return table.outside
        return [table.cells[-1]] if table.host is None else [table.cells[-1], table.host]

    def _add(self, text: str) -> None:
        receiving = self._receiving_text()
        if not receiving:
            return
        if text.isspace():  # most of what stands between elements
            text = text if text == "\n" else " "
            for opened in receiving:
                opened.pieces.append(text)
            return
        seen = text if text.isprintable() else drop_unseen(text)
        text = " ".join(f"x{seen}x".split())[1:-1]
        table = self._open[-1]
        chars = len(text) - text.count(" ")
        edge, self._edge = self._edge, ""
        for opened in receiving:
            # A mark of a footnote is no digit of the number before it, and no letter of the word.
            if edge and opened.pieces and is_mark(edge, text, opened.pieces[-1]):
                opened.pieces.append(" ")
            opened.pieces.append(text)
            cell = opened.cell
            cell.chars += chars
            if table.links:
                cell.link_chars += chars
            else:
                cell.unlinked += len(_NOT_ALNUM.sub("", text))
            cell.strong_chars += chars if table.strong else 0
