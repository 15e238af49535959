"""Why a page came out as it did: it is judged as ``scrapy extract`` judges it, and explained."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, Final

from starlette.datastructures import QueryParams

from crawler.core.errors import ArgumentError, CorpusError
from crawler.core.flow import Page, SiteCounts, method_names
from crawler.items import PageItem
from crawler.journey.extract import count_pages, judge_by, observed, read_alone
from crawler.settings import Options
from crawler.store.counts import CountStore
from crawler.store.document_models import model_names
from crawler.store.sources import page_of_file
from crawler.studio.inspected import metadata_shown, structure_shown, tables_shown, text_shown
from crawler.studio.pages import OpenPage, inside, is_remote
from crawler.studio.workspace import Workspace

Answer = dict[str, Any]

KNOWN: Final = ("counts", "open", "files", "alone")
"""What the site of a page is known by.

``counts`` that crawls kept in ``CORPUS_DIR``, the ``open`` pages, ``files``: folders, archives and
counts; or nothing: the page ``alone``.
"""
_MOST_KEPT: Final = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """What a window asks of a page.

    Attributes:
        part: ``text``, ``tables``, ``structure`` or ``metadata``.
        method: the text method.
        known: one of :data:`KNOWN`.
        files: with ``files``, their names.
        model, structure_method: of the structure.
    """

    part: str
    method: str
    known: str
    files: tuple[str, ...]
    model: str
    structure_method: str

    @classmethod
    def read(cls, given: QueryParams, options: Options) -> Asked:
        """Read the query of an address; what it does not name is that of the settings.

        Raises:
            ArgumentError: there is no such thing.
        """
        asked = cls(
            part=given.get("part", "text"),
            method=given.get("method") or options.text_method,
            known=given.get("known", "counts"),
            files=tuple(name for name in given.getlist("file") if name.strip()),
            model=given.get("model") or options.structure_model or "news",
            structure_method=given.get("structure") or options.structure_method,
        )
        for name, value, choices in (
            ("part", asked.part, ("text", "tables", "structure", "metadata")),
            ("known", asked.known, KNOWN),
            # A name with a colon imports a module: that is for settings to say.
            ("method", asked.method, (*method_names(), options.text_method)),
        ):
            if value not in choices:
                raise ArgumentError(f"{name} is one of: {', '.join(choices)}")
        if asked.known == "files" and not asked.files:
            raise ArgumentError(
                "name the folder, archive or counts by which the site is known"
            ).about("no-known")
        return asked


@dataclass(frozen=True)
class Judged:
    """A page that was judged: its item, which holds the page, and what went wrong with counts."""

    opened: OpenPage
    item: PageItem
    flaws: tuple[str, ...]

    @cached_property
    def text(self) -> Answer:
        """What is shown of its blocks, made once."""
        return text_shown(self.opened, self.item)


class Inspector:
    """Judges open pages and keeps the last ones.

    Args:
        options: the settings, those of ``scrapy extract`` in the same folder.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self._lock = RLock()
        self._judged: dict[tuple[int, str, str, tuple[str, ...]], tuple[object, Judged]] = {}
        self._counts: dict[tuple[str, str, tuple[str, ...]], tuple[object, SiteCounts]] = {}

    def show(self, space: Workspace, number: int, given: QueryParams) -> Answer:
        """Return a part of what is to be said of a page.

        Raises:
            CorpusError: the page or its site cannot be read, or there is no such thing.
        """
        asked = Asked.read(given, self.options)
        with self._lock:
            judged = self._judge(space, space.page(number), asked)
            if asked.part == "tables":
                return tables_shown(judged.opened, judged.item, self.options)
            if asked.part == "metadata":
                return metadata_shown(judged.opened, judged.item)
            if asked.part == "structure":
                is_own = asked.model in model_names() or asked.model == self.options.structure_model
                model = asked.model if is_own else str(inside(space.folder, asked.model))
                shown = structure_shown(judged.opened, judged.item, model, asked.structure_method)
                return {**shown, "model": asked.model, "models": model_names()}
            return {
                **judged.text,
                "flaws": judged.flaws,
                "methods": list(dict.fromkeys((*method_names(), self.options.text_method))),
                "method": asked.method,
                "command": self._command(space, judged, asked),
            }

    def _judge(self, space: Workspace, opened: OpenPage, asked: Asked) -> Judged:
        key = opened.number, asked.method, asked.known, asked.files
        state = opened, self._state(space, asked)
        known = self._judged.pop(key, None)
        if known is None or known[0] != state:
            known = state, self._fresh(space, opened, asked)
        self._judged[key] = known
        _forget(self._judged)
        return known[1]

    def _fresh(self, space: Workspace, opened: OpenPage, asked: Asked) -> Judged:
        # Text and metadata do not depend on the other stages.
        options = replace(
            self.options, text_method=asked.method, item_sources=True, sentences=False,
            tables=False, structure_model=None, wrapper=None,
        )  # fmt: skip
        document = read_alone(opened.page, options, opened.parsed)
        flaws: list[str] = []
        counts = SiteCounts()
        if asked.known == "counts":
            store = CountStore(options.dir / "counts")
            counts = store.load(document.page.site_name, lambda flaw: flaws.append(str(flaw)))
        elif asked.known != "alone":
            # The page is added to the counts, which are asked about other pages too.
            counts.merge(self._counted(space, asked, options))
        return Judged(opened, judge_by(document, counts, options), tuple(flaws))

    def _counted(self, space: Workspace, asked: Asked, options: Options) -> SiteCounts:
        key, state = (asked.method, asked.known, asked.files), self._state(space, asked)
        known = self._counts.pop(key, None)
        if known is None or known[0] != state:
            counts = SiteCounts()
            if asked.known == "open":
                count_pages(counts, (its.page for its in _open(space)), options)
            else:
                counts = observed([str(inside(space.folder, its)) for its in asked.files], options)
            known = state, counts
        self._counts[key] = known
        _forget(self._counts)
        return known[1]

    def _state(self, space: Workspace, asked: Asked) -> object:
        """Return what changes with the pages that are known: what was judged by others is old."""
        if asked.known == "open":
            return tuple(_open(space))
        paths = [inside(space.folder, name) for name in asked.files]
        if asked.known == "counts":
            paths = sorted((self.options.dir / "counts").glob("*/*.npz"))
        return tuple(map(_changed, paths))

    def _command(self, space: Workspace, judged: Judged, asked: Asked) -> str:
        """Return the command that shows the same; empty where none does."""
        opened, others = judged.opened, _open(space) if asked.known == "open" else ()
        own = opened.page if is_remote(opened.name) else self._saved(space, opened)
        if own is None or not all(self._saved(space, its) for its in others):
            return ""
        # The command always uses the counts that crawls kept.
        kept = CountStore(self.options.dir / "counts").sites() if asked.known == "alone" else ()
        if judged.item.site in kept:
            return ""
        parts = ["scrapy", "extract", opened.name]
        if own.url != opened.page.url:
            parts += ["--url", opened.page.url]
        if asked.method != self.options.text_method:
            parts += ["--method", asked.method]
        for name in [its.name for its in others] or asked.files:
            parts += ["--with", name]
        return shlex.join([*parts, "--explain"])

    def _saved(self, space: Workspace, opened: OpenPage) -> Page | None:
        """Return the one page of the file of an open page; None where the file is no such file."""
        if is_remote(opened.name):
            return None
        try:
            path = inside(space.folder, opened.name)
            return page_of_file(str(path), None, self.options.max_page_bytes)
        except (CorpusError, OSError):
            return None


def _open(space: Workspace) -> Sequence[OpenPage]:
    return [space.page(number) for number in space.journal.opened]


def _changed(path: Path) -> tuple[str, int, int]:
    status = path.stat()
    return str(path), status.st_mtime_ns, status.st_size


def _forget(kept: dict[Any, Any]) -> None:
    """Forget what was asked for least recently."""
    while len(kept) > _MOST_KEPT:
        del kept[next(iter(kept))]
