"""Tables of text for terminals, pipes and files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.wording import pad_width, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the first column names the row, the others are numbers or short texts.

    ``title`` is the heading of the first column, ``columns`` are those of the others.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def header(self) -> tuple[str, ...]:
        """The headings of all columns."""
        return (self.title, *self.columns)


def write_tables(heading: str, tables: Sequence[Table], stream: TextIO) -> None:
    """Write a line, and tables below it in aligned columns.

    A character that the stream cannot encode becomes a backslash escape.
    """
    lines = [heading]
    for table in tables:
        lines += ["", *table_lines([table.header, *table.rows], align_right=True)]
    text = "\n".join(lines) + "\n"
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def table_lines(rows: Sequence[Sequence[str]], *, align_right: bool = False) -> Iterator[str]:
    """Yield rows of cells as lines with aligned columns.

    Args:
        rows: the rows, all of the same length, with the headings as the first one.
        align_right: whether all columns but the first are aligned to the right. Otherwise all are
            aligned to the left, and the last one is not filled up.
    """
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        if align_right:
            cells = [pad_width(first, widths[0])]
            cells += [
                " " * (width - width_of(cell)) + cell
                for cell, width in zip(others, widths[1:], strict=True)
            ]
        else:
            cells = [
                pad_width(cell, width) for cell, width in zip((first, *others), widths, strict=True)
            ]
            cells[-1] = cells[-1].rstrip()
        yield "  ".join(cells)
