"""What commands print, and files that a command is told to write.

A reader of standard output may be gone, as in ``scrapy extract FILE --tables | head -3``, or the
disk behind it may be full.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, CorpusError, StoreError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def for_a_reader() -> Iterator[None]:
    """End the block silently where the reader of standard output is gone.

    Wrap all that a command prints. Standard output is flushed at the end, so that a reader who is
    gone is noticed here and not while Python ends. From then on output goes to the null device.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _to_null_device()


def put(data: bytes) -> None:
    """Write to standard output at once.

    Raises:
        BrokenPipeError: the reader is gone.
        StoreError: it cannot be written, as where a disk is full.
    """
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _to_null_device()
        raise StoreError(f"the output cannot be printed: {error.strerror or error}") from error


def print_line(text: str) -> None:
    """Print text; a character that standard output cannot encode becomes a backslash escape."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(f"{text}\n".encode(encoding, "backslashreplace").decode(encoding))


def print_error(command: str, error: Exception | str) -> None:
    """Print an error of ``scrapy COMMAND`` as one line on standard error."""
    print(f"scrapy {command}: {one_line(error)}", file=sys.stderr)  # noqa: T201 - it prints for commands


def check_target(
    option: str, name: str, advice: str = "give a file in a folder that exists"
) -> None:
    """Refuse a file that cannot be written, before the work is done.

    Args:
        option: the option that names the file.
        name: the name.
        advice: what the error says to do.

    Raises:
        ArgumentError: the name is empty, "-", a folder's, or in a folder that does not exist.
    """
    path = Path(name)
    if name in {"", "-"} or path.is_dir() or not path.absolute().parent.is_dir():
        raise ArgumentError(f"{option} is '{name}'; {advice}")


def write_file(name: str, text: str) -> None:
    """Write a file in UTF-8; half of a surrogate pair becomes "?".

    Raises:
        CorpusError: it cannot be written.
    """
    try:
        Path(name).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise CorpusError(f"{name}: cannot be written ({error.strerror})") from error


def _to_null_device() -> None:
    # What the stream still holds would be flushed once more when Python ends.
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
