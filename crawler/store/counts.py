"""Counts kept per site and crawl, so that a later crawl can judge pages as they come.

One file holds what one crawl observed on one site: ``<folder>/<site>/<crawl>.npz``, the addresses
of its pages and the arrays of their observations, joined. The counts of a site are the merge of
its files, in any order.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from xxhash import xxh3_64_hexdigest

from crawler.core.errors import StoreError
from crawler.core.frequency import Observation, SiteCounts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["CountStore"]

_FORMAT = 1
_LONGEST_NAME = 120
# Characters that mean themselves in a file name of any system, case-insensitive ones too.
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")
# Names that Windows keeps for devices, with whatever extension.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
)


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
        urls = [page.url.encode("utf-8", "surrogatepass") for page in observations]
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with aside.open("wb") as file:
                np.savez(
                    file,
                    format=np.array(_FORMAT),
                    urls=np.frombuffer(b"".join(urls), dtype=np.uint8),
                    url_sizes=np.array([len(url) for url in urls], dtype=np.uint32),
                    sizes=np.array([len(page.keys) for page in observations], dtype=np.uint32),
                    keys=_joined([page.keys for page in observations], np.uint64),
                    weights=_joined([page.weights for page in observations], np.uint16),
                )
            aside.replace(target)
        except OSError as error:
            with suppress(OSError):
                aside.unlink()
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
    # No name is quoted with "%-" in it, so one that was cut is like none that was not.
    digest = xxh3_64_hexdigest(name.encode("utf-8", "surrogatepass"))
    return f"{quoted[: _LONGEST_NAME - 18]}%-{digest}"


def _joined(arrays: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)


def _read(path: Path) -> Iterator[Observation]:
    try:
        urls, url_ends, ends, keys, weights = _arrays(path)
        # Checked as a whole before the first page is given, so that no half file is merged.
        addresses = [
            urls[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(url_ends)
        ]
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read ({error}); check its permissions, or delete it and crawl again"
        ) from error
    except Exception as error:
        # numpy and zipfile raise a dozen kinds of error over damaged bytes.
        raise StoreError(f"{path} is damaged ({error}); delete it and crawl again") from error
    for url, start, end in zip(addresses, ends[:-1], ends[1:], strict=True):
        yield Observation(url=url, keys=keys[start:end], weights=weights[start:end])


def _arrays(
    path: Path,
) -> tuple[bytes, list[int], list[int], NDArray[np.uint64], NDArray[np.uint16]]:
    """Read a file: the addresses joined, where each begins and ends, the same for observations."""
    # Opened here: over a damaged file numpy leaves its own open.
    with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
        if int(file["format"]) != _FORMAT:
            raise StoreError(
                f"{path} was written by a later version; upgrade scrapy-corpus or delete it"
            )
        urls = file["urls"].tobytes()
        url_ends, ends = _ends(file["url_sizes"]), _ends(file["sizes"])
        keys: NDArray[np.uint64] = file["keys"]
        weights: NDArray[np.uint16] = file["weights"]
    if keys.dtype != np.uint64 or weights.dtype != np.uint16:
        raise ValueError("its numbers are of another kind")
    if len(url_ends) != len(ends) or url_ends[-1] != len(urls):
        raise ValueError("its addresses do not fit its pages")
    if not ends[-1] == len(keys) == len(weights):
        raise ValueError("its blocks do not fit its pages")
    return urls, url_ends, ends, keys, weights


def _ends(sizes: NDArray[Any]) -> list[int]:
    if sizes.dtype != np.uint32:
        raise ValueError("its sizes are of another kind")
    places: list[int] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).tolist()
    return places
