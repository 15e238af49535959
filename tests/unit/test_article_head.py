"""The head of an article's text, and the lines in it that are none: alone and with its site."""

from __future__ import annotations

import pytest

from crawler.core.flow import SiteCounts, SiteView, annotate, observe
from crawler.core.flow import read as read_page
from crawler.core.metadata.read import read_metadata
from crawler.core.methods import Label
from crawler.core.methods.article.head import settle_head
from support.gazette import ALL, METHOD, P, article, page

FIVE = "".join(P[:5])
TITLE = "A note from Sandhook 0"
H1 = f"<h1>{TITLE}</h1>"
SAID = "The wall fell twice in winter, and nobody in town had been told of it before then."


def items(body: str, mates: tuple[str, ...] = (), authors: tuple[str, ...] = ()) -> list[list[str]]:
    """Return the lines of the text as items have it: of the page alone, and with its site."""
    document = read_page(page(0, body))
    counts = SiteCounts()
    counts.add(observe(document, METHOD))
    for number in range(1, 6):
        of_mate = mates[number - 1] if mates else article("".join(P[5 * number : 5 * number + 5]))
        counts.add(observe(read_page(page(number, of_mate)), METHOD))
    title = read_metadata(document.parsed, document.page.url, None).title or ""
    found = []
    for view in (SiteView(), counts.view()):
        judged = annotate(document, view, METHOD)
        labels = settle_head(judged.blocks, judged.labels, title, authors)
        pairs = zip(judged.blocks, labels, strict=True)
        found.append([block.text for block, label in pairs if label.kept])
    return found


HEADS = {
    "in the article": f"<article>{H1}{{}}</article>",
    "in a header": f"<header>{H1}</header><div>{{}}</div>",
    "as h2 under the site's name": f"<article><h2>{TITLE}</h2>{{}}</article>",
    "a link to itself": f"<article><h1><a href=/2026/0>{TITLE}</a></h1>{{}}</article>",
    "no heading": f"<article><div class=headline>{TITLE}</div>{{}}</article>",
    "twice": f"{H1}<article><h2>{TITLE}</h2>{{}}</article>",
    "in the crumbs too": f"<ul class=crumbs><li>Home<li>{TITLE}</ul><article>{H1}{{}}</article>",
    "below a kicker": f"<article><p class=kicker>Harbour</p>{H1}{{}}</article>",
    "below a picture": f"<article><figure><img src=a.jpg></figure>{H1}{{}}</article>",
    "as the name of its part": f"<article>{H1}{{}}<p>{TITLE}</p></article>",
    "in a table": f"<table><tr><td><b>{TITLE}</b></td></tr><tr><td>{{}}</td></tr></table>",
}


@pytest.mark.parametrize("shape", HEADS)
def test_the_headline_is_kept_once_at_the_top(shape: str) -> None:
    for lines in items(HEADS[shape].format(FIVE)):
        assert lines == [TITLE, *ALL[:5]]


@pytest.mark.parametrize("tag", ["h2", "h3"])
def test_short_lines_above_a_late_heading_that_is_the_title_stay(tag: str) -> None:
    short = [f"The {color} line is short" for color in ("red", "blue", "green", "amber", "white")]
    body = f"{P[0]}{''.join(f'<p>{line}</p>' for line in short)}{P[1]}<{tag}>{TITLE}</{tag}>{P[2]}"
    for lines in items(f"<article>{body}{P[3]}</article>"):
        assert lines == [ALL[0], *short, ALL[1], TITLE, *ALL[2:4]]


def test_the_first_block_is_below_no_heading() -> None:
    date = "Published 2 May 2026"
    blocks = read_page(page(0, f"<p>{date}</p>{P[0]}<h2>{TITLE}</h2>{P[1]}<h2>More</h2>")).blocks
    start, end = ([block.text for block in blocks].index(text) for text in (date, "More"))
    judged = settle_head(blocks[start : end + 1], [Label(kept=True, reason="text")] * 5, TITLE)
    assert [label.kept for label in judged] == [True] * 5


BYLINES = (
    "By Ada Mott", "By Ada Mott and Tove Lund, Harbour Correspondent", "Ada Mott", "3 May 2026",
    "Posted on 3 May 2026 | Ada Mott", "Published: May 3, 2026 at 10:04 am",
    "Updated 3 May 2026, 10:04 GMT", "Ada Mott | 3 May 2026", "LONDON, May 3, 2026",
    "By Ada Mott · 3 May 2026 · 5 min read", "2026년 5월 3일", "김철수 기자",
    "[서울=뉴스] 김철수 기자",
    "입력 2026.05.03 10:04 | 수정 2026.05.03 11:00", "2026年5月3日 10時04分",
    "Von Ada Mott, 03.05.2026", "Publié le 3 mai 2026 à 10h04", "Par Ada Mott",
    "Опубликовано 3 мая 2026", "作者\uff1a高艳 2026-05-03",
)  # fmt: skip


