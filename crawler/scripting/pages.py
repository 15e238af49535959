"""A page and an output tree in the form in which they are sent to a script: compact JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crawler.core.errors import ArgumentError
from crawler.core.page.text import drop_unseen
from crawler.scripting.forms import NodeArgument, OutputNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.core.wrapper.tree import PageTree
    from crawler.scripting.forms import Argument, Scalar

__all__ = ["MOST_DEPTH", "ScriptPage", "output_rows", "reference", "script_page"]

MOST_DEPTH: Final = 100
"""An output tree is at most this deep; the same stands in ``objects.js``."""

# Whole numbers beyond this are no longer exact in JavaScript (ECMA-262, MAX_SAFE_INTEGER).
_MOST_EXACT: Final = 2**53 - 1


@dataclass(frozen=True, slots=True)
class ScriptPage:
    """A page as scripts get it; made once, it serves any number of scripts.

    ``text``
        JSON: a table of names, a column of each node's name and one of its parent, and what text
        nodes and attributes say.
    ``nodes``
        How many nodes it has.
    """

    text: str
    nodes: int


def script_page(tree: PageTree) -> ScriptPage:
    """Return the form of a page in which it is sent to scripts; nodes keep their numbers."""
    table = {name: number for number, name in enumerate(dict.fromkeys(tree.names))}
    page = {
        "table": list(table),
        "names": [table[name] for name in tree.names],
        "parents": tree.parents,
        "texts": [(number, drop_unseen(tree.raws[number])) for number in tree.runs],
        "attributes": [
            (number, list(element.attrib.items()))
            for number, element in enumerate(tree.elements)
            if element is not None and element.attrib
        ],
    }
    return ScriptPage(json.dumps(page, separators=(",", ":")), len(tree))


def output_rows(root: OutputNode) -> list[tuple[int, str, Scalar | None, list[tuple[str, str]]]]:
    """Return an output tree as rows in document order: depth, name, value, attributes.

    Whole numbers that JavaScript cannot hold exactly become text.

    Raises:
        ArgumentError: the tree is too deep.
    """
    return [
        (depth, node.name, _exact(node.value), list(node.attributes)) for depth, node in _walk(root)
    ]


def _walk(root: OutputNode) -> Iterator[tuple[int, OutputNode]]:
    waiting = [(0, root)]
    while waiting:
        depth, node = waiting.pop()
        if depth > MOST_DEPTH:
            raise ArgumentError(
                f"the output tree is more than {MOST_DEPTH} elements deep; make its schema flatter"
            )
        yield depth, node
        waiting += [(depth + 1, child) for child in reversed(node.children)]


def _exact(value: Scalar | None) -> Scalar | None:
    return str(value) if isinstance(value, int) and abs(value) > _MOST_EXACT else value


def reference(argument: Argument, nodes: int, outputs: int) -> object:
    """Return an argument of ``main`` as it is sent.

    Args:
        argument: see :data:`crawler.scripting.forms.Argument`.
        nodes: how many nodes the page has.
        outputs: how many the output tree has.

    Raises:
        ArgumentError: there is no such node.
    """
    if argument is None:
        return None
    if isinstance(argument, NodeArgument):
        return _node_reference(argument, nodes, outputs)
    return _node_references(argument, nodes, outputs)


def _node_references(
    arguments: Sequence[NodeArgument], nodes: int, outputs: int
) -> list[dict[str, object]]:
    return [_node_reference(argument, nodes, outputs) for argument in arguments]


def _node_reference(argument: NodeArgument, nodes: int, outputs: int) -> dict[str, object]:
    where, size = ("output", outputs) if argument.in_output else ("page", nodes)
    if not 0 <= argument.number < size:
        raise ArgumentError(f"the {where} has no node {argument.number}; it has {size}, from 0 on")
    if not argument.attribute:
        return {where: argument.number}
    return {where: argument.number, "attribute": argument.attribute}
