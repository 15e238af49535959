from __future__ import annotations

import pytest

from crawler.core.page.page import Page
from crawler.core.wrapper.example_nodes import (
    example_of_nodes,
    example_of_values,
)
from crawler.core.wrapper.features import FEATURES
from crawler.core.wrapper.rules import BestRule, RecordRule, example_of_records
from crawler.core.wrapper.tree import ELEMENT, PageTree, read_tree
from crawler.core.wrapper.view import View
from support.pace import within


def tree(html: str) -> PageTree:
    return read_tree(Page.from_text("https://shop.example/page", html))


def facts(rows: dict[str, str], *, title: str = "Lamp", style: str = "facts") -> PageTree:
    body = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in rows.items())
    return tree(
        f"<title>{title} - Shop</title><ul><li><a href=/>Home</a><li><a href=/all>All</a></ul>"
        f"<h1>{title}</h1><table class={style}>{body}</table><p>Call us: 555-100</p>"
    )


def learned(*taught: tuple[PageTree, list[str]]) -> BestRule:
    return BestRule.learn(example_of_values(View(page), values) for page, values in taught)


def values(rule: BestRule, page: PageTree) -> list[str]:
    return [match.value for match in rule.matches(View(page))]


ONE = facts({"Weight:": "2 kg", "Colour:": "red", "Price:": "$5"})
TWO = facts({"Weight:": "3 kg", "Colour:": "blue", "Price:": "$7"}, title="Desk")
PRICE = learned((ONE, ["$5"]), (TWO, ["$7"]))


def test_a_label_tells_more_than_a_place() -> None:
    moved = facts({"Price:": "$9", "Height:": "1 m", "Colour:": "green"}, title="Chair")
    assert values(PRICE, moved) == ["$9"]


def test_a_row_that_is_missing_is_not_filled_from_the_next() -> None:
    without = facts({"Weight:": "1 kg", "Colour:": "green", "Shipping:": "$2"}, title="Chair")
    assert values(PRICE, without) == []


def test_another_layout_is_learned_beside_the_first() -> None:
    other = tree("<h1>Stool</h1><div class=offer><span class=amount>$4</span></div><p>words")
    rule = PRICE.learn_more([example_of_values(View(other), ["$4"])])
    third = tree("<h1>Shelf</h1><div class=offer><span class=amount>$8</span></div><p>words")
    assert values(rule, third) == ["$8"]
    assert values(rule, facts({"Weight:": "1 kg", "Price:": "$3"}, title="Rug")) == ["$3"]


def test_copies_of_a_value_vote_and_stand_in_for_each_other() -> None:
    def page(heading: str, crumb: str) -> PageTree:
        return tree(
            f"<div id=crumbs><a href=/>Home</a> &gt; <b>{crumb}</b></div><h1>{heading}</h1>"
            "<p>A long text about something that is no name at all.</p>"
        )

    rule = learned((page("Ann", "Ann"), ["Ann"]), (page("Bob", "Bob"), ["Bob"]))
    assert len(rule.groups[0]) == 2
    without = tree("<h1>Cy</h1><p>A long text about something that is no name at all.</p>")
    assert values(rule, without) == ["Cy"]


def test_all_members_of_a_list_in_a_line_are_taken() -> None:
    def book(*authors: str) -> PageTree:
        links = ", ".join(f"<a href='/by/{name}'>{name}</a>" for name in authors)
        return tree(f"<h1>A book</h1><p class=by>By {links}</p><p><a href=/more>More</a></p>")

    one_each = learned((book("Ann"), ["Ann"]), (book("Bob"), ["Bob"]))
    assert values(one_each, book("Cy", "Dee", "Ed")) == ["Cy", "Dee", "Ed"]
    first_alone = learned((book("Ann", "Zoe"), ["Ann"]), (book("Bob"), ["Bob"]))
    assert values(first_alone, book("Cy", "Dee")) == ["Cy"]


def test_what_was_called_wrong_is_not_taken_again() -> None:
    page = tree("<ul><li class=x>one<li class=x>two</ul><p>words")
    nodes = page.text_nodes[:2]
    survey = View(page)
    rule = BestRule.learn([example_of_nodes(survey, nodes[:1], wrong=nodes[1:])])
    assert values(rule, page) == ["one"]
    assert [match.value for match in rule.matches(View(page), remember=False)] == ["one"]


