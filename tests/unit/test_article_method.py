"""The method article: what it keeps, why it drops, and how sure it is."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from crawler.core.errors import CorpusError
from crawler.core.flow import (
    Annotation,
    Page,
    SiteCounts,
    SiteView,
    annotate,
    get_method,
    observe,
    read,
)
from crawler.core.methods import Label
from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.judge import Judge, chosen
from crawler.core.methods.article.method import Article, confidence, site_margins
from crawler.core.methods.article.trace import Recorder
from crawler.core.trees import sigmoid

METHOD = get_method("article")
THINGS = ("train", "bakery", "canal", "clock", "engine", "garden", "harbour", "island")
NOTICE = (
    "This weblog has been written in the evenings since the spring of 2011, by people who like "
    "to walk. Whoever wants to walk along is welcome, and finds the next date at the town hall."
)


def post(thing: str, *, comments: bool = False, notice: bool = True) -> str:
    text = "".join(
        f"<p>The {thing} of our town, as seen from side {side}, is something that nobody who came "
        f"here for the first time, on a day like this one, would have thought of.</p>"
        for side in ("north", "east", "south")
    )
    said = (
        f'<ol class="commentlist"><li class="comment"><p>I have always liked the {thing}, and my '
        "whole family does so too; thank you for all that you write about our town.</li></ol>"
    )
    return (
        f"<html><head><title>The {thing} | Walks</title></head><body>"
        '<ul class="menu"><li><a href="/">Home</a><li><a href="/about">About</a></ul>'
        f'<div class="post"><h1>The {thing}</h1><div class="entry-content">{text}'
        f"{'<p>' + NOTICE + '</p>' if notice else ''}</div></div>{said if comments else ''}"
        '<div id="footer">Copyright by the editors</div></body></html>'
    )


def page(thing: str, **how: bool) -> Page:
    return Page.from_text(f"https://walks.example/{thing}", post(thing, **how))


def site_view(things: tuple[str, ...]) -> SiteView:
    counts = SiteCounts()
    for thing in things:
        counts.add(observe(read(page(thing)), METHOD))
    return counts.view()


def judged(thing: str, view: SiteView, **how: bool) -> Annotation:
    return annotate(read(page(thing, **how)), view, METHOD)


def test_a_page_alone_gives_its_article() -> None:
    text = judged("train", SiteView()).text
    assert text.count("The train of our town") == 3
    assert "Home" not in text
    assert "Copyright" not in text


def test_the_site_tells_what_no_page_can() -> None:
    alone, known = judged("train", SiteView()), judged("train", site_view(THINGS))
    assert NOTICE in alone.text
    assert NOTICE not in known.text
    assert known.text.count("The train of our town") == 3
    reasons = {block.text: label.reason for block, label in known.pairs()}
    assert reasons[NOTICE] == "frequent"


@pytest.mark.parametrize("pages", [1, 2, 3, 8])
def test_any_number_of_pages_will_do(pages: int) -> None:
    text = judged("train", site_view(THINGS[:pages])).text
    assert text.count("The train of our town") == 3
    assert "Home" not in text


def test_comments_are_told_apart() -> None:
    for view in (SiteView(), site_view(THINGS)):
        found = judged("canal", view, comments=True)
        comments = [block.text for block, label in found.pairs() if label.reason == "comment"]
        assert [text[:24] for text in comments] == ["I have always liked the "]
        assert "I have always liked" not in found.text


def test_a_page_without_text_gives_none() -> None:
    found = annotate(
        read(Page.from_text("https://a.example/", "<html><body><img src=x></body></html>")),
        SiteView(),
        METHOD,
    )
    assert found.labels == ()
    assert confidence(found.blocks, found.labels) is None


def test_each_label_says_how_likely_the_block_is() -> None:
    found = judged("clock", SiteView())
    scores = [label.score for label in found.labels]
    assert all(score is not None and 0 <= score <= 1 for score in scores)
    sure = confidence(found.blocks, found.labels)
    assert sure is not None
    assert 0.7 < sure <= 1
    other = annotate(found.document, SiteView(), get_method("frequency-adaptive"))
    assert confidence(other.blocks, other.labels) is None, "a method without scores"


def test_what_is_to_be_expected_of_a_choice() -> None:
    blocks = read(Page.from_text("https://a.example/", "<p>0123456789<p>abcdefghij")).blocks

    for scores, expected in (((1.0, 1.0), 1), ((1.0, 0.0), 2 / 3)):
        labels = [Label(kept=True, reason="text", score=score) for score in scores]
        assert confidence(blocks, labels) == pytest.approx(expected)
    assert confidence(blocks, [Label(kept=False, reason="x", score=0.0)] * 2) == 0


def test_an_article_that_stands_twice_is_kept_once() -> None:
    once = post("train", notice=False)
    twice = once.replace('<div id="footer">', once[once.index("<h1>") : once.index("</div>")])
    blocks = read(Page.from_text("https://a.example/", twice)).blocks
    kept = chosen(blocks, np.ones(len(blocks)))
    said = [block.text for block, keep in zip(blocks, kept, strict=True) if keep]
    assert sum("of our town" in text for text in said) == 3


def test_one_sentence_said_twice_is_kept_twice() -> None:
    again = "And again the train stood where it had stood for all of those years, and waited."
    body = "".join(f"<p>{text}" for text in (again, NOTICE, NOTICE[::-1], again))
    blocks = read(Page.from_text("https://a.example/", body)).blocks
    assert chosen(blocks, np.ones(len(blocks))).all()


def test_line_numbers_are_no_text() -> None:
    body = "<table><tr><td><pre>1\n2\n3</pre><td><pre>a = 1\nb = 2\nc = 3</pre></table><p>1 2 3"
    blocks = read(Page.from_text("https://a.example/", body)).blocks
    assert chosen(blocks, np.ones(len(blocks))).tolist() == [False, True, True]


# What a block on its own page alone has for it, as log odds; and what no block is.
UNIT = 2.6
NONE = np.zeros(5, np.bool_)


def test_a_site_speaks_by_what_it_repeats() -> None:
    document = read(page("train"))
    blocks = document.blocks[:4]
    labels = [
        Label(kept=True, reason="text", frequency=1),
        Label(kept=False, reason="frequent", frequency=16),
        Label(kept=False, reason="outside", frequency=1),
        Label(kept=True, reason="text", frequency=1),
    ]
    comments = np.array([False, False, False, True])
    found = site_margins(blocks, labels, 16, (np.full(4, 0.2), comments, NONE[:4], NONE[:4]))
    assert found == pytest.approx(UNIT * np.array([3, -4, -1, -6]))


@pytest.mark.parametrize(("frequency", "pages", "against"), [
    (4, 4, 2), (4, 16, 1), (4, 4096, 1), (16, 16, 4), (16, 4096, 4), (4096, 4096, 4),
])  # fmt: skip
def test_boilerplate_of_a_part_of_a_large_site_counts_as_on_one_of_sixteen_pages(
    frequency: int, pages: int, against: float
) -> None:
    blocks = read(page("train")).blocks[:1]
    labels = [Label(kept=False, reason="frequent", frequency=frequency)]
    found = site_margins(blocks, labels, pages, (np.full(1, 0.2), NONE[:1], NONE[:1], NONE[:1]))
    assert found == pytest.approx([-UNIT * against])


def test_nothing_speaks_for_what_is_called_no_article_and_is_unlikely() -> None:
    blocks = read(page("train")).blocks[:3]
    labels = [Label(kept=True, reason="text", frequency=1)] * 3
    says = (
        np.array([0.2, 0.2, 0.8]),
        np.zeros(3, np.bool_),
        np.array([True, False, True]),
        np.zeros(3, np.bool_),
    )
    assert site_margins(blocks, labels, 16, says) == pytest.approx(UNIT * np.array([0, 3, 3]))


def test_what_the_rule_cuts_off_is_not_held_against_a_likely_block_beside_its_run() -> None:
    html = "<div><p>a<p>b<p>c<ul><li>d</ul></div><ol><li><div><p>e</div></ol>"
    blocks = read(Page.from_text("https://a.example/", html)).blocks
    labels = [Label(kept=True, reason="text", frequency=1)] * 2
    labels += [Label(kept=False, reason="outside", frequency=1)] * 3
    for likely, beside in ((0.8, 1), (0.2, -2)):
        found = site_margins(blocks, labels, 16, (np.full(5, likely), NONE[:5], NONE[:5], NONE[:5]))
        assert found == pytest.approx(UNIT * np.array([3, 3, beside, beside, -2]))


def test_what_the_rule_finds_outside_speaks_less_against_blocks_before_its_run() -> None:
    blocks = read(Page.from_text("https://a.example/", "<p>a<p>b<p>c<p>d")).blocks
    outside = Label(kept=False, reason="outside", frequency=1)
    labels = [outside, Label(kept=True, reason="text", frequency=1), outside, outside]
    found = site_margins(blocks, labels, 16, (np.full(4, 0.2), NONE[:4], NONE[:4], NONE[:4]))
    assert found == pytest.approx(UNIT * np.array([-1, 3, -2, -2]))


def test_the_site_is_added_to_what_the_page_says() -> None:
    counts = SiteCounts()
    for number in range(5):
        counts.add(observe(read(walk(number)), METHOD))
    trace = Recorder()
    labels = Article().label(read(walk(0)), counts.view(), trace)
    assert trace.found is not None
    assert np.abs(trace.site).max() > 3
    expected = sigmoid(Judge.shipped().margins(trace.found) + np.asarray(trace.site))
    assert [label.score for label in labels] == pytest.approx(expected.tolist())


@pytest.mark.parametrize("title", ["", "<title>Gazette</title>", "<title>Bridge opens</title>"])
@pytest.mark.parametrize(
    "line",
    ["<div class='topbar date'>{} May</div>", "<p class=promo>Offer {}: buy two boats now</p>"],
)
def test_a_first_line_is_no_headline_since_the_page_shows_none(title: str, line: str) -> None:
    counts = SiteCounts()
    pages = [
        read(
            Page.from_text(
                f"https://a.example/{number}",
                title + line.format(number + 1) + "".join(
                    f"<p>The train of number {number} is back after {each} years, and leaves at "
                    f"{each} in the evening, every day but Sunday." for each in range(5, 9)
                ),
            )
        )
        for number in range(16)
    ]  # fmt: skip
    for document in pages:
        counts.add(observe(document, METHOD))
    view = counts.view()
    for document in pages:
        assert not Evidence(document).titled.any()
        assert not annotate(document, view, METHOD).labels[0].kept


def test_a_headline_of_one_page_counts_as_kept_by_the_rule() -> None:
    blocks = read(Page.from_text("https://a.example/", "<h1>a</h1><p>b<p>c")).blocks
    for frequency, expected in ((1, 3), (16, -6)):
        labels = [Label(kept=False, reason="outside", frequency=frequency)]
        labels += [Label(kept=True, reason="text", frequency=1)] * 2
        nothing, titled = np.zeros(3, np.bool_), np.array([True, False, False])
        found = site_margins(blocks, labels, 16, (np.full(3, 0.2), nothing, nothing, titled))
        assert found == pytest.approx(UNIT * np.array([expected, 3, 3]))


def test_a_headline_is_none_of_what_accompanies_the_article() -> None:
    html = (
        "<title>The night train is back</title><div class=topics><h1>The night train is back</h1>"
        "<p>Travel</p></div><p>It leaves at ten in the evening, every day but Sunday.</p>"
    )
    found = Evidence(read(Page.from_text("https://a.example/", html)))
    assert found.titled.tolist() == [True, False, False]
    assert found.apart.tolist() == [False, True, False]
    assert found.beside.tolist() == [False, True, False]


ALLEYS = [
    "Alder",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elm",
    "Fir",
    "Gorse",
    "Hazel",
    "Ivy",
    "Juniper",
    "Kale",
    "Larch",
]


def walk(number: int) -> Page:
    alley = ALLEYS[number]
    caption = f"The mill of {alley} seen from the north side in the evening. Photo: the editors"
    return Page.from_text(
        f"https://hill.example/2026/{alley.lower()}",
        f"<title>About {alley} - Hill</title><div id=menu><a href=/>Home</a></div><div class=post>"
        f"<h1>About {alley}</h1><div class=byline>Posted by the walkers of {alley}</div>"
        f"<div class=share><span>Share {alley} with your friends</span></div><div class=entry>"
        f"<div class=wp-caption><p class=wp-caption-text>{caption}</div><figure><figcaption>"
        f"{caption[::-1]}</figcaption></figure><p>I walked up to the {alley} mill on Sunday "
        "because the road was dry for once, and met nobody.<p>The miller was out, but his daughter "
        f"showed us the stones of {alley} that lie in the yard. They came from two valleys away "
        f"and took more than a week to arrive.<p>She said that nobody in {alley} had believed they "
        "would fit, least of all the man who made them.<div class=newsletter><h4>Our newsletter"
        "</h4><p>Get the best walks in your inbox each Friday.</p></div><p>A cat sleeps in the "
        f"wheel of {alley} and has to be carried out before it begins to turn.<p>Bring boots to "
        f"{alley}.</div></div><div id=footer>Powered by the editors</div>",
    )


@pytest.mark.parametrize("pages", [3, 12])
def test_what_accompanies_an_article_stays_out_however_much_of_the_site_is_known(
    pages: int,
) -> None:
    counts = SiteCounts()
    for number in range(pages):
        counts.add(observe(read(walk(number)), METHOD))
    view = counts.view()
    for number in range(pages):
        text = annotate(read(walk(number)), view, METHOD).text
        assert not [said for said in ("Photo", "Posted by", "Share", "inbox") if said in text]
        assert "srotide" not in text, "the other caption"
        assert text.endswith(f"to turn.\nBring boots to {ALLEYS[number]}.")


def _unsure(judge: Judge) -> Judge:
    network = judge.network
    nothing = {name: getattr(network, name) * 0 for name in ("judge", "direct")}
    return replace(judge, network=replace(network, **nothing))


def test_weights_of_other_features_are_refused() -> None:
    judge = Judge.shipped()
    other = replace(judge.first, names=("x", *judge.first.names[1:]))
    document = read(page("train"))
    with pytest.raises(CorpusError, match="other features"):
        Article(replace(_unsure(judge), first=other)).label(document, SiteView())
    network = replace(judge.network, names=("x", *judge.network.names[1:]))
    with pytest.raises(CorpusError, match="other features"):
        Article(replace(judge, network=network)).label(document, SiteView())
    rows = Evidence(document)
    assert len(judge.margins(rows)) == len(document.blocks)


def test_the_weights_are_small() -> None:
    room = files("crawler.core.methods.article").joinpath("data")
    sizes = [len(entry.read_bytes()) for entry in room.iterdir() if entry.name.endswith(".npz")]
    assert len(sizes) == 3
    assert sum(sizes) < 300_000


def test_a_page_larger_than_any_article_is_judged_by_the_rule_of_frequency() -> None:
    for html in ("<p>a" * 20_001, f"<p>{'word ' * 500_001}"):
        document = read(Page.from_text("https://a.example/", html))
        rule = get_method("frequency-adaptive")
        known = annotate(document, SiteView(), METHOD)
        assert known == annotate(document, SiteView(), rule)
