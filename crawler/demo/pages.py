"""The demo site as pages ready to be served: articles and templates put together.

The English half is a newspaper with sections, tags and print versions; the Korean half is a blog
laid out with tables. There are also an old home page, a section of tables, files, and pages with
flaws; and, apart from the site, a shop.

The words of an article are a text file in ``content/``. It begins with ``name: value`` lines; after
the first empty line come the parts of the article, an empty line between two of them. ``## `` opens
a subheading, ``- `` an item of a list, ``<table`` a table in HTML; anything else is a paragraph, in
which ``*stress*`` and ``[text](/path)`` may stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, Final
from zlib import crc32

from jinja2 import Environment, PackageLoader, StrictUndefined

from crawler.demo.server import Answer

_STRESS: Final = re.compile(r"\*([^*]+)\*")
_LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_KINDS: Final = {"## ": "heading", "<table": "table", "- ": "list", "": "paragraph"}

_SECTIONS: Final = {
    "nature": ("Nature", "Water, trees, weather and whoever lives among them."),
    "city": ("City", "How the town gets about, mends things and shares them."),
    "food": ("Food", "What we eat, and the people who make it slowly."),
    "science": ("Science", "Small experiments that can be repeated at home."),
}
# A tag gets a page of its own from this many articles on; rarer tags are plain words.
_TAG_PAGE_FROM: Final = 3
_RELATED: Final = 3
# The columns of content/shop.txt, which has a line for each of the goods.
_GOODS: Final = ("name", "title", "material", "price", "weight", "stock", "about")
_GOODS_A_PAGE: Final = 5
_LETTER_ARTICLE: Final = "slow-bread"
# Parameters that change nothing on the page.
_QUERIES: Final = {
    _LETTER_ARTICLE: "?utm_source=letter",
    "reading-the-tide": "?utm_source=board&utm_medium=paper",
}
# Print versions exist for one section only, as on many real sites.
_PRINTED_SECTION: Final = "city"
_REPRINTED: Final = "market-scales"
_REPRINT_NOTE: Final = (
    "This story first appeared in April. The number of stalls that sell by the piece has since "
    "fallen to one."
)

_BLOG_TAGS: Final = {"기록": "gireok", "기차": "gicha", "요리": "yori"}
_RECENT: Final = 3
MISLABELLED_PATH: Final = "/blog/read?no=8"
"""A post that was saved in EUC-KR, while the server declares UTF-8 for every page."""
_REPOSTED_NUMBER: Final = 2
_REPOST_PATH: Final = "/blog/read?no=11"
_REPOST_NOTE: Final = "물어보시는 분이 많아 다시 올립니다. 새우젓은 반 컵만 넣어도 됩니다."


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, a heading, a list (a line an item), or a table (its HTML as one line)."""

    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """One article as written, before any template is laid around it."""

    name: str
    title: str
    date: str
    section: str
    tags: tuple[str, ...]
    summary: str
    parts: tuple[Part, ...]

    @property
    def gold_text(self) -> str:
        """Headline, paragraphs, subheadings and list items, a line each; tables are left out."""
        lines = [line for part in self.parts if part.kind != "table" for line in part.lines]
        return "\n".join(
            [self.title, *(_LINK.sub(r"\1", _STRESS.sub(r"\1", one)) for one in lines)]
        )

    def with_note(self, note: str) -> Article:
        """Return the article with a paragraph at its end."""
        return replace(self, parts=(*self.parts, Part("paragraph", (note,))))


@cache
def load_articles(folder: str) -> tuple[Article, ...]:
    """Read the articles of ``crawler/demo/content/<folder>``, oldest first."""
    found = []
    for entry in (files("crawler.demo") / "content" / folder).iterdir():
        if entry.name.endswith(".txt"):
            head, _, body = entry.read_text(encoding="utf-8").partition("\n\n")
            values: dict[str, Any] = dict(line.split(": ", 1) for line in head.splitlines())
            values["tags"] = tuple(filter(None, values.get("tags", "").split(", ")))
            values["parts"] = tuple(_part(chunk.strip()) for chunk in body.split("\n\n"))
            found.append(Article(name=entry.name.removesuffix(".txt"), **values))
    return tuple(sorted(found, key=lambda article: (article.date, article.name)))


