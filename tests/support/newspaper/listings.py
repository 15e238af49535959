"""The sitemaps and feeds of the newspaper."""

from __future__ import annotations

from email.utils import format_datetime
from typing import TYPE_CHECKING

from support.newspaper.stories import published

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from support.newspaper.pages import Newspaper
    from support.newspaper.stories import Story

__all__ = ["listing"]

INDEX = "/sitemap_index.xml"
NEWS, BROKEN = "/sitemaps/news.xml", "/sitemaps/broken.xml"
RSS, ATOM = "/feeds/all.rss", "/feeds/sport.atom"
IN_RSS, IN_ATOM = 30, 15
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'


def listing(paper: Newspaper, path: str, base: str) -> tuple[str, str] | None:
    """Return content type and text of a sitemap or feed on the newspaper's day; None for others."""
    if not path.startswith(("/sitemap", "/feeds/")):
        return None
    listed = [story for story in paper.out() if not story.unlisted]
    newest = [story for story in listed if story.day > paper.day - 2]
    sport = [story for story in listed if story.section == "sport"]
    parts = _parts(paper, listed)
    if path in parts:
        return "application/xml", _sitemap(paper, parts[path], base, first=path == min(parts))
    others: dict[str, tuple[str, Callable[[], str]]] = {
        INDEX: ("application/xml", lambda: _index(paper, parts, base)),
        BROKEN: ("application/xml", lambda: _broken(paper, listed[::10], base)),
        NEWS: ("application/xml", lambda: _xml("urlset", (_news(s, base) for s in newest))),
        RSS: ("application/rss+xml", lambda: _rss(listed[:IN_RSS], base)),
        ATOM: ("application/atom+xml", lambda: _atom(paper, sport[:IN_ATOM], base)),
    }
    if path not in others:
        return None
    kind, make = others[path]
    return kind, make()


def _parts(paper: Newspaper, stories: Sequence[Story]) -> dict[str, list[Story]]:
    """Return a sitemap for each third of the days, by its path, as soon as it has an article."""
    third = max(1, paper.days // 3)
    parts: dict[str, list[Story]] = {}
    for story in stories:
        first = 1 + min((story.day - 1) // third, 2) * third
        parts.setdefault(f"/sitemaps/from-{published(first):%Y-%m-%d}.xml", []).append(story)
    return parts


def _index(paper: Newspaper, parts: dict[str, list[Story]], base: str) -> str:
    dates = {
        path: max(_told(paper, story, first=path == min(parts)) for story in stories)
        for path, stories in parts.items()
    }
    dates[NEWS] = dates[BROKEN] = published(paper.day)
    return _xml(
        "sitemapindex",
        (
            f"<sitemap><loc>{base}{path}</loc><lastmod>{date.isoformat()}</lastmod></sitemap>"
            for path, date in dates.items()
        ),
    )


def _told(paper: Newspaper, story: Story, *, first: bool) -> datetime:
    """Return the ``lastmod`` of an article: in the first sitemap it is not always true."""
    lies = (published(day) for day in paper.lying_days if first and story.day <= day <= paper.day)
    return max([story.told(paper.day), *lies])


def _sitemap(paper: Newspaper, stories: Iterable[Story], base: str, *, first: bool) -> str:
    return _xml(
        "urlset",
        (
            f"<url><loc>{base}{story.path}</loc>"
            f"<lastmod>{_told(paper, story, first=first).isoformat()}</lastmod></url>"
            for story in stories
        ),
    )


def _broken(paper: Newspaper, stories: Iterable[Story], base: str) -> str:
    """Make a sitemap with space before its declaration, cut off within its last date."""
    whole = _sitemap(paper, stories, base, first=False)
    return "\n  " + whole[: whole.rfind("</lastmod>") - 8]


def _news(story: Story, base: str) -> str:
    return (
        f"<url><loc>{base}{story.path}</loc><news:news><news:publication><news:name>The Harbour "
        "Paper</news:name><news:language>en</news:language></news:publication>"
        f"<news:publication_date>{story.time.isoformat()}</news:publication_date>"
        f"<news:title>{story.title}</news:title></news:news></url>"
    )


def _xml(root: str, entries: Iterable[str]) -> str:
    return (
        f'{_DECLARATION}<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">'
        f"{''.join(entries)}</{root}>"
    )


def _rss(stories: Iterable[Story], base: str) -> str:
    items = "".join(
        f"<item><title>{story.title}</title><link>{base}{story.path}?utm_source=rss</link>"
        f"<pubDate>{format_datetime(story.time)}</pubDate></item>"
        for story in stories
    )
    return (
        f'{_DECLARATION}<rss version="2.0"><channel><title>The Harbour Paper</title>'
        f"<link>{base}/</link>{items}</channel></rss>"
    )


def _atom(paper: Newspaper, stories: Iterable[Story], base: str) -> str:
    entries = "".join(
        f'<entry><title>{story.title}</title><link href="{story.path}"/>'
        f"<id>{base}{story.path}</id><published>{story.time.isoformat()}</published>"
        f"<updated>{story.told(paper.day).isoformat()}</updated></entry>"
        for story in stories
    )
    return (
        f'{_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom"><title>Sport</title>'
        f"<id>{base}/section/sport</id><updated>{published(paper.day).isoformat()}</updated>"
        f"{entries}</feed>"
    )
