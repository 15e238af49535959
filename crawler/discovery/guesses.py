"""What an address tells of its page before it is fetched: kind, date, language, plain form.

The first three are guesses. They decide in which order pages are fetched and where chains of lists
end, never what a page is: that is judged when it is there.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

from crawler.core.page.addresses import canonical_address
from crawler.core.pagetype.address import names_a_list
from crawler.core.pagination.address import is_part_of
from crawler.core.words import read_data

ARTICLE = "article"
LISTING = "listing"


# ``article_parameters``: names in queries under which publishing systems know one article;
# ``list_parameters``: those that choose, order or page through a list. ``list_parts``: parts of a
# path behind which the name of a list stands; ``mixed_parts``: behind which articles stand as well;
# ``dated_parts``: behind which a date names a list, and anything else may be an article.
# ``latest_parameters``: a list of what is older than a date leads to no page of that date.
# ``return_parameters`` of sign-in forms hold the page to return to. ``languages``: ISO 639-1.
# ``list_state``: what boards add to the address of an article, to lead back to the same page of the
# list. ``thread_parameters`` know a thread, whose further pages have further posts.
# ``views_of_one``: values of the parameter ``view`` that show one article.
# ``ignored_parameters`` tell where a reader came from, on most sites.
_WORDS: Final = {
    name: frozenset(words) for name, words in read_data("crawler.discovery", "addresses").items()
}
# What stands for the folder that it is in.
_INDEX = re.compile(r"(?:index|default)\.(?:html?|php|aspx?|jsp|do)|all")
_PAGE_PART = re.compile(r"(?:page|seite|pagina)[-_]?\d{1,6}|p\d{1,3}")
_LONG_NUMBER = re.compile(r"\d{4}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH_NAME = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_MONTH_OR_DAY = re.compile(r"\d{1,2}")
_PART_OF_YEAR = re.compile(rf"\d{{1,2}}|{_MONTH_NAME}")
_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<mark>[/_.-])(?P<month>0?[1-9]|1[0-2])(?!\d)"
    r"(?:(?P=mark)(?P<day>0?[1-9]|[12]\d|3[01])(?!\d))?"
)
_COMPACT_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"
)
# 2026/nov/27 as three parts, and nov-2026 as a whole part.
_NAMED_MONTH = re.compile(
    rf"/(?P<year>(?:19|20)\d\d)/(?P<month>{_MONTH_NAME})(?:/(?P<day>0?[1-9]|[12]\d|3[01]))?(?=/|$)"
)
_MONTH_FIRST = re.compile(rf"/(?P<month>{_MONTH_NAME})[-_](?P<year>(?:19|20)\d\d)(?=/|$)")
# Six numbers are a month where lists by date are, and else as often the number of an article.
_COMPACT_MONTH = re.compile(
    rf"(?:/(?:calendar|kalender|{'|'.join(sorted(_WORDS['dated_parts']))})/|[?&](?:m|ym|month|date)=)"
    r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?=[/&]|$)"
)
# 27-11-2026 as a whole part; which of the first two is the month is not known.
_YEAR_LAST = re.compile(r"/(?:\d{1,2}[-.]){2}(?P<year>(?:19|20)\d\d)(?=/|$)")
_OLD_ARCHIVE = re.compile(r"(?:19|20)\d\d(?:_\d\d){1,2}_archive\.html?")
_YEAR_ALONE = re.compile(r"/(?P<year>(?:19|20)\d\d)(?=/|$)")
_LANGUAGE = re.compile(r"(?P<language>[a-z]{2})(?:[-_][a-z]{2,4})?")
_SLUG_MARKS = 3
# Parameters that ask for the same page in another form, with the values that do so.
_FORM_PARAMETERS = {
    "print": None, "printable": None, "printer": None, "print_view": None, "amp": None,
    "commentpage": None, "m": ("1", "0"),
    "output": ("amp", "print", "1"), "outputtype": ("amp", "print"), "format": ("amp", "print"),
    "view": ("amp", "print"), "tmpl": ("component", "print"), "redirect": ("dlog", "log"),
}  # fmt: skip
# The number of an article; SMF adds the number of the first post shown.
_ARTICLE_NUMBER = re.compile(r"\d[\d_.-]*")
# The name of a page, as in ``?page=about-us``, and not its number.
_PAGE_NAME = re.compile(r"[^\W\d][\w/.-]{2,}")
_ON_A_THREAD = re.compile(r"topic|thread", re.IGNORECASE)
_FILED = frozenset({"cat", "category", "tag"})
_SWITCHES = frozenset({"", "on", "off", "asc", "desc"})
IGNORED_PARAMETERS: Final = tuple(sorted(_WORDS["ignored_parameters"]))
"""Parameters that tell where a reader came from, unless their value is a number or a date."""
_CHOICE = re.compile(r"\d+(?:-\d+)*")
_WAY_BACK = re.compile(r"/|%2f|\.(?:html?|php|aspx?|jsp)", re.IGNORECASE)
# A random text: long, of letters and digits without a word in it.
_RANDOM = re.compile(r"(?=[^0-9]*[0-9])(?:[0-9a-f]{16,}|(?=[^A-Za-z]*[A-Za-z])[0-9A-Za-z]{24,})")
_SESSION_PART = re.compile(r"/\([A-Z]\([0-9a-z]{20,32}\)\)", re.IGNORECASE)
_FORM_NAME = re.compile(r"\.(?:amp|print)(?=\.html?$)", re.IGNORECASE)
_FORM_END = re.compile(r"\.amp$|/(?:amp|print|comment-page-\d{1,6})/?$", re.IGNORECASE)


# The links of a site's navigation stand on every page of it.
@lru_cache(maxsize=16384)
def guess_kind(address: str) -> str:
    """Tell by its canonical address what a page may be: ``article``, ``listing``, or empty."""
    parts = urlsplit(address)
    segments = [part.lower() for part in parts.path.split("/") if part]
    if segments and _INDEX.fullmatch(segments[-1]):
        segments.pop()
    # Most addresses have no query, and parsing an empty one takes as long as the rest.
    query = parse_qsl(parts.query, keep_blank_values=True) if parts.query else ()
    names = {
        name.lower()
        for name, value in query
        if (name.lower() != "view" or value.lower() not in _WORDS["views_of_one"])
        and not _names_page(name, value)
    }
    of_article = any(
        name.lower() in _WORDS["article_parameters"] and any(map(str.isdigit, value))
        for name, value in query
    )
    if any(_names_thread(name, value, parts.path) for name, value in query):
        return ARTICLE
    of_list = names & _WORDS["list_parameters"]
    if of_article or of_list:
        both = of_article and bool(of_list)
        # Articles say where they are filed: /12?category=3.
        both |= of_list <= _FILED and bool(of_list) and _is_article(segments)
        return "" if both else ARTICLE if of_article else LISTING
    if not segments:
        return LISTING if not query else ""
    return _kind_of_path(segments)


def _names_page(name: str, value: str) -> bool:
    return name.lower() == "page" and bool(_PAGE_NAME.fullmatch(value))


def _names_thread(name: str, value: str, path: str) -> bool:
    if name.lower() not in _WORDS["thread_parameters"] or not _ARTICLE_NUMBER.fullmatch(value):
        return False
    # ``t`` is often a time, and ``topic`` a section.
    return name.lower().startswith("thread") or "." in value or bool(_ON_A_THREAD.search(path))


def linked_kind(address: str, page: str, page_kind: str) -> str:
    """Guess the kind of a page by its address and by the page that links to it.

    A list with another query is a list as well, unless that has the number of an article. The
    number of a page makes a list of an address, but an article may have several pages.

    Args:
        address: the canonical address of the linked page.
        page: the one of the page that links to it.
        page_kind: the kind of that page.
    """
    kind = guess_kind(address)
    if kind == LISTING and page_kind == ARTICLE and is_part_of(page, address):
        return ARTICLE
    if not kind and page_kind == LISTING:
        path, mark, _ = address.partition("?")
        if mark and path == page.partition("?")[0]:
            return LISTING if article_numbers(address) <= article_numbers(page) else ""
    return kind


def article_numbers(address: str) -> frozenset[str]:
    """Return the parameters of a canonical address that may name an article by its number."""
    return frozenset(
        pair
        for pair in address.partition("?")[2].split("&")
        if (parted := pair.partition("="))[0].lower() in _WORDS["article_parameters"]
        and any(map(str.isdigit, parted[2]))
    )


@lru_cache(maxsize=16384)
def split_list_state(address: str) -> tuple[str, str]:
    """Split the canonical address of an article into its own part and the state of its list.

    Boards lead back from an article to the page of the list where it was chosen, so that an
    article has as many addresses as there are such pages: ``view?no=7&page=2``. The state is empty
    where there is none, or where nothing in the address tells an article. An address with state
    may be that of a list as well (``list?id=7&page=2``).
    """
    parts = urlsplit(address)
    pairs = [(pair, *pair.partition("=")[::2]) for pair in filter(None, parts.query.split("&"))]
    state = [
        pair
        for pair, name, value in pairs
        if value.lower() in _SWITCHES
        or (name.lower() in _WORDS["list_state"] and not _names_page(name, value))
    ]
    kept = [each for each in pairs if each[0] not in state]
    names_one = any(
        name.lower() in _WORDS["article_parameters"] | _WORDS["thread_parameters"]
        and _ARTICLE_NUMBER.fullmatch(value)
        for _, name, value in kept
    )
    if not state or not (names_one or _is_article_path(parts)):
        return address, ""
    plain = parts._replace(query="&".join(pair for pair, _, _ in kept))
    return urlunsplit(plain), "&".join(state)


def _is_article_path(parts: SplitResult) -> bool:
    segments = [part.lower() for part in parts.path.split("/") if part]
    # A board, and the article in it.
    return len(segments) > 1 and _is_article(segments)


def _is_article(segments: list[str]) -> bool:
    if not segments:
        return False
    is_numbered = segments[-1].isdigit() and not _is_list_path(segments)
    return is_numbered or _kind_of_path(segments) == ARTICLE


@lru_cache(maxsize=16384)
def without_parameters(address: str, ignored: frozenset[str]) -> str:
    """Return a canonical address without some parameters, by their names in lower case.

    Numbers and dates stay: ``from=20`` and ``from=2026-11-01`` choose what is shown.
    """
    head, mark, query = address.partition("?")
    if not mark:
        return address
    kept = [
        pair
        for pair in query.split("&")
        if (parted := pair.partition("="))[0].lower() not in ignored or _CHOICE.fullmatch(parted[2])
    ]
    return f"{head}?{'&'.join(kept)}" if kept else head


def _kind_of_path(segments: list[str]) -> str:
    if _is_list_path(segments):
        return LISTING
    last = segments[-1]
    before = f"/{'/'.join(segments[:-1])}"
    if _DATE.search(before) or _COMPACT_DATE.search(before) or _NAMED_MONTH.search(before):
        return ARTICLE
    if not names_a_list(last) and (
        _LONG_NUMBER.search(last) or last.count("-") + last.count("_") >= _SLUG_MARKS
    ):
        return ARTICLE
    return ""


def _is_list_path(segments: list[str]) -> bool:
    last = segments[-1]
    before = segments[-2] if len(segments) > 1 else ""
    if (
        _PAGE_PART.fullmatch(last)
        or last in _WORDS["list_parts"] | _WORDS["mixed_parts"] | _WORDS["dated_parts"]
    ):
        return True
    if before in _WORDS["list_parts"] or (before in _WORDS["mixed_parts"] and names_a_list(last)):
        return True
    # A path that ends in a date names all that appeared then.
    tail = segments[:]
    while tail and _PART_OF_YEAR.fullmatch(tail[-1]) and len(segments) - len(tail) < 2:  # noqa: PLR2004 - month and day
        tail.pop()
    if tail and _YEAR.fullmatch(tail[-1]):
        return True
    return bool(
        _DATE.fullmatch(last)
        or _OLD_ARCHIVE.fullmatch(last)
        or _MONTH_FIRST.fullmatch(f"/{last}")
        or _YEAR_LAST.fullmatch(f"/{last}")
        or _COMPACT_MONTH.fullmatch(f"/{before}/{last}")
    )


def address_date(address: str) -> str:
    """Return the date in an address as ``YYYY-MM-DD``, ``YYYY-MM`` or ``YYYY``; empty for none."""
    parts = urlsplit(address)
    path = parts.path.lower()
    # A list of what is older than a date leads to no page of that date.
    dating = [
        pair
        for pair in parts.query.split("&")
        if pair.partition("=")[0].lower() not in _WORDS["latest_parameters"]
    ]
    text = f"{path}?{'&'.join(dating)}" if parts.query else path
    if found := _DATE.search(text) or _COMPACT_DATE.search(text) or _NAMED_MONTH.search(path):
        day = f"-{int(found['day']):02}" if found["day"] else ""
        return f"{found['year']}-{_month(found['month']):02}{day}"
    if found := _MONTH_FIRST.search(path) or _COMPACT_MONTH.search(text):
        return f"{found['year']}-{_month(found['month']):02}"
    if parts.query and (year := _year_of_query(parts.query)):
        return year
    found = _YEAR_ALONE.search(path) or _YEAR_LAST.search(path)
    return found["year"] if found else ""


def _year_of_query(text: str) -> str:
    """Return the year, and the month where there is one, of parameters of these names."""
    query = {name.lower(): value for name, value in parse_qsl(text)}
    year, month = query.get("year", query.get("yr", "")), query.get("month", query.get("mo", ""))
    if not year:
        year, month = query.get("y", ""), query.get("m", "")
    if not _YEAR.fullmatch(year):
        return ""
    is_month = _MONTH_OR_DAY.fullmatch(month) and 1 <= int(month) <= 12  # noqa: PLR2004 - months
    return f"{year}-{int(month):02}" if is_month else year


def _month(written: str) -> int:
    return int(written) if written.isdigit() else _MONTHS.index(written[:3]) + 1


def address_language(address: str) -> str:
    """Return the language that an address names, as of ISO 639-1; empty where it names none.

    It is the first part of the path (``/ko/``, ``/pt-br/``) or a parameter such as ``lang``.
    """
    parts = urlsplit(address.lower())
    candidates = [parts.path.split("/", 2)[1] if parts.path.startswith("/") else ""]
    candidates += [
        value for name, value in parse_qsl(parts.query) if name in _WORDS["language_parameters"]
    ]
    for candidate in candidates:
        named = _LANGUAGE.fullmatch(candidate)
        if named and named["language"] in _WORDS["languages"]:
            return named["language"]
    return ""


def plain_address(address: str) -> tuple[str, str]:
    """Return the canonical address of the page itself, and what the given canonical address is.

    That is ``twin`` for another form of the page (print, AMP, mobile, further comments),
    ``session`` for an address of one session or of a sign-in form that leads back, or empty.
    """
    parts = urlsplit(address)
    path = _SESSION_PART.sub("", parts.path)
    reason = "session" if path != parts.path else ""
    kept = []
    for pair in parts.query.split("&") if parts.query else ():
        name, _, value = pair.partition("=")
        values = _FORM_PARAMETERS.get(name.lower(), ())
        if values is None or value.lower() in values:
            reason = reason or "twin"
        elif _is_of_session(name.lower(), value):
            reason = reason or "session"
        else:
            kept.append(pair)
    plain_path = _plain_path(path)
    if plain_path != path:
        reason = reason or "twin"
    if not reason:
        return address, ""
    plain = urlunsplit((parts.scheme, parts.netloc, plain_path, "&".join(kept), ""))
    return canonical_address(plain), reason


def _is_of_session(name: str, value: str) -> bool:
    if name in _WORDS["return_parameters"]:
        return bool(_WAY_BACK.search(value))
    return name in _WORDS["session_parameters"] and is_random(value)


def is_random(text: str) -> bool:
    """Say whether a text is random, such as the id of a session, and no words or numbers."""
    return _RANDOM.fullmatch(text) is not None


def _plain_path(path: str) -> str:
    plain = _FORM_NAME.sub("", path)
    if found := _FORM_END.search(plain):
        rest = plain[: found.start()]
        # /amp alone is a page of that name; what stood before keeps its closing slash.
        if rest.strip("/"):
            return rest + "/" if found[0].endswith("/") else rest
    return plain
