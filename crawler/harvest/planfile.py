"""``harvest.toml``: read, checked as a whole, and made a :class:`~crawler.harvest.plan.Plan`.

All mistakes of a plan are told at once, each with its line, the site, the key and what to write
instead.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final

from crawler.harvest.plan import Mistake, Plan, PlanError
from crawler.harvest.plantables import Table, shown
from crawler.harvest.planvalues import (
    ALERT_KEYS,
    DEFAULT_KEYS,
    OTHER_NAMES,
    SITE_KEYS,
    read_alerts,
    read_site,
)
from crawler.harvest.tomlplaces import toml_places

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.harvest.plan import SitePlan

__all__ = ["read_plan"]

_TOP_KEYS: Final = ("output", "defaults", "site", "alerts")
_LINE_OF_ERROR: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")
_MOST_BYTES: Final = 10_000_000
_OTHER_TABLES: Final = {
    "sites": "did you mean [[site]]?",
    "default": "did you mean [defaults]?",
    "alert": "did you mean [alerts]?",
}


def read_plan(path: Path) -> Plan:
    """Read a plan.

    Raises:
        PlanError: it is not there, is no TOML, or says something that cannot be. The message names
            every mistake.
    """
    text = _read_file(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(str(path), [_broken(str(error))]) from None
    except (RecursionError, ValueError) as error:
        # Numbers too long for Python are a ValueError of its own.
        words = "lists are nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise PlanError(str(path), [Mistake(0, f"is no plan: {words}")]) from None
    mistakes: list[Mistake] = []
    top = Table(document, (), "", toml_places(text), mistakes)
    plan = _make(top, path)
    if plan is None or mistakes:
        raise PlanError(str(path), mistakes)
    return plan


def _read_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        words = "there is no such file; name the plan, or write one (docs/harvests.md)"
        raise PlanError(str(path), [Mistake(0, words)]) from None
    except IsADirectoryError:
        words = f"is a folder; name the plan itself, such as {path / 'harvest.toml'}"
        raise PlanError(str(path), [Mistake(0, words)]) from None
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise PlanError(str(path), [Mistake(0, f"cannot be read: {words}")]) from None
    if len(content) > _MOST_BYTES:
        words = f"has more than {_MOST_BYTES:,} bytes; split it into several plans"
        raise PlanError(str(path), [Mistake(0, words)])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlanError(str(path), [Mistake(line, "is not UTF-8; save it as UTF-8")]) from None


def _broken(message: str) -> Mistake:
    """Turn the error of Python's reader into one of ours."""
    if match := _LINE_OF_ERROR.search(message):
        words = message[: match.start()]
        return Mistake(int(match[1]), f"column {match[2]}: is no TOML: {words}")
    return Mistake(0, f"is no TOML: {message}")


def _make(top: Table, path: Path) -> Plan | None:
    """Make the plan; None where anything is wrong."""
    elsewhere = dict.fromkeys(SITE_KEYS, "it belongs into [[site]]")
    elsewhere |= dict.fromkeys(DEFAULT_KEYS, "it belongs into [[site]] or [defaults]")
    elsewhere |= dict.fromkeys(("command", "webhook"), "it belongs into [alerts]")
    top.refuse_unknown(_TOP_KEYS, {**_OTHER_TABLES, **elsewhere})
    output = top.read("output", _output, "")
    if "output" not in top.values:
        top.wrong("'output' is missing; give a folder for what is harvested, or its URL")
    sites = _sites(top, top.table("defaults"))
    alerts_table = top.table("alerts")
    if alerts_table is not None:
        alerts_table.refuse_unknown(ALERT_KEYS, {})
    alerts = read_alerts(alerts_table)
    if top.mistakes:
        return None
    if "://" not in output:
        output = str((path.parent / output).resolve())
    return Plan(path, output, tuple(sites), alerts)


def _output(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError(
            "is no folder; give one, such as 'harvest', or a URL such as 's3://bucket/'"
        )
    return value.strip()


def _sites(top: Table, defaults: Table | None) -> list[SitePlan]:
    if defaults is not None:
        elsewhere = dict.fromkeys(SITE_KEYS, "it belongs into [[site]]")
        defaults.refuse_unknown(DEFAULT_KEYS, {**elsewhere, **OTHER_NAMES})
        # Checked also where no site takes a value of it; the mistakes of no site are nobody's.
        read_site(Table({}), defaults)
    tables = top.tables("site")
    if tables is None:
        return []
    if not tables:
        top.wrong("has no site; add a table [[site]] with 'id' and 'addresses'")
    sites: list[SitePlan] = []
    lines: dict[str, int] = {}
    for table in tables:
        site = read_site(table, defaults)
        table.refuse_unknown(SITE_KEYS, OTHER_NAMES)
        # Many file systems take letters large and small for the same.
        name = site.id.casefold()
        if name in lines:
            table.wrong(f"id {shown(site.id)} stands in line {lines[name]} already", "id")
        elif name:
            lines[name] = table.line("id")
        sites.append(site)
    return sites
