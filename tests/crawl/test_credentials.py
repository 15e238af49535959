"""Credentials in a start address: they work for its host, and are written nowhere."""

from __future__ import annotations

import base64
import gzip
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import running
from support.crawling import Project, article, small_site

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SECRET = "gehe1m-p@ss"
GIVEN = "reader:gehe1m-p%40ss"
EXPECTED = "Basic " + base64.b64encode(f"reader:{SECRET}".encode()).decode()


@contextmanager
def guarded(elsewhere: str) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """Serve a site to those who have the password; one page moves to another host."""
    asked: list[tuple[str, str | None]] = []
    pages = {path: answer[2] for path, answer in small_site(2).items()}
    pages["/"] += b'<a href="/moved">Moved</a><a href="http://other:word@HOST/a/2">Third</a>'

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            given = self.headers["Authorization"]
            asked.append((self.path, given))
            here = self.headers["Host"]
            body = b"" if given != EXPECTED else pages.get(self.path, article(2).encode())
            body = body.replace(b"HOST", here.encode())
            self.send_response(302 if self.path == "/moved" else 200 if body else 401)
            self.send_header("Location", f"{elsewhere}/landed")
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Keep the test's output quiet."""

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield address, asked


def check_hidden(told: Iterable[str], folder: Path) -> None:
    """Check that nothing told, and no file in a folder or packed in one, has the secret."""
    kept = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    kept += [gzip.decompress(data) for data in kept if data.startswith(b"\x1f\x8b")]
    for text in (*(each.encode() for each in told), *kept):
        for secret in ("gehe1m", EXPECTED.split()[1]):
            assert secret.encode() not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("site", "-a", "url={start}", "-s", "JOBDIR=job"),
        ("site", "-a", "url={start}", "-s", "CORPUS_INCREMENTAL=True"),
        ("urls", "-a", "urls={start} {start}a/0 {start}a/1 {start}moved"),
    ],
)
def test_they_are_sent_to_their_host_alone(project: Project, arguments: tuple[str, ...]) -> None:
    with guarded("http://127.0.0.1:1") as (other, seen), guarded(other) as (base, asked):
        start = base.replace("//", f"//{GIVEN}@") + "/"
        out, err = project.run(
            "crawl", *(text.replace("{start}", start) for text in arguments), "-O", "out.jsonl",
            *("-L", "DEBUG", "-s", "CORPUS_ALLOW_PRIVATE=127.0.0.0/8", "-s", "ROBOTSTXT_OBEY=True"),
            *("-s", "CORPUS_KEEP_SPOOL=True", "-s", "CORPUS_CRAWL_REPORT=report.json"),
            *("-s", "HTTPCACHE_ENABLED=True"),
        )  # fmt: skip
    urls = {item["url"] for item in project.items()}
    assert {f"{base}/", f"{base}/a/0", f"{base}/a/1"} <= urls
    assert {given for _, given in asked} == {EXPECTED}
    assert "/landed" in {path for path, _ in seen}
    assert {given for _, given in seen} == {None}
    assert all("@" not in url for url in urls)
    assert "other:word" not in err
    check_hidden((out, err), project.folder)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_harvest_writes_them_nowhere(project: Project, *, is_there: bool) -> None:
    with guarded("http://127.0.0.1:1") as (base, asked):
        start = base.replace("//", f"//{GIVEN}@") if is_there else f"http://{GIVEN}@127.0.0.1:1"
        plan = f"""output = "out"
[defaults.settings]
DOWNLOAD_DELAY = 0
RETRY_ENABLED = false
LOG_LEVEL = "DEBUG"
CORPUS_PAGE_TYPES = "all"
[[site]]
id = "guarded"
addresses = ["{start}/"]
"""
        (project.folder / "harvest.toml").write_text(plan, "utf-8")
        told: list[str] = []
        for verb in (("run",), ("status",), ("status", "--json")):
            told += project.start("harvest", verb[0], "harvest.toml", *verb[1:]).communicate()
    assert bool(asked) is is_there
    check_hidden(told, project.folder / "out")


@pytest.mark.parametrize("address", ["http://{}@/", "http://{}@127.0.0.1:1/"])
def test_an_address_that_gives_nothing_is_told_without_them(project: Project, address: str) -> None:
    start = address.format(GIVEN)
    said: list[str] = []
    for arguments in (
        ("crawl", "site", "-a", f"url={start}"),
        ("crawl", "urls", "-a", f"urls={start}", "-s", "RETRY_ENABLED=False"),
        ("discover", start),
        ("extract", start),
        ("corpus", start, "--delay", "0"),
    ):
        done = project.start(*arguments)
        said += done.communicate()
    assert not any("Traceback" in text for text in said)
    check_hidden(said, project.folder / "corpus-data")
