from __future__ import annotations

from io import StringIO

import pytest
from lxml import etree

from crawler.core.errors import ModelError
from crawler.core.flow import Page, read
from crawler.core.structure.content import Automaton
from crawler.core.structure.medl import parse_model
from crawler.core.structure.structure import structure_of
from crawler.core.structure.tree import implied_dtd
from support.pace import within

WORD = '<!KEYWORD b KEYTOKENS "word">'


def test_sizes_are_the_least_with_all_below() -> None:
    model = parse_model(
        "<!ELEMENT r (a, b+, c?)><!ELEMENT a ((b, b, b) | d)><!ELEMENT d (b)>"
        "<!ELEMENT c (r)><!ELEMENT b (#PCDATA)>"
    )
    assert model.sizes == {"r": 5, "a": 3, "b": 1, "c": 6, "d": 2}
    assert model.least("r") == ("a", "b")
    assert model.least("a") == ("d",)
    assert model.least("b") == ()


@pytest.mark.parametrize(
    "content",
    ["(a | b)", "((a, b) | (b, b))", "((a, a) | b)+"],
)
def test_an_element_that_may_hold_itself_is_put_in_with_an_end(content: str) -> None:
    model = parse_model(f"<!ELEMENT r (a)><!ELEMENT a {content}><!ELEMENT b (#PCDATA)>{WORD}")
    page = Page.from_text("https://a.example/", "<p>some other text</p>")
    document = etree.fromstring(structure_of(read(page), model).xml().encode())
    assert len(document.findall(".//a")) == 1
    assert etree.DTD(StringIO(implied_dtd(model))).validate(document)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("<!ELEMENT r (a)><!ELEMENT a (b | c)><!ELEMENT b (a)><!ELEMENT c (a)>", "'r' always has"),
        (
            "<!ELEMENT r (x? | b)><!ELEMENT x (y | z)><!ELEMENT y (x)><!ELEMENT z (x)>",
            "'x' always has",
        ),
    ],
)
def test_choices_without_an_end_are_refused(source: str, told: str) -> None:
    with pytest.raises(ModelError, match=f"{told} to hold '.', and so without end"):
        parse_model(source + WORD)


def test_what_grows_with_each_level_is_refused_at_once() -> None:
    doubled = "".join(f"<!ELEMENT a{n} (a{n + 1}, a{n + 1})>" for n in range(1_000))
    chain = "".join(f"<!ELEMENT a{n} (a{n + 1})>" for n in range(1_999))
    with within(2):
        with pytest.raises(ModelError, match=r"line 1, column 11: 'r' .* more than 1,000,000,000 "):
            parse_model("<!ELEMENT r (a0)>" + doubled)
        with pytest.raises(ModelError, match="'a0' always has to hold 1,999 elements"):
            parse_model(chain)


def test_a_long_row_that_does_not_fit_takes_linear_time() -> None:
    names = [f"a{number}" for number in range(149)]
    model = parse_model(f"<!ELEMENT r ({', '.join(f'{name}?' for name in names)})>")
    content = model.elements["r"].content
    assert content is not None
    children = [names[number * 67 % 149] for number in range(2_000)]
    with within(5):
        steps, tail = Automaton(content).nearest(children)
    assert tail == ()
    taken = [child for child, step in zip(children, steps, strict=True) if step.taken]
    assert Automaton(content).accepts(taken)


def test_headings_of_very_many_sizes_do_not_nest_without_end() -> None:
    html = "".join(
        f"<p style='font-weight:bold;font-size:{9_000 - number}px'>Head {number}</p>"
        "<p>text of it</p>"
        for number in range(4_000)
    )
    model = parse_model(f"<!ELEMENT r (b)*>{WORD}")
    with within(5):
        found = structure_of(read(Page.from_text("https://a.example/", html)), model)
    # XML that nests deeper than 256 is refused by readers.
    assert etree.fromstring(found.xml().encode()).xpath("count(.//GROUP)") == 4_000