def test_an_example_without_the_value_is_remembered() -> None:
    without = facts({"Weight:": "1 kg"})
    rule = PRICE.learn_more([example_of_values(View(without), [])])
    assert values(rule, without) == []
    assert values(rule, facts({"Weight:": "1 kg", "Price:": "$3"}, title="Rug")) == ["$3"]


@pytest.mark.parametrize(
    ("value", "kind", "found"),
    [
        ("bold and plain", ELEMENT, "bold and plain"),
        ("/pic/1.png", "@src", "https://shop.example/pic/1.png"),
        ("https://shop.example/pic/1.png", "@src", "https://shop.example/pic/1.png"),
        ("2026-11-28", "@datetime", "2026-11-28"),
    ],
)
def test_values_of_elements_and_attributes(value: str, kind: str, found: str) -> None:
    page = tree(
        "<div><p class=x><b>bold</b> and plain</p><img src=/pic/1.png>"
        "<time datetime=2026-11-28>today</time></div>"
    )
    example = example_of_values(View(page), [value])
    assert {its.kind for wanted in example.values for its in wanted.nodes} == {kind}
    rule = BestRule.learn([example])
    assert [match.value for match in rule.matches(View(page), remember=False)] == [found]


def test_scripts_and_styles_say_nothing() -> None:
    page = tree("<script>var a = 'word'</script><style>word</style><p>word</p>")
    assert [page.texts[run] for run in page.text_nodes] == ["word"]
    assert page.value(0) == "word"


def test_a_value_that_the_page_does_not_say_is_left_out() -> None:
    example = example_of_values(View(ONE), ["$5", "$6", "  $5 "])
    assert [wanted.value for wanted in example.values] == ["$5"]


def test_nodes_of_another_kind_are_refused() -> None:
    with pytest.raises(ValueError, match="no node of the kind 'text'"):
        example_of_nodes(View(ONE), [0])


def test_evidence_folds_what_does_not_recur() -> None:
    page = tree("<div id=post-123 class='b a1'><a href=/2026/11/x?id=5>Part 12</a> rest</div>")
    view = View(page)
    evidence = {feature.name: feature.read(view, page.text_nodes[0]) for feature in FEATURES}
    assert evidence["id"] == "a#post-0"
    assert evidence["class-1"] == "a0 b"
    assert evidence["link"] == "/0/0?id"
    assert evidence["shape"] == "Aa 0"
    assert evidence["after"] == "rest"


def listing(*items: str, first: str = "") -> PageTree:
    body = "".join(
        f"<li class='item{first if not at else ''}'>{its}" for at, its in enumerate(items)
    )
    return tree(
        "<ul id=menu><li><a href=/>Home</a><li><a href=/b>Blog</a></ul>"
        f"<ol class=found>{body}</ol><div class=pages><a href=/2>2</a></div>"
    )


ITEMS = [f"<h3><a href=/{name}>{name}</a></h3><i>by somebody</i>" for name in "abcdef"]


@pytest.mark.parametrize("pointed", [1, 2])
def test_a_list_is_learned_from_one_or_two_of_its_records(pointed: int) -> None:
    page = listing(*ITEMS[:4], first=" first")
    nodes = [node for node in range(len(page)) if "item" in (page.attribute(node, "class") or "")]
    rule = RecordRule.learn([example_of_records(View(page), nodes[:pointed], whole=False)])
    other = listing(*ITEMS, first=" first")
    found = [other.value(record.node) for record in rule.matches(View(other))]
    assert found == [f"{name} by somebody" for name in "abcdef"]
    assert rule.matches(View(tree("<p>nothing of the kind</p>"))) == ()


def test_records_are_elements() -> None:
    with pytest.raises(ValueError, match="kind 'element'"):
        example_of_records(View(ONE), [ONE.text_nodes[0]])


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 3_000 + "$5" + "</div>" * 3_000,
        "<p>" + "<a href=/x>$5</a>, " * 4_000,
        "<table>" + "<tr><td>Price:<td>$5" * 3_000,
        "<p>" + "<br>$5" * 6_000,
        "<ul>" + "<li class=item>x" * 8_000,
    ],
    ids=["deep", "line", "table", "breaks", "list"],
)
def test_hostile_pages_take_linear_time(html: str) -> None:
    page = tree(html)
    with within(20):
        rule = PRICE.learn_more([example_of_values(View(page), ["$5"])])
        assert len(rule.matches(View(page))) <= len(page)
