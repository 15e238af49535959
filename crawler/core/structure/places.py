"""Where on a page the nodes of its logical structure stand: looked for after the fact."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from crawler.core.structure.lines import Line
from crawler.core.structure.tree import Structure


def blocks_of_nodes(structure: Structure, lines: Sequence[Line]) -> list[range]:
    """Return for each node, in the order of ``walk``, the numbers of the blocks of its own text.

    The texts of a structure are those of the page in order. A node without text has none.

    Args:
        structure: the structure of a page.
        lines: those that it is made of, :func:`~crawler.core.structure.structure.lines_read`.
    """
    blocks = list(dict.fromkeys(line.block for line in lines))
    texts = ["".join(block.text.split()) for block in blocks]
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text))
    whole, at = "".join(texts), 0
    found: list[range] = []
    for node in structure.root.walk():
        text = "".join(node.text.split())
        place = whole.find(text, at) if text else -1
        if place < 0:
            found.append(range(0))
            continue
        at = place + len(text)
        first, last = (bisect_right(starts, each) - 1 for each in (place, at - 1))
        found.append(range(blocks[first].index, blocks[last].index + 1))
    return found
