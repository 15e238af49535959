"""Tree to text blocks: what a reader sees as one paragraph, heading, list item or cell.

A *visible block* is the text of one block-level element with its inline elements joined, up to
the next block-level element or an empty line made of ``<br>``. Each piece of visible text belongs
to exactly one block, and blocks stand in document order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crawler.core.page.blocks import Block, Holder
from crawler.core.page.elements import (
    ASIDE,
    BLOCKS,
    CLASS_CHARS,
    CODE,
    COPIES,
    FLOWS,
    HEADINGS,
    HIDDEN,
    INLINE,
    KEEPS,
    LINE,
    LINES,
    LINES_ONLY,
    NEVER_HIDDEN,
    NUMBERS,
    PERMALINK,
    UNSEEN,
    class_look,
    formula_of,
    is_alone,
    is_code,
    is_numbers,
    is_permalink,
    is_tool,
    style_look,
)
from crawler.core.page.listings import Listings
from crawler.core.page.text import (
    LINE_BEGINS,
    LINE_ENDS,
    block_key,
    drop_unseen,
    fold_code,
    fold_lines,
    one_line,
)
from crawler.core.page.walk import Elements, walk

if TYPE_CHECKING:
    from lxml import etree

    from crawler.core.page.parse import ParsedPage

_KEEPS_LINES = frozenset(("pre", "listing", "xmp", "plaintext"))
# Not part of paths: authors leave it out, and parsers may add it.
_NOT_IN_PATHS = frozenset(("tbody",))
_BREAK = "\n"
_SPACES = (" ", _BREAK)
# What the end of an element requires: nothing, or any of these: that of a hyperlink, a button, a
# block-level element; LINE and KEEPS, which are greater. Nothing of a hidden element is entered.
_CLOSED, _PLAIN, _LINK, _BUTTON, _BLOCK = -1, 0, 1, 2, 4
# Elements with a rule of their own: of a code's button and GitHub's own one nothing is shown.
_RARE = frozenset(("br", "ruby", "rt", "rtc", "button", "code", "clipboard-copy"))
_SPECIAL = UNSEEN | _RARE
_LINES_KEPT = LINE | KEEPS
_READINGS = frozenset(("rt", "rtc"))
_CELLS = frozenset(("td", "th"))
# What a style may make a part of a line, and what holds or is no listing.
_MAY_FLOW = frozenset(("div", "p"))
_NO_LISTING = _KEEPS_LINES | HEADINGS
# Limits of the title that is compared with blocks, and of a path.
_TITLE_CHARS = 1_000
_PATH_CHARS = 1_000
# Attributes with names that authors give; of a long value only the beginning is kept.
_NAMING = ("class", "id", "role", "itemprop")
_OTHER_NAMES = frozenset(_NAMING[1:])
_NAME_CHARS = 200
# Inline elements that tell something about their line even without names.
_TELLING = frozenset(("b", "strong", "em", "i", "time", "button", "img", "label", "input", "code"))

_NUMBERED = frozenset(("td", "th", "ol"))
_NUMBER = re.compile(r"\s*([0-9]{1,9})\s*")
# The limit of ``colspan``, as in HTML.
_MOST_COLUMNS = 1_000
_NO_PLACE = -1


def segment(parsed: ParsedPage) -> tuple[Block, ...]:
    """Cut a page into its visible blocks, in document order."""
    return _Segmenter(parsed.elements, parsed.title or "").cut()


def segment_part(
    root: etree._Element, title: str | None, around: Holder | None
) -> tuple[Block, ...]:
    """Cut one element into its visible blocks.

    Args:
        root: the element.
        title: the title of its page.
        around: the block-level element of the page that holds it; None for none.
    """
    return _Segmenter(walk(root), title or "", around).cut()


class _Segmenter:
    """The state: the open elements, and the pieces of the block being gathered."""

    def __init__(self, elements: Elements, title: str, around: Holder | None = None) -> None:
        self._elements = elements
        self.blocks: list[Block] = []
        self._pieces: list[str] = []
        self._link_chars = 0
        self._open_links = 0
        self._links = 0
        self._inner: list[str] = []
        self._holder = around or Holder("", "", None, 0, "")
        self._paths: dict[tuple[str, str], str] = {}
        self._title = title[:_TITLE_CHARS]
        # The open holder that is a code, how many open elements keep line breaks, and whether the
        # readings of the open ruby stand in brackets.
        self._code: Holder | None = None
        self._keeping = 0
        # Whether the holder keeps white space.
        self._keeps = self._holder.tag in _KEEPS_LINES
        self._bracketed = True
        self._listings = Listings()
        # How many columns of each row are taken, and where cells reach over several rows.
        self._columns: dict[Holder, int] = {}
        self._reached_over: set[Holder] = set()

    def cut(self) -> tuple[Block, ...]:
        """Visit every element without recursion: pages nest thousands deep."""
        page, enter, leave = self._elements, self._enter, self._leave
        tails, children = page.tails, page.children
        # The open elements: children left, what closing each requires, and its number.
        left: list[int] = []
        opened: list[tuple[int, int]] = []
        number, size = 0, len(tails)
        while number < size:
            here, kind = number, enter(number)
            if kind == _CLOSED:
                number = page.behind(number) if children[here] else number + 1
            elif children[here]:
                left.append(children[here])
                opened.append((kind, here))
                number += 1
                continue
            else:
                number += 1
                if kind:
                    leave(kind)
            while left:
                # The text behind an element is text of the one around it.
                if tail := tails[here]:
                    (self._add_lines if self._keeping else self._add)(tail)
                if left[-1] > 1:
                    left[-1] -= 1
                    break
                left.pop()
                kind, here = opened.pop()
                if kind:
                    leave(kind)
            else:
                self._flush()
        return tuple(self.blocks)

    def _enter(self, number: int) -> int:
        page = self._elements
        element, tag, attributes = page.nodes[number], page.tags[number], page.names[number]
        if tag in _SPECIAL and not self._is_entered(element, tag):
            return _CLOSED
        look, names = 0, ""
        if attributes:
            if "class" in attributes:
                names = element.get("class") or ""
                look = class_look(names[:CLASS_CHARS])
            if "style" in attributes or "hidden" in attributes:
                look |= style_look(element)
            if look and self._is_left_out(element, tag, look):
                return _CLOSED
        if tag in INLINE or ((look & FLOWS or tag not in BLOCKS) and self._flows(element)):
            kind = self._enter_inline(element, tag, attributes, names) | look & _LINES_KEPT
        elif self._code is self._holder:
            # A block-level element within code is a line of it, a cell a part of a line.
            kind = look & KEEPS | (0 if tag in _CELLS else LINE)
        else:
            kind = look & KEEPS | _BLOCK
            self._enter_block(element, tag, _names(element, attributes, names))
        if kind >= LINE:
            self._begin_lines(kind)
        if (text := page.texts[number]) and kind != _CLOSED:
            (self._add_lines if self._keeping else self._add)(text)
        return kind

    def _enter_block(self, element: etree._Element, tag: str, names: str) -> None:
        if self._pieces:
            self._flush()
        parent = self._holder
        number = self._number(element, tag) if tag in _NUMBERED else 0
        path = self._paths.get((parent.path, tag)) or self._path_of(tag)
        self._holder = Holder(tag, names, parent, parent.depth + 1, path, number)
        self._keeps = tag in _KEEPS_LINES
        if self._keeps and is_code(element):
            self._code = self._holder

    def _enter_inline(
        self, element: etree._Element, tag: str, attributes: Sequence[str], names: str
    ) -> int:
        kind = _PLAIN
        if tag == "a" and "href" in attributes:
            if self._holder.tag in HEADINGS and is_permalink(element):
                return _CLOSED
            self._open_links += 1
            self._links += 1
            kind = _LINK
        elif tag == "button":
            self._add(" ")
            kind = _BUTTON
        elif tag == "img" and names and "alt" in attributes:
            self._add_formula(element)
        if tag in _TELLING:
            self._inner.append(tag)
        if "class" in attributes:
            self._inner.append(names[:_NAME_CHARS])
        return kind

    def _is_entered(self, element: etree._Element, tag: str) -> bool:
        """Tell whether a special element is entered; add what is read in its place, if anything."""
        if tag == "br":
            self._break()
        elif tag == "math":
            self._add_formula(element)
        elif tag == "ruby":
            self._bracketed = element.find(".//rp") is not None
        elif tag in _READINGS:
            return self._bracketed
        elif tag == "button":
            return self._code is not self._holder and not (is_tool(element) or is_alone(element))
        elif tag == "code":
            # In a cell beside others it is a part of the table.
            is_cell = self._holder.tag in _CELLS and len(next(element.iterancestors("tr"), ())) > 1
            return is_cell or not self._add_listing(element)
        return tag == "ruby" or (tag == "dialog" and element.get("open") is not None)

    def _add_listing(self, element: etree._Element) -> bool:
        """Add the lines of code that stand in no ``pre``; tell whether there are any."""
        tag, around = element.tag, self._holder
        if self._code is around or around.tag in _NO_LISTING or tag in _NO_LISTING:
            return False
        if tag in NEVER_HIDDEN or (tag == "code" and _is_beside_text(element)):
            return False
        text = self._listings.text_of(element)
        if text:
            self._flush()
            names = _names(element, list(map(str, element.attrib)), element.get("class") or "")
            self._holder = Holder("pre", names, around, around.depth + 1, self._path_of("pre"))
            self._pieces.append(text)
            self._flush()
            self._holder = around
        return bool(text)

    def _add_formula(self, element: etree._Element) -> None:
        # Of a formula and its picture one is shown.
        if (formula := formula_of(element)) and self._pieces[-1:] != [formula]:
            self._add(formula)

    def _is_left_out(self, element: etree._Element, tag: str, look: int) -> bool:
        """Tell whether an element is hidden, or stands beside text and is no part of it."""
        if look & HIDDEN:
            return tag not in NEVER_HIDDEN
        # Text for the ear is left out of a line; a block of it is judged like any other.
        if look & ASIDE and tag in INLINE and (self._pieces or _is_beside_text(element)):
            return True
        if look & NUMBERS and is_numbers(element):
            return True
        if look & COPIES and (tag == "button" or (tag in INLINE and is_tool(element))):
            return True
        if look & PERMALINK and tag == "a":
            return self._pieces != [] and is_permalink(element)
        return bool(look & CODE) and tag not in INLINE and self._add_listing(element)

    def _flows(self, element: etree._Element) -> bool:
        """Tell whether an element that HTML does not know flows within a line of text.

        Styles may make a block of it. It is inline where text stands beside it, and within elements
        that hold lines of text, unless it holds blocks.
        """
        if element.tag in BLOCKS:
            is_in_line = self._pieces or _is_beside_text(element)
            if element.tag not in _MAY_FLOW or not is_in_line:
                return False
        elif self._holder.tag in LINES_ONLY:
            return True
        elif self._holder.tag not in LINES and not _is_beside_text(element):
            return False
        return not any(child.tag in BLOCKS for child in element)

    def _number(self, element: etree._Element, tag: str) -> int:
        """Return the number of a list's first item, or the column of a cell."""
        if tag == "ol":
            return _whole(element.get("start"))
        row = self._holder
        body = row.parent or row
        if _whole(element.get("rowspan")) != 1:
            self._reached_over.add(body)
        column = self._columns.get(row, 0)
        self._columns[row] = column + min(max(1, _whole(element.get("colspan"))), _MOST_COLUMNS)
        return _NO_PLACE if body in self._reached_over else column

    def _begin_lines(self, kind: int) -> None:
        if kind & LINE:
            self._end_line(LINE_BEGINS)
        if kind & KEEPS:
            self._keeping += 1

    def _leave(self, kind: int) -> None:
        if kind >= LINE:
            self._end_lines(kind)
        if kind & _BLOCK:
            if self._pieces:
                self._flush()
            self._holder = self._holder.parent or self._holder
            self._keeps = self._holder.tag in _KEEPS_LINES
        elif kind & _LINK:
            self._open_links -= 1
        elif kind & _BUTTON:
            self._add(" ")

    def _end_lines(self, kind: int) -> None:
        if kind & LINE:
            self._end_line(LINE_ENDS)
        if kind & KEEPS:
            self._keeping -= 1

    def _path_of(self, tag: str) -> str:
        """Extend the open element's path; blocks with the same path share one string."""
        path = self._holder.path
        found = self._paths.get((path, tag))
        if found is None:
            is_extended = tag not in _NOT_IN_PATHS and len(path) <= _PATH_CHARS
            found = (f"{path}/{tag}" if path else tag) if is_extended else path
            self._paths[path, tag] = found
        return found

    def _add(self, text: str) -> None:
        if text.isspace():
            if not self._keeps:
                # White space after white space shows nothing.
                if not self._pieces or self._pieces[-1] in _SPACES:
                    return
                text = " "
        elif not text.isprintable():
            text = drop_unseen(text) if self._keeps else one_line(text)
            if not text:
                return
        self._pieces.append(text)
        if self._open_links:
            # Of white space a printable text has only spaces.
            seen = len(text) - text.count(" ") if text.isprintable() else len("".join(text.split()))
            self._link_chars += seen

    def _add_lines(self, text: str) -> None:
        """Add text whose line breaks are kept."""
        if self._keeps:
            self._add(text)
            return
        for number, line in enumerate(text.split("\n")):
            if number:
                self._break()
            if line:
                self._add(line)

    def _end_line(self, edge: str) -> None:
        """End a line where an element begins or ends that has lines of its own."""
        if self._keeps:
            self._pieces.append(edge)
        elif self._holder.tag not in LINES:
            self._flush()
        else:
            for piece in reversed(self._pieces):
                if piece is _BREAK:
                    return
                if not piece.isspace():
                    self._pieces.append(_BREAK)
                    return

    def _break(self) -> None:
        """A line break ends a line; after an empty line it ends the block, as a reader sees it.

        Empty lines within code do not end it.
        """
        if self._keeps:
            self._pieces.append(_BREAK)
            return
        for piece in reversed(self._pieces):
            if piece is _BREAK:
                self._flush()
                return
            if not piece.isspace():
                break
        self._pieces.append(_BREAK)

    def _flush(self) -> None:
        if not self._pieces:
            return
        text = "".join(self._pieces)
        text = fold_code(text) if self._holder.tag in _KEEPS_LINES else fold_lines(text)
        # Marks of direction alone are nothing to read.
        if text and (text[0].isprintable() or any(map(str.isprintable, text.replace(" ", "")))):
            holder = self._holder
            chars = len(text) - text.count(" ") - text.count("\n") - text.count("\t")
            title = self._title
            self.blocks.append(
                Block(
                    len(self.blocks),
                    text,
                    holder.tag,
                    holder.path,
                    # "Day 12" as the page's own headline is not "Day 13".
                    block_key(text, mask_digits=len(text) > len(title) or text not in title),
                    chars,
                    min(self._link_chars, chars),
                    holder,
                    " ".join(self._inner) if self._inner else "",
                    self._links,
                )
            )
            self._inner.clear()
        self._pieces.clear()
        self._link_chars = self._links = 0


def _is_beside_text(element: etree._Element) -> bool:
    before, around = element.getprevious(), element.getparent()
    text = before.tail if before is not None else None if around is None else around.text
    return bool((text or "").strip() or (element.tail or "").strip())


def _names(element: etree._Element, attributes: Sequence[str], classes: str) -> str:
    if _OTHER_NAMES.isdisjoint(attributes):  # as most elements
        return classes[:_NAME_CHARS]
    return " ".join(
        [(element.get(name) or "")[:_NAME_CHARS] for name in _NAMING if name in attributes]
    )


def _whole(value: str | None) -> int:
    found = _NUMBER.fullmatch(value or "")
    return int(found[1]) if found else 1
