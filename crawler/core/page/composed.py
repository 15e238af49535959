"""A page as a browser composes it: parts in their places, and hidden text that is to be read.

Declared shadow roots stand in their hosts, and what a host holds in their slots. Parts that React
streams late stand where its script moves them. Text that waits for a reader or a script is shown:
collapsed sections that a browser finds, paragraphs behind a button, and the prose of a page where
most of it is hidden or within ``noscript``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from lxml import etree

from crawler.core.page.elements import HIDDEN_STYLE, UNSEEN
from crawler.core.page.text import DENSE

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
# Letters of prose, those of dense scripts counted three times.
_LEAST_PROSE: Final = 100
_LEAST_BODY: Final = 300
_LEAST_BEFORE: Final = 60
_TIMES_OTHER: Final = 2
# How much of an element is looked at, and how far from it.
_LOOKED_AT: Final = 300
_MOST_HIDDEN: Final = 1_000
_NEAR: Final = 4
_MOST_IN_ROW: Final = 60
_BUTTON_ELEMENTS: Final = 6
_BUTTON_WEIGHT: Final = 60
_HIDDEN: Final = etree.XPath(
    "descendant::noscript|descendant::*[@hidden or @style["
    "contains(translate(.,'HIDENO','hideno'),'hidden')"
    " or contains(translate(.,'HIDENO','hideno'),'none')]]"
)
_NEVER_HIDDEN: Final = frozenset(("html", "body"))
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


def compose(root: etree._Element, text: str) -> None:
    """Put the parts of a page in their places, and show the hidden text that is to be read.

    Args:
        root: the page as parsed; it is changed.
        text: the markup that it was parsed from.
    """
    if next(root.iter("template"), None) is not None:
        _fill_hosts(root)
    if 'id="S:' in text:
        _move_late_parts(root, _moves(text))
    if hidden := _outermost_hidden(root):
        waiting = [element for element in hidden if _waits(element)]
        for element in (*waiting, *_bodies(root, hidden)):
            _show(element)


def _fill_hosts(root: etree._Element) -> None:
    found: list[tuple[etree._Element, dict[str, etree._Element]]] = []
    opened: list[tuple[etree._Element, dict[str, etree._Element]]] = []
    for event, element in etree.iterwalk(root, events=("start", "end"), tag=("template", "slot")):
        if element.tag == "template":
            if event == "start":
                opened.append((element, {}))
            else:
                found.append(opened.pop())
        elif event == "start" and opened:
            opened[-1][1].setdefault(element.get("name") or "", element)
    # The inner ones come first: their slots are filled before they are themselves put in slots.
    for template, slots in found:
        if template.get("shadowrootmode") or template.get("shadowroot"):
            _fill_host(template, slots)


def _fill_host(template: etree._Element, slots: dict[str, etree._Element]) -> None:
    """Put what a shadow root holds in its host, and what the host held in the root's slots."""
    host = template.getparent()
    if host is None:
        return
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
            _put(text, own, filled)
    content = list(template)
    for left in list(host):
        host.remove(left)
    host.text = template.text
    host.extend(content)


def _put(
    given: etree._Element | str, slot: etree._Element | None, filled: set[etree._Element]
) -> None:
    """Add something to a slot; what the slot held for want of it goes."""
    if slot is None:
        return
    if slot not in filled:
        filled.add(slot)
        slot.text = None
        for child in list(slot):
            slot.remove(child)
    if isinstance(given, str):
        _append_text(slot, given)
    else:
        slot.append(given)


def _append_text(element: etree._Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _moves(text: str) -> dict[str, str]:
    """Return which part goes to which place, where the script says so."""
    pairs = _MOVE.findall(text)
    return dict(pair[::-1] if pair[0][0] == "S" else pair for pair in pairs)


def _part_for(place: str, moves: dict[str, str]) -> str:
    return moves.get(place, f"S{place[1:]}")


def _move_late_parts(root: etree._Element, moves: dict[str, str]) -> None:
    """Move each late part to its place; one without a place is shown where it stands."""
    parts = {
        name: part
        for part in root.iterfind(".//*[@hidden]")
        if _PART.fullmatch(name := part.get("id") or "")
    }
    for late in parts.values():
        del late.attrib["hidden"]
    for template in list(root.iter("template")):
        name = template.get("id") or ""
        place, part = template.getparent(), parts.get(_part_for(name, moves))
        if place is None or part is None or not _PLACE.fullmatch(name):
            continue
        if any(above is part for above in template.iterancestors()):
            continue
        del parts[_part_for(name, moves)]
        before, around = part.getprevious(), part.getparent()
        if part.tail and before is not None:
            before.tail = (before.tail or "") + part.tail
        elif part.tail and around is not None:
            around.text = (around.text or "") + part.tail
        # Its content goes there without it.
        part.tag, part.tail = "span", template.tail
        place.replace(template, part)


def _outermost_hidden(root: etree._Element) -> list[etree._Element]:
    found: dict[etree._Element, None] = {}
    candidates: Any = _HIDDEN(root)
    for element in candidates[:_MOST_HIDDEN]:
        if (
            element.tag not in _NEVER_HIDDEN
            and (element.tag == "noscript" or _is_hidden(element))
            and not any(above in found for above in element.iterancestors())
        ):
            found[element] = None
    return list(found)


def _is_hidden(element: etree._Element) -> bool:
    style = element.get("style")
    return element.get("hidden") is not None or (
        style is not None and HIDDEN_STYLE.search(style) is not None
    )


def _waits(element: etree._Element) -> bool:
    """Tell whether a browser shows an element when it finds something there, or at a click."""
    if (element.get("hidden") or "").lower() == "until-found":
        return True
    if element.tag == "noscript" or _weight_of(element) < _LEAST_PROSE:
        return False
    if next(element.iter(*_FIELDS), None) is not None or not _follows_prose(element):
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
    shown = (near for near in before if not _is_hidden(near))
    return any(
        near.tag == "p" and _weight_of(near) >= _LEAST_BEFORE for near in islice(shown, _NEAR)
    )


def _after(element: etree._Element) -> Iterator[etree._Element]:
    """Yield what is shown next: behind the hidden ones that follow an element, or behind all."""
    for near in islice(element.itersiblings(), _MOST_IN_ROW):
        if not _is_hidden(near):
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
    if not any(map(_may_be_body, hidden)):
        return ()
    counts: Counter[etree._Element | None] = Counter()
    area: etree._Element | None = None
    areas = set(hidden)
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            area = element if area is None and element in areas else area
            if element.tag in _NOT_PROSE:
                walk.skip_subtree()
            elif element.text:
                counts[area] += _weight(element.text)
        else:
            area = None if element is area else area
            if element.tail:
                counts[area] += _weight(element.tail)
    found = [each for each in hidden if counts[each] >= _LEAST_PROSE and _may_be_body(each)]
    least = max(_LEAST_BODY, _TIMES_OTHER * counts[None])
    return found if sum(counts[each] for each in found) >= least else ()


def _may_be_body(element: etree._Element) -> bool:
    """Tell whether an element may wait for a script with the text of the page.

    ``visibility`` tells so; ``display`` does with a heading alone; and ``noscript`` unless it is a
    gallery or another list.
    """
    if _weight_of(element) < _LEAST_PROSE:
        return False
    if element.tag == "noscript":
        is_list = next(element.iter(*_LISTS), None) is not None
        return not is_list or next(element.iter(*_BODIES, "p"), None) is not None
    is_late = "visibility" in (element.get("style") or "").lower()
    return is_late or next(element.iter(*_BODIES), None) is not None


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
