"""``scrapy corpus``: crawl one site into a file, without a project."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import BaseRunSpiderCommand

from crawler.commands.base import CorpusCommand, flag, valued
from crawler.exporters.formats import FEED_EXPORTERS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from scrapy.settings import Settings


class CorpusSiteCommand(CorpusCommand, BaseRunSpiderCommand):
    """Crawls a site with the default settings, and says what came of it and what to do next.

    The exit code is 0 when the output has what was asked for, or where a daily crawl found nothing
    new; 1 when nothing came, no page is left, or the output lacks some; 2 when the call is wrong.
    """

    name = "corpus"
    usage = "[options] URL"
    summary = "Crawl a site, and write its clean text to a file; needs no project"
    description = (
        "Crawl the site at URL by the rules that it sets for robots, and write one row an article "
        "to FILE, with text and metadata. Without -o and -O the file is named after the host. "
        "Ctrl-C ends the crawl early: what came until then is written. The settings are those of "
        "the package, and not those of a project around; -s changes them. CORPUS_DIR "
        "(corpus-data) holds what is known of the site."
    )
    default_settings: ClassVar[dict[str, Any]] = {"FEED_EXPORTERS": FEED_EXPORTERS}
    log_level = "WARNING"
    stopped = (
        "stopped at once; 'scrapy replay --list' shows pages that are held on disk, "
        "and --daily goes on by itself"
    )
    # The crawl has its own settings, not those of a project around it.
    requires_crawler_process = False
    options = (
        valued(
            "-O --overwrite-output",
            "FILE",
            "write the pages to FILE, whose ending gives the format (jsonl, json, csv, xlsx, "
            "parquet, conllu; or FILE:FORMAT, as corpus.xml:tei, corpus.vert:prevertical); an "
            "earlier FILE stays until there are pages to put in its place",
            action="append",
        ),
        valued("-o --output", "FILE", "add the pages to the end of FILE", action="append"),
        flag(
            "--daily",
            "fetch and write only what is new or has changed since the last call with it, in "
            "numbered files below corpus-data/articles",
        ),
        valued(
            "--max-pages", "N", "the most pages to fetch; 0 is no limit. Without it 10000", type=int
        ),
        valued(
            "--since",
            "DAY",
            "only pages of this day, month or year or later (2026-11-01, 2026)",
        ),
        valued("--delay", "SECONDS", "the time between two requests, 1 if not given", type=float),
        valued(
            "--browser",
            "WHEN",
            "read pages in a browser after their scripts have run: auto (those without text; "
            "the default), always, or never",
            choices=("auto", "always", "never"),
        ),
        valued(
            "--archive",
            "FILE",
            "read the pages from a WARC file, a folder of saved pages, or JSON Lines of url and "
            "html, in place of the network; URL may be left out (may be repeated)",
            action="append",
        ),
        valued(
            "-a",
            "NAME=VALUE",
            "argument of the spider, such as allow=/news/ (may be repeated)",
            dest="spargs",
            action="append",
            default=[],
        ),
    )

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Crawl the site, or read the archive."""
        from contextlib import suppress

        from scrapy.crawler import AsyncCrawlerProcess

        from crawler.extensions.logs import show_progress
        from crawler.spiders.archive import ArchiveSpider
        from crawler.spiders.site import SiteSpider

        arguments = _arguments(args, opts)
        own = _own_settings(settings, opts, arguments)
        show_progress(own)
        process = AsyncCrawlerProcess(own)
        crawler = process.create_crawler(ArchiveSpider if opts.archive else SiteSpider)
        process.crawl(crawler, **arguments)
        process.start()
        stats: dict[str, Any] = {}
        with suppress(RuntimeError):  # a crawl that could not start has none
            stats = crawler.stats.get_stats()
        if "finish_reason" in stats:
            for line in _next_steps(stats, own, arguments, opts):
                print(line, file=sys.stderr)
        elif not process.bootstrap_failed and stats:
            # A second Ctrl-C ends the process before the crawl has ended: nothing is written.
            raise KeyboardInterrupt
        return int(process.bootstrap_failed or not stats)


def _arguments(args: list[str], opts: argparse.Namespace) -> dict[str, str]:
    """Return the arguments of the spider."""
    from os.path import exists

    from crawler.core.errors import ArgumentError
    from crawler.spiders.arguments import SiteArguments, parse_arguments

    if len(args) > 1 or not (args or opts.archive):
        raise ArgumentError("give the address of one site, such as https://blog.example/")
    site = args[0] if args else None
    if site and "://" not in site and not opts.archive and exists(site):  # noqa: PTH110 - Path raises for long names
        raise ArgumentError(
            f"{site} is a file or folder here; --archive {site} reads its pages, and "
            f"https://{site}/ is the site of that name"
        )
    path = "|".join(opts.archive or ()) or None
    given = {"base_url" if opts.archive else "url": site, "path": path}
    given |= {"max_pages": opts.max_pages, "since": opts.since}
    named = {name: str(value) for name, value in given.items() if value is not None}
    if twice := named.keys() & opts.spargs.keys():
        raise ArgumentError(f"-a {min(twice)} is not needed: the command has it by itself")
    arguments = {**named, **opts.spargs}
    if not opts.archive:
        # Before the crawl begins, where an error is one line: Scrapy would show a traceback.
        parse_arguments(SiteArguments, arguments, owner="site").start_addresses("site")
    elif opts.daily or opts.delay is not None or named.keys() & {"max_pages", "since"}:
        raise ArgumentError(
            "--archive goes without --daily, --max-pages, --since and --delay: leave these out"
        )
    return arguments


