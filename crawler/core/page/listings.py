"""Code that stands in other elements than ``pre``: lines in boxes or cells, or parted by ``br``.

Programs that colour code give each line a box or the cell of a table, beside the cells of the line
numbers; others part the lines of one ``code`` by ``br`` and indent them by no-break spaces, or keep
its white space by a style.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from lxml import etree

from crawler.core.page.elements import (
    ASIDE,
    BLOCKS,
    CLASS_CHARS,
    CODE,
    COPIES,
    HIDDEN,
    INLINE,
    KEEPS,
    LOOKED_AT,
    NUMBERS,
    PROSE,
    UNSEEN,
    class_look,
    style_look,
)
from crawler.core.page.text import drop_unseen

# By the conventions of SyntaxHighlighter, Crayon, GitHub, Ace, CodeMirror, Monaco, GeSHi, Prettify.
_LINE: Final = re.compile(
    r"(?<![\w-])(?:[\w-]*(?:code|crayon|highlighter|file|view|cm|ace|token|mirror)[_-]?line"
    r"|blob-code|li?\d)(?![\w-])"
)
_ANY_LINE: Final = re.compile(r"(?<![\w-])line(?![\w-])")
_NOT_CODE: Final = PROSE | {"pre", "textarea", "img"}
_CELLS: Final = frozenset(("td", "th"))
# What may stand beside the lines: tools, and what is not seen.
_TOOLS: Final = UNSEEN | {"a", "button", "clipboard-copy"}
_SPACE: Final = re.compile(r"[ \t\r\n\f]+")
_INDENTED: Final = re.compile(r"\n[ \t\xa0]{2,}\S")
_LEAST_LINES: Final = 2
# All elements that are looked at on one page: containers may nest thousands deep.
_MOST: Final = 200_000


@dataclass(slots=True)
class Listings:
    """Finds the listings of one page.

    Attributes:
        left: how many elements may still be looked at.
    """

    left: int = field(default=_MOST)

    def text_of(self, element: etree._Element) -> str:
        """Return the lines of an element that is a listing; "" of any other."""
        is_short = not len(element) and "\n" not in (element.text or "")
        if self.left <= 0 or is_short:
            return ""
        tags = [each.tag for each in islice(element.iter(), LOOKED_AT)]
        self.left -= len(tags)
        if not _NOT_CODE.isdisjoint(tags):
            return ""
        if element.tag == "code" or all(tag in INLINE or tag == "br" for tag in tags[1:]):
            text = _own_lines(element, has_breaks="br" in tags)
        else:
            text = "\n".join(self._lines(element))
        return drop_unseen(text) if text.strip() else ""

    def _lines(self, element: etree._Element) -> list[str]:
        """Return the texts of the lines; none where there is other text beside them."""
        lines: list[str] = []
        row = None
        walker = etree.iterwalk(element, events=("start", "end"))
        for event, each in walker:
            self.left -= 1
            if event == "end":
                text = each.tail if each is not element else None
            elif each is not element and _is_line(each):
                # Two cells of a row are none.
                if self.left <= 0 or (each.tag in _CELLS and each.getparent() is row):
                    return []
                row = each.getparent()
                lines.append(_text(each, keeps=True).strip("\r\n"))
                walker.skip_subtree()
                continue
            elif each.tag in _NOT_CODE:
                return []
            elif each.tag in _TOOLS or _look(each) & (HIDDEN | COPIES):
                walker.skip_subtree()
                continue
            else:
                text = each.text
            if text and not all(word.isdecimal() for word in text.split()):
                return []
        return lines if len(lines) >= _LEAST_LINES else []


def _own_lines(element: etree._Element, *, has_breaks: bool) -> str:
    """Return the text of an element whose lines are text, parted by ``br`` or line ends."""
    look, is_code = _look(element), element.tag == "code"
    keeps = bool(look & KEEPS or (is_code and look & CODE and not has_breaks))
    if not (keeps or has_breaks):
        return ""
    text = _text(element, keeps=keeps).strip(" \n")
    if "\n" not in text or not (keeps or is_code or _INDENTED.search(text)):
        return ""
    return text


def _is_line(element: etree._Element) -> bool:
    names = (element.get("class") or "").lower()
    if names and _LINE.search(names):
        return True
    if element.tag == "li" or (element.text or "").strip():
        return False
    if not len(element):
        return bool(names and _ANY_LINE.search(names))
    return element.tag not in INLINE and all(
        child.tag == "code" and not (child.tail or "").strip() for child in element
    )


def _look(element: etree._Element) -> int:
    return class_look((element.get("class") or "")[:CLASS_CHARS]) | style_look(element)


def _text(element: etree._Element, *, keeps: bool) -> str:
    """Return what is read of code, with its lines; numbers and tools are left out.

    Args:
        element: the code, or a line of it.
        keeps: whether the white space of its text is kept, as in ``pre``.
    """
    pieces: list[str] = []
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, each in walker:
        text = None
        is_end = event == "end"
        if each is not element and each.tag in BLOCKS and each.tag not in _CELLS:
            pieces += "\n" * bool(pieces and pieces[-1][-1] != "\n")
        if is_end:
            text = each.tail if each is not element else None
        elif each.tag == "br":
            pieces.append("\n")
        elif each.tag in UNSEEN or (
            each is not element and _look(each) & (HIDDEN | NUMBERS | COPIES | ASIDE)
        ):
            walker.skip_subtree()
        else:
            text = each.text
        if text:
            pieces.append(text if keeps else _SPACE.sub(" ", text))
    text = "".join(pieces)
    return text if keeps else text.replace("\n ", "\n")
