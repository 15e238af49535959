"""Counts kept per site and crawl, so that a later crawl can judge pages as they come.

One file holds what one crawl observed on one site: ``<folder>/<site>/<crawl>.npz``, the addresses
of its pages and the arrays of their observations, joined. The counts of a site are the merge of
its files, in any order. A file that cannot be used is told of and passed over, so that it costs no
more than what it held.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

import numpy as np
from xxhash import xxh3_64_hexdigest

from crawler.core.errors import StoreError
from crawler.core.frequency import KeyCounts, Observation, SiteCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.lib.npyio import NpzFile
    from numpy.typing import NDArray

__all__ = ["CountStore"]

logger = logging.getLogger(__name__)

_SUMS = "sums/"
_NO_COUNTS = KeyCounts.of({})
_FORMAT = 1
_LONGEST_NAME = 120
# Stands in a name that was cut, and in no other: no name is quoted with it.
_CUT = "%-"
# Characters that mean themselves in a file name of any system, case-insensitive ones too.
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")
# Names that Windows keeps for devices, with whatever extension.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
)


class _DamageError(ValueError):
    """A file of counts is not what was written; the message says in what."""


def _warn(error: StoreError) -> None:
    logger.warning("Counts passed over: %s", error)


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
            arrays = _sum_arrays(observations)
            with aside.open("wb") as file:
                np.savez(
                    file,
                    allow_pickle=False,
                    format=np.array(_FORMAT),
                    site=np.frombuffer(site.encode("utf-8", "surrogatepass"), dtype=np.uint8),
                    urls=np.frombuffer(b"".join(urls), dtype=np.uint8),
                    url_sizes=np.array([len(url) for url in urls], dtype=np.uint32),
                    sizes=np.array([len(page.keys) for page in observations], dtype=np.uint32),
                    keys=_joined([page.keys for page in observations], np.uint64),
                    weights=_joined([page.weights for page in observations], np.uint16),
                    **arrays,
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

    def load(self, site: str, on_unusable: Callable[[StoreError], None] = _warn) -> SiteCounts:
        """Merge what all crawls observed on a site; empty counts where none did.

        Args:
            site: the site's name.
            on_unusable: is told of each file that is passed over because it is damaged, cannot be
                read, or was written by a later version; without it, the log is.
        """
        counts = SiteCounts()
        for path in self.files(site):
            try:
                for observation in _read(path):
                    counts.add(observation)
            except StoreError as error:
                on_unusable(error)
        return counts

    def files(self, site: str) -> list[Path]:
        """Return the files that hold a site's counts, one a crawl."""
        return sorted(self._site_folder(site).glob("*.npz"))

    def sites(self) -> list[str]:
        """Return the names of the sites that have counts, sorted."""
        folders = {path.parent for path in self.folder.glob("*/*.npz")}
        return sorted(_site_of(folder) for folder in folders)

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
    digest = xxh3_64_hexdigest(name.encode("utf-8", "surrogatepass"))
    return f"{quoted[: _LONGEST_NAME - 18]}{_CUT}{digest}"


def _site_of(folder: Path) -> str:
    """Return the name that :func:`_file_name` made a folder's name of."""
    if _CUT in folder.name:
        # The rest of the name stands in the files alone.
        for path in sorted(folder.glob("*.npz")):
            with suppress(Exception), path.open("rb") as raw, np.load(raw) as file:
                whole: bytes = file["site"].tobytes()
                return whole.decode("utf-8", "surrogatepass")
    try:
        name = unquote_to_bytes(folder.name).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        # A folder that somebody else made.
        return folder.name
    return "" if name == "%" else name


def _sum_arrays(observations: Sequence[Observation]) -> dict[str, NDArray[Any]]:
    """Return three arrays for each thing that a method wants added up: sizes, keys, counts."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in sorted({name for page in observations for name in page.sums}):
        parts = [page.sums.get(name, _NO_COUNTS) for page in observations]
        sizes = np.array([len(part.keys) for part in parts], dtype=np.uint32)
        arrays[f"{_SUMS}{name}/sizes"] = sizes
        arrays[f"{_SUMS}{name}/keys"] = _joined([part.keys for part in parts], np.uint64)
        arrays[f"{_SUMS}{name}/counts"] = _joined([part.counts for part in parts], np.uint32)
    return arrays


def _joined(arrays: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)


def _read(path: Path) -> Iterator[Observation]:
    try:
        # Checked as a whole before the first page is given, so that no half file is merged.
        observations = _observations(path)
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read ({error}); check its permissions, or delete it and crawl again"
        ) from error
    except _DamageError as error:
        raise StoreError(f"{path} is damaged: {error}; delete it and crawl again") from error
    except Exception as error:
        # numpy and zipfile raise a dozen kinds of error over damaged bytes, with advice on numpy.
        raise StoreError(f"{path} is damaged; delete it and crawl again") from error
    yield from observations


def _observations(path: Path) -> list[Observation]:
    # Opened here: over a damaged file numpy leaves its own open.
    with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
        if int(file["format"]) != _FORMAT:
            raise StoreError(
                f"{path} was written by a later version; upgrade scrapy-corpus or delete it"
            )
        urls = file["urls"].tobytes()
        addresses = [
            urls[start:end].decode("utf-8", "surrogatepass")
            for start, end in _spans(file["url_sizes"], len(urls))
        ]
        keys = _of_kind(file["keys"], np.uint64)
        weights = _of_kind(file["weights"], np.uint16)
        if len(weights) != len(keys):
            raise _DamageError("its weights do not fit its blocks")
        spans = _spans(file["sizes"], len(keys))
        sums = _read_sums(file, len(addresses))
    if len(spans) != len(addresses):
        raise _DamageError("its addresses do not fit its pages")
    return [
        Observation(
            url=url,
            keys=keys[start:end],
            weights=weights[start:end],
            sums={name: parts[number] for name, parts in sums.items() if len(parts[number].keys)},
        )
        for number, (url, (start, end)) in enumerate(zip(addresses, spans, strict=True))
    ]


def _read_sums(file: NpzFile, pages: int) -> dict[str, list[KeyCounts]]:
    names = {
        name.removeprefix(_SUMS).removesuffix("/keys")
        for name in file.files
        if name.startswith(_SUMS) and name.endswith("/keys")
    }
    sums = {}
    for name in sorted(names):
        keys = _of_kind(file[f"{_SUMS}{name}/keys"], np.uint64)
        counts = _of_kind(file[f"{_SUMS}{name}/counts"], np.uint32)
        spans = _spans(file[f"{_SUMS}{name}/sizes"], len(keys))
        if len(counts) != len(keys) or len(spans) != pages:
            raise _DamageError(f"its sums {name!r} do not fit its pages")
        sums[name] = [KeyCounts(keys[start:end], counts[start:end]) for start, end in spans]
    return sums


def _of_kind(array: NDArray[Any], kind: type) -> NDArray[Any]:
    if array.dtype != kind:
        raise _DamageError("its numbers are of another kind")
    return array


def _spans(sizes: NDArray[Any], total: int) -> list[tuple[int, int]]:
    """Return where each of some parts begins and ends in what they make up together."""
    ends: list[int] = np.concatenate(
        [[0], np.cumsum(_of_kind(sizes, np.uint32), dtype=np.int64)]
    ).tolist()
    if ends[-1] != total:
        raise _DamageError("its parts do not fit the whole")
    return list(pairwise(ends))
