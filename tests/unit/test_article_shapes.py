"""Shapes of pages on which a name, a repetition or a link misleads: alone and with their site."""

from __future__ import annotations

import pytest

from crawler.core.flow import Annotation, SiteCounts, SiteView, annotate, observe
from crawler.core.flow import read as read_page
from support.gazette import ALL, METHOD, WHERE, P, article, heading_of, page, prose


def judged(body: str, mates: tuple[str, ...] = ()) -> list[Annotation]:
    """Judge a page alone and with five other pages of its site."""
    document = read_page(page(0, body))
    counts = SiteCounts()
    counts.add(observe(document, METHOD))
    for number in range(1, 6):
        of_mate = mates[number - 1] if mates else article("".join(P[5 * number : 5 * number + 5]))
        counts.add(observe(read_page(page(number, of_mate)), METHOD))
    return [annotate(document, view, METHOD) for view in (SiteView(), counts.view())]


def texts(body: str, mates: tuple[str, ...] = ()) -> list[list[str]]:
    return [found.text.split("\n") for found in judged(body, mates)]


OWN_SECTIONS = {
    "section with an id": "<section id=discussion><h2>The discussion</h2>{}</section>",
    "section at the end": "<section class=feedback><h2>How it went on</h2>{}</section>#",
    "camel case": "<section id=FeedforwardAndFeedback><h2>Forward and back</h2>{}</section>",
    "div with a class": '<div class="section responses"><h2>What they said</h2>{}</div>',
    "correspondent": '<div class="from-our-correspondent"><h2>From the quay</h2>{}</div>',
    "respondents": "<section id=the-respondents><h3>The respondents</h3>{}</section>",
    "a long slug": "<section id=comments-from-the-town><h2>From the town</h2>{}</section>",
    "French": "<section id=comment-faire><h2>Comment faire</h2>{}</section>",
    "heading with an id": "<h2 id=comments-from-the-town>From the town</h2>{}",
    "heading, bare id": "<h3 id=feedback>Feedback</h3>{}",
    "heading in a box": "<div class=heading id=replies><h2>The replies</h2></div>{}",
    "German": "<h2 id=kommentar-der-stadt>Kommentar der Stadt</h2>{}",
    "interview": "<h2>Asked</h2><p>Why?</p><div class=reply>{}</div><p>And?</p>"
    "<div class=reply>Yes.</div>",
    "nested names": "<div class=discussion><h2>Talk</h2><div class=discussion__body>{}</div></div>",
}


@pytest.mark.parametrize("shape", OWN_SECTIONS)
def test_a_section_of_the_text_is_no_comment_whatever_its_name(shape: str) -> None:
    markup, at_the_end, _ = OWN_SECTIONS[shape].partition("#")
    rest = "" if at_the_end else "<h2>How it was done</h2>" + P[4]
    for found in judged(article(P[0] + P[1] + markup.format(P[2] + P[3]) + rest)):
        lines = found.text.split("\n")
        heading = heading_of(markup)
        assert {heading, prose(2), prose(3)} <= set(lines)
        assert "comment" not in {label.reason for label in found.labels}


@pytest.mark.parametrize(
    "names",
    ["entry no-comments", "content has-comments-sidebar", "post discussion-enabled",
     "nocomments", "hasComments", "comments-open", "text comments-closed", "comment-status-closed",
     "with-comments", "reply-enabled", "commentable", "c-feedback"],
)  # fmt: skip
def test_no_name_makes_the_whole_text_a_comment(names: str) -> None:
    hero = f"<header class=hero><h1>A note</h1><p class=standfirst>{prose(9)}</p></header>"
    for lines in texts(f"{hero}<div class='{names}'>{''.join(P[:5])}</div>"):
        assert [line for line in lines if line in ALL[:5]] == ALL[:5]
    body = f"{hero}<div class='{names}'>{''.join(P[:5])}</div>"
    real = f"<ol class=comment-list><li class=comment><b class=author>Ann</b>{P[8]}</ol>"
    for found in judged(body + real):
        assert prose(4) in found.text
        assert prose(8) not in found.text


