"""Text that a page holds in its scripts: used where the page shows less than half, never twice."""

from __future__ import annotations

import html
import json

import pytest

from crawler import extract
from crawler.core.flow import Page, SiteCounts, annotate, get_method, observe, read
from crawler.core.pagetype.judge import page_type
from support.scripted import (
    AR,
    EN,
    FOOT,
    JA,
    KO,
    NAV,
    OTHER,
    RU,
    TITLE,
    URL,
    article,
    in_json,
    linked,
    pushed,
    shell,
    tags,
)

NUXT_3 = [["Reactive", 1], {"data": 2}, {"title": 3, "body": 4}, TITLE, tags(EN), "en", "news"]
NUXT_2 = (
    "<script>window.__NUXT__=(function(a,b){return {layout:a,data:[{post:{title:b,"
    f'text:{json.dumps(tags(EN))}}}}}],error:null}}}}("default",{json.dumps(TITLE)}))</script>'
).replace("</p>", "<\\/p>")


def row_of_text(text: str) -> str:
    return f"2a:T{len(text.encode()):x},{text}"


ELEMENTS = [["$", "p", str(n), {"children": [each[:40], each[40:]]}] for n, each in enumerate(EN)]
# Shape: the page, the paragraphs that its text has, and where they are from.
SHAPES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "next": (
        shell(in_json(article(tags(EN)), 'id="__NEXT_DATA__" type="application/json"')),
        EN,
        "script",
    ),
    "next, typed": (shell(in_json(article(tags(EN)))), EN, "script"),
    "escaped letters": (shell(in_json(article(tags(KO)), ascii_=True)), KO, "script"),
    "nuxt 3": (shell(in_json(NUXT_3)), EN, "script"),
    "flight, object": (
        shell(pushed('1:"$Sreact.fragment"\n', f"5:{json.dumps(article(tags(EN)))}\n", "6:null\n")),
        EN,
        "script",
    ),
    "flight, row of text": (
        shell(
            pushed('1:["$","div",null,{"html":"$2a"}]\n', row_of_text(tags(KO)), '7:["$","b"]\n')
        ),
        KO,
        "script",
    ),
    "flight, elements": (
        shell(pushed(f"3:{json.dumps(['$', 'div', None, {'children': ELEMENTS}])}\n")),
        EN,
        "script",
    ),
    "inertia": (
        shell("", f"<div id=app data-page='{html.escape(json.dumps(article(tags(EN))))}'></div>"),
        EN,
        "script",
    ),
    "svelte, fetched": (
        shell(in_json({"status": 200, "body": json.dumps(article(tags(JA)))})),
        JA,
        "script",
    ),
    "svelte, in a program": (
        shell(
            "<script>{__sveltekit_1ab = {base: ''}; kit.start(app, element, {data: [{post: {title: "
            f"{json.dumps(TITLE)}, body: {json.dumps(tags(EN))}}}}}]}});}}</script>"
        ),
        EN,
        "script",
    ),
    "remix, streamed": (
        shell(
            "<script>window.__remixContext.streamController.enqueue("
            f"{json.dumps(json.dumps([{'_1': 2}, 'post', {'_3': 4}, 'body', tags(EN)]))});</script>"
        ),
        EN,
        "script",
    ),
    "apollo": (
        shell(
            "<script>window.__APOLLO_STATE__="
            f"{json.dumps({'Post:7': {'__typename': 'Post', 'title': TITLE, 'html': tags(RU)}})}"
            "</script>"
        ),
        RU,
        "script",
    ),
    "nuxt 2, a function": (shell(NUXT_2), EN, "script"),
    "initial state": (
        shell(f"<script>window.__INITIAL_STATE__ = {json.dumps(article(tags(EN)))};</script>"),
        EN,
        "script",
    ),
    "second of two states": (
        shell(
            "<script>window.env={\"a\":1};window['__PRELOADED_STATE__']="
            f"{json.dumps(article(tags(EN)))};(function(){{var s;}})()</script>"
        ),
        EN,
        "script",
    ),
    "state in a string": (
        shell(
            "<script>window.__APOLLO_STATE__ = "
            f"JSON.parse({json.dumps(json.dumps(article(tags(EN))))});</script>"
        ),
        EN,
        "script",
    ),
    "list of paragraphs": (shell(in_json(article(list(EN)))), EN, "script"),
    "portable text": (
        shell(
            in_json(
                article(
                    [
                        {
                            "_type": "block",
                            "style": "normal",
                            "children": [
                                {"_type": "span", "text": each[:30]},
                                {"_type": "span", "text": each[30:], "marks": ["strong"]},
                            ],
                        }
                        for each in EN
                    ]
                )
            )
        ),
        EN,
        "script",
    ),
    "rich text": (
        shell(
            in_json(
                article(
                    {
                        "nodeType": "document",
                        "content": [
                            {
                                "nodeType": "paragraph",
                                "content": [{"nodeType": "text", "value": each, "marks": []}],
                            }
                            for each in EN
                        ],
                    }
                )
            )
        ),
        EN,
        "script",
    ),
    "lines": (shell(linked("\n\n".join(EN))), EN, "json-ld"),
    "lines, Japanese": (shell(linked("\r\n".join(JA))), JA, "json-ld"),
    "HTML in JSON-LD": (shell(linked(tags(KO))), KO, "json-ld"),
    "escaped HTML": (shell(linked(html.escape(tags(EN)))), EN, "json-ld"),
    "graph": (
        shell(
            in_json(
                {"@graph": [{"@type": "WebSite", "name": "Mole"}, {"articleBody": "\n".join(EN)}]},
                'type="application/ld+json"',
            )
        ),
        EN,
        "json-ld",
    ),
    "no headline": (
        shell(
            in_json(
                {"@type": "Article", "articleBody": "\n".join(EN)}, 'type="application/ld+json"'
            )
        ),
        EN,
        "json-ld",
    ),
    "trailing comma": (
        shell(
            '<script type="application/ld+json">{"@type":"Article", // ours\n"articleBody": '
            + json.dumps("\n".join(EN))
            + ",}</script>"
        ),
        EN,
        "json-ld",
    ),
    "x-template": (
        shell(f'<script type="text/x-template"><div>{tags(EN)}</div></script>'),
        EN,
        "template",
    ),
    "text/template": (shell(f'<script type="text/template">{tags(KO)}</script>'), KO, "template"),
    "two templates": (
        shell(
            f'<script type="text/x-template">{tags(EN[:2])}</script>'
            '<script type="text/x-template"><b>{{ name }}</b></script>'
            f'<script type="text/x-template">{tags(EN[2:])}</script>'
        ),
        EN,
        "template",
    ),
    "object in JavaScript": (
        shell(
            "<script>window.__STATE__ = {post: {title: 'Quay wall cracks', "
            f"body: {json.dumps(tags(EN))}, }} }};</script>"
        ),
        EN,
        "script",
    ),
    "sections": (
        shell(in_json(article([{"heading": "A part", "text": each} for each in EN]))),
        EN,
        "script",
    ),
    "x-clip/template": (
        shell(f'<script type="x-clip/template">{tags(EN)}</script>', NAV + "<main></main>" + FOOT),
        EN,
        "template",
    ),
    "list in JSON-LD": (
        shell(
            in_json(
                [{"@type": "Article", "headline": TITLE, "articleBody": list(EN)}],
                'type="application/ld+json"',
            )
        ),
        EN,
        "json-ld",
    ),
    "first paragraph shown": (
        shell(linked("\n".join(EN)), f"<h1>{TITLE}</h1><p>{EN[0]}</p><div id=more></div>"),
        EN,
        "json-ld",
    ),
    "beginning cut off": (
        shell(linked("\n".join(EN)), f"<h1>{TITLE}</h1><p>{EN[0][:70]}…</p>"),
        EN,
        "json-ld",
    ),
    "second paragraph shown": (
        shell(in_json(article(tags(EN))), f"<h1>{TITLE}</h1><p>{EN[1]}</p>"),
        EN,
        "script",
    ),
    "Arabic": (shell(linked("\n".join(AR))), AR, "json-ld"),
    "Russian, Draft.js": (
        shell(in_json(article({"blocks": [{"key": "a", "text": each} for each in RU]}))),
        RU,
        "script",
    ),
    "Russian, Editor.js": (
        shell(in_json(article([{"type": "paragraph", "data": {"text": each}} for each in RU]))),
        RU,
        "script",
    ),
    "remix": (
        shell(f"<script>window.__remixContext = {json.dumps(article(tags(RU)))};</script>"),
        RU,
        "script",
    ),
    "title of the site alone": (
        shell(in_json(article(tags(EN))), f"{NAV}<div id=app></div>", "Mole Observer"),
        EN,
        "script",
    ),
    "other headline": (
        shell(linked("\n".join(EN), headline="Nine boats stay"), f"<h1>{TITLE}</h1><b>Loading</b>"),
        EN,
        "json-ld",
    ),
    "beginning with a label": (
        shell(
            linked("\n".join(EN)),
            f"<h1>{TITLE}</h1><p>{EN[0][:90]}... <a href=#more>Read more</a></p>",
        ),
        EN,
        "json-ld",
    ),
    "two forms of one text": (
        shell(linked(" ".join(EN)) + in_json(article(tags(EN)))),
        EN,
        "script",
    ),
    "with a frame": (
        shell(
            in_json(article(tags(EN))),
            f"<header>{NAV}</header><main><h1>{TITLE}</h1><div></div></main>{FOOT}",
        ),
        EN,
        "script",
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_text_in_a_script_is_taken(name: str) -> None:
    page, paragraphs, source = SHAPES[name]
    item = extract(page, URL, item_sources=True, sentences=False)
    text = item.text.removeprefix(f"{TITLE}\n")
    assert text.split("\n") == list(paragraphs)
    assert item.page_type == "article"
    assert item.method == f"article+{source}"
    assert item.metadata_sources is not None
    assert item.metadata_sources["text"] == source


def test_blocks_are_numbered_and_stand_in_the_elements_of_the_page() -> None:
    body = f"<main><h1>{TITLE}</h1><p>{EN[0]}</p></main>{FOOT}"
    document = read(Page.from_text(URL, shell(linked("\n".join(EN)), body)))
    assert [block.index for block in document.blocks] == list(range(len(document.blocks)))
    assert document.added == {2, 3, 4, 5}
    assert document.blocks[2].path == "html/body/main/article/p"
    assert document.text_source == "json-ld"


def test_counts_of_a_site_see_the_same_blocks_in_any_order() -> None:
    frame = "Sign up for our letter, which we send to all readers on the morning of each Saturday."
    pages = [
        Page.from_text(
            f"https://mole.example/{n}",
            shell(in_json({"a": {"title": f"{TITLE} {n}", "html": f"<p>{each}</p><p>{frame}</p>"}}),
                  title=f"{TITLE} {n}"),
        )
        for n, each in enumerate(one + " " + two for one in EN for two in OTHER)
    ]  # fmt: skip
    method = get_method("article")
    views = []
    for ordered in (pages, pages[::-1]):
        counts = SiteCounts()
        for page in ordered:
            counts.add(observe(read(page), method))
        views.append(counts.view())
    first, second = ([annotate(read(page), view, method).text for page in pages] for view in views)
    assert first == second
    assert all(frame not in text and text for text in first)


def test_page_type_sees_text_in_a_frame_of_links() -> None:
    links = "".join(f"<li><a href=/{n}>Section number {n}</a></li>" for n in range(14))
    page = shell(in_json(article(tags(EN))), f"<ul>{links}</ul><h1>{TITLE}</h1>{FOOT}")
    assert page_type(read(Page.from_text(URL, page))).kind == "article"


def test_headings_of_rich_text_are_headings() -> None:
    parts = [{"type": "heading", "children": [{"text": "What was found"}]}]
    parts += [{"type": "paragraph", "children": [{"text": each}]} for each in EN]
    item = extract(shell(in_json(article(parts))), URL, item_markdown=True)
    assert item.markdown is not None
    assert item.markdown.startswith("## What was found\n\nThe ferry company")


def test_parts_of_an_article_in_markup_stay_lists_and_links() -> None:
    body = f"{tags(EN[:4])}<ul><li>{EN[4]}</li></ul><p>See <a href='/b'>the plan</a>.</p>"
    document = read(Page.from_text(URL, shell(in_json(article(body)))))
    assert [block.tag for block in document.blocks] == ["p"] * 4 + ["li", "p"]
    assert document.blocks[-1].links == 1


@pytest.mark.parametrize("reference", ["__ref", "id"])
def test_paragraphs_that_a_state_refers_to_come_in_their_order(reference: str) -> None:
    lines = ("What was found", *EN)
    order = (2, 1, 0, 3, 4, 5)
    state = {
        "ROOT_QUERY": {"__typename": "Query"},
        "Post:7": {
            "title": TITLE,
            "body": {"paragraphs": [{reference: f"Paragraph:{n}"} for n in order]},
        },
        **{
            f"Paragraph:{n}": {
                "__typename": "Paragraph", "id": f"{n}", "name": f"a{n}",
                "type": "P" if n else "H3", "text": line, "href": None, "markups": [],
            }
            for n, line in enumerate(lines)
        },
    }  # fmt: skip
    page = shell(f"<script>window.__APOLLO_STATE__ = {json.dumps(state)}</script>")
    blocks = read(Page.from_text(URL, page)).blocks
    assert [block.text for block in blocks] == [lines[n] for n in order]
    assert [block.tag for block in blocks] == ["p", "p", "h2", "p", "p", "p"]
