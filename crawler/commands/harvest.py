"""``scrapy harvest``: many sites, on a schedule."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from crawler.core.errors import CorpusError
    from crawler.harvest.calls import ExecutorCall
    from crawler.harvest.plan import Plan

__all__ = ["HarvestCommand"]

_NOT_WELL = 1
_EXECUTOR = ("executor", "processes", "scheduler")
# Which options belong to which form of the command, by their names in the namespace.
_OPTIONS: dict[str, tuple[str, ...]] = {
    "run": ("sites", "due", *_EXECUTOR),
    "watch": _EXECUTOR,
    "status": ("sites", "last", "html", "json"),
    "check": ("sites", "times", "fetch", *_EXECUTOR),
    "archive": ("output", "work", "shard_size", "memory", *_EXECUTOR),
}
_FLAGS = {"sites": "--site", "shard_size": "--shard-size"}
_TIMES = 3
_LAST = 30
_SHOWN = 10


class HarvestCommand(ScrapyCommand):
    """Runs the sites of a plan, when they are due, and tells how that went.

    Leaves with 0 when all is well; 1 when a site's run did not end well, or something could not be
    done; 2 when the call or the plan is wrong.
    """

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Say how the command is called."""
        return "run|watch|status|check PLAN [options] | archive FILE… [options]"

    def short_desc(self) -> str:
        """Say what the command does in a line."""
        return "Crawl many sites on a schedule, by a plan; show how their runs went"

    def long_desc(self) -> str:
        """Say what the command does, for its help."""
        return (
            "PLAN is a file such as harvest.toml. 'run' crawls its sites, each in a process of its "
            "own; with --due those that became due since their last run, for cron. 'watch' does so "
            "when they become due, until Ctrl-C. 'status' shows the history of their runs. 'check' "
            "shows what is wrong with the plan, or else when its sites would run. 'archive' makes "
            "the items of WARC files, and of those in folders, in shards, as 'scrapy crawl "
            "archive' does in one process."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command takes."""
        from crawler.harvest.archive.arguments import add_archive_arguments

        super().add_options(parser)
        parser.add_argument(
            "--site", dest="sites", metavar="ID", action="append", default=[],
            help="this site of the plan only (may be repeated)",
        )  # fmt: skip
        parser.add_argument(
            "--due", action="store_true", help="run: what became due since its last run, once"
        )
        work = parser.add_argument_group("how sites are run")
        work.add_argument(
            "--executor", choices=("local", "dask"),
            help="where: in processes of this machine, or on a Dask cluster (default: local)",
        )  # fmt: skip
        work.add_argument(
            "--processes", metavar="N", type=int, help="local: so many at once (default: 2)"
        )
        work.add_argument(
            "--scheduler", metavar="ADDRESS", help="dask: the scheduler, such as tcp://head:8786"
        )
        shown = parser.add_argument_group("what is shown")
        shown.add_argument(
            "--last",
            metavar="N",
            type=int,
            help=f"status: the last N entries of each site; 0 for all (default: {_LAST})",
        )
        shown.add_argument("--json", action="store_true", help="status: print JSON, for programs")
        shown.add_argument("--html", metavar="FILE", help="status: write an HTML page with plots")
        shown.add_argument(
            "--times", metavar="N", type=int, help=f"check: the next N runs (default: {_TIMES})"
        )
        shown.add_argument(
            "--fetch", metavar="N", nargs="?", type=_after_the_plan, const=_SHOWN,
            help=f"check: ask the sites, and show the first N pages of each (default: {_SHOWN})",
        )  # fmt: skip
        add_archive_arguments(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what the first argument says."""
        from pathlib import Path

        from crawler.core.errors import ArgumentError, CorpusError
        from crawler.harvest.plan import PlanError
        from crawler.harvest.planfile import read_plan
        from crawler.pipes import for_a_reader

        forms: dict[str, Callable[[Plan, argparse.Namespace], bool]] = {
            "run": self._run,
            "watch": self._watch,
            "status": self._status,
            "check": self._check,
        }
        try:
            if unknown := [arg for arg in args if arg.startswith("-")]:
                raise ArgumentError(f"unknown option {unknown[0]}; 'scrapy harvest -h' lists them")
            if not args or args[0] not in _OPTIONS:
                raise ArgumentError(f"say what to do: one of {', '.join(_OPTIONS)}")
            _check_options(args[0], opts)
            if args[0] == "archive":
                self._archive(args[1:], opts)
                return
            if len(args) != 2:  # noqa: PLR2004 - what to do, and the plan
                raise ArgumentError(f"give one plan: scrapy harvest {args[0]} harvest.toml")
            plan = read_plan(Path(args[1]))
            with for_a_reader():
                if not forms[args[0]](plan, opts):
                    self.exitcode = _NOT_WELL
        except PlanError as error:
            # A line for each mistake; more than one of them is worth mending at once.
            for line in error.lines:
                self._tell(line)
            self.exitcode = error.exit_code
        except CorpusError as error:
            self._tell(error)
            self.exitcode = error.exit_code
        except KeyboardInterrupt:
            is_kept = args[0] in {"run", "watch"}
            lost = "; what ran is told as lost at the next look" if is_kept else ""
            self._tell(f"ended at once{lost}")
            self.exitcode = _NOT_WELL

    def _run(self, plan: Plan, opts: argparse.Namespace) -> bool:
        from crawler.harvest.calls import chosen, run

        return run(plan, chosen(plan, opts.sites), _executor(opts), only_due=opts.due)

    def _watch(self, plan: Plan, opts: argparse.Namespace) -> bool:
        from crawler.harvest.calls import watch

        watch(plan, _executor(opts))
        return True

    def _status(self, plan: Plan, opts: argparse.Namespace) -> bool:
        from pathlib import Path

        from crawler.core.errors import ArgumentError
        from crawler.harvest.calls import status

        if opts.html and opts.json:
            raise ArgumentError("--html and --json are two answers; ask for one of them")
        html = Path(opts.html) if opts.html else None
        last = _number(opts.last, "--last", _LAST, least=0)
        status(plan, opts.sites, last=last, html=html, as_json=opts.json)
        return True

    def _check(self, plan: Plan, opts: argparse.Namespace) -> bool:
        from crawler.harvest.calls import check, chosen

        times = _number(opts.times, "--times", _TIMES, least=0)
        fetch = None if opts.fetch is None else _number(opts.fetch, "--fetch", _SHOWN, least=0)
        return check(plan, chosen(plan, opts.sites), _executor(opts), times=times, fetch=fetch)

    def _archive(self, files: list[str], opts: argparse.Namespace) -> None:
        from crawler.harvest.archive.command import run_archive

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        opts.files = files
        self.exitcode = run_archive(opts, self.settings)

    def _tell(self, error: CorpusError | str) -> None:
        from crawler.core.errors import one_line

        print(f"scrapy harvest: {one_line(error)}", file=sys.stderr)


def _after_the_plan(text: str) -> int:
    """Read a number that may be left out: a plan that follows its option is taken for it."""
    try:
        return int(text)
    except ValueError:
        import argparse

        words = f"{text!r} is no number; PLAN stands before --fetch"
        raise argparse.ArgumentTypeError(words) from None


def _check_options(form: str, opts: argparse.Namespace) -> None:
    from crawler.core.errors import ArgumentError

    if opts.set and form != "archive":
        # So that all machines and all looks crawl a site alike.
        raise ArgumentError("-s has no meaning here: settings of the sites stand in the plan")
    every = dict.fromkeys(name for names in _OPTIONS.values() for name in names)
    for name in every:
        if getattr(opts, name) not in (None, False, []) and name not in _OPTIONS[form]:
            flag = _FLAGS.get(name, f"--{name}")
            forms = " and ".join(f"'{one}'" for one, names in _OPTIONS.items() if name in names)
            raise ArgumentError(f"{flag} belongs to {forms}, not to '{form}'")


def _executor(opts: argparse.Namespace) -> ExecutorCall:
    from crawler.harvest.calls import ExecutorCall

    return ExecutorCall(opts.executor or "local", opts.processes, opts.scheduler)


def _number(given: int | None, flag: str, default: int, *, least: int) -> int:
    from crawler.core.errors import ArgumentError

    if given is None:
        return default
    if given < least:
        raise ArgumentError(f"{flag} is {given}; give {least} or more")
    return given
