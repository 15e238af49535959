"""Faults: ``kill -9`` at random moments of all work, and damage in all files that are read.

Run it as ``python benchmarks/faults.py [--kills N] [--damage N] [--seed N] [NAME ...]``. Each work
is killed so often and given again until it is done, on sites that are served on loopback. The first
table says how many pages were to be there, and how many were lost, doubled, or in no figure. Then
bits are flipped and bytes cut so often in a file of each kind. The second table says how often all
was read as it was, how often an error or a counted reason told of the damage, how often something
else was read silently, and how often an error was none of the project's. Leaves with 1 where
anything was lost, doubled, unsaid, silent, or crashed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.damage import KINDS, damage_file
from support.kills import WORKS, Killer, served_sites


def kill_all(options: argparse.Namespace) -> bool:
    """Kill all works, and print the table; say whether the law holds."""
    print(f"{'':<12}  kills  checks   pages  lost  doubled  unsaid")
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
    return all_hold


def damage_all(options: argparse.Namespace) -> bool:
    """Damage all kinds of files, and print the table; say whether all damage was told."""
    print(f"\n{'':<12}  tries    same    told  silent  crashes")
    all_told = True
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            done = damage_file(kind, Path(folder), options.damage, options.seed)
        crashes = done.crashes.total()
        all_told = all_told and not (done.silent or crashes)
        print(
            f"{done.name:<12} {options.damage:>6} {done.same:>7} {done.told:>7} {done.silent:>7} "
            f"{crashes:>8}",
            flush=True,
        )
        for words, number in done.crashes.items():
            print(f"    {number} {words}")
    return all_told


def main() -> int:
    """Kill, damage, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [work.__name__ for work in WORKS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--damage", type=int, default=200)
    parser.add_argument("--seed", type=int, default=21)
    options = parser.parse_args()
    all_hold = [not options.kills or kill_all(options), not options.damage or damage_all(options)]
    return 0 if all(all_hold) else 1


if __name__ == "__main__":
    sys.exit(main())
