"""Fetching the page of an address while the studio runs: a small crawl in a process of its own.

It obeys what every crawl obeys: robots.txt, throttling, the settings of the project around.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

from crawler.core.errors import FetchError
from crawler.core.page.page import Page
from crawler.discovery.addresses import check_address

_SECONDS: Final = 120
# A process that is forked would have the threads' locks of the studio.
_CONTEXT: Final = get_context("spawn")
_running: set[BaseProcess] = set()


def fetch(url: str) -> Page:
    """Fetch a page.

    Raises:
        ArgumentError: it is no http(s) address.
        FetchError: it could not be fetched; the message says why.
    """
    (found,) = fetch_all([url])
    if isinstance(found, FetchError):
        raise found
    return found


def fetch_all(urls: Sequence[str]) -> list[Page | FetchError]:
    """Fetch some pages in one crawl; give each, or why it could not be fetched.

    Raises:
        ArgumentError: one is no http(s) address.
        FetchError: the crawl itself failed.
    """
    for url in urls:
        check_address(url)
    here, there = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_crawl, args=(urls, there), daemon=True)
    process.start()
    _running.add(process)
    there.close()
    try:
        if not here.poll(_SECONDS * len(urls)):
            raise FetchError(f"{urls[0]} did not come within {_SECONDS} seconds").about(
                "fetch-slow", urls[0], _SECONDS
            )
        found: list[Page | FetchError] = here.recv()
    # A process that ends while it sends leaves a part of its answer.
    except (EOFError, OSError) as error:
        raise FetchError(f"{urls[0]} could not be fetched: the crawl ended at once").about(
            "fetch-ended", urls[0]
        ) from error
    else:
        return found
    finally:
        process.kill()
        _running.discard(process)


def stop_fetching() -> None:
    """End at once all fetching that goes on; it fails where it was asked for."""
    for process in tuple(_running):
        process.kill()


def _crawl(urls: Sequence[str], answers: Connection) -> None:
    """Fetch pages, and send them, or why they could not be had."""
    from scrapy.crawler import CrawlerProcess  # noqa: PLC0415 - the studio itself loads no Scrapy
    from scrapy.utils.project import get_project_settings  # noqa: PLC0415 - as above

    from crawler.spiders.fetch import fetch_pages  # noqa: PLC0415 - as above

    # What goes wrong here is said by the studio; a crawl that Ctrl-C ends says nothing.
    for output in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    settings = get_project_settings()
    settings.set("LOG_LEVEL", "CRITICAL", "cmdline")
    answers.send(fetch_pages(urls, CrawlerProcess(settings)))
