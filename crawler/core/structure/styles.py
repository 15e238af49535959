"""How a page shows its text, as far as headings show by it: size and weight of letters.

Read are style attributes, presentational elements and attributes, and of style sheets in the page
the rules whose selector ends in a tag, a class, an id, or a tag with a class or id. What is before
that in a selector is ignored: a rule may so seem to apply where it does not, which matters little
for a page of consistent headings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml import etree

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
