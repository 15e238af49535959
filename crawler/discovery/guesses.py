"""What an address tells of its page before it is fetched: kind, date and language.

These are guesses. They decide in which order pages are fetched and where chains of lists end, never
what a page is: that is judged when it is there.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit

from crawler.core.pagetype.address import names_a_list

__all__ = ["ARTICLE", "LISTING", "address_date", "address_language", "guess_kind"]

ARTICLE = "article"
LISTING = "listing"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names in queries under which publishing systems know one article.
_ARTICLE_NAMES = _words(
    "id no idx idxno aid nid artid articleid article_id newsid news_id storyid story_id seq p "
    "key arcid gid oid wr_id document_srl logno post postid post_id contentid content_id uid"
)
# Names in queries that choose, order or turn over a list.
_LIST_NAMES = _words(
    "page paged pg pageno page_no pagenum currentpage offset start sort order orderby sortby "
    "dir direction filter month year day date tag cat category q s search query keyword "
    "view per_page limit archive m yr mo"
)
# Parts of a path behind which stands the name of a list.
_LIST_PARTS = _words(
    "tag tags category categories cat topic topics author authors label labels section "
    "sections search archive archives rubrik kategorie thema schlagwort users user calendar "
    "page seite pagina"
)
_DATED_PARTS = frozenset({"archive", "archives"})
_PAGE_PART = re.compile(r"(?:page|seite|pagina)[-_]?\d{1,6}|p\d{1,3}")
_LONG_NUMBER = re.compile(r"\d{4}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTH_OR_DAY = re.compile(r"\d{1,2}")
_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<mark>[/_.-])(?P<month>0?[1-9]|1[0-2])(?!\d)"
    r"(?:(?P=mark)(?P<day>0?[1-9]|[12]\d|3[01])(?!\d))?"
)
_COMPACT_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"
)
_YEAR_ALONE = re.compile(r"/(?P<year>(?:19|20)\d\d)(?=/|$)")
_LANGUAGE = re.compile(r"(?P<language>[a-z]{2})(?:[-_][a-z]{2,4})?")
_LANGUAGE_NAMES = frozenset({"lang", "language", "hl", "locale"})
# ISO 639-1.
_LANGUAGES = _words(
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu "
    "cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi "
    "ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks "
    "ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl "
    "nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl "
    "sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve "
    "vi vo wa wo xh yi yo za zh zu"
)
_SLUG_MARKS = 3


# The links of a site's navigation stand on every page of it.
@lru_cache(maxsize=16384)
def guess_kind(address: str) -> str:
    """Tell by its address what a page may be: ``article``, ``listing``, or empty for neither.

    Args:
        address: canonical.
    """
    parts = urlsplit(address)
    segments = [part.lower() for part in parts.path.split("/") if part]
    # Most addresses have no query, and parsing an empty one takes as long as the rest.
    query = parse_qsl(parts.query, keep_blank_values=True) if parts.query else ()
    names = {name.lower() for name, _ in query}
    of_article = any(
        name.lower() in _ARTICLE_NAMES and any(map(str.isdigit, value)) for name, value in query
    )
    if of_article or names & _LIST_NAMES:
        both = of_article and bool(names & _LIST_NAMES)
        return "" if both else ARTICLE if of_article else LISTING
    if not segments:
        return LISTING if not names else ""
    return _kind_of_path(segments)


def _kind_of_path(segments: list[str]) -> str:
    last = segments[-1]
    if _is_list_path(segments):
        return LISTING
    before = "/".join(segments[:-1])
    if _DATE.search(before) or _COMPACT_DATE.search(before):
        return ARTICLE
    if not names_a_list(last) and (
        _LONG_NUMBER.search(last) or last.count("-") + last.count("_") >= _SLUG_MARKS
    ):
        return ARTICLE
    return ""


def _is_list_path(segments: list[str]) -> bool:
    last = segments[-1]
    before = segments[-2] if len(segments) > 1 else ""
    if _PAGE_PART.fullmatch(last) or last in _LIST_PARTS:
        return True
    if before in _LIST_PARTS and not (before in _DATED_PARTS and _LONG_NUMBER.match(last)):
        return True
    # A path that ends in a date names all that appeared then.
    tail = segments[:]
    while tail and _MONTH_OR_DAY.fullmatch(tail[-1]) and len(segments) - len(tail) < 2:  # noqa: PLR2004 - month and day
        tail.pop()
    if tail and _YEAR.fullmatch(tail[-1]):
        return True
    return bool(_DATE.fullmatch(last))


def address_date(address: str) -> str:
    """Return the date in an address as ``YYYY-MM-DD``, ``YYYY-MM`` or ``YYYY``; empty for none."""
    parts = urlsplit(address)
    text = f"{parts.path}?{parts.query}"
    if found := _DATE.search(text) or _COMPACT_DATE.search(text):
        day = f"-{int(found['day']):02}" if found["day"] else ""
        return f"{found['year']}-{int(found['month']):02}{day}"
    query = {name.lower(): value for name, value in parse_qsl(parts.query)}
    year, month = query.get("year", query.get("yr", "")), query.get("month", query.get("mo", ""))
    if _YEAR.fullmatch(year):
        is_month = _MONTH_OR_DAY.fullmatch(month) and 1 <= int(month) <= 12  # noqa: PLR2004 - months
        return f"{year}-{int(month):02}" if is_month else year
    found = _YEAR_ALONE.search(parts.path)
    return found["year"] if found else ""


def address_language(address: str) -> str:
    """Return the language that an address names, as of ISO 639-1; empty where it names none.

    It is the first part of the path (``/ko/``, ``/pt-br/``) or a parameter such as ``lang``.
    """
    parts = urlsplit(address.lower())
    candidates = [parts.path.split("/", 2)[1] if parts.path.startswith("/") else ""]
    candidates += [value for name, value in parse_qsl(parts.query) if name in _LANGUAGE_NAMES]
    for candidate in candidates:
        named = _LANGUAGE.fullmatch(candidate)
        if named and named["language"] in _LANGUAGES:
            return named["language"]
    return ""
