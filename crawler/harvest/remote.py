"""Storage at an fsspec URL, such as ``s3://bucket/harvest``.

Keys, regions and endpoints are not the plan's: fsspec and the libraries below it read them from
their own configuration (``AWS_…`` and ``FSSPEC_S3_…`` in the environment, configuration files).
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from crawler.core.errors import ArgumentError, StoreError
from crawler.harvest.locks import LEASE_SECONDS, ObjectLock
from crawler.harvest.storage import MissingError, Storage, sound_name
from crawler.store.files import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crawler.harvest.locks import Claim

__all__ = ["RemoteStorage"]


class RemoteStorage(Storage):
    """An object store.

    Args:
        url: an fsspec URL.
        lease: see :class:`crawler.harvest.locks.ObjectLock`.

    Raises:
        StoreError: the URL is none that fsspec knows.
        ArgumentError: a package is missing.
    """

    def __init__(self, url: str, lease: float = LEASE_SECONDS) -> None:
        super().__init__(url, copies=True)
        self._lease = lease
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 - an extra

            # Listings that were kept would show what was there a minute ago.
            fs, root = url_to_fs(url, use_listings_cache=False)
        except ImportError as error:
            raise ArgumentError(
                f"{url}: storage of this kind needs further packages ({error}): "
                'pip install "scrapy-corpus[remote]", on workers too; it has those for s3.'
            ) from error
        except (OSError, TypeError, ValueError) as error:
            raise StoreError(f"{url} names no storage: {error}. Give a folder or URL.") from error
        if url.startswith("memory:"):
            raise StoreError(f"{url} keeps nothing beyond one process. Give a folder or URL.")
        self._fs: Any = fs
        self._root = str(root).rstrip("/")

    def read(self, name: str) -> bytes:
        """See :meth:`Storage.read`."""
        with self._told(name):
            content: bytes = self._fs.cat_file(self._path(name))
        return content

    def write(self, name: str, data: bytes) -> None:
        """See :meth:`Storage.write`."""
        with self._told(name):
            self._fs.pipe_file(self._path(name), data)

    def create(self, name: str, data: bytes) -> bool:
        """Write an object that is not there; False where it is.

        Stores that know no conditional writes may let several callers make it; what is there then
        is what one of them wrote.
        """
        with self._told(name):
            try:
                self._fs.pipe_file(self._path(name), data, mode="create")
            except Exception:
                # Libraries say in many ways that it is there.
                if not self.exists(name):
                    raise
                return False
        return True

    def list(self, folder: str = "") -> list[str]:
        """See :meth:`Storage.list`."""
        top = self._path(folder.rstrip("/")) if folder else self._root
        with self._told(folder):
            try:
                found = self._fs.find(top)
            except FileNotFoundError:
                return []
        prefix = f"{self._root}/"
        return sorted(
            str(path).removeprefix(prefix) for path in found if str(path).startswith(prefix)
        )

    def exists(self, name: str) -> bool:
        """See :meth:`Storage.exists`."""
        with self._told(name):
            return bool(self._fs.isfile(self._path(name)))

    def delete(self, name: str) -> None:
        """See :meth:`Storage.delete`."""
        with self._told(name):
            try:
                self._fs.rm_file(self._path(name))
            except FileNotFoundError:
                return

    def fetch(self, files: Sequence[tuple[str, Path]]) -> None:
        """See :meth:`Storage.fetch`."""
        if not files:
            return
        with self._told(files[0][0]):
            self._fs.get([self._path(name) for name, _ in files], [str(path) for _, path in files])

    def send(self, files: Sequence[tuple[Path, str]]) -> None:
        """See :meth:`Storage.send`."""
        if not files:
            return
        with self._told(files[0][1]):
            self._fs.put([str(path) for path, _ in files], [self._path(name) for _, name in files])

    def lock(self, name: str, claim: Claim) -> ObjectLock:
        """See :meth:`Storage.lock`."""
        return ObjectLock(self, f"locks/{file_name(name)}", claim, self._lease)

    def _path(self, name: str) -> str:
        return f"{self._root}/{sound_name(name)}"

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Say of what an error of the store is, and what to do."""
        try:
            yield
        except StoreError:
            raise
        except FileNotFoundError as error:
            raise MissingError(f"{name} is not in {self.url}, or the bucket is not.") from error
        except (Exception, asyncio.CancelledError) as error:
            # Libraries of stores have errors of all kinds for a store that cannot be reached.
            raise StoreError(
                f"{name} in {self.url} cannot be read or written: {error}. "
                "Check the store, its address and the keys for it."
            ) from error
