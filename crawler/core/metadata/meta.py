"""Meta elements: which names say what, in the order in which they are believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MetaTags"]

_OPENGRAPH = ("og:", "article:", "twitter:", "book:", "video:", "news:")

_NAMES: dict[str, tuple[str, ...]] = {
    "title": (
        "og:title", "article:title", "parsely-title", "sailthru.title", "citation_title",
        "headline", "dc.title", "dcterms.title", "dc:title", "twitter:title", "title",
    ),
    "author": (
        "article:author_name", "parsely-author", "sailthru.author", "citation_author", "author",
        "article:author", "og:article:author", "og:author", "book:author", "dc.creator",
        "dcterms.creator", "dc:creator", "dcsext.author", "cxenseparse:author", "byl", "byline",
        "authors", "article_author", "article.author", "creator", "rbauthors",
        "cxenseparse:recs:articleauthor", "shareaholic:article_author_name", "dc.contributor",
        "dable:author", "twitter:creator:name",
    ),
    "published": (
        "article:published_time", "og:article:published_time", "article:published",
        "og:published_time", "og:pubdate", "parsely-pub-date", "sailthru.date", "datepublished",
        "citation_publication_date", "citation_online_date", "citation_date",
        "cxenseparse:recs:publishtime", "publish-date", "publish_date", "publishdate",
        "publication_date", "publication-date", "publicationdate", "published_date",
        "published-date", "published_time", "publish_time", "published", "pubdate", "pub_date",
        "pub-date", "article.published", "article_date_original", "originalpublicationdate",
        "displaydate", "dc.date.issued", "dcterms.issued", "dcterms.available", "dc.date.published",
        "dc.issued", "dcterms.created", "dc.date.created", "article:post_date", "article.created",
        "article:create", "article_published", "ptime", "issueddate", "date_published",
        "rnews:datepublished", "eomportal-lastupdate", "time_published", "article:publicationdate",
        "firstpublished", "og:release_date", "release_date", "shareaholic:article_published_time",
        "datecreated", "cxenseparse:publishtime", "tgt:published",
    ),
    # Names that say less: some hold the day on which the page was made or sent.
    "dated": (
        "dc.date", "dc:date", "dcterms.date", "dc.dates", "date", "article:date", "article-date",
        "created", "createdate", "creation_date", "date.created", "rdate", "uploaddate", "regdate",
        "weibo: article:create_at", "weibo:article:create_at", "bt:pubdate", "vr:published_time",
        "live_date", "cse_publish_date", "bh:publishdate", "sdate", "timestamp", "date_created",
    ),
    "modified": (
        "article:modified_time", "og:updated_time", "og:article:modified_time", "article:modified",
        "datemodified", "dcterms.modified", "dc.date.modified", "dc.modified", "last-modified",
        "lastmod", "modified", "modified_time", "lastupdate", "last_updated", "updated_time",
        "revised", "article:updated_time", "date-modified", "date_modified", "article:updated",
        "parsely-updated-date", "modificationdate", "utime",
    ),
    "language": (
        "og:locale", "inlanguage", "dc.language", "dcterms.language", "language",
        "content-language", "citation_language",
    ),
    "site_name": (
        "og:site_name", "application-name", "al:android:app_name", "citation_journal_title",
        "apple-mobile-web-app-title", "dc.publisher", "copyright",
    ),
    "url": (
        "og:url", "parsely-link", "twitter:url",
    ),
    "description": (
        "og:description", "description", "twitter:description", "sailthru.description",
        "dc.description", "dcterms.description", "abstract",
    ),
    "tags": (
        "article:tag", "og:article:tag", "news_keywords", "parsely-tags", "sailthru.tags",
        "keywords", "citation_keywords", "dc.subject",
    ),
    "image": (
        "og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src",
        "parsely-image-url", "sailthru.image.full", "thumbnail", "image", "thumbnailurl",
    ),
}  # fmt: skip
# Names of people in these begin with the family name.
_TURNED = frozenset(("citation_author", "dc.creator", "dcterms.creator"))
_ITEM_NAMES = frozenset(("headline", "datepublished", "datemodified", "datecreated", "inlanguage"))


@dataclass(frozen=True, slots=True)
class MetaTags:
    """The meta elements of a page by lower-case name."""

    by_name: dict[str, list[str]]

    @classmethod
    def of(cls, metas: Iterable[tuple[str, str]]) -> MetaTags:
        """Sort name and content of each meta element."""
        by_name: dict[str, list[str]] = {}
        for name, content in metas:
            if text := " ".join(content.split()):
                by_name.setdefault(name, []).append(text)
        return cls(by_name)

    def values(self, what: str) -> Iterator[tuple[str, str]]:
        """Yield source and value of what is said of a field, the most believed names first."""
        for name in _NAMES[what]:
            for value in self.by_name.get(name, ()):
                yield _source(name), value

    def groups(self, what: str) -> Iterator[tuple[str, list[str]]]:
        """Yield source and values of each name, for fields that have several values."""
        for name in _NAMES[what]:
            if values := self.by_name.get(name):
                yield (
                    _source(name),
                    [_turned(each) for each in values] if name in _TURNED else values,
                )

    def first(self, what: str) -> tuple[str, str] | None:
        """Return source and value of the most believed name that is given."""
        return next(self.values(what), None)


def _turned(name: str) -> str:
    """Return "Family, Given", as bibliographies write, as "Given Family"."""
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and "," not in first else name


def _source(name: str) -> str:
    if name.startswith(_OPENGRAPH):
        return "opengraph"
    return "microdata" if name in _ITEM_NAMES else "meta"
