"""The demo site as pages ready to be served: articles and templates put together.

The English half is a newspaper with sections, tags and print versions; the Korean half is a blog
laid out with tables. There are also an old home page, a section of tables, files, and pages with
flaws.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal
from zlib import crc32

from crawler.demo.content import LINK, STRESS, Article, Part, load_articles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from jinja2 import Environment

    from crawler.demo.server import Answer

PageKind = Literal[
    "article", "index", "table", "duplicate", "near-duplicate", "redirect", "broken", "binary",
    "private", "robots",
]  # fmt: skip

MISSING_PATHS: Final = frozenset({"/news/city/fountain-moved"})
"""Addresses that pages link to and that are missing on purpose."""

_SECTIONS: Final = {
    "nature": ("Nature", "Water, trees, weather and whoever lives among them."),
    "city": ("City", "How the town gets about, mends things and shares them."),
    "food": ("Food", "What we eat, and the people who make it slowly."),
    "science": ("Science", "Small experiments that can be repeated at home."),
}
# A tag gets a page of its own from this many articles on; rarer tags are plain words.
_TAG_PAGE_FROM: Final = 3
_RELATED: Final = 3
# Parameters that change nothing on the page.
_QUERIES: Final = {
    "slow-bread": "?utm_source=letter",
    "reading-the-tide": "?utm_source=board&utm_medium=paper",
}
_LETTER_ARTICLE: Final = "slow-bread"
# Print versions exist for one section only, as on many real sites.
_PRINTED_SECTION: Final = "city"
_REPRINTED: Final = "market-scales"
_REPRINT_NOTE: Final = (
    "This story first appeared in April. The number of stalls that sell by the piece has since "
    "fallen to one."
)

_BLOG_TAGS: Final = {"기록": "gireok", "기차": "gicha", "요리": "yori"}
_RECENT: Final = 3
# This post was saved in EUC-KR, while the server declares UTF-8 for every page.
_EUC_KR_NUMBER: Final = 8
MISLABELLED_PATH: Final = f"/blog/read?no={_EUC_KR_NUMBER}"
"""The address of that post."""
_REPOSTED_NUMBER: Final = 2
_REPOST_PATH: Final = "/blog/read?no=11"
_REPOST_NOTE: Final = "물어보시는 분이 많아 다시 올립니다. 새우젓은 반 컵만 넣어도 됩니다."
_SHORT_PATH: Final = "/blog/4"

_HTML: Final = {"Content-Type": "text/html; charset=utf-8"}
_FILES: Final = (
    ("/files/tide-chart.png", "image/png"),
    ("/files/board-sheet.pdf", "application/pdf"),
)


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One address of the demo site.

    ``path``
        Path and query, as a browser requests it.
    ``kind``
        ``article``, and ``table`` for a page about a genuine table; ``index`` lists other pages;
        ``duplicate`` is an article at another address, ``near-duplicate`` one with a note added;
        ``redirect`` leads to another page; ``broken`` claims to be HTML and is not; ``binary`` is a
        picture or a document; ``private`` may not be crawled; ``robots`` is robots.txt.
    ``headers``
        The headers sent, ``Content-Length`` apart.
    ``gold_text``
        Lines of the article, in order and without boilerplate; empty for pages that are no article.
    ``duplicate_of``
        Path of the article that a duplicate or near-duplicate repeats.
    """

    path: str
    kind: PageKind
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    gold_text: str = ""
    duplicate_of: str = ""


@cache
def demo_pages() -> tuple[DemoPage, ...]:
    """Make all pages of the demo site; the same bytes at every call."""
    return tuple(
        chain(
            _news_pages(),
            _blog_pages(),
            _old_pages(),
            _data_pages(),
            _private_pages(),
            _file_pages(),
        )
    )


def answers() -> dict[str, Answer]:
    """Give the demo site in the form that :func:`crawler.demo.server.serve` takes."""
    return {page.path: (page.status, page.headers, page.body) for page in demo_pages()}


