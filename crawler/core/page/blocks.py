"""Tree to text blocks: what a reader sees as one paragraph, heading, list item or cell.

A *visible block* is the text of one block-level element with its inline elements joined, up to
the next block-level element or an empty line made of ``<br>``. Each piece of visible text belongs
to exactly one block, and blocks stand in document order.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.page.text import block_key, drop_unseen

if TYPE_CHECKING:
    from lxml import etree

    from crawler.core.page.parse import ParsedPage

UNSEEN = frozenset(
    ("head", "script", "style", "noscript", "template", "iframe", "object", "embed", "applet",
     "svg", "math", "canvas", "audio", "video", "map", "select", "textarea", "datalist",
     "noframes", "noembed", "title", "dialog")
)  # fmt: skip
"""Elements whose content is never shown as running text."""
# Elements that flow within a line; all others begin a block of their own.
_INLINE = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del",
     "dfn", "em", "font", "i", "img", "input", "ins", "kbd", "label", "mark", "meter", "nobr",
     "output", "picture", "progress", "q", "rb", "rp", "rt", "ruby", "s", "samp", "small",
     "source", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
     "button", "area", "param", "track", "link", "meta", "base", "g-emoji", "amp-img", "slot",
     "rtc", "basefont", "bgsound", "keygen", "spacer")
)  # fmt: skip
# Elements that hold only lines of text: unknown elements in them (custom elements, the "o:p" of
# word processors) are inline, elsewhere they are block-level.
_LINES_ONLY = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre"))
# React sends late parts at the end, hidden, as "S:1f", and its script moves each to the place of
# the template "B:1f".
_LATE = re.compile(r"S:[0-9a-f]{1,8}")
_PLACE_OF_LATE = re.compile(r"B:[0-9a-f]{1,8}")
HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
"""Finds in a style what hides its element."""
_SPACE = re.compile(r"\s+")
_KEEPS_LINES = frozenset(("pre", "listing", "xmp", "plaintext"))
# Not part of paths: authors leave it out, and parsers may add it.
_NOT_IN_PATHS = frozenset(("tbody",))
_BREAK = "\n"
# The kinds of elements, by what their end requires: hidden ones, other inline ones, hyperlinks,
# buttons, block-level ones.
_CLOSED, _PLAIN, _LINK, _BUTTON, _BLOCK = "closed", "plain", "link", "button", "block"
# Never taken as hidden: a script may show the page later.
_NEVER_HIDDEN = frozenset(("html", "body"))
# Limits of the title that is compared with blocks, and of a path.
_TITLE_CHARS = 1_000
_PATH_CHARS = 1_000
# Attributes with names that authors give; of a long value only the beginning is kept.
_NAMING = ("class", "id", "role", "itemprop")
_NAME_CHARS = 200
# Inline elements that tell something about their line even without names.
_TELLING = frozenset(("b", "strong", "em", "i", "time", "button", "img", "label", "input", "code"))

_NUMBERED = frozenset(("td", "th", "ol"))
_NUMBER = re.compile(r"\s*([0-9]{1,9})\s*")
# The limit of ``colspan``, as in HTML.
_MOST_COLUMNS = 1_000
_NO_PLACE = -1


# Nothing changes a holder or a block once it is made. They are not frozen: pages have hundreds of
# them, and frozen dataclasses take four times as long to make.
@dataclass(slots=True, eq=False)
class Holder:
    """A block-level element that holds blocks.

    Attributes:
        tag: its name.
        names: what its author calls it: the values of ``class``, ``id``, ``role`` and ``itemprop``
            with spaces between, at most 200 characters of each.
        parent: the block-level element around it; None for a root.
        depth: how many block-level elements there are from the root to this one; 1 for a root.
        path: their tags with ``/`` between, ``tbody`` left out; ends where it has become longer
            than 1,000 characters.
        number: of a table's cell its column, from 0, or -1 where cells that reach over several rows
            leave it unknown; of an ordered list the number of its first item; 0 of any other.
    """

    tag: str
    names: str
    parent: Holder | None
    depth: int
    path: str
    number: int = 0


@dataclass(slots=True, unsafe_hash=True)
class Block:
    """One visible block of a page.

    Attributes:
        index: position among the page's blocks, from 0.
        text: what is read: white space folded, a ``<br>`` within the block as a line break. The
            lines of ``<pre>`` keep the white space that they begin with, and empty lines between
            them stay.
        tag: name of the block-level element that holds the text.
        path: names of its ancestors and itself from the root, ``/`` between, ``tbody`` left out;
            ends where it has become longer than 1,000 characters.
        key: 64-bit identity of the normalised text (:func:`crawler.core.page.text.block_key`):
            blocks with one key are the same block on different pages.
        chars, link_chars: characters that are not white space, and how many of them stand inside
            hyperlinks.
        holder: the block-level element that holds the text; None for what was not cut along
            elements.
        inner: of the inline elements within the block, or between it and the one before: the tags
            of those that tell something of a line (``time``, ``button``, ``strong``, …), and what
            authors call them, with spaces between.
        links: how many hyperlinks begin within the block.
    """

    index: int
    text: str
    tag: str
    path: str
    key: int
    chars: int
    link_chars: int
    holder: Holder | None = field(default=None, repr=False, compare=False)
    inner: str = field(default="", repr=False, compare=False)
    links: int = field(default=0, repr=False, compare=False)

    @property
    def link_share(self) -> float:
        """Share of the block's characters that are hyperlink text, 0 to 1."""
        return self.link_chars / self.chars if self.chars else 0.0


