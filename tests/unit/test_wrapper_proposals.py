from __future__ import annotations

import pytest

from crawler.core.errors import ArgumentError, ModelError
from crawler.core.page.page import Page
from crawler.core.structure.medl import parse_model
from crawler.core.wrapper.learning import learn_nodes, learn_record_nodes
from crawler.core.wrapper.next_link import next_link
from crawler.core.wrapper.output import apply_project
from crawler.core.wrapper.project import Element, new_project
from crawler.core.wrapper.proposals import propose, propose_records
from crawler.core.wrapper.rules import Memory
from crawler.core.wrapper.shapes import schema_of_dtd, schema_of_model
from crawler.core.wrapper.tree import PageTree, read_tree
from crawler.core.wrapper.view import View
from support.studio_pages import shelf


def tree_of(html: str) -> PageTree:
    return read_tree(Page.from_text("https://shop.example/s1", html))


SHELF = tree_of(shelf(1))


@pytest.mark.parametrize("text", ["Book 2 of shelf 1", "Author 7", "$5.10", "Add to cart"])
def test_one_click_within_a_record_finds_the_list(text: str) -> None:
    records = propose_records(SHELF, [SHELF.texts.index(text)])[0]
    assert [SHELF.names[its] for its in records] == ["article"] * 12


def test_fields_of_records_have_names_types_and_shares() -> None:
    found = propose(SHELF, [SHELF.texts.index("Book 2 of shelf 1")])
    assert found is not None
    assert [(its.name, its.kind, its.type) for its in found.fields] == [
        ("link", "@href", "url"),
        ("title", "text", "text"),
        ("author", "text", "text"),
        ("price", "text", "number"),
    ]
    assert found.fields[1].values[0] == "Book 2 of shelf 1"
    assert round(found.fields[3].share, 2) == 0.83
    assert found.next_link is not None
    assert SHELF.attribute(found.next_link, "href") == "/s2"


def test_two_clicks_find_a_list_that_one_does_not() -> None:
    inner = "".join(f"<li>A long line of words, number {at}</li>" for at in range(40))
    rows = "".join(f"<tr><td><p>Row {at}</p><ul>{inner}</ul></td></tr>" for at in range(3))
    tree = tree_of(f"<h1>Rows</h1><table>{rows}</table>")
    line = tree.texts.index("A long line of words, number 7")
    other = tree.texts.index("A long line of words, number 9")
    assert [tree.names[its] for its in propose_records(tree, [line])[0]] == ["tr"] * 3
    assert [tree.names[its] for its in propose_records(tree, [line, other])[0]] == ["li"] * 40


def test_a_page_without_a_list_has_no_proposal() -> None:
    tree = tree_of("<h1>Alone</h1><p>Some words <b>of</b> a text")
    assert propose(tree, [tree.texts.index("Alone")]) is None


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        ("글쓴이{}", "text"),
        ("No {}", "text"),
        ("USD {}", "number"),
        ("{} g", "number"),
        ("€ {}.50", "number"),
    ],
)
def test_words_with_a_number_behind_are_names(value: str, type_: str) -> None:
    rows = "".join(
        f"<li><a href=/{at}>The {at}th thing here</a> <i>{value.format(at)}</i></li>"
        for at in range(1, 7)
    )
    tree = tree_of(f"<h1>List</h1><ul>{rows}</ul>")
    found = propose(tree, [tree.texts.index("The 2th thing here")])
    assert found is not None
    shown = {value.format(at) for at in range(1, 7)}
    assert [its.type for its in found.fields if shown.issuperset(its.values)] == [type_]


@pytest.mark.parametrize(
    ("links", "href"),
    [
        ("<a href=/1>1</a><a href=/2>Next</a><a href=/9>Last</a>", "/2"),
        ("<a href=/p>이전</a><a href=/n>다음</a>", "/n"),
        ("<a href=/2 rel=next>weiter lesen</a><a href=/3>Next</a>", "/2"),
        ("<a href=/a>«</a><a href=/b>»</a>", "/b"),
        ("<a href=javascript:go(2)>Next</a>", None),
        ("<a href=/x>Nextdoor news</a>", None),
    ],
)
def test_the_link_to_the_next_page(links: str, href: str | None) -> None:
    tree = tree_of(f"<h1>List</h1><div>{links}</div>")
    found = next_link(tree)
    assert (None if found is None else tree.attribute(found, "href")) == href


