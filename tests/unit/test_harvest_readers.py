"""Questions asked side by side: in order, and without waiting for those that have no answer."""

from __future__ import annotations

import asyncio
import threading

import pytest

from crawler.harvest.readers import READERS, read_all
from support.jobs import no_threads


def test_answers_come_in_the_order_of_the_questions() -> None:
    assert read_all(lambda number: number * 2, range(500)) == list(range(0, 1000, 2))
    assert read_all(str, []) == []


def test_questions_are_asked_side_by_side() -> None:
    together = threading.Barrier(READERS)
    assert len(read_all(lambda _: together.wait(10), range(READERS))) == READERS


def test_an_error_waits_for_no_other_answer() -> None:
    never = threading.Event()
    asked = []

    def read(number: int) -> bool:
        asked.append(number)
        if number == 3:
            raise ValueError("no such thing")
        return never.wait(10)

    with pytest.raises(ValueError, match="no such thing"):
        read_all(read, range(100))
    never.set()
    assert len(asked) <= READERS + 1


def test_questions_are_asked_where_no_thread_can_be_had() -> None:
    with no_threads():
        assert read_all(str, range(3)) == ["0", "1", "2"]


def test_an_error_that_is_no_exception_is_raised_as_well() -> None:
    def read(_: int) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        read_all(read, range(3))
