"""The folder of a site on storage that crawls cannot work in: copied, and sent back.

What a crawl has written once and never changes (parts of the output, logs) lies in the storage
under its own name, and is not copied for later crawls. All else (ledgers, counts, spools) is the
*state* of the site. Each time it is kept, its changed files are sent under new names, and the list
of all its files, ``state.json``, is written last. So a kill at any moment leaves the state of
before or the new one, whole; and the parts sent with a state that was not completed are removed by
the next crawl, which exports their articles again::

    sites/ID/articles/SITE/RUN-00001.jsonl      finished parts
    sites/ID/logs/RUN.log
    sites/ID/state.json                         which object each file of the state is
    sites/ID/state/TOKEN/ledger/SITE.sqlite
    sites/ID/sending.json                       while files are sent: which
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crawler.harvest.storage import Storage

__all__ = ["Workspace"]

_STATE: Final = "state.json"
_SENDING: Final = "sending.json"
_VERSION: Final = 1
# What is written once; the first part of a path in the folder.
_LOGS: Final = "logs"
_FINAL: Final = frozenset({"articles", _LOGS})
# What is of no use to another process.
_PASSING: Final = (".lock", ".aside", ".tmp", "-wal", "-shm", "-journal")


class Workspace:
    """A local copy of a site's folder.

    Args:
        storage: where the folder lies.
        name: its name there.
        folder: the copy, an empty folder.
    """

    def __init__(self, storage: Storage, name: str, folder: Path) -> None:
        self._storage = storage
        self._name = name
        self._folder = folder
        # The object of each file of the state, and what the file looked like when it was copied.
        self._objects: dict[str, str] = {}
        self._copied: dict[str, tuple[int, int]] = {}

    def fill(self) -> None:
        """Copy the state of the site here, after removing what was sent without being completed.

        Raises:
            StoreError: the storage cannot be read, or what lies there is not of this version.
        """
        state = self._read(_STATE)
        if state and state.get("version") != _VERSION:
            raise StoreError(
                f"{self._storage.url}: {self._name}/{_STATE} was written by a later version. "
                "Upgrade scrapy-corpus."
            )
        self._objects = dict(state.get("files", {}))
        self._tidy(state.get("token", ""))
        wanted = []
        for path, name in self._objects.items():
            target = self._folder / path
            if not target.resolve().is_relative_to(self._folder.resolve()):
                raise StoreError(f"{self._storage.url}: {self._name}/{_STATE} names {path!r}.")
            target.parent.mkdir(parents=True, exist_ok=True)
            wanted.append((name, target))
        self._storage.fetch(wanted)
        self._copied = {path: _look(self._folder / path) for path in self._objects}

    def keep(self, check: Callable[[], None]) -> None:
        """Send what is new or has changed, and make it the site's state.

        Args:
            check: called before the new state takes the place of the old one; raises where this
                process may not do that any more.

        Raises:
            StoreError: it could not be sent; the storage holds the state of before.
        """
        self._close_ledgers()
        token = uuid.uuid4().hex
        final, changed, objects = [], [], {}
        for path in self._files():
            local = self._folder / path
            if path.partition("/")[0] in _FINAL:
                final.append((local, f"{self._name}/{path}"))
            elif self._copied.get(path) == _look(local):
                objects[path] = self._objects[path]
            else:
                objects[path] = f"{self._name}/state/{token}/{path}"
                changed.append((local, objects[path]))
        names = [name for _, name in (*final, *changed)]
        self._write(_SENDING, {"token": token, "names": names})
        try:
            self._storage.send(final)
            self._storage.send(changed)
            check()
        except StoreError:
            self._take_back(names)
            raise
        self._write(_STATE, {"version": _VERSION, "token": token, "files": objects})
        self._objects = objects
        self._tidy(token)

    def _take_back(self, names: list[str]) -> None:
        """Remove what was sent in vain, as far as the storage can be reached; the next crawl can.

        Another crawl may have noted what it sends in the place of this one.
        """
        with suppress(StoreError):
            for name in names:
                # Attempts of one run write to one log.
                if not name.startswith(f"{self._name}/{_LOGS}/"):
                    self._storage.delete(name)

    def _tidy(self, token: str) -> None:
        """Remove what belongs to no state, as of one that was not completed."""
        sending = self._read(_SENDING)
        if not sending:
            return
        left = set(self._storage.list(f"{self._name}/state"))
        if sending.get("token") != token:
            # Of what is removed, nothing but what that state sent.
            left.update(name for name in sending.get("names", ()) if isinstance(name, str))
        for name in sorted(left - set(self._objects.values())):
            if name.startswith(f"{self._name}/"):
                self._storage.delete(name)
        self._storage.delete(f"{self._name}/{_SENDING}")

    def _files(self) -> list[str]:
        return sorted(
            path.relative_to(self._folder).as_posix()
            for path in self._folder.rglob("*")
            if path.is_file() and not path.name.endswith(_PASSING)
        )

    def _close_ledgers(self) -> None:
        """Work what a crawl that was cut short left beside its ledgers into them."""
        for beside in self._folder.rglob("*.sqlite-wal"):
            path = beside.with_name(beside.name.removesuffix("-wal"))
            try:
                with closing(sqlite3.connect(path)) as database:
                    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.Error as error:
                raise StoreError(
                    f"{self._name}: the ledger {path.name} is damaged ({error}), and is not kept: "
                    "the storage holds what it was before this crawl."
                ) from error

    def _read(self, name: str) -> dict[str, Any]:
        """Return what one of the lists says; empty where there is none."""
        whole = f"{self._name}/{name}"
        if not self._storage.exists(whole):
            return {}
        try:
            found = json.loads(self._storage.read(whole))
        except ValueError as error:
            raise StoreError(
                f"{self._storage.url}: {whole} is damaged ({error}). Put a copy in its place, or "
                f"remove {self._name} to begin anew."
            ) from error
        return found if isinstance(found, dict) else {}

    def _write(self, name: str, values: dict[str, Any]) -> None:
        self._storage.write(f"{self._name}/{name}", json.dumps(values).encode())


def _look(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns
