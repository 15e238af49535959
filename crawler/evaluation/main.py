"""The command line of an evaluation: arguments in, figures out, one line for each mistake."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from scrapy.utils.log import configure_logging

from crawler.core.errors import ArgumentError, CorpusError, one_line
from crawler.evaluation.pages import curve_page
from crawler.evaluation.render import as_json, write_report
from crawler.evaluation.report import Job
from crawler.evaluation.targets import check_target, write_file
from crawler.evaluation.tasks import get_task, task_names
from crawler.settings import Options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import TextIO

    from scrapy.settings import Settings

    from crawler.evaluation.report import Report, Task

__all__ = ["main"]

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class _Call:
    """A checked command line.

    ``json`` is the file for the JSON object, ``"-"`` standard output; ``curve`` the one to draw in.
    """

    task: Task
    job: Job
    json: str | None
    curve: str | None


def main(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> int:
    """Measure, print, and return the exit code.

    It is 0 when the task measured, 1 when the result cannot be written, 2 when the command line, a
    setting or a gold file is wrong.
    """
    out = sys.stdout
    # Whatever a method or a library prints may not spoil the JSON object.
    with redirect_stdout(sys.stderr):
        configure_logging(settings)
        try:
            call = _read_arguments(args, opts, Options.from_settings(settings))
            started = perf_counter()
            report = call.task.run(call.job)
            seconds = perf_counter() - started
            if call.curve is not None and report.curves is not None:
                write_file(call.curve, curve_page(report.curves))
            _write(report, seconds, call.json, out)
        except CorpusError as error:
            sys.stderr.write(f"scrapy evaluate: {one_line(error)}\n")
            return error.exit_code
    return 0


def _read_arguments(args: Sequence[str], opts: argparse.Namespace, options: Options) -> _Call:
    unknown = [arg for arg in args if arg.startswith("-") and arg != "-"]
    if unknown:
        raise ArgumentError(
            f"unknown option {unknown[0]}; the options are --method, --limit, --examples, --json "
            "and --curve"
        )
    if not args:
        raise ArgumentError(f"name a task ({', '.join(task_names())}) and gold files")
    task = get_task(args[0])
    if len(args) == 1:
        raise ArgumentError(f"name the gold files after '{args[0]}'")
    if "-" in args[1:]:
        raise ArgumentError("gold pages are read twice: name files, not '-'")
    of_settings = {"text": options.text_method, "tables": options.table_method}
    job = Job(
        gold=tuple(Path(name) for name in args[1:]),
        method=opts.method or task.default_method or of_settings[task.name],
        limit=_count("--limit", opts.limit, "of pages or texts"),
        near_duplicate_similarity=options.near_duplicate_similarity,
        with_curves=opts.curve is not None,
        examples=_count("--examples", opts.examples, "of pages to learn from") or _EXAMPLES,
        options=options,
    )
    if opts.examples is not None and task.name != "wrapper":
        raise ArgumentError(f"the task {task.name} learns nothing; leave --examples out")
    if opts.curve is not None and not task.has_curves:
        raise ArgumentError(f"the task {task.name} has no curve; leave --curve out")
    if opts.json not in (None, "-"):
        check_target("--json", opts.json, "give a file in a folder that exists, or -")
    if opts.curve is not None:
        check_target("--curve", opts.curve)
        if opts.json not in (None, "-") and Path(opts.json).resolve() == Path(opts.curve).resolve():
            raise ArgumentError("--json and --curve name the same file; give two")
    return _Call(task, job, opts.json, opts.curve)


def _count(option: str, value: str | None, what: str) -> int | None:
    if value is None:
        return None
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        raise ArgumentError(f"{option} is '{value}'; give a number {what}, 1 or more")
    return number


def _write(report: Report, seconds: float, json: str | None, out: TextIO) -> None:
    if json == "-":
        out.write(as_json(report, seconds))
        out.flush()
        return
    write_report(report, seconds, out)
    if json is not None:
        write_file(json, as_json(report, seconds))
