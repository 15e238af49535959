"""Text of scripts that the page shows, in part or whole, and hostile scripts."""

from __future__ import annotations

import json
import time

import pytest

from crawler import extract
from crawler.core.flow import Page, read
from support.scripted import (
    EN,
    FOOT,
    KO,
    NAV,
    OTHER,
    TITLE,
    URL,
    article,
    in_json,
    linked,
    pushed,
    shell,
    shown,
    tags,
)


def test_one_string_goes_on_behind_the_paragraph_that_is_shown() -> None:
    page = shell(linked(" ".join(EN)), f"<h1>{TITLE}</h1><p>{EN[0]}</p>{FOOT}")
    texts = [block.text for block in read(Page.from_text(URL, page)).blocks]
    assert texts[:3] == [TITLE, EN[0], " ".join(EN[1:])]
    assert len(texts) == 4


def test_a_paragraph_in_the_middle_is_cut_out_of_one_string() -> None:
    page = shell(linked(" ".join(EN)), f"<h1>{TITLE}</h1><p>{EN[4]}</p>")
    texts = [block.text for block in read(Page.from_text(URL, page)).blocks]
    assert texts == [TITLE, " ".join(EN[:4]), EN[4]]


VIEWS = [{"title": f"Story {n}", "body": tags(EN[n:] + OTHER[: n + 2])} for n in range(3)]
# Pages whose scripts add nothing.
AS_SHOWN: dict[str, str] = {
    "all shown": shell(linked("\n".join(EN)), f"<h1>{TITLE}</h1>{tags(EN)}"),
    "all shown, in one string": shell(linked(" ".join(EN)), f"<h1>{TITLE}</h1>{tags(EN)}"),
    "all shown, state": shell(in_json(article(tags(EN))), f"<h1>{TITLE}</h1>{tags(EN)}"),
    "more than half shown": shell(linked("\n".join(EN)), f"<h1>{TITLE}</h1>{tags(EN[:3])}"),
    "other article": shell(
        in_json({"next": {"title": "Dam breaks", "body": tags(OTHER)}}),
        f"<h1>{TITLE}</h1><p>{KO[0]}</p>",
    ),
    "related article": shell(
        in_json({"relatedArticles": [{"title": TITLE, "body": tags(OTHER)}]}),
        f"<h1>{TITLE}</h1><p>{KO[0]}</p>",
    ),
    "list of articles": shell(in_json({"posts": VIEWS}), NAV),
    "cookies": shell(in_json({"cookieConsent": {"text": " ".join(EN)}}), f"<h1>{TITLE}</h1>"),
    "comments": shell(
        linked("", comment=[{"@type": "Comment", "text": " ".join(EN)}]), f"<h1>{TITLE}</h1>"
    ),
    "a summary": shell(linked("", description=" ".join(EN)), f"<h1>{TITLE}</h1>"),
    "a description": shell(
        in_json({"product": {"title": TITLE, "descriptionHtml": tags(EN)}}), f"<h1>{TITLE}</h1>"
    ),
    "first post of a thread": shell(
        in_json(
            {"@type": "DiscussionForumPosting", "headline": TITLE, "text": " ".join(EN)},
            'type="application/ld+json"',
        ),
        f"<h1>{TITLE}</h1>",
    ),
    "tabs": shell(
        in_json({"tabs": [{"displayTitle": each[:20], "text": each} for each in EN]}),
        "<h1>Size</h1>",
    ),
    "goods": shell(
        in_json({"model": {"addToCartFields": {"title": TITLE, "html": tags(EN)}}}), "<h1>Size</h1>"
    ),
    "search terms": shell(
        in_json({"terms": ",".join(f"boat number {n} of the harbour" for n in range(20))}), NAV
    ),
    "flight, page shown": shell(
        pushed(f"5:{json.dumps(article(tags(EN)))}\n"), f"<h1>{TITLE}</h1>{tags(EN)}"
    ),
    "unfilled template": shell(
        f'<script type="text/x-handlebars-template"><h2>{{{{title}}}}</h2>{tags(EN)}</script>',
        f"<h1>{TITLE}</h1>",
    ),
    "picture": shell(in_json({"image": "iVBORw0KGgo" * 200}), f"<h1>{TITLE}</h1>"),
    "styles": shell(in_json({"sheet": ".a{color:red;margin:0 auto} " * 60}), f"<h1>{TITLE}</h1>"),
    "program": shell(
        f"<script>window.x=function(){{return {json.dumps(' '.join(EN))}}}</script>",
        f"<h1>{TITLE}</h1>",
    ),
    "short": shell(linked("The quay wall has cracked."), f"<h1>{TITLE}</h1>"),
    "teasers": shell(
        in_json({"items": [{"title": each[:20], "text": each} for each in EN]}), f"<h1>{TITLE}</h1>"
    ),
}


@pytest.mark.parametrize("name", AS_SHOWN)
def test_other_pages_stay_as_they_are(name: str) -> None:
    page = AS_SHOWN[name]
    document = read(Page.from_text(URL, page))
    without = page[: page.index("<script")] + page[page.rindex("</script>") :]
    assert document.text_source is None
    assert [block.text for block in document.blocks] == [
        block.text for block in read(Page.from_text(URL, without)).blocks
    ]
    assert extract(page, URL).method == "article"


