"""``scrapy wrap``: teaching and testing projects, without a network."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError
from crawler.wrapper.learn_page import FieldValue, Lesson, read_values
from crawler.wrapper.project_store import kept_pages, load_project
from crawler.wrapper.run_project import check_project
from crawler.wrapper.take_back import take_back
from support.shop import (
    BOOKS,
    FIELDS,
    inputs,
    learn,
    make_shop,
    page,
    teach,
    wrapped,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


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


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (["name=Cornr"], r"name=Cornr \(.*'Corner'\)"),
        (["phone=1", "name=Corner"], "phone=1"),
        (["name"], "is no NAME=VALUE"),
        (["name="], "--absent name"),
        (["name:txt=Corner"], "there is no type 'txt' .did you mean 'text'"),
        (["name:number=Corner"], "of the type 'text' in the schema"),
        (["name=Corner", "name=555-1"], "does not repeat, and has 2 values here; add --repeat"),
        (["day:group=Corner"], "no type 'group'; the types are: text, integer"),
        (["1x=Corner"], "is no name of an element"),
        (["book=Tree"], "'book' is a group; name an element of it, such as book/title"),
        (["name/x=Corner"], "'name' holds no elements"),
        (["book/title=Tree", "book/price=$99"], "book/price=\\$99"),
        (["book/part/name=Harbour"], "book/part/name=Harbour"),
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
    lesson = Lesson(values=read_values(["day=a Monday"], "--field"))
    with pytest.raises(ArgumentError, match=r"\(.*'Written on the second of March, a Mon"):
        learn(shop, lesson, inputs(shop / "long.html"))


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


def test_a_second_page_a_missing_element_and_a_wrong_one(shop: Path) -> None:
    three = page("Mill", "555-3", ("Log", "$1")).replace("<b>", "<b class=fax>")
    (shop / "three.html").write_text(three, "utf-8")
    assert "555-3" in wrapped(shop, "three.html", format="jsonl")[1]
    teach(shop, "name=Mill", file="three.html", absent=["phone"], wrong=["phone=555-3"])
    project = load_project(shop / "shop.h2x")
    (lacking,) = [its for its in project.rules["phone"].examples if not its.values]
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
        ([], ["phone=555-1"], "--field phone=.*--absent phone"),
        (["phone"], ["phone=777"], "phone=777"),
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
    with pytest.raises(ArgumentError, match="team/name=Black"):
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
    assert all(well for _, well in check_project(tmp_path / "shop.h2x", inputs()))


def test_examples_are_tried_again_on_the_pages_that_were_kept(shop: Path) -> None:
    lines = list(check_project(shop / "shop.h2x", inputs(shop / "two.html", shop / "gone.html")))
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
    (line, is_well) = list(check_project(shop / "shop.h2x", inputs()))[-1]
    assert (line.startswith("https://shop.example/1: "), is_well) == (True, False)
    # A saved copy is known by what it says, whatever its address.
    again = list(check_project(shop / "shop.h2x", inputs(shop / "one.html")))
    assert all(well for _, well in again)


def test_what_no_longer_holds_is_told(shop: Path) -> None:
    project = (shop / "shop.h2x").read_text("utf-8")
    # As if another place of the page had been meant.
    wrong = project.replace("/html[1]/body[1]/h1[1]/#text[1]", "/html[1]/body[1]/p[1]/#text[1]")
    wrong = wrong.replace('"value": "Corner"', '"value": "Tel:"')
    (shop / "shop.h2x").write_text(wrong, "utf-8")
    lines = list(check_project(shop / "shop.h2x", inputs()))
    assert [line for line, well in lines if not well][1:] == [
        "https://shop.example/1: name: 'Corner' was found, and is not meant",
        "https://shop.example/1: name: 'Tel:' was not found",
    ]


def test_a_field_reads_its_name_type_and_value() -> None:
    assert read_values(["a/b:date= 3 May = 4 "], "--field") == (
        FieldValue("a/b", "date", "3 May = 4"),
    )
    assert read_values(["제목=-"], "--element") == (FieldValue("제목", "", "-"),)


def forget(
    shop: Path,
    *fields: str,
    elements: tuple[str, ...] = (),
    page: str = "",
    unused_pages: bool = False,
) -> list[str]:
    pages = inputs(*([page] if page else ()))
    lines = take_back(shop / "shop.h2x", fields, elements, pages, unused_pages=unused_pages)
    return [line for line, _ in lines]


def test_pages_that_no_rule_uses_any_more_are_dropped(shop: Path) -> None:
    def kept() -> list[str]:
        pages = kept_pages(shop / "shop.h2x", lambda _reason, detail: pytest.fail(detail))
        return [page.url.rpartition("/")[2] for page in pages]

    teach(shop, "name=Harbour", file="two.html")
    assert kept() == ["1", "two.html"]
    assert forget(shop, unused_pages=True)[0] == "0 pages dropped that no rule uses, 2 kept"
    lines = forget(shop, page=str(shop / "two.html"), unused_pages=True)
    assert lines[0] == "1 page dropped that no rule uses, 1 kept"
    assert kept() == ["1"]
    assert forget(shop, elements=("name", "phone", "book"), unused_pages=True)[0].startswith("1 ")
    assert kept() == []
    assert not list(shop.glob("*.warc.gz"))
    assert forget(shop, unused_pages=True)[0].startswith("0 ")


def test_what_a_page_taught_is_taken_back_and_the_file_is_as_before(shop: Path) -> None:
    before = (shop / "shop.h2x").read_bytes()
    two = str(shop / "two.html")
    teach(shop, "name=Harbour", "phone=Harbour", "book/title=Rain", file="two.html")
    assert forget(shop, "phone=Harbour", page=two)[1:3] == [
        "  name        2 examples", "  phone       1 example",
    ]  # fmt: skip
    forget(shop, page=two)
    assert (shop / "shop.h2x").read_bytes() == before
    # By its address, whatever is there now.
    assert forget(shop, "phone", page="https://shop.example/1")[0].endswith("has 5 rules")
    assert load_project(shop / "shop.h2x").element("phone").name == "phone"


def test_an_element_is_removed_with_all_that_it_learned(shop: Path) -> None:
    assert forget(shop, elements=("book",))[0].endswith("shop.h2x has 2 rules")
    assert [its.name for its in load_project(shop / "shop.h2x").schema.elements] == [
        "name", "phone",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "elements", "page", "message"),
    [
        (("name",), (), "", "name the page whose lesson is taken back"),
        (("name",), (), "two.html", "taught nothing; these pages did: https://shop.example/1"),
        (("name",), (), "https://b.example/", "taught nothing; these pages did"),
        (("name=Harbour",), (), "one.html", "taught nothing of name=Harbour"),
        (("fax",), (), "one.html", "no element 'fax' in the schema"),
        ((), ("fax",), "", "no element 'fax' in the schema"),
        ((), ("book",), "one.html", "leave the page out"),
    ],
)
def test_what_was_not_taught_cannot_be_taken_back(
    shop: Path, fields: tuple[str, ...], elements: tuple[str, ...], page: str, message: str
) -> None:
    before = (shop / "shop.h2x").read_bytes()
    name = str(shop / page) if page.endswith(".html") else page
    with pytest.raises(ArgumentError, match=message):
        forget(shop, *fields, elements=elements, page=name)
    assert (shop / "shop.h2x").read_bytes() == before
