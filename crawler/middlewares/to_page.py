"""Convert spider output to a page: a response, or an item with ``url`` and ``html``.

A spider that reads links has parsed the page already. :func:`parse_response` keeps the tree with
the response, so that the page is not parsed again when it is counted (:func:`take_parsed`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urljoin
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter, is_item
from lxml.etree import SubElement
from scrapy.http import Response

from crawler.core.page.page import Page
from crawler.core.page.parse import ParsedPage, parse
from crawler.items import nested_to_json

_LINK: Final = re.compile(r"<([^<>]*)>([^<>]*)")
_NEXT: Final = re.compile(r';\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)', re.IGNORECASE)
_parsed: WeakKeyDictionary[Response, ParsedPage] = WeakKeyDictionary()


def parse_response(response: Response, max_bytes: int) -> ParsedPage:
    """Parse the body of a response, once however often it is asked for.

    Raises:
        UnreadablePageError: the response holds no page.
    """
    if response not in _parsed:
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        page = Page(response.url, response.body, content_type=content_type)
        parsed = _parsed[response] = parse(page, max_bytes)
        for href in _next_of_header(response):
            # Where a page names the page that follows it; no text, so nothing else is changed.
            SubElement(parsed.roots[0], "link", rel="next", href=href)
    return _parsed[response]


def _next_of_header(response: Response) -> Iterator[str]:
    """Give the addresses that the headers ``Link`` of a page call the next one (RFC 8288)."""
    for header in response.headers.getlist("Link"):
        for href, parameters in _LINK.findall(header.decode("latin-1")):
            if _NEXT.search(parameters) and href.isprintable():
                with suppress(ValueError):
                    yield urljoin(response.url, href.strip())


def take_parsed(output: object) -> ParsedPage | None:
    """Return the tree of a response that was parsed already, and forget it; None for others."""
    return _parsed.pop(output, None) if isinstance(output, Response) else None


class FlawedPageError(ValueError):
    """An item that was meant as a page is none; the message says why."""


class ItemOrigins:
    """From which responses the items of a spider were made, for the wrapper pipeline.

    An item is known by its identity, since items are of any type; it is held meanwhile, so that no
    other has the same. Whatever becomes of an item, it is forgotten with its response, which Scrapy
    holds as long as items of it travel.
    """

    def __init__(self) -> None:
        self._items: WeakKeyDictionary[Response, dict[int, Any]] = WeakKeyDictionary()

    def add(self, item: Any, response: Response) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Remember from which response an item was made."""
        self.take(item)
        self._items.setdefault(response, {})[id(item)] = item

    def take(self, item: Any) -> Response | None:  # noqa: ANN401 - as above
        """Return the response of an item, and forget it; None where it is not known."""
        for response, items in self._items.items():
            if items.pop(id(item), None) is not None:
                return response
        return None


def page_from(output: Any, now: str) -> Page | None:  # noqa: ANN401 - spiders yield what they like
    """Return the page that a spider's output is, None where it is something else.

    Args:
        output: a response; or an item of any type with ``url`` and ``html`` (text, or bytes of
            uncertain encoding), optionally ``site`` and ``fetched_at``. Its further fields go with
            the page, as JSON values.
        now: the time, ISO 8601 in UTC, for pages that do not say when they were fetched.

    Raises:
        FlawedPageError: the output is an item with ``url`` and ``html`` that are of wrong types.
    """
    if isinstance(output, Response):
        content_type = output.headers.get("Content-Type") or b""
        return Page(
            url=output.url,
            body=output.body,
            content_type=content_type.decode("latin-1"),
            fetched_at=now,
            robots_tags=_all_of(output, "X-Robots-Tag"),
            tdm_reservation=next(iter(_all_of(output, "tdm-reservation")), ""),
        )
    if not is_item(output) or not {"url", "html"} <= set(ItemAdapter(output).keys()):
        return None
    fields = ItemAdapter(output).asdict()
    url, html = fields.pop("url"), fields.pop("html")
    if not isinstance(url, str) or not url:
        raise FlawedPageError(f"its url is {_kind_of(url)}, not an address as text")
    if not isinstance(html, str | bytes):
        raise FlawedPageError(f"its html is {_kind_of(html)}, not text or bytes")
    site = str(fields.pop("site", None) or "")
    fetched_at = str(fields.pop("fetched_at", None) or now)
    further: dict[str, Any] = json.loads(nested_to_json(fields))
    if isinstance(html, bytes):
        return Page(url=url, body=html, fetched_at=fetched_at, site=site, fields=further)
    return Page.from_text(url, html, fetched_at=fetched_at, site=site, fields=further)


def _all_of(response: Response, header: str) -> tuple[str, ...]:
    return tuple(value.decode("latin-1").strip() for value in response.headers.getlist(header))


def _kind_of(value: object) -> str:
    if value is None:
        return "None"
    return "empty" if value == "" else f"of type {type(value).__name__}"
