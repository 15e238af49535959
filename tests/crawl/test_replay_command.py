"""``scrapy replay`` as it is called: which spool it takes, and what it refuses in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from crawler.core.page.page import Page
from crawler.store.archive import WarcWriter
from crawler.store.spool import Spool
from support.crawling import FOOTER, ROOT, Project, article

if TYPE_CHECKING:
    from pathlib import Path

STARTED = "2024-05-01T10:00:00+00:00"


def leave_spool(folder: Path, name: str, pages: int, **settings: object) -> Path:
    """Leave a spool as a killed crawl does."""
    spool = Spool.create(
        folder / "corpus-data" / "spool",
        name,
        started=STARTED,
        spider="site",
        settings=settings,
    )
    for number in range(pages):
        spool.append(Page.from_text(f"https://run.example/a/{number}", article(number)))
    spool.close()
    return spool.path


def refused(project: Project, *arguments: str) -> str:
    """Call the command, which refuses; return its one line."""
    out, err = project.run("replay", "-L", "ERROR", *arguments, code=2)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("scrapy replay: ")
    return line


def test_the_list_says_of_each_spool_how_it_stands(project: Project) -> None:
    assert project.run("replay", "--list")[0] == "No spools.\n"
    waiting = leave_spool(project.folder, "one", 1200)
    kept = Spool.open(leave_spool(project.folder, "two", 2))
    kept.finish(keep=True)
    used = Spool.open(leave_spool(project.folder, "three", 3))
    before = sorted(waiting.parent.iterdir())
    out, err = project.run("replay", "--list", "-L", "ERROR")
    assert sorted(waiting.parent.iterdir()) == before, "to list is to change nothing"
    used.close()
    lines = {line.rsplit("/", 1)[1]: line.split() for line in out.splitlines()}
    assert lines[waiting.name][:3] == ["waiting", "1,200", "pages"]
    assert lines["two.warc.gz"][:3] == ["kept", "2", "pages"]
    assert lines[used.path.name][:4] == ["in", "use", "3", "pages"]
    assert all("site" in line and STARTED in line for line in lines.values())
    assert err == ""


def test_the_only_one_waiting_is_taken(project: Project) -> None:
    leave_spool(project.folder, "one", 5)
    Spool.open(leave_spool(project.folder, "kept", 2)).finish(keep=True)
    used = Spool.open(leave_spool(project.folder, "used", 3))
    project.run("replay", "-O", "out.jsonl")
    used.close()
    items = project.items()
    assert sorted(item["url"] for item in items) == [f"https://run.example/a/{n}" for n in range(5)]
    assert all(FOOTER not in item["text"] for item in items)
    assert [path.name for path in project.spools()] == ["used.spool.warc.gz"]
    assert (project.folder / "corpus-data" / "spool" / "kept.warc.gz").exists()


def test_of_several_one_is_to_be_named(project: Project) -> None:
    first, second = (leave_spool(project.folder, name, 3) for name in ("one", "two"))
    line = refused(project, "-O", "out.jsonl")
    assert "several spools are waiting" in line
    assert first.name in line
    assert second.name in line
    assert len(project.spools()) == 2
    project.run("replay", str(second.relative_to(project.folder)), "-O", "out.jsonl")
    assert len(project.items()) == 3
    assert project.spools() == [first]


def test_the_settings_of_the_killed_crawl_hold_unless_told_otherwise(project: Project) -> None:
    for number, extra in enumerate([(), ("-s", "CORPUS_TEXT_METHOD=frequency-adaptive")]):
        leave_spool(project.folder, f"s{number}", 4, CORPUS_TEXT_METHOD="all-text")
        project.run("replay", "-O", "out.jsonl", *extra)
        (method,) = {item["method"] for item in project.items()}
        assert method == ("frequency-adaptive" if extra else "all-text")


def test_counts_are_kept_for_later_crawls(project: Project) -> None:
    leave_spool(project.folder, "one", 4)
    project.run("replay", "-O", "out.jsonl")
    names = [path.name for path in (project.folder / "corpus-data").glob("counts/*/*")]
    assert names == ["one.npz"]


def test_a_spool_may_be_kept(project: Project) -> None:
    path = leave_spool(project.folder, "one", 3)
    project.run("replay", "-O", "out.jsonl", "-s", "CORPUS_KEEP_SPOOL=True")
    assert [found.name for found in path.parent.iterdir()] == ["one.warc.gz"]
    assert "no spool is waiting" in refused(project)
    # What is kept is an archive, which may be replayed when it is named.
    project.run("replay", str(path.with_name("one.warc.gz")), "-O", "again.jsonl")
    assert len(project.items("again.jsonl")) == 3


def test_one_in_use_is_left_alone(project: Project) -> None:
    used = Spool.open(leave_spool(project.folder, "used", 3))
    assert "is in use by another process" in refused(project, str(used.path))
    assert "no spool is waiting" in refused(project)
    used.close()
    assert project.spools() == [used.path]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.warc.gz"], "cannot be opened"),
        (["page.html"], "is no spool"),
        ([".."], "cannot be opened"),
        (["one", "two"], "one spool at a time"),
        (["one.spool.warc.gz", "-a", "path=other"], "scrapy replay: no -a is needed"),
        (["one.spool.warc.gz", "-a", "speed=9"], "scrapy replay: no -a is needed"),
    ],
)
def test_a_mistake_is_one_line(project: Project, arguments: list[str], words: str) -> None:
    (project.folder / "page.html").write_text(article(1), "utf-8")
    made = leave_spool(project.folder, "one", 1)
    made.rename(project.folder / made.name)
    assert words in refused(project, *arguments)


@pytest.mark.parametrize("output", [(), ("-O", "out.jsonl")])
def test_an_archive_that_is_replayed_stays(project: Project, output: tuple[str, ...]) -> None:
    spool = Spool.open(leave_spool(project.folder, "one", 3))
    spool.finish(keep=True)
    copy = spool.path.rename(project.folder / "copy.warc.gz")
    before = copy.read_bytes()
    project.run("replay", "copy.warc.gz", *output)
    assert copy.read_bytes() == before
    assert len(project.witnessed()) == 4


def test_damage_is_told_once_and_counted_and_the_spool_stays(project: Project) -> None:
    path = leave_spool(project.folder, "one", 18)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(bytes(20))
    call = ("replay", str(path.relative_to(project.folder)), "-O", "out.jsonl")
    _, err = project.run(*call, "-L", "INFO", "-s", "STATS_DUMP=True", code=1)
    assert len(project.items()) == 17
    assert err.count("at byte ") == 1
    assert [line.split()[3] for line in err.splitlines() if "at byte " in line] == ["WARNING:"]
    assert "'corpus/skipped/corrupt': 1" in err
    assert "'corpus/pages/exported': 17" in err
    assert "kept because: the file is damaged" in err
    assert project.spools() == [path]
    out, err = project.run("replay", "--list")
    assert "17 pages" in out
    assert "damaged places: 1" in out
    assert "at byte " not in err


def test_only_the_summary_is_shown_unless_more_is_asked_for(project: Project) -> None:
    leave_spool(project.folder, "one", 3)
    _, err = project.run("replay", "-O", "out.jsonl")
    assert "3 exported" in err
    assert "[scrapy" not in err
    assert project.run("replay", "--list") == ("No spools.\n", "")


def test_a_pipeline_that_fails_is_no_success(project: Project) -> None:
    path = leave_spool(project.folder, "one", 4)
    _, err = project.run("replay", "-O", "out.jsonl", "-s", "WITNESS_FAILS_ON=/2", code=1)
    assert len(project.items()) == 3
    assert "pages that a pipeline failed on: 1" in err
    assert project.spools() == [path]


def test_a_spool_sets_nothing_but_what_decides_the_text(project: Project) -> None:
    leave_spool(
        project.folder,
        "one",
        3,
        CORPUS_TEXT_METHOD="all-text",
        CORPUS_DIR="elsewhere",
        CORPUS_KEEP_SPOOL=True,
        CORPUS_UNKNOWN=1,
        ITEM_PIPELINES={"no.such.Pipeline": 1},
    )
    project.run("replay", "-O", "out.jsonl")
    assert {item["method"] for item in project.items()} == {"all-text"}
    assert len(project.witnessed()) == 4
    assert project.spools() == []
    assert not (project.folder / "elsewhere").exists()


def test_the_limit_of_bytes_is_that_of_the_killed_crawl(project: Project) -> None:
    leave_spool(project.folder, "one", 3, CORPUS_MAX_PAGE_BYTES=10)
    _, err = project.run("replay", "-O", "out.jsonl", "-L", "INFO", "-s", "STATS_DUMP=True", code=1)
    assert "'corpus/skipped/too-large': 3" in err
    assert "3 fetched, 0 exported" in err


def test_files_that_are_no_spools_stop_no_list(project: Project) -> None:
    good = leave_spool(project.folder, "good", 2)
    for name, facts in [("a", '{"crawl_id": "a", "started": "x", "spider": null}'), ("b", "[1]")]:
        path = good.with_name(f"{name}.spool.warc.gz")
        WarcWriter(path, date=STARTED, info={"x-corpus-spool": facts}).close()
    out, err = project.run("replay", "--list")
    (line,) = out.splitlines()
    assert good.name in line
    assert "Traceback" not in err
    assert err.count("holds no spool") == 2
    assert "is no spool" in refused(project, str(good.with_name("a.spool.warc.gz")))


def test_half_a_page_at_the_end_is_passed_over(project: Project) -> None:
    path = leave_spool(project.folder, "one", 4)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 100)
    project.run("replay", "-O", "out.jsonl")
    assert len(project.items()) == 3
    assert project.spools() == []


def test_outside_any_project_the_addon_comes_along(tmp_path: Path) -> None:
    leave_spool(tmp_path, "one", 4)
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "replay", "-O", "out.csv", "-O", "out.parquet"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.csv").read_text("utf-8").count("https://run.example/a/") == 4
    assert (tmp_path / "out.parquet").read_bytes().endswith(b"PAR1")
    assert list((tmp_path / "corpus-data" / "spool").iterdir()) == []


def test_a_spool_of_which_nothing_was_exported_stays(project: Project) -> None:
    leave_spool(project.folder, "one", 3)
    wrong = ("-s", "CORPUS_PAGE_TYPES=forum")
    _, err = project.run("replay", "-O", "out.jsonl", *wrong, code=1)
    assert "kept because: other settings may export its pages" in err
    project.run("replay", "-O", "out.jsonl")
    assert len(project.items()) == 3
    assert project.spools() == []


def test_an_empty_spool_is_removed(project: Project) -> None:
    leave_spool(project.folder, "one", 0)
    _, err = project.run("replay", "-O", "out.jsonl", code=1)
    assert "kept because" not in err
    assert project.spools() == []
