"""The plan of a harvest, ``harvest.toml``: its sites, when each is due, its limits, its alerts.

:func:`read_plan` reads the file and checks all of it. Every mistake is told at once, each with its
place as a dotted key, where sites are counted from 0: ``site[2].cron``.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

from scrapy.settings import default_settings

from crawler.core.errors import CorpusError, OptionError, one_line
from crawler.core.methods.registry import method_names
from crawler.core.wording import did_you_mean, nearest, read_bytes, read_seconds
from crawler.discovery.addresses import complete_address
from crawler.fields import (
    REQUIRED,
    HintError,
    ValueType,
    declare,
    fields_of,
    number,
    read_fields,
    read_text,
    whole_number,
)
from crawler.harvest.schedule import CRON_NAMES, read_cron, read_zone
from crawler.settings import OPTIONS, PREFIX, Options
from crawler.spiders.arguments import SiteArguments
from crawler.store.files import file_name

_LONGEST_ID: Final = 60
_SETTING: Final = re.compile(r"[A-Z][A-Z0-9_]*")
# As close as this, an unknown setting is a slip; others are settings of extensions.
_SLIP: Final = 0.85
_SPIDER: Final = fields_of(SiteArguments)
_TOP_KEYS: Final = ("output", "defaults", "site", "alerts")
_STARTS: Final = ("addresses", "feeds", "sitemaps")
# What a harvest sets itself, and the key that says it.
_OWN_SETTINGS: Final = {
    "CORPUS_DIR": "'output'",
    "CORPUS_OUTPUT": "'output'",
    "CORPUS_INCREMENTAL": "'incremental'",
    "CORPUS_OUTPUT_FORMAT": "'output_format'",
    "CORPUS_TEXT_METHOD": "'method'",
    "FEEDS": "'output' and 'output_format'",
    "CLOSESPIDER_TIMEOUT": "'time_limit'",
    "MEMUSAGE_LIMIT_MB": "'memory_limit'",
    **dict.fromkeys(
        ("CORPUS_PROGRESS", "CORPUS_CRAWL_REPORT", "CORPUS_END_WITH_STDIN", "JOBDIR", "LOG_FILE"),
        "the harvest itself",
    ),
}


class PlanError(CorpusError):
    """A plan cannot be used; ``lines`` has one for each mistake: file, place, what to do."""

    exit_code = 2

    def __init__(self, path: Path, mistakes: Iterable[str]) -> None:
        # Values, and the name of the file, may hold what a terminal would act upon.
        self.lines = tuple(one_line(f"{path}: {mistake}") for mistake in mistakes)
        super().__init__("\n".join(self.lines))


def _read_id(value: object) -> str:
    text = read_text(value)
    # A name that is changed by being made a file's is none.
    if not text.isascii() or file_name(text.casefold()) != text.casefold():
        raise ValueError
    if len(text) > _LONGEST_ID:
        raise ValueError
    return text


def _read_addresses(value: object) -> tuple[str, ...]:
    found = []
    for text in value if isinstance(value, list) else [value]:
        address = complete_address(text) if isinstance(text, str) else None
        if address is None:
            raise ValueError
        found.append(address)
    return tuple(dict.fromkeys(found))


def _read_method(value: object) -> str:
    name = read_text(value)
    # Methods of others are imported where the site is crawled.
    if ":" not in name and name not in method_names():
        near = nearest(name, method_names())
        raise HintError(f"did you mean '{near}'?") if near else ValueError
    return name


def _within(
    read: Callable[[object], Any], accepts: str, least: float = 0, most: float = math.inf
) -> ValueType:
    """Accept what a function reads, where it is between two limits, both inclusive."""

    def read_within(value: object) -> object:
        if not least <= (number := read(value)) <= most:
            raise ValueError
        return number

    return ValueType(read_within, accepts)


def _read_command(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise TypeError
    if not value[0].strip() or any("\0" in one for one in value):
        raise ValueError
    return tuple(value)


_SPAN: Final = "seconds, or text such as '90s', '20m', '1h 30m'"
_ID: Final = ValueType(
    _read_id, f"up to {_LONGEST_ID} of the letters a to z, digits, '-', '_' and '.'"
)
_ADDRESSES: Final = ValueType(_read_addresses, "web addresses such as ['https://blog.example/']")
_METHOD: Final = ValueType(_read_method, f"one of {', '.join(method_names())}, or module:name")
_CRON: Final = ValueType(
    lambda value: read_cron(read_text(value)),
    "five fields: minute, hour, day of month, month, day of week, such as '30 5 * * *'; or one of "
    + ", ".join(CRON_NAMES),
)
_ZONE: Final = ValueType(
    lambda value: read_zone(read_text(value)), "the name of a time zone such as 'Asia/Seoul'"
)
_JITTER: Final = _within(read_seconds, f"{_SPAN}, at most a week", most=7 * 86400)
_LIMIT: Final = _within(read_seconds, f"{_SPAN}, at least 1 second", least=1)
_MEMORY: Final = _within(read_bytes, "bytes, or text such as '2 GB', at least '64 MB'", 64_000_000)
_COMMAND: Final = ValueType(_read_command, "a program and its arguments, ['mail', '-s', 'alert']")


@dataclass(frozen=True, slots=True)
class SitePlan:
    """One site of a harvest, with the defaults of its plan. Each field is a key of ``[[site]]``.

    ``arguments`` are further arguments of the spider ``site``, such as ``max_pages``, by attributes
    of its :class:`SiteArguments`; they are keys of their own in a plan. ``settings`` are further
    settings of the crawl, JSON values.
    """

    id: str = declare(REQUIRED, "names the site in commands, in the history and in file names", _ID)
    addresses: tuple[str, ...] = declare((), "where a crawl begins", _ADDRESSES)
    feeds: tuple[str, ...] = declare((), "feeds to read besides", _ADDRESSES)
    sitemaps: tuple[str, ...] = declare((), "sitemaps to read besides", _ADDRESSES)
    cron: str = declare("", "when the site is due; empty for never by itself", _CRON)
    time_zone: str = declare("UTC", "IANA name of the zone in which cron is read", _ZONE)
    jitter: float = declare(0.0, "most seconds by which a planned time is put off", _JITTER)
    time_limit: float | None = declare(None, "seconds after which a crawl is ended", _LIMIT)
    memory_limit: int | None = declare(None, "bytes beyond which a crawl is ended", _MEMORY)
    method: str = declare("", "name of the text method; empty for the default", _METHOD)
    incremental: bool = declare(True, "export only new and changed articles, in numbered parts")
    output_format: str = declare(
        "jsonl", "format of the output", fields_of(Options)["output_format"].type
    )
    languages: tuple[str, ...] = declare((), "languages wanted", _SPIDER["lang"].type)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def spider_arguments(self) -> dict[str, str]:
        """Return the arguments of the spider ``site``, as a command line gives them."""
        given = {
            "url": " ".join((*self.addresses, *self.feeds, *self.sitemaps)),
            "lang": self.languages,
            **{name.removesuffix("_"): value for name, value in self.arguments.items()},
        }
        texts = {name: getattr(value, "pattern", value) for name, value in given.items()}
        return {
            name: ",".join(value) if isinstance(value, tuple) else str(value)
            for name, value in texts.items()
            if value not in (None, "", ())
        }


@dataclass(frozen=True, slots=True)
class Alerts:
    """The command that is called in trouble, and what counts as trouble: the table ``[alerts]``."""

    command: tuple[str, ...] = declare((), "gets the alert as JSON on standard input", _COMMAND)
    time_limit: float = declare(10.0, "seconds that the command may take", _LIMIT)
    zero_items: bool = declare(True, "a run without any item, where runs had some until then")
    fall: float = declare(0.0, "a run with less than this share of the average", number(0, 1))
    runs: int = declare(5, "over how many earlier runs the average is", whole_number(1))
    error_rate: float = declare(1.0, "a run with more errors than this share", number(0, 1))
    missed: bool = declare(True, "runs that were missed")
    failed: bool = declare(True, "runs that did not end well")


@dataclass(frozen=True, slots=True)
class Plan:
    """A harvest: the file it was read from, its sites in their order, what is done in trouble.

    ``output`` is the folder (an absolute path) or fsspec URL where all that is kept lies.
    """

    path: Path
    output: str
    sites: tuple[SitePlan, ...]
    alerts: Alerts = field(default_factory=Alerts)


_SITE: Final = fields_of(SitePlan)
# Arguments of the spider that are keys of a plan under their own names.
_ARGUMENTS: Final = {
    name: one for name, one in _SPIDER.items() if name not in {*_SITE, "url", "lang"}
}
_SITE_KEYS: Final = (*_SITE, *_ARGUMENTS, "settings")
_DEFAULT_KEYS: Final = tuple(key for key in _SITE_KEYS if key not in {"id", *_STARTS})


def read_plan(path: Path) -> Plan:
    """Read a plan.

    Raises:
        PlanError: it is not there, is no TOML, or says something that cannot be. The message names
            every mistake.
    """
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise PlanError(path, [f"cannot be read: {error.strerror or error}"]) from None
    except (ValueError, RecursionError) as error:
        raise PlanError(path, [f"is no TOML in UTF-8: {error}"]) from None
    mistakes: list[str] = []
    top = _table(mistakes, "", document, _TOP_KEYS)
    output = top.get("output")
    if not isinstance(output, str) or not output.strip() or "\0" in output:
        what = f"is {output!r}. It accepts" if "output" in top else "is missing; give"
        mistakes.append(f"output {what} a folder such as 'harvest', or a URL such as 's3://b/news'")
        output = ""
    if "://" not in output:
        output = str((path.parent / output.strip()).resolve())
    sites = _sites(mistakes, top)
    given = _table(mistakes, "alerts", top.get("alerts", {}), tuple(fields_of(Alerts)))
    if top.get("alerts") and "command" not in given:
        mistakes.append("alerts.command is missing; give the command that is called")
    alerts = Alerts(**_values(mistakes, "alerts", Alerts, given))
    if mistakes:
        raise PlanError(path, mistakes)
    return Plan(path, output, sites, alerts)


def _sites(mistakes: list[str], top: Mapping[str, Any]) -> tuple[SitePlan, ...]:
    """Read the sites; note every mistake with its place, here and in the functions below."""
    defaults = _site(mistakes, "defaults", top.get("defaults", {}), _DEFAULT_KEYS)
    tables = top.get("site", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        mistakes.append("site is no array of tables; write [[site]], in two brackets")
        tables = []
    elif not tables:
        mistakes.append("there is no site; add a table [[site]]: 'id' and 'addresses'")
    sites: dict[str, SitePlan] = {}
    for index, table in enumerate(tables):
        place = f"site[{index}]"
        own = _site(mistakes, place, table, _SITE_KEYS)
        if "id" not in table:
            words = "a short name for files and commands, such as 'blog'"
            mistakes.append(f"{place}.id is missing; give {words}")
        if not any(table.get(key) for key in _STARTS):
            words = "where a crawl begins: ['https://blog.example/']"
            mistakes.append(f"{place}.addresses is missing; give {words}")
        both = {name: {**defaults[name], **own[name]} for name in ("arguments", "settings")}
        site = SitePlan(**{"id": "", **defaults, **own, **both})
        since, until = (str(site.arguments.get(name) or "") for name in ("since", "until"))
        if until and since[: len(until)] > until:
            mistakes.append(f"{place}.since is later than until; exchange them")
        # Many file systems take letters large and small for the same.
        if site.id and sites.setdefault(site.id.casefold(), site) is not site:
            mistakes.append(f"{place}.id is {site.id!r}, as of another site before")
    return tuple(sites.values())


def _site(mistakes: list[str], place: str, table: object, keys: tuple[str, ...]) -> dict[str, Any]:
    """Read the keys of a site or of the defaults, as far as they are given and right."""
    # TOML has days of its own, and the spider's arguments are texts.
    known = {
        name: value.isoformat() if type(value) is date else value
        for name, value in _table(mistakes, place, table, keys).items()
    }
    given = {name: value for name, value in known.items() if name in _SITE}
    arguments = {name: value for name, value in known.items() if name in _ARGUMENTS}
    settings = _table(mistakes, f"{place}.settings", known.get("settings", {}))
    values = _values(mistakes, place, SitePlan, given)
    values["arguments"] = _values(mistakes, place, SiteArguments, arguments)
    for name, value in settings.items():
        if flaw := _flaw_of_setting(name, value):
            mistakes.append(f"{place}.settings.{name}: {flaw}")
    return {**values, "settings": settings}


def _table(
    mistakes: list[str], place: str, table: object, keys: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Return the entries of a table whose keys are known, all where ``keys`` is None."""
    if not isinstance(table, dict):
        mistakes.append(f"{place} is no table; make it a table [{place.rpartition('.')[2]}]")
        return {}
    if keys is None:
        return table
    for key in table:
        if key in keys:
            continue
        hint = did_you_mean(key, keys)
        if not hint and key in _SITE_KEYS:
            hint = "; it belongs into [[site]]"
        where = f"{place}.{key}" if place else key
        mistakes.append(f"{where} is no key{hint or '; ' + ', '.join(keys)}")
    return {key: value for key, value in table.items() if key in keys}


