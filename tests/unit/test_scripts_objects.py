"""What a script sees of a page, and what it can make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import ArgumentError
from crawler.core.page.page import Page
from crawler.core.wrapper.output import Node
from crawler.core.wrapper.output_forms import as_xml
from crawler.core.wrapper.tree import read_tree
from crawler.scripting.calls import NodeArgument, ScriptError, ScriptResult
from crawler.scripting.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKUP = (
    '<html><body><h1 id="top" class="a b">Night <b>train</b>s</h1>'
    '<p lang="ko">\u200b밤  기차</p><p>Two\n😀</p><o:p x:y="1">odd</o:p></body></html>'
)
TREE = read_tree(Page.from_text("https://blog.example/", MARKUP))
PAGE = TREE
HEADING = next(node for node in range(len(TREE)) if TREE.names[node] == "h1")
FIRST, SECOND = (node for node in range(len(TREE)) if TREE.names[node] == "p")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def said(sandbox: Sandbox, body: str, *arguments: int) -> tuple[str, ...]:
    script = f"function main(a, b) {{ const say = system.Debug; {body} }}"
    return sandbox.run(script, PAGE, [NodeArgument(number) for number in arguments]).debug


def refused(sandbox: Sandbox, body: str) -> ScriptError:
    with pytest.raises(ScriptError) as caught:
        sandbox.run(f"function main() {{\n  {body}\n}}", PAGE)
    return caught.value


def test_every_value_is_what_the_page_says(sandbox: Sandbox) -> None:
    walk = (
        "const all = []; for (let at = htree.root; at !== null;) { say(at.name + ' ' + at.value);"
        " if (at.firstChild) { at = at.firstChild; continue; }"
        " while (at && !at.nextSibling) at = at.parent; at = at && at.nextSibling; }"
    )
    expected = [f"{name} {TREE.value(node)}" for node, name in enumerate(TREE.names)]
    assert said(sandbox, walk) == tuple(expected)


def test_nodes_are_linked_both_ways(sandbox: Sandbox) -> None:
    body = (
        "say(a.nextSibling === b); say(b.prevSibling === a); say(a.parent.firstChild === a);"
        "say(b.parent.lastChild.prevSibling === b); say(htree.root.parent); say(a.prevSibling);"
    )
    first = said(sandbox, body, HEADING, FIRST)
    assert first == ("true", "true", "true", "false", "null", "null")


def test_attributes_are_nodes(sandbox: Sandbox) -> None:
    body = (
        "const id = a.firstAttribute; say(id.name + '=' + id.value); say(id.parent === a);"
        "say(id.nextSibling === a.lastAttribute); say(a.lastAttribute.prevSibling === id);"
        "say(id.prevSibling); say(id.firstChild); say(b.firstChild.firstAttribute);"
    )
    assert said(sandbox, body, HEADING, FIRST) == (
        "id=top", "true", "true", "true", "null", "null", "null",
    )  # fmt: skip


def test_main_gets_nodes_attributes_lists_and_null(sandbox: Sandbox) -> None:
    result = sandbox.run(
        "const main = (...all) => { for (const its of all) system.Debug("
        "its === null ? 'null' : Array.isArray(its) ? its.length : its.value); }",
        PAGE,
        [
            NodeArgument(FIRST),
            NodeArgument(FIRST, "lang"),
            NodeArgument(FIRST, "href"),
            None,
            (NodeArgument(FIRST), NodeArgument(SECOND)),
        ],
    )
    assert result.debug == ("밤 기차", "ko", "null", "null", "2")


def test_output_is_added_by_value_and_by_node(sandbox: Sandbox) -> None:
    result = sandbox.run(
        "function main(heading, text) {"
        " const book = xtree.root.Add('book', null);"
        " book.Add('title', heading); book.Add('text', text.value);"
        " book.Add('price', 1.5); book.Add('new', true).value = false; book.Add('copy', text);"
        " book.Add('language', text.firstAttribute); }",
        PAGE,
        [NodeArgument(HEADING), NodeArgument(FIRST)],
    )
    (book,) = result.output.children
    title, text, price, new, copy, language = book.children
    assert [(its.name, its.value) for its in title.children] == [
        ("#text", "Night"), ("b", "train"), ("#text", "s"),
    ]  # fmt: skip
    assert (title.value, title.source) == (None, TREE.path(HEADING))
    assert title.attributes == (("id", "top"), ("class", "a b"))
    assert text == Node("text", "밤 기차")
    assert (price.value, new.value) == (1.5, False)
    assert copy == Node("copy", "밤 기차", source=TREE.path(FIRST), attributes=(("lang", "ko"),))
    assert language == Node("language", "ko", source=TREE.path(FIRST))


def test_a_node_is_added_by_its_own_name_and_a_text_without_one(sandbox: Sandbox) -> None:
    result = sandbox.run(
        "function main(heading, text, odd) {"
        " const all = xtree.root.Add('all'); all.Add(heading); all.Add(text, null);"
        " all.Add(text.firstChild); all.Add(text.firstAttribute); all.Add(odd);"
        " all.Add(null, 'plain'); all.Add('#text', 2); xtree.root.Add(all); }",
        PAGE,
        [NodeArgument(node) for node in (HEADING, FIRST, TREE.names.index("o:p"))],
    )
    made, copy = result.output.children
    assert [(its.name, its.value, its.source) for its in made.children] == [
        ("h1", None, TREE.path(HEADING)), ("p", "밤 기차", TREE.path(FIRST)),
        ("#text", "밤 기차", f"{TREE.path(FIRST)}/#text[1]"), ("lang", "ko", TREE.path(FIRST)),
        ("o_p", "odd", "/html[1]/body[1]/o:p[1]"), ("#text", "plain", ""), ("#text", 2, ""),
    ]  # fmt: skip
    assert [its.name for its in made.children[0].children] == ["#text", "b", "#text"]
    assert [its.name for its in copy.children] == [its.name for its in made.children]
    assert as_xml(made).endswith('<o_p x_y="1">odd</o_p>plain2</all>\n'.replace(' x_y="1"', ""))


def test_names_of_copied_elements_are_made_names_of_xml(sandbox: Sandbox) -> None:
    output = sandbox.run("function main() { xtree.root.Add('all', htree.root); }", PAGE).output
    waiting, names = [output], []
    while waiting:
        node = waiting.pop()
        names += [node.name, *(name for name, _ in node.attributes)]
        waiting += node.children
    assert "o_p" in names
    assert "x_y" in names


def test_output_that_was_there_is_kept_and_can_be_added_to(sandbox: Sandbox) -> None:
    name = Node("name", "Corner", confidence=0.5, source="/html[1]")
    given = Node("shop", children=(name, Node("id", 2**60, confidence=0.75)))
    result = sandbox.run(
        "function main() { const name = xtree.root.firstChild; name.Add('x', xtree.root);"
        " name.value += '!'; }",
        PAGE,
        output=given,
    )
    name, number = result.output.children
    assert (name.value, name.confidence, name.source) == ("Corner!", 0.5, "/html[1]")
    assert (number.value, number.confidence) == (str(2**60), 0.75)
    (copy,) = name.children
    assert [its.value for its in copy.children] == ["Corner", str(2**60)]
    assert [its.confidence for its in (copy, *copy.children)] == [1, 1, 1]


def test_addresses_and_files_are_asked_for_and_not_touched(sandbox: Sandbox) -> None:
    result = sandbox.run(
        "function main() { htree.AddUrl(system.args(0)); xtree.Save('/etc/' + system.args(1));"
        " system.Debug(system.args(2)); }",
        PAGE,
        args=["https://blog.example/2", "naïve 😀"],
    )
    assert result == ScriptResult(
        Node("output"),
        debug=("undefined",),
        urls=("https://blog.example/2",),
        saves=("/etc/naïve 😀",),
    )


def test_half_a_character_is_replaced(sandbox: Sandbox) -> None:
    assert said(sandbox, r"say('a\ud83d'); say('\ud83d' + '\ude00');") == ("a\ufffd", "😀")


def test_a_script_leaves_nothing_to_the_next(sandbox: Sandbox) -> None:
    sandbox.run("var kept = 1; String.prototype.kept = 2; function main() {}", PAGE)
    assert said(sandbox, "say(typeof kept); say(''.kept);") == ("undefined", "undefined")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("htree.root.value = 'x';", "nodes of the page cannot be changed"),
        ("htree.root.Add('x', 1);", "nodes of the page cannot be changed"),
        ("xtree.root.Add('a b', 1);", "cannot be the name of an element"),
        ("xtree.root.Add('a', NaN);", "a finite number"),
        ("xtree.root.Add('a', {});", "not object"),
        ("xtree.root.Add({});", "cannot be the name of an element"),
        ("htree.AddUrl(system.args(0));", "the address for htree.AddUrl must be a text"),
        ("xtree.Save('');", "the file for xtree.Save must be a text"),
        ("for (let at = xtree.root;;) at = at.Add('a');", "100 elements deep"),
    ],
)
def test_wrong_calls_are_told_where_the_script_makes_them(
    sandbox: Sandbox, body: str, message: str
) -> None:
    error = refused(sandbox, body)
    assert message in error.detail
    assert (error.reason, error.line) == ("exception", 2)


def test_nothing_of_the_system_is_there(sandbox: Sandbox) -> None:
    names = "require process std os fetch XMLHttpRequest print console WebAssembly Worker python"
    checks = "".join(f"say(typeof {name});" for name in names.split())
    assert set(said(sandbox, checks)) == {"undefined"}


def test_names_of_all_languages_are_names(sandbox: Sandbox) -> None:
    script = "function main() { for (const its of system.args(0).split(' ')) xtree.root.Add(its); }"
    names = "가격 prix_é Größe 値段 a-1.b 𠀀"
    output = sandbox.run(script, PAGE, args=[names]).output
    assert [node.name for node in output.children] == names.split()
    assert "가격" in as_xml(output)
    for name in ["1a", "a b", "a:b", "-a", "²", ""]:
        with pytest.raises(ScriptError, match="cannot be the name of an element"):
            sandbox.run("function main() { xtree.root.Add(system.args(0)); }", PAGE, args=[name])


def test_nodes_are_made_by_add_alone(sandbox: Sandbox) -> None:
    kinds = "say(Object.hasOwn(Object.getPrototypeOf(its), 'constructor'));"
    body = f"for (const its of [a, a.firstAttribute, xtree.root]) {kinds}"
    assert said(sandbox, body, HEADING) == ("false",) * 3


def test_nodes_that_are_not_there_are_refused(sandbox: Sandbox) -> None:
    with pytest.raises(ArgumentError, match=f"the page has no node {len(TREE)}"):
        sandbox.run("function main() {}", PAGE, [NodeArgument(len(TREE))])


def test_an_output_tree_that_is_too_deep_is_refused(sandbox: Sandbox) -> None:
    node = Node("a")
    for _ in range(101):
        node = Node("a", children=(node,))
    with pytest.raises(ArgumentError, match="more than 100 elements deep"):
        sandbox.run("function main() {}", PAGE, output=node)
