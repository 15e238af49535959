"""``scrapy harvest``: many sites, on a schedule."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    from crawler.harvest.engine import Workers

__all__ = ["HarvestCommand"]

_NOT_WELL = 1
_LAST = 30
_TIMES = 3
_FETCHED = 10
_WORDS = {
    "run": "crawl the sites of the plan now, each in a process of its own; with --due those that "
    "became due since their last run, for cron",
    "watch": "stay, and crawl sites when they become due, until Ctrl-C",
    "status": "show the history of the sites: the last run of each against the one before, as a "
    "table; or all runs as JSON, or as a page",
    "check": "show what is wrong with the plan, or else when its sites would run, by which "
    "command, and what a first crawl would fetch",
    "archive": "make the items of WARC files, and of those in folders, file by file, as 'scrapy "
    "crawl archive' does in one process",
}


class HarvestCommand(ScrapyCommand):
    """Runs the sites of a plan when they are due, and shows how that went.

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
            "PLAN is a file such as harvest.toml. 'scrapy harvest run -h' shows what 'run' takes, "
            "and so on."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add a parser for each verb."""
        super().add_options(parser)
        verbs = parser.add_subparsers(
            dest="verb",
            metavar="VERB",
            prog="scrapy harvest",
            parser_class=argparse.ArgumentParser,
        )
        for verb, words in _WORDS.items():
            own = verbs.add_parser(verb, help=words, description=words, conflict_handler="resolve")
            if verb == "archive":
                own.add_argument("files", metavar="FILE", nargs="+")
                super().add_options(own)
            else:
                own.add_argument("plan", metavar="PLAN")
            getattr(self, f"_{verb}_options")(own)
            if verb not in {"status", "check"}:
                _engine_options(own)

    def _run_options(self, parser: argparse.ArgumentParser) -> None:
        _site_option(parser)
        parser.add_argument("--due", action="store_true", help="what became due since its last run")

    def _watch_options(self, parser: argparse.ArgumentParser) -> None:
        """Take no option but those of the engine."""

    def _status_options(self, parser: argparse.ArgumentParser) -> None:
        _site_option(parser)
        parser.add_argument(
            "--last", metavar="N", type=_number, default=_LAST,
            help=f"the last N entries of each site; 0 for all (default {_LAST})",
        )  # fmt: skip
        kind = parser.add_mutually_exclusive_group()
        kind.add_argument("--json", action="store_true", help="print JSON, for programs")
        kind.add_argument("--html", metavar="FILE", help="write an HTML page with plots")

    def _check_options(self, parser: argparse.ArgumentParser) -> None:
        _site_option(parser)
        parser.add_argument(
            "--times", metavar="N", type=_number, default=_TIMES,
            help=f"the next N runs (default {_TIMES})",
        )  # fmt: skip
        parser.add_argument(
            "--fetch", metavar="N", nargs="?", type=_number, const=_FETCHED,
            help=f"ask the sites, and show the first N pages of each (default {_FETCHED})",
        )  # fmt: skip

    def _archive_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-O", "--output", metavar="FOLDER",
            help="folder of the items, one file a shard (default archive in CORPUS_DIR)",
        )  # fmt: skip
        parser.add_argument(
            "--work", metavar="FOLDER",
            help="folder of what is kept meanwhile, to go on after a kill "
            "(default archive-work in CORPUS_DIR)",
        )  # fmt: skip
        parser.add_argument(
            "--memory", metavar="MB", type=_positive,
            help="most memory that a job may allocate, without limit if left out",
        )  # fmt: skip

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what the verb says."""
        from crawler.core.errors import CorpusError, one_line

        try:
            self.exitcode = self._do(args, opts)
        except CorpusError as error:
            # A plan's mistakes are a line each; more than one of them is worth mending at once.
            for line in str(error).splitlines() if opts.verb != "archive" else [one_line(error)]:
                print(f"scrapy harvest: {line}", file=sys.stderr)
            self.exitcode = error.exit_code
        except KeyboardInterrupt:
            # Also while the modules of the command are loaded, which takes a moment.
            is_kept = opts.verb in {"run", "watch"}
            lost = "; what ran is shown as lost" if is_kept else ""
            print(f"scrapy harvest: ended at once{lost}", file=sys.stderr)
            self.exitcode = _NOT_WELL

    def _do(self, args: list[str], opts: argparse.Namespace) -> int:
        from pathlib import Path

        from crawler.core.errors import ArgumentError
        from crawler.reports.stdout import for_a_reader

        if args:
            raise ArgumentError(f"unknown option {args[0]}; 'scrapy harvest -h' lists them")
        if opts.verb is None:
            raise ArgumentError(f"say what to do: one of {', '.join(_WORDS)}")
        if opts.verb == "archive":
            from crawler.harvest.archive.command import run_archive

            assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
            return run_archive(opts, self.settings)
        if opts.set:
            # So that all machines crawl a site alike.
            raise ArgumentError("-s has no meaning here: settings of the sites stand in the plan")
        from crawler.harvest import verbs

        path = Path(opts.plan)
        with for_a_reader():
            if opts.verb == "run":
                well = verbs.run(path, opts.sites, _workers(opts), only_due=opts.due)
            elif opts.verb == "watch":
                well = verbs.watch(path, _workers(opts))
            elif opts.verb == "status":
                well = verbs.status(
                    path, opts.sites, last=opts.last, html=opts.html, json_=opts.json
                )
            else:
                well = verbs.check(path, opts.sites, times=opts.times, fetch=opts.fetch)
        return 0 if well else _NOT_WELL


def _site_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--site", dest="sites", metavar="ID", action="append", default=[],
        help="this site of the plan only; may be repeated",
    )  # fmt: skip


def _engine_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how the work is done")
    group.add_argument(
        "--executor", choices=("local", "dask"), default="local",
        help="in processes of this machine (the default), or on a Dask cluster",
    )  # fmt: skip
    group.add_argument(
        "--processes", metavar="N", type=_positive, help="local: so many at once (default 2)"
    )
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="dask: the scheduler, such as tcp://head:8786"
    )


def _workers(opts: argparse.Namespace) -> Workers:
    from crawler.harvest.engine import Workers

    return Workers(opts.executor, opts.processes, opts.scheduler)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 0 or more")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 1 or more")
    return int(text)
