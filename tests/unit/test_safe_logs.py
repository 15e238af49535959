"""Logs and terminals, on which no text of a page or server acts."""

from __future__ import annotations

import io
import logging
import sys

import pytest

from crawler.core.wording import harmless, without_secrets
from crawler.extensions.logs import SafeFormatter
from crawler.reports.stdout import Table, print_error, print_line, write_tables

ACTING = [*map(chr, range(9)), *map(chr, range(11, 32)), *map(chr, range(127, 160))]
ACTING += [*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]


def test_all_that_acts_is_escaped() -> None:
    assert not set(harmless("".join(ACTING))) & set(ACTING)
    assert harmless("a\x1b[31m\x9b\u202e\r\nb\tc") == "a\\x1b[31m\\x9b\\u202e\\r\nb\tc"
    fine = "가나다 русский עברית\u200f العربية 🙂 naïve\n\t"
    assert harmless(fine) == fine
    assert harmless("\x1b[1mbold\x1b[0m\x1b]0;x\x07", colours=True) == (
        "\x1b[1mbold\x1b[0m\\x1b]0;x\\x07"
    )


def test_credentials_are_left_out() -> None:
    text = "GET http://me:pw@a.example/x?y=b@c and https://token@b.example, to me@c.example"
    assert without_secrets(text) == (
        "GET http://…@a.example/x?y=b@c and https://…@b.example, to me@c.example"
    )


def test_a_log_line_and_its_traceback_are_safe() -> None:
    formatter = SafeFormatter(logging.Formatter("%(levelname)s %(message)s"))
    error = ValueError("title \x1b]0;owned\x07 of ftp://me:pw@a.example/")
    info = (ValueError, error, None)
    record = logging.LogRecord("a", 30, "a.py", 1, "type %s 100%%", ("\x1b[2J\u202e",), info)
    text = formatter.format(record)
    assert text.startswith("WARNING type \\x1b[2J\\u202e 100%\nValueError")
    assert "title \\x1b]0;owned\\x07 of ftp://…@a.example/" in text
    # Other handlers get the record as it was.
    assert record.getMessage() == "type \x1b[2J\u202e 100%"
    assert record.exc_text is None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_is_printed_on_a_terminal_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    print_line("text \x9b2J\u202e of a page")
    write_tables("a\x1b[2J", [Table("t", ("c",), (("\u2066", "1"),))], terminal)
    print_error("extract", "\x1b[2J http://me:pw@a.example/")
    assert not set(terminal.getvalue()) & set(ACTING)
    assert "pw" not in terminal.getvalue()


def test_what_is_printed_into_a_file_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("text \u202e of a page")
    assert capsys.readouterr().out == "text \u202e of a page\n"
