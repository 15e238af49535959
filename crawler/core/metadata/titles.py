"""The title of a page: which heading it is, and which part of it is the site's name.

Old blogs have their own name as the ``h1`` of every page, and a post's title as ``h2`` or ``h3``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urljoin, urlsplit

from lxml import etree

from crawler.core.metadata.visible import element_text
from crawler.core.page.parse import ParsedPage
from crawler.core.patterns import compiled_later
from crawler.core.words import fold_name

if TYPE_CHECKING:
    from crawler.core.metadata.read import PageFacts

_MAX_FIRSTS = 20
_MAX_SUBHEADS = 60
_SHORT_NAME = 3
_SHORT_TITLE = 15
_TITLE_CHARS = 500
_MAX_OTHERS = 8
_MAX_CUTS = 8
_INDEX = compiled_later(r"/?(?:(?:index|default|home)\.[a-z]{2,5})?", re.IGNORECASE)
# Between a title and the name of its site.
_SEPARATOR = compiled_later(
    r"(?:(?<!\s)|(?<=[|\uff5c\u2503]\s))\s++[|\-\u2013\u2014\u2022\u00b7\u00bb\u00ab:/<>\u2039\u203a]{1,3}\s+"
    r"|\s?[|\uff5c\u2503]\s?|::"
)
# A colon is no such sign: it also joins a title with its subtitle.
_NAME_LAST = compiled_later(
    r"[\s\x22'.!?)]*(?:\s[-|/:\u2013\u2014\u2022\u00b7\u00bb\u00ab<>]|[|\uff5c])"
)
_POST_TITLE = compiled_later(
    r"(?:post|entry|article|content)[-_]?(?:title|head)|headline", re.IGNORECASE
)
_KICKER = compiled_later(r"\s[-\u2013\u2014|/:]\s|:\s")
_WORDS = compiled_later(r"\w+")
# Share of words in common from which a heading is taken for another wording of the title. Of
# 0.1, 0.2, ... 0.6 the one that finds most titles of single pages.
_ALIKE = 0.2


class Headings:
    """The headings of a page: those of its content, and those that name its site.

    Args:
        parsed: the page.
        url: its address.
        headings: its ``h1``, ``h2`` and ``h3``, in the page's order.
        headlines: its title as OpenGraph and JSON-LD give it.

    Attributes:
        texts: of its ``h1`` that are not the name of its site, or the one below them that is the
            title.
        sites: of its ``h1`` that are the name of its site.
        document: the document's title: the heading that it is with the site's name, where there is
            one.
    """

    def __init__(
        self,
        parsed: ParsedPage,
        url: str,
        headings: Sequence[etree._Element],
        headlines: Iterable[str],
    ) -> None:
        self.texts: list[str] = []
        self.sites: list[str] = []
        document = parsed.title or ""
        said = {folded for text in headlines if (folded := fold_name(text))}
        whole = fold_name(document)
        post: str | None = None
        for place, element in enumerate(headings):
            if element.tag != "h1" or not (text := element_text(element)):
                continue
            if len(self.texts) + len(self.sites) >= _MAX_FIRSTS:
                break
            folded = fold_name(text)
            below = None
            if folded not in said:
                below = _post_below(headings[place + 1 :], whole, text, post or document)
                post = below or post
            names_site = folded not in said and (
                below is not None
                or _leads_home(element, parsed, url)
                or any(_are_parts(whole, headline, folded) for headline in said)
            )
            (self.sites if names_site else self.texts).append(text)
        self.document = post or document
        if post is not None and post not in (parsed.title, *self.texts):
            self.texts.insert(0, post)


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
        if _POST_TITLE.search(f"{element.get('class') or ''} {element.get('itemprop') or ''}"):
            return text
    return None


def _leads_home(heading: etree._Element, parsed: ParsedPage, url: str) -> bool:
    """Tell whether the whole of a heading is a link to the first page of the page's own site."""
    link = next(heading.iter("a"), None)
    if link is None:
        link = next(heading.iterancestors("a"), None)
    if link is None or fold_name(element_text(link)) != fold_name(element_text(heading)):
        return False
    href = link.get("href")
    if not href:
        return False
    try:
        own, target = urlsplit(url), urlsplit(urljoin(parsed.base_url, href.strip()))
    except ValueError:
        return False
    if _INDEX.fullmatch(own.path) and not own.query:
        return False
    if target.fragment and not target.path.strip("/") and href.startswith("#"):
        return False
    hosts = {(each.hostname or "").removeprefix("www.") for each in (target, own)}
    return len(hosts) == 1 and not target.query and _INDEX.fullmatch(target.path) is not None


_Said: TypeAlias = tuple[str, str, str]
"""Source, title without the site's name, and that folded."""


