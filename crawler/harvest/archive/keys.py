"""Names of results, made of all that these depend on."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from xxhash import xxh3_64_hexdigest

if TYPE_CHECKING:
    from crawler.settings import Options

__all__ = ["files_named", "key_of", "settings_of"]

_FORMAT: Final = 2


def key_of(*parts: object) -> str:
    """Return a name for JSON values, and for the version that makes something of them."""
    return xxh3_64_hexdigest(json.dumps([_FORMAT, _release(), *parts], sort_keys=True).encode())


@cache
def _release() -> str:
    try:
        return version("scrapy-corpus")
    except PackageNotFoundError:
        return ""


def settings_of(options: Options, *, observing: bool = False) -> dict[str, Any]:
    """Return, as JSON values, the settings that decide what a page's item says.

    Args:
        options: the settings.
        observing: return those alone that decide what a page tells.
    """
    return options.values("observations", *(() if observing else ("items",)))


def files_named(options: Options) -> dict[str, list[int]]:
    """Return the state of the files that settings name: size, and time of the last change."""
    values = settings_of(options).values()
    paths = (Path(value) for value in values if value and isinstance(value, str))
    found = {}
    for path in paths:
        with suppress(OSError, ValueError):
            if path.is_file():
                state = path.stat()
                found[str(path)] = [state.st_size, state.st_mtime_ns]
    return found
