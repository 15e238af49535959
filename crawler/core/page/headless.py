"""What a page says in its head and does not belong there.

HTML lets a page leave out ``<body>``; a browser opens it at the first element that is none of the
head's. libxml2 knows the elements of HTML 4 alone and goes on in the head at ``<main>`` or
``<article>``, where nobody would look for text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

__all__ = ["open_body"]

_OF_THE_HEAD = frozenset(
    ("title", "base", "link", "meta", "style", "script", "noscript", "template", "bgsound",
     "basefont", "object")
)  # fmt: skip


def open_body(root: etree._Element) -> None:
    """Move what stands in the head and belongs to the body there, in place and in order."""
    head = root.find("head")
    if head is None:
        return
    stray = next((child for child in head if child.tag not in _OF_THE_HEAD), None)
    if stray is None:
        return
    moved = [stray, *stray.itersiblings()]
    body = root.find("body")
    if body is None:
        body = root.makeelement("body")
        head.addnext(body)
    for place, element in enumerate(moved):
        body.insert(place, element)  # its tail goes with it
    # Text that the body began with now follows what was put before it.
    if body.text:
        moved[-1].tail = (moved[-1].tail or "") + body.text
        body.text = None
