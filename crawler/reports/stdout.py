"""What commands print: lines, errors and tables; and files that a command is told to write.

A reader of standard output may be gone, as in ``scrapy extract FILE --tables | head -3``, or the
disk behind it may be full.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from crawler.core.errors import ArgumentError, StoreError, one_line
from crawler.core.wording import harmless, pad_width, width_of, without_secrets
from crawler.store.files import write_whole

# EBADF is that of a stream that was closed before the program began.
_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
_ADVICE: Final = "Free some space there, or write to another file"


def open_closed_streams() -> None:
    """Open the standard streams that the caller has closed (``<&-``, ``>&-``), which Python lacks.

    What is read is empty, and what is written to standard output fails as it would in C.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            is_refused = name == "stdout"
            null = os.open(
                os.devnull, os.O_WRONLY if mode == "w" and not is_refused else os.O_RDONLY
            )
            setattr(sys, name, open(null, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - it stays open


@contextmanager
def for_a_reader() -> Iterator[None]:
    """End the block silently where the reader of standard output is gone.

    Wrap all that a command prints. Standard output is flushed at the end, so that a reader who is
    gone, or a full disk, is noticed here and not while Python ends. From then on output goes to the
    null device.

    Raises:
        StoreError: standard output cannot be written.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _to_null_device()
    except OSError as error:
        # Errors of files that were opened name them.
        if error.errno not in _UNWRITABLE or error.filename is not None:
            raise
        _to_null_device()
        is_closed = error.errno == errno.EBADF
        words = "it is closed" if is_closed else f"{error.strerror}. {_ADVICE}"
        raise StoreError(f"the output cannot be written: {words}") from error


def put(data: bytes) -> None:
    """Write to standard output at once; :func:`for_a_reader` tells what fails."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_line(text: str) -> None:
    """Print text; what standard output cannot encode, or acts on a terminal, is escaped."""
    sys.stdout.write(_escaped_for(sys.stdout, f"{text}\n"))


def _escaped_for(stream: TextIO, text: str) -> str:
    """Escape what a stream cannot encode, and for a terminal what acts on it."""
    encoding = stream.encoding or "utf-8"
    text = harmless(text, colours=True) if stream.isatty() else text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def print_error(command: str, error: Exception | str) -> None:
    """Print an error of ``scrapy COMMAND`` as one line on standard error."""
    print(f"scrapy {command}: {without_secrets(one_line(error))}", file=sys.stderr)  # noqa: T201 - it prints for commands


def check_target(option: str, name: str) -> None:
    """Refuse a file that cannot be written, before the work is done.

    Raises:
        ArgumentError: the name is empty, "-", or a folder's, or a file stands where its folder is
            to be.
    """
    if name in {"", "-"} or Path(name).is_dir():
        raise ArgumentError(f"{option} is '{name}'; give the name of a file")
    for folder in Path(name).absolute().parents:
        if folder.is_file():
            raise ArgumentError(f"{option} is '{name}', and {folder} is a file, not a folder")


def write_file(name: str, text: str) -> None:
    """Write a file in UTF-8, and make its folder where there is none.

    Half of a surrogate pair becomes "?".

    Raises:
        StoreError: it cannot be written, and is as it was.
    """
    write_whole(Path(name), [text.encode("utf-8", "replace")])


def _to_null_device() -> None:
    # What the stream still holds would be flushed once more when Python ends.
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


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

    What the stream cannot encode, or acts on a terminal, becomes a backslash escape.
    """
    lines = [heading]
    for table in tables:
        lines += ["", *table_lines([table.header, *table.rows], align_right=True)]
    stream.write(_escaped_for(stream, "\n".join(lines) + "\n"))


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
