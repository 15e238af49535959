"""Step 0: a page as the lines that its reader sees, with their look and their place.

The page is cut just as :mod:`crawler.core.page.blocks` cuts it, so that a line belongs to the
verdict of a text method on its block; a block with line breaks has several lines. Inline elements
are gone; the look that they gave to letters is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

# The same walk as that of blocks, which notes the look of letters besides.
from crawler.core.page.blocks import _CLOSED, _PLAIN, _Segmenter
from crawler.core.structure.styles import Style, Styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

    from crawler.core.page.blocks import Block, Holder
    from crawler.core.page.parse import ParsedPage

_FRAMED: Final = "framed"
_PLAIN_STYLE: Final = Style()
_ITEMS: Final = frozenset(("li", "dd"))
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_MOST_LEVELS: Final = 9


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of a page.

    ``text``
        White space folded.
    ``block``
        Its block, and ``first`` whether it is the first line of that.
    ``style``
        What all of its letters and digits have in common.
    ``lead``
        How many characters at its beginning are bold or underlined.
    ``level``
        Of a heading by the markup, 1 to 9; else 0.
    ``item``, ``row``
        The list item or ``dd``, and the table row, around it; None for none.
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
        """Return a part of the line. A part that is all in the lead is bold."""
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


@dataclass(frozen=True, slots=True)
class _Run:
    """Letters and digits with one style, in a heading of one level."""

    count: int
    style: Style
    level: int


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
        # What was added since the last block.
        self._runs: list[_Run] = []
        self._places: dict[Holder, tuple[Holder | None, Holder | None]] = {}

    def _enter(self, element: etree._Element) -> str:
        style, level = self._style, self._level
        # Entering a block-level element closes the pieces before it, which have their own style.
        self._style = self._styles.of(element, style)
        self._level = _level_of(element) or level
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
        if count := sum(map(str.isalnum, text)):
            self._runs.append(_Run(count, self._style, self._level))

    def _flush(self) -> None:
        count = len(self.blocks)
        super()._flush()
        if len(self.blocks) > count:
            self._cut(self.blocks[-1])
        self._runs.clear()

    def _cut(self, block: Block) -> None:
        item, row = self._place(block.holder)
        self._runs.reverse()
        for number, text in enumerate(block.text.split("\n")):
            if text.strip():
                style, lead, level = _looks(text, _taken(self._runs, text))
                self.lines.append(Line(text, block, number == 0, style, lead, level, item, row))

    def _place(self, holder: Holder | None) -> tuple[Holder | None, Holder | None]:
        """Return the nearest item and the nearest row around an element."""
        passed = []
        while holder is not None and holder not in self._places:
            passed.append(holder)
            holder = holder.parent
        item, row = self._places[holder] if holder is not None else (None, None)
        for each in reversed(passed):
            if each.tag in _ITEMS:
                item, row = each, None
            elif each.tag == "tr":
                row = each
            self._places[each] = (item, row)
        return item, row


def _taken(runs: list[_Run], text: str) -> list[_Run]:
    """Take from the end of ``runs`` the runs that a line's letters and digits have."""
    wanted = sum(map(str.isalnum, text))
    found: list[_Run] = []
    while wanted > 0 and runs:
        run = runs.pop()
        taken = min(run.count, wanted)
        found.append(_Run(taken, run.style, run.level))
        wanted -= taken
        if taken < run.count:
            runs.append(_Run(run.count - taken, run.style, run.level))
    return found


def _looks(text: str, runs: Sequence[_Run]) -> tuple[Style, int, int]:
    """Return what a line's letters have in common, how many characters lead, and the level."""
    if not runs:
        return _PLAIN_STYLE, 0, 0
    leading = 0
    for run in runs:
        if not (run.style.bold or run.style.underlined):
            break
        leading += run.count
    level = min(run.level for run in runs)
    styles = [run.style for run in runs]
    lead = _characters(text, leading)
    if all(style is styles[0] for style in styles):
        return styles[0], lead, level
    common = Style(
        bold=all(style.bold for style in styles),
        underlined=all(style.underlined for style in styles),
        italic=all(style.italic for style in styles),
        upper=all(style.upper for style in styles),
        size=min(style.size for style in styles),
        font=min(style.font for style in styles),
    )
    return common, lead, level


def _characters(text: str, letters: int) -> int:
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
    if level := _HEADINGS.get(str(element.tag)):
        return level
    if element.get("role") == "heading":
        written = (element.get("aria-level") or "").strip()
        # A heading that names no level is of level 2: WAI-ARIA 1.2.
        return min(max(int(written), 1), _MOST_LEVELS) if written.isdecimal() else 2
    return 0
