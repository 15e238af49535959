"""Which of a page's headings may be its title, and which is the name of its site.

Old blogs have their own name as the ``h1`` of every page, and a post's title as ``h2`` or ``h3``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from crawler.core.metadata.names import fold_name
from crawler.core.metadata.scan import element_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml import etree

    from crawler.core.page.parse import ParsedPage

__all__ = ["Headings", "read_headings"]

_MAX_FIRSTS = 20
_MAX_SUBHEADS = 60
_SHORT_NAME = 3
_INDEX = re.compile(r"/?(?:(?:index|default|home)\.[a-z]{2,5})?", re.IGNORECASE)
# A colon joins a title with its subtitle too: it does not tell a site's name.
_NAME_LAST = re.compile(
    r"[\s\x22'.!?)]*(?:\s[-|/:\u2013\u2014\u2022\u00b7\u00bb\u00ab<>]|[|\uff5c])"
)
_POST_TITLE = re.compile(
    r"(?:post|entry|article|content)[-_]?(?:title|head)|headline", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Headings:
    """The headings of a page.

    ``texts``
        Of its ``h1`` that are not the name of its site, or the one below them that is the title.
    ``sites``
        Of its ``h1`` that are the name of its site.
    ``document``
        The document's title: the heading that it is with the site's name, where there is one.
    """

    texts: list[str]
    sites: list[str]
    document: str | None


def read_headings(
    parsed: ParsedPage, url: str, headings: Sequence[etree._Element], headlines: Iterable[str]
) -> Headings:
    """Tell the headings of a page's matter from those that name its site.

    Args:
        parsed: the page.
        url: its address.
        headings: its ``h1``, ``h2`` and ``h3``, in the page's order.
        headlines: its title as OpenGraph and JSON-LD give it.
    """
    document = parsed.title
    texts: list[str] = []
    sites: list[str] = []
    said = {folded for text in headlines if (folded := fold_name(text))}
    whole = fold_name(document or "")
    for place, element in enumerate(headings):
        if element.tag != "h1" or not (text := element_text(element)):
            continue
        if len(texts) + len(sites) >= _MAX_FIRSTS:
            break
        folded = fold_name(text)
        if folded in said:
            texts.append(text)
            continue
        post = _post_below(headings[place + 1 :], whole, text, document or "")
        if post is not None:
            document = post
            sites.append(text)
        elif _leads_home(element, parsed, url) or any(
            _are_parts(whole, headline, folded) for headline in said
        ):
            sites.append(text)
        else:
            texts.append(text)
    if document != parsed.title and document is not None and document not in texts:
        texts.insert(0, document)
    return Headings(texts, sites, document)


def _are_parts(whole: str, title: str, name: str) -> bool:
    """Tell whether a document's title, folded, has a title at one end and a name at the other."""
    if len(name) < _SHORT_NAME or len(title) + len(name) > len(whole):
        return False
    return (whole.startswith(title) and whole.endswith(name)) or (
        whole.startswith(name) and whole.endswith(title)
    )


def _post_below(
    below: Sequence[etree._Element], whole: str, name: str, document: str
) -> str | None:
    """Return the heading below an ``h1`` that the document's title has beside the ``h1``'s text.

    The name stands last, behind a separator; or first, and the heading is called a post's title.
    """
    folded = fold_name(name)
    if len(folded) < _SHORT_NAME or not (whole.startswith(folded) or whole.endswith(folded)):
        return None
    for element in below[:_MAX_SUBHEADS]:
        if element.tag == "h1":
            continue
        text = element_text(element)
        other = fold_name(text)
        if not other or not _are_parts(whole, other, folded):
            continue
        if whole.startswith(other) and _NAME_LAST.match(document.strip()[len(text) :]):
            return text
        said = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
        if _POST_TITLE.search(said):
            return text
    return None


def _leads_home(heading: etree._Element, parsed: ParsedPage, url: str) -> bool:
    """Tell whether the whole of a heading is a link to the first page of the page's own site."""
    own = urlsplit(url)
    if _INDEX.fullmatch(own.path) and not own.query:
        return False
    link = next(heading.iter("a"), None)
    if link is None:
        link = next(heading.iterancestors("a"), None)
    if link is None or fold_name(element_text(link)) != fold_name(element_text(heading)):
        return False
    href = link.get("href")
    if not href:
        return False
    try:
        target = urlsplit(urljoin(parsed.base_url, href.strip()))
    except ValueError:
        return False
    if target.fragment and not target.path.strip("/") and href.startswith("#"):
        return False
    is_own = (target.hostname or "").removeprefix("www.") == (own.hostname or "").removeprefix(
        "www."
    )
    return is_own and not target.query and _INDEX.fullmatch(target.path) is not None
