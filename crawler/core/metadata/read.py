"""A page's metadata: every source is read, and a stated order decides between them.

The order, field by field, stands in docs/metadata.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from crawler.core.metadata.dates import Date, Reading, find_dates, read_date
from crawler.core.metadata.jsonld import read_linked
from crawler.core.metadata.meta import MetaTags
from crawler.core.metadata.model import Metadata
from crawler.core.metadata.names import clean_names, fold_name, is_weak
from crawler.core.metadata.scan import element_text, scan
from crawler.core.metadata.titles import TitleSources, choose_title
from crawler.core.metadata.visible import VisiblePage, seen_authors, seen_dates
from crawler.core.metadata.words import byline_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from crawler.core.metadata.jsonld import LinkedArticle
    from crawler.core.metadata.scan import Mark, Scan
    from crawler.core.metadata.visible import SeenDate
    from crawler.core.parse import ParsedPage

__all__ = ["read_metadata"]

_MAX_TAGS = 50
_SEEN_POINTS = 1.5
_SURE_POINTS = 5.0
_URL_DATE = re.compile(
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<s>[/._-]?)(?P<m>0[1-9]|1[0-2]|[1-9](?=[/._-]))(?P=s)"
    r"(?P<d>0[1-9]|[12]\d|3[01]|[1-9](?=\D|$))(?!\d)"
)
_URL_MONTH = re.compile(r"/(?P<y>(?:19|20)\d\d)/(?P<m>[a-z]{3,9})/(?P<d>\d{1,2})/", re.IGNORECASE)
_SCRIPT_DATE = re.compile(
    r"""["']?(?:date_?published|published_?(?:at|date|time|on)|publish_?(?:date|time|ed_?at)|pub_?date"""
    r"""|publication_?date|first_?published(?:_?at)?|datecreated|created_?at)["']?\s?[:=]\s?["'](?P<date>[^"']{6,40})["']""",
    re.IGNORECASE,
)
_SCRIPT_CHARS = 300_000
_MONTH_FIRST = ("us", "ph")
_DAY_FIRST_HOSTS = (".uk", ".au", ".nz", ".in", ".ie", ".za", ".eu", ".ng", ".ke", ".sg", ".my")
_YEAR_FIRST = ("ko", "ja", "zh", "hu", "lt")
_TAG = re.compile(r"<[^<>]{0,200}>")


def read_metadata(parsed: ParsedPage, url: str, fetched_at: str | None = None) -> Metadata:
    """Return what a page says of itself.

    Args:
        parsed: the page.
        url: its address.
        fetched_at: when it was fetched, ISO 8601. A date of publication after that day, by more
            than one day for zones, is not believed.
    """
    return _Reader(parsed, url, fetched_at).read()


