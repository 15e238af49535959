"""The words that tell kinds of pages, and the features of a page's address."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from urllib.parse import SplitResult, parse_qsl, urlsplit

from crawler.core.patterns import compiled_later
from crawler.core.words import read_data, texts_of

_CHARS = 2_000
_NUMBER = compiled_later(r"\d{4,}")
_DATE = compiled_later(r"(?:19|20)\d\d[/_-]?(?:0?[1-9]|1[0-2])(?:[/_-]?[0-3]?\d)?(?!\d)")
_PAGE_NUMBER = compiled_later(r"(?:page|p|seite|pagina|strana)[/=_-]?\d{1,4}")
_LANGUAGE = compiled_later(r"(?P<code>[a-z]{2})(?:[-_][a-z]{2})?")
_INDEX = compiled_later(r"(?:index|default|home|main)(?:\.[a-z]{2,5})?")
_LIST_HYPHENS = 3
_WORD = compiled_later(r"[^\W\d_]+")
# Names in queries that tell how a visitor came, and not which page is meant.
_TRACKING = ("utm_", "fbclid", "gclid", "srsltid", "ref", "source", "lang", "hl")


class PageWords:
    """The lists of ``data/words.json``.

    Attributes:
        groups: by the name of a list, and by kind of page or cue, words: ``paths`` stand in
            addresses, ``software`` in what ``<meta name="generator">`` and names of classes say,
            ``names`` in the names that authors give to elements.
        types: group of each type of JSON-LD, in lower case; types of no group are "other".
        texts: in many languages, folded: titles of error pages, with which a longer title may
            begin or end (``error``); those that have to be the whole title (``error_titles``);
            titles of forms to sign in (``login``) and of results of a search (``search``); labels
            of a shop's buttons (``buy``).
        sets: parts of addresses and names in queries (``search_paths``, ``search_queries``,
            ``login_paths``, ``list_paths``); names that themes give to whole pages
            (``error_classes``, ``list_classes``, ``text_classes``); codes of languages (ISO 639-1)
            and countries (ISO 3166-1) of which sites have ``editions``.
    """

    def __init__(self) -> None:
        data = read_data("crawler.core.pagetype", "words")
        self.groups: dict[str, dict[str, list[str]]] = {
            name: {kind: words.split() for kind, words in data[name].items()}
            for name in ("paths", "software", "names")
        }
        self.types = {name: own for own, names in data["types"].items() for name in names.split()}
        texts = ("error", "error_titles", "login", "search", "buy")
        self.texts = {name: texts_of(data[name]) for name in texts}
        self.sets = {
            name: frozenset(words.split()) for name, words in data.items() if isinstance(words, str)
        }


page_words = cache(PageWords)
"""The lists that come with the package, read once."""


def _hyphens(part: str) -> int:
    return part.count("-") + part.count("_")


def _fetched(url: str | None) -> SplitResult | None:
    if url is None or not url.lower().startswith(("http://", "https://")):
        return None
    try:
        parts = urlsplit(url[:_CHARS])
        _ = parts.hostname  # raises where it is broken
    except ValueError:
        return None
    return parts


def names_a_list(part: str) -> bool:
    """Tell whether a part of a path may name a list: a headline has more words, a post a number."""
    return _hyphens(part) <= _LIST_HYPHENS and not any(map(str.isdigit, part))


class Address:
    """The parts of the first of some addresses that can be fetched; all empty where none can.

    Attributes:
        known: whether there is one.
        segments: the parts of its path between slashes, in lower case.
        queries: names in its query, without those that tell how a visitor came.
        words: the words of its path and of its host before the domain.
        text: its path and query, in lower case.
    """

    def __init__(self, urls: Iterable[str | None]) -> None:
        found = filter(None, map(_fetched, urls))
        parts = next(found, None)
        self.known = parts is not None
        path, query = (parts.path.lower(), parts.query) if parts else ("", "")
        self.segments = tuple(part for part in path.split("/") if part)
        names = [name.lower() for name, _ in parse_qsl(query, keep_blank_values=True)]
        self.queries = tuple(name for name in names if not name.startswith(_TRACKING))
        # A last part of several words is a headline, whose words are of the article.
        last = [part for part in self.segments[-1:] if _hyphens(part) <= 1]
        host = (parts.hostname or "") if parts else ""
        texts = (*self.segments[:-1], *last, *host.split(".")[:-2])
        self.words = frozenset(_WORD.findall(" ".join(texts)))
        self.text = f"{path}?{query.lower()}"

    @property
    def is_root(self) -> bool:
        """Whether it is the address of a site's first page, or of its first page in a language."""
        if not self.known or self.queries:
            return False
        rest = [part for part in self.segments if not _INDEX.fullmatch(part)]
        if len(rest) != 1:
            return not rest
        edition = _LANGUAGE.fullmatch(rest[0])
        return edition is not None and edition["code"] in page_words().sets["editions"]

    @property
    def is_section(self) -> bool:
        """Whether it may be the address of a list of a site: no numbers, no headline, no query."""
        return (
            self.known
            and not self.queries
            and all(names_a_list(each) and _hyphens(each) <= 1 for each in self.segments)
        )

    @property
    def is_search(self) -> bool:
        """Whether it is a search of the site."""
        words = page_words().sets
        return not words["search_paths"].isdisjoint(self.segments) or (
            len(self.segments) <= 1 and not words["search_queries"].isdisjoint(self.queries)
        )

    def features(self) -> dict[str, float]:
        """Return the features of the address; all 0 where there is none."""
        last = self.segments[-1] if self.segments else ""
        found = {
            "known": self.known,
            "depth": len(self.segments),
            "last": len(last),
            "hyphens": _hyphens(last),
            "digits": sum(map(str.isdigit, last)),
            "number": bool(_NUMBER.search(self.text)),
            "date": bool(_DATE.search(self.text)),
            "page": bool(_PAGE_NUMBER.search(self.text)),
            "queries": len(self.queries),
            "file": "." in last,
            "root": self.is_root,
        }
        for kind, stems in page_words().groups["paths"].items():
            found[kind] = len(self.words.intersection(stems))
        return {f"address: {name}": float(value) for name, value in found.items()}
