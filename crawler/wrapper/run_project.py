"""``scrapy wrap PROJECT INPUT…``: run a project over pages into one output."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING, Any

from crawler.core.errors import ArgumentError, StoreError, UnreadablePageError
from crawler.core.wording import counted, fit_width
from crawler.core.wrapper.tree import read_tree
from crawler.store.files import replacing, write_whole
from crawler.wrapper.output_formats import OutputFormat, format_name
from crawler.wrapper.project_store import load_project
from crawler.wrapper.reporting import failed_scripts, misfit_line, problem_lines, report_row
from crawler.wrapper.running import ProjectRunner, addresses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from crawler.core.page.page import Page
    from crawler.core.wrapper.output import Result
    from crawler.wrapper.inputs import Inputs
    from crawler.wrapper.running import Saved, Wrapped

_NAME = re.compile(r"[^/\\:*?\"<>|.][^/\\:*?\"<>|]*")
# File systems take names of 255 bytes; numbers and temporary endings are added to a name.
_MOST_NAME_BYTES = 200
_NAME_COLUMNS = 80
_SUFFIX = re.compile(r"(\.[A-Za-z0-9]{1,8})?$")


class SaveFolder:
    """The folder of the outputs that projects ask to have saved.

    A project may come from anybody: a name is taken only if it is that of a file in this folder. A
    name that was used before in this run gets a number, so that no output is lost.

    Args:
        folder: the folder; made when there is something to save.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def save(self, saved: Saved) -> str | None:
        """Write an output; return what is wrong with its name, None where nothing is.

        Raises:
            StoreError: it cannot be written.
        """
        if not _NAME.fullmatch(saved.file):
            return "a project saves into one folder, by names without '/' and no '.' in front"
        # Control characters act on terminals, and let a name be read as another one.
        if not saved.file.isprintable():
            return "names of files have no control characters"
        if len(saved.file.encode("utf-8")) > _MOST_NAME_BYTES:
            return f"a name has at most {_MOST_NAME_BYTES} bytes"
        write_whole(self._folder / self._unused(saved.file), [saved.xml.encode("utf-8")])
        return None

    def _unused(self, file: str) -> str:
        # Some file systems do not tell upper from lower case.
        key = file.casefold()
        name = file
        while name.casefold() in self._names:
            self._numbers[key] += 1
            name = _SUFFIX.sub(rf"-{self._numbers[key] + 1}\g<0>", file, count=1)
        self._names.add(name.casefold())
        return name


@dataclass(frozen=True, slots=True)
class RunCall:
    """The options of ``scrapy wrap PROJECT INPUT…``.

    ``args``
        Further arguments for scripts.
    ``saves``
        The folder of what the project saves itself; None for none.
    ``report``
        A file that gets a line of JSON for each page; None for none.
    """

    project: Path
    output: Path | None = None
    format: str | None = None
    rows: bool = False
    args: tuple[str, ...] = ()
    saves: Path | None = None
    report: Path | None = None


def run(
    call: RunCall, inputs: Inputs, write: Callable[[str], object], tell: Callable[[str], None]
) -> bool:
    """Run a project over pages; return whether all of them fit and nothing failed.

    Args:
        call: the options.
        inputs: the pages; without any, those that the project loads.
        write: takes the output where it goes to no file.
        tell: takes lines for a person.

    Raises:
        CorpusError: the call is wrong, or a file cannot be read or written.
    """
    project = load_project(call.project)
    name = format_name(call.output, call.format)
    if call.rows and name != "jsonl":
        raise ArgumentError("--rows is for JSON Lines; CSV has a row a record in any case")
    _check_places(call)
    args = ("" if call.output is None else str(call.output), *call.args)
    if not inputs.names:
        inputs = replace(inputs, names=addresses_of(project, ("", *args)))
        if not inputs.names:
            raise ArgumentError("name pages after the project: files, folders or addresses")
    with ExitStack() as stack:
        runner = stack.enter_context(ProjectRunner(project, call.project.name))
        report = stack.enter_context(_open(call.report)).write if call.report else None
        batch = _Batch(runner, args, tell, report, SaveFolder(call.saves) if call.saves else None)
        alone = inputs.is_one_page
        form = OutputFormat(name, project.schema, by_record=call.rows, alone=alone)
        results = batch.results(inputs.pages(batch.skip))
        first = next(results, None)
        # Of a single page that does not fit nothing is written.
        if first is not None or not alone:
            if call.output is not None:
                write = stack.enter_context(_open(call.output)).write
            write(form.head())
            if first is not None:
                write(form.page(first))
            for result in results:
                write(form.page(result))
            write(form.tail())
    return batch.summarize()


