"""What a ledger of a million addresses costs, beside a plain dict and a plain SQLite table.

Run it as ``python benchmarks/ledger.py [--addresses N]``. It leaves with 1 when opening took more
than 2 seconds, looking an address up more than 0.1 ms, or adding the second half of the addresses
took more than 20 MB of memory beyond what the first half had.

Addresses are those of a news site, with a date and a title each as a sitemap gives them, and come
in the order of a sitemap. The plain table has the address as its key and the same hints beside it,
no queue, no versions. Each task runs in a process of its own. Seconds are CPU time of the process,
but for opening, which is by the clock. Read the ratios: seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AT = "2024-05-01T10:00:00Z"
LOOKUPS = 20_000
CYCLES = 5_000
MOST_OPENING_SECONDS = 2.0
MOST_LOOKUP_MS = 0.1
MOST_GROWTH_MB = 20.0


def made(first: int, last: int) -> Iterator[Found]:
    """Make what a sitemap tells of some articles."""
    for number in range(first, last):
        day = f"{2000 + number % 25}-{1 + number // 25 % 12:02}-{1 + number // 300 % 28:02}"
        yield Found(
            f"https://news.example/{day.replace('-', '/')}/a-headline-of-some-words-{number}.html",
            "sitemap",
            AT,
            listed=f"{day}T{number % 24:02}:00:00Z",
            kind="article",
        )


def addresses(count: int) -> list[str]:
    """Draw some of the addresses."""
    wanted = set(random.Random(1).sample(range(count), min(count, LOOKUPS)))
    return [found.address for number in wanted for found in made(number, number + 1)]


def seconds(task: Callable[[], object]) -> float:
    """CPU seconds a task takes."""
    begin = time.process_time()
    task()
    return time.process_time() - begin


def resident() -> float:
    """MB of memory this process has now."""
    return float(psutil.Process().memory_info().rss) / 2**20


def measure_ledger(count: int, folder: Path) -> dict[str, float]:
    """Add, open again, look up, and do all that a crawl does for a page."""
    path = folder / "news.example.sqlite"
    with Ledger(path) as ledger:
        first = seconds(lambda: ledger.add_found(made(0, count // 2)))
        memory = resident()
        second = seconds(lambda: ledger.add_found(made(count // 2, count)))
        growth = resident() - memory
    drawn = addresses(count)
    begin = time.perf_counter()
    with Ledger(path) as ledger:
        ledger.reset_fetching()
        ledger.next_due(1)
        opening = time.perf_counter() - begin
        lookup = seconds(lambda: [ledger.seen(address) for address in drawn])
        again = seconds(lambda: ledger.add_found(made(0, count)))

        def crawl() -> None:
            for row in ledger.next_due(CYCLES):
                ledger.mark_fetching(row.address)
                ledger.conditional_headers(row.address)
                ledger.mark_fetched(Fetched(row.address, 200, AT, "0123456789abcdef", etag='"1"'))

        cycle = seconds(crawl)
    return {
        "making": seconds(lambda: sum(1 for _ in made(0, count))),
        "adding": first + second,
        "again": again,
        "opening": opening,
        "lookup": lookup / len(drawn),
        "cycle": cycle / min(count, CYCLES),
        "growth": growth,
        "memory": resident(),
        "disk": path.stat().st_size / 2**20,
    }


def measure_table(count: int, folder: Path) -> dict[str, float]:
    """Keep the same in a table whose key is the address."""
    path = folder / "plain.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode = WAL")
        plain.execute("PRAGMA synchronous = NORMAL")
        plain.execute("CREATE TABLE pages (address TEXT PRIMARY KEY, listed, kind)")

        def add() -> None:
            entries = made(0, count)
            while rows := [(f.address, f.listed, f.kind) for f in islice(entries, 20_000)]:
                plain.execute("BEGIN")
                plain.executemany("INSERT OR IGNORE INTO pages VALUES (?, ?, ?)", rows)
                plain.execute("COMMIT")

        adding = seconds(add)
        drawn = addresses(count)
        select = "SELECT * FROM pages WHERE address = ?"
        lookup = seconds(lambda: [plain.execute(select, (url,)).fetchone() for url in drawn])
    return {
        "adding": adding,
        "lookup": lookup / len(drawn),
        "memory": resident(),
        "disk": path.stat().st_size / 2**20,
    }


def measure_dict(count: int, folder: Path) -> dict[str, float]:  # noqa: ARG001 - as the others
    """Keep the same in memory, and lose it with the process."""
    pages: dict[str, Found] = {}

    def add() -> None:
        for found in made(0, count):
            pages.setdefault(found.address, found)

    adding = seconds(add)
    drawn = addresses(count)
    lookup = seconds(lambda: [pages.get(url) for url in drawn])
    return {"adding": adding, "lookup": lookup / len(drawn), "memory": resident()}


TASKS = {"ledger": measure_ledger, "table": measure_table, "dict": measure_dict}


def run_one(task: str, count: int) -> None:
    """Measure one task in this process, which does nothing else, and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(TASKS[task](count, Path(folder))))


def measured(task: str, count: int) -> dict[str, float]:
    """Run a task in a process of its own."""
    command = [sys.executable, __file__, "--task", task, "--addresses", str(count)]
    figures: dict[str, float] = json.loads(subprocess.check_output(command, text=True))
    return figures


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--addresses", type=int, default=1_000_000, help="default 1,000,000")
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    count = max(2, options.addresses)
    if options.task:
        run_one(options.task, count)
        return 0
    own, table, plain = (measured(task, count) for task in TASKS)
    print(f"{count:,} addresses; CPU seconds, of which making them takes {own['making']:.1f}")
    for name, figures in (("ledger", own), ("SQLite table", table), ("dict", plain)):
        print(
            f"  {name:12} adding {figures['adding']:6.1f} s, "
            f"look-up {figures['lookup'] * 1e6:6.1f} µs,"
            f" {figures['memory']:5.0f} MB resident, {figures.get('disk', 0):4.0f} MB on disk"
        )
    print(
        f"  ledger: open and first of the queue {own['opening'] * 1e3:.1f} ms by the clock, adding "
        f"all again {own['again']:.1f} s, a page's way {own['cycle'] * 1e6:.0f} µs, second half "
        f"{own['growth']:+.0f} MB"
    )
    for name, other in (("SQLite table", table), ("dict", plain)):
        ratios = (
            f"{what} {own[what] / other[what]:.2f}" for what in ("adding", "lookup", "memory")
        )
        print(f"  ledger / {name}: {', '.join(ratios)}")
    fits = (
        own["opening"] <= MOST_OPENING_SECONDS
        and own["lookup"] * 1e3 <= MOST_LOOKUP_MS
        and own["growth"] <= MOST_GROWTH_MB
    )
    if not fits:
        print(
            f"  MISSED: at most {MOST_OPENING_SECONDS} s to open, {MOST_LOOKUP_MS} ms a look-up, "
            f"{MOST_GROWTH_MB} MB for the second half"
        )
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
