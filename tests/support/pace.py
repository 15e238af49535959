"""Limits of processor time, which mean the same work on a slower or busier machine."""

from __future__ import annotations

from contextlib import contextmanager
from time import process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["slowness", "within"]

LOOPS = 200_000
# What they took on the machine that the limits were written for, with nothing beside them.
SECONDS = 0.05


def slowness() -> float:
    """Measure how many times as long work takes here and now; at least 1."""
    began = process_time()
    words = {str(number): number for number in range(LOOPS)}
    assert sum(len(word) for word in words) > LOOPS
    return max(1.0, (process_time() - began) / SECONDS)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """See that a block takes less than so many seconds of the processor.

    The machine's own pace is measured only where it took more.
    """
    began = process_time()
    yield
    took = process_time() - began
    if took >= seconds:
        allowed = seconds * slowness()
        assert took < allowed, f"{took:.3f} s of the processor, and no more than {allowed:.3f} s"
