"""A page as a browser composes it: parts in their places, and hidden text that is to be read.

Declared shadow roots stand in their hosts, and what a host holds in their slots. Parts that React
streams late stand where its script moves them. Text that waits for a reader or a script is shown:
collapsed sections that a browser finds, paragraphs behind a button, and the prose of a page where
most of it is hidden or within ``noscript``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from lxml import etree

from crawler.core.page.elements import HIDDEN_STYLE, NEVER_HIDDEN, UNSEEN, hides, is_hidden
from crawler.core.page.text import DENSE, in_xml
from crawler.core.page.walk import Elements, walk

# HTML reads "</br>" as "<br>" (section 13.2.6.4.7).
_END_OF_BREAK: Final = re.compile(r"</[bB][rR]\b[^<>]{0,20}>")
# libxml2 ends "<pre>" at these, but not within an element of it.
_CODE_OF_PARTS: Final = re.compile(r"(<pre\b[^<>]{0,500}>\s{0,99})(?=<(?:ul|table)\b)")
# React's script moves the hidden part "S:1f" to the template "B:1f", in place of what was shown
# while waiting, or to the template "P:1f" within another part. Where the numbers differ, the call
# of the script tells.
_PLACE: Final = re.compile(r"[BP]:[0-9a-f]{1,8}")
_PART: Final = re.compile(r"S:[0-9a-f]{1,8}")
_SENT: Final = re.compile(r'id="(S:[0-9a-f]{1,8})"')
_MOVE: Final = re.compile(r'\$R[CRS]\("([BPS]:[0-9a-f]{1,8})",\s?"([BPS]:[0-9a-f]{1,8})"')
_WAITING: Final = re.compile(
    r'(<template id="(B:[0-9a-f]{1,8})"></template>)(?:(?!<!--/?\$|<template).)*+<!--/\$-->',
    re.DOTALL,
)
# Letters of prose, those of dense scripts counted three times: of a hidden part, of all such parts
# together, and of a paragraph that one continues; and how many times the shown prose they have.
_LEAST_PROSE: Final = 100
_LEAST_BODY: Final = 300
_LEAST_BEFORE: Final = 60
_TIMES_OTHER: Final = 2
# The elements that a browser attaches a shadow root to, and those of names of their own
# (DOM, "attach a shadow root").
_HOSTS: Final = frozenset(
    ("article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
     "header", "main", "nav", "p", "section", "span")
)  # fmt: skip
_ROOTS: Final = ("shadowrootmode", "shadowroot")
_MODES: Final = ("open", "closed")
# A late part is put in no place deeper than this; browsers' trees are less deep than 512.
_DEEPEST: Final = 512
# How much of an element is looked at, and how far from it.
_LOOKED_AT: Final = 300
_MOST_HIDDEN: Final = 1_000
_NEAR: Final = 4
_MOST_IN_ROW: Final = 60
_BUTTON_ELEMENTS: Final = 6
_BUTTON_WEIGHT: Final = 60
_NOT_PROSE: Final = (UNSEEN - {"noscript", "head"}) | {"a", "button"}
_FIELDS: Final = ("input", "textarea", "select", "form", "iframe")
_BODIES: Final = ("article", "main", "h1")
_LISTS: Final = ("ul", "ol", "table")


def prepare(text: str) -> str:
    """Return markup with what the parser would lose written so that it does not."""
    text = _CODE_OF_PARTS.sub(r"\1<code>", _END_OF_BREAK.sub("<br>", text))
    if 'id="B:' in text:
        sent, moves = set(_SENT.findall(text)), _moves(text)
        text = _WAITING.sub(
            lambda match: match[1] if _part_for(match[2], moves) in sent else match[0], text
        )
    return text


def compose(elements: Elements, text: str) -> Elements:
    """Put the parts of a page in their places, and show the hidden text that is to be read.

    Args:
        elements: the page as parsed; its tree is changed.
        text: the markup that it was parsed from.

    Returns:
        The elements of the page as it is then.
    """
    root = elements.nodes[0]
    if _has_shadow_roots(elements) and _fill_hosts(root):
        elements = walk(root)
    hidden = [elements.nodes[number] for number in elements.values["hidden"] if number]
    parts = {name: part for part in hidden if _PART.fullmatch(name := part.get("id") or "")}
    if parts:
        _move_late_parts(root, parts, _moves(text))
        elements = walk(root)
        hidden = [element for element in hidden if "hidden" in element.attrib]
    if outermost := _outermost_hidden(elements, hidden):
        waiting = [element for element in outermost if _waits(element)]
        shown = (*waiting, *_bodies(root, outermost))
        for element in shown:
            _show(element)
        elements = walk(root) if shown else elements
    return elements


def _has_shadow_roots(elements: Elements) -> bool:
    """Tell whether any template may be that of a shadow root."""
    return any(
        any(name in elements.names[number] for name in _ROOTS)
        for number in elements.numbers_of(("template",))
    )


def _fill_hosts(root: etree._Element) -> bool:
    """Fill the hosts of shadow roots: of each the first root counts, as in browsers.

    Tells whether there are any.
    """
    found: dict[etree._Element, tuple[etree._Element, dict[str, etree._Element]]] = {}
    opened: list[tuple[etree._Element, dict[str, etree._Element]]] = []
    for event, element in etree.iterwalk(root, events=("start", "end"), tag=("template", "slot")):
        if element.tag == "template":
            if event == "start":
                opened.append((element, {}))
                continue
            template, slots = opened.pop()
            host = template.getparent()
            mode = next(filter(None, map(template.get, _ROOTS)), "")
            if host is not None and mode.lower() in _MODES and _may_be_host(host):
                found.setdefault(host, (template, slots))
        elif event == "start" and opened:
            opened[-1][1].setdefault(element.get("name") or "", element)
    # The inner ones come first: their slots are filled before they are themselves put in slots.
    for host, (template, slots) in found.items():
        _fill_host(host, template, slots)
    return bool(found)


def _may_be_host(element: etree._Element) -> bool:
    return element.tag in _HOSTS or "-" in element.tag


def _fill_host(
    host: etree._Element, template: etree._Element, slots: dict[str, etree._Element]
) -> None:
    """Put what a shadow root holds in its host, and what the host held in the root's slots."""
    for slot in slots.values():
        slot.tag = "span"
    filled: set[etree._Element] = set()
    children = list(host)
    own = slots.get("")
    loose = [host.text, *(child.tail for child in children)]
    for text, child in zip(loose, (None, *children), strict=True):
        if child is not None and child is not template:
            child.tail = None
            _put(child, slots.get(child.get("slot") or ""), filled)
        if text and (not text.isspace() or own in filled):
            piece = host.makeelement("span")
            piece.text = in_xml(text)
            _put(piece, own, filled)
    content = list(template)
    for left in list(host):
        host.remove(left)
    host.text = in_xml(template.text or "") or None
    host.extend(content)


