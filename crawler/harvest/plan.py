"""The plan of a harvest: its sites, when each is due, its limits, and who is told of trouble.

Plain data. :mod:`crawler.harvest.planfile` reads it from ``harvest.toml`` and checks all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from crawler.core.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["Alerts", "Mistake", "Plan", "PlanError", "SitePlan"]


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One thing that is wrong in a plan.

    ``line``
        Where, counted from 1; 0 where it is the file as a whole.
    ``text``
        What, and what to write instead.
    """

    line: int
    text: str


class PlanError(CorpusError):
    """A plan cannot be used. The message has a line for each mistake: file, line, site, what to do.

    ``lines``
        These lines.
    """

    exit_code = 2

    def __init__(self, name: str, mistakes: Iterable[Mistake]) -> None:
        self.lines = tuple(
            f"{name}, line {one.line}: {one.text}" if one.line else f"{name}: {one.text}"
            for one in sorted(set(mistakes))
        )
        super().__init__("\n".join(self.lines))


@dataclass(frozen=True, slots=True)
class SitePlan:
    """One site of a harvest, what the defaults say of it included.

    Attributes:
        id: Names the site in commands, in the history and in file names.
        addresses: Where a crawl begins: whole web addresses.
        feeds: Addresses of feeds to read besides.
        sitemaps: Addresses of sitemaps to read besides.
        sources: Where pages are found, as the argument ``from`` of the spider ``site``; empty
            for everywhere.
        allow: Regular expression; only addresses it is found in are followed. Empty for none.
        deny: Regular expression; addresses it is found in are not followed. Empty for none.
        languages: Codes of the languages wanted; empty for all.
        since: First day, month or year wanted; empty for none.
        until: Last day, month or year wanted; empty for none.
        arguments: Further arguments of the spider ``site`` by name, such as ``max_pages``.
        method: Name of the text method; empty for the default.
        incremental: Whether only new and changed articles leave, in numbered parts.
        output_format: Name of the feed format of what leaves.
        settings: Further settings of the crawl by name, JSON values.
        time_limit: Seconds after which a crawl is ended; None for no limit.
        memory_limit: Bytes after which a crawl is ended; None for no limit.
        cron: When the site is due, as five fields of cron; empty where it is never due by itself.
        time_zone: IANA name of the zone in which ``cron`` is read.
        jitter: Most seconds by which a planned time is put off; each site has its own share of it.
    """

    id: str
    addresses: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    allow: str = ""
    deny: str = ""
    languages: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    arguments: Mapping[str, bool | int | float] = field(default_factory=dict)
    method: str = ""
    incremental: bool = True
    output_format: str = "jsonl"
    settings: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float | None = None
    memory_limit: int | None = None
    cron: str = ""
    time_zone: str = "UTC"
    jitter: float = 0

    def as_json(self) -> dict[str, Any]:
        """Return what the crawl of the site has to know, as JSON values.

        Keys are the names of ``harvest.toml``: ``sources`` is ``from``, and the members of
        ``arguments`` stand beside the others.
        """
        return {
            "id": self.id,
            "addresses": list(self.addresses),
            "feeds": list(self.feeds),
            "sitemaps": list(self.sitemaps),
            "from": list(self.sources),
            "allow": self.allow,
            "deny": self.deny,
            "languages": list(self.languages),
            "since": self.since,
            "until": self.until,
            **self.arguments,
            "method": self.method,
            "incremental": self.incremental,
            "output_format": self.output_format,
            "settings": dict(self.settings),
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return the site that :meth:`as_json` gave; when it is due is not told there."""
        given = dict(values)
        known = {one.name for one in fields(cls)} - {"arguments", "sources"}
        own: dict[str, Any] = {name: given.pop(name) for name in tuple(given) if name in known}
        for name in ("addresses", "feeds", "sitemaps", "languages"):
            own[name] = tuple(own[name])
        return cls(**own, sources=tuple(given.pop("from")), arguments=given)

    def spider_arguments(self) -> dict[str, str]:
        """Return the arguments of the spider ``site``, as a command line gives them."""
        starts = (*self.addresses, *self.feeds, *self.sitemaps)
        given = {
            "url": " ".join(starts),
            "from": ",".join(self.sources),
            "allow": self.allow,
            "deny": self.deny,
            "lang": ",".join(self.languages),
            "since": self.since,
            "until": self.until,
            **{name: str(value) for name, value in self.arguments.items()},
        }
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class Alerts:
    """Who is told of trouble, and what counts as trouble.

    Attributes:
        command: Program and arguments; gets the alert as JSON on standard input. Empty for none.
        webhook: Web address to which the alert is sent as JSON by POST. Empty for none.
        time_limit: Seconds either of them may take.
        zero_items: Whether a run without any item is told of, where runs had some until then.
        fall: A run with less than this share of the average items of earlier runs is told of;
            0 for never.
        runs: How many earlier runs the average is over.
        error_rate: A run with more errors than this share of its pages and errors is told of;
            1 for never.
        missed: Whether runs that were missed are told of.
        failed: Whether runs that did not end well are told of.
    """

    command: tuple[str, ...] = ()
    webhook: str = ""
    time_limit: float = 10
    zero_items: bool = True
    fall: float = 0
    runs: int = 5
    error_rate: float = 1
    missed: bool = True
    failed: bool = True

    @property
    def wanted(self) -> bool:
        """Whether anybody is told."""
        return bool(self.command or self.webhook)


@dataclass(frozen=True, slots=True)
class Plan:
    """A harvest.

    Attributes:
        path: The file the plan was read from.
        output: Folder (an absolute path) or fsspec URL where outputs, ledgers, counts and the
            history lie.
        sites: In the order of the file.
        alerts: Who is told of trouble.
    """

    path: Path
    output: str
    sites: tuple[SitePlan, ...]
    alerts: Alerts = field(default_factory=Alerts)
