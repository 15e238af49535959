"""What holds for all tests: their order, and the signals that they send."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_configure() -> None:
    """Have a Ctrl-C mean one, also where the tests run in the background of a shell."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that are given most time: where several run, none waits for them."""

    def seconds(item: pytest.Item) -> float:
        mark = item.get_closest_marker("timeout")
        return float(mark.args[0]) if mark is not None else 0.0

    items.sort(key=seconds, reverse=True)
