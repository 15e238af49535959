"""A project of somebody else's with the add-on, and a site on loopback that it crawls."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from crawler.demo.server import Answer
from crawler.store.archive import read_pages
from support.running import run_scrapy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).parents[2]

SETTINGS = """
BOT_NAME = "somebody"
SPIDER_MODULES = ["crawler.spiders", "ownspiders"]
ADDONS = {"crawler.addon.CorpusAddon": 500}
ITEM_PIPELINES = {"ownpipelines.Witness": 300}
DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = False
ROBOTSTXT_OBEY = False
LOG_LEVEL = "INFO"
# The sites of most tests are few short pages around one list, and all of them are to be seen.
CORPUS_PAGE_TYPES = "all"
"""

# A pipeline of the project's own: slow and asynchronous, and it tells what it saw and when. It can
# hold all items but the first so long that it is killed before.
PIPELINES = """
import asyncio


class Witness:
    def __init__(self, crawler):
        self.pause = crawler.settings.getfloat("WITNESS_PAUSE")
        self.fail_on = crawler.settings.get("WITNESS_FAILS_ON")
        self.left = crawler.settings.getint("WITNESS_HOLDS_AFTER", 1_000_000)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def open_spider(self):
        self.log = open("witness.log", "a", encoding="utf-8", buffering=1)

    async def process_item(self, item):
        self.left -= 1
        await asyncio.sleep(self.pause if self.left >= 0 else 600)
        if self.fail_on and item.url.endswith(self.fail_on):
            raise RuntimeError("the pipeline does not like this page")
        self.log.write(item.url + "\\n")
        return item

    def close_spider(self):
        self.log.write("closed\\n")
        self.log.close()
"""

# Scrapy's own CLOSESPIDER_TIMEOUT, but its time begins with an answer, which may come late.
TIMEOUT = """
from scrapy import signals
from scrapy.extensions.closespider import CloseSpider


class Timeout(CloseSpider):
    def __init__(self, crawler):
        super().__init__(crawler)
        crawler.signals.disconnect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.answered, signal=signals.response_downloaded)
        self.status = crawler.settings.getint("TIMEOUT_BEGINS_WITH", 200)

    def answered(self, response, request, spider):
        if self.task is None and response.status == self.status:
            self.spider_opened(spider)
