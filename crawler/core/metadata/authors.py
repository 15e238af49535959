"""The authors of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree

from crawler.core.metadata.dates import find_dates
from crawler.core.metadata.names import (
    begins_as_byline,
    byline_words,
    clean_names,
    is_weak,
    line_names,
)
from crawler.core.metadata.visible import (
    AUTHOR_PAGE,
    AUTHOR_PAGE_PATH,
    Mark,
    VisiblePage,
    element_text,
)
from crawler.core.page.elements import HEADINGS
from crawler.core.page.page import site_of
from crawler.core.words import fold_name, fold_word

if TYPE_CHECKING:
    from crawler.core.metadata.read import PageFacts

# Shorter names of sites begin too many names of people.
_SHORT_NAME = 3
_AUTHOR_PROPS = ("author", "creator")
# How many marks are looked at; how many elements after the first mark of a group the last one may
# be, and how many marks a group has at most.
_MAX_LOOKED_AT = 60
_RUN = 30
_MAX_RUN = 20
# A mark of more points needs no name of two words, and no line "By NAME" is preferred to it.
_SURE_POINTS = 3.0
# What a mark loses in a side part of the page, or in the frame that nearly all pages share.
_ASIDE_POINTS = 3.0
_LEAST_POINTS = 1.0
# A byline has no more characters; of an element no more parts are looked at.
_BYLINE_CHARS = 160
_PARTS = 60
_FEED = re.compile(
    r"/(?:feed|rss|atom)s?/?(?:[?#]|$)|\.(?:xml|rss|atom|rdf)(?:[?#]|$)|^https?://feeds?\d?\.",
    re.IGNORECASE,
)
# Between the date of a byline and the name.
_UNTIL_BY = 40
_UNTIL_NAME = re.compile(r"[^|\u2022\u00b7\u2013\u2014]{0,24}?\s?[|\u2022\u00b7\u2013\u2014]\s?")
_STRONG_AUTHOR = re.compile(
    r"\bauthor\b|byline|by-line|\bautor\b|author-?_?name|authorname", re.IGNORECASE
)
_NO_AUTHOR = re.compile(
    r"avatar|image|img|photo|bio\b|social|follow|box|desc|about|comment|title\b|role|thumb|icon"
    r"|date|time|position|job|links?$|publisher|container-wide|count",
    re.IGNORECASE,
)


def choose_authors(facts: PageFacts, site_name: str | None) -> tuple[str, tuple[str, ...]] | None:
    """Return source and names of the authors; None where the page names none.

    The first source that names people is believed: JSON-LD, meta elements, what readers see. Names
    of accounts count where no source names people, the site's own name where no source names
    anybody else.
    """
    site = site_name or ""
    house = {fold_name(name) for name in (site, facts.linked.site_name or "", *facts.house)}
    house.discard("")
    # A name is the site's where it begins with it, too: "BBC News".
    begins = tuple(name for name in house if len(name) >= _SHORT_NAME)
    others = _site_names(facts, site)
    of_house = accounts = of_meta = None
    for source, names in _groups(facts, site):
        folded = [fold_name(name) for name in names]
        if all(name in house or name.startswith(begins) for name in folded):
            of_house = of_house or (source, names)
        elif all(map(is_weak, names)):
            accounts = accounts or (source, names)
        elif source in ("meta", "opengraph") and all(
            name.startswith(others) or name.endswith(others) for name in folded
        ):
            of_meta = of_meta or (source, names)
        else:
            return source, names
    return of_meta or accounts or of_house


def _site_names(facts: PageFacts, site: str) -> tuple[str, ...]:
    """Return all names of the site, folded: also what the document's title has beside the title."""
    given = (name for _, name in facts.values("site_name"))
    names = {fold_name(name) for name in (site, *given, *facts.metas.get("publisher", ()))}
    whole, title = fold_name(facts.parsed.title or ""), fold_name(facts.title or "")
    if title:
        names |= {whole.removeprefix(title), whole.removesuffix(title)} - {whole}
    names = {name.removeprefix("the") for name in names}
    return tuple(name for name in names if len(name) >= _SHORT_NAME)


