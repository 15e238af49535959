"""The newspaper on a day: what its server has, and what a crawl should have of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from support.newspaper.designs import NAME, NEW, OLD, Design, article_head
from support.newspaper.listings import listing
from support.newspaper.stories import SECTIONS, Story, print_stories, published

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

__all__ = ["Newspaper", "Printed"]

ON_A_PAGE = 20
ON_THE_FRONT = 30
RELATED = 3
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Printed:
    """What a corpus should have of an article; ``version`` counts its edits."""

    title: str
    paragraphs: tuple[str, ...]
    version: int


@dataclass(slots=True)
class Newspaper:
    """The newspaper on the day to which ``day`` is set.

    ``count``
        Articles, the same number each day.
    ``days``
        On which they appear, from 1.
    ``redesign``
        The day from which all pages have another frame around their articles.
    ``lying_days``
        On which the first sitemap dates all its pages to that day, though none has changed.
    ``seed``
        Another one prints other articles.
    """

    count: int = 2_000
    days: int = 30
    redesign: int = 20
    lying_days: tuple[int, ...] = (12, 25)
    day: int = 1
    seed: int = 6
    stories: tuple[Story, ...] = ()
    _by_path: dict[str, Story] = field(default_factory=dict)
    _out: dict[int, tuple[Story, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Write the articles."""
        self.stories = print_stories(
            self.count,
            self.days,
            quiet_days=self.lying_days,
            redesign=self.redesign,
            seed=self.seed,
        )
        for story in self.stories:
            self._by_path[story.path] = story
            if story.second_section:
                self._by_path[story.other_path] = story

    # What there is to find

    def out(self, day: int | None = None) -> tuple[Story, ...]:
        """Return the articles that can be read on a day, the newest first."""
        day = day or self.day
        if day not in self._out:
            self._out[day] = tuple(s for s in reversed(self.stories) if s.is_out(day))
        return self._out[day]

    def articles(self, day: int | None = None, base: str = "") -> dict[str, Printed]:
        """Return what a full crawl on a day should have, by canonical address below ``base``."""
        day = day or self.day
        return {
            f"{base}{story.path}": Printed(story.title, story.text(day), story.version(day))
            for story in self.out(day)
        }

    def edits_until(self, day: int) -> int:
        """Count the edits until a day of articles that are there on that day."""
        return sum(story.version(day) for story in self.out(day))

    def edits(self) -> int:
        """Count the edits until today of articles that are there."""
        return self.edits_until(self.day)

    def gone_until(self, day: int) -> dict[str, int]:
        """Return the articles that were taken away until a day: paths, and on which day."""
        return {story.path: story.gone for story in self.stories if 0 < story.gone <= day}

    def story_at(self, target: str) -> Story | None:
        """Return the article that a path and query lead to, in any of its forms, out or not."""
        path = target.partition("?")[0].rstrip("/")
        for dress in ("/amp", "/print"):
            if path.endswith(dress):
                return self._by_path.get(path.removesuffix(dress))
        return self._by_path.get(path)

    # What the server has

    @property
    def design(self) -> Design:
        """The design of today."""
        return NEW if self.day >= self.redesign else OLD

    def page(self, target: str, base: str) -> tuple[str, bytes] | None:
        """Return content type and body of what lies at a path and query; None for nothing."""
        path, _, query = target.partition("?")
        if path == "/robots.txt":
            return "text/plain", f"User-agent: *\nSitemap: {base}/sitemap_index.xml\n".encode()
        if found := listing(self, path, base):
            return found[0], found[1].encode()
        html = self._html(path, query, base)
        return None if html is None else (HTML, html.encode())

    def changed(self, target: str) -> datetime:
        """Return the time at which a page changed last: lists and listings do so daily."""
        story = self.story_at(target)
        if story is None:
            return published(self.day)
        gone = [each.gone for each in self._before(story) if 0 < each.gone <= self.day]
        frame = [self.redesign] if self.day >= self.redesign else []
        return max([story.changed(self.day), *map(published, (*gone, *frame))])

    def _html(self, path: str, query: str, base: str) -> str | None:
        story = self.story_at(path)
        if story is not None:
            return self._article(story, base) if story.is_out(self.day) else None
        if path == "/":
            return self._page(NAME, self._front())
        if path == "/shop":
            return self._shop(query)
        kind, *rest = path.strip("/").split("/")
        if kind == "calendar":
            return self._calendar(rest)
        name, stories = self._of_list(kind, rest)
        return self._list(path, name, stories, query) if stories else None

    def _of_list(self, kind: str, parts: Sequence[str]) -> tuple[str, list[Story]]:
        """Return the name of a section, or an archive by month or day, and what it lists today."""
        first, *rest = parts or [""]
        if kind == "section" and first in SECTIONS and not rest:
            return first.title(), [s for s in self.out() if first in (s.section, s.second_section)]
        if kind == "archive" and len(parts) in (2, 3):
            own = f"/{'/'.join(parts)}/"
            return f"Archive {own.strip('/')}", [s for s in self.out() if s.path.startswith(own)]
        return "", []

    def _page(self, title: str, main: str, head: str = "") -> str:
        # The months that have an article. An article's page names that of the article alone, so
        # that it stays as it is when a month begins.
        months = sorted({f"{published(day):%Y/%m}" for day in range(1, self.day + 1)})
        return self.design.page(title, main, months, head)

    def _front(self) -> str:
        teasers = "".join(
            self.design.teaser.format(
                address=_dressed(story, place), title=story.title, text=story.teaser
            )
            for place, story in enumerate(self.out()[:ON_THE_FRONT])
        )
        return f"<h1>Today</h1>{teasers}"

    def _list(self, path: str, name: str, stories: Sequence[Story], query: str) -> str | None:
        asked = parse_qs(query).get("page", ["1"])[0]
        number = int(asked) if asked.isdecimal() else 0
        shown = stories[(number - 1) * ON_A_PAGE : number * ON_A_PAGE] if number > 0 else ()
        if not shown:
            return None
        section = path.removeprefix("/section/")
        links = "".join(
            f'<li><a href="{self._listed(story, section, place)}">{story.title}</a></li>'
            for place, story in enumerate(shown)
        )
        pages = ""
        if len(stories) > number * ON_A_PAGE:
            pages = f'<a rel="next" href="{path}?page={number + 1}">Older</a>'
        if number > 1:
            pages += f'<a rel="prev" href="{path}?page={number - 1}">Newer</a>'
        return self._page(f"{name} - {NAME}", f"<h1>{name}</h1><ul>{links}</ul><p>{pages}</p>")

    def _listed(self, story: Story, section: str, place: int) -> str:
        """Return the address under which a list names an article."""
        path = story.other_path if section == story.second_section else story.path
        if place % 7 != 3:
            return path
        # Every visit of a list draws another name for itself; one a day stands for them.
        visit = sha256(f"{self.day} {section}".encode()).hexdigest()[:32]
        return f"{path}?sid={visit}"

    def _calendar(self, parts: Sequence[str]) -> str | None:
        if len(parts) != 2 or not all(part.isdecimal() for part in parts):
            return None
        year, month = map(int, parts)
        following = f"/calendar/{year + month // 12}/{month % 12 + 1:02}"
        before = f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1:02}"
        links = f'<a href="{before}">Before</a> <a href="{following}">Next</a>'
        return self._page("Calendar", f"<h1>Calendar {year} {month}</h1><p>{links}</p>")

    def _shop(self, query: str) -> str:
        wanted = query.split("&") if query else []
        links = " ".join(
            f'<a href="/shop?{"&amp;".join([*wanted, f"{name}={len(wanted) + 1}"])}">{name}</a>'
            for name in ("colour", "size", "price", "maker", "order")
        )
        return self._page("Shop", f"<h1>Shop</h1><p>Mugs and prints.</p><p>{links}</p>")

    def _before(self, story: Story) -> Sequence[Story]:
        """Return the articles that boxes beside an article lead to while they are there."""
        return self.stories[max(0, story.number - RELATED) : story.number]

    def _article(self, story: Story, base: str) -> str:
        day = self.day
        related = [each for each in self._before(story) if each.is_out(day)]
        main = self.design.story(story, story.text(day), related)
        head = article_head(story, story.changed(day), base)
        months = (f"{story.time:%Y/%m}",)
        return self.design.page(f"{story.title} - {NAME}", main, months, head)


def _dressed(story: Story, place: int) -> str:
    """Return an address that leads to an article, written as front pages write them.

    Every 15th has a slash at its end, which its server takes away or not: nobody can tell before
    whether that is another page.
    """
    if place % 15 == 7:
        return f"{story.path}/"
    ends = ("", "?utm_source=front&amp;utm_medium=teaser", "#comments", "/amp", "/print")
    return story.path + ends[place % len(ends)]
