"""One page by itself: read it, judge it, explain the verdict. The work of ``scrapy extract``.

Knows nothing of Scrapy; :func:`extract` is the library's function of the same name.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from crawler.core.errors import (
    MethodError,
    OptionError,
    PageTimeError,
    StoreError,
    UnreadableInputError,
    UnreadablePageError,
    one_line,
)
from crawler.core.flow import Document, Observation, Page, SiteCounts, SiteView, observe, read
from crawler.core.methods.article.explain import Explanation, explain
from crawler.core.methods.article.method import Article
from crawler.core.methods.registry import get_method
from crawler.core.page.page import LOCAL_SITE
from crawler.core.page.parse import ParsedPage
from crawler.core.pagetype.judge import page_type
from crawler.core.wording import did_you_mean, fit_width
from crawler.items import FIELD_ORDER, PageItem
from crawler.journey.item_page import Figures, ItemPage, Mode, new_item
from crawler.journey.main_text import MainText
from crawler.journey.page_time import PageTime
from crawler.journey.stages import ResultFilters, default_stages
from crawler.settings import OPTIONS, PREFIX, REPLAYED, Options

# What the library's function does without is loaded where it is used: it takes half of the start.
# ruff: noqa: PLC0415

logger = logging.getLogger(__name__)

GivenPage: TypeAlias = Page | tuple[str, str | bytes]
"""A page, or its address and its HTML as text or as bytes of uncertain encoding."""

_T = TypeVar("_T")

# Settings that the library takes: those that change an item, and the time for a page.
_OF_THE_LIBRARY: Final = {
    name.removeprefix(PREFIX).lower() for name in (*REPLAYED, f"{PREFIX}PAGE_SECONDS")
}
_NAMES: Final = {option.name.removeprefix(PREFIX).lower() for option in OPTIONS}
# How like a setting's name an unknown one is that is taken for it.
_CLOSE: Final = 0.7
# An address, or a path with folders or an ending. No page is so: it has marks or words.
_PLACE: Final = re.compile(r"(?=[^\s<]{1,2000}\Z)(?:\w+://.*|.*[/\\].*|.*\.\w{1,5})")
_TEXT_COLUMNS = 60
_PATH_COLUMNS = 24


def extract(html: str | bytes, url: str | None = None, **settings: object) -> PageItem:
    """Take text, metadata, sentences and tables from one page by itself.

    A page is judged better by other pages of its site: see :class:`crawler.Site`.

    Args:
        html: the page, as text or as bytes of uncertain encoding.
        url: its address; without one, links and the site's name cannot be told.
        settings: values of ``CORPUS_*`` settings, by their names in small letters without the
            prefix, such as ``item_markdown=True``.

    Raises:
        UnreadablePageError: it is no page (empty, no HTML, too large). A page in which there is
            no main text gives an item whose text is empty.
        PageTimeError: the work took more processor time than ``page_seconds``.
        OptionError: a setting is not known, has a wrong value, or is for crawls alone.
        TypeError: ``html`` is neither text nor bytes.
        ValueError: ``html`` is the path or the address of a page.
    """
    options = library_options(settings)
    if not isinstance(html, str | bytes):
        raise TypeError(
            f"html is of the type {type(html).__name__}; give the page itself as text or bytes, "
            "such as Path(...).read_bytes()"
        )
    if isinstance(html, str) and _PLACE.fullmatch(html):
        raise ValueError(
            f"{html!r} is a path or an address; give the page itself: Path(...).read_bytes()"
        )
    item = _item(read_alone(page_of((url or "", html)), options), SiteView(), options)
    item.page = None
    return item


def library_options(settings: dict[str, object]) -> Options:
    """Read the settings that change an item, by their names in small letters.

    Raises:
        OptionError: one is not known, has a wrong value, or is for crawls alone.
    """
    for name in settings:
        if name.lower() not in _NAMES:
            hint = did_you_mean(name, sorted(_OF_THE_LIBRARY), cutoff=_CLOSE)
            raise OptionError(
                f"there is no argument '{name}'{hint}. The page \"Settings\" of the documentation "
                "lists the settings; they are given in small letters, without CORPUS_."
            )
        if name.lower() not in _OF_THE_LIBRARY:
            raise OptionError(
                f"{name} is a setting of crawls, and does nothing here. Leave it out."
            )
    if not settings:
        return _default_options()
    named = {f"{PREFIX}{name.upper()}": value for name, value in settings.items()}
    return Options.from_settings(named)


@cache
def _default_options() -> Options:
    return Options.from_settings({})


def page_of(given: object) -> Page:
    """Return a page as it was given, or of its address and its HTML.

    Raises:
        TypeError: it is neither, or the HTML stands in the place of the address.
    """
    match given:
        case Page():
            return given
        case [str() as url, str() | bytes()] if url.lstrip().startswith("<"):
            raise TypeError("the first of a pair is the page's address; here it is HTML")
        case [str() as url, bytes() as body]:
            return Page(url, body)
        case [str() as url, str() as html]:
            return Page.from_text(url, html)
    kind = type(given).__name__
    if isinstance(given, tuple | list):
        kind = f"({', '.join(type(each).__name__ for each in given)})"
    raise TypeError(f"a page is Page(url, html) or (url, html), of text; this one is {kind}")


def judge(
    page: Page,
    options: Options,
    others: Sequence[str],
    on_unusable: Callable[[StoreError], None],
) -> PageItem:
    """Judge a page by what is known of its site, and make its item, with all blocks.

    Args:
        page: the page.
        options: the settings.
        others: folders and archives whose pages are counted as the page's site, and files of
            counts; without any, the counts that earlier crawls kept.
        on_unusable: called with each error of kept counts that cannot be used and are passed over.

    Raises:
        UnreadablePageError: the page gives no text.
        UnreadableInputError: one of ``others`` cannot be read, or holds no page.
        StoreError: a file of counts among them is damaged.
        MethodError: the text method failed on the page.
        PageTimeError: the work took more time than a page may.
    """
    document = read_alone(page, options)
    if others:
        counts = observed(others, options)
    else:
        from crawler.store.counts import CountStore

        counts = CountStore(options.dir / "counts").load(document.page.site_name, on_unusable)
    return judge_by(document, counts, options)


def judge_by(document: Document, counts: SiteCounts, options: Options) -> PageItem:
    """Judge a page by counts, to which it is added, and make its item, with all blocks.

    Raises:
        MethodError: the text method failed on the page.
    """
    if len(counts):
        # A page is evidence of its own site; counted twice it still counts once.
        counts.add(observe(document, get_method(options.text_method)))
    view = counts.view(options.near_duplicate_similarity)
    return _item(document, view, replace(options, item_blocks=True))


def _item(document: Document, view: SiteView, options: Options) -> PageItem:
    url, time = document.page.url, PageTime(options.page_seconds)
    kind = _done(url, "the judge of page types", time, partial(page_type, document))
    page = ItemPage((document,), view, kind, time)
    item = new_item(page, Mode.SINGLE)
    for stage in default_stages(options, Figures()):
        # One page that somebody asks for is shown, whatever it is.
        if isinstance(stage, ResultFilters):
            continue
        what = f"stage {type(stage).__name__}"
        if isinstance(stage, MainText):
            what = f"text method {stage.method.name!r}"
        try:
            _done(url, what, time, partial(stage.process, item, page))
        finally:
            stage.close()
    return item


def _done(url: str, what: str, time: PageTime, work: Callable[[], _T]) -> _T:
    """Do a step of the work on the page.

    Raises:
        MethodError: it failed. It may be anybody's: the log has the traceback.
    """
    try:
        return time.spend(work)
    except (PageTimeError, UnreadablePageError):
        raise
    except Exception as error:
        logger.exception("Unexpected error on %s; please report it", url)
        raise MethodError(f"{what} failed: {one_line(error)}") from error


def read_alone(page: Page, options: Options, parsed: ParsedPage | None = None) -> Document:
    """Read a page that stands alone: a saved one is of the site that it names as its own.

    Args:
        page: the page.
        options: the settings.
        parsed: the page, parsed already, where somebody has done that.

    Raises:
        UnreadablePageError: the page gives no text.
    """
    work = partial(read, page, options.max_page_bytes, parsed)
    document = _done(page.url, "the reader of pages", PageTime(options.page_seconds), work)
    if page.site_name == LOCAL_SITE and document.canonical_url:
        # A saved page often still names its address, and by it the site that it belongs to.
        return replace(document, page=replace(page, url=document.canonical_url))
    return document


def suggestion(paths: Sequence[str], options: Options) -> str:
    """Propose a document model from saved pages, files of one page each.

    Raises:
        UnreadableInputError: there is no such file, or it holds no page or more than one.
        UnreadablePageError: a page gives no text.
    """
    from crawler.core.structure.suggest import suggest_model
    from crawler.store.sources import page_of_file

    pages = [page_of_file(path, None, options.max_page_bytes) for path in paths]
    return suggest_model([read(page, options.max_page_bytes) for page in pages])


def observed(paths: Sequence[str], options: Options) -> SiteCounts:
    """Count the pages of folders and archives as those of one site, with what crawls counted.

    Args:
        paths: folders, archives, and files of counts (``.npz``).
        options: the settings.

    Raises:
        UnreadableInputError: one cannot be read, or holds no page.
        StoreError: a file of counts is damaged.
    """
    from crawler.store.counts import COUNTS_SUFFIX, read_counts
    from crawler.store.sources import read_source

    counts = SiteCounts()
    for path in paths:
        if path.endswith(COUNTS_SUFFIX):
            counts.merge(read_counts(Path(path)))
            continue
        # A folder of saved pages holds pictures and scripts too.
        pages = read_source(path, on_skip=lambda *_: None, max_bytes=options.max_page_bytes)
        if not count_pages(counts, pages, options):
            raise UnreadableInputError(
                f"{path} holds no page; name a folder or archive with pages of the site"
            ).about("no-site-page", path)
    return counts


def count_pages(counts: SiteCounts, pages: Iterable[Page], options: Options) -> int:
    """Add the pages that can be read to counts; return how many those are."""
    method, found = get_method(options.text_method), 0

    def observed_page(page: Page) -> Observation:
        return observe(read(page, options.max_page_bytes), method)

    for page in pages:
        time = PageTime(options.page_seconds)
        with suppress(UnreadablePageError, PageTimeError, MethodError):
            counts.add(_done(page.url, "the count", time, partial(observed_page, page)))
            found += 1
    return found


def item_json(item: PageItem, encoding: str = "utf-8") -> str:
    """Return the item as indented JSON, without the list of blocks.

    Letters stand for themselves where all of them exist in ``encoding``, else in escaped form.
    """
    fields = {name: getattr(item, name) for name in FIELD_ORDER if name != "blocks"}
    text = json.dumps(fields, ensure_ascii=False, indent=2)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(fields, indent=2)
    return text


def explained(item: PageItem) -> list[Explanation]:
    """Return why each block of an item has its label; empty where the method does not tell."""
    page = item.page
    is_told = item.method.partition("+")[0] == Article.name
    if page is None or len(page.annotations) != 1 or not is_told:
        return []
    return explain(page.document, page.view, page.labels)


def explanation(item: PageItem) -> str:
    """Return a table of the page's blocks: label, evidence, text; then what they add up to."""
    head = f"{'':4} {'why':14} {'pages':>6} {'links':>5} {'score':>5} {'step':8}"
    lines = [f"{head}  {'where':{_PATH_COLUMNS}}  text"]
    for block, why in zip_longest(item.blocks or (), explained(item)):
        where = fit_width("/".join(str(block["path"]).split("/")[-4:]), _PATH_COLUMNS)
        score = "-" if block["score"] is None else f"{block['score']:.2f}"
        step = (why and why.changed_by) or "-"
        lines.append(
            f"{'keep' if block['kept'] else 'drop'} {block['reason']:14} {block['frequency']:6} "
            f"{block['link_share']:5.0%} {score:>5} {step:8}  {where:{_PATH_COLUMNS}}"
            f"  {fit_width(str(block['text']), _TEXT_COLUMNS)}"
        )
    reasons = Counter(str(block["reason"]) for block in item.blocks or () if not block["kept"])
    dropped = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    view = item.page.view if item.page else SiteView()
    known = (
        f"judged by {view.pages} distinct pages of {item.site} "
        f"({view.pages_seen} addresses, snapshot {view.snapshot})"
    )
    unknown = (
        f"nothing is known of {item.site}: crawl it first, or name other pages of it by --with"
    )
    title = item.title or "(no title)"
    lines += [
        "",
        f"{title} · {item.url} · {item.encoding} · method {item.method}",
        f"page type: {item.page_type}",
        f"{item.blocks_kept} blocks kept, {item.blocks_dropped} dropped ({dropped or '-'})",
        known if view.is_known else unknown,
    ]
    if item.near_duplicate_of:
        lines.append(f"a near-duplicate of {item.near_duplicate_of}")
    return "\n".join(lines)