def _put(given: etree._Element, slot: etree._Element | None, filled: set[etree._Element]) -> None:
    """Add an element to a slot; what the slot held for want of it goes."""
    if slot is None:
        return
    if slot not in filled:
        filled.add(slot)
        slot.text = None
        for child in list(slot):
            slot.remove(child)
    slot.append(given)


def _moves(text: str) -> dict[str, str]:
    """Return which part goes to which place, where the script says so."""
    pairs = _MOVE.findall(text)
    return dict(pair[::-1] if pair[0][0] == "S" else pair for pair in pairs)


def _part_for(place: str, moves: dict[str, str]) -> str:
    return moves.get(place, f"S{place[1:]}")


def _move_late_parts(
    root: etree._Element, parts: dict[str, etree._Element], moves: dict[str, str]
) -> None:
    """Move each late part to its place; one without a place is shown where it stands."""
    for late in parts.values():
        del late.attrib["hidden"]
    for template in list(root.iter("template")):
        name = template.get("id") or ""
        place = template.getparent()
        if place is None or not _PLACE.fullmatch(name):
            continue
        # Each part is tried once: at the first place that waits for it.
        part = parts.pop(_part_for(name, moves), None)
        above = list(islice(template.iterancestors(), _DEEPEST if part is not None else 0))
        if part is None or part in above or len(above) == _DEEPEST:
            continue
        # The content of the part goes there without it, and text that follows it stays.
        left = root.makeelement("template")
        part.addprevious(left)
        tails = [in_xml(each.tail or "") or None for each in (part, template)]
        left.tail, part.tail = tails
        part.tag = "span"
        place.replace(template, part)


def _outermost_hidden(elements: Elements, hidden: Iterable[etree._Element]) -> list[etree._Element]:
    """Return the outermost elements that are hidden.

    Args:
        elements: those of the page.
        hidden: those that have the attribute ``hidden``.
    """
    found = dict.fromkeys(islice(elements.called(("noscript",)), _MOST_HIDDEN))
    found |= dict.fromkeys(islice(hidden, _MOST_HIDDEN))
    styles = elements.values["style"].items()
    found |= {elements.nodes[number]: None for number, style in styles if number and hides(style)}
    return [
        element
        for element in islice(found, _MOST_HIDDEN)
        if element.tag not in NEVER_HIDDEN
        and not any(
            above in found and above.tag not in NEVER_HIDDEN for above in element.iterancestors()
        )
    ]


