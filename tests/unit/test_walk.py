"""The columns that the one walk over a tree makes."""

from __future__ import annotations

from lxml import etree, html

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.page.walk import Elements, walk

MARKUP = '<div id="a" class="b">one<p>two</p>three<ul><li>four</li><li>five</li></ul></div>'


def test_each_column_has_one_entry_an_element() -> None:
    root = html.fragment_fromstring(MARKUP)
    found = walk(root)
    assert found.nodes == list(root.iter())
    assert found.tags == ["div", "p", "ul", "li", "li"]
    assert found.texts == ["one", "two", None, "four", "five"]
    assert found.tails == [None, "three", None, None, None]
    assert found.names == [("id", "class"), (), (), (), ()]
    assert {name: own for name, own in found.values.items() if own} == {
        "id": {0: "a"},
        "class": {0: "b"},
    }
    assert found.children == [2, 0, 2, 0, 0]


def test_what_is_behind_an_element() -> None:
    found = walk(html.fragment_fromstring(MARKUP))
    assert [found.behind(number) for number in range(5)] == [5, 2, 5, 4, 5]


def test_trees_that_are_joined_stand_one_after_the_other() -> None:
    one, other = etree.fromstring('<a><b id="f"/></a>'), etree.fromstring('<c d="" id="g">e</c>')
    found = Elements.joined([walk(one), walk(other)])
    assert found.tags == ["a", "b", "c"]
    assert found.values["id"] == {1: "f", 2: "g"}
    assert list(found.called({"c"})) == [other]


def test_a_page_has_the_elements_of_all_its_trees_as_they_were_composed() -> None:
    text = "<body><div><template shadowrootmode=open><p>a</p></template></div></body></html><p>b"
    parsed = parse(Page.from_text("https://a.example/", text))
    assert parsed.elements.nodes == [each for root in parsed.roots for each in root.iter()]
    assert "template" not in parsed.elements.tags
