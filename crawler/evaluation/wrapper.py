"""The task ``wrapper``: what rules learned from a site's first pages find on the other pages.

Each attribute of each site is learned from the first pages that have it, and looked for on all
others of the site. Where gold knows verticals, a site's pages of one vertical are a site. Files are
read twice: to learn and to apply; no page is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadablePageError
from crawler.core.page.page import Page
from crawler.core.wrapper.example_nodes import Example, PageEvidence, example_of_values
from crawler.core.wrapper.project import DEFAULT_MATCHER, new_rule
from crawler.core.wrapper.rules import RecordRule, example_of_records
from crawler.core.wrapper.tree import fold, read_tree
from crawler.core.wrapper.view import View
from crawler.evaluation.gold import GOLD_URL, Row, kind_of, read_rows
from crawler.evaluation.scores import Overlap
from crawler.evaluation.task import Report, sorted_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.core.wrapper.project import FieldRule
    from crawler.core.wrapper.tree import PageTree
    from crawler.evaluation.scores import Score
    from crawler.evaluation.task import Job

_NEEDS = "html and gold, or html and gold_records"
_NOT_SAID = "value-not-on-page"
_NOT_LEARNED = "records-need-best"


@dataclass(frozen=True, slots=True)
class _GoldPage:
    """A page, the values of its attributes, and the elements and texts of its records.

    ``records`` is None where the gold knows nothing of records.
    """

    number: int
    group: str
    vertical: str
    url: str
    html: str
    values: dict[str, tuple[str, ...]]
    records: tuple[tuple[str, str], ...] | None


_Field = tuple[str, str]
"""A group of pages (site and vertical) and the name of an attribute."""


@dataclass(slots=True)
class _Learned:
    """Which pages are examples of what, by their numbers, and what was learned from them."""

    examples: defaultdict[_Field, list[int]] = field(default_factory=lambda: defaultdict(list))
    rules: dict[_Field, FieldRule] = field(default_factory=dict)
    lists: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    record_rules: dict[str, RecordRule] = field(default_factory=dict)


@dataclass(slots=True)
class _Tally:
    values: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    sites: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    records: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    skipped: Counter[str] = field(default_factory=Counter)
    pages: int = 0


def measure_wrapper(job: Job) -> Report:
    """Learn rules from the examples, apply them to the other pages, and report.

    Raises:
        UnreadableInputError: the gold files cannot be used, or hold no page.
        UnknownMethodError: there is no matcher of that name.
    """
    new_rule(job.method)  # Refuse a wrong name before a file is opened.
    tally = _Tally()
    learned = _learn(job, tally)
    _apply(job, learned, tally)
    return Report(
        pages=tally.pages,
        sites=len({group for group, _ in learned.examples} | set(learned.lists)),
        figures=_figures(job, tally),
    )


def _learn(job: Job, tally: _Tally) -> _Learned:
    """Learn each field, and the records, of each group from the first pages that have them."""
    learned = _Learned()
    seen: defaultdict[str, list[Example]] = defaultdict(list)
    page = None
    for page in _pages(job):
        taught = [
            name
            for name, values in page.values.items()
            if _is_example(learned.examples[page.group, name], page, job, known=bool(values))
        ]
        has_records = page.records is not None and _is_example(
            learned.lists[page.group], page, job, known=bool(page.records)
        )
        tree = _tree(page, tally) if taught or has_records else None
        if tree is None:
            continue
        view = View(tree)
        evidence = PageEvidence(view)
        for name in taught:
            values = page.values[name]
            example = example_of_values(evidence, values)
            tally.skipped[_NOT_SAID] += len(set(values)) - len(example.values)
            rule = learned.rules.get((page.group, name), new_rule(job.method))
            learned.rules[page.group, name] = rule.learn_page(view, example)
        if has_records:
            nodes = [tree.find(path) for path, _ in page.records or ()]
            seen[page.group].append(
                example_of_records(evidence, [node for node in nodes if node is not None])
            )
    if page is None:
        raise job.no_gold("gold pages", _NEEDS)
    if job.method == DEFAULT_MATCHER:
        learned.record_rules = {group: RecordRule.learn(seen[group]) for group in seen}
    else:
        # The rule of the paper finds one node a page.
        tally.skipped[_NOT_LEARNED] += sum(map(len, seen.values()))
    return learned


def _is_example(numbers: list[int], page: _GoldPage, job: Job, *, known: bool) -> bool:
    """Add a page to the examples of a field where one is wanted; say whether it was added."""
    if known and len(numbers) < job.examples:
        numbers.append(page.number)
        return True
    return False


def _apply(job: Job, learned: _Learned, tally: _Tally) -> None:
    for page in _pages(job):
        fields = {
            name: rule
            for (group, name), rule in learned.rules.items()
            if group == page.group and page.number not in learned.examples[group, name]
        }
        lists = learned.record_rules.get(page.group)
        if page.records is None or page.number in learned.lists[page.group]:
            lists = None
        tree = _tree(page, tally) if fields or lists else None
        if tree is None:
            continue
        tally.pages += 1
        view = View(tree)
        for name, rule in fields.items():
            found = {match.value for match in rule.matches(view)}
            right = set(page.values.get(name, ()))
            overlap = Overlap(len(found & right), len(found), len(right))
            attribute = f"{page.vertical}/{name}" if page.vertical else name
            tally.values[attribute] += overlap
            tally.sites[page.group] += overlap
        if lists is not None and page.records is not None:
            nodes = [record.node for record in lists.records(view)]
            tally.records[page.group] += _compare(tree, nodes, page.records)


def _compare(tree: PageTree, nodes: Sequence[int], records: Sequence[tuple[str, str]]) -> Overlap:
    """Compare records by their elements; those left over on both sides by their texts."""
    by_node = {tree.find(path): text for path, text in records}
    same = [node for node in nodes if node in by_node]
    left = Counter(tree.value(node) for node in nodes if node not in by_node)
    missing = Counter(text for node, text in by_node.items() if node not in set(same))
    return Overlap(len(same) + (left & missing).total(), len(nodes), len(records))


def _tree(page: _GoldPage, tally: _Tally) -> PageTree | None:
    try:
        return read_tree(Page.from_text(page.url, page.html))
    except UnreadablePageError as error:
        tally.skipped[error.reason] += 1
        return None


def _pages(job: Job) -> Iterator[_GoldPage]:
    for number, row in enumerate(islice(read_rows(job.gold, _NEEDS), job.limit)):
        html = row.text("html")
        if "gold" not in row.values and "gold_records" not in row.values:
            raise row.flaw(f"no 'gold' and no 'gold_records'; a line needs {_NEEDS}")
        site, vertical = row.optional("site") or "", row.optional("vertical") or ""
        yield _GoldPage(
            number=number,
            group=f"{site}/{vertical}" if vertical else site,
            vertical=vertical,
            url=row.optional("url") or GOLD_URL,
            html=html,
            values=_values(row),
            records=_records(row),
        )


def _values(row: Row) -> dict[str, tuple[str, ...]]:
    gold = row.values.get("gold")
    if gold is None:
        return {}
    if not isinstance(gold, dict):
        raise row.flaw(f"'gold' must be an object, not {kind_of(gold)}")
    found: dict[str, tuple[str, ...]] = {}
    for name in gold:
        values = Row(row.where, gold, "gold").texts(name)
        # Gold of this kind was cut from markup, and some of it still is markup.
        folded = (fold(unescape(value)) for value in values)
        found[name] = tuple(dict.fromkeys(value for value in folded if value))
    return found


def _records(row: Row) -> tuple[tuple[str, str], ...] | None:
    if row.values.get("gold_records") is None:
        return None
    records = (
        Row(row.where, each.values, "xpath and text") for each in row.objects("gold_records")
    )
    return tuple((record.text("xpath"), fold(record.text("text"))) for record in records)


def _figures(job: Job, tally: _Tally) -> dict[str, object]:
    values = _score(tally.values)
    figures: dict[str, object] = {
        "examples": job.examples,
        "precision": values.precision if values else None,
        "recall": values.recall if values else None,
        "f1": values.f1 if values else None,
        "per_attribute": _by_name(tally.values),
        "per_site": _by_name(tally.sites),
    }
    if records := _score(tally.records):
        figures["records"] = {**records.as_json(), "per_site": _by_name(tally.records)}
    return {**figures, "skipped": sorted_counts(tally.skipped)}


def _score(overlaps: dict[str, Overlap]) -> Score | None:
    return sum(overlaps.values(), Overlap()).score if overlaps else None


def _by_name(overlaps: dict[str, Overlap]) -> dict[str, object]:
    return {name: overlap.score.as_json() for name, overlap in sorted(overlaps.items())}