@pytest.mark.parametrize(
    ("links", "href"),
    [
        ("<li><a href=/s1>Previous</a></li><li><a href=/s3>Next</a></li>", "/s3"),
        ("<li><a href=/s1>Previous</a></li>", None),
        ("<li><a href=/s1>« 이전</a></li><li><a href=/s3>다음 »</a></li>", "/s3"),
        ("<li><a href=/s1>1</a></li>", None),
    ],
)
def test_a_rule_for_the_next_page_takes_no_other_link(links: str, href: str | None) -> None:
    first = tree_of("<h1>List</h1><p>Words</p><ul><li><a href=/s2>Next</a></li></ul>")
    link = next_link(first)
    assert link is not None
    project = new_project(Element("page", "group", elements=(Element("next", "url"),)))
    project = learn_nodes(project, first, "next", [link], kind="@href")
    tree = tree_of(f"<h1>List</h1><p>Words</p><ul>{links}</ul>")
    found = project.field_rule("next").matches(View(tree))
    assert [tree.attribute(its.node, "href") for its in found] == ([] if href is None else [href])


def test_candidates_are_ranked_below_the_threshold_too() -> None:
    project = new_project(Element("page", "group", elements=(Element("keeper"),)))
    project = learn_nodes(project, SHELF, "keeper", [SHELF.texts.index("Keeper 1")])
    other = tree_of(shelf(2))
    found = project.field_rule("keeper").candidates(View(other), most=4)
    assert found[0].value == "Keeper 2"
    assert len(found) == 5
    assert [its.confidence for its in found] == sorted(
        (its.confidence for its in found), reverse=True
    )


def test_a_memory_changes_nothing_but_the_time() -> None:
    book = Element("book", "group", repeat=True, elements=(Element("title"), Element("price")))
    project = new_project(Element("page", "group", elements=(Element("keeper"), book)))
    project = learn_nodes(project, SHELF, "keeper", [SHELF.texts.index("Keeper 1")])
    records = propose_records(SHELF, [SHELF.texts.index("Author 7")])[0]
    project = learn_record_nodes(project, SHELF, "book", records, whole=True)
    title = [SHELF.texts.index("Book 0 of shelf 1")]
    project = learn_nodes(project, SHELF, "book/title", title, record=records[0])
    other, memory = tree_of(shelf(2)), Memory()
    first = apply_project(project, other, memory=memory)
    assert first == apply_project(project, other) == apply_project(project, other, memory=memory)
    wrong = learn_nodes(project, SHELF, "keeper", [SHELF.texts.index("Home")])
    assert apply_project(wrong, other, memory=memory) == apply_project(wrong, other)


def test_a_path_of_a_browser_finds_its_node() -> None:
    tree = tree_of("<table><tr><td>a<tr><td>b</table>")
    found = tree.find("/html/body/table/tbody/tr[2]/td")
    assert found is not None
    assert tree.value(found) == "b"


def test_a_document_model_becomes_a_schema() -> None:
    model = parse_model(
        "<!ELEMENT recipe (title & step+ & (note | tip)*)><!ELEMENT title (#PCDATA)>"
        "<!ELEMENT step (head?, line, line)><!ELEMENT head (#PCDATA)><!ELEMENT line (#PCDATA)>"
        "<!ELEMENT note (#PCDATA)><!ELEMENT tip (#PCDATA)>"
    )
    schema = schema_of_model(model)
    flags = {its.name: (its.type, its.repeat, its.required) for its in schema.elements}
    assert flags == {
        "title": ("text", False, True),
        "step": ("group", True, True),
        "note": ("text", True, False),
        "tip": ("text", True, False),
    }
    step = schema.elements[1]
    assert [(its.name, its.repeat) for its in step.elements] == [("head", False), ("line", True)]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("<!ELEMENT a (a?)>", ArgumentError),
        ("<!ELEMENT a (#PCDATA)>", ArgumentError),
        ("<!ELEMENT a (b,>", ModelError),
        ("", ModelError),
    ],
)
def test_what_is_no_shape_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        schema_of_dtd(text)
