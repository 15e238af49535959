"""A project at work in a crawl: its fields, and what is counted, logged and listed of its pages."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock
from twisted.internet.threads import deferToThread

from crawler.core.wrapper.applying import NO_FIT
from crawler.core.wrapper.output import as_json
from crawler.core.wrapper.shaping import SCRIPT_FAILED
from crawler.core.wrapper.tree import tree_of
from crawler.scripting.forms import Limits
from crawler.wrapper.batch import misfit_line, plain, report_of, told_once
from crawler.wrapper.files import load_project
from crawler.wrapper.running import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Self

    from crawler.core.page.parse import ParsedPage
    from crawler.core.wrapper.applying import Result
    from crawler.core.wrapper.project import Project
    from crawler.settings import Options
    from crawler.wrapper.running import Wrapped

__all__ = ["RulesAtWork"]

logger = logging.getLogger(__name__)


class RulesAtWork:
    """One project in one crawl.

    Args:
        path: the project file.
        seconds: processor time that a script may take on a page.
        report: a file that gets a line of JSON for each page that no longer fits, or on which
            something is wrong; None for none.
        count: adds to a figure of the crawl.

    Raises:
        UnreadableInputError: the project file cannot be read, or is not sound.
        ScriptsNotInstalledError: it has scripts, and there is no engine to run them.
    """

    def __init__(
        self,
        path: Path,
        *,
        seconds: float,
        report: Path | None,
        count: Callable[[str, int], None],
    ) -> None:
        self.project: Project = load_project(path)
        self._wrapper = Wrapper(self.project, path.name, limits=Limits(seconds=seconds))
        self._report = report
        self._count = count
        self._told: set[str] = set()
        self._in_turn = DeferredLock()

    @classmethod
    def of(cls, options: Options, count: Callable[[str, int], None]) -> Self | None:
        """Return the project of the settings at work, None where they name none."""
        if options.wrapper is None:
            return None
        return cls(
            options.wrapper,
            seconds=options.wrapper_seconds,
            report=options.wrapper_report,
            count=count,
        )

    @property
    def has_scripts(self) -> bool:
        """Whether running it on a page may take long."""
        return self._wrapper.blocks

    async def run(self, page: ParsedPage, more: Sequence[str] = ()) -> Wrapped:
        """Run the project on a page while the crawl goes on; nothing is noted.

        Args:
            page: the page.
            more: further arguments for scripts, behind the page and the output.
        """
        if not self._wrapper.blocks:
            return self._run(page, more)
        # One at a time: pages that wait for their scripts would take all threads, without which
        # the crawl finds no host and fetches nothing.
        in_thread = self._in_turn.run(deferToThread, self._run, page, more)
        ran: Wrapped = await maybe_deferred_to_future(in_thread)
        return ran

    def _run(self, page: ParsedPage, more: Sequence[str] = ()) -> Wrapped:
        return self._wrapper.run(tree_of(page), (page.page.url, "", *more))

    def note(self, wrapped: Wrapped) -> None:
        """Count a page, log what is wrong with it, and list it."""
        result = wrapped.result
        self._count("corpus/wrapper/pages", 1)
        for path in result.missing:
            self._count(f"corpus/wrapper/missing/{path}", 1)
        failed = [problem for problem in result.problems if problem.reason == SCRIPT_FAILED]
        if failed:
            self._count("corpus/wrapper/script_failed", len(failed))
        if not result.fits:
            self._count("corpus/wrapper/no_fit", 1)
            self._log(NO_FIT, misfit_line(result))
        for told in told_once(failed, result.url):
            self._log(SCRIPT_FAILED, f"{result.url}: {told}")
        for line in wrapped.debug:
            logger.debug("%s: %s", result.url, plain(line))
        if not result.fits or result.problems:
            self._list(result)

    def fields(self, page: ParsedPage) -> dict[str, Any]:
        """Run the project on a page, note that, and return its fields; none where it does not fit.

        Blocks while scripts run.
        """
        wrapped = self._run(page)
        self.note(wrapped)
        return self.fields_of(wrapped)

    def fields_of(self, wrapped: Wrapped) -> dict[str, Any]:
        """Return what was found as fields of an item; none where the page does not fit."""
        result = wrapped.result
        return as_json(result.root, self.project.schema) if result.fits else {}

    def close(self) -> None:
        """End the process that runs scripts."""
        self._wrapper.close()

    def _log(self, kind: str, line: str) -> None:
        # The first of a kind is a warning; there may be as many as there are pages.
        level = logging.INFO if kind in self._told else logging.WARNING
        self._told.add(kind)
        logger.log(level, "%s", plain(line))

    def _list(self, result: Result) -> None:
        if self._report is None:
            return
        line = json.dumps(report_of(result), ensure_ascii=False) + "\n"
        try:
            self._report.parent.mkdir(parents=True, exist_ok=True)
            # Opened for each line: what is listed is there whatever ends the crawl.
            with self._report.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            self._count("corpus/wrapper/not_listed", 1)
            self._log("report", f"{self._report} cannot be written: {error}; see the log instead")
