"""``scrapy wrap PROJECT INPUT…`` runs a project over pages; ``scrapy wrap test`` tests it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from crawler.core.errors import ArgumentError, UnreadablePageError, one_line
from crawler.core.page.page import Page
from crawler.core.wording import counted, fit_width, pad_width, width_of
from crawler.core.wrapper.example_nodes import Example
from crawler.core.wrapper.output import Result
from crawler.core.wrapper.project import Project, Rule
from crawler.core.wrapper.rules import RecordRule
from crawler.core.wrapper.tree import PageTree, read_tree
from crawler.core.wrapper.view import View
from crawler.store.files import replacing
from crawler.wrapper.documents import document
from crawler.wrapper.project_store import Inputs, kept_pages, load_project
from crawler.wrapper.running import DEBUG, TOLD, ProjectRunner, SaveFolder

_FORMATS = {".xml": "xml", ".csv": "csv", **dict.fromkeys((".jsonl", ".jl", ".jsonlines"), "jsonl")}
_SHOWN_WIDTH = 60
_SHOWN_WRONG = 20


@dataclass(frozen=True, slots=True)
class ProjectRun:
    """One call of ``scrapy wrap PROJECT INPUT…``.

    ``write``
        Takes the output where it goes to no file.
    ``tell``
        Takes lines for a person.
    ``format``
        ``xml``, ``jsonl`` or ``csv``; None for that of the name of ``output``, or XML.
    ``rows``
        In JSON Lines, write a line a record and not a page.
    ``args``
        Further arguments for scripts.
    ``saves``
        The folder of what the project saves itself; None for none.
    """

    path: Path
    write: Callable[[str], object]
    tell: Callable[[str], object]
    output: Path | None = None
    format: str | None = None
    rows: bool = False
    args: tuple[str, ...] = ()
    saves: Path | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def run(self, inputs: Inputs) -> bool:
        """Run the project over pages; return whether all of them fit and nothing failed.

        Args:
            inputs: the pages; without any, those that the project loads.

        Raises:
            CorpusError: the call is wrong, or a file cannot be read or written.
        """
        project = load_project(self.path)
        form = self._format()
        args = ("" if self.output is None else str(self.output), *self.args)
        inputs = inputs.of_project(project, ("", *args))
        alone, pages = inputs.is_one_page, inputs.trees(self._skip)
        with ExitStack() as stack:
            runner = stack.enter_context(closing(ProjectRunner(project, self.path.name)))
            results = self._results(runner, args, pages)
            first = next(results, None)
            # Of a single page that does not fit nothing is written.
            if first is not None or not alone:
                write = self.write
                if self.output is not None:
                    # Where a link leads to a file, that one is replaced.
                    aside = stack.enter_context(replacing(self.output.resolve()))
                    # Halves of characters in an argument have no form in UTF-8.
                    out = aside.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
                    write = stack.enter_context(out).write
                found = results if first is None else chain([first], results)
                schema, rows = project.schema, self.rows
                for piece in document(form, schema, found, alone=alone, by_record=rows):
                    write(piece)
        return self._summarize()

    def _format(self) -> str:
        form, output = self.format or "xml", self.output
        if output is not None:
            form = self.format or _FORMATS.get(output.suffix.lower(), "")
            is_project = output.resolve() == self.path.resolve()
            if is_project or (output.exists() and not output.is_file()):
                raise ArgumentError(f"{output} is the project, or no file; name another file")
        if not form:
            raise ArgumentError(
                f"the name {output} has no known format; let it end in .xml, .jsonl or .csv, or "
                "add --format"
            )
        if self.rows and form != "jsonl":
            raise ArgumentError("--rows is for JSON Lines; CSV has a row a record in any case")
        return form

    def _results(
        self,
        runner: ProjectRunner,
        args: tuple[str, ...],
        pages: Iterator[tuple[str, int, PageTree]],
    ) -> Iterator[Result]:
        """Yield the results of the pages that fit, in their order; count and report all pages."""
        folder = SaveFolder(self.saves, "--saves", self.tell)
        for name, _, tree in pages:
            wrapped = runner.run(tree, (name, *args))
            result = wrapped.result
            self.counts["fit" if result.fits else "no longer fit"] += 1
            self.counts["with failed scripts"] += wrapped.failed > 0
            self.counts["further"] += len(wrapped.urls)
            for kind, line, *_ in wrapped.told():
                if result.fits or kind in TOLD:
                    self.tell(f"{result.url}: {line}")
            if result.fits:
                # The output itself is written by the command.
                saves = [saved for saved in wrapped.saves if saved[0] != args[0]]
                self.counts["not saved"] += sum(not folder.save(*saved) for saved in saves)
                yield result

    def _skip(self, url: str, reason: str, detail: str) -> None:
        self.counts["unreadable"] += 1
        self.tell(f"{url}: {reason}: {detail}")

    def _summarize(self) -> bool:
        """Tell the numbers of pages; return whether all is well."""
        fit, further = self.counts.pop("fit", 0), self.counts.pop("further", 0)
        if further:
            self.tell(
                f"scripts asked for {counted(further, 'further page')}, not fetched here; 'scrapy "
                "crawl wrapper' does"
            )
        pages = fit + self.counts["no longer fit"] + self.counts["unreadable"]
        flaws = [f"{number:,} {what}" for what, number in self.counts.items() if number]
        if pages > 1 or flaws:
            self.tell(", ".join((counted(pages, "page"), f"{fit:,} fit", *flaws)))
        return not flaws


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
    width = max(map(width_of, ("element", *project.paths)))
    yield f"{'element':{width}}  examples  values  found", True
    wrong: list[str] = []
    absent: dict[str, None] = {}
    for name in project.paths:
        rule = project.rules[name]
        tested = [(its, trees[its.page]) for its in rule.examples if its.page in trees]
        outcomes = [_test_example(rule, example, tree) for example, tree in tested]
        values = sum(len(example.values) for example, _ in tested)
        found = sum(number for number, _ in outcomes)
        numbers = f"{len(tested):8}  {values:6}  {found:5}"
        flaws = [
            f"{tree.url}: {name}: {flaw}"
            for (_, tree), (_, flaws) in zip(tested, outcomes, strict=True)
            for flaw in flaws
        ]
        is_well = not flaws and len(tested) == len(rule.examples)
        yield f"{pad_width(name, width)}  {numbers}", is_well
        wrong += flaws
        absent |= {its.address: None for its in rule.examples if its.page not in trees}
    if len(wrong) > _SHOWN_WRONG:
        wrong[_SHOWN_WRONG:] = [f"… and {len(wrong) - _SHOWN_WRONG} more"]
    lacking = "this page was taught and is not there; name a saved copy"
    for line in (*wrong, *(f"{address}: {lacking}" for address in absent)):
        yield one_line(line), False
    if others:
        with closing(ProjectRunner(project, path.name)) as runner:
            yield from (_test_page(runner, tree) for tree in others)
    for line in skipped:
        yield one_line(line), False


def _read_pages(
    project: Project, path: Path, inputs: Inputs
) -> tuple[dict[str, PageTree], list[PageTree], list[str]]:
    """Return the pages that were taught, by fingerprint, the others, and what cannot be read."""
    taught = project.taught_by
    trees: dict[str, PageTree] = {}
    others: list[PageTree] = []
    skipped: list[str] = []

    def skip(*parts: str) -> None:
        skipped.append(": ".join(parts))

    kept: Iterator[tuple[str | None, Page]] = ((None, page) for page in kept_pages(path, skip))
    for name, page in chain(kept, inputs.pages(skip)):
        try:
            tree = read_tree(page)
        except UnreadablePageError as error:
            skip(page.url, str(error))
            continue
        if tree.fingerprint in taught:
            trees.setdefault(tree.fingerprint, tree)
        elif name is not None:
            # Kept pages of no rule belong to rules that were removed.
            others.append(tree)
    return trees, others, skipped


def _test_example(rule: Rule, example: Example, tree: PageTree) -> tuple[int, list[str]]:
    """Let a rule find an example, without remembering it.

    Returns:
        How many values of the example it finds, and what is wrong.
    """
    root = tree.find(example.record) if example.record else -1
    if root is None:
        return 0, [f"there is no record at {example.record} any more"]
    view = View(tree, root)
    places = [(view.find(node.path), its.value) for its in example.values for node in its.nodes]
    if isinstance(rule, RecordRule):
        records = {record.node for record in rule.matches(view)}
        missed = [value for node, value in places if node not in records]
        wrong = [f"the record '{fit_width(value, _SHOWN_WIDTH)}' was not found" for value in missed]
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
            wrong.append(f"'{fit_width(match.value, _SHOWN_WIDTH)}' was found, and is not meant")
    missing = +waiting
    wrong += [f"'{fit_width(value, _SHOWN_WIDTH)}' was not found" for value in missing]
    return len(example.values) - missing.total(), wrong


def _test_page(runner: ProjectRunner, tree: PageTree) -> tuple[str, bool]:
    """Say of a page that was not taught whether it fits."""
    wrapped = runner.run(tree, (tree.url, ""), remember=False)
    result = wrapped.result
    missing = f"fits, without {', '.join(result.missing)}" if result.missing else "fits"
    lines = [its.text for its in wrapped.told() if its.kind != DEBUG]
    told = "; ".join([missing, *lines] if result.fits else lines[:1])
    return one_line(f"{tree.url}: {told}"), result.fits and not wrapped.failed
