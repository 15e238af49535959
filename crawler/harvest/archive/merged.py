"""What all shards tell of the sites of a partition: views of their counts, and who is judged where.

``P.views`` holds site after site what its pages are judged by: a line of JSON, then the arrays of
its view, with the least byte first. ``P.parts`` (:mod:`crawler.harvest.archive.members`) has one
member for each shard that has sites of the partition, with the places of these sites among the
views, and two lists of the shard's pages: those that give no item, and those that are judged
together with pages of other shards. So a process that judges a shard reads no more than what is of
its own sites.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np
from xxhash import xxh3_64, xxh3_64_intdigest

from crawler.core.counting.observation import KeyCounts
from crawler.core.errors import StoreError
from crawler.core.flow import SiteView
from crawler.harvest.archive.members import open_member, write_members

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = [
    "JudgedBy",
    "KnownView",
    "Part",
    "ViewFile",
    "read_parts",
    "views_path",
    "write_parts",
    "write_view",
]

_MEMORY: Final = 256 << 20
# Rough, as Python keeps it: an address in a dictionary.
_BYTES_OF_ADDRESS: Final = 300
_KINDS: Final = {"keys": "<u8", "frequencies": "<u4", "text_frequencies": "<u4"}


@dataclass(frozen=True, slots=True)
class KnownView(SiteView):
    """The counts of a site, and which of its pages are others.

    ``aliases``
        Of each page that is another by another address, that other.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """What the pages of a site are judged by.

    ``view``
        Its counts, and which of its pages are others.
    ``chains``
        The articles that are cut into several pages: canonical addresses, in order.
    """

    view: KnownView
    chains: Sequence[tuple[str, ...]]

    @property
    def size(self) -> int:
        """How many bytes of memory it takes, about."""
        view = self.view
        arrays: list[NDArray[Any]] = [view.keys, view.frequencies, view.text_frequencies]
        for sums in view.sums.values():
            arrays += [sums.keys, sums.counts]
        addresses = len(view.duplicate_of) + len(view.aliases) + sum(map(len, self.chains))
        return sum(array.nbytes for array in arrays) + addresses * _BYTES_OF_ADDRESS


@dataclass(slots=True)
class Part:
    """What a shard has of a partition.

    ``sites``
        Where each of its sites stands among the views: first byte, length, checksum.
    ``unwanted``, ``together``
        The numbers of its pages that give no item, and of those that are judged together with
        pages of other shards.
    """

    sites: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    unwanted: list[int] = field(default_factory=list)
    together: list[int] = field(default_factory=list)


def views_path(path: Path) -> Path:
    """Return where the views lie that belong to the lists at ``path``."""
    return path.with_suffix(".views")


def write_view(file: IO[bytes], judged_by: JudgedBy) -> tuple[int, int, int]:
    """Write what a site is judged by; return its place: first byte, length, checksum.

    Raises:
        OSError: it cannot be written.
    """
    view = judged_by.view
    head = {
        "pages_seen": view.pages_seen,
        "pages": view.pages,
        "snapshot": view.snapshot,
        "single_blocks": view.single_blocks,
        "single_texts": view.single_texts,
        "duplicate_of": dict(view.duplicate_of),
        "aliases": dict(view.aliases),
        "chains": judged_by.chains,
        "size": len(view.keys),
        "sums": {name: len(sums.keys) for name, sums in view.sums.items()},
    }
    pieces = [json.dumps(head).encode() + b"\n"]
    pieces += [getattr(view, name).astype(kind).tobytes() for name, kind in _KINDS.items()]
    for sums in view.sums.values():
        pieces += [sums.keys.astype("<u8").tobytes(), sums.counts.astype("<u4").tobytes()]
    start, check = file.tell(), xxh3_64()
    for piece in pieces:
        check.update(piece)
        file.write(piece)
    return start, file.tell() - start, check.intdigest()


def write_parts(path: Path, parts: Mapping[int, Part]) -> None:
    """Write what each shard, by number, has of a partition.

    Raises:
        OSError: it cannot be written.
    """
    with write_members(path) as writer:
        for number, part in sorted(parts.items()):
            writer.begin(number)
            value = json.dumps([part.sites, part.unwanted, part.together]).encode()
            writer.write(zlib.compress(value, 1))


def read_parts(path: Path, number: int) -> Part:
    """Read what a shard has of a partition.

    Raises:
        StoreError: the file is missing or damaged.
    """
    try:
        with open_member(path, number) as found:
            if found is None:
                raise ValueError(f"it has nothing of shard {number}")  # noqa: TRY301 - one handler
            file, end = found
            data = file.read(end - file.tell())
        sites, unwanted, together = json.loads(zlib.decompress(data))
    except (OSError, ValueError, KeyError, TypeError, zlib.error) as error:
        raise _damaged(path, error) from error
    return Part({site: tuple(place) for site, place in sites.items()}, unwanted, together)


class ViewFile:
    """What the sites of a shard are judged by, read when it is asked for.

    What was used last is kept in memory, up to a limit; one site's is, whatever its size.

    Args:
        memory: the limit in bytes.
    """

    def __init__(self, memory: int = _MEMORY) -> None:
        self._memory = memory
        self._places: dict[str, tuple[Path, tuple[int, int, int]]] = {}
        self._kept: OrderedDict[str, JudgedBy] = OrderedDict()
        self._held = 0

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites that are known."""
        return tuple(self._places)

    def add(self, path: Path, part: Part) -> None:
        """Make the sites of a part known, whose views lie beside ``path``."""
        for site, place in part.sites.items():
            self._places[site] = views_path(path), place

    def of(self, site: str) -> JudgedBy:
        """Return what the pages of a site are judged by.

        Raises:
            StoreError: it cannot be read.
        """
        kept = self._kept.get(site)
        if kept is not None:
            self._kept.move_to_end(site)
            return kept
        if site not in self._places:
            return JudgedBy(KnownView.unknown(), ())
        judged_by = _read(*self._places[site])
        self._kept[site] = judged_by
        self._held += judged_by.size
        while self._held > self._memory and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._held -= oldest.size
        return judged_by


def _read(path: Path, place: tuple[int, int, int]) -> JudgedBy:
    start, length, check = place
    try:
        with path.open("rb") as file:
            file.seek(start)
            data = file.read(length)
        if xxh3_64_intdigest(data) != check:
            raise ValueError("its checksum is another")  # noqa: TRY301 - one handler
        return _view(data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, error) from error


def _view(data: bytes) -> JudgedBy:
    line = data.index(b"\n")
    head = json.loads(data[:line])
    at = line + 1

    def take(kind: str, count: int) -> NDArray[Any]:
        nonlocal at
        array = np.frombuffer(data, dtype=kind, count=count, offset=at)
        at += array.nbytes
        return array.astype(np.dtype(kind).newbyteorder("="))

    arrays = {name: take(kind, head["size"]) for name, kind in _KINDS.items()}
    sums = {n: KeyCounts(take("<u8", size), take("<u4", size)) for n, size in head["sums"].items()}
    view = KnownView(
        pages_seen=head["pages_seen"],
        pages=head["pages"],
        snapshot=head["snapshot"],
        single_blocks=head["single_blocks"],
        single_texts=head["single_texts"],
        duplicate_of=head["duplicate_of"],
        sums=sums,
        aliases=head["aliases"],
        **arrays,
    )
    return JudgedBy(view, [tuple(chain) for chain in head["chains"]])


def _damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path} is missing or damaged ({error}): delete the folder it lies in, and run the "
        "command again to have it made anew"
    )
