"""Standard output whose reader has gone: ``scrapy extract FILE --tables | head -3``."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["for_a_reader"]


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
        # What the stream still holds would be flushed once more when Python ends.
        with suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
