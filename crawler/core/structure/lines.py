"""Step 0: a page as the lines that its reader sees, each with how it looks and where it stands.

The page is cut just as :mod:`crawler.core.page.blocks` cuts it, so that a line and the verdict of a
text method on its block belong together; a block with line breaks has several lines. Inline
elements are gone; what they made of the letters is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

# The walk is to cut as that of blocks does: it is the same walk, which notes the letters besides.
from crawler.core.page.blocks import _CLOSED, _PLAIN, _Segmenter
from crawler.core.structure.styles import Style, Styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

    from crawler.core.page.blocks import Block, Holder
    from crawler.core.page.parse import ParsedPage

__all__ = ["Line", "lines_of"]

_FRAMED: Final = "framed"
_PLAIN_STYLE: Final = Style()
_ITEMS: Final = frozenset(("li", "dd"))
_MOST_LEVELS: Final = 9


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of a page.

    ``text``
        As it is read, white space folded.
    ``block``
        The block that it is of, and ``first`` whether it is the first line of it.
    ``style``
        What all of its letters and digits have in common.
    ``lead``
        How many characters the line begins with that are bold or underlined; all where all are.
    ``level``
        Of a heading that the markup names as such, 1 to 9; else 0.
    ``item``, ``row``
        The list item or ``dd``, and the table row, that it stands in; None for none.
    """

    text: str
    block: Block
    first: bool
    style: Style
    lead: int
    level: int
    item: Holder | None
    row: Holder | None

    def cut(self, start: int, end: int) -> Line:
        """Return a part of the line; where it is the part that leads, all of it does."""
        return replace(
            self,
            text=self.text[start:end].strip(),
            first=self.first and start == 0,
            style=replace(self.style, bold=self.style.bold or end <= self.lead),
            lead=max(min(end, self.lead) - start, 0),
        )

    @property
    def tag(self) -> str:
        """Name of the block-level element around it."""
        return self.block.tag


def lines_of(parsed: ParsedPage) -> list[Line]:
    """Return the lines of a page in document order."""
    liner = _Liner(parsed)
    for root in parsed.roots:
        liner.walk(root)
    return liner.lines


class _Liner(_Segmenter):
    """The walk that cuts blocks, noting how letters look."""

    def __init__(self, parsed: ParsedPage) -> None:
        super().__init__(parsed.title or "")
        self.lines: list[Line] = []
        self._styles = Styles(parsed)
        self._style = _PLAIN_STYLE
        self._level = 0
        self._frames: list[tuple[str, Style, int]] = []
        # What was added since the last block: how many characters to see, style, level.
        self._runs: list[tuple[str, Style, int]] = []
        self._places: dict[Holder, tuple[Holder | None, Holder | None]] = {}

    def _enter(self, element: etree._Element) -> str:
        style, level = self._style, self._level
        entered_style = self._styles.of(element, style)
        entered_level = _level_of(element) or level
        # The pieces before a block-level element are closed by entering it, in their own style.
        self._style, self._level = entered_style, entered_level
        kind = super()._enter(element)
        if kind is _CLOSED:
            self._style, self._level = style, level
            return kind
        self._frames.append((kind, style, level))
        return _FRAMED

    def _leave(self, kind: str) -> None:
        kind, style, level = self._frames.pop()
        if kind is not _PLAIN:
            super()._leave(kind)
        self._style, self._level = style, level

    def _add(self, text: str) -> None:
        super()._add(text)
        if not text.isspace():
            self._runs.append((text, self._style, self._level))

    def _flush(self) -> None:
        count = len(self.blocks)
        super()._flush()
        if len(self.blocks) > count:
            self._cut(self.blocks[-1])
        self._runs.clear()

    def _cut(self, block: Block) -> None:
        item, row = self._place(block.holder) if block.holder is not None else (None, None)
        runs = _Runs(self._runs)
        for number, text in enumerate(block.text.split("\n")):
            if not text.strip():
                continue
            style, lead, level = runs.take(text)
            self.lines.append(
                Line(text, block, number == 0, style, lead, level, item=item, row=row)
            )

    def _place(self, holder: Holder) -> tuple[Holder | None, Holder | None]:
        """Return the item and the row around an element, the nearest of each."""
        passed = []
        here: Holder | None = holder
        while here is not None and here not in self._places:
            passed.append(here)
            here = here.parent
        found = self._places[here] if here is not None else (None, None)
        for each in reversed(passed):
            item, row = found
            if each.tag in _ITEMS:
                item, row = each, None
            elif each.tag == "tr":
                row = each
            found = self._places[each] = (item, row)
        return found


class _Runs:
    """Styled text, taken line by line by the letters and digits that the lines have."""

    def __init__(self, runs: Sequence[tuple[str, Style, int]]) -> None:
        self._left: list[tuple[int, Style, int]] = [
            (sum(map(str.isalnum, text)), style, level) for text, style, level in reversed(runs)
        ]

    def take(self, text: str) -> tuple[Style, int, int]:
        """Return what a line's letters have in common, how much of it leads, its level."""
        wanted = sum(map(str.isalnum, text))
        parts: list[tuple[int, Style, int]] = []
        while wanted > 0 and self._left:
            count, style, level = self._left.pop()
            taken = min(count, wanted)
            if taken:
                parts.append((taken, style, level))
            wanted -= taken
            if taken < count:
                self._left.append((count - taken, style, level))
        if not parts:
            return _PLAIN_STYLE, 0, 0
        leading = 0
        for count, style, _ in parts:
            if not (style.bold or style.underlined):
                break
            leading += count
        level = min(level for _, _, level in parts)
        return _common([style for _, style, _ in parts]), _index(text, leading), level


def _common(styles: Sequence[Style]) -> Style:
    first = styles[0]
    if all(style is first for style in styles):
        return first
    return Style(
        bold=all(style.bold for style in styles),
        underlined=all(style.underlined for style in styles),
        italic=all(style.italic for style in styles),
        upper=all(style.upper for style in styles),
        size=min(style.size for style in styles),
        font=min(style.font for style in styles),
    )


def _index(text: str, letters: int) -> int:
    """Return how many characters hold so many letters and digits, with the marks behind them."""
    if not letters:
        return 0
    seen = 0
    for place, char in enumerate(text):
        if char.isalnum():
            if seen == letters:
                return len(text[:place].rstrip())
            seen += 1
    return len(text)


def _level_of(element: etree._Element) -> int:
    tag = str(element.tag)
    if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":  # noqa: PLR2004 - "h1" to "h6"
        return int(tag[1])
    if element.get("role") == "heading":
        level = (element.get("aria-level") or "").strip()
        # A heading that names no level is of level 2: WAI-ARIA 1.2.
        return min(max(int(level), 1), _MOST_LEVELS) if level.isdecimal() else 2
    return 0
