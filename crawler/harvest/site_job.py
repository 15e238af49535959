"""The job of a site: an ordinary ``scrapy crawl site`` process, and what it reports.

:func:`crawl_command` makes the command line, which anybody can run by hand. :func:`crawl_site` is
the job that an engine runs: it has the site's folder at hand, runs the command in it within the
limits of the plan, and returns what the crawl reports (:mod:`crawler.extensions.crawl_report`).
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from crawler.core.errors import one_line
from crawler.harvest.engine import AT_ONCE, limit_memory, stop_level
from crawler.harvest.plan import SitePlan
from crawler.harvest.storage import Storage
from crawler.journey.statistics import most_frequent, number, reasons
from crawler.store.files import file_name

# Why a crawl ended early, beside the reasons that Scrapy gives; docs/harvests.md explains them.
FAILED: Final = "failed"
TIME: Final = "time"
MEMORY: Final = "memory"
DIED: Final = "died"
STOPPED: Final = "stopped"
NO_PAGE: Final = "no-page"

SETTINGS_MODULE: Final = "crawler.harvest.crawl_settings"
"""The settings of the crawls, beside what the command line gives."""

_ATTEMPTS: Final = 3
_LOOK_SECONDS: Final = 0.2
# After its own limit a crawl is told to end; after the grace it is killed. One that has written its
# report has nothing left to do.
_LATE_SECONDS: Final = 10.0
_GRACE_SECONDS: Final = 60.0
_LEAVE_SECONDS: Final = 10.0
_MEMORY_SHARE: Final = 0.8
_MEGABYTE: Final = 1024 * 1024
_LOG_TAIL: Final = 4096
_NAMED_REASONS: Final = 3
_REASONS: Final = {
    "shutdown": STOPPED, "memusage_exceeded": MEMORY, "closespider_timeout": TIME,
}  # fmt: skip
_FIGURES: Final = {
    "pages": "corpus/pages/fetched",
    "items": "corpus/pages/exported",
    "new": "corpus/incremental/new",
    "changed": "corpus/incremental/changed",
    "gone": "corpus/incremental/gone",
    "broken": "corpus/pages/broken",
    "joined": "corpus/pages/joined",
    "dropped": "corpus/pages/dropped",
    "parts_failed": "corpus/parts/failed",
}
_OF_MEMORY: Final = ("memoryerror", "bad_alloc", "allocate memory", "of memory")
# A process a crawl, so no crawl needs threads for its arithmetic.
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def crawl_command(site: SitePlan, folder: Path | str, run: str = "RUN") -> list[str]:
    """Return the command line of a site's crawl, without ``scrapy`` itself.

    Args:
        site: what its plan says.
        folder: the site's folder, the ``CORPUS_DIR``.
        run: a name of the run; names the output of a site that is not incremental.
    """
    own = {"CORPUS_DIR": folder, "CORPUS_INCREMENTAL": site.incremental}
    settings: dict[str, Any] = {**site.settings, **own}
    if "ADDONS" in settings:
        # What a plan switches on besides replaces nothing.
        settings["ADDONS"] = {"crawler.addon.CorpusAddon": 500, **settings["ADDONS"]}
    if site.method:
        settings["CORPUS_TEXT_METHOD"] = site.method
    if site.time_limit is not None:
        settings["CLOSESPIDER_TIMEOUT"] = site.time_limit
    if site.memory_limit is not None:
        settings["MEMUSAGE_LIMIT_MB"] = int(site.memory_limit * _MEMORY_SHARE / _MEGABYTE)
    if site.incremental:
        settings["CORPUS_OUTPUT_FORMAT"] = site.output_format
    else:
        # An address, and no path: names of folders may hold %, which begins what Scrapy fills in.
        feed = _feed(site, Path(folder), run).absolute().as_uri()
        settings["FEEDS"] = {feed: {"format": site.output_format, "overwrite": True}}
    arguments = _options("-a", site.spider_arguments())
    return ["crawl", "site", *arguments, *_options("-s", settings)]


def crawl_site(site: SitePlan, output: str, run: str) -> dict[str, Any]:
    """Crawl a site: a job of an engine.

    Args:
        site: what its plan says.
        output: the folder or URL where the harvest lies.
        run: a name of this run of the site, which names its log.

    Returns:
        What :func:`figures_of` does, and ``detail``: what a person should know of the end.

    Raises:
        CorpusError: the storage cannot be read or written.
    """
    with (
        Storage(output).workspace(site.id) as folder,
        tempfile.TemporaryDirectory(prefix="scrapy-corpus-report-") as temporary,
    ):
        report = Path(temporary, "report.json")
        log = folder / "logs" / f"{file_name(run)}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        command = crawl_command(site, folder, run)
        command += ["-s", f"CORPUS_CRAWL_REPORT={report}", "-s", "CORPUS_END_WITH_STDIN=1"]
        for attempt in range(_ATTEMPTS):
            log_start = log.stat().st_size if log.exists() else 0
            code, told = _crawl(command, log, report, site)
            last = _last_line(log, log_start)
            result = _result(code, told, report, last, site)
            # A crawl that died goes on where it was.
            if result["reason"] != DIED or attempt + 1 == _ATTEMPTS or stop_level():
                break
        feed = None if site.incremental else _feed(site, folder, run)
        if feed is not None and feed.exists() and "pages" in result:
            feed.replace(feed.with_suffix(""))
    return result


def _crawl(command: list[str], log: Path, report: Path, site: SitePlan) -> tuple[int, str]:
    """Run the process of a crawl; tell it to end at its limits, and kill it after the grace.

    Return its exit code, and why it was told to end: ``TIME``, ``STOPPED`` or nothing.
    """
    began, told, kill_at = time.monotonic(), "", math.inf
    time_limit = math.inf if site.time_limit is None else site.time_limit + _LATE_SECONDS
    own = {"SCRAPY_SETTINGS_MODULE": SETTINGS_MODULE, "PYTHONUNBUFFERED": "1"}
    with log.open("ab") as file:
        process = subprocess.Popen(  # noqa: S603 - Scrapy, and the plan's own words
            scrapy_command(command),
            # It is open for as long as this process lives.
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**dict.fromkeys(_ONE_THREAD, "1"), **os.environ, **own},
            # Ctrl-C in a terminal reaches the harvest alone, which tells its crawls once.
            start_new_session=True,
        )
    limit_memory(site.memory_limit, process.pid)
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_LOOK_SECONDS), told
            now = time.monotonic()
            if kill_at == math.inf:
                if now - began >= time_limit or stop_level():
                    told = TIME if now - began >= time_limit else STOPPED
                    kill_at = now + _GRACE_SECONDS
                    is_posix = sys.platform != "win32"
                    process.send_signal(signal.SIGINT if is_posix else signal.SIGTERM)
                elif report.exists():
                    kill_at = now + _LEAVE_SECONDS
            if stop_level() == AT_ONCE or now >= kill_at:
                _kill(process)
    finally:
        # Also what it has started, and where this thread is ended by an error.
        _kill(process)
        process.communicate()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    # The process leads a group of its own, whose number is in use while one of them lives.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _result(code: int, told: str, report: Path, last: str, site: SitePlan) -> dict[str, Any]:
    """Return what became of a crawl: its report says it, unless its process was killed."""
    with suppress(OSError, ValueError):
        content = json.loads(report.read_text("utf-8"))
        if content and content["reason"]:
            figures = figures_of(content)
            if told == TIME and figures["reason"] == STOPPED:
                # The crawl knows that it was told to end, and not why.
                figures |= {"reason": TIME, "detail": f"the time limit of {site.time_limit:g} s"}
            return figures
    if told:
        words = "it did not end when it was told to, and was killed; its next run goes on"
        return {"reason": told, "detail": words}
    limit = site.memory_limit
    if limit is not None and any(word in last.lower() for word in _OF_MEMORY):
        return {"reason": MEMORY, "detail": f"{last}; its limit is {limit:,} bytes"}
    if code >= 0:
        return {"reason": FAILED, "detail": last or f"its process ended with code {code}"}
    signal_name = str(code)
    with suppress(ValueError):
        signal_name = signal.Signals(-code).name
    words = f"its process was ended by {signal_name}" + (f"; its last words: {last}" * bool(last))
    return {"reason": DIED, "detail": words}


def _last_line(log: Path, start: int) -> str:
    with log.open("rb") as file:
        file.seek(max(start, log.stat().st_size - _LOG_TAIL))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return next((one_line(line) for line in reversed(lines) if line.strip()), "")


def scrapy_command(command: list[str]) -> list[str]:
    """Return the whole command line; what lies in the working folder takes no module's place."""
    return [sys.executable, "-P", "-m", "scrapy", *command]


