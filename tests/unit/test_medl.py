from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from crawler.core.errors import ModelError
from crawler.core.flow import Page, read
from crawler.core.structure.medl import parse_model
from crawler.core.structure.model import Automaton, Particle, eased
from crawler.core.structure.structure import structure_of
from crawler.core.structure.tree import implied_dtd
from crawler.journey.item_page import Figures
from crawler.journey.stages import Structure
from crawler.settings import Options
from support.pace import within

if TYPE_CHECKING:
    from pathlib import Path

RESUME = """
<!-- after figure 2 -->
<!ELEMENT Resume (Education | Experience)*>
<!ELEMENT Education (Degree, (Organization | Date)*)>
<!ELEMENT Experience (Company & Date?)>
<!ELEMENT Company (City)>
<!ELEMENT City (#PCDATA)>
<!KEYWORD Education KEYTOKENS "education educational">
<!KEYWORD Degree KEYTOKENS "ph.d. m.s." KEYPATTERN "\\b[bm]\\.?sc\\b">
<!KEYWORD Company KEYTOKENS 'inc "&" ltd'>
"""


def test_a_model_says_what_may_stand_where() -> None:
    model = parse_model(RESUME)
    assert model.root == "Resume"
    assert model.names == (
        "Resume", "Education", "Experience", "Degree", "Organization", "Date", "Company", "City",
    )  # fmt: skip
    assert model.children("Education") == {"Degree", "Organization", "Date"}
    assert model.children("City") == frozenset()
    assert model.below("Experience") == {"Company", "Date", "City"}
    assert model.lacking("Education", []) == ["Degree"]
    assert model.lacking("Experience", []) == ["Company"]
    assert model.lacking("Resume", []) == []
    assert model.may_repeat("Education", "Date")
    assert not model.may_repeat("Experience", "Date")


def test_keywords_are_read_with_their_tokens_patterns_and_roles() -> None:
    source = RESUME + '<!KEYWORD City KEYROLE "title heading">'
    education, degree, company, city = parse_model(source).rules
    assert education.tokens == ("education", "educational")
    assert degree.pattern is not None
    assert degree.pattern.pattern == r"\b[bm]\.?sc\b"
    assert company.tokens == ("inc", '"&"', "ltd")
    assert city.roles == ("title", "heading")


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("", 1, 1),
        ("<!ELEMENT a (b,c|d)>", 1, 17),
        ("<!ELEMENT a\n  (b, c", 2, 8),
        ("<!ELEMENT a b>", 1, 13),
        ("<!ELEMENT a (a)>", 1, 11),
        ("<!ELEMENT a (PCDATA)>", 1, 14),
        ("<!ELEMENT 이름 (#PCDATA)>", 1, 11),
        ("<?xml version='1.0'?>", 1, 1),
        ("<!ELEMENT a (b)>\n<!ELEMENT b (a+)>", 1, 11),
        ("<!ELEMENT a (b)*>\n<!ELEMENT a EMPTY>", 2, 11),
        ("<!ELEMENT TEXT (a)*>", 1, 11),
        ("<!ELEMENT xmlish (a)*>", 1, 11),
        ("<!ELEMENT a:b:c (a)*>", 1, 11),
        ("<!ELEMENT a (b)*> ?", 1, 19),
        ("<!ELEMENT a (b)*> %", 1, 19),
        ("<!ATTLIST a b CDATA>", 1, 3),
        ("<!-- never", 1, 1),
        ("<!ELEMENT a (b | #PCDATA)*>", 1, 18),
        ("<!ELEMENT a (#PCDATA, b)*>", 1, 21),
        ("<!ELEMENT a (#PCDATA | b)>", 1, 13),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b>", 2, 1),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYTOKENS 'x>", 2, 23),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYTOKENS x>", 2, 23),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYWORDS 'x'>", 2, 13),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYTOKENS 'x' KEYTOKENS 'y'>", 2, 27),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYROLE 'title hero'>", 2, 28),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYPATTERN 'x(y'>", 2, 26),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYPATTERN 'x{1,4444444444}'>", 2, 24),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYPATTERN 'x?'>", 2, 24),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYPATTERN 'x(a+)+b'>", 2, 26),
        (r"<!ELEMENT a (b)*><!KEYWORD b KEYPATTERN '(?:\w+\s?)*@'>", 1, 42),
        ("<!ELEMENT a (b)*><!KEYWORD b KEYPATTERN '(a|a)*b'>", 1, 42),
        ("<!ELEMENT a (b)*><!KEYWORD b KEYPATTERN 'x(?:ab|a?c)+d'>", 1, 43),
        ("<!ELEMENT a (b)*><!KEYWORD b KEYPATTERN '(,a+|b+){2,50}c'>", 1, 42),
        ("<!ELEMENT a (b)*><!KEYWORD b KEYPATTERN '(,(a|a))*b'>", 1, 41),
        ("<!ELEMENT a (b)*><!KEYWORD b KEYPATTERN '((a+))+b'>", 1, 41),
        (f"<!ELEMENT a (b)*><!KEYWORD b KEYPATTERN '{2001 * 'a'}'>", 1, 41),
        ("<!ELEMENT a " + 50 * "(", 1, 53),
    ],
)  # fmt: skip
def test_an_error_names_file_line_and_column(source: str, line: int, column: int) -> None:
    with pytest.raises(ModelError) as raised:
        parse_model(source, "my.medl")
    assert (raised.value.line, raised.value.column) == (line, column)
    assert str(raised.value).startswith(f"my.medl, line {line}, column {column}: ")


