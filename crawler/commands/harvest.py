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
_FLAGS = {"sites": "--site"}


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
        from crawler.harvest.arguments import FORMS

        forms = " ".join(
            f"'{name}' {form.words[0].lower()}{form.words[1:]}" for name, form in FORMS.items()
        )
        return (
            f"PLAN is a file such as harvest.toml. {forms} "
            "'scrapy harvest run -h' shows what 'run' takes, and so on."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command takes."""
        from crawler.harvest.arguments import add_arguments

        self._parser = parser
        # The help is that of the form that is asked for, which is known when all is read.
        parser.conflict_handler = "resolve"
        parser.add_argument_group("options").add_argument(
            "-h", "--help", action="store_true",
            help="show this help; with run, watch and so on, the help of that alone",
        )  # fmt: skip
        add_arguments(parser)
        super().add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the help where it is asked for."""
        if opts.help:
            self._help_of(args[0] if args else "").print_help()
            self._parser.exit()
        super().process_options(args, opts)

    def _help_of(self, form: str) -> argparse.ArgumentParser:
        import argparse

        from crawler.harvest.arguments import FORMS, add_arguments

        if form not in FORMS:
            return self._parser
        wanted = FORMS[form]
        parser = argparse.ArgumentParser(
            formatter_class=self._parser.formatter_class,
            usage=f"scrapy harvest {form} {wanted.takes} [options]",
            conflict_handler="resolve",
            description=wanted.words,
        )
        add_arguments(parser, form)
        super().add_options(parser)
        if form != "archive":
            parser.add_argument("-s", "--set", help=argparse.SUPPRESS)
        return parser

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what the first argument says."""
        try:
            self._do(args, opts)
        except KeyboardInterrupt:
            # Also while the modules of the command are loaded, which takes a moment.
            is_kept = args[:1] in (["run"], ["watch"])
            lost = "; what ran is told as lost at the next look" if is_kept else ""
            self._tell(f"ended at once{lost}")
            self.exitcode = _NOT_WELL

    def _do(self, args: list[str], opts: argparse.Namespace) -> None:
        from pathlib import Path

        from crawler.core.errors import ArgumentError, CorpusError
        from crawler.harvest.plan import PlanError
        from crawler.harvest.planfile import read_plan
        from crawler.reports.stdout import for_a_reader

        forms: dict[str, Callable[[Plan, argparse.Namespace], bool]] = {
            "run": self._run,
            "watch": self._watch,
            "status": self._status,
            "check": self._check,
        }
        try:
            if unknown := [arg for arg in args if arg.startswith("-")]:
                raise ArgumentError(f"unknown option {unknown[0]}; 'scrapy harvest -h' lists them")
            form = _form_of(args)
            _check_options(form, opts)
            if form == "archive":
                self._archive(args[1:], opts)
                return
            if len(args) != 2:  # noqa: PLR2004 - what to do, and the plan
                raise ArgumentError(f"give one plan: scrapy harvest {form} harvest.toml")
            plan = read_plan(Path(args[1]))
            with for_a_reader():
                if not forms[form](plan, opts):
                    self.exitcode = _NOT_WELL
        except PlanError as error:
            # A line for each mistake; more than one of them is worth mending at once.
            for line in error.lines:
                self._tell(line)
            self.exitcode = error.exit_code
        except CorpusError as error:
            self._tell(error)
            self.exitcode = error.exit_code

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
        from crawler.harvest.arguments import LAST
        from crawler.harvest.calls import status

        if opts.html and opts.json:
            raise ArgumentError("--html and --json are two answers; ask for one of them")
        html = Path(opts.html) if opts.html else None
        last = _number(opts.last, "--last", LAST, least=0)
        status(plan, opts.sites, last=last, html=html, as_json=opts.json)
        return True

    def _check(self, plan: Plan, opts: argparse.Namespace) -> bool:
        from crawler.harvest.arguments import FETCHED, TIMES
        from crawler.harvest.calls import check, chosen

        times = _number(opts.times, "--times", TIMES, least=0)
        fetch = None if opts.fetch is None else _number(opts.fetch, "--fetch", FETCHED, least=0)
        return check(plan, chosen(plan, opts.sites), _executor(opts), times=times, fetch=fetch)

    def _archive(self, files: list[str], opts: argparse.Namespace) -> None:
        from crawler.harvest.archive.command import run_archive

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        opts.files = files
        self.exitcode = run_archive(opts, self.settings)

    def _tell(self, error: CorpusError | str) -> None:
        from crawler.core.errors import one_line

        print(f"scrapy harvest: {one_line(error)}", file=sys.stderr)


def _form_of(args: list[str]) -> str:
    from pathlib import Path

    from crawler.core.errors import ArgumentError, one_line
    from crawler.harvest.arguments import FORMS
    from crawler.harvest.plantables import nearest

    if args and args[0] in FORMS:
        return args[0]
    words = f"say what to do: one of {', '.join(FORMS)}"
    if args and (near := nearest(args[0], FORMS)):
        words += f"; did you mean '{near}'?"
    elif args and Path(args[0]).suffix == ".toml":
        words += f", as in: scrapy harvest check {one_line(args[0])}"
    raise ArgumentError(words)


def _check_options(form: str, opts: argparse.Namespace) -> None:
    from crawler.core.errors import ArgumentError
    from crawler.harvest.arguments import every_option, forms_of

    if opts.set and form != "archive":
        # So that all machines and all looks crawl a site alike.
        raise ArgumentError("-s has no meaning here: settings of the sites stand in the plan")
    for name in every_option():
        if getattr(opts, name) not in (None, False, []) and form not in forms_of(name):
            flag = _FLAGS.get(name, f"--{name}")
            forms = " and ".join(f"'{one}'" for one in forms_of(name))
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
