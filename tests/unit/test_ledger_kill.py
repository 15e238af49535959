"""``kill -9`` at any moment: no page is lost, and none is twice in the finished parts.

Run as a script, this module crawls a made site in a process that is killed and begun again, with
nothing between the two but the files that it left.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found

PAGES = 400
KILLS = 40
START = "https://news.example/0"
MAY = "2024-05-01T10:00:00Z"
RUN = "run"
LEDGER = "news.example.sqlite"


def links(number: int) -> list[Found]:
    """Links of a page: to two further ones, so that all hang together, and back to the first."""
    targets = [0, *(n for n in (2 * number + 1, 2 * number + 2) if n < PAGES)]
    return [
        Found(f"https://news.example/{n}", "link", MAY, listed=f"{2000 + n % 20}", kind="article")
        for n in targets
    ]


def repair(ledger: Ledger, folder: Path) -> None:
    for part in ledger.parts(unfinished=True):
        if (folder / part.name).exists():
            ledger.finish_part(RUN, part.number, MAY)
        else:
            (folder / f"{part.name}.aside").unlink(missing_ok=True)
            ledger.discard_part(RUN, part.number)
    ledger.reset_fetching()
    ledger.requeue(*(row.address for row in ledger.rows("owed")))


def crawl(folder: Path) -> None:
    with Ledger(folder / LEDGER) as ledger:
        ledger.begin_run(RUN, MAY)
        repair(ledger, folder)
        ledger.add_found([Found(START, "start", MAY)])
        while due := ledger.next_due(9):
            part = ledger.begin_part(RUN, "part-{}.txt".format, MAY)
            aside = folder / f"{part.name}.aside"
            with aside.open("w") as file:
                ledger.mark_fetching(*(row.address for row in due))
                for row in due:
                    number = int(row.address.rpartition("/")[2])
                    with ledger.transaction():
                        change = ledger.mark_fetched(Fetched(row.address, 200, MAY, f"c{number}"))
                        ledger.add_found(links(number))
                    if change.to_export:
                        file.write(f"{number}\n")
                        ledger.mark_exported(RUN, row.address, f"c{number}", part.number)
            aside.rename(folder / part.name)
            ledger.finish_part(RUN, part.number, MAY)
        ledger.end_run(RUN, MAY, "finished")


def killed(folder: Path, seconds: float) -> bool:
    """Crawl in a process of its own and kill it after a while; False where it ended before."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            crawl(folder)
            code = 0
        finally:
            os._exit(code)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise SystemExit("The crawl failed.")
    return os.WIFSIGNALED(status)


def main(folder: Path) -> None:
    """Crawl site after site, each in a folder of its own, until enough processes were killed."""
    draw = random.Random(6)
    kills = sites = 0
    while kills < KILLS:
        sites += 1
        site = folder / str(sites)
        site.mkdir()
        while kills < KILLS and killed(site, draw.uniform(0.002, 0.05)):
            kills += 1
        crawl(site)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes it has forked")
def test_no_page_is_lost_or_doubled_by_kills(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    sites = list(tmp_path.iterdir())
    assert sites
    for site in sites:
        parts = sorted(site.glob("part-*.txt"))
        exported = [int(line) for part in parts for line in part.read_text().split()]
        assert sorted(exported) == list(range(PAGES))
        assert not list(site.glob("*.aside"))
        with closing(sqlite3.connect(site / LEDGER)) as raw:
            assert raw.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        with Ledger(site / LEDGER) as ledger:
            assert ledger.figures() == Counter(fetched=PAGES, exported=PAGES)
            assert {row.exported_hash for row in ledger.rows()} == {f"c{n}" for n in range(PAGES)}
            assert ledger.parts(unfinished=True) == []
            finished = ledger.parts()
        assert sorted(part.name for part in finished) == sorted(part.name for part in parts)
        assert sum(part.pages for part in finished) == PAGES


if __name__ == "__main__":
    main(Path(sys.argv[1]))
