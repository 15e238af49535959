"""The work of ``scrapy evaluate``, and the tasks that it knows."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from scrapy.settings import Settings
from scrapy.utils.log import configure_logging

from crawler.core.errors import ArgumentError, UnknownMethodError
from crawler.core.sentences import DEFAULT_SPLITTING
from crawler.core.structure import DEFAULT_STRUCTURE
from crawler.core.wrapper.project import DEFAULT_MATCHER
from crawler.evaluation.curve import curve_page
from crawler.evaluation.metadata import measure_metadata
from crawler.evaluation.pagetypes import measure_pagetypes
from crawler.evaluation.sentences import measure_sentences
from crawler.evaluation.structure import measure_structure
from crawler.evaluation.tables import measure_tables
from crawler.evaluation.task import EXAMPLES, ONLY_METHOD, Job, Report, Task
from crawler.evaluation.text import measure_text
from crawler.evaluation.wrapper import measure_wrapper
from crawler.reports.stdout import Table, check_target, print_error, write_file, write_tables
from crawler.settings import Options

TASKS: Final = {
    "metadata": Task(measure_metadata, options=("pages",)),
    "pagetypes": Task(measure_pagetypes, options=("pages",)),
    "sentences": Task(measure_sentences, DEFAULT_SPLITTING, options=("pages",)),
    "structure": Task(measure_structure, DEFAULT_STRUCTURE, options=("pages",)),
    "tables": Task(measure_tables, method_option="table_method", options=("pages",)),
    "text": Task(
        measure_text,
        method_option="text_method",
        options=("alone", "blocks", "collection", "curve", "items", "pages"),
    ),
    "wrapper": Task(measure_wrapper, DEFAULT_MATCHER, options=("examples",)),
}
"""The tasks by name. A new task is a module and a line here."""


def get_task(name: str) -> Task:
    """Return the task called ``name``.

    Raises:
        ArgumentError: there is none of that name. The message lists those there are.
    """
    if name not in TASKS:
        raise ArgumentError(f"unknown task '{name}'; the tasks are: {', '.join(TASKS)}")
    return TASKS[name]


def evaluate(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> None:
    """Measure, and print the figures.

    Args:
        args: the task and the gold files.
        opts: the options of the command.
        settings: those of the project and of the command.

    Raises:
        CorpusError: the call, a setting or a gold file is wrong, or a result cannot be written.
    """
    out = sys.stdout
    # What a method or a library prints may not spoil the JSON object.
    with redirect_stdout(sys.stderr):
        configure_logging(settings)
        task, job = _read_arguments(args, opts, Options.from_settings(settings))
        started = perf_counter()
        report = task.run(job)
        seconds = perf_counter() - started
        if opts.curve is not None:
            is_page = Path(opts.curve).suffix == ".html"
            name = f"{args[0]}, {job.method}"
            write_file(opts.curve, curve_page(report.curve, name) if is_page else report.curve)
        if opts.pages is not None:
            write_file(opts.pages, rows_text(report.rows, as_csv=Path(opts.pages).suffix == ".csv"))
        for flaw in report.flaws:
            print_error("evaluate", flaw)
    result = report_json(args[0], job.method, report, seconds)
    as_json = json.dumps(result, indent=2, allow_nan=False) + "\n"
    if opts.json == "-":
        out.write(as_json)
        return
    heading = ", ".join(
        f"{name} {_cell(result[name])}" for name in result if name not in report.figures
    )
    write_tables(heading, tuple(figure_tables(report.figures)), out)
    if opts.json is not None:
        write_file(opts.json, as_json)


def report_json(task: str, method: str, report: Report, seconds: float) -> dict[str, Any]:
    """Return what was measured, how fast, and the figures, as a JSON object.

    Args:
        task: the task's name.
        method: the method's name.
        report: what the task found.
        seconds: the time that the task took.
    """
    return {
        "task": task,
        "method": method,
        f"{report.unit}s": report.pages,
        **({} if report.sites is None else {"sites": report.sites}),
        "seconds": round(seconds, 3),
        # A clock may be too coarse for a handful of pages.
        f"{report.unit}s_per_second": round(report.pages / max(seconds, 1e-9), 1),
        **report.figures,
    }


def rows_text(rows: Sequence[Mapping[str, Any]], *, as_csv: bool) -> str:
    """Return the figures of each page as CSV, or as JSON Lines."""
    if not as_csv:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    stream = io.StringIO()
    columns = dict.fromkeys(column for row in rows for column in row)
    writer = csv.DictWriter(stream, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def figure_tables(figures: Mapping[str, Any], title: str = "figure") -> Iterator[Table]:
    """Yield figures as tables, the outermost first.

    A group of values is a row; values without a group are the row "all". Groups within a group are
    a table of their own.
    """
    groups = {name: value for name, value in figures.items() if isinstance(value, Mapping)}
    rows = {
        name: {key: value for key, value in group.items() if not isinstance(value, Mapping)}
        for name, group in {"all": figures, **groups}.items()
    }
    columns = tuple(dict.fromkeys(column for row in rows.values() for column in row))
    cells = (
        (name, *(_cell(row.get(each)) for each in columns)) for name, row in rows.items() if row
    )
    if columns:
        yield Table(title, columns, tuple(cells))
    for name, group in groups.items():
        if inner := {key: value for key, value in group.items() if isinstance(value, Mapping)}:
            yield from figure_tables(inner, name if title == "figure" else f"{title}: {name}")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _read_arguments(
    args: Sequence[str], opts: argparse.Namespace, options: Options
) -> tuple[Task, Job]:
    if not args:
        raise ArgumentError(f"name a task ({', '.join(TASKS)}) and gold files")
    name, *gold = args
    task = get_task(name)
    if not gold:
        raise ArgumentError(f"name the gold files after '{name}'")
    if "-" in gold:
        raise ArgumentError("gold pages are read twice: name files, not '-'")
    named = getattr(options, task.method_option) if task.method_option else task.default_method
    job = Job(
        gold=tuple(map(Path, gold)),
        method=opts.method or named or ONLY_METHOD,
        limit=opts.limit,
        with_curves=opts.curve is not None,
        with_blocks=opts.blocks,
        alone=opts.alone,
        as_items=opts.items,
        one_collection=opts.collection,
        examples=opts.examples or EXAMPLES,
        options=options,
    )
    if task.has_one_method and job.method != ONLY_METHOD:
        raise UnknownMethodError(f"the task {name} has one method; leave --method out")
    for option in sorted({each for known in TASKS.values() for each in known.options}):
        if getattr(opts, option) not in (None, False) and option not in task.options:
            raise ArgumentError(f"the task {name} has no use for --{option}; leave it out")
    if opts.alone and (opts.collection or opts.curve is not None):
        raise ArgumentError("--alone counts no site; leave out --collection and --curve")
    _check_files(opts)
    return task, job


def _check_files(opts: argparse.Namespace) -> None:
    """Refuse files that cannot be written, and two options that name one file."""
    seen: dict[Path, str] = {}
    for option in ("json", "curve", "pages"):
        file = getattr(opts, option)
        if file is None or (option, file) == ("json", "-"):
            continue
        check_target(f"--{option}", file)
        if (first := seen.setdefault(Path(file).resolve(), option)) != option:
            raise ArgumentError(f"--{first} and --{option} name the same file; give two")
