"""An archive by each executor, beside one process: the same corpus, and how long it takes.

Run it as ``python benchmarks/archive.py [--pages N] [--sites N] [--files N] [--processes N]``. Made
are WARC files with the pages of some sites, every second of which lies in one file and the others
in all: articles, copies, articles in parts, lists, pages captured twice. They are read by
``scrapy crawl archive``, by some processes, and on a Dask cluster of as many workers. Compared are
all lines of the items, sorted, byte for byte. Leaves with 1 where they differ. Seconds are those of
the clock; beside them stand those of processors, which depend less on what else the machine does.
Of Dask they are not known: the processes of jobs there are its workers'.
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
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributed import LocalCluster
from scrapy.settings import Settings

from crawler.core.page import Page
from crawler.harvest.archive.run import ArchiveCall, ArchiveHarvest
from crawler.harvest.daskexec import DaskExecutor
from crawler.harvest.executors import LocalExecutor
from crawler.options import Options
from crawler.store.archive import WarcWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.harvest.executors import Executor

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
        f"https://{site}/{path}",
        f'<!doctype html><html lang="en"><head><title>{title} - {site}</title></head><body>'
        f"<ul>{menu}</ul><article><h1>{title}</h1>{text}</article>{extra}"
        f"<footer>All rights reserved by the makers of {site}, on each page.</footer></body>",
        fetched_at=DATE,
    )


def site_pages(number: int, wanted: int) -> Iterator[Page]:
    """Make so many pages of a site."""
    draw, site, made = random.Random(number), f"site-{number}.example", 0
    for n in range(wanted):
        title = f"Report {n}: {words(draw, 4)}"
        pages = [page(site, f"report-{n}-of-the-day", draw, title)]
        kind = KINDS[n % len(KINDS)]
        if kind == "story":
            stem = f"story-{n}-of-the-canal"
            paths = [stem, *(f"{stem}?page={part}" for part in range(2, PARTS + 1))]
            links = [f'<a href="/{path}">Next page</a>' for path in paths[1:]] + [""]
            pages = [page(site, p, draw, title, link) for p, link in zip(paths, links, strict=True)]
        elif kind == "again":
            again = page(site, f"report-{n}-of-the-day", draw, title)
            pages.append(Page.from_text(again.url, again.body.decode(), fetched_at=LATER))
        elif kind == "copy":
            copy = pages[0].url.replace("report", "copy")
            pages.append(Page.from_text(copy, pages[0].body.decode(), fetched_at=DATE))
        elif kind == "list":
            rows = "".join(f'<li><a href="/x/{k}">{words(draw, 6)}</a></li>' for k in range(40))
            pages = [
                Page.from_text(f"https://{site}/topic/{n}", f"<title>All</title><ul>{rows}</ul>")
            ]
        for each in pages:
            if made < wanted:
                made += 1
                yield each


def make_archive(folder: Path, pages: int, sites: int, files: int) -> list[Path]:
    """Write the archive; return its files."""
    paths = [folder / f"pages-{number}.warc.gz" for number in range(files)]
    with ExitStack() as stack:
        writers = [stack.enter_context(WarcWriter(path, date=DATE)) for path in paths]
        of_sites = [site_pages(number, pages // sites) for number in range(sites)]
        # By turns, as crawls of many sites write them.
        for turn in range(pages // sites):
            for number, of_site in enumerate(of_sites):
                where = number if number % 2 else number + turn
                writers[where % files].write(next(of_site))
    return paths


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
    subprocess.run(
        [sys.executable, "-m", "scrapy", *call],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    return time.monotonic() - began, sorted((folder / "out.jsonl").read_bytes().splitlines())


def by_executor(
    executor: Executor, paths: list[Path], folder: Path, shard_bytes: int
) -> tuple[float, list[bytes]]:
    """Read the archive in shards; return the seconds it took, and the lines."""
    options = Options.from_settings(Settings({"CORPUS_DIR": str(folder / "data")}))
    call = ArchiveCall(paths, options, folder / "out", folder / "work", shard_bytes=shard_bytes)
    began = time.monotonic()
    with executor:
        summary = ArchiveHarvest(call, executor, lambda line: print(f"  {line}")).run()
    seconds = time.monotonic() - began
    if not summary.is_complete:
        raise SystemExit(f"not all was done: {summary.failed}")
    files = (folder / "out").glob("*.jsonl")
    return seconds, sorted(line for path in files for line in path.read_bytes().splitlines())


def main() -> int:
    """Run the benchmark; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--sites", type=int, default=40)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--shard-size", type=int, default=64, metavar="MB")
    parser.add_argument("--folder", type=Path, help="where all of it is kept (default: nowhere)")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        paths = make_archive(folder, arguments.pages, arguments.sites, arguments.files)
        size = sum(path.stat().st_size for path in paths)
        print(f"{arguments.pages:,} pages, {arguments.sites} sites: {size:,} bytes", flush=True)
        before = processors()
        alone, lines = by_one_process(paths, folder / "one")
        alone_cpu = processors() - before
        print(
            f"one process: {alone:.1f} s ({alone_cpu:.1f} of processors), {len(lines):,} items, "
            f"{digest(lines)}",
            flush=True,
        )
        same = True
        make: Any = LocalCluster  # Dask's own functions have no types.
        for name in ("local", "dask"):
            with ExitStack() as inner:
                if name == "local":
                    executor: Executor = LocalExecutor(arguments.processes)
                else:
                    made = inner.enter_context(
                        make(
                            n_workers=arguments.processes,
                            threads_per_worker=1,
                            dashboard_address="127.0.0.1:0",
                        )
                    )
                    executor = DaskExecutor(made.scheduler_address)
                before = processors()
                seconds, found = by_executor(
                    executor, paths, folder / name, arguments.shard_size << 20
                )
            cpu = processors() - before
            beside = f" ({cpu:.1f} of processors, {cpu / alone_cpu:.2f} times as many)"
            is_same = found == lines
            same &= is_same
            print(
                f"{name}, {arguments.processes} at once: {seconds:.1f} s"
                f"{beside if name == 'local' else ''}, {len(found):,} items, "
                f"{digest(found)}, {alone / seconds:.2f} times as fast, "
                f"{'the same' if is_same else 'NOT THE SAME'}",
                flush=True,
            )
    return 0 if same else 1


def digest(lines: list[bytes]) -> str:
    """Name a corpus."""
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
