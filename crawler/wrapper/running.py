"""A project on a page, scripts and all. Knows nothing of Scrapy, and blocks while scripts run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Self

from crawler.core.errors import ArgumentError
from crawler.core.page.page import Page
from crawler.core.wrapper.applying import MISSING, Problem, apply_project, does_fit
from crawler.core.wrapper.output import as_xml
from crawler.core.wrapper.project import Load, Save, Script
from crawler.core.wrapper.schema import may_repeat
from crawler.core.wrapper.shaping import SCRIPT_FAILED, shaped
from crawler.core.wrapper.tree import read_tree
from crawler.scripting.forms import NodeArgument, OutputNode, ScriptError
from crawler.scripting.pages import script_page
from crawler.scripting.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from crawler.core.wrapper.applying import Node, Result
    from crawler.core.wrapper.project import Project, Source
    from crawler.core.wrapper.tree import PageTree
    from crawler.scripting.forms import Argument, Limits
    from crawler.scripting.pages import ScriptPage

__all__ = ["Saved", "Wrapped", "Wrapper", "addresses_of"]


@dataclass(frozen=True, slots=True)
class Saved:
    """An output tree that a project asked to have saved: the name it gave, and the tree as XML."""

    file: str
    xml: str


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What a project made of a page.

    ``result``
        The output in the schema's shape, and what does not fit.
    ``debug``
        Lines that scripts told ``system.Debug``.
    ``urls``
        Addresses that scripts asked for, as they gave them.
    ``saves``
        Trees to be saved, in order. The names are unchecked.
    """

    result: Result
    debug: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    saves: tuple[Saved, ...] = ()


class Wrapper:
    """Runs one project on page after page.

    First the rules fill the schema. Then scripts run in their order, on what it holds by then, and
    ``save`` takes what there is in its place. A script that fails on a page is a problem of that
    page: what it would have done is undone, and the page goes on.

    Args:
        project: what is run.
        name: how errors call it, such as the name of its file.
        limits: what each script may use on a page.

    Raises:
        ScriptsNotInstalledError: it has scripts, and there is no engine to run them.
    """

    def __init__(self, project: Project, name: str, *, limits: Limits | None = None) -> None:
        self.project = project
        self.name = name
        self._has_scripts = any(isinstance(action, Script) for action in project.actions)
        self._sandbox = Sandbox(limits)
        if self._has_scripts:
            # That there is no engine must be told before a page is fetched.
            blank = script_page(read_tree(Page.from_text("about:blank", "<p>-</p>")))
            self._sandbox.run("function main() {}", blank)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process that runs scripts."""
        self._sandbox.close()

    @property
    def blocks(self) -> bool:
        """Whether :meth:`run` may take long, since scripts run in it."""
        return self._has_scripts

    def run(self, tree: PageTree, args: Sequence[str] = (), *, remember: bool = True) -> Wrapped:
        """Run the project on a page.

        Args:
            tree: the page.
            args: arguments of the call, as scripts and ``save`` see them: the page as it was
                named, the output as it was named, and further ones.
            remember: see :func:`~crawler.core.wrapper.applying.apply_project`.
        """
        result = apply_project(self.project, tree, remember=remember)
        run = _Run(self.project, self._sandbox, tree, result, tuple(args))
        for number, action in enumerate(self.project.actions, start=1):
            if isinstance(action, Script):
                run.script(action, f"{self.name}, action {number}")
            elif isinstance(action, Save):
                run.save(action)
        return run.wrapped()


def addresses_of(project: Project, args: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses of the pages that a project loads, in order.

    Raises:
        ArgumentError: it names one by an argument that was not given.
    """
    sources = [action.address for action in project.actions if isinstance(action, Load)]
    for source in sources:
        if not _said(source, args):
            raise ArgumentError(
                f"the project loads the page that argument {source.argument} names; give it"
                if source.argument is not None
                else "the project loads a page and does not say which; name its address"
            )
    return tuple(_said(source, args) for source in sources)


