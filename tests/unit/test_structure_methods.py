from __future__ import annotations

import pytest

from crawler.core.errors import UnknownMethodError
from crawler.core.flow import Page, SiteView, annotate, get_method, read
from crawler.core.structure.medl import parse_model
from crawler.core.structure.structure import structure_of
from crawler.core.structure.suggest import suggest_model
from crawler.core.structure.tree import Node, Structure
from crawler.evaluation.tree_distance import distance
from crawler.store.document_models import load_model
from support.crawling import ROOT

PAPER = parse_model(
    """
<!ELEMENT Resume (Education | Skills)*>
<!ELEMENT Education (Degree | Organization | City | Nation | Date | Gpa | Thesis)*>
<!ELEMENT Degree (Organization | City | Nation | Date | Gpa | Thesis)*>
<!ELEMENT Organization (City)*>
<!ELEMENT Skills (Programming | Os)*>
<!KEYWORD Education KEYTOKENS "education">
<!KEYWORD Degree KEYTOKENS "ph.d. m.sc. ms">
<!KEYWORD Organization KEYTOKENS "university">
<!KEYWORD City KEYTOKENS "cambridge hamilton">
<!KEYWORD Nation KEYTOKENS "UK NZ">
<!KEYWORD Gpa KEYTOKENS "gpa">
<!KEYWORD Skills KEYTOKENS "skills">
<!KEYWORD Programming KEYTOKENS "matlab">
<!KEYWORD Os KEYTOKENS "unix ms-dos">
<!KEYWORD Date KEYPATTERN "(19|20)\\d{2}">
"""
)


def found(html: str, method: str = "published") -> Structure:
    return structure_of(read(Page.from_text("https://made.example/", html)), PAPER, method)


def shown(node: Node) -> str:
    inner = "".join(map(shown, node.children))
    text = f" {node.text}" if node.text else ""
    return f"({node.name}{text}{inner})"


def test_a_visual_group_takes_what_follows_up_to_one_of_its_rank() -> None:
    html = (
        "<p><b><font size=5>One</font></b></p><p>a</p><h3>Two</h3><p>b</p>"
        "<p><b>Three</b></p><p>c</p><h2>Four</h2><p>d</p>"
    )
    assert shown(found(html).root) == (
        "(Resume(GROUP One(TEXT a)(GROUP Two(TEXT b)(GROUP Three(TEXT c))))(GROUP Four(TEXT d)))"
    )


def test_the_example_of_the_paper_comes_out_as_it_shows_it() -> None:
    html = (
        "<p><b><font size=4>Education:</font></b></p><ul>"
        "<li><b>Ph.D</b>. in applied mathematics, Cambridge University, Cambridge, UK,1991"
        "<li><b>M.Sc.</b> in mathematics, University of Waikato, Hamilton, NZ, 1987</ul>"
    )
    assert shown(found(html).root) == (
        "(Resume(Education Education:"
        "(Degree Ph.D. in applied mathematics,(Organization Cambridge University,)(City Cambridge,)"
        "(Nation UK,)(Date 1991))"
        "(Degree M.Sc. in mathematics,(Organization University of Waikato,)(City Hamilton,)"
        "(Nation NZ,)(Date 1987))))"
    )


def test_an_element_that_repeats_takes_what_follows_it() -> None:
    html = "<h2>Education</h2><p>Ph.D.</p><p>Oslo University</p><p>M.Sc.</p><p>GPA 3.6</p>"
    assert shown(found(html).root) == (
        "(Resume(Education Education(Degree Ph.D.(Organization Oslo University))"
        "(Degree M.Sc.(Gpa GPA 3.6))))"
    )


def test_siblings_by_the_model_stay_siblings() -> None:
    html = "<h2>Other Skills</h2><p>Matlab, Unix; MS-DOS, Matlab</p>"
    assert shown(found(html).root) == (
        "(Resume(Skills Other Skills"
        "(Programming Matlab,)(Os Unix;)(Os MS-DOS,)(Programming Matlab)))"
    )


@pytest.mark.parametrize("method", ["modern", "published"])
def test_one_word_means_different_things_in_different_places(method: str) -> None:
    html = "<h2>Education</h2><p>MS, 2001</p><h2>Skills</h2><p>MS, Unix</p>"
    education, skills = found(html, method).root.children
    assert education.children[0].name == "Degree"
    assert [child.name for child in skills.children] == ["TEXT", "Os"]


@pytest.mark.parametrize("method", ["modern", "published"])
def test_a_page_without_a_match_is_text_and_says_so(method: str) -> None:
    result = found("<h1>Fern</h1><p>60 cm</p>", method)
    assert shown(result.root) in (
        "(Resume(GROUP Fern(TEXT 60 cm)))",
        "(Resume(GROUP Fern)(TEXT 60 cm))",
    )
    assert result.problems == ("no element of the model model was found; all is TEXT",)


