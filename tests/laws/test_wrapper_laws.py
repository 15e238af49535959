"""What holds of rules for any pages and any examples."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from crawler.core.page.page import Page
from crawler.core.wrapper.example_nodes import (
    Example,
    example_of_nodes,
    example_of_values,
)
from crawler.core.wrapper.features import FEATURES
from crawler.core.wrapper.paper_method import PaperRule
from crawler.core.wrapper.project import MATCHERS, Element, Project, new_project, new_rule
from crawler.core.wrapper.project_file import read_project, write_project
from crawler.core.wrapper.rules import BestRule, RecordRule, example_of_records
from crawler.core.wrapper.tree import TEXT_NODE, PageTree, TagItem, read_tree
from crawler.core.wrapper.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PIECES = [
    *("<div class=a>", "<div id=b>", "</div>", "<ul>", "<li>", "</li>", "</ul>", "<br>"),
    *("<table>", "<tr>", "<td>", "</table>", "<tbody>", "<b>", "</b>", "<a href=/x/1>", "</a>"),
    *("<h1>", "</h1>", "<script>x</script>", "<p>", "Price:", "$5", "word", "two words", ","),
]
pages = st.lists(st.sampled_from(PIECES), min_size=1, max_size=40).map(
    lambda pieces: read_tree(
        Page.from_text("https://site.example/", f"<p>text</p>{''.join(pieces)}")
    )
)


def learn(paths: Iterable[Sequence[TagItem]]) -> PaperRule:
    return reduce(PaperRule.learn_more, paths, PaperRule())


def draw_examples(data: st.DataObject, most: int = 4) -> list[tuple[PageTree, Example]]:
    found = []
    for tree in data.draw(st.lists(pages, min_size=1, max_size=most)):
        nodes = data.draw(st.lists(st.sampled_from(tree.text_nodes), max_size=2, unique=True))
        found.append((tree, example_of_nodes(View(tree), nodes)))
    return found


def places(rule: BestRule, tree: PageTree) -> list[tuple[int, float]]:
    return [(match.node, match.confidence) for match in rule.matches(View(tree))]


@given(st.lists(pages, min_size=1, max_size=4), st.data())
def test_published_costs_are_never_negative_and_are_those_of_the_paths(
    trees: list[PageTree], data: st.DataObject
) -> None:
    rule = learn(tree.tag_path(data.draw(st.sampled_from(range(len(tree))))) for tree in trees)
    assert all(tags.total == rule.examples == len(trees) for tags in rule.sets)
    costs = rule.costs(trees[0])
    assert costs.min() >= 0
    assert [Fraction(int(cost), rule.examples) for cost in costs] == [
        rule.cost(trees[0].tag_path(node)) for node in range(len(trees[0]))
    ]


def evidence_of(view: View, node: int) -> tuple[str, ...]:
    return tuple(feature.read(view, node) for feature in FEATURES)


@given(pages, st.data())
def test_the_only_example_of_a_published_rule_costs_nothing(
    tree: PageTree, data: st.DataObject
) -> None:
    node = data.draw(st.sampled_from(range(len(tree))))
    rule = learn([tree.tag_path(node)])
    assert rule.cost(tree.tag_path(node)) == 0
    nodes = [
        each
        for each in range(len(tree))
        if (tree.elements[each] is None) == (tree.elements[node] is None)
    ]
    assert rule.best_node(tree, nodes) == (node, Fraction(0))


@given(pages, st.data())
def test_the_only_example_of_a_best_rule_costs_nothing(tree: PageTree, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from(tree.text_nodes))
    view = View(tree)
    rule = BestRule.learn([example_of_nodes(view, [node])])
    (team,) = rule.groups
    assert team[0].cost(evidence_of(view, node)) == 0
    (match,) = rule.matches(view, remember=False)
    assert (match.cost, match.confidence) == (0, 1)


@given(st.data())
def test_best_costs_are_never_negative_and_confidence_is_a_share(data: st.DataObject) -> None:
    taught = draw_examples(data)
    rule = BestRule.learn(example for _, example in taught)
    other = View(data.draw(pages))
    for variant in (variant for team in rule.groups for variant in team):
        for run in other.tree.text_nodes:
            cost = variant.cost(evidence_of(other, run))
            assert cost >= 0
            assert 0 <= variant.confidence(cost) <= 1


@given(st.data())
def test_a_best_rule_finds_the_nodes_of_its_own_examples(data: st.DataObject) -> None:
    taught = draw_examples(data)
    rule = BestRule.learn(example for _, example in taught)
    for tree, example in taught:
        found = {match.node for match in rule.matches(View(tree))}
        wanted = {
            View(tree).find(sighting.path) for value in example.values for sighting in value.nodes
        }
        assert wanted <= found


@given(st.data())
def test_the_order_of_merging_does_not_matter(data: st.DataObject) -> None:
    taught = draw_examples(data)
    examples = [example for _, example in taught]
    shuffled = data.draw(st.permutations(examples))
    rule = BestRule.learn(examples)
    other = BestRule.learn(())
    for example in shuffled:
        other = other.learn_more([example])
    assert other == rule
    for tree in (data.draw(pages), *(tree for tree, _ in taught)):
        assert places(rule, tree) == places(other, tree)


@given(st.lists(pages, min_size=1, max_size=3), st.data())
def test_records_do_not_overlap_and_do_not_depend_on_the_order(
    trees: list[PageTree], data: st.DataObject
) -> None:
    examples = []
    for tree in trees:
        elements = [node for node in range(len(tree)) if tree.elements[node] is not None]
        nodes = data.draw(st.lists(st.sampled_from(elements), min_size=1, max_size=3, unique=True))
        whole = data.draw(st.booleans())
        examples.append(example_of_records(View(tree), nodes, whole=whole))
    rule = RecordRule.learn(examples)
    assert RecordRule.learn(reversed(examples)) == rule
    for tree in trees:
        found = [record.node for record in rule.matches(View(tree))]
        ends = [tree.ends[node] for node in found]
        assert all(end <= node for end, node in zip(ends[:-1], found[1:], strict=True))


@given(st.data(), st.sampled_from(sorted(MATCHERS)))
def test_a_project_file_gives_the_project_back(data: st.DataObject, matcher: str) -> None:
    schema = Element("page", "group", elements=(Element("value", repeat=True),))
    project: Project = new_project(schema, matcher=matcher)
    rule = new_rule(matcher)
    rule = rule.learn_more(example for _, example in draw_examples(data, most=2))
    project = project.with_rule("value", rule)
    text = write_project(project)
    again = read_project(text)
    assert again == project
    assert write_project(again) == text


@given(pages, st.data())
def test_a_value_that_a_page_says_is_found_by_the_rule_learned_from_it(
    tree: PageTree, data: st.DataObject
) -> None:
    value = tree.texts[data.draw(st.sampled_from(tree.text_nodes))]
    rule = BestRule.learn([example_of_values(View(tree), [value])])
    assert {(match.value, match.kind) for match in rule.matches(View(tree), remember=False)} == {
        (value, TEXT_NODE)
    }
