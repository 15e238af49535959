from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import ArgumentError, UnknownMethodError, UnreadableInputError
from crawler.core.page.page import Page
from crawler.core.wrapper.learning import (
    learn_nodes,
    learn_record_nodes,
    learn_records,
    learn_values,
)
from crawler.core.wrapper.output import Node, Problem, apply_project
from crawler.core.wrapper.output_forms import as_json, as_rows, as_xml
from crawler.core.wrapper.project import (
    Add,
    Copy,
    Element,
    Load,
    Project,
    Save,
    Script,
    Source,
    check_schema,
    checked,
    convert,
    new_project,
)
from crawler.core.wrapper.project_file import read_project, read_schema, write_project
from crawler.core.wrapper.tree import PageTree, read_tree
from support.pace import within

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = Element(
    "shop",
    "group",
    elements=(
        Element("name", required=True),
        Element("phone"),
        Element(
            "book",
            "group",
            repeat=True,
            elements=(
                Element("title", required=True),
                Element("price", "number"),
                Element("link", "url"),
            ),
        ),
    ),
)


def shop(name: str, *books: tuple[str, str, str], phone: str = "555-1") -> PageTree:
    body = "".join(
        f"<li class=book><a href='/b/{title}'>{title}</a> by <i>{author}</i>"
        + (f"<span class=price>{price}</span>" if price else "")
        for title, author, price in books
    )
    return read_tree(
        Page.from_text(
            "https://shop.example/",
            f"<title>{name} - Shop</title><h1>{name}</h1><p>Tel: <b>{phone}</b></p>"
            f"<ul class=list>{body}</ul><ul><li><a href=/>Home</a><li><a href=/x>About</a></ul>",
        )
    )


ONE = shop("Corner", ("Tree", "Ann", "$3.50"), ("Sea", "Bob", "$4.00"), ("Sky", "Cy", "$5.25"))
TWO = shop("Harbour", ("Rain", "Dee", "$1.50"), ("Snow", "Ed", ""), ("Fog", "Flo", "$9"))


def learned(matcher: str = "best") -> Project:
    project = new_project(SCHEMA, matcher=matcher)
    lesson = learn_values(project, ONE, {"name": ["Corner"], "phone": ["555-1"]})
    assert lesson.not_found == ()
    records = [{"title": ["Tree"], "price": ["$3.50"], "link": ["/b/Tree"]}]
    lesson = learn_records(lesson.project, ONE, "book", records)
    assert lesson.not_found == ()
    return lesson.project


LEARNED = learned()
TEXT = write_project(LEARNED)


def test_fields_of_a_record_stay_together_where_one_is_missing() -> None:
    result = apply_project(LEARNED, TWO)
    assert (result.fits, result.problems, result.missing) == (True, (), ())
    assert as_json(result.root, SCHEMA) == {
        "name": "Harbour",
        "phone": "555-1",
        "book": [
            {"title": "Rain", "price": 1.5, "link": "https://shop.example/b/Rain"},
            {"title": "Snow", "price": None, "link": "https://shop.example/b/Snow"},
            {"title": "Fog", "price": 9.0, "link": "https://shop.example/b/Fog"},
        ],
    }


def test_output_as_xml_and_rows() -> None:
    root = apply_project(LEARNED, shop("A & B", ("Rain", "Dee", ""))).root
    assert as_xml(root) == (
        "<shop>\n  <name>A &amp; B</name>\n  <phone>555-1</phone>\n  <book>\n"
        "    <title>Rain</title>\n    <link>https://shop.example/b/Rain</link>\n  </book>\n"
        "</shop>\n"
    )
    assert as_rows(root, SCHEMA) == [
        {
            "name": "A & B",
            "phone": "555-1",
            "title": "Rain",
            "price": None,
            "link": "https://shop.example/b/Rain",
        }
    ]


