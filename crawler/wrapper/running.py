"""Running a wrapper project on pages, with its scripts: in a command, and in a crawl.

Nothing here imports Scrapy or Twisted. A crawl that must not wait for scripts uses
:class:`crawler.pipelines.wrapper.ThreadedWrapper`.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from crawler.core.errors import StoreError, one_line
from crawler.core.page.page import Page
from crawler.core.page.parse import ParsedPage
from crawler.core.wording import fit_width
from crawler.core.wrapper.editing import script_of
from crawler.core.wrapper.output import (
    MISSING,
    NO_FIT,
    SCRIPT_FAILED,
    WRONG_TYPE,
    Problem,
    Result,
    ScriptPlace,
    apply_project,
    fit_to_schema,
    fits,
)
from crawler.core.wrapper.output_forms import as_json, as_rows, as_xml
from crawler.core.wrapper.project import Element, Project, Save
from crawler.core.wrapper.rules import Memory
from crawler.core.wrapper.tree import PageTree, read_tree, tree_of
from crawler.scripting.calls import Limits, ScriptError
from crawler.scripting.sandbox import Sandbox
from crawler.settings import Options
from crawler.store.files import write_whole
from crawler.wrapper.actions import calls_of, name_of, several_addresses
from crawler.wrapper.project_store import load_project

logger = logging.getLogger(__name__)

DEBUG = "debug"
TOLD = frozenset((NO_FIT, SCRIPT_FAILED, DEBUG))
"""The kinds of lines that are told of a page that does not fit, too."""

_NAME = re.compile(r"[^/\\:*?\"<>|.][^/\\:*?\"<>|]*")
# File systems take names of 255 bytes; numbers and temporary endings are added to a name.
_MOST_NAME_BYTES = 200
_SUFFIX = re.compile(r"(\.[A-Za-z0-9]{1,8})?$")


class Line(NamedTuple):
    """What is wrong with a page, or what a script says.

    ``kind`` is no fit, the reason of problems, or debug; ``text`` is for people. ``data`` is what
    it is about, for programs that say the same in another language; ``more`` how many are like it.
    """

    kind: str
    text: str
    data: tuple[str, ...] = ()
    more: int = 0


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
        Outputs to be saved, in order: file names as they were given, and XML.
    """

    result: Result
    debug: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    saves: tuple[tuple[str, str], ...] = ()

    @property
    def failed(self) -> int:
        """How many scripts failed."""
        return sum(problem.reason == SCRIPT_FAILED for problem in self.result.problems)

    def told(self) -> Iterator[Line]:
        """Yield what is wrong with the page, for a person, and what its scripts say.

        Problems of one kind of an element are one line, with their number.
        """
        result = self.result
        if not result.fits:
            required = [its.element for its in result.problems if its.reason == MISSING]
            names = ", ".join(dict.fromkeys((*required, *result.missing))) or "too much"
            yield Line(NO_FIT, f"{NO_FIT}: {names} not found", (names,))
        kinds: dict[tuple[str, str], list[Problem]] = {}
        for problem in result.problems:
            kinds.setdefault((problem.element, problem.reason), []).append(problem)
        for (path, reason), (first, *others) in kinds.items():
            more = f" (and {len(others)} more like it)" if others else ""
            # A link that is not absolute is completed by the address of its page, here of a file.
            is_local = reason == WRONG_TYPE and "'file:" in first.detail
            hint = "; the address of the page is not known, see --url" if is_local else ""
            text = f"{first.detail}{more}{hint}"
            yield Line(reason, text, (path, *first.data), len(others))
        yield from (Line(DEBUG, line) for line in self.debug)


