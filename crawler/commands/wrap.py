"""``scrapy wrap``: run a project on pages, teach it, or try it again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.settings import SETTINGS_PRIORITIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from crawler.core.errors import CorpusError
    from crawler.wrapper.inputs import Inputs

__all__ = ["WrapCommand"]

_NOT_WELL = 1
# What shells say of a process that Ctrl-C ended.
_STOPPED = 130
# Which options belong to which form of the command, by their names in the namespace.
_OF_RUN = ("output", "format", "rows", "args", "saves", "report")
_OF_LEARN = (
    "said", "elements", "absent", "wrong", "repeat", "required", "whole", "schema", "root",
    "matcher", "confidence", "script", "nodes", "no_page",
)  # fmt: skip
_FLAGS = {"said": "--field", "elements": "--element", "args": "--arg"}


class WrapCommand(ScrapyCommand):
    """Runs a project, learns from a page, or tests what was learned.

    Leaves with 0 when all is well; 1 when a page no longer fits or cannot be read, a script failed,
    an example is no longer found, or something cannot be written; 2 when the call or a file is
    wrong; 130 when it was stopped.
    """

    requires_project = False

    def syntax(self) -> str:
        """Say how the command is called."""
        return "[options] PROJECT INPUT... | learn PROJECT PAGE | test PROJECT [INPUT...]"

    def short_desc(self) -> str:
        """Say what the command does in a line."""
        return "Take fields and records from pages by rules that were learned from examples"

    def long_desc(self) -> str:
        """Say what the command does, for its help."""
        return (
            "PROJECT is a file that ends in .h2x. 'scrapy wrap learn PROJECT PAGE --field "
            "NAME=VALUE ...' teaches it where such values stand on a page, and makes it when it is "
            "not there. 'scrapy wrap PROJECT INPUT...' takes them from other pages: saved pages, "
            "folders of them, WARC files, JSON Lines with url and html, or addresses. 'scrapy wrap "
            "test PROJECT' tries it again on the pages it was taught, and on others that are named."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command takes."""
        super().add_options(parser)
        parser.add_argument("--url", metavar="URL", help="address of the page that INPUT was")
        _add_run_options(parser)
        _add_learn_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Say nothing but the answer unless asked for it."""
        super().process_options(args, opts)
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        # A project's own level is meant for its crawls.
        if (self.settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
            self.settings.set("LOG_LEVEL", "CRITICAL", "cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what the first argument says."""
        from crawler.core.errors import ArgumentError, CorpusError
        from crawler.reports.stdout import for_a_reader

        forms: dict[str, Callable[[list[str], argparse.Namespace], bool]] = {
            "learn": self._learn,
            "test": self._test,
        }
        try:
            if unknown := [arg for arg in args if arg.startswith("-")]:
                raise ArgumentError(f"unknown option {unknown[0]}; 'scrapy wrap -h' lists them")
            form = args[0] if args and args[0] in forms else ""
            _check_options(form, opts)
            names = args[1:] if form else args
            if not names:
                raise ArgumentError("name a project file, one that ends in .h2x")
            with for_a_reader():
                if not forms.get(form, self._run)(names, opts):
                    self.exitcode = _NOT_WELL
        except CorpusError as error:
            self._tell(error)
            self.exitcode = error.exit_code
        except KeyboardInterrupt:
            self._tell("stopped")
            self.exitcode = _STOPPED

    def _run(self, names: list[str], opts: argparse.Namespace) -> bool:
        from crawler.wrapper.run_project import RunCall, run

        call = RunCall(
            project=_file(names[0]),
            output=_path(opts.output),
            format=opts.format,
            rows=opts.rows,
            args=tuple(opts.args),
            saves=_path(opts.saves),
            report=_path(opts.report),
        )
        return run(call, self._inputs(names[1:], opts), _write, self._tell)

    def _learn(self, names: list[str], opts: argparse.Namespace) -> bool:
        from crawler.core.errors import ArgumentError
        from crawler.wrapper.learn_page import LearnCall, learn_page
        from crawler.wrapper.training_input import TrainingInput, read_elements, read_values

        given = TrainingInput(
            values=read_values(opts.said, "--field"),
            elements=read_elements(opts.elements),
            absent=tuple(opts.absent),
            wrong=read_values(opts.wrong, "--wrong"),
            repeat=tuple(opts.repeat),
            required=tuple(opts.required),
            whole=tuple(opts.whole),
        )
        if given == TrainingInput() and not (opts.script or opts.schema):
            raise ArgumentError("say what the page has: --field NAME=VALUE, as often as you like")
        call = LearnCall(
            project=_file(names[0]),
            given=given,
            schema=_path(opts.schema),
            root=opts.root,
            matcher=opts.matcher,
            confidence=opts.confidence,
            script=_path(opts.script),
            nodes=tuple(name for part in opts.nodes for name in part.split(",") if name),
            keep=not opts.no_page,
        )
        for line in learn_page(call, self._inputs(names[1:], opts)):
            _say(line)
        return True

    def _test(self, names: list[str], opts: argparse.Namespace) -> bool:
        from crawler.wrapper.check_project import check_project

        all_well = True
        for line, is_well in check_project(_file(names[0]), self._inputs(names[1:], opts)):
            _say(line)
            all_well = all_well and is_well
        return all_well

    def _inputs(self, names: list[str], opts: argparse.Namespace) -> Inputs:
        from crawler.settings import Options
        from crawler.spiders.fetch import fetch_pages
        from crawler.wrapper.inputs import Inputs

        assert self.settings is not None  # noqa: S101 - as above
        assert self.crawler_process is not None  # noqa: S101 - as above
        max_bytes = Options.from_settings(self.settings).max_page_bytes
        process = self.crawler_process
        return Inputs(tuple(names), lambda urls: fetch_pages(urls, process), max_bytes, opts.url)

    def _tell(self, error: CorpusError | str) -> None:
        from crawler.wrapper.reporting import plain

        print(f"scrapy wrap: {plain(str(error))}", file=sys.stderr)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    run = parser.add_argument_group("running")
    run.add_argument("-O", "--output", metavar="FILE", help="write to FILE, .xml, .jsonl or .csv")
    run.add_argument("--format", metavar="NAME", help="xml, jsonl or csv, whatever FILE's name")
    run.add_argument("--rows", action="store_true", help="in JSON Lines, write a line a record")
    run.add_argument(
        "--report", metavar="FILE", help="write to FILE, as JSON Lines, whether each page fits"
    )
    run.add_argument("--saves", metavar="FOLDER", help="where the project's own saves go")
    run.add_argument(
        "--arg", dest="args", metavar="VALUE", action="append", default=[],
        help="a further argument for the project's scripts, from system.args(2) on",
    )  # fmt: skip


