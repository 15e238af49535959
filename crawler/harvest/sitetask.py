"""The job of a site: one crawl by the spider ``site``, in the site's folder on the storage.

The crawl's settings are those of this module and of the plan, and of no project that lies around:
so a site gives the same wherever its job runs. What a plan names besides (item pipelines and the
like) has to be installed where the job runs.
"""

from __future__ import annotations

import os
import signal
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import CorpusError
from crawler.harvest.jobs import Job
from crawler.harvest.locks import Claim
from crawler.harvest.plan import SitePlan
from crawler.harvest.storage import Storage
from crawler.journey.crawl_name import crawl_name
from crawler.store.files import file_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy.settings import Settings

__all__ = ["crawl_site", "figures_of", "site_job"]

_MB: Final = 1024 * 1024
# Of the memory limit, at which Scrapy ends the crawl in order; at the whole the process is refused
# more.
_MEMORY_SHARE: Final = 0.8
_MEMORY_LOOK_SECONDS: Final = 5

_SETTINGS: Final[dict[str, Any]] = {
    "BOT_NAME": "scrapy-corpus",
    "ADDONS": {"crawler.addon.CorpusAddon": 500},
    "DOWNLOADER": "crawler.harvest.ending.EndingDownloader",
    "FEED_EXPORT_ENCODING": "utf-8",
    "LOG_LEVEL": "INFO",
    "LOG_VERSIONS": [],
    "LOG_FORMATTER": "crawler.extensions.logs.ShortLogFormatter",
    "STATS_DUMP": False,
    # The summary at the end goes to the log.
    "CORPUS_PROGRESS": "off",
}

# Nobody speaks to these crawls, nor reads their log as it comes. They are left out of what Scrapy
# switches on, and not named in EXTENSIONS: what is named is imported to be switched off, and that
# takes the last a tenth of a crawl's start where aiohttp is installed.
_UNWANTED: Final = frozenset(
    {
        "scrapy.extensions.logstats.LogStats",
        "scrapy.extensions.telnet.TelnetConsole",
        "scrapy.extensions.remote_control.RemoteControl",
    }
)

_REASONS: Final = {"memusage_exceeded": "memory", "closespider_timeout": "time"}


def site_job(site: SitePlan, output: str, run: str) -> Job:
    """Make the job of a site.

    Args:
        site: what its plan says.
        output: the folder or URL where the harvest lies.
        run: a name of this run of the site. Attempts of one run wait for each other; a run of
            another name that is under way makes the job fail.
    """
    return Job(
        "crawler.harvest.sitetask:crawl_site",
        {**site.as_json(), "output": output, "run": run},
        seconds=site.time_limit,
        memory=site.memory_limit,
        name=site.id,
    )


def crawl_site(argument: Mapping[str, Any]) -> dict[str, Any]:
    """Crawl a site in this process, which can do this once.

    Args:
        argument: that of :func:`site_job`: what :meth:`SitePlan.as_json` gives, ``output`` and
            ``run``.

    Returns:
        ``reason`` (``finished``, or why the crawl ended early: ``stopped``, ``memory``, or the
        reason that Scrapy gives), ``start`` and ``end`` (ISO 8601, UTC), ``seconds``, ``pages``
        fetched, ``items`` exported, of these ``new`` and ``changed``, ``gone``, and, numbers by
        reason, ``errors``: what could not be fetched (as ``corpus/failed/…`` of the crawl), made
        an item of (``item``), taken by an item pipeline (``pipeline``) or written (``output``);
        and ``skipped``: the other pages without an item of their own (as ``corpus/skipped/…``,
        and ``joined`` to the first page of an article, ``dropped`` by an item pipeline).

    Raises:
        BusyError: another run crawls the site.
        CorpusError: the storage, an argument or a setting is wrong.
    """
    values = dict(argument)
    storage = Storage.of(values.pop("output"))
    # A name, as of any crawl, where nobody cares which attempts are of one run.
    run = values.pop("run", None) or crawl_name(datetime.now(UTC))
    site = _site_of(values)
    with storage.workspace(site.id, Claim(run, on_lost=_end_in_order)) as folder:
        return _crawl(site, run, folder)


def _site_of(values: Mapping[str, Any]) -> SitePlan:
    """Return the plan of a site that :meth:`SitePlan.as_json` gave."""
    known = {one.name for one in fields(SitePlan)}
    own = {"sources" if name == "from" else name: value for name, value in values.items()}
    tuples = {name: tuple(value) for name, value in own.items() if isinstance(value, list)}
    further = {name: own.pop(name) for name in tuple(own) if name not in known}
    return SitePlan(**{**own, **tuples}, arguments=further)


def _end_in_order() -> None:
    """Do what a job that is told to stop does: end the crawl, and keep what it has."""
    os.kill(os.getpid(), signal.SIGTERM)


