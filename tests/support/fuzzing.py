"""Fuzzing: inputs made of small seeds by chance, the same ones each time, and what becomes of them.

A crash is any exception that a parser does not declare. A hang is more than two seconds of
processor time, at the pace of a machine with nothing beside, for an input of 200 KB at most.
"""

from __future__ import annotations

import hashlib
import random
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from crawler.core.errors import PageTimeError
from crawler.journey.page_time import PageTime
from support.pace import slowness

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES: Final = 200_000
HANG_SECONDS = 2.0
LOADING_SECONDS = 60.0
_MOST_CHANGES: Final = 5
_MOST_TRIALS: Final = 300
_MOST_HANGS: Final = 20
_MANY: Final = 3_000

TOKENS: Final = tuple(
    token.encode("utf-8", "surrogatepass")
    for token in (
        "\u0000", "\f", "\u000b", "\u001b[31m", "\ufffe", "\ufeff", "\ud800", "\u202e", "\u2028",
        "\u00e9", "\ud55c", "\U0001f600", "&#0;", "&#1;", "&#xd800;", "&#x110000;", "&amp;",
        "&", "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "<!DOCTYPE x [",
        "<div>", "<table>", "<td colspan=9>", "<td rowspan=99999>", "<tr>", "<h1>", "<script>",
        "<script type='application/ld+json'>", "</script>", "<template>", "<svg>",
        "<base href='//['>", "<a href='", "<p style='", '"', "'", "\\", "\\u0000", "\\ud800",
        "{", "}", "[", "]", "[[", ":", ",", ";", "=", "#", "%", "%00", "%zz", "http://",
        "https://[", "//", "@", "?", "..", "/../", "xn--", ":99999", "\r\n", "\n\n", "\t", " ",
        "0", "-1", "1e999", "NaN", "99999999999999999999", "2024-02-30", "0000-00-00T25:61:61Z",
        "null", "true", "2^31", "/*", "*/", "%s", "{}", "<loc>", "<url>", "<item>", "Sitemap: ",
        "User-agent: ", "Disallow: ", "WARC/1.0\r\n", "Content-Length: 99999999999\r\n",
        "Content-Length: -1\r\n", "\u001f\u008b\b", "PK\u0003\u0004", "(?:", "(a+)+", "*", "+",
        "|", "<!ELEMENT ",
    )
)  # fmt: skip


class WrongResultError(Exception):
    """A parser gave something that it must never give."""


@dataclass(frozen=True, slots=True)
class Parser:
    """A parser of outside data: what it is fed, and the errors that it declares."""

    name: str
    seeds: tuple[bytes, ...]
    run: Callable[[bytes], object]
    declared: tuple[type[BaseException], ...] = ()


@dataclass(slots=True)
class Find:
    """An input that made a parser crash or hang; the smallest one that was found."""

    kind: str
    words: str
    data: bytes


@dataclass(slots=True)
class Result:
    """What came of the inputs of a parser."""

    name: str
    inputs: int = 0
    crashes: int = 0
    hangs: int = 0
    finds: dict[str, Find] = field(default_factory=dict)


def fuzz(parser: Parser, inputs: int, seed: int = 0) -> Result:
    """Feed a parser; the same seed makes the same inputs."""
    draw, result = random.Random(f"{seed} {parser.name}"), Result(parser.name)
    for data in parser.seeds:
        with suppress(Exception):  # what the parser loads for the first of a kind is no hang
            PageTime(LOADING_SECONDS).spend(partial(parser.run, data))
    for data in parser.seeds:
        _feed(parser, data, result)
    for _ in range(inputs):
        _feed(parser, mutated(draw, parser.seeds), result)
    for find in result.finds.values():
        find.data = smallest(parser, find)
    return result


def mutated(draw: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    """Return a seed with some changes."""
    data = bytearray(draw.choice(seeds))
    for _ in range(draw.randint(1, _MOST_CHANGES)):
        at = draw.randint(0, len(data))
        end = min(len(data), at + int(draw.paretovariate(0.6)))
        match draw.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << draw.randrange(8)
            case 1:
                del data[at:end]
            case 2:
                times = _MANY if draw.randrange(20) == 0 else draw.randint(2, 40)
                data[at:end] = bytes(data[at:end]) * min(times, MOST_BYTES // (end - at + 1))
            case 3:
                other = draw.choice(seeds)
                start = draw.randint(0, len(other))
                data[at:end] = other[start : start + int(draw.paretovariate(0.5))]
            case 4:
                data[at:at] = draw.choice(TOKENS) * (
                    1 if draw.randrange(9) else draw.randint(2, 900)
                )
            case _:
                data[at:end] = draw.choice(TOKENS)
    return bytes(data[:MOST_BYTES])


def outcome(parser: Parser, data: bytes, pace: float = 1.0) -> tuple[str, str]:
    """Return how a parser took an input: "", "crash" or "hang"; and what tells the find.

    Args:
        parser: the parser.
        data: the input.
        pace: how many times as long work takes here and now.
    """
    try:
        PageTime(HANG_SECONDS * pace).spend(lambda: parser.run(data))
    except PageTimeError as error:
        return "hang", _place(error.__cause__ or error)
    except parser.declared:
        pass
    except Exception as error:  # noqa: BLE001 - it is what is looked for
        return "crash", f"{type(error).__name__} {_place(error)}"
    return "", ""


def _place(error: BaseException) -> str:
    """Name the innermost place in the project."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/crawler/" in frame.filename] or frames
    return f"{own[-1].filename.rpartition('/crawler/')[2]}:{own[-1].lineno}"


def _feed(parser: Parser, data: bytes, result: Result) -> None:
    kind, words = outcome(parser, data)
    if kind == "hang":
        # Other work on a machine makes processor time longer, too.
        kind, words = outcome(parser, data, slowness())
    result.inputs += 1
    result.crashes += kind == "crash"
    result.hangs += kind == "hang"
    # A hang is found in another line each time.
    known = words if kind == "crash" else kind
    if kind and (known not in result.finds or len(data) < len(result.finds[known].data)):
        result.finds[known] = Find(kind, words, data)


def smallest(parser: Parser, find: Find) -> bytes:
    """Return a find without what it does not need."""
    data, step, trials = find.data, max(1, len(find.data) // 2), 0
    most = _MOST_TRIALS if find.kind == "crash" else _MOST_HANGS
    while trials < most:
        for at in range(0, len(data), step):
            shorter = data[:at] + data[at + step :]
            trials += 1
            kind, words = outcome(parser, shorter)
            if kind == find.kind and (kind == "hang" or words == find.words):
                data = shorter
                break
            if trials >= most:
                break
        else:
            if step == 1:
                break
            step = max(1, step // 2)
    return data


def save(result: Result, folder: Path) -> None:
    """Keep the finds, each in a file of its own."""
    for find in result.finds.values():
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{result.name}-{find.kind}-{hashlib.sha256(find.data).hexdigest()[:8]}"
        with suppress(OSError):
            (folder / name).write_bytes(find.data)
