"""Links: which addresses a page leads to, and why some of them are not followed."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement
from w3lib.url import safe_url_string

from crawler.core.page.addresses import address_site, canonical_address
from crawler.core.page.parse import ParsedPage
from crawler.core.words import read_data
from crawler.discovery.guesses import split_list_state, without_parameters
from crawler.discovery.scope import MAX_ADDRESS_LENGTH, Scope

# Endings of files that are no HTML pages. "js" is none: titles such as "node.js" end addresses.
_FILE_ENDINGS = frozenset(read_data("crawler.discovery", "addresses")["file_endings"])
_FOLLOWED_RELATIONS = frozenset({"next", "prev", "previous"})
_LINKING = ("a", "area", "link", "meta", "frame", "iframe")
_FRAMES = frozenset({"frame", "iframe"})
_NO_LINKS = frozenset({"nofollow", "none"})
# What WordPress and Blogger put behind or around the address of a page, for programs.
_FEED_END = frozenset({"feed", "trackback"})
_FEED_FORMS = frozenset({"atom", "rdf", "rss", "rss2"})
_SCHEMES = ("http://", "https://")
_HAS_OTHER_SCHEME = re.compile(r"(?!https?:)[A-Za-z][A-Za-z0-9+.\-]*:", re.IGNORECASE)
_REMOVED_IN_ADDRESS = re.compile(r"[\t\r\n]")
# So many links of a page to one address, with different values, lead to as many pages; where no two
# of them have the same text, so many.
_CHOICES = 5
_NAMED_CHOICES = 3
_VALUE = re.compile(r"=[^&]*")
_BEFORE_QUERY = re.compile(r"[^?#]*")


@dataclass(frozen=True, slots=True)
class Link:
    """Where a link leads.

    Attributes:
        address: Canonical, without parameters that are ignored.
        cut: The reason not to follow it (a key of ``CUT_REASONS``).
        linked: The canonical address as it stands in the link, where it has such parameters.
    """

    address: str
    cut: str = ""
    linked: str = field(default="", compare=False)


def page_links(
    page: ParsedPage, scope: Scope, *, nofollow: bool = False, address: str = ""
) -> list[Link]:
    """Find the pages a page leads to, in document order, each address once.

    Links are ``a`` and ``area``, ``frame`` and ``iframe``, ``link`` with ``rel`` next or prev, and
    with ``hreflang`` where the scope wants translations. What is no web page by its scheme (mail,
    scripts, data) is left out; the rest is judged by ``scope`` and comes with the reason when it is
    cut. Walks the tree once.

    Args:
        page: the page.
        scope: what is cut.
        nofollow: whether a header of the page marks all its links as nofollow.
        address: the canonical address of the page; empty to keep all that links say of lists.
    """
    page_nofollow = nofollow
    found: list[tuple[str, bool, bool]] = []
    elements: list[HtmlElement] = []
    for element in chain.from_iterable(root.iter(*_LINKING) for root in page.roots):
        if element.tag == "meta":
            if (element.get("name") or "").lower() == "robots":
                page_nofollow |= not _NO_LINKS.isdisjoint(_words(element.get("content")))
        elif element.tag in _FRAMES:
            found.append((element.get("src") or "", False, True))
            elements.append(element)
        elif (href := element.get("href")) is not None:
            relations = _words(element.get("rel"))
            if element.tag != "link" or _is_followed(element, relations, scope):
                found.append((href, "nofollow" in relations, False))
                elements.append(element)
    resolved = [_absolute(page.base_url, href, page.encoding) for href, _, _ in found]
    links: dict[str, Link] = {}
    plain = _plain_addresses(resolved, address, scope, lambda place: _text(elements[place]))
    for own, linked, (_, is_marked, is_frame) in zip(plain, resolved, found, strict=True):
        if own and (own not in links or links[own].cut == "nofollow"):
            cut = judge_address(own, scope)
            # A frame is a part of its page, however it is asked for.
            cut = "" if is_frame and cut == "query" else cut
            if not cut and (is_marked or page_nofollow) and not scope.follow_nofollow:
                cut = "nofollow"
            links[own] = Link(own, cut, linked if linked != own else "")
    return list(links.values())


def _is_followed(element: HtmlElement, relations: set[str], scope: Scope) -> bool:
    """Tell whether a ``link`` leads to a page that is wanted."""
    is_translation = "alternate" in relations and bool(element.get("hreflang"))
    return bool(relations & _FOLLOWED_RELATIONS) or (scope.translations and is_translation)


def _text(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def _plain_addresses(
    addresses: list[str], page: str, scope: Scope, text: Callable[[int], str]
) -> list[str]:
    """Return addresses without parameters that are ignored, and without the state of lists.

    A link to another page by the same path and number, as the pagers of lists and of articles have
    them, keeps its state: ``?no=7&page=2`` on the page ``?no=7``. But links to other articles tell
    the state of the list that the page shows, and a link with that leads to the page itself.

    Args:
        addresses: where the links of a page lead.
        page: its own address; empty to keep the state of lists.
        scope: what is ignored.
        text: gives the text of a link, by its place.
    """
    ignored = scope.ignored
    if ignored:
        shorter = [without_parameters(each, ignored) for each in addresses]
        # Where a list goes on: /list?from=c2 on /list.
        itself, others = without_parameters(page, ignored), ignored - {"from"}
        shorter = [
            without_parameters(address, others) if own == itself else own
            for address, own in zip(addresses, shorter, strict=True)
        ]
        addresses = unless_chosen(addresses, shorter, text)
    if scope.twins or not page:
        return addresses
    here, _ = split_list_state(page)
    split = [split_list_state(each) if "?" in each else (each, "") for each in addresses]
    shown = {state for own, state in split if state and own != here}
    shorter = [
        address if state and own == here and state not in shown else own
        for address, (own, state) in zip(addresses, split, strict=True)
    ]
    return unless_chosen(addresses, shorter, text)


def unless_chosen(
    addresses: list[str], shorter: list[str], text: Callable[[int], str] = lambda _: ""
) -> list[str]:
    """Return shorter addresses, but not where several that differ in values would become one.

    The values then choose the page: ``?id=7&page=1`` to ``?id=7&page=12``.

    Args:
        addresses: as they are linked.
        shorter: the same without some parameters.
        text: gives the text of a link, by its place.
    """
    if addresses == shorter:
        return addresses
    kinds = [
        (own, _VALUE.sub("", address)) for own, address in zip(shorter, addresses, strict=True)
    ]
    places = defaultdict[tuple[str, str], dict[str, list[int]]](dict)
    for place, (kind, address) in enumerate(zip(kinds, addresses, strict=True)):
        if address != kind[0]:
            places[kind].setdefault(address, []).append(place)
    chosen = {
        kind
        for kind, forms in places.items()
        if len(forms) >= _CHOICES or (len(forms) >= _NAMED_CHOICES and _differ(forms, text))
    }
    return [
        address if own and kind in chosen else own
        for own, kind, address in zip(shorter, kinds, addresses, strict=True)
    ]


def _differ(forms: dict[str, list[int]], text: Callable[[int], str]) -> bool:
    """Say whether links to different addresses have different texts."""
    texts = [{*filter(None, map(text, places))} for places in forms.values()]
    return all(texts) and len(set[str]().union(*texts)) == sum(map(len, texts))


def _words(value: str | None) -> set[str]:
    return set(re.split(r"[\s,]+", value.lower())) if value else set()


def _absolute(base: str, href: str, encoding: str) -> str:
    """Resolve a link; empty when it leads to no web page or back to the page itself."""
    href = _REMOVED_IN_ADDRESS.sub("", href).strip()
    if "\\" in href:
        # Browsers read a backslash as a slash.
        href = _BEFORE_QUERY.sub(lambda match: match[0].replace("\\", "/"), href, count=1)
    if not href or href.startswith("#") or _HAS_OTHER_SCHEME.match(href):
        return ""
    try:
        absolute = urljoin(base, href)
        if not absolute.isascii():
            absolute = _encode(absolute, encoding)
    except ValueError:
        return ""
    address = canonical_address(absolute)
    return address if address.startswith(_SCHEMES) and address_site(address) != "local" else ""


def _encode(address: str, encoding: str) -> str:
    # Browsers send the query in the encoding of the page it was written on, the path in UTF-8; but
    # of wide encodings they send nothing.
    if encoding.startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        return safe_url_string(address)
    try:
        return safe_url_string(address, encoding=encoding)
    except (LookupError, UnicodeError):
        return safe_url_string(address)


def judge_address(address: str, scope: Scope) -> str:
    """Return why an address is not followed (a key of ``CUT_REASONS``); empty where it is."""
    parts = urlsplit(address)
    segments = [segment for segment in parts.path.split("/") if segment]
    if posixpath.splitext(parts.path)[1][1:].lower() in _FILE_ENDINGS or _is_for_programs(segments):
        return "file-type"
    if len(address) > MAX_ADDRESS_LENGTH:
        return "length"
    if 0 < scope.max_path_depth < len(segments):
        return "path-depth"
    if 0 < scope.max_repeats < len(segments) and (
        max(Counter(segments).values()) > scope.max_repeats
    ):
        return "repeated-path"
    if 0 < scope.max_query <= parts.query.count("&"):
        return "query"
    return ""


def _is_for_programs(segments: list[str]) -> bool:
    """Tell a feed of a page or list, by the first and last parts of its path.

    ``/feed`` alone may be a page.
    """
    if len(segments) < 2:  # noqa: PLR2004 - a page, and what belongs to it
        return False
    last = segments[-1].lower()
    return (
        last in _FEED_END
        or (last in _FEED_FORMS and segments[-2].lower() == "feed")
        or (last == "default" and segments[0].lower() == "feeds")
    )