def titles(facts: PageFacts, site_name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the source and text of what may be the title, the most trusted first."""
    is_news = facts.linked.is_news
    sites = (site_name, facts.linked.site_name, *facts.headings.sites, *facts.house)
    names = {fold_name(site) for site in sites if site}
    headings = [
        text for text in facts.headings.texts if (name := fold_name(text)) and name not in names
    ][:_MAX_FIRSTS]
    said = _said(facts, headings, names)
    yield from _of_news(facts, said, headings, names)
    yield from _agreed(said, headings)
    yield from _without_kicker(said, headings)
    if not is_news:  # news reword their titles more
        yield from _alike(said, headings)
    order = ("json-ld", "opengraph") if is_news else ("opengraph", "json-ld")
    for wanted in (*order, "meta", "microdata", "title"):
        yield from ((source, title) for source, title, _ in said if source == wanted)
    yield from (("h1", heading) for heading in headings)
    yield "title", facts.headings.document


def _said(facts: PageFacts, headings: Collection[str], names: set[str]) -> list[_Said]:
    shared = _shared(facts)
    others = [pair for pair in facts.values("title") if pair[1] != shared]
    raw = (
        *(("json-ld", title) for title in facts.linked.titles[:1]),
        ("opengraph", shared),
        *others[:_MAX_OTHERS],
        ("title", facts.headings.document),
    )
    wanted = {fold_name(heading) for heading in headings or _shown_as_title(facts)}
    said = []
    for source, title in raw:
        stripped = _without_site(title[:_TITLE_CHARS], names, wanted)
        if (folded := fold_name(stripped)) and folded not in names:
            said.append((source, stripped, folded))
    return said


def _shown_as_title(facts: PageFacts) -> Iterator[str]:
    """Yield the parts of the document's title that are a block of the page, as in old layouts.

    The rest has to stand in the frame of the site alone, as its name does.
    """
    title = facts.headings.document.strip()[:_TITLE_CHARS]
    if (template := facts.template) is not None:
        for start, end in _cuts(title):
            for part, rest in ((title[:start], title[end:]), (title[end:], title[:start])):
                if template.has_block(part) and template.repeats(rest.strip()):
                    yield part


def _shared(facts: PageFacts) -> str:
    return next(iter(facts.metas.get("og:title", ())), "")


def _of_news(
    facts: PageFacts, said: Sequence[_Said], headings: Sequence[str], names: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the title of a news page where OpenGraph's title is the publisher's own.

    It is where JSON-LD agrees. It is too where JSON-LD, the heading and the document's title agree
    on another one, unless it was made by a machine and holds the site's name.
    """
    by_source = {source: (title, folded) for source, title, folded in reversed(said)}
    given = _shared(facts)
    if not (facts.linked.is_news and given and {"json-ld", "opengraph"} <= by_source.keys()):
        return
    raw, first = fold_name(given), facts.linked.titles[0]
    if raw == fold_name(first):
        yield "json-ld", _without_site(first[:_TITLE_CHARS], names, ())
        return
    shared, folded = by_source["opengraph"]
    linked, document = by_source["json-ld"][1], by_source.get("title", ("", ""))[1]
    seen = {fold_name(heading) for heading in headings}
    if raw == folded and folded not in seen and folded != document and {linked, document} <= seen:
        yield "opengraph", shared


def _agreed(said: Sequence[_Said], headings: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the headings that another source agrees with."""
    shown = {fold_name(text): text for text in headings}
    for source, _, folded in said:
        if folded in shown:
            yield ("h1" if source == "title" else source), shown[folded]


def _without_kicker(said: Sequence[_Said], headings: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the title in a heading "Kicker - Title", where another source ends with it."""
    for heading in headings:
        for cut in islice(_KICKER.finditer(heading), _MAX_CUTS):
            rest = heading[cut.end() :].strip()
            folded = fold_name(rest)
            if len(folded) >= _SHORT_TITLE:
                yield from ((source, rest) for source, _, other in said if other.endswith(folded))


def _alike(said: Sequence[_Said], headings: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the heading that has most words in common with a title, if they are enough."""
    best, chosen = 0.0, ""
    for heading in headings:
        words = set(_WORDS.findall(heading.casefold()))
        for _, title, _ in said:
            others = set(_WORDS.findall(title.casefold()))
            share = len(words & others) / max(1, len(words | others))
            if share > best:
                best, chosen = share, heading
    if best >= _ALIKE:
        yield "h1", chosen


def _without_site(title: str, names: Iterable[str], headings: Collection[str]) -> str:
    """Return a title without the name of its site at its end or beginning.

    Args:
        title: as the page gives it.
        names: names of the site, folded.
        headings: headings of the page, folded. Where one of them is the title up to a separator,
            what follows is no part of the title, whatever it is.
    """
    title = title.strip()
    cuts = _cuts(title)
    if not cuts or fold_name(title) in headings:
        return title
    for start, end in cuts:
        for part in (title[:start], title[end:]):
            if fold_name(part) in headings:
                return part.strip()
    long = [name for name in names if len(name) >= _SHORT_NAME]
    for _ in range(4):
        cuts = _cuts(title)
        if not cuts:
            break
        (first, first_end), (last, last_end) = cuts[0], cuts[-1]
        if title[:last].strip() and _names_site(title[last_end:], long):
            title = title[:last].strip()
        elif title[first_end:].strip() and _names_site(title[:first], long):
            title = title[first_end:].strip()
        else:
            break
    return title


def _cuts(title: str) -> list[tuple[int, int]]:
    """Return where separators begin and end: the first few and the last few."""
    cuts = [match.span() for match in _SEPARATOR.finditer(title)]
    return cuts if len(cuts) <= _MAX_CUTS else [*cuts[: _MAX_CUTS // 2], *cuts[-_MAX_CUTS // 2 :]]


def _names_site(part: str, names: Sequence[str]) -> bool:
    folded = fold_name(part)
    return len(folded) >= _SHORT_NAME and any(
        folded.startswith(name) or (len(name) > _SHORT_NAME and (name in folded or folded in name))
        for name in names
    )
