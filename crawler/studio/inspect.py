"""Why a page came out as it did: it is judged as ``scrapy extract`` judges it, and explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import RLock
from typing import Any, Final

from starlette.datastructures import QueryParams

from crawler.core.errors import ArgumentError
from crawler.core.flow import SiteCounts, method_names
from crawler.items import PageItem
from crawler.journey.extract import count_pages, judge_by, observed, read_alone
from crawler.settings import Options
from crawler.store.counts import CountStore
from crawler.store.document_models import model_names
from crawler.studio.inspected import metadata_shown, structure_shown, tables_shown, text_shown
from crawler.studio.pages import OpenPage, inside
from crawler.studio.workspace import Workspace

Answer = dict[str, Any]

KNOWN: Final = ("counts", "open", "files", "alone")
"""What the site of a page is known by.

``counts`` that crawls kept in ``CORPUS_DIR``, the ``open`` pages, ``files``: folders, archives and
counts; or nothing: the page ``alone``.
"""
_MOST_KEPT: Final = 6


@dataclass(frozen=True, slots=True)
class Known:
    """The counts by which the site of a page is known, in their present state.

    Attributes:
        kind: one of :data:`KNOWN`.
        pages: the open pages.
        files: the files and folders with their times and sizes: what was judged by others is old.
    """

    kind: str
    pages: tuple[OpenPage, ...] = ()
    files: tuple[tuple[str, int, int], ...] = ()


class Inspector:
    """Judges open pages and keeps the last ones.

    Args:
        options: the settings, those of ``scrapy extract`` in the same folder.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self._lock = RLock()
        self._judged = lru_cache(_MOST_KEPT)(self._judge)
        self._counted = lru_cache(_MOST_KEPT)(self._count)

    def show(self, space: Workspace, number: int, given: QueryParams) -> Answer:
        """Return a part of what is to be said of a page, as the query of an address names it.

        What it does not name is that of the settings.

        Raises:
            CorpusError: the page or its site cannot be read, or there is no such thing.
        """
        own, opened = self.options, space.page(number)
        # A name with a colon imports a module: that is for settings to say.
        methods = tuple(dict.fromkeys((own.text_method, *method_names())))
        method = _chosen(given, "method", methods)
        part = _chosen(given, "part", ("text", "tables", "structure", "metadata"))
        with self._lock:
            item, flaws = self._judged(opened, method, self._known(space, given))
            if part == "tables":
                return tables_shown(opened, item, own)
            if part == "metadata":
                return metadata_shown(opened, item)
            if part == "structure":
                name = given.get("model") or own.structure_model or "news"
                is_own = name in model_names() or name == own.structure_model
                model = name if is_own else str(inside(space.folder, name))
                by = given.get("structure") or own.structure_method
                shown = structure_shown(opened, item, model, by)
                return {**shown, "model": name, "models": model_names()}
            shown = {"flaws": flaws, "methods": methods, "method": method}
            return {**text_shown(opened, item), **shown}

    def _known(self, space: Workspace, given: QueryParams) -> Known:
        kind = _chosen(given, "known", KNOWN)
        if kind == "open":
            return Known(kind, pages=tuple(space.journal.opened.values()))
        names = [name for name in given.getlist("file") if kind == "files" and name.strip()]
        if kind == "files" and not names:
            raise ArgumentError(
                "name the folder, archive or counts by which the site is known"
            ).about("no-known")
        paths = [inside(space.folder, name) for name in names]
        if kind == "counts":
            paths = sorted((self.options.dir / "counts").glob("*/*.npz"))
        status = [(str(path), path.stat()) for path in paths]
        return Known(
            kind, files=tuple((path, its.st_mtime_ns, its.st_size) for path, its in status)
        )

    def _judge(
        self, opened: OpenPage, method: str, known: Known
    ) -> tuple[PageItem, tuple[str, ...]]:
        """Return the item of a page, which holds the page, and what is wrong with counts."""
        options = self._options(method)
        document = read_alone(opened.page, options, opened.parsed)
        flaws: list[str] = []
        counts = SiteCounts()
        if known.kind == "counts":
            store = CountStore(options.dir / "counts")
            counts = store.load(document.page.site_name, lambda flaw: flaws.append(str(flaw)))
        elif known.kind != "alone":
            # The page is added to the counts, which are asked about other pages too.
            counts.merge(self._counted(method, known))
        return judge_by(document, counts, options), tuple(flaws)

    def _count(self, method: str, known: Known) -> SiteCounts:
        if known.kind == "files":
            return observed([path for path, *_ in known.files], self._options(method))
        counts = SiteCounts()
        count_pages(counts, (its.page for its in known.pages), self._options(method))
        return counts

    def _options(self, method: str) -> Options:
        # Text and metadata do not depend on the other stages.
        return replace(
            self.options, text_method=method, item_sources=True, sentences=False,
            tables=False, structure_model=None, wrapper=None,
        )  # fmt: skip


def _chosen(given: QueryParams, name: str, choices: Sequence[str]) -> str:
    """Return the choice of a query, or the first one where it has none."""
    chosen = given.get(name) or choices[0]
    if chosen not in choices:
        raise ArgumentError(f"{name} is one of: {', '.join(choices)}")
    return chosen
