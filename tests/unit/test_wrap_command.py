"""``scrapy wrap``: running projects, and the command line, without a network."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from crawler.core.errors import ArgumentError, CorpusError, StoreError, UnreadableInputError
from crawler.core.wrapper.project import Load, Source
from crawler.core.wrapper.project_file import write_project
from crawler.wrapper.learn_page import Lesson, read_values
from crawler.wrapper.project_store import load_project
from crawler.wrapper.running import SaveFolder
from support.pace import within
from support.shop import (
    MORE,
    inputs,
    learn,
    make_shop,
    page,
    wrapped,
)

# Each test starts a program of its own.
pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def test_one_page_is_an_xml_document(shop: Path) -> None:
    well, out, told = wrapped(shop, "two.html")
    assert well
    root = etree.fromstring(out.encode())
    assert root.findtext("name") == "Harbour"
    assert [book.findtext("title") for book in root.findall("book")] == ["Rain", "Snow"]
    # A saved page without an address has no absolute links; each kind of problem is told once.
    assert told == [
        f"{(shop / 'two.html').as_uri()}: 'book/link': 'file:///b/Rain' is no url{MORE}"
    ]


def test_several_pages_are_one_xml_document_and_misfits_are_told(shop: Path) -> None:
    well, out, told = wrapped(shop, "one.html", "two.html", "gone.html")
    assert not well
    pages = etree.fromstring(out.encode()).findall("page")
    assert [its.get("url") for its in pages] == [
        (shop / name).as_uri() for name in ("one.html", "two.html")
    ]
    assert [its.findtext("page/name") for its in pages] == ["Corner", "Harbour"]
    assert told[-2:] == [
        f"{(shop / 'gone.html').as_uri()}: rule no longer fits: name, phone, book not found",
        "3 pages, 2 fit, 1 no longer fit",
    ]


def test_csv_has_a_row_a_record_and_json_lines_a_line_a_page_or_record(shop: Path) -> None:
    _, text, _ = wrapped(shop, "one.html", "two.html", format="csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["url", "name", "phone", "title", "price", "link"]
    assert [(row["name"], row["title"], row["price"]) for row in rows] == [
        ("Corner", "Tree", "3.5"),
        ("Corner", "Sea", "4.0"),
        ("Corner", "Sky", "5.25"),
        ("Harbour", "Rain", "1.5"),
        ("Harbour", "Snow", ""),
    ]
    _, text, _ = wrapped(shop, "one.html", "two.html", format="jsonl")
    pages = [json.loads(line) for line in text.splitlines()]
    assert [its["phone"] for its in pages] == ["555-1", "555-2"]
    assert pages[1]["book"][1] == {"title": "Snow", "price": None, "link": None}
    _, text, _ = wrapped(shop, "two.html", format="jsonl", rows=True)
    assert [json.loads(line)["title"] for line in text.splitlines()] == ["Rain", "Snow"]


def test_rows_of_a_page_without_records_have_all_keys_too(shop: Path) -> None:
    (shop / "none.html").write_text(page("Mill", "555-3"), "utf-8")
    _, lines, _ = wrapped(shop, "none.html", "two.html", format="jsonl", rows=True)
    rows = [json.loads(line) for line in lines.splitlines()]
    assert [row["title"] for row in rows] == [None, "Rain", "Snow"]
    assert {tuple(row) for row in rows} == {("url", "name", "phone", "title", "price", "link")}


def test_an_output_file_is_written_whole(shop: Path) -> None:
    (shop / "bad.html").write_bytes(b"\x00\x01\x02\xff" * 400)
    output = shop / "out.jsonl"
    well, printed, told = wrapped(shop, "two.html", "gone.html", "bad.html", output=output)
    assert (well, printed) == (False, "")
    assert len(output.read_text("utf-8").splitlines()) == 1
    assert [line.split(": ")[1] for line in told[:-1] if "link" not in line] == [
        "rule no longer fits",
        "binary",
    ]
    assert told[-1] == "3 pages, 1 fit, 1 no longer fit, 1 unreadable"
    assert not list(shop.glob(".*.part"))


def test_output_is_written_through_a_link_and_into_no_pipe(shop: Path) -> None:
    pipe, real, link = (shop / name for name in ("pipe.csv", "real.csv", "link.csv"))
    os.mkfifo(pipe)
    real.write_text("old", "utf-8")
    link.symlink_to(real)
    with pytest.raises(ArgumentError, match=r"pipe\.csv"):
        wrapped(shop, "two.html", output=pipe)
    wrapped(shop, "two.html", output=link)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()
    assert real.read_text("utf-8").startswith("url,name,phone,")
    assert sorted(path.name for path in shop.iterdir() if path.name.startswith(".")) == []


def test_the_project_is_not_written_over(shop: Path) -> None:
    before = (shop / "shop.h2x").read_bytes()
    with pytest.raises(ArgumentError, match="is the project"):
        wrapped(shop, "two.html", output=shop / "." / "shop.h2x", format="xml")
    assert (shop / "shop.h2x").read_bytes() == before


def test_the_pages_of_a_project_are_no_input_of_the_folder_they_are_in(shop: Path) -> None:
    (shop / "other.warc.gz").write_bytes(b"")
    _, _, told = wrapped(shop, "")
    (line,) = [line for line in told if "archive" in line]
    assert "other.warc.gz: an archive among saved pages" in line


def test_nothing_is_written_where_the_one_page_does_not_fit(shop: Path) -> None:
    well, printed, _ = wrapped(shop, "gone.html", output=shop / "out.xml")
    assert (well, printed, (shop / "out.xml").exists()) == (False, "", False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"output": Path("x.txt")}, "let it end in .xml, .jsonl or .csv"),
        ({"rows": True}, "--rows is for JSON Lines"),
    ],
    ids=["ending", "rows"],
)
def test_a_wrong_call_says_what_is_right(shop: Path, call: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        wrapped(shop, "two.html", **call)


def test_what_cannot_be_written_is_told(shop: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        wrapped(shop, "two.html", output=shop / "two.html" / "out.xml")


@pytest.mark.parametrize(
    ("name", "flaw"),
    [
        ("../x.xml", True), ("/x.xml", True), (".x", True), ("a\\b", True), ("a\x1b[2J", True),
        ("\u202elmx.x", True), ("가" * 67, True), ("x" * 201, True), ("x.xml", False),
    ],
    ids=["up", "root", "hidden", "backslash", "control", "turned", "bytes", "long", "plain"],
)  # fmt: skip
def test_projects_save_within_their_folder(tmp_path: Path, name: str, flaw: bool) -> None:  # noqa: FBT001 - an expected value
    told: list[str] = []
    folder = SaveFolder(tmp_path / "saves", "--saves", told.append)
    assert folder.save(name, "<a/>") is not flaw
    assert len(told) == flaw
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == (
        [] if flaw else ["x.xml"]
    )


def test_a_name_that_was_saved_gets_a_number(tmp_path: Path) -> None:
    folder = SaveFolder(tmp_path, "--saves", print)
    for number in range(3):
        assert folder.save("X.xml" if number == 1 else "x.xml", f"<a>{number}</a>")
    assert {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()} == {
        "x.xml": "<a>0</a>",
        "X-2.xml": "<a>1</a>",
        "x-3.xml": "<a>2</a>",
    }


def test_one_name_for_thousands_of_trees_is_numbered_in_linear_time(tmp_path: Path) -> None:
    folder = SaveFolder(tmp_path / "saves", "--saves", print)
    with within(5):
        for _ in range(4_000):
            folder.save("x.xml", "<a/>")
    assert (tmp_path / "saves" / "x-4000.xml").exists()


def test_pages_that_a_project_loads_are_one_output(shop: Path) -> None:
    project = load_project(shop / "shop.h2x")
    loads = (Load(Source("one.html")), Load(Source("two.html")))
    (shop / "shop.h2x").write_text(write_project(replace(project, actions=loads)), "utf-8")
    with chdir(shop):
        well, out, told = wrapped(shop)
    assert well
    root = etree.fromstring(out.encode())
    assert (root.tag, root.findtext("name"), len(told)) == ("page", "Corner", 1)


def test_scripts_are_added_run_and_saved(shop: Path) -> None:
    script = shop / "count.js"
    script.write_text(
        'function main(titles) {\n  xtree.root.Add("count", titles.length);\n'
        '  xtree.Save(system.args(2)); htree.AddUrl("?p=2");\n}\n',
        "utf-8",
    )
    count = read_values(["count:integer=-"], "--element")
    learn(shop, Lesson(elements=count, script=script, nodes=("book/title",)), inputs())
    _, out, told = wrapped(
        shop, "two.html", format="jsonl", args=("mine.xml",), saves=shop / "saves"
    )
    assert json.loads(out)["count"] == 2
    assert told[-1] == (
        "scripts asked for 1 further page, not fetched here; 'scrapy crawl wrapper' does"
    )
    assert "<count>2</count>" in (shop / "saves" / "mine.xml").read_text("utf-8")
    script.write_text("function main() { boom(); }", "utf-8")
    learn(shop, Lesson(script=script), inputs())
    well, out, told = wrapped(shop, "two.html", format="jsonl", args=("mine.xml",))
    assert (well, json.loads(out)["name"]) == (False, "Harbour")
    assert "shop.h2x, action 2, line 1, column" in told[1]
    assert told[-1] == "1 page, 1 fit, 1 with failed scripts, 1 not saved"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "shop.h2x"),
        ('{"format": "h2x", "version": 99, "schema": {}}', "written by a later version"),
        ("[]", "must be an object"),
    ],
    ids=["json", "version", "list"],
)
def test_a_project_that_cannot_be_read_is_told(shop: Path, text: str, message: str) -> None:
    (shop / "shop.h2x").write_text(text, "utf-8")
    with pytest.raises(UnreadableInputError, match=message):
        wrapped(shop, "two.html")


def test_the_command_line(shop: Path) -> None:
    def call(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", "wrap", *arguments],
            cwd=shop, capture_output=True, check=False, timeout=60, encoding="utf-8",
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    code, out, err = call(
        "learn", "new.h2x", "one.html", "--field", "name=Corner", "--required", "name",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines() == ["new.h2x has 1 rule", "  name  Corner  (1.00)"]
    code, out, err = call("new.h2x", "gone.html", "two.html", "--format", "jsonl")
    assert (code, json.loads(out)["name"]) == (1, "Harbour")
    assert "gone.html: rule no longer fits: name not found" in err
    code, out, err = call("test", "new.h2x", "--field", "a=b")
    assert (code, err) == (2, "scrapy wrap: --field belongs to 'scrapy wrap learn'\n")
    code, out, _ = call("test", "new.h2x")
    assert (code, out.splitlines()[1].split()) == (0, ["name", "1", "1", "1"])


def test_output_is_in_utf_8_and_messages_steer_no_terminal(shop: Path) -> None:
    (shop / "name.html").write_text("<h1>가\x1b[31m</h1><p>Tel: <b>1</b></p>", "utf-8")
    tell = shop / "tell.js"
    tell.write_text('function main() { system.Debug("\\u001b[2J"); }', "utf-8")
    learn(shop, Lesson(script=tell), inputs())
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "wrap", "shop.h2x", "name.html", "--format", "csv"],
        cwd=shop, capture_output=True, check=False, timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.stdout.decode("utf-8").splitlines()[1].split(",")[1].startswith("가")
    assert done.stderr.endswith(b"name.html: ?[2J\n")


def test_ctrl_c_ends_a_run_in_a_line(shop: Path) -> None:
    script = shop / "wait.js"
    script.write_text("function main() { if (/two/.test(system.args(0))) while (true); }", "utf-8")
    learn(shop, Lesson(script=script), inputs())
    with subprocess.Popen(
        [sys.executable, "-m", "scrapy", "wrap", "shop.h2x", "one.html", "two.html"],
        cwd=shop, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith("<?xml")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "scrapy wrap: stopped"
    assert "Traceback" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
def test_output_that_cannot_be_printed_is_told_in_a_line(shop: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", "wrap", "shop.h2x", "two.html"],
            cwd=shop, stdout=full, stderr=subprocess.PIPE, check=False, timeout=60,
            encoding="utf-8",
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "scrapy wrap: the output cannot be written: No space left on device. "
        "Free some space there, or write to another file"
    )
    assert "Traceback" not in done.stderr


def test_pages_that_are_not_there_are_told_before_any_other(shop: Path) -> None:
    with pytest.raises(CorpusError, match=r"none.html does not exist"):
        wrapped(shop, "two.html", "none.html")
