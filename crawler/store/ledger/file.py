"""The file of a ledger: its tables, how it is opened, and what is said when it cannot be.

One SQLite file a site, in write-ahead mode: what was committed survives ``kill -9``, and what was
not leaves no trace. There is no ``fsync`` at each commit: a power cut may lose the last seconds,
and leaves the file sound. While a process writes, a lock on a file beside it keeps others from
writing.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, Self

from crawler.core.errors import StoreError
from crawler.core.page.addresses import address_key, canonical_address
from crawler.store.files import file_name
from crawler.store.ledger import schema as sql
from crawler.store.ledger.hints import turn_of
from crawler.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

__all__ = ["FIRST_KEY", "LAST_KEY", "SCHEMA_VERSION", "LedgerFile", "ledger_path", "move_aside"]

SCHEMA_VERSION = 1
"""Of the tables below. A ledger of a later version is refused."""

# Tells a ledger from any other SQLite file.
_APPLICATION = int.from_bytes(b"Corp", "big")
_SUFFIX = ".sqlite"
_BESIDE = ("", "-wal", "-shm")
_CACHE_KB = 32 * 1024
_WAIT_SECONDS = 10
# Pages of the write-ahead file after which it is worked into the ledger: 32 MB.
_CHECKPOINT = 8_000

_KEYS = 2**64
FIRST_KEY, LAST_KEY = -(2**63), 2**63 - 1


def ledger_path(folder: Path, site: str) -> Path:
    """Name the file that holds a site's ledger; distinct sites have distinct ones anywhere."""
    return folder / f"{file_name(site)}{_SUFFIX}"


def move_aside(path: Path) -> Path:
    """Move a ledger that cannot be used out of the way, with all that belongs to it.

    Returns:
        Its new name, the old one with ``.aside-1`` or the first number that is free.

    Raises:
        StoreError: it is not there, another process writes it, or it cannot be moved.
    """
    if not path.is_file():
        raise StoreError(f"{path} is not there, and need not be moved aside.")
    try:
        with _lock_file(path):
            number = 1
            while (target := path.with_name(f"{path.name}.aside-{number}")).exists():
                number += 1
            # The write-ahead file goes first: beside a new ledger it would be taken for its own.
            for ending in reversed(_BESIDE):
                part = path.with_name(path.name + ending)
                if part.exists():
                    part.rename(target.with_name(target.name + ending))
    except OSError as error:
        raise StoreError(
            f"{path} cannot be moved aside: {error.strerror or error}. Check its permissions."
        ) from error
    return target


