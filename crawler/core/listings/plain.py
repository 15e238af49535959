"""Listings that are no XML: feeds in JSON, and lists of one address a line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from crawler.core.listings.collect import absolute_address
from crawler.core.listings.model import MAX_JSON_CHARS
from crawler.core.page.addresses import address_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawler.core.listings.collect import Collector
    from crawler.core.listings.model import Listing

__all__ = ["read_json_feed", "read_lines"]

_JSON_FEED = "jsonfeed.org/version/"
_WEB = re.compile(r"https?://", re.IGNORECASE)
_PATH = re.compile(r"\.{0,2}/")
_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]+")
# Of prose with an address in it most lines are none.
_LEAST_ADDRESSES = 0.5


def read_json_feed(text: str, collector: Collector) -> Listing:
    """Read a JSON Feed (jsonfeed.org, versions 1 and 1.1)."""
    if len(text) > MAX_JSON_CHARS:
        collector.problems.add("json-long")
        return collector.listing("none")
    try:
        # A feed is an object: nothing else is worth the memory.
        feed = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        feed = None
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(feed, dict) or not isinstance(items, list) or not _is_feed(feed, items):
        collector.problems.add("json-wrong")
        return collector.listing("none")
    for item in items:
        if collector.is_full():
            continue
        _add_item(item if isinstance(item, dict) else {}, _text(feed, "language"), collector)
    if following := _text(feed, "next_url"):
        collector.next = absolute_address(collector.url, following)
    return collector.listing("json-feed")


def _is_feed(feed: Mapping[str, object], items: list[object]) -> bool:
    if _JSON_FEED in _text(feed, "version"):
        return True
    return any(isinstance(item, dict) and _text(item, "url") for item in items)


def _add_item(item: Mapping[str, object], language: str, collector: Collector) -> None:
    candidates = [_text(item, "url"), _text(item, "external_url")]
    if _WEB.match(_text(item, "id")):
        candidates.append(_text(item, "id"))
    url = collector.address(*((written, collector.url) for written in candidates if written))
    if url:
        collector.add(
            url,
            lastmod=_text(item, "date_modified"),
            published=_text(item, "date_published"),
            title=_text(item, "title"),
            language=_text(item, "language") or language,
        )


def _text(record: Mapping[str, object], name: str) -> str:
    value = record.get(name)
    # Half of a character pair can be written in JSON, but not in UTF-8.
    return value.encode("utf-8", "replace").decode().strip() if isinstance(value, str) else ""


def read_lines(text: str, collector: Collector, *, cut: bool = False) -> Listing:
    """Read a list of one address a line, as the sitemap protocol allows it.

    Blank lines and those beginning with ``#`` are passed over, and what stands behind an address
    and white space. An address may be relative where it begins with ``/``, ``./``, ``../`` or the
    listing's own host. Where most lines are no addresses, the text is no listing.

    Args:
        text: the list.
        collector: takes the entries.
        cut: the list was cut off, so that its last line is not whole.
    """
    if cut and not text.endswith(("\n", "\r")):
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
        collector.problems.add("cut-off")
    host = address_site(collector.url) + "/"
    # Read twice, since millions of lines kept apart take many times the memory of the text.
    found = wrong = 0
    for address in _line_addresses(text, host):
        found += bool(address)
        wrong += not address
    if not found or found < (found + wrong) * _LEAST_ADDRESSES:
        collector.problems.add("unknown")
        return collector.listing("none")
    collector.problems.add("line-wrong", wrong)
    for address in _line_addresses(text, host):
        if not address or collector.is_full():
            continue
        if url := collector.address((address, collector.url)):
            collector.add(url)
    return collector.listing("text")


def _line_addresses(text: str, host: str) -> Iterator[str]:
    """Give the address of each line that is neither blank nor a comment; empty where it is none."""
    for line in _LINE.finditer(text):
        written = line[0].partition("\t")[0].split(maxsplit=1)[:1]
        if not written or written[0].startswith("#"):
            continue
        plain = written[0].lower().removeprefix("www.")
        is_address = _WEB.match(written[0]) or _PATH.match(written[0]) or plain.startswith(host)
        yield written[0] if is_address else ""
