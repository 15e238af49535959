"""``scrapy harvest``: many sites, on a schedule."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from scrapy.utils.misc import load_object

from crawler.commands.base import Option, QuietCommand, flag, option, valued, whole_number

if TYPE_CHECKING:
    from scrapy.settings import Settings


_PLAN: Final = option("plan", metavar="PLAN")
_ONE_SITE: Final = "this site of the plan only; may be repeated"
_SITE: Final = valued("--site", "ID", _ONE_SITE, dest="sites", action="append", default=[])
_WHERE: Final = "in processes of this machine (local, the default), or on a Dask cluster (dask)"
_ENGINE: Final = (
    valued("--executor", "NAME", _WHERE, choices=("local", "dask"), default="local"),
    valued("--processes", "N", "local: so many at once (default 2)", type=whole_number(1)),
    valued("--scheduler", "ADDRESS", "dask: the scheduler, such as tcp://head:8786"),
)
_LAST: Final = "the last N entries of each site; 0 for all (default 30)"
# Of each verb the words of its help, and its arguments.
_VERBS: Final[dict[str, tuple[str, tuple[Option, ...]]]] = {
    "run": (
        "crawl the sites of the plan now, or with --due those that became due, for cron",
        (_PLAN, _SITE, flag("--due", "what became due since its last run"), *_ENGINE),
    ),
    "watch": (
        "stay, and crawl sites when they become due, until Ctrl-C",
        (_PLAN, *_ENGINE),
    ),
    "status": (
        "show the last run of each site against the one before; or all runs, as JSON or as a page",
        (
            _PLAN,
            _SITE,
            valued("--last", "N", _LAST, type=whole_number(0), default=30),
            flag("--json", "print JSON, for programs"),
            valued("--html", "FILE", "write an HTML page with plots"),
        ),
    ),
    "check": (
        "show what is wrong with the plan, or when its sites would run, and by which command",
        (
            _PLAN,
            _SITE,
            valued("--times", "N", "the next N runs (default 3)", type=whole_number(0), default=3),
        ),
    ),
    "archive": (
        "make the items of WARC files, file by file, as 'scrapy crawl archive' does in one process",
        (
            option("files", metavar="FILE", nargs="+"),
            *_ENGINE,
            valued("--output -O", "FOLDER", "folder of the items (archive in CORPUS_DIR)"),
            valued(
                "--work", "FOLDER", "folder of intermediate results (archive-work in CORPUS_DIR)"
            ),
            valued("--memory", "MB", "most memory that a job may allocate", type=whole_number(1)),
        ),
    ),
}


class HarvestCommand(QuietCommand):
    """Runs the sites of a plan when they are due, and shows how that went.

    Leaves with 0 when all is well; 1 when a site's run did not end well, or something could not be
    done; 2 when the call or the plan is wrong.
    """

    name = "harvest"
    usage = "run|watch|status|check PLAN [options] | archive FILE… [options]"
    summary = "Crawl many sites on a schedule, by a plan; show how their runs went"
    description = (
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
        for verb, (words, options) in _VERBS.items():
            own = parsers.add_parser(verb, help=words, description=words)
            self.end_in_a_line(own, verb)
            if verb == "archive":
                super().add_options(own)
            for names, keywords in options:
                own.add_argument(*names, **keywords)

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Do what the verb says."""
        from crawler.core.errors import ArgumentError
        from crawler.reports.stdout import print_error

        if args:
            raise ArgumentError(f"unknown argument {args[0]}; {self.help_of(opts.verb)} lists all")
        if opts.verb is None:
            raise ArgumentError(f"say what to do: one of {', '.join(_VERBS)}")
        if opts.set and opts.verb != "archive":
            # So that all machines crawl a site alike.
            raise ArgumentError("-s has no meaning here: settings of the sites stand in the plan")
        if opts.verb == "status" and opts.json and opts.html:
            raise ArgumentError("--html and --json are two answers; ask for one of them")
        try:
            # Each in a module of its own: they take a while to import.
            module = "archive.run" if opts.verb == "archive" else "verbs"
            is_well = load_object(f"crawler.harvest.{module}.{opts.verb}")(opts, settings)
        except KeyboardInterrupt:
            # Also while the modules of the command are loaded, which takes a moment.
            what_ran = "; what ran is shown as lost"
            after = {"run": what_ran, "watch": what_ran, "archive": "; call it again to go on"}
            print_error(self.name, f"ended at once{after.get(opts.verb, '')}")
            is_well = False
        return 0 if is_well else 1