def test_copied_text_is_written_as_text_of_xml() -> None:
    texts = (Node("#text", "was\x00 "), Node("#text", "more"))
    copied = Node("p", children=(Node("#text", "Rain "), Node("b", "$1"), *texts))
    written = as_xml(Node("page", children=(copied,)))
    assert "<p>Rain <b>$1</b>was more</p>" in written


def test_rows_without_records_and_with_names_twice() -> None:
    group = Element("item", "group", repeat=True, elements=(Element("name"),))
    schema = Element("page", "group", elements=(Element("name"), group))
    project = learn_values(new_project(schema), ONE, {"name": ["Corner"]}).project
    assert as_rows(apply_project(project, ONE).root, schema) == [
        {"name": "Corner", "item.name": None}
    ]
    project = learn_records(project, ONE, "item", [{"name": ["Tree"]}]).project
    rows = as_rows(apply_project(project, ONE).root, schema)
    assert rows[0] == {"name": "Corner", "item.name": "Tree"}
    assert len(rows) == 3


def test_every_value_says_where_it_is_from_and_how_sure_it_is() -> None:
    name, _, first, *_ = apply_project(LEARNED, TWO).root.children
    assert TWO.value(TWO.find(name.source) or 0) == "Harbour"
    assert 0.5 < name.confidence <= 1
    assert first.source == "/html[1]/body[1]/ul[1]/li[1]"
    assert first.children[2].source == "/html[1]/body[1]/ul[1]/li[1]/a[1]/@href"


def test_another_page_no_longer_fits_and_is_not_filled() -> None:
    page = read_tree(Page.from_text("https://x.example/", "<h2>Other</h2><p>none of it<p>more"))
    result = apply_project(LEARNED, page)
    assert not result.fits
    assert result.root.children == ()
    assert result.missing == ("name", "phone", "book")
    assert result.problems == (Problem("name", "missing", "'name' is required, and was not found"),)


def test_a_page_that_lacks_most_does_not_fit_unless_examples_do_so_too() -> None:
    schema = replace(SCHEMA, elements=(Element("name"), Element("phone"), SCHEMA.elements[2]))
    project = replace(LEARNED, schema=schema)
    bare = read_tree(Page.from_text("https://x.example/", "<title>Bay - Shop</title><h1>Bay</h1>"))
    assert not apply_project(project, bare).fits
    lesson = learn_values(project, bare, {"phone": []})
    assert apply_project(lesson.project, bare).missing == ("phone", "book")
    assert apply_project(lesson.project, bare).fits


def test_a_record_without_what_it_must_have_is_left_out() -> None:
    page = shop("Bay", ("Rain", "Dee", "$1"), ("", "", "$2"))
    result = apply_project(LEARNED, page)
    assert [problem.reason for problem in result.problems] == ["incomplete-record"]
    assert "lacks book/title" in result.problems[0].detail
    assert len(as_json(result.root, SCHEMA)["book"]) == 1
    assert result.fits


def test_a_value_of_another_type_is_told_and_left_out() -> None:
    result = apply_project(LEARNED, shop("Bay", ("Rain", "Dee", "ask us"), ("Sun", "Ed", "$2")))
    (problem,) = result.problems
    assert (problem.element, problem.reason) == ("book/price", "wrong-type")
    assert problem.detail == "'book/price': 'ask us' is no number"
    assert as_json(result.root, SCHEMA)["book"][0]["price"] is None


def test_confidence_can_be_asked_for() -> None:
    sure = replace(LEARNED, confidence=1.0)
    assert apply_project(sure, TWO).missing != ()
    assert apply_project(sure, ONE, remember=False).missing == ()


def test_a_published_project() -> None:
    project = read_project(write_project(learned("published")))
    assert as_json(apply_project(project, TWO).root, SCHEMA)["name"] == "Harbour"


def test_values_that_a_page_does_not_say_teach_nothing() -> None:
    lesson = learn_values(LEARNED, TWO, {"name": ["Nowhere"]})
    assert lesson.not_found == (("name", "Nowhere"),)
    assert lesson.project == LEARNED
    lesson = learn_records(LEARNED, ONE, "book", [{"title": ["Tree"]}, {"title": ["Nix"]}])
    assert lesson.not_found == (("book/title", "Nix"),)
    assert lesson.project == LEARNED


