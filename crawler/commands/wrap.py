"""``scrapy wrap``: run a project on pages, teach it, or test it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crawler.commands.base import CorpusCommand, Option, flag, option, valued

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


def _list(name: str, metavar: str, meaning: str) -> Option:
    return valued(name, metavar, meaning, action="append", default=[])


# The options of each form of the command, and those of another form that it has, too.
_OPTIONS: Final[dict[str, tuple[Option, ...]]] = {
    "": (
        valued("-O --output", "FILE", "write to FILE, .xml, .jsonl or .csv"),
        option("--format", choices=("xml", "jsonl", "csv"), help="whatever the name of FILE"),
        flag("--rows", "in JSON Lines, write a line a record"),
        valued("--saves", "FOLDER", "the folder of what the project saves itself"),
        _list("--arg", "VALUE", "a further argument for scripts, from system.args(2) on"),
    ),
    "forget": (flag("--unused-pages", "drop the pages kept beside the project that no rule uses"),),
    "learn": (
        _list("--field", "NAME[:TYPE]=VALUE", "a value of the page; GROUP/NAME of records"),
        _list("--element", "NAME[:TYPE]", "an element of the output, for scripts to fill"),
        _list("--absent", "NAME", "an element that the page does not have"),
        _list("--wrong", "NAME=VALUE", "a value that is not meant"),
        _list("--repeat", "NAME", "an element of which there can be several"),
        _list("--required", "NAME", "an element without which a page does not fit"),
        _list("--whole", "GROUP", "the page has no other records than those given"),
        _list("--nodes", "NAMES", "elements whose nodes --script is called with"),
        valued("--script", "FILE", "add a script of JavaScript to the project"),
        valued("--schema", "FILE", "the schema of the output (docs/wrappers.md)"),
        valued("--matcher", "NAME", "of a new project: best, published"),
    ),
}
_SHARED: Final = {"forget": ("--field", "--element")}


class WrapCommand(CorpusCommand):
    """Runs a project, learns from a page, takes a lesson back, or tests what was learned.

    The exit code is 0 when all is well; 1 when a page no longer fits or cannot be read, a script
    failed, an example is no longer found, or something cannot be written; 2 when the call or a file
    is wrong; 130 when it was stopped.
    """

    name = "wrap"
    log_level = "CRITICAL"
    usage = (
        "[options] PROJECT INPUT... | learn PROJECT PAGE | forget PROJECT PAGE | test PROJECT "
        "[INPUT...]"
    )
    summary = "Take fields and records from pages by rules that were learned from examples"
    description = (
        "PROJECT is a file whose name ends in .h2x. 'scrapy wrap learn PROJECT PAGE --field "
        "NAME=VALUE ...' teaches it where such values are on a page, and makes it when it is not "
        "there. 'scrapy wrap PROJECT INPUT...' takes them from other pages: saved pages, folders "
        "of them, WARC files, JSON Lines with url and html, or addresses. 'scrapy wrap forget "
        "PROJECT PAGE' takes back what a page taught, of all elements or of --field NAME or "
        "NAME=VALUE alone; with --element NAME and no page it removes an element, with "
        "--unused-pages it drops the pages kept beside the project that no rule uses. 'scrapy wrap "
        "test PROJECT' tests it on the pages it was taught, and on others that are named."
    )
    options = (
        valued("--url", "URL", "address of the page that INPUT was"),
        *_OPTIONS[""],
        *_OPTIONS["learn"],
        *_OPTIONS["forget"],
    )

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Run, learn, forget or test, as the first argument says."""
        from pathlib import Path

        from crawler.core.errors import ArgumentError
        from crawler.reports.stdout import print_error, print_line, put
        from crawler.settings import Options
        from crawler.spiders.fetch import fetch_pages
        from crawler.wrapper.learn_page import learn_page, read_lesson
        from crawler.wrapper.project_store import Inputs
        from crawler.wrapper.run_project import ProjectRun, check_project
        from crawler.wrapper.take_back import take_back

        form = args[0] if args[:1] in (["learn"], ["forget"], ["test"]) else ""
        for owner in _OPTIONS.keys() - {form}:
            for (*_, name), _ in _OPTIONS[owner]:
                is_given = getattr(opts, name.removeprefix("--").replace("-", "_"))
                if is_given and name not in _SHARED.get(form, ()):
                    raise ArgumentError(f"{name} belongs to 'scrapy wrap {owner or 'PROJECT'}'")
        name, *names = args[bool(form) :] or [""]
        if not name:
            raise ArgumentError("name a project file, one that ends in .h2x")
        path, process = Path(name), self.process
        most = Options.from_settings(settings).max_page_bytes
        inputs = Inputs(tuple(names), lambda urls: fetch_pages(urls, process), most, opts.url)
        if not form:
            run = ProjectRun(
                path,
                # Output is in UTF-8 wherever it goes.
                write=lambda text: put(text.encode("utf-8", "backslashreplace")),
                tell=lambda line: print_error(self.name, line),
                output=opts.output and Path(opts.output),
                format=opts.format,
                rows=opts.rows,
                args=tuple(opts.arg),
                saves=opts.saves and Path(opts.saves),
            )
            return int(not run.run(inputs))
        code = 0
        if form == "learn":
            lines = learn_page(path, read_lesson(opts), inputs)
        elif form == "forget":
            lines = take_back(
                path, opts.field, opts.element, inputs, unused_pages=opts.unused_pages
            )
        else:
            lines = check_project(path, inputs)
        for line, is_well in lines:
            print_line(line)
            code |= not is_well
        return code
