"""Where a harvest lies: a folder of this machine, or the URL of a store that fsspec knows.

::

    history.sqlite                       the runs
    locks/ID.lock                        which sites are being crawled (folders only)
    sites/ID/                            the CORPUS_DIR of a site's crawls
        articles/SITE/RUN-00001.jsonl    finished parts of the output
        logs/RUN.log
        ledger/, counts/, spool/         the state of the site; on a URL packed in state.tar

On a folder, crawls work in the site's folder itself. From a URL the state is copied to a temporary
folder before a crawl, and sent back after it. ``state.tar`` is one object, sent last, and names the
parts that belong to it: so a kill at any moment leaves the state of before or the new one, and
parts whose state was never sent are removed by the next crawl, which exports their articles again.
"""

from __future__ import annotations

import asyncio
import json
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from crawler.core.errors import ArgumentError, StoreError, one_line
from crawler.store.files import file_name, system_errors, try_lock

_HISTORY: Final = "history.sqlite"
_STATE: Final = "state.tar"
_PARTS: Final = "parts.json"
# What is written once and is of no use to later crawls: it is sent, and not copied back.
_OUTPUTS: Final = ("articles", "logs")
_CHECK: Final = "Check the folder and its permissions."
_SEND_SECONDS: Final = 60.0
_PASSING: Final = (".lock", ".part", ".aside", ".tmp")


def site_folder(site: str) -> str:
    """Return the name of the folder of a site, by its id in the plan."""
    return f"sites/{file_name(site)}"


