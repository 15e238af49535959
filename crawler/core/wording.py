"""Durations, sizes, plurals, near names, text of a given width: one way to read and write each.

Messages, tables and logs of the whole project use these functions and no others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Final

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_BYTES: Final = {
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", 1)},
}
_SPAN: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([smhdw])(?: |$|(?=\d))")
_SIZE: Final = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([a-z]{1,3})")
_LONGEST: Final = 3660 * 86400.0
# Characters on which terminals act: C0 but for tab and line feed, delete, C1. Those that show text
# in another order than it has: the overrides and isolates of UAX #9. Or a whole code of a colour.
_ACTED_ON: Final = re.compile(
    "\x1b\\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
_CREDENTIALS: Final = re.compile(r"(?<=://)[^\s/@?#]{1,500}@")
# Names that are compared are cut: the comparison takes quadratic time.
_COMPARED: Final = 100


def harmless(text: str, *, colours: bool = False) -> str:
    """Return text that does nothing to a terminal: such characters become backslash escapes.

    Args:
        text: any text, of pages and servers too.
        colours: whether codes of colours stay, as in what the project itself has coloured.
    """
    return _ACTED_ON.sub(
        lambda found: found[0] if colours and len(found[0]) > 1 else ascii(found[0])[1:-1],
        text,
    )


def without_secrets(text: str) -> str:
    """Return text with the credentials in its addresses left out."""
    return _CREDENTIALS.sub("…@", text) if "@" in text else text


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
    parts = ((days, "d"), (hours_left, "h"), (minutes_left, "min"), (rest, "s"))
    first = next(place for place, (number, _) in enumerate(parts) if number)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number)


def counted(number: int, word: str) -> str:
    """Write a number of things: ``1 site``, ``1,200 sites``."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def listed(names: Collection[str], most: int = 8) -> str:
    """Write names with commas between; of more than ``most`` names, how many are left out."""
    shown = list(names)[:most]
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shown) + more


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known name that a wrong one is most like, None where none is near.

    Upper and lower case, hyphens and underscores count as the same.

    Args:
        name: the wrong name.
        known: the right names.
        cutoff: the least likeness, 0 to 1, as :func:`difflib.get_close_matches` has it.
    """
    folded = {_folded(one): one for one in known}
    near = get_close_matches(_folded(name[:_COMPARED]), folded, n=1, cutoff=cutoff)
    return folded[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Return `` (did you mean 'NAME'?)`` with the nearest known name; empty where none is near.

    The arguments are those of :func:`nearest`.
    """
    near = nearest(name, known, cutoff=cutoff)
    return f" (did you mean '{near}'?)" if near else ""


def fit_width(text: str, width: int) -> str:
    """Put ``text`` on one line of at most ``width`` terminal columns.

    East Asian wide letters take two columns, combining marks none. Control and format characters
    are left out: the text may come from any page, and a terminal would act on them.
    """
    line = "".join(char for char in " ".join(text.split()) if char.isprintable())
    if width_of(line) <= width:
        return line
    used, end = 1, 0
    for char in line:
        used += _columns(char)
        if used > width:
            break
        end += 1
    return line[:end].rstrip() + "…"


def pad_width(text: str, width: int) -> str:
    """Fill ``text`` with spaces to ``width`` terminal columns."""
    return text + " " * (width - width_of(text))


def width_of(text: str) -> int:
    """Return how many terminal columns a text takes."""
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")


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
