"""What a crawl reports to the program that started it: how it ended, and its statistics.

With ``CORPUS_CRAWL_REPORT`` a crawl writes a JSON file when it has ended. A crawl that is killed
writes none. ``scrapy harvest`` reads these files; any other program may do the same.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from datetime import UTC, datetime

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from crawler.extensions.component import Component


class CrawlReport(Component):
    """Writes the report, and ends the crawl with the program that started it where that is wanted.

    Raises:
        NotConfigured: the crawl has to report nothing.
    """

    handlers = ("engine_stopped",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if self.options.end_with_stdin:
            threading.Thread(target=_end_with_stdin, name="stdin", daemon=True).start()
        if self.options.crawl_report is None:
            raise NotConfigured
        self._path = self.options.crawl_report

    def engine_stopped(self) -> None:
        """Write the report: all statistics have their last values by now."""
        stats = self.stats.get_stats()
        report = {
            "reason": stats.get("finish_reason", ""),
            "start": stats.get("start_time"),
            "end": stats.get("finish_time"),
            "seconds": stats.get("elapsed_time_seconds"),
            "stats": stats,
        }
        content = json.dumps(report, default=_as_json, indent=1)
        self.write_report(self._path, f"{content}\n")


def _as_json(value: object) -> str:
    """Return a time as ISO 8601 in UTC, and any other value as text."""
    if not isinstance(value, datetime):
        return str(value)
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat(timespec="seconds")


def _end_with_stdin() -> None:
    """Kill this process, and those it has started, when standard input ends."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