def test_a_node_that_was_wrong_can_be_put_right() -> None:
    wrong, right = TWO.find("/html/body/h1/#text"), TWO.find("/html/head/title/#text")
    assert wrong is not None
    assert right is not None
    project = learn_nodes(LEARNED, TWO, "name", [right], wrong=[wrong])
    assert as_json(apply_project(project, TWO).root, SCHEMA)["name"] == "Harbour - Shop"


def test_records_can_be_pointed_at() -> None:
    items = [node for node in range(len(ONE)) if ONE.attribute(node, "class") == "book"]
    project = learn_record_nodes(new_project(SCHEMA), ONE, "book", items, whole=True)
    title = ONE.find("/html/body/ul/li/a/#text")
    assert title is not None
    project = learn_nodes(project, ONE, "book/title", [title], record=items[0])
    result = apply_project(project, TWO)
    titles = [its["title"] for its in as_json(result.root, SCHEMA)["book"]]
    assert titles == ["Rain", "Snow", "Fog"]


@pytest.mark.parametrize(
    ("teach", "message"),
    [
        (lambda: learn_values(LEARNED, ONE, {"nmae": ["x"]}), "no element 'nmae'.*it has: name,"),
        (lambda: learn_values(LEARNED, ONE, {"book": ["x"]}), "'book' is a group"),
        (lambda: learn_values(LEARNED, ONE, {"book/title": ["Tree"]}), "taught with its record"),
        (lambda: learn_records(LEARNED, ONE, "name", []), "'name' is no group"),
        (lambda: learn_records(LEARNED, ONE, "book", [{}]), "'book'"),
        (lambda: learn_nodes(LEARNED, ONE, "name", [0]), "no node of the kind 'text'"),
        (lambda: learn_record_nodes(LEARNED, ONE, "book", ONE.text_nodes[:1]), "kind 'element'"),
        (lambda: new_project(SCHEMA, confidence=2), "from 0 to 1"),
        (lambda: checked(replace(LEARNED, rules={"book": LEARNED.rules["name"]})), "finds records"),
        (lambda: checked(replace(LEARNED, actions=(Copy("book/none"),))), "uses 'book/none'"),
        (
            lambda: checked(replace(LEARNED, rules={}, actions=(Script("x", ("name",)),))),
            "action 0 needs a rule for 'name'",
        ),
    ],
)
def test_wrong_lessons_are_refused(teach: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        teach()


def test_an_unknown_matcher_is_refused() -> None:
    with pytest.raises(UnknownMethodError, match="the matchers are: best, published"):
        new_project(SCHEMA, matcher="nearest")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (Element("page"), "root 'page' must be a group"),
        (Element("page", "group", elements=(Element("a b"),)), "a b' is no name"),
        (Element("page", "group", elements=(Element("#text"),)), "#text' is no name"),
        # A letter to regular expressions, and none that XML lets a name begin with.
        (Element("page", "group", elements=(Element("\xaa"),)), "\xaa' is no name"),
        (Element("page", "group", elements=(Element("a" * 101),)), "is no name"),
        (Element("page", "group", elements=(Element("a", "money"),)), "no type 'money'"),
        (Element("page", "group", elements=(Element("a"), Element("a"))), "has 'a' twice"),
        (Element("page", "group", elements=(Element("a", elements=(Element("b"),)),)), "holds"),
    ],
)
def test_wrong_schemas_are_refused(schema: Element, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        check_schema(schema)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("12", "integer", 12),
        ("1,234 pages", "integer", 1234),
        ("1.5", "integer", None),
        ("$1,234.50", "number", 1234.5),
        ("1.234,50 €", "number", 1234.5),
        ("12,5 kg", "number", 12.5),
        ("1 234 567", "number", 1234567.0),
        ("-3", "number", -3.0),
        ("2 for 5", "number", None),
        ("none", "number", None),
        ("9" * 100, "number", None),
        ("28 November 2026", "date", "2026-11-28"),
        ("soon", "date", None),
        ("https://a.example/b", "url", "https://a.example/b"),
        ("a.example", "url", None),
        ("http://[", "url", None),
        ("as it is", "text", "as it is"),
    ],
)
def test_types(text: str, kind: str, value: object) -> None:
    found = convert(text, kind)
    assert found == value
    assert type(found) is type(value)


