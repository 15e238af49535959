"""Counts kept per site and crawl, so that a later crawl can judge pages as they come.

One file holds what one crawl observed on one site: ``<folder>/<site>/<crawl>.npz``, three arrays
and the addresses. The counts of a site are the merge of its files, in any order.
"""

from __future__ import annotations

import os
import zipfile
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np
from xxhash import xxh3_64_hexdigest

from crawler.core.errors import StoreError
from crawler.core.frequency import Observation, SiteCounts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["CountStore"]

_FORMAT = 1
_LONGEST_NAME = 120


class CountStore:
    """The counts in a folder, which is made when first written to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, site: str, crawl: str, counts: SiteCounts) -> Path:
        """Write what a crawl observed on a site, replacing what it wrote before, atomically.

        Raises:
            StoreError: the file cannot be written.
        """
        observations = list(counts.observations())
        target = self._site_folder(site) / f"{_file_name(crawl)}.npz"
        aside = target.with_suffix(f".{os.getpid()}.tmp")
        urls = "\n".join(page.url.replace("\n", "%0A") for page in observations)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with aside.open("wb") as file:
                np.savez(
                    file,
                    format=np.array(_FORMAT),
                    urls=np.frombuffer(urls.encode("utf-8", "surrogatepass"), dtype=np.uint8),
                    sizes=np.array([len(page.keys) for page in observations], dtype=np.uint32),
                    keys=_joined([page.keys for page in observations], np.uint64),
                    weights=_joined([page.weights for page in observations], np.uint16),
                )
            aside.replace(target)
        except OSError as error:
            aside.unlink(missing_ok=True)
            raise StoreError(
                f"cannot write the counts of {site} to {target}: {error}; "
                "free some space there or set CORPUS_DIR to another folder"
            ) from error
        return target

    def load(self, site: str) -> SiteCounts:
        """Merge what all crawls observed on a site; empty counts where none did.

        Raises:
            StoreError: a file is damaged or of a later format.
        """
        counts = SiteCounts()
        for path in sorted(self._site_folder(site).glob("*.npz")):
            for observation in _read(path):
                counts.add(observation)
        return counts

    def _site_folder(self, site: str) -> Path:
        return self.folder / _file_name(site)


def _file_name(name: str) -> str:
    """Make any name one folder or file name, distinct names distinct."""
    quoted = quote(name, safe="")
    if quoted.startswith("."):
        quoted = "%2E" + quoted[1:]
    if len(quoted) <= _LONGEST_NAME:
        return quoted or "%"
    return f"{quoted[: _LONGEST_NAME - 17]}-{xxh3_64_hexdigest(name.encode())}"


def _joined(arrays: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)


def _read(path: Path) -> Iterator[Observation]:
    try:
        with np.load(path, allow_pickle=False) as file:
            if int(file["format"]) != _FORMAT:
                raise StoreError(
                    f"{path} was written by a later version; upgrade scrapy-corpus or delete it"
                )
            urls = file["urls"].tobytes().decode("utf-8", "surrogatepass").split("\n")
            sizes = file["sizes"].astype(np.int64)
            keys, weights = file["keys"], file["weights"]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise StoreError(f"{path} is damaged ({error}); delete it and crawl again") from error
    end = 0
    for url, size in zip(urls, sizes.tolist(), strict=True):
        start, end = end, end + size
        yield Observation(url=url, keys=keys[start:end], weights=weights[start:end])
