"""Lists of teasers with bodies behind an article go; lists of the text stay."""

from __future__ import annotations

import numpy as np
import pytest

from crawler.core.flow import SiteView, annotate
from crawler.core.flow import read as read_page
from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.teaser_lists import teaser_lists
from crawler.core.methods.article.teasers import Links
from support.gazette import ALL, METHOD, P, article, page, prose

HEADS = ("Why ropes are blue now", "A goat in the library", "Rye is dear again", "Ten walks") * 2
TEASERS = {
    "headings": "<div class=card><h2><a href=/a/{number}>{head} of the day</a></h2>{text}</div>",
    "items": "<li><a href=/a/{number}>{head} of the day</a>{text}</li>",
    "numbered names": "<div class=card-{number}><span>News</span><h3><a href=/a/{number}>{head} of "
    "the day</a></h3><span>3 May</span>{text}</div>",
}
LIST = "<div class=list>{}</div>"


def teasers(shape: str, count: int = 8) -> str:
    made = (
        TEASERS[shape].format(number=number, head=HEADS[number], text=P[10 + number])
        for number in range(count)
    )
    return LIST.format("".join(made))


def dropped(body: str, likely: float = 0.7) -> set[str]:
    """Return the paragraphs that go, where all of a page is kept, and is so likely."""
    document = read_page(page(0, body))
    kept = np.ones(len(document.blocks), np.bool_)
    scores = np.full(len(kept), likely)
    found = teaser_lists(document.blocks, Evidence(document), kept, scores, Links(document))
    return {document.blocks[number].text for number in np.flatnonzero(found)} & set(ALL)


@pytest.mark.parametrize("shape", TEASERS)
def test_a_list_of_teasers_behind_the_article_goes(shape: str) -> None:
    own = article("".join(P[:3]))
    assert dropped(own + teasers(shape)) == {prose(number) for number in range(10, 18)}
    assert dropped(own + teasers(shape, count=2)) == set()


@pytest.mark.parametrize("shape", TEASERS)
def test_a_list_that_is_the_page_stays(shape: str) -> None:
    assert dropped(article("") + teasers(shape)) == set()
    assert dropped(article(P[0]) + teasers(shape)) == set()
    sections = f"<section>{teasers(shape)}</section>" * 2
    assert dropped(article(P[0]) + sections) == set()


@pytest.mark.parametrize("shape", TEASERS)
def test_a_list_of_which_the_judge_is_sure_stays(shape: str) -> None:
    assert dropped(article("".join(P[:3])) + teasers(shape), likely=0.9) == set()


def test_sections_of_the_text_with_links_stay() -> None:
    sections = "".join(
        f"<section><h2>{head}</h2>{P[10 + number]}<p><a href=/a/{number}>{head} of the day</a></p>"
        "</section>"
        for number, head in enumerate(HEADS)
    )
    assert dropped(article("".join(P[:3])) + LIST.format(sections)) == set()
    anchors = "".join(
        f"<li><a href=#part-{number}>{head} of the day</a>{P[10 + number]}</li>"
        for number, head in enumerate(HEADS)
    )
    assert dropped(article("".join(P[:3])) + LIST.format(anchors)) == set()


def test_a_list_of_things_on_other_sites_stays() -> None:
    shops = teasers("headings").replace("href=/a/", "href=https://shop.example/")
    assert dropped(article("".join(P[:3])) + shops) == set()


def test_a_few_lines_with_links_are_no_list_of_teasers() -> None:
    own = article("".join(P[:3]))
    assert dropped(own + teasers("items", count=4)) == set()
    assert dropped(own + teasers("headings", count=4)) == {
        prose(number) for number in range(10, 14)
    }


def test_a_list_of_teasers_has_a_reason() -> None:
    # So many that the judge by itself keeps them.
    body = article("".join(P[:3])) + teasers("headings", count=8)
    found = annotate(read_page(page(0, body)), SiteView(), METHOD)
    said = {block.text: label for block, label in found.pairs()}
    assert [said[prose(number)].kept for number in range(3)] == [True] * 3
    assert {said[prose(number)].reason for number in range(10, 18)} == {"related"}
    heads = [label for block, label in found.pairs() if block.tag == "h2"]
    assert {label.reason for label in heads} == {"related"}
