"""Real crawls in processes of their own that write every format, without a network."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from crawler.items import FIELD_ORDER

ROOT = Path(__file__).parents[2]

SETTINGS = """
from settings.base import *

SPIDER_MODULES = ["feedspiders"]
ADDONS = {}
EXTENSIONS = {**EXTENSIONS, "crawler.extensions.progress.Progress": 500}
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
"""

SPIDER = """
import asyncio

import scrapy

from crawler.items import PageItem


class Pages(scrapy.Spider):
    name = "pages"

    async def start(self):
        for number in range(int(self.count)):
            yield PageItem(
                url=f"https://blog.example/{number}",
                site="blog.example",
                text=f"글 {number}\\n둘째 줄",
                site_pages=3,
                blocks=[{"text": "글", "kept": True, "reason": "text", "frequency": 1}],
                fields={"tags": ["가", number]},
            )
            self.crawler.stats.inc_value("corpus/pages/exported")
            await asyncio.sleep(float(getattr(self, "pause", 0)))
        self.logger.warning("a line of the log " + "x" * 200)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = feedsettings\n", "utf-8")
    (tmp_path / "feedsettings.py").write_text(SETTINGS, "utf-8")
    (tmp_path / "feedspiders.py").write_text(SPIDER, "utf-8")
    return tmp_path


def command(*arguments: str, count: int = 3) -> list[str]:
    return [sys.executable, "-m", "scrapy", "crawl", "pages", "-a", f"count={count}", *arguments]


def environment(project: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{project}{os.pathsep}{ROOT}", "TERM": "xterm"}


def crawl(project: Path, *arguments: str, count: int = 3) -> str:
    done = subprocess.run(
        command(*arguments, count=count),
        cwd=project,
        env=environment(project),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


def test_one_crawl_writes_every_format(project: Path) -> None:
    log = crawl(project, "-O", "p.jsonl", "-O", "p.csv", "-O", "p.parquet")
    raw = (project / "p.jsonl").read_text("utf-8")
    assert "글 0" in raw
    lines = [json.loads(line) for line in raw.splitlines()]
    with (project / "p.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    table = pq.read_table(project / "p.parquet")
    rows = table.to_pylist()
    assert list(lines[0]) == list(cells[0]) == table.column_names == list(FIELD_ORDER)
    for line, cell, row in zip(lines, cells, rows, strict=True):
        assert line["text"] == cell["text"] == row["text"]
        assert line["fields"] == json.loads(cell["fields"]) == json.loads(row["fields"])
        assert line["blocks"] == json.loads(cell["blocks"]) == json.loads(row["blocks"])
        assert (line["site_pages"], cell["site_pages"], row["site_pages"]) == (3, "3", 3)
        assert (line["title"], cell["title"], row["title"]) == (None, "", None)
    for name in ("p.jsonl", "p.csv", "p.parquet"):
        assert re.search(rf"output +{name} \(3 items\)", log)
    assert log.index("Stored parquet feed") < log.index("Crawl finished")
    assert "Enabled downloader middlewares" not in log
    assert "글 0" not in log


def test_no_items_leave_readable_files(project: Path) -> None:
    crawl(project, "-O", "p.csv", "-O", "p.parquet", count=0)
    assert (project / "p.csv").read_text("utf-8").split() == [",".join(FIELD_ORDER)]
    assert pq.read_table(project / "p.parquet").column_names == list(FIELD_ORDER)


def test_appending_a_second_crawl(project: Path) -> None:
    outputs = ("-o", "p.csv", "-o", "p.parquet")
    crawl(project, *outputs)
    first = (project / "p.parquet").read_bytes()
    log = crawl(project, *outputs, count=2)
    with (project / "p.csv").open(encoding="utf-8", newline="") as file:
        assert [row["url"][-1] for row in csv.DictReader(file)] == ["0", "1", "2", "0", "1"]
    assert (project / "p.parquet").read_bytes() == first
    assert pq.read_table(project / "p-2.parquet").num_rows == 2
    assert log.count("cannot be appended to") == 1
    assert "p-2.parquet (2 items)" in log


def test_parquet_of_chosen_fields_in_batches(project: Path) -> None:
    crawl(
        project,
        *("-O", "p-%(batch_id)d.parquet", "-s", "FEED_EXPORT_BATCH_ITEM_COUNT=2"),
        *("-s", "FEED_EXPORT_FIELDS=url,fields"),
    )
    tables = [pq.read_table(project / f"p-{number}.parquet") for number in (1, 2)]
    assert [table.num_rows for table in tables] == [2, 1]
    assert tables[0].column_names == ["url", "fields"]


def on_a_terminal(project: Path, *arguments: str) -> str:
    ours, theirs = pty.openpty()
    with (
        os.fdopen(ours, "rb", buffering=0) as terminal,
        subprocess.Popen(
            command(*arguments), cwd=project, env=environment(project), stderr=theirs, stdout=theirs
        ) as process,
    ):
        os.close(theirs)
        seen = b""
        try:
            # Until the last writer has closed the terminal, which is an error.
            with suppress(OSError):
                while chunk := terminal.read(65536):
                    seen += chunk
            assert process.wait(60) == 0
        finally:
            process.kill()
    return seen.decode()


def test_a_terminal_shows_one_live_line_and_whole_log_lines(project: Path) -> None:
    seen = on_a_terminal(project, "-a", "pause=0.4", "-O", "p.jsonl")
    assert "exported ·" in seen
    assert "a line of the log " + "x" * 200 in seen
    assert seen.index("Stored jsonl feed") < seen.index("Crawl finished")
    # The cursor is hidden while the line is live and comes back.
    assert seen.rindex("\x1b[?25l") < seen.rindex("\x1b[?25h")
    last = seen[seen.rindex("Crawl finished") :]
    assert "exported ·" not in last


def test_a_terminal_may_be_left_alone(project: Path) -> None:
    seen = on_a_terminal(project, "-O", "p.jsonl", "-s", "CORPUS_PROGRESS=off")
    assert "\x1b[?25l" not in seen
    assert "Crawl finished" in seen


def test_progress_is_logged_where_nobody_watches(project: Path) -> None:
    log = crawl(project, "-a", "pause=0.3", "-s", "LOGSTATS_INTERVAL=0.2", "-O", "p.jsonl")
    assert re.search(r"INFO: reading: 0 pages fetched · \d exported", log)
    assert "Crawled 0 pages" not in log