def _news_pages() -> Iterator[DemoPage]:
    """Make the front page, the articles, their other addresses and the pages that list them."""
    articles = load_articles("news")
    by_name = {article.name: article for article in articles}
    tag_pages = _tag_pages(articles)

    def article_page(
        article: Article, kind: PageKind = "article", query: str = "", duplicate_of: str = ""
    ) -> DemoPage:
        canonical = _news_path(article)
        return _news_page(
            "news_article.html",
            canonical + query,
            kind,
            title=article.title,
            article=article,
            duplicate_of=duplicate_of,
            canonical=canonical,
            printed=article.section == _PRINTED_SECTION and not query,
            related=_related(article, articles),
            tag_pages=tag_pages,
        )

    def list_page(path: str, heading: str, lead: str, chosen: Iterable[Article]) -> DemoPage:
        return _news_page(
            "news_list.html", path, "index", title=heading, heading=heading, lead=lead,
            articles=list(chosen),
        )  # fmt: skip

    for article in articles:
        yield article_page(article)
        if article.section == _PRINTED_SECTION:
            yield _print_page(article)
    for name, query in _QUERIES.items():
        article = by_name[name]
        yield article_page(article, "duplicate", query, duplicate_of=_news_path(article))
    first = by_name[_REPRINTED]
    again = replace(_with_note(first, _REPRINT_NOTE), section="food", date="2025-05-20")
    yield article_page(again, "near-duplicate", duplicate_of=_news_path(first))
    yield list_page("/news", "All news", "Everything since the spring.", articles)
    for section, (title, lead) in _SECTIONS.items():
        chosen = [article for article in articles if article.section == section]
        yield list_page(f"/news/{section}", title, lead, chosen)
    for tag in tag_pages:
        chosen = [article for article in articles if tag in article.tags]
        yield list_page(f"/news/tag/{tag}", f"Stories about {tag}", f"Filed under {tag}.", chosen)
    yield _redirect("/news/latest", _news_path(articles[-1]), 302)
    yield _news_page(
        "news_front.html", "/", "index", title="Front page", heading="Today by the water",
        lead="What the town is talking about this week.", articles=articles[-4:-1],
    )  # fmt: skip
    yield _news_page(
        "news_about.html", "/about", "index", title="About", heading="About the Gazette",
        lead="A small newspaper for a small harbour.",
    )  # fmt: skip


def _news_page(template: str, path: str, kind: PageKind, **values: Any) -> DemoPage:  # noqa: ANN401 - as in _html_page
    letter = next(one for one in load_articles("news") if one.name == _LETTER_ARTICLE)
    return _html_page(template, path, kind, letter=letter, sections=_SECTIONS, **values)


def _print_page(article: Article) -> DemoPage:
    own = _news_path(article)
    return _html_page(
        "print.html", f"/print{own}", "duplicate", title=article.title, article=article,
        canonical=own, duplicate_of=own,
    )  # fmt: skip


def _blog_pages() -> Iterator[DemoPage]:
    """Make the posts, their other addresses and the pages that list them."""
    posts = {int(article.name): article for article in load_articles("blog")}

    recent = sorted(posts)[-_RECENT:]
    shared = {"posts": posts, "recent": recent, "tag_pages": _BLOG_TAGS, "reposted": ""}

    def post_page(path: str, number: int, kind: PageKind = "article", **values: Any) -> DemoPage:  # noqa: ANN401 - as in _html_page
        values = {**shared, "article": posts[number], "number": number, **values}
        return _html_page("blog_post.html", path, kind, title=posts[number].title, **values)

    def list_page(path: str, **values: Any) -> DemoPage:  # noqa: ANN401 - as in _html_page
        return _html_page("blog_list.html", path, "index", **{**shared, **values})

    for number in posts:
        path = _blog_path(number)
        yield post_page(path, number, charset="euc-kr" if path == MISLABELLED_PATH else "utf-8")
    for number in recent:
        # The side column links to the same post with the page of its comments.
        own = _blog_path(number)
        yield post_page(f"{own}&page=1", number, "duplicate", duplicate_of=own)
    again = _with_note(posts[_REPOSTED_NUMBER], _REPOST_NOTE)
    yield post_page(
        _REPOST_PATH, _REPOSTED_NUMBER, "near-duplicate", article=again,
        duplicate_of=_blog_path(_REPOSTED_NUMBER),
    )  # fmt: skip
    yield list_page("/blog", title="전체 글", numbers=list(posts))
    for tag, slug in _BLOG_TAGS.items():
        numbers = [number for number, post in posts.items() if tag in post.tags]
        reposted = _REPOST_PATH if _REPOSTED_NUMBER in numbers else ""
        yield list_page(
            f"/blog/tag/{slug}", title=f"{tag} 모음", numbers=numbers, reposted=reposted
        )
    yield _redirect(_SHORT_PATH, _blog_path(4), 301)


def _old_pages() -> Iterator[DemoPage]:
    """Make the old home page: ``FONT``, ``BR`` and no style sheet."""
    articles = load_articles("archive")
    for one in articles:
        path = f"/archive/{one.name}.htm"
        yield _html_page("old_article.html", path, "article", title=one.title, article=one)
    yield _html_page(
        "old_list.html", "/archive/index.htm", "index", title="The Shed Pages", articles=articles
    )
    # Both claim to be HTML: one is empty, the other a picture.
    header = {"Content-Type": "text/html"}
    yield DemoPage(path="/archive/guestbook.htm", kind="broken", headers=header)
    picture = _file_body("/files/tide-chart.png")
    yield DemoPage(path="/archive/scan.htm", kind="broken", headers=header, body=picture)


def _data_pages() -> Iterator[DemoPage]:
    """Make the pages of figures: a genuine table each, inside a layout table."""
    articles = load_articles("data")
    for one in articles:
        yield _html_page(
            "data.html", f"/data/{one.name}.html", "table", title=one.title, article=one,
            articles=articles,
        )  # fmt: skip
    yield _html_page("data.html", "/data/", "index", title="Figures", articles=articles)