def _part(chunk: str) -> Part:
    mark, kind = next(one for one in _KINDS.items() if chunk.startswith(one[0]))
    if kind == "list":
        return Part(kind, tuple(line.removeprefix(mark) for line in chunk.splitlines()))
    if kind == "paragraph":
        return Part(kind, (" ".join(chunk.splitlines()),))
    return Part(kind, (chunk if kind == "table" else chunk.removeprefix(mark),))


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One address of the demo site.

    ``path`` has the query, as a browser requests it; ``headers`` lack ``Content-Length``. The
    ``gold_text`` are the lines of the article, without boilerplate; it is empty for other pages.

    ``kind`` is ``article``, or ``table`` for a page about a genuine table; ``index`` lists other
    pages; ``duplicate`` is an article at another address, ``near-duplicate`` one with a note added;
    ``redirect`` leads to another page; ``broken`` claims to be HTML and is not; ``binary`` is a
    picture or a document; ``private`` may not be crawled; ``robots`` is robots.txt; ``shop`` is a
    page of the shop.
    """

    path: str
    kind: str
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    gold_text: str = ""


@cache
def demo_pages() -> tuple[DemoPage, ...]:
    """Make all pages of the demo site; the same bytes at every call."""
    return (*_news_pages(), *_blog_pages(), *_other_pages())


@cache
def shop_pages() -> tuple[DemoPage, ...]:
    """Make the pages of the shop, for wrappers: lists of goods, and a page of each.

    No page of the demo site links to them, so that a crawl of the site does not reach them.
    """
    lines = (files("crawler.demo") / "content" / "shop.txt").read_text(encoding="utf-8")
    goods = [dict(zip(_GOODS, line.split(" | "), strict=True)) for line in lines.splitlines()]
    last = len(goods) // _GOODS_A_PAGE
    lists = [
        _html_page(
            "shop_list.html", f"/shop/?page={number}" if number > 1 else "/shop/", "shop",
            title="Goods from the pier", number=number, last=last,
            goods=goods[(number - 1) * _GOODS_A_PAGE : number * _GOODS_A_PAGE],
        )
        for number in range(1, last + 1)
    ]  # fmt: skip
    details = [
        _html_page(
            "shop_detail.html", f"/shop/{one['name']}", "shop", title=one["title"], goods=one
        )
        for one in goods
    ]
    return (*lists, *details)


def answers() -> dict[str, Answer]:
    """Give the demo site in the form that :func:`crawler.demo.server.serve` takes."""
    pages = (*demo_pages(), *shop_pages())
    return {page.path: (page.status, page.headers, page.body) for page in pages}


def _news_pages() -> Iterator[DemoPage]:
    """Make the front page, the articles, their other addresses and the pages that list them."""
    articles = load_articles("news")
    by_name = {article.name: article for article in articles}
    tags = [tag for article in articles for tag in article.tags]
    tag_pages = sorted(tag for tag in set(tags) if tags.count(tag) >= _TAG_PAGE_FROM)

    def article_page(article: Article, kind: str = "article", query: str = "") -> DemoPage:
        own = _news_path(article)
        return _html_page(
            "news_article.html", own + query, kind, title=article.title, article=article,
            canonical=own, printed=article.section == _PRINTED_SECTION and not query,
            related=_related(article, articles), tag_pages=tag_pages,
        )  # fmt: skip

    for article in articles:
        yield article_page(article)
        if article.section == _PRINTED_SECTION:
            own = _news_path(article)
            yield _html_page(
                "print.html", f"/print{own}", "duplicate", title=article.title, article=article,
                canonical=own,
            )  # fmt: skip
    for name, query in _QUERIES.items():
        yield article_page(by_name[name], "duplicate", query)
    first = by_name[_REPRINTED]
    again = replace(first.with_note(_REPRINT_NOTE), section="food", date="2025-05-20")
    yield article_page(again, "near-duplicate")
    lists: dict[str, tuple[str, str, list[Article]]] = {
        "/news": ("All news", "Everything since the spring.", list(articles))
    }
    for section, words in _SECTIONS.items():
        lists[f"/news/{section}"] = (*words, [one for one in articles if one.section == section])
    for tag in tag_pages:
        chosen = [one for one in articles if tag in one.tags]
        lists[f"/news/tag/{tag}"] = f"Stories about {tag}", f"Filed under {tag}.", chosen
    for path, (title, lead, chosen) in lists.items():
        yield _html_page(
            "news_list.html", path, "index", title=title, heading=title, lead=lead, articles=chosen
        )
    latest = {"Location": _news_path(articles[-1])}
    yield DemoPage("/news/latest", "redirect", status=302, headers=latest)
    yield _html_page(
        "news_front.html", "/", "index", title="Front page", heading="Today by the water",
        lead="What the town is talking about this week.", articles=articles[-4:-1],
    )  # fmt: skip
    yield _html_page(
        "news_about.html", "/about", "index", title="About", heading="About the Gazette",
        lead="A small newspaper for a small harbour.",
    )  # fmt: skip


def _blog_pages() -> Iterator[DemoPage]:
    """Make the posts, their other addresses and the pages that list them."""
    posts = {int(article.name): article for article in load_articles("blog")}
    paths = {number: f"/blog/read?no={number}" for number in posts}
    recent = sorted(posts)[-_RECENT:]
    shared = {"posts": posts, "recent": recent, "tag_pages": _BLOG_TAGS, "reposted": ""}

    def post_page(path: str, number: int, kind: str = "article", **values: Any) -> DemoPage:  # noqa: ANN401 - as in _html_page
        values = {**shared, "article": posts[number], "number": number, **values}
        return _html_page("blog_post.html", path, kind, title=posts[number].title, **values)

    for number, path in paths.items():
        yield post_page(path, number, charset="euc-kr" if path == MISLABELLED_PATH else "utf-8")
    for number in recent:
        # The side column links to the same post with the page of its comments.
        yield post_page(f"{paths[number]}&page=1", number, "duplicate")
    reposted = posts[_REPOSTED_NUMBER].with_note(_REPOST_NOTE)
    yield post_page(_REPOST_PATH, _REPOSTED_NUMBER, "near-duplicate", article=reposted)
    lists: dict[str, dict[str, Any]] = {"/blog": {"title": "전체 글", "numbers": list(posts)}}
    for tag, slug in _BLOG_TAGS.items():
        numbers = [number for number, post in posts.items() if tag in post.tags]
        again = _REPOST_PATH if _REPOSTED_NUMBER in numbers else ""
        lists[f"/blog/tag/{slug}"] = {"title": f"{tag} 모음", "numbers": numbers, "reposted": again}
    for path, values in lists.items():
        yield _html_page("blog_list.html", path, "index", **{**shared, **values})
    yield DemoPage("/blog/4", "redirect", status=301, headers={"Location": paths[4]})


def _other_pages() -> Iterator[DemoPage]:
    """Make the old home page, the pages of figures, the private pages, the files and robots.txt."""
    articles = load_articles("archive")
    for one in articles:
        path = f"/archive/{one.name}.htm"
        yield _html_page("old_article.html", path, "article", title=one.title, article=one)
    yield _html_page(
        "old_list.html", "/archive/index.htm", "index", title="The Shed Pages", articles=articles
    )
    # Both claim to be HTML: one is empty, the other a picture.
    folder = files("crawler.demo") / "content"
    picture = (folder / "tide-chart.png").read_bytes()
    for name, body in (("guestbook", b""), ("scan", picture)):
        header = {"Content-Type": "text/html"}
        yield DemoPage(f"/archive/{name}.htm", "broken", body, headers=header)
    # A genuine table each, inside a layout table.
    tables = load_articles("data")
    for one in tables:
        yield _html_page(
            "data.html", f"/data/{one.name}.html", "table", title=one.title, article=one,
            articles=tables,
        )  # fmt: skip
    yield _html_page("data.html", "/data/", "index", title="Figures", articles=tables)
    for name, title in (("desk", "Staff desk"), ("drafts", "Drafts")):
        yield _html_page(f"private_{name}.html", f"/private/{name}", "private", title=title)
    sheet = (folder / "board-sheet.pdf").read_bytes()
    robots = b"User-agent: *\nDisallow: /private/\n"
    for path, kind, body, type_ in (
        ("/files/tide-chart.png", "binary", picture, "image/png"),
        ("/files/board-sheet.pdf", "binary", sheet, "application/pdf"),
        ("/robots.txt", "robots", robots, "text/plain; charset=utf-8"),
    ):
        yield DemoPage(path, kind, body, headers={"Content-Type": type_})


def _html_page(
    template: str,
    path: str,
    kind: str,
    *,
    charset: str = "utf-8",
    **values: Any,  # noqa: ANN401 - a template shows values of any type
) -> DemoPage:
    """Make a page of HTML that the server declares as UTF-8, whatever its charset.

    A letter that the charset lacks is an error in the content. ``article`` among the values that
    the template shows is what the page is about.
    """
    article: Article | None = values.setdefault("article", None)
    number = crc32(path.encode())
    seconds = number % 86_400
    # A visitor number and a time of day: others for each page, the same in every run.
    values["counter"] = 100 + number % 9_900
    values["built"] = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    html = _environment().get_template(template).render(charset=charset, **values)
    return DemoPage(
        path=path,
        kind=kind,
        body=html.encode(charset),
        headers={"Content-Type": "text/html; charset=utf-8"},
        gold_text=article.gold_text if article and kind != "table" else "",
    )


def _news_path(article: Article) -> str:
    return f"/news/{article.section}/{article.name}"


def _related(article: Article, articles: tuple[Article, ...]) -> list[Article]:
    """Choose the articles that share most tags, the nearest in date first among equals."""
    names = [one.name for one in articles]
    place = names.index(article.name)

    def order(other: Article) -> tuple[int, int]:
        shared = {*other.tags} & {*article.tags}
        return -len(shared), abs(names.index(other.name) - place)

    return sorted((one for one in articles if one.name != article.name), key=order)[:_RELATED]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("crawler.demo"),
        # The texts are the project's own and hold marks; the filters below write them as HTML.
        autoescape=False,  # noqa: S701 - as said above
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    letter = next(one for one in load_articles("news") if one.name == _LETTER_ARTICLE)
    # With their marks of stress and links.
    environment.filters["inline"] = lambda line: _LINK.sub(
        r'<a href="\2">\1</a>', _STRESS.sub(r"<em>\1</em>", escape(line, quote=False))
    )
    environment.filters["news_path"] = _news_path
    markup: Any = environment.get_template("markup.html").module
    environment.filters |= {"modern": markup.modern, "old": markup.old}
    environment.globals |= {"link": markup.link, "letter": letter, "sections": _SECTIONS}
    return environment
