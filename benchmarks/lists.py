"""How often the first proposal of a list is the list that is meant.

    python benchmarks/lists.py GOLD [--every N]

GOLD is a file of gold records (see ``scrapy evaluate wrapper``). On each page a text within one of
its records is clicked, chosen at random by the page's id, then two texts of different records. A
proposal is right when its records are exactly those of the gold. Rules are learned from the
proposal, and what they find on the page is compared in the same way.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections import Counter
from pathlib import Path

from crawler.core.page.page import Page
from crawler.core.wrapper.learning import learn_record_nodes
from crawler.core.wrapper.project import GROUP, Element, new_project
from crawler.core.wrapper.proposals import propose_records
from crawler.core.wrapper.rules import RecordRule
from crawler.core.wrapper.tree import PageTree, read_tree
from crawler.core.wrapper.view import View

_SCHEMA = Element("page", GROUP, elements=(Element("record", GROUP, repeat=True),))


def clicked(tree: PageTree, records: list[int], clicks: int, chance: random.Random) -> list[int]:
    """Return a text of each of some records, chosen at random."""
    chosen = chance.sample(records, clicks)
    texts = [
        [node for node in range(its, tree.ends[its]) if tree.texts[node]] or [its] for its in chosen
    ]
    return [chance.choice(its) for its in texts]


def learned(tree: PageTree, records: tuple[int, ...]) -> list[int]:
    """Return the records that a rule finds that was learned from a proposal."""
    project = learn_record_nodes(new_project(_SCHEMA), tree, "record", records, whole=True)
    rule = project.rules["record"]
    assert isinstance(rule, RecordRule)
    return [its.node for its in rule.matches(View(tree))]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take one page of so many")
    opts = parser.parse_args()
    counts: Counter[str] = Counter()
    with gzip.open(opts.gold, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if number % opts.every or not row["gold_records"]:
                continue
            tree = read_tree(Page.from_text("https://a.example/", row["html"]))
            found = [tree.find(its["xpath"]) for its in row["gold_records"]]
            gold = sorted(node for node in found if node is not None)
            chance = random.Random(row["id"])
            for clicks in range(1, min(len(gold), 2) + 1):
                lists = propose_records(tree, clicked(tree, gold, clicks, chance))
                counts[f"{clicks} pages"] += 1
                counts[f"{clicks} proposed"] += bool(lists) and list(lists[0]) == gold
                counts[f"{clicks} learned"] += bool(lists) and learned(tree, lists[0]) == gold
    for clicks in (1, 2):
        pages = counts[f"{clicks} pages"]
        right = (counts[f"{clicks} {what}"] / max(pages, 1) for what in ("proposed", "learned"))
        print(
            f"clicks {clicks}, pages {pages}, proposed {next(right):.3f}, learned {next(right):.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