class ProjectRunner:
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
            blank = read_tree(Page.from_text("about:blank", "<p>-</p>"))
            self._sandbox.run("function main() {}", blank)

    def close(self) -> None:
        """End the process that runs scripts."""
        self._sandbox.close()

    def halt(self) -> None:
        """End it at once, though a script runs; there is no later page."""
        self._sandbox.halt()

    def run(
        self,
        tree: PageTree,
        args: Sequence[str] = (),
        *,
        remember: bool = True,
        memory: Memory | None = None,
    ) -> Wrapped:
        """Run the project on a page. Blocks while scripts run.

        Args:
            tree: the page.
            args: arguments of the call, as scripts and ``save`` see them: the page as it was
                named, the output as it was named, and further ones.
            remember: see :func:`~crawler.core.wrapper.output.apply_project`.
            memory: as above.
        """
        project = self.project
        result = apply_project(project, tree, remember=remember, memory=memory)
        output = result.root
        failed: list[Problem] = []
        debug: list[str] = []
        urls: list[str] = []
        saves: list[tuple[str, str]] = []
        loaded = {tree.url, *args[:1], *(url for _, url, _ in tree.pages)}
        for number, action in enumerate(project.actions, start=1):
            files: tuple[str, ...] = ()
            if isinstance(action, Save) and not action.off:
                files = (name_of(action.file, args),)
            elif calls := calls_of(action, project.schema, result, output, tree):
                name = f"{self.name}, action {number}"
                try:
                    done = self._sandbox.run(
                        script_of(action), tree, *calls, output=output, args=args, name=name
                    )
                except ScriptError as error:
                    debug += error.debug
                    place = ScriptPlace(number, error.line, error.column, error.detail)
                    failed.append(Problem("", SCRIPT_FAILED, str(error), place))
                    continue
                output, files = done.output, done.saves
                debug += done.debug
                asked = (its for url in done.urls for its in several_addresses(url))
                urls += [url for url in asked if url not in loaded]
            if any(files):
                root = output
                if output is not result.root:
                    root, _ = fit_to_schema(output, project.schema, tree.base_url)
                xml = as_xml(root)
                saves += [(file, xml) for file in files if file]
        if project.scripts:
            output, problems = fit_to_schema(output, project.schema, tree.base_url)
            # What was missing may have been added; what was not is among the new problems.
            own = [problem for problem in result.problems if problem.reason != MISSING]
            problems = (*own, *failed, *problems)
            still_fits = fits(project, result.missing, problems)
            result = replace(result, root=output, problems=problems, fits=still_fits)
        return Wrapped(result, tuple(debug), tuple(urls), tuple(saves))


def page_rows(result: Result, schema: Element, *, by_record: bool) -> list[dict[str, Any]]:
    """Return a page as JSON objects, each with its ``url`` unless the schema has one.

    Args:
        result: the page.
        schema: the schema of the project.
        by_record: one a record (:func:`~crawler.core.wrapper.output_forms.as_rows`), not the page.
    """
    rows = as_rows(result.root, schema) if by_record else [as_json(result.root, schema)]
    return [{"url": result.url, **row} for row in rows]


class SaveFolder:
    """The folder of the outputs that projects ask to have saved.

    A project may come from anybody: a name is taken only if it is that of a file in this folder. A
    name that was used before in this run gets a number, so that no output is lost.

    Args:
        folder: the folder, made when there is something to save; None where nothing is saved.
        option: the option that names the folder.
        tell: takes a line for a person where something is not saved, each reason once.
    """

    def __init__(self, folder: Path | None, option: str, tell: Callable[[str], object]) -> None:
        self._folder = folder
        self._option = option
        self._tell = tell
        self._names: set[str] = set()
        self._numbers: Counter[str] = Counter()
        self._told: set[str] = set()

    def save(self, file: str, xml: str) -> bool:
        """Write an output; return whether it could be written."""
        # Control characters act on terminals, and let a name be read as another one.
        is_plain = file.isprintable() and _NAME.fullmatch(file)
        if self._folder is None:
            flaw = f"name a folder by {self._option}"
        elif not is_plain or len(file.encode("utf-8")) > _MOST_NAME_BYTES:
            flaw = (
                f"a project saves into one folder, by names of at most {_MOST_NAME_BYTES} bytes "
                "without '/', control characters, and '.' in front"
            )
        else:
            try:
                write_whole(self._folder / self._free(file), [xml.encode("utf-8")])
            except StoreError as error:
                flaw = str(error)
            else:
                return True
        if flaw not in self._told:
            self._told.add(flaw)
            self._tell(f"'{fit_width(file, 80)}' is not saved: {flaw}")
        return False

    def _free(self, file: str) -> str:
        """Return a name that was not used before."""
        # Some file systems do not tell upper from lower case.
        key, name = file.casefold(), file
        while name.casefold() in self._names:
            self._numbers[key] += 1
            name = _SUFFIX.sub(rf"-{self._numbers[key] + 1}\g<0>", file, count=1)
        self._names.add(name.casefold())
        return name