COMMENTS = {
    "list": "<ol class=commentlist><li class=comment><p>{}<li class=comment><p>{}</ol>",
    "one of them": "<div id=comments><h2>One comment</h2><p>{}</div>",
    "discussion": "<section class=discussion><h3>Discussion</h3><div class=item><span class=author>"
    "Ann</span><p>{}</div><div class=item><span class=author>Bo</span><p>{}</div></section>",
    "replies": "<div id=replies><div class=reply><p>{}</div><div class=reply><p>{}</div></div>",
    "feedback with times": "<ul id=feedback><li><b>Ann</b> <time>3 May</time><p>{}</ul>",
    "in the article": "<section id=comments class=comments-area><h2 class=comments-title>2 thoughts"
    "</h2><ol><li class=comment><p>{}<li class=comment><p>{}</ol></section>",
    "heading apart": "<h3 id=comments>2 Responses</h3><ol class=commentlist><li class=comment><p>{}"
    "<li class=comment><p>{}</ol>",
    "Disqus": "<div id=disqus_thread><div class=post-message><p>{}</div></div>",
    "ids": "<div><div class=comment id=c1><p>{}</div><div class=comment id=c2><p>{}</div></div>",
    "closed": "<div id=comments class=comments-closed><ul><li class=comment><p>{}</ul></div>",
}


