"""Faults: ``kill -9`` at random moments of all jobs, and damage in all files that are read.

Run it as ``python benchmarks/faults.py [--kills N] [--damage N] [--seed N] [NAME ...]``. Each job
is killed N times and started again until it is done, on sites that are served on loopback. The
first table says how many pages were to be there, how many were lost or doubled, and how often
figures or the log did not report a page. Then a file of each kind is damaged N times: bits are
flipped, bytes cut. The second table says how often all was read as it was, how often an error or a
counted reason reported the damage, how often something else was read without a report, and how
often an error came up that is none of the project's. Exits with 1 where anything was lost, doubled,
unreported, silent, or crashed.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
# While modules are loaded, Ctrl-C ends the process without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from support.damage import KINDS, damage_file
from support.kills import JOBS, Killer, served_sites


def kill_all(options: argparse.Namespace) -> bool:
    """Kill all jobs, and print the table; say whether no page was lost, doubled or unreported."""
    print(f"{'':<12}  kills  checks   pages  lost  doubled  unreported")
    all_hold = True
    with served_sites() as sites:
        for job in JOBS:
            if options.names and job.__name__ not in options.names:
                continue
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                done = job(Killer(Path(folder), sites, options.seed), options.kills)
            all_hold = all_hold and done.holds
            print(
                f"{done.name:<12} {done.kills:>6} {done.checks:>7} {done.pages:>7,} {done.lost:>5} "
                f"{done.doubled:>8} {done.unreported:>11}   {time.monotonic() - began:.0f} s",
                flush=True,
            )
    return all_hold


def damage_all(options: argparse.Namespace) -> bool:
    """Damage all kinds of files, and print the table; say whether all damage was reported."""
    print(f"\n{'':<12}  tries    same  reported  silent  crashes")
    all_reported = True
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            done = damage_file(kind, Path(folder), options.damage, options.seed)
        crashes = done.crashes.total()
        all_reported = all_reported and not (done.silent or crashes)
        print(
            f"{done.name:<12} {options.damage:>6} {done.same:>7} {done.reported:>9} "
            f"{done.silent:>7} {crashes:>8}",
            flush=True,
        )
        for words, number in done.crashes.items():
            print(f"    {number} {words}")
    return all_reported


def main() -> int:
    """Kill, damage, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [job.__name__ for job in JOBS]
    known = ", ".join(names)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{known}; by default all")
    parser.add_argument("--kills", type=int, default=50, help="of each job (50)")
    parser.add_argument("--damage", type=int, default=200, help="of each kind of file (200)")
    parser.add_argument("--seed", type=int, default=21, help="of moments and places (21)")
    options = parser.parse_args()
    if unknown := ", ".join({*options.names} - {*names}):
        parser.error(f"no job is named {unknown}; there are {known}")
    if min(options.kills, options.damage) < 0:
        parser.error("a number is below 0")
    all_hold = [not options.kills or kill_all(options), not options.damage or damage_all(options)]
    return 0 if all(all_hold) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