def test_actions_say_what_is_copied() -> None:
    actions = (
        Load(Source(argument=0)),
        Add("book"),
        Copy("name"),
        Script('function main(node) {\n  system.Debug("x");\n}', ("name",)),
        Save(Source("out.xml")),
    )
    project = checked(replace(LEARNED, actions=actions))
    assert read_project(write_project(project)) == project
    result = apply_project(project, ONE)
    assert [child.name for child in result.root.children] == ["name"]


def test_a_project_file_is_json_that_gives_the_project_back() -> None:
    assert json.loads(TEXT)["format"] == "h2x"
    assert read_project(TEXT) == LEARNED
    assert write_project(read_project(TEXT)) == TEXT
    assert max(map(len, TEXT.splitlines())) <= 200


def test_a_schema_can_have_a_file_of_its_own() -> None:
    schema = {"name": "page", "elements": [{"name": "title", "required": True}]}
    title = Element("title", required=True)
    assert read_schema(json.dumps(schema)) == Element("page", "group", elements=(title,))
    with pytest.raises(UnreadableInputError, match=r"shape.json: .*'a b' is no name"):
        read_schema('{"name": "page", "elements": [{"name": "a b"}]}', "shape.json")


def edited(*path: str | int, value: object) -> str:
    whole: Any = json.loads(TEXT)
    here = whole
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return json.dumps(whole)


FIRST = ("rules", "name", "examples", 0, "values", 0, "nodes", 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"shop.h2x: not JSON, line 1, column 2"),
        ("[]", r"the file: must be an object, not a list"),
        ("{}", r"'format' must be 'h2x'"),
        ('{"format": "h2x"}', r"version: must be a whole number"),
        (edited("version", value=2), r"version: it was written by a later version .*update"),
        (edited("version", value="1"), r"version: must be a whole number, not a string"),
        (edited("colour", value=1), r"there is no key 'colour' here; the keys are: format,"),
        (edited("confidence", value=7), r"confidence is 7.0; give a number from 0 to 1"),
        (edited("confidence", value=10**400), r"confidence: is too large a number"),
        (edited("matcher", value="nearest"), r"unknown matcher 'nearest'"),
        (edited("schema", "elements", 0, "name", value=3), r"schema.elements\[0\].name: .*string"),
        (edited("schema", "elements", 0, "name", value="x"), r"no element 'name' in the schema"),
        (edited("rules", "name", "matcher", value="x"), r"rules.name.matcher: there is no 'x'"),
        (edited(*FIRST, "kind", value="x"), r"nodes\[0\].kind: must be text.*not 'x'"),
        (edited(*FIRST, "nodes", value=0), r"nodes\[0\].nodes: must be a number from 1 on"),
        (edited(*FIRST, "evidence", "x", value=["", 1]), r"nodes\[0\]: no evidence is called 'x'"),
        (edited(*FIRST, "evidence", "way", value=[""]), r"way: must be a list of two"),
        (edited(*FIRST[:-1], value=[]), r"must name at least one node"),
        (edited("actions", value=[{"do": "fly"}]), r"actions\[0\].do: there is no 'fly'"),
        (edited("actions", value=[{"do": "load", "address": {}}]), r"address: must have one of"),
        (edited("actions", value=[{"do": "copy", "element": "x"}]), r"action 0, a copy, uses 'x'"),
        (TEXT.replace('"confidence": 0.0', '"confidence": NaN'), r"NaN is no number"),
        ('{"a":' * 100_000, r"nested too deep"),
        ('{"format": "h2x", "format": "h2x"}', r"key 'format'"),
        (edited("schema", "elements", 0, "name", value="\ud800"), r"name: has half of a character"),
        (edited("\ud800", value=1), r"there is no key '\\ud800' here"),
        (edited("actions", value=[{"do": "x" * 9_999}]), r"there is no 'x{300,500}\.\.\.x"),
    ],
)
def test_what_is_wrong_with_a_project_file_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UnreadableInputError, match=message) as caught:
        read_project(text, "shop.h2x")
    assert str(caught.value).startswith("shop.h2x: ")