def _own_settings(
    given: Settings, opts: argparse.Namespace, arguments: Mapping[str, str]
) -> Settings:
    """Put the settings of the crawl together: the package's, those of the options, the call's."""
    from scrapy.settings import Settings

    from crawler.addon import take_command_line
    from crawler.core.errors import ArgumentError

    chosen: dict[str, object] = {"LOG_LEVEL": given["LOG_LEVEL"]}
    if opts.delay is not None:
        if not 0 <= opts.delay < float("inf"):
            raise ArgumentError(f"--delay is {opts.delay}; give a number of seconds")
        chosen |= dict.fromkeys(("DOWNLOAD_DELAY", "AUTOTHROTTLE_START_DELAY"), opts.delay)
    if opts.browser:
        chosen["CORPUS_BROWSER"] = opts.browser
    if opts.daily:
        if opts.overwrite_output:
            raise ArgumentError(
                "-O would replace the pages of earlier days by those of today. Give -o FILE, which "
                "adds to it, or neither: --daily writes numbered files itself"
            )
        chosen["CORPUS_INCREMENTAL"] = True
    elif not opts.output and not opts.overwrite_output:
        chosen["FEEDS"] = {_new_file(arguments): {"format": "jsonl"}}
    own = Settings()
    own.setmodule("crawler.crawl_settings", "project")
    own.setdict(chosen, "project")
    take_command_line(own, given)
    return own


def _new_file(arguments: Mapping[str, str]) -> str:
    """Return the name of the file for a call that names none.

    Raises:
        ArgumentError: the file is there already.
    """
    from pathlib import Path

    from crawler.core.errors import ArgumentError
    from crawler.core.page.addresses import address_site
    from crawler.discovery.addresses import complete_address

    address = complete_address(arguments.get("url") or arguments.get("base_url", ""))
    name = address_site(address).partition(":")[0] if address else "pages"
    file = f"{name}.jsonl"
    if Path(file).exists():
        raise ArgumentError(f"{file} is there already; -O {file} replaces it, -o {file} adds to it")
    return file


def _next_steps(
    stats: Mapping[str, Any], own: Settings, arguments: Mapping[str, str], opts: argparse.Namespace
) -> Iterator[str]:
    """Say what to do after a crawl, a line each."""
    from shlex import quote

    from crawler.core.wording import without_secrets

    site = without_secrets(arguments.get("url", ""))
    steps: dict[str, str] = {}
    if "corpus/nothing_because" in stats:
        # The line "why" of the summary has the reason, and what to do about it.
        heading = "What to try"
        if site:
            steps["which pages are found"] = f"scrapy discover {quote(site)}"
        steps["what became of each"] = "the same command with -L INFO"
    else:
        heading = "What to do next"
        steps = _after_pages(own, site, opts)
        if left := stats.get("corpus/cut/page-limit"):
            steps[f"{left:,} more pages are known"] = "--max-pages 0 takes all"
    if steps:
        yield heading
    for what, how in steps.items():
        yield f"  {what:<31} {how}"


def _after_pages(own: Settings, site: str, opts: argparse.Namespace) -> dict[str, str]:
    """Propose what to do with pages that came."""
    from pathlib import Path
    from shlex import quote

    from crawler.core.page.addresses import address_site
    from crawler.discovery.addresses import complete_address

    steps = {}
    # A file of an archive may hold many pages: --explain takes one.
    if all(Path(path).is_dir() for path in opts.archive or ()):
        counted = "".join(f" --with {quote(path)}" for path in opts.archive or ())
        page = f"SAVED-PAGE.html{counted}" if opts.archive else "ADDRESS-OF-A-PAGE"
        steps["why a line was kept or dropped"] = f"scrapy extract --explain {page}"
    for file, feed in own.getdict("FEEDS").items():
        if feed["format"] == "jsonl":
            read = f"import json; pages = [json.loads(line) for line in open({file!r}, 'rb')]"
            steps["read it in Python"] = read
    if opts.daily:
        folder = own["CORPUS_DIR"]
        named = f" -s CORPUS_DIR={quote(str(folder))}" if folder else ""
        whole = f"scrapy articles {address_site(complete_address(site))} -O all.jsonl{named}"
        steps["the whole corpus in one file"] = whole
        steps["what is new, from now on"] = "the same command again, once a day or as you like"
    elif site:
        steps["only what is new, from now on"] = f"scrapy corpus {quote(site)} --daily"
    return steps
