"""Commands whose reader has gone end quietly; a full disk behind their output is one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.crawling import ROOT

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
    return run_into(write, *call)


@pytest.mark.parametrize(
    ("closed", "words"),
    [("<&-", "the page has no content"), (">&-", "it is closed"), ("<&- >&-", "no content")],
)
def test_a_closed_stream_is_one_line(closed: str, words: str) -> None:
    page = "-" if "<" in closed else str(ROOT / "tests/golden/table/page.html")
    command = f"exec {sys.executable} -m scrapy extract {page} {closed}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode in {1, 2}
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert words in done.stderr


def run_into(write: int, *call: str) -> tuple[int, str]:
    """Call Python with a standard output; return its code and its errors."""
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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
@pytest.mark.parametrize("more", [[], ["--tables"], ["--explain"]])
def test_a_full_disk_behind_the_output_is_one_line(tmp_path: Path, more: list[str]) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>One.<table><caption>c</caption><tr><th>a<tr><td>1</table>", "utf-8")
    full = os.open("/dev/full", os.O_WRONLY)
    code, err = run_into(full, "-m", "scrapy", "extract", str(page), *more)
    assert (code, err.count("\n")) == (1, 1)
    assert "No space left on device" in err
