"""One page by itself: fetch it or read it, judge it, show why. The work of ``scrapy extract``."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.misc import load_object

from crawler.addon import CorpusAddon
from crawler.core.errors import (
    ArgumentError,
    FetchError,
    MethodError,
    UnreadableInputError,
    UnreadablePageError,
    one_line,
)
from crawler.core.flow import SiteCounts, SiteView, annotate, observe, read
from crawler.core.page.page import LOCAL_SITE
from crawler.core.structure.suggest import suggest_model
from crawler.core.wording import fit_width
from crawler.journey.stages import ItemMaker
from crawler.spiders.to_page import page_from
from crawler.store.counts import CountStore
from crawler.store.sources import read_source

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from crawler.core.errors import StoreError
    from crawler.core.flow import Annotation
    from crawler.core.methods import TextMethod
    from crawler.core.page.page import Page
    from crawler.items import PageItem
    from crawler.settings import Options

__all__ = [
    "Process",
    "Verdict",
    "annotated",
    "crawl_page",
    "crawl_pages",
    "explanation",
    "is_address",
    "item_json",
    "judge",
    "page_of_file",
    "suggestion",
]

_TEXT_COLUMNS = 60
_PATH_COLUMNS = 24


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judged page: its item, with all blocks, and what was known of its site."""

    item: PageItem
    view: SiteView


class Process(Protocol):
    """What is used of Scrapy's crawler processes."""

    def crawl(self, crawler_or_spidercls: type[Spider], **kwargs: object) -> object:
        """Add a crawl."""

    def start(self) -> None:
        """Run the crawls that were added, to their end."""


def is_address(source: str) -> bool:
    """Whether a source is meant to be fetched, and no file."""
    return source.lower().startswith(("http://", "https://"))


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = is_address(url) and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ArgumentError(f"{url} is no http(s) address; give one such as https://blog.example/a")


def page_of_file(path: str, url: str | None, max_bytes: int) -> Page:
    """Read a saved page.

    Args:
        path: the file.
        url: the address that the page has; without it, what the file tells.
        max_bytes: a larger page is refused.

    Raises:
        ArgumentError: ``url`` is no http(s) address.
        UnreadableInputError: there is no such file, or it holds no page or more than one.
    """
    if url is not None:
        _check_address(url)
    if not Path(path).is_file():
        raise UnreadableInputError(f"{path} is no file; give a saved page or an http(s) address")
    # An archive may be large: the second page says all that has to be known.
    pages = list(islice(read_source(path, on_skip=_refuse, max_bytes=max_bytes), 2))
    if len(pages) != 1:
        raise UnreadableInputError(
            f"{path} holds {'no page' if not pages else 'several pages'}; give one saved page, "
            "or read archives with 'scrapy crawl archive'"
        )
    return replace(pages[0], url=url) if url else pages[0]


def crawl_page(url: str, process: Process) -> Page:
    """Run a crawl of one page, by the rules that every crawl obeys; a process can do this once.

    Raises:
        ArgumentError: ``url`` is no http(s) address.
        FetchError: the page could not be fetched; the message says why.
    """
    found = crawl_pages([url], process)[0]
    if isinstance(found, FetchError):
        raise found
    return found


def crawl_pages(urls: Sequence[str], process: Process) -> list[Page | FetchError]:
    """Run a crawl of some pages, by the rules that every crawl obeys; a process can do this once.

    Returns:
        The page of each address, or why it could not be fetched.

    Raises:
        ArgumentError: one is no http(s) address.
    """
    for url in urls:
        _check_address(url)
    found: dict[str, Page] = {}
    errors: dict[str, str] = {}
    process.crawl(_ThesePages, urls=list(dict.fromkeys(urls)), found=found, errors=errors)
    process.start()
    return [found[url] if url in found else _not_fetched(url, errors.get(url, "")) for url in urls]


def _not_fetched(url: str, error: str) -> FetchError:
    why = one_line(error) or "the crawl ended before it came"
    return FetchError(f"{url} could not be fetched: {why}")


