"""The method of the paper as published: Lee and Lee (2004), section 4.

Visual groups by the visual tags of its table 3, elements by keywords below what their group is,
logical grouping, patterns last.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crawler.core.structure.grouping import GroupTree, group_logically
from crawler.core.structure.keywords import Keywords
from crawler.core.structure.lines import lines_of
from crawler.core.structure.model import GROUP, TEXT
from crawler.core.structure.tokens import apply_patterns
from crawler.core.structure.tree import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.page.page import Document
    from crawler.core.structure.lines import Line
    from crawler.core.structure.model import Model

_LAST_RANK: Final = 4
_TOKEN: Final = re.compile(r"[^;,:]*+[;,:]*+")
# The size of <font> that letters of h1 to h4 have: 2, 1.5, 1.17 and 1 em (HTML, section 15.3).
_RANK_OF_FONT: Final = {7: 1, 6: 1, 5: 2, 4: 3, 3: 4}
_RANKED_TAGS: Final = frozenset(("p", "dt"))


def build_as_published(document: Document, model: Model, main: frozenset[int] | None) -> Node:
    """Return the logical structure tree of a page.

    The paper reads all of a page: ``main``, the blocks of its main text, is not used.
    """
    del main
    root = Node(model.root)
    groups = GroupTree(root)
    for line in lines_of(document.parsed):
        if (rank := _rank(line)) is not None:
            groups.heading(line.text, rank)
        else:
            groups.text(line.text, line.item)
    _identify(root, model)
    group_logically(root, model)
    apply_patterns(root, model)
    group_logically(root, model)
    return root


def _rank(line: Line) -> int | None:
    """Return the rank of a visual tag by table 3, 1 to 4; None for what is none."""
    if line.level:
        # h5 and h6 are not in the table, nor is any other markup of headings.
        return line.level if line.tag in ("h1", "h2", "h3", "h4") else None
    style = line.style
    stands_out = style.bold or style.underlined or line.tag == "dt"
    if style.font:
        ranked = stands_out or line.tag in _RANKED_TAGS
        return _RANK_OF_FONT.get(style.font) if ranked else None
    return _LAST_RANK if stands_out and line.tag != "th" else None


def _identify(root: Node, model: Model) -> None:
    """Name groups and tokens, from the outside in."""
    keywords = Keywords(model, fuzzy=False)
    # With each node, the elements that may be below it; outside of any named group all may.
    waiting = [(root, frozenset(model.names) - {model.root})]
    while waiting:
        node, allowed = waiting.pop()
        children: list[Node] = []
        for child in node.children:
            if child.name == TEXT:
                children += _tokens(child.text, keywords, allowed)
                continue
            inside = allowed
            if child.name == GROUP and (name := _element(child.text, keywords, allowed)):
                child.name = name
                inside = model.below(name)
            children.append(child)
            waiting.append((child, inside))
        node.children = children


def _tokens(text: str, keywords: Keywords, allowed: frozenset[str]) -> Iterator[Node]:
    for match in _TOKEN.finditer(text):
        token = match[0].strip()
        if token:
            yield Node(_element(token, keywords, allowed) or TEXT, token)


def _element(token: str, keywords: Keywords, allowed: frozenset[str]) -> str | None:
    """Return the one element of a token: of two, the one that the other qualifies."""
    chosen: tuple[str, int] | None = None
    for hit in keywords.hits(token):
        name = next((name for name in hit.elements if name in allowed), None)
        if name is None:
            continue
        between = token[chosen[1] : hit.start].strip() if chosen else ""
        if not between:
            # "Boston University", "Assistant Professor": what is before qualifies.
            chosen = name, hit.end
        elif between != "of":
            break
        # "University of Boston": what is behind "of" qualifies.
    return chosen[0] if chosen else None
