"""What holding pages costs: the spool beside plain files and beside one parse of each page.

Run it as ``python benchmarks/spool.py [--pages N]``. Pages of about 40 KB are made on the spot. All
figures come from one run on one machine, so read the ratios; seconds are CPU time of the process.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import lxml.html

from crawler.core.page.page import Page
from crawler.store.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE_BYTES = 40_000
DIFFERENT_PAGES = 50
STARTED = "2024-01-01T00:00:00Z"


def make_page(number: int) -> Page:
    """A page of a made blog: a menu repeated on each page, and entries of its own.

    Words are drawn as often as their rank asks, and a tag comes every 70 bytes or so, so that the
    page packs and parses about as pages of real blogs do.
    """
    draw = random.Random(number)
    words = ["".join(draw.choices("aeioulnrst", k=draw.randint(2, 9))) for _ in range(2000)]
    ranks = [1 / (rank + 3) for rank in range(len(words))]

    def phrase(length: int) -> str:
        return " ".join(draw.choices(words, ranks, k=length))

    menu = "".join(
        f'<li class="menu-item"><a href="/topic/{n}">Topic {n}</a></li>' for n in range(60)
    )
    parts = [f"<!doctype html><html><head><title>{number}</title></head><body><ul>{menu}</ul>"]
    size = len(parts[0])
    while size < PAGE_BYTES:
        parts.append(
            f'<div class="entry"><div class="entry-body"><p>{phrase(12)} '
            f'<a class="entry-link" href="/post/{draw.randint(1, 9999)}"><b>{phrase(3)}</b></a> '
            f'{phrase(10)} <span class="note">{phrase(4)}</span><br>{phrase(9)}</p>'
            f'<p class="meta"><span>{phrase(1)}</span> <em>{phrase(2)}</em></p></div></div>\n'
        )
        size += len(parts[-1])
    return Page(
        f"http://blog.example/{number}", "".join(parts).encode(), "text/html; charset=utf-8"
    )


def seconds(task: Callable[[], None]) -> float:
    """CPU seconds a task takes."""
    begin = time.process_time()
    task()
    return time.process_time() - begin


def measure_spool(pages: list[Page], folder: Path) -> tuple[float, float, int]:
    """CPU seconds of writing and of reading the pages through a spool, and its bytes on disk."""
    spool = Spool.create(folder, "benchmark", started=STARTED)

    def write() -> None:
        for page in pages:
            spool.append(page)

    def read() -> None:
        for page, given in zip(pages, spool.pages(), strict=True):
            if page != given:
                raise SystemExit("The spool did not give back what was put in.")

    write_time, read_time = seconds(write), seconds(read)
    stored = spool.path.stat().st_size
    spool.finish(keep=False)
    return write_time, read_time, stored


def measure_files(pages: list[Page], folder: Path) -> float:
    """CPU seconds of writing and reading the pages as one plain file each."""

    def write_and_read() -> None:
        for number, page in enumerate(pages):
            (folder / f"{number}.html").write_bytes(page.body)
        for number in range(len(pages)):
            (folder / f"{number}.html").read_bytes()

    return seconds(write_and_read)


def measure_parse(pages: list[Page]) -> float:
    """CPU seconds of parsing each page once."""

    def parse() -> None:
        for page in pages:
            lxml.html.document_fromstring(page.body)

    return seconds(parse)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000, help="how many pages (default 1000)")
    count = max(1, parser.parse_args().pages)
    made = [make_page(number) for number in range(min(count, DIFFERENT_PAGES))]
    pages = [made[number % len(made)] for number in range(count)]
    body_bytes = sum(len(page.body) for page in pages)
    parse_time = measure_parse(pages)
    with tempfile.TemporaryDirectory() as folder:
        file_time = measure_files(pages, Path(folder))
        write_time, read_time, stored = measure_spool(pages, Path(folder))
    spool_time = write_time + read_time
    print(f"{count} pages of {body_bytes / count / 1000:.0f} KB")
    print(f"spool: write {count / write_time:.0f} pages/s, read {count / read_time:.0f} pages/s")
    print(f"spool write+read / plain files write+read: {spool_time / file_time:.2f}")
    print(f"spool write+read / one parse with lxml:    {spool_time / parse_time:.2f}")
    print(f"bytes on disk / bytes of the pages:        {stored / body_bytes:.2f}")


if __name__ == "__main__":
    main()
