"""The order of all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that are given most time: where several run, none waits for them."""

    def seconds(item: pytest.Item) -> float:
        mark = item.get_closest_marker("timeout")
        return float(mark.args[0]) if mark is not None else 0.0

    items.sort(key=seconds, reverse=True)