@pytest.mark.parametrize("line", BYLINES)
@pytest.mark.parametrize("markup", ["<p>{}</p>", "<div><span>{}</span></div>"])
def test_authors_and_dates_below_the_headline_go(line: str, markup: str) -> None:
    for lines in items(f"<article>{H1}{markup.format(line)}{FIVE}</article>", (), ("Ada Mott",)):
        assert lines == [TITLE, *ALL[:5]]


@pytest.mark.parametrize(
    "line",
    ["By default all walls are wet", "By Friday the wall had fallen", "Why do walls fall?",
     "3 May 2026 was the wettest day on record", "In 2026 the wall fell",
     "May 3, 2026 changed the town for good.", "Der 3. Mai 2026 war ein nasser Tag"],
)  # fmt: skip
def test_lines_of_the_text_with_dates_stay(line: str) -> None:
    for lines in items(f"<article>{H1}<p>{line}</p>{FIVE}</article>"):
        assert lines == [TITLE, line, *ALL[:5]]


def test_datelines_below_other_headings_go_where_they_say_so() -> None:
    posts = (
        f"<h2>Second</h2><p>Posted on 3 May 2026 | Ada Mott</p>{P[0]}{P[1]}<h2>First</h2>"
        f"<p>Posted on 2 May 2026 by Ada Mott</p>{P[2]}{P[3]}"
    )
    for lines in items(article(posts)):
        assert lines == [TITLE, "Second", *ALL[:2], "First", *ALL[2:4]]
    versions = f"{P[0]}<h2>Version 1</h2><p>2026-04-03</p>{P[1]}{P[2]}"
    for lines in items(article(versions)):
        assert lines == [TITLE, ALL[0], "Version 1", "2026-04-03", *ALL[1:3]]


@pytest.mark.parametrize(
    "name",
    ["teaser", "lead", "intro", "standfirst", "article-summary", "lede", "chapo", "story__lead",
     "kicker teaser-text", "vorspann", "entradilla", "sapo"],
)  # fmt: skip
@pytest.mark.parametrize(
    "body",
    [f"<article>{H1}<div class='{{}}'><p>{SAID}</p></div><div class=body>{FIVE}</div></article>",
     f"<article>{H1}<p class='{{}}'>{SAID}</p>{FIVE}</article>",
     f"<article><header>{H1}<aside class='{{}}'><p>{SAID}</p></aside></header>{FIVE}</article>"],
)  # fmt: skip
def test_lead_paragraphs_stay(name: str, body: str) -> None:
    for lines in items(body.format(name)):
        assert lines == [TITLE, SAID, *ALL[:5]]


NOTICES = (
    "External content not available. Accept cookies to see this content.",
    "We need your consent to load this content. We use a service that may collect data.",
    "Externe Inhalte: Um diesen Inhalt zu sehen, akzeptieren Sie bitte Cookies.",
    "An dieser Stelle finden Sie einen externen Inhalt von Rill, der den Artikel ergänzt.",
    "Pour afficher ce contenu, vous devez accepter les cookies.",
    "Para ver este contenido, acepte las cookies.",
    "Accetta i cookie per vedere il video.",
    "Чтобы увидеть этот контент, примите файлы cookie.",
    "외부 콘텐츠를 보려면 쿠키를 허용해 주세요.",
    "このコンテンツを表示するには、Cookieを許可してください。",
    "外部内容不可用。请接受Cookie。",
)


@pytest.mark.parametrize("line", NOTICES)
@pytest.mark.parametrize("markup", ["<p>{}</p>", "<div class=embed><p>{}</p></div>"])
def test_notices_about_embedded_content_go(line: str, markup: str) -> None:
    for lines in items(article(P[0] + P[1] + markup.format(line) + P[2] + P[3])):
        assert lines == [TITLE, *ALL[:4]]


def test_notices_of_several_lines_go() -> None:
    embed = (
        "<div class=embed><h4>External content</h4><p>We need your consent to load this content."
        "</p><p>Load content</p></div>"
    )
    banner = "<p>We use cookies to improve your stay. By continuing to browse you agree.</p>"
    for lines in items(article(P[0] + P[1] + embed + P[2] + P[3] + banner)):
        assert lines == [TITLE, *ALL[:4]]


def test_a_text_on_cookies_stays() -> None:
    said = "Browsers ask readers to accept cookies, and few have ever refused them at the quay."
    for lines in items(article(f"{P[0]}<p>{said}</p>{P[1]}{P[2]}")):
        assert lines == [TITLE, ALL[0], said, *ALL[1:3]]