def segment(parsed: ParsedPage) -> tuple[Block, ...]:
    """Cut a page into its visible blocks, in document order, in one walk over the tree."""
    segmenter = _Segmenter(parsed.title or "")
    for root in parsed.roots:
        segmenter.walk(root)
    return tuple(segmenter.blocks)


class _Segmenter:
    """The state of one walk: the open elements, and the pieces of the block being gathered."""

    def __init__(self, title: str) -> None:
        self.blocks: list[Block] = []
        self._pieces: list[str] = []
        self._link_chars = 0
        self._open_links = 0
        self._links = 0
        self._inner: list[str] = []
        self._holder = Holder("", "", None, 0, "")
        self._paths: dict[tuple[str, str], str] = {}
        self._title = title[:_TITLE_CHARS]
        # By their names; found when a place for one first comes.
        self._late_parts: dict[str, etree._Element] | None = None
        self._late_shown: set[etree._Element] = set()
        # How many columns of each row are taken, and where cells reach over several rows.
        self._columns: dict[Holder, int] = {}
        self._reached_over: set[Holder] = set()

    def walk(self, root: etree._Element) -> None:
        """Visit every element below ``root`` without recursion: pages nest thousands deep."""
        # A frame is an element whose children are being visited; entering and leaving it brackets
        # them, and the tail of each child is text of the frame.
        kind = self._enter(root)
        stack = [] if kind is _CLOSED else [(iter(root), root, kind)]
        enter, add = self._enter, self._add
        while stack:
            children, place, kind = stack[-1]
            for child in children:
                shown = child if child.tag != "template" else self._late(root, child)
                entered = _CLOSED if shown is None else enter(shown)
                if entered is not _CLOSED and shown is not None:
                    if len(shown):
                        stack.append((iter(shown), child, entered))
                        break
                    if entered is not _PLAIN:
                        self._leave(entered)
                if tail := child.tail:
                    add(tail)
            else:
                stack.pop()
                if kind is not _PLAIN:
                    self._leave(kind)
                if stack and (tail := place.tail):
                    add(tail)
        self._flush()

    def _late(self, root: etree._Element, template: etree._Element) -> etree._Element | None:
        """Return the late part that a script will put in the place of a template."""
        name = template.get("id") or ""
        if not _PLACE_OF_LATE.fullmatch(name):
            return None
        if self._late_parts is None:
            hidden = root.iterfind(".//*[@hidden]")
            self._late_parts = {part.get("id") or "": part for part in hidden}
        return self._late_parts.get(f"S{name[1:]}")

    def _enter(self, element: etree._Element) -> str:
        tag = element.tag
        if tag in UNSEEN:
            return _CLOSED
        if tag == "br":
            self._break()
            return _CLOSED
        attributes = element.keys()
        if ("style" in attributes or "hidden" in attributes) and self._is_hidden(
            element, attributes
        ):
            return _CLOSED
        # An unknown element flows within a line of text.
        if tag in _INLINE or (self._holder.tag in _LINES_ONLY and ("-" in tag or ":" in tag)):
            kind = _PLAIN
            if tag == "a" and "href" in attributes:
                self._open_links += 1
                self._links += 1
                kind = _LINK
            elif tag == "button":
                self._add(" ")
                kind = _BUTTON
            if tag in _TELLING:
                self._inner.append(tag)
            if "class" in attributes:
                self._inner.append((element.get("class") or "")[:_NAME_CHARS])
        else:
            kind = _BLOCK
            self._flush()
            parent = self._holder
            names = _names(element, attributes) if attributes else ""
            number = self._number(element, tag) if tag in _NUMBERED else 0
            self._holder = Holder(tag, names, parent, parent.depth + 1, self._path_of(tag), number)
        if text := element.text:
            self._add(text)
        return kind

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

    def _is_hidden(self, element: etree._Element, attributes: Collection[str | bytes]) -> bool:
        """Tell whether an element is hidden, or a late part that was read before, in its place."""
        if element.tag in _NEVER_HIDDEN:
            return False
        if "hidden" in attributes and not _LATE.fullmatch(element.get("id") or ""):
            return True
        if "style" in attributes and HIDDEN_STYLE.search(element.get("style") or ""):
            return True
        if "hidden" not in attributes:
            return False
        was_shown = element in self._late_shown
        self._late_shown.add(element)
        return was_shown

    def _leave(self, kind: str) -> None:
        if kind is _BLOCK:
            if self._pieces:
                self._flush()
            self._holder = self._holder.parent or self._holder
        elif kind is _LINK:
            self._open_links -= 1
        else:
            self._add(" ")

    def _path_of(self, tag: str) -> str:
        """Extend the open element's path; blocks with the same path share one string."""
        path = self._holder.path
        if tag in _NOT_IN_PATHS or len(path) > _PATH_CHARS:
            return path
        found = self._paths.get((path, tag))
        if found is None:
            found = self._paths[path, tag] = f"{path}/{tag}" if path else tag
        return found

    def _add(self, text: str) -> None:
        if text.isspace():
            if self._holder.tag not in _KEEPS_LINES:
                if not self._pieces:
                    return
                text = " "
        elif not text.isprintable():
            text = drop_unseen(text)
            if self._holder.tag not in _KEEPS_LINES:
                text = _SPACE.sub(" ", text)
            if not text:
                return
        self._pieces.append(text)
        if self._open_links:
            self._link_chars += sum(map(len, text.split()))

    def _break(self) -> None:
        """A line break ends a line; after an empty line it ends the block, as a reader sees it.

        Empty lines within code do not end it.
        """
        if self._holder.tag in _KEEPS_LINES:
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
        text = _fold_code(text) if self._holder.tag in _KEEPS_LINES else _fold(text)
        # Marks of direction alone are nothing to read.
        if text and (text[0].isprintable() or any(map(str.isprintable, text.replace(" ", "")))):
            holder = self._holder
            chars = len(text) - text.count(" ") - text.count("\n") - text.count("\t")
            self.blocks.append(
                Block(
                    len(self.blocks),
                    text,
                    holder.tag,
                    holder.path,
                    # "Day 12" as the page's own headline is not "Day 13".
                    block_key(text, mask_digits=text not in self._title),
                    chars,
                    min(self._link_chars, chars),
                    holder,
                    " ".join(self._inner),
                    self._links,
                )
            )
            self._inner.clear()
        self._pieces.clear()
        self._link_chars = self._links = 0


