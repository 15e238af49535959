"""The settings that a plan gives to the crawls of a site."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from scrapy.settings import BaseSettings, default_settings

from crawler.core.errors import OptionError
from crawler.harvest.plantables import kind_of, nearest, shown
from crawler.settings import OPTIONS, PREFIX, Options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.harvest.plantables import Table

__all__ = ["read_settings"]

_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]*")
# What a harvest sets itself, and the key that says it.
_OWN: Final = {
    "CORPUS_DIR": "'output'",
    "CORPUS_OUTPUT": "'output'",
    "CORPUS_INCREMENTAL": "'incremental'",
    "CORPUS_OUTPUT_FORMAT": "'output_format'",
    "CORPUS_TEXT_METHOD": "'method'",
    "CORPUS_PROGRESS": "the harvest itself",
    "JOBDIR": "the harvest itself",
    "LOG_FILE": "the harvest itself",
    "FEEDS": "'output' and 'output_format'",
    "CLOSESPIDER_TIMEOUT": "'time_limit'",
    "MEMUSAGE_LIMIT_MB": "'memory_limit'",
}
# As close as this, an unknown name is a slip; others are settings of extensions.
_SLIP: Final = 0.85


def read_settings(table: Table | None) -> Mapping[str, Any]:
    """Return the settings of a table's ``settings``; each that is wrong is noted and left out."""
    settings = None if table is None else table.table("settings")
    if settings is None:
        return {}
    found = {}
    for name, value in settings.values.items():
        try:
            _check(name, value)
        except ValueError as error:
            settings.wrong(str(error), name)
        else:
            found[name] = value
    return found


def _check(name: str, value: object) -> None:
    if name in _OWN:
        raise ValueError(f"{name} is set by {_OWN[name]}; leave it out")
    if name.startswith(PREFIX):
        try:
            Options.from_settings(BaseSettings({name: value}))
        except OptionError as error:
            raise ValueError(str(error)) from None
    elif name not in _scrapy_names():
        # An unknown name may be an extension's setting; one that is nearly known is a slip.
        near = nearest(name, (*_scrapy_names(), *(one.name for one in OPTIONS)), cutoff=_SLIP)
        if near:
            raise ValueError(f"unknown setting {shown(name)}; did you mean '{near}'?")
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"unknown setting {shown(name)}; settings have names such as DOWNLOAD_DELAY"
            )
    if not _is_json(value):
        raise ValueError(
            f"{name} is {kind_of(value)}; give a text, a number, true, false or a list"
        )


@cache
def _scrapy_names() -> frozenset[str]:
    return frozenset(name for name in dir(default_settings) if _NAME.fullmatch(name))


def _is_json(value: object) -> bool:
    """Tell whether a value can be sent to the process that crawls."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif not isinstance(one, str | int | float) or (
            isinstance(one, float) and not math.isfinite(one)
        ):
            return False
    return True
