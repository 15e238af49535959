"""Changes of a project, and what a wrong click leaves behind: nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError
from crawler.core.page.page import Page
from crawler.core.wrapper.editing import (
    change_element,
    move_element,
    remove_element,
    remove_examples,
    rename_element,
    script_of,
)
from crawler.core.wrapper.learning import learn_nodes, learn_records, learn_values
from crawler.core.wrapper.output import apply_project
from crawler.core.wrapper.output_forms import as_json, as_xml
from crawler.core.wrapper.project import (
    Add,
    Copy,
    Element,
    Load,
    Project,
    Save,
    Script,
    Source,
    checked,
    elements_of,
    new_project,
)
from crawler.core.wrapper.project_file import read_project, write_project
from crawler.core.wrapper.tree import PageTree, join_trees, read_tree
from crawler.wrapper.running import ProjectRunner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.wrapper.example_nodes import Example

BOOK = Element("book", "group", repeat=True, elements=(Element("title"), Element("link", "url")))
SCHEMA = Element("shop", "group", elements=(Element("name"), Element("phone"), BOOK))


def shop(name: str, phone: str, *titles: str, more: str = "") -> PageTree:
    rows = "".join(f"<li class=book><a href='/b/{it}'>{it}</a> <i>new</i></li>" for it in titles)
    html = f"<title>{name}</title><h1>{name}</h1><p>Tel <b>{phone}</b></p>{more}<ul>{rows}</ul>"
    return read_tree(Page.from_text(f"https://shop.example/{name}", html))


ONE = shop("Corner", "555-1", "Tree", "Sea", "Sky")
TWO = shop("Harbour", "555-2", "Rain", "Fog")
THREE = shop("Mill", "555-3", "Log", "Dust", "Saw", more="<p>Fax <b>555-9</b></p>")


def taught(matcher: str = "best") -> Project:
    project = new_project(SCHEMA, matcher=matcher)
    project = learn_values(project, ONE, {"name": ["Corner"], "phone": ["555-1"]}).project
    if matcher == "published":
        return project
    return learn_records(project, ONE, "book", [{"title": ["Tree"], "link": ["/b/Tree"]}]).project


def last(project: Project, path: str, page: PageTree) -> list[Example]:
    return [its for its in project.rules[path].examples if its.page == page.fingerprint]


@pytest.mark.parametrize("matcher", ["best", "published"])
@pytest.mark.parametrize("page", [TWO, THREE], ids=["two", "three"])
def test_a_wrong_click_that_is_taken_back_leaves_no_trace(matcher: str, page: PageTree) -> None:
    before = taught(matcher)
    wrong = page.text_nodes[-1]
    after = learn_nodes(before, page, "phone", [wrong])
    assert write_project(after) != write_project(before)
    again = remove_examples(after, "phone", last(after, "phone", page))
    assert again == before
    assert write_project(again) == write_project(before)
    assert read_project(write_project(again)) == before


@pytest.mark.parametrize("matcher", ["best", "published"])
def test_an_early_example_is_taken_back_as_if_the_later_ones_were_all(matcher: str) -> None:
    wrong = learn_nodes(
        new_project(SCHEMA, matcher=matcher), THREE, "phone", [THREE.text_nodes[-1]]
    )
    right: Project = new_project(SCHEMA, matcher=matcher)
    for page, phone in ((ONE, "555-1"), (TWO, "555-2")):
        wrong = learn_values(wrong, page, {"phone": [phone]}).project
        right = learn_values(right, page, {"phone": [phone]}).project
    again = remove_examples(wrong, "phone", last(wrong, "phone", THREE))
    assert write_project(again) == write_project(right)


def test_two_clicks_on_one_page_are_two_examples() -> None:
    project = learn_nodes(taught(), ONE, "phone", [ONE.text_nodes[-1]])
    one, other = project.rules["phone"].examples
    wrong = one if one.values[0].value != "555-1" else other
    assert remove_examples(project, "phone", [wrong]) == taught()


def test_an_element_without_examples_has_no_rule() -> None:
    project = taught()
    again = remove_examples(project, "phone", project.rules["phone"].examples)
    assert again.paths == ("name", "book", "book/title", "book/link")
    assert remove_examples(again, "phone", project.rules["phone"].examples) is again


def test_records_take_the_values_within_them_along() -> None:
    before = taught()
    after = learn_records(before, TWO, "book", [{"title": ["Rain"], "link": ["/b/Rain"]}]).project
    assert len(after.rules["book/title"].examples) == 2
    again = remove_examples(after, "book", last(after, "book", TWO))
    assert write_project(again) == write_project(before)


def test_what_an_action_needs_cannot_be_taken_back() -> None:
    project = checked(replace(taught(), actions=(Copy("name"), Copy("phone"))))
    with pytest.raises(ArgumentError, match="action 1 needs a rule for 'phone'"):
        remove_examples(project, "phone", project.rules["phone"].examples)
    off = replace(project, actions=(Copy("name"), Copy("phone", off=True)))
    assert "phone" not in remove_examples(off, "phone", project.rules["phone"].examples).rules


def paths(project: Project) -> list[str]:
    return [path for path, _ in elements_of(project.schema)]


def test_a_renamed_element_keeps_its_rule_and_its_actions() -> None:
    actions = (Add("book"), Copy("book"), Copy("book/title"), Script("", ("book/link", "name")))
    before = checked(replace(taught(), actions=actions))
    after = rename_element(before, "book", "item")
    assert paths(after) == ["name", "phone", "item", "item/title", "item/link"]
    assert after.paths == ("name", "phone", "item", "item/title", "item/link")
    assert after.actions == (
        Add("item"), Copy("item"), Copy("item/title"), Script("", ("item/link", "name")),
    )  # fmt: skip
    assert rename_element(after, "item", "book") == before
    assert rename_element(before, "book/title", "t").paths[-2:] == ("book/t", "book/link")
    for name, message in (("phone", "'shop' has 'phone' twice"), ("a b", "is no name")):
        with pytest.raises(ArgumentError, match=message):
            rename_element(before, "name", name)


OFFER = Element("offer", "group", elements=(Element("note"),))


def with_offer() -> Project:
    """Return the project with a group of the page that has no records, and actions."""
    project = taught()
    schema = replace(project.schema, elements=(*project.schema.elements, OFFER))
    actions = (Copy("name"), Copy("phone"), Copy("book"), Script("", ("phone",)))
    return checked(replace(project, schema=schema, actions=actions))


def test_an_element_is_moved_into_another_group_with_its_rule_and_actions() -> None:
    before = with_offer()
    after = move_element(before, "phone", 0, "offer")
    assert paths(after)[-3:] == ["offer", "offer/phone", "offer/note"]
    assert after.rules["offer/phone"] == before.rules["phone"]
    assert after.actions[1] == Copy("offer/phone")
    assert after.actions[3] == Script("", ("offer/phone",))
    assert as_json(apply_project(after, TWO).root, after.schema)["offer"]["phone"] == "555-2"
    assert move_element(after, "offer/phone", 1, "") == before
    # A whole list is moved with what is in it.
    list_within = move_element(replace(before, actions=()), "book", 9, "offer")
    assert list_within.paths[2:] == ("offer/book", "offer/book/title", "offer/book/link")
    books = as_json(apply_project(list_within, TWO).root, list_within.schema)["offer"]["book"]
    assert [its["title"] for its in books] == ["Rain", "Fog"]


@pytest.mark.parametrize(
    ("path", "into", "kind", "data"),
    [
        ("book/title", "", "move-from-records", ("book/title", "book")),
        ("book/title", "offer", "move-from-records", ("book/title", "book")),
        ("phone", "book", "move-to-records", ("phone", "book")),
        ("book", "book", "move-within", ("book",)),
        ("name", "phone", "no-group", ("phone",)),
        ("name", "fax", "no-element", ("fax",)),
        ("offer/note", "twice", "element-twice", ("twice", "note")),
    ],
)
def test_an_element_is_not_moved_where_its_rule_cannot_look(
    path: str, into: str, kind: str, data: tuple[str, ...]
) -> None:
    before = with_offer()
    twice = Element("twice", "group", elements=(Element("note"),))
    schema = replace(before.schema, elements=(*before.schema.elements, twice))
    with pytest.raises(ArgumentError) as refused:
        move_element(replace(before, schema=schema), path, 0, into)
    assert (refused.value.kind, refused.value.data) == (kind, data)


def test_an_element_without_a_rule_is_moved_into_records() -> None:
    after = move_element(with_offer(), "offer/note", 0, "book")
    assert paths(after)[2:] == ["book", "book/note", "book/title", "book/link", "offer"]


def test_elements_are_moved_and_the_output_follows() -> None:
    moved = move_element(move_element(taught(), "phone", 0), "book/link", 0)
    assert paths(moved) == ["phone", "name", "book", "book/link", "book/title"]
    found = as_json(apply_project(moved, TWO).root, moved.schema)
    assert list(found) == ["phone", "name", "book"]
    assert found["book"][1] == {"link": "https://shop.example/b/Fog", "title": "Fog"}


def test_a_removed_element_is_gone_with_all_that_fills_it() -> None:
    actions = (Copy("name"), Copy("book"), Copy("book/title"), Add("book"))
    project = checked(replace(taught(), actions=actions))
    after = remove_element(project, "book")
    assert (paths(after), after.paths) == (["name", "phone"], ("name", "phone"))
    assert after.actions == (Copy("name"),)
    scripted = checked(replace(project, actions=(Script("x", ("book/title",)),)))
    with pytest.raises(ArgumentError, match="action 0, a script, uses 'book/title', which"):
        remove_element(scripted, "book/title")
    with pytest.raises(ArgumentError, match="no element 'fax' in the schema; it has: name, phone"):
        remove_element(project, "fax")


def test_elements_are_typed_repeated_and_required() -> None:
    project = change_element(taught(), "book/title", required=True)
    project = change_element(project, "phone", kind="integer", repeat=True)
    assert project.element("phone") == Element("phone", "integer", repeat=True)
    assert project.element("book/title") == Element("title", required=True)
    assert change_element(project, "phone", kind="text", repeat=False).schema != project.schema
    with pytest.raises(ArgumentError, match="'phone': only a rule that finds records can fill it"):
        change_element(project, "phone", kind="group")


def test_actions_are_switched_off() -> None:
    actions = (Copy("name"), Copy("phone", off=True), Save(Source("x.xml")))
    off = checked(replace(taught(), actions=actions))
    assert [child.name for child in apply_project(off, TWO).root.children] == ["name"]
    assert read_project(write_project(off)) == off


def outputs(project: Project, page: PageTree, args: Sequence[str] = ()) -> tuple[str, list[str]]:
    runner = ProjectRunner(project, "shop.h2x")
    try:
        wrapped = runner.run(page, args)
    finally:
        runner.close()
    assert wrapped.result.problems == ()
    return as_xml(wrapped.result.root), [file for file, _ in wrapped.saves]


COPIES = tuple(map(Copy, ("name", "phone", "book", "book/title", "book/link")))


@pytest.mark.parametrize("number", [0, 1, 3, 4])
def test_the_script_of_a_copy_does_what_the_copy_does(number: int) -> None:
    plain = checked(replace(taught(), actions=COPIES))
    own = replace(COPIES[number], script=script_of(COPIES[number]))
    scripted = checked(replace(plain, actions=(*COPIES[:number], own, *COPIES[number + 1 :])))
    assert read_project(write_project(scripted)) == scripted
    assert outputs(scripted, THREE) == outputs(plain, THREE)


def test_a_script_of_its_own_changes_what_a_copy_does() -> None:
    script = 'function main(node, parent) { parent.Add("title", node.value.toUpperCase()); }'
    actions = (Copy("book"), Copy("book/title", script))
    xml, _ = outputs(checked(replace(taught(), actions=actions)), TWO)
    assert [line.strip() for line in xml.splitlines() if "title" in line] == [
        "<title>RAIN</title>", "<title>FOG</title>",
    ]  # fmt: skip
    with pytest.raises(ArgumentError, match="action 0: 'book' is a group; give the script to its"):
        checked(replace(taught(), actions=(Copy("book", script),)))


def test_every_action_has_a_script_that_runs() -> None:
    actions = (
        Load(Source(argument=0)),
        Add("note/text"),
        Save(Source("a.xml")),
        Save(Source("", 1)),
    )
    scripts = tuple(Script(script_of(action)) for action in actions)
    note = Element("note", "group", elements=(Element("text"),))
    project = checked(Project(Element("page", "group", elements=(note,)), {}, scripts))
    xml, saves = outputs(project, ONE, (ONE.url, "b.xml"))
    assert xml == "<page>\n  <note>\n    <text></text>\n  </note>\n</page>\n"
    assert saves == ["a.xml", "b.xml"]
    assert script_of(Script("x")) == "x"


def test_the_script_of_the_paper_copies_the_children_of_the_body() -> None:
    script = """
    function main() {
      htree.AddUrl( system.args(0) );
      var parent = htree.root.firstChild; // get body tag
      for ( child = parent.firstChild; child != null; child = child.nextSibling )
        xtree.root.Add( child.name, child.value );
    }
    """
    parts = tuple(Element(name, repeat=True) for name in ("h1", "p", "ul"))
    project = checked(Project(Element("page", "group", elements=parts), {}, (Script(script),)))
    assert outputs(project, TWO, (TWO.url,))[0] == (
        "<page>\n  <h1>Harbour</h1>\n  <p>Tel 555-2</p>\n  <ul>Rain new Fog new</ul>\n</page>\n"
    )


def test_pages_that_are_loaded_together_are_one_tree() -> None:
    joined = join_trees([ONE, TWO, THREE])
    assert [joined.value(node) for node in range(len(joined)) if joined.names[node] == "h1"] == [
        "Corner", "Harbour", "Mill",
    ]  # fmt: skip
    assert joined.path(joined.text_nodes[-1]).startswith("/html[1]/body[3]/ul[1]/li[3]/")
    for node in range(len(joined)):
        assert joined.find(joined.path(node)) == node
        assert all(joined.ends[child] <= joined.ends[node] for child in joined.within(node))
    assert joined.ends[0] == len(joined) == sum(map(len, (ONE, TWO, THREE))) - 2
    assert [joined.base_at(node) for node in (1, len(ONE) + 1, len(joined) - 1)] == [
        "https://shop.example/Corner", "https://shop.example/Harbour", "https://shop.example/Mill",
    ]  # fmt: skip


def test_a_script_sees_the_bodies_of_all_pages_below_the_root() -> None:
    script = """
    function main() {
      for (let body = htree.root.firstChild; body; body = body.nextSibling)
        xtree.root.Add("name", body.firstChild.value);
    }
    """
    schema = Element("page", "group", elements=(Element("name", repeat=True),))
    project = checked(Project(schema, {}, (Script(script),)))
    names = "".join(f"\n  <name>{name}</name>" for name in ("Corner", "Harbour", "Mill"))
    assert outputs(project, join_trees([ONE, TWO, THREE]))[0] == f"<page>{names}\n</page>\n"
