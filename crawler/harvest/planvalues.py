"""What each key of a plan may be: the sites, their defaults, and the alerts."""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from crawler.core.methods import method_names
from crawler.core.wording import read_bytes, read_seconds
from crawler.discovery.addresses import complete_address
from crawler.fields import fields_of
from crawler.harvest.plan import Alerts, SitePlan
from crawler.harvest.plansettings import read_settings
from crawler.harvest.plantables import Table, kind_of, nearest, shown
from crawler.harvest.schedule import cron_mistake, zone_mistake
from crawler.settings import Options
from crawler.spiders.arguments import SiteArguments
from crawler.store.files import file_name

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ALERT_KEYS", "DEFAULT_KEYS", "OTHER_NAMES", "SITE_KEYS", "read_alerts", "read_site"]

_T = TypeVar("_T")
_NAMED_ELSEWHERE: Final = {"url", "from_", "allow", "deny", "lang", "since", "until"}
# Arguments of the spider that stand in a plan under their own names, with their defaults.
_SPIDER_ARGUMENTS: Final = fields_of(SiteArguments)
_ARGUMENTS: Final[dict[str, Any]] = {
    one.attribute: one.default
    for one in _SPIDER_ARGUMENTS.values()
    if one.attribute not in _NAMED_ELSEWHERE
}
_PLACES: Final = ("addresses", "feeds", "sitemaps")
DEFAULT_KEYS: Final = (
    "cron", "time_zone", "jitter", "time_limit", "memory_limit", "method", "incremental",
    "output_format", "from", "allow", "deny", "languages", "since", "until", *_ARGUMENTS,
    "settings",
)  # fmt: skip
"""The keys of ``[defaults]``."""
SITE_KEYS: Final = ("id", *_PLACES, *DEFAULT_KEYS)
"""The keys of a ``[[site]]``."""
ALERT_KEYS: Final = tuple(one.name for one in fields(Alerts))
"""The keys of ``[alerts]``."""
OTHER_NAMES: Final = {
    other: f"did you mean '{name}'?"
    for name, others in {
        "id": ("name", "key"),
        "addresses": ("url", "urls", "start_urls", "address"),
        "feeds": ("rss",),
        "languages": ("lang", "language"),
        "cron": ("schedule", "when"),
        "time_zone": ("tz", "zone", "timezone"),
        "time_limit": ("timeout", "seconds"),
        "memory_limit": ("memory", "ram"),
        "output_format": ("format", "outputs"),
        "max_pages": ("limit", "pages"),
    }.items()
    for other in others
}
"""Names that other programs have for a key, and what is to be said of them."""

_LONGEST_ID: Final = 60
_LEAST_MEMORY: Final = 64_000_000
_MOST_JITTER: Final = 7 * 86400.0
_MOST_RUNS: Final = 1000


def read_site(site: Table, defaults: Table | None) -> SitePlan:
    """Make a site of its table and the defaults; what is wrong is noted there."""
    name = _read_id(site)
    places = {key: site.read_all(key, _address) for key in _PLACES}
    if not any(key in site.values for key in _PLACES):
        site.wrong("'addresses' is missing; give where a crawl begins: ['https://blog.example/']")
    elif not any(site.values.get(key) for key in _PLACES):
        site.wrong("has no address to begin from; fill 'addresses'", "addresses")

    def read(key: str, reader: Callable[[Any], _T], default: _T) -> _T:
        return _owner(site, defaults, key).read(key, reader, default)

    def read_all(key: str, reader: Callable[[Any], _T]) -> tuple[_T, ...]:
        return _owner(site, defaults, key).read_all(key, reader)

    since, until = read("since", _date("since"), ""), read("until", _date("until"), "")
    if since and until and since[: len(until)] > until:
        owner = _owner(site, defaults, "since")
        owner.wrong(f"since = {since} is later than until = {until}; exchange them", "since")
    return SitePlan(
        id=name,
        **places,
        sources=read_all("from", _word("from")),
        allow=read("allow", _text_argument("allow"), ""),
        deny=read("deny", _text_argument("deny"), ""),
        languages=read_all("languages", _word("lang")),
        since=since,
        until=until,
        arguments={
            key: read(key, _argument(key), default)
            for key, default in _ARGUMENTS.items()
            if key in _owner(site, defaults, key).values
        },
        method=read("method", _method, ""),
        incremental=read("incremental", _flag, True),  # noqa: FBT003 - the default is the last argument of all
        output_format=read("output_format", _output_format, "jsonl"),
        settings={**read_settings(defaults), **read_settings(site)},
        time_limit=read("time_limit", _positive_seconds, None),
        memory_limit=read("memory_limit", _memory, None),
        cron=read("cron", _checked(cron_mistake), ""),
        time_zone=read("time_zone", _checked(zone_mistake), "UTC"),
        jitter=read("jitter", _jitter, 0.0),
    )


def read_alerts(table: Table | None) -> Alerts:
    """Make the alerts of their table; what is wrong is noted there."""
    if table is None:
        return Alerts()
    usual = Alerts()
    alerts = Alerts(
        command=table.read("command", _command, ()),
        webhook=table.read("webhook", _webhook, ""),
        time_limit=table.read("time_limit", _positive_seconds, None) or usual.time_limit,
        zero_items=table.read("zero_items", _flag, usual.zero_items),
        fall=table.read("fall", _share, usual.fall),
        runs=table.read("runs", _runs, usual.runs),
        error_rate=table.read("error_rate", _share, usual.error_rate),
        missed=table.read("missed", _flag, usual.missed),
        failed=table.read("failed", _flag, usual.failed),
    )
    if "command" not in table.values and "webhook" not in table.values:
        table.wrong("nobody is told; give a 'command' or a 'webhook'")
    return alerts


