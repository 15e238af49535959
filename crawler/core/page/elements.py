"""Elements: which flow in a line, which a reader does not see, and what formulas say."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from crawler.core.page.text import cached_if_short

if TYPE_CHECKING:
    from lxml import etree

UNSEEN: Final = frozenset(
    ("head", "script", "style", "noscript", "template", "iframe", "object", "embed", "applet",
     "svg", "math", "canvas", "audio", "video", "map", "select", "textarea", "datalist",
     "noframes", "noembed", "title", "dialog")
)  # fmt: skip
"""Elements whose content is not shown as running text; that of an open ``dialog`` is."""

SHUT: Final = UNSEEN - {"math", "dialog"}
"""Of these nothing is shown, whatever they hold."""

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
     "tfoot", "th", "thead", "tr", "ul", "xmp", "isindex", "marquee", "multicol",
     "dialog")
)  # fmt: skip
"""Elements that begin a block; those in neither list are unknown to HTML."""

HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
"""Headings of any level."""

LINES_ONLY: Final = HEADINGS | {"p", "pre"}
"""Elements that hold only lines of text."""

LINES: Final = LINES_ONLY | {
    "li", "td", "th", "dt", "dd", "caption", "figcaption", "summary", "legend", "blockquote",
}  # fmt: skip
"""Elements that hold mostly lines of text."""

HIDDEN_STYLE: Final = re.compile(
    r"(?:^|;|\*/)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE
)
"""Finds in a style the declarations that hide its element."""

NEVER_HIDDEN: Final = frozenset(("html", "body"))
"""Never taken as hidden: a script may show the page later."""

CLASS_CHARS: Final = 1_000
"""So much of a long ``class`` is read."""

# What a look says of an element.
HIDDEN: Final = 1
NUMBERS: Final = 2
COPIES: Final = 4
LINE: Final = 8
KEEPS: Final = 16
ASIDE: Final = 32
CODE: Final = 64
FLOWS: Final = 128
PERMALINK: Final = 256

# A declaration begins the style, or follows another or a comment.
_DECLARED: Final = re.compile(
    r"(?:^|;|\*/)\s*(display|visibility|clip|white-space)\s*:\s*([^;\s][^;]*)"
)
# The groups: out of sight, lines of their own, line breaks kept, within a line.
_STYLES: Final = re.compile(
    r"(display:none|visibility:hidden|clip:rect\(\s*[01](?:px)?[\s,]+[01]p?x?[\s,)])"
    r"|(display:(?:block|flex|grid|table|list-item|flow-root)\b)"
    r"|(white-space:(?:pre|break-spaces)\b)|(display:inline(?![\w-]))"
)
_OF_STYLE: Final = (0, HIDDEN, LINE, KEEPS, FLOWS)
# Few styles name any of these.
_PROPERTIES: Final = ("display", "visibility", "clip", "white-space")
# What any of the classes below holds: three in a hundred values do, and no others are searched.
_TELLING: Final = re.compile(
    r"anchor|a11y|accessib|assistive|blob-|clipboard|code|copy|crayon|d-block|editsec|element-inv"
    r"|gutter|hash[_-]*link|head(?:er|ing)?[_-]*link|highlight|hljs|language-|line[_-]*n"
    r"|lnt?d?(?![\w-])|perma[_-]*link|pretty|screen|secedit|show-for|sr[_-]?only|visually"
    r"|whitespace-pre"
)
STEMS: Final = (
    "anch", "a11y", "acce", "assi", "blob", "clip", "code", "copy", "cray", "d-bl", "edit", "elem",
    "gutt", "hash", "head", "high", "hljs", "lang", "line", "only", "perm", "pret", "scre", "sece",
    "show", "visu", "whit",
)  # fmt: skip
"""Four letters of each mark of classes but ``ln``: what has none of them has no look."""

# By conventions of style sheets: text for screen readers alone, whatever comes before its name,
# unless a wider screen shows it; numbers of lines; buttons that copy code; the names of utilities
# for ``display`` and ``white-space``; links for editors; links of a heading to itself; code.
_CLASSES: Final = re.compile(
    r"(?<![\w-])(?:(?!not-)((?:[\w-]*[_-])?(?<!not-)(?:sr[_-]?only(?!.*:not-sr-only(?<!focus:not-sr-only))"
    r"|visually[_-]?hidden(?:-focusable|-text)?|(?:hidden|hide)-visually|off-?screen"
    r"|screen-?_?readers?(?:[_-](?:text|only))?|hidden-accessible|accessibly-hidden"
    r"|assistive-text|element-invisible|show-for-sr|a11y-(?:hidden|only))(?:__\w+)?)"
    r"|((?:[\w-]*[_-])?(?:line-?_?(?:no|nos|num|nums|number|numbers)|gutter|ln|lnt|lntd|blob-num)"
    r"|hljs-ln-(?!code|line)\w+|(?:crayon|urvanov-syntax-highlighter)-nums?(?:-content)?)"
    r"|([\w-]*(?:copy|clipboard)[\w-]*)|(d-block)|(whitespace-pre(?:-wrap|-line)?|__se_code_view)"
    r"|((?:mw-)?editsection(?:-like)?|secedit)"
    r"|((?:header|heading|head|hash|perma|anchorjs|header-anchor|anchor)-?_?(?:link|anchor)"
    r"|anchor|permalink)|([\w-]*(?:code|highlight|crayon|hljs|prettyprint|blob-wrapper|language-)[\w-]*)"
    r")(?![\w-])"
)
_OF_CLASS: Final = (0, ASIDE, NUMBERS, COPIES, LINE, KEEPS | CODE, HIDDEN, PERMALINK, CODE)
# Signs that stand for a link to a place; of the private ones fonts make icons.
_MARK: Final = re.compile(
    "[\\s#\u00a7\u00b6\u200b\u2060\ufeff\u21a9\u221e\u2693\u26d3\ufe0e\ufe0f\ue000-\uf8ff"
    "\U0001f517\U0001f587\\[\\]()]*"
)
_FORMULA: Final = re.compile(
    r"(?<![^\W_])(?:math|tex|latex|formula|equation)(?![^\W_])", re.IGNORECASE
)
_IN_STYLE: Final = re.compile(r"\{\\(?:display|text)style (.*)\}", re.DOTALL)
_TOKENS: Final = ("mi", "mn", "mo", "mtext", "ms")
_GLYPHS: Final = 50
# A box within so many steps, and with fewer elements.
_NEAR: Final = 3
_MOST_IN_BOX: Final = 10
# No page needs more of a code, or of its numbers, to tell whether it is one.
LOOKED_AT: Final = 2_000
PROSE: Final = frozenset(
    ("p", "h1", "h2", "h3", "h4", "article", "section", "header", "footer", "nav", "aside", "form")
)


@cached_if_short
def hides(style: str) -> bool:
    """Tell whether a style hides its element."""
    lower = style.lower()
    if "none" not in lower and "hidden" not in lower:
        return False
    return any(map(HIDDEN_STYLE.match, _declared(lower)))


def is_hidden(element: etree._Element) -> bool:
    """Tell whether an element's own attributes hide it."""
    if not element.attrib:
        return False
    return element.get("hidden") is not None or hides(element.get("style") or "")