class Storage:
    """A folder by its absolute path, or a store by its URL, such as ``s3://bucket/news``.

    Raises:
        StoreError: nothing can be stored there.
        ArgumentError: a package for it is missing.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_folder = "://" not in url
        """Whether crawls work there itself, and not in a copy."""
        self.path: Path | None = Path(url) if self.is_folder else None
        """The folder, where the storage is one of a file system; else None."""
        if not self.is_folder:
            self._fs, self._root = _open(url)
            if url.startswith(("file:", "local:")):
                self.path = Path(self._root)

    def lock(self, name: str) -> Callable[[], None] | None:
        """Lock a name against other harvests, also on other machines that share the folder.

        Returns:
            What releases the lock; None where another holds it. Object stores have no locks.

        Raises:
            StoreError: the folder cannot be written.
        """
        if self.path is None:
            return lambda: None
        path = self.path / "locks" / f"{file_name(name)}.lock"
        with system_errors(f"{path} cannot be locked", _CHECK):
            lock = try_lock(path)
        return None if lock is None else lock.release

    def is_locked(self, name: str) -> bool:
        """Tell whether another harvest holds a name. Of an object store nobody knows: it may."""
        if self.path is None:
            return True
        release = self.lock(name)
        if release is not None:
            release()
        return release is None

    @contextmanager
    def history(self) -> Iterator[tuple[Path, Callable[[], None]]]:
        """Give the file of the history, and what is to be called when it has changed.

        To a store the file is sent once a minute at most, and when the block ends.

        Raises:
            StoreError: the store cannot be read or written.
        """
        if self.is_folder:
            yield Path(self.url, _HISTORY), lambda: None
            return
        with tempfile.TemporaryDirectory(prefix="scrapy-corpus-history-") as folder:
            copy = Path(folder, _HISTORY)
            self._fetch(_HISTORY, copy)
            sent_at = float("-inf")
            is_changed = False

            def changed() -> None:
                nonlocal sent_at, is_changed
                is_changed = True
                if time.monotonic() - sent_at >= _SEND_SECONDS:
                    self._send(copy, _HISTORY)
                    sent_at, is_changed = time.monotonic(), False

            try:
                yield copy, changed
            finally:
                if is_changed:
                    self._send(copy, _HISTORY)

    @contextmanager
    def workspace(self, site: str) -> Iterator[Path]:
        """Give the folder in which a crawl of a site works.

        What the crawl leaves there is kept when the block ends, also where an error ends it.

        Raises:
            StoreError: the folder cannot be had, or not be kept.
        """
        name = site_folder(site)
        if self.is_folder:
            folder = Path(self.url, name)
            with system_errors(f"{folder} cannot be made", _CHECK):
                folder.mkdir(parents=True, exist_ok=True)
            yield folder
            return
        with tempfile.TemporaryDirectory(prefix="scrapy-corpus-site-") as temporary:
            copy = Path(temporary, "copy")
            copy.mkdir()
            parts = self._fetch_state(name, copy, Path(temporary, _STATE))
            try:
                yield copy
            finally:
                self._send_state(name, copy, Path(temporary, _STATE), parts)

    def _fetch_state(self, name: str, copy: Path, packed: Path) -> set[str]:
        """Unpack a site's state; return its parts, after removing those of no state."""
        is_there = self._fetch(f"{name}/{_STATE}", packed)
        folder = f"{self._root}/{name}/"
        with self._told(name):
            found = self._fs.find(f"{folder}articles") if self._fs.exists(folder) else []
        sent = {str(path).removeprefix(folder) for path in found}
        if not is_there:
            # Whatever lies there was harvested before, and is kept; what comes later has a state.
            self._send_state(name, copy, packed, sent)
            return sent
        try:
            with tarfile.open(packed) as archive:
                archive.extractall(copy, filter="data")
            parts = set(json.loads((copy / _PARTS).read_text("utf-8")))
        except (tarfile.TarError, OSError, ValueError) as error:
            raise StoreError(
                f"{name}/{_STATE} in {self.url} is damaged ({one_line(error)}). Put a copy in "
                f"its place, or remove it: the site is then crawled anew."
            ) from error
        for path in sorted(sent - parts):
            with self._told(name):
                self._fs.rm_file(f"{folder}{path}")
        return parts

    def _send_state(self, name: str, copy: Path, packed: Path, parts: set[str]) -> None:
        """Send the outputs of a crawl, and then the state to which they belong."""
        files = {
            path.relative_to(copy).as_posix(): path
            for path in sorted(copy.rglob("*"))
            if path.is_file() and not path.name.endswith(_PASSING)
        }
        outputs = [path for path in files if path.partition("/")[0] in _OUTPUTS]
        parts |= {path for path in outputs if path.startswith("articles/")}
        files[_PARTS] = copy / _PARTS
        files[_PARTS].write_text(json.dumps(sorted(parts)), "utf-8")
        with tarfile.open(packed, "w") as archive:
            for path, file in files.items():
                if path not in outputs:
                    archive.add(file, path)
        for path in outputs:
            self._send(files[path], f"{name}/{path}")
        self._send(packed, f"{name}/{_STATE}")

    def _fetch(self, name: str, target: Path) -> bool:
        """Copy an object to a file; False where there is none."""
        with self._told(name):
            try:
                self._fs.get_file(f"{self._root}/{name}", str(target))
            except FileNotFoundError:
                return False
        return True

    def _send(self, file: Path, name: str) -> None:
        """Copy a file to an object, whole or not at all."""
        target = f"{self._root}/{name}"
        with self._told(name):
            if self.path is None:
                self._fs.put_file(str(file), target)
                return
            # Stores write objects whole; file systems do not.
            self._fs.makedirs(target.rpartition("/")[0], exist_ok=True)
            self._fs.put_file(str(file), f"{target}.part")
            Path(f"{target}.part").replace(target)

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Turn any error of a store's library into one that says what to do."""
        try:
            yield
        except StoreError:
            raise
        except (Exception, asyncio.CancelledError) as error:
            raise StoreError(
                f"{name} in {self.url} cannot be read or written: {one_line(error)}. "
                "Check the store, its address and the keys for it."
            ) from error


def _open(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    if url.startswith("memory:"):
        raise StoreError(f"{url} keeps nothing beyond one process. Give a folder or URL.")
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
    return fs, str(root).rstrip("/")
