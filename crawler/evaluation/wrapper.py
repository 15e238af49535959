"""The task ``wrapper``: what rules learned from a site's first pages find on the other pages.

Each attribute of each site is learned from the first pages that have it, and looked for on all
others of the site. Where gold knows verticals, a site's pages of one vertical are a site. Files are
read twice: to learn and to apply; no page is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from typing import Any

from crawler.core.page.page import Page
from crawler.core.wrapper.example_nodes import example_of_values
from crawler.core.wrapper.project import DEFAULT_MATCHER, FieldRule, new_rule
from crawler.core.wrapper.rules import RecordRule, example_of_records
from crawler.core.wrapper.tree import PageTree, fold, read_tree
from crawler.core.wrapper.view import View
from crawler.evaluation.gold import GOLD_URL, Row, kind_of, read_rows
from crawler.evaluation.scores import Overlap
from crawler.evaluation.task import Job, Report

_NEEDS = "html and gold, or html and gold_records"
_NOT_SAID = "value-not-on-page"
_NOT_LEARNED = "records-need-best"


@dataclass(frozen=True, slots=True)
class _GoldPage:
    """A page, and the values of its attributes.

    Where the gold knows records, they are under None: the XPath and the text of each.
    """

    number: int
    group: str
    vertical: str
    url: str
    html: str
    gold: dict[str | None, tuple[Any, ...]]


_Field = tuple[str, str | None]
"""A group of pages (site and vertical) and the name of an attribute; None for its records."""


@dataclass(slots=True)
class _Run:
    """What was learned, from which pages by their numbers, and how it did on the others."""

    examples: defaultdict[_Field, list[int]] = field(default_factory=lambda: defaultdict(list))
    rules: dict[_Field, FieldRule | RecordRule] = field(default_factory=dict)
    values: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    sites: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    records: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    report: Report = field(default_factory=Report)


def measure_wrapper(job: Job) -> Report:
    """Learn rules from the examples, apply them to the other pages, and report.

    Raises:
        UnreadableInputError: the gold files cannot be used, or hold no page.
        UnknownMethodError: there is no matcher of that name.
    """
    new_rule(job.method)  # Refuse a wrong name before a file is opened.
    run, page = _Run(), None
    for page in _pages(job):
        _learn(job, run, page)
    if page is None:
        raise job.no_gold("gold pages", _NEEDS)
    for page in _pages(job):
        _apply(run, page)
    run.report.sites = len({group for group, _ in run.examples})
    figures: dict[str, object] = {
        "examples": job.examples,
        **_score(run.values),
        "per_attribute": _by_name(run.values),
        "per_site": _by_name(run.sites),
    }
    if run.records:
        figures["records"] = {**_score(run.records), "per_site": _by_name(run.records)}
    return run.report.finished(figures)


def _learn(job: Job, run: _Run, page: _GoldPage) -> None:
    """Learn each attribute, and the records, if the page is one of the first that have them."""
    taught = []
    for name, gold in page.gold.items():
        numbers = run.examples[page.group, name]
        if gold and len(numbers) < job.examples:
            numbers.append(page.number)
            taught.append(name)
    tree = _tree(page, run) if taught else None
    if tree is None:
        return
    view = View(tree)
    for name in taught:
        key, gold = (page.group, name), page.gold[name]
        if name is None and job.method != DEFAULT_MATCHER:
            # The rule of the paper finds one node a page.
            run.report.skipped[_NOT_LEARNED] += 1
            continue
        rule = run.rules.get(key, RecordRule.learn(()) if name is None else new_rule(job.method))
        if isinstance(rule, RecordRule):
            nodes = [node for path, _ in gold if (node := tree.find(path)) is not None]
            run.rules[key] = rule.learn_more([example_of_records(view, nodes)])
        else:
            example = example_of_values(view, gold)
            run.report.skipped[_NOT_SAID] += len(set(gold)) - len(example.values)
            run.rules[key] = rule.learn_more([example])


def _apply(run: _Run, page: _GoldPage) -> None:
    """Compare what the rules find on a page with its gold, but for what was learned from it."""
    rules = {
        name: rule
        for (group, name), rule in run.rules.items()
        if group == page.group
        and page.number not in run.examples[group, name]
        and (name is not None or None in page.gold)
    }
    tree = _tree(page, run) if rules else None
    if tree is None:
        return
    run.report.pages += 1
    view = View(tree)
    for name, rule in rules.items():
        gold = page.gold.get(name, ())
        if isinstance(rule, RecordRule):
            nodes = [record.node for record in rule.matches(view)]
            run.records[page.group] += _compare(tree, nodes, gold)
            continue
        found = {match.value for match in rule.matches(view)}
        overlap = Overlap(len(found & set(gold)), len(found), len(set(gold)))
        run.values[f"{page.vertical}/{name}" if page.vertical else str(name)] += overlap
        run.sites[page.group] += overlap


def _compare(tree: PageTree, nodes: Sequence[int], records: Sequence[tuple[str, str]]) -> Overlap:
    """Compare records by their elements; those left over on both sides by their texts."""
    by_node = {tree.find(path): text for path, text in records}
    same = [node for node in nodes if node in by_node]
    left = Counter(tree.value(node) for node in nodes if node not in by_node)
    missing = Counter(text for node, text in by_node.items() if node not in set(same))
    return Overlap(len(same) + (left & missing).total(), len(nodes), len(records))


def _tree(page: _GoldPage, run: _Run) -> PageTree | None:
    return run.report.readable(lambda: read_tree(Page.from_text(page.url, page.html)))


def _pages(job: Job) -> Iterator[_GoldPage]:
    for number, row in enumerate(islice(read_rows(job.gold, _NEEDS), job.limit)):
        html = row.text("html")
        if "gold" not in row.values and "gold_records" not in row.values:
            raise row.flaw(f"no 'gold' and no 'gold_records'; a line needs {_NEEDS}")
        site, vertical = row.optional("site") or "", row.optional("vertical") or ""
        group = f"{site}/{vertical}" if vertical else site
        url = row.optional("url") or GOLD_URL
        yield _GoldPage(number, group, vertical, url, html, _gold(row))


def _gold(row: Row) -> dict[str | None, tuple[Any, ...]]:
    gold = {} if row.values.get("gold") is None else row.values["gold"]
    if not isinstance(gold, dict):
        raise row.flaw(f"'gold' must be an object, not {kind_of(gold)}")
    found: dict[str | None, tuple[Any, ...]] = {}
    for name in gold:
        # Gold of this kind was cut from markup, and some of it still is markup.
        values = (fold(unescape(value)) for value in Row(row.where, gold, "gold").texts(name))
        found[name] = tuple(dict.fromkeys(value for value in values if value))
    if row.values.get("gold_records") is not None:
        records = row.objects("gold_records")
        rows = [Row(row.where, each.values, "xpath and text") for each in records]
        found[None] = tuple((each.text("xpath"), fold(each.text("text"))) for each in rows)
    return found


def _score(overlaps: dict[str, Overlap]) -> dict[str, float | None]:
    if not overlaps:
        return dict.fromkeys(("precision", "recall", "f1"))
    return {**sum(overlaps.values(), Overlap()).score.as_json()}


def _by_name(overlaps: dict[str, Overlap]) -> dict[str, object]:
    return {name: overlap.score.as_json() for name, overlap in sorted(overlaps.items())}