@pytest.mark.parametrize(
    "line",
    ["No comments yet. Start the discussion!", "Be the first to comment",
     "0 comments - Leave a comment", "Noch keine Kommentare. Diskutieren Sie mit!",
     "Soyez le premier à commenter", "Комментариев пока нет", "コメントはまだありません",
     "아직 댓글이 없습니다. 첫 댓글을 남겨 보세요.", "暂无评论\uff0c快来抢沙发吧",
     "Sé el primero en comentar"],
)  # fmt: skip
def test_invitations_to_comment_go(line: str) -> None:
    for lines in items(article(f"{FIVE}<p>{line}</p>")):
        assert lines == [TITLE, *ALL[:5]]


def test_the_title_of_comments_goes_with_the_invitation() -> None:
    for lines in items(article(f"{FIVE}<h3>Comments (0)</h3><p>No comments yet.</p>")):
        assert lines == [TITLE, *ALL[:5]]


@pytest.mark.parametrize("heading", ["Discussion", "Comments", "Kommentare", "토론"])
def test_sections_with_the_names_of_comments_stay(heading: str) -> None:
    for lines in items(article(f"{P[0]}{P[1]}<h2>{heading}</h2>{P[2]}{P[3]}")):
        assert lines == [TITLE, *ALL[:2], heading, *ALL[2:4]]


ABOUT = "Quay Works Ltd. has built walls since 1912, and employs four hundred people here."
REACH = "Media contact: Ada Mott, press@quay.example, +44 20 1234 5678"
RELEASES = {
    "about": f"<h3>About Quay Works</h3><p>{ABOUT}</p><p>###</p><p>{REACH}</p>",
    "bold": f"<p><strong>About Quay Works</strong></p><p>{ABOUT}</p><p>{REACH}</p>",
    "one paragraph": f"<p><strong>About Quay Works:</strong> {ABOUT}</p><p>{REACH}</p>",
    "mark first": f"<p>-30-</p><p>{ABOUT}</p><p>{REACH}</p>",
    "ends": f"<p>- ENDS -</p><p>Notes to editors</p><p>{ABOUT}</p><p>{REACH}</p>",
    "German": "<p><b>Über Quay Works</b></p><p>Quay Works baut Mauern an der Küste seit 1912.</p>"
    "<p>Pressekontakt: Ada Mott, presse@quay.example</p>",
    "Korean": "<h3>퀘이웍스 소개</h3><p>퀘이웍스는 1912년부터 해안에 벽을 세워 온 회사이다.</p>"
    "<p>언론연락처: 퀘이웍스 홍보팀 02-123-4567</p>",
}


@pytest.mark.parametrize("shape", RELEASES)
def test_the_end_of_a_press_release_goes(shape: str) -> None:
    for lines in items(article(FIVE + RELEASES[shape])):
        assert lines == [TITLE, *ALL[:5]]


def test_the_end_of_a_release_is_known_by_the_site() -> None:
    about = f"<h3>About Quay Works</h3><p>{ABOUT}</p>"
    mates = tuple(
        article("".join(P[5 * n : 5 * n + 5]) + (about if n == 1 else ""), n) for n in range(1, 6)
    )
    alone, known = items(article(FIVE + about), mates)
    assert known == [TITLE, *ALL[:5]]
    assert ABOUT in alone


@pytest.mark.parametrize(
    "end",
    [f"<h2>About Sandhook</h2>{P[50]}{P[51]}", f"<p>###</p>{P[50]}{P[51]}",
     f"<h2>About the author</h2><p>{SAID}</p>"],
)  # fmt: skip
def test_sections_that_look_like_the_end_of_a_release_stay(end: str) -> None:
    for lines in items(article(FIVE + end)):
        assert lines[-1] in {ALL[51], SAID}


CREDITS = (
    "Photo: Ada Mott / Reuters", "사진=연합뉴스", "Foto: Jan Kow", "(c) AFP", "© Reuters",
    "[사진 제공 = 퀘이웍스]", "Crédit photo : Ada Mott", "写真\uff1a共同通信", "Фото: РИА",
)  # fmt: skip


@pytest.mark.parametrize("credit", CREDITS)
@pytest.mark.parametrize(
    "picture",
    ["<figure><img src=a.jpg><figcaption>The wall on Monday.</figcaption><p>{}</p></figure>",
     "<figure><img src=a.jpg><figcaption>The wall on Monday.</figcaption></figure><p>{}</p>",
     "<img src=a.jpg><p>The wall on Monday.</p><p>{}</p>",
     "<div class=image><img src=a.jpg><div class=caption>The wall on Monday.</div></div><p>{}</p>"],
)  # fmt: skip
def test_a_credit_goes_with_its_caption(credit: str, picture: str) -> None:
    for lines in items(article(P[0] + picture.format(credit) + P[1] + P[2])):
        assert (credit in lines) == ("The wall on Monday." in lines)