class CrawlWrapper(ProjectRunner):
    """A wrapper project in a crawl: its fields; figures, log lines and the report of its pages.

    Args:
        path: the project file.
        options: the settings of the crawl: CPU time of scripts, and the file of the report.
        count: adds a number to a statistic of the crawl.

    Raises:
        UnreadableInputError: the project file cannot be read or is not valid.
        ScriptsNotInstalledError: the project has scripts, and no JavaScript engine is installed.
    """

    def __init__(self, path: Path, options: Options, count: Callable[[str, int], None]) -> None:
        limits = Limits(seconds=options.wrapper_seconds)
        super().__init__(load_project(path), path.name, limits=limits)
        self._report = options.wrapper_report
        self._count = count
        self._logged: set[str] = set()

    def run_page(self, page: ParsedPage, more: Sequence[str] = ()) -> Wrapped:
        """Run the project on a page; count and log nothing. Blocks while scripts run.

        Args:
            page: the page.
            more: further arguments for scripts, after the address of the page and the output.
        """
        return self.run(tree_of(page), (page.page.url, "", *more))

    def note(self, wrapped: Wrapped) -> None:
        """Count a page, log its problems, and add it to the report."""
        result = wrapped.result
        self._count("corpus/wrapper/pages", 1)
        for path in result.missing:
            self._count(f"corpus/wrapper/missing/{path}", 1)
        if failed := wrapped.failed:
            self._count("corpus/wrapper/script_failed", failed)
        if not result.fits:
            self._count("corpus/wrapper/no_fit", 1)
        for kind, line, *_ in wrapped.told():
            if kind in TOLD:
                self._log(kind, f"{result.url}: {line}")
        if self._report is not None and (not result.fits or result.problems):
            self._add_to_report(result, self._report)

    def fields(self, page: ParsedPage) -> dict[str, Any]:
        """Run the project on a page, note the page, and return its fields.

        Blocks while scripts run. A page that does not fit has no fields.
        """
        wrapped = self.run_page(page)
        self.note(wrapped)
        return self.fields_of(wrapped)

    def failed(self, url: str, error: Exception) -> dict[str, Any]:
        """Count and log a page on which the work failed; return its fields: none."""
        self._count("corpus/wrapper/failed", 1)
        logger.error("The wrapper failed on %s", url, exc_info=error)
        return {}

    def fields_of(self, wrapped: Wrapped) -> dict[str, Any]:
        """Return the output of a page as fields of an item; none where the page does not fit."""
        result = wrapped.result
        return as_json(result.root, self.project.schema) if result.fits else {}

    def _log(self, kind: str, line: str) -> None:
        # Only the first of a kind is a warning: every page of a site may have the same problem.
        level = logging.INFO if kind in self._logged else logging.WARNING
        level = logging.DEBUG if kind == DEBUG else level
        self._logged.add(kind)
        logger.log(level, "%s", one_line(line))

    def _add_to_report(self, result: Result, path: Path) -> None:
        row = {
            "url": result.url,
            "fits": result.fits,
            "reason": None if result.fits else NO_FIT,
            "missing": list(result.missing),
            "problems": [asdict(problem) for problem in result.problems],
        }
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Opened for each line, so that a crawl that is killed loses no line.
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            self._count("corpus/wrapper/not_listed", 1)
            self._log("report", f"{path} cannot be written: {error}; see the log instead")