def _groups(facts: PageFacts, site: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    values = [("json-ld", list(facts.linked.authors)), *facts.groups("author")]
    # Twitter's cards have pairs of label and value.
    for number in ("1", "2"):
        label = " ".join(facts.metas.get(f"twitter:label{number}", ()))
        if byline_words().by.match(label):
            values.append(("meta", facts.metas.get(f"twitter:data{number}", [])))
    for source, texts in values:
        if names := clean_names(texts, site=site):
            yield source, names
    if (seen := _seen_authors(facts.visible, site, _Suspects(facts))) is not None:
        yield seen


class _Suspects:
    """Tells by the counts of a site which names on nearly all of its pages are no authors.

    Without counts none is suspect.
    """

    def __init__(self, facts: PageFacts) -> None:
        self._page, self._template, self._title = facts.visible, facts.template, facts.title

    def is_in_frame(self, text: str) -> bool:
        """Tell whether a text is in the page's frame, which is the same on nearly all pages."""
        return self._template is not None and self._template.is_in_frame(text, self._title)

    def is_aside(self, element: etree._Element) -> bool:
        """Tell whether an element is in a side part of the page or in its frame."""
        return self._page.is_aside(element) or (
            self._template is not None and self.is_in_frame(element_text(element))
        )

    def is_template_link(self, element: etree._Element) -> bool:
        """Tell whether an element that is marked as an author is a link of the site's template.

        It leads to another site or a feed. Bylines may hold such links, and so may elements outside
        of the frame that ``rel`` or ``itemprop`` call the author.
        """
        if self._template is None or not self._leads_away(element):
            return False
        text = element_text(element)
        rel = "author" in (element.get("rel") or "").lower().split()
        if self.is_in_frame(text):
            href = (element.get("href") or "")[:_BYLINE_CHARS]
            return not (rel and AUTHOR_PAGE_PATH.search(href.lower()))
        is_said = rel or (element.get("itemprop") or "").lower() in _AUTHOR_PROPS
        return not is_said and self._template.repeats(text)

    def is_credit(self, element: etree._Element, name: str) -> bool:
        """Tell whether "by A" in the page's frame credits another site: who made this one."""
        around = element if next(element.iter("a"), None) is not None else element.getparent()
        return self.is_in_frame(name) and around is not None and self._leads_away(around)

    def _leads_away(self, element: etree._Element) -> bool:
        links = list(islice(element.iter("a"), _PARTS)) or list(element.iterancestors("a"))
        hrefs = [(link.get("href") or "").strip()[:_BYLINE_CHARS] for link in links]
        return bool(hrefs) and all(
            _FEED.search(href) or not self._page.is_own(href) for href in hrefs
        )


def _seen_authors(
    page: VisiblePage, site: str, suspects: _Suspects
) -> tuple[str, tuple[str, ...]] | None:
    best: tuple[float, str, tuple[str, ...]] | None = None
    for points, source, marks in _marked(page, suspects):
        is_framed = suspects.is_in_frame(element_text(marks[0].element))
        weight = points - _ASIDE_POINTS * is_framed
        if best is not None and weight <= best[0]:
            continue
        texts = [_name_text(mark.element) for mark in marks]
        names = clean_names(texts, site=site, are_seen=True)
        # Several names in the frame are those of the staff.
        if is_framed and len(names) > 1:
            continue
        sure = is_framed or points > _SURE_POINTS
        if names and all(_looks_like_name(name) or (sure and " " not in name) for name in names):
            best = (weight, source, _with_others(marks[0].element, names, site))
    if best is None or best[0] < _SURE_POINTS:
        labelled = _by_text(page, site, suspects)
        if labelled is not None:
            return "byline", labelled
    return best[1:] if best is not None else None


def _with_others(element: etree._Element, names: tuple[str, ...], site: str) -> tuple[str, ...]:
    """Return the names of the whole byline around an author's element: "By A and B"."""
    around = element.getparent()
    text = element_text(around) if around is not None and around.tag not in ("body", "html") else ""
    if len(text) > _BYLINE_CHARS or byline_words().by.match(text) is None:
        return names
    more = clean_names([text], site=site, are_seen=True)
    is_whole = len(more) > len(names) and set(names) <= set(more)
    return more if is_whole and all(map(_looks_like_name, more)) else names


def _marked(page: VisiblePage, suspects: _Suspects) -> Iterator[tuple[float, str, list[Mark]]]:
    """Yield groups of neighbouring marks of one kind, with points and source."""
    by_hint: dict[str, list[Mark]] = {}
    for mark in page.authors[:_MAX_LOOKED_AT]:
        if not suspects.is_template_link(mark.element):
            by_hint.setdefault(mark.said, []).append(mark)
    for hint, group in by_hint.items():
        for run in _runs(group, page, suspects):
            element = run[0].element
            text = element_text(element)
            length = len(text)
            if (
                not length
                or length > _BYLINE_CHARS
                or page.is_teaser(run[0])
                or _are_icons(element, text, page.site)
            ):
                continue
            points = _author_points(element, hint) - length / 60 + page.near(run[0].order)
            points -= _ASIDE_POINTS * page.is_aside(element)
            if points > _LEAST_POINTS:
                yield points, "microdata" if element.get("itemprop") else "byline", run


def _are_icons(element: etree._Element, text: str, site: str) -> bool:
    """Tell whether an element holds nothing but links that name no person.

    Those are links to feeds, and links to other sites that they name: "Flickr".
    """
    links = list(islice(element.iter("a"), _PARTS))
    return bool(links) and all(
        _FEED.search((link.get("href") or "").strip()[:_BYLINE_CHARS]) or _names_other(link, site)
        for link in links
    ) and text == " ".join(map(element_text, links))  # fmt: skip


def _names_other(link: etree._Element, site: str) -> bool:
    there = site_of((link.get("href") or "").strip()[:_BYLINE_CHARS])
    return there != site and element_text(link).casefold() in there.split(".")[:-1]


def _name_text(element: etree._Element) -> str:
    """Return the text of an author's element, of its ``itemprop=name`` where it has one."""
    if element.get("itemprop") is not None:
        for part in islice(element.iter(), _PARTS):
            if part is not element and part.get("itemprop") == "name":
                return element_text(part) or part.get("content") or ""
    return element_text(element)


def _runs(group: list[Mark], page: VisiblePage, suspects: _Suspects) -> list[list[Mark]]:
    """Return the first group of marks of a kind, and the first one after the headline."""
    starts = [group[0]]
    if page.headline is not None:
        starts += [mark for mark in group if mark.order >= page.headline - _RUN][:1]
    runs = []
    for start in dict.fromkeys(starts):
        aside = suspects.is_aside(start.element)
        near = [mark for mark in group if 0 <= mark.order - start.order <= _RUN]
        runs.append([each for each in near if suspects.is_aside(each.element) == aside])
    return [run[:_MAX_RUN] for run in runs]


def _author_points(element: etree._Element, hint: str) -> float:
    """Return points for what markup says of an element: that it is the author, or not."""
    if "author" in (element.get("rel") or "").lower().split():
        points = 4.0
    elif hint == AUTHOR_PAGE:
        points = 3.0
    elif (element.get("itemprop") or "").lower() in _AUTHOR_PROPS:
        points = 3.5
    else:
        points = 2.5 if _STRONG_AUTHOR.search(hint) else 0.0
    if hint != AUTHOR_PAGE and _NO_AUTHOR.search(hint):
        points -= 2.0
    return points + 0.5 * (element.tag == "a")


def _by_text(page: VisiblePage, site: str, suspects: _Suspects) -> tuple[str, ...] | None:
    """Read a text that begins as bylines do: "By A and B", or a label beside the name."""
    for snippet in page.bylines:
        text = _labelled(snippet.element, snippet.said)
        if not text or page.is_aside(snippet.element) or page.is_teaser(snippet):
            continue
        # "by NAME on DATE" is a byline wherever it stands, however the name is written.
        whole = element_text(snippet.element)
        is_dated = next(find_dates(whole), None) is not None
        if is_dated and begins_as_byline(whole):
            text = whole
        if not is_dated and (
            _is_phrase(snippet.element, snippet.said) or not page.may_be_byline(snippet.order)
        ):
            continue
        names = clean_names([text], site=site, are_seen=True)
        if names and len(text) <= _BYLINE_CHARS:
            is_account = is_dated and len(names) == 1 and " " not in names[0]
            if (is_account or all(map(_looks_like_name, names))) and not suspects.is_credit(
                snippet.element, names[0]
            ):
                return names
    return _after_date(page, site)


def _is_phrase(element: etree._Element, text: str) -> bool:
    """Tell whether a text is a phrase: "By Sea", or a heading such as "By the numbers"."""
    label = byline_words().by.match(text)
    if label is None or label.end() == len(text) or not label.group().strip().isalpha():
        return False
    names = [name.strip() for name in byline_words().joint.split(text[label.end() :])]
    if all(name[:1].isupper() and " " not in name for name in names):  # "By Land and Sea"
        return fold_word(names[0]) not in byline_words().sets["agencies"]
    around = (element, *islice(element.iterancestors(), 2))
    return any(each.tag in HEADINGS and len(element_text(each)) <= _BYLINE_CHARS for each in around)


def _after_date(page: VisiblePage, site: str) -> tuple[str, ...] | None:
    """Read the names of "Posted on DATE by A" and "Posted on DATE | A"."""
    words = byline_words()
    for snippet in page.dated:
        text = snippet.said
        found = next(find_dates(text), None) if page.may_be_byline(snippet.order) else None
        if found is None:
            continue
        rest = text[found.end :]
        match = words.by_within.search(rest, 0, _UNTIL_BY)
        if match is None and words.published.search(text, 0, found.start):
            match = _UNTIL_NAME.match(rest)
        if match is None or page.is_aside(snippet.element):
            continue
        names = clean_names([rest[match.end() :]], site=site, are_seen=True)
        if names and all(" " in name and _looks_like_name(name) for name in names):
            parts = fold_word(" ".join(names)).split()
            others = words.sets["roles"] | words.sets["not_in_names"]
            return names if others.isdisjoint(parts) else None
    return None


def _labelled(element: etree._Element, text: str) -> str:
    """Return what follows the label of a byline: in its text, its element, or the one around it."""
    match = byline_words().by.match(text)
    if line_names(text) or (match is not None and text[match.end() :].strip()):
        return text
    label = " ".join(text.split())
    here: etree._Element | None = element
    for _ in range(3):
        if here is None:
            break
        said = element_text(here)
        start = said.find(label)
        rest = said[start + len(label) :].strip(" :-\u2013\u2014") if start >= 0 else ""
        if rest:
            return rest
        here = here.getparent()
    return ""


def _looks_like_name(name: str) -> bool:
    """Tell whether most words of a text begin with a capital, where its script has any."""
    words = [word for word in name.split() if word[0].isalpha()]
    agencies = byline_words().sets["agencies"]
    small = sum(word.islower() and word not in agencies for word in words)
    return bool(words) and small * 3 <= len(words) and len(words) <= 6  # noqa: PLR2004 - of a name