@pytest.mark.parametrize("shape", COMMENTS)
@pytest.mark.parametrize("is_inside", [True, False])
def test_comments_of_readers_go(shape: str, is_inside: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    zone = COMMENTS[shape].format(prose(20), prose(21))
    text = "".join(P[:5])
    alone, known = judged(article(text + zone) if is_inside else article(text) + zone)
    for found in (alone, known):
        assert prose(4) in found.text
        said = {block.text: label.reason for block, label in found.pairs()}
        if not is_inside or found is known:
            assert said[prose(20)] == said.get(prose(21), "comment") == "comment"
        assert found.text.endswith(prose(4)) or is_inside


LEADS = {
    "READ MORE:": "Why ropes are blue now", "Read also:": "A goat in the library",
    "Related:": "Rye is dear again", "See also \u2013": "Ten walks for a wet day",
    "[관련기사]": "밧줄이 파란 까닭은 무엇인가", "▶관련 기사:": "염소가 도서관에 들어왔다",
    "【関連記事】": "縄が青い理由とは", "あわせて読みたい:": "図書館に山羊が入る",
    "相关阅读\uff1a": "绳子为什么是蓝色的", "延伸閱讀\uff1a": "圖書館裡的山羊",
    "Lesen Sie auch:": "Warum Taue blau sind", "Lire aussi :": "Pourquoi les cordes sont bleues",
    "Lea también:": "Por qué las cuerdas son azules", "Leia também:": "Por que as cordas são azuis",
    "Leggi anche:": "Perché le corde sono blu", "Читайте также:": "Почему канаты синие",
    "Lees ook:": "Waarom touwen blauw zijn", "Czytaj także:": "Dlaczego liny są niebieskie",
    "اقرأ أيضا:": "لماذا الحبال زرقاء", "Baca juga:": "Mengapa tali berwarna biru",
}  # fmt: skip
TEASERS = {
    "bold": "<p><strong>{lead}</strong> <a href=/a/9>{head}</a></p>",
    "in the link": "<p><a href=/a/9>{lead} {head}</a></p>",
    "box": "<div class=box><span>{lead}</span><a href=/a/9>{head}</a></div>",
    "two lines": "<p>{lead}</p><p><a href=/a/9>{head}</a></p>",
    "a list": "<p><b>{lead}</b></p><ul><li><a href=/a/9>{head}</a><li><a href=/a/8>{head}!</a>"
    "</ul>",
    "subdomain": "<p>{lead} <a href=https://sport.mole.example/a/9>{head}</a></p>",
}


@pytest.mark.parametrize(
    ("lead", "shape"),
    [(lead, "bold") for lead in LEADS]
    + [(lead, shape) for lead in list(LEADS)[::5] for shape in TEASERS],
)
def test_a_line_that_leads_to_another_page_goes(lead: str, shape: str) -> None:
    line = TEASERS[shape].format(lead=lead, head=LEADS[lead])
    for body in (P[0] + P[1] + line + P[2] + P[3] + P[4], "".join(P[:5]) + line):
        for found in texts(article(body)):
            assert [text for text in found if text in ALL] == ALL[:5]
            assert not [text for text in found if LEADS[lead] in text or lead in text]


@pytest.mark.parametrize(
    "line",
    ["<p><a href=/a/9>Why ropes are blue now</a></p>",
     "<p><a href=/a/9><strong>縄が青い理由とは</strong></a></p>",
     "<div><a href='https://www.mole.example/a/9'>밧줄이 파란 까닭</a></div>",
     "<p>▶ <a href=/a/9>绳子为什么是蓝色的</a></p>"],
)  # fmt: skip
def test_a_paragraph_that_is_one_link_to_another_page_goes(line: str) -> None:
    for found in texts(article(P[0] + P[1] + line + P[2] + P[3] + P[4])):
        assert [text for text in found if text in ALL] == ALL[:5]
        assert not [text for text in found if "ropes" in text or "縄" in text or "绳" in text]


OWN_LINES = (
    "<p>Source: <a href=https://dykes.example/report>Report on the dykes of the region</a></p>",
    "<p>Read more in <a href=/a/9>our guide</a> to the dykes, which the council had printed.</p>",
    "<p>See also <a href=https://dykes.example/x>the report</a> on dykes of the neighbours.</p>",
    "<p>The <a href=/files/report.pdf>report on dykes, with all of its tables</a> is public.</p>",
    "<p>Related to this are the dykes of the neighbours, which nobody has ever repaired.</p>",
)


@pytest.mark.parametrize("line", OWN_LINES)
def test_lines_of_the_text_with_links_stay(line: str) -> None:
    for found in texts(article(P[0] + P[1] + line + P[2] + P[3] + P[4])):
        assert [text for text in found if "ykes" in text]


CHORUS = "Oh, the wall, the wall, it was built by us all,<br>and nobody asked for the stones"
ANSWER = "No, they may not leave before the harbour master has said so."


@pytest.mark.parametrize(
    ("again", "unit"),
    [(CHORUS, "<p>{}<br>and then the ropes were dry on the pole</p><p>{}</p>"),
     (CHORUS, "<div>{}, and so it went on until the evening came</div><div>{}</div>"),
     (ANSWER, "<h3>{}, and may boats leave?</h3><p>{}</p>"),
     (ANSWER, "<dt>{}, and may boats leave?</dt><dd>{}</dd>"),
     (ANSWER, "<p><b>{}, and may boats leave?</b></p><p>{}</p>"),
     ("아니요, 항구 관리인이 말하기 전에는 떠날 수 없습니다. 그때까지 기다려야 합니다.",
      "<h3>{}에서 배가 떠나도 되나요?</h3><p>{}</p>")],
)  # fmt: skip
def test_what_an_author_repeats_is_kept_each_time(again: str, unit: str) -> None:
    body = "".join(unit.format(f"First the gulls came to {where}", again) for where in WHERE)
    body = f"<dl>{body}</dl>" if "<dt>" in unit else body
    for found in judged(article(P[0] + P[1] + body)):
        assert found.text.count(again.partition("<br>")[0]) == len(WHERE)


@pytest.mark.parametrize("wrap", ["<div class=mobile>{}</div>", "{}", "<section>{}</section>"])
def test_a_second_run_of_the_article_is_a_copy(wrap: str) -> None:
    text = "".join(P[:5])
    for found in texts(article(text) + wrap.format(text)):
        assert [line for line in found if line in ALL] == ALL[:5]


def recipe(number: int, first: str, second: str, items: str = "") -> str:
    listed = items or "".join(
        f"<li>{(number * 7 + it) * 10} g {what}"
        for it, what in enumerate(("flour", "honey", "lentils", "rye", "fish", "salt", "leek"))
        if (number + it) % 2
    )
    one, two, three, four = P[4 * number : 4 * number + 4]
    return article(
        f"{one}{first}<ul>{listed}</ul>{second}{two}{three}<h2>Follow us</h2>"
        f"<ul class=share><li><a href=/f>Facebook</a></ul>{four}",
        number,
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [("<h2>Ingredients</h2>", "<h2>Method</h2>"), ("<h3>재료</h3>", "<h3>만드는 법</h3>"),
     ("<h4>Zutaten</h4>", "<h4>Zubereitung</h4>"),
     ("<div class=mw-heading><h2>Release</h2><span>[<a href=/e>edit</a>]</span></div>",
      "<div class=mw-heading><h2>Reception</h2><span>[<a href=/e>edit</a>]</span></div>"),
     ("<h2>材料</h2>", "<div class=wp-block-heading><h2>作り方</h2></div>")],
)  # fmt: skip
def test_headings_and_items_that_recur_stay_with_their_sections(first: str, second: str) -> None:
    mates = tuple(recipe(number, first, second) for number in range(1, 6))
    found = texts(recipe(0, first, second), mates)[1]
    for heading in (first, second):
        assert heading_of(heading) in found
    assert "10 g honey" in found
    assert prose(3) in found
    assert "Follow us" not in found


@pytest.mark.parametrize(
    "heading",
    ["<h2>참고</h2>", "<h2>결론</h2>", "<h3>맺음말</h3>", "<h2>Conclusion</h2>",
     "<h2>まとめ</h2>", "<h2>Fazit</h2>", "<h4>总结</h4>"],
)  # fmt: skip
def test_headings_of_the_last_section_stay(heading: str) -> None:
    said = heading_of(heading)
    mates = tuple(
        article("".join(P[5 * n : 5 * n + 4]) + heading + P[5 * n + 4], n) for n in range(1, 6)
    )
    assert said in texts(article("".join(P[:4]) + heading + P[4]), mates)[1]


def interview(number: int) -> str:
    asked = ("What do you do?", "Why here?", "What would you change?", "What comes next?")
    lines = zip(asked, P[4 * number : 4 * number + 4], strict=True)
    return article("".join(f"<p><strong>{ask}</strong></p>{line}" for ask, line in lines), number)


def test_fixed_questions_of_an_interview_stay() -> None:
    found = texts(interview(0), tuple(interview(number) for number in range(1, 6)))[1]
    assert [line for line in found if line.endswith("?")][-3:] == [
        "Why here?", "What would you change?", "What comes next?",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "boilerplate",
    ["<div class=newsletter><h3>Our newsletter</h3><form><input></form></div>",
     "<h3>Share this</h3><ul><li><a href=/f>Facebook</a><li><a href=/t>Twitter</a></ul>",
     "<div class=related><h4>Related articles</h4></div>",
     "<h4>Read more</h4>",
     "<div><h3>About us</h3><p>The Gazette has been printed since 1880 on the quay.</p></div>"],
)  # fmt: skip
def test_headings_of_boilerplate_go(boilerplate: str) -> None:
    mates = tuple(
        article("".join(P[5 * n : 5 * n + 3]) + boilerplate + P[5 * n + 3] + P[5 * n + 4], n)
        for n in range(1, 6)
    )
    found = texts(article("".join(P[:3]) + boilerplate + P[3] + P[4]), mates)[1]
    assert [line for line in found if line in ALL] == ALL[:5]
    assert heading_of(boilerplate) not in found


@pytest.mark.parametrize(
    "box",
    ["<div class=code-header><span>python</span><a class=copy-code href=#>Copy code</a></div>{}",
     "<div><div class=title>tide.py</div><div>{}</div></div>", "<span>shell</span>{}", "{}"],
)  # fmt: skip
def test_a_code_between_paragraphs_stays_whatever_its_box_is_called(box: str) -> None:
    code = "<pre>def tide(hour):\n    return hour * 2</pre>"
    body = "".join(P[:3]) + f"<div class=code-block>{box.format(code)}</div>" + "".join(P[3:5])
    for found in judged(article(body)):
        assert f"{prose(2)}\n" in found.text
        assert "def tide(hour):\n    return hour * 2\n" in found.text
        assert "Copy code" not in found.text


def test_a_code_beside_the_article_goes() -> None:
    widget = "<div class=widget><div class=title>Embed</div><pre>embed(1)\nembed(2)</pre></div>"
    for found in judged(article("".join(P[:5])) + f"<div class=sidebar>{widget}</div>"):
        assert "embed" not in found.text


def test_a_sentence_in_a_div_without_a_name_is_a_paragraph() -> None:
    line = "The boat leaves the north mole at ten."
    flowing = "The <div style='display:inline'>boat</div> leaves the north mole at ten."
    for div in (line, flowing):
        for lines in texts(article(f"{''.join(P[:3])}<div>{div}</div>{''.join(P[3:5])}")):
            assert lines[-6:] == [*ALL[:3], line, *ALL[3:5]]


BETWEEN = {
    "verse": "<div class=lyrics>The tide comes in<br>go home, go home<br>the tide goes out</div>",
    "own elements": "<my-card><my-line style='display:block'>First line of the quay.</my-line>"
    "<my-line style='display:block'>Second line of the quay.</my-line></my-card>",
    "lines": "<div style='white-space:pre-line'>On day one we walked.\nOn day two we sat.</div>",
    "list": "<ul><li>Harbour<ul><li>North quay</ul><li>Bridge</ul>",
    "ordered list": "<ol><li>Take the rope<li>Tie a knot</ol>",
    "a short paragraph": "<p>It rained.</p>",
    "a quotation": "<blockquote><p>We waited long.</p></blockquote>",
    "paragraphs in a section": "<section><p>It rained.</p><p>It rained on.</p></section>",
    "a formula": "<p>The force is as follows.</p><div>F = m a</div><p>The mass is known.</p>",
    "Korean": "<div>첫째 날에는 항구를 걸었다.</div><div>둘째 날에는 비가 왔다.</div>",
}


@pytest.mark.parametrize("shape", BETWEEN)
def test_short_lines_between_paragraphs_stay(shape: str) -> None:
    own = [block.text for block in read_page(page(0, article(BETWEEN[shape]))).blocks]
    wanted = [line for text in own[4:-4] for line in text.split("\n")]
    assert wanted
    for lines in texts(article(f"{P[0]}{P[1]}{BETWEEN[shape]}{P[2]}{P[3]}")):
        assert [line for line in lines if not line.startswith("A note")] == [
            *ALL[:2], *wanted, *ALL[2:4],
        ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["<div class=share-bar><span>Share</span><span>Send</span></div>", "<p>Advertisement</p>",
     "<div>Advertisement</div>", "<div class=related><p>Library opens at night</p></div>",
     "<div class=author-box><p>Ada Mott</p></div>", "<div class=newsletter><p>Our letter</p></div>",
     "<p>Read more: Library opens at night</p>", "<div><a href=/a/1>Library opens</a></div>",
     "<div>12</div>", "<div class=caption>The wall on Monday</div>"],
)  # fmt: skip
def test_boilerplate_between_paragraphs_goes(line: str) -> None:
    alone = texts(article(f"{P[0]}{P[1]}{line}{P[2]}{P[3]}"))[0]
    assert [it for it in alone if not it.startswith("A note")] == ALL[:4]


@pytest.mark.parametrize(
    "listing",
    ["<div class=code><div><span>python</span><a href=#>Copy code</a></div>{}</div>",
     "<div><div>Python</div>{}</div>", "<div>bash</div>{}", "<div>{}<div>Copy</div></div>",
     "<div class=code><button>Copy</button>{}</div>", "<div>{}<button>복사</button></div>",
     "<div><div>JavaScript</div><div>复制代码</div>{}</div>", "{}",
     "<figure><div>C++ | Kopieren</div>{}</figure>", "<div><span>コピー</span>{}</div>"],
)  # fmt: skip
@pytest.mark.parametrize("is_last", [False, True])
def test_listings_stay_without_their_bars(listing: str, is_last: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    code = listing.format("<pre><code>def tide(hour):\n    return hour * 2</code></pre>")
    rest = "" if is_last else P[3]
    for lines in texts(article(P[0] + P[1] + P[2] + code + rest)):
        assert [line for line in lines if not line.startswith("A note")] == [
            *ALL[:3], "def tide(hour):", "    return hour * 2", *(() if is_last else ALL[3:4]),
        ]  # fmt: skip
