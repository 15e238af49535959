from __future__ import annotations

from crawler.core.structure.medl import parse_model
from crawler.core.structure.tokens import Tokens
from crawler.core.structure.tree import Node

MODEL = parse_model(
    """
<!ELEMENT r (Education | Skill)*>
<!ELEMENT Education (Degree | Organization | City | Date | Gpa)*>
<!ELEMENT Organization (City | Date)*>
<!ELEMENT Skill (Tool | Language)*>
<!KEYWORD Education KEYTOKENS "education work_history 학력">
<!KEYWORD Degree KEYTOKENS "ph.d. ms degree bachelor">
<!KEYWORD Organization KEYTOKENS "university school 대학교">
<!KEYWORD City KEYTOKENS "boston NY">
<!KEYWORD Tool KEYTOKENS "c c++ c/c++ dean's">
<!KEYWORD Language KEYTOKENS "language: english">
<!KEYWORD Gpa KEYTOKENS "gpa">
<!KEYWORD Date KEYPATTERN "([a-z]{3} \\d{1,2}, )?(19|20)\\d{2}">
"""
)
TOKENS = Tokens(MODEL)


def told(text: str) -> list[str]:
    return [name for hit in TOKENS.hits(text) for name in hit.elements]


def cut(text: str, context: str = "Education", label: str | None = None) -> list[tuple[str, str]]:
    return [(node.name, node.text) for node in TOKENS.cut(text, context, label)]


def test_words_are_compared_as_a_reader_takes_them() -> None:
    assert told("PhD") == told("Ph.D.,") == told("(PH.D)") == ["Degree"]
    assert told("\uff30\uff28\uff24") == ["Degree"]
    assert told("Universities' schools") == ["Organization"]
    assert told("univercity") == []
    assert told("Dean\u2019s list") == ["Tool"]
    assert told("nothing") == []


def test_tokens_longer_than_any_word_are_compared_as_they_are() -> None:
    token = "ab" * 31
    model = parse_model(f"<!ELEMENT r (Odd)*><!KEYWORD Odd KEYTOKENS '{token}'>")
    found = [Tokens(model).hits(word) for word in (token, token[:-1])]
    assert [[hit.elements for hit in hits] for hits in found] == [[("Odd",)], []]


def test_capitals_ask_for_capitals() -> None:
    assert told("NY") == ["City"]
    assert told("ny") == []


def test_marks_within_words_count() -> None:
    assert told("C++") == told("c/c++") == ["Tool"]
    assert told("English/boston") == ["Language", "City"]


def test_words_that_belong_together_are_one_token() -> None:
    assert told("Work history") == ["Education"]
    assert told("history work") == []
    assert TOKENS.whole("Work History:") == ("Education",)
    assert TOKENS.whole("My work history") == ()


def test_joined_scripts_are_looked_into() -> None:
    assert told("한빛대학교 학사") == ["Organization"]
    assert [(hit.start, hit.end) for hit in TOKENS.hits("한빛대학교")] == [(2, 5)]


def test_the_published_way_takes_words_as_they_are() -> None:
    plain = Tokens(MODEL, fuzzy=False)
    assert [hit.elements for hit in plain.hits("Boston schools Ph.D.")] == [
        ("City",), ("Degree",),
    ]  # fmt: skip


def test_what_stands_before_qualifies_and_what_follows_of_does() -> None:
    assert TOKENS.element("Boston University", "Education") == "Organization"
    assert TOKENS.element("University of Boston", "Education") == "Organization"
    assert TOKENS.element("School Boston", "Education") == "Organization"
    assert TOKENS.element("one two three four five six seven eight nine ten school", "r") is None


def test_only_what_the_context_allows_is_told() -> None:
    assert TOKENS.element("ms", "Education") == "Degree"
    assert TOKENS.element("ms", "Skill") is None
    assert TOKENS.element("ms", "r", deep=False) is None
    assert TOKENS.element("ms", "r") == "Degree"


def test_a_line_is_cut_and_nothing_of_it_is_lost() -> None:
    assert cut("Ph.D. in physics, Boston University (Boston) | May 3, 2001") == [
        ("Degree", "Ph.D. in physics,"), ("Organization", "Boston University"),
        ("City", "(Boston) |"), ("Date", "May 3, 2001"),
    ]  # fmt: skip
    assert cut("- , -") == [("TEXT", "- , -")]


def test_a_label_names_its_values() -> None:
    assert cut("GPA: 3.8") == [("TEXT", "GPA:"), ("Gpa", "3.8")]
    assert cut("Language: Latin, Greek", "Skill") == [
        ("TEXT", "Language:"), ("Language", "Latin,"), ("Language", "Greek"),
    ]  # fmt: skip
    assert cut("English: fluent", "Skill") == [("Language", "English:"), ("TEXT", "fluent")]
    assert cut("3.8 of 4", label="Gpa") == [("Gpa", "3.8 of 4")]


def test_prose_is_no_list_but_for_a_date_at_its_end() -> None:
    prose = "We taught at a school in the old harbour of the city and liked it a lot"
    assert cut(f"{prose}.") == [("TEXT", f"{prose}.")]
    assert cut(f"{prose}, 2001.") == [("TEXT", f"{prose},"), ("Date", "2001.")]
    assert cut("school, " * 2_000)[0][0] == "TEXT"


def test_headings_name_parts_by_their_head() -> None:
    parts = frozenset(("Education", "Skill"))
    assert TOKENS.part("My education", "r", parts, strictly=False) == "Education"
    assert TOKENS.part("My education", "r", parts, strictly=True) is None
    assert TOKENS.part("Education school", "r", parts, strictly=False) is None


def test_nodes_tell_what_they_are() -> None:
    head = Node("section", "", [Node("headline", "Title")], headed=True)
    assert head.title == "Title"
    assert Node("Education", "Education:", headed=True).title == "Education:"
    assert Node("TEXT", "x").title == ""
    assert not Node("TEXT").is_element
