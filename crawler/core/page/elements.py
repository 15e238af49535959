"""Elements: which flow in a line, which a reader does not see, and what formulas say."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lxml import etree

UNSEEN: Final = frozenset(
    ("head", "script", "style", "noscript", "template", "iframe", "object", "embed", "applet",
     "svg", "math", "canvas", "audio", "video", "map", "select", "textarea", "datalist",
     "noframes", "noembed", "title", "dialog")
)  # fmt: skip
"""Elements whose content is never shown as running text."""

INLINE: Final = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del",
     "dfn", "em", "font", "i", "img", "input", "ins", "kbd", "label", "mark", "meter", "nobr",
     "output", "picture", "progress", "q", "rb", "rp", "rt", "ruby", "s", "samp", "small",
     "source", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
     "button", "area", "param", "track", "link", "meta", "base", "g-emoji", "amp-img", "slot",
     "rtc", "basefont", "bgsound", "keygen", "spacer")
)  # fmt: skip
"""Elements that flow within a line."""

BLOCKS: Final = frozenset(
    ("html", "body", "frameset", "frame", "address", "article", "aside", "blockquote", "center",
     "details", "dir", "div", "dl", "dt", "dd", "fieldset", "figcaption", "figure", "footer",
     "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "legend", "li",
     "listing", "main", "menu", "menuitem", "nav", "ol", "optgroup", "option", "p", "plaintext",
     "pre", "search", "section", "summary", "table", "caption", "colgroup", "col", "tbody", "td",
     "tfoot", "th", "thead", "tr", "ul", "xmp", "isindex", "marquee", "multicol")
)  # fmt: skip
"""Elements that begin a block; those in neither list are unknown to HTML."""

LINES_ONLY: Final = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre"))
"""Elements that hold only lines of text."""

LINES: Final = LINES_ONLY | {
    "li", "td", "th", "dt", "dd", "caption", "figcaption", "summary", "legend", "blockquote",
}  # fmt: skip
"""Elements that hold mostly lines of text."""

HIDDEN_STYLE: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
"""Finds in a style what hides its element."""

# What a look says of an element.
HIDDEN: Final = 1
NUMBERS: Final = 2
COPIES: Final = 4
LINE: Final = 8
KEEPS: Final = 16
ASIDE: Final = 32

# The groups: out of sight, lines of their own, line breaks kept.
_STYLES: Final = re.compile(
    r"(display\s*:\s*none|visibility\s*:\s*hidden|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01]p?x?[\s,)])"
    r"|(display\s*:\s*(?:block|flex|grid|table|list-item|flow-root)\b)"
    r"|(white-space\s*:\s*(?:pre|break-spaces)\b)"
)
_OF_STYLE: Final = (0, HIDDEN, LINE, KEEPS)
# Few styles name any of these.
_PROPERTIES: Final = ("display", "visibility", "clip", "white-space")
_TELLING: Final = re.compile(
    "only|hidden|reader|assist|invisible|show-for|line|gutter|ln|blob|copy|clip|d-block|white"
)
# By conventions of style sheets: text for screen readers alone, numbers of lines, buttons that copy
# code, and the names of utilities for ``display`` and ``white-space``.
_CLASSES: Final = re.compile(
    r"(?<![\w-])(?:((?:is-|u-)?(?:sr-?only|visually-?hidden(?:-focusable)?|hidden-visually)"
    r"|screen-?reader(?:-text|-only)?|assistive-text|element-invisible|show-for-sr|a11y-hidden"
    r"|sr_only|visually_hidden|screen_reader_text)"
    r"|((?:[\w-]*[_-])?(?:line-?_?(?:no|nos|num|nums|number|numbers)|gutter|ln|lnt|lntd|blob-num)"
    r"|hljs-ln-\w+)|([\w-]*(?:copy|clipboard)[\w-]*)|(d-block)|(whitespace-pre(?:-wrap|-line)?)"
    r")(?![\w-])"
)
_OF_CLASS: Final = (0, ASIDE, NUMBERS, COPIES, LINE, KEEPS)
_FORMULA: Final = re.compile(
    r"(?<![^\W_])(?:math|tex|latex|formula|equation)(?![^\W_])", re.IGNORECASE
)
_IN_STYLE: Final = re.compile(r"\{\\(?:display|text)style (.*)\}", re.DOTALL)
_TOKENS: Final = ("mi", "mn", "mo", "mtext", "ms")
_GLYPHS: Final = 50
# No page needs more of a code, or of its numbers, to tell whether it is one.
_LOOKED_AT: Final = 2_000
_PROSE: Final = frozenset(
    ("p", "h1", "h2", "h3", "h4", "article", "section", "header", "footer", "nav", "aside", "form")
)


def hides(style: str) -> bool:
    """Tell whether a style hides its element."""
    lower = style.lower()
    return ("none" in lower or "hidden" in lower) and HIDDEN_STYLE.search(lower) is not None


def style_look(element: etree._Element) -> int:
    """Return what the style of an element, and its attribute ``hidden``, say of its look."""
    look = 0 if element.get("hidden") is None else HIDDEN
    style = (element.get("style") or "").lower()
    if any(map(style.__contains__, _PROPERTIES)):
        for match in _STYLES.finditer(style):
            look |= _OF_STYLE[match.lastindex or 0]
    return look


@lru_cache(maxsize=16384)
def class_look(names: str) -> int:
    """Return what the classes of an element say of its look."""
    look = 0
    # Few classes hold any of these names.
    if _TELLING.search(names := names.lower()):
        for match in _CLASSES.finditer(names):
            look |= _OF_CLASS[match.lastindex or 0]
    return look


def is_numbers(element: etree._Element) -> bool:
    """Tell whether an element holds digits and space alone, in its first texts at least."""
    texts = (str(text)[:_LOOKED_AT] for text in islice(element.itertext(), _LOOKED_AT))
    return all(word.isdecimal() for text in texts for word in text.split())


def is_code(element: etree._Element) -> bool:
    """Tell whether preformatted text has no parts of an article: its blocks are lines then."""
    return not any(each.tag in _PROSE for each in islice(element.iter(), _LOOKED_AT))


def formula_of(element: etree._Element) -> str:
    """Return what stands for a formula of MathML, or for a picture of one; "" where nothing does.

    Of MathML the alternative text, the annotation in TeX, or its tokens; nothing where the glyphs
    of the formula stand beside it as text.
    """
    if element.tag == "img":
        is_formula = _FORMULA.search(element.get("class") or "") is not None
        return _tex(element.get("alt") or "") if is_formula else ""
    if style_look(element) & HIDDEN or any(map(_has_glyphs, _beside(element))):
        return ""
    if told := element.get("alttext"):
        return _tex(told)
    for note in element.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and note.text:
            return _tex(note.text)
    return "".join(" ".join((each.text or "").split()) for each in element.iter(*_TOKENS))


def _tex(text: str) -> str:
    text = " ".join(text.split())
    found = _IN_STYLE.fullmatch(text)
    return found[1] if found else text


def _beside(element: etree._Element) -> list[etree._Element]:
    around = element.getparent()
    places = (element,) if around is None else (element, around)
    found = (near for place in places for near in (place.getprevious(), place.getnext()))
    return [near for near in found if near is not None]


def _has_glyphs(element: etree._Element) -> bool:
    return (
        element.get("aria-hidden") == "true"
        and element.tag not in UNSEEN
        and any(str(text).strip() for text in islice(element.itertext(), _GLYPHS))
    )
