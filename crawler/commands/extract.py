"""``scrapy extract``: what is the text of this page, and why?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.commands.base import CorpusCommand, flag, valued

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from crawler.core.page.page import Page
    from crawler.items import PageItem
    from crawler.settings import Options


class ExtractCommand(CorpusCommand):
    """Prints one page's item as JSON, its blocks and why they are kept, its tables or structure.

    Leaves with 0 when it printed, 1 when an address could not be fetched, 2 when the call or the
    page is wrong; each error is one line on standard error.
    """

    name = "extract"
    usage = "[options] FILE_OR_URL_OR_-"
    summary = "Print one page's text and metadata, and why each block was kept or dropped"
    description = (
        "Print the item of one page as JSON, of a file, an address, or - for standard input. With "
        "--text, print its text alone; with --explain, show each block of the page with "
        "its label and the evidence for it instead; with --tables, show its tables; with "
        "--markdown, its text as Markdown; with --structure, its structure by a document "
        "model, as XML. The page is judged by what is known of its site: "
        "the counts that crawls have kept in CORPUS_DIR, or the pages named by --with."
    )
    log_level = "CRITICAL"
    options = (
        flag("--text", "print the text of the page, and nothing else"),
        flag("--explain", "show every block with its label and evidence"),
        flag("--tables", "show the genuine tables of the page with the verdict on each"),
        flag("--markdown", "print the text of the page as Markdown"),
        valued(
            "--structure", "MODEL", "print the page as XML by a document model, a name or a file"
        ),
        valued("--structure-method", "NAME", "how structure is found: modern, published"),
        flag("--dtd", "put the model's DTD into the XML"),
        flag("--suggest-model", "print a document model to start from, made of the FILES given"),
        flag("--layout", "show tables too that are layout"),
        valued("--url", "URL", "address of the page that FILE was"),
        valued("--method", "NAME", "text method (CORPUS_TEXT_METHOD)"),
        valued(
            "--with",
            "PATH",
            "count the pages of this folder or archive, or add this file of counts, as the page's "
            "site (may be repeated)",
            dest="others",
            action="append",
            default=[],
        ),
    )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Put what the options ask for among the settings."""
        super().process_options(args, opts)
        asked: dict[str, object] = {}
        if opts.method:
            asked["CORPUS_TEXT_METHOD"] = opts.method
        if opts.markdown:
            asked["CORPUS_ITEM_MARKDOWN"] = True
        if opts.tables or opts.layout:
            # Layout tables are counted also where they are not shown.
            asked |= {"CORPUS_TABLES": True, "CORPUS_LAYOUT_TABLES": True}
        self.given_settings.setdict(asked, "cmdline")
        from crawler.store.sources import is_address

        # Without a crawl no spider, add-on or reactor is loaded. Scrapy reads this after this call.
        self.requires_crawler_process = any(map(is_address, args))

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Get the page, judge it, print it."""
        import sys

        from scrapy.utils.log import configure_logging

        from crawler.core.methods.registry import get_method
        from crawler.journey.extract import judge, suggestion
        from crawler.reports.stdout import print_line
        from crawler.settings import Options

        if not self.requires_crawler_process:
            configure_logging(settings)  # as the process of a crawl does
        options = Options.from_settings(settings)
        _check(args, opts)
        encoding = sys.stdout.encoding or "utf-8"
        if opts.suggest_model:
            print_line(suggestion(args, options))
            return 0
        # A wrong name is an error before a page is fetched.
        get_method(options.text_method)
        if opts.structure:
            print_line(self._structure(args, opts, options, encoding))
        else:
            item = judge(self._page(args, opts.url, options), options, opts.others, self._report)
            print_line(_answer(item, opts, encoding))
        return 0

    def _structure(
        self, args: list[str], opts: argparse.Namespace, options: Options, encoding: str
    ) -> str:
        from dataclasses import replace

        from crawler.core.structure import DEFAULT_STRUCTURE
        from crawler.core.structure.structure import check_structure_method, structure_of
        from crawler.journey.extract import judge
        from crawler.store.document_models import load_model

        name = opts.structure_method or DEFAULT_STRUCTURE
        check_structure_method(name)
        model = load_model(opts.structure)
        alone = replace(options, sentences=False, tables=False, structure_model=None, wrapper=None)
        page = judge(self._page(args, opts.url, options), alone, opts.others, self._report).page
        assert page is not None  # noqa: S101 - it is taken from items of crawls alone
        structure = structure_of(page.annotations[0], model, name)
        for problem in (*model.warnings, *structure.problems):
            self._report(problem)
        text = structure.xml(doctype=opts.dtd).rstrip("\n")
        if encoding.lower().replace("-", "") == "utf8":
            return text
        # The document says UTF-8: other letters are written as XML does.
        return text.encode("ascii", "xmlcharrefreplace").decode("ascii")

    def _page(self, args: list[str], url: str | None, options: Options) -> Page:
        import sys

        from crawler.core.errors import ArgumentError
        from crawler.core.page.page import Page
        from crawler.discovery.addresses import check_address
        from crawler.store.sources import is_address, page_of_file

        if len(args) != 1:
            raise ArgumentError("give one file or address")
        if is_address(args[0]) and url is not None:
            raise ArgumentError(f"--url is for a file or -; {args[0]} is an address itself")
        if url is not None:
            check_address(url)
        if args[0] == "-":
            # One byte more, so that a page that is too large is told as such.
            return Page(url or "", sys.stdin.buffer.read(options.max_page_bytes + 1))
        if not is_address(args[0]):
            return page_of_file(args[0], url, options.max_page_bytes)
        from crawler.spiders.fetch import fetch_page

        return fetch_page(args[0], self.process)

    def _report(self, error: Exception | str) -> None:
        from crawler.reports.stdout import print_error

        print_error(self.name, error)


def _check(args: list[str], opts: argparse.Namespace) -> None:
    from crawler.core.errors import ArgumentError

    modes = ("suggest_model", "structure", "text", "markdown", "explain", "tables", "layout")
    asked = [f"--{name.replace('_', '-')}" for name in modes if getattr(opts, name)]
    if len(asked) > 1 and asked != ["--tables", "--layout"]:
        raise ArgumentError(f"{' and '.join(asked)} do not go together; call for one at a time")
    if (opts.structure_method or opts.dtd) and not opts.structure:
        raise ArgumentError("--structure-method and --dtd belong to --structure MODEL; add it")
    if opts.suggest_model and not args:
        raise ArgumentError("name saved pages of one kind after --suggest-model")


def _answer(item: PageItem, opts: argparse.Namespace, encoding: str) -> str:
    from crawler.journey.extract import explanation, item_json

    if opts.text:
        return item.text
    if opts.explain:
        return explanation(item)
    if opts.markdown:
        return item.markdown or ""
    if opts.tables:
        from crawler.reports.tables import tables_text

        return tables_text(item.tables or (), layout=opts.layout)
    return item_json(item, encoding)
