"""Flipped and cut bytes in every file that is read: an error, a counted reason, or the same."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crawler.core.counting.site_counts import SiteCounts
from crawler.core.errors import CorpusError
from crawler.core.flow import get_method, observe, read
from crawler.core.page.page import Page
from crawler.core.wrapper.project import Element, new_project
from crawler.core.wrapper.project_file import write_project
from crawler.harvest.plan import read_plan
from crawler.store.archive import read_pages
from crawler.store.counts import read_counts, write_counts
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found
from crawler.store.spool import Spool
from crawler.wrapper.project_store import load_project
from support.archives import DATE, harvest, lines_of, made_pages, options_for, write_archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    # What was read, and what was said of damage.
    Reader = Callable[[Path], tuple[Any, object]]

PAGES = [
    Page.from_text(f"https://news.example/{n}", f"<p>Report {n} of the day.</p>" * 9)
    for n in range(20)
]
_PLAN = """
output = "out"
[[site]]
id = "news"
addresses = ["https://news.example/", "https://other.example/"]
cron = "0 5 * * *"
incremental = true
"""
_BY_HAND = {"plan", "project"}


@dataclass(slots=True)
class Damage:
    """What came of damage to a kind of file.

    Attributes:
        name: Of the kind.
        same: How often all was read as it was written, or, of a file that people write by hand,
            as something else that is valid.
        reported: How often an error or a counted reason said that it was not.
        silent: How often something else was read without a report.
        crashes: Errors that are none of the project's, by what they say.
    """

    name: str
    same: int = 0
    reported: int = 0
    silent: int = 0
    crashes: Counter[str] = field(default_factory=Counter)

    def read(self, path: Path, reader: Reader, whole: object) -> None:
        """Read a damaged file, and count what comes of it."""
        try:
            found, said = reader(path)
        except CorpusError:
            self.reported += 1
        except Exception as error:  # noqa: BLE001 - it is counted
            self.crashes[f"{type(error).__name__}: {error}"[:100]] += 1
        else:
            is_same = found == whole or self.name in _BY_HAND
            self.same += is_same
            self.reported += bool(not is_same and said)
            self.silent += not is_same and not said


def spoil(content: bytes, draw: random.Random) -> bytes:
    """Flip bits of a file, cut it off, overwrite some of it, or take some out."""
    spoiled, at = bytearray(content), draw.randrange(len(content))
    match draw.randrange(4):
        case 0:
            for _ in range(draw.choice((1, 1, 3))):
                spoiled[draw.randrange(len(spoiled))] ^= 1 << draw.randrange(8)
        case 1:
            del spoiled[at:]
        case 2:
            spoiled[at : at + 50] = bytes(len(spoiled[at : at + 50]))
        case _:
            del spoiled[at : at + draw.randrange(1, 200)]
    return bytes(spoiled)


def damage_file(kind: str, folder: Path, number: int, seed: int) -> Damage:
    """Damage a file of a kind so often; return what came of it."""
    write, reader = KINDS[kind]
    paths = write(folder)
    result, draw = Damage(kind), random.Random(seed)
    contents = {path: path.read_bytes() for path in paths}
    whole, said = reader(paths[0])
    assert not said
    for _ in range(number):
        path = draw.choice(paths)
        # A disk that loses bits leaves the time of the file, and what is noted beside it.
        beside = {each: each.read_bytes() for each in path.parent.glob(f"{path.name}.*")}
        written = path.stat().st_mtime_ns
        path.write_bytes(spoil(contents[path], draw))
        os.utime(path, ns=(written, written))
        result.read(path, reader, whole)
        for each, content in {path: contents[path], **beside}.items():
            each.write_bytes(content)
        os.utime(path, ns=(written, written))
    return result


def _write_counts(folder: Path) -> list[Path]:
    log = SiteCounts()
    for page in PAGES:
        log.add(observe(read(page), get_method("frequency-adaptive")))
    write_counts(folder / "counts.npz", "news.example", log)
    return [folder / "counts.npz"]


def _write_spool(folder: Path) -> list[Path]:
    spool = Spool.create(folder, "crawl", started=DATE)
    for page in PAGES:
        spool.append(page)
    spool.close()
    return [spool.path]


def _write_ledger(folder: Path) -> list[Path]:
    with Ledger(folder / "ledger.sqlite") as ledger:
        ledger.add_found([Found(page.url, "link", DATE, kind="article") for page in PAGES])
        for page in PAGES:
            ledger.mark_fetched(Fetched(page.url, 200, DATE, "content of " + page.url))
    return [folder / "ledger.sqlite"]


def _write_plan(folder: Path) -> list[Path]:
    (folder / "plan.toml").write_text(_PLAN, "utf-8")
    return [folder / "plan.toml"]


def _write_project(folder: Path) -> list[Path]:
    schema = Element("shop", "group", elements=(Element("name"), Element("price", "number")))
    (folder / "shop.h2x").write_text(write_project(new_project(schema)), "utf-8")
    return [folder / "shop.h2x"]


def _work_files(folder: Path) -> list[Path]:
    paths = write_archive(folder / "in", made_pages(2, 4), 2)
    harvest(paths, folder, options_for(folder))
    return sorted(
        path for path in (folder / "work").rglob("*") if path.is_file() and path.stat().st_size
    )


def _go_on(path: Path) -> tuple[Any, object]:
    folder = next(parent for parent in path.parents if (parent / "in").is_dir())
    # The items are made again of what the damaged file says.
    for made in (folder / "out").glob("*.jsonl"):
        made.unlink()
    figures = harvest(sorted((folder / "in").iterdir()), folder, options_for(folder))
    return lines_of(folder), figures.failed


def _read_warc(path: Path) -> tuple[Any, object]:
    reasons: list[str] = []
    pages = [*read_pages([path], on_skip=lambda reason, _: reasons.append(reason))]
    # A file that ends between two records is a whole one with fewer pages: the format has no end.
    return (PAGES if not reasons and pages and pages == PAGES[: len(pages)] else pages), reasons


def _read_spool(path: Path) -> tuple[Any, object]:
    spool = Spool.open(path)
    try:
        pages = [*spool.pages()]
        # Of a page that a kill cut off at the end it is known that it is none.
        is_cut = pages == PAGES[: len(pages)] and len(pages) < len(PAGES)
        return pages, spool.info.damage or is_cut
    finally:
        spool.close()


def _read_counts(path: Path) -> tuple[Any, object]:
    found = read_counts(path)
    return (sorted(found.urls()), found.view().snapshot), ""


def _read_ledger(path: Path) -> tuple[Any, object]:
    with Ledger(path) as ledger:
        return [*ledger.rows()], ""


KINDS: dict[str, tuple[Callable[[Path], list[Path]], Reader]] = {
    "spool": (_write_spool, _read_spool),
    "WARC": (lambda folder: write_archive(folder, PAGES, 1), _read_warc),
    "counts": (_write_counts, _read_counts),
    "ledger": (_write_ledger, _read_ledger),
    "plan": (_write_plan, lambda path: (read_plan(path), "")),
    "project": (_write_project, lambda path: (load_project(path), "")),
    "archive work": (_work_files, _go_on),
}
"""What writes the files of each kind, and what reads one of them."""
