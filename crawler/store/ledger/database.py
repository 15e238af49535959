"""The file of a ledger: its tables, how it is opened and written, and what its errors mean.

One SQLite file a site, in write-ahead mode: what was committed survives ``kill -9``, and what was
not leaves no trace. There is no ``fsync`` at each commit: a power cut may lose the last seconds,
but does not damage the file. While a process writes, a lock on a file beside it keeps others from
writing. A ledger that is closed has a checksum beside it, since SQLite has none. It tells of bytes
that a disk has changed; another copy that was put in the ledger's place is no damage.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from xxhash import xxh3_64

from crawler.core.errors import StoreError
from crawler.core.page.addresses import address_key, canonical_address
from crawler.store.files import file_name, lock_beside, site_named, system_errors
from crawler.store.ledger.rows import turn_of

_T = TypeVar("_T")

SCHEMA_VERSION: Final = 1
"""Of the tables below. A ledger of a later version is refused."""

# Times are seconds since 1970, UTC. ``state`` and ``found_by`` are indices of the tuples STATES and
# FOUND_BY. Unknown values are NULL. The columns ``previous`` and ``near`` are not used any more.
_TABLES: Final = """
CREATE TABLE pages (
    key INTEGER PRIMARY KEY,
    address TEXT NOT NULL,
    state INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    priority INTEGER,
    depth INTEGER NOT NULL,
    found_by INTEGER NOT NULL,
    found_at INTEGER NOT NULL,
    in_sitemap INTEGER,
    kind TEXT,
    listed TEXT,
    title TEXT,
    canonical TEXT,
    reason TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    asked_at INTEGER,
    fetched_at INTEGER,
    changed_at INTEGER,
    status INTEGER,
    etag TEXT,
    last_modified TEXT,
    content TEXT,
    previous TEXT,
    near INTEGER,
    hinted INTEGER NOT NULL DEFAULT 0,
    owed INTEGER NOT NULL DEFAULT 0,
    retracted INTEGER NOT NULL DEFAULT 0,
    exported TEXT,
    exported_run INTEGER
);
CREATE INDEX queue ON pages (turn, priority DESC, depth) WHERE state = 0;
CREATE INDEX unsettled ON pages (state) WHERE state NOT IN (0, 2);
CREATE INDEX hinted ON pages (hinted) WHERE hinted = 1;
CREATE INDEX owed ON pages (owed) WHERE owed = 1;
CREATE INDEX retracted ON pages (retracted) WHERE retracted = 1;
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    started INTEGER NOT NULL,
    ended INTEGER,
    reason TEXT,
    figures TEXT
);
CREATE TABLE parts (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    begun INTEGER NOT NULL,
    finished INTEGER,
    pages INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE part_pages (
    run INTEGER NOT NULL,
    part INTEGER NOT NULL,
    key INTEGER NOT NULL,
    content TEXT NOT NULL,
    exported TEXT NOT NULL,
    PRIMARY KEY (run, part, key)
) WITHOUT ROWID;
"""

_APPLICATION: Final = int.from_bytes(b"Corp", "big")  # tells a ledger from other SQLite files
_IN_USE: Final = (
    "another crawl of the same site. Wait until that has ended, or set CORPUS_DIR to another "
    "folder."
)
_CACHE_KB: Final = 32 * 1024
_WAIT_SECONDS: Final = 10
_ROWS_AT_ONCE: Final = 500
_CHECKPOINT: Final = 8_000  # pages of the write-ahead file, 32 MB

_KEYS: Final = 2**64
FIRST_KEY: Final = -(2**63)
LAST_KEY: Final = 2**63 - 1


def ledger_path(folder: Path, site: str) -> Path:
    """Return the file of a site's ledger; different sites have different ones on any system."""
    return folder / f"{file_name(site)}.sqlite"


def move_aside(path: Path) -> Path:
    """Rename a ledger that cannot be used, with its files, to the first ``.aside-1`` that is free.

    Raises:
        StoreError: it does not exist, another process writes it, or it cannot be renamed.
    """
    if not path.is_file():
        raise StoreError(f"{path} does not exist, and need not be moved aside.")
    with ExitStack() as stack:
        stack.callback(lock_beside(path, _IN_USE).release)
        stack.enter_context(
            system_errors(f"{path} cannot be moved aside", "Check its permissions.")
        )
        number = 1
        while (target := path.with_name(f"{path.name}.aside-{number}")).exists():
            number += 1
        # The write-ahead file goes first: beside a new ledger it would be taken for its own.
        for ending in ("-shm", "-wal", ""):
            part = path.with_name(path.name + ending)
            if part.exists():
                part.rename(target.with_name(target.name + ending))
    return target


def _sum_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.sum")


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, xxh3_64).hexdigest()