"""

TIMEOUT_SETTINGS = """
EXTENSIONS = {"scrapy.extensions.closespider.CloseSpider": None, "owntimeout.Timeout": 0}
"""

SPIDERS = '''
import scrapy


class Own(scrapy.Spider):
    """A spider that knows nothing of a corpus, and yields items with url and html."""

    name = "own"

    def parse(self, response):
        if response.url.endswith("/"):
            yield from response.follow_all(css="a")
        else:
            yield {"url": response.url, "html": response.text, "section": "news", "seen": [1, 2]}
            yield {"remark": "not a page"}


class Yielding(scrapy.Spider):
    """A spider that yields responses, pages and pictures alike."""

    name = "yielding"

    async def parse(self, response):
        yield response
        if isinstance(response, scrapy.http.TextResponse):
            for link in response.css("a"):
                yield response.follow(link)
'''

FOOTER = "All rights reserved by the makers of this site, whatever stands on its pages."


def article(number: int, extra: str = "") -> str:
    """Make a page with boilerplate around two paragraphs of its own."""
    return f"""<!doctype html><html lang="en"><head>
    <title>Piece number {number} of the run - The Run</title></head><body>
    <ul><li><a href="/">Home</a></li></ul><h1>Piece number {number} of the run</h1>
    <p>The {number}th walk went past house {number}, under {number} trees and over the bridge,
    without a word being said by anybody to anybody until the gate came into view again.</p>
    <p>Nobody else writes of what was seen at {number * 7} paces from the gate, where on that day
    a heron stood with {"x" * number} in its beak.</p>
    <div>{FOOTER}</div>{extra}</body></html>"""


def html(body: str | bytes, status: int = 200, kind: str = "text/html; charset=utf-8") -> Answer:
    """Make an answer of markup."""
    return status, {"Content-Type": kind}, body.encode() if isinstance(body, str) else body


def small_site(pages: int) -> dict[str, Answer]:
    """Make an index page and as many articles as asked, linked from it."""
    links = "".join(f'<li><a href="/a/{n}">Piece {n}</a></li>' for n in range(pages))
    index = f"""<html><title>Index</title><body><h1>All the pieces of the run</h1>
    <p>The pieces that walkers have sent in so far are named on this page, the first one first, and
    whoever has walked since then may send another to the house beside the bridge.</p>
    <p>Pieces come in by post as a rule, and two of the makers read them aloud in the evening before
    they choose which of them is set in type on the next morning.</p>
    <ul>{links}</ul><div>{FOOTER}</div></body></html>"""
    return {"/": html(index), **{f"/a/{n}": html(article(n)) for n in range(pages)}}


@dataclass
class Project:
    """A Scrapy project in a folder of its own."""

    folder: Path
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start ``scrapy`` in the project."""
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", *arguments],
            cwd=self.folder,
            # Whoever runs the tests may have said how wide a terminal is.
            env={**os.environ, "COLUMNS": "", "PYTHONPATH": f"{self.folder}{os.pathsep}{ROOT}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        return process

    def run(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        """Run ``scrapy`` to its end; return what it wrote to standard output and error."""
        env = {**os.environ, "COLUMNS": ""}
        path = (str(self.folder), str(ROOT))
        left_with, out, err = run_scrapy(arguments, self.folder, env, path)
        assert left_with == code, err
        return out, err

    def append(self, name: str, line: str) -> None:
        """Add a line to a module of the project."""
        path = self.folder / name
        path.write_text(f"{path.read_text('utf-8')}\n\n{line}\n", "utf-8")

    def items(self, name: str = "out.jsonl") -> list[dict[str, Any]]:
        """Read what was exported; where there is no file, nothing was."""
        path = self.folder / name
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def witnessed(self) -> list[str]:
        """Read what the project's own pipeline saw."""
        path = self.folder / "witness.log"
        return path.read_text("utf-8").splitlines() if path.exists() else []

    def spools(self) -> list[Path]:
        """List the spools that are waiting."""
        return sorted((self.folder / "corpus-data").glob("spool/*.spool.warc.gz"))

    def held_pages(self) -> int:
        """Count the pages in the spools that are waiting, also in that of a crawl that runs."""
        return sum(1 for _ in read_pages(self.spools(), on_skip=lambda *_: None))

    def wait_for(self, condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
        """Wait until something has happened, while the process runs."""
        until = time.monotonic() + 60
        while not condition():
            if process.poll() is not None:
                # It may have happened just before the end.
                assert condition(), process.communicate()[1]
                return
            assert time.monotonic() < until, "it did not happen within a minute"
            time.sleep(0.02)


def interrupt(process: subprocess.Popen[str]) -> None:
    """Press Ctrl-C."""
    process.send_signal(signal.SIGINT)


class Held(dict[str, Answer]):
    """Pages of which all but the first few are answered only once they are let go.

    A crawl can be met in the middle so, however long that takes on a busy machine.
    """

    def __init__(self, pages: Mapping[str, Answer], first: int) -> None:
        super().__init__(pages)
        self.let_go = Event()
        self._first = first
        self._number = count(1)

    def get(self, key: str, default: Answer | None = None) -> Answer | None:  # type: ignore[override] # of the one use
        if next(self._number) > self._first:
            self.let_go.wait(60)
        return super().get(key, default)


@dataclass
class Site:
    """A served site: its address, its pages (may be changed), and what was asked of it."""

    url: str
    pages: dict[str, Answer]
    asked: list[str]
