"""Main text as Markdown: headings, lists, quotes, code, tables, and paragraphs between them.

The form is CommonMark with the pipe tables of GitHub. The text is not changed: without marks and
escapes it is the main text. Links and emphasis within a block are not written, since blocks are
plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

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
# A backslash before a mark, an entity, a tag, the end of a link's text.
_SPECIAL: Final = re.compile(
    r"\\(?=[!-/:-@\[-`{-~\n])|&(?=#[0-9]{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]*;)"
    r"|<(?=[A-Za-z/!?])|\](?=\()"
)
_RUN: Final = re.compile(r"\*+|_+|`+|~~+")
# At the start of a line: list items, headings, quotes, fences, link definitions, lines that consist
# of marks. Before the last group a backslash goes.
_AT_START: Final = re.compile(
    r"(?m)^(?:(\d{1,9})(?=[.)](?:\s|\Z))|(?=[-+*](?:\s|\Z)|#{1,6}(?:\s|\Z)|>|```|~~~|\[[^\]\n]+\]:"
    r"|\[[ xX]\]\s|=+ *$|(?=.*-)[-:| ]+$|(?:_ *){3,}$|(?:\* *){3,}$))"
)
_CLOSING: Final = re.compile(r"(?:^|\s)#+$")
_TICKS: Final = re.compile(r"`+")
_LEAST_ROWS: Final = 2
_LEAST_COLUMNS: Final = 2
_LEAST_FILLED: Final = 0.5


def escape(text: str) -> str:
    r"""Return the text of a paragraph with all that CommonMark would take for a mark escaped.

    >>> escape("1. [a](b) *b* snake_case 2 * 3")
    '1\\. [a\\](b) \\*b\\* snake_case 2 * 3'
    """
    return _AT_START.sub(_backslash, _escape_inline(text))


def _backslash(match: re.Match[str]) -> str:
    return f"{match[1] or ''}\\"


def _escape_inline(text: str) -> str:
    """Escape what is a mark anywhere in a line."""
    places = {match.start() for match in _SPECIAL.finditer(text)}
    places.update(place for run in _special_runs(text) for place in range(*run))
    if not places:
        return text
    return "".join(f"\\{mark}" if at in places else mark for at, mark in enumerate(text))


def _special_runs(text: str) -> list[tuple[int, int]]:
    """Return where the runs of ``*``, ``_``, ``~~`` and backticks are that would mark a passage.

    One opens only where a later one closes: what a space follows opens nothing, and what a space
    precedes closes nothing. A line's end counts for no space, since a backslash is put there.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    opened: set[str] = set()
    closed: set[str] = set()
    for match in _RUN.finditer(text):
        mark, start, end = match[0][0], match.start(), match.end()
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        opens, closes = after == "\n" or not after.isspace(), not before.isspace()
        if mark == "`":
            opens = closes = True
        elif mark == "_" and before.isalnum() and after.isalnum():
            continue
        if closes and mark in opened:
            closed.add(mark)
        if opens:
            opened.add(mark)
        if opens or closes:
            found.setdefault(mark, []).append((start, end))
    return [run for mark in closed for run in found[mark]]


def markdown(blocks: Iterable[Block]) -> str:
    """Return blocks of main text, in order, as Markdown; without a line end after the last."""
    writer = _Writer()
    for table, group in groupby(blocks, key=_table_of):
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
    line = _escape_inline(" ".join(text.split("\n")))
    # A "#" at the end of a heading would be read as its closing mark.
    return f"{line[:-1]}\\#" if _CLOSING.search(line) else line


def _rows(cells: Sequence[Block]) -> list[list[str]] | None:
    """Return the texts of a table by rows and columns; None where it is no grid of short texts.

    An empty cell has no block: each cell knows its column. Where fewer than half of the places have
    a text the table is a layout.
    """
    pairs = [(cell.holder, cell.text) for cell in cells if cell.holder is not None]
    rows = [
        {holder.number: text for holder, text in row}
        for _, row in groupby(pairs, key=lambda pair: pair[0].parent)
    ]
    columns = {column for row in rows for column in row}
    width = max(columns) + 1
    if len(rows) < _LEAST_ROWS or width < _LEAST_COLUMNS or min(columns) < 0:
        return None
    if sum(map(len, rows)) != len(cells) or len(cells) < _LEAST_FILLED * len(rows) * width:
        return None
    return [[row.get(column, "") for column in range(width)] for row in rows]


def _table_of(block: Block) -> Holder | None:
    """Return the table that a block is a cell of; None for any other block."""
    row = block.holder.parent if block.holder is not None and block.tag in _CELLS else None
    body = row.parent if row is not None and row.tag == "tr" else None
    if body is not None and body.tag in ("tbody", "thead", "tfoot"):
        body = body.parent
    return body if body is not None and body.tag == "table" else None


def _pipes(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]


def _cell(text: str) -> str:
    return _escape_inline(" ".join(text.split("\n"))).replace("|", "\\|")


class _Writer:
    """The lines written so far, and the quotes and lists that are open."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: dict[Holder, tuple[Holder, ...]] = {}
        self._open: tuple[Holder, ...] = ()
        # Of each item that has begun how wide its marker is, and of each list its next number.
        self._widths: dict[Holder, int] = {}
        self._numbers: dict[Holder, int] = {}

    def add(self, block: Block, lines: Sequence[str]) -> None:
        """Write the lines of a block within the quotes and lists that it stands in."""
        around = self._around(block.holder)
        shared = [
            holder for holder, before in zip(around, self._open, strict=False) if holder is before
        ]
        in_one_list = bool(shared) and shared[-1].tag in (*_LISTS, _ITEM)
        begins = any(holder.tag == _ITEM and holder not in self._widths for holder in around)
        # An empty line parts blocks, except the items of one list.
        if self.lines and not (begins and in_one_list):
            self.lines.append(self._prefix(shared).rstrip())
        for number, line in enumerate(lines):
            prefix = self._prefix(around)
            if not number and block.holder is None and block.tag == _ITEM:
                prefix = "- "
            self.lines.append(f"{prefix}{line}".rstrip())
        self._open = around

    def _prefix(self, around: Sequence[Holder]) -> str:
        """Return the prefix of a line within quotes, lists and items; new items begin with it."""
        prefix = ""
        for outer, holder in zip((None, *around), around, strict=False):
            if holder.tag == "blockquote":
                prefix += "> "
            elif holder in self._widths:
                prefix += " " * self._widths[holder]
            elif holder.tag == _ITEM:
                marker = "- "
                if outer is not None and outer.tag == "ol":
                    number = min(self._numbers.get(outer, outer.number), _MOST_NUMBERED)
                    self._numbers[outer] = number + 1
                    marker = f"{number}. "
                self._widths[holder] = len(marker)
                prefix += marker
        return prefix

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