def _values(
    mistakes: list[str], place: str, cls: type[Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    values, flaws = read_fields(cls, given)
    mistakes += [f"{place}.{flaw}" for flaw in flaws]
    return values


def _flaw_of_setting(name: str, value: object) -> str:
    """Say what is wrong with a setting, or nothing: the empty text."""
    flaw = ""
    # A crawl gets a table as JSON, and a list with commas between.
    parts = value if isinstance(value, list) else []
    try:
        json.dumps(value, allow_nan=False)
        if name.startswith(PREFIX):
            Options.from_settings({name: value})
    except OptionError as error:
        flaw = str(error)
    except (TypeError, ValueError):
        flaw = "give a text, a number, true, false, a list or a table"
    if name in _OWN_SETTINGS:
        flaw = f"it is set by {_OWN_SETTINGS[name]}; leave it out"
    elif not name.startswith(PREFIX) and name not in _scrapy_settings():
        # An unknown name may be an extension's setting; one that is nearly known is a slip.
        known = (*_scrapy_settings(), *(one.name for one in OPTIONS))
        if near := nearest(name, known, cutoff=_SLIP):
            flaw = f"there is no such setting; did you mean {near}?"
        elif not _SETTING.fullmatch(name):
            flaw = "there is no such setting; settings have names such as DOWNLOAD_DELAY"
    if not flaw and any(isinstance(one, list | dict) or "," in str(one) for one in parts):
        flaw = "give a list of texts or numbers without commas"
    return flaw


@cache
def _scrapy_settings() -> frozenset[str]:
    return frozenset(name for name in dir(default_settings) if _SETTING.fullmatch(name))