class _Reader:
    """What is worked out for one page on the way to its metadata."""

    def __init__(self, parsed: ParsedPage, url: str, fetched_at: str | None) -> None:
        self._parsed = parsed
        self._url = url
        self._latest = read_date(fetched_at) if fetched_at else None
        self._scan: Scan = scan(parsed, byline_words().by)
        self._metas = MetaTags.of(self._scan.metas)
        self._h1 = [
            (mark, text)
            for mark in self._scan.headings
            if mark.hint == "h1" and (text := element_text(mark.element))
        ]
        urls = [url, parsed.canonical_url or "", (self._metas.first("url") or ("", ""))[1]]
        titles = [value for _, value in self._metas.values("title")]
        titles += [text for _, text in self._h1]
        self._linked: LinkedArticle = read_linked(self._scan.linked, urls, titles)
        self._sources: dict[str, str] = {}
        host = (urlsplit(url).hostname or "").removeprefix("www.")
        self._labels = [host, *host.split(".")[:-1]]

    def read(self) -> Metadata:
        language = self._said("language", self._languages())
        site_name = self._said("site_name", self._site_names())
        title = self._title(site_name)
        page = self._visible(title)
        self._reading = self._how_to_read(language)
        published, modified = self._dates(page)
        return Metadata(
            title=title,
            authors=self._authors(page, site_name),
            published=published,
            modified=modified,
            language=language,
            site_name=site_name,
            canonical_url=self._said("canonical_url", self._canonical()),
            description=self._said("description", self._descriptions()),
            tags=self._tags(),
            image=self._said("image", self._images()),
            sources=self._sources,
        )

    def _said(self, field: str, values: Iterable[tuple[str, str | None]]) -> str | None:
        """Return the first value there is, and note its source."""
        for source, value in values:
            if value:
                self._sources[field] = source
                return value
        return None

    def _languages(self) -> Iterator[tuple[str, str | None]]:
        yield "html", _language(self._parsed.language)
        yield "json-ld", _language(self._linked.language)
        for source, value in self._metas.values("language"):
            yield source, _language(value)

    def _site_names(self) -> Iterator[tuple[str, str | None]]:
        for source, value in self._metas.values("site_name"):
            if source == "opengraph":
                yield source, value
        yield "json-ld", self._linked.site_name
        yield from self._metas.values("site_name")

    def _title(self, site_name: str | None) -> str | None:
        sites = [site_name or "", self._linked.site_name or "", *self._labels]
        shared = next(iter(self._metas.by_name.get("og:title", ())), None)
        chosen = choose_title(
            TitleSources(
                linked=self._linked.titles,
                shared=shared,
                others=[pair for pair in self._metas.values("title") if pair[1] != shared],
                headings=[text for _, text in self._h1],
                document=self._parsed.title,
                sites=[site for site in sites if site],
                is_news=self._linked.is_news,
            )
        )
        return self._said("title", [chosen]) if chosen else None

    def _visible(self, title: str | None) -> VisiblePage:
        heading = self._headline(title)
        aside: dict[etree._Element, bool] = {}
        # What holds the headline too is no part of the page that speaks of others.
        if heading is not None:
            aside = dict.fromkeys(heading.element.iterancestors(), False)
        return VisiblePage(self._scan, aside, heading.order if heading else None)

    def _headline(self, title: str | None) -> Mark | None:
        """Return the heading that is the title, or the first."""
        folded = fold_name(title or "")
        for mark in self._scan.headings:
            text = fold_name(element_text(mark.element))
            if text and folded and (text in folded or folded in text):
                return mark
        return self._h1[0][0] if self._h1 else None

    def _how_to_read(self, language: str | None) -> Reading:
        primary, _, region = (language or "").lower().replace("_", "-").partition("-")
        host = urlsplit(self._url).hostname or ""
        english = primary in ("en", "") and (
            region in _MONTH_FIRST or (not region and not host.endswith(_DAY_FIRST_HOSTS))
        )
        return Reading(english, primary in _YEAR_FIRST, primary)

    def _dates(self, page: VisiblePage) -> tuple[str | None, str | None]:
        seen = seen_dates(page, self._reading)
        published = self._first_date("published", self._published(seen))
        modified = self._first_date("modified", self._modified(seen))
        return published, modified

    def _first_date(self, field: str, values: Iterable[tuple[str, Date | None]]) -> str | None:
        for source, date in values:
            if date is not None and self._is_plausible(date):
                self._sources[field] = source
                return date.text
        return None

    def _is_plausible(self, date: Date) -> bool:
        if self._latest is None:
            return True
        one_day_on = (self._latest.year, self._latest.month, self._latest.day + 1)
        return (date.year, date.month, date.day) <= one_day_on

    def _published(self, seen: list[SeenDate]) -> Iterator[tuple[str, Date | None]]:
        in_url = _date_in_url(self._url)
        shown = [each for each in seen if each.points >= _SURE_POINTS and not each.is_modified]
        days = ([("url", in_url)] if in_url else []) + [
            (each.source, each.date) for each in shown[:1]
        ]
        for value in self._linked.published:
            yield _local_day("json-ld", read_date(value, self._reading), days)
        for source, value in self._metas.values("published"):
            yield _local_day(source, read_date(value, self._reading), days)
        yield "url", in_url
        for each in shown:
            yield each.source, each.date
        for source, value in self._metas.values("dated"):
            yield source, read_date(value, self._reading)
        for each in seen:
            if each.points >= _SEEN_POINTS and not each.is_modified:
                yield each.source, each.date
        yield "title", self._date_in_title()
        yield "url", _day_in_url(self._url, self._reading)
        for script in self._scan.scripts:
            for match in _SCRIPT_DATE.finditer(script, 0, _SCRIPT_CHARS):
                yield "script", read_date(match["date"], self._reading)
        for each in seen:
            if not each.is_modified:
                yield each.source, each.date
        # All that the page tells is when it was last changed: its source says so.
        for _, date in self._modified(seen):
            yield "modified", date

    def _date_in_title(self) -> Date | None:
        found = next(find_dates(self._parsed.title or "", self._reading), None)
        return found.date if found is not None else None

    def _modified(self, seen: list[SeenDate]) -> Iterator[tuple[str, Date | None]]:
        for value in self._linked.modified:
            yield "json-ld", read_date(value, self._reading)
        for source, value in self._metas.values("modified"):
            yield source, read_date(value, self._reading)
        for each in seen:
            if each.is_modified and each.points >= 0:
                yield each.source, each.date

    def _authors(self, page: VisiblePage, site_name: str | None) -> tuple[str, ...]:
        """Return the authors of the best source: people before accounts, accounts before the site.

        Where a page shows the authors that its data name, and more of them, it is believed.
        """
        site = site_name or ""
        groups = [
            (source, names)
            for source, values in self._author_values()
            if (names := clean_names(values, site=site))
        ]
        seen = seen_authors(page, site)
        if seen is not None:
            groups.append(seen)
        if not groups:
            return ()
        best = min(enumerate(groups), key=lambda pair: (self._weakness(pair[1][1], site), pair[0]))
        source, names = best[1]
        if seen is not None and _adds_people(names, seen[1]):
            source, names = seen
        self._sources["authors"] = source
        return names

    def _weakness(self, names: tuple[str, ...], site: str) -> int:
        """Return 0 for people, 1 for names of accounts, 2 for the site itself."""
        house = {fold_name(name) for name in (site, self._linked.site_name or "", *self._labels)}
        if all(_is_house(fold_name(name), house) for name in names):
            return 2
        return 1 if all(map(is_weak, names)) else 0

    def _author_values(self) -> Iterator[tuple[str, list[str]]]:
        yield "json-ld", list(self._linked.authors)
        for source, values in self._metas.groups("author"):
            yield source, values
        names = self._metas.by_name
        for number in ("1", "2"):
            label = " ".join(names.get(f"twitter:label{number}", ()))
            if byline_words().by.match(label):
                yield "meta", names.get(f"twitter:data{number}", [])

    def _canonical(self) -> Iterator[tuple[str, str | None]]:
        yield "link", self._parsed.canonical_url
        for source, value in self._metas.values("url"):
            yield source, self._absolute(value)

    def _descriptions(self) -> Iterator[tuple[str, str | None]]:
        yield from self._metas.values("description")
        yield "json-ld", self._linked.description

    def _tags(self) -> tuple[str, ...]:
        groups: list[tuple[str, list[str]]] = list(self._metas.groups("tags"))
        if self._linked.tags:
            groups.insert(1 if groups and groups[0][0] == "opengraph" else 0,
                          ("json-ld", list(self._linked.tags)))
        for source, values in groups:
            pieces = values if len(values) > 1 else values[0].split(",")
            tags: dict[str, str] = {}
            for piece in pieces:
                if tag := " ".join(piece.split()):
                    tags.setdefault(tag.casefold(), tag)
            if tags:
                self._sources["tags"] = source
                return tuple(tags.values())[:_MAX_TAGS]
        return ()

    def _images(self) -> Iterator[tuple[str, str | None]]:
        for source, value in self._metas.values("image"):
            yield source, self._absolute(value)
        yield "json-ld", self._absolute(self._linked.image or "")
        yield "link", self._absolute(self._scan.image or "")

    def _absolute(self, address: str) -> str | None:
        try:
            joined = urljoin(self._parsed.base_url, address.strip()) if address.strip() else ""
        except ValueError:
            return None
        return joined if joined.startswith(("http://", "https://")) else None