def _owner(site: Table, defaults: Table | None, key: str) -> Table:
    """Return the table that says what holds for a site."""
    return site if defaults is None or key in site.values else defaults


def _read_id(site: Table) -> str:
    if "id" not in site.values:
        site.wrong("'id' is missing; give a short name for files and commands, such as 'blog'")
        return ""
    name = site.read("id", _id, "")
    value = site.values["id"]
    if isinstance(value, str) and value.strip():
        site.owner = f"site {shown(value)}"
    return name


def _id(value: object) -> str:
    text = _text(value)
    if len(text) > _LONGEST_ID:
        raise ValueError(f"is longer than {_LONGEST_ID} letters; give a short name")
    # A name that is changed by being made a file's is none.
    if file_name(text.casefold()) != text.casefold() or not text.isascii():
        proposed = re.sub(r"[^a-z0-9._-]+", "-", text.casefold()).strip(".-") or "blog"
        raise ValueError(
            "names no file; use the letters a to z, digits, '-', '_' and '.', such as "
            f"'{proposed if file_name(proposed) == proposed else proposed + '-site'}'"
        )
    return text


def _address(value: object) -> str:
    text = _text(value)
    address = complete_address(text)
    if address is None:
        raise ValueError("is no web address; give one such as 'https://blog.example/'")
    return address


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _kind_mistake(value, "a text, in quotes")
    if not value.strip():
        raise ValueError("is empty; give a text, or leave the key out")
    return value.strip()


def _kind_mistake(value: object, wanted: str) -> ValueError:
    return ValueError(f"is {kind_of(value)}; give {wanted}")


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _kind_mistake(value, "true or false, without quotes")
    return value


def _date(name: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if isinstance(value, date) and not isinstance(value, datetime):
            return value.isoformat()
        return _text_argument(name)(value)

    return read


def _text_argument(name: str) -> Callable[[object], str]:
    """Read text that an argument of the spider understands."""

    def read(value: object) -> str:
        text = _text(value)
        _check_argument(name, text)
        return text

    return read


def _word(name: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        word = _text(value).lower()
        if "," in word:
            raise ValueError("has a comma; give a list of texts")
        _check_argument(name, word)
        return word

    return read


def _argument(name: str) -> Callable[[object], Any]:
    """Read a number or a truth value that an argument of the spider understands."""
    default = _ARGUMENTS[name]

    def read(value: object) -> object:
        if isinstance(default, bool):
            return _flag(value)
        kinds = (int, float) if isinstance(default, float) else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise _kind_mistake(value, f"{kind_of(default)}, without quotes")
        _check_argument(name, value)
        return value

    return read


def _method(value: object) -> str:
    name = _text(value)
    # Methods of others are imported where the site is crawled.
    if ":" in name or name in method_names():
        return name
    near = nearest(name, method_names())
    known = f"did you mean '{near}'?" if near else f"there are {', '.join(method_names())}"
    raise ValueError(f"is no text method; {known}")


def _output_format(value: object) -> str:
    try:
        found: str = fields_of(Options)["output_format"].type.parse(value)
    except ValueError as error:
        raise ValueError(f"is not accepted; give {error}") from None
    return found


def _check_argument(name: str, value: object) -> None:
    """Refuse what an argument of the spider does not accept."""
    try:
        _SPIDER_ARGUMENTS[name].type.parse(value)
    except ValueError as error:
        raise ValueError(f"is not accepted; give {error}") from None


def _checked(mistake: Callable[[str], str]) -> Callable[[object], str]:
    def read(value: object) -> str:
        text = _text(value)
        if words := mistake(text):
            raise ValueError(words)
        return text

    return read


def _positive_seconds(value: object) -> float | None:
    seconds = read_seconds(value)
    if seconds <= 0:
        raise ValueError("is no time at all; give more, or leave the key out")
    return seconds


def _jitter(value: object) -> float:
    seconds = read_seconds(value)
    if seconds > _MOST_JITTER:
        raise ValueError("is more than a week; give less")
    return seconds


def _memory(value: object) -> int | None:
    size = read_bytes(value)
    if size < _LEAST_MEMORY:
        raise ValueError(
            f"is less than any crawl needs; give at least '{_LEAST_MEMORY // 10**6} MB'"
        )
    return size


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("is no share; give a number from 0 to 1")
    return float(value)


def _runs(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_RUNS:
        raise ValueError(f"is no number of runs; give a whole number from 1 to {_MOST_RUNS}")
    return value


def _command(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise ValueError(
            "is no command; give program and arguments, ['mail-alert', '--to', 'desk']"
        )
    if not value[0].strip() or any("\0" in one for one in value):
        raise ValueError("names no program; its name comes first")
    return tuple(value)


def _webhook(value: object) -> str:
    text = _text(value)
    try:
        parts = urlsplit(text)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"} or any(map(str.isspace, text)):
        raise ValueError("is no web address; give one such as 'https://alerts.example/hook'")
    return text
