from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

import pytest

from crawler.core.page.page import Page
from crawler.core.wrapper.paper_method import PaperRule
from crawler.core.wrapper.tree import PageTree, TagItem, read_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

H1, B, FONT = TagItem("H1", 1, 1), TagItem("B", 2, 3), TagItem("FONT", 2, 3)
UL, LI = TagItem("UL", 1, 1), TagItem("LI", 1, 1)
WORKED = ([H1, B, LI], [H1, FONT, LI], [H1, LI], [H1, B, UL, LI])


def tree(html: str) -> PageTree:
    return read_tree(Page.from_text("https://site.example/", html))


def learn(paths: Iterable[Sequence[TagItem]]) -> PaperRule:
    return reduce(PaperRule.learn_more, paths, PaperRule())


def shown(rule: PaperRule) -> list[dict[str, int]]:
    """Write a rule as the paper does: names and weights."""
    return [
        {item.name: weight for item, weight in tags.items} | {"null": tags.null}
        for tags in rule.sets
    ]


def test_the_worked_example_of_the_paper() -> None:
    assert shown(learn(WORKED[:2])) == [
        {"H1": 2, "null": 0},
        {"B": 1, "FONT": 1, "null": 0},
        {"LI": 2, "null": 0},
    ]
    assert shown(learn(WORKED[:3])) == [
        {"H1": 3, "null": 0},
        {"B": 1, "FONT": 1, "null": 1},
        {"LI": 3, "null": 0},
    ]
    rule = learn(WORKED)
    assert shown(rule) == [
        {"H1": 4, "null": 0},
        {"B": 2, "FONT": 1, "null": 1},
        {"UL": 1, "null": 3},
        {"LI": 4, "null": 0},
    ]
    assert [tags.total for tags in rule.sets] == [rule.examples] * 4


@pytest.mark.parametrize(
    ("path", "cost"),
    [
        ([H1, LI], Fraction(3, 4) + Fraction(1, 4)),  # two omissions
        # By the index alone, B and FONT together.
        ([H1, B, LI], Fraction(1, 4) + Fraction(1, 4)),
        ([H1, B, UL, LI], Fraction(1, 4) + Fraction(3, 4)),
        ([H1, TagItem("I", 1, 3), LI], Fraction(1, 4) + Fraction(1, 4)),
        ([H1, B, LI, B], 1 + Fraction(1, 4) + Fraction(1, 4)),  # an addition
        ([], 1 + Fraction(3, 4) + Fraction(1, 4) + 1),
    ],
)
def test_costs_of_the_worked_example(path: list[TagItem], cost: Fraction) -> None:
    assert learn(WORKED).cost(path) == cost


def test_tags_are_anonymous_from_the_third_example_on() -> None:
    other = [H1, TagItem("I", 1, 3), LI]
    assert learn([WORKED[0]] * 2).cost(other) == 1
    assert learn([WORKED[0]] * 3).cost(other) == 0


def test_every_node_costs_what_its_path_costs() -> None:
    page = tree(
        "<ul><li>one<b>two</b></li><li><i><b>three</b></i> four</li></ul><p><b>five</b></p><hr>"
    )
    rule = learn(page.tag_path(node) for node in (4, 8, 10, 13))
    costs = rule.costs(page)
    assert len(page) == 16
    assert [Fraction(int(cost), 4) for cost in costs] == [
        rule.cost(page.tag_path(node)) for node in range(len(page))
    ]


def test_the_nearest_node_is_chosen() -> None:
    first = tree("<div><h1>News</h1><p><b>Headline</b></p><p><b>Second</b></p></div>")
    nodes = [first.find(f"/html/body/div/p[{number}]/b") for number in (1, 2)]
    rule = learn(first.tag_path(node) for node in nodes if node is not None)
    second = tree("<div><h1>News</h1><p>Text</p><p><b>Other</b></p><p>Text</p></div>")
    chosen = rule.best_node(second, range(len(second)))
    assert chosen is not None
    assert (second.value(chosen[0]), chosen[1]) == ("Other", Fraction(1, 2))
    assert second.path(chosen[0]) == "/html[1]/body[1]/div[1]/p[2]/b[1]"


def test_a_page_without_text_has_no_text_to_choose() -> None:
    page = tree("<p><img></p>")
    rule = learn([page.tag_path(len(page) - 1)])
    assert rule.best_node(page, page.text_nodes) is None
    chosen = rule.best_node(page, range(len(page)))
    assert chosen is not None
    assert chosen[1] == 0