def _private_pages() -> Iterator[DemoPage]:
    """Make the pages that robots.txt disallows."""
    for name, title in (("desk", "Staff desk"), ("drafts", "Drafts")):
        yield _news_page(f"private_{name}.html", f"/private/{name}", "private", title=title)


def _file_pages() -> Iterator[DemoPage]:
    """Make the linked files that are no pages, and robots.txt."""
    for path, kind in _FILES:
        yield DemoPage(path, "binary", _file_body(path), headers={"Content-Type": kind})
    yield DemoPage(
        path="/robots.txt",
        kind="robots",
        headers={"Content-Type": "text/plain; charset=utf-8"},
        body=b"User-agent: *\nDisallow: /private/\n",
    )


def _file_body(path: str) -> bytes:
    return (files("crawler.demo") / "content" / path.rpartition("/")[2]).read_bytes()


def _html_page(
    template: str,
    path: str,
    kind: PageKind,
    *,
    duplicate_of: str = "",
    charset: str = "utf-8",
    **values: Any,  # noqa: ANN401 - a template shows values of any type
) -> DemoPage:
    """Make a page of HTML that the server declares as UTF-8.

    Args:
        template: name of a file in ``templates/``.
        path: the page's path and query.
        kind: see :class:`DemoPage`.
        duplicate_of: see :class:`DemoPage`.
        charset: in which the page is encoded. A letter that it lacks is an error in the content.
        values: what the template shows; ``article`` is what the page is about.
    """
    article: Article | None = values.setdefault("article", None)
    number = crc32(path.encode())
    seconds = number % 86_400
    html = (
        _environment()
        .get_template(template)
        .render(
            charset=charset,
            # A visitor number and a time of day: others for each page, the same in every run.
            counter=100 + number % 9_900,
            built=f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}",
            **values,
        )
    )
    return DemoPage(
        path=path,
        kind=kind,
        body=html.encode(charset),
        headers=_HTML,
        gold_text=article.gold_text if article and kind != "table" else "",
        duplicate_of=duplicate_of,
    )


def _redirect(path: str, target: str, status: int) -> DemoPage:
    return DemoPage(path=path, kind="redirect", status=status, headers={"Location": target})


def _news_path(article: Article) -> str:
    return f"/news/{article.section}/{article.name}"


def _blog_path(number: int) -> str:
    return f"/blog/read?no={number}"


def _with_note(article: Article, note: str) -> Article:
    return replace(article, parts=(*article.parts, Part("paragraph", (note,))))


def _related(article: Article, articles: tuple[Article, ...]) -> list[Article]:
    """Choose the articles that share most tags, the nearest in date first among equals."""
    names = [one.name for one in articles]
    place = names.index(article.name)

    def order(other: Article) -> tuple[int, int]:
        shared = set(other.tags) & set(article.tags)
        return -len(shared), abs(names.index(other.name) - place)

    others = [other for other in articles if other.name != article.name]
    return sorted(others, key=order)[:_RELATED]


def _tag_pages(articles: Iterable[Article]) -> list[str]:
    tags = [tag for article in articles for tag in article.tags]
    return sorted(tag for tag in set(tags) if tags.count(tag) >= _TAG_PAGE_FROM)


@cache
def _environment() -> Environment:
    # Only the demo needs it, and it takes a while to import.
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - as said above

    environment = Environment(
        loader=PackageLoader("crawler.demo"),
        # The texts are the project's own and hold marks; the filters below write them as HTML.
        autoescape=False,  # noqa: S701 - as said above
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.globals["link"] = _link
    environment.filters |= {
        "inline": _inline, "modern": _modern_body, "old": _old_body, "news_path": _news_path
    }  # fmt: skip
    return environment


def _link(href: str, text: str) -> str:
    return f'<a href="{escape(href)}">{escape(text, quote=False)}</a>'


def _inline(line: str) -> str:
    """Write a line of an article as HTML, with its marks of stress and links."""
    return LINK.sub(r'<a href="\2">\1</a>', STRESS.sub(r"<em>\1</em>", escape(line, quote=False)))


def _modern_body(parts: Iterable[Part]) -> str:
    """Write parts as today's pages do: ``p``, ``h2``, ``ul``."""
    written: list[str] = []
    for part in parts:
        lines = [_inline(line) for line in part.lines]
        if part.kind == "heading":
            written.append(f"<h2>{lines[0]}</h2>")
        elif part.kind == "list":
            items = "\n".join(f"<li>{line}</li>" for line in lines)
            written.append(f"<ul>\n{items}\n</ul>")
        elif part.kind == "table":
            written.append(part.lines[0])
        else:
            written.append(f"<p>{lines[0]}</p>")
    return "\n".join(written)


def _old_body(parts: Iterable[Part]) -> str:
    """Write parts as pages did before style sheets: lines with two ``BR`` between them."""
    return "<BR><BR>\n".join(_inline(line) for part in parts for line in part.lines)
