"""The methods of Lee (2009) on pages whose right answer follows from the paper's rules."""

from __future__ import annotations

import pytest

from crawler.core.flow import Page, SiteCounts, SiteView, annotate, get_method, observe, read
from crawler.core.methods import CountingMethod
from crawler.core.methods.news import NEWS_METHODS, grams

TITLED = {"title-block", "m34", "m43", "m42", "m324", "m423"}
TITLED |= {f"{name}-neighbours" for name in TITLED - {"m43"}}

# Depths, from the root as 1: title 3; the menu's links 6; the article's texts 4, the link in them
# 5; the notice 5; what is at the end 3.
PAGE = """<html><head><title>Harbour storm</title><style>p {}</style></head><body>
<div><ul><li><a href="/">Home</a></li><li><a href="/safe">Is the harbour safe?</a></li></ul></div>
<div><h1>Harbour storm</h1><p>The storm hit the harbour. Two boats sank</p>
<p>See <a href="/map">the storm map</a> for more. It is new!</p></div>
<div><div><p>Write to us. We answer.</p></div></div>
<p>Storm warnings are sent by post.</p><address>Copyright</address>
<script>document.write("No text.")</script></body></html>"""

TITLE, HOME, SAFE, HEADLINE = "Harbour storm", "Home", "Is the harbour safe?", "Harbour storm"
STORM, SANK, SEE, MAP = "The storm hit the harbour.", "Two boats sank", "See", "the storm map"
MORE, NEW, WRITE, ANSWER = "for more.", "It is new!", "Write to us.", "We answer."
WARNINGS, COPYRIGHT = "Storm warnings are sent by post.", "Copyright"
WHOLE = [TITLE, HOME, SAFE, HEADLINE, f"{STORM} {SANK}", SEE, MAP, f"{MORE} {NEW}"]
WHOLE += [f"{WRITE} {ANSWER}", WARNINGS, COPYRIGHT]

EXPECTED = {
    "all-text": WHOLE,
    # Home, the question and the map are links.
    "no-links": [text for text in WHOLE if text not in {HOME, SAFE, MAP}],
    # Not "Two boats sank", which no mark ends, nor "See", which a tag ends.
    "sentences": [SAFE, STORM, MORE, NEW, WRITE, ANSWER, WARNINGS],
    # Of the depths with a sentence, the article's alone has both words of the title.
    "title-block": [HEADLINE, f"{STORM} {SANK}", SEE, f"{MORE} {NEW}"],
    # Sentences by depth: the question 1, the article 3, the notice 2, the warnings 1.
    "mm": [STORM, MORE, NEW],
    # No 3-gram of the notice is one of "harbour storm"; all other blocks share some.
    "m34": [SAFE, STORM, MORE, NEW, WARNINGS],
    "m43": [HEADLINE, f"{STORM} {SANK}", SEE, f"{MORE} {NEW}"],
    "m32": [STORM, MORE, NEW, WRITE, ANSWER, WARNINGS],
    "m42": [HEADLINE, f"{STORM} {SANK}", SEE, f"{MORE} {NEW}"],
    "m324": [STORM, MORE, NEW, WARNINGS],
    "m423": [STORM, MORE, NEW],
    # The link in the second paragraph stands deeper, and ends the article's first run.
    "title-block-neighbours": [HEADLINE, f"{STORM} {SANK}", SEE],
    # What stood between is dropped before: each depth is one run.
    "mm-neighbours": [STORM, MORE, NEW],
    "m34-neighbours": [SAFE, STORM, MORE, NEW, WARNINGS],
    "m42-neighbours": [HEADLINE, f"{STORM} {SANK}", SEE, f"{MORE} {NEW}"],
    "m324-neighbours": [STORM, MORE, NEW, WARNINGS],
    "m423-neighbours": [STORM, MORE, NEW],
}

# Depth 3 twice, 4 sentences: 2 before and 2 behind 3 sentences at depth 4. The first two alone have
# a 3-gram of the title.
BROKEN = """<title>Harbour storm</title><p>The storm hit. Ships sank.</p>
<div><p>Write to us. We do answer. Bye.</p></div><p>It is new. <a href=/>Map?</a> Not so.</p>"""
FIRST, LAST = ["The storm hit.", "Ships sank."], ["It is new.", "Not so."]
BOX = ["Write to us.", "We do answer.", "Bye."]