def _crawl(site: SitePlan, run: str, folder: Path) -> dict[str, Any]:
    # Whoever gives jobs need not load what runs them.
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415

    from crawler.spiders.site import SiteSpider  # noqa: PLC0415

    feed = _feed(site, run, folder)
    process = AsyncCrawlerProcess(_settings(site, run, folder, feed))
    crawler = process.create_crawler(SiteSpider)
    ended = process.crawl(crawler, **site.spider_arguments())
    process.start()
    if ended.done() and not ended.cancelled() and (error := ended.exception()) is not None:
        raise error
    assert crawler.stats is not None  # noqa: S101 - Scrapy set it when the crawl began
    if "finish_reason" not in crawler.stats.get_stats():
        raise CorpusError("The crawl was ended before it had begun.")
    if feed is not None and feed.exists():
        feed.replace(feed.with_suffix(""))
    return figures_of(crawler.stats.get_stats())


def _settings(site: SitePlan, run: str, folder: Path, feed: Path | None) -> Settings:
    from scrapy.settings import Settings  # noqa: PLC0415 - as above

    from crawler.exporters.formats import FEED_EXPORTERS  # noqa: PLC0415
    from crawler.extensions.logs import shorten_start  # noqa: PLC0415

    shorten_start()
    log = folder / "logs" / f"{file_name(run)}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    own: dict[str, Any] = {
        "CORPUS_DIR": str(folder),
        "CORPUS_INCREMENTAL": site.incremental,
        "LOG_FILE": str(log),
    }
    if site.method:
        own["CORPUS_TEXT_METHOD"] = site.method
    if feed is None:
        own["CORPUS_OUTPUT_FORMAT"] = site.output_format
    else:
        # An address, and no path: names of folders may hold %, which begins what Scrapy fills in.
        address = feed.absolute().as_uri()
        own["FEEDS"] = {address: {"format": site.output_format, "overwrite": True}}
    if site.memory_limit is not None:
        own["MEMUSAGE_LIMIT_MB"] = max(1, int(site.memory_limit * _MEMORY_SHARE / _MB))
        own["MEMUSAGE_CHECK_INTERVAL_SECONDS"] = _MEMORY_LOOK_SECONDS
    settings = Settings({**_SETTINGS, "FEED_EXPORTERS": FEED_EXPORTERS}, priority="project")
    extensions = settings.getdict("EXTENSIONS_BASE").items()
    wanted = {name: place for name, place in extensions if name not in _UNWANTED}
    settings.set("EXTENSIONS_BASE", wanted, priority="project")
    for name, value in {**site.settings, **own}.items():
        # What a plan switches on besides replaces nothing.
        known = _SETTINGS.get(name)
        whole = {**known, **value} if isinstance(known, dict) else value
        settings.set(name, whole, priority="cmdline")
    return settings


def _feed(site: SitePlan, run: str, folder: Path) -> Path | None:
    """Return the file for a crawl that exports all it finds; it has its name when it is whole."""
    if site.incremental:
        return None
    name = f"{file_name(run)}.{site.output_format}"
    return folder / "articles" / f"{name}.aside"


def figures_of(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return what :func:`crawl_site` does, of the figures of a crawl that has ended."""

    def count(key: str) -> int:
        return int(stats.get(key) or 0)

    def reasons(prefix: str) -> dict[str, int]:
        return {
            key.removeprefix(prefix): int(value)
            for key, value in sorted(stats.items())
            if key.startswith(prefix) and value
        }

    errors, skipped = reasons("corpus/failed/"), reasons("corpus/skipped/")
    unwritten = count("corpus/parts/failed") + sum(
        int(value) for key, value in stats.items() if key.startswith("feedexport/failed_count/")
    )
    lost = {
        "item": skipped.pop("error", 0),
        "pipeline": count("corpus/pages/broken"),
        "output": unwritten,
    }
    errors |= {why: number for why, number in lost.items() if number}
    later = {
        "joined": count("corpus/pages/joined"),
        "dropped": count("item_dropped_count"),
    }
    skipped |= {why: number for why, number in later.items() if number}
    reason = str(stats["finish_reason"])
    return {
        "reason": "stopped" if reason == "shutdown" else _REASONS.get(reason, reason),
        "start": _iso(stats.get("start_time")),
        "end": _iso(stats.get("finish_time")),
        "seconds": round(float(stats.get("elapsed_time_seconds") or 0), 3),
        "pages": count("corpus/pages/fetched"),
        "items": count("corpus/pages/exported"),
        "new": count("corpus/incremental/new"),
        "changed": count("corpus/incremental/changed"),
        "gone": count("corpus/incremental/gone"),
        "errors": errors,
        "skipped": skipped,
    }


def _iso(time: object) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}" if isinstance(time, datetime) else ""
