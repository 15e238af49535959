"""``scrapy extract``: what is the text of this page, and why?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.settings import SETTINGS_PRIORITIES

if TYPE_CHECKING:
    import argparse

    from crawler.core.errors import CorpusError
    from crawler.core.page.page import Page
    from crawler.journey.extract import Verdict
    from crawler.settings import Options


class ExtractCommand(ScrapyCommand):
    """Prints one page's item as JSON, its blocks and why they are kept, its tables or structure.

    Leaves with 0 when it printed, 1 when an address could not be fetched, 2 when the call or the
    page is wrong; each error is one line on standard error.
    """

    requires_project = False

    def syntax(self) -> str:
        """Say how the command is called."""
        return "[options] FILE_OR_URL"

    def short_desc(self) -> str:
        """Say what the command does in a line."""
        return "Print one page's text and metadata, and why each block was kept or dropped"

    def long_desc(self) -> str:
        """Say what the command does, for its help."""
        return (
            "Print the item of one page as JSON. With --explain, show each block of the page with "
            "its label and the evidence for it instead; with --tables, show its tables; with "
            "--markdown, its text as Markdown; with --structure, its structure by a document "
            "model, as XML. The page is judged by what is known of its site: "
            "the counts that crawls have kept in CORPUS_DIR, or the pages named by --with."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command takes."""
        super().add_options(parser)
        parser.add_argument(
            "--explain", action="store_true", help="show every block with its label and evidence"
        )
        parser.add_argument(
            "--tables",
            action="store_true",
            help="show the genuine tables of the page with the verdict on each",
        )
        parser.add_argument(
            "--markdown", action="store_true", help="print the text of the page as Markdown"
        )
        parser.add_argument(
            "--structure",
            metavar="MODEL",
            help="print the page as XML by a document model: a file, or the name of one that comes "
            "with the project",
        )
        parser.add_argument(
            "--structure-method", metavar="NAME", help="how structure is found: modern, published"
        )
        parser.add_argument("--dtd", action="store_true", help="put the model's DTD into the XML")
        parser.add_argument(
            "--suggest-model",
            action="store_true",
            help="print a document model to start from, made of the FILES given",
        )
        parser.add_argument("--layout", action="store_true", help="show tables too that are layout")
        parser.add_argument("--url", metavar="URL", help="address of the page that FILE was")
        parser.add_argument("--method", metavar="NAME", help="text method (CORPUS_TEXT_METHOD)")
        parser.add_argument(
            "--with",
            dest="others",
            metavar="PATH",
            action="append",
            default=[],
            help="count the pages of this folder or archive as the page's site (may be repeated)",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Put the method among the settings, and say nothing but the answer unless asked for it."""
        super().process_options(args, opts)
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        # A project's own level is meant for its crawls.
        if (self.settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
            self.settings.set("LOG_LEVEL", "CRITICAL", "cmdline")
        if opts.method:
            self.settings.set("CORPUS_TEXT_METHOD", opts.method, "cmdline")
        if opts.markdown:
            self.settings.set("CORPUS_ITEM_MARKDOWN", value=True, priority="cmdline")
        if opts.tables or opts.layout:
            # Layout tables are counted also where they are not shown.
            for name in ("CORPUS_TABLES", "CORPUS_LAYOUT_TABLES"):
                self.settings.set(name, value=True, priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Get the page, judge it, print it."""
        from crawler.core.errors import CorpusError
        from crawler.journey.extract import suggestion
        from crawler.reports.stdout import for_a_reader
        from crawler.settings import Options

        assert self.settings is not None  # noqa: S101 - as above
        encoding = sys.stdout.encoding or "utf-8"
        try:
            options = Options.from_settings(self.settings)
            _check(args, opts)
            if opts.suggest_model:
                text = suggestion(args, options)
            elif opts.structure:
                text = _plain_xml(self._structure(args, opts, options), encoding)
            else:
                text = self._judged(args, opts, options, encoding)
        except CorpusError as error:
            self._tell(error)
            self.exitcode = error.exit_code
            return
        with for_a_reader():
            print(text.encode(encoding, "backslashreplace").decode(encoding))

    def _judged(
        self, args: list[str], opts: argparse.Namespace, options: Options, encoding: str
    ) -> str:
        from crawler.core.methods import get_method
        from crawler.journey.extract import judge

        # A slip in the method's name is told before a page is fetched.
        get_method(options.text_method)
        page = self._page(args, opts.url, options.max_page_bytes)
        return _answer(judge(page, options, opts.others, self._tell), opts, encoding)

    def _structure(self, args: list[str], opts: argparse.Namespace, options: Options) -> str:
        from crawler.core.methods import get_method
        from crawler.core.structure import DEFAULT_STRUCTURE
        from crawler.core.structure.structure import check_structure_method, structure_of
        from crawler.journey.extract import annotated
        from crawler.store.document_models import load_model

        name = opts.structure_method or DEFAULT_STRUCTURE
        # A slip in the model or the method is told before a page is fetched.
        check_structure_method(name)
        model = load_model(opts.structure)
        get_method(options.text_method)
        page = self._page(args, opts.url, options.max_page_bytes)
        annotation = annotated(page, options, opts.others, self._tell)
        structure = structure_of(annotation, model, name)
        for problem in structure.problems:
            self._tell(problem)
        return structure.xml(doctype=opts.dtd).rstrip("\n")

    def _page(self, args: list[str], url: str | None, max_bytes: int) -> Page:
        from crawler.core.errors import ArgumentError
        from crawler.spiders.fetch import fetch_page
        from crawler.store.sources import is_address, page_of_file

        if unknown := [arg for arg in args if arg.startswith("-")]:
            raise ArgumentError(f"unknown option {unknown[0]}; 'scrapy extract -h' lists them")
        if len(args) != 1:
            raise ArgumentError("give one file or address")
        if not is_address(args[0]):
            return page_of_file(args[0], url, max_bytes)
        if url is not None:
            raise ArgumentError(f"--url is for a file; {args[0]} is an address itself")
        assert self.crawler_process is not None  # noqa: S101 - as above
        return fetch_page(args[0], self.crawler_process)

    def _tell(self, error: CorpusError | str) -> None:
        from crawler.core.errors import one_line

        print(f"scrapy extract: {one_line(error)}", file=sys.stderr)


def _check(args: list[str], opts: argparse.Namespace) -> None:
    from crawler.core.errors import ArgumentError

    shows = opts.explain or opts.tables or opts.layout or opts.markdown
    if (opts.structure or opts.suggest_model) and shows:
        raise ArgumentError("--structure prints XML, --suggest-model a model; call for them alone")
    if opts.structure and opts.suggest_model:
        raise ArgumentError("--suggest-model makes a model for --structure; call for one at a time")
    if (opts.structure_method or opts.dtd) and not opts.structure:
        raise ArgumentError("--structure-method and --dtd belong to --structure MODEL; add it")
    if opts.suggest_model and (not args or any(arg.startswith("-") for arg in args)):
        raise ArgumentError("name saved pages of one kind after --suggest-model")
    if opts.explain and (opts.tables or opts.layout):
        raise ArgumentError("--explain shows blocks; call again for --tables or --layout")
    if opts.markdown and (opts.explain or opts.tables or opts.layout):
        raise ArgumentError("--markdown prints the text; call again for what else is to be shown")


def _plain_xml(text: str, encoding: str) -> str:
    """Write what an encoding has no letters for as XML does, since the document says UTF-8."""
    if encoding.lower().replace("-", "") == "utf8":
        return text
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _answer(verdict: Verdict, opts: argparse.Namespace, encoding: str) -> str:
    from crawler.journey.extract import explanation, item_json
    from crawler.reports.tables import tables_text

    if opts.explain:
        return explanation(verdict)
    if opts.markdown:
        return verdict.item.markdown or ""
    if opts.tables:
        return tables_text(verdict.item.tables or (), layout=opts.layout)
    return item_json(verdict, encoding)
