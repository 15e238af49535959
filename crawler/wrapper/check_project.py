"""``scrapy wrap test``: test a project on the pages that it was taught, and on others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, UnreadablePageError, one_line
from crawler.core.wording import pad_width, width_of
from crawler.core.wrapper.example_nodes import node_at
from crawler.core.wrapper.rules import RecordRule
from crawler.core.wrapper.tree import read_tree
from crawler.core.wrapper.view import View
from crawler.wrapper.project_store import kept_pages, load_project
from crawler.wrapper.reporting import failed_scripts, misfit_line, problem_lines
from crawler.wrapper.running import ProjectRunner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from crawler.core.wrapper.example_nodes import Example
    from crawler.core.wrapper.project import Project, Rule
    from crawler.core.wrapper.tree import PageTree
    from crawler.wrapper.inputs import Inputs

_SHOWN_CHARS = 60
_SHOWN_WRONG = 20


@dataclass(slots=True)
class _Score:
    """How the examples of one element did.

    ``examples``, ``values``, ``found``
        How many examples were tested, how many values or records they have, and how many of these
        were found.
    ``wrong``
        What was not found, or found and not meant, a sentence each.
    ``absent``
        Addresses of pages that are not there.
    """

    examples: int = 0
    values: int = 0
    found: int = 0
    wrong: list[str] = field(default_factory=list)
    absent: dict[str, None] = field(default_factory=dict)


def check_project(path: Path, inputs: Inputs) -> Iterator[tuple[str, bool]]:
    """Test a project on the pages it was taught, and on others.

    Yields lines for a person, each with whether all is well by it.

    Raises:
        CorpusError: a file cannot be read, or there is nothing to test.
    """
    project = load_project(path)
    trees, others, skipped = _read_pages(project, path, inputs)
    if not project.rules:
        raise ArgumentError(f"{path} has no rules; teach it by 'scrapy wrap learn'")
    scores = {name: _score(name, project.rules[name], trees) for name in project.paths}
    width = max(map(width_of, ("element", *scores)))
    yield f"{'element':{width}}  examples  values  found", True
    for name, its in scores.items():
        numbers = f"{its.examples:8}  {its.values:6}  {its.found:5}"
        yield f"{pad_width(name, width)}  {numbers}", not its.wrong and not its.absent
    wrong = [line for its in scores.values() for line in its.wrong]
    for line in wrong[:_SHOWN_WRONG]:
        yield one_line(line), False
    if len(wrong) > _SHOWN_WRONG:
        yield f"… and {len(wrong) - _SHOWN_WRONG} more", False
    for address in dict.fromkeys(address for its in scores.values() for address in its.absent):
        problem = "this page was taught and is not there; name a saved copy"
        yield f"{one_line(address)}: {problem}", False
    yield from _test_pages(project, path, others)
    for line in skipped:
        yield one_line(line), False


def _read_pages(
    project: Project, path: Path, inputs: Inputs
) -> tuple[dict[str, PageTree], list[PageTree], list[str]]:
    """Return the pages that were taught, by fingerprint, the others, and what cannot be read."""
    taught = {example.page for rule in project.rules.values() for example in rule.examples}
    trees: dict[str, PageTree] = {}
    others: list[PageTree] = []
    skipped: list[str] = []

    def skip(*parts: str) -> None:
        skipped.append(": ".join(parts))

    kept = ((True, page) for page in kept_pages(path, skip))
    named = ((False, page) for _, page in inputs.pages(skip)) if inputs.names else ()
    for is_kept, page in chain(kept, named):
        try:
            tree = read_tree(page)
        except UnreadablePageError as error:
            skip(page.url, str(error))
            continue
        if tree.fingerprint in taught:
            trees.setdefault(tree.fingerprint, tree)
        elif not is_kept:
            # Kept pages of no rule belong to rules that were removed.
            others.append(tree)
    return trees, others, skipped


def _score(name: str, rule: Rule, trees: Mapping[str, PageTree]) -> _Score:
    """Let a rule find its examples, without remembering them."""
    score = _Score()
    for example in rule.examples:
        tree = trees.get(example.page)
        if tree is None:
            score.absent[example.address] = None
            continue
        score.examples += 1
        score.values += len(example.values)
        found, wrong = _test_example(rule, example, tree)
        score.found += found
        score.wrong += [f"{tree.url}: {name}: {line}" for line in wrong]
    return score


def _test_example(rule: Rule, example: Example, tree: PageTree) -> tuple[int, list[str]]:
    """Return how many values of an example a rule finds, and what is wrong."""
    root = tree.find(example.record) if example.record else -1
    if root is None:
        return 0, [f"there is no record at {example.record} any more"]
    view = View(tree, root)
    places = [(node_at(view, node.path), its.value) for its in example.values for node in its.nodes]
    if isinstance(rule, RecordRule):
        records = {record.node for record in rule.records(view)}
        missed = [value for node, value in places if node not in records]
        wrong = [f"the record '{_cut(value)}' was not found" for value in missed]
        return len(places) - len(missed), wrong
    # A value may be written in another way than it is taken, as a link is before it is absolute,
    # and at several places, of which a rule takes one.
    by_node = dict(places)
    waiting = Counter(its.value for its in example.values)
    wrong = []
    for match in rule.matches(view, remember=False):
        value = by_node.get(match.node, match.value)
        if waiting[value] > 0:
            waiting[value] -= 1
        elif match.node not in by_node:
            wrong.append(f"'{_cut(match.value)}' was found, and is not meant")
    missing = +waiting
    wrong += [f"'{_cut(value)}' was not found" for value in missing]
    return len(example.values) - missing.total(), wrong


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"


def _test_pages(project: Project, path: Path, trees: list[PageTree]) -> Iterator[tuple[str, bool]]:
    """Say of pages that were not taught whether they fit."""
    if not trees:
        return
    with ProjectRunner(project, path.name) as runner:
        for tree in trees:
            result = runner.run(tree, (tree.url, ""), remember=False).result
            if not result.fits:
                yield one_line(misfit_line(result)), False
                continue
            missing = f", without {', '.join(result.missing)}" if result.missing else ""
            problems = "; ".join(problem_lines(result.problems, tree.url))
            line = f"{tree.url}: fits{missing}{problems and f': {problems}'}"
            yield one_line(line), not failed_scripts(result)
