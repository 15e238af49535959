"""A made site for the views of the studio: its pages, the counts of a crawl, a harvest."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
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


def save_harvest(folder: Path, runs: int = 3) -> None:
    """Make the output of a harvest of two sites, and the items of one."""
    folder.mkdir()
    history = History(folder / "history.sqlite")
    for site in ("blog", "news"):
        for number in range(runs):
            start = START + timedelta(days=number)
            history.write(
                Run(site, start, start, start + timedelta(seconds=90), "finished", 9 + number,
                    5 + number % 4, 3, 2 + number % 4, errors={"404": number % 3},
                    skipped={"not-article": 4, "near-duplicate": number % 2})
            )  # fmt: skip
    kinds, languages = ("article", "article", "listing", EVIL), ("ko", "ko", "en", None)
    items = [
        item(number % runs, page_type=kinds[number % 4], language=languages[number % 4],
             published=f"2026-{1 + number % 9:02}-0{1 + number % 7}")
        for number in range(4 * runs)
    ]  # fmt: skip
    save_items(folder / "sites" / "blog" / "articles" / "blog.example" / "r-00001.jsonl", *items)
