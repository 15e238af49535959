"""``scrapy wrap PROJECT INPUT…``: run a project over pages into one output."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING

from crawler.core.errors import ArgumentError, StoreError
from crawler.core.wording import counted
from crawler.wrapper.batch import Batch, SaveFolder
from crawler.wrapper.files import load_project
from crawler.wrapper.outputs import form_of, format_of
from crawler.wrapper.running import Wrapper, addresses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from crawler.wrapper.inputs import Inputs

__all__ = ["RunCall", "run"]


@dataclass(frozen=True, slots=True)
class RunCall:
    """``scrapy wrap PROJECT INPUT…``."""

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
    """Run a project over pages; return whether all of them fit.

    Args:
        call: what was asked for.
        inputs: the pages; without any those that the project loads.
        write: takes the output where it goes to no file.
        tell: takes lines for a person.

    Raises:
        CorpusError: the call is wrong, or a file cannot be read or written.
    """
    project = load_project(call.project)
    name = format_of(call.output, call.format)
    if call.rows and name != "jsonl":
        raise ArgumentError("--rows is for JSON Lines; CSV has a row a record in any case")
    _check_places(call)
    output = "" if call.output is None else str(call.output)
    if not inputs.names:
        loads = addresses_of(project, ("", output, *call.args))
        if not loads:
            raise ArgumentError("name pages behind the project: files, folders or addresses")
        inputs = replace(inputs, names=loads)
    with ExitStack() as stack:
        wrapper = stack.enter_context(Wrapper(project, call.project.name))
        saves = None if call.saves is None else SaveFolder(call.saves)
        report = None if call.report is None else stack.enter_context(_whole(call.report)).write
        batch = Batch(wrapper, tell, report, saves, output, call.args)
        form = form_of(name, project.schema, rows=call.rows, alone=inputs.is_one_page)
        found = batch.results(inputs.pages(batch.skip))
        first = next(found, None)
        if first is not None or not inputs.is_one_page:
            sink: Callable[[str], object] = write
            if call.output is not None:
                sink = stack.enter_context(_whole(call.output)).write
            sink(form.begin())
            if first is not None:
                sink(form.page(first))
                for result in found:
                    sink(form.page(result))
            sink(form.end())
    _summarize(batch, tell)
    return batch.all_well


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


def _summarize(batch: Batch, tell: Callable[[str], None]) -> None:
    if batch.asked_for:
        tell(
            f"scripts asked for {counted(batch.asked_for, 'further page')}, not fetched here; "
            "'scrapy crawl wrapper' does"
        )
    if batch.seen > 1 or not batch.all_well:
        misfits = batch.pages - batch.fitting
        parts = [counted(batch.seen, "page"), f"{batch.fitting:,} fit"]
        if misfits:
            parts.append(f"{misfits:,} no longer fit")
        if unread := batch.unreadable:
            parts.append(f"{unread:,} could not be read")
        if batch.failed:
            parts.append(f"{counted(batch.failed, 'script')} failed")
        if batch.unsaved:
            parts.append(f"{counted(batch.unsaved, 'tree')} not saved")
        tell(", ".join(parts))


@contextmanager
def _whole(path: Path) -> Iterator[IO[str]]:
    """Write a file beside its place; rename it at the end, remove it where that fails.

    What is no file, as ``/dev/null`` or a named pipe, is written to and never put in another's
    place. Where a link leads to a file, that one is written.
    """
    aside: Path | None = None
    try:
        if path.exists() and not path.is_file():
            # A folder is refused here, before there is anything to write.
            with _opened(path) as file:
                yield file
            return
        place = path.resolve()
        aside = place.with_name(f".{place.name}.part")
        with _opened(aside) as file:
            yield file
        aside.replace(place)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}; check the folder"
        ) from error
    finally:
        if aside is not None:
            with suppress(OSError):
                aside.unlink()


def _opened(path: Path) -> IO[str]:
    # What has no form in UTF-8, as halves of characters in an argument, is no reason to stop.
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