@pytest.mark.parametrize(
    "line",
    ["READ MORE: Why ropes are blue now", "[관련기사] 밧줄이 파란 까닭은 무엇인가", "READ MORE",
     "Lesen Sie auch: Warum Taue blau sind", "【関連記事】縄が青い理由とは",
     "▶ 관련 기사: 파란 밧줄"],
)  # fmt: skip
def test_words_that_lead_away_go_without_a_link(line: str) -> None:
    for lines in items(article(f"{P[0]}{P[1]}<p>{line}</p>{P[2]}{P[3]}")):
        assert lines == [TITLE, *ALL[:4]]


@pytest.mark.parametrize(
    "line",
    ["<h2>See also</h2>", "<p>Related: the dykes of the neighbours, which are old.</p>",
     "<p>Background: a wall is wet.</p>",
     "<p><a href=https://other.example/x>The report on the wall by the state office</a></p>",
     "<p><a href=/f/report.pdf>The report on the wall as a file</a></p>",
     "<p><a href=mailto:ada@mole.example>Write to the harbour office</a></p>",
     "<p><a href=mailto:ada@mole.example>ada@mole.example</a></p>"],
)  # fmt: skip
def test_sources_and_references_stay(line: str) -> None:
    said = read_page(page(0, article(line))).blocks
    text = next(block.text for block in said if block.tag in {"h2", "p", "div"})
    for lines in items(article(P[0] + P[1] + line + P[2] + P[3])):
        assert lines == [TITLE, *ALL[:2], text, *ALL[2:4]]


def test_a_button_that_shares_the_page_is_no_source() -> None:
    link = "<p><a href='https://facebook.example/sharer?u=x'>Share on Facebook</a></p>"
    assert items(article(P[0] + P[1] + link + P[2] + P[3]))[0] == [TITLE, *ALL[:4]]


def test_two_questions_of_every_page_are_boilerplate() -> None:
    def asked(n: int) -> str:
        one, two, three, four, five = P[5 * n : 5 * n + 5]
        ask = "<p>Do you have a story for us?</p>", "<p>Want to read this on paper?</p>"
        return article(f"{one}{ask[0]}{two}{three}{ask[1]}{four}{five}", n)

    known = items(asked(0), tuple(asked(n) for n in range(1, 6)))[1]
    assert known == [TITLE, *ALL[:5]]


@pytest.mark.parametrize(
    "line",
    ["ⓒ 바다신문(www.mole.example), 무단전재 및 재배포 금지", "\uff08责任编辑\uff1a李明\uff09",
     "&lt;저작권자 © 바다신문, 무단 전재-재배포 금지>", "© AFP",
     "Copyright © 2026 The Mole Gazette. All rights reserved.", "Alle Rechte vorbehalten.",
     "© Maulwurfblatt, alle Rechte vorbehalten", "[責任編輯:王芳]",
     "本紙の記事の無断転載を禁じます",
     "海岸日报 版权所有 未经许可不得转载", "(c) 2026 Ada Mott", "저작권자(c) 바다신문"],
)  # fmt: skip
@pytest.mark.parametrize("markup", ["<p>{}</p>", "<div>{}</div>"])
def test_licences_at_the_end_go(line: str, markup: str) -> None:
    for lines in items(article("".join(P[:4]) + markup.format(line))):
        assert lines == [TITLE, *ALL[:4]]


@pytest.mark.parametrize(
    "line",
    ["Copyright is a strange right, and an old one.", "(c) and the wall of the harbour is wet.",
     "Their first record was called “All rights reserved”.",
     "저작권자는 아직 알려지지 않았다고 했다.",
     "编辑们说这座墙很旧而且很高可是没有人要修它。", "He had all rights reserved for him."],
)  # fmt: skip
def test_last_lines_on_rights_stay(line: str) -> None:
    for lines in items(article(f"{''.join(P[:3])}<p>{line}</p>")):
        assert lines == [TITLE, *ALL[:3], line]


@pytest.mark.parametrize("tag", ["h2", "h3", "h4", "h5"])
def test_headings_that_are_datelines_go(tag: str) -> None:
    line = f"<{tag}>Posted on May 3, 2026 | Ada Mott</{tag}>"
    for lines in items(f"<article>{H1}{line}{FIVE}</article>"):
        assert lines == [TITLE, *ALL[:5]]
    for said in ("By the sea", "May 3, 2026", "Published works"):
        for lines in items(f"<article>{H1}<{tag}>{said}</{tag}>{FIVE}</article>"):
            assert lines == [TITLE, said, *ALL[:5]]
