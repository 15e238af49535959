"""Where a harvest lies: a local folder, or an object store named by an fsspec URL.

Objects are read and written whole. Each site has a folder of its own, which a crawl of the site
works in as its ``CORPUS_DIR``::

    sites/ID/           ledger/, counts/, spool/, articles/SITE/…, logs/…
    locks/ID…           who crawls the site now

On a local folder crawls work in that folder itself. From an object store it is copied to a
temporary folder first and sent back afterwards (:mod:`crawler.harvest.workspaces`), and so it is
with the URL of a folder, ``file:///mnt/share/harvest``: the ledgers are SQLite files, which want no
network file system.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from crawler.core.errors import StoreError
from crawler.harvest.locks import Claim, FileLock
from crawler.harvest.workspaces import Workspace
from crawler.store.files import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.harvest.locks import ObjectLock

__all__ = ["FolderStorage", "MissingError", "Storage", "site_folder", "sound_name"]

_ASIDE: Final = ".aside"


class MissingError(StoreError, FileNotFoundError):
    """An object is not there."""


def site_folder(site: str) -> str:
    """Return the name of the folder of a site, by its id in the plan."""
    return f"sites/{file_name(site)}"


class Storage(ABC):
    """Named objects, read and written whole, and the folders of sites.

    Names are relative, with ``/`` between their parts.
    """

    def __init__(self, url: str, *, copies: bool) -> None:
        self.url = url
        """What the storage was made of."""
        self.copies = copies
        """Whether crawls work in a copy of their site's folder."""

    @staticmethod
    def of(url: str) -> Storage:
        """Return the storage at a folder or URL.

        Raises:
            StoreError: nothing can be stored there, or a package for it is missing.
        """
        scheme, found, _ = url.partition("://")
        if not found:
            return FolderStorage(url, Path(url), copies=False)
        if scheme == "file":
            return FolderStorage(url, Path(unquote(urlsplit(url).path)), copies=True)
        from crawler.harvest.remote import RemoteStorage  # noqa: PLC0415 - needs an extra

        return RemoteStorage(url)

    @abstractmethod
    def read(self, name: str) -> bytes:
        """Return an object's content.

        Raises:
            MissingError: it is not there.
            StoreError: it cannot be read.
        """

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Write an object, whole or not at all, in the place of one that was there.

        Raises:
            StoreError: it cannot be written.
        """

    @abstractmethod
    def list(self, folder: str = "") -> list[str]:
        """Return the names of all objects in a folder and in those below it, sorted.

        The folder may be named with a ``/`` at its end.

        Raises:
            StoreError: the storage cannot be read.
        """

    @abstractmethod
    def exists(self, name: str) -> bool:
        """Tell whether there is an object of that name."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Remove an object; nothing where there is none."""

    @abstractmethod
    def fetch(self, files: Sequence[tuple[str, Path]]) -> None:
        """Copy objects to files; their folders are there."""

    @abstractmethod
    def send(self, files: Sequence[tuple[Path, str]]) -> None:
        """Copy files to objects, each whole or not at all."""

    @abstractmethod
    def lock(self, name: str, claim: Claim) -> FileLock | ObjectLock:
        """Return the lock of a name, to be taken by a ``with`` statement.

        Args:
            name: what is locked, such as the id of a site.
            claim: for whom.
        """

    def holder(self, name: str) -> dict[str, Any]:
        """Return who has locked a name: ``owner``, ``host``, ``pid``; empty where nobody has."""
        return self.lock(name, Claim("")).holder()

    @contextmanager
    def workspace(self, site: str, claim: Claim) -> Iterator[Path]:
        """Lock a site, and give the local folder that its crawl works in.

        What the crawl leaves there is kept when the block ends, also where an error ends it.

        Args:
            site: the site's id in the plan.
            claim: for which run; an earlier attempt of the same run is waited for.

        Raises:
            BusyError: another run crawls the site.
            StoreError: the folder cannot be had, or not be kept.
        """
        with self.lock(site, claim) as lock:
            if not self.copies:
                folder = self._local(site_folder(site))
                yield folder
                return
            with tempfile.TemporaryDirectory(prefix="scrapy-corpus-site-") as copy:
                space = Workspace(self, site_folder(site), Path(copy))
                space.fill()
                try:
                    yield Path(copy)
                finally:
                    space.keep(lock.check)

    def _local(self, name: str) -> Path:
        raise StoreError(f"{self.url} is no folder of this machine: {name} is not at hand.")


class FolderStorage(Storage):
    """A folder of this machine, or one that several machines share.

    Args:
        url: what it was made of.
        root: the folder; made when first written to.
        copies: whether crawls work in a copy of their site's folder.
    """

    def __init__(self, url: str, root: Path, *, copies: bool) -> None:
        super().__init__(url, copies=copies)
        self._root = root

    def read(self, name: str) -> bytes:
        """See :meth:`Storage.read`."""
        with _told(self.url, name):
            return self._path(name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """See :meth:`Storage.write`."""
        with _told(self.url, name), self._aside(name) as aside, aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def list(self, folder: str = "") -> list[str]:
        """See :meth:`Storage.list`."""
        top = self._path(folder.rstrip("/")) if folder else self._root
        with _told(self.url, folder):
            return sorted(
                Path(parent, name).relative_to(self._root).as_posix()
                for parent, _, names in os.walk(top)
                for name in names
                if not name.endswith(_ASIDE)
            )

    def exists(self, name: str) -> bool:
        """See :meth:`Storage.exists`."""
        return self._path(name).is_file()

    def delete(self, name: str) -> None:
        """See :meth:`Storage.delete`."""
        with _told(self.url, name):
            self._path(name).unlink(missing_ok=True)

    def fetch(self, files: Sequence[tuple[str, Path]]) -> None:
        """See :meth:`Storage.fetch`."""
        for name, path in files:
            with _told(self.url, name):
                shutil.copyfile(self._path(name), path)

    def send(self, files: Sequence[tuple[Path, str]]) -> None:
        """See :meth:`Storage.send`."""
        for path, name in files:
            with _told(self.url, name), self._aside(name) as aside:
                shutil.copyfile(path, aside)
                with aside.open("rb") as file:
                    os.fsync(file.fileno())

    def lock(self, name: str, claim: Claim) -> FileLock:
        """See :meth:`Storage.lock`."""
        return FileLock(self._path(f"locks/{file_name(name)}.lock"), claim)

    @contextmanager
    def _aside(self, name: str) -> Iterator[Path]:
        """Give a file beside an object, which takes its place when the block has ended well."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.name}.{os.getpid()}{_ASIDE}")
        try:
            yield aside
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._root.joinpath(*sound_name(name).split("/"))

    def _local(self, name: str) -> Path:
        folder = self._path(name)
        with _told(self.url, name):
            folder.mkdir(parents=True, exist_ok=True)
        return folder


def sound_name(name: str) -> str:
    """Return a name of an object, where it is one.

    Raises:
        StoreError: it is empty, or would lead out of the storage.
    """
    parts = name.split("/")
    if any(part in {"", ".", ".."} or "\\" in part or "\0" in part for part in parts):
        raise StoreError(f"{name!r} is no name of an object: give parts with / between them.")
    return name


@contextmanager
def _told(url: str, name: str) -> Iterator[None]:
    """Say of what an error of the system is, and what to do."""
    try:
        yield
    except FileNotFoundError as error:
        raise MissingError(f"{name} is not in {url}.") from error
    except OSError as error:
        raise StoreError(
            f"{name} in {url} cannot be read or written: {error.strerror or error}. "
            "Check the folder, its permissions and its space."
        ) from error
