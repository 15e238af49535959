"""Archives with all that decides across pages, and what one process makes of them."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING

from backports import zstd
from scrapy.exporters import JsonLinesItemExporter
from scrapy.settings import Settings

from crawler.core.page.page import Page
from crawler.harvest.archive.run import ArchiveHarvest
from crawler.harvest.archive.work import Figures
from crawler.harvest.engine import ThreadEngine
from crawler.journey.page_joiner import Captures
from crawler.settings import Options
from crawler.spiders.archive import ArchiveSpider
from crawler.store.archive import WarcWriter, record_bytes
from support.journeys import Journey

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crawler.harvest.engine import Engine

DATE = "2024-05-01T10:00:00Z"

told: list[str] = []
"""What harvests told a person."""


def text(draw: random.Random, length: int) -> str:
    """Draw words."""
    return " ".join(
        "".join(draw.choices("aeioulnrst", k=draw.randint(2, 9))) for _ in range(length)
    )


def article(site: str, draw: random.Random, title: str, *, extra: str = "", head: str = "") -> str:
    """Make a page with text of its own within what stands on all pages of its site."""
    body = "".join(f"<p>{text(draw, 40)}.</p>" for _ in range(4))
    return (
        f'<!doctype html><html lang="en"><head><title>{title} - {site}</title>{head}</head><body>'
        f'<ul><li><a href="/">Home of {site}</a></li></ul><article><h1>{title}</h1>{body}</article>'
        f"{extra}<div>All rights reserved by the makers of {site}, whatever stands here.</div>"
        "</body></html>"
    )


def site_pages(base: str, number: int) -> dict[str, str]:
    """Make the pages of a site, by address: articles, copies, aliases, parts, lists and copies.

    Args:
        base: address of the site, without a slash at its end.
        number: how many articles it has, about.
    """
    draw, site = random.Random(base), base.partition("://")[2]
    pages: dict[str, str] = {}
    for n in range(number):
        url = f"{base}/report-{n}-of-the-day"
        pages[url] = article(site, draw, f"Report {n} {text(draw, 4)}")
        if n % 6 == 0:
            link = f'<link rel="canonical" href="{url}"></head>'
            pages[f"{url}?from=mail"] = pages[url].replace("</head>", link)
        elif n % 6 == 1:
            pages[url.replace("report", "copy")] = pages[url]
        elif n % 6 == 2:
            pages |= story(f"{base}/story-{n}-of-the-canal", site, draw)
        elif n % 6 == 3:
            rows = "".join(f'<li><a href="/x/{n}/{k}">{text(draw, 6)}</a></li>' for k in range(40))
            listing = f"<html><title>All {n}</title><body><h1>All</h1><ul>{rows}</ul></body></html>"
            pages |= {f"{base}/{kind}/{n}": listing for kind in ("tag", "category", "of-tag")}
    return pages


def story(url: str, site: str, draw: random.Random) -> dict[str, str]:
    """Make an article in three parts, by address."""
    title = f"Long story {text(draw, 3)}"
    urls = [url, f"{url}?page=2", f"{url}?page=3"]
    links = [f'<a href="{following}">Next page</a>' for following in urls[1:]] + [""]
    return {u: article(site, draw, title, extra=link) for u, link in zip(urls, links, strict=True)}


def made_pages(sites: int, number: int, seed: int = 0) -> list[Page]:
    """Make the pages of some sites, some captured several times, in no order."""
    draw = random.Random(seed)
    pages: list[Page] = []
    for site in range(sites):
        base = f"https://site-{site}.example"
        for n, (url, html) in enumerate(site_pages(base, number).items()):
            pages.append(Page.from_text(url, html, fetched_at=DATE))
            if n % 7 == 0:
                at = draw.choice(("2024-04-01T10:00:00Z", DATE, "2024-06-01T10:00:00Z", ""))
                again = html.replace("<h1>", "<h1>Again: ").replace("<title>", "<title>Again: ")
                pages.append(Page.from_text(url, again, fetched_at=at))
        pages.append(Page(f"{base}/binary", b"\0\1\2" * 50, "text/html", fetched_at=DATE))
    draw.shuffle(pages)
    return pages


def write_archive(
    folder: Path, pages: Sequence[Page], files: int, suffix: str = ".gz"
) -> list[Path]:
    """Write pages into some files by turns; ``suffix`` is .gz, .zst, or nothing for plain ones."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"file-{number}.warc{suffix}" for number in range(files)]
    for number, path in enumerate(paths):
        if suffix == ".gz":
            with WarcWriter(path, date=DATE) as writer:
                for page in pages[number::files]:
                    writer.write(page)
            continue
        records = [
            record_bytes(page, date=DATE, serial=n) for n, page in enumerate(pages[number::files])
        ]
        pack = zstd.compress if suffix == ".zst" else bytes
        path.write_bytes(b"".join(pack(record) for record in records))
    return paths


def options_for(folder: Path, **settings: object) -> Options:
    """Read settings, named without ``CORPUS_``."""
    values = {f"CORPUS_{name}": value for name, value in settings.items()}
    return Options.from_settings(Settings({"CORPUS_DIR": str(folder / "data"), **values}))


def harvest(
    paths: Sequence[Path],
    folder: Path,
    options: Options,
    engine: Engine | None = None,
) -> Figures:
    """Run an archive harvest below a folder, in this process unless told otherwise."""
    archive = ArchiveHarvest(paths, options, folder / "out", folder / "work")
    return archive.run(engine or ThreadEngine(1), told.append)


def lines_of(folder: Path) -> list[bytes]:
    """Return the lines of all items in a folder's output, sorted."""
    files = (folder / "out").glob("*.jsonl")
    return sorted(line for path in files for line in path.read_bytes().splitlines())


def one_process(paths: Sequence[Path], options: Options) -> tuple[list[bytes], dict[str, int]]:
    """Return the lines of the items that the mode archive makes in one process, and the skips."""
    figures = Figures()
    journey = Journey(options, "reference", figures, mode="archive")
    archive = ArchiveSpider(path="|".join(map(str, paths)))
    archive.settings = Settings({"CORPUS_MAX_PAGE_BYTES": options.max_page_bytes})
    captures = Captures(latest_alone=True)
    for page in archive.stored_pages(figures.skipped):
        if not journey.count(page):
            captures.pass_over()
        elif not captures.add(page):
            journey.session.skip("duplicate-address", page.url)
    items = journey.items(captures.wanted(archive.stored_pages(lambda _reason, _detail: None)))
    written = io.BytesIO()
    exporter = JsonLinesItemExporter(written, encoding="utf-8")
    for item in items:
        exporter.export_item(item)
    summary = Figures()
    summary.add(figures.result([]))
    return sorted(written.getvalue().splitlines()), summary.skips
