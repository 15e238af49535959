"""Step 0: a page as the lines that its reader sees, with their look and their place.

The page is cut just as :mod:`crawler.core.page.blocks` cuts it, so that a line belongs to the
verdict of a text method on its block; a block with line breaks has several lines. Inline elements
are gone; the look that they gave to letters is kept: size and weight, as far as headings show by
it. Read are style attributes, presentational elements and attributes, and of style sheets in the
page the rules whose selector ends in a tag, a class, an id, or a tag with a class or id. What is
before that in a selector is ignored: a rule may so seem to apply where it does not, which matters
little for a page of consistent headings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

# The same walk as that of blocks, which notes the look of letters besides.
from crawler.core.page.blocks import _CLOSED, _PLAIN, _Segmenter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml import etree

    from crawler.core.page.blocks import Block, Holder
    from crawler.core.page.parse import ParsedPage

_MOST_CSS: Final = 400_000
_MOST_RULES: Final = 4_000
_STYLE_CHARS: Final = 2_000
_SELECTOR_CHARS: Final = 1_000
_MOST_SELECTORS: Final = 50
_MOST_CLASSES: Final = 12
_BOLD_FROM: Final = 600
_SELECTOR: Final = re.compile(r"([a-z][a-z0-9]*)?(?:([.#])([\w-]+))?", re.ASCII)
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
_BOLD_TAGS: Final = frozenset(("b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th"))
_STYLING_TAGS: Final = frozenset(
    (*_TAG_SIZES, *_BOLD_TAGS, "u", "i", "em", "cite", "font", "ins", "address")
)


@dataclass(frozen=True, slots=True)
class Style:
    """How letters look.

    ``size``
        In em of a browser's normal letters, 1.0.
    ``font``
        Number of the ``size`` attribute of ``<font>``, 1 to 7; 0 for none.
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


class Styles:
    """The style sheets in a page."""

    def __init__(self, parsed: ParsedPage) -> None:
        self._rules: dict[tuple[str, str, str], dict[str, str]] = {}
        left = _MOST_CSS
        for root in parsed.roots:
            for sheet in root.iter("style"):
                text = (sheet.text or "")[:left]
                left -= len(text)
                self._read(text)

    def _read(self, text: str) -> None:
        for selectors, body in _rules(text):
            if len(self._rules) > _MOST_RULES:
                return
            css = declared(body)
            for selector in selectors.split(",")[:_MOST_SELECTORS] if css else ():
                last = "".join(selector.lower().split()[-1:])
                match = _SELECTOR.fullmatch(last)
                if match is not None and last:
                    key = (match[1] or "", match[2] or "", match[3] or "")
                    self._rules.setdefault(key, {}).update(css)

    def of(self, element: etree._Element, around: Style) -> Style:
        """Return the style of an element's text, given that of the text around it."""
        tag = str(element.tag)
        css: dict[str, str] = {}
        if self._rules:
            for key in _keys(element, tag):
                if key in self._rules:
                    css.update(self._rules[key])
        if style := element.get("style"):
            css.update(declared(style))
        if not css and tag not in _STYLING_TAGS:
            return around
        return _styled(element, tag, css, around)


def _keys(element: etree._Element, tag: str) -> Iterator[tuple[str, str, str]]:
    """Yield the keys of the rules that apply to an element, the weaker first."""
    yield tag, "", ""
    for name in (element.get("class") or "").lower().split()[:_MOST_CLASSES]:
        yield "", ".", name
        yield tag, ".", name
    if own := (element.get("id") or "").lower():
        yield "", "#", own
        yield tag, "#", own


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


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield selectors and bodies; of rules inside rules, as of media, the inner ones."""
    text = _COMMENT.sub("", text)
    at = 0
    # An opening brace is searched for its end each time: the number of searches is bounded.
    for _ in range(2 * _MOST_RULES):
        brace = text.find("{", at)
        close = text.find("}", brace)
        if brace < 0 or close < 0:
            return
        inner = text.find("{", brace + 1)
        if 0 <= inner < close:
            at = brace + 1
            continue
        selectors = text[at:brace].rpartition("}")[2].strip()
        if not selectors.startswith("@"):
            yield selectors[:_SELECTOR_CHARS], text[brace + 1 : close]
        at = close + 1


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