class _ThesePages(Spider):
    name = "these-pages"

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Have the manners of a crawl, also where no project has the add-on, and write nothing."""
        super().update_settings(settings)
        # Nothing is exported: a project's feeds and pipelines may not begin, nor its job go on.
        for name, value in (("FEEDS", {}), ("ITEM_PIPELINES", {}), ("JOBDIR", None)):
            settings.set(name, value, "spider")
        settings.set("CORPUS_PROGRESS", "off", "spider")
        # Somebody waits for the page: a site that asks for patience is told of at once.
        settings.set("CORPUS_PAUSES", {"count": 0}, "spider")
        # Also where the command line names them: what is asked for is printed.
        for name in ("CORPUS_TABLES_FOLDER", "CORPUS_STRUCTURE_FOLDER"):
            settings.set(name, None, "cmdline")
        addons = settings.getdict("ADDONS")
        if not any(load_object(addon) is CorpusAddon for addon in addons):
            settings.set("ADDONS", {**addons, CorpusAddon: 500}, "spider")

    def __init__(self, urls: list[str], found: dict[str, Page], errors: dict[str, str]) -> None:
        super().__init__()
        self.urls = urls
        self.found = found
        self.errors = errors

    async def start(self) -> AsyncIterator[Request]:
        for url in self.urls:
            yield Request(
                url,
                callback=self.take,
                errback=self.failed,
                dont_filter=True,
                cb_kwargs={"asked": url},
                meta={"corpus_asked": url},
            )

    def take(self, response: Response, asked: str) -> None:
        page = page_from(response, datetime.now(UTC).isoformat(timespec="seconds"))
        if page is not None:
            self.found[asked] = page

    def failed(self, failure: Failure) -> None:
        error = failure.value
        request: Request = failure.request  # type: ignore[attr-defined] # Scrapy sets it
        if isinstance(error, HttpError):
            told = f"its server answered with status {error.response.status}"
        else:
            told = failure.getErrorMessage()
        self.errors[request.meta["corpus_asked"]] = told


def judge(
    page: Page,
    method: TextMethod,
    options: Options,
    others: Sequence[str],
    on_unusable: Callable[[StoreError], None],
) -> Verdict:
    """Judge a page by what is known of its site, and make its item.

    The arguments and errors are those of :func:`annotated`.
    """
    annotation, view = annotated(page, method, options, others, on_unusable)
    return Verdict(
        ItemMaker(replace(options, item_blocks=True), method, mode="single").make(annotation, view),
        view,
    )


def annotated(
    page: Page,
    method: TextMethod,
    options: Options,
    others: Sequence[str],
    on_unusable: Callable[[StoreError], None],
) -> tuple[Annotation, SiteView]:
    """Judge a page by what is known of its site; return that too.

    Args:
        page: the page.
        method: the method that judges.
        options: the settings.
        others: folders and archives whose pages are counted as the page's site; without any, the
            counts that earlier crawls kept.
        on_unusable: is told of kept counts that cannot be used, and are passed over.

    Raises:
        UnreadablePageError: the page gives no text.
        UnreadableInputError: one of ``others`` cannot be read, or holds no page.
    """
    document = read(page, options.max_page_bytes)
    if page.site_name == LOCAL_SITE and document.canonical_url:
        # A saved page often still names its address, and by it the site that it belongs to.
        page = replace(page, url=document.canonical_url)
        document = replace(document, page=page)
    if others:
        counts = _observed(others, method, options)
    else:
        counts = CountStore(options.dir / "counts").load(page.site_name, on_unusable)
    if len(counts):
        # A page is evidence of its own site; counted twice it still counts once.
        counts.add(observe(document, method))
    view = counts.view(options.near_duplicate_similarity)
    try:
        return annotate(document, view, method), view
    except Exception as error:
        # The method may be anybody's.
        raise MethodError(f"text method {method.name!r} failed: {one_line(error)}") from error


def suggestion(paths: Sequence[str], options: Options) -> str:
    """Propose a document model from saved pages.

    Args:
        paths: files of one page each.
        options: the settings.

    Raises:
        UnreadableInputError: there is no such file, or it holds no page or more than one.
        UnreadablePageError: a page gives no text.
    """
    pages = [page_of_file(path, None, options.max_page_bytes) for path in paths]
    return suggest_model([read(page, options.max_page_bytes) for page in pages])


def _observed(paths: Sequence[str], method: TextMethod, options: Options) -> SiteCounts:
    counts = SiteCounts()
    for path in paths:
        own = SiteCounts()
        for page in read_source(path, on_skip=_pass_over, max_bytes=options.max_page_bytes):
            try:
                own.add(observe(read(page, options.max_page_bytes), method))
            except UnreadablePageError:
                continue
        if not len(own):
            raise UnreadableInputError(
                f"{path} holds no page; name other pages of the site by --with"
            )
        counts.merge(own)
    return counts


def _refuse(reason: str, detail: str) -> None:
    raise UnreadableInputError(f"{detail} ({reason})")


def _pass_over(reason: str, detail: str) -> None:
    """Leave out what is no page: a folder of saved pages holds pictures and scripts too."""


def item_json(verdict: Verdict, encoding: str = "utf-8") -> str:
    """Return the item as indented JSON, without the list of blocks.

    Letters stand for themselves where all of them exist in ``encoding``, else in escaped form.
    """
    fields = asdict(verdict.item)
    del fields["blocks"]
    text = json.dumps(fields, ensure_ascii=False, indent=2)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(fields, indent=2)
    return text


def explanation(verdict: Verdict) -> str:
    """Return a table of the page's blocks: label, evidence, text; then what they add up to."""
    item, view = verdict.item, verdict.view
    lines = [f"{'':4} {'why':14} {'pages':>6} {'links':>5}  {'where':{_PATH_COLUMNS}}  text"]
    for block in item.blocks or ():
        where = fit_width("/".join(str(block["path"]).split("/")[-4:]), _PATH_COLUMNS)
        lines.append(
            f"{'keep' if block['kept'] else 'drop'} {block['reason']:14} {block['frequency']:6} "
            f"{block['link_share']:5.0%}  {where:{_PATH_COLUMNS}}"
            f"  {fit_width(str(block['text']), _TEXT_COLUMNS)}"
        )
    reasons = Counter(str(block["reason"]) for block in item.blocks or () if not block["kept"])
    dropped = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    lines.append("")
    title = item.title or "(no title)"
    lines.append(f"{title} · {item.url} · {item.encoding} · method {item.method}")
    lines.append(f"page type: {item.page_type}")
    lines.append(
        f"{item.blocks_kept} blocks kept, {item.blocks_dropped} dropped ({dropped or '-'})"
    )
    if view.is_known:
        lines.append(
            f"judged by {view.pages} distinct pages of {item.site} "
            f"({view.pages_seen} addresses, snapshot {view.snapshot})"
        )
    else:
        lines.append(
            f"nothing is known of {item.site}: crawl it first, or name other pages of it by --with"
        )
    if item.near_duplicate_of:
        lines.append(f"a near-duplicate of {item.near_duplicate_of}")
    return "\n".join(lines)
