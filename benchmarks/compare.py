"""Compare every text method on gold files: the table of docs/comparison.md.

    python benchmarks/compare.py [METHOD ...] NAME=GOLD.jsonl.gz ... > table.md

Each gold file holds JSON Lines of site, html and gold_text, as ``scrapy evaluate text`` takes them.
Where methods are named, only their rows are printed.
"""

from __future__ import annotations

import json
import subprocess
import sys

from crawler.core.methods.registry import method_names

# Micro-averaged precision, recall and F1 in per cent, as the papers give them: Lee (2009), tables 3
# to 6, 498 Korean news pages, words; Kim and Kim (2021), tables 2 to 5, 84,061 text blocks of 2,000
# pages of one Korean blog platform, blocks.
PUBLISHED = {
    "all-text": "43.4 / 100.0 / 60.5",
    "no-links": "68.7 / 99.9 / 81.4",
    "sentences": "73.7 / 98.1 / 84.1",
    "title-block": "89.7 / 55.6 / 68.7",
    "mm": "91.4 / 71.9 / 80.5",
    "m34": "79.4 / 87.5 / 83.3",
    "m43": "78.5 / 56.3 / 65.6",
    "m32": "86.4 / 92.0 / 89.1",
    "m42": "80.5 / 88.2 / 84.2",
    "m324": "86.9 / 92.0 / 89.4",
    "m423": "85.9 / 59.7 / 70.4",
    "frequency": "97.2 / 99.8 / 98.5",
    "density": "55.1 / 98.0 / 70.6",
}


def figures(method: str, gold: str) -> dict[str, object]:
    """Measure one method on one file, as a user would."""
    command = ["-m", "scrapy", "evaluate", "text", gold, "--method", method, "--json", "-"]
    call = [sys.executable, *command]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.returncode)  # what is wrong stands on standard error
    found: dict[str, object] = json.loads(done.stdout)
    return found


def cell(found: dict[str, object]) -> str:
    """Write the mean F1 over sites, and micro-averaged precision, recall and F1."""
    micro = found["word_micro"]
    assert isinstance(micro, dict)
    averages = " / ".join(f"{100 * micro[key]:.1f}" for key in ("precision", "recall", "f1"))
    return f"**{found['site_mean_f1']:.3f}**, {averages}"


def main(arguments: list[str]) -> int:
    """Print the table."""
    sets = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    methods = [argument for argument in arguments if "=" not in argument]
    if not sets or not all(sets.values()):
        print(__doc__, file=sys.stderr)
        return 2
    print(f"| method | {' | '.join(sets)} | published |")
    print(f"|---|{'---|' * len(sets)}---|")
    for method in methods or method_names():
        cells = [cell(figures(method, gold)) for gold in sets.values()]
        published = PUBLISHED.get(method.removesuffix("-neighbours"), "")
        print(f"| `{method}` | {' | '.join(cells)} | {published} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
