"""The English half of the demo: a newspaper with articles, sections, tags and print versions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crawler.demo.content import Article, Part, load_articles
from crawler.demo.markup import built_at, counter, inline, link, modern_body, render
from crawler.demo.page import DemoPage, html_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["framed", "news_pages", "news_path"]

_SECTIONS: Final = {
    "nature": ("Nature", "Water, trees, weather and whoever lives among them."),
    "city": ("City", "How the town gets about, mends things and shares them."),
    "food": ("Food", "What we eat, and the people who make it slowly."),
    "science": ("Science", "Small experiments that can be repeated at home."),
}
# A tag gets a page of its own from this many articles on; rarer tags are plain words.
_TAG_PAGE_FROM: Final = 3
_RELATED: Final = 3
# The newsletter's readers are told apart by a parameter that changes nothing on the page.
_LETTER_ARTICLE: Final = "slow-bread"
_LETTER_QUERY: Final = "?utm_source=letter"
_BOARD_ARTICLE: Final = "reading-the-tide"
_BOARD_QUERY: Final = "?utm_source=board&utm_medium=paper"
# Print versions exist for one section only, as on many real sites.
_PRINTED_SECTION: Final = "city"
_REPRINTED: Final = "market-scales"
_REPRINT_NOTE: Final = (
    "This story first appeared in April. The number of stalls that sell by the piece has since "
    "fallen to one."
)


def news_path(article: Article) -> str:
    """Give the address of a news article."""
    return f"/news/{article.section}/{article.name}"


def framed(path: str, title: str, main: str, *, head: str = "") -> str:
    """Lay the newspaper's header, navigation and footer around the main part of a page."""
    letter = next(a for a in load_articles("news") if a.name == _LETTER_ARTICLE)
    return render(
        "news_frame",
        title=inline(title),
        head=head,
        main=main,
        letter_href=news_path(letter) + _LETTER_QUERY,
        letter_title=inline(letter.title),
        built=built_at(path),
        counter=str(counter(path)),
    )


def news_pages() -> Iterator[DemoPage]:
    """Make the front page, the articles, their other addresses and the pages that list them."""
    articles = load_articles("news")
    by_name = {article.name: article for article in articles}
    for article in articles:
        yield _article_page(article, articles)
        if article.section == _PRINTED_SECTION:
            yield _print_page(article)
    for name, query in ((_LETTER_ARTICLE, _LETTER_QUERY), (_BOARD_ARTICLE, _BOARD_QUERY)):
        yield _article_page(by_name[name], articles, query=query)
    yield _reprint(by_name[_REPRINTED], articles)
    yield _list_page("/news", "All news", "Everything since the spring.", articles)
    for section, (title, lead) in _SECTIONS.items():
        chosen = [article for article in articles if article.section == section]
        yield _list_page(f"/news/{section}", title, lead, chosen)
    for tag in _tags_with_page(articles):
        chosen = [article for article in articles if tag in article.tags]
        yield _list_page(f"/news/tag/{tag}", f"Stories about {tag}", f"Filed under {tag}.", chosen)
    newest = articles[-1]
    yield DemoPage(
        path="/news/latest", kind="redirect", status=302, headers={"Location": news_path(newest)}
    )
    yield _front_page(articles)
    yield _about_page(by_name)


def _article_page(article: Article, articles: tuple[Article, ...], *, query: str = "") -> DemoPage:
    own = news_path(article)
    path = own + query
    return html_page(
        path,
        "duplicate" if query else "article",
        _article_html(path, article, articles, canonical=own),
        gold_text=article.gold_text,
        duplicate_of=own if query else "",
    )


def _article_html(
    path: str, article: Article, articles: tuple[Article, ...], *, canonical: str
) -> str:
    printed = article.section == _PRINTED_SECTION and canonical == news_path(article)
    with_page = _tags_with_page(articles)
    main = render(
        "news_article",
        title=inline(article.title),
        section=article.section,
        section_title=_SECTIONS[article.section][0],
        date=article.date,
        print_link=" " + link(f"/print{canonical}", "on paper") if printed else "",
        body=modern_body(article.parts),
        related=_links(_related(article, articles)),
        tags=", ".join(
            link(f"/news/tag/{tag}", tag) if tag in with_page else tag for tag in article.tags
        ),
    )
    head = f'<link rel="canonical" href="{canonical}">'
    return framed(path, article.title, main, head=head)