def _waits(element: etree._Element) -> bool:
    """Tell whether a browser shows an element when it finds something there, or at a click."""
    if (element.get("hidden") or "").lower() == "until-found":
        return True
    # What is rare and cheap to find out is asked first, how much text there is last.
    if element.tag == "noscript" or not _follows_prose(element):
        return False
    if next(element.iter(*_FIELDS), None) is not None or _weight_of(element) < _LEAST_PROSE:
        return False
    return any(_is_button(near) for near in _after(element)) or any(
        _is_button(near) for near in islice(element.itersiblings(preceding=True), 1)
    )


def _follows_prose(element: etree._Element) -> bool:
    """Tell whether a shown paragraph, or text of the same paragraph, stands before an element."""
    around = element.getparent()
    if around is not None and around.tag == "p":
        return _weight(around.text or "") >= _LEAST_BEFORE
    before = islice(element.itersiblings(preceding=True), _MOST_IN_ROW)
    shown = (near for near in before if not is_hidden(near))
    return any(
        near.tag == "p" and _weight_of(near) >= _LEAST_BEFORE for near in islice(shown, _NEAR)
    )


def _after(element: etree._Element) -> Iterator[etree._Element]:
    """Yield what is shown next: behind the hidden ones that follow an element, or behind all."""
    for near in islice(element.itersiblings(), _MOST_IN_ROW):
        if not is_hidden(near):
            yield near
            return
    around = element.getparent()
    if around is not None:
        yield from islice(around.itersiblings(), 1)


def _is_button(element: etree._Element) -> bool:
    """Tell whether an element is, or wraps, no more than a button or a link within the page."""
    inside = list(islice(element.iter(), _BUTTON_ELEMENTS + 1))
    if len(inside) > _BUTTON_ELEMENTS or _weight_of(element) > _BUTTON_WEIGHT:
        return False
    for each in inside:
        href = (each.get("href") or "#").strip().lower()
        is_link = each.tag == "a" and href.startswith(("#", "javascript:"))
        if is_link or each.tag in ("button", "label") or each.get("role") == "button":
            return True
        if each.get("onclick") is not None or each.get("aria-controls") is not None:
            return True
    return False


def _bodies(root: etree._Element, hidden: Sequence[etree._Element]) -> Iterable[etree._Element]:
    """Return the hidden elements that hold the page's prose, where it shows little other."""
    counts = {element: sum(_prose(element)) for element in hidden if _may_be_body(element)}
    found = [element for element, count in counts.items() if count >= _LEAST_PROSE]
    rest = sum(counts[element] for element in found)
    if rest < _LEAST_BODY:
        return ()
    for shown in _prose(root, frozenset(hidden)):
        rest -= _TIMES_OTHER * shown
        if rest < 0:
            return ()
    return found


def _prose(root: etree._Element, apart: Collection[etree._Element] = frozenset()) -> Iterator[int]:
    """Yield how many letters the texts of an element have that may be prose.

    Args:
        root: the element.
        apart: elements below it that are left out.
    """
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            if element is not root and element.tail:
                yield _weight(element.tail)
        elif element.tag in _NOT_PROSE or element in apart:
            walk.skip_subtree()
        elif element.text:
            yield _weight(element.text)


def _may_be_body(element: etree._Element) -> bool:
    """Tell whether an element may wait for a script with the text of the page.

    ``visibility`` tells so; ``display`` does with a heading alone; and ``noscript`` unless it is a
    gallery or another list.
    """
    if element.tag == "noscript":
        is_list = next(element.iter(*_LISTS), None) is not None
        may_be = not is_list or next(element.iter(*_BODIES, "p"), None) is not None
    else:
        is_late = "visibility" in (element.get("style") or "").lower()
        may_be = is_late or next(element.iter(*_BODIES), None) is not None
    return may_be and _weight_of(element) >= _LEAST_PROSE


def _weight_of(element: etree._Element) -> int:
    """Return how many letters an element has, at its beginning at least."""
    return sum(
        _weight(each.text or "") + (_weight(each.tail or "") if each is not element else 0)
        for each in islice(element.iter(), _LOOKED_AT)
        if each.tag not in ("script", "style")
    )


def _weight(text: str) -> int:
    text = text.strip()
    return len(text) if text.isascii() else len(text) + 2 * len(DENSE.findall(text))


def _show(element: etree._Element) -> None:
    if element.tag == "noscript":
        element.tag = "div"
    if "hidden" in element.attrib:
        del element.attrib["hidden"]
    if style := element.get("style"):
        element.set("style", HIDDEN_STYLE.sub("", style))
