"""Where on a page the nodes of its logical structure stand: looked for after the fact."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.core.page.places import in_order
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
    found = in_order(
        [block.text for block in blocks], [each.text for each in structure.root.walk()]
    )
    return [
        range(blocks[its[0]].index, blocks[its[-1]].index + 1) if its else range(0) for its in found
    ]