def _said(source: Source, args: Sequence[str]) -> str:
    if source.argument is None:
        return source.fixed
    return args[source.argument] if source.argument < len(args) else ""


class _Run:
    """One page on its way through the actions."""

    def __init__(
        self,
        project: Project,
        sandbox: Sandbox,
        tree: PageTree,
        result: Result,
        args: tuple[str, ...],
    ) -> None:
        self._project = project
        self._sandbox = sandbox
        self._tree = tree
        self._result = result
        self._args = args
        self._page: ScriptPage | None = None
        self._output: OutputNode | None = None
        self._problems: list[Problem] = []
        self._debug: list[str] = []
        self._urls: list[str] = []
        self._saves: list[Saved] = []

    def script(self, action: Script, name: str) -> None:
        if self._page is None:
            self._page = script_page(self._tree)
        given = self._output or _given(self._result.root)
        try:
            done = self._sandbox.run(
                action.script,
                self._page,
                [self._argument(path) for path in action.rules],
                output=given,
                args=self._args,
                name=name,
            )
        except ScriptError as error:
            self._debug += error.debug
            self._problems.append(Problem("", SCRIPT_FAILED, str(error)))
            return
        known = None if self._output is None else tuple(_in_order(given))
        self._output = _rebased(done.output, known)
        self._debug += done.debug
        self._urls += done.urls
        for file in done.saves:
            self._save(file)

    def save(self, action: Save) -> None:
        self._save(_said(action.file, self._args))

    def _save(self, file: str) -> None:
        if file:
            self._saves.append(Saved(file, as_xml(self._shaped()[0])))

    def wrapped(self) -> Wrapped:
        result = self._result
        root, problems = self._shaped()
        if self._has_run:
            # What was missing may have been added, and is told anew where it was not.
            own = [problem for problem in result.problems if problem.reason != MISSING]
            told = (*own, *self._problems, *problems)
            result = replace(
                result,
                root=root,
                problems=told,
                fits=does_fit(self._project, result.missing, told),
            )
        return Wrapped(result, tuple(self._debug), tuple(self._urls), tuple(self._saves))

    @property
    def _has_run(self) -> bool:
        return self._page is not None

    def _shaped(self) -> tuple[Node, tuple[Problem, ...]]:
        if not self._has_run:
            return self._result.root, ()
        before = self._result.root
        given = self._output or _given(before)
        return shaped(given, before, self._project.schema, self._tree)

    def _argument(self, path: str) -> Argument:
        """Return what a rule found: a node or null, or an array where there can be several."""
        found = self._result.found.get(path, ())
        nodes = [self._node(its.source) for its in found if its.source]
        if may_repeat(self._project.schema, path):
            return tuple(nodes)
        return nodes[0] if nodes else None

    def _node(self, source: str) -> NodeArgument:
        path, at, attribute = source.partition("/@")
        node = self._tree.find(path)
        assert node is not None  # noqa: S101 - it was found on this very page
        return NodeArgument(node, attribute if at else "")


def _given(root: Node) -> OutputNode:
    """Return a tree as scripts get it, each node with its number."""
    numbers = count()

    def made(node: Node) -> OutputNode:
        number = next(numbers)
        return OutputNode(
            node.name, node.value, tuple(made(child) for child in node.children), origin=number
        )

    return made(root)


def _rebased(output: OutputNode, before: Sequence[OutputNode] | None) -> OutputNode:
    """Number a tree by what the first script was given, where it is what a later one left."""
    if before is None:
        return output
    children = tuple(_rebased(child, before) for child in output.children)
    origin, source = output.origin, output.source
    if origin is not None:
        was = before[origin]
        origin, source = was.origin, was.source
    return replace(output, children=children, origin=origin, source=source)


def _in_order(root: OutputNode) -> Iterator[OutputNode]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)
