"""``scrapy wrap``: running, teaching and testing projects, without a network."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from crawler.core.errors import ArgumentError, CorpusError, StoreError, UnreadableInputError
from crawler.wrapping.batch import SaveFolder
from crawler.wrapping.files import load_project
from crawler.wrapping.inputs import Inputs
from crawler.wrapping.lessons import Lesson, Said, read_elements, read_said
from crawler.wrapping.rerun import try_project
from crawler.wrapping.running import Saved
from crawler.wrapping.runs import RunCall, run
from crawler.wrapping.teaching import TeachCall, teach_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Spider

MAX_BYTES = 10_000_000
MORE = " (and 1 more like it); the address of the page is not known, see --url"


class Offline:
    """A crawler process that has no network."""

    def crawl(self, crawler_or_spidercls: type[Spider], **kwargs: object) -> object:
        raise AssertionError((crawler_or_spidercls, kwargs))

    def start(self) -> None:
        raise AssertionError


def inputs(*names: str | Path, url: str | None = None) -> Inputs:
    return Inputs(tuple(map(str, names)), Offline(), MAX_BYTES, url)


def page(name: str, phone: str, *books: tuple[str, str]) -> str:
    rows = "".join(
        f"<li class=book><a href='/b/{title}'>{title}</a> by <i>them</i>"
        + (f"<span class=price>{price}</span>" if price else "")
        for title, price in books
    )
    return (
        f"<title>{name} - Shop</title><h1>{name}</h1><p>Tel: <b>{phone}</b></p>"
        f"<ul class=list>{rows}</ul><ul><li><a href=/>Home</a><li><a href=/x>About</a></ul>"
    )


BOOKS = ("Tree", "Sea", "Sky")
ONE = page("Corner", "555-1", *zip(BOOKS, ("$3.50", "$4", "$5.25"), strict=True))
TWO = page("Harbour", "555-2", ("Rain", "$1.50"), ("Snow", ""))
FIELDS = (
    "name=Corner",
    "phone=555-1",
    "book/title=Tree",
    "book/price:number=$3.50",
    "book/link:url=/b/Tree",
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "one.html").write_text(ONE, "utf-8")
    (tmp_path / "two.html").write_text(TWO, "utf-8")
    (tmp_path / "gone.html").write_text("<div><img src=/a.png></div>", "utf-8")
    teach(tmp_path, *FIELDS, url="https://shop.example/1")
    return tmp_path


def teach(
    folder: Path,
    *fields: str,
    file: str = "one.html",
    url: str | None = None,
    **more: Sequence[str],
) -> list[str]:
    wrong = read_said(more.pop("wrong", ()), "--wrong")
    others = {name: tuple(paths) for name, paths in more.items()}
    lesson = Lesson(said=read_said(fields, "--field"), wrong=wrong, **others)  # type: ignore[arg-type] # all are paths
    return list(teach_page(TeachCall(folder / "shop.h2x", lesson), inputs(folder / file, url=url)))


def wrapped(folder: Path, *names: str, **call: object) -> tuple[bool, str, list[str]]:
    written: list[str] = []
    told: list[str] = []
    its = RunCall(project=folder / "shop.h2x", **call)  # type: ignore[arg-type] # of many types
    well = run(its, inputs(*(folder / name for name in names)), written.append, told.append)
    return well, "".join(written), told


def test_a_lesson_says_what_the_rules_find_by_themselves(shop: Path) -> None:
    lines = teach(shop, *FIELDS, url="https://shop.example/1")
    assert lines[0].endswith("shop.h2x has 6 rules")
    # In the order of the schema; how sure they are is for the engine's own tests.
    assert [line.rpartition("  (")[0] for line in lines[1:]] == [
        "  name        Corner",
        "  phone       555-1",
        "  book        3 records",
        "  book/title  Tree | Sea | Sky",
        "  book/price  3.5 | 4.0 | 5.25",
        f"  book/link   {' | '.join(f'https://shop.example/b/{it}' for it in BOOKS)}",
    ]


def test_a_new_project_has_a_schema_of_what_was_named(shop: Path) -> None:
    schema = load_project(shop / "shop.h2x").schema
    assert schema.name == "page"
    assert [(its.name, its.type, its.repeat) for its in schema.elements] == [
        ("name", "text", False),
        ("phone", "text", False),
        ("book", "group", True),
    ]
    assert [(its.name, its.type) for its in schema.elements[2].elements] == [
        ("title", "text"),
        ("price", "number"),
        ("link", "url"),
    ]


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


def test_an_output_file_is_written_whole_and_a_report_lists_every_page(shop: Path) -> None:
    (shop / "bad.html").write_bytes(b"\x00\x01\x02\xff" * 400)
    output, report = shop / "out.jsonl", shop / "report.jsonl"
    well, printed, told = wrapped(
        shop, "two.html", "gone.html", "bad.html", output=output, report=report
    )
    assert (well, printed) == (False, "")
    assert len(output.read_text("utf-8").splitlines()) == 1
    rows = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
    assert [(row["fits"], row["reason"]) for row in rows] == [
        (True, None),
        (False, "rule no longer fits"),
        (False, "binary"),
    ]
    assert rows[1]["missing"] == ["name", "phone", "book"]
    assert told[-1] == "3 pages, 1 fit, 1 no longer fit, 1 could not be read"
    assert not list(shop.glob(".*.part"))


def test_output_and_report_are_written_through_what_is_no_file(shop: Path) -> None:
    pipe, real, link = (shop / name for name in ("pipe", "real.csv", "link.csv"))
    os.mkfifo(pipe)
    real.write_text("old", "utf-8")
    link.symlink_to(real)
    # Both ends, so that neither waits for the other.
    end = os.open(pipe, os.O_RDWR)
    try:
        wrapped(shop, "two.html", output=link, report=pipe)
        report = os.read(end, 10_000).decode("utf-8")
    finally:
        os.close(end)
    assert json.loads(report)["fits"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()
    assert real.read_text("utf-8").startswith("url,name,phone,")
    assert sorted(path.name for path in shop.iterdir() if path.name.startswith(".")) == []


def test_no_two_things_are_written_into_one_file(shop: Path) -> None:
    before = (shop / "shop.h2x").read_bytes()
    out = shop / "out.jsonl"
    with pytest.raises(ArgumentError, match=r"out\.jsonl is the output already; .* the report"):
        wrapped(shop, "two.html", output=out, report=shop / "." / "out.jsonl")
    with pytest.raises(ArgumentError, match="is the project already"):
        wrapped(shop, "two.html", output=shop / "shop.h2x", format="xml")
    assert not out.exists()
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
        ({"format": "yaml"}, "there is no format 'yaml'; give xml, jsonl, csv"),
        ({"rows": True}, "--rows is for JSON Lines"),
    ],
    ids=["ending", "format", "rows"],
)
def test_a_wrong_call_says_what_is_right(shop: Path, call: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        wrapped(shop, "two.html", **call)


def test_what_cannot_be_written_is_told(shop: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        wrapped(shop, "two.html", output=shop / "nowhere" / "out.xml")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (["name=Cornr"], r"does not say name=Cornr \(it says 'Corner'\)"),
        (["phone=1", "name=Corner"], "does not say phone=1"),
        (["name"], "is no NAME=VALUE"),
        (["name="], "say --absent name"),
        (["name:txt=Corner"], "there is no type 'txt'; did you mean 'text'"),
        (["name:number=Corner"], "of the type 'text' in the schema"),
        (["name=Corner", "name=555-1"], "does not repeat, and has 2 values here; add --repeat"),
        (["day:group=Corner"], "no type 'group'. The types are: text, integer"),
        (["1x=Corner"], "is no name of an element"),
        (["book=Tree"], "'book' is a group; name an element of it, such as book/title"),
        (["name/x=Corner"], "'name' holds no elements"),
        (["book/title=Tree", "book/price=$99"], "does not say book/price=\\$99"),
        (["book/part/name=Harbour"], "does not say book/part/name=Harbour"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_lesson_that_is_wrong_teaches_nothing(
    shop: Path, fields: list[str], message: str
) -> None:
    before = (shop / "shop.h2x").read_bytes()
    with pytest.raises(ArgumentError, match=message):
        teach(shop, *fields)
    assert (shop / "shop.h2x").read_bytes() == before


def test_what_comes_near_is_a_text_that_has_the_value_in_it(shop: Path) -> None:
    (shop / "long.html").write_text(
        "<p>Written on the second of March, a Monday, by the editors</p><ul><li>Mondays</ul>",
        "utf-8",
    )
    call = TeachCall(shop / "new.h2x", Lesson(said=read_said(["day=a Monday"], "--field")))
    with pytest.raises(ArgumentError, match=r"\(it says 'Written on the second of March, a Mon"):
        list(teach_page(call, inputs(shop / "long.html")))


def test_a_lesson_says_what_is_wrong_and_in_how_few_records_it_is_right(tmp_path: Path) -> None:
    rows = "".join(
        f"<li><a href=/{n}>{n}</a>" + ("" if n == "Sea" else f"<b>{n}s</b>") for n in BOOKS
    )
    (tmp_path / "one.html").write_text(f"<h1>가나</h1><ul>{rows}</ul><p>end", "utf-8")
    lines = teach(tmp_path, "이름:date=가나", "b/t=Tree", "b/s=Trees", "b/l:url=/Tree")
    assert lines[1] == "  이름  nothing found"
    assert lines[2].startswith("  b     3 records  (")
    assert re.fullmatch(r"  b/s   Trees \| Skys  \(\d\.\d\d\), in 2 of 3 records", lines[4])
    assert lines[6] == "'이름': '가나' is no date"
    assert lines[7].startswith("'b/l': 'file:///")
    assert lines[7].endswith(
        "(and 2 more like it); the address of the page is not known, see --url"
    )


def test_a_root_is_named_when_a_project_begins(shop: Path) -> None:
    call = TeachCall(shop / "shop.h2x", Lesson(absent=("phone",)), root="shop")
    with pytest.raises(ArgumentError, match="--root names the root element of a new project"):
        list(teach_page(call, inputs(shop / "two.html")))


def test_a_second_page_a_missing_element_and_a_wrong_one(shop: Path) -> None:
    three = page("Mill", "555-3", ("Log", "$1")).replace("<b>", "<b class=fax>")
    (shop / "three.html").write_text(three, "utf-8")
    assert "555-3" in wrapped(shop, "three.html", format="jsonl")[1]
    teach(shop, "name=Mill", file="three.html", absent=["phone"], wrong=["phone=555-3"])
    project = load_project(shop / "shop.h2x")
    (lacking,) = [its for its in project.rules["phone"].examples if not its.wanted]
    assert [its.path for its in lacking.wrong] == ["/html[1]/body[1]/p[1]/b[1]/#text[1]"]
    (line,) = wrapped(shop, "three.html", format="jsonl")[1].splitlines()
    assert (json.loads(line)["name"], json.loads(line)["phone"]) == ("Mill", None)
    # With one more page that has it, it is found on others like that.
    teach(shop, "phone=555-2", file="two.html")
    (shop / "four.html").write_text(page("Quay", "555-4", ("Fog", "$9")), "utf-8")
    assert json.loads(wrapped(shop, "four.html", format="jsonl")[1])["phone"] == "555-4"


@pytest.mark.parametrize(
    ("absent", "wrong", "message"),
    [
        ([], ["phone=555-1"], "say also what is"),
        (["phone"], ["phone=777"], "does not say phone=777"),
        ([], ["book/title=Tree"], "--wrong is for elements of the page"),
    ],
    ids=["alone", "unsaid", "record"],
)
def test_what_is_not_meant_has_to_be_there(
    shop: Path, absent: list[str], wrong: list[str], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        teach(shop, "name=Corner", absent=absent, wrong=wrong)


def test_records_end_where_an_element_is_named_again(tmp_path: Path) -> None:
    rows = "".join(
        f"<tr><td>{name}<td>{' '.join(f'<i>{who}</i>' for who in team)}"
        for name, team in (("Red", ["Jo", "Al"]), ("Blue", ["Bo"]), ("Green", ["Cy", "Di", "Ed"]))
    )
    (tmp_path / "one.html").write_text(f"<h1>Teams</h1><table>{rows}</table>", "utf-8")
    fields = ["team/name=Red", "team/who=Jo", "team/who=Al", "team/name=Blue", "team/who=Bo"]
    with pytest.raises(ArgumentError, match="does not say"):
        teach(tmp_path, *fields, "team/name=Black")
    teach(tmp_path, *fields, repeat=["team/who"])
    page_ = json.loads(wrapped(tmp_path, "one.html", format="jsonl")[1])
    assert [(team["name"], team["who"]) for team in page_["team"]][:2] == [
        ("Red", ["Jo", "Al"]),
        ("Blue", ["Bo"]),
    ]


def test_a_list_within_records_is_learned_and_tried_within_them(tmp_path: Path) -> None:
    posts = "".join(
        f"<div class=post><h2>{title}</h2><p>{len(title)} stars</p><ul>"
        + "".join(f"<li><b>{who}</b> <i>{text}</i></li>" for who, text in replies)
        + "</ul></div>"
        for title, replies in (
            ("First", [("r1", "one"), ("r2", "two")]),
            ("Second", [("r3", "three")]),
            ("Third", []),
        )
    )
    (tmp_path / "one.html").write_text(f"<h1>Forum</h1>{posts}", "utf-8")
    teach(tmp_path, "post/reply/who=r1", "post/reply/text=one", "post/title=First")
    (line,) = wrapped(tmp_path, "one.html", format="jsonl")[1].splitlines()
    assert [
        (post["title"], [reply["text"] for reply in post["reply"]])
        for post in json.loads(line)["post"]
    ] == [("First", ["one", "two"]), ("Second", ["three"]), ("Third", [])]
    assert all(well for _, well in try_project(tmp_path / "shop.h2x", inputs()))


def test_examples_are_tried_again_on_the_pages_that_were_kept(shop: Path) -> None:
    lines = list(try_project(shop / "shop.h2x", inputs(shop / "two.html", shop / "gone.html")))
    assert [(" ".join(line.split()), well) for line, well in lines[:7]] == [
        ("element examples values found", True),
        ("name 1 1 1", True),
        ("phone 1 1 1", True),
        ("book 1 3 3", True),
        ("book/title 1 1 1", True),
        ("book/price 1 1 1", True),
        ("book/link 1 1 1", True),
    ]
    (fits, fits_well), (gone, gone_well) = lines[7:]
    assert (": fits" in fits, fits_well) == (True, True)
    assert ("rule no longer fits" in gone, gone_well) == (True, False)


def test_a_page_that_is_not_at_hand_is_asked_for_and_may_be_named(shop: Path) -> None:
    (shop / "shop.pages.warc.gz").unlink()
    lines = list(try_project(shop / "shop.h2x", inputs()))
    assert lines[-1] == (
        "https://shop.example/1: this page was taught and is not at hand; name a saved copy",
        False,
    )
    # A saved copy is known by what it says, whatever its address.
    again = list(try_project(shop / "shop.h2x", inputs(shop / "one.html")))
    assert all(well for _, well in again)


def test_what_no_longer_holds_is_told(shop: Path) -> None:
    project = (shop / "shop.h2x").read_text("utf-8")
    # As if another place of the page had been meant.
    wrong = project.replace("/html[1]/body[1]/h1[1]/#text[1]", "/html[1]/body[1]/p[1]/#text[1]")
    wrong = wrong.replace('"value": "Corner"', '"value": "Tel:"')
    (shop / "shop.h2x").write_text(wrong, "utf-8")
    lines = list(try_project(shop / "shop.h2x", inputs()))
    assert [line for line, well in lines if not well][1:] == [
        "https://shop.example/1: name: 'Corner' was found, and is not meant",
        "https://shop.example/1: name: 'Tel:' was not found",
    ]


@pytest.mark.parametrize(
    ("name", "flaw"),
    [
        ("../x.xml", True), ("/x.xml", True), (".x", True), ("a\\b", True), ("a\x1b[2J", True),
        ("\u202elmx.x", True), ("가" * 67, True), ("x" * 201, True), ("x.xml", False),
    ],
    ids=["up", "root", "hidden", "backslash", "control", "turned", "bytes", "long", "plain"],
)  # fmt: skip
def test_projects_save_within_their_folder(tmp_path: Path, name: str, flaw: bool) -> None:  # noqa: FBT001 - an expected value
    folder = SaveFolder(tmp_path / "saves")
    assert (folder.save(Saved(name, "<a/>")) is not None) is flaw
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == (
        [] if flaw else ["x.xml"]
    )


def test_a_name_that_was_saved_gets_a_number(tmp_path: Path) -> None:
    folder = SaveFolder(tmp_path)
    for number in range(3):
        assert folder.save(Saved("X.xml" if number == 1 else "x.xml", f"<a>{number}</a>")) is None
    assert {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()} == {
        "x.xml": "<a>0</a>",
        "X-2.xml": "<a>1</a>",
        "x-3.xml": "<a>2</a>",
    }


def test_one_name_for_thousands_of_trees_is_numbered_in_linear_time(tmp_path: Path) -> None:
    folder = SaveFolder(tmp_path / "saves")
    start = time.process_time()
    for _ in range(4_000):
        folder.save(Saved("x.xml", "<a/>"))
    assert time.process_time() - start < 5
    assert (tmp_path / "saves" / "x-4000.xml").exists()


def test_scripts_are_added_run_and_saved(shop: Path) -> None:
    script = shop / "count.js"
    script.write_text(
        'function main(titles) {\n  xtree.root.Add("count", titles.length);\n'
        '  xtree.Save(system.args(2)); htree.AddUrl("?p=2");\n}\n',
        "utf-8",
    )
    call = TeachCall(
        shop / "shop.h2x",
        Lesson(elements=read_elements(["count:integer"])),
        script=script,
        nodes=("book/title",),
    )
    list(teach_page(call, inputs()))
    _, out, told = wrapped(
        shop, "two.html", format="jsonl", args=("mine.xml",), saves=shop / "saves"
    )
    assert json.loads(out)["count"] == 2
    assert told[-1] == (
        "scripts asked for 1 further page, not fetched here; 'scrapy crawl wrapper' does"
    )
    assert "<count>2</count>" in (shop / "saves" / "mine.xml").read_text("utf-8")
    script.write_text("function main() { boom(); }", "utf-8")
    list(teach_page(TeachCall(shop / "shop.h2x", Lesson(), script=script), inputs()))
    well, out, told = wrapped(shop, "two.html", format="jsonl", args=("mine.xml",))
    assert (well, json.loads(out)["name"]) == (False, "Harbour")
    assert "shop.h2x, action 2, line 1, column" in told[1]
    assert told[-1] == "1 page, 1 fit, 1 script failed, 1 tree not saved"


def test_a_field_reads_its_name_type_and_value() -> None:
    assert read_said(["a/b:date= 3 May = 4 "], "--field") == (Said("a/b", "date", "3 May = 4"),)
    assert read_elements(["제목"]) == (Said("제목", "", "-"),)


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
        "learn", "new.h2x", "one.html", "--root", "shop", "--field", "name=Corner", "--required",
        "name",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines() == ["new.h2x has 1 rule", "  name  Corner  (1.00)"]
    code, out, err = call("new.h2x", "gone.html", "two.html", "--format", "jsonl")
    assert (code, json.loads(out)["name"]) == (1, "Harbour")
    assert "gone.html: rule no longer fits: name not found" in err
    code, out, err = call("test", "new.h2x", "--field", "a=b")
    assert (code, err) == (2, "scrapy wrap: --field belongs to 'scrapy wrap learn PROJECT'\n")
    code, out, _ = call("test", "new.h2x")
    assert (code, out.splitlines()[1].split()) == (0, ["name", "1", "1", "1"])


def test_output_is_in_utf_8_and_messages_steer_no_terminal(shop: Path) -> None:
    (shop / "name.html").write_text("<h1>가\x1b[31m</h1><p>Tel: <b>1</b></p>", "utf-8")
    tell = shop / "tell.js"
    tell.write_text('function main() { system.Debug("\\u001b[2J"); }', "utf-8")
    list(teach_page(TeachCall(shop / "shop.h2x", Lesson(), script=tell), inputs()))
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "wrap", "shop.h2x", "name.html", "--format", "csv"],
        cwd=shop, capture_output=True, check=False, timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.stdout.decode("utf-8").splitlines()[1].split(",")[1].startswith("가")
    assert done.stderr.endswith(b"name.html: ?[2J\n")


def test_ctrl_c_ends_a_run_in_a_line_and_leaves_no_file(shop: Path) -> None:
    script = shop / "wait.js"
    script.write_text("function main() { if (/two/.test(system.args(0))) while (true); }", "utf-8")
    list(teach_page(TeachCall(shop / "shop.h2x", Lesson(), script=script), inputs()))
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "scrapy", "wrap", "shop.h2x", "one.html", "two.html"),
            *("--report", "report.jsonl"),
        ],
        cwd=shop, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline().startswith("<?xml")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "scrapy wrap: stopped"
    assert "Traceback" not in err
    assert not [path for path in shop.iterdir() if "report" in path.name]


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
        "scrapy wrap: the output cannot be printed: No space left on device"
    )
    assert "Traceback" not in done.stderr


def test_pages_that_are_not_there_are_told_before_any_other(shop: Path) -> None:
    with pytest.raises(CorpusError, match=r"none.html does not exist"):
        wrapped(shop, "two.html", "none.html")
