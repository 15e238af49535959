"""What reading one page costs, step by step: as a multiple of parsing alone, beside trafilatura.

    python benchmarks/page.py [--pages N] [FILE.jsonl[.gz] ...]

Files hold JSON Lines with the key ``html``, as gold files do; of all their pages N are taken,
evenly spread. Without a file the pages of the demo site are read, which are small: most of their
time is what each page costs, however little it says. Each page goes through all that makes an item
as the settings are by default, as a page that stands alone; then through lxml's parser and, where
it is installed, through ``trafilatura.bare_extraction`` with metadata, so that other work on the
machine slows all alike. Times are CPU seconds of the process. Leaves with 1 where trafilatura,
which does not tell the kind of a page, is less than 3 times as slow as all but that.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import sys
import time
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import lxml.html

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Page, SiteCounts, annotate, get_method
from crawler.core.metadata.read import read_metadata
from crawler.core.methods.article.method import confidence
from crawler.core.page.decode import decode
from crawler.core.page.page import Document
from crawler.core.page.parse import parse
from crawler.core.page.robots_meta import read_directives
from crawler.core.page.segment import segment
from crawler.core.pagetype.judge import page_type
from crawler.core.sentences import splitter_for
from crawler.core.sentences.languages import language_of
from crawler.core.tables.classify import DEFAULT_TABLE_METHOD, get_table_method
from crawler.core.tables.content import judge_tables, tables_of
from crawler.demo.pages import demo_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crawler.core.page.parse import ParsedPage

URL = "https://site.example/2024/page"
WANTED = 3.0
WARM_PAGES = 5
WARM_LANGUAGES = ("en", "ko")
LXML, PEER, KIND = "lxml parse alone", "trafilatura", "kind of page"


class Clock:
    """Adds up the CPU seconds of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what is done within."""
        begin = time.process_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - begin


def file_pages(paths: Sequence[Path], wanted: int) -> list[Page]:
    """Take pages of files, evenly spread over all of them."""
    found: list[str] = []
    for path in paths:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8") as lines:
            found += [json.loads(line)["html"] for line in lines]
    step = max(1.0, len(found) / wanted)
    chosen = [found[int(place * step)] for place in range(min(wanted, len(found)))]
    return [Page.from_text(URL, html) for html in chosen]


def made_pages() -> list[Page]:
    """Take the pages of the demo site that are markup."""
    return [
        Page(URL, page.body, "text/html; charset=utf-8")
        for page in demo_pages()
        if page.kind in {"article", "index", "table"}
    ]


class Whole:
    """All that makes an item, step by step."""

    def __init__(self) -> None:
        self._view = SiteCounts().view()
        self._method = get_method("article")
        self._tables = get_table_method(DEFAULT_TABLE_METHOD)

    def run(self, page: Page, clock: Clock) -> None:
        """Read and judge one page.

        Raises:
            UnreadablePageError: it gives no text to work on.
        """
        with clock.step("decode and parse"):
            parsed = parse(page)
        with clock.step("segment"):
            blocks = segment(parsed)
        document = Document(
            page=page,
            title=parsed.title,
            language=parsed.language,
            canonical_url=parsed.canonical_url,
            encoding=parsed.encoding,
            robots=read_directives(page.robots_tags, page.tdm_reservation, parsed),
            blocks=blocks,
            parsed=parsed,
        )
        with clock.step("label"):
            annotation = annotate(document, self._view, self._method)
            confidence(annotation.blocks, annotation.labels)
        with clock.step(KIND):
            page_type(document)
        with clock.step("metadata"):
            language = read_metadata(parsed, page.url).language
        with clock.step("sentences"):
            splitter = splitter_for(language_of(annotation.text, language))
            for block, label in annotation.pairs():
                if label.kept:
                    splitter.split(block.text)
        with clock.step("tables"):
            self._read_tables(parsed, language or "")

    def _read_tables(self, parsed: ParsedPage, language: str) -> None:
        judged = judge_tables(parsed, self._tables)
        tables_of(parsed, judged, self._tables, language=language)


def peer() -> Callable[[str], object] | None:
    """Return trafilatura's extraction with metadata; None where it is not installed."""
    try:
        extract = import_module("trafilatura").bare_extraction
    except ImportError:
        return None
    return lambda html: extract(html, url=URL, with_metadata=True)


def measure(pages: Sequence[Page], other: Callable[[str], object] | None) -> tuple[Clock, int]:
    """Time every step on every page that can be read, and say how many these are."""
    whole, clock, read = Whole(), Clock(), 0
    for language in WARM_LANGUAGES:  # a model may be loaded for one
        splitter_for(language).split("One. Two. 하나다. 둘이다.")
    for page in pages[:WARM_PAGES]:
        with suppress(UnreadablePageError):
            whole.run(page, Clock())
        if other is not None:
            other(decode(page)[0])
    # What is loaded by now stays: collecting it again and again is no page's cost.
    gc.collect()
    gc.freeze()
    for page in pages:
        try:
            parse(page)
        except UnreadablePageError:
            continue
        read += 1
        html, _ = decode(page)
        with clock.step(LXML):
            lxml.html.document_fromstring(page.body)
        with clock.step(" decode"):
            decode(page)
        whole.run(page, clock)
        if other is not None:
            with clock.step(PEER):
                other(html)
    return clock, read


def report(clock: Clock, pages: int) -> float | None:
    """Print the table, and return how many times as slow trafilatura is."""
    seconds = dict(clock.seconds)
    parsing, others = seconds.pop(LXML), seconds.pop(PEER, None)
    decoding = seconds.pop(" decode")
    seconds = {"decode": decoding, "parse": seconds.pop("decode and parse") - decoding, **seconds}
    # What trafilatura does not tell stands last.
    seconds[KIND] = kind = seconds.pop(KIND)
    total = sum(seconds.values())

    def line(name: str, spent: float, share: str = "") -> None:
        print(f"| {name} | {1000 * spent / pages:.2f} | {spent / parsing:.2f} | {share} |")

    print(f"{pages} pages, CPU time\n")
    print("| step | ms a page | times lxml's parse | share |\n|---|---|---|---|")
    for name, spent in seconds.items():
        line(name, spent, f"{spent / total:.0%}")
    line("**all of it**", total, "100%")
    line(LXML, parsing)
    if others is None:
        print("\ntrafilatura is not installed: pip install trafilatura")
        return None
    line(PEER, others)
    print(f"\ntrafilatura / all of it: {others / total:.2f}")
    print(f"trafilatura / all of it but the kind of page: {others / (total - kind):.2f}")
    return others / (total - kind)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="JSON Lines with the key html")
    parser.add_argument("--pages", type=int, default=200, help="how many pages (default 200)")
    options = parser.parse_args()
    wanted = max(1, options.pages)
    pages = file_pages(options.files, wanted) if options.files else made_pages()[:wanted]
    ratio = report(*measure(pages, peer()))
    return int(ratio is not None and ratio < WANTED)


if __name__ == "__main__":
    sys.exit(main())
