"""Feed every parser of outside data with random inputs: no crash, no hang.

    python benchmarks/fuzz.py [--inputs N] [--seed N] [--finds FOLDER] [PARSER ...]

Inputs are small seeds with some changes: bytes flipped, cut out, repeated, taken of another seed,
and marks put in that parsers trip over. The same seed makes the same inputs. A crash is an error
that the parser does not declare; a hang is more than 2 seconds of processor time for an input, of
at most 200 KB. Finds are made small and kept in the folder. Leaves with 1 where there is any.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import warnings
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
# While modules are loaded, Ctrl-C ends the process without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from crawler.exporters.feeds import unwritable
from support.fuzzed import parsers
from support.fuzzing import Result, fuzz, save


def line(result: Result, seconds: float) -> str:
    """Return the figures of a parser."""
    finds = "; ".join(f"{find.kind} {find.words}" for find in result.finds.values())
    return (
        f"{result.name:10} {result.inputs:9,} inputs {result.crashes:6,} crashes "
        f"{result.hangs:4,} hangs {seconds:8.0f} s  {finds}"
    )


def main() -> int:
    """Feed the parsers that are named, or all; print the figures of each."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = ", ".join(parsers())
    options.add_argument("parsers", nargs="*", metavar="PARSER", help=f"{known}; by default all")
    options.add_argument("--inputs", type=int, default=100_000, help="of each parser (100,000)")
    options.add_argument("--seed", type=int, default=0, help="of the inputs (0)")
    options.add_argument("--finds", type=Path, default=Path("finds"), help="folder (finds)")
    asked = options.parse_args()
    if unknown := ", ".join({*asked.parsers} - {*parsers()}):
        options.error(f"no parser is named {unknown}; there are {known}")
    if asked.inputs < 0:
        options.error("--inputs is below 0")
    if flaw := unwritable(asked.finds / "find"):
        options.error(f"--finds is {asked.finds}: {flaw}")
    os.nice(10)
    # Parsers warn of what they are given.
    warnings.simplefilter("ignore")
    found = False
    for name in asked.parsers or parsers():
        started = process_time()
        result = fuzz(parsers()[name], asked.inputs, asked.seed)
        print(line(result, process_time() - started), flush=True)
        save(result, asked.finds)
        found |= bool(result.finds)
    return int(found)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
