"""Fetching the page of an address while the studio runs: a small crawl in a process of its own.

It obeys what every crawl obeys: robots.txt, throttling, the settings of the project around.
"""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode, b64encode
from typing import Any

from crawler.core.errors import CorpusError, FetchError
from crawler.core.page.page import Page
from crawler.store.sources import check_address

_SECONDS = 120


def fetch(url: str) -> Page:
    """Fetch a page.

    Raises:
        ArgumentError: it is no http(s) address.
        FetchError: it could not be fetched; the message says why.
    """
    check_address(url)
    command = (sys.executable, "-m", "crawler.studio.fetching", url)
    try:
        done = subprocess.run(  # noqa: S603 - the program is our own, and the address is checked
            command, capture_output=True, timeout=_SECONDS, check=False
        )
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{url} did not come within {_SECONDS} seconds") from error
    except (ValueError, IndexError) as error:
        raise FetchError(f"{url} could not be fetched: the crawl ended at once") from error
    if "error" in answer:
        raise FetchError(answer["error"])
    return Page(answer["url"], b64decode(answer["body"]), answer["content_type"])


def main() -> None:
    """Fetch the page that the call names, and write it as JSON, or why it could not be had."""
    from scrapy.crawler import CrawlerProcess  # noqa: PLC0415 - the studio itself loads no Scrapy
    from scrapy.utils.project import get_project_settings  # noqa: PLC0415 - as above

    from crawler.spiders.fetch import fetch_page  # noqa: PLC0415 - as above

    settings = get_project_settings()
    settings.set("LOG_LEVEL", "CRITICAL", "cmdline")
    try:
        page = fetch_page(sys.argv[1], CrawlerProcess(settings))
    except CorpusError as error:
        answer = {"error": str(error)}
    else:
        body = b64encode(page.body).decode("ascii")
        answer = {"url": page.url, "body": body, "content_type": page.content_type}
    sys.stdout.write(f"\n{json.dumps(answer)}\n")


if __name__ == "__main__":
    main()