@pytest.mark.parametrize(
    "pattern",
    [r"(?:jan|feb|mar)+ \d+", r"\d+(?:,\s*\d+)*", r"((?:mon|tue),\s?)+at", r"\(x|x\)*y",
     "(a|ab)c", "(?:mon|may){2}"],
)  # fmt: skip
def test_patterns_that_match_a_text_in_few_ways_are_taken(pattern: str) -> None:
    model = parse_model(f"<!ELEMENT a (b)*><!KEYWORD b KEYPATTERN '{pattern}'>")
    assert [each.pattern for _, each in model.patterns] == [pattern]


def test_of_many_unknown_names_the_first_are_in_warnings() -> None:
    keywords = "".join(f"<!KEYWORD z{number} KEYTOKENS 'x'>" for number in range(30))
    warnings = parse_model(f"<!ELEMENT a (b)*>{keywords}", "my.medl").warnings
    assert len(warnings) == 21
    assert "'z19'" in warnings[19]
    assert warnings[20] == "my.medl: there are more than 20 names with such keywords"


def test_keywords_of_a_name_that_is_no_element_are_a_warning_and_are_left_out() -> None:
    source = (
        "<!ELEMENT cv (Degree | Jobtype)*>\n<!KEYWORD Degre KEYTOKENS 'x'>\n"
        "<!KEYWORD JobType KEYTOKENS 'tutor'>\n<!KEYWORD Degre KEYTOKENS 'y'>"
    )
    model = parse_model(source, "my.medl")
    assert [(rule.element, rule.tokens) for rule in model.rules] == [("Jobtype", ("tutor",))]
    left_out, taken = model.warnings
    assert left_out == (
        "my.medl, line 2: there are keywords of 'Degre', and no element of that name (did you mean "
        "'Degree'?): they are left out; put it into what an element may hold, or correct the name"
    )
    assert taken == (
        "my.medl, line 3: there are keywords of 'JobType', and no element of that name: they are "
        "taken for those of 'Jobtype'; write both names alike"
    )
    assert parse_model(RESUME).warnings == ()


def test_a_crawl_logs_what_is_wrong_with_its_model_when_it_starts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "my.medl"
    path.write_text("<!ELEMENT a (b)*>\n<!KEYWORD c KEYTOKENS 'x'>", "utf-8")
    Structure(Options(structure_model=str(path)), Figures())
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{path}, line 2: there are keywords of 'c', and no ")


def test_the_implied_dtd_takes_what_the_model_takes() -> None:
    dtd = etree.DTD(StringIO(implied_dtd(parse_model(RESUME))))
    good = (
        "<Education><TEXT val='x'/><Degree val='Ph.D.'/><Date/><GROUP title='y'/></Education>",
        "<Experience><Date/><Company><City>Oslo</City></Company></Experience>",
    )
    for text in good:
        assert dtd.validate(etree.fromstring(f"<Resume>{text}</Resume>")), dtd.error_log
    for text in ("<Education><Date/></Education>", "<Degree/>", "<Experience><City/></Experience>"):
        assert not dtd.validate(etree.fromstring(f"<Resume>{text}</Resume>"))


def test_names_with_a_prefix_are_declared_with_an_address() -> None:
    text = implied_dtd(parse_model("<!ELEMENT cv:resume (cv:part)*>"))
    assert '<!ATTLIST cv:resume xmlns:cv CDATA #FIXED "urn:medl:cv">' in text


