"""Counts kept per site and crawl, so that a later crawl can judge pages as they come.

One file holds what one crawl observed on one site: ``<folder>/<site>/<crawl>.npz``. The counts of a
site are the merge of its files, in any order. A file that cannot be used is reported and passed
over; what the other files hold is not lost.

An ``.npz`` archive is written and read here array by array and piece by piece, since a site's
observations need not fit memory. Nothing of a file is counted that does not match as a whole.

=========================  ========================================================================
``format``                 1
``site``                   the site's name in UTF-8, uint8
``urls``, ``url_sizes``    the addresses in UTF-8, joined, uint8; the bytes of each, uint32
``sizes``                  how many blocks each page has, uint32
``keys``, ``weights``      the pages' blocks, joined, uint64 and uint16
``sums/NAME/sizes``        how many entries each page adds to a sum, uint32
``sums/NAME/keys``,        these entries, joined, uint64 and uint32
``sums/NAME/counts``
=========================  ========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crawler.core.counting.arrays import ArraySpace
from crawler.core.counting.observation import BLOCKS, ObservationLog, Rows, batches
from crawler.core.counting.site_counts import SiteCounts
from crawler.core.errors import StoreError
from crawler.store.files import CUT, file_name, replacing, site_named
from crawler.store.spill_arrays import DiskSpace

COUNTS_SUFFIX = ".npz"
"""How names of files of counts end."""

_FORMAT = 1
_SUMS = "sums/"
_KEYS = "/keys.npy"
_CODING = ("utf-8", "surrogatepass")


class CountStore:
    """The counts in a folder, which is made when first written to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, site: str, crawl: str, counts: SiteCounts) -> Path:
        """Write what a crawl observed on a site, in the place of what it wrote before.

        Raises:
            StoreError: the file cannot be written.
        """
        target = self.folder / file_name(site) / f"{file_name(crawl)}.npz"
        with replacing(target) as aside:
            write_counts(aside, site, counts)
        return target

    def load(
        self,
        site: str,
        on_unusable: Callable[[StoreError], None],
        space: ArraySpace | None = None,
    ) -> SiteCounts:
        """Merge what all crawls observed on a site; empty counts where none did.

        Args:
            site: the site's name.
            on_unusable: called for each file that is passed over because it is damaged, cannot be
                read, or was written by a later version.
            space: where to keep the counts while they are used; without, in memory, and beyond its
                limit in the store's folder.
        """
        space = space or DiskSpace(self.folder)
        counts = SiteCounts(space)
        for path in self.files(site):
            try:
                log = read_counts(path, space)
            except StoreError as error:
                on_unusable(error)
            else:
                if len(counts):
                    counts.merge(log)
                else:
                    counts = log
        return counts

    def files(self, site: str) -> list[Path]:
        """Return the files that hold a site's counts, one a crawl."""
        return sorted((self.folder / file_name(site)).glob("*.npz"))

    def sites(self) -> list[str]:
        """Return the names of the sites that have counts, sorted."""
        folders = {path.parent for path in self.folder.glob("*/*.npz")}
        return sorted(_site_of(folder) for folder in folders)


def _site_of(folder: Path) -> str:
    """Return the name that :func:`crawler.store.files.file_name` made a folder's name of."""
    if CUT in folder.name:
        # The whole name is only in the files.
        for path in sorted(folder.glob("*.npz")):
            with suppress(Exception), path.open("rb") as raw, np.load(raw) as file:
                whole: bytes = file["site"].tobytes()
                return whole.decode("utf-8", "surrogatepass")
    return site_named(folder.name)


class _DamageError(ValueError):
    """A file of counts is not what was written; the message says where it differs."""


def write_counts(path: Path, site: str, log: ObservationLog) -> None:
    """Write a site's observations.

    Raises:
        OSError: the file cannot be written.
        StoreError: the observations cannot be read.
    """
    urls = [url.encode(*_CODING) for url in log.urls()]
    with ZipFile(path, "w") as archive:
        _write(archive, "format", np.array(_FORMAT))
        _write(archive, "site", np.frombuffer(site.encode(*_CODING), dtype=np.uint8))
        _write(archive, "urls", np.frombuffer(b"".join(urls), dtype=np.uint8))
        _write(archive, "url_sizes", np.array([len(url) for url in urls], dtype=np.uint32))
        for section in log.sections:
            sizes = log.sizes(section)
            total = int(sizes.sum())
            name, figures, kind = _names(section)
            _write(archive, f"{name}sizes", sizes.astype(np.uint32))
            keys = (rows.keys for rows in log.rows(section))
            _write_pieces(archive, f"{name}keys", np.uint64, total, keys)
            pieces = (rows.figures for rows in log.rows(section))
            _write_pieces(archive, f"{name}{figures}", kind, total, pieces)


