"""Files: safe names, writing a file whole, and locks; dates as text. All rooms use these."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Final
from urllib.parse import unquote_to_bytes, urlparse
from uuid import uuid4

from filelock import FileLock, Timeout
from w3lib.url import file_uri_to_path
from xxhash import xxh3_64_hexdigest

from crawler.core.errors import ArgumentError, StoreError
from crawler.core.page.page import LOCAL_SITE, site_of
from crawler.core.wording import listed, nearest

ASIDE: Final = ".part"
"""Ending of files that are being written and do not count yet."""

_NO_LOCKS = frozenset({errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP})
_LONGEST_NAME = 120
_PART_OF_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2})?")
# Stands in a name that was cut, and in no other: quoting never writes it.
CUT: Final = "%-"

# Characters that mean themselves in a file name of any system, case-insensitive ones too.
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")
# Names that Windows keeps for devices, with whatever extension.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
)


def file_name(name: str) -> str:
    """Make any name one folder or file name, distinct names distinct in any file system."""
    quoted = "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}"
        for byte in name.encode("utf-8", "surrogatepass")
    )
    if quoted.partition(".")[0] in _DEVICES or quoted.startswith("."):
        quoted = f"%{ord(quoted[0]):02X}{quoted[1:]}"
    if quoted.endswith("."):
        # Windows drops a dot at the end.
        quoted = f"{quoted[:-1]}%2E"
    if len(quoted) <= _LONGEST_NAME:
        return quoted or "%"
    digest = xxh3_64_hexdigest(name.encode("utf-8", "surrogatepass"))
    return f"{quoted[: _LONGEST_NAME - 18]}{CUT}{digest}"


def site_named(name: str) -> str:
    """Return the site whose name :func:`file_name` made a file's name of.

    A name that was cut, or that somebody else gave, is returned as it is.
    """
    if CUT in name:
        return name
    try:
        return "" if name == "%" else unquote_to_bytes(name).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return name


def site_asked(name: str) -> str:
    """Return the site that a user means by its name or by its address.

    Raises:
        ArgumentError: the address names no host.
    """
    site = site_of(name) if "://" in name else name
    if site == LOCAL_SITE != name:
        raise ArgumentError(f"{name} names no host; give an address such as https://blog.example/")
    return site


# A crawl gives many pages the same time, and a listing the same day.
@lru_cache(maxsize=4096)
def time_of(text: str) -> datetime | None:
    """Return the first moment of a date in ISO 8601, from a year to a time; ``None`` for no date.

    It is in UTC where the date names no zone.
    """
    if _PART_OF_DATE.fullmatch(text):
        text = f"{text}-01-01"[:10]
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def release() -> str:
    """Return the version of the project; empty where it runs from a folder, not installed."""
    with suppress(PackageNotFoundError):
        return version("scrapy-corpus")
    return ""


def known_sites(site: str, names: Sequence[str]) -> str:
    """Say which sites there are, one at least, for somebody who asked for another one."""
    near = nearest(site, names)
    return f"the nearest name is {near}" if near else f"there are: {listed(names)}"


@contextmanager
def system_errors(
    what: str, advice: str, kind: Callable[[str], BaseException] = StoreError
) -> Iterator[None]:
    """Raise errors of the system as errors that say what could not be done, why, and what to do.

    Args:
        what: what cannot be done, as ``FILE cannot be read``.
        advice: what to do.
        kind: makes the error of its text.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {error.strerror or error}. {advice}") from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path to write a file to; the file takes the place of ``path`` when the block ends.

    A block that raises leaves ``path`` as it was, and nothing beside it. Missing folders are made.
    A device or a pipe, such as ``/dev/stdout``, is written to as it is.

    Raises:
        StoreError: the file cannot be written.
    """
    advice = "Free some space there, or name another folder, and run the command again"
    if path.exists() and not path.is_file():
        with system_errors(f"{path} cannot be written", advice):
            yield path
        return
    aside = path.with_name(f".{path.name}.{uuid4().hex}{ASIDE}")
    try:
        with system_errors(f"{path} cannot be written", advice):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield aside
            aside.replace(path)
    finally:
        with suppress(OSError):
            aside.unlink()


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file in one step: either all of it is there, or ``path`` is as it was.

    Raises:
        StoreError: the file cannot be written.
    """
    with replacing(path) as aside, aside.open("wb") as file:
        file.writelines(pieces)


def append_whole(file: IO[bytes], data: bytes) -> None:
    """Add bytes at the end of an unbuffered file, or leave it as it was.

    Where what was written in part cannot be removed, the file is closed: nothing may follow it.

    Raises:
        OSError: the bytes cannot be written.
    """
    end = file.seek(0, os.SEEK_END)
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        try:
            file.truncate(end)
        except OSError:
            file.close()
        raise


def lock_beside(path: Path, in_use: str) -> FileLock:
    """Lock a file that one process at a time may write, by a file beside it.

    Raises:
        StoreError: another process (``in_use``) holds it, or the file beside it cannot be made.
    """
    with system_errors(f"{path} cannot be locked", "Check the folder and its permissions."):
        lock = try_lock(path.with_name(f"{path.name}.lock"))
    if lock is None:
        raise StoreError(f"{path} is in use by {in_use}").about("in-use", path)
    return lock


def try_lock(path: Path) -> FileLock | None:
    """Lock a file by name; None where another process, or another part of this one, holds it.

    The system releases the lock when its process ends, however that ends. Missing folders are made.
    On a file system without locks nothing is locked.

    Raises:
        OSError: the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # A lock is let go by whichever thread ends the work.
    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return None
    except NotImplementedError:
        pass
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return lock


def local_path(uri: str) -> Path | None:
    """Return the file of a feed; None where it is kept elsewhere, or is standard output."""
    # A single letter before the colon is a drive of Windows, not a scheme.
    if len(urlparse(uri).scheme) > 1 and not uri.startswith("file:"):
        return None
    return Path(file_uri_to_path(uri) if uri.startswith("file:") else uri)
