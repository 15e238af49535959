"""Commands whose reader has gone end quietly."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.crawling import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# Each test starts a program of its own.
pytestmark = pytest.mark.slow

PRINTING = """
from crawler.reports.stdout import for_a_reader
with for_a_reader():
    for number in range({lines}):
        print("line", number)
"""


def run_without_reader(*call: str) -> tuple[int, str]:
    """Call Python with a standard output that nobody reads; return its code and its errors."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, *call],
            stdout=write,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=60,
            check=False,
        )
    finally:
        os.close(write)
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("lines", [1, 100_000])
def test_little_and_much_output_without_a_reader(lines: int) -> None:
    assert run_without_reader("-c", PRINTING.format(lines=lines)) == (0, "")


def test_a_page_whose_tables_nobody_reads(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<table><caption>c</caption><tr><th>a<tr><td>1</table>", "utf-8")
    assert run_without_reader("-m", "scrapy", "extract", str(page), "--tables") == (0, "")
