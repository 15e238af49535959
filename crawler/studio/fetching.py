"""Fetching the page of an address while the studio runs: a small crawl in a process of its own.

It obeys what every crawl obeys: robots.txt, throttling, the settings of the project around.
"""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any

from crawler.core.errors import FetchError
from crawler.core.page.page import Page
from crawler.discovery.addresses import check_address

_SECONDS = 120
_running: set[subprocess.Popen[bytes]] = set()


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
    command = (sys.executable, "-m", "crawler.studio.fetching", *urls)
    try:
        written = _written(command, _SECONDS * len(urls))
        answers: list[dict[str, Any]] = json.loads(written.splitlines()[-1])
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{urls[0]} did not come within {_SECONDS} seconds").about(
            "fetch-slow", urls[0], _SECONDS
        ) from error
    except (ValueError, IndexError) as error:
        raise FetchError(f"{urls[0]} could not be fetched: the crawl ended at once").about(
            "fetch-ended", urls[0]
        ) from error
    return [
        FetchError(its["error"]).about(its["kind"], *its["data"])
        if "error" in its
        else Page(its["url"], b64decode(its["body"]), its["content_type"])
        for its in answers
    ]


def _written(command: Sequence[str], seconds: float) -> bytes:
    process = subprocess.Popen(  # noqa: S603 - the program is our own, and the addresses are checked
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        _running.add(process)
        try:
            return process.communicate(timeout=seconds)[0]
        finally:
            process.kill()
            _running.discard(process)


def stop_fetching() -> None:
    """End at once all fetching that goes on; it fails where it was asked for."""
    for process in tuple(_running):
        process.kill()


def main() -> None:
    """Fetch the pages that the call names, and write them as JSON, or why they could not be had."""
    from scrapy.crawler import CrawlerProcess  # noqa: PLC0415 - the studio itself loads no Scrapy
    from scrapy.utils.project import get_project_settings  # noqa: PLC0415 - as above

    from crawler.spiders.fetch import fetch_pages  # noqa: PLC0415 - as above

    settings = get_project_settings()
    settings.set("LOG_LEVEL", "CRITICAL", "cmdline")
    answers = [
        {"error": str(its), "kind": its.kind, "data": its.data}
        if isinstance(its, FetchError)
        else {
            "url": its.url,
            "body": b64encode(its.body).decode("ascii"),
            "content_type": its.content_type,
        }
        for its in fetch_pages(sys.argv[1:], CrawlerProcess(settings))
    ]
    sys.stdout.write(f"\n{json.dumps(answers)}\n")


if __name__ == "__main__":
    main()