def figures_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the history keeps of the report of a crawl.

    Returns:
        ``reason`` (``finished``, or why the crawl ended early), ``detail``, ``pages`` fetched,
        ``items`` exported, of these ``new``, ``changed`` and ``gone``; and, numbers by reason,
        ``errors``: what could not be fetched (as ``corpus/failed/…`` of the crawl), made an item of
        (``item``), taken by an item pipeline (``pipeline``) or written (``output``); ``skipped``:
        the other pages without an item of their own (as ``corpus/skipped/…``, and ``joined`` to the
        first page of an article, ``dropped`` by an item pipeline).
    """
    stats: Mapping[str, Any] = report["stats"]
    figures = {name: number(stats, key) for name, key in _FIGURES.items()}
    errors, skipped = reasons(stats, "corpus/failed/"), reasons(stats, "corpus/skipped/")
    feeds = sum(reasons(stats, "feedexport/failed_count/").values())
    errors["item"], errors["pipeline"] = skipped.pop("error", 0), figures.pop("broken")
    errors["output"] = figures.pop("parts_failed") + feeds
    skipped |= {why: figures.pop(why) for why in ("joined", "dropped")}
    errors, skipped = ({k: n for k, n in one.items() if n} for one in (errors, skipped))
    reason, detail = _REASONS.get(report["reason"], report["reason"]), ""
    if stats.get("corpus/drain_errors") and not reason.endswith("_failed"):
        reason = FAILED
        detail = "the held pages could not all be read back, so items are missing: see its log"
    elif reason == "finished" and not figures["pages"] and errors:
        reason = NO_PAGE
        detail = f"no page could be fetched ({most_frequent(errors, _NAMED_REASONS)})"
    return {**figures, "reason": reason, "detail": detail, "errors": errors, "skipped": skipped}


def _feed(site: SitePlan, folder: Path, run: str) -> Path:
    """Return the file of a crawl that exports all it finds; it gets its name when it is whole."""
    return folder / "articles" / f"{file_name(run)}.{site.output_format}.part"


def _options(flag: str, values: Mapping[str, Any]) -> list[str]:
    """Write arguments or settings as Scrapy reads them from a command line."""
    options: list[str] = []
    for name, value in values.items():
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
        if isinstance(value, list | tuple):
            text = ",".join(map(str, value))
        options += [flag, f"{name}={text}"]
    return options