def test_equal_levels_may_have_different_tags() -> None:
    html = "<h4>Education</h4><p>Ph.D.</p><p><b>Skills</b></p><p>Unix</p>"
    assert [child.name for child in found(html, "modern").root.children] == ["Education", "Skills"]
    assert [child.title for child in found(html, "modern").root.children] == ["Education", "Skills"]


def test_what_the_model_asks_for_is_put_in_and_reported() -> None:
    page = read(
        Page.from_text("https://made.example/", "<p>Rain fell on the old town all day.</p>")
    )
    result = structure_of(page, load_model("news"))
    assert result.problems == ("article: required element headline is missing",)
    assert (result.root.children[0].name, result.root.children[0].text) == ("headline", "")


def test_a_heading_that_no_element_is_stays_a_group() -> None:
    html = "<h2>Education</h2><p>Ph.D.</p><h2>References</h2><p>On request</p>"
    assert shown(found(html, "modern").root) == (
        "(Resume(Education Education(Degree Ph.D.))(GROUP References(TEXT On request)))"
    )


def test_a_page_judged_with_its_site_is_taken_as_it_was_judged() -> None:
    html = "<h1>Rain</h1><p>{}</p><p>{}</p>"
    text = "It rained on the old town for the whole of the day, and nobody went out to the harbour."
    page = read(
        Page.from_text("https://made.example/", html.format(text, "You may quote this page."))
    )
    judged = annotate(page, SiteView(), get_method("all-text"))
    names = [node.name for node in structure_of(judged, load_model("news")).root.walk()]
    assert names.count("paragraph") == 2


def test_an_unknown_method_is_told() -> None:
    with pytest.raises(UnknownMethodError, match="the methods are: modern, published"):
        found("<p>x</p>", "newest")


def test_a_model_is_proposed_from_headings_that_recur() -> None:
    html = "<h1>{0}</h1><h2>Care</h2><p>Light: shade</p><h2>Size</h2><p>{1} cm</p>"
    pages = [
        read(Page.from_text("https://made.example/", html.format(*each)))
        for each in (("Fern", 60), ("Moss", 5))
    ]
    model = parse_model(suggest_model(pages))
    assert model.children("document") == {"title", "care", "size"}
    assert model.children("care") == {"light"}
    result = structure_of(pages[0], model)
    assert [node.name for node in result.root.children] == ["title", "care", "size"]


def test_a_model_of_articles_is_proposed_where_none_do() -> None:
    text = "It rained on the old town for the whole of the day, and nobody went out to the harbour."
    page = Page.from_text(
        "https://made.example/", f"<h1>Rain</h1><p>{text}</p><p>{text} Again.</p>"
    )
    model = parse_model(suggest_model([read(page)]))
    assert model.root == "document"
    assert model.children("section") == {"heading", "paragraph", "section"}


def apart(one: Node, two: Node) -> float:
    found = distance(one, two, lambda node: node.name)
    assert found is not None
    return found


def test_the_distance_counts_nodes_put_in_left_out_and_renamed() -> None:
    # The trees of Zhang and Shasha (1989), figure 4: f(d(a c(b)) e) and f(c(d(a b)) e).
    a, b, e = Node("a"), Node("b"), Node("e")
    one = Node("f", "", [Node("d", "", [a, Node("c", "", [b])]), e])
    two = Node("f", "", [Node("c", "", [Node("d", "", [a, b])]), e])
    assert apart(one, two) == 2
    assert apart(one, Node("g", "", one.children)) == 1
    assert apart(one, Node("f")) == 5
    # Key roots f, c, e and f, b, e, with the nodes below each: (6 + 2 + 1) times (6 + 1 + 1).


def test_code_keeps_its_lines() -> None:
    prose = "<p>The harbour board reads the tide at six, and writes it down in red and white.</p>"
    html = f"<h1>Tides</h1><article>{prose * 3}<pre>import re\n\n  TIDE = 6</pre>{prose}</article>"
    page = annotate(
        read(Page.from_text("https://made.example/", html)), SiteView(), get_method("article")
    )
    root = structure_of(page, load_model("blog")).root
    code = [node.text for node in root.walk() if node.name == "code"]
    assert code == ["import re\n\n  TIDE = 6"]


def test_text_of_a_template_alone_is_no_reason_to_fail() -> None:
    found = ROOT / "tests" / "support" / "fuzz_seeds" / "pages" / "template_alone.html"
    document = read(Page("https://s.example/a", found.read_bytes()))
    judged = annotate(document, SiteView(), get_method("article"))
    assert judged.text_source == "template"
    assert structure_of(judged, load_model("news")).problems