def _add_learn_options(parser: argparse.ArgumentParser) -> None:
    learn = parser.add_argument_group("learning")
    for flag, dest, metavar, meaning in (
        (
            "--field",
            "said",
            "NAME[:TYPE]=VALUE",
            "a value that the page has; GROUP/NAME of records",
        ),
        ("--element", "elements", "NAME[:TYPE]", "an element of the output, for scripts to fill"),
        ("--absent", "absent", "NAME", "an element that the page does not have"),
        ("--wrong", "wrong", "NAME=VALUE", "a value that is not meant"),
        ("--repeat", "repeat", "NAME", "an element of which there can be several"),
        ("--required", "required", "NAME", "an element without which a page does not fit"),
        ("--whole", "whole", "GROUP", "the page has no other records than those said"),
        ("--nodes", "nodes", "NAMES", "elements whose nodes --script is called with"),
    ):
        learn.add_argument(
            flag, dest=dest, metavar=metavar, action="append", default=[], help=meaning
        )
    learn.add_argument("--script", metavar="FILE", help="add a script of JavaScript to the project")
    learn.add_argument(
        "--schema", metavar="FILE", help="the shape of the output, as a file (docs/wrappers.md)"
    )
    learn.add_argument("--root", metavar="NAME", help="name of a new project's root element")
    learn.add_argument("--matcher", metavar="NAME", help="of a new project: best, published")
    learn.add_argument(
        "--confidence", metavar="SHARE", type=float, help="what all matches have to reach, 0 to 1"
    )
    learn.add_argument(
        "--no-page", action="store_true", help="do not keep the page beside the project"
    )


def _check_options(form: str, opts: argparse.Namespace) -> None:
    from crawler.core.errors import ArgumentError

    allowed = {"": _OF_RUN, "learn": _OF_LEARN, "test": ()}[form]
    given = [
        name
        for name in (*_OF_RUN, *_OF_LEARN)
        if getattr(opts, name) not in (None, False, []) and name not in allowed
    ]
    if given:
        flag = _FLAGS.get(given[0], f"--{given[0].replace('_', '-')}")
        owner = "'scrapy wrap PROJECT'" if given[0] in _OF_RUN else "'scrapy wrap learn PROJECT'"
        raise ArgumentError(f"{flag} belongs to {owner}")


def _file(text: str) -> Path:
    from pathlib import Path

    return Path(text)


def _path(text: str | None) -> Path | None:
    return None if text is None else _file(text)


def _say(line: str) -> None:
    """Print a line for a person, in what the terminal can show."""
    from crawler.reports.stdout import put

    encoding = sys.stdout.encoding or "utf-8"
    shown = "".join(char if char.isprintable() else "?" for char in line)
    put(f"{shown}\n".encode(encoding, "backslashreplace"))


def _write(text: str) -> None:
    """Print output, which is in UTF-8 wherever it goes, as it is in a file."""
    from crawler.reports.stdout import put

    put(text.encode("utf-8", "backslashreplace"))
