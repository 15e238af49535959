"""``scrapy wrap``: run a project on pages, teach it, or test it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawler.commands.base import CorpusCommand

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from scrapy.settings import Settings

    from crawler.wrapper.inputs import Inputs

_NOT_WELL = 1
# The exit code of a process that Ctrl-C ended.
_STOPPED = 130

_RUN_OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--output", {"metavar": "FILE", "help": "write to FILE, .xml, .jsonl or .csv"}),
    ("--format", {"metavar": "NAME", "help": "xml, jsonl or csv, whatever the name of FILE"}),
    ("--rows", {"action": "store_true", "help": "in JSON Lines, write a line a record"}),
    ("--report", {"metavar": "FILE", "help": "write whether each page fits, as JSON Lines"}),
    ("--saves", {"metavar": "FOLDER", "help": "the folder of what the project saves itself"}),
    (
        "--arg",
        {
            "metavar": "VALUE",
            "action": "append",
            "help": "a further argument for scripts, from system.args(2) on",
        },
    ),
)
_LEARN_OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        (flag, {"metavar": metavar, "action": "append", "help": meaning})
        for flag, metavar, meaning in (
            ("--field", "NAME[:TYPE]=VALUE", "a value of the page; GROUP/NAME of records"),
            ("--element", "NAME[:TYPE]", "an element of the output, for scripts to fill"),
            ("--absent", "NAME", "an element that the page does not have"),
            ("--wrong", "NAME=VALUE", "a value that is not meant"),
            ("--repeat", "NAME", "an element of which there can be several"),
            ("--required", "NAME", "an element without which a page does not fit"),
            ("--whole", "GROUP", "the page has no other records than those given"),
            ("--nodes", "NAMES", "elements whose nodes --script is called with"),
        )
    ),
    ("--script", {"metavar": "FILE", "help": "add a script of JavaScript to the project"}),
    ("--schema", {"metavar": "FILE", "help": "the schema of the output (docs/wrappers.md)"}),
    ("--root", {"metavar": "NAME", "help": "name of the root element of a new project"}),
    ("--matcher", {"metavar": "NAME", "help": "of a new project: best, published"}),
    (
        "--confidence",
        {"metavar": "SHARE", "type": float, "help": "the least confidence of all matches, 0 to 1"},
    ),
    ("--no-page", {"action": "store_true", "help": "do not keep the page beside the project"}),
)


class WrapCommand(CorpusCommand):
    """Runs a project, learns from a page, or tests what was learned.

    The exit code is 0 when all is well; 1 when a page no longer fits or cannot be read, a script
    failed, an example is no longer found, or something cannot be written; 2 when the call or a file
    is wrong; 130 when it was stopped.
    """

    name = "wrap"
    has_answer = True
    usage = "[options] PROJECT INPUT... | learn PROJECT PAGE | test PROJECT [INPUT...]"
    summary = "Take fields and records from pages by rules that were learned from examples"
    description = (
        "PROJECT is a file whose name ends in .h2x. 'scrapy wrap learn PROJECT PAGE --field "
        "NAME=VALUE ...' teaches it where such values are on a page, and makes it when it is not "
        "there. 'scrapy wrap PROJECT INPUT...' takes them from other pages: saved pages, folders "
        "of them, WARC files, JSON Lines with url and html, or addresses. 'scrapy wrap test "
        "PROJECT' tests it on the pages it was taught, and on others that are named."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument("--url", metavar="URL", help="address of the page that INPUT was")
        for title, options in (("running", _RUN_OPTIONS), ("learning", _LEARN_OPTIONS)):
            group = parser.add_argument_group(title)
            for flag, how in options:
                group.add_argument(*(("-O", flag) if flag == "--output" else (flag,)), **how)

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Run, learn or test, as the first argument says."""
        from crawler.core.errors import ArgumentError, CorpusError
        from crawler.settings import Options
        from crawler.spiders.fetch import fetch_pages
        from crawler.wrapper.inputs import Inputs

        forms: dict[str, Callable[[str, argparse.Namespace, Inputs], bool]] = {
            "learn": _learn,
            "test": _test,
        }
        form = args[0] if args and args[0] in forms else ""
        _check_options(form, opts)
        names = args[1:] if form else args
        if not names:
            raise ArgumentError("name a project file, one that ends in .h2x")
        process = self.crawler_process
        assert process is not None  # noqa: S101 - Scrapy sets it before it calls
        max_bytes = Options.from_settings(settings).max_page_bytes
        inputs = Inputs(
            tuple(names[1:]), lambda urls: fetch_pages(urls, process), max_bytes, opts.url
        )
        try:
            return 0 if forms.get(form, _run)(names[0], opts, inputs) else _NOT_WELL
        except CorpusError as error:
            # Messages can have text of pages, with control characters.
            _tell(str(error))
            return error.exit_code
        except KeyboardInterrupt:
            _tell("stopped")
            return _STOPPED


