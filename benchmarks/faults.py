"""Faults: ``kill -9`` at random moments of all work that leaves something on disk.

Run it as ``python benchmarks/faults.py [--kills N] [--seed N] [NAME ...]``. Each work is killed so
often and given again until it is done, on sites that are served on loopback. The table says how
many pages were to be there, and how many were lost, doubled, or in no figure. Leaves with 1 where
any was.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.kills import WORKS, Killer, served_sites


def main() -> int:
    """Kill all works, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [work.__name__ for work in WORKS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=21)
    options = parser.parse_args()
    print(
        f"{'':<12} {'kills':>6} {'checks':>7} {'pages':>7} {'lost':>5} {'doubled':>8} {'unsaid':>7}"
    )
    all_hold = True
    with served_sites() as sites:
        for work in WORKS:
            if options.names and work.__name__ not in options.names:
                continue
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                done = work(Killer(Path(folder), sites, options.seed), options.kills)
            all_hold = all_hold and done.holds
            print(
                f"{done.name:<12} {done.kills:>6} {done.checks:>7} {done.pages:>7,} {done.lost:>5} "
                f"{done.doubled:>8} {done.unsaid:>7}   {time.monotonic() - began:.0f} s",
                flush=True,
            )
    return 0 if all_hold else 1


if __name__ == "__main__":
    sys.exit(main())