class LedgerFile:
    """An open ledger, of which :class:`crawler.store.ledger.ledger.Ledger` is the whole.

    Close it, or use it in a ``with`` statement. It belongs to the thread that opened it.

    Args:
        path: the file, made with its folder where it is missing.
        read_only: open an existing ledger to look at it, which works beside a process that writes.

    Raises:
        StoreError: another process writes the ledger; it is damaged, no ledger, or of a later
            version; or it cannot be opened.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock: IO[bytes] | None = None
        if read_only and not path.is_file():
            raise StoreError(f"{path} is not there: no crawl has kept a ledger under that name.")
        try:
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._lock = _lock_file(path)
            with self._told():
                self._connection = sqlite3.connect(
                    path, timeout=_WAIT_SECONDS, isolation_level=None
                )
        except OSError as error:
            raise StoreError(
                f"{path} cannot be opened: {error.strerror or error}. "
                "Check the folder and its permissions."
            ) from error
        except BaseException:
            self._unlock()
            raise
        try:
            self._prepare(read_only=read_only)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Closing twice does no harm."""
        # What was committed is kept, even where SQLite cannot tidy up behind itself.
        with suppress(sqlite3.Error):
            self._connection.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def check(self) -> tuple[str, ...]:
        """Read the whole file, and say what is damaged in it; empty where nothing is."""
        try:
            rows = self._connection.execute("PRAGMA quick_check(20)").fetchall()
        except sqlite3.DatabaseError as error:
            return (str(error),)
        return tuple(line for (line,) in rows if line != "ok")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is done inside, or nothing of it where it is left by an error.

        Transactions may be nested. What a process that is killed inside had done leaves no trace.
        """
        begin, keep, undo = "BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"]
        if self._connection.in_transaction:
            begin, keep = "SAVEPOINT step", "RELEASE step"
            undo = ["ROLLBACK TO step", "RELEASE step"]
        with self._told():
            self._connection.execute(begin)
            try:
                yield
                self._connection.execute(keep)
            except BaseException:
                # A full disk makes SQLite roll back by itself.
                if self._connection.in_transaction:
                    for statement in undo:
                        self._connection.execute(statement)
                raise

    def _place(self, address: str) -> tuple[int, bool]:
        """Return the key of a canonical address, and whether it is there.

        Two addresses share their first key with a chance of n² / 2⁶⁵ for n addresses; the later one
        has the next key that is free. No row is ever deleted, so the way to a key stays as it was.
        """
        key = address_key(address)
        key -= _KEYS if key > LAST_KEY else 0
        select = self._connection.execute
        while (row := select(sql.ADDRESS_AT, (key,)).fetchone()) is not None:
            if row[0] == address:
                return key, True
            key = key + 1 if key < LAST_KEY else FIRST_KEY
        return key, False

    def _key(self, url: str) -> int:
        """Return the key of an address that is there.

        Raises:
            StoreError: it is not.
        """
        with self._told():
            key, there = self._place(canonical_address(url))
        if not there:
            raise StoreError(f"{url[:200]} is not in {self.path}. Add it with add_found first.")
        return key

    def _run(self, statement: str, values: Any = ()) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 has it
        """Execute one statement."""
        with self._told():
            return self._connection.execute(statement, values)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say what to do about an error of SQLite."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {_advice(error)}") from error

    def _prepare(self, *, read_only: bool) -> None:
        run = self._run
        (application,) = run("PRAGMA application_id").fetchone()
        (version,) = run("PRAGMA user_version").fetchone()
        (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and application != _APPLICATION:
            raise StoreError(
                f"{self.path} is a database, but no ledger of this project. "
                "Move it away or choose another folder."
            )
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a later version (schema {version}, this one knows "
                f"{SCHEMA_VERSION}). Upgrade scrapy-corpus, or move the ledger away to begin anew."
            )
        run(f"PRAGMA cache_size = -{_CACHE_KB}")
        self._connection.create_function("turn_of", 2, turn_of, deterministic=True)
        if read_only:
            run("PRAGMA query_only = 1")
            if not tables:
                raise StoreError(f"{self.path} is empty: no crawl has kept a ledger in it.")
            return
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        run(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
        if not tables:
            with self.transaction():
                for statement in sql.TABLES.split(";\n"):
                    run(statement)
                run(f"PRAGMA application_id = {_APPLICATION}")
                run(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _lock_file(path: Path) -> IO[bytes]:
    """Lock a ledger against other writers, until the file returned is closed."""
    # Not the ledger itself: closing any descriptor of that would drop the locks of SQLite.
    file = path.with_name(f"{path.name}.lock").open("ab")
    if not try_lock(file.fileno()):
        file.close()
        raise StoreError(
            f"{path} is in use by another crawl of the same site. "
            "Wait until that has ended, or set CORPUS_DIR to another folder."
        )
    return file


def _advice(error: sqlite3.Error) -> str:
    if isinstance(error, sqlite3.ProgrammingError):
        return f"{error}. Use a ledger while it is open, in the thread that opened it."
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return (
            f"the ledger is damaged ({error}). Put a copy of it in its place, or move it aside "
            "with 'scrapy ledger SITE --move-aside' to begin anew: the site's pages are then "
            "fetched and exported once more."
        )
    if name.startswith("SQLITE_FULL"):
        return "the disk is full. Free some space there; what was noted before is safe."
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "another process holds the ledger. Wait until that has ended, and try again."
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return f"{error}. Check the permissions of the file and of its folder."
    return f"the ledger cannot be read or written ({error}). Check the disk, and try again."
