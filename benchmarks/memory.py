"""Memory: held pages by their number, a site of a million addresses, and hostile pages of 10 MB.

Run it as ``python benchmarks/memory.py [--pages N] [--addresses N] [--bytes N]``. Each line comes
from a process of its own: the most memory that it ever had, and that beside the first line of its
kind. Leaves with 1 where many held pages take 100 MB more than 1,000 do, or where a page takes more
than 1 GB, or twice its time limit in each of the two passes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
# While modules are loaded, Ctrl-C ends the process without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from scrapy import Request
from scrapy.dupefilters import RFPDupeFilter
from scrapy.settings import Settings

from crawler.core.page.page import Page
from crawler.discovery.frontier import Frontier, Visit
from crawler.journey.item_page import Mode
from crawler.journey.session import Crawl
from crawler.journey.stages import default_stages
from crawler.settings import Options
from crawler.store.spool import Spool
from support.crawling import article
from support.hostile_pages import HOSTILE
from support.journeys import Tally

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

STARTED = "2026-05-01T10:00:00Z"
MOST_MORE, MOST_OF_PAGE = 100, 1000
_ITEMS = 200


def hold(number: int) -> None:
    """Hold pages, count their site, and make the items of some of them."""
    with tempfile.TemporaryDirectory() as folder:
        options = Options.from_settings(Settings({"CORPUS_DIR": folder}))
        crawl = Crawl(options, "held", Tally(), mode=Mode.TWO_PASS)
        spool = Spool.create(Path(folder, "spool"), "held", started=STARTED)
        for n in range(number):
            words = article(n % 50_000).replace(
                "house", f"house {n * 7919} of street {n * 104_729}"
            )
            crawl.take(Page.from_text(f"https://news.example/a/{n}", words), lambda: spool)
        crawl.evidence.save()
        stages = default_stages(options, crawl.tally)
        for item in islice(crawl.items(spool.pages()), _ITEMS):
            crawl.finish(item, stages)
        spool.close()


def find(number: int) -> None:
    """Find the addresses of a site, each linked twice, as the frontier and Scrapy remember them."""
    frontier, seen = Frontier(), RFPDupeFilter()
    site = frontier.add_root("https://news.example/")
    for n in range(number):
        url = f"https://news.example/2026/05/01/an-article-of-some-length-{n}"
        for _ in range(2):
            frontier.add(Visit(url, site, 1))
        seen.request_seen(Request(url))


def read_hostile(name: str, size: int) -> None:
    """Read a page of a hostile shape as a crawl does, in both passes."""
    make, _, _ = HOSTILE[name]
    body = make()
    whole = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
    whole = (whole * (size // len(whole) + 1))[:size]
    with tempfile.TemporaryDirectory() as folder:
        settings = {"CORPUS_DIR": folder, "CORPUS_MAX_PAGE_BYTES": size}
        options = Options.from_settings(Settings(settings))
        crawl = Crawl(options, "hostile", Tally(), mode=Mode.TWO_PASS)
        spool = Spool.create(Path(folder, "spool"), "hostile", started=STARTED)
        page = Page("https://news.example/a", whole, "text/html; charset=utf-8")
        crawl.take(page, lambda: spool)
        stages = default_stages(options, crawl.tally)
        for item in crawl.items(spool.pages()):
            crawl.finish(item, stages)
        spool.close()


def _measure(told: Connection, work: Callable[..., None], arguments: tuple[object, ...]) -> None:
    began = time.process_time()
    work(*arguments)
    status = Path("/proc/self/status").read_text("ascii")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    told.send((peak, time.process_time() - began))


def measured(work: Callable[..., None], *arguments: object) -> tuple[float, float]:
    """Do a work in a process of its own; return its peak in MB, and its processor time."""
    context = multiprocessing.get_context("spawn")
    told, telling = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(telling, work, arguments))
    process.start()
    telling.close()
    found: tuple[float, float] = told.recv()
    process.join()
    return found


def _show(name: str, found: tuple[float, float], first: float) -> None:
    peak, seconds = found
    print(f"{name:<44} {peak:>6,.0f} MB {peak / first:>6.2f} {seconds:>7.1f} s", flush=True)


def main() -> int:
    """Measure all, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--addresses", type=int, default=1_000_000)
    parser.add_argument("--bytes", type=int, default=10_000_000)
    options = parser.parse_args()
    is_well = True
    few = measured(hold, 1000)
    _show("1,000 held pages", few, few[0])
    if options.pages:
        many = measured(hold, options.pages)
        _show(f"{options.pages:,} held pages", many, few[0])
        is_well = is_well and many[0] - few[0] <= MOST_MORE
    if options.addresses:
        none = measured(find, 1000)
        _show("1,000 addresses", none, none[0])
        _show(f"{options.addresses:,} addresses", measured(find, options.addresses), none[0])
    if options.bytes:
        limit = Options.from_settings(Settings()).page_seconds
        for name in HOSTILE:
            found = measured(read_hostile, name, options.bytes)
            _show(name, found, few[0])
            is_well = is_well and found[0] <= MOST_OF_PAGE and found[1] <= 4 * limit
    return 0 if is_well else 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
