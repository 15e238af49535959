"""``kill -9`` at random moments of every kind of job that leaves something on disk.

After each restart three things are checked: no page is lost, none is there twice, and the pages
that were exported or left out for a counted reason are all that were fetched. Each job runs in a
fork of this process, which has imported everything, so that the kills hit the job and not its
imports; processes that the job starts end with it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import time
from collections import Counter
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.demo.server import serve
from crawler.store.archive import read_pages
from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from support.archives import made_pages, write_archive
from support.crawling import SETTINGS, html, small_site
from support.forking import LOG, begin, end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PAGES = 60
_SPOOL_BYTES = 36_000
# Articles go out in parts of a few, so that kills meet parts that are begun, whole and finished.
OWN = f"""
{SETTINGS}
SPIDER_MODULES = ["crawler.spiders"]
ITEM_PIPELINES = {{}}
LOG_LEVEL = "INFO"
CORPUS_PAGE_TYPES = "article"
CORPUS_PROGRESS = "off"
CORPUS_PART_ITEMS = 17
"""
_PLAN = """
output = "{output}"
[defaults]
settings = {{ DOWNLOAD_DELAY = 0, AUTOTHROTTLE_ENABLED = false, ROBOTSTXT_OBEY = false,\
 CORPUS_PAGE_TYPES = "article", CORPUS_PART_ITEMS = 7 }}
