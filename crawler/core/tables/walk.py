"""The walk over a table: which elements are its rows and cells, and what stands in them.

Text goes to the innermost cell it stands in, so that tables nested a thousand deep take no more
time than their markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from crawler.core.page.elements import hides
from crawler.core.page.text import drop_unseen, fold_lines
from crawler.core.page.walk import Elements
from crawler.core.tables.elements import (
    CLOSED,
    CONTROLS,
    INSTEAD,
    NATIVE,
    PARTS,
    is_closed,
    is_for_the_ear,
    is_mark,
    is_out_of_sight,
    look_of,
    part_of,
    read_alt,
    read_cell,
    sorts,
)
from crawler.core.tables.grid import Cell, Grid, Row

CHARS = ("link_chars", "unlinked", "strong_chars")
"""The attributes of a cell that tell of letters of its text."""

# What the end of an element requires, as bits; of a shut one nothing is entered.
_SHUT, _TABLE, _UNSEEN, _GROUP, _ROW, _CAPTION, _CELL = -1, 1, 2, 4, 8, 16, 32
_FORM, _LINES, _LINK, _STRONG, _RAISED, _ASIDE = 64, 128, 256, 512, 1024, 2048
_PART = _TABLE | _UNSEEN | _GROUP | _ROW | _CAPTION | _CELL
# What only its tag tells: it is counted, it may be shut, it is shut within a table.
_COUNTED, _MAY_SHUT, _SHUT_INSIDE = 4096, 8192, 16384
_IMAGES = frozenset(("img", "svg", "canvas", "object", "embed", "amp-img"))
# Beside those, the reading of a word in small letters, and the brackets around it.
_INSTEAD = INSTEAD | {"rt", "rp", "rtc"}
# By a click on these the rows are sorted.
_SORT_SIGNS = " \n▲▼△▽▴▾▵▿↑↓↕⇅⇵⬍⬆⬇"
# Elements that begin a line of their own within a cell.
_OF_LINES = frozenset(
    ("p", "div", "br", "li", "ul", "ol", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
     "blockquote", "pre", "center", "form", "fieldset", "section", "article", "table", "tr",
     "figure", "figcaption", "address", "details", "summary", "option", "caption")
)  # fmt: skip
_TRAITS: dict[str, int] = {}
for _trait, _tags in (
    (_FORM, {"form"}), (_LINES, _OF_LINES), (_STRONG, {"b", "strong"}), (_RAISED, {"sup", "sub"}),
    (_COUNTED, CONTROLS | _IMAGES | {"a"}), (_MAY_SHUT, CLOSED | _INSTEAD),
    (_SHUT_INSIDE, _INSTEAD),
):  # fmt: skip
    for _tag in _tags:
        _TRAITS[_tag] = _TRAITS.get(_tag, 0) | _trait
_LAYOUT_ROLES = frozenset(("presentation", "none"))
# Attributes by which a table is drawn.
_TABLE_LOOKS = ("class", "id", "border", "rules", "cellpadding", "cellspacing", "width", "bgcolor",
                "align")  # fmt: skip
# Limits of what is kept: of what a cell holds, of where a table stands.
_INSIDE_CHARS = 80
_PATH_LENGTH = 8


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
        cell, text = self.cell, "".join(self.pieces)
        if self.aside is not None and not text.strip(_SORT_SIGNS):
            text = "".join(self.aside.pieces)
            for name in CHARS:
                setattr(cell, name, getattr(self.aside.cell, name))
        cell.text = text = fold_lines(text)
        if cell.is_header:
            cell.text = text = text.strip(_SORT_SIGNS) or text
        cell.chars = len(text) - text.count(" ") - text.count("\n")
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
        row_number: the number of the element of the open row.
        unseen, links, strong: how many elements are open that are hidden, hyperlinks, or bold.
        asides: how many are open whose text is a cell's only where it has no other.
    """

    element: etree._Element
    grid: Grid
    rows: list[Row] = field(default_factory=list)
    cells: list[_OpenCell] = field(default_factory=list)
    outside: list[_OpenCell] = field(default_factory=list)
    host: _OpenCell | None = None
    row: Row | None = None
    row_number: int = -1
    section: str = "body"
    group: int = 0
    caption: _OpenCell | None = None
    unseen: int = 0
    links: int = 0
    strong: int = 0
    asides: int = 0

    def begin(self, section: str) -> None:
        """Begin a row group."""
        self.section = section
        self.group += 1
        self.row = None

    def begin_row(self, number: int | None = None) -> Row:
        """Begin a row; a cell outside rows begins one without an element."""
        self.row = Row(self.section, self.group)
        self.row_number = self.row_number if number is None else number
        self.rows.append(self.row)
        return self.row


