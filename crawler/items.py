"""The item a crawl exports: one :class:`PageItem` a page."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from crawler.journey.item_page import ItemPage


class _WithPage:
    """What an item carries on its way and no export holds: its page."""

    page: ItemPage | None = None
    """The item's page, parsed, with its blocks; None once the item has been exported."""


@dataclass(repr=False)
class PageItem(_WithPage):
    """One page of a site with the boilerplate gone.

    It can be changed, since a project's own pipelines may do so. The fields stand in the order of
    every export. Its attribute ``page`` is no field: while the item passes through pipelines it
    holds the page (:class:`crawler.journey.item_page.ItemPage`), and no export has it.

    Attributes:
        url: Address the page was fetched from.
        canonical_url: Address the page itself names as its own, absolute; None where it names none.
        site: Site the page was counted with: the host name, unless a spider says otherwise.
        site_name: What the site calls itself; None where the page does not tell.
        page_type: What kind of page it is, one of :data:`crawler.core.pagetype.KINDS`, such as
            ``article``.
        title: Title of what the page is about, without the site's name; the document's own title
            where no other is found; None where there is none.
        authors: Who wrote it, in the page's order; empty where the page does not tell.
        published: When it was published, ISO 8601 as exact as the page tells: a day, or a time with
            its zone where one is given; None where it does not tell.
        modified: When it was last changed, likewise.
        language: Language the page declares, such as ``ko``; None where it declares none.
        description: The page's own summary; None where it has none.
        tags: The page's keywords, in its order; empty where it has none.
        image: Absolute address of the picture that stands for the page; None where it names none.
        robots: What the page asks of robots, in its headers or in itself, sorted: names of
            :data:`crawler.core.page.robots_meta.DIRECTIVES`; empty where it asks for nothing. Where
            its headers are not known, what it says itself counts alone.
        text: Main text, one line a kept block; empty where no block was kept.
        confidence: How right the text is likely to be, 0 to 1; None where the method does not say.
        markdown: ``text`` with headings, lists, quotes, code and tables marked as Markdown; None
            unless the setting ``CORPUS_ITEM_MARKDOWN`` is on.
        comments: What readers wrote below it, one line a block, as far as the method tells comments
            apart; None unless the setting ``CORPUS_ITEM_COMMENTS`` is on.
        fetched_at: When the page was fetched, ISO 8601 in UTC; empty when not known.
        encoding: Character encoding the body was read in.
        method: Name of the method that chose the text; with ``+json-ld``, ``+script`` or
            ``+template`` where the page does not show all of it and it was found there.
        mode: Which counts the method could see: ``two-pass`` and ``archive``, those of this crawl
            and this archive; ``streaming``, those of earlier crawls; ``single``, a page by itself.
        site_pages: Pages of the site that had been counted when the text was chosen.
        frequency_threshold: On how many of those pages, at most, a block may stand and not count
            as frequent; None where the method draws no such line.
        frequency_ranks: How many distinct frequencies the site's blocks have: k in Kim and Kim
            (2021); None as above.
        counts_snapshot: Identifies the state of the site's counts the text was chosen by.
        near_duplicate_of: Address of the page of the same site that this one nearly repeats; None
            where it repeats none.
        parts: Addresses of all pages of an article that the site cuts into several, in order, the
            first of which is ``url``; None for a page that is whole.
        change: In crawls that remember (``CORPUS_INCREMENTAL``): ``new`` for a page of which no
            version was exported before, ``changed`` for one whose text or title is another one
            now, ``gone`` where its server says that it is no more: such an item has no text. None
            in other crawls.
        content_hash: Names the version of the page: a hash of its title and text. None in crawls
            that do not remember.
        previous_hash: ``content_hash`` of the version that was exported before; None for none.
        blocks_kept: Text blocks of the page that make up ``text``.
        blocks_dropped: Text blocks of the page left out as boilerplate.
        sentences: Sentences of ``text`` in order, each with ``block``, the number of its block on
            the page or, numbered through, on all ``parts``, and ``text``; None where the setting
            ``CORPUS_SENTENCES`` is off.
        tables: Tables of the page in order, with the keys that
            docs/tables.md lists; layout tables only where the setting ``CORPUS_LAYOUT_TABLES`` is
            on. None where ``CORPUS_TABLES`` is off.
        structure: The logical structure of the page by the document model of the setting
            ``CORPUS_STRUCTURE_MODEL``, as an XML document; of an article of several pages that of
            the first. None without a model.
        structure_problems: What the model asks for and the page does not have, a sentence each;
            None without a model.
        blocks: All blocks in page order, each with ``text``, ``kept``, ``reason``, ``frequency``
            (on how many pages of the site it stands) and what else the method says of it; None
            unless the setting ``CORPUS_ITEM_BLOCKS`` is on.
        metadata_sources: For each of the fields from ``title`` to ``image``, ``site_name`` and
            ``canonical_url`` that the page tells, where it was read, as
            :class:`crawler.core.metadata.Metadata` names it; for ``text``, where text was found
            that the page does not show. None unless the setting ``CORPUS_ITEM_SOURCES`` is on.
        fields: Whatever else the spider's own item carried beside ``url`` and ``html``; and what
            the rules of ``CORPUS_WRAPPER`` found on the page, under names that are not taken.
    """

    url: str
    canonical_url: str | None = None
    site: str = ""
    site_name: str | None = None
    page_type: str = ""
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    published: str | None = None
    modified: str | None = None
    language: str | None = None
    description: str | None = None
    tags: list[str] = field(default_factory=list)
    image: str | None = None
    robots: list[str] = field(default_factory=list)
    text: str = ""
    confidence: float | None = None
    markdown: str | None = None
    comments: str | None = None
    fetched_at: str = ""
    encoding: str = ""
    method: str = ""
    mode: str = ""
    site_pages: int = 0
    frequency_threshold: int | None = None
    frequency_ranks: int | None = None
    counts_snapshot: str = ""
    near_duplicate_of: str | None = None
    parts: list[str] | None = None
    change: str | None = None
    content_hash: str | None = None
    previous_hash: str | None = None
    blocks_kept: int = 0
    blocks_dropped: int = 0
    sentences: list[dict[str, Any]] | None = None
    tables: list[dict[str, Any]] | None = None
    structure: str | None = None
    structure_problems: list[str] | None = None
    blocks: list[dict[str, Any]] | None = None
    metadata_sources: dict[str, str] | None = None
    fields: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Name the item by its address: what log lines show of it."""
        return self.url

    def __repr__(self) -> str:
        """Name the item: all of it is several screens long."""
        return f"<PageItem {self.url} {len(self.text)} characters>"

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Leave the page out of copies and of what goes to another process."""
        names = (one.name for one in dataclasses.fields(self))
        return None, {name: getattr(self, name) for name in names}


