"""How long rules take on a page of 5,000 elements, for each matcher.

    python benchmarks/wrapper.py [--elements N]

The page is made: a menu, an article, a table of facts with labels, a list of records. Rules are
learned from three other pages of its layout, a field from the table and the records of the list.
Times are the best of five, in CPU milliseconds: reading the page, its tag tree, and matching each
rule on a fresh view. Leaves with 1 where matching one takes 50 ms or more.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.wrapper.example_nodes import example_of_values
from crawler.core.wrapper.project import MATCHERS, new_rule
from crawler.core.wrapper.rules import RecordRule, example_of_records
from crawler.core.wrapper.tree import tree_of
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.core.wrapper.project import FieldRule
    from crawler.core.wrapper.tree import PageTree

MOST_MS = 50.0
ROUNDS = 5
_OTHERS = 120
_IN_RECORD = 6


def made_page(number: int, elements: int) -> Page:
    """Make a page of about that many elements."""
    menu = "".join(f'<li><a href="/{at}">Section {at}</a></li>' for at in range(20))
    facts = "".join(
        f'<tr><th>Fact {at}:</th><td class="value">Value {at * number}</td></tr>'
        for at in range(20)
    )
    records = "".join(
        f'<li class="item"><h3><a href="/item/{at}">Item {at} of {number}</a></h3>'
        f'<p>Some words <b>about</b> it</p><span class="price">${at}.{number}0</span></li>'
        for at in range((elements - _OTHERS) // _IN_RECORD)
    )
    return Page.from_text(
        f"https://shop.example/{number}",
        f"<title>Page {number}</title><ul id=menu>{menu}</ul><h1>Page {number}</h1>"
        f"<table class=facts>{facts}</table><ol id=list>{records}</ol>",
    )


def best_of(work: Callable[[], object]) -> float:
    """Return the least CPU milliseconds of some rounds."""
    found = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        found.append(1_000 * (time.process_time() - started))
    return min(found)


def items_of(tree: PageTree) -> list[int]:
    """Return the elements of the records."""
    return [node for node in range(len(tree)) if tree.attribute(node, "class") == "item"]


def _match(rule: FieldRule, tree: PageTree) -> object:
    return rule.matches(View(tree))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--elements", type=int, default=5_000)
    elements = parser.parse_args().elements
    page = made_page(4, elements)
    parsed = parse(page)
    tree = tree_of(parsed)
    number = sum(element is not None for element in tree.elements)
    print(
        f"a page of {number:,} elements and {len(tree.text_nodes):,} text nodes; CPU milliseconds"
    )
    print(f"{best_of(lambda: parse(page)):8.1f}  parsing")
    print(f"{best_of(lambda: tree_of(parsed)):8.1f}  tag tree")
    times: dict[str, float] = {}
    trees = [tree_of(parse(made_page(number, 600))) for number in (1, 2, 3)]
    for matcher in MATCHERS:
        rule = new_rule(matcher)
        for number, known in enumerate(trees, start=1):
            evidence = View(known)
            rule = rule.learn_more([example_of_values(evidence, [f"Value {7 * number}"])])
        (match,) = rule.matches(View(tree))
        assert match.value == "Value 28"
        times[f"a field, {matcher}"] = best_of(partial(_match, rule, tree))
    rule = new_rule()
    for number, known in enumerate(trees[:2], start=1):
        prices = [f"${at}.{number}0" for at in range(len(items_of(known)))]
        rule = rule.learn_more([example_of_values(View(known), prices)])
    assert len(rule.matches(View(tree))) == len(items_of(tree))
    times["a field of many values, best"] = best_of(partial(_match, rule, tree))
    records = RecordRule.learn(
        example_of_records(View(known), items_of(known)) for known in trees[:2]
    )
    assert [record.node for record in records.matches(View(tree))] == items_of(tree)
    times["records of a list, best"] = best_of(lambda: records.matches(View(tree)))
    for name, took in times.items():
        print(f"{took:8.1f}  {name}")
    return int(max(times.values()) >= MOST_MS)


if __name__ == "__main__":
    sys.exit(main())
