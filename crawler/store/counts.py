"""Counts kept per site and crawl, so that a later crawl can judge pages as they come.

One file holds what one crawl observed on one site: ``<folder>/<site>/<crawl>.npz``, the addresses
of its pages and the arrays of their observations (:mod:`crawler.store.counts_file`). The counts of
a site are the merge of its files, in any order. A file that cannot be used is reported and passed
over; what the other files hold is not lost.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.counting.observation_log import ObservationLog
from crawler.core.counting.site_counts import SiteCounts
from crawler.core.errors import StoreError
from crawler.store.counts_file import read_counts, write_counts
from crawler.store.files import CUT, file_name, replacing, site_named
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crawler.core.counting.arrays import ArraySpace

logger = logging.getLogger(__name__)


def _warn(error: StoreError) -> None:
    logger.warning("Counts passed over: %s", error)


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
            write_counts(aside, site, counts.log)
        return target

    def load(
        self,
        site: str,
        on_unusable: Callable[[StoreError], None] = _warn,
        space: ArraySpace | None = None,
    ) -> SiteCounts:
        """Merge what all crawls observed on a site; empty counts where none did.

        Args:
            site: the site's name.
            on_unusable: called for each file that is passed over because it is damaged, cannot be
                read, or was written by a later version; without, a warning is logged.
            space: where to keep the counts while they are used; without, in memory, and beyond its
                limit in the store's folder.
        """
        space = space or DiskSpace(self.folder)
        counts = SiteCounts(ObservationLog(space))
        for path in self.files(site):
            try:
                log = read_counts(path, space)
            except StoreError as error:
                on_unusable(error)
            else:
                if len(counts):
                    counts.merge(SiteCounts(log))
                else:
                    counts = SiteCounts(log)
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