class WrappedPage(dict[str, Any]):
    """What a wrapper project found on a page, or one record of it: ``url`` and its elements."""


FIELD_ORDER: Final[tuple[str, ...]] = tuple(f.name for f in dataclasses.fields(PageItem))
"""Names of the fields in the order of every export."""


def nested_to_json(value: object) -> str:
    """Write any value as compact JSON on one line, letters of all scripts unescaped.

    Items inside are written as objects, tuples and sets as arrays, and what JSON has no
    form for (dates, decimals, bytes, …) as text, so that no value is refused.
    """
    return _to_json(_plain(value))


def value_to_text(value: object) -> str:
    """Write any value as the text of one cell.

    Text stays as it is, None is empty, lists, objects and items are JSON, truth values ``true`` and
    ``false``; dates, decimals and other single values are their own text.
    """
    if value is None:
        return ""
    plain = _plain(value)
    return plain if isinstance(plain, str) else _to_json(plain)


def _to_json(plain: object) -> str:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        ordered = value if isinstance(value, list | tuple) else sorted(value, key=str)
        return [_plain(inner) for inner in ordered]
    if isinstance(value, float):
        # JSON has no form for infinities and NaN, and many readers refuse the usual stand-ins.
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    # Loads all of Scrapy, which the library does without.
    from itemadapter import ItemAdapter, is_item  # noqa: PLC0415 - see above

    return _plain(dict(ItemAdapter(value))) if is_item(value) else str(value)