def _declared(style: str) -> list[str]:
    """Return the declarations of a style, ``name:value``, that a browser would apply.

    Of several with one name it applies the last, unless an earlier one is important.
    """
    found: dict[str, str] = {}
    for name, value in _DECLARED.findall(style):
        if "!important" in value or "!important" not in found.get(name, ""):
            found[name] = value
    return [f"{name}:{value}" for name, value in found.items()]


def style_look(element: etree._Element) -> int:
    """Return what the style of an element, and its attribute ``hidden``, say of its look."""
    look = 0 if element.get("hidden") is None else HIDDEN
    return look | look_of(element.get("style") or "")


@lru_cache(maxsize=4096)
def look_of(style: str) -> int:
    """Return what a style says of the look of its element."""
    look, style = 0, style.lower()
    if any(map(style.__contains__, _PROPERTIES)):
        for match in filter(None, map(_STYLES.match, _declared(style))):
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
    texts = (str(text)[:LOOKED_AT] for text in islice(element.itertext(), LOOKED_AT))
    return all(word.isdecimal() for text in texts for word in text.split())


def is_code(element: etree._Element) -> bool:
    """Tell whether preformatted text has no parts of an article: its blocks are lines then."""
    return not any(each.tag in PROSE for each in islice(element.iter(), LOOKED_AT))


def is_permalink(link: etree._Element) -> bool:
    """Tell whether a hyperlink leads to a place of a page and shows nothing but a mark, as "¶"."""
    if "#" not in (link.get("href") or ""):
        return False
    shown = [
        f"{each.text or ''}" * _is_seen(each) + (each.tail or "" if each is not link else "")
        for each in islice(link.iter(), _GLYPHS)
    ]
    return _MARK.fullmatch("".join(shown)) is not None


def _is_seen(element: etree._Element) -> bool:
    is_aside = class_look((element.get("class") or "")[:CLASS_CHARS]) & (ASIDE | HIDDEN)
    return element.tag not in UNSEEN and not is_aside


def is_tool(element: etree._Element) -> bool:
    """Tell whether an element stands in a box of one code alone, as a button beside a ``pre``."""
    for around in islice(element.iterancestors(), _NEAR):
        tags = [child.tag for child in islice(around, _MOST_IN_BOX)]
        if around.tag == "body" or len(tags) == _MOST_IN_BOX or not PROSE.isdisjoint(tags):
            return False
        if "pre" in tags:
            return True
    return False


def is_alone(button: etree._Element) -> bool:
    """Tell whether a paragraph holds buttons alone: they are no line of text."""
    around = button.getparent()
    if around is None or around.tag != "p" or (around.text or "").strip():
        return False
    beside = list(islice(around, _MOST_IN_BOX))
    return len(beside) < _MOST_IN_BOX and all(
        each.tag == "button" and not (each.tail or "").strip() for each in beside
    )


def formula_of(element: etree._Element) -> str:
    """Return what stands for a formula of MathML, or for a picture of one; "" where nothing does.

    Of MathML the alternative text, the annotation in TeX, or its tokens; nothing where the glyphs
    of the formula stand beside it as text.
    """
    if element.tag == "img":
        return _tex(element.get("alt") or "") if _is_formula(element.get("class") or "") else ""
    if style_look(element) & HIDDEN or any(map(_has_glyphs, _beside(element))):
        return ""
    if told := element.get("alttext"):
        return _tex(told)
    for note in element.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and note.text:
            return _tex(note.text)
    return "".join(" ".join((each.text or "").split()) for each in element.iter(*_TOKENS))


@cached_if_short
def _is_formula(names: str) -> bool:
    return _FORMULA.search(names) is not None


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
