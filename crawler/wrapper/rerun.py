"""``scrapy wrap test``: try a project again on the pages that it was taught, and on others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, CorpusError, one_line
from crawler.core.wording import pad_width, width_of
from crawler.core.wrapper.example_nodes import node_at
from crawler.core.wrapper.records import RecordRule
from crawler.core.wrapper.shaping import SCRIPT_FAILED
from crawler.core.wrapper.tree import read_tree
from crawler.core.wrapper.view import View
from crawler.wrapper.batch import misfit_line, told_once
from crawler.wrapper.files import kept_pages, load_project
from crawler.wrapper.running import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from crawler.core.page.page import Page
    from crawler.core.wrapper.example_nodes import Example
    from crawler.core.wrapper.project import Project, Rule
    from crawler.core.wrapper.tree import PageTree
    from crawler.wrapper.inputs import Inputs

__all__ = ["Trial", "try_again", "try_project"]

_SHOWN_CHARS = 60
_SHOWN_UNMET = 20


@dataclass(slots=True)
class Trial:
    """What came of the examples of one element.

    ``examples``
        How many were tried.
    ``values``
        How many values, or records, they have.
    ``found``
        How many of those were found.
    ``unmet``
        What was otherwise, a sentence each.
    ``absent``
        Addresses of pages that are not at hand.
    """

    element: str
    examples: int = 0
    values: int = 0
    found: int = 0
    unmet: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def try_again(project: Project, pages: Mapping[str, PageTree]) -> Iterator[Trial]:
    """Let each rule find anew what it was taught, without remembering it.

    Args:
        project: the project.
        pages: pages by their fingerprints.
    """
    for path in project.paths:
        rule = project.rules[path]
        trial = Trial(path)
        for example in rule.examples:
            tree = pages.get(example.page)
            if tree is None:
                trial.absent.append(example.address)
            else:
                _try(trial, rule, example, tree)
        trial.absent = list(dict.fromkeys(trial.absent))
        yield trial


def _try(trial: Trial, rule: Rule, example: Example, tree: PageTree) -> None:
    trial.examples += 1
    trial.values += len(example.wanted)
    where = f"{tree.url}: {trial.element}"
    root = tree.find(example.record) if example.record else -1
    if root is None:
        trial.unmet.append(f"{where}: there is no record at {example.record} any more")
        return
    view = View(tree, root)
    if isinstance(rule, RecordRule):
        found = {record.node for record in rule.records(view)}
        for wanted in example.wanted:
            if node_at(view, wanted.sightings[0].path) in found:
                trial.found += 1
            else:
                trial.unmet.append(f"{where}: the record '{_short(wanted.value)}' was not found")
        return
    # A value may be said differently than it is taken, as a link is before it is absolute, and at
    # several places, of which a rule takes one.
    expected = {
        node_at(view, sighting.path): wanted.value
        for wanted in example.wanted
        for sighting in wanted.sightings
    }
    missed = Counter(wanted.value for wanted in example.wanted)
    for match in rule.matches(view, remember=False):
        value = expected.get(match.node, match.value)
        if missed[value] > 0:
            missed[value] -= 1
            trial.found += 1
        elif match.node not in expected:
            trial.unmet.append(f"{where}: '{_short(match.value)}' was found, and is not meant")
    for value in +missed:
        trial.unmet.append(f"{where}: '{_short(value)}' was not found")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"


def try_project(path: Path, inputs: Inputs) -> Iterator[tuple[str, bool]]:
    """Try a project on the pages it was taught, and on others.

    Yields lines for a person, each with whether all is well by it.

    Raises:
        CorpusError: a file cannot be read, or there is nothing to try.
    """
    project = load_project(path)
    skipped: list[str] = []
    trees: dict[str, PageTree] = {}
    others: list[PageTree] = []
    taught = {example.page for rule in project.rules.values() for example in rule.examples}

    def pass_over(*told: str) -> None:
        skipped.append(": ".join(told))

    for page in kept_pages(path, pass_over):
        # Pages of rules that are there no more are neither examples nor news.
        _sort(page, taught, trees, [], pass_over)
    for _, page in inputs.pages(pass_over) if inputs.names else ():
        _sort(page, taught, trees, others, pass_over)
    if not project.rules:
        raise ArgumentError(f"{path} has no rules; teach it by 'scrapy wrap learn'")
    trials = list(try_again(project, trees))
    width = max(width_of(its) for its in ("element", *project.paths))
    yield f"{'element':{width}}  examples  values  found", True
    for trial in trials:
        name = pad_width(trial.element, width)
        yield (
            f"{name}  {trial.examples:8}  {trial.values:6}  {trial.found:5}",
            not trial.unmet and not trial.absent,
        )
    yield from _unmet(trials)
    yield from _fitting(project, path, others)
    for line in skipped:
        yield one_line(line), False


def _sort(
    page: Page,
    taught: set[str],
    trees: dict[str, PageTree],
    others: list[PageTree],
    pass_over: Callable[[str, str], None],
) -> None:
    try:
        tree = read_tree(page)
    except CorpusError as error:
        pass_over(page.url, str(error))
        return
    if tree.fingerprint in taught:
        trees.setdefault(tree.fingerprint, tree)
    else:
        others.append(tree)


def _unmet(trials: Sequence[Trial]) -> Iterator[tuple[str, bool]]:
    unmet = [line for trial in trials for line in trial.unmet]
    for line in unmet[:_SHOWN_UNMET]:
        yield one_line(line), False
    if len(unmet) > _SHOWN_UNMET:
        yield f"… and {len(unmet) - _SHOWN_UNMET} more", False
    for address in dict.fromkeys(address for trial in trials for address in trial.absent):
        yield (
            f"{one_line(address)}: this page was taught and is not at hand; name a saved copy",
            False,
        )


def _fitting(
    project: Project, path: Path, others: Sequence[PageTree]
) -> Iterator[tuple[str, bool]]:
    if not others:
        return
    with Wrapper(project, path.name) as wrapper:
        for tree in others:
            result = wrapper.run(tree, (tree.url, ""), remember=False).result
            if result.fits:
                rest = f", without {', '.join(result.missing)}" if result.missing else ""
                told = "; ".join(told_once(result.problems, tree.url))
                failed = any(its.reason == SCRIPT_FAILED for its in result.problems)
                yield one_line(f"{tree.url}: fits{rest}{told and f': {told}'}"), not failed
            else:
                yield one_line(misfit_line(result)), False
