"""Running a project over pages, one after the other: the work of ``scrapy wrap``."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawler.core.errors import UnreadablePageError, one_line
from crawler.core.wording import fit_width
from crawler.core.wrapper.applying import MISSING, NO_FIT, WRONG_TYPE
from crawler.core.wrapper.shaping import SCRIPT_FAILED
from crawler.core.wrapper.tree import read_tree
from crawler.store.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from crawler.core.page.page import Page
    from crawler.core.wrapper.applying import Problem, Result
    from crawler.wrapper.running import Saved, Wrapped, Wrapper

__all__ = ["Batch", "SaveFolder", "misfit_line", "plain", "report_of", "told_once"]

_NAME = re.compile(r"[^/\\:*?\"<>|]+")
# File systems take names of 255 bytes; a number and what a file is called while it is written are
# put to a name.
_MOST_NAME_BYTES = 200
_NAME_COLUMNS = 80
_FILE = "file:"
_SUFFIX = re.compile(r"(\.[A-Za-z0-9]{1,8})?$")


class SaveFolder:
    """The folder of what projects ask to have saved.

    A project may be anybody's: a name is taken only where it is that of a file in this folder.
    A name that was saved before in this run gets a number, so that no page's tree is lost.

    Args:
        folder: where; made when there is something to save.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def save(self, saved: Saved) -> str | None:
        """Write a tree; return what is wrong with its name, None where nothing is.

        Raises:
            StoreError: it cannot be written.
        """
        flaw = _flaw_of_name(saved.file)
        if flaw is not None:
            return flaw
        write_whole(self._folder / self._unused(saved.file), [saved.xml.encode("utf-8")])
        return None

    def _unused(self, file: str) -> str:
        # Some file systems take names for the same that differ in their case alone.
        key = file.casefold()
        name = file
        while name.casefold() in self._names:
            self._numbers[key] += 1
            end = _SUFFIX.search(file)
            at = len(file) if end is None else end.start()
            name = f"{file[:at]}-{self._numbers[key] + 1}{file[at:]}"
        self._names.add(name.casefold())
        return name


def _flaw_of_name(name: str) -> str | None:
    if not _NAME.fullmatch(name) or name.startswith("."):
        return "a project saves into one folder, by names without '/' and no '.' in front"
    # Such characters steer terminals, and let a name be read as another one.
    if not name.isprintable():
        return "names of files have no control characters"
    if len(name.encode("utf-8")) > _MOST_NAME_BYTES:
        return f"a name has at most {_MOST_NAME_BYTES} bytes"
    return None


@dataclass(slots=True)
class Batch:
    """A project on its way over pages.

    ``tell``
        Takes lines for a person.
    ``report``
        Takes lines of JSON, one a page; None for no report.
    ``saves``
        Where projects save; None for nowhere.
    ``output``
        The name of the output, which a project saves by itself in vain.
    ``more``
        Further arguments of the call.
    ``pages``, ``fitting``, ``unreadable``, ``failed``, ``unsaved``
        How many pages were read; how many of them fit, and are in the output; how many could not
        be read; how many scripts failed; how many trees were not saved.
    ``asked_for``
        How many other pages scripts asked for.
    """

    wrapper: Wrapper
    tell: Callable[[str], None]
    report: Callable[[str], object] | None = None
    saves: SaveFolder | None = None
    output: str = ""
    more: tuple[str, ...] = ()
    pages: int = 0
    fitting: int = 0
    unreadable: int = 0
    failed: int = 0
    unsaved: int = 0
    asked_for: int = 0

    @property
    def seen(self) -> int:
        """How many pages there were, those among them that could not be read."""
        return self.pages + self.unreadable

    @property
    def all_well(self) -> bool:
        """Whether every page was read, fits, let its scripts run, and was saved as asked for."""
        return self.fitting == self.seen and not self.failed and not self.unsaved

    def results(self, pages: Iterator[tuple[str, Page]]) -> Iterator[Result]:
        """Yield what the pages that fit give, in their order.

        Args:
            pages: pages, each with the name by which it was asked for.
        """
        for name, page in pages:
            try:
                tree = read_tree(page)
            except UnreadablePageError as error:
                self.skip(page.url, error.reason, error.detail)
                continue
            self.pages += 1
            wrapped = self.wrapper.run(tree, (name, self.output, *self.more))
            self._tell(wrapped)
            if wrapped.result.fits:
                self._save(wrapped.saves)
                self.fitting += 1
                yield wrapped.result

    def skip(self, url: str, reason: str, detail: str) -> None:
        """Count and tell a page that cannot be read."""
        self.unreadable += 1
        self.tell(f"{url}: {reason}: {detail}")
        if self.report is not None:
            self.report(_line({"url": url, "fits": False, "reason": reason, "detail": detail}))

    def _tell(self, wrapped: Wrapped) -> None:
        result = wrapped.result
        if not result.fits:
            self.tell(misfit_line(result))
        failed = [its for its in result.problems if its.reason == SCRIPT_FAILED]
        self.failed += len(failed)
        for told in told_once(result.problems if result.fits else failed, result.url):
            self.tell(f"{result.url}: {told}")
        for line in wrapped.debug:
            self.tell(f"{result.url}: {line}")
        self.asked_for += len(wrapped.urls)
        if self.report is not None:
            self.report(_line(report_of(result)))

    def _save(self, saves: Sequence[Saved]) -> None:
        for saved in saves:
            if saved.file == self.output:
                continue
            flaw = "name a folder by --saves" if self.saves is None else self.saves.save(saved)
            if flaw is not None:
                self.unsaved += 1
                if self.unsaved == 1:
                    self.tell(f"'{fit_width(saved.file, _NAME_COLUMNS)}' is not saved: {flaw}")


def plain(text: str) -> str:
    """Return a text on one line, without what a terminal acts upon: it may be anybody's."""
    return "".join(char if char.isprintable() else "?" for char in one_line(text))


def told_once(problems: Sequence[Problem], url: str) -> list[str]:
    """Say each kind of problem of each element once, and how often it is there.

    Args:
        problems: of one page.
        url: the page's address.
    """
    counts = Counter((problem.element, problem.reason) for problem in problems)
    first = {(problem.element, problem.reason): problem.detail for problem in reversed(problems)}
    return [
        first[kind]
        + (f" (and {count - 1} more like it)" if count > 1 else "")
        + _hint(first[kind], kind[1], url)
        for kind, count in counts.items()
    ]


def _hint(detail: str, reason: str, url: str) -> str:
    # A link that is not absolute is completed by the address of its page, which is that of a file.
    if reason == WRONG_TYPE and url.startswith(_FILE) and f"'{_FILE}" in detail:
        return "; the address of the page is not known, see --url"
    return ""


def misfit_line(result: Result) -> str:
    """Say in a line that, and why, a page does not fit."""
    required = [problem.element for problem in result.problems if problem.reason == MISSING]
    names = ", ".join(dict.fromkeys((*required, *result.missing))) or "too much"
    return f"{result.url}: {NO_FIT}: {names} not found"


def report_of(result: Result) -> dict[str, Any]:
    """Return what is to be said of a page as a JSON object."""
    return {
        "url": result.url,
        "fits": result.fits,
        "reason": None if result.fits else NO_FIT,
        "missing": list(result.missing),
        "problems": [
            {"element": its.element, "reason": its.reason, "detail": its.detail}
            for its in result.problems
        ],
    }


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
