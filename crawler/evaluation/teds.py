"""TEDS, the similarity of two tables by the edit distance of their trees.

The measure of Zhong, ShafieiBavani and Jimeno Yepes (Image-based Table Recognition, 2020), section
V: 1 less the distance over the nodes of the larger tree. A tree is a table with rows with cells.
Inserting or deleting a node costs 1; so does making one cell another of other spans; cells of the
same spans differ by the edit distance of their texts, over the length of the longer text. As
benchmarks of extraction do, sections of rows are no nodes, and heads are cells as any other. White
space in texts does not count.
"""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from typing import Final

from lxml import etree

from crawler.core.structure.tree import Node
from crawler.core.tables.grid import MAX_COLSPAN, MAX_ROWSPAN, Grid, parse_span
from crawler.evaluation.tree_distance import distance

_MOST_STEPS: Final = 8_000_000
_Label = tuple[str, str]


def tree_of_markup(table: etree._Element) -> Node:
    """Return the tree of a ``table`` element that holds no other."""
    table = deepcopy(table)
    etree.strip_elements(table, "script", "style", with_tail=False)
    rows = [
        [
            _cell("".join(map(str, cell.itertext())), cell.get("colspan"), cell.get("rowspan"))
            for cell in row.iter("td", "th")
        ]
        for row in table.iter("tr")
    ]
    return _table(rows)


def tree_of_grid(grid: Grid) -> Node:
    """Return the tree of a table as it was read."""
    rows: list[list[Node]] = [[] for _ in range(grid.rows)]
    for cell in grid.cells:
        rows[cell.row].append(_cell(cell.text, str(cell.colspan), str(cell.rowspan)))
    return _table(rows)


def teds(one: Node, two: Node) -> float | None:
    """Return how similar two trees are, from 0 to 1; None where they are too large to say."""
    size = max(sum(1 for _ in tree.walk()) for tree in (one, two))
    apart = distance(one, two, lambda node: (node.name, node.text), _rename, _MOST_STEPS)
    return None if apart is None else 1 - apart / size


def _table(rows: list[list[Node]]) -> Node:
    return Node("table", children=[Node("tr", children=cells) for cells in rows if cells])


def _cell(text: str, colspan: str | None, rowspan: str | None) -> Node:
    across, down = parse_span(colspan, MAX_COLSPAN), parse_span(rowspan, MAX_ROWSPAN)
    return Node(f"td {across} {down}", "".join(text.split()))


def _rename(one: _Label, two: _Label) -> float:
    if one[0] != two[0]:
        return 1.0
    return edits(one[1], two[1]) / max(len(one[1]), len(two[1]))


@lru_cache(maxsize=10_000)
def edits(one: str, two: str) -> int:
    """Return how many characters to insert, delete or replace make one text the other.

    >>> edits("kitten", "sitting")
    3
    """
    row = list(range(len(two) + 1))
    for number, own in enumerate(one, start=1):
        above, row = row, [number]
        for place, other in enumerate(two):
            row.append(min(above[place + 1] + 1, row[place] + 1, above[place] + (own != other)))
    return row[-1]
