"""The task ``wrapper``: what a rule that has learned from a site's first pages finds on the rest.

Each attribute of each site is learned from the first pages that have it, and looked for on all
others of the site. Where gold knows verticals, a site's pages of one vertical are a site. Files are
read three times: to choose the examples, to learn, and to try; no page is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Any

from crawler.core.errors import UnreadableInputError, UnreadablePageError
from crawler.core.page.page import Page
from crawler.core.wrapper.example_nodes import Example, Survey, example_of_values
from crawler.core.wrapper.matchers import DEFAULT_MATCHER, new_rule
from crawler.core.wrapper.records import RecordRule, example_of_records
from crawler.core.wrapper.tree import fold, read_tree
from crawler.core.wrapper.view import View
from crawler.evaluation.gold import kind_of, read_rows, text_of
from crawler.evaluation.report import Report
from crawler.evaluation.scores import Overlap
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.core.wrapper.matchers import FieldRule
    from crawler.core.wrapper.tree import PageTree
    from crawler.evaluation.report import Job
    from crawler.evaluation.scores import Score

__all__ = ["WrapperTask"]

_NEEDS = "html and gold, or html and gold_records"
_NOT_SAID = "value-not-on-page"
_NOT_LEARNED = "records-need-best"


@dataclass(frozen=True, slots=True)
class _GoldPage:
    """A page, the values of its attributes, and the elements and texts of its records.

    ``records`` is None where the gold does not speak of records.
    """

    number: int
    group: str
    vertical: str
    url: str
    html: str
    values: dict[str, tuple[str, ...]]
    records: tuple[tuple[str, str], ...] | None


_Field = tuple[str, str]
"""A group of pages and the name of an attribute."""


@dataclass(slots=True)
class _Plan:
    """Which pages are examples of what, and what was learned from them."""

    fields: defaultdict[_Field, list[int]] = field(default_factory=lambda: defaultdict(list))
    lists: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    rules: dict[_Field, FieldRule] = field(default_factory=dict)
    seen: defaultdict[str, list[Example]] = field(default_factory=lambda: defaultdict(list))
    record_rules: dict[str, RecordRule] = field(default_factory=dict)


@dataclass(slots=True)
class _Tally:
    values: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    sites: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    records: defaultdict[str, Overlap] = field(default_factory=lambda: defaultdict(Overlap))
    skipped: Counter[str] = field(default_factory=Counter)
    pages: int = 0


class WrapperTask:
    """Measures rules learned from examples."""

    name = "wrapper"
    has_curves = False
    default_method = DEFAULT_MATCHER

    def run(self, job: Job) -> Report:
        """Learn, try, and report.

        Raises:
            UnreadableInputError: The gold files cannot be used, or hold no page.
            UnknownMethodError: There is no matcher of that name.
        """
        new_rule(job.method)  # A wrong name is told before a file is opened.
        plan, tally = _plan(job), _Tally()
        _learn(job, plan, tally)
        _try(job, plan, tally)
        return Report(
            task=self.name,
            method=job.method,
            pages=tally.pages,
            sites=len({group for group, _ in plan.fields} | set(plan.lists)),
            figures=_figures(job, tally),
            tables=_tables(tally),
        )


def _plan(job: Job) -> _Plan:
    plan = _Plan()
    pages = 0
    for page in _pages(job):
        pages += 1
        for name, values in page.values.items():
            examples = plan.fields[page.group, name]
            if values and len(examples) < job.examples:
                examples.append(page.number)
        if page.records is not None:
            examples = plan.lists[page.group]
            if page.records and len(examples) < job.examples:
                examples.append(page.number)
    if not pages:
        names = ", ".join(str(path) for path in job.gold)
        raise UnreadableInputError(f"{names}: no gold pages; each line is one JSON object")
    return plan


def _learn(job: Job, plan: _Plan, tally: _Tally) -> None:
    wanted = {page for pages in (*plan.fields.values(), *plan.lists.values()) for page in pages}
    for page in _pages(job):
        if page.number not in wanted:
            continue
        tree = _tree(page, tally)
        if tree is None:
            continue
        view = View(tree)
        survey = Survey(view)
        for name, values in page.values.items():
            if page.number in plan.fields[page.group, name]:
                example = example_of_values(survey, values)
                tally.skipped[_NOT_SAID] += len(set(values)) - len(example.wanted)
                rule = plan.rules.get((page.group, name), new_rule(job.method))
                plan.rules[page.group, name] = rule.taught(view, example)
        if page.records and page.number in plan.lists[page.group]:
            nodes = [tree.find(path) for path, _ in page.records]
            plan.seen[page.group].append(
                example_of_records(survey, [node for node in nodes if node is not None])
            )
    if plan.seen and job.method != DEFAULT_MATCHER:
        # A published rule finds one node a page.
        tally.skipped[_NOT_LEARNED] += sum(map(len, plan.seen.values()))
        plan.seen.clear()
    for group, examples in plan.seen.items():
        plan.record_rules[group] = RecordRule.learned(examples)


def _try(job: Job, plan: _Plan, tally: _Tally) -> None:
    for page in _pages(job):
        fields = {
            name: rule
            for (group, name), rule in plan.rules.items()
            if group == page.group and page.number not in plan.fields[group, name]
        }
        lists = plan.record_rules.get(page.group)
        if page.records is None or page.number in plan.lists[page.group]:
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
    rows = enumerate(read_rows(job.gold, _NEEDS))
    for number, (where, row) in islice(rows, job.limit):
        yield _gold_page(number, row, where)


def _gold_page(number: int, row: dict[str, Any], where: str) -> _GoldPage:
    html = text_of(row, "html", where, _NEEDS)
    if "gold" not in row and "gold_records" not in row:
        raise UnreadableInputError(
            f"{where}: no 'gold' and no 'gold_records'; a line needs {_NEEDS}"
        )
    site, vertical, url = (_named(row, key, where) for key in ("site", "vertical", "url"))
    return _GoldPage(
        number=number,
        group=f"{site}/{vertical}" if vertical else site,
        vertical=vertical,
        url=url or "https://gold.example/",
        html=html,
        values=_values(row.get("gold"), where),
        records=_records(row.get("gold_records"), where),
    )


def _named(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not (value is None or isinstance(value, str)):
        raise UnreadableInputError(f"{where}: '{key}' must be a string, not {kind_of(value)}")
    return value or ""


def _values(gold: object, where: str) -> dict[str, tuple[str, ...]]:
    if gold is None:
        return {}
    if not isinstance(gold, dict):
        raise UnreadableInputError(f"{where}: 'gold' must be an object, not {kind_of(gold)}")
    found: dict[str, tuple[str, ...]] = {}
    for name, values in gold.items():
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise UnreadableInputError(
                f"{where}: '{name}' of gold must be a list of strings; one value is a list of one"
            )
        # Gold of this kind was cut from markup, and some of it still is markup.
        folded = (fold(unescape(value)) for value in values)
        found[name] = tuple(dict.fromkeys(value for value in folded if value))
    return found


def _records(gold: object, where: str) -> tuple[tuple[str, str], ...] | None:
    if gold is None:
        return None
    if not isinstance(gold, list):
        raise UnreadableInputError(f"{where}: 'gold_records' must be a list, not {kind_of(gold)}")
    found = []
    for record in gold:
        path = record.get("xpath") if isinstance(record, dict) else None
        text = record.get("text") if isinstance(record, dict) else None
        if not isinstance(path, str) or not isinstance(text, str):
            raise UnreadableInputError(
                f"{where}: each of 'gold_records' must be an object with the strings xpath and text"
            )
        found.append((path, fold(text)))
    return tuple(found)


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
    return {**figures, "skipped": dict(sorted((+tally.skipped).items()))}


def _score(overlaps: dict[str, Overlap]) -> Score | None:
    return sum(overlaps.values(), Overlap()).score if overlaps else None


def _by_name(overlaps: dict[str, Overlap]) -> dict[str, object]:
    return {name: overlap.score.as_json() for name, overlap in sorted(overlaps.items())}


def _tables(tally: _Tally) -> tuple[Table, ...]:
    tables = [
        _table("attribute", "all values together", tally.values),
        _table("site", "all values together", tally.sites),
        _table("records of site", "all records together", tally.records),
    ]
    if skipped := +tally.skipped:
        rows = tuple((reason, str(number)) for reason, number in sorted(skipped.items()))
        tables.append(Table("left out", ("number",), rows))
    return tuple(table for table in tables if table.rows)


def _table(title: str, last: str, overlaps: dict[str, Overlap]) -> Table:
    rows = [(name, overlap.score) for name, overlap in sorted(overlaps.items())]
    if whole := _score(overlaps):
        rows.append((last, whole))
    return Table(
        title,
        ("precision", "recall", "F1"),
        tuple(
            (name, f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}")
            for name, score in rows
        ),
    )