def _run(project: str, opts: argparse.Namespace, inputs: Inputs) -> bool:
    from pathlib import Path

    from crawler.wrapper.run_project import RunCall, run

    call = RunCall(
        project=Path(project),
        output=opts.output and Path(opts.output),
        format=opts.format,
        rows=opts.rows,
        args=tuple(opts.arg or ()),
        saves=opts.saves and Path(opts.saves),
        report=opts.report and Path(opts.report),
    )
    return run(call, inputs, _write, _tell)


def _learn(project: str, opts: argparse.Namespace, inputs: Inputs) -> bool:
    from pathlib import Path

    from crawler.core.errors import ArgumentError
    from crawler.wrapper.learn_page import LearnCall, learn_page
    from crawler.wrapper.training_input import TrainingInput, read_elements, read_values

    given = TrainingInput(
        values=read_values(opts.field or (), "--field"),
        elements=read_elements(opts.element or ()),
        absent=tuple(opts.absent or ()),
        wrong=read_values(opts.wrong or (), "--wrong"),
        repeat=tuple(opts.repeat or ()),
        required=tuple(opts.required or ()),
        whole=tuple(opts.whole or ()),
    )
    if given == TrainingInput() and not (opts.script or opts.schema):
        raise ArgumentError("give values of the page: --field NAME=VALUE, as often as you like")
    call = LearnCall(
        project=Path(project),
        given=given,
        schema=opts.schema and Path(opts.schema),
        root=opts.root,
        matcher=opts.matcher,
        confidence=opts.confidence,
        script=opts.script and Path(opts.script),
        nodes=tuple(name for part in opts.nodes or () for name in part.split(",") if name),
        keep=not opts.no_page,
    )
    for line in learn_page(call, inputs):
        _say(line)
    return True


def _test(project: str, _opts: argparse.Namespace, inputs: Inputs) -> bool:
    from pathlib import Path

    from crawler.wrapper.check_project import check_project

    all_well = True
    for line, is_well in check_project(Path(project), inputs):
        _say(line)
        all_well = all_well and is_well
    return all_well


def _check_options(form: str, opts: argparse.Namespace) -> None:
    """Refuse options of another form of the command."""
    from crawler.core.errors import ArgumentError

    for owner, name, options in (
        ("", "scrapy wrap PROJECT", _RUN_OPTIONS),
        ("learn", "scrapy wrap learn PROJECT", _LEARN_OPTIONS),
    ):
        for flag, _ in options if owner != form else ():
            if getattr(opts, flag.removeprefix("--").replace("-", "_")):
                raise ArgumentError(f"{flag} belongs to '{name}'")


def _tell(line: str) -> None:
    from crawler.reports.stdout import print_error
    from crawler.wrapper.reporting import plain

    print_error("wrap", plain(line))


def _say(line: str) -> None:
    from crawler.reports.stdout import print_line
    from crawler.wrapper.reporting import printable

    print_line(printable(line))


def _write(text: str) -> None:
    """Print output, which is in UTF-8 wherever it goes."""
    from crawler.reports.stdout import put

    put(text.encode("utf-8", "backslashreplace"))
