"""``scrapy extract`` as it is called: one JSON object, the reason for each block, or one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import UnreadableInputError
from crawler.core.flow import SiteCounts, observe, read
from crawler.core.page.page import Page
from crawler.items import FIELD_ORDER
from crawler.store.counts import CountStore
from crawler.store.sources import page_of_file
from support.crawling import FOOTER, ROOT, Project, Site, article, html, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

FIELDS = [name for name in FIELD_ORDER if name != "blocks"]


def save(folder: Path, pages: int, first: int = 0) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(first, first + pages):
        (folder / f"{number}.html").write_text(article(number), "utf-8")


def item_in(out: str) -> dict[str, Any]:
    item = json.loads(out)
    assert isinstance(item, dict)
    assert list(item) == FIELDS
    return item


def outside(folder: Path, *arguments: str, **environment: str) -> tuple[int, bytes, str]:
    """Call the command where there is no project; return its code and what it wrote."""
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "extract", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


def rows(table: str) -> dict[str, list[str]]:
    """Read the table of blocks: the first words of each to its verdict, reason and figures."""
    lines = table.split("\n\n", maxsplit=1)[0].splitlines()[1:]
    found = {}
    for line in lines:
        verdict, reason, pages, links, _, _, _, text = line.split(maxsplit=7)
        found[text.split("…")[0].strip()[:12]] = [verdict, reason, pages, links]
    return found


def test_a_saved_page_by_itself(project: Project) -> None:
    save(project.folder / "saved", 1)
    call = ("extract", "-L", "ERROR", "saved/0.html", "--url", "https://run.example/a/0")
    out, err = project.run(*call)
    item = item_in(out)
    assert err == ""
    assert item["url"] == "https://run.example/a/0"
    assert item["site"] == "run.example"
    assert (item["mode"], item["site_pages"]) == ("single", 0)
    assert item["counts_snapshot"] == "", "of the site nothing is known"
    assert item["text"].startswith("Piece number 0 of the run\nThe 0th walk")
    assert "Home" not in item["text"]


def test_a_saved_page_starts_no_crawl(tmp_path: Path) -> None:
    save(tmp_path, 1)
    # Scrapy looks for spiders and add-ons where it starts a crawl, and finds none here.
    settings = ("-s", "SPIDER_MODULES=no.such.module", "-s", 'ADDONS={"no.such.Addon": 1}')
    code, out, err = outside(tmp_path, "0.html", *settings)
    assert (code, err) == (0, "")
    assert item_in(out.decode())["site_pages"] == 0


def test_other_pages_of_the_site_tell_what_recurs(project: Project) -> None:
    save(project.folder / "saved", 5)
    save(project.folder / "more", 3, first=5)
    out, _ = project.run("extract", "saved/0.html", "--with", "saved", "--with", "more")
    item = item_in(out)
    assert FOOTER not in item["text"]
    assert "0th walk" in item["text"]
    assert item["site_pages"] == 8


def test_explain_shows_each_block_with_the_right_reason(project: Project) -> None:
    save(project.folder / "saved", 4)
    call = ("extract", "-L", "ERROR", "saved/0.html", "--explain")
    out, err = project.run(*call, "--with", "saved")
    assert err == ""
    assert rows(out) == {
        "Home": ["drop", "links", "4", "100%"],
        "Piece number": ["keep", "text", "1", "0%"],
        "The 0th walk": ["keep", "text", "1", "0%"],
        "Nobody else ": ["keep", "text", "1", "0%"],
        FOOTER[:12]: ["drop", "frequent", "4", "0%"],
    }
    assert "3 blocks kept, 2 dropped (1 links, 1 frequent)" in out
    assert "judged by 4 distinct pages" in out

    out, _ = project.run("extract", "saved/0.html", "--explain")
    assert rows(out)[FOOTER[:12]][2:] == ["0", "0%"]
    assert "nothing is known of" in out

    out, _ = project.run(
        "extract", "saved/0.html", "--with", "saved", "--explain", "--method", "all-text"
    )
    assert {row[0] for row in rows(out).values()} == {"keep"}


def test_the_text_is_printed_as_markdown(project: Project) -> None:
    (project.folder / "page.html").write_text(article(1), "utf-8")
    out, err = project.run("extract", "page.html", "--markdown")
    assert err == ""
    assert out.startswith("# Piece number 1 of the run\n\nThe 1th walk")
    assert item_in(project.run("extract", "page.html")[0])["markdown"] is None


TABLES = """<table><caption>Herons</caption><tr><th>Day<th>Seen<tr><td>월요일<td>3
<tr><td>Tuesday<td>12</table><table><tr><td><a href="/">Home</a><td><a href="/">Up</a></table>"""


def test_the_tables_of_a_page_are_shown(project: Project) -> None:
    (project.folder / "page.html").write_text(article(1, extra=TABLES), "utf-8")
    call = ("extract", "page.html", "-s", "CORPUS_TABLE_METHOD=rules")
    out, err = project.run(*call, "--tables")
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "Table 1: Herons"
    assert lines[2] == "genuine: caption (rule 1), by rules"
    assert [line.split() for line in lines[5:7]] == [["월요일", "3"], ["Tuesday", "12"]]
    assert lines[-1] == "1 layout table left out; --layout shows it."
    assert "\x1b" not in out
    out, _ = project.run(*call, "--tables", "--layout")
    assert "layout: links (rule 4), by rules" in out
    assert len(item_in(project.run(*call)[0])["tables"]) == 1
    assert len(item_in(project.run(*call, "--layout")[0])["tables"]) == 2


def test_the_counts_of_an_earlier_crawl_are_used(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(10))
    project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    (crawled,) = [item for item in project.items() if item["url"].endswith("/a/3")]
    item = item_in(project.run("extract", f"{site.url}a/3")[0])
    assert item["text"] == crawled["text"]
    assert item["site_pages"] == crawled["site_pages"] == 11
    assert item["counts_snapshot"] == crawled["counts_snapshot"]

    # A page that was saved is of that site too, once its address is told.
    (project.folder / "page.html").write_text(article(77), "utf-8")
    item = item_in(project.run("extract", "page.html", "--url", f"{site.url}a/77")[0])
    assert FOOTER not in item["text"]
    assert item["site_pages"] == 12


def test_an_address_is_fetched_by_the_rules_of_a_crawl(
    project: Project, make_site: MakeSite
) -> None:
    rules = html("User-agent: *\nDisallow: /a/1\n", kind="text/plain")
    pages = {**small_site(2), "/robots.txt": rules}
    status, headers, body = pages["/a/0"]
    pages["/a/0"] = status, {**headers, "X-Robots-Tag": "noindex"}, body
    site = make_site(pages)
    settings = ("-s", "ROBOTSTXT_OBEY=True", "-L", "ERROR")
    # What is asked for is printed: no folder is filled, whatever the settings name.
    folders = ("-s", "CORPUS_TABLES_FOLDER=csv", "-s", "CORPUS_STRUCTURE_FOLDER=xml")
    model = ("-s", "CORPUS_STRUCTURE_MODEL=blog")
    item = item_in(project.run("extract", f"{site.url}a/0", *settings, *model, *folders)[0])
    assert "<post>" in item["structure"]
    assert not any((project.folder / name).exists() for name in ("csv", "xml"))
    assert item["title"] == "Piece number 0 of the run"
    assert item["fetched_at"].endswith("+00:00")
    assert item["robots"] == ["noindex"]

    out, err = project.run("extract", f"{site.url}a/1", *settings, code=1)
    assert out == ""
    (line,) = err.splitlines()
    assert line == (f"scrapy extract: {site.url}a/1 could not be fetched: Forbidden by robots.txt")
    assert "/a/1" not in site.asked


def test_outside_any_project_too(tmp_path: Path, make_site: MakeSite) -> None:
    rules = html("User-agent: *\nDisallow: /a/1\n", kind="text/plain")
    site = make_site({**small_site(2), "/robots.txt": rules})
    code, out, err = outside(tmp_path, f"{site.url}a/0")
    assert (code, err) == (0, "")
    assert item_in(out.decode())["url"] == f"{site.url}a/0"
    code, out, err = outside(tmp_path, f"{site.url}a/1")
    assert (code, out) == (1, b"")
    assert err.splitlines() == [
        f"scrapy extract: {site.url}a/1 could not be fetched: Forbidden by robots.txt"
    ]

    save(tmp_path / "saved", 3)
    code, out, err = outside(tmp_path, "saved/1.html", "--with", "saved")
    assert (code, err) == (0, "")
    assert FOOTER not in item_in(out.decode())["text"]
    assert [path.name for path in tmp_path.iterdir()] == ["saved"], "nothing is left behind"


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (html("gone", status=404), 1, "answered with status 404"),
        (
            (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(99)),
            2,
            "type image/png",
        ),
        (html(""), 2, "has no content"),
    ],
)
def test_an_address_that_gives_no_page(
    tmp_path: Path, make_site: MakeSite, answer: Answer, code: int, words: str
) -> None:
    site = make_site({"/": answer})
    left_with, out, err = outside(tmp_path, site.url)
    assert (left_with, out) == (code, b"")
    assert len(err.splitlines()) == 1
    assert err.startswith("scrapy extract: ")
    assert words in err


def test_an_address_where_nobody_answers(tmp_path: Path) -> None:
    code, out, err = outside(tmp_path, "http://127.0.0.1:9/", "-s", "RETRY_ENABLED=False")
    assert (code, out) == (1, b"")
    assert len(err.splitlines()) == 1
    assert "could not be fetched" in err


MISTAKES: list[tuple[list[str], str]] = [
    ([], "one file or address"),
    (["a.html", "b.html"], "one file or address"),
    (["missing.html"], "missing.html is no file; give a saved page or an http(s) address"),
    ([".."], "is no file"),
    (["binary.html"], "binary"),
    (["empty.html"], "empty"),
    (["odd.bin"], "no kind that can be read"),
    (["page.html", "--method", "best"], "use one of: article, frequency-adaptive, "),
    (["page.html", "--with", "nowhere"], "nowhere does not exist"),
    (["page.html", "--with", "nothing"], "nothing holds no page"),
    (["two.jsonl"], "holds several pages"),
    (["ftp://host.example/a"], "is no file"),
    (["http://[bad/"], "http://[bad/ is no http(s) address; give one such as https://blog."),
    (["HTTPS://"], "is no http(s) address"),
    (["http://host.example:port/"], "is no http(s) address"),
    (["page.html", "--url", "foo"], "foo is no http(s) address"),
    (["page.html", "--url", "ftp://host.example/a"], "is no http(s) address"),
    (["page.html", "--url", ""], "is no http(s) address"),
    (["http://127.0.0.1:9/", "--url", "https://a.example/"], "--url is for a file"),
    (["page.html", "--explian"], "unknown option --explian"),
    (["page.html", "--explain", "--tables"], "do not go together"),
    (["page.html", "--markdown", "--tables"], "do not go together"),
    (["page.html", "-s", "CORPUS_PAGE_TYPES=blog"], "It accepts one or more, with commas"),
    (["page.html", "-s", "CORPUS_TABLE_METHOD=best"], "no table method is called 'best'"),
    (["page.html", "-s", "CORPUS_MOOD=x"], "CORPUS_MODE"),
    (["page.html", "-s", "CORPUS_MAX_PAGE_BYTES=99"], "too-large"),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES)
def test_a_mistake_is_one_line(project: Project, arguments: list[str], words: str) -> None:
    folder = project.folder
    (folder / "page.html").write_text(article(1), "utf-8")
    (folder / "binary.html").write_bytes(bytes(range(256)) * 40)
    (folder / "empty.html").write_bytes(b"")
    (folder / "odd.bin").write_bytes(b"\x00\x01")
    (folder / "nothing").mkdir()
    row = json.dumps({"url": "u", "html": "<p>text</p>"}) + "\n"
    (folder / "two.jsonl").write_text(row + row, "utf-8")
    out, err = project.run("extract", *arguments, code=2)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("scrapy extract: ")
    assert words in line


def test_one_page_of_a_list_comes_with_its_fields(project: Project) -> None:
    row = {"url": "https://run.example/1", "html": article(1), "section": "walks"}
    (project.folder / "one.jsonl").write_text(json.dumps(row), "utf-8")
    item = item_in(project.run("extract", "one.jsonl")[0])
    assert item["url"] == "https://run.example/1"
    assert item["fields"] == {"section": "walks"}


def test_a_damaged_counts_file_is_named_and_the_sound_ones_are_used(project: Project) -> None:
    (project.folder / "page.html").write_text(article(1), "utf-8")
    for number in range(3):
        page = Page.from_text(f"https://run.example/{number}", article(number))
        counts = SiteCounts()
        counts.add(observe(read(page)))
        store = CountStore(project.folder / "corpus-data" / "counts")
        path = store.save("run.example", f"crawl-{number}", counts)
    path.write_bytes(b"PK")
    out, err = project.run("extract", "page.html", "--url", "https://run.example/1")
    item = item_in(out)
    assert FOOTER not in item["text"], "two crawls are known still"
    assert item["site_pages"] == 2
    (line,) = err.splitlines()
    assert line.startswith("scrapy extract: ")
    assert line.endswith("crawl-2.npz is damaged; delete it and crawl again")


def test_the_pages_beside_are_read_by_the_limit_of_the_setting(project: Project) -> None:
    save(project.folder / "saved", 3)
    big = article(9, extra=f"<!--{'x' * 5000}-->")
    (project.folder / "saved" / "9.html").write_text(big, "utf-8")
    call = ("extract", "saved/0.html", "--with", "saved")
    assert item_in(project.run(*call)[0])["site_pages"] == 4
    limited = project.run(*call, "-s", "CORPUS_MAX_PAGE_BYTES=4000")[0]
    assert item_in(limited)["site_pages"] == 3


def test_the_same_folder_named_twice_is_no_mistake(project: Project) -> None:
    save(project.folder / "saved", 3)
    out, _ = project.run("extract", "saved/0.html", "--with", "saved", "--with", "saved")
    assert item_in(out)["site_pages"] == 3


def test_only_the_answer_is_printed_whatever_a_project_logs(
    project: Project, make_site: MakeSite
) -> None:
    """The feeds, pipelines and jobs of the project stay as they are, too."""
    project.append(
        "ownsettings.py",
        'LOG_LEVEL = "DEBUG"\nJOBDIR = "job"\nFEEDS = {"pages.jsonl": {"format": "jsonlines",'
        ' "overwrite": True}}',
    )
    (project.folder / "pages.jsonl").write_text("precious", "utf-8")
    before = sorted(path.name for path in project.folder.iterdir())
    site = make_site({**small_site(1), "/gone": html("gone", status=404)})
    out, err = project.run("extract", f"{site.url}a/0")
    assert item_in(out)["url"] == f"{site.url}a/0"
    assert err == ""
    out, err = project.run("extract", f"{site.url}gone", code=1)
    assert out == ""
    assert len(err.splitlines()) == 1
    assert (project.folder / "pages.jsonl").read_text("utf-8") == "precious"
    after = {path.name for path in project.folder.iterdir()} - {"__pycache__"}
    assert after <= set(before), "nothing is written"
    assert "started (bot: somebody)" in project.run("extract", f"{site.url}a/0", "-L", "INFO")[1], (
        "if asked"
    )


def test_in_the_checkout_itself_errors_are_one_line(tmp_path: Path, make_site: MakeSite) -> None:
    """The project's settings have a log level of their own."""
    site = make_site({"/": html("gone", status=404)})
    for source, code in ((site.url, 1), (str(tmp_path / "none.html"), 2)):
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", "extract", source],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (code, "")
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_of_an_archive_no_more_is_read_than_has_to_be(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    row = json.dumps({"url": "https://run.example/1", "html": article(1)}) + "\n"
    path.write_text(row * 2 + "no json\n", "utf-8")
    with pytest.raises(UnreadableInputError, match="several pages"):
        page_of_file(str(path), None, max_bytes=10_000)


def test_a_terminal_of_few_letters_still_gets_json(tmp_path: Path) -> None:
    (tmp_path / "글.html").write_text(
        "<html><title>글</title><p>한국어 문단 😀</p></html>", "utf-8"
    )
    # Without the model of Korean, which takes seconds to load.
    call = ("글.html", "-s", "CORPUS_SENTENCE_METHOD=rule")
    code, out, _ = outside(tmp_path, *call, PYTHONIOENCODING="ascii")
    assert code == 0
    assert item_in(out.decode("ascii"))["text"] == "한국어 문단 😀"
    code, out, _ = outside(tmp_path, *call, "--explain", PYTHONIOENCODING="ascii")
    assert code == 0
    assert b"keep text" in out
    code, out, _ = outside(tmp_path, *call, PYTHONIOENCODING="utf-8")
    assert "한국어 문단 😀" in out.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
def test_standard_input_is_a_page_and_standard_output_may_be_full(tmp_path: Path) -> None:
    def call(*arguments: str, out: str = "out.txt", page: str = article(3)) -> tuple[int, str, str]:
        with (tmp_path / out).open("wb") as file:
            done = subprocess.run(
                [sys.executable, "-m", "scrapy", "extract", *arguments],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                input=page.encode(),
                stdout=file,
                stderr=subprocess.PIPE,
                timeout=60,
                check=False,
            )
        text = Path("/dev/null" if out == "/dev/full" else tmp_path / out).read_text("utf-8")
        return done.returncode, text, done.stderr.decode()

    code, text, err = call("--text", "-")
    assert (code, err) == (0, "")
    assert text.splitlines()[0] == "Piece number 3 of the run"
    for arguments, out, page, expected in (
        (["-"], "out.txt", "", 2),
        (["--tables", "-"], "/dev/full", article(3), 1),
    ):
        code, _, err = call(*arguments, out=out, page=page)
        assert (code, err.count("\n")) == (expected, 1), err