"""
_SITE = '[[site]]\nid = "site-{number}"\naddresses = "{url}"\nincremental = true\n'


@dataclass(slots=True)
class Kills:
    """What came of the kills of one job.

    Attributes:
        name: Of the job.
        kills: How often it was killed.
        checks: How often the pages were checked, after the job had ended.
        pages: How many pages were to be there, in all checks together.
        lost, doubled: How many of them were not, or were there more often.
        unreported: How often figures did not add up, or a restart did not say what there was.
    """

    name: str
    kills: int = 0
    checks: int = 0
    pages: int = 0
    lost: int = 0
    doubled: int = 0
    unreported: int = 0

    def compare(self, there: Iterable[str], wanted: Iterable[str]) -> None:
        """Check what is there against what is to be."""
        found, all_wanted = Counter(there), Counter(wanted)
        self.checks += 1
        self.pages += all_wanted.total()
        self.lost += (all_wanted - found).total()
        self.doubled += (found - all_wanted).total()

    @property
    def holds(self) -> bool:
        """Whether nothing was lost, doubled or unreported."""
        return not (self.lost or self.doubled or self.unreported)


class Killer:
    """Begins jobs in a folder, and kills them.

    Args:
        folder: a folder of its own.
        sites: the addresses of the sites that are crawled.
        seed: of the moments.
    """

    def __init__(self, folder: Path, sites: Sequence[str], seed: int) -> None:
        self.folder, self.sites = folder, sites
        self.draw = random.Random(seed)
        self._numbers = iter(range(1_000_000))
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = ownsettings\n", "utf-8")
        (folder / "ownsettings.py").write_text(OWN, "utf-8")

    def fresh(self, name: str) -> str:
        """Return a name that no file has."""
        return f"{name}-{next(self._numbers)}"

    def run(self, *arguments: str) -> tuple[int | None, str]:
        """Run a command to its end; return its exit code, and what it wrote."""
        log = self.folder / LOG
        log.write_bytes(b"")
        return end(begin(str(self.folder), [*arguments])), log.read_text("utf-8")

    def kill(
        self, arguments: Sequence[str], seconds: float, ready: Callable[[], object] = lambda: True
    ) -> bool:
        """Kill a job at some moment after it is ready; say whether it had not ended before."""
        (self.folder / LOG).write_bytes(b"")
        child = begin(str(self.folder), [*arguments])
        while _is_running(child) and not ready():
            time.sleep(0.005)
        time.sleep(self.draw.uniform(0, seconds))
        os.kill(child, signal.SIGKILL)
        code = end(child)
        assert code in {None, 0}, (self.folder / LOG).read_text("utf-8")[-5000:]
        return code is None

    def crawl(self, corpus: str, *more: str) -> list[str]:
        """Return the arguments of a crawl."""
        start = ("-a", f"url={self.sites[0]}/", "-a", "from=links")
        return ["crawl", "site", *start, "-s", f"CORPUS_DIR={corpus}", *more]

    def replay(self, result: Kills, spool: Path, *arguments: str) -> None:
        """Replay a spool to its end, and check its pages."""
        held = [page.url for page in read_pages([spool], on_skip=lambda *_: None)]
        out, report = self.fresh("out"), self.fresh("report")
        code, log = self.run(
            *("replay", str(spool), "-O", f"{out}:jsonl", "-s", f"CORPUS_CRAWL_REPORT={report}"),
            *arguments,
        )
        wanted = [url for url in held if "/a/" in url]
        # A kill may come when no article was held yet: then nothing is written.
        assert code == (0 if wanted else 1), log[-5000:]
        stats = json.loads((self.folder / report).read_text("utf-8"))["stats"]
        written = self.folder / out
        urls = [item["url"] for item in _items(written)] if written.exists() else []
        result.compare(urls, wanted)
        counted = stats.get("corpus/pages/exported", 0) + stats.get("corpus/pages/skipped", 0)
        is_whole = counted == stats["corpus/pages/fetched"] == len(held)
        result.unreported += not is_whole or f"{len(held):,} fetched" not in log or spool.exists()


def first_pass(killer: Killer, kills: int) -> Kills:
    """Kill crawls while they fetch, and replay what they held."""
    return _two_passes(killer, kills, Kills("first pass"), "spool/*.gz", _SPOOL_BYTES)


def second_pass(killer: Killer, kills: int) -> Kills:
    """Kill crawls while they export, and replay what they held."""
    return _two_passes(killer, kills, Kills("second pass"), "counts/*/*", 0)


def _two_passes(killer: Killer, kills: int, result: Kills, sign: str, size: int) -> Kills:
    """Kill crawls soon after a file has some size, drawn up to ``size``."""
    while result.kills < kills:
        least = killer.draw.uniform(0, size)
        corpus = killer.folder / killer.fresh("corpus")
        arguments = killer.crawl(corpus.name, "-O", f"{killer.fresh('out')}:jsonl")
        ready = partial(_has_grown, corpus, sign, least)
        if not killer.kill(arguments, 0.1 if size else 0.4, ready):
            continue
        result.kills += 1
        spools = [*corpus.glob("spool/*.spool.warc.gz")]
        if spools and killer.draw.random() < 1 / 5:
            # The next crawl begins anew, and says what the killed one has left.
            _, log = killer.run(*killer.crawl(corpus.name, "-O", f"{killer.fresh('out')}:jsonl"))
            result.unreported += spools[0].name not in log
        for spool in spools:
            killer.replay(result, spool)
        shutil.rmtree(corpus, ignore_errors=True)
    return result


def replays(killer: Killer, kills: int) -> Kills:
    """Kill replays of a spool, and replay it once more."""
    result, kept = Kills("replay"), killer.folder / "kept.spool.warc.gz"
    while not kept.exists():
        corpus = killer.folder / killer.fresh("corpus")
        arguments = killer.crawl(corpus.name, "-O", f"{killer.fresh('out')}:jsonl")
        if killer.kill(arguments, 0.1, partial(_has_grown, corpus, "counts/*/*", 0)):
            (spool,) = corpus.glob("spool/*.spool.warc.gz")
            spool.rename(kept)
    while result.kills < kills:
        corpus = killer.folder / killer.fresh("corpus")
        spool = corpus / "spool" / kept.name
        spool.parent.mkdir(parents=True)
        shutil.copy(kept, spool)
        of_corpus = ("-s", f"CORPUS_DIR={corpus}")
        arguments = ["replay", str(spool), "-O", f"{killer.fresh('out')}:jsonl", *of_corpus]
        while result.kills < kills and killer.kill(arguments, 1.0):
            result.kills += 1
        if spool.exists():
            killer.replay(result, spool, *of_corpus)
        shutil.rmtree(corpus)
    return result


def incremental(killer: Killer, kills: int) -> Kills:
    """Kill crawls that keep a ledger, and go on with them until they are done."""
    result = Kills("incremental")
    wanted = [f"{killer.sites[0]}/a/{number}" for number in range(PAGES)]
    while result.kills < kills:
        corpus = killer.folder / killer.fresh("corpus")
        arguments = killer.crawl(corpus.name, "-s", "CORPUS_INCREMENTAL=True")
        is_killed, writes = True, corpus / "articles"
        while is_killed and result.kills < kills:
            # One time in three when it writes its output, which short crawls come to seldom.
            is_late = killer.draw.random() < 1 / 3
            folder, sign = (writes, "*/*.aside") if is_late else (killer.folder, "*")
            ready = partial(_has_grown, folder, sign, 0)
            is_killed = killer.kill(arguments, 0.8, ready)
            result.kills += is_killed
        code, log = killer.run(*arguments)
        assert code == 0, log[-5000:]
        _check_site(result, corpus, writes, killer.sites[0], wanted)
        shutil.rmtree(corpus)
    return result


def _check_site(
    result: Kills, corpus: Path, folder: Path, site: str, wanted: Sequence[str]
) -> None:
    """Check the parts of a site, and that its ledger knows of each page what became of it."""
    items = [item for path in sorted(folder.glob("*/*.jsonl")) for item in _items(path)]
    result.compare((item["url"] for item in items), wanted)
    left = [*folder.glob("*/*.aside"), *corpus.glob("spool/*.gz")]
    path = ledger_path(corpus / "ledger", site.partition("://")[2])
    with closing(sqlite3.connect(path)) as raw:
        is_sound = raw.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    with Ledger(path) as ledger:
        open_runs = [run for run in ledger.runs() if not run.ended]
        owed = [*ledger.rows("owed"), *ledger.parts(unfinished=True)]
        figures = ledger.figures()
    is_told = figures["exported"] == len(wanted) and not figures["failed"]
    result.unreported += bool(left or open_runs or owed) or not (is_sound and is_told)


def harvests(killer: Killer, kills: int) -> Kills:
    """Kill harvests of three sites, and go on with them until they are done."""
    result = Kills("harvest")
    while result.kills < kills:
        output = killer.folder / killer.fresh("harvest")
        plan = killer.folder / killer.fresh("plan.toml")
        sites = "".join(
            _SITE.format(number=n, url=f"{url}/") for n, url in enumerate(killer.sites[1:])
        )
        plan.write_text(_PLAN.format(output=output.name) + sites, "utf-8")
        arguments = ["harvest", "run", str(plan)]
        while result.kills < kills and killer.kill(
            arguments,
            4.0,
            lambda: [*output.glob("sites/*/ledger/*.sqlite")],  # noqa: B023 - at once
        ):
            result.kills += 1
            if killer.draw.random() < 1 / 3:
                break
        for _ in range(5):
            # The crawls of a harvest that was killed may not have ended yet.
            code, log = killer.run(*arguments)
            if code == 0:
                break
        assert code == 0, log[-5000:]
        for number, url in enumerate(killer.sites[1:]):
            folder = output / "sites" / f"site-{number}"
            wanted = [f"{url}/a/{n}" for n in range(_pages(number + 1))]
            _check_site(result, folder, folder / "articles", url, wanted)
        shutil.rmtree(output)
    return result


def archives(killer: Killer, kills: int) -> Kills:
    """Kill the job of an archive, and go on with it until it is done."""
    result = Kills("archive")
    paths = write_archive(killer.folder / "warcs", made_pages(2, 12), 4)

    def lines(name: str) -> list[str]:
        files = (killer.folder / name / "out").glob("*.jsonl")
        return [line for path in files for line in path.read_text("utf-8").split("\n")[:-1]]

    def arguments(name: str) -> list[str]:
        folders = ["--output", f"{name}/out", "--work", f"{name}/work"]
        return ["harvest", "archive", *map(str, paths), *folders]

    code, log = killer.run(*arguments("whole"))
    assert code == 0, log
    wanted, name = lines("whole"), "whole"
    summary = _summary(log)
    while result.kills < kills:
        name = killer.fresh("archive")
        ready = partial(_has_grown, killer.folder / name, "work/*/*", 0)
        while result.kills < kills and killer.kill(arguments(name), 5.0, ready):
            result.kills += 1
            if killer.draw.random() < 1 / 3:
                break
        code, log = killer.run(*arguments(name))
        assert code == 0, log
        result.compare(lines(name), wanted)
        result.unreported += summary != _summary(log)
        shutil.rmtree(killer.folder / name)
    return result


JOBS = (first_pass, second_pass, incremental, replays, harvests, archives)
"""All jobs; each is called with a killer, and how often it is to kill."""


@contextmanager
def served_sites() -> Iterator[list[str]]:
    """Serve the sites in a process of their own; give their addresses."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with ExitStack() as stack:
            # Each has a robots.txt, so that no request fails.
            robots = {"/robots.txt": html("User-agent: *", kind="text/plain")}
            sites = [{**small_site(_pages(number)), **robots} for number in range(4)]
            urls = [stack.enter_context(serve(pages)) for pages in sites]
            os.write(writing, json.dumps(urls).encode())
            signal.pause()
    try:
        yield json.loads(os.read(reading, 4096))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)


def _pages(number: int) -> int:
    return 4 + 6 * number if number else PAGES


def _has_grown(folder: Path, sign: str, least: float) -> bool:
    for path in folder.glob(sign):
        # The job may move or remove a file that was there a moment ago.
        with suppress(FileNotFoundError):
            if path.stat().st_size >= least:
                return True
    return False


def _is_running(child: int) -> bool:
    """Say whether a job goes on, and leave what it ended with to be asked for."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def _summary(log: str) -> list[str]:
    return [line for line in log.splitlines() if "without an item" in line]


def _items(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
