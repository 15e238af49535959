"""What a whole crawl costs: 3,000 pages of 40 KB in two passes, beside a plain Scrapy spider.

Run it as ``python benchmarks/crawl.py [--pages N]``. The site is made in memory and served on
loopback by a process of its own; both crawls fetch it without delay, eight requests at a time, each
in a process of its own. Figures come from one run on one machine, so read the ratios; memory is the
most that a crawl's process had resident. Leaves with 1 when that is over the limit.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.demo.server import Answer

ROOT = Path(__file__).resolve().parents[1]
PAGE_BYTES = 40_000
LIMIT_MEGABYTES = 170
LINKS_AN_INDEX = 50
PACE = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "ROBOTSTXT_OBEY": False,
    "LOG_LEVEL": "WARNING",
}

PLAIN_SPIDER = """
import scrapy


class Plain(scrapy.Spider):
    name = "plain"

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        yield {"url": response.url, "length": len(response.text)}
        yield from response.follow_all(css="a")
"""


class Writer:
    """Makes the pages of a blog: a frame that all of them share, and articles that differ."""

    def __init__(self, articles: int) -> None:
        draw = random.Random(1)
        words = ["".join(draw.choices("aeioulnrst", k=draw.randint(2, 9))) for _ in range(5000)]
        ranks = [1 / (rank + 3) for rank in range(len(words))]
        self._draw = draw
        self._text = draw.choices(words, ranks, k=500_000)
        self._articles = articles
        self._menu = "".join(
            f'<li class="menu-item"><a href="/page/{n % self.indexes}">Topic {n}</a></li>'
            for n in range(60)
        )
        self._legal = "".join(f"<p>{self.phrase(60)}</p>" for _ in range(8))

    @property
    def indexes(self) -> int:
        """How many pages list the articles."""
        return -(-self._articles // LINKS_AN_INDEX)

    def phrase(self, length: int) -> str:
        """Words that stand nowhere else in this order."""
        start = self._draw.randrange(len(self._text) - length)
        return " ".join(self._text[start : start + length])

    def article(self, number: int) -> bytes:
        """An article of about 40 KB, its comments, and links to others."""
        related = "".join(
            f'<li><a href="/post/{self._draw.randrange(self._articles)}">{self.phrase(6)}</a></li>'
            for _ in range(10)
        )
        parts = [f"<h1>{number}: {self.phrase(7)}</h1>"]
        size = len(self._menu) + len(self._legal) + len(related)
        while size < PAGE_BYTES:
            parts.append(
                f'<p class="entry">{self.phrase(30)} <em>{self.phrase(3)}</em> {self.phrase(20)} '
                f'<a class="more" href="/post/{self._draw.randrange(self._articles)}">'
                f'{self.phrase(3)}</a> {self.phrase(9)}</p><div class="note"><span>'
                f"{self.phrase(1)}</span> {self.phrase(4)}</div>\n"
            )
            size += len(parts[-1])
        return self._page(str(number), "".join(parts) + f"<ul>{related}</ul>")

    def index(self, number: int) -> bytes:
        """A page that lists fifty articles."""
        first = number * LINKS_AN_INDEX
        links = "".join(
            f'<li><a href="/post/{n}">{self.phrase(7)}</a></li>'
            for n in range(first, min(first + LINKS_AN_INDEX, self._articles))
        )
        return self._page(f"Page {number}", f"<ul>{links}</ul>")

    def _page(self, title: str, body: str) -> bytes:
        return (
            f'<!doctype html><html lang="en"><head><title>{title} - The blog</title></head><body>'
            f"<nav><ul>{self._menu}</ul></nav><main>{body}</main><footer>{self._legal}</footer>"
            f"</body></html>"
        ).encode()


def make_site(pages: int) -> dict[str, Answer]:
    """Make so many pages: a start page, indexes, and mostly articles."""
    articles = max(1, pages - 1 - -(-pages // (LINKS_AN_INDEX + 1)))
    writer = Writer(articles)
    bodies = {f"/post/{n}": writer.article(n) for n in range(articles)}
    bodies |= {f"/page/{n}": writer.index(n) for n in range(writer.indexes)}
    bodies["/"] = bodies["/page/0"]
    headers = {"Content-Type": "text/html; charset=utf-8"}
    size = sum(map(len, bodies.values())) / len(bodies)
    print(f"{len(bodies)} pages of {size / 1000:.0f} KB", file=sys.stderr)
    return {path: (200, headers, body) for path, body in bodies.items()}


def serve_site(pages: int) -> None:
    """Serve a site until standard input closes; say first where, and of how many addresses."""
    sys.path.insert(0, str(ROOT))
    from crawler.demo.server import serve  # noqa: PLC0415 - the measuring process stays small

    site = make_site(pages)
    with serve(site) as base:
        print(base, len(site), sum(path.startswith("/post/") for path in site), flush=True)
        sys.stdin.read()


@contextmanager
def served(pages: int) -> Iterator[tuple[str, int, int]]:
    """Serve a site from a process of its own; give its address, and how many pages and articles."""
    command = [sys.executable, __file__, "--serve", "--pages", str(pages)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        base, count, articles = process.stdout.readline().split()
        yield base, int(count), int(articles)
        process.communicate()


@dataclass(frozen=True)
class Cost:
    """What a crawl took: pages, wall-clock and CPU seconds, peak resident megabytes."""

    pages: int
    seconds: float
    cpu_seconds: float
    megabytes: float

    def __str__(self) -> str:
        return (
            f"{self.pages} pages in {self.seconds:.1f} s ({self.pages / self.seconds:.0f} a "
            f"second), {self.cpu_seconds:.1f} s of CPU, peak {self.megabytes:.0f} MB resident"
        )


def crawl(folder: Path, *arguments: str) -> Cost:
    """Run ``scrapy`` to its end in a process of its own."""
    output = folder / "out.jsonl"
    settings = [part for name, value in PACE.items() for part in ("-s", f"{name}={value}")]
    command = [sys.executable, "-m", "scrapy", *arguments, *settings, "-O", str(output)]
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"'scrapy {arguments[0]}' ended with {process.returncode}.")
    with output.open("rb") as file:
        pages = sum(1 for _ in file)
    return Cost(
        pages=pages,
        seconds=seconds,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        megabytes=usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10),
    )


def measure(pages: int) -> tuple[Cost, Cost]:
    """Crawl one site by the project and by a plain spider."""
    with tempfile.TemporaryDirectory() as name, served(pages) as (base, count, articles):
        folder = Path(name)
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings.base\n", "utf-8")
        (folder / "plain.py").write_text(PLAIN_SPIDER, "utf-8")
        own = crawl(folder, "crawl", "site", "-a", f"url={base}/", "-a", "max_pages=0")
        (folder / "scrapy.cfg").unlink()
        plain = crawl(folder, "runspider", "plain.py", "-a", f"url={base}/")
    # Lists of links have no text, and are no items.
    if own.pages != articles or plain.pages != count:
        raise SystemExit(
            f"Of {articles} articles {own.pages}, of {count} pages {plain.pages} came out."
        )
    return own, plain


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=3000, help="how many pages (default 3000)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve_site(options.pages)
        return 0
    own, plain = measure(max(2, options.pages))
    print(f"two passes: {own}")
    print(f"plain spider: {plain}")
    print(f"pages a second, two passes / plain: {plain.seconds / own.seconds:.2f}")
    print(f"CPU, two passes / plain: {own.cpu_seconds / plain.cpu_seconds:.2f}")
    print(f"peak memory, two passes / plain: {own.megabytes / plain.megabytes:.2f}")
    over = own.megabytes > LIMIT_MEGABYTES
    print(f"peak memory is {'OVER' if over else 'under'} the limit of {LIMIT_MEGABYTES} MB")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
