"""Main text as Markdown: headings, lists, quotes, code, tables, and paragraphs between them.

The form is CommonMark with the pipe tables of GitHub. The text is not changed: without marks and
escapes it is the main text. Links and emphasis within a block are not written, since blocks are
plain text.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crawler.core.page.blocks import Block, Holder

_HEADINGS: Final = {f"h{level}": "#" * level for level in range(1, 7)}
_CODE: Final = frozenset(("pre", "listing", "xmp", "plaintext"))
_CELLS: Final = frozenset(("td", "th"))
_LISTS: Final = frozenset(("ul", "ol", "menu"))
_CONTAINERS: Final = frozenset(("blockquote", "li", *_LISTS))
_ITEM: Final = "li"
# The deepest nesting of quotes and lists that is written; the outer ones are kept.
_DEEPEST: Final = 6
_MOST_NUMBERED: Final = 999_999_999
"""CommonMark takes nine digits before the point of an item."""
_SPECIAL: Final = re.compile(r"[\\`*\[\]<~]|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])")
_AT_START: Final = re.compile(r"(?m)^(?:([-+#>=])|(\d{1,9})([.)]))")
_TICKS: Final = re.compile(r"`+")
_LEAST_ROWS: Final = 2
_LEAST_COLUMNS: Final = 2
_LEAST_FILLED: Final = 0.5


def escape(text: str) -> str:
    r"""Return a text with all marks of Markdown escaped.

    >>> escape("1. [a] *b* snake_case")
    '1\\. \\[a\\] \\*b\\* snake_case'
    """
    text = _SPECIAL.sub(r"\\\g<0>", text)
    return _AT_START.sub(lambda match: _escaped_start(*match.groups()), text)


def _escaped_start(mark: str | None, number: str | None, point: str | None) -> str:
    return f"\\{mark}" if mark else f"{number}\\{point}"


def markdown(blocks: Iterable[Block]) -> str:
    """Return blocks of main text, in order, as Markdown; without a line end after the last."""
    writer = _Writer()
    kept = list(blocks)
    for table, group in groupby(kept, key=writer.table_of):
        cells = list(group)
        rows = _rows(cells) if table is not None else None
        if rows is not None:
            writer.add(cells[0], _pipes(rows))
        else:
            for block in cells:
                writer.add(block, list(_lines(block)))
    return "\n".join(writer.lines)


def _lines(block: Block) -> Iterator[str]:
    """Yield the lines of one block with its own marks, without those of quotes and lists around."""
    if block.tag in _CODE:
        longest = max((len(ticks) for ticks in _TICKS.findall(block.text)), default=0)
        fence = "`" * max(3, longest + 1)
        yield fence
        yield from block.text.split("\n")
        yield fence
    elif block.tag in _HEADINGS:
        yield f"{_HEADINGS[block.tag]} {_heading(block.text)}"
    else:
        lines = escape(block.text).split("\n")
        # A backslash at the end of a line keeps the line break.
        yield from (f"{line}\\" for line in lines[:-1])
        yield lines[-1]


def _heading(text: str) -> str:
    line = escape(" ".join(text.split("\n")))
    # A "#" at the end of a heading would be read as its closing mark.
    return f"{line[:-1]}\\#" if line.endswith("#") and not line.endswith("\\#") else line


def _rows(cells: Sequence[Block]) -> list[list[str]] | None:
    """Return the texts of a table by rows and columns; None where it is no grid of short texts.

    An empty cell has no block: each cell knows its column. Where fewer than half of the places have
    a text the table is a layout.
    """
    rows = [{_column_of(cell): cell.text for cell in row} for _, row in groupby(cells, key=_row_of)]
    columns = {column for row in rows for column in row}
    width = max(columns) + 1
    if len(rows) < _LEAST_ROWS or width < _LEAST_COLUMNS or min(columns) < 0:
        return None
    if sum(map(len, rows)) != len(cells) or len(cells) < _LEAST_FILLED * len(rows) * width:
        return None
    return [[row.get(column, "") for column in range(width)] for row in rows]


def _column_of(cell: Block) -> int:
    return cell.holder.number if cell.holder is not None else -1


def _row_of(cell: Block) -> Holder | None:
    return cell.holder.parent if cell.holder is not None else None


def _pipes(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]


def _cell(text: str) -> str:
    return escape(" ".join(text.split("\n"))).replace("\\|", "|").replace("|", "\\|")


class _Writer:
    """The lines written so far, and the quotes and lists that are open."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: dict[Holder, tuple[Holder, ...]] = {}
        self._begun: set[Holder] = set()
        self._numbers: dict[Holder, int] = {}
        self._widths: dict[Holder, int] = {}
        self._open: tuple[Holder, ...] = ()

    def table_of(self, block: Block) -> Holder | None:
        """Return the table that a block is a cell of; None for any other block."""
        if block.tag not in _CELLS or block.holder is None:
            return None
        row = block.holder.parent
        if row is None or row.tag != "tr":
            return None
        body = row.parent
        if body is not None and body.tag in ("tbody", "thead", "tfoot"):
            body = body.parent
        return body if body is not None and body.tag == "table" else None

    def add(self, block: Block, lines: Sequence[str]) -> None:
        """Write the lines of a block within the quotes and lists that it stands in."""
        around = self._around(block.holder)
        new = [holder for holder in around if holder.tag == _ITEM and holder not in self._begun]
        if self.lines:
            self._space(around, begins_item=bool(new))
        for number, line in enumerate(lines):
            prefix = "".join(self._prefix(around, place) for place in range(len(around)))
            if not number and block.holder is None and block.tag == _ITEM:
                prefix = "- "
            self.lines.append(f"{prefix}{line}".rstrip())
        self._open = around

    def _space(self, around: Sequence[Holder], *, begins_item: bool) -> None:
        """Write an empty line, except between the items of one list."""
        shared = 0
        while shared < min(len(around), len(self._open)) and around[shared] is self._open[shared]:
            shared += 1
        in_one_list = shared > 0 and around[shared - 1].tag in (*_LISTS, _ITEM)
        if not (begins_item and in_one_list):
            prefix = "".join(self._prefix(around, place) for place in range(shared))
            self.lines.append(prefix.rstrip())

    def _prefix(self, around: Sequence[Holder], place: int) -> str:
        """Return the prefix of a line for one of the quotes, lists and items around it."""
        holder = around[place]
        if holder.tag == "blockquote":
            return "> "
        if holder.tag != _ITEM:
            return ""
        if holder in self._begun:
            return " " * self._widths[holder]
        self._begun.add(holder)
        outer = around[place - 1] if place else None
        marker = "- "
        if outer is not None and outer.tag == "ol":
            number = min(self._numbers.get(outer, outer.number), _MOST_NUMBERED)
            self._numbers[outer] = number + 1
            marker = f"{number}. "
        self._widths[holder] = len(marker)
        return marker

    def _around(self, holder: Holder | None) -> tuple[Holder, ...]:
        """Return the quotes, lists and items around a block, outermost first."""
        passed = []
        here = holder
        while here is not None and here not in self._known:
            passed.append(here)
            here = here.parent
        found = self._known[here] if here is not None else ()
        for inner in reversed(passed):
            if inner.tag in _CONTAINERS and len(found) < 2 * _DEEPEST:
                found = (*found, inner)
            self._known[inner] = found
        return found
