"""The file of counts: what one crawl observed on one site, as arrays that numpy reads.

An ``.npz`` archive is written and read here array by array and piece by piece, since a site's
observations need not fit memory. A file is checked as a whole before anything of it is counted.

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

from contextlib import contextmanager
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy

from crawler.core.counting.observation_log import BLOCKS, ObservationLog, Rows, stretches
from crawler.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from crawler.core.counting.spill_arrays import Space

__all__ = ["read_counts", "write_counts"]

_FORMAT = 1
_SUMS = "sums/"
_KEYS = "/keys.npy"
_CODING = ("utf-8", "surrogatepass")


class _DamageError(ValueError):
    """A file of counts is not what was written; the message says in what."""


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


def read_counts(path: Path, space: Space | None = None) -> ObservationLog:
    """Read what :func:`write_counts` wrote.

    Args:
        path: the file.
        space: where to keep the observations; in memory without.

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
    except _DamageError as error:
        raise StoreError(f"{path} is damaged: {error}; delete it and crawl again") from error
    except Exception as error:
        # numpy and zipfile raise a dozen kinds of error over damaged bytes, with advice on numpy.
        raise StoreError(f"{path} is damaged; delete it and crawl again") from error


def _read(path: Path, archive: ZipFile, space: Space | None) -> ObservationLog:
    if archive.testzip() is not None:
        raise StoreError(f"{path} is damaged; delete it and crawl again")
    if int(_array(archive, "format")) != _FORMAT:
        raise StoreError(
            f"{path} was written by a later version; upgrade scrapy-corpus or delete it"
        )
    joined = _array(archive, "urls").tobytes()
    spans = _spans(_array(archive, "url_sizes", np.uint32), len(joined))
    urls = [joined[start:end].decode(*_CODING) for start, end in spans]
    if len(set(urls)) < len(urls):
        raise _DamageError("some of its addresses stand there twice")
    log = ObservationLog(space)
    names = [name for name in archive.namelist() if name.startswith(_SUMS) and name.endswith(_KEYS)]
    sections = [BLOCKS, *sorted(name.removeprefix(_SUMS).removesuffix(_KEYS) for name in names)]
    # All is checked before the first page is taken, so that no half file is counted.
    checked = {name: _Section(archive, name, len(urls)) for name in sections}
    log.extend(urls, {name: part.rows(log.space.batch) for name, part in checked.items()})
    return log


def _names(section: str) -> tuple[str, str, type]:
    """Return what the names of a section's arrays begin with, its figures' name and their type."""
    if section == BLOCKS:
        return "", "weights", np.uint16
    return f"{_SUMS}{section}/", "counts", np.uint32


class _Section:
    """One section of a file, whose arrays fit each other."""

    def __init__(self, archive: ZipFile, section: str, pages: int) -> None:
        name, figures, kind = _names(section)
        self._archive = archive
        self._columns = (f"{name}keys", np.uint64), (f"{name}{figures}", kind)
        totals = [_length(archive, *column) for column in self._columns]
        if totals[0] != totals[1]:
            raise _DamageError(f"its {name}{figures} do not fit its {name}keys")
        sizes = _array(archive, f"{name}sizes", np.uint32)
        if len(sizes) != pages:
            raise _DamageError(f"its {name}sizes do not fit its addresses")
        self._ends = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        if self._ends[-1] != totals[0]:
            raise _DamageError(f"its {name}sizes do not fit its {name}keys")

    def rows(self, batch: int) -> Iterator[Rows]:
        """Read it, about so many entries at a time."""
        (keys_name, _), (figures_name, kind) = self._columns
        with (
            _column(self._archive, keys_name) as keys,
            _column(self._archive, figures_name) as figures,
        ):
            for first, last in stretches(self._ends, batch):
                sizes = np.diff(self._ends[first : last + 1])
                count = int(sizes.sum())
                yield Rows(sizes, _take(keys, np.uint64, count), _take(figures, kind, count))


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


def _array(archive: ZipFile, name: str, kind: type | None = None) -> NDArray[Any]:
    with archive.open(f"{name}.npy") as file:
        array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
    if kind is not None and array.dtype != kind:
        raise _DamageError("its numbers are of another kind")
    return array


def _length(archive: ZipFile, name: str, kind: type) -> int:
    """Return how many entries an array has, which is checked to hold as many as it says."""
    with archive.open(f"{name}.npy") as file:
        shape, dtype = _header(file)
        begin = file.tell()
    size = archive.getinfo(f"{name}.npy").file_size
    if dtype != kind or len(shape) != 1:
        raise _DamageError("its numbers are of another kind")
    if size != begin + shape[0] * dtype.itemsize:
        raise _DamageError(f"its {name} are not as many as they should be")
    return shape[0]


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(file)
    return shape, dtype


@contextmanager
def _column(archive: ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Open an array where its entries begin."""
    with archive.open(f"{name}.npy") as file:
        _header(file)
        yield file


def _take(file: IO[bytes], kind: type, count: int) -> NDArray[Any]:
    return np.frombuffer(file.read(count * np.dtype(kind).itemsize), dtype=kind, count=count)


def _spans(sizes: NDArray[Any], total: int) -> list[tuple[int, int]]:
    """Return where each of some parts begins and ends in what they make up together."""
    ends: list[int] = [0, *np.cumsum(sizes, dtype=np.int64).tolist()]
    if ends[-1] != total:
        raise _DamageError("its parts do not fit the whole")
    return list(pairwise(ends))
