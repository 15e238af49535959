"""Step 0: a page as the lines that its reader sees, with their look and their place.

The page is cut just as :mod:`crawler.core.page.segment` cuts it; a block with line breaks has
several lines. The look of letters comes from style attributes, from presentational elements and
attributes, and from the rules of style sheets in the page whose selector ends in a tag, a class, an
id, or a tag with a class or id. What is before that in a selector is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

# The same walk as that of blocks, which notes the look of letters besides.
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.cutter import BLOCK, CLOSED, Cutter
from crawler.core.page.elements import HEADINGS
from crawler.core.page.parse import ParsedPage

if TYPE_CHECKING:
    from lxml import etree

_MOST_CSS: Final = 400_000
_MOST_RULES: Final = 4_000
_STYLE_CHARS: Final = 2_000
_SELECTOR_CHARS: Final = 1_000
_MOST_SELECTORS: Final = 50
_MOST_CLASSES: Final = 12
_BOLD_FROM: Final = 600
_SELECTOR: Final = re.compile(r"[a-z][a-z0-9]*|(?:[a-z][a-z0-9]*)?[.#][\w-]+", re.ASCII)
_LENGTH: Final = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,4})?|\.[0-9]{1,4})\s?(px|pt|em|rem|%)")
# What is never closed ends with the text, so that each comment is looked at once.
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_PROPERTIES: Final = frozenset(
    ("font-size", "font-weight", "font-style", "font", "text-decoration", "text-decoration-line",
     "text-transform", "font-variant")
)  # fmt: skip
_NAMED_SIZES: Final = {
    "xx-small": 0.6, "x-small": 0.75, "small": 0.89, "medium": 1.0, "large": 1.2, "x-large": 1.5,
    "xx-large": 2.0, "xxx-large": 3.0,
}  # fmt: skip
# Units that are relative to the letters around, and what one of them is.
_RELATIVE: Final = {"larger": 1.2, "smaller": 0.83}
_NORMAL: Final = 16.0
_POINT: Final = 4 / 3
# What HTML, section 15.3, gives headings and the sizes 1 to 7 of <font>, in em.
_TAG_SIZES: Final = {
    "h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67, "big": 1.2, "small": 0.83,
}  # fmt: skip
_FONT_SIZES: Final = (0.6, 0.89, 1.0, 1.2, 1.5, 2.0, 3.0)
_BOLD_TAGS: Final = HEADINGS | {"b", "strong", "th"}
_STYLING_TAGS: Final = frozenset(
    (*_TAG_SIZES, *_BOLD_TAGS, "u", "i", "em", "cite", "font", "ins", "address")
)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_MOST_LEVELS: Final = 9
# The kind of each open element for the walk: a frame is kept for it.
_FRAMED: Final = -2


class Style(NamedTuple):
    """How letters look.

    ``size`` is in em of a browser's normal letters. ``font`` is the number of the ``size``
    attribute of ``<font>``, 1 to 7; 0 for none.
    """

    bold: bool = False
    underlined: bool = False
    italic: bool = False
    upper: bool = False
    size: float = 1.0
    font: int = 0


def declared(text: str) -> dict[str, str]:
    """Read declarations, ``name: value; …``, of the properties that matter."""
    found: dict[str, str] = {}
    for piece in text[:_STYLE_CHARS].split(";"):
        name, colon, value = piece.partition(":")
        name = name.strip().lower()
        if colon and name in _PROPERTIES:
            found[name] = value.partition("!")[0].strip().lower()[:80]
    return found


def _rules(parsed: ParsedPage) -> dict[str, dict[str, str]]:
    """Return what the style sheets of a page declare, by the last part of the selectors."""
    rules: dict[str, dict[str, str]] = {}
    left = _MOST_CSS
    for sheet in (sheet for root in parsed.roots for sheet in root.iter("style")):
        text = (sheet.text or "")[:left]
        left -= len(text)
        # A body ends at each closing brace; of rules within rules, as of media, the inner ones are
        # read. What is behind the last brace is never closed.
        for rule in _COMMENT.sub("", text).split("}")[:-1]:
            before, brace, body = rule.rpartition("{")
            selectors = before.rpartition("{")[2].strip()
            css = declared(body) if brace and not selectors.startswith("@") else {}
            if len(rules) > _MOST_RULES:
                return rules
            for selector in selectors[:_SELECTOR_CHARS].split(",")[:_MOST_SELECTORS] if css else ():
                last = "".join(selector.lower().split()[-1:])
                if _SELECTOR.fullmatch(last):
                    rules.setdefault(last, {}).update(css)
    return rules


def _keys(element: etree._Element, tag: str) -> Iterator[str]:
    """Yield the selectors that apply to an element, the weaker first."""
    yield tag
    for name in (element.get("class") or "").lower().split()[:_MOST_CLASSES]:
        yield f".{name}"
        yield f"{tag}.{name}"
    if own := (element.get("id") or "").lower():
        yield f"#{own}"
        yield f"{tag}#{own}"


def _styled(element: etree._Element, tag: str, css: Mapping[str, str], around: Style) -> Style:
    weight, font = css.get("font-weight", ""), css.get("font", "")
    bold = around.bold or tag in _BOLD_TAGS
    if weight:
        bold = weight in ("bold", "bolder") or (weight.isdecimal() and int(weight) >= _BOLD_FROM)
    elif font:
        bold = "bold" in font
    size, number = around.size, around.font
    if tag in _TAG_SIZES:
        size = _TAG_SIZES[tag] * (around.size if tag in ("big", "small") else 1.0)
    if tag == "font" and (read := _font_size(element.get("size") or "")):
        number, size = read, _FONT_SIZES[read - 1]
    decoration = css.get("text-decoration", "") + css.get("text-decoration-line", "")
    slant = css.get("font-style", "")
    return Style(
        bold=bold,
        underlined=around.underlined or tag in ("u", "ins") or "underline" in decoration,
        italic=slant in ("italic", "oblique") if slant else around.italic or tag in ("i", "em"),
        upper=css.get("text-transform", "") == "uppercase"
        or css.get("font-variant", "") == "small-caps"
        or ("text-transform" not in css and around.upper),
        size=_size(css.get("font-size") or font, around.size) or size,
        font=number,
    )


def _font_size(value: str) -> int:
    """Read the attribute ``size`` of ``<font>``; 0 if it is none."""
    value = value.strip()
    base = 3 if value.startswith(("+", "-")) else 0
    digits = value[1:] if base else value
    return min(max(base + int(value[:4]), 1), 7) if digits.isdecimal() else 0


def _size(value: str, around: float) -> float:
    """Return a size in em of normal letters; 0 if it is unknown."""
    if value in _RELATIVE:
        return _RELATIVE[value] * around
    match = _LENGTH.search(value)
    if value in _NAMED_SIZES or match is None:
        return _NAMED_SIZES.get(value, 0.0)
    number, unit = float(match[1]), match[2]
    if unit == "em":
        return number * around
    if unit == "%":
        return number / 100 * around
    return number if unit == "rem" else number * (_POINT if unit == "pt" else 1.0) / _NORMAL


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
            style=self.style._replace(bold=self.style.bold or end <= self.lead),
            lead=max(min(end, self.lead) - start, 0),
        )

    @property
    def tag(self) -> str:
        """Name of the block-level element around it."""
        return self.block.tag


def lines_of(parsed: ParsedPage) -> list[Line]:
    """Return the lines of a page in document order."""
    liner = _Liner(parsed)
    liner.cut()
    return liner.lines


class _Liner(Cutter):
    """The walk that cuts blocks, noting how letters look."""

    def __init__(self, parsed: ParsedPage) -> None:
        super().__init__(parsed.elements, parsed.title or "")
        self.lines: list[Line] = []
        self._rules = _rules(parsed)
        self._style, self._level = Style(), 0
        self._item: Holder | None = None
        self._row: Holder | None = None
        self._frames: list[tuple[int, Style, int, Holder | None, Holder | None]] = []
        # The style and level of each letter and digit since the last block.
        self._letters: list[tuple[Style, int]] = []

    def _style_of(self, element: etree._Element) -> Style:
        tag = str(element.tag)
        css: dict[str, str] = {}
        if self._rules:
            for key in _keys(element, tag):
                css.update(self._rules.get(key, {}))
        if style := element.get("style"):
            css.update(declared(style))
        if not css and tag not in _STYLING_TAGS:
            return self._style
        return _styled(element, tag, css, self._style)

    def enter(self, number: int) -> int:
        element = self.elements.nodes[number]
        style, level, item, row = self._style, self._level, self._item, self._row
        # Entering a block-level element closes the pieces before it, which have their own style.
        self._style = self._style_of(element)
        self._level = _level_of(element) or level
        kind = super().enter(number)
        if kind == CLOSED:
            self._style, self._level = style, level
            return kind
        self._frames.append((kind, style, level, item, row))
        if not kind & BLOCK:
            return _FRAMED
        if element.tag in ("li", "dd"):
            self._item, self._row = self.holder, None
        elif element.tag == "tr":
            self._row = self.holder
        return _FRAMED

    def leave(self, kind: int) -> None:
        kind, style, level, item, row = self._frames.pop()
        if kind:
            super().leave(kind)
        self._style, self._level, self._item, self._row = style, level, item, row

    def add(self, text: str) -> None:
        super().add(text)
        if count := sum(map(str.isalnum, text)):
            self._letters += [(self._style, self._level)] * count

    def flush(self) -> None:
        count = len(self.blocks)
        super().flush()
        at = 0
        for block in self.blocks[count:]:
            for number, text in enumerate(block.text.split("\n")):
                if text.strip():
                    end = at + sum(map(str.isalnum, text))
                    looks = _looks(text, self._letters[at:end])
                    self.lines.append(Line(text, block, number == 0, *looks, self._item, self._row))
                    at = end
        self._letters.clear()


def _looks(text: str, letters: Sequence[tuple[Style, int]]) -> tuple[Style, int, int]:
    """Return what a line's letters have in common, how many characters lead, and the level."""
    if not letters:
        return Style(), 0, 0
    runs = [(look, len(list(run))) for look, run in groupby(letters)]
    leading = 0
    for (style, _), count in runs:
        if not (style.bold or style.underlined):
            break
        leading += count
    lead = len(text) if leading else 0
    if 0 < leading < len(letters):
        # Marks behind the last of these letters belong to it.
        place = [place for place, char in enumerate(text) if char.isalnum()][leading]
        lead = len(text[:place].rstrip())
    common = Style._make(map(min, zip(*(style for (style, _), _ in runs), strict=True)))
    return common, lead, min(level for (_, level), _ in runs)


def _level_of(element: etree._Element) -> int:
    if level := _HEADINGS.get(str(element.tag)):
        return level
    if element.get("role") == "heading":
        written = (element.get("aria-level") or "").strip()
        # A heading that names no level is of level 2: WAI-ARIA 1.2.
        return min(max(int(written), 1), _MOST_LEVELS) if written.isdecimal() else 2
    return 0