def damage_error(path: Path, error: Exception) -> StoreError:
    """Return the error that says that a ledger is damaged, and what to do."""
    return StoreError(
        f"{path}: the ledger is damaged ({error}). Put a copy of it in its place, or move it aside "
        f"with 'scrapy ledger {site_named(path.stem)} --move-aside' to begin anew: the site's "
        "pages are then fetched and exported once more."
    )


class LedgerDatabase:
    """The open file of a ledger; :class:`crawler.store.ledger.ledger.Ledger` is what to use.

    It belongs to the thread that opened it.

    Args:
        path: the file; it is made with its folder where it is missing.
        read_only: open an existing ledger to read it, also while another process writes.

    Raises:
        StoreError: another process writes the ledger; it is damaged, no ledger, or of a later
            version; or it cannot be opened.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._is_sound = False
        if read_only and not path.is_file():
            raise StoreError(f"{path} does not exist: no crawl has kept a ledger under that name.")
        with ExitStack() as stack:
            if not read_only:
                # Not the ledger itself: closing a descriptor of that drops the locks of SQLite.
                stack.callback(lock_beside(path, _IN_USE).release)
                self._check_sum()
                stack.callback(self._note_sum)
            with self._sqlite_errors():
                self._connection = sqlite3.connect(
                    path, timeout=_WAIT_SECONDS, isolation_level=None
                )
            stack.callback(self._connection.close)
            self._prepare(read_only=read_only)
            self._is_sound = True
            self._opened = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Closing twice does no harm."""
        # What was committed is kept, even where SQLite cannot remove its files beside the ledger.
        with suppress(sqlite3.Error):
            self._opened.close()

    def _note_sum(self) -> None:
        """Note what a ledger that was closed in order holds, and when it was written."""
        wal = self.path.with_name(f"{self.path.name}-wal")
        if self._is_sound and not wal.exists():
            with suppress(OSError):
                note = {"written": self.path.stat().st_mtime_ns, "sum": _sum_of(self.path)}
                _sum_path(self.path).write_text(json.dumps(note), "utf-8")

    def _check_sum(self) -> None:
        """Refuse a ledger whose bytes have changed, though nobody has written it.

        Raises:
            StoreError: they have.
        """
        note = _sum_path(self.path)
        with suppress(OSError, ValueError, KeyError, TypeError):
            noted = json.loads(note.read_text("utf-8"))
            is_written = self.path.stat().st_mtime_ns != noted["written"]
            if not is_written and _sum_of(self.path) != noted["sum"]:
                raise damage_error(self.path, ValueError("its checksum is wrong"))
        with suppress(OSError):
            note.unlink()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is done inside, or nothing of it where it is left by an error.

        Transactions may be nested. What a process that is killed inside had done leaves no trace.
        """
        begin, keep, undo = "BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"]
        if self._connection.in_transaction:
            begin, keep = "SAVEPOINT step", "RELEASE step"
            undo = ["ROLLBACK TO step", "RELEASE step"]
        with self._sqlite_errors():
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

    def _find(self, address: str) -> tuple[int, bool]:
        """Return the key of a canonical address, and whether the address is in the ledger.

        Two of n addresses have the same hash with a probability of n² / 2⁶⁵; the later one has the
        next key that is free. No row is ever deleted, so keys are found again the same way.
        """
        key = address_key(address)
        key -= _KEYS if key > LAST_KEY else 0
        statement = "SELECT address FROM pages WHERE key = ?"
        while rows := self._rows(statement, key):
            if rows[0][0] == address:
                return key, True
            key = key + 1 if key < LAST_KEY else FIRST_KEY
        return key, False

    def _key(self, url: str) -> int:
        key, is_known = self._find(canonical_address(url))
        if not is_known:
            raise StoreError(f"{url[:200]} is not in {self.path}. Add it with add_found first.")
        return key

    def _run(self, statement: str, *values: object) -> int:
        """Run a statement; return how many rows it has changed."""
        with self._sqlite_errors():
            return self._connection.execute(statement, values).rowcount

    def _rows(self, statement: str, *values: object) -> list[Any]:
        """Return all rows that a statement selects."""
        with self._sqlite_errors():
            return self._connection.execute(statement, values).fetchall()

    def _made(self, make: Callable[[Any], _T], rows: Iterable[Any]) -> Iterator[_T]:
        """Make something of each row; raise StoreError where a row is none of this project's."""
        for row in rows:
            try:
                yield make(row)
            except (LookupError, TypeError, ValueError, OverflowError) as error:
                raise damage_error(self.path, error) from error

    def _batches(self, statement: str) -> Iterator[Any]:
        """Give the rows of a statement that selects the key first, in the order of the keys.

        No cursor is open while a row is out, so that the ledger can be written to and closed.
        """
        key = FIRST_KEY
        while rows := self._rows(f"{statement} key >= ? ORDER BY key LIMIT ?", key, _ROWS_AT_ONCE):
            yield from rows
            if (last := rows[-1][0]) == LAST_KEY:
                break
            key = last + 1

    def _value(self, statement: str, *values: object) -> Any:  # noqa: ANN401 - as sqlite3 has it
        ((value,),) = self._rows(statement, *values)
        return value

    def _set(self, table: str, where: Mapping[str, object], columns: Mapping[str, object]) -> None:
        names = ", ".join(f"{name} = ?" for name in columns)
        keys = " AND ".join(f"{name} = ?" for name in where)
        statement = f"UPDATE {table} SET {names} WHERE {keys}"  # noqa: S608 - names alone
        self._run(statement, *columns.values(), *where.values())

    @contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        """Raise errors of SQLite as StoreErrors that say what to do."""
        try:
            yield
        except UnicodeDecodeError as error:
            raise damage_error(self.path, error) from error
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
                self._is_sound = False
                raise damage_error(self.path, error) from error
            raise StoreError(
                f"{self.path}: {error}. Free some space on the disk, check the permissions of the "
                "file and its folder, or wait until another process has ended; then try again."
            ) from error

    def _prepare(self, *, read_only: bool) -> None:
        version = self._value("PRAGMA user_version")
        tables = self._value("SELECT count(*) FROM sqlite_master")
        if tables and self._value("PRAGMA application_id") != _APPLICATION:
            raise StoreError(
                f"{self.path} is a database, but no ledger of this project. "
                "Move it away or choose another folder."
            )
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a later version (schema {version}, this one knows "
                f"{SCHEMA_VERSION}). Upgrade scrapy-corpus, or move the ledger away to begin anew."
            )
        self._run(f"PRAGMA cache_size = -{_CACHE_KB}")
        self._connection.create_function("turn_of", 2, turn_of, deterministic=True)
        if read_only:
            self._run("PRAGMA query_only = 1")
            if not tables:
                raise StoreError(f"{self.path} is empty: no crawl has kept a ledger in it.")
            return
        self._run("PRAGMA journal_mode = WAL")
        self._run("PRAGMA synchronous = NORMAL")
        self._run(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
        if not tables:
            with self.transaction():
                for statement in _TABLES.split(";\n"):
                    self._run(statement)
                self._run(f"PRAGMA application_id = {_APPLICATION}")
                self._run(f"PRAGMA user_version = {SCHEMA_VERSION}")
