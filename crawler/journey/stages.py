"""Stages: what is done to a page once the counts of its site are known.

A stage is a small class over the core that fills its part of an item from the item's page. Scrapy
sees each as an item pipeline (:mod:`crawler.pipelines.stages`); archives, ``scrapy extract`` and
the library run the same list without Scrapy (:func:`default_stages`).
"""

from __future__ import annotations

import json
import logging
import re
from bisect import bisect_right
from dataclasses import asdict
from functools import lru_cache
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import OptionError
from crawler.core.sentences import splitter_for
from crawler.core.sentences.languages import language_of
from crawler.core.sentences.sentence import MODEL_CHARS
from crawler.core.tables.classify import TableMethod, get_table_method
from crawler.core.tables.content import judge_tables, tables_of
from crawler.core.tables.paper_method import Constants
from crawler.core.tables.words import Words, load_words
from crawler.items import PageItem
from crawler.journey.filters import result_filters
from crawler.journey.item_page import ItemPage, Stage, Tally
from crawler.journey.main_text import MainText
from crawler.journey.statistics import progress_log
from crawler.settings import Options, TableConstants

if TYPE_CHECKING:
    from crawler.core.structure.model import Model
    from crawler.journey.crawl_ledgers import CrawlLedgers

# What few crawls use is loaded where it is used: structure and wrappers take a third of the start.
# ruff: noqa: PLC0415

logger = logging.getLogger(__name__)


class Metadata(Stage):
    """Reads title, authors, dates, language and the other things that a page says of itself.

    Of an article in several pages the first part's count, and the latest date of change.
    """

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Set the item's metadata."""
        first, document = page.metadata[0], page.document
        changed = first
        if len(page.metadata) > 1:
            from crawler.journey.page_joiner import latest

            changed = page.metadata[latest([each.modified for each in page.metadata])]
        item.canonical_url = first.canonical_url or document.canonical_url
        item.site_name = first.site_name
        item.title = page.title
        item.authors = list(first.authors)
        item.published = first.published
        item.modified = changed.modified
        item.language = page.language()
        item.description = first.description
        item.tags = list(first.tags)
        item.image = first.image
        if self._options.item_sources:
            sources = dict(first.sources)
            if "modified" in changed.sources:
                sources["modified"] = changed.sources["modified"]
            if hidden := page.text_sources():
                sources["text"] = "+".join(hidden)
            item.metadata_sources = sources


class ResultFilters(Stage):
    """Refuses pages by their text and metadata, and counts the blocks of the others.

    Args:
        options: the crawl's settings.
        tally: where figures are added up.
        ledgers: those of an incremental crawl.
    """

    def __init__(self, options: Options, tally: Tally, ledgers: CrawlLedgers | None = None) -> None:
        super().__init__(options, tally)
        tables = table_method(options) if options.tables else None
        self._filters = result_filters(options, ledgers, tables)

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Refuse a page, or count it."""
        for each in self._filters:
            if (refusal := each(item, page)) is not None:
                raise refusal
        if item.change is not None:
            self._tally.inc_value(f"corpus/incremental/{item.change}")
        self._tally.inc_value("corpus/blocks/kept", item.blocks_kept)
        self._tally.inc_value("corpus/blocks/dropped", item.blocks_dropped)


class Sentences(Stage):
    """Splits the kept blocks into sentences, by the rules of the page's language.

    Raises:
        UnknownMethodError: there is no such way to split, or what it needs is not installed.
    """

    needs = "sentences"

    def __init__(self, options: Options, tally: Tally) -> None:
        super().__init__(options, tally)
        splitter_for("", options.sentence_method)
        self._model_told = False

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Set the item's sentences."""
        found: list[dict[str, Any]] = []
        way = self._options.sentence_method
        parts, rest, chars = page.annotations, page.pairs(), 0
        for number, text in enumerate([each.text for each in parts] or [item.text]):
            splitter = splitter_for(language_of(text, page.language(number)), way)
            own = islice(rest, len(parts[number].blocks)) if len(parts) > 1 else rest
            kept = [block for block, label in own if label.kept]
            texts, first_by_rule = [block.text for block in kept], len(kept)
            if splitter.name == "kiwi" and texts:
                self._tell_of_model()
                read = list(accumulate(map(len, texts), initial=chars))
                chars, first_by_rule = read[-1], bisect_right(read, MODEL_CHARS, 1) - 1
            split = splitter.split_all(texts[:first_by_rule])
            if len(split) < len(texts):
                split += splitter_for("ko", "rule").split_all(texts[first_by_rule:])
            found += [
                {"block": block.index, "text": each.text}
                for block, sentences in zip(kept, split, strict=True)
                for each in sentences
            ]
        item.sentences = found

    def _tell_of_model(self) -> None:
        if not self._model_told:
            self._model_told = True
            progress_log.info(
                "Loading the Korean model for sentences: it takes some seconds, and 550 MB of "
                "memory. CORPUS_SENTENCE_METHOD=rule goes without it"
            )


