"""Locks of names on storage, so that no site is crawled twice at the same time.

On a local folder the system holds the lock, for as long as the process lives that took it. An
object store has no such thing: there a lock is an object with an owner and a time at which it
expires, written anew for as long as it is held.

The objects of one lock are numbered. Whoever finds the last one released or expired makes the next
one, which the store lets one of several do (a conditional write), and no number is made twice. So a
lock that was taken over is never taken back by a holder that was slow.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final, Protocol, Self

from crawler.core.errors import StoreError
from crawler.store.lock import try_lock

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["LEASE_SECONDS", "BusyError", "Claim", "FileLock", "LockObjects", "ObjectLock"]

LEASE_SECONDS: Final = 60.0
"""For how long a lock on an object store holds that its owner does not renew."""

_SKEW_SECONDS: Final = 15.0
"""So far apart the clocks of two machines may be."""

_RENEWALS: Final = 4
_LOOK_SECONDS: Final = 0.5
_GLANCE_SECONDS: Final = 0.01
_LONGEST_GLANCE_SECONDS: Final = 5.0


class BusyError(StoreError):
    """What is to be locked is locked by another. The message says by whom."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Who wants a lock.

    Attributes:
        owner: Name of the run of a harvest for which it is wanted.
        patience: Seconds to wait for a holder of the same owner, which is an attempt of the same
            run that is about to end.
        on_lost: Called by another thread when the lock could not be renewed in time, or was taken;
            that may be on an object store alone.
    """

    owner: str
    patience: float = 180
    on_lost: Callable[[], None] = lambda: None


class FileLock:
    """A lock on a file of this machine, or of a network file system that knows locks.

    Args:
        path: the file, made with its folder where it is missing.
        claim: for whom.
    """

    def __init__(self, path: Path, claim: Claim) -> None:
        self._path = path
        self._owner = claim.owner
        self._patience = claim.patience
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            BusyError: another holds it.
            StoreError: the file cannot be written.
        """
        until = time.monotonic() + self._patience
        while not self._take():
            holder = self.holder()
            if not holder:
                # Somebody looked at it at that moment; who is stopped while he looks holds it.
                if time.monotonic() >= until + _LONGEST_GLANCE_SECONDS:
                    raise _busy(self._path.stem, holder)
                time.sleep(_GLANCE_SECONDS)
                continue
            if holder.get("owner") != self._owner or time.monotonic() >= until:
                raise _busy(self._path.stem, holder)
            time.sleep(_LOOK_SECONDS)
        return self

    def _take(self) -> bool:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("ab")
            if not try_lock(file.fileno()):
                file.close()
                return False
            file.truncate(0)
            file.write(json.dumps(_holder(self._owner)).encode())
            file.flush()
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be written: {error.strerror or error}. "
                "Check the folder and its permissions."
            ) from error
        self._file = file
        return True

    def holder(self) -> dict[str, Any]:
        """Return who holds the lock: ``owner``, ``host``, ``pid``; empty where nobody does."""
        try:
            with self._path.open("rb") as file:
                if not _is_locked(file.fileno()):
                    return {}
                found: dict[str, Any] = json.loads(file.read() or b"{}")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            return {"owner": "unknown"}
        return found or {"owner": "unknown"}

    def check(self) -> None:
        """Do nothing: the system takes a lock from nobody."""

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class LockObjects(Protocol):
    """What locks need of an object store."""

    def read(self, name: str) -> bytes:
        """Return an object's content; StoreError where it cannot be had."""

    def write(self, name: str, data: bytes) -> None:
        """Write an object, whole or not at all."""

    def create(self, name: str, data: bytes) -> bool:
        """Write an object that is not there; False where it is."""

    def list(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted."""

    def delete(self, name: str) -> None:
        """Remove an object that may be there."""


class ObjectLock:
    """A lock in a folder of an object store, renewed by a thread while it is held.

    Args:
        objects: the store.
        folder: the lock's folder.
        claim: for whom; its patience is beyond the time for which a lock holds by itself.
        lease: seconds for which the lock holds without being renewed.
    """

    def __init__(
        self, objects: LockObjects, folder: str, claim: Claim, lease: float = LEASE_SECONDS
    ) -> None:
        self._objects = objects
        self._folder = folder
        self._owner = claim.owner
        self._patience = claim.patience + lease + _skew(lease)
        self._lease = lease
        self._on_lost = claim.on_lost
        self._token = uuid.uuid4().hex
        self._number = 0
        self._renewed = 0.0
        self._is_lost = False
        self._released = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True, name=f"lock {folder}")

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            BusyError: another holds it.
            StoreError: the store cannot be read or written.
        """
        until = time.monotonic() + self._patience
        while True:
            number, holder = self._last()
            if not self._holds(holder) and self._take(number + 1):
                break
            if not self._holds(holder) and time.monotonic() < until:
                # Another one was faster: who, the store tells in a moment.
                time.sleep(_GLANCE_SECONDS)
                continue
            if holder.get("owner") != self._owner or time.monotonic() >= until:
                raise _busy(self._folder.rpartition("/")[2], holder)
            time.sleep(_LOOK_SECONDS)
        try:
            self._keeper.start()
        except RuntimeError as error:
            self._let_go()
            raise StoreError(
                f"{self._folder} cannot be kept locked ({error}): have less run on this machine."
            ) from error
        return self

    def holder(self) -> dict[str, Any]:
        """Return who holds the lock: ``owner``, ``host``, ``pid``; empty where nobody does."""
        holder = self._last()[1]
        return holder if self._holds(holder) else {}

    def check(self) -> None:
        """Ask the store whether the lock is still held here.

        Raises:
            StoreError: it is not, since it was not renewed in time; or the store does not say.
        """
        if self._is_lost or not self._is_mine():
            self._is_lost = True
            raise StoreError(
                f"{self._folder} is locked by another by now: this process was held up for more "
                "than a minute. What it did is left out; the site's next run does it again."
            )

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._keeper.join()
        self._let_go()

    def _let_go(self) -> None:
        # Who cannot be told waits until the lock expires.
        with suppress(StoreError):
            if not self._is_lost and self._is_mine():
                self._objects.write(self._name(self._number), self._record(until=0))

    def _last(self) -> tuple[int, dict[str, Any]]:
        """Return the number of the lock's last object, 0 where there is none, and its content."""
        names = self._objects.list(self._folder)
        numbers = [int(stem) for name in names if (stem := _stem(name)).isdecimal()]
        if not numbers:
            return 0, {}
        number = max(numbers)
        try:
            found: dict[str, Any] = json.loads(self._objects.read(self._name(number)))
        except ValueError:
            return number, {}
        except StoreError:
            if self._objects.list(self._folder) == names:
                raise
            # It was taken over and removed meanwhile.
            return self._last()
        return number, found

    def _holds(self, holder: dict[str, Any]) -> bool:
        until = holder.get("until", 0)
        return isinstance(until, int | float) and until + _skew(self._lease) > time.time()

    def _take(self, number: int) -> bool:
        began = time.monotonic()
        self._objects.create(self._name(number), self._record(time.time() + self._lease))
        self._number = number
        # Whose it is, what lies there tells. A store that knows no conditional writes has let
        # several make it, of which the last one counts; and one whose answer was lost is asked
        # again by its library, and says that what it has just made is there.
        if not self._is_mine():
            return False
        self._renewed = began
        for name in self._objects.list(self._folder):
            if _stem(name).isdecimal() and int(_stem(name)) < number:
                self._objects.delete(name)
        return True

    def _is_mine(self) -> bool:
        number, holder = self._last()
        return number == self._number and holder.get("token") == self._token

    def _keep(self) -> None:
        while not self._released.wait(self._lease / _RENEWALS):
            began = time.monotonic()
            try:
                if not self._is_mine():
                    self._lose()
                    return
                until = time.time() + self._lease
                self._objects.write(self._name(self._number), self._record(until))
                self._renewed = began
            except BaseException:  # noqa: BLE001 - also a request that was cancelled: who ends renews nothing
                if time.monotonic() - self._renewed >= self._lease:
                    self._lose()
                    return

    def _lose(self) -> None:
        self._is_lost = True
        self._on_lost()

    def _name(self, number: int) -> str:
        return f"{self._folder}/{number:012}.json"

    def _record(self, until: float) -> bytes:
        return json.dumps(_holder(self._owner) | {"token": self._token, "until": until}).encode()


def _is_locked(descriptor: int) -> bool:
    """Tell whether a process has locked an open file, without keeping others who look from it."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        # Some network file systems know no locks.
        return False
    return False


def _skew(lease: float) -> float:
    return min(_SKEW_SECONDS, lease / 4)


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]


def _holder(owner: str) -> dict[str, Any]:
    return {"owner": owner, "host": socket.gethostname(), "pid": os.getpid()}


def _busy(name: str, holder: dict[str, Any]) -> BusyError:
    where = f" on {holder['host']}, process {holder['pid']}" if "host" in holder else ""
    return BusyError(
        f"{name} is in use by the run {holder.get('owner', 'unknown')}{where}. Wait for its end."
    )
