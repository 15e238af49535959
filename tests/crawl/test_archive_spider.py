"""``scrapy crawl archive``: pages from disk, each once, counted whole, without any network."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from crawler.core.page.page import Page
from crawler.store.archive import WarcWriter
from support.crawling import FOOTER, Project, Site, article, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

BASE = "https://run.example/a"


@pytest.fixture
def archive_project(project: Project) -> Project:
    """A project with the settings of the mode ``archive``, as this repository has them."""
    (project.folder / "scrapy.cfg").write_text("[settings]\ndefault = settings.archive\n", "utf-8")
    return project


def page(number: int) -> Page:
    return Page.from_text(f"{BASE}/{number}", article(number), fetched_at="2024-05-01T10:00:00Z")


def save_warc(path: Path, numbers: range) -> None:
    writer = WarcWriter(path, date="2024-05-01T10:00:00Z")
    for number in numbers:
        writer.write(page(number))
    writer.close()


def save_folder(folder: Path, numbers: range) -> None:
    folder.mkdir()
    for number in numbers:
        (folder / f"{number}.html").write_text(article(number), "utf-8")


def save_list(path: Path, numbers: range) -> None:
    rows = [
        {"url": f"{BASE}/{n}", "html": article(n), "section": "walks", "site": "walks"}
        for n in numbers
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def crawl(project: Project, path: str, *further: str, code: int = 0) -> str:
    call = ("crawl", "archive", "-a", f"path={path}", "-O", "out.jsonl")
    _, err = project.run(*call, "-s", "STATS_DUMP=True", *further, code=code)
    assert "Traceback" not in err
    return err


def test_a_warc_file(archive_project: Project) -> None:
    save_warc(archive_project.folder / "pages.warc.gz", range(8))
    err = crawl(archive_project, "pages.warc.gz")
    items = archive_project.items()
    assert sorted(item["url"] for item in items) == [f"{BASE}/{n}" for n in range(8)]
    assert {(item["mode"], item["site_pages"], item["site"]) for item in items} == {
        ("archive", 8, "run.example")
    }
    assert {item["fetched_at"] for item in items} == {"2024-05-01T10:00:00Z"}
    assert all(FOOTER not in item["text"] and "th walk" in item["text"] for item in items)
    assert "'corpus/pages/fetched': 8" in err
    assert "'corpus/pages/exported': 8" in err
    assert archive_project.spools() == [], "what lies on disk is not held again"
    counts = archive_project.folder / "corpus-data" / "counts" / "run.example"
    assert len(list(counts.glob("*.npz"))) == 1


def test_a_folder_of_saved_pages(archive_project: Project) -> None:
    save_folder(archive_project.folder / "saved", range(6))
    (archive_project.folder / "saved" / "picture.png").write_bytes(b"\x89PNG")
    crawl(archive_project, "saved", "-a", "base_url=https://run.example/a/")
    items = archive_project.items()
    assert sorted(item["url"] for item in items) == [f"{BASE}/{n}.html" for n in range(6)]
    assert {item["site"] for item in items} == {"run.example"}
    assert all(FOOTER not in item["text"] for item in items)


def test_a_list_in_json_lines(archive_project: Project) -> None:
    save_list(archive_project.folder / "pages.jsonl", range(5))
    crawl(archive_project, "pages.jsonl")
    items = archive_project.items()
    assert sorted(item["url"] for item in items) == [f"{BASE}/{n}" for n in range(5)]
    assert all(item["fields"] == {"section": "walks"} for item in items)
    assert {(item["site"], item["site_pages"]) for item in items} == {("walks", 5)}
    assert all(FOOTER not in item["text"] for item in items)


def test_several_sources_are_counted_together(archive_project: Project) -> None:
    folder = archive_project.folder
    save_warc(folder / "a.warc.gz", range(3))
    save_folder(folder / "saved", range(3, 5))
    save_warc(folder / "b.warc.gz", range(5, 8))
    crawl(archive_project, " a.warc.gz | saved|b.warc.gz|", "-a", f"base_url={BASE}/")
    items = archive_project.items()
    assert len({item["url"] for item in items}) == len(items) == 8
    assert {item["site_pages"] for item in items} == {8}


def test_what_gives_no_page_is_counted_once_though_all_is_read_twice(
    archive_project: Project,
) -> None:
    folder = archive_project.folder
    rows = [
        json.dumps({"url": f"{BASE}/1", "html": article(1)}),
        json.dumps({"url": f"{BASE}/2", "html": article(2)}),
        "no json",
        json.dumps({"url": f"{BASE}/3"}),
        json.dumps({"url": f"{BASE}/4", "html": ""}),
        json.dumps({"url": f"{BASE}/5", "html": "x" * 9000}),
    ]
    (folder / "pages.jsonl").write_text("\n".join(rows), "utf-8")
    err = crawl(archive_project, "pages.jsonl", "-s", "CORPUS_MAX_PAGE_BYTES=8000")
    assert len(archive_project.items()) == 2
    assert "'corpus/skipped/malformed': 2" in err
    assert "'corpus/skipped/empty': 1" in err
    assert "'corpus/skipped/too-large': 1" in err
    assert "'corpus/pages/skipped': 4" in err
    assert err.count("Skipped (malformed)") == 2
    assert err.count(f"{BASE}/4") == 1


def test_one_capture_an_address_is_exported_the_latest(archive_project: Project) -> None:
    folder = archive_project.folder
    save_warc(folder / "k.warc.gz", range(6))
    newer = Page.from_text(f"{BASE}/2", article(8), fetched_at="2024-05-02")
    older = Page.from_text(f"{BASE}/3", article(9), fetched_at="2024-04-01T10:00:00Z")
    with WarcWriter(folder / "more.warc.gz", date="2024-05-01T10:00:00Z") as writer:
        writer.write(newer)
        writer.write(older)
        writer.write(Page(f"{BASE}/4", b"", fetched_at="2024-05-09T10:00:00Z"))
    err = crawl(archive_project, "k.warc.gz|k.warc.gz|more.warc.gz")
    items = {item["url"]: item for item in archive_project.items()}
    assert len(items) == len(archive_project.items()) == 6
    assert "The 8th walk" in items[f"{BASE}/2"]["text"]
    assert "The 3th walk" in items[f"{BASE}/3"]["text"]
    assert "The 4th walk" in items[f"{BASE}/4"]["text"], "an empty capture replaces no other"
    assert {item["site_pages"] for item in items.values()} == {6}
    assert "'corpus/skipped/duplicate-address': 8" in err
    assert "'corpus/skipped/empty': 1" in err
    assert "15 fetched, 6 exported" in err


def test_what_holds_no_page_is_told(archive_project: Project) -> None:
    folder = archive_project.folder
    save_warc(folder / "good.warc.gz", range(3))
    (folder / "junk.warc.gz").write_bytes(b"anything at all")
    (folder / "packed.warc.gz").write_bytes(gzip.compress(b"anything at all"))
    (folder / "empty.warc.gz").write_bytes(b"")
    (folder / "void").mkdir()
    paths = "junk.warc.gz|packed.warc.gz|empty.warc.gz|void|good.warc.gz"
    err = crawl(archive_project, paths, code=1)
    assert len(archive_project.items()) == 3, "one file costs no other"
    warnings = [line for line in err.splitlines() if "] WARNING: " in line]
    for name in ("junk.warc.gz", "packed.warc.gz", "empty.warc.gz", "void"):
        assert len([line for line in warnings if name in line]) == 1
    assert "'corpus/skipped/no-page': 2" in err
    assert "'corpus/skipped/unreadable': 1" in err
    assert "'corpus/skipped/corrupt': 1" in err


def test_a_file_that_is_cut_off_is_a_warning_and_an_error_of_the_process(
    archive_project: Project,
) -> None:
    path = archive_project.folder / "pages.warc.gz"
    save_warc(path, range(4))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 50)
    err = crawl(archive_project, "pages.warc.gz", code=1)
    assert len(archive_project.items()) == 3
    (warning,) = [line for line in err.splitlines() if "] WARNING: " in line]
    assert "Skipped (truncated) pages.warc.gz: " in warning
    assert warning.endswith("the last record is cut off; records read before it: 4")


def test_the_counts_of_an_archive_are_kept_once_whatever_the_mode(archive_project: Project) -> None:
    folder = archive_project.folder
    save_warc(folder / "pages.warc.gz", range(3))
    (folder / "corpus-data").mkdir()
    (folder / "corpus-data" / "counts").write_text("in the way")
    err = crawl(archive_project, "pages.warc.gz", "-s", "CORPUS_MODE=streaming", code=1)
    assert {item["mode"] for item in archive_project.items()} == {"archive"}
    assert "'corpus/mode': 'archive'" in err
    assert "'corpus/counts/failed': 1" in err


def test_near_duplicates_that_are_left_out_are_counted_once(archive_project: Project) -> None:
    rows = [json.dumps({"url": f"{BASE}/{n}", "html": article(n % 3)}) for n in range(4)]
    (archive_project.folder / "pages.jsonl").write_text("\n".join(rows), "utf-8")
    err = crawl(archive_project, "pages.jsonl", "-s", "CORPUS_DROP_NEAR_DUPLICATES=True")
    assert len(archive_project.items()) == 3
    assert "'corpus/skipped/near-duplicate': 1" in err


def test_an_empty_folder_gives_no_corpus(archive_project: Project) -> None:
    (archive_project.folder / "nothing").mkdir()
    archive_project.run("crawl", "archive", "-a", "path=nothing", "-O", "out.jsonl", code=1)
    assert not (archive_project.folder / "out.jsonl").exists()


def test_the_network_is_off(archive_project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(3))
    call = ("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    _, err = archive_project.run(*call, "-s", "STATS_DUMP=True", code=1)
    assert site.asked == []
    assert err.count("Not fetched") == 1
    assert "failed      1" in err
    assert "Traceback" not in err


def test_an_archive_takes_no_network_even_where_it_is_on(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site({})
    row = {"url": f"{site.url}a", "html": f"<p>See <img src='{site.url}p.png'> here</p>"}
    (project.folder / "pages.jsonl").write_text(json.dumps(row), "utf-8")
    crawl(project, "pages.jsonl", "-s", "ROBOTSTXT_OBEY=True")
    assert len(project.items()) == 1
    assert site.asked == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-a", "path=missing.warc.gz"), "path=missing.warc.gz: missing.warc.gz does not exist"),
        (("-a", "path=pages.jsonl|nowhere"), "path=nowhere: nowhere does not exist"),
        (("-a", "path=odd.bin"), "is of no kind that can be read"),
        (("-a", "path= | "), "names nothing to read"),
        ((), "path=… is missing"),
        (("-a", "pth=x"), "'pth' (did you mean 'path'?)"),
    ],
)
def test_a_mistake_is_one_line(
    archive_project: Project, arguments: tuple[str, ...], words: str
) -> None:
    (archive_project.folder / "odd.bin").write_bytes(b"\x00")
    save_list(archive_project.folder / "pages.jsonl", range(1))
    call = ("crawl", "archive", *arguments, "-O", "out.jsonl", "-L", "ERROR")
    out, err = archive_project.run(*call, code=2)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("scrapy crawl: archive: ")
    assert words in line