class Walker:
    """The state of the walk: the tables and definition lists that are open, innermost last.

    Attributes:
        tables: those that were met, in the order in which they begin.
    """

    def __init__(self, page: Elements) -> None:
        self.tables: list[OpenTable] = []
        self._page = page
        self._hrefs, self._classes, self._hidden, self._styles, self._roles = (
            page.values[name] for name in ("href", "class", "hidden", "style", "role")
        )
        self._open: list[OpenTable] = []
        # Of the open elements: their numbers, and what the end of each requires.
        self._above: list[tuple[int, int]] = []
        self._into: list[_OpenCell] | None = None  # what text goes into, None where not known
        self._forms = 0
        self._edge = ""  # the tag of a raised or lowered passage that has just begun, "/" if ended

    def walk(self, number: int, forms: int) -> int:
        """Visit a table and every element below it.

        Args:
            number: that of an element that is a table or a definition list.
            forms: how many forms stand around it.

        Returns:
            The number of the first element behind it.
        """
        page, enter, leave, add = self._page, self._enter, self._leave, self._add
        tails, children, above = page.tails, page.children, self._above
        left: list[int] = []
        self._forms = forms
        while True:
            here, ends = number, enter(number)
            number += 1
            if ends == _SHUT:
                if children[here]:
                    number = page.behind(here)
            elif count := children[here]:
                left.append(count)
                above.append((here, ends))
                continue
            elif ends:
                leave(ends)
            while left:
                if tail := tails[here]:
                    add(tail)
                if left[-1] > 1:
                    left[-1] -= 1
                    break
                left.pop()
                here, ends = above.pop()
                if ends:
                    leave(ends)
            else:
                return number

    def _enter(self, number: int) -> int:
        """Open an element; return what its end requires."""
        page = self._page
        tag, attributes = page.tags[number], page.names[number]
        traits = _TRAITS.get(tag, 0)
        table = self._open[-1] if self._open else None
        ends = 0
        if table is not None:
            if traits or (attributes and (number in self._classes or number in self._styles)):
                ends = self._count(table, number, traits)
            if table.cells and len(table.cells[-1].cell.inside) < _INSIDE_CHARS:
                table.cells[-1].cell.inside += f" {tag}"
        if traits & _MAY_SHUT and (
            is_closed(attributes, tag) or (traits & _SHUT_INSIDE and table is not None)
        ):
            return _SHUT
        if tag == "form":
            self._forms += 1
        if (
            tag in PARTS
            or (attributes and self._is_telling(number))
            or (table is not None and table.grid.kind == "div")
        ):
            ends |= self._open_part(table, number, tag)
        if text := page.texts[number]:
            self._add(text)
        return ends

    def _is_telling(self, number: int) -> bool:
        """Tell whether the attributes of an element may make it a part of a table, or hide it."""
        return number in self._roles or number in self._styles or number in self._hidden

    def _count(self, table: OpenTable, number: int, traits: int) -> int:
        """Count an element within a table; return what its end requires for that."""
        page = self._page
        tag, attributes = page.tags[number], page.names[number]
        cell = table.cells[-1].cell if table.cells else None
        ends = traits & (_FORM | _LINES | _STRONG | _RAISED)
        if tag == "a" and self._is_link(number, attributes, cell):
            ends |= _LINK
            table.links += 1
        if traits & _STRONG:
            table.strong += 1
        elif traits & _RAISED:
            self._edge = tag
        elif traits & _FORM and not table.cells:
            table.grid.in_form = True
        if cell is not None and self._is_aside(number, tag, attributes, cell):
            ends |= _ASIDE
            table.asides += 1
            self._into = None
        if traits & _LINES:
            self._add("\n")
        if traits & _COUNTED:
            for opened in self._receiving():
                self._count_in(opened.cell, number, ends & _LINK > 0, table.links > 0)
        return ends

    def _count_in(self, cell: Cell, number: int, is_link: bool, is_linked: bool) -> None:  # noqa: FBT001 - two facts
        """Count an element in a cell that holds it."""
        tag, node = self._page.tags[number], self._page.nodes[number]
        cell.links += is_link
        if tag in _IMAGES:
            cell.images += 1
            cell.linked_images += is_linked
            read_alt(node, cell)
        elif tag in CONTROLS:
            cell.controls += node.get("type") != "hidden"

    def _is_link(self, number: int, attributes: Sequence[str], cell: Cell | None) -> bool:
        """Tell whether an ``a`` is a hyperlink. Scripts make links of one without an address.

        A link in a header cell that sorts the rows leads nowhere else: it is none.
        """
        href = self._hrefs.get(number)
        if href is None:
            return "name" not in attributes
        return cell is None or not cell.is_header or not sorts(href)

    def _is_aside(self, number: int, tag: str, attributes: Sequence[str], cell: Cell) -> bool:
        """Tell whether an element is out of sight, or a button behind the name of a column."""
        if tag == "button" and cell.is_header:
            return cell.unlinked or cell.link_chars > 0
        if not attributes:
            return False
        return is_for_the_ear(self._classes.get(number, "")) or is_out_of_sight(
            self._styles.get(number, "")
        )

    def _open_table(self, number: int, tag: str, kind: str) -> None:
        element = self._page.nodes[number]
        given = {str(name): str(value) for name, value in element.items()}
        role = given.get("role", "").strip().lower()
        outer = self._open[-1] if self._open else None
        grid = Grid(
            kind="list" if kind == "list" else "table" if tag == "table" else "div",
            role=role,
            summary=given.get("summary", "").strip(),
            label=given.get("aria-label", "").strip(),
            says_layout=role in _LAYOUT_ROLES or given.get("datatable") == "0",
            in_form=self._forms > 0,
            look=look_of(given, _TABLE_LOOKS),
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
        self._into = None

    def _open_part(self, table: OpenTable | None, number: int, tag: str) -> int:
        """Open an element that may be a part of a table; return what its end requires."""
        role, style = self._roles.get(number, ""), self._styles.get(number, "")
        part = part_of(tag, role, style)
        if part in {"table", "list"}:
            self._open_table(number, tag, part)
            return _TABLE
        if table is None:
            return 0
        if number in self._hidden or (style and hides(style)):
            # What is hidden is no part of a table.
            table.unseen += 1
            self._into = None
            return _UNSEEN
        if not part and table.grid.kind == "div":
            return self._guess_cell(table, number, tag)
        wanted = "list" if part in {"term", "description"} else "table" if tag in NATIVE else "div"
        if not part or table.unseen or table.grid.kind != wanted:
            return 0  # no part, or one of another kind of table
        return self._open_own(table, number, tag, part)

    def _open_own(self, table: OpenTable, number: int, tag: str, part: str) -> int:
        """Open a part of a table; return what its end requires."""
        if part in {"cell", "term", "description"}:
            self._open_cell(table, number, tag)
            return _CELL
        if part == "row":
            table.begin_row(number)
            return _ROW
        if part != "caption":
            table.begin(part)
            return _GROUP
        if table.caption is not None or table.cells:
            return 0
        table.caption = _OpenCell(Cell(tag=tag))
        self._into = None
        return _CAPTION

    def _guess_cell(self, table: OpenTable, number: int, tag: str) -> int:
        """Open a direct child of the open row as a cell; return what its end requires."""
        is_in_row = table.row is not None and not table.unseen and not table.cells
        if not is_in_row or self._above[-1][0] != table.row_number:
            return 0
        self._open_cell(table, number, tag)
        table.cells[-1].guessed = True
        return _CELL

    def _open_cell(self, table: OpenTable, number: int, tag: str) -> None:
        row = table.begin_row() if table.row is None else table.row
        outer = table.cells[-1] if table.cells else None
        if outer is not None and outer.guessed and row.cells and row.cells[-1] is outer.cell:
            row.cells.pop()  # it only wraps cells
        cell = Cell(tag=tag, is_header=tag in {"th", "dt"})
        if self._page.names[number]:
            cell.look, cell.scope, rows, columns = read_cell(
                tuple(self._page.nodes[number].items())
            )
            cell.is_header = cell.is_header or cell.scope != ""
            if table.grid.kind != "list":
                cell.rowspan, cell.colspan = rows, columns
        row.cells.append(cell)
        table.cells.append(_OpenCell(cell))
        self._into = None

    def _leave(self, ends: int) -> None:
        """End an element, as entering it required."""
        table = self._open[-1]
        if ends & _PART:
            self._close_part(table, ends)
            if not self._open:
                return
            table = self._open[-1]
        if ends & _LINES:
            self._add("\n")
        if ends & _LINK:
            table.links -= 1
        if ends & _STRONG:
            table.strong -= 1
        elif ends & _RAISED:
            self._edge = "/"
        elif ends & _FORM:
            self._forms -= 1
        if ends & _ASIDE:
            table.asides -= 1
            self._into = None

    def _close_part(self, table: OpenTable, ends: int) -> None:
        if ends & _CELL:
            table.cells.pop().close()
        elif ends & _ROW:
            table.row = None
        elif ends & _GROUP:
            table.begin("body")
        elif ends & _TABLE:
            self._close_table()
        elif ends & _UNSEEN:
            table.unseen -= 1
        elif table.caption is not None and table.grid.caption is None:
            table.grid.caption = table.caption.close().text
        self._into = None

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
        receiving = self._into
        if receiving is None:
            receiving = self._into = self._receiving_text()
        if text.isspace():  # most of what stands between elements
            text = text if text == "\n" else " "
            for opened in receiving:
                opened.pieces.append(text)
        elif receiving:
            self._add_words(receiving, text)

    def _add_words(self, receiving: Sequence[_OpenCell], text: str) -> None:
        if not text.isprintable() or "  " in text:
            text = " ".join(f"x{drop_unseen(text)}x".split())[1:-1]
        table = self._open[-1]
        chars = len(text) - text.count(" ")
        edge, self._edge = self._edge, ""
        for opened in receiving:
            # A mark of a footnote is no digit of the number before it, and no letter of the word.
            if edge and opened.pieces and is_mark(edge, text, opened.pieces[-1]):
                opened.pieces.append(" ")
            opened.pieces.append(text)
            cell = opened.cell
            if table.links:
                cell.link_chars += chars
            elif not cell.unlinked:
                cell.unlinked = any(map(str.isalnum, text))
            if table.strong:
                cell.strong_chars += chars
