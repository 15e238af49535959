"""Running a project on a page, with its scripts. Blocks while scripts run; knows no Scrapy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError
from crawler.core.page.page import Page
from crawler.core.wrapper.output import (
    MISSING,
    SCRIPT_FAILED,
    Problem,
    apply_project,
    as_xml,
    fit_to_schema,
    fits,
)
from crawler.core.wrapper.project import Load, Save, Script
from crawler.core.wrapper.schema import may_repeat
from crawler.core.wrapper.tree import read_tree
from crawler.scripting.calls import NodeArgument, ScriptError, script_page
from crawler.scripting.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.wrapper.output import Node, Result
    from crawler.core.wrapper.project import Project, Source
    from crawler.core.wrapper.tree import PageTree
    from crawler.scripting.calls import Argument, Limits, ScriptPage


@dataclass(frozen=True, slots=True)
class Saved:
    """An output that a project asked to have saved: the file name it gave, and the XML."""

    file: str
    xml: str


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What a project did on a page.

    ``result``
        The output in the shape of the schema, and what does not fit.
    ``debug``
        Lines of scripts for ``system.Debug``.
    ``urls``
        Addresses that scripts asked for, as they gave them.
    ``saves``
        Outputs to be saved, in order. The names are not checked.
    """

    result: Result
    debug: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    saves: tuple[Saved, ...] = ()


class ProjectRunner(AbstractContextManager["ProjectRunner"]):
    """Runs one project on page after page.

    First the rules fill the schema. Then the actions are done in order: scripts change the output,
    and ``save`` takes it as it is then. A script that fails on a page is a problem of that page:
    what it did is undone, and the page goes on.

    Args:
        project: the project.
        name: how errors call it, such as the name of its file.
        limits: what each script may use on a page.

    Raises:
        ScriptsNotInstalledError: it has scripts, and no engine is installed.
    """

    def __init__(self, project: Project, name: str, *, limits: Limits | None = None) -> None:
        self.project = project
        self.name = name
        self._sandbox = Sandbox(limits)
        if project.scripts:
            # A missing engine must be reported before a page is fetched.
            blank = script_page(read_tree(Page.from_text("about:blank", "<p>-</p>")))
            self._sandbox.run("function main() {}", blank)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that runs scripts."""
        self._sandbox.close()

    def run(self, tree: PageTree, args: Sequence[str] = (), *, remember: bool = True) -> Wrapped:
        """Run the project on a page.

        Args:
            tree: the page.
            args: arguments of the call, as scripts and ``save`` see them: the page as it was
                named, the output as it was named, and further ones.
            remember: see :func:`~crawler.core.wrapper.output.apply_project`.
        """
        result = apply_project(self.project, tree, remember=remember)
        run = _PageRun(self.project, self._sandbox, tree, result, tuple(args), result.root)
        for number, action in enumerate(self.project.actions, start=1):
            if isinstance(action, Script):
                run.script(action, f"{self.name}, action {number}")
            elif isinstance(action, Save):
                run.save(_name_of(action.file, args))
        return run.wrapped()


def addresses_of(project: Project, args: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses of the pages that a project loads, in order.

    Raises:
        ArgumentError: it names one by an argument that was not given.
    """
    sources = [action.address for action in project.actions if isinstance(action, Load)]
    for source in sources:
        if not _name_of(source, args):
            raise ArgumentError(
                f"the project loads the page that argument {source.argument} names; give it"
                if source.argument is not None
                else "the project loads a page without an address; name the page"
            )
    return tuple(_name_of(source, args) for source in sources)


def _name_of(source: Source, args: Sequence[str]) -> str:
    if source.argument is None:
        return source.fixed
    return args[source.argument] if source.argument < len(args) else ""


@dataclass(slots=True)
class _PageRun:
    """One page on its way through the actions.

    ``output``
        The output as the last script left it.
    ``page``
        The page for scripts; None before the first.
    """

    project: Project
    sandbox: Sandbox
    tree: PageTree
    result: Result
    args: tuple[str, ...]
    output: Node
    page: ScriptPage | None = None
    problems: list[Problem] = field(default_factory=list)
    debug: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    saves: list[Saved] = field(default_factory=list)

    def script(self, action: Script, name: str) -> None:
        """Run a script."""
        if self.page is None:
            self.page = script_page(self.tree)
        try:
            done = self.sandbox.run(
                action.script,
                self.page,
                [self._argument(path) for path in action.rules],
                output=self.output,
                args=self.args,
                name=name,
            )
        except ScriptError as error:
            self.debug += error.debug
            self.problems.append(Problem("", SCRIPT_FAILED, str(error)))
            return
        self.output = done.output
        self.debug += done.debug
        self.urls += done.urls
        for file in done.saves:
            self.save(file)

    def save(self, file: str) -> None:
        """Take the output as it is to be saved, unless there is no name for it."""
        if file:
            self.saves.append(Saved(file, as_xml(self._fitted()[0])))

    def wrapped(self) -> Wrapped:
        """Return what was done."""
        result = self.result
        if self.page is not None:
            root, problems = self._fitted()
            # What was missing may have been added; what was not is among the new problems.
            own = [problem for problem in result.problems if problem.reason != MISSING]
            problems = (*own, *self.problems, *problems)
            still_fits = fits(self.project, result.missing, problems)
            result = replace(result, root=root, problems=problems, fits=still_fits)
        return Wrapped(result, tuple(self.debug), tuple(self.urls), tuple(self.saves))

    def _fitted(self) -> tuple[Node, tuple[Problem, ...]]:
        if self.page is None:
            return self.output, ()
        return fit_to_schema(self.output, self.project.schema)

    def _argument(self, path: str) -> Argument:
        """Return what a rule found: a node or null, or an array where there can be several."""
        nodes = []
        for found in self.result.found.get(path, ()):
            place, _, attribute = found.source.partition("/@")
            if place:
                node = self.tree.find(place)
                assert node is not None  # noqa: S101 - it was found on this very page
                nodes.append(NodeArgument(node, attribute))
        if may_repeat(self.project.schema, path):
            return tuple(nodes)
        return nodes[0] if nodes else None
