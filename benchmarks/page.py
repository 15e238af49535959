"""What reading one page costs: step by step, and beside other programs that extract text.

    python benchmarks/page.py [--pages N] [--rounds N] [--pure] [FILE.jsonl[.gz] ...]

Files hold JSON Lines with the key ``html``, as gold files do; of all their pages N are taken,
evenly spread. Without a file the pages of the demo site are read, which are small: most of their
time is what each page costs, however little it says.

The first table has the steps that make an item as the settings are by default, for a page that
stands alone. The second has this project, for its text alone and for all of an item, with its
compiled part and in Python alone, beside lxml's parser and the extractors that are installed. Each
runs in a process of its own, one after the other, N rounds of all; of the rounds the medians are
shown. Times are CPU seconds of the processes.

Before each page's work lxml parses the same page: the ratio of the two, "in turn", does not change
with the pace of the machine. What the work does in between takes the parser's data from the caches
of the processor, so that it is slower than in a process that does nothing else; the ratio to that
is "to lxml alone", which holds where the pace was the same in all processes. ``--pure`` measures
the steps without the compiled part. Leaves with 1 where trafilatura with metadata is less than 3
times as slow as all of an item.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import math
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

import lxml.html

COMPILED = (
    "crawler.core.hot_loops.compiled_elements",
    "crawler.core.hot_loops.compiled_judges",
    "crawler.core.hot_loops.compiled_sentences",
    "crawler.core.hot_loops.compiled_text",
    "crawler.core.page.compiled_cutter",
)
# As if no compiler had been there.
if "--pure" in sys.argv:
    for part in COMPILED:
        sys.modules[part] = None  # type: ignore[assignment]

from crawler import extract
from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Page, SiteCounts, annotate, get_method, read
from crawler.core.metadata.read import read_metadata
from crawler.core.methods.article.method import confidence
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
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from crawler.core.page.parse import ParsedPage

    Work = Callable[[Page, str], object]

URL = "https://site.example/2024/page"
WANTED = 3.0
WARM_PAGES = 5
LXML, TEXT, ALL = "lxml, parse alone", "scrapy-corpus, text", "scrapy-corpus, all"
PURE = ", Python alone"
PEER = "trafilatura, with metadata"


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


def readable(pages: Sequence[Page]) -> list[Page]:
    """Take the pages that can be read."""
    found = []
    for page in pages:
        with suppress(UnreadablePageError):
            parse(page)
            found.append(page)
    return found


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
        with clock.step("decode, parse, walk"):
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
        with clock.step("kind of page"):
            page_type(document)
        with clock.step("metadata"):
            language = read_metadata(parsed, page.url).language
        with clock.step("sentences"):
            splitter = splitter_for(language_of(annotation.text, language))
            splitter.split_all([block.text for block, label in annotation.pairs() if label.kept])
        with clock.step("tables"):
            self._read_tables(parsed, language or "")

    def _read_tables(self, parsed: ParsedPage, language: str) -> None:
        judged = judge_tables(parsed, self._tables)
        tables_of(parsed, judged, self._tables, language=language)


def _text_alone() -> Work:
    view, method = SiteCounts().view(), get_method("article")
    return lambda page, _html: annotate(read(page), view, method).text


def _trafilatura(**options: object) -> Work:
    bare = import_module("trafilatura").bare_extraction
    return lambda _page, html: bare(html, url=URL, **options)


def _resiliparse() -> Work:
    plain = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda _page, html: plain(html, main_content=True)


def _readability() -> Work:
    document = import_module("readability").Document
    return lambda _page, html: document(html).summary()


def _justext() -> Work:
    module = import_module("justext")
    words = module.get_stoplist("English")
    return lambda _page, html: module.justext(html, words)


def _newspaper() -> Work:
    article: Any = import_module("newspaper").Article

    def work(_page: Page, html: str) -> None:
        found = article(URL)
        found.download(input_html=html)
        found.parse()

    return work


def _parse(page: Page, _html: str) -> object:
    return lxml.html.document_fromstring(page.body)


def _all() -> Work:
    return lambda page, _html: extract(page.body, URL)


CONTENDERS: Mapping[str, Callable[[], Work]] = {
    LXML: lambda: _parse,
    TEXT: _text_alone,
    ALL: _all,
    f"{TEXT}{PURE}": _text_alone,
    f"{ALL}{PURE}": _all,
    "trafilatura, fast": partial(_trafilatura, fast=True),
    "trafilatura": _trafilatura,
    PEER: partial(_trafilatura, with_metadata=True),
    "resiliparse, main content": _resiliparse,
    "readability-lxml": _readability,
    "justext": _justext,
    "newspaper4k": _newspaper,
}
"""What runs in the processes: each makes the work on one page, given as bytes and as text."""


def run_alone(name: str, pages: Sequence[Page]) -> None:
    """Time lxml and one contender in turn in this process, and print the figures as JSON."""
    try:
        work = CONTENDERS[name]()
    except ImportError:
        print("null")
        return
    texts = [page.body.decode("utf-8", "replace") for page in pages]
    pairs = list(zip(pages, texts, strict=True))
    for pair in pairs[:WARM_PAGES]:
        _parse(*pair)
        work(*pair)
    # What is loaded by now stays: collecting it again and again is no page's cost.
    gc.collect()
    gc.freeze()
    parsing, seconds = 0.0, []
    for pair in pairs:
        begin = time.process_time()
        _parse(*pair)
        between = time.process_time()
        with suppress(Exception):  # some refuse pages that others read
            work(*pair)
        seconds.append(time.process_time() - between)
        parsing += between - begin
    spent = sum(seconds)
    figures = {"ratio": spent / parsing, "median": median(seconds), "memory": peak()}
    print(json.dumps({"seconds": spent, **figures}))


def peak() -> float:
    """Return how many megabytes this process had resident at most; NaN where Linux is not there.

    What a program is told of itself otherwise (``ru_maxrss``) begins with what its parent had.
    """
    with suppress(OSError):
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return math.nan


def steps(pages: Sequence[Page]) -> None:
    """Print what each step costs."""
    for part in COMPILED:
        runs = "runs" if sys.modules.get(part) else "does not run: Python does its work"
        print(f"{part} {runs}")
    whole, clock = Whole(), Clock()
    for page in pages[:WARM_PAGES]:
        whole.run(page, Clock())
    gc.collect()
    gc.freeze()
    for page in pages:
        with clock.step(LXML):
            _parse(page, "")
        whole.run(page, clock)
    parsing = clock.seconds.pop(LXML)
    clock.seconds["**all of it**"] = sum(clock.seconds.values())
    print("\n| step | ms a page | times lxml's parse in turn |\n|---|---|---|")
    for name, spent in clock.seconds.items():
        print(f"| {name} | {1000 * spent / len(pages):.2f} | {spent / parsing:.2f} |")
    print()


def compare(pages: Sequence[Page], rounds: int) -> float | None:
    """Print the table of contenders; return how many times as slow trafilatura is, each in turn.

    Args:
        pages: the pages, all readable.
        rounds: how often each contender runs.
    """
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
    with NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for page in pages:
            file.write(json.dumps({"html": page.body.decode("utf-8", "replace")}) + "\n")
        file.flush()
        for name in [*CONTENDERS] * rounds:
            call = [sys.executable, __file__, f"--pages={len(pages)}", f"--only={name}", file.name]
            call += ["--pure"] * name.endswith(PURE)
            answer = json.loads(subprocess.run(call, check=True, capture_output=True).stdout)
            if answer:
                runs[name].append(answer)
    middle = {
        name: {key: median(each[key] for each in found) for key in found[0]}
        for name, found in runs.items()
        if found
    }
    parsing = middle[LXML]["seconds"]
    print("| | ms a page | median page | in turn | to lxml alone | MB |\n|---|---|---|---|---|---|")
    for name, each in middle.items():
        mean, typical = 1000 * each["seconds"] / len(pages), 1000 * each["median"]
        ratios = f"{each['ratio']:.2f} | {each['seconds'] / parsing:.2f}"
        print(f"| {name} | {mean:.2f} | {typical:.2f} | {ratios} | {each['memory']:.0f} |")
    missing = [name for name in CONTENDERS if name not in middle]
    print(f"\nnot installed: {'; '.join(missing)}" if missing else "")
    return middle[PEER]["ratio"] / middle[ALL]["ratio"] if PEER in middle else None


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="JSON Lines with the key html")
    parser.add_argument("--pages", type=int, default=200, help="how many pages (default 200)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--pure", action="store_true", help="without the compiled part")
    parser.add_argument("--only", choices=CONTENDERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    wanted = max(1, options.pages)
    pages = readable(file_pages(options.files, wanted) if options.files else made_pages()[:wanted])
    if options.only:
        run_alone(options.only, pages)
        return 0
    print(f"{len(pages)} pages, CPU time\n")
    steps(pages)
    ratio = compare(pages, options.rounds)
    if ratio is not None:
        print(f"\n{PEER} / {ALL}: {ratio:.2f}")
    return int(ratio is not None and ratio < WANTED)


if __name__ == "__main__":
    sys.exit(main())