def test_published_rules_need_the_index_of_each_step() -> None:
    whole = json.loads(write_project(learned("published")))
    whole["rules"]["name"]["examples"][0]["values"][0]["nodes"][0]["indexes"] = [1]
    with pytest.raises(UnreadableInputError, match=r"rules.name: 'indexes' must have a number for"):
        read_project(json.dumps(whole))


THREAD = Element(
    "thread",
    "group",
    elements=(
        Element(
            "post",
            "group",
            repeat=True,
            elements=(
                Element("author"),
                Element("reply", "group", repeat=True, elements=(Element("who"), Element("what"))),
            ),
        ),
    ),
)


def thread(*posts: tuple[str, dict[str, str]]) -> PageTree:
    body = "".join(
        f"<article class=post><b>{author}</b><p>words of {author}</p><ul class=replies>"
        + "".join(f"<li class=r><i>{who}</i>: <span>{what}</span>" for who, what in replies.items())
        + "</ul></article>"
        for author, replies in posts
    )
    return read_tree(Page.from_text("https://forum.example/", f"<h1>Tides</h1>{body}"))


TIDES = thread(("ann", {"bob": "yes", "cy": "no"}), ("dan", {}), ("eve", {"flo": "perhaps"}))


def test_records_in_records_are_found_in_each_of_these() -> None:
    project = learn_records(new_project(THREAD), TIDES, "post", [{"author": ["ann"]}]).project
    reply = {"who": ["bob"], "what": ["yes"]}
    project = learn_records(project, TIDES, "post/reply", [reply]).project
    assert read_project(write_project(project)) == project
    other = thread(("gil", {"hal": "so"}), ("ida", {}), ("jo", {"k": "one", "l": "two"}))
    for page, count in ((TIDES, [2, 0, 1]), (other, [1, 0, 2])):
        posts = as_json(apply_project(project, page, remember=False).root, THREAD)["post"]
        assert [len(post["reply"]) for post in posts] == count
    assert posts[2]["reply"] == [{"who": "k", "what": "one"}, {"who": "l", "what": "two"}]


def test_records_in_records_need_those_around_them() -> None:
    project = learn_records(new_project(THREAD), TIDES, "post", [{"author": ["ann"]}]).project
    for node in (TIDES.names.index("h1"), len(TIDES)):
        with pytest.raises(ArgumentError, match="in no record of 'post'; teach 'post' this page"):
            learn_record_nodes(project, TIDES, "post/reply", [node])


@pytest.mark.slow
@pytest.mark.parametrize("titles", [1, 4_000], ids=["alike", "different"])
def test_long_lists_take_linear_time(titles: int) -> None:
    # Neither a title nor a heading: what a page lacks is looked for once as well.
    rows = "".join(
        f"<li class=book><a href=/{at}>Title {at % titles}</a><b>${at % titles}.50</b>"
        for at in range(4_000)
    )
    page = read_tree(Page.from_text("https://shop.example/", f"<ul>{rows}</ul>"))
    # Two seconds where each record is looked at by itself, ten where each looks at the page.
    with within(6):
        lesson = learn_records(
            new_project(SCHEMA), page, "book", [{"title": ["Title 0"], "price": ["$0.50"]}]
        )
        result = apply_project(lesson.project, page, remember=False)
    assert len(result.found["book/price"]) == 4_000
