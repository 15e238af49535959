from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from crawler.demo.pages import MISLABELLED_PATH, answers, demo_pages
from crawler.demo.server import serve

_PATIENCE = 100
_ROOT = Path(__file__).resolve().parents[2]


def _environment() -> dict[str, str]:
    """Leave out what makes a run depend on who started it: colours, widths, Scrapy's project."""
    unwanted = ("SCRAPY_PROJECT", "SCRAPY_SETTINGS_MODULE", "NO_COLOR", "FORCE_COLOR", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "PYTHONIOENCODING": "utf-8"}


def _scrapy(folder: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *args],
        cwd=folder,
        env=_environment() | env,
        capture_output=True,
        encoding="utf-8",
        timeout=_PATIENCE,
        check=False,
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _path(url: str) -> str:
    return re.sub(r"^https?://[^/]+", "", url)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("anywhere")
    return folder, _scrapy(folder, "demo")


def test_it_succeeds_in_a_folder_without_a_project_and_leaves_one_file(
    ran: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = ran

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert [entry.name for entry in folder.iterdir()] == ["demo.jsonl"]


def test_it_exports_each_article_once_and_neither_lists_nor_what_is_private(
    ran: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    paths = [_path(row["url"]) for row in _rows(ran[0] / "demo.jsonl")]
    wanted = {page.path for page in demo_pages() if page.kind in {"article", "table"}}

    assert len(paths) == len(set(paths))
    assert wanted <= set(paths)
    others = {page.path for page in demo_pages() if page.kind.endswith("duplicate")}
    # What may be an article counts as one: some lists of few links may come too.
    lists = {page.path for page in demo_pages() if page.kind == "index"}
    assert set(paths) - wanted <= others | lists
    assert len(lists & set(paths)) <= len(lists) / 4
    assert "/" not in paths


def test_the_exported_text_is_the_articles_own(
    ran: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    texts = {_path(row["url"]): row["text"] for row in _rows(ran[0] / "demo.jsonl")}
    wanted = kept = foreign = 0
    for page in demo_pages():
        if page.kind != "article":
            continue
        text = texts[page.path]
        paragraphs = page.gold_text.splitlines()
        wanted += len(paragraphs)
        kept += sum(line in text for line in paragraphs)
        foreign += sum(word in text for word in ("Subscribe", "visitor", "댓글", "Staff desk"))

    assert kept == wanted
    assert foreign == 0


def test_the_mislabelled_page_is_read_as_korean(
    ran: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    row = next(r for r in _rows(ran[0] / "demo.jsonl") if _path(r["url"]) == MISLABELLED_PATH)
    page = next(page for page in demo_pages() if page.path == MISLABELLED_PATH)

    assert row["encoding"] in {"euc-kr", "cp949"}
    assert page.gold_text.splitlines()[1] in row["text"]


def test_it_prints_figures_pages_before_and_after_and_what_to_do_next(
    ran: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = ran
    rows = _rows(folder / "demo.jsonl")

    assert re.search(rf"pages +\d+ fetched, {len(rows)} exported", done.stdout)
    assert "The board on the north pier is two metres tall" in done.stdout
    assert "삼천 원을 주고 산 수필집에는" in done.stdout
    assert re.search(r"- dropped, on \d+ pages +News from the water", done.stdout)
    assert "+ kept" in done.stdout
    assert "dropped most often" in done.stdout
    assert str(folder / "demo.jsonl") in done.stdout
    assert "scrapy corpus" in done.stdout


def test_it_prints_no_escape_codes_off_a_terminal(
    ran: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    assert "\x1b" not in ran[1].stdout


def test_it_keeps_quiet_about_letters_the_terminal_lacks(tmp_path: Path) -> None:
    done = _scrapy(tmp_path, "demo", PYTHONIOENCODING="ascii")

    assert done.returncode == 0, done.stderr
    assert "The board on the north pier" in done.stdout


def test_no_color_wins_on_a_terminal(tmp_path: Path) -> None:
    coloured = _scrapy(tmp_path, "demo", FORCE_COLOR="1", TERM="xterm-256color")
    plain = _scrapy(tmp_path, "demo", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color")

    assert "\x1b[32m" in coloured.stdout
    assert "\x1b[32m" not in plain.stdout


def test_the_output_can_be_named_and_its_ending_chooses_the_format(tmp_path: Path) -> None:
    done = _scrapy(tmp_path, "demo", "-O", "pages.csv")

    assert done.returncode == 0, done.stderr
    with (tmp_path / "pages.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert f" fetched, {len(rows)} exported" in done.stdout
    assert not (tmp_path / "demo.jsonl").exists()


def test_a_second_run_replaces_the_file(tmp_path: Path) -> None:
    (tmp_path / "demo.jsonl").write_text("old\n", encoding="utf-8")

    assert _scrapy(tmp_path, "demo").returncode == 0
    assert _rows(tmp_path / "demo.jsonl")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-O", "pages.docx"], "'pages.docx' has no known format"),
        (["-O", "pages"], "'pages' has no known format"),
        (["-O", "-"], "name a file"),
        (["everything"], "there are no arguments, but got: everything"),
        (["-s", "CORPUS_MOOD=x"], "CORPUS_MODE"),
        (["-s", "CORPUS_TEXT_METHOD=best"], "no text method 'best'"),
    ],
)
def test_a_wrong_command_line_is_refused(tmp_path: Path, args: list[str], message: str) -> None:
    done = _scrapy(tmp_path, "demo", *args)

    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("scrapy demo: ")
    assert message in line
    assert list(tmp_path.iterdir()) == []


def test_a_crawl_that_exports_nothing_fails_and_says_so(tmp_path: Path) -> None:
    done = _scrapy(tmp_path, "demo", "-s", "DOWNLOAD_MAXSIZE=1")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("scrapy demo: the crawl exported no page; run")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
def test_a_file_that_cannot_be_written_is_no_success(tmp_path: Path) -> None:
    done = _scrapy(tmp_path, "demo", "-O", "/dev/full:jsonl")

    assert (done.returncode, done.stdout) == (1, "")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("scrapy demo: the pages could not be written to /dev/full:jsonl;")


def test_the_project_crawls_the_demo_site_and_never_asks_for_the_disallowed_area(
    tmp_path: Path,
) -> None:
    asked: list[str] = []
    with serve(answers(), asked=asked) as base:
        done = _scrapy(
            _ROOT,
            *("crawl", "site", "-a", f"url={base}/", "-O", str(tmp_path / "pages.jsonl")),
            *("-s", f"CORPUS_DIR={tmp_path / 'data'}"),
            SCRAPY_PROJECT="demo",
        )

    assert done.returncode == 0, done.stderr
    assert {page.path for page in demo_pages() if page.kind == "article"} <= set(asked)
    assert "/robots.txt" in asked
    assert [path for path in asked if path.startswith("/private/")] == []


@pytest.mark.parametrize("ends", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_on_after_the_crawl_until_it_is_told_to_end(
    tmp_path: Path, ends: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "scrapy", "demo", "--keep-serving"],
        cwd=tmp_path,
        env=_environment(),
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if serving := re.match(r"Serving (http://127\.0\.0\.1:\d+/)", line):
                    break
            assert serving is not None
            with urllib.request.urlopen(serving[1], timeout=_PATIENCE) as response:
                assert b"The Quay Gazette" in response.read()
            process.send_signal(ends)
            assert process.wait(timeout=_PATIENCE) == 0
        finally:
            process.kill()