def _print_page(article: Article) -> DemoPage:
    own = news_path(article)
    html = render(
        "print", title=inline(article.title), canonical=own, body=modern_body(article.parts)
    )
    return html_page(
        f"/print{own}", "duplicate", html, gold_text=article.gold_text, duplicate_of=own
    )


def _reprint(article: Article, articles: tuple[Article, ...]) -> DemoPage:
    again = replace(
        article,
        section="food",
        date="2025-05-20",
        parts=(*article.parts, Part("paragraph", (_REPRINT_NOTE,))),
    )
    path = news_path(again)
    return html_page(
        path,
        "near-duplicate",
        _article_html(path, again, articles, canonical=path),
        gold_text=again.gold_text,
        duplicate_of=news_path(article),
    )


def _list_page(path: str, title: str, lead: str, articles: Iterable[Article]) -> DemoPage:
    entries = "\n".join(
        f"<li><h2>{link(news_path(article), article.title)}</h2>"
        f"<p>{inline(article.summary)}</p></li>"
        for article in articles
    )
    main = render("news_list", title=title, lead=lead, entries=entries)
    return html_page(path, "index", framed(path, title, main))


def _front_page(articles: tuple[Article, ...]) -> DemoPage:
    reprint = link(f"/news/food/{_REPRINTED}", "From our pages: the market scales")
    letter = link("/blog/4", "A letter from Korea about a seat in a library")
    entries = [
        f"<li><h2>{link('/news/latest', 'The latest story')}</h2></li>",
        *(
            f"<li><h2>{link(news_path(article), article.title)}</h2></li>"
            for article in articles[-4:-1]
        ),
        f"<li><h2>{reprint}</h2></li>",
        f"<li><h2>{letter}</h2></li>",
    ]
    main = render(
        "news_list",
        title="Today by the water",
        lead="What the town is talking about this week.",
        entries="\n".join(entries),
    )
    return html_page("/", "index", framed("/", "Front page", main))


def _about_page(by_name: dict[str, Article]) -> DemoPage:
    board = news_path(by_name[_BOARD_ARTICLE]) + _BOARD_QUERY
    # The story is gone and its link stayed, as happens everywhere: the site's one dead link.
    fountain = link("/news/city/fountain-moved", "the moved fountain")
    sentences = (
        f"The paper began as a sheet pinned to {link(board, 'the board on the pier')}.",
        f"Our best-loved story, {fountain}, was lost when the cellar flooded.",
        "Nobody is paid, and everybody gets cake on Fridays.",
    )
    entries = "\n".join(f"<li>{text}</li>" for text in sentences)
    lead = "A small newspaper for a small harbour."
    main = render("news_list", title="About the Gazette", lead=lead, entries=entries)
    return html_page("/about", "index", framed("/about", "About", main))


def _related(article: Article, articles: tuple[Article, ...]) -> list[Article]:
    """Choose the articles that share most tags, the nearest in date first among equals."""
    others = [other for other in articles if other.name != article.name]
    place = articles.index(next(a for a in articles if a.name == article.name))
    return sorted(
        others,
        key=lambda other: (
            -len(set(other.tags) & set(article.tags)),
            abs(articles.index(other) - place),
        ),
    )[:_RELATED]


def _links(articles: Iterable[Article]) -> str:
    return "\n".join(f"<li>{link(news_path(article), article.title)}</li>" for article in articles)


def _tags_with_page(articles: Iterable[Article]) -> list[str]:
    counts: dict[str, int] = {}
    for article in articles:
        for tag in article.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return sorted(tag for tag, count in counts.items() if count >= _TAG_PAGE_FROM)
