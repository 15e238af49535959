"""Posts of a forum that are called comments, and comments of articles and of answers."""

from __future__ import annotations

import pytest

from crawler.core.flow import SiteView, annotate, get_method
from crawler.core.flow import read as read_page
from crawler.core.page.page import Page
from crawler.core.pagetype.judge import page_type
from support.gazette import prose

POSTS = range(6)


def thread(extra: str = "") -> Page:
    """Return a page of a forum: a question, and replies that are called comments."""
    replies = "".join(
        f"<article class='comment post'><div class=user><a href=/u/{number}>user{number}</a> "
        f"<time>3 May 2024</time> posts: {number}</div><div class=comment-body><p>{prose(number)}"
        "</div></article>"
        for number in POSTS
    )
    return Page.from_text(
        "https://forum.example/viewtopic.php?t=12",
        "<html><head><title>How do I mend a rope? - Rope forum</title>"
        "<meta name=generator content=phpBB>"
        '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script></head>'
        "<body id=phpbb class='section-viewtopic forum'><nav><a href=/>Board index</a> "
        "<a href=/forum>Ropes</a> <a href=/register>Register</a> <a href=/login>Login</a></nav>"
        "<h1>How do I mend a rope?</h1>"
        f"<div class=post><div class=user><a href=/u/9>asker</a></div><p>{prose(9)}</div>{extra}"
        f"<div class=comments>{replies}</div></body></html>",
    )


@pytest.mark.parametrize(
    ("url", "names", "kind"),
    [
        ("https://magic.example/forums/topic/best", "bbpress single", "forum"),
        ("https://magic.example/2026/11/best", "bbpress single", "article"),
        ("https://magic.example/forums/topic/best", "single", "article"),
    ],
)
def test_software_and_address_of_a_forum_tell_a_thread(url: str, names: str, kind: str) -> None:
    body = "".join(f"<p>{prose(number)}</p>" for number in POSTS)
    page = Page.from_text(
        url, f"<title>Best</title><body class='{names}'><article><h1>Best</h1>{body}</article>"
    )
    assert page_type(read_page(page)).kind == kind


def texts(page: Page) -> list[str]:
    document = read_page(page)
    assert page_type(document).kind == "forum"
    return annotate(document, SiteView(), get_method("article")).text.split("\n")


def test_posts_are_the_text_of_a_thread() -> None:
    assert {prose(number) for number in POSTS} <= set(texts(thread()))


@pytest.mark.parametrize("mark", ["itemprop=suggestedAnswer", ""])
def test_comments_on_answers_are_none_of_the_text(mark: str) -> None:
    said = "".join(
        f"<li class=comment><p class=comment-copy>{prose(number)}</p><a class=comment-user "
        f"href=/u/{number}>user{number}</a> <time class=comment-date>3 May</time></li>"
        for number in POSTS
    )
    script = '{"@type": "QAPage", "mainEntity": {"suggestedAnswer": []}}'
    page = Page.from_text(
        "https://answers.example/questions/12/rope",
        "<title>How do I mend a rope?</title>"
        f'<script type="application/ld+json">{"{}" if mark else script}</script>'
        '<script type="application/ld+json">{"@type": "QAPage"}</script>'
        f"<h1>How do I mend a rope?</h1><div class=question><p>{prose(20)}</p></div>"
        f"<div class=answer {mark}><p>{prose(21)}</p><p>{prose(22)}</p><p>{prose(23)}</p>"
        f"<ul class=comments-list>{said}</ul></div>",
    )
    document = read_page(page)
    labels = annotate(document, SiteView(), get_method("article")).pairs()
    reasons = {block.text: label.reason for block, label in labels}
    assert page_type(document).kind == "forum"
    assert {reasons[prose(number)] for number in POSTS} == {"comment"}
    assert {reasons[prose(number)] for number in (20, 21, 22, 23)} == {"text"}


def test_a_kind_is_kept_for_each_address_of_a_page() -> None:
    document = read_page(thread())
    assert page_type(document) is page_type(document)


def test_comments_that_are_called_threads_make_no_article_a_forum() -> None:
    script = '{"@type": "NewsArticle", "comment": [{"@type": "DiscussionForumPosting"}]}'
    page = Page.from_text(
        "https://news.example/2026/11/dyke",
        f'<title>The dyke</title><script type="application/ld+json">{script}</script>'
        f"<article><h1>The dyke</h1><p>{prose(20)}</p><p>{prose(21)}</p><p>{prose(22)}</p>",
    )
    assert page_type(read_page(page)).kind == "article"
