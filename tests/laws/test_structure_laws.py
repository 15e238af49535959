from __future__ import annotations

from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from crawler.core.errors import ModelError, UnreadablePageError
from crawler.core.flow import Document, Page, read
from crawler.core.structure.medl import parse_model
from crawler.core.structure.model import Automaton, Element, Model, Particle, Rule, eased
from crawler.core.structure.structure import structure_names, structure_of
from crawler.core.structure.tree import Node, implied_dtd
from crawler.evaluation.tree_distance import distance
from crawler.store.document_models import load_model, model_names

NAMES = ("a", "b", "c", "d", "e")
OCCURS = st.sampled_from(("", "?", "+", "*"))
LEAVES = st.builds(Particle, st.just("name"), OCCURS, st.sampled_from(NAMES))


def groups(inner: st.SearchStrategy[Particle]) -> st.SearchStrategy[Particle]:
    parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
    kinds = st.sampled_from(("sequence", "choice", "all"))
    return st.builds(
        lambda kind, occurs, parts: Particle(kind, occurs, "", parts), kinds, OCCURS, parts
    )


PARTICLES = st.recursive(LEAVES, groups, max_leaves=8)


@st.composite
def models(draw: st.DrawFn) -> Model:
    elements = {"r": Element("r", draw(PARTICLES))}
    for name in NAMES:
        kind = draw(st.sampled_from(("none", "text", "any", "empty", "mixed", "optional")))
        if kind == "text":
            elements[name] = Element(name, holds_text=True)
        elif kind == "any":
            elements[name] = Element(name, holds_text=True, holds_any=True)
        elif kind == "empty":
            elements[name] = Element(name)
        elif kind in ("mixed", "optional"):
            parts = tuple(Particle("name", name=each) for each in ("a", "e"))
            content = Particle("choice", "*", parts=parts)
            elements[name] = Element(name, content, holds_text=kind == "mixed")
    named = st.sampled_from((*NAMES, "r")).filter(lambda name: name in Model(elements, ()).names)
    words = st.lists(
        st.sampled_from(("alpha", "beta:", "PhD", "NY", "감자")), min_size=1, unique=True
    )
    rules = draw(st.lists(st.builds(Rule, named, words.map(tuple)), max_size=4))
    return Model(elements, tuple(rules))


TAGS = st.sampled_from(("p", "h1", "h2", "li", "td", "b", "dt", "dd", "div", "font size=5", "u",
                        "ul", "table", "tr", "br", "th", "pre", "/div", "/p"))  # fmt: skip
WORDS = st.sampled_from(("alpha", "beta:", "Ph.D.", "NY", "감자", "x, y", "1999", ";", "x < y",
                         "a@b.org", "&amp;", "Education", "\ufffe", "\x0b", "e\u0301"))  # fmt: skip
MARKUP = st.lists(
    st.one_of(TAGS.map(lambda tag: f"<{tag}>"), WORDS.map(lambda word: f" {word} ")), max_size=40
).map("".join)


def document(markup: str) -> Document | None:
    try:
        return read(Page.from_text("https://law.example/", f"<html><body>{markup}</body></html>"))
    except UnreadablePageError:
        return None


def said(xml: str) -> str:
    tree = etree.fromstring(xml.encode("utf-8"))
    texts = (each.get("val") or each.get("title") or each.text or "" for each in tree.iter())
    return "".join("".join(text.split()) for text in texts)


@given(models(), MARKUP, st.sampled_from(structure_names()))
def test_any_result_is_valid_and_keeps_all_text_in_order(
    model: Model, markup: str, method: str
) -> None:
    page = document(markup)
    if page is None:
        return
    xml = structure_of(page, model, method).xml()
    dtd = etree.DTD(StringIO(implied_dtd(model)))
    assert dtd.validate(etree.fromstring(xml.encode("utf-8"))), dtd.error_log
    wanted = "".join("".join(block.text.split()) for block in page.blocks)
    assert said(xml) == "".join(char for char in wanted if char not in "\ufffe\x0b")


@given(st.sampled_from(model_names()), MARKUP)
def test_the_models_of_the_project_take_any_page(name: str, markup: str) -> None:
    page = document(markup)
    if page is None:
        return
    model = load_model(name)
    xml = structure_of(page, model).xml(doctype=True)
    parser = etree.XMLParser(dtd_validation=True, no_network=True)
    assert etree.fromstring(xml.encode("utf-8"), parser) is not None


@given(st.text(alphabet="<!ELEMENT(a|b,c&d)*?+>KYWORD\"'#PCDATA \n-", max_size=60))
def test_any_text_is_a_model_or_an_error_with_a_place(text: str) -> None:
    line, column = 1, 1
    try:
        parse_model(text)
    except ModelError as error:
        line, column = error.line, error.column
    lines = text.split("\n")
    assert 1 <= line <= len(lines)
    assert 1 <= column <= len(lines[line - 1]) + 1


@given(PARTICLES, st.lists(st.sampled_from(NAMES), max_size=8))
def test_the_nearest_children_are_taken_by_the_content_model(
    content: Particle, children: list[str]
) -> None:
    automaton = Automaton(eased(content))
    steps, tail = automaton.nearest(children)
    kept: list[str] = []
    for child, step in zip(children, steps, strict=True):
        kept += [*step.missing, *([child] if step.taken else [])]
    assert automaton.accepts([*kept, *tail])
    if automaton.accepts(children):
        assert all(step.taken and not step.missing for step in steps)
        assert tail == ()


TREES = st.recursive(
    st.builds(Node, st.sampled_from(("x", "y"))),
    lambda inner: st.builds(
        Node, st.sampled_from(("x", "y")), st.just(""), st.lists(inner, max_size=3)
    ),
    max_leaves=8,
)


def apart(one: Node, two: Node) -> float:
    found = distance(one, two, lambda node: node.name)
    assert found is not None
    return found


def size(tree: Node) -> int:
    return sum(1 for _ in tree.walk())


@given(TREES, TREES, TREES)
def test_the_distance_of_trees_is_a_distance(one: Node, two: Node, three: Node) -> None:
    assert apart(one, one) == 0
    assert apart(one, two) == apart(two, one)
    assert apart(one, three) <= apart(one, two) + apart(two, three)
    assert abs(size(one) - size(two)) <= apart(one, two) <= size(one) + size(two)


@given(TREES)
def test_a_node_more_is_one_step(tree: Node) -> None:
    assert apart(tree, Node("z", "", [tree])) == 1
    assert apart(tree, Node(tree.name, "", [*tree.children, Node("z")])) == 1
