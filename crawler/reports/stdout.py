"""Standard output that takes no more: its reader has gone, or the disk behind it is full.

``scrapy extract FILE --tables | head -3`` is an example of the first.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from crawler.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["for_a_reader", "put"]


@contextmanager
def for_a_reader() -> Iterator[None]:
    """Leave the rest unsaid where nobody reads on: what was printed was enough.

    Wrap all that a command prints. Standard output is flushed at the end, so that a reader who has
    gone is noticed here and not while Python ends. From then on it goes to the null device.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _to_nowhere()


def put(data: bytes) -> None:
    """Write to standard output at once.

    Raises:
        BrokenPipeError: the reader has gone.
        StoreError: it cannot be written, as where a disk is full.
    """
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _to_nowhere()
        raise StoreError(f"the output cannot be printed: {error.strerror or error}") from error


def _to_nowhere() -> None:
    # What the stream still holds would be flushed once more when Python ends.
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
