"""The tree that a page becomes: a group tree first, a logical structure tree in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crawler.core.structure.model import GROUP, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ITEM", "Node", "bottom_up", "full_text", "texts"]

ITEM: Final = "#item"
"""Name of a list item, table row or paragraph while its contents are being grouped."""


@dataclass(slots=True, eq=False)
class Node:
    """An element, a piece of ``TEXT``, a ``GROUP``, or an :data:`ITEM` on the way.

    ``text``
        Its own text as it stands on the page, white space folded; of a group its title.
    ``added``
        Whether it is not on the page, and stands here because the model asks for it.
    ``headed``
        Whether its text, or the text of its first child where it has none, is a heading, and what
        follows stands under that.
    """

    name: str
    text: str = ""
    children: list[Node] = field(default_factory=list)
    added: bool = False
    headed: bool = False

    @property
    def is_element(self) -> bool:
        """Whether it is an element of the model."""
        return self.name not in (TEXT, GROUP, ITEM)

    @property
    def title(self) -> str:
        """The heading of what is headed: its own text, or else that of its first child."""
        if not self.headed:
            return ""
        return self.text or (self.children[0].text if self.children else "")

    def walk(self) -> Iterator[Node]:
        """Yield it and all nodes below, depth first: in the order of the page."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


def bottom_up(root: Node) -> list[Node]:
    """Return all nodes of a tree, each after those below it."""
    order = list(root.walk())
    order.reverse()
    return order


def texts(root: Node) -> Iterator[str]:
    """Yield the texts of a tree in the order of the page, empty ones apart."""
    return (node.text for node in root.walk() if node.text)


def full_text(root: Node) -> str:
    """Return all text of a tree, a space between what was apart."""
    return " ".join(texts(root))
