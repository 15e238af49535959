"""A page in the form in which the browser shows it: its tag tree, and nothing that acts.

The browser makes the elements one by one from a list, in a frame without scripts, so that the
frame has the tree that rules see, with the same numbers, whatever a browser would make of the
markup. Nothing of the page is ever parsed by the browser as HTML.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from typing import Any, Final

from lxml import etree

from crawler.core.page.parse import ParsedPage
from crawler.core.wrapper.tree import absolute, fold

_SHOWN: Final = frozenset(
    ("a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote",
     "body", "br", "button", "caption", "center", "cite", "code", "col", "colgroup", "data", "dd",
     "del", "details", "dfn", "dir", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure",
     "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr",
     "html", "i", "img", "input", "ins", "kbd", "label", "legend", "li", "main", "mark", "menu",
     "meter", "nav", "ol", "optgroup", "option", "output", "p", "picture", "pre", "progress", "q",
     "rp", "rt", "ruby", "s", "samp", "search", "section", "select", "small", "span", "strike",
     "strong", "style", "sub", "summary", "sup", "table", "tbody", "td", "textarea", "tfoot", "th",
     "thead", "time", "title", "tr", "tt", "u", "ul", "var", "wbr")
)  # fmt: skip
"""The elements that are shown as what they are; all others are shown as boxes of no meaning."""

_SAFE: Final = frozenset(
    ("align", "alt", "bgcolor", "border", "cellpadding", "cellspacing", "class", "color", "cols",
     "colspan", "dir", "face", "height", "hidden", "id", "lang", "nowrap", "open", "reversed",
     "rows", "rowspan", "size", "start", "style", "title", "type", "valign", "value", "width")
)  # fmt: skip
"""The attributes that an element of the frame has; all others are shown in the tag tree alone."""

# What fetches something in styles; what these leave, the policy of the frame refuses.
_IMPORT: Final = re.compile(r"@import[^;]*;?", re.IGNORECASE)
# One that is not closed goes on to the end, as in browsers.
_URL: Final = re.compile(r"url\(\s*+(?!['\"]?data:)[^)]*+\)?", re.IGNORECASE)
_KINDS: Final = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"}
_NO_INPUTS: Final = frozenset(("file", "hidden", "image", "password"))
_SILENT: Final = frozenset(("script", "template"))
_SPACE: Final = re.compile(r"\s+")
_MOST_CHARS: Final = 4_000

FRAME: Final = b"<!doctype html><html><head></head><body></body></html>"
"""The document of the frame before it is filled."""

QUIRKS: Final = FRAME.removeprefix(b"<!doctype html>")
"""The same for a page without a document type, which browsers show in another way."""


def frame_policy(*, pictures: bool) -> str:
    """Return the content security policy of the frame, which may fetch ``pictures`` or not."""
    remote = " http: https:" if pictures else ""
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:{remote}; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
    )


Saved = Callable[[str], bytes | None]
"""Returns a file that was saved with a page by its relative address, None where there is none."""


def frame_tokens(parsed: ParsedPage, saved: Saved = lambda _: None, *, pictures: bool) -> list[Any]:
    """Return a page as a list of what is made one after the other.

    An element is ``[name, shown as, attributes, attributes of the tag tree alone]``, with styles
    behind these, and 0 ends it.
    A text is itself, and a blank one a list of it. Elements, and texts that are not blank, have the
    numbers of the tag tree, in their order from 0.

    Args:
        parsed: the page.
        saved: returns styles and pictures that were saved with it.
        pictures: whether other pictures have their addresses.
    """
    maker = _Maker(parsed.base_url, saved, pictures=pictures)
    tokens: list[Any] = []
    silent = 0

    def add_text(text: str | None) -> None:
        if text and not silent:
            tokens.append(text if fold(text) else [" " if _SPACE.fullmatch(text) else text])

    for root in parsed.roots:
        for event, element in etree.iterwalk(root, events=("start", "end")):
            name = str(element.tag).lower()
            is_silent = name in _SILENT or name == "style"
            if event == "start":
                tokens.append(maker.element(name, element, is_seen=not silent))
                silent += is_silent
                add_text(element.text)
            else:
                silent -= is_silent
                tokens.append(0)
                add_text(None if element is root else element.tail)
    return tokens


class _Maker:
    """Makes the elements of the frame of one page."""

    def __init__(self, base: str, saved: Saved, *, pictures: bool) -> None:
        self._base = base
        self._saved = saved
        self._pictures = pictures

    def element(self, name: str, element: etree._Element, *, is_seen: bool) -> list[Any]:
        safe: dict[str, str] = {}
        others: dict[str, str] = {}
        for key, value in element.attrib.items():
            lower, kept = str(key).lower(), str(value)[:_MOST_CHARS]
            is_type = lower == "type" and name not in {"ol", "ul", "li", "input", "button"}
            if lower in _SAFE and not is_type:
                safe[lower] = self._style(kept) if lower == "style" else kept
            else:
                others[lower] = kept
        if name == "input" and safe.get("type", "").lower() in _NO_INPUTS:
            others["type"] = safe.pop("type")
        if name == "img" and (source := self._picture(element.get("src") or "")):
            safe["src"] = source
        shown = name if name in _SHOWN else ("" if name in _SILENT else "span")
        css = self._css(name, element) if is_seen else ""
        if css and name == "link":
            shown = "style"
        made = [name, shown if shown != name else 0, safe or 0, others or 0]
        return [*made, css] if css else made

    def _picture(self, address: str) -> str:
        """Return the address of a picture in the frame, empty where it is not shown."""
        if address.startswith("data:image/"):
            return address
        kind = _KINDS.get(address.partition("?")[0].lower().rpartition(".")[2])
        if kind and (body := self._saved(address)) is not None:
            return f"data:image/{kind};base64,{b64encode(body).decode('ascii')}"
        whole = absolute(self._base, address.strip()) if self._pictures and address else ""
        return whole if whole.startswith(("http://", "https://")) else ""

    def _css(self, name: str, element: etree._Element) -> str:
        """Return the styles of an element, those of a file that was saved with the page too."""
        if name == "style":
            return self._style(element.text or "")
        if name == "link" and "stylesheet" in (element.get("rel") or "").lower().split():
            body = self._saved(element.get("href") or "")
            return self._style(body.decode("utf-8", "replace")) if body else ""
        return ""

    def _style(self, css: str) -> str:
        css = _IMPORT.sub("", css)
        return css if self._pictures else _URL.sub("none", css)