HOSTILE = {
    "deep lists": "[" * 300_000,
    "deep objects": '{"a":' * 100_000,
    "closed deep lists": "[" * 50_000 + "]" * 50_000,
    "no JSON": "{" + "not json at all; " * 5_000,
    "half a string": '{"articleBody": "' + "word " * 100_000,
    "backslashes": '{"articleBody": "' + "\\" * 200_001,
    "quotes": '{"a":' + '"' * 200_001,
    "control characters": '{"articleBody": "' + "a\\u0001\\u0002 word and word " * 5_000 + '"}',
    "lone surrogates": '{"articleBody": "' + "\\ud800 word " * 5_000 + '"}',
    "many values": "[" + ",".join(['{"a":[1,2,{"b":[]}]}'] * 60_000) + "]",
    "many strings": json.dumps([f"{n} " + EN[n % 5] for n in range(5_000)]),
    "many assignments": "window.a = {x};" * 50_000,
    "a number without end": '{"a": ' + "9" * 100_000 + "}",
    "feed in a string": json.dumps({"articleBody": "<rss>" + tags(EN) * 3}),
    "nested markup": json.dumps({"articleBody": "<div>" * 20_000 + tags(EN)}),
    "page in a page": json.dumps({"articleBody": f"<html><body>{tags(EN)}</body></html><p>x"}),
    "rows without end": "self.__next_f.push([1," + json.dumps("1:Tfffff,a\n" * 50_000) + "])",
    "calls": 'f({"a":' * 50_000,
    "JSON in JSON": json.dumps({"a": json.dumps({"a": json.dumps({"a": " ".join(EN)})})}) * 9,
    "not a number": '{"a": NaN, "b": Infinity, "articleBody": 5}' + " " * 300,
}


@pytest.mark.parametrize("kind", ["application/json", "application/ld+json", "text/javascript"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_scripts_end_in_time(name: str, kind: str) -> None:
    start = "window.__STATE__ = " if kind == "text/javascript" else ""
    page = shell(f'<script type="{kind}">{start}{HOSTILE[name]}</script>', f"<p>{EN[0]}</p>")
    began = time.process_time()
    document = read(Page.from_text(URL, page))
    assert time.process_time() - began < 3
    assert EN[0] in [block.text for block in document.blocks]
    assert not any(char in block.text for block in document.blocks for char in "\x01\x02")


# Each takes a minute or more where a pattern or a search begins anew at each place.
LONG = {
    "comments without end": (in_json(article(f"{tags(EN)}{'<!--' * 200_000}")), list(EN)),
    "spaces": (in_json(article(" ".join(EN) + " " * 900_000 + EN[0])), [" ".join((*EN, EN[0]))]),
    "a string without end": ('<script>window.__STATE__=f("' + '\\"' * 900_000 + "</script>", []),
    "a long word": (f"<script>window.__STATE__=f({'a' * 3_900_000})</script>", []),
}


@pytest.mark.parametrize("name", LONG)
def test_each_place_of_a_script_is_read_once(name: str) -> None:
    script, expected = LONG[name]
    assert shown(shell(script, f"<h1>{TITLE}</h1>")) == [TITLE, *expected]


def test_of_many_lines_the_longest_are_looked_for_in_a_text() -> None:
    lines = [f"{n:09} is the number of a stone in the wall, not {n * 7:09}" for n in range(6_000)]
    unlike = "".join(f"<p><a href=/>{line[::-1]}</a></p>" for line in lines)
    whole = f"{EN[0]} {EN[1]}"
    page = shell(in_json(article("\n".join((whole, *lines)))), f"<p>{EN[0]}</p>{unlike}")
    blocks = shown(page)
    assert blocks[:3] == [EN[0], EN[1], lines[0]]
    assert len(blocks) == 2 * 6_000 + 2


def test_a_quotation_of_what_is_shown_is_no_end_of_it() -> None:
    quoted = EN[0].split(". ")[0] + "."
    body = f"<h1>{TITLE}</h1><p>{EN[0]}</p><blockquote>{quoted}</blockquote>"
    assert shown(shell(linked(" ".join(EN)), body)) == [TITLE, EN[0], " ".join(EN[1:]), quoted]


def test_a_shown_paragraph_that_the_text_repeats_is_cut_out_each_time() -> None:
    page = shell(linked(" ".join((*EN[:3], EN[0], *EN[3:]))), f"<h1>{TITLE}</h1><p>{EN[0]}</p>")
    assert shown(page) == [TITLE, EN[0], " ".join(EN[1:3]), " ".join(EN[3:])]


@pytest.mark.parametrize(
    "lead",
    [EN[0], "Die Fähre fährt auf der Straße vorbei, weil an der Kaimauer niemand festmachen will."],
)
def test_a_paragraph_in_capitals_is_not_added_again(lead: str) -> None:
    capitals = "".join(char if char == "ß" else char.upper() for char in lead)
    page = shell(linked("\n".join((lead, *EN[1:]))), f"<h1>{TITLE}</h1><p>{capitals}</p>")
    assert shown(page) == [TITLE, capitals, *EN[1:]]
