"""``scrapy harvest``: many sites, on a schedule."""

from __future__ import annotations

import argparse
import sys
from typing import Any, ClassVar, Final

from scrapy.commands import ScrapyCommand

_NOT_WELL: Final = 1
_VERBS: Final = {
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


def _number(text: str, least: int = 0) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of {least} or more")
    return int(text)


def _positive(text: str) -> int:
    return _number(text, 1)


# Each option: its flags, the verbs that have it, its help, and what else argparse is told of it.
_OPTIONS: Final[tuple[tuple[str, str, str, dict[str, Any]], ...]] = (
    (
        "--site",
        "run status check",
        "this site of the plan only; may be repeated",
        {"dest": "sites", "metavar": "ID", "action": "append", "default": []},
    ),
    ("--due", "run", "what became due since its last run", {"action": "store_true"}),
    (
        "--executor",
        "run watch archive",
        "in processes of this machine (the default), or on a Dask cluster",
        {"choices": ("local", "dask"), "default": "local"},
    ),
    (
        "--processes",
        "run watch archive",
        "local: so many at once (default 2)",
        {"metavar": "N", "type": _positive},
    ),
    (
        "--scheduler",
        "run watch archive",
        "dask: the scheduler, such as tcp://head:8786",
        {"metavar": "ADDRESS"},
    ),
    (
        "--last",
        "status",
        "the last N entries of each site; 0 for all (default 30)",
        {"metavar": "N", "type": _number, "default": 30},
    ),
    ("--json", "status", "print JSON, for programs", {"action": "store_true"}),
    ("--html", "status", "write an HTML page with plots", {"metavar": "FILE"}),
    (
        "--times",
        "check",
        "the next N runs of each site (default 3)",
        {"metavar": "N", "type": _number, "default": 3},
    ),
    (
        "--fetch",
        "check",
        "ask the sites, and show the first N pages of each (default 10)",
        {"metavar": "N", "nargs": "?", "type": _number, "const": 10},
    ),
    (
        "--output -O",
        "archive",
        "folder of the items (default archive in CORPUS_DIR)",
        {"metavar": "FOLDER"},
    ),
    (
        "--work",
        "archive",
        (
            "folder of what is kept meanwhile, to go on after a kill (default archive-work in "
            "CORPUS_DIR)"
        ),
        {"metavar": "FOLDER"},
    ),
    (
        "--memory",
        "archive",
        "most memory that a job may allocate, without limit if left out",
        {"metavar": "MB", "type": _positive},
    ),
)


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
        parsers = parser.add_subparsers(
            dest="verb",
            metavar="VERB",
            prog="scrapy harvest",
            parser_class=argparse.ArgumentParser,
        )
        for verb, words in _VERBS.items():
            own = parsers.add_parser(verb, help=words, description=words)
            if verb == "archive":
                own.add_argument("files", metavar="FILE", nargs="+")
                super().add_options(own)
            else:
                own.add_argument("plan", metavar="PLAN")
            for flags, verbs, help_, details in _OPTIONS:
                if verb in verbs.split():
                    own.add_argument(*flags.split(), help=help_, **details)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what the verb says."""
        from crawler.core.errors import CorpusError

        try:
            self.exitcode = self._do(args, opts)
        except CorpusError as error:
            # A plan's mistakes are a line each; more than one of them is worth mending at once.
            for line in str(error).splitlines():
                print(f"scrapy harvest: {line}", file=sys.stderr)
            self.exitcode = error.exit_code
        except KeyboardInterrupt:
            # Also while the modules of the command are loaded, which takes a moment.
            lost = "; what ran is shown as lost" if opts.verb in {"run", "watch"} else ""
            print(f"scrapy harvest: ended at once{lost}", file=sys.stderr)
            self.exitcode = _NOT_WELL

    def _do(self, args: list[str], opts: argparse.Namespace) -> int:
        from crawler.core.errors import ArgumentError
        from crawler.reports.stdout import for_a_reader

        if args:
            raise ArgumentError(f"unknown option {args[0]}; 'scrapy harvest -h' lists them")
        if opts.verb is None:
            raise ArgumentError(f"say what to do: one of {', '.join(_VERBS)}")
        if opts.verb == "archive":
            from crawler.harvest.archive.run import run_archive

            assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
            return 0 if run_archive(opts, self.settings) else _NOT_WELL
        if opts.set:
            # So that all machines crawl a site alike.
            raise ArgumentError("-s has no meaning here: settings of the sites stand in the plan")
        if opts.verb == "status" and opts.json and opts.html:
            raise ArgumentError("--html and --json are two answers; ask for one of them")
        from crawler.harvest import verbs

        with for_a_reader():
            return 0 if getattr(verbs, opts.verb)(opts) else _NOT_WELL
