"""The rarer rules by which a page is cut into blocks: what is left out, what flows, what is code.

The walk itself is in ``cutter.py``, and compiled in ``compiled_cutter.pyx``; both ask these rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.page.blocks import Block, Holder
from crawler.core.page.elements import (
    ASIDE,
    BLOCKS,
    CODE,
    COPIES,
    HEADINGS,
    HIDDEN,
    INLINE,
    LINES,
    LINES_ONLY,
    NEVER_HIDDEN,
    NUMBERS,
    PERMALINK,
    formula_of,
    is_alone,
    is_numbers,
    is_permalink,
    is_tool,
)
from crawler.core.page.listings import Listings
from crawler.core.page.text import block_keys

if TYPE_CHECKING:
    from lxml import etree

    from crawler.core.page.cutter import Cutter

BREAK = "\n"
KEEPS_LINES = frozenset(("pre", "listing", "xmp", "plaintext"))
CELLS = frozenset(("td", "th"))
_READINGS = frozenset(("rt", "rtc"))
# Not part of paths: authors leave it out, and parsers may add it.
_NOT_IN_PATHS = frozenset(("tbody",))
_PATH_CHARS = 1_000
# What a style may make a part of a line, and what holds or is no listing.
_MAY_FLOW = frozenset(("div", "p"))
_NO_LISTING = KEEPS_LINES | HEADINGS
# Attributes with names that authors give; of a long value only the beginning is kept.
NAMING = ("class", "id", "role", "itemprop")
NAME_CHARS = 200
_NUMBER = re.compile(r"\s*([0-9]{1,9})\s*")
# The limit of ``colspan``, as in HTML.
_MOST_COLUMNS = 1_000
_NO_PLACE = -1


@dataclass(slots=True)
class CutRules:
    """The rules, and what they remember of one page.

    Attributes:
        bracketed: whether the readings of the open ruby stand in brackets.
        columns: how many columns of each row are taken.
        reached_over: where cells reach over several rows.
    """

    bracketed: bool = True
    columns: dict[Holder, int] = field(default_factory=dict)
    reached_over: set[Holder] = field(default_factory=set)
    _listings: Listings = field(default_factory=Listings)

    def is_entered(self, cutter: Cutter, element: etree._Element, tag: str) -> bool:
        """Tell whether a special element is entered; add what is read in its place, if anything."""
        if tag == "br":
            end_of_line(cutter)
        elif tag == "math":
            add_formula(cutter, element)
        elif tag == "ruby":
            self.bracketed = element.find(".//rp") is not None
        elif tag in _READINGS:
            return self.bracketed
        elif tag == "button":
            return cutter.code is not cutter.holder and not (
                _is_tool(cutter, element) or is_alone(element)
            )
        elif tag == "code":
            # In a cell beside others it is a part of the table.
            is_cell = cutter.holder.tag in CELLS and len(next(element.iterancestors("tr"), ())) > 1
            return is_cell or not self._add_listing(cutter, element)
        return tag == "ruby" or (tag == "dialog" and element.get("open") is not None)

    def is_left_out(self, cutter: Cutter, element: etree._Element, tag: str, look: int) -> bool:
        """Tell whether an element is hidden, or stands beside text and is no part of it.

        Args:
            cutter: where its page is read.
            element: the element.
            tag: what it is called.
            look: what its classes and its style say.
        """
        if look & HIDDEN:
            return tag not in NEVER_HIDDEN
        # Text for the ear is left out of a line; a block of it is judged like any other.
        if look & ASIDE and tag in INLINE and (cutter.pieces or _is_beside_text(element)):
            return True
        if look & NUMBERS and is_numbers(element):
            return True
        if look & COPIES and (tag == "button" or (tag in INLINE and _is_tool(cutter, element))):
            return True
        if look & PERMALINK and tag == "a":
            return cutter.pieces != [] and is_permalink(element)
        return bool(look & CODE) and tag not in INLINE and self._add_listing(cutter, element)

    def number(
        self, row: Holder, element: etree._Element, tag: str, attributes: Sequence[str]
    ) -> int:
        """Return the number of a list's first item, or the column of a cell.

        Args:
            row: the block-level element around the list or the cell.
            element: the list or the cell.
            tag: what it is called.
            attributes: what its attributes are called.
        """
        if tag == "ol":
            return _whole(element.get("start"))
        body = row.parent or row
        if "rowspan" in attributes and _whole(element.get("rowspan")) != 1:
            self.reached_over.add(body)
        column = self.columns.get(row, 0)
        width = _whole(element.get("colspan")) if "colspan" in attributes else 1
        self.columns[row] = column + min(max(1, width), _MOST_COLUMNS)
        return _NO_PLACE if body in self.reached_over else column

    def _add_listing(self, cutter: Cutter, element: etree._Element) -> bool:
        """Add the lines of code that stand in no ``pre``; tell whether there are any."""
        tag, around = element.tag, cutter.holder
        if cutter.code is around or around.tag in _NO_LISTING or tag in _NO_LISTING:
            return False
        if tag in NEVER_HIDDEN or (tag == "code" and _is_beside_text(element)):
            return False
        text = self._listings.text_of(element)
        if text:
            _add_code(cutter, names_of(element), text)
        return bool(text)


def add_formula(cutter: Cutter, element: etree._Element) -> None:
    """Add a formula of MathML, or one that is a picture."""
    # Of a formula and its picture one is shown.
    if (formula := formula_of(element)) and cutter.pieces[-1:] != [formula]:
        cutter.add(formula)


def add_lines(cutter: Cutter, text: str) -> None:
    """Add text whose line breaks are kept."""
    if cutter.keeps:
        cutter.add(text)
        return
    for number, line in enumerate(text.split("\n")):
        if number:
            end_of_line(cutter)
        if line:
            cutter.add(line)


def end_line(cutter: Cutter, edge: str) -> None:
    """End a line where an element begins or ends that has lines of its own.

    Args:
        cutter: where its page is read.
        edge: stands there in code.
    """
    pieces = cutter.pieces
    if cutter.keeps:
        pieces.append(edge)
    elif cutter.holder.tag not in LINES:
        cutter.flush()
    elif (last := _last_shown(pieces)) and last is not BREAK:
        pieces.append(BREAK)


def end_of_line(cutter: Cutter) -> None:
    """A line break ends a line; after an empty line it ends the block, as a reader sees it.

    Empty lines within code do not end it.
    """
    if not cutter.keeps and _last_shown(cutter.pieces) is BREAK:
        cutter.flush()
    else:
        cutter.pieces.append(BREAK)


def _last_shown(pieces: Sequence[str]) -> str:
    """Return the last piece that is a line break or no white space; "" where there is none."""
    return next((each for each in reversed(pieces) if each is BREAK or not each.isspace()), "")


def _add_code(cutter: Cutter, names: str, text: str) -> None:
    """Add the lines of code that stand in no ``pre`` as one block.

    Args:
        cutter: where its page is read.
        names: what its author calls the element of the code.
        text: the lines.
    """
    cutter.flush()
    around = cutter.holder
    cutter.holder = Holder("pre", names, around, around.depth + 1, cutter.path_of("pre"))
    cutter.keeps = True
    cutter.pieces.append(text)
    cutter.flush()
    cutter.holder, cutter.keeps = around, False


def flows(cutter: Cutter, element: etree._Element) -> bool:
    """Tell whether an element that HTML does not know flows within a line of text.

    Styles may make a block of it. It is inline where text stands beside it, and within elements
    that hold lines of text, unless it holds blocks.
    """
    if element.tag in BLOCKS:
        is_in_line = cutter.pieces or _is_beside_text(element)
        if element.tag not in _MAY_FLOW or not is_in_line:
            return False
    elif cutter.holder.tag in LINES_ONLY:
        return True
    elif cutter.holder.tag not in LINES and not _is_beside_text(element):
        return False
    return not any(child.tag in BLOCKS for child in element)


def extended(path: str, tag: str) -> str:
    """Return the path of an element within the one that has a path."""
    if tag in _NOT_IN_PATHS or len(path) > _PATH_CHARS:
        return path
    return f"{path}/{tag}" if path else tag


def is_shown(text: str) -> bool:
    """Tell whether a text has more than spaces and marks that are not seen."""
    return any(map(str.isprintable, text.replace(" ", "")))


def names_of(element: etree._Element) -> str:
    """Return what the author of a page calls an element, of each name the beginning."""
    names = map(element.get, NAMING)
    return " ".join([name[:NAME_CHARS] for name in names if name is not None])


def set_keys(blocks: Sequence[Block], title: str) -> None:
    """Set the keys of the blocks of a page.

    Args:
        blocks: the blocks.
        title: its title.
    """
    keys = block_keys([block.text for block in blocks], title)
    for block, key in zip(blocks, keys, strict=True):
        block.key = key


def _is_tool(cutter: Cutter, element: etree._Element) -> bool:
    # Most pages have no code, and none of their buttons belongs to one.
    return "pre" in cutter.elements.numbers and is_tool(element)


def _is_beside_text(element: etree._Element) -> bool:
    before, around = element.getprevious(), element.getparent()
    text = before.tail if before is not None else None if around is None else around.text
    return bool((text or "").strip() or (element.tail or "").strip())


def _whole(value: str | None) -> int:
    found = _NUMBER.fullmatch(value or "")
    return int(found[1]) if found else 1