@dataclass(frozen=True, slots=True)
class _Batch:
    """Runs a project on one page after the other, and reports and counts the pages.

    ``args``
        The output as it was named, and further arguments for scripts.
    ``tell``
        Takes lines for a person.
    ``write_report``
        Takes lines of JSON; None for no report.
    """

    runner: ProjectRunner
    args: tuple[str, ...]
    tell: Callable[[str], None]
    write_report: Callable[[str], object] | None
    saves: SaveFolder | None
    counts: Counter[str] = field(default_factory=Counter)

    def results(self, pages: Iterator[tuple[str, Page]]) -> Iterator[Result]:
        """Yield the results of the pages that fit, in their order.

        Args:
            pages: pages, each with the name it was asked for by.
        """
        for name, page in pages:
            try:
                tree = read_tree(page)
            except UnreadablePageError as error:
                self.skip(page.url, error.reason, error.detail)
                continue
            self.counts["pages"] += 1
            wrapped = self.runner.run(tree, (name, *self.args))
            self._report_page(wrapped)
            if wrapped.result.fits:
                self.counts["fit"] += 1
                for saved in wrapped.saves:
                    self._save(saved)
                yield wrapped.result

    def skip(self, url: str, reason: str, detail: str) -> None:
        """Count and report a page that cannot be read."""
        self.counts.update(("pages", "unreadable"))
        self.tell(f"{url}: {reason}: {detail}")
        self._report({"url": url, "fits": False, "reason": reason, "detail": detail})

    def _report_page(self, wrapped: Wrapped) -> None:
        result = wrapped.result
        failed = failed_scripts(result)
        self.counts["failed"] += len(failed)
        self.counts["further"] += len(wrapped.urls)
        if not result.fits:
            self.tell(misfit_line(result))
        lines = problem_lines(result.problems if result.fits else failed, result.url)
        for line in (*lines, *wrapped.debug):
            self.tell(f"{result.url}: {line}")
        self._report(report_row(result))

    def _report(self, row: dict[str, Any]) -> None:
        if self.write_report is not None:
            self.write_report(json.dumps(row, ensure_ascii=False) + "\n")

    def _save(self, saved: Saved) -> None:
        # The output itself is written by the command.
        if saved.file == self.args[0]:
            return
        flaw = "name a folder by --saves" if self.saves is None else self.saves.save(saved)
        if flaw is not None:
            self.counts["unsaved"] += 1
            if self.counts["unsaved"] == 1:
                self.tell(f"'{fit_width(saved.file, _NAME_COLUMNS)}' is not saved: {flaw}")

    def summarize(self) -> bool:
        """Tell the numbers of pages; return whether all is well."""
        counts = self.counts
        if counts["further"]:
            self.tell(
                f"scripts asked for {counted(counts['further'], 'further page')}, not fetched here;"
                " 'scrapy crawl wrapper' does"
            )
        pages, unreadable = counts["pages"], counts["unreadable"]
        misfits = pages - unreadable - counts["fit"]
        is_well = not (misfits or unreadable or counts["failed"] or counts["unsaved"])
        if pages > 1 or not is_well:
            parts = (
                (True, counted(pages, "page")),
                (True, f"{counts['fit']:,} fit"),
                (misfits, f"{misfits:,} no longer fit"),
                (unreadable, f"{unreadable:,} could not be read"),
                (counts["failed"], f"{counted(counts['failed'], 'script')} failed"),
                (counts["unsaved"], f"{counted(counts['unsaved'], 'tree')} not saved"),
            )
            self.tell(", ".join(text for number, text in parts if number))
        return is_well


def _check_places(call: RunCall) -> None:
    """Refuse to write over the project, or two things into one file."""
    taken = {call.project.resolve(): "the project"}
    for path, what in ((call.output, "the output"), (call.report, "the report")):
        if path is None or (path.exists() and not path.is_file()):
            continue
        place = path.resolve()
        if place in taken:
            raise ArgumentError(f"{path} is {taken[place]} already; name another file for {what}")
        taken[place] = what


@contextmanager
def _open(path: Path) -> Iterator[IO[str]]:
    """Open a file to be written in one step; where a link leads to a file, that one is replaced.

    What is no file, such as ``/dev/null`` or a named pipe, is written directly.
    """
    if not path.exists() or path.is_file():
        with replacing(path.resolve()) as aside, _opened(aside) as file:
            yield file
        return
    try:
        with _opened(path) as file:
            yield file
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error


def _opened(path: Path) -> IO[str]:
    # Halves of characters in an argument have no form in UTF-8, and are no reason to stop.
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
