"""Text nodes: what stands between two tags, the unit of the published methods.

A reader sees blocks (:mod:`crawler.core.page.blocks`); Kim and Kim (2021) and Lee (2009) count and
choose text nodes. Both look at the same tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from crawler.core.page.text import drop_unseen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from crawler.core.page.parse import ParsedPage

__all__ = ["Place", "TextNode", "standing_in", "text_nodes"]

# "All text outside tags and scripts", Lee (2009), M1: style sheets are scripts in this sense.
_NO_TEXT = frozenset(("script", "style"))
# As in the paths of visible blocks.
_NOT_IN_PATHS = frozenset(("tbody",))
_PATH_CHARS = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where text stands: the name of an element, and the place of the element around it.

    Elements of one name in one place share a place, and places share those around them, so that
    a page of many nodes nested deep needs no more room than its tree.

    ``tag``
        Name of the element.
    ``parent``
        Place of the element around it; None for a root.
    ``depth``
        How many elements there are from the root to this one; 1 for a root.
    ``path``
        Their names with ``/`` between, ``tbody`` left out; ends where it has become longer than
        1,000 characters.
    ``in_link``
        Whether one of them is an ``a``.
    """

    tag: str
    parent: Place | None
    depth: int
    path: str
    in_link: bool


@dataclass(frozen=True, slots=True)
class TextNode:
    """One text node that is not blank.

    ``text``
        The text as it is read: white space folded, stripped at both ends, invisible characters
        left out.
    ``place``
        The element it stands in.
    """

    text: str
    place: Place

    @property
    def tags(self) -> tuple[str, ...]:
        """Names of the elements it stands in, from the root to the nearest."""
        names = []
        place: Place | None = self.place
        while place is not None:
            names.append(place.tag)
            place = place.parent
        return tuple(reversed(names))

    @property
    def depth(self) -> int:
        """How many elements it stands in."""
        return self.place.depth

    @property
    def in_link(self) -> bool:
        """Whether it is text of a hyperlink."""
        return self.place.in_link


def text_nodes(parsed: ParsedPage) -> tuple[TextNode, ...]:
    """Return a page's text nodes in document order, those of scripts and style sheets apart."""
    return tuple(node for root in parsed.roots for node in _below(root))


def standing_in(nodes: Sequence[TextNode], names: Collection[str]) -> list[bool]:
    """Tell of each text node whether it stands, at any depth, in an element of these names."""
    known: dict[Place, bool] = {}
    return [_is_in(node.place, names, known) for node in nodes]


def _is_in(place: Place, names: Collection[str], known: dict[Place, bool]) -> bool:
    """Walk outwards to a place of which it is known, and note it for those passed."""
    passed = []
    here: Place | None = place
    while here is not None and here not in known:
        passed.append(here)
        here = here.parent
    found = here is not None and known[here]
    for inner in reversed(passed):
        found = found or inner.tag in names
        known[inner] = found
    return found


def _below(root: etree._Element) -> Iterator[TextNode]:
    places: dict[tuple[Place | None, str], Place] = {}
    stack: list[Place] = []
    skipped = 0
    # Parsed pages nest thousands deep: events need no recursion.
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            here = stack[-1] if stack else None
            place = places.get((here, element.tag))
            if place is None:
                place = places[here, element.tag] = _place(element.tag, here)
            stack.append(place)
            skipped += element.tag in _NO_TEXT
            text = element.text
        else:
            stack.pop()
            skipped -= element.tag in _NO_TEXT
            # The tail of the root itself belongs to nothing.
            text = element.tail if stack else None
        if text and not skipped and (seen := _as_read(text)):
            yield TextNode(seen, stack[-1])


def _place(tag: str, parent: Place | None) -> Place:
    if parent is None:
        return Place(tag, None, 1, tag, tag == "a")
    path = parent.path
    if tag not in _NOT_IN_PATHS and len(path) <= _PATH_CHARS:
        path = f"{path}/{tag}"
    return Place(tag, parent, parent.depth + 1, path, parent.in_link or tag == "a")


def _as_read(text: str) -> str:
    text = " ".join((text if text.isprintable() else drop_unseen(text)).split())
    # Marks of direction alone are nothing to read.
    return text if any(map(str.isprintable, text.replace(" ", ""))) else ""
