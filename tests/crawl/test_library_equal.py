"""The library gives what the commands give: a thousand pages of all kinds, alone and as a site."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from crawler import Page, Site, extract
from crawler.core.errors import UnreadablePageError
from crawler.demo.pages import answers
from crawler.items import FIELD_ORDER
from support.archives import write_archive
from support.crawling import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from support.crawling import Project

PAGES = 1000
FETCHED = "2024-05-01T10:00:00Z"

# ``scrapy extract`` for each page of a list, in one process: what it prints, or its error.
COMMAND = """
import contextlib, io, json, sys
from scrapy.cmdline import execute

for line in open(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            execute(["scrapy", "extract", *json.loads(line)])
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, out.getvalue()]))
"""


def pages() -> list[tuple[str, bytes]]:
    """Return pages of the demo and of the golden tests, most of them varied, in no order."""
    draw = random.Random(7)
    demo = [body for _, (_, _, body) in sorted(answers().items()) if b"<html" in body]
    golden = [path.read_bytes() for path in sorted((ROOT / "tests/golden").glob("*/*.html"))]
    made = [(f"https://site-{n % 5}.example/{n}", draw.choice(demo + golden)) for n in range(PAGES)]
    return [(url, varied(body, draw) if n % 3 else body) for n, (url, body) in enumerate(made)]


def varied(body: bytes, draw: random.Random) -> bytes:
    """Take some lines out of a page, and say something of its own on it."""
    lines = [line for line in body.split(b"\n") if b"<p" not in line or draw.random() < 0.7]
    own = " ".join(draw.choices(["harbour", "tide", "market", "bread", "bridge"], k=30))
    lines.insert(len(lines) // 2, f"<p>On this day: {own}, {draw.random()}.</p>".encode())
    return b"\n".join(lines)


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_extract_gives_what_the_command_prints(tmp_path: Path) -> None:
    made = pages()
    calls = []
    for number, (url, body) in enumerate(made):
        path = tmp_path / f"{number}.html"
        path.write_bytes(body)
        calls.append(json.dumps([str(path), "--url", url]) + "\n")
    (tmp_path / "calls.jsonl").write_text("".join(calls), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "calls.jsonl"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    answered = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answered) == PAGES
    for (url, body), (code, out) in zip(made, answered, strict=True):
        if code == 0:
            item = extract(body, url)
            expected = {name: getattr(item, name) for name in FIELD_ORDER if name != "blocks"}
            assert json.loads(out) == json.loads(json.dumps(expected))
        else:
            with pytest.raises(UnreadablePageError):
                extract(body, url)
    assert sum(code == 0 for code, _ in answered) > PAGES * 0.9


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_a_site_gives_what_an_archive_crawl_exports(project: Project) -> None:
    made = [Page(url, body, fetched_at=FETCHED) for url, body in pages()]
    write_archive(project.folder, made, 1)
    project.run("crawl", "archive", "-a", "path=file-0.warc.gz", "-O", "out.jsonl")
    items = Site(page_types="all").items(made)
    given = [json.dumps({name: getattr(one, name) for name in FIELD_ORDER}) for one in items]
    assert sorted(given) == sorted(json.dumps(item) for item in project.items())
    assert len(given) > PAGES / 2
