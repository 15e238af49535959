"""Text nodes: what stands between two tags, the unit of the published methods.

A reader sees blocks (:mod:`crawler.core.blocks`); Kim and Kim (2021) and Lee (2009) count and
choose text nodes. Both look at the same tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.parse import ParsedPage

__all__ = ["TextNode", "text_nodes"]

# "All text outside tags and scripts", Lee (2009), M1: style sheets are scripts in this sense.
_NO_TEXT = frozenset(("script", "style"))


@dataclass(frozen=True, slots=True)
class TextNode:
    """One text node that is not blank.

    ``text``
        The text, stripped of white space at both ends.
    ``tags``
        Names of the elements it stands in, from the root to the nearest.
    """

    text: str
    tags: tuple[str, ...]

    @property
    def depth(self) -> int:
        """How many elements it stands in."""
        return len(self.tags)

    @property
    def in_link(self) -> bool:
        """Whether it is text of a hyperlink."""
        return "a" in self.tags


def text_nodes(parsed: ParsedPage) -> tuple[TextNode, ...]:
    """Return a page's text nodes in document order, those of scripts and style sheets apart."""
    return tuple(node for root in parsed.roots for node in _below(root))


def _below(root: etree._Element) -> Iterator[TextNode]:
    tags: list[str] = []
    skipped = 0
    # Parsed pages nest thousands deep: events need no recursion.
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            tags.append(element.tag)
            skipped += element.tag in _NO_TEXT
            text = element.text
        else:
            tags.pop()
            skipped -= element.tag in _NO_TEXT
            # The tail of the root itself belongs to nothing.
            text = element.tail if tags else None
        if text and not skipped and (stripped := text.strip()):
            yield TextNode(stripped, tuple(tags))
