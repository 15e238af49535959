"""From an annotated page to the item that is exported."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from crawler.core.errors import OptionError
from crawler.core.markdown import markdown
from crawler.core.metadata import read_metadata
from crawler.core.methods import Cutoff, CutoffMethod
from crawler.core.methods.article.method import confidence
from crawler.core.page.robots_meta import read_directives
from crawler.core.pagetype import page_type
from crawler.core.sentences import language_of, splitter_for
from crawler.core.structure.structure import check_structure_method, structure_of
from crawler.core.tables.classify import get_table_method
from crawler.core.tables.coherency import Constants
from crawler.core.tables.content import judge_tables, table_as_dict, tables_of
from crawler.core.tables.words import load_words
from crawler.items import PageItem
from crawler.pipelines.item_origins import AwaitingItems
from crawler.store.document_models import load_model
from crawler.wrapper.crawl_wrapper import CrawlWrapper

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.core.flow import Annotation, SiteView, TextMethod
    from crawler.core.page.page import Document
    from crawler.core.structure.model import Model
    from crawler.core.structure.structure import Structure
    from crawler.core.tables.classify import TableMethod
    from crawler.core.tables.words import Words
    from crawler.settings import Options

__all__ = ["ItemMaker", "structure_model", "table_method", "table_words"]

logger = logging.getLogger(__name__)

_UNMATCHED, _INCOMPLETE = "unmatched", "incomplete"
"""What may be wrong with a structure: no element was found, or not all that the model asks for."""

_COMMENT = "comment"
"""Why a block is not kept that a reader of the page wrote, as methods say it that can tell."""


def table_method(options: Options, words: Words | None = None) -> TableMethod:
    """Return the table method that the settings ask for; ``words`` are those they add.

    Raises:
        UnknownMethodError: there is none of that name.
    """
    constants = Constants(**asdict(options.table_constants))
    return get_table_method(options.table_method, constants, words)


def structure_model(options: Options) -> Model | None:
    """Return the document model of the settings; ``None`` where they name none.

    Raises:
        UnknownMethodError: there is no structure method of that name.
        ModelError: the model is wrong; the message names file, line and column.
        UnreadableInputError: there is no such model.
    """
    if options.structure_model is None:
        return None
    check_structure_method(options.structure_method)
    return load_model(options.structure_model)


def table_words(options: Options) -> Words | None:
    """Return the lists by which tables are told, those of the settings added; None for no more.

    Raises:
        OptionError: the file is missing or not of the right form.
    """
    path = options.table_words
    if path is None:
        return None
    try:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        lists = [json.loads(file.read_text("utf-8")) for file in files]
    except (OSError, ValueError) as error:
        raise OptionError(
            f"CORPUS_TABLE_WORDS is {str(path)!r}, which cannot be read as JSON ({error}). It "
            "accepts a file, or a folder of files, as docs/tables.md describes them."
        ) from error
    if not lists:
        raise OptionError(
            f"CORPUS_TABLE_WORDS is {str(path)!r}, a folder without any .json file in it."
        )
    for file, each in zip(files, lists, strict=True):
        # A file called cs.json holds the marks of that language.
        if isinstance(each, dict) and re.fullmatch("[a-z]{2,3}", file.stem):
            each.setdefault("language", file.stem)
    return load_words(lists, [str(file) for file in files])


def _uncounted(key: str, count: int) -> None:
    """Leave a figure alone."""


class ItemMaker:
    """Makes the items of one crawl.

    Args:
        options: the crawl's settings.
        method: the method that judged the pages.
        mode: which counts they were judged by, as the items say it.
        count: adds to a figure of the crawl.

    Raises:
        UnknownMethodError: sentences cannot be split as the settings ask, or there is no such
            table method or structure method.
        OptionError: the lists of more words for tables cannot be used.
        ModelError: the document model is wrong.
        UnreadableInputError: there is no such document model, or no such wrapper project.
        ScriptsNotInstalledError: the wrapper project has scripts, and nothing can run them.
    """

    def __init__(
        self,
        options: Options,
        method: TextMethod,
        *,
        mode: str,
        count: Callable[[str, int], None] = _uncounted,
    ) -> None:
        if options.sentences:
            # A way to split that is not to be had must be told before a page is fetched.
            splitter_for("", options.sentence_method)
        self._options = options
        self._method = method
        self._model = structure_model(options)
        self._table_words = table_words(options)
        self._table_method = table_method(options, self._table_words)
        self._mode = mode
        self._count = count
        self.rules = CrawlWrapper.of(options, count)
        """The wrapper project of the settings, None where they name none."""
        self.awaiting = AwaitingItems()
        """Items whose rules are still to be run."""
        self._cutoffs: dict[str, Cutoff | None] = {}
        self.cutoffs: dict[str, dict[str, int | None]] = {}
        """By site: on how many pages its threshold rests, the threshold, and k."""

    def make(
        self,
        annotation: Annotation,
        view: SiteView,
        kind: str | None = None,
        *,
        scripts_later: bool = False,
    ) -> PageItem:
        """Make the item of one page.

        Args:
            annotation: the page, judged.
            view: the counts it was judged by.
            kind: its page type where it is known already.
            scripts_later: leave rules that have scripts to the pipeline, which runs them while the
                crawl goes on.
        """
        document = annotation.document
        awaits = scripts_later and self.rules is not None and self.rules.has_scripts
        page = document.page
        kept = sum(label.kept for label in annotation.labels)
        cutoff = self._cutoff(page.site_name, view)
        metadata = read_metadata(document.parsed, page.url, page.fetched_at or None)
        language = metadata.language or document.language
        structure = self._structure(annotation)
        item = PageItem(
            url=page.url,
            canonical_url=metadata.canonical_url or document.canonical_url,
            site=page.site_name,
            site_name=metadata.site_name,
            page_type=page_type(document).kind if kind is None else kind,
            title=metadata.title or document.title,
            authors=list(metadata.authors),
            published=metadata.published,
            modified=metadata.modified,
            language=language,
            description=metadata.description,
            tags=list(metadata.tags),
            image=metadata.image,
            robots=sorted(read_directives(page.robots_tags, page.tdm_reservation, document.parsed)),
            text=annotation.text,
            confidence=_rounded(confidence(annotation.blocks, annotation.labels)),
            markdown=_markdown(annotation) if self._options.item_markdown else None,
            comments=_comments(annotation) if self._options.item_comments else None,
            fetched_at=page.fetched_at,
            encoding=document.encoding,
            method=self._method.name,
            mode=self._mode,
            site_pages=view.pages,
            frequency_threshold=cutoff.threshold if cutoff else None,
            frequency_ranks=cutoff.ranks if cutoff else None,
            counts_snapshot=view.snapshot,
            near_duplicate_of=annotation.duplicate_of,
            blocks_kept=kept,
            blocks_dropped=len(annotation.labels) - kept,
            sentences=self._sentences(annotation, language) if self._options.sentences else None,
            tables=self._tables(annotation, language) if self._options.tables else None,
            structure=structure.xml() if structure else None,
            structure_problems=list(structure.problems) if structure else None,
            blocks=_blocks(annotation) if self._options.item_blocks else None,
            metadata_sources=dict(metadata.sources) if self._options.item_sources else None,
            fields=dict(page.fields) if awaits else self._fields(document),
        )
        if awaits:
            self.awaiting.put(item, document.parsed)
        return item

    def _fields(self, document: Document) -> dict[str, Any]:
        """Return the fields of the spider's own item, and those that rules find."""
        own = dict(document.page.fields)
        return own if self.rules is None else {**self.rules.fields(document.parsed), **own}

    def _cutoff(self, site: str, view: SiteView) -> Cutoff | None:
        # The same for all pages of a site, and not for nothing: it looks at all of its blocks.
        if site not in self._cutoffs:
            method: object = self._method
            found = method.cutoff(view) if isinstance(method, CutoffMethod) else None
            self._cutoffs[site] = found
            if found is not None:
                self.cutoffs[site] = {
                    "pages": view.pages,
                    "threshold": found.threshold,
                    "ranks": found.ranks,
                }
        return self._cutoffs[site]

    def _sentences(self, annotation: Annotation, declared: str | None) -> list[dict[str, Any]]:
        language = language_of(annotation.text, declared)
        splitter = splitter_for(language, self._options.sentence_method)
        return [
            {"block": block.index, "text": sentence.text}
            for block, label in annotation.pairs()
            if label.kept
            for sentence in splitter.split(block.text)
        ]

    def _structure(self, annotation: Annotation) -> Structure | None:
        if self._model is None:
            return None
        found = structure_of(annotation, self._model, self._options.structure_method)
        self._count("corpus/structure/pages", 1)
        if found.problems:
            self._count(f"corpus/structure/{_INCOMPLETE if found.is_matched else _UNMATCHED}", 1)
            logger.info(
                "Structure of %s: %s", annotation.document.page.url, "; ".join(found.problems)
            )
        return found

    def _tables(self, annotation: Annotation, language: str | None) -> list[dict[str, Any]]:
        judged = judge_tables(annotation.document.parsed, self._table_method)
        genuine = sum(each.verdict.is_genuine for each in judged)
        if judged:
            self._count("corpus/tables/genuine", genuine)
            self._count("corpus/tables/layout", len(judged) - genuine)
        tables = tables_of(
            judged,
            self._table_method.name,
            language=language or "",
            layout=self._options.layout_tables,
            words=self._table_words,
        )
        return [table_as_dict(table) for table in tables]


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 3)


def _markdown(annotation: Annotation) -> str:
    return markdown(block for block, label in annotation.pairs() if label.kept)


def _comments(annotation: Annotation) -> str:
    return "\n".join(block.text for block, label in annotation.pairs() if label.reason == _COMMENT)


def _blocks(annotation: Annotation) -> list[dict[str, Any]]:
    return [
        {
            "index": block.index,
            "text": block.text,
            "tag": block.tag,
            "path": block.path,
            "kept": label.kept,
            "reason": label.reason,
            "frequency": label.frequency,
            "link_share": round(block.link_share, 3),
            "score": None if label.score is None else round(label.score, 3),
        }
        for block, label in annotation.pairs()
    ]
