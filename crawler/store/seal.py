"""A seal over the files of a JOBDIR, by which damage is seen before Scrapy reads them.

Scrapy checks nothing: of a queue that was cut it loses the requests without a word, and other
damage is a traceback.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import xxhash

_SEAL: Final = "corpus.seal"
_STATE: Final = "spider.state"
_FILES: Final = (_STATE, "requests.seen", "requests.queue/**/*")


def seal(folder: Path) -> None:
    """Note the files of a JOBDIR as they are. Where that cannot be written, there is no seal."""
    with suppress(OSError):
        (folder / _SEAL).write_text(json.dumps(dict(_digests(folder))), "utf-8")


def is_there(folder: Path) -> bool:
    """Say whether a crawl of this JOBDIR was paused, or has ended."""
    return (folder / _SEAL).exists()


def remove(folder: Path) -> None:
    """Remove the seal, since the files will change.

    Raises:
        OSError: the seal cannot be removed.
    """
    (folder / _SEAL).unlink(missing_ok=True)


def check(folder: Path) -> str:
    """Return which file of a JOBDIR is damaged, or empty.

    Without a seal, as after a kill, a file is damaged that cannot be read at all.

    Raises:
        OSError: a file cannot be read for another reason.
    """
    path = folder / _SEAL
    if not path.exists():
        return _unreadable(folder)
    try:
        noted = dict(json.loads(path.read_bytes()))
    except (ValueError, TypeError):
        return _SEAL
    found = dict(_digests(folder))
    names = sorted(noted.keys() | found.keys())
    damaged = next((name for name in names if noted.get(name) != found.get(name)), "")
    return damaged or _unreadable(folder)


def _digests(folder: Path) -> Iterator[tuple[str, str]]:
    for pattern in _FILES:
        for path in folder.glob(pattern):
            if path.is_file():
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, xxhash.xxh3_128).hexdigest()
                yield path.relative_to(folder).as_posix(), digest


def _unreadable(folder: Path) -> str:
    """Return the file that is no JSON or pickle, though it is to be; empty for none."""
    for path in sorted(folder.glob("requests.queue/**/*.json")):
        try:
            json.loads(path.read_bytes())
        except ValueError:
            return path.relative_to(folder).as_posix()
    state = folder / _STATE
    if state.exists():
        try:
            pickle.loads(state.read_bytes())  # noqa: S301 - Scrapy will load it too
        except Exception:  # noqa: BLE001 - damaged bytes raise anything
            return _STATE
    return ""