def test_a_group_in_any_order_is_eased_to_what_xml_has_a_form_for() -> None:
    content = parse_model("<!ELEMENT r (a, (b & c?), d)>").elements["r"].content
    automaton = Automaton(eased(content))
    assert automaton.accepts(["a", "b", "c", "d"])
    assert automaton.accepts(["a", "c", "b", "d"])
    assert not automaton.accepts(["b", "a", "c", "d"])


def test_a_model_in_which_the_next_child_tells_nothing_is_eased_as_a_whole() -> None:
    content = parse_model("<!ELEMENT r (a*, a, b)>").elements["r"].content
    names = (Particle("name", name="a"), Particle("name", name="b"))
    assert eased(content) == Particle("choice", "*", parts=names)


def test_the_nearest_children_leave_out_and_put_in_as_little_as_can_be() -> None:
    content = parse_model("<!ELEMENT r (title, note?, step+)>").elements["r"].content
    automaton = Automaton(content)
    steps, tail = automaton.nearest(["note", "step", "title", "step"])
    assert [step.taken for step in steps] == [True, True, False, True]
    assert steps[0].missing == ("title",)
    assert tail == ()
    assert automaton.nearest([]) == ([], ("title", "step"))


def test_missing_elements_are_told_in_the_order_of_the_model() -> None:
    model = parse_model("<!ELEMENT r (a & b & c?)>")
    assert model.lacking("r", ["c"]) == ["a", "b"]
    assert model.lacking("r", ["b", "a"]) == []


WORD = '<!KEYWORD b KEYTOKENS "word">'


@pytest.mark.parametrize("step", [1, -1])
def test_sizes_of_a_chain_are_those_of_its_rest(step: int) -> None:
    declared = [f"<!ELEMENT e{number} (e{number - 1})>" for number in range(1, 100)][::step]
    sizes = parse_model(f"<!ELEMENT r (e0)>{''.join(declared)}").sizes
    assert [sizes[f"e{number}"] for number in (0, 50, 99)] == [1, 51, 100]


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
    ("source", "column"),
    [
        ("<!ELEMENT r (a)><!ELEMENT a (b | c)><!ELEMENT b (a)><!ELEMENT c (a)>", 11),
        ("<!ELEMENT r (x? | b)><!ELEMENT x (y | z)><!ELEMENT y (x)><!ELEMENT z (x)>", 14),
    ],
)
def test_choices_without_an_end_are_refused(source: str, column: int) -> None:
    with pytest.raises(ModelError) as raised:
        parse_model(source + WORD)
    assert raised.value.column == column


def test_what_grows_with_each_level_is_refused_at_once() -> None:
    doubled = "".join(f"<!ELEMENT a{n} (a{n + 1}, a{n + 1})>" for n in range(1_000))
    chain = "".join(f"<!ELEMENT a{n} (a{n + 1})>" for n in range(1_999))
    with within(2):
        with pytest.raises(ModelError, match=r"line 1, column 11: 'r' "):
            parse_model("<!ELEMENT r (a0)>" + doubled)
        with pytest.raises(ModelError, match=r"'a0' .* 1,999 elements"):
            parse_model(chain)


@pytest.mark.slow
def test_a_long_row_that_does_not_fit_takes_linear_time() -> None:
    names = [f"a{number}" for number in range(149)]
    model = parse_model(f"<!ELEMENT r ({', '.join(f'{name}?' for name in names)})>")
    content = model.elements["r"].content
    children = [names[number * 67 % 149] for number in range(2_000)]
    with within(5):
        steps, tail = Automaton(content).nearest(children)
    assert tail == ()
    taken = [child for child, step in zip(children, steps, strict=True) if step.taken]
    assert Automaton(content).accepts(taken)


def test_a_pattern_of_many_odd_sets_is_looked_at_at_once() -> None:
    pattern = r"([01]?\d" + r"|2[]?\d" * 30 + ")[:.]"
    with within(2):
        model = parse_model(f'<!ELEMENT slot (#PCDATA)>\n<!KEYWORD slot KEYPATTERN "{pattern}">')
    assert [rule.element for rule in model.rules] == ["slot"]


def test_headings_of_very_many_sizes_do_not_nest_without_end() -> None:
    html = "".join(
        f"<p style='font-weight:bold;font-size:{9_000 - number}px'>Head {number}</p>"
        "<p>text of it</p>"
        for number in range(1_000)
    )
    model = parse_model(f"<!ELEMENT r (b)*>{WORD}")
    with within(5):
        found = structure_of(read(Page.from_text("https://a.example/", html)), model)
    # XML that nests deeper than 256 is refused by readers.
    assert etree.fromstring(found.xml().encode()).xpath("count(.//GROUP)") == 1_000
