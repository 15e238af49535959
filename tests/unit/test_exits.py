"""A crawl that cannot begin ends a command in a line, and is an ordinary error in a script."""

from __future__ import annotations

import sys

import pytest

from crawler.core.errors import ArgumentError
from crawler.extensions.exits import ending


def test_a_command_ends_by_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scrapy.cmdline", sys)
    with pytest.raises(SystemExit) as ended:
        raise ending(ArgumentError("no\nuser:\x1b at http://a:secret@b.example/"))
    assert isinstance(ended.value, ArgumentError)
    assert ended.value.exit_code == 2
    assert str(ended.value.code).startswith("no user:? at http://")
    assert "secret" not in str(ended.value.code)


def test_a_script_has_the_error_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "scrapy.cmdline", raising=False)
    error = ArgumentError("no")
    assert ending(error) is error
