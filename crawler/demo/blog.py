"""The Korean half of the demo: a blog laid out with tables, one post mislabelled EUC-KR."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crawler.demo.content import Article, Part, load_articles
from crawler.demo.markup import built_at, counter, inline, link, modern_body, render
from crawler.demo.page import DemoPage, html_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MISLABELLED_PATH", "blog_pages", "blog_path"]

_TAG_PAGES: Final = {"기록": "gireok", "기차": "gicha", "요리": "yori"}
_RECENT: Final = 3
# This post was saved in EUC-KR long ago, while the server promises UTF-8 for every page.
_EUC_KR_NUMBER: Final = 8
MISLABELLED_PATH: Final = f"/blog/read?no={_EUC_KR_NUMBER}"
_REPOSTED_NUMBER: Final = 2
_REPOST_PATH: Final = "/blog/read?no=11"
_REPOST_NOTE: Final = "물어보시는 분이 많아 다시 올립니다. 새우젓은 반 컵만 넣어도 됩니다."
_SHORT_PATH: Final = "/blog/4"
_VISITORS_SO_FAR: Final = 40_000


def blog_path(number: int) -> str:
    """Give the address of the post with this number."""
    return f"/blog/read?no={number}"


def blog_pages() -> Iterator[DemoPage]:
    """Make the posts, their other addresses and the pages that list them."""
    posts = {int(article.name): article for article in load_articles("blog")}
    for number, post in posts.items():
        path = blog_path(number)
        if path == MISLABELLED_PATH:
            html = _post_html(path, number, posts, charset="euc-kr")
            # A character that EUC-KR lacks is an error in the content, so encoding is strict.
            page = html_page(path, "article", html, gold_text=post.gold_text)
            yield replace(page, body=html.encode("euc-kr"))
        else:
            html = _post_html(path, number, posts)
            yield html_page(path, "article", html, gold_text=post.gold_text)
    for number in _recent(posts):
        path = _recent_path(number)
        html = _post_html(path, number, posts)
        own = blog_path(number)
        yield html_page(
            path, "duplicate", html, gold_text=posts[number].gold_text, duplicate_of=own
        )
    yield _repost(posts)
    yield _list_page("/blog", "전체 글", posts, posts)
    for tag, slug in _TAG_PAGES.items():
        chosen = [number for number, post in posts.items() if tag in post.tags]
        reposts = [(_REPOST_PATH, "다시 올린 글")] if _REPOSTED_NUMBER in chosen else []
        yield _list_page(f"/blog/tag/{slug}", f"{tag} 모음", chosen, posts, reposts)
    yield DemoPage(
        path=_SHORT_PATH, kind="redirect", status=301, headers={"Location": blog_path(4)}
    )


def _post_html(path: str, number: int, posts: dict[int, Article], *, charset: str = "utf-8") -> str:
    post = posts[number]
    main = render(
        "blog_post",
        title=inline(post.title),
        section=post.section,
        date=post.date,
        views=str(counter(path)),
        body=modern_body(post.parts),
        tags=", ".join(
            link(f"/blog/tag/{_TAG_PAGES[tag]}", tag) if tag in _TAG_PAGES else tag
            for tag in post.tags
        ),
        previous=_neighbour("이전 글", number - 1, posts),
        next=_neighbour("다음 글", number + 1, posts),
    )
    return _framed(path, post.title, main, posts, charset=charset)


def _framed(
    path: str, title: str, main: str, posts: dict[int, Article], *, charset: str = "utf-8"
) -> str:
    today = counter(path)
    recent = "<br />".join(link(_recent_path(n), posts[n].title) for n in _recent(posts))
    return render(
        "blog_frame",
        title=inline(title),
        head="",
        charset=charset,
        main=main,
        today=str(today),
        total=str(_VISITORS_SO_FAR + today),
        recent=recent,
        built=built_at(path),
    )


def _repost(posts: dict[int, Article]) -> DemoPage:
    first = posts[_REPOSTED_NUMBER]
    again = replace(first, parts=(*first.parts, Part("paragraph", (_REPOST_NOTE,))))
    # Under its old number, so that the links to the posts before and after stay as they were.
    html = _post_html(_REPOST_PATH, _REPOSTED_NUMBER, {**posts, _REPOSTED_NUMBER: again})
    return html_page(
        _REPOST_PATH,
        "near-duplicate",
        html,
        gold_text=again.gold_text,
        duplicate_of=blog_path(_REPOSTED_NUMBER),
    )


def _list_page(
    path: str,
    title: str,
    numbers: Iterable[int],
    posts: dict[int, Article],
    further: Iterable[tuple[str, str]] = (),
) -> DemoPage:
    rows = [
        f"<tr><td>{link(blog_path(number), posts[number].title)}<br />"
        f"{inline(posts[number].summary)}</td></tr>"
        for number in numbers
    ]
    rows.extend(f"<tr><td>{link(href, text)}</td></tr>" for href, text in further)
    main = render("blog_list", title=title, entries="\n".join(rows))
    return html_page(path, "index", _framed(path, title, main, posts))


def _neighbour(label: str, number: int, posts: dict[int, Article]) -> str:
    if number not in posts:
        return ""
    return f"{label}: {link(blog_path(number), posts[number].title)}"


def _recent(posts: dict[int, Article]) -> list[int]:
    return sorted(posts)[-_RECENT:]


def _recent_path(number: int) -> str:
    """Give the address the side column uses: the same post, with the page of its comments."""
    return f"{blog_path(number)}&page=1"