def _names(element: etree._Element, attributes: Collection[str | bytes]) -> str:
    if attributes == ["class"]:  # as most that have a name
        return (element.get("class") or "")[:_NAME_CHARS]
    return " ".join(
        [(element.get(name) or "")[:_NAME_CHARS] for name in _NAMING if name in attributes]
    )


def _fold(text: str) -> str:
    """Fold white space within each line, drop empty lines."""
    if "\n" not in text:
        return " ".join(text.split())
    lines: Iterable[str] = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _fold_code(text: str) -> str:
    """Fold white space within each line, but for what it begins with; keep empty lines between.

    A tab that a line begins with stays one; a line that stands alone begins with no white space.
    """
    lines = []
    for line in text.split("\n"):
        words = " ".join(line.split())
        begins = line[: len(line) - len(line.lstrip())] if words else ""
        if begins.strip(" \t"):
            begins = "".join(char if char == "\t" else " " for char in begins)
        lines.append(begins + words)
    folded = "\n".join(lines).strip("\n")
    if "\n" not in folded:
        return folded.strip()
    # Marks of direction alone are nothing to read.
    return folded if any(map(str.isprintable, "".join(folded.split()))) else ""


def _whole(value: str | None) -> int:
    found = _NUMBER.fullmatch(value or "")
    return int(found[1]) if found else 1
