"""Compare text methods on gold files: the table of docs/comparison.md.

    python benchmarks/compare.py [METHOD ...] NAME=GOLD.jsonl.gz ... > table.md

Each gold file holds JSON Lines of site, html and gold_text, as ``scrapy evaluate text`` takes them.
Where methods are named, only their rows are printed. The figures are those of ``scrapy evaluate
text``; here each page is read for all methods at once, which takes a tenth of the time.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import (
    Document,
    Page,
    SiteCounts,
    SiteView,
    annotate,
    get_method,
    method_names,
    observe,
    read,
)
from crawler.evaluation.gold import read_gold
from crawler.evaluation.scores import ScoreBoard, score_page
from crawler.settings import Options

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


def measure(names: Sequence[str], gold: Path) -> list[ScoreBoard]:
    """Count the pages of a file by each method, judge them, and return the scores of each."""
    methods = [get_method(name) for name in names]
    counts: defaultdict[tuple[int, str], SiteCounts] = defaultdict(SiteCounts)
    for row in read_gold([gold]):
        if document := readable(row.page):
            for number, method in enumerate(methods):
                counts[number, row.page.site_name].add(observe(document, method))
    similarity = Options().near_duplicate_similarity
    views = {key: site.view(similarity) for key, site in counts.items()}
    boards = [ScoreBoard() for _ in methods]
    for row in read_gold([gold]):
        document = readable(row.page)
        for number, method in enumerate(methods):
            view = views.get((number, row.page.site_name), SiteView())
            text = annotate(document, view, method).text if document else ""
            if row.gold_text is not None:
                boards[number].add(row.page.site_name, score_page(text, row.gold_text))
    return boards


def readable(page: Page) -> Document | None:
    """Read a page; None where it cannot be read."""
    try:
        return read(page)
    except UnreadablePageError:
        return None


def cell(board: ScoreBoard) -> str:
    """Write the mean F1 over sites, and micro-averaged precision, recall and F1."""
    micro = board.word_micro
    averages = " / ".join(f"{100 * share:.1f}" for share in micro.as_json().values())
    return f"**{board.site_mean_f1:.3f}**, {averages}"


def main(arguments: list[str]) -> int:
    """Print the table."""
    sets = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    names = [argument for argument in arguments if "=" not in argument] or method_names()
    if not sets or not all(sets.values()):
        print(__doc__, file=sys.stderr)
        return 2
    columns = [map(cell, measure(names, Path(gold))) for gold in sets.values()]
    print(f"| method | {' | '.join(sets)} | published |")
    print(f"|---|{'---|' * len(sets)}---|")
    for name, *cells in zip(names, *columns, strict=True):
        published = PUBLISHED.get(name.removesuffix("-neighbours"), "")
        print(f"| `{name}` | {' | '.join(cells)} | {published} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