def kept(html: str, name: str, view: SiteView | None = None) -> list[str]:
    document = read(Page.from_text("https://s.example/", html))
    found = annotate(document, view or SiteView(), get_method(name))
    return found.text.splitlines()


def reasons(html: str, name: str) -> list[tuple[str, str]]:
    document = read(Page.from_text("https://s.example/", html))
    found = annotate(document, SiteView(), get_method(name))
    return [(block.text, label.reason) for block, label in found.pairs()]


@pytest.mark.parametrize("name", EXPECTED)
def test_each_method_on_a_page_worked_out(name: str) -> None:
    assert kept(PAGE, name) == EXPECTED[name]


@pytest.mark.parametrize(
    ("name", "by_depth", "by_neighbours"),
    [
        ("title-block", ["The storm hit. Ships sank.", *LAST], ["The storm hit. Ships sank."]),
        # The link is a sentence at depth 4: 4 sentences at either depth, and depth 3 comes first.
        ("mm", [*FIRST, *LAST], BOX),
        ("m34", [*FIRST, *LAST], FIRST),
        ("m42", ["The storm hit. Ships sank.", *LAST], ["The storm hit. Ships sank."]),
        ("m324", [*FIRST, *LAST], FIRST),
        ("m423", [*FIRST, *LAST], FIRST),
    ],
)
def test_a_depth_of_the_page_or_a_run_of_neighbours(
    name: str, by_depth: list[str], by_neighbours: list[str]
) -> None:
    assert kept(BROKEN, name) == by_depth
    assert kept(BROKEN, f"{name}-neighbours") == by_neighbours


def test_every_method_of_the_paper_is_worked_out() -> None:
    assert set(EXPECTED) == {method.name for method in NEWS_METHODS}


def test_what_is_dropped_tells_the_step_that_dropped_it() -> None:
    assert reasons(PAGE, "m324") == [
        (TITLE, "no-sentence"),
        (HOME, "links"),
        (SAFE, "links"),
        (HEADLINE, "no-sentence"),
        (STORM, "text"),
        (SANK, "no-sentence"),
        (SEE, "no-sentence"),
        (MAP, "links"),
        (MORE, "text"),
        (NEW, "text"),
        (WRITE, "not-like-title"),
        (ANSWER, "not-like-title"),
        (WARNINGS, "text"),
        (COPYRIGHT, "no-sentence"),
    ]
    assert {reason for _, reason in reasons(PAGE, "mm")} == {"text", "no-sentence", "other-block"}


@pytest.mark.parametrize(
    ("html", "sentences"),
    [
        ("<p>It rose 3.5 metres. Yes.</p>", ["It rose 3.5 metres.", "Yes."]),
        ("<p>One.<br>Two</p>", ["One."]),
        ("<p>One.\nTwo?\tThree! Four", ["One.", "Two?", "Three!"]),
        ("<p>What?! Wait... No.", ["What?!", "Wait...", "No."]),
        # A tag in the middle of a sentence cuts it in two, as the paper says it does.
        ("<p>It <b>really</b> sank.</p>", ["sank."]),
        ("<p>배가 가라앉았다. 다친 사람은 없다</p>", ["배가 가라앉았다."]),
        # Marks the paper does not name end nothing.
        ("<p>船が沈んだ。</p><p>“So?”</p>", []),
    ],
)
def test_a_sentence_is_what_a_mark_ends(html: str, sentences: list[str]) -> None:
    assert kept(html, "sentences") == sentences


def test_hyperlinks_go_with_all_that_stands_in_them() -> None:
    html = "<p>a <a href=/>b <b>c</b></a> d</p><ul><li><a href=/>e</a></li></ul>"
    assert kept(html, "no-links") == ["a", "d"]


def test_elements_of_one_depth_are_a_block_whatever_they_are() -> None:
    # Depths 3 3 | 4 | 3 | 4 4: two sentences at depth 3, three at 4, of which two are neighbours.
    html = "<p>One.</p><p>x</p><div><p>Two.</p></div><p>Three.</p><ul><li>Four.</li><li>Five.</li>"
    assert kept(html, "mm") == ["Two.", "Four.", "Five."]
    assert kept(html, "mm-neighbours") == ["Four.", "Five."]


