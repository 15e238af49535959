"""The blocks of a site: how many stand on how many pages, and the most frequent ones with theirs.

Pages are counted as crawls count them; the counts that a crawl kept are not counted anew. Counts
hold keys of blocks and no text, so texts come from the pages: of those, only the ones that have a
block whose text is not known yet are read again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from crawler.core.counting.observation import BLOCKS
from crawler.core.errors import ArgumentError, StoreError, UnreadablePageError
from crawler.core.flow import Page, SiteCounts, SiteView, get_method, observe, read
from crawler.core.page.page import MAX_PAGE_BYTES
from crawler.core.wording import fit_width
from crawler.reports import counts as reports
from crawler.store.archive import ARCHIVE_SUFFIXES
from crawler.store.counts import CountStore
from crawler.store.sources import read_source
from crawler.store.spill_arrays import DiskSpace
from crawler.studio.jobs import Reading
from crawler.studio.messages import Message
from crawler.studio.pages import inside

if TYPE_CHECKING:
    from crawler.studio.workspace import Workspace

Answer = dict[str, Any]
_MOST_BLOCKS: Final = 5_000
_MOST_PAGES: Final = 5_000
_MOST_SITES: Final = 1_000
_TEXT: Final = 300
_KINDS: Final = (
    "name a folder of saved pages, an archive (.warc.gz), a list of pages (.jsonl with "
    "url and html), or the folder CORPUS_DIR of a crawl"
)


@dataclass(frozen=True, slots=True)
class Found:
    """Where a site is read: the counts of each site, or none; the folders and files of pages."""

    kept: Mapping[str, Callable[[Callable[[StoreError], None], DiskSpace], SiteCounts]]
    pages: tuple[Path, ...]


def find_site(folder: Path, name: str, pages: str) -> Found:
    """Find the counts and the pages of a name.

    Args:
        folder: the working folder.
        name: pages, or the folder of a crawl.
        pages: where the pages of counts are; empty for the archives that the crawl kept.

    Raises:
        CorpusError: it is outside of the folder, or there is nothing that can be read.
    """
    path = inside(folder, name)
    given = tuple(inside(folder, one) for one in (pages,) if one)
    for one in given or (path,):
        if not one.exists():
            raise ArgumentError(f"{one} does not exist; {_KINDS}").about("no-file", one)
    if any(path.glob("sites/*/counts")):
        one = min(path.glob("sites/*/counts")).parent.relative_to(folder)
        raise ArgumentError(
            f"{name} is the folder of a harvest; name a site's, such as {one}"
        ).about("harvest-folder", name, one)
    kept = CountStore(inside(folder, str(path / "counts")))
    sites = kept.sites()
    if not sites:
        return Found({}, (path,))
    archives = [one for one in path.glob("spool/*") if one.name.endswith(ARCHIVE_SUFFIXES)]
    found = given or tuple(inside(folder, str(one)) for one in sorted(archives))
    return Found({site: partial(kept.load, site) for site in sites}, found)


class SiteReading(Reading):
    """Reads a site in the background.

    Args:
        folder: the working folder.
        space: where counts are kept that do not fit memory.
        asked: ``name`` and ``pages`` as in :func:`find_site`, and ``site``, empty for the first.
        known: a reading of the same name, whose counts are used, where another site is chosen.

    Raises:
        CorpusError: as :func:`find_site`.
    """

    def __init__(
        self, folder: Path, space: DiskSpace, asked: Mapping[str, str], known: SiteReading | None
    ) -> None:
        self.asked = dict(asked)
        self.space = space
        self._folder = folder
        self._sources = find_site(folder, asked["name"], asked["pages"])
        self.counts: dict[str, SiteCounts] = known.counts if known else {}
        # Of each page the number of its source, and its number in that.
        self.places: dict[str, tuple[int, int]] = known.places if known else {}
        site, kept = asked["site"], self._sources.kept
        if not kept and not self.counts:
            read_source(self._sources.pages[0])
        elif site and site not in {*kept, *self.counts}:
            raise ArgumentError(f"there are no counts of {site}; choose another site").about(
                "no-counts", site
            )
        self._stage = "count"
        self._notes: list[str] = []
        self._skipped: Counter[str] = Counter()
        self._summary: Answer | None = None
        self._keys = np.empty(0, np.uint64)
        self._frequencies: list[tuple[int, int]] = []
        self._texts: dict[int, str] = {}
        self._lock = threading.Lock()
        super().__init__(site or next(iter(kept), ""))

    def progress(self, known: int) -> Answer:
        """Return how far the reading is, and what it has found if that is not known."""
        counted = [(len(counts), site) for site, counts in list(self.counts.items())]
        by_size = [site for _, site in sorted(counted, reverse=True)]
        return {
            **self.asked,
            "notes": self._notes[:3],
            "stage": self._stage,
            "skipped": self._skipped.total(),
            "reasons": dict(self._skipped.most_common(3)),
            "sites": list(self._sources.kept or by_size)[:_MOST_SITES],
            "sources": len(self._sources.pages),
            **super().progress(known),
        }

    def found(self) -> Answer:
        """Return the summary of the site, and its frequent blocks."""
        keys: list[int] = self._keys.tolist()
        rows = [
            [f"{key:016x}", self._texts.get(key), *both]
            for key, both in zip(keys, self._frequencies, strict=True)
        ]
        return {"summary": self._summary, "rows": rows}

    def pages_of(self, block: str) -> Answer:
        """Return the addresses of the pages on which a block stands, and where these are.

        Raises:
            ArgumentError: there is no such block.
        """
        try:
            key = np.uint64(int(block, 16))
        except (ValueError, OverflowError):
            key = np.uint64(0)
        if key not in self._keys:
            raise ArgumentError("there is no such block; read the site again").about("no-block")
        found, first = [], 0
        with self._lock:
            counts = self.counts[self.site]
            for rows in counts.rows(BLOCKS):
                ends = np.cumsum(rows.sizes)
                at = np.searchsorted(ends, np.flatnonzero(rows.keys == key), side="right")
                found.append(at + first)
                first += len(rows)
            urls = counts.urls()
        numbers = np.concatenate(found).tolist()
        pages: list[list[str | int | None]] = []
        for url in (urls[number] for number in numbers[:_MOST_PAGES]):
            source, place = self.places.get(url, (None, -1))
            path = None if source is None else self._sources.pages[source]
            name = path.relative_to(self._folder).as_posix() if path else None
            pages.append([url, name, place])
        return {"block": block, "number": len(numbers), "pages": pages}

    def work(self) -> None:
        """Count the pages, or load their counts; then find the texts of the frequent blocks."""
        if self.site in self._sources.kept:
            if self.site not in self.counts:
                load = self._sources.kept[self.site]
                self.counts[self.site] = load(lambda why: self._notes.append(str(why)), self.space)
        elif not self.counts:
            self._count()
            self.site = max(self.counts, key=lambda site: len(self.counts[site]), default="")
        counts = self.counts.get(self.site)
        if not counts:
            if self._notes:
                raise ArgumentError(self._notes[0])
            why = ", ".join(f"{reason} {n:,}" for reason, n in self._skipped.most_common(3))
            empty = f"{self.asked['name']} holds no page that can be read{why and f' ({why})'}"
            raise ArgumentError(f"{empty}; {_KINDS}").about("no-site-page", self.asked["name"])
        self._stage = "view"
        self._survey(counts.view())
        self.show()
        self._stage = "texts"
        self._find_texts(counts)
        self.read = sum(map(len, self.counts.values()))
        self.show()

    def _count(self) -> None:
        method = get_method(reports.PAPER)
        for place, page in self._pages(self._skip):
            try:
                observation = observe(read(page, MAX_PAGE_BYTES), method)
            except Exception as error:  # noqa: BLE001 - one page of anybody's must not end the reading
                self._skip(error.reason if isinstance(error, UnreadablePageError) else "error", "")
                continue
            site = page.site_name
            if site not in self.counts:
                self.counts[site] = SiteCounts(self.space)
            self.counts[site].add(observation)
            self.places[page.url] = place

    def _pages(self, on_skip: Callable[[str, str], None]) -> Iterator[tuple[tuple[int, int], Page]]:
        """Yield the pages with their places until the reading is stopped."""
        self.read = 0
        for number, path in enumerate(self._sources.pages):
            for at, page in enumerate(read_source(path, on_skip=on_skip)):
                if self.stopped:
                    return
                self.read += 1
                yield (number, at), page

    def _skip(self, reason: str, _: str) -> None:
        self._skipped[reason] += 1

    def _survey(self, view: SiteView) -> None:
        """Summarise a site, and choose its most frequent blocks."""
        order = np.lexsort((view.keys, -view.frequencies.astype(np.int64)))[:_MOST_BLOCKS]
        both = zip(
            view.frequencies[order].tolist(), view.text_frequencies[order].tolist(), strict=True
        )
        self._keys, self._frequencies = view.keys[order], list(both)
        found = reports.thresholds(view, map(get_method, reports.PLOTTED))
        self._summary = {
            "seen": view.pages_seen,
            "pages": view.pages,
            "near": len(view.duplicate_of),
            "recurring": len(view.keys),
            "single": view.single_blocks,
            "thresholds": [asdict(one) for one in found],
            "plot": asdict(reports.site_plot(view)),
        }

    def _find_texts(self, counts: SiteCounts) -> None:
        missing, placed = np.sort(self._keys), len(self.places) > 0
        for place, page in self._pages(lambda _reason, _detail: None):
            if placed and not len(missing):
                break
            self.places[page.url] = place
            missing = self._take_texts(counts, page, missing)
            self.show_soon()

    def _take_texts(
        self, counts: SiteCounts, page: Page, missing: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """Take the texts of blocks from a page that has some; return the keys still without."""
        try:
            with self._lock:
                keys, _ = counts.blocks(page.url)
            if not np.isin(missing, keys, assume_unique=True).any():
                return missing
            blocks = read(page, MAX_PAGE_BYTES).blocks
        except StoreError:
            raise
        except Exception:  # noqa: BLE001 - it was not counted, or cannot be read, as above
            return missing
        texts = {block.key: block.text for block in blocks}
        own = np.fromiter(texts, dtype=np.uint64, count=len(texts))
        for key in missing[np.isin(missing, own)].tolist():
            self._texts[key] = fit_width(texts[key], _TEXT)
        return missing[~np.isin(missing, own)]


def start_site(workspace: Workspace, message: Message) -> Answer:
    """Read a site in the background; a reading before it is stopped.

    Raises:
        CorpusError: there is nothing to read.
    """
    asked = {part: message.part(part, str, "").strip() for part in ("name", "pages", "site")}
    if not asked["name"]:
        raise ArgumentError(_KINDS).about("name-site")
    known, old = None, workspace.jobs.get("site")
    # Only to choose another site is what was read used again: a folder may have changed.
    if isinstance(old, SiteReading) and not old.is_running and asked["site"]:
        known = old if all(old.asked[part] == asked[part] for part in ("name", "pages")) else None
    space = known.space if known else DiskSpace(workspace.beside)
    return workspace.begin("site", SiteReading(workspace.folder, space, asked, known))
