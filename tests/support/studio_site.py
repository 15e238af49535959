"""A made site for the views of the studio: its pages, the counts of a crawl, a harvest."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

from crawler.core.flow import Page, SiteCounts, observe, read
from crawler.harvest.history import History, Run
from crawler.store.archive import WarcWriter
from crawler.store.counts import CountStore

if TYPE_CHECKING:
    from pathlib import Path

SITE = "harbour.example"
EVIL = "<img src=x onerror=parent.document.title='taken'>"
MENU, FOOT = "Home, archive, contact", "Written by the harbour office <img>"
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
START = datetime(2026, 10, 1, 5, tzinfo=UTC)


def posts() -> list[Page]:
    """Make twelve pages with a menu, a footer, and one of two lines each."""
    return [
        Page.from_text(
            f"https://{SITE}/{month.lower()}",
            f"<!doctype html><title>{month}</title><p>{MENU}</p>"
            f"<p>{'First' if number < 6 else 'Second'} half of the year</p><h1>{month}</h1>"
            f"<p>In {month} we went down to the harbour, and what {month} brought is told here.</p>"
            f"<p>{FOOT.replace('<', '&lt;')}</p>",
            fetched_at=(START + timedelta(days=number)).isoformat(),
        )
        for number, month in enumerate(MONTHS)
    ]


def save_list(path: Path) -> None:
    """Save the pages as a list."""
    rows = ({"url": page.url, "html": page.body.decode()} for page in posts())
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def save_crawl(folder: Path, *, spool: bool) -> None:
    """Make the folder of a crawl: its counts, and with ``spool`` the archive of its pages."""
    counts = SiteCounts()
    for page in posts():
        counts.add(observe(read(page)))
    CountStore(folder / "counts").save(SITE, "one", counts)
    if spool:
        (folder / "spool").mkdir()
        with WarcWriter(folder / "spool" / "one.warc.gz", date="2026-11-01T00:00:00Z") as writer:
            for page in posts():
                writer.write(page)


def item(number: int, **parts: object) -> dict[str, object]:
    """Return an exported item, fetched so many days after the start."""
    return {
        "url": f"https://blog.example/{number}",
        "fetched_at": (START + timedelta(days=number)).isoformat(),
        "page_type": "article",
        "language": "ko",
        "published": "2026-09",
        **parts,
    }


def save_items(path: Path, *items: dict[str, object]) -> None:
    """Save exported items."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(its)}\n" for its in items), "utf-8")


def save_gazette(path: Path, pages: int = 90) -> None:
    """Save a list of pages of a larger site: sections, authors, teasers of other articles."""
    chance = Random(7)
    nouns = ("harbour", "bridge", "market", "ferry", "lighthouse", "school", "library", "tram")
    things = [f"The {noun} {verb}" for noun in nouns for verb in ("opens", "moves", "grows")]
    wards = [f"{chr(65 + at % 26)}{at // 26}" for at in range(pages)]
    titles = [f"{chance.choice(things)} in ward {ward}" for ward in wards]
    rows = []
    for number, title in enumerate(titles):
        teasers = [titles[min(pages - 1, int(chance.expovariate(0.08)))] for _ in range(6)]
        author = ("Ada", "Bo", "Cy", "Dee", "Eli")[min(4, int(chance.expovariate(0.9)))]
        section = ("News", "Culture", "Harbour", "Sport")[min(3, int(chance.expovariate(0.8)))]
        told = "".join(
            f"<p>{' '.join(chance.choice(things).lower() for _ in range(9))}.</p>" for _ in range(5)
        )
        html = (
            f"<!doctype html><title>{title}</title><div>Harbour Gazette</div>"
            f"<p>Section: {section}</p><h1>{title}</h1><p>By {author} Marlow</p>{told}"
            "<h2>More from the harbour</h2>"
            + "".join(f"<p>{teaser}: read the whole story</p>" for teaser in teasers)
            + "<p>Subscribe to the letter of the gazette</p><p>Printed by the harbour office</p>"
        )
        rows.append({"url": f"https://gazette.example/{number}", "html": html})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def save_harvest(folder: Path, runs: int = 3, odd: str = "forum") -> None:
    """Make the output of a harvest of two sites, and the items of one.

    ``odd`` is the kind of some of the pages.
    """
    folder.mkdir()
    history, chance = History(folder / "history.sqlite"), Random(runs)
    for site in ("blog", "news"):
        for number in range(runs):
            start, pages = START + timedelta(days=number), 30 + number * 7 % 23
            new, changed, gone = chance.randrange(1, 25), chance.randrange(6), chance.randrange(2)
            items = new + changed + gone
            skipped = {"not-article": 1 + chance.randrange(9), "near-duplicate": number % 4}
            history.write(
                Run(site, start, start, start + timedelta(seconds=90), "finished", pages,
                    items, new, changed, gone, {"404": number % 4, "timeout": number % 7 // 5},
                    skipped=skipped)
            )  # fmt: skip
    kinds = ("article", "article", "article", "listing", odd)
    languages = ("ko", "ko", "ko", "en", "en", "de", None)
    items_of_runs = [
        item(
            number % runs,
            page_type=kinds[chance.randrange(5)],
            language=languages[chance.randrange(7)],
            published=(START - timedelta(days=int(chance.expovariate(1 / 150)))).isoformat(),
        )
        for number in range(30 * runs)
    ]
    articles = folder / "sites" / "blog" / "articles" / "blog.example"
    save_items(articles / "run-00001.jsonl", *items_of_runs)