def read_counts(path: Path, space: ArraySpace | None = None) -> SiteCounts:
    """Read what :func:`write_counts` wrote into a space, or into memory.

    Raises:
        StoreError: the file is damaged, cannot be read, or was written by a later version.
    """
    try:
        with ZipFile(path) as archive:
            return _read(path, archive, space)
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read ({error}); check its permissions, or delete it and crawl again"
        ) from error
    except Exception as error:
        # numpy and zipfile raise a dozen kinds of error over damaged bytes, with advice on numpy.
        reason = f": {error}" if isinstance(error, _DamageError) else ""
        raise StoreError(f"{path} is damaged{reason}; delete it and crawl again") from error


def _read(path: Path, archive: ZipFile, space: ArraySpace | None) -> SiteCounts:
    if (damaged := archive.testzip()) is not None:
        raise _DamageError(f"the checksum of {damaged} is wrong")
    if int(_array(archive, "format")) != _FORMAT:
        raise StoreError(
            f"{path} was written by a later version; upgrade scrapy-corpus or delete it"
        )
    joined = _array(archive, "urls").tobytes()
    ends = _ends(archive, "url_sizes")
    urls = [joined[start:end].decode(*_CODING) for start, end in pairwise(ends.tolist())]
    if ends[-1] != len(joined) or len(set(urls)) < len(urls):
        raise _DamageError("its addresses do not match their sizes, or are there twice")
    log = SiteCounts(space)
    names = [name for name in archive.namelist() if name.startswith(_SUMS) and name.endswith(_KEYS)]
    sections = [BLOCKS, *sorted(name.removeprefix(_SUMS).removesuffix(_KEYS) for name in names)]
    log.extend(urls, {each: _rows(archive, each, len(urls), log.space.batch) for each in sections})
    return log


def _names(section: str) -> tuple[str, str, type]:
    """Return the prefix of a section's arrays, and the name and data type of its figures."""
    if section == BLOCKS:
        return "", "weights", np.uint16
    return f"{_SUMS}{section}/", "counts", np.uint32


def _rows(archive: ZipFile, section: str, pages: int, batch: int) -> Iterator[Rows]:
    name, figures, kind = _names(section)
    ends = _ends(archive, f"{name}sizes")
    if len(ends) != pages + 1:
        raise _DamageError(f"its {name}sizes do not match its addresses")
    with (
        archive.open(f"{name}keys.npy") as keys_file,
        archive.open(f"{name}{figures}.npy") as figures_file,
    ):
        for file, expected in ((keys_file, np.uint64), (figures_file, kind)):
            npy.read_magic(file)
            shape, _, dtype = npy.read_array_header_1_0(file)
            if shape != (ends[-1],) or dtype != expected:
                raise _DamageError(f"{file.name} does not match {name}sizes")
        for first, last in batches(ends, batch):
            count = int(ends[last] - ends[first])
            keys = _take(keys_file, np.uint64, count)
            yield Rows(np.diff(ends[first : last + 1]), keys, _take(figures_file, kind, count))


def _ends(archive: ZipFile, name: str) -> NDArray[np.int64]:
    """Return where the entries of each page end, from 0 on, by an array of their numbers."""
    sizes = _array(archive, name)
    if sizes.dtype != np.uint32:
        raise _DamageError(f"its {name} are of another data type")
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _write(archive: ZipFile, name: str, array: NDArray[Any]) -> None:
    with archive.open(f"{name}.npy", "w") as file:
        npy.write_array(file, array, allow_pickle=False)


def _write_pieces(
    archive: ZipFile, name: str, kind: type, total: int, pieces: Iterable[NDArray[Any]]
) -> None:
    """Write one array, given in pieces, as numpy would write it whole."""
    header = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": (total,)}
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        npy.write_array_header_1_0(file, header)
        for piece in pieces:
            file.write(piece.view(np.uint8).data)


def _array(archive: ZipFile, name: str) -> NDArray[Any]:
    with archive.open(f"{name}.npy") as file:
        array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
    return array


def _take(file: IO[bytes], kind: type, count: int) -> NDArray[Any]:
    return np.frombuffer(file.read(count * np.dtype(kind).itemsize), dtype=kind, count=count)
