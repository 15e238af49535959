"""What counting costs: five million blocks observed, merged and viewed, beside ``numpy.unique``.

Run it as ``python benchmarks/counting.py [--blocks N]``. The keys are drawn as those of real sites
are: some blocks stand on nearly every page, most on one, and 57% are distinct. Both tasks run on
the same keys, each in a process of its own, so read the ratio; seconds are CPU time, the best of
three.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.frequency import Observation, SiteCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCKS_A_PAGE = 100
PARTS = 8
REPEATS = 3
# How many of a page's blocks are its own; with the rare of the recurring ones 57% are distinct.
OWN = 0.55


def make_keys(blocks: int) -> NDArray[np.uint64]:
    """Block keys, one row a page, each ascending and without repeats."""
    draw = np.random.default_rng(1)
    pages = max(1, blocks // BLOCKS_A_PAGE)
    keys = draw.integers(2**40, 2**64, (pages, BLOCKS_A_PAGE), dtype=np.uint64, endpoint=False)
    # Of each page so many blocks recur on the site, with frequencies as of words in a text: a few
    # stand everywhere, and there are ever more that stand on fewer pages.
    recurring = round(BLOCKS_A_PAGE * (1 - OWN))
    ranks = draw.zipf(1.5, (pages, recurring)).astype(np.uint64)
    keys[:, :recurring] = ranks % np.uint64(2**30) * np.uint64(BLOCKS_A_PAGE) + np.arange(
        recurring, dtype=np.uint64
    )
    keys.sort(axis=1)
    return keys


def count(keys: NDArray[np.uint64]) -> int:
    """Do it as crawls do: observe page by page in several parts, merge those, view the whole."""
    weights = np.full(BLOCKS_A_PAGE, 80, dtype=np.uint16)
    parts = [SiteCounts() for _ in range(PARTS)]
    for number, page in enumerate(keys):
        parts[number % PARTS].add(
            Observation(url=f"https://blog.example/{number}", keys=page, weights=weights)
        )
    whole = SiteCounts()
    for part in parts:
        whole.merge(part)
    return len(whole.view().keys)


def unique(keys: NDArray[np.uint64]) -> int:
    """Count each key with numpy alone."""
    distinct, counts = np.unique(keys, return_counts=True)
    return len(distinct) if counts.sum() == keys.size else 0


def run_one(task: str, blocks: int) -> None:
    """Measure one task in this process, which does nothing else, and print the figures."""
    keys = make_keys(blocks)
    before = peak_megabytes()
    seconds = []
    for _ in range(REPEATS):
        begin = time.process_time()
        distinct = (count if task == "count" else unique)(keys)
        seconds.append(time.process_time() - begin)
    print(
        json.dumps(
            {"blocks": keys.size, "distinct": distinct, "seconds": min(seconds), "before": before,
             "peak": peak_megabytes()}
        )
    )  # fmt: skip


def peak_megabytes() -> float:
    """The most memory this process has had resident."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def measured(task: str, blocks: int) -> dict[str, float]:
    """Run a task in a process of its own."""
    command = [sys.executable, __file__, "--task", task, "--blocks", str(blocks)]
    figures: dict[str, float] = json.loads(subprocess.check_output(command, text=True))
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=5_000_000, help="how many (default 5000000)")
    parser.add_argument("--task", choices=["count", "unique"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        run_one(options.task, options.blocks)
        return
    own, plain = measured("count", options.blocks), measured("unique", options.blocks)
    print(
        f"{own['blocks']:,.0f} blocks on {own['blocks'] / BLOCKS_A_PAGE:,.0f} pages, "
        f"{own['distinct'] / own['blocks']:.0%} distinct"
    )
    for name, figures in (("SiteCounts", own), ("numpy.unique", plain)):
        print(
            f"{name:12} {figures['seconds']:6.2f} s, peak {figures['peak']:5.0f} MB, of which "
            f"{figures['before']:.0f} MB before it began"
        )
    print(f"seconds, SiteCounts / numpy.unique: {own['seconds'] / plain['seconds']:.1f}")
    print(f"peak memory, SiteCounts / numpy.unique: {own['peak'] / plain['peak']:.1f}")


if __name__ == "__main__":
    main()
