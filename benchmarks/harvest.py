"""A harvest of 200 small sites by each engine: the same corpus, and how long it takes.

Run it as ``python benchmarks/harvest.py [--sites N] [--url URL]``. The sites, of 3 to 6 pages each,
are made in memory and served on loopback by this process, and crawled four times: one after the
other, by two processes, on a Dask cluster of two workers, and once more on such a cluster while one
of its workers is killed (SIGKILL). Each harvest lies in a folder of its own, or below ``--url``.
Compared are all exported lines of all sites, sorted, byte for byte, with ``fetched_at`` blanked, as
two crawls are not made at the same time. Leaves with 1 where they differ.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from distributed import LocalCluster
from fsspec.core import url_to_fs

from crawler.demo.server import serve
from crawler.harvest.cluster import DaskEngine
from crawler.harvest.engine import Call, ThreadEngine
from crawler.harvest.plan import SitePlan
from crawler.harvest.site_job import crawl_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.demo.server import Answer
    from crawler.harvest.engine import Done, Engine

# The server is ours: nobody has to be spared. The start pages are exported too.
SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "CORPUS_PAGE_TYPES": "all",
    "LOG_LEVEL": "WARNING",
}
WORDS = ("river", "lantern", "orchard", "ferry", "winter", "market", "bridge", "story", "copper")
FETCHED_AT = re.compile(rb'"fetched_at": "[^"]*"')
WORKERS = 2


def site(number: int) -> dict[str, Answer]:
    """Make a site of 3 to 6 pages: a list, and articles within what stands on all its pages."""
    draw = random.Random(number)
    articles = range(2 + number % 4)
    links = "".join(f'<li><a href="/a/{n}">Piece {n}</a></li>' for n in articles)
    footer = f"<footer>All rights reserved by the makers of site {number}, on each page.</footer>"
    pages = {"/": f"<title>Site {number}</title><ul>{links}</ul>{footer}"}
    for n in articles:
        told = "".join(f"<p>{' '.join(draw.choices(WORDS, k=40)).capitalize()}.</p>" for _ in "abc")
        pages[f"/a/{n}"] = f"<title>Piece {n}</title><h1>Piece {n}</h1>{told}{footer}"
    head = {"Content-Type": "text/html; charset=utf-8"}
    return {
        path: (200, head, f"<!doctype html><html lang=en>{body}".encode())
        for path, body in pages.items()
    }


def corpus(url: str) -> list[bytes]:
    """Return all exported lines of a harvest, sorted."""
    lines = []
    fs, root = url_to_fs(url)
    for path in fs.find(f"{root}/sites"):
        if "/articles/" in path:
            lines += fs.cat_file(path).splitlines()
    return sorted(FETCHED_AT.sub(b"", line) for line in lines)


@contextmanager
def cluster() -> Iterator[LocalCluster]:
    """Start a scheduler and two workers, each a process of its own."""
    options: dict[str, Any] = {"n_workers": WORKERS, "threads_per_worker": 1}
    # Dask's own functions have no types.
    make: Any = LocalCluster
    with make(**options, dashboard_address="127.0.0.1:0") as made:
        yield made


def harvest(engine: Engine, plans: list[SitePlan], url: str) -> tuple[list[Done], float]:
    """Crawl all sites; return what came of them, and the seconds it took."""
    began = time.monotonic()
    with engine:
        job = partial(crawl_site, output=url, run="benchmark")
        calls = (Call(one.id, job, one) for one in plans)
        return list(engine.run(calls)), time.monotonic() - began


def kill_later(made: LocalCluster, url: str, after: int, killed: list[int]) -> None:
    """Kill a worker once so many sites have been crawled, while it crawls the next."""
    fs, root = url_to_fs(url, use_listings_cache=False)
    while len({path.removeprefix(f"{root}/sites/").split("/")[0]
               for path in fs.find(f"{root}/sites")}) < after:  # fmt: skip
        time.sleep(0.1)
    pid = next(iter(made.workers.values())).pid
    os.kill(pid, signal.SIGKILL)
    killed.append(pid)


def report(
    name: str, results: list[Done], seconds: float, lines: list[bytes], first: list[bytes]
) -> bool:
    """Print a line of the table; say whether all went well."""
    done = sum(one.error is None and one.value["reason"] == "finished" for one in results)
    pages = sum(one.value.get("pages", 0) for one in results if one.error is None)
    digest = hashlib.sha256(b"\n".join(lines)).hexdigest()[:16]
    is_same = lines == first and done == len(results)
    print(
        f"{name:<28} {done:>4} sites {pages:>5} pages {len(lines):>5} lines  {digest}  "
        f"{seconds:6.1f} s  {'the same' if is_same else 'ANOTHER CORPUS'}",
        flush=True,
    )
    for one in results:
        if one.error is not None or one.value["reason"] != "finished":
            print(f"    {one.name}: {one.failure or one.value}")
    return is_same


def main() -> int:
    """Crawl all sites by each engine, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--url", help="where the harvests lie; without, in a temporary folder")
    parser.add_argument("--skip-single", action="store_true", help="leave one process out")
    options = parser.parse_args()
    with ExitStack() as stack:
        url = options.url or stack.enter_context(tempfile.TemporaryDirectory())
        bases = [stack.enter_context(serve(site(n))) for n in range(options.sites)]
        plans = [
            SitePlan(f"site-{n}", (f"{base}/",), settings=SETTINGS) for n, base in enumerate(bases)
        ]
        runs: list[tuple[str, list[Done], float]] = []
        if not options.skip_single:
            runs.append(("one", *harvest(ThreadEngine(1), plans, f"{url}/one")))
        runs.append(("two", *harvest(ThreadEngine(WORKERS), plans, f"{url}/two")))
        with cluster() as made:
            engine = DaskEngine(made.scheduler_address)
            runs.append(("dask", *harvest(engine, plans, f"{url}/dask")))
        killed: list[int] = []
        with cluster() as made:
            arguments = (made, f"{url}/killed", max(1, options.sites // 3), killed)
            killer = threading.Thread(target=kill_later, args=arguments)
            killer.start()
            engine = DaskEngine(made.scheduler_address)
            runs.append(("killed", *harvest(engine, plans, f"{url}/killed")))
            killer.join()
        names = {
            "one": "one process",
            "two": "two processes",
            "dask": "dask, two workers",
            "killed": f"dask, worker {killed[0]} killed",
        }
        lines = {name: corpus(f"{url}/{name}") for name, _, _ in runs}
        well = [
            report(names[name], results, seconds, lines[name], lines[runs[0][0]])
            for name, results, seconds in runs
        ]
        if not options.skip_single:
            print(f"two processes take {runs[1][2] / runs[0][2]:.2f} of the time of one")
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