def _language(value: str | None) -> str | None:
    tag = (value or "").strip().replace("_", "-")
    return tag if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}", tag) else None


def _local_day(
    source: str, date: Date | None, days: list[tuple[str, Date]]
) -> tuple[str, Date | None]:
    """Return the day that the page shows where a time in UTC is of the day before or after it.

    Its address and its readers have the day of the page's own zone, which UTC does not tell.
    """
    if date is None or date.zone not in ("Z", "+00:00", "-00:00"):
        return source, date
    hour = int(date.clock[:2] or 0)
    for shown_by, day in days:
        ahead = date.number - day.number
        if (ahead == 1 and hour < 12) or (ahead == -1 and hour >= 10):  # noqa: PLR2004 - zones
            return shown_by, Date(day.year, day.month, day.day)
        if ahead == 0:
            break
    return source, date


def _adds_people(names: tuple[str, ...], seen: tuple[str, ...]) -> bool:
    """Tell whether what is seen holds all names and more, each of two words or more."""
    known = set(map(fold_name, names))
    if not known < set(map(fold_name, seen)):
        return False
    return all(" " in name for name in seen if fold_name(name) not in known)


def _is_house(name: str, house: set[str]) -> bool:
    """Tell whether a folded name is the site's, or begins with it: "BBC News"."""
    return any(own and (name == own or (len(own) > 2 and name.startswith(own))) for own in house)  # noqa: PLR2004


def _day_in_url(url: str, reading: Reading) -> Date | None:
    """Return a date written in an address as people write it: ``/29-10-2021``."""
    path = url.partition("://")[2].partition("/")[2].partition("?")[0]
    found = next(find_dates(path.replace("_", "-"), reading), None)
    return found.date if found is not None else None


def _date_in_url(url: str) -> Date | None:
    path = url.partition("://")[2].partition("/")[2].partition("?")[0]
    match = _URL_DATE.search(path)
    if match is None:
        named = _URL_MONTH.search(f"/{path}")
        if named is None:
            return None
        return read_date(f"{named['d']} {named['m']} {named['y']}")
    return read_date(f"{match['y']}-{int(match['m']):02}-{int(match['d']):02}")
