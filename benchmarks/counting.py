"""What counting costs: millions of blocks observed, merged and viewed, beside ``numpy.unique``.

Run it as ``python benchmarks/counting.py [--large]``. It leaves with 1 when 5 million blocks took
more than 5 seconds, or with ``--large`` 50 million more than 30 seconds or 1,000 MB resident.

The pages are made as those of real sites are: 250 blocks each, of which some stand on nearly every
page and most on one, 57% of all distinct, and two pages of a hundred are near-duplicates of another
one. They are made batch by batch; only counting is timed, from records in hand to the frozen view.
Each task runs in a process of its own. Seconds are of the clock, so let the machine be idle.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.counting.site_counts import Observation, SiteCounts
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

BLOCKS_A_PAGE = 250
PAGES_A_BATCH = 2000
PARTS = 4
# Of each page so many blocks are its own; with the rare of the others 57% are distinct.
OWN = 139
COPIES_A_BATCH = 40
# How many blocks a near-duplicate has of its own.
CHANGED = 5


@dataclass(frozen=True, slots=True)
class Limit:
    """What a number of blocks may cost."""

    blocks: int
    seconds: float
    megabytes: float


LIMITS = (Limit(5_000_000, 5, float("inf")), Limit(50_000_000, 30, 1000))


def hashed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Give numbers the look of hashes, distinct ones distinct (the finalizer of SplitMix64)."""
    mixed = numbers.copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def make_batch(first: int, pages: int) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
    """Make the block keys of some pages, a row each and ascending, and their weights.

    A block recurs with a frequency as of words in a text: a few stand everywhere, and there are
    ever more that stand on fewer pages.
    """
    draw = np.random.default_rng(first)
    places = np.arange(BLOCKS_A_PAGE, dtype=np.uint64)
    pages_numbers = np.arange(first, first + pages, dtype=np.uint64)[:, None]
    # A number for each block of a site: which of the page's places, and which block there.
    numbers = (pages_numbers << np.uint64(8) | places) | np.uint64(2**63)
    ranks = draw.zipf(1.4, (pages, BLOCKS_A_PAGE - OWN)).astype(np.uint64) % np.uint64(2**40)
    numbers[:, OWN:] = ranks << np.uint64(8) | places[OWN:]
    copies = draw.choice(pages // 2, min(COPIES_A_BATCH, pages // 2), replace=False)
    numbers[copies + pages // 2, CHANGED:] = numbers[copies, CHANGED:]
    keys = hashed(numbers)
    keys.sort(axis=1)
    # A block weighs what its key says, so that it weighs the same on all pages; some are links.
    weights = (keys % np.uint64(200)).astype(np.uint16)
    return keys, np.maximum(weights, 60) - np.uint16(60)


def batches(blocks: int) -> Iterator[tuple[int, NDArray[np.uint64], NDArray[np.uint16]]]:
    """Make all pages, some at a time."""
    pages = blocks // BLOCKS_A_PAGE
    for first in range(0, pages, PAGES_A_BATCH):
        yield first, *make_batch(first, min(PAGES_A_BATCH, pages - first))


class Clock:
    """Adds up the seconds between starting and stopping, by the clock and of the processors."""

    def __init__(self) -> None:
        self.seconds = self.processor = 0.0

    def __enter__(self) -> None:
        self._begin = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._begin[0]
        self.processor += time.process_time() - self._begin[1]


def count(blocks: int, folder: Path) -> dict[str, float]:
    """Do it as crawls do: observe page by page in several parts, merge those, view the whole."""
    clock = Clock()
    space = DiskSpace(folder)
    parts = [SiteCounts(space) for _ in range(PARTS)]
    for number, (first, keys, weights) in enumerate(batches(blocks)):
        pages = [
            Observation(f"https://blog.example/articles/{first + place}", *page)
            for place, page in enumerate(zip(keys, weights, strict=True))
        ]
        with clock:
            for page in pages:
                parts[number % PARTS].add(page)
    with clock:
        whole = SiteCounts(space)
        while parts:
            whole.merge(parts.pop())
        view = whole.view()
    return {
        "seconds": clock.seconds,
        "processor": clock.processor,
        "pages": view.pages_seen,
        "duplicates": len(view.duplicate_of),
        "distinct": len(view.keys) + view.single_blocks,
        "on_disk": space.on_disk / 2**20,
    }


def unique(blocks: int, folder: Path) -> dict[str, float]:  # noqa: ARG001 - a task like the other
    """Count each key with numpy alone, all in memory."""
    clock = Clock()
    keys = np.concatenate([keys.reshape(-1) for _, keys, _ in batches(blocks)])
    with clock:
        distinct, _ = np.unique(keys, return_counts=True)
    return {"seconds": clock.seconds, "processor": clock.processor, "distinct": len(distinct)}


TASKS = {"count": count, "unique": unique}


def run_one(task: str, blocks: int) -> None:
    """Measure one task in this process, which does nothing else, and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        figures = TASKS[task](blocks, Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures["peak"] = peak / (2**20 if sys.platform == "darwin" else 2**10)
    print(json.dumps(figures))


def measured(task: str, blocks: int) -> dict[str, float]:
    """Run a task in a process of its own."""
    command = [sys.executable, __file__, "--task", task, "--blocks", str(blocks)]
    figures: dict[str, float] = json.loads(subprocess.check_output(command, text=True))
    return figures


def measure(limit: Limit) -> bool:
    """Measure one number of blocks, print the figures, and tell whether they are within limits."""
    own, plain = measured("count", limit.blocks), measured("unique", limit.blocks)
    print(
        f"{limit.blocks:,} blocks on {own['pages']:,} pages, "
        f"{own['distinct'] / limit.blocks:.0%} distinct, {own['duplicates']:,} near-duplicates"
    )
    for name, figures in (("SiteCounts", own), ("numpy.unique", plain)):
        print(
            f"  {name:12} {figures['seconds']:6.2f} s ({figures['processor']:.2f} s of CPU time), "
            f"peak {figures['peak']:5.0f} MB resident"
        )
    print(f"  on disk: {own['on_disk']:.0f} MB")
    print(f"  seconds, SiteCounts / numpy.unique: {own['seconds'] / plain['seconds']:.1f}")
    fits = own["seconds"] <= limit.seconds and own["peak"] <= limit.megabytes
    if not fits:
        print(f"  MISSED: at most {limit.seconds} s and {limit.megabytes} MB")
    return fits and own["distinct"] == plain["distinct"]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="count 50 million blocks too")
    parser.add_argument("--blocks", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        run_one(options.task, options.blocks)
        return 0
    kept = [measure(limit) for limit in LIMITS[: 1 + options.large]]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