def test_of_blocks_with_as_many_sentences_the_first() -> None:
    assert kept("<p>One.</p><div><p>Two.</p></div>", "mm") == ["One."]


@pytest.mark.parametrize("name", sorted(TITLED))
def test_the_title_itself_is_no_answer(name: str) -> None:
    html = "<title>What sank?</title><div><p>A boat sank today.</p></div><p>Bye.</p>"
    assert kept(html, name) == ["A boat sank today."]


def test_a_title_element_does_not_join_the_block_behind_it() -> None:
    # Both stand at depth 3.
    assert kept("<title>A boat sank.</title><p>It sank.</p>", "mm") == ["It sank."]


@pytest.mark.parametrize("name", ["title-block", "m43", "m42", "m423", "m42-neighbours"])
def test_a_block_without_a_sentence_is_no_candidate(name: str) -> None:
    html = "<title>Harbour storm</title><h1>Harbour storm</h1><div><p>The storm came.</p></div>"
    assert kept(html, name) == ["The storm came."]
    assert kept("<title>Harbour storm</title><h1>Harbour storm</h1>", name) == []


def test_without_a_title() -> None:
    html = "<p>One.</p><div><p>Two.</p></div>"
    # All candidates are as much like it: the first. No block has anything in common with it.
    assert kept(html, "title-block") == ["One."]
    assert kept(html, "m34") == []


# The title's 3-grams are foo oo+ o+b +ba bar. The first block shares foo with it, the second bar,
# of four 3-grams each: (x f)( fo)(foo)(oo.) and (x b)( ba)(bar)(ar.).
SHARING = "<title>foo+bar</title><div><p>x foo.</p></div><p>x bar.</p>"


def site(*pages: str, name: str) -> SiteView:
    counts = SiteCounts()
    for number, html in enumerate(pages):
        document = read(Page.from_text(f"https://s.example/{number}", html))
        counts.add(observe(document, get_method(name)))
    return counts.view()


def test_idf_is_over_the_pages_of_the_site() -> None:
    # Nothing is known: each 3-gram tells as much, both cosines are 1 / (sqrt 5 * sqrt 4).
    assert kept(SHARING, "title-block") == ["x foo."]
    # foo on all four pages, bar on one: ln(5 / 4) = 0.22 against ln(5 / 1) = 1.61.
    others = ["<p>foo</p>", "<p>foo foo</p>", "<p>foo</p><p>else</p>"]
    view = site(SHARING, *others, name="title-block")
    assert kept(SHARING, "title-block", view) == ["x bar."]
    # foo three times on one other page is on two pages only, as bar is.
    view = site(SHARING, "<p>foo</p><p>foo</p><p>foo</p>", "<p>bar</p>", name="title-block")
    assert kept(SHARING, "title-block", view) == ["x foo."]


def test_a_page_that_was_not_counted_is_judged_all_the_same() -> None:
    view = site("<p>foo</p>", "<p>foo</p>", name="m34")
    # x, b, a, r of the page were never seen: as rare as can be, ln(3 / 1).
    assert kept(SHARING, "title-block", view) == ["x bar."]
    assert kept(SHARING, "m34", view) == ["x foo.", "x bar."]


def test_a_3_gram_of_every_page_is_still_something_in_common() -> None:
    html = "<title>foo</title><p>foo!</p>"
    assert kept(html, "m34", site(html, html, name="m34")) == ["foo!"]


@pytest.mark.parametrize("name", EXPECTED)
def test_grams_are_counted_where_titles_matter(name: str) -> None:
    method = get_method(name)
    assert isinstance(method, CountingMethod)
    document = read(Page.from_text("https://s.example/", "<title>aaaa</title><p>aaab"))
    expected = {"grams": dict.fromkeys(grams("aaaa aaab"), 1)} if name in TITLED else {}
    assert method.counts(document) == expected


def test_pieces_are_numbered_and_placed() -> None:
    document = read(Page.from_text("https://s.example/", PAGE))
    for method in NEWS_METHODS:
        blocks = annotate(document, SiteView(), method).blocks
        assert [block.index for block in blocks] == list(range(len(blocks)))
        linked = [block.text for block in blocks if block.link_share]
        assert linked == [HOME, SAFE, MAP]
        headline = next(block for block in blocks if block.tag == "h1")
        assert (headline.path, headline.chars) == ("html/body/div/h1", 12)
