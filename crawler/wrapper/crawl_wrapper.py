"""A wrapper project inside a crawl: its fields, and the figures, log lines and report of its pages.

Nothing here imports Scrapy or Twisted. A crawl that must not wait for scripts uses
:class:`crawler.pipelines.wrapper.ThreadedWrapper`.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from crawler.core.wrapper.output import NO_FIT, SCRIPT_FAILED, as_json
from crawler.core.wrapper.tree import tree_of
from crawler.scripting.calls import Limits
from crawler.wrapper.project_store import load_project
from crawler.wrapper.reporting import (
    failed_scripts,
    misfit_line,
    plain,
    problem_lines,
    report_row,
)
from crawler.wrapper.running import ProjectRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Self

    from crawler.core.page.parse import ParsedPage
    from crawler.core.wrapper.output import Result
    from crawler.settings import Options
    from crawler.wrapper.running import Wrapped

logger = logging.getLogger(__name__)


class CrawlWrapper:
    """One wrapper project in one crawl.

    Args:
        path: the project file.
        options: the settings of the crawl: CPU time of scripts, and the file of the report.
        count: adds a number to a statistic of the crawl.

    Raises:
        UnreadableInputError: the project file cannot be read or is not valid.
        ScriptsNotInstalledError: the project has scripts, and no JavaScript engine is installed.
    """

    def __init__(self, path: Path, options: Options, count: Callable[[str, int], None]) -> None:
        self.project = load_project(path)
        limits = Limits(seconds=options.wrapper_seconds)
        self._runner = ProjectRunner(self.project, path.name, limits=limits)
        self._report = options.wrapper_report
        self._count = count
        self._logged: set[str] = set()

    @classmethod
    def of(cls, options: Options, count: Callable[[str, int], None]) -> Self | None:
        """Return the wrapper of the setting ``CORPUS_WRAPPER``, None where it is not set."""
        return None if options.wrapper is None else cls(options.wrapper, options, count)

    @property
    def has_scripts(self) -> bool:
        """Whether the project has scripts, so that :meth:`run` may take long."""
        return bool(self.project.scripts)

    def run(self, page: ParsedPage, more: Sequence[str] = ()) -> Wrapped:
        """Run the project on a page; count and log nothing. Blocks while scripts run.

        Args:
            page: the page.
            more: further arguments for scripts, after the address of the page and the output.
        """
        return self._runner.run(tree_of(page), (page.page.url, "", *more))

    def note(self, wrapped: Wrapped) -> None:
        """Count a page, log its problems, and add it to the report."""
        result = wrapped.result
        self._count("corpus/wrapper/pages", 1)
        for path in result.missing:
            self._count(f"corpus/wrapper/missing/{path}", 1)
        if failed := failed_scripts(result):
            self._count("corpus/wrapper/script_failed", len(failed))
        if not result.fits:
            self._count("corpus/wrapper/no_fit", 1)
            self._log(NO_FIT, misfit_line(result))
        for line in problem_lines(failed, result.url):
            self._log(SCRIPT_FAILED, f"{result.url}: {line}")
        for line in wrapped.debug:
            logger.debug("%s: %s", result.url, plain(line))
        if not result.fits or result.problems:
            self._add_to_report(result)

    def fields(self, page: ParsedPage) -> dict[str, Any]:
        """Run the project on a page, note the page, and return its fields.

        Blocks while scripts run. A page that does not fit has no fields.
        """
        wrapped = self.run(page)
        self.note(wrapped)
        return self.fields_of(wrapped)

    def fields_of(self, wrapped: Wrapped) -> dict[str, Any]:
        """Return the output of a page as fields of an item; none where the page does not fit."""
        result = wrapped.result
        return as_json(result.root, self.project.schema) if result.fits else {}

    def close(self) -> None:
        """End the process that runs scripts."""
        self._runner.close()

    def _log(self, kind: str, line: str) -> None:
        # Only the first of a kind is a warning: every page of a site may have the same problem.
        level = logging.INFO if kind in self._logged else logging.WARNING
        self._logged.add(kind)
        logger.log(level, "%s", plain(line))

    def _add_to_report(self, result: Result) -> None:
        if self._report is None:
            return
        line = json.dumps(report_row(result), ensure_ascii=False) + "\n"
        try:
            self._report.parent.mkdir(parents=True, exist_ok=True)
            # Opened for each line, so that a crawl that is killed loses no line.
            with self._report.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            self._count("corpus/wrapper/not_listed", 1)
            self._log("report", f"{self._report} cannot be written: {error}; see the log instead")
