"""The walk that cuts a page into blocks, in Python: the reference of ``compiled_cutter.pyx``."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.core.page.blocks import Block, Holder
from crawler.core.page.cut_rules import (
    BREAK,
    CELLS,
    KEEPS_LINES,
    NAME_CHARS,
    NAMING,
    CutRules,
    add_formula,
    add_lines,
    end_line,
    extended,
    flows,
    is_shown,
    names_of,
    set_keys,
)
from crawler.core.page.elements import (
    BLOCKS,
    CLASS_CHARS,
    FLOWS,
    HEADINGS,
    HIDDEN,
    INLINE,
    KEEPS,
    LINE,
    SHUT,
    UNSEEN,
    class_look,
    is_code,
    is_permalink,
    look_of,
)
from crawler.core.page.text import (
    LINE_BEGINS,
    LINE_ENDS,
    drop_unseen,
    fold_code,
    fold_lines,
    one_line,
)
from crawler.core.page.walk import Elements

_SPACES = (" ", BREAK)
_NAMED = frozenset(NAMING) - {"class"}
# What the end of an element requires: nothing, or any of these: that of a hyperlink, a button, a
# block-level element; LINE and KEEPS, which are greater. Nothing of a hidden element is entered.
CLOSED, PLAIN, LINK, BUTTON, BLOCK = -1, 0, 1, 2, 4
# Elements with a rule of their own: of a code's button and GitHub's own one nothing is shown.
SPECIAL = (UNSEEN - SHUT) | {"br", "ruby", "rt", "rtc", "button", "code", "clipboard-copy"}
_LINES_KEPT = LINE | KEEPS
# Limit of the title that is compared with blocks.
TITLE_CHARS = 1_000
# Inline elements that tell something about their line even without names.
TELLING = frozenset(("b", "strong", "em", "i", "time", "button", "img", "label", "input", "code"))
NUMBERED = frozenset(("td", "th", "ol"))


class Cutter:
    """The state: the open elements, and the pieces of the block being gathered.

    Attributes:
        elements: those of the page.
        blocks: what has been cut; the keys come last.
        pieces: the texts of the block being gathered.
        holder: the open block-level element.
        code: the open holder that is a code.
        keeps: whether the holder keeps white space.
        rules: the rarer rules, and what they remember.
    """

    def __init__(self, elements: Elements, title: str = "", around: Holder | None = None) -> None:
        self.elements = elements
        self.blocks: list[Block] = []
        self.pieces: list[str] = []
        self.holder = around or Holder("", "", None, 0, "")
        self.code: Holder | None = None
        self.rules = CutRules()
        self._title = title[:TITLE_CHARS]
        self._link_chars = self._links = self._open_links = 0
        self._inner: list[str] = []
        self._paths: dict[tuple[str, str], str] = {}
        # How many open elements keep line breaks.
        self._keeping = 0
        self.keeps = self.holder.tag in KEEPS_LINES

    def cut(self) -> tuple[Block, ...]:
        """Visit every element without recursion: pages nest thousands deep."""
        page, enter, leave, read = self.elements, self.enter, self.leave, self._read
        tails, children = page.tails, page.children
        # The open elements: children left, what closing each requires, and its number.
        left: list[int] = []
        opened: list[tuple[int, int]] = []
        number, size = 0, len(tails)
        while number < size:
            here, kind = number, enter(number)
            number += 1
            if kind == CLOSED:
                if children[here]:
                    number = page.behind(here)
            elif count := children[here]:
                left.append(count)
                opened.append((kind, here))
                continue
            elif kind:
                leave(kind)
            while left:
                # The text behind an element is text of the one around it.
                if tail := tails[here]:
                    read(tail)
                if left[-1] > 1:
                    left[-1] -= 1
                    break
                left.pop()
                kind, here = opened.pop()
                if kind:
                    leave(kind)
            else:
                self.flush()
        set_keys(self.blocks, self._title)
        return tuple(self.blocks)

    def enter(self, number: int) -> int:
        """Begin an element; return what its end requires."""
        page = self.elements
        tag, attributes = page.tags[number], page.names[number]
        if tag in SHUT or (
            tag in SPECIAL and not self.rules.is_entered(self, page.nodes[number], tag)
        ):
            return CLOSED
        look, names = 0, ""
        if attributes:
            if names := page.values["class"].get(number, ""):
                look = class_look(names[:CLASS_CHARS])
            if "style" in attributes or "hidden" in attributes:
                look |= look_of(page.values["style"].get(number, ""))
                look |= HIDDEN if "hidden" in attributes else 0
            if look and self.rules.is_left_out(self, page.nodes[number], tag, look):
                return CLOSED
        if tag in INLINE or (
            (tag not in BLOCKS or look & FLOWS) and flows(self, page.nodes[number])
        ):
            kind = self._enter_inline(number, tag, attributes, names) | look & _LINES_KEPT
        elif self.code is self.holder:
            # A block-level element within code is a line of it, a cell a part of a line.
            kind = look & KEEPS | (0 if tag in CELLS else LINE)
        else:
            kind = look & KEEPS | BLOCK
            self._enter_block(number, tag, attributes, names)
        if kind >= LINE:
            self._begin_lines(kind)
        if (text := page.texts[number]) and kind != CLOSED:
            self._read(text)
        return kind

    def _enter_block(self, number: int, tag: str, attributes: Sequence[str], names: str) -> None:
        if self.pieces:
            self.flush()
        around = self.holder
        names = names[:NAME_CHARS]
        if attributes and not _NAMED.isdisjoint(attributes):
            names = names_of(self.elements.nodes[number])
        place = 0
        if tag in NUMBERED:
            place = self.rules.number(around, self.elements.nodes[number], tag, attributes)
        path = self._paths.get((around.path, tag)) or self.path_of(tag)
        self.holder = Holder(tag, names, around, around.depth + 1, path, place)
        self.keeps = tag in KEEPS_LINES
        if self.keeps and is_code(self.elements.nodes[number]):
            self.code = self.holder

    def _enter_inline(self, number: int, tag: str, attributes: Sequence[str], names: str) -> int:
        kind = PLAIN
        if tag == "a" and "href" in attributes:
            if self.holder.tag in HEADINGS and is_permalink(self.elements.nodes[number]):
                return CLOSED
            self._open_links += 1
            self._links += 1
            kind = LINK
        elif tag == "button":
            self.add(" ")
            kind = BUTTON
        elif tag == "img" and names and "alt" in attributes:
            add_formula(self, self.elements.nodes[number])
        if tag in TELLING:
            self._inner.append(tag)
        if names or "class" in attributes:
            self._inner.append(names[:NAME_CHARS])
        return kind

    def _begin_lines(self, kind: int) -> None:
        if kind & LINE:
            end_line(self, LINE_BEGINS)
        if kind & KEEPS:
            self._keeping += 1

    def leave(self, kind: int) -> None:
        """End an element, as entering it required."""
        if kind >= LINE:
            self._end_lines(kind)
        if kind & BLOCK:
            if self.pieces:
                self.flush()
            self.holder = self.holder.parent or self.holder
            self.keeps = self.holder.tag in KEEPS_LINES
        elif kind & LINK:
            self._open_links -= 1
        elif kind & BUTTON:
            self.add(" ")

    def _end_lines(self, kind: int) -> None:
        if kind & LINE:
            end_line(self, LINE_ENDS)
        if kind & KEEPS:
            self._keeping -= 1

    def path_of(self, tag: str) -> str:
        """Extend the open element's path; blocks with the same path share one string."""
        path = self.holder.path
        found = self._paths.get((path, tag))
        if found is None:
            found = self._paths[path, tag] = extended(path, tag)
        return found

    def _read(self, text: str) -> None:
        if self._keeping:
            add_lines(self, text)
        elif self.pieces or self.keeps or not text.isspace():
            self.add(text)

    def add(self, text: str) -> None:
        """Add a piece of text to the open block."""
        if text.isspace():
            if not self.keeps:
                # White space after white space shows nothing.
                if not self.pieces or self.pieces[-1] in _SPACES:
                    return
                text = " "
        elif not text.isprintable():
            text = drop_unseen(text) if self.keeps else one_line(text)
            if not text:
                return
        self.pieces.append(text)
        if self._open_links:
            # Of white space a printable text has only spaces.
            seen = len(text) - text.count(" ") if text.isprintable() else len("".join(text.split()))
            self._link_chars += seen

    def flush(self) -> None:
        """End the block that is being gathered."""
        if not self.pieces:
            return
        text = "".join(self.pieces)
        self.pieces.clear()
        text = fold_code(text) if self.keeps else fold_lines(text)
        # Marks of direction alone are nothing to read.
        if text and (text[0].isprintable() or is_shown(text)):
            holder = self.holder
            chars = len(text) - text.count(" ") - text.count("\n") - text.count("\t")
            link_chars = min(self._link_chars, chars)
            inner = " ".join(self._inner) if self._inner else ""
            self.blocks.append(
                Block(
                    len(self.blocks),
                    text,
                    holder.tag,
                    holder.path,
                    0,
                    chars,
                    link_chars,
                    holder,
                    inner,
                    self._links,
                )
            )
            self._inner.clear()
        self._link_chars = self._links = 0
