"""The title of a page: which heading it is, and which part of it is the site's name.

Old blogs have their own name as the ``h1`` of every page, and a post's title as ``h2`` or ``h3``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urljoin, urlsplit

from crawler.core.metadata.visible import element_text
from crawler.core.words import fold_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml import etree

    from crawler.core.page.parse import ParsedPage

_MAX_FIRSTS = 20
_MAX_SUBHEADS = 60
_SHORT_NAME = 3
_SHORT_TITLE = 15
_TITLE_CHARS = 500
_MAX_OTHERS = 8
_MAX_CUTS = 8
_INDEX = re.compile(r"/?(?:(?:index|default|home)\.[a-z]{2,5})?", re.IGNORECASE)
# Between a title and the name of its site.
_SEPARATOR = re.compile(
    r"\s+[|\-\u2013\u2014\u2022\u00b7\u00bb\u00ab:/<>\u2039\u203a]{1,3}\s+|\s?[|\uff5c\u2503]\s?|::"
)
# A colon is no such sign: it also joins a title with its subtitle.
_NAME_LAST = re.compile(
    r"[\s\x22'.!?)]*(?:\s[-|/:\u2013\u2014\u2022\u00b7\u00bb\u00ab<>]|[|\uff5c])"
)
_POST_TITLE = re.compile(
    r"(?:post|entry|article|content)[-_]?(?:title|head)|headline", re.IGNORECASE
)
_KICKER = re.compile(r"\s[-\u2013\u2014|/:]\s|:\s")
_WORDS = re.compile(r"\w+")
# Share of words in common from which a heading is taken for another wording of the title. Of
# 0.1, 0.2, ... 0.6 the one that finds most titles of single pages.
_ALIKE = 0.2


@dataclass(frozen=True, slots=True)
class Headings:
    """The headings of a page.

    Attributes:
        texts: of its ``h1`` that are not the name of its site, or the one below them that is the
            title.
        sites: of its ``h1`` that are the name of its site.
        document: the document's title: the heading that it is with the site's name, where there is
            one.
    """

    texts: list[str]
    sites: list[str]
    document: str | None


def read_headings(
    parsed: ParsedPage, url: str, headings: Sequence[etree._Element], headlines: Iterable[str]
) -> Headings:
    """Separate the headings of a page's content from those that name its site.

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
    """Return the heading below an ``h1`` where the document's title is both of their texts.

    The ``h1`` is last, after a separator; or first, and the heading has a class of post titles.
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


def strip_site(title: str, sites: Iterable[str], *, headings: Sequence[str] = ()) -> str:
    """Return a title without the name of its site at its end or beginning.

    Args:
        title: as the page gives it.
        sites: names of the site, its host among them.
        headings: headings of the page. Where one of them is the title up to a separator, what
            follows is no part of the title, whatever it is.
    """
    title = title.strip()
    cuts = _cuts(title)
    if not cuts:
        return title
    folded = {name for site in sites if len(name := fold_name(site)) >= _SHORT_NAME}
    wanted = {name for heading in headings if (name := fold_name(heading))}
    if fold_name(title) in wanted:
        return title
    for start, end in cuts:
        for part in (title[:start], title[end:]):
            if fold_name(part) in wanted:
                return part.strip()
    return _without_names(title, folded)


def _without_names(title: str, sites: set[str]) -> str:
    """Drop segments that name the site, from the end and from the beginning."""
    for _ in range(4):
        cuts = _cuts(title)
        if not cuts:
            break
        last, first = cuts[-1], cuts[0]
        if title[: last[0]].strip() and _names_site(title[last[1] :], sites):
            title = title[: last[0]].strip()
        elif title[first[1] :].strip() and _names_site(title[: first[0]], sites):
            title = title[first[1] :].strip()
        else:
            break
    return title


def _cuts(title: str) -> list[tuple[int, int]]:
    """Return where separators begin and end: the first few and the last few."""
    cuts = [(match.start(), match.end()) for match in _SEPARATOR.finditer(title)]
    return cuts if len(cuts) <= _MAX_CUTS else [*cuts[: _MAX_CUTS // 2], *cuts[-_MAX_CUTS // 2 :]]


def _names_site(part: str, sites: set[str]) -> bool:
    folded = fold_name(part)
    if len(folded) < _SHORT_NAME:
        return folded in sites
    return any(
        folded == site
        or folded.startswith(site)
        or (len(site) > _SHORT_NAME and (site in folded or folded in site))
        for site in sites
    )


_Said: TypeAlias = tuple[str, str, str]
"""Source, title, and the title folded."""


@dataclass(frozen=True, slots=True)
class TitleSources:
    """Everything on a page that may be its title, as the page gives it.

    Attributes:
        linked: the headline of JSON-LD.
        shared: OpenGraph's title.
        others: sources and values of further meta elements.
        headings: the texts of its ``h1``.
        document: its ``title``.
        sites: the names of its site.
        is_news: whether JSON-LD calls it news.
    """

    linked: Sequence[str]
    shared: str | None
    others: Sequence[tuple[str, str]]
    headings: Sequence[str]
    document: str | None
    sites: Sequence[str]
    is_news: bool


def choose_title(given: TitleSources) -> tuple[str, str] | None:
    """Return the source and text of the title; None where the page has none."""
    names = {fold_name(site) for site in given.sites}
    headings = [text for text in given.headings if (name := fold_name(text)) and name not in names]
    headings = headings[:_MAX_FIRSTS]
    said = _said(given, headings, names)
    chosen = (
        _of_news(given, said, headings)
        or _agreed(said, headings)
        or _without_kicker(said, headings)
    )
    if chosen is None and not given.is_news:  # news reword their titles more
        chosen = _alike(said, headings)
    if chosen is not None:
        return chosen
    order = ("json-ld", "opengraph") if given.is_news else ("opengraph", "json-ld")
    for wanted in (*order, "meta", "microdata", "title"):
        for source, title, _ in said:
            if source == wanted:
                return source, title
    if headings:
        return "h1", headings[0]
    return ("title", given.document) if given.document else None


def _said(given: TitleSources, headings: Sequence[str], names: set[str]) -> list[_Said]:
    """Return source, title and folded title of everything but headings, without the site's name."""
    raw = [("json-ld", title) for title in given.linked[:1]]
    if given.shared:
        raw.append(("opengraph", given.shared))
    raw += given.others[:_MAX_OTHERS]
    if given.document:
        raw.append(("title", given.document))
    said = []
    for source, title in raw:
        stripped = strip_site(title[:_TITLE_CHARS], given.sites, headings=headings)
        if (folded := fold_name(stripped)) and folded not in names:
            said.append((source, stripped, folded))
    return said


