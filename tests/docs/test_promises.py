"""The table of promises names a test beside each, and all of these tests are there."""

from __future__ import annotations

import ast
import re

import pytest

from support.crawling import ROOT

ROWS = [
    line.strip("| ").rsplit(" | ", 1)
    for line in (ROOT / "docs" / "security.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| promise ")
]


def test_the_promises_are_found() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("promise", "tests"), ROWS)
def test_a_promise_has_a_test(promise: str, tests: str) -> None:
    names = re.findall(r"`([^`]+)`", tests)
    assert re.sub(r"`[^`]+`", "", tests).strip(", ") == "", promise
    has_test = False
    for name in names:
        tree = ast.parse((ROOT / name).read_text("utf-8"))
        has_test |= any(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name.startswith("test_")
            for node in ast.walk(tree)
        )
    assert has_test, promise
