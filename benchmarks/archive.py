"""An archive by each engine, beside one process: the same corpus, and how long it takes.

Run it as ``python benchmarks/archive.py [--pages N] [--sites N] [--files N] [--processes N]
[--live]``. Made are WARC files with the pages of some sites, every second of which lies in one file
and the others in all: articles, copies, articles in parts, lists, pages captured twice. They are
read by ``scrapy crawl archive``, by some processes, and on a Dask cluster of as many workers.
Compared are all lines of the items, sorted, byte for byte. Leaves with 1 where they differ. Seconds
are those of the clock; beside them stand those of processors, which depend less on what else the
machine does. Of Dask they are not known: the processes of jobs there are its workers'.

With ``--live`` the pages, each captured once, are crawled first, by one crawl of all sites over a
proxy on loopback that has them all. The files are then made of what that crawl kept, and its items
are compared as well, ``mode`` apart, which says by what counts an item was judged.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from distributed import LocalCluster
from scrapy.settings import Settings

from crawler.core.page.page import Page
from crawler.demo.server import serve
from crawler.harvest.archive.run import ArchiveHarvest
from crawler.harvest.cluster import DaskEngine
from crawler.harvest.engine import ProcessEngine
from crawler.settings import Options
from crawler.store.archive import WarcWriter, read_pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.demo.server import Answer
    from crawler.harvest.engine import Engine

ROOT = Path(__file__).parents[1]
DATE = "2024-05-01T10:00:00Z"
LATER = "2024-06-01T10:00:00Z"
PARAGRAPHS = 4
PARTS = 3
KINDS = ("story", "again", "copy", "list", *["report"] * 6)


def words(draw: random.Random, number: int) -> str:
    """Draw words, the short ones and some others often."""
    return " ".join(
        "".join(draw.choices("aeioulnrst", k=draw.randint(2, 9))) for _ in range(number)
    )


def page(site: str, path: str, draw: random.Random, title: str, extra: str = "") -> Page:
    """Make an article within what stands on all pages of its site."""
    menu = "".join(f'<li><a href="/topic/{n}">Topic {n} of {site}</a></li>' for n in range(30))
    text = "".join(f"<p>{words(draw, 45)}.</p>" for _ in range(PARAGRAPHS))
    return Page.from_text(
        f"http://{site}/{path}",
        f'<!doctype html><html lang="en"><head><title>{title} - {site}</title></head><body>'
        f"<ul>{menu}</ul><article><h1>{title}</h1>{text}</article>{extra}"
        f"<footer>All rights reserved by the makers of {site}, on each page.</footer></body>",
        fetched_at=DATE,
    )


def site_pages(number: int, wanted: int, *, once: bool) -> Iterator[Page]:
    """Make so many pages of a site, some of them captured twice, or each once."""
    draw, site, made = random.Random(number), f"site-{number}.example", 0
    for n in count():
        title = f"Report {n}: {words(draw, 4)}"
        pages = [page(site, f"report-{n}-of-the-day", draw, title)]
        kind = KINDS[n % len(KINDS)]
        if kind == "story":
            stem = f"story-{n}-of-the-canal"
            paths = [stem, *(f"{stem}?page={part}" for part in range(2, PARTS + 1))]
            links = [f'<a href="/{path}">Next page</a>' for path in paths[1:]] + [""]
            pages = [page(site, p, draw, title, link) for p, link in zip(paths, links, strict=True)]
        elif kind == "again" and not once:
            again = page(site, f"report-{n}-of-the-day", draw, title)
            pages.append(Page.from_text(again.url, again.body.decode(), fetched_at=LATER))
        elif kind == "copy":
            copy = pages[0].url.replace("report", "copy")
            pages.append(Page.from_text(copy, pages[0].body.decode(), fetched_at=DATE))
        elif kind == "list":
            rows = "".join(f'<li><a href="/x/{k}">{words(draw, 6)}</a></li>' for k in range(40))
            pages = [
                Page.from_text(f"http://{site}/topic/{n}", f"<title>All</title><ul>{rows}</ul>")
            ]
        for each in pages:
            if made == wanted:
                return
            made += 1
            yield each


def all_pages(pages: int, sites: int, *, once: bool) -> Iterator[Page]:
    """Make the pages of all sites, by turns, as crawls of many sites write them."""
    of_sites = [site_pages(number, pages // sites, once=once) for number in range(sites)]
    for turn in zip(*of_sites, strict=True):
        yield from turn


def make_archive(folder: Path, pages: Iterable[Page], files: int) -> list[Path]:
    """Write the archive; return its files."""
    paths = [folder / f"pages-{number}.warc.gz" for number in range(files)]
    turns: Counter[int] = Counter()
    with ExitStack() as stack:
        writers = [stack.enter_context(WarcWriter(path, date=DATE)) for path in paths]
        for each in pages:
            number = int(each.site_name.removeprefix("site-").removesuffix(".example"))
            writers[(number if number % 2 else number + turns[number]) % files].write(each)
            turns[number] += 1
    return paths


def crawl_live(pages: Iterable[Page], folder: Path) -> tuple[list[Path], list[bytes]]:
    """Crawl pages, each address once; return the files that keep them and the lines of items."""
    head = {"Content-Type": "text/html; charset=utf-8"}
    answers: dict[str, Answer] = {each.url: (200, head, each.body) for each in pages}
    folder.mkdir()
    (folder / "urls.txt").write_text("\n".join(answers), "utf-8")
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings.base\n", "utf-8")
    settings = {
        "CORPUS_KEEP_SPOOL": True,
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "LOG_LEVEL": "WARNING",
    }
    call = ["crawl", "urls", "-a", "file=urls.txt", "-O", "live.jsonl"]
    for name, value in settings.items():
        call += ["-s", f"{name}={value}"]
    with serve(answers) as proxy:
        run_scrapy(call, folder, http_proxy=proxy)
    lines = (folder / "live.jsonl").read_bytes().splitlines()
    spools = sorted((folder / "corpus-data" / "spool").rglob("*.warc.gz"))
    return spools, sorted(
        line.replace(b'"mode": "two-pass"', b'"mode": "archive"') for line in lines
    )


def run_scrapy(call: list[str], folder: Path, **environment: str) -> None:
    """Run Scrapy in a folder of its own."""
    subprocess.run(
        [sys.executable, "-m", "scrapy", *call],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        check=True,
    )


def processors() -> float:
    """Seconds of processors that processes which this one started, and which ended, have taken."""
    times = os.times()
    return times.children_user + times.children_system


def by_one_process(paths: list[Path], folder: Path) -> tuple[float, list[bytes]]:
    """Read the archive as a crawl does; return the seconds it took, and the lines."""
    folder.mkdir()
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings.archive\n", "utf-8")
    named = "|".join(map(str, paths))
    call = ["crawl", "archive", "-a", f"path={named}", "-O", "out.jsonl", "-s", "LOG_LEVEL=WARNING"]
    began = time.monotonic()
    run_scrapy(call, folder)
    return time.monotonic() - began, sorted((folder / "out.jsonl").read_bytes().splitlines())


def by_engine(engine: Engine, paths: list[Path], folder: Path) -> tuple[float, list[bytes]]:
    """Read the archive file by file; return the seconds it took, and the lines."""
    options = Options.from_settings(Settings({"CORPUS_DIR": str(folder / "data")}))
    harvest = ArchiveHarvest(paths, options, folder / "out", folder / "work")
    began = time.monotonic()
    with engine:
        summary = harvest.run(engine, lambda line: print(f"  {line}"))
    seconds = time.monotonic() - began
    if not summary.is_complete:
        raise SystemExit(f"not all was done: {summary.failed}")
    files = (folder / "out").glob("*.jsonl")
    return seconds, sorted(line for path in files for line in path.read_bytes().splitlines())


def lost(reason: str, detail: str) -> NoReturn:
    """End with what the crawl kept and cannot be read."""
    raise SystemExit(f"{reason}: {detail}")


def main() -> int:
    """Run the benchmark; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--sites", type=int, default=40)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--live", action="store_true", help="crawl the pages first")
    parser.add_argument("--folder", type=Path, help="where all of it is kept (default: nowhere)")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        pages = all_pages(arguments.pages, arguments.sites, once=arguments.live)
        live: list[bytes] | None = None
        if arguments.live:
            began = time.monotonic()
            spools, live = crawl_live(pages, folder / "live")
            print(f"live crawl: {time.monotonic() - began:.1f} s, {figures(live)}", flush=True)
            pages = read_pages(spools, on_skip=lost)
        paths = make_archive(folder, pages, arguments.files)
        size = sum(path.stat().st_size for path in paths)
        print(f"{arguments.pages:,} pages, {arguments.sites} sites: {size:,} bytes", flush=True)
        return 0 if compare(arguments, paths, folder, live) else 1