class Tables(Stage):
    """Tells genuine tables from layout tables, and takes the genuine ones as records.

    Raises:
        UnknownMethodError: there is no table method of that name.
        OptionError: the lists of more words for tables cannot be used.
    """

    needs = "tables"

    def __init__(self, options: Options, tally: Tally) -> None:
        super().__init__(options, tally)
        self._method = table_method(options)

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Set the item's tables, numbered through over the parts of an article."""
        found: list[dict[str, Any]] = []
        before = 0
        for number, document in enumerate(page.documents):
            judged = judge_tables(document.parsed, self._method)
            genuine = sum(verdict.is_genuine for _, verdict in judged)
            if judged:
                self._tally.inc_value("corpus/tables/genuine", genuine)
                self._tally.inc_value("corpus/tables/layout", len(judged) - genuine)
            own = tables_of(
                document.parsed,
                judged,
                self._method,
                language=page.language(number) or "",
                layout=self._options.layout_tables,
            )
            found += [{**table, "number": table["number"] + before} for table in own]
            before = found[-1]["number"] if own else before
        item.tables = found


class Structure(Stage):
    """Finds the logical structure of a page by a document model; of several parts the first's.

    Raises:
        UnknownMethodError: there is no structure method of that name.
        ModelError: the document model is wrong.
        UnreadableInputError: there is no such model.
    """

    needs = "structure_model"

    def __init__(self, options: Options, tally: Tally) -> None:
        from crawler.core.structure.structure import structure_of

        super().__init__(options, tally)
        model = structure_model(options)
        if model is None:
            raise OptionError("The stage Structure needs the setting CORPUS_STRUCTURE_MODEL.")
        for warning in model.warnings:
            logger.warning("%s", warning)
        self._structure_of = structure_of
        self._model = model

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Set the item's structure and what the model asks for and the page does not have."""
        judged = page.annotations[0] if page.annotations else page.document
        found = self._structure_of(judged, self._model, self._options.structure_method)
        self._tally.inc_value("corpus/structure/pages")
        if found.problems:
            problem = "incomplete" if found.is_matched else "unmatched"
            self._tally.inc_value(f"corpus/structure/{problem}")
            logger.info("Structure of %s: %s", item.url, "; ".join(found.problems))
        item.structure = found.xml()
        item.structure_problems = list(found.problems)


class WrapperFields(Stage):
    """Adds the fields that a wrapper project finds on the page; of several parts on the first.

    A field that the spider's own item has already is left as it is.
    """

    needs = "wrapper"

    def __init__(self, options: Options, tally: Tally) -> None:
        from crawler.wrapper.running import CrawlWrapper

        super().__init__(options, tally)
        assert options.wrapper is not None  # noqa: S101 - the stage is only made where it is set
        self.wrapper = CrawlWrapper(options.wrapper, options, tally.inc_value)

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Add the fields. Waits while scripts of the project run."""
        try:
            found = self.wrapper.fields(page.document.parsed)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - the item is whole without the fields
            found = self.wrapper.failed(item.url, error)
        item.fields = {**found, **item.fields}

    def close(self) -> None:
        """End the process that runs scripts."""
        self.wrapper.close()


STAGES: Final[tuple[type[Stage], ...]] = (
    MainText, Metadata, ResultFilters, Sentences, Tables, Structure, WrapperFields,
)  # fmt: skip
"""All stages in order; :data:`crawler.pipelines.order.ITEM_PIPELINES` has their pipelines."""


def default_stages(
    options: Options, tally: Tally, ledgers: CrawlLedgers | None = None
) -> tuple[Stage, ...]:
    """Return the stages that the settings ask for, in order.

    Args:
        options: the crawl's settings.
        tally: where figures are added up.
        ledgers: those of an incremental crawl.

    Raises:
        CorpusError: what a stage raises that cannot be made.
    """
    return tuple(
        stage(options, tally)
        if stage is not ResultFilters
        else ResultFilters(options, tally, ledgers)
        for stage in STAGES
        if not stage.needs or getattr(options, stage.needs)
    )


def table_method(options: Options) -> TableMethod:
    """Return the table method that the settings ask for, with the words that they add.

    Raises:
        UnknownMethodError: there is none of that name.
        OptionError: the file of words is missing or not of the right form.
    """
    constants = _constants(options.table_constants)
    return get_table_method(options.table_method, constants, table_words(options))


@lru_cache(maxsize=8)
def _constants(given: TableConstants) -> Constants:
    return Constants(**asdict(given))


def structure_model(options: Options) -> Model | None:
    """Return the document model of the settings; ``None`` where they name none.

    Raises:
        UnknownMethodError, ModelError, UnreadableInputError: the method or the model cannot be
            used.
    """
    if options.structure_model is None:
        return None
    from crawler.core.structure.structure import check_structure_method
    from crawler.store.document_models import load_model

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
