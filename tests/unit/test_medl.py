from __future__ import annotations

from io import StringIO

import pytest
from lxml import etree

from crawler.core.errors import ModelError
from crawler.core.structure.automaton import Automaton, eased
from crawler.core.structure.dtd import implied_dtd, lacking
from crawler.core.structure.medl import parse_model, write_model
from crawler.core.structure.model import Particle

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
    assert model.required("Education") == {"Degree"}
    assert model.required("Experience") == {"Company"}
    assert model.required("Resume") == frozenset()
    assert model.may_repeat("Education", "Date")
    assert not model.may_repeat("Experience", "Date")


def test_keywords_are_read_with_their_tokens_patterns_and_roles() -> None:
    source = RESUME + '<!KEYWORD City KEYROLE "title heading">'
    education, degree, company, city = parse_model(source).rules
    assert education.tokens == ("education", "educational")
    assert degree.pattern is not None
    assert degree.pattern.source == r"\b[bm]\.?sc\b"
    assert company.tokens == ("inc", '"&"', "ltd")
    assert city.roles == ("title", "heading")


def test_what_is_written_is_read_as_the_same_model() -> None:
    model = parse_model(RESUME)
    assert parse_model(write_model(model)) == model


@pytest.mark.parametrize(
    ("source", "line", "column", "told"),
    [
        ("", 1, 1, "declare the outermost element first"),
        ("<!ELEMENT a (b,c|d)>", 1, 17, "'|' stands in a group joined by ','"),
        ("<!ELEMENT a\n  (b, c", 2, 8, "'(' at line 2, column 3 is open"),
        ("<!ELEMENT a b>", 1, 13, "or EMPTY or ANY"),
        ("<!ELEMENT a (a)>", 1, 11, "without end"),
        ("<!ELEMENT a (PCDATA)>", 1, 14, "with '#'"),
        ("<!ELEMENT 이름 (#PCDATA)>", 1, 11, "letters A to Z"),
        ("<?xml version='1.0'?>", 1, 1, "without <?xml"),
        ("<!ELEMENT a (b)>\n<!ELEMENT b (a+)>", 1, 11, "without end"),
        ("<!ELEMENT a (b)*>\n<!ELEMENT a EMPTY>", 2, 11, "declared twice"),
        ("<!ELEMENT TEXT (a)*>", 1, 11, "choose another name"),
        ("<!ELEMENT xmlish (a)*>", 1, 11, "cannot name an element"),
        ("<!ELEMENT a:b:c (a)*>", 1, 11, "one colon at most"),
        ("<!ELEMENT a (b)*> ?", 1, 19, "a declaration"),
        ("<!ELEMENT a (b)*> %", 1, 19, "has no meaning here"),
        ("<!ATTLIST a b CDATA>", 1, 3, "is no declaration"),
        ("<!-- never", 1, 1, "add '-->'"),
        ("<!ELEMENT a (b | #PCDATA)*>", 1, 18, "stands first"),
        ("<!ELEMENT a (#PCDATA, b)*>", 1, 21, "is joined by '|'"),
        ("<!ELEMENT a (#PCDATA | b)>", 1, 13, "is written (#PCDATA | a | b)*"),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b>", 2, 1, "nothing tells 'b'"),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYTOKENS 'x>", 2, 23, "never closed"),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYTOKENS x>", 2, 23, "in quotes"),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYWORDS 'x'>", 2, 13, "use KEYTOKENS"),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYTOKENS 'x' KEYTOKENS 'y'>", 2, 27, "given twice"),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYROLE 'title hero'>", 2, 28, "the roles are"),
        ("<!ELEMENT a (b)*>\n<!KEYWORD b KEYPATTERN 'x(y'>", 2, 26, "never closed"),
        ("<!ELEMENT a (Degree)*>\n<!KEYWORD Degre KEYTOKENS 'x'>", 2, 11, "is it 'Degree'?"),
        ("<!ELEMENT a " + 50 * "(", 1, 53, "nest deeper"),
    ],
)  # fmt: skip
def test_an_error_names_line_and_column_and_what_to_do(
    source: str, line: int, column: int, told: str
) -> None:
    with pytest.raises(ModelError) as raised:
        parse_model(source, "my.medl")
    assert (raised.value.line, raised.value.column) == (line, column)
    assert told in str(raised.value)
    assert str(raised.value).startswith(f"my.medl, line {line}, column {column}: ")


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
    assert content is not None
    automaton = Automaton(eased(content))
    assert automaton.accepts(["a", "b", "c", "d"])
    assert automaton.accepts(["a", "c", "b", "d"])
    assert not automaton.accepts(["b", "a", "c", "d"])


def test_a_model_in_which_the_next_child_tells_nothing_is_eased_as_a_whole() -> None:
    content = parse_model("<!ELEMENT r (a*, a, b)>").elements["r"].content
    assert content is not None
    names = (Particle("name", name="a"), Particle("name", name="b"))
    assert eased(content) == Particle("choice", "*", parts=names)


def test_the_nearest_children_leave_out_and_put_in_as_little_as_can_be() -> None:
    content = parse_model("<!ELEMENT r (title, note?, step+)>").elements["r"].content
    assert content is not None
    automaton = Automaton(content)
    steps, tail = automaton.nearest(["note", "step", "title", "step"])
    assert [step.taken for step in steps] == [True, True, False, True]
    assert steps[0].missing == ("title",)
    assert tail == ()
    assert automaton.nearest([]) == ([], ("title", "step"))


def test_missing_elements_are_told_in_the_order_of_the_model() -> None:
    model = parse_model("<!ELEMENT r (a & b & c?)>")
    assert lacking(model, "r", ["c"]) == ["a", "b"]
    assert lacking(model, "r", ["b", "a"]) == []
