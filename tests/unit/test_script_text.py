"""Text that a page holds in its scripts: used where the page shows less than half, never twice."""

from __future__ import annotations

import html
import json
import time

import pytest

from crawler import extract
from crawler.core.flow import Page, SiteCounts, annotate, get_method, observe, read
from crawler.core.pagetype.judge import page_type

URL = "https://mole.example/2026/11/quay-wall"
TITLE = "Quay wall cracks"
EN = (
    (
        "The ferry company said that nine boats would stay in the harbour until Easter. The "
        "quay wall had cracked, and nobody wanted to moor a boat of forty tonnes at it."
    ),
    (
        "Residents of Old Weir had warned the council for years. Marla Quist kept a notebook of"
        " every stone that fell into the water, and she read from it on Monday."
    ),
    (
        "Engineers measured the gap with a laser and found that it had grown. They closed the "
        "western pier on the same day, and the fish market moved to the school yard."
    ),
    (
        "A second survey is planned for the first frost. The money for it comes from a fund "
        "that the region set up after the flood of last spring, and half of it is left."
    ),
    (
        "“We are not angry, only tired,” said Otto Penn, who sells smoked fish. Until then "
        "passengers have to walk along the dyke, which is lit by lamps from a circus."
    ),
)
KO = (
    (
        "연락선 회사는 부두 벽에 금이 가서 배 아홉 척이 부활절까지 항구에 머문다고 "
        "밝혔다. 주민들은 몇 해 전부터 의회에 위험을 알려 왔다고 말한다."
    ),
    (
        "기술자들은 지난 월요일에 레이저로 틈을 재고 서쪽 부두를 닫았다. 어시장은 학교"
        " 운동장으로 자리를 옮겼고 상인들은 천막 아래에서 생선을 판다."
    ),
    (
        "두 번째 조사는 첫서리가 내릴 때 시작된다. 비용은 지난봄 홍수 뒤에 지역이 "
        "마련한 기금에서 나오며 아직 절반이 남아 있다고 시장은 설명했다."
    ),
)
JA = (
    (
        "連絡船の会社は、岸壁にひびが入ったため、九隻の船が復活祭まで港にとどまると発表した。"
        "住民は何年も前から議会に危険を知らせていたという。"
    ),
    (
        "技術者は月曜日にレーザーですき間を測り、西の桟橋を閉じた。魚市場は学校の校庭に移り、"
        "商人は天幕の下で魚を売っている。"
    ),
    (
        "二回目の調査は初霜のころに始まる。費用は、昨年春の洪水のあとに地域が設けた基金から出"
        "され、まだ半分が残っている。"
    ),
)
RU = (
    (
        "Паромная компания сообщила, что девять судов останутся в гавани до Пасхи. В "  # noqa: RUF001 - Russian
        "стене причала появилась трещина, и никто не хочет швартовать к ней судно."
    ),
    (
        "Жители Старой Запруды предупреждали совет много лет. Марла Квист записывала в "
        "тетрадь каждый камень, который упал в воду, и читала из неё в понедельник."
    ),
    (
        "Инженеры измерили щель лазером и увидели, что она выросла. В тот же день они "  # noqa: RUF001 - Russian
        "закрыли западный пирс, а рыбный рынок переехал на школьный двор."  # noqa: RUF001 - Russian
    ),
)
AR = (
    (
        "أعلنت شركة العبارات أن تسعة قوارب ستبقى في الميناء حتى عيد الفصح. تصدع جدار "
        "الرصيف ولا أحد يريد أن يرسو قاربه عنده في هذه الأيام."
    ),
    (
        "حذر سكان السد القديم المجلس منذ سنوات. احتفظت مارلا كويست بدفتر كتبت فيه عن كل "
        "حجر سقط في الماء وقرأت منه يوم الاثنين أمام الجميع."
    ),
    (
        "قاس المهندسون الفجوة بالليزر ووجدوا أنها اتسعت. أغلقوا الرصيف الغربي في اليوم "
        "نفسه وانتقل سوق السمك إلى ساحة المدرسة القريبة."
    ),
)
NAV = "<nav><a href=/a>Town</a> <a href=/b>Sea</a> <a href=/c>Sport</a></nav>"
FOOT = "<footer><p>Published by the Mole Observer, Harbour Street 4</p></footer>"


def shell(script: str, body: str = '<div id="root"></div>', title: str = TITLE) -> str:
    return f"<html><head><title>{title}</title></head><body>{body}{script}</body></html>"


def tags(paragraphs: tuple[str, ...]) -> str:
    return "".join(f"<p>{each}</p>" for each in paragraphs)


def in_json(
    value: object, attributes: str = 'type="application/json"', *, ascii_: bool = False
) -> str:
    text = json.dumps(value, ensure_ascii=ascii_).replace("</", "<\\/")
    return f"<script {attributes}>{text}</script>"


def linked(body: str, **more: object) -> str:
    value = {"@type": "NewsArticle", "headline": TITLE, "articleBody": body, **more}
    return in_json(value, 'type="application/ld+json"')


def article(body: object) -> dict[str, object]:
    return {"props": {"pageProps": {"article": {"title": TITLE, "body": body}}}}


NUXT_3 = [["Reactive", 1], {"data": 2}, {"title": 3, "body": 4}, TITLE, tags(EN), "en", "news"]
NUXT_2 = (
    "<script>window.__NUXT__=(function(a,b){return {layout:a,data:[{post:{title:b,"
    f'text:{json.dumps(tags(EN))}}}}}],error:null}}}}("default",{json.dumps(TITLE)}))</script>'
).replace("</p>", "<\\/p>")


def pushed(*rows: str) -> str:
    """Write rows as React sends them, each in two pieces."""
    stream = "".join(rows)
    pieces = (stream[: len(stream) // 2], stream[len(stream) // 2 :])
    return "".join(
        f"<script>self.__next_f.push([1,{json.dumps(each)}])</script>" for each in pieces
    )


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


def test_one_string_goes_on_behind_the_paragraph_that_is_shown() -> None:
    page = shell(linked(" ".join(EN)), f"<h1>{TITLE}</h1><p>{EN[0]}</p>{FOOT}")
    texts = [block.text for block in read(Page.from_text(URL, page)).blocks]
    assert texts[:3] == [TITLE, EN[0], " ".join(EN[1:])]
    assert len(texts) == 4


def test_a_paragraph_in_the_middle_is_cut_out_of_one_string() -> None:
    page = shell(linked(" ".join(EN)), f"<h1>{TITLE}</h1><p>{EN[4]}</p>")
    texts = [block.text for block in read(Page.from_text(URL, page)).blocks]
    assert texts == [TITLE, " ".join(EN[:4]), EN[4]]


def test_blocks_are_numbered_and_stand_in_the_elements_of_the_page() -> None:
    body = f"<main><h1>{TITLE}</h1><p>{EN[0]}</p></main>{FOOT}"
    document = read(Page.from_text(URL, shell(linked("\n".join(EN)), body)))
    assert [block.index for block in document.blocks] == list(range(len(document.blocks)))
    assert document.added == {2, 3, 4, 5}
    assert document.blocks[2].path == "html/body/main/article/p"
    assert document.text_source == "json-ld"


OTHER = tuple(
    each.replace("quay", "dam").replace("The", "Their").replace("a ", "one ") for each in EN
)
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


def shown(page: str) -> list[str]:
    return [block.text for block in read(Page.from_text(URL, page)).blocks]


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
