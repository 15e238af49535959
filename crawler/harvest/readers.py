"""Questions to a storage, asked side by side: an object store takes its time for each."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["READERS", "read_all"]

READERS: Final = 16
"""How many questions are asked at once."""

_Of = TypeVar("_Of")
_Answer = TypeVar("_Answer")


def read_all(read: Callable[[_Of], _Answer], things: Iterable[_Of]) -> list[_Answer]:
    """Call a function with each of several things, and return its answers in their order.

    The first error ends it, and so does Ctrl-C: neither they nor the program's end wait for
    questions that have no answer yet, as those to a store that hangs.

    Args:
        read: the function; several threads call it.
        things: what it is called with.
    """
    waiting: queue.SimpleQueue[tuple[int, _Of]] = queue.SimpleQueue()
    for asked in enumerate(things):
        waiting.put(asked)
    number = waiting.qsize()
    answers: queue.SimpleQueue[tuple[int, _Answer] | BaseException] = queue.SimpleQueue()
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            try:
                place, thing = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                answers.put((place, read(thing)))
            # Also what is no Exception, as where a store's library cancels its request.
            except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
                answers.put(error)

    found: dict[int, _Answer] = {}
    try:
        for _ in range(min(READERS, number)):
            try:
                threading.Thread(target=work, name="reader", daemon=True).start()
            except RuntimeError:
                # No more threads can be had: this one asks as well.
                work()
                break
        while len(found) < number:
            answer = answers.get()
            if isinstance(answer, BaseException):
                raise answer
            found[answer[0]] = answer[1]
    finally:
        is_over.set()
    return [found[place] for place in range(number)]
