"""Spans of time and sizes of memory as people write them: ``90``, ``"1h 30m"``, ``"800 MB"``."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

__all__ = ["counted", "read_bytes", "read_seconds", "show_seconds"]

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_BYTES: Final = {
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", 1)},
}
_SPAN: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([smhdw])(?: |$|(?=\d))")
_SIZE: Final = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([a-z]{1,3})")
_LONGEST: Final = timedelta(days=3660).total_seconds()


def read_seconds(value: object) -> float:
    """Read a span of time: seconds as a number, or text such as ``90s``, ``1h 30m``, ``1d``.

    Raises:
        ValueError: it is none, or longer than ten years.
    """
    seconds = _of_text(value) if isinstance(value, str) else _number(value)
    if seconds is None or not 0 <= seconds <= _LONGEST:
        raise ValueError("is no span of time; give seconds, or text such as '90s', '20m', '1h 30m'")
    return seconds


def read_bytes(value: object) -> int:
    """Read a size: bytes as a number, or text such as ``800 MB``, ``2GB``, ``512MiB``.

    Raises:
        ValueError: it is none.
    """
    size = _number(value)
    if isinstance(value, str) and (match := _SIZE.fullmatch(value.strip().lower())):
        unit = _BYTES.get(match[2])
        size = None if unit is None else float(match[1]) * unit
    if size is None or not 0 <= size < 2**63:
        raise ValueError("is no size; give bytes, or text such as '800 MB' or '2 GB'")
    return int(size)


def show_seconds(seconds: float) -> str:
    """Write a span of time in at most two units: ``0.4 s``, ``3 min 5 s``, ``2 h``."""
    if seconds < 1:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    days, hours_left = divmod(hours, 24)
    if days:
        parts = ((days, "d"), (hours_left, "h"))
    elif hours:
        parts = ((hours, "h"), (minutes_left, "min"))
    else:
        parts = ((minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def counted(number: int, word: str) -> str:
    """Write a number of things: ``1 site``, ``1,200 sites``."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _of_text(text: str) -> float | None:
    text = text.strip().lower()
    total, at = 0.0, 0
    while match := _SPAN.match(text, at):
        total += float(match[1]) * _SECONDS[match[2]]
        at = match.end()
    return total if at and at == len(text) else None
