"""Ctrl-C and SIGTERM, as a wish that is met at the next chance."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["stop_wishes"]


@contextmanager
def stop_wishes(tell: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Give a function that says whether somebody wishes the program to stop.

    The first signal is the wish; a second Ctrl-C interrupts as ever. For the main thread.
    """
    wished = False

    told = False

    def note(number: int, frame: Any) -> None:  # noqa: ANN401 - as the signal module has it
        nonlocal wished
        if wished:
            signal.default_int_handler(number, frame)
        wished = True

    def should_stop() -> bool:
        nonlocal told
        if wished and not told:
            # Not where the signal is met: that may be in the middle of telling something.
            told = True
            tell("stopping: what runs ends first; a second Ctrl-C ends it at once")
        return wished

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield should_stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
