"""Fixtures of several unit tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.objectstore import object_store

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The URL of an object store of the module's own."""
    with object_store() as url:
        yield url
