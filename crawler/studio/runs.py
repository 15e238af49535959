"""A run of the project over many pages, in the background: its progress, its results, its files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

from scrapy.utils.project import inside_project

from crawler.core.errors import ArgumentError
from crawler.core.page.page import MAX_PAGE_BYTES
from crawler.core.wrapper.output import Result
from crawler.core.wrapper.project import Project
from crawler.exporters.excel import ExcelItemExporter
from crawler.store.sources import is_address
from crawler.studio.fetching import fetch_all
from crawler.studio.jobs import Job
from crawler.studio.pages import inside
from crawler.wrapper.documents import cell_of, document, table_columns
from crawler.wrapper.project_store import Inputs
from crawler.wrapper.running import Line, ProjectRunner, Wrapped, page_rows

Answer = dict[str, Any]
_ROWS = 2_000
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "xml": "application/xml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""The forms of results, by the ending of their files, with their types."""


class Run(Job):
    """A run over pages. It goes on until all are done, or it is stopped.

    Args:
        project: the project as it is now.
        file: the name of its file.
        folder: the working folder.
        names: saved pages, folders, archives, lists, addresses; none for those that it loads.
        args: further arguments for its scripts.

    Raises:
        ArgumentError: a name is outside of the folder, or there is nothing to run over.
    """

    def __init__(
        self, project: Project, file: str, folder: Path, names: Sequence[str], args: Sequence[str]
    ) -> None:
        self.project = project
        self._file = file
        self._args = tuple(args)
        self._paths = {
            name if is_address(name) else str(inside(folder, name)): name for name in names
        }
        inputs = Inputs(tuple(self._paths), fetch_all, MAX_PAGE_BYTES)
        self._inputs = inputs.of_project(project, ("", "", *args))
        self._results: list[Result] = []
        # Source, number of the page there, address, whether it fits, what is wrong, cells.
        self._rows: list[tuple[str, int, str, bool, list[Line], list[str]]] = []
        self._counts = {"fit": 0, "misfit": 0, "unreadable": 0}
        super().__init__()

    def progress(self, known: int) -> Answer:
        """Return the progress of the run, and the rows of results that the caller does not have."""
        start = max(known, 0)
        rows = self._rows[start : start + _ROWS]
        return {
            **super().progress(known),
            "names": [self._paths.get(name, name) for name in self._inputs.names],
            "counts": self._counts,
            "columns": table_columns(self.project.schema),
            "start": start,
            "more": len(self._rows) > start + len(rows),
            "rows": rows,
        }

    def written(self, form: str) -> tuple[str, bytes]:
        """Return the results as a file: its name and its bytes, those that ``scrapy wrap`` writes.

        Raises:
            ArgumentError: there is no such form.
        """
        if form not in TYPES:
            raise ArgumentError(f"there is no form '{form}'; choose one of {', '.join(TYPES)}")
        name = f"{Path(self._file).stem}.{form}"
        results, schema = list(self._results), self.project.schema
        if form == "xlsx":
            written = BytesIO()
            exporter = ExcelItemExporter(written, fields_to_export=table_columns(schema))
            exporter.start_exporting()
            for result in results:
                for row in page_rows(result, schema, by_record=True):
                    exporter.export_item(row)
            exporter.finish_exporting()
            return name, written.getvalue()
        text = "".join(document(form, schema, results, alone=self._inputs.is_one_page))
        return name, text.encode("utf-8", "backslashreplace")

    def work(self) -> None:
        """Run the project on all pages."""
        with closing(ProjectRunner(self.project, self._file)) as runner:
            for path, at, tree in self._inputs.trees(self._skip):
                if self.stopped:
                    return
                name = self._paths.get(path, path)
                self._take(name, at, runner.run(tree, (name, "", *self._args)))

    def _take(self, source: str, at: int, wrapped: Wrapped) -> None:
        result, schema = wrapped.result, self.project.schema
        self._counts["fit" if result.fits else "misfit"] += 1
        rows = [[result.url]]
        if result.fits:
            self._results.append(result)
            columns, found = table_columns(schema), page_rows(result, schema, by_record=True)
            rows = [[cell_of(row.get(its)) for its in columns] for row in found]
        told = list(wrapped.told())
        self._rows += [(source, at, result.url, result.fits, told, cells) for cells in rows]

    def _skip(self, name: str, reason: str, detail: str) -> None:
        self._counts["unreadable"] += 1
        shown = self._paths.get(name, name)
        line = Line(f"page-{reason}", f"{reason}: {detail}", (shown, detail))
        self._rows.append((shown, -1, shown, False, [line], [shown]))


def command_lines(file: str, names: Sequence[str], args: Sequence[str], form: str) -> Answer:
    """Return the commands that do the same: ``scrapy wrap``, and a crawl where there are addresses.

    Outside of a Scrapy project the crawl gets the settings of this package.

    Args:
        file: the project file.
        names: what it is run over.
        args: further arguments for its scripts.
        form: the form of the results.
    """
    written = form if form in {"xml", "jsonl", "csv"} else "csv"
    output = f"{Path(file).stem}.{written}"
    more = [part for its in args for part in ("--arg", its)]
    wrap = shlex.join(["scrapy", "wrap", file, *names, *more, "-O", output])
    addresses = [name for name in names if is_address(name)]
    settings = [] if inside_project() else ["SCRAPY_SETTINGS_MODULE=crawler.crawl_settings"]
    crawl = [*settings, "scrapy", "crawl", "wrapper", "-a", f"rules={file}"]
    crawl += ["-a", f"url={' '.join(addresses)}"] if addresses else []
    crawl += ["-a", f"args={' '.join(args)}"] if args else []
    # A table has a row for each record, as that of scrapy wrap.
    crawl += ["-a", "rows=True"] if written == "csv" else []
    # A crawl takes its arguments with blanks between.
    can_crawl = addresses and not any(" " in its for its in args)
    return {"wrap": wrap, "crawl": shlex.join([*crawl, "-O", output]) if can_crawl else ""}