def compare(
    arguments: argparse.Namespace, paths: list[Path], folder: Path, live: list[bytes] | None
) -> bool:
    """Read the archive by all means and print how long each takes; tell whether all is the same."""
    before = processors()
    alone, lines = by_one_process(paths, folder / "one")
    alone_cpu = processors() - before
    wanted = lines if live is None else live
    print(
        f"one process: {alone:.1f} s ({alone_cpu:.1f} of processors), {figures(lines)}"
        f"{'' if live is None else likeness(lines, live)}",
        flush=True,
    )
    all_same = lines == wanted
    for name in ("local", "dask"):
        before = processors()
        with engines(name, arguments.processes) as engine:
            seconds, found = by_engine(engine, paths, folder / name)
        cpu = processors() - before
        beside = f" ({cpu:.1f} of processors, {cpu / alone_cpu:.2f} times as many)"
        all_same &= found == wanted
        print(
            f"{name}, {arguments.processes} at once: {seconds:.1f} s"
            f"{beside if name == 'local' else ''}, {alone / seconds:.2f} times as fast, "
            f"{figures(found)}{likeness(found, wanted)}",
            flush=True,
        )
    return all_same


@contextmanager
def engines(name: str, processes: int) -> Iterator[Engine]:
    """Start an engine, and for Dask a cluster with as many workers."""
    if name == "local":
        yield ProcessEngine(processes)
        return
    make: Any = LocalCluster  # Dask's own functions have no types.
    with make(n_workers=processes, threads_per_worker=1, dashboard_address="127.0.0.1:0") as made:
        yield DaskEngine(made.scheduler_address)


def figures(lines: list[bytes]) -> str:
    """Name a corpus and its size."""
    digest = hashlib.sha256(b"\n".join(lines)).hexdigest()[:16]
    return f"{len(lines):,} items, {digest}"


def likeness(lines: list[bytes], wanted: list[bytes]) -> str:
    """Tell whether a corpus is the one wanted."""
    return ", the same" if lines == wanted else ", NOT THE SAME"


if __name__ == "__main__":
    sys.exit(main())