def _of_news(
    given: TitleSources, said: Sequence[_Said], headings: Sequence[str]
) -> tuple[str, str] | None:
    """Return the title of a news page where OpenGraph's title is the publisher's own.

    It is where JSON-LD agrees. It is too where JSON-LD, the heading and the document's title agree
    on another one, unless it was made by a machine and holds the site's name.
    """
    by_source = {source: (title, folded) for source, title, folded in reversed(said)}
    if not given.is_news or not given.shared or not {"json-ld", "opengraph"} <= by_source.keys():
        return None
    raw = fold_name(given.shared)
    if raw == fold_name(given.linked[0]):
        return "json-ld", strip_site(given.linked[0][:_TITLE_CHARS], given.sites)
    shared, folded = by_source["opengraph"]
    linked = by_source["json-ld"][1]
    document = by_source["title"][1] if "title" in by_source else ""
    seen = {fold_name(heading) for heading in headings}
    if raw == folded and folded not in seen and folded != document and {linked, document} <= seen:
        return "opengraph", shared
    return None


def _agreed(said: Sequence[_Said], headings: Sequence[str]) -> tuple[str, str] | None:
    """Return the heading that another source agrees with."""
    shown = {fold_name(text): text for text in headings}
    for source, _, folded in said:
        if (text := shown.get(folded)) is not None:
            return ("h1" if source == "title" else source), text
    return None


def _without_kicker(said: Sequence[_Said], headings: Sequence[str]) -> tuple[str, str] | None:
    """Return the title in a heading "Kicker - Title", where another source ends with it."""
    for heading in headings:
        for cut in islice(_KICKER.finditer(heading), _MAX_CUTS):
            rest = heading[cut.end() :].strip()
            folded = fold_name(rest)
            if len(folded) < _SHORT_TITLE:
                continue
            for source, _, other in said:
                if other.endswith(folded):
                    return source, rest
    return None


def _alike(said: Sequence[_Said], headings: Sequence[str]) -> tuple[str, str] | None:
    """Return the heading that is another wording of the title."""
    likeness = [_likeness(heading, said) for heading in headings]
    best = max(likeness, default=0.0)
    return ("h1", headings[likeness.index(best)]) if best >= _ALIKE else None


def _likeness(heading: str, said: Sequence[_Said]) -> float:
    """Return the largest share of words that a heading has in common with a title."""
    words = set(_WORDS.findall(heading.casefold()))
    best = 0.0
    for _, title, _ in said:
        others = set(_WORDS.findall(title.casefold()))
        best = max(best, len(words & others) / max(1, len(words | others)))
    return best
