"""Laws of metadata: dates are read back as written, and no page or text breaks the reading."""

from __future__ import annotations

import datetime as dt
import json

from hypothesis import given
from hypothesis import strategies as st

from crawler.core.errors import UnreadablePageError
from crawler.core.metadata.dates import Date, Reading, find_dates, read_date
from crawler.core.metadata.names import BylineWords, byline_words, clean_names
from crawler.core.metadata.read import read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse

DAYS = st.dates(dt.date(1990, 1, 1), dt.date(2099, 12, 31))
ENGLISH = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip
PIECES = st.sampled_from(
    ("By ", "27 November 2026", "<p>", "</p>", "<h1>", "<time datetime='", "'>", "2026", "-", "|",
     "<meta name=author content='", "<script type='application/ld+json'>", "</script>", '{"@type":',
     '"Article"', "[", "]", "{", "}", ",", ":", '"author"', '"@id"', "<a rel=author href='/author/",
     "Updated ", "입력 ", "<aside>", "&quot;", " and ", "@", "\x00", "\u202e")
)  # fmt: skip


@given(DAYS)
def test_a_day_is_read_back_however_it_is_written(day: dt.date) -> None:
    want = Date(day.year, day.month, day.day)
    month = ENGLISH[day.month - 1]
    for written in (
        day.isoformat(),
        f"{day:%Y%m%d}",
        f"{day.year}. {day.month}. {day.day}.",
        f"{day.year}년 {day.month}월 {day.day}일",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.day:02}.{day.month:02}.{day.year}",
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"Posted on {month[:3]}. {day.day} {day.year}",
    ):
        assert read_date(written) == want, written
    assert read_date(f"{day.month}/{day.day}/{day.year}", Reading(month_first=True)) == want


@given(st.datetimes(dt.datetime(1990, 1, 2), dt.datetime(2099, 1, 1)))  # noqa: DTZ001 - UTC is meant
def test_seconds_since_1970_are_the_time_in_utc(moment: dt.datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=dt.UTC)
    seconds = str(int(moment.timestamp()))
    if len(seconds) == 10:
        date = read_date(seconds)
        assert date is not None
        assert date.text == moment.isoformat().replace("+00:00", "Z")


@given(DAYS, DAYS)
def test_days_are_as_far_apart_as_their_numbers(one: dt.date, other: dt.date) -> None:
    numbers = [Date(day.year, day.month, day.day).number for day in (one, other)]
    assert numbers[0] - numbers[1] == (one - other).days


@given(st.text() | st.lists(PIECES).map("".join))
def test_dates_found_are_days_and_stand_in_order(text: str) -> None:
    end = 0
    for found in find_dates(text):
        dt.date.fromisoformat(found.date.day_text)
        assert end <= found.start < found.end <= len(text)
        end = found.end


@given(st.lists(st.text() | st.lists(PIECES).map("".join)))
def test_names_are_not_blank_and_each_is_given_once(values: list[str]) -> None:
    names = clean_names(values)
    assert all(name.strip() == name != "" for name in names)
    assert len({name.casefold() for name in names}) == len(names)
    assert clean_names(values) == names


@given(st.lists(PIECES).map("".join))
def test_any_page_is_read(html: str) -> None:
    url = "https://harbour.example/2026/11/27/n"
    try:
        parsed = parse(Page.from_text(url, html))
    except UnreadablePageError:
        return
    found = read_metadata(parsed, url)
    assert found == read_metadata(parsed, url)
    for name in ("title", "authors", "published", "language", "tags", "image"):
        assert bool(getattr(found, name)) == (name in found.sources)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("Article"),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ("@type", "@id", "@graph", "headline", "author", "name", "datePublished", "image",
             "keywords", "publisher", "mainEntityOfPage", "url", "inLanguage", "givenName")
        ),
        inner,
        max_size=6,
    ),
    max_leaves=25,
)  # fmt: skip


@given(JSON)
def test_any_json_ld_is_read(value: object) -> None:
    script = json.dumps({"@type": "Article", "about": value, "author": value, "name": value})
    html = f'<script type="application/ld+json">{script}</script><p>Text</p>'
    found = read_metadata(parse(Page.from_text("https://harbour.example/", html)), "")
    assert found.title is None or found.title.strip()


SAID = ("published", "Erstellt", "GİRİŞ tarihi", "giris tarihi", "tar\u0131hi", "\u017fent",
        "datum:", "updated", "revi\u017fed", "Edited", "수정", "입력", " ", "İ",
        "\u212a")  # fmt: skip


@given(st.lists(st.sampled_from(SAID), max_size=4).map("".join) | st.text(max_size=20))
def test_what_a_text_says_of_dates_is_what_the_patterns_find(text: str) -> None:
    words = byline_words()
    said = words.said_of_dates(text)
    assert bool(said & BylineWords.PUBLISHED) == (words.published.search(text) is not None)
    assert bool(said & BylineWords.MODIFIED) == (words.modified.search(text) is not None)
