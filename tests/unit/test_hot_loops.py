"""Which loops run: those that were compiled, or those in Python."""

from __future__ import annotations

import runpy
import sys
from types import ModuleType

import pytest

from crawler.core import hot_loops

NAME = "crawler.core.hot_loops.compiled_judges"


def test_python_does_the_work_where_nothing_was_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, NAME, None)
    chosen = runpy.run_path(hot_loops.__file__)
    assert chosen["ramps"].__module__ == "crawler.core.hot_loops.judges"
    assert set(hot_loops.__all__) <= chosen.keys()


def test_a_build_of_older_sources_fails_with_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    older = ModuleType(NAME)
    monkeypatch.setitem(sys.modules, NAME, older)
    monkeypatch.setattr(hot_loops, "compiled_judges", older, raising=False)
    with pytest.raises(AttributeError, match="Trees"):
        runpy.run_path(hot_loops.__file__)
