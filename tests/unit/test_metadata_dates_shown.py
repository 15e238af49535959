"""Dates that readers see: labelled, with a time of a day in the address, or in running prose."""

from __future__ import annotations

import json
import re

import pytest

from crawler.core.metadata.read import Metadata, read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.words import APART, texts_with

TITLE = "Night trains are back"
DATED = "https://post.example/2026/11/20/night-trains"
PLAIN = "https://post.example/night-trains"


def read(html: str, url: str = PLAIN) -> Metadata:
    text = f"<html lang=en><title>{TITLE}</title><h1>{TITLE}</h1>{html}</html>"
    return read_metadata(parse(Page.from_text(url, text)), url)


@pytest.mark.parametrize(
    ("html", "source"),
    [
        ('<time datetime="2026-11-20T14:05:00+01:00">20 Nov</time>', "time"),
        ("<p>Published 20 November 2026, 14:05:00 +01:00</p>", "text"),
    ],
)
def test_a_time_of_the_day_in_the_address_is_told(html: str, source: str) -> None:
    found = read(html, DATED)
    assert found.published == "2026-11-20T14:05:00+01:00"
    assert found.sources["published"] == source


def test_another_day_does_not_overrule_the_address() -> None:
    found = read('<time datetime="2026-11-22T14:05:00+01:00">22 Nov</time>', DATED)
    assert found.published == "2026-11-20"


@pytest.mark.parametrize(
    "html",
    [
        "<p>Last updated 21 November 2026. First published 20 November 2026.</p>",
        "<p>Published 20 November 2026 | Updated 21 November 2026</p>",
        '<p class="published">Published 20 November 2026, updated 21 November 2026</p>',
        "<p>Published 20 November 2026</p><p>Updated 21 November 2026</p>",
    ],
)
@pytest.mark.parametrize("url", [DATED, PLAIN])
def test_both_dates_of_a_page_are_told_apart(html: str, url: str) -> None:
    found = read(html, url)
    assert (found.published, found.modified) == ("2026-11-20", "2026-11-21")


@pytest.mark.parametrize(
    "prose",
    [
        "The bridge was opened on 6 June 1994 by the mayor of the town, and has stood since.",
        "The fair opens on 5 March 2027 in the old harbour of Leeds.",
        "On 6 June 1994 the ship with all of its crew sank off the coast",
    ],
)
def test_a_day_in_running_prose_is_no_date_of_the_page(prose: str) -> None:
    found = read(f"<p>{prose}</p>")
    assert found.published is None
    assert read(f"<p>{prose}</p><p>3 March 2026</p>").published == "2026-03-03"


def test_a_long_line_with_a_date_is_believed() -> None:
    line = "<p>By The Editors, Maritime Desk, The Harbour Post in the Old Town | 3 March 2026</p>"
    assert read(line).published == "2026-03-03"


@pytest.mark.parametrize("kind", ["VideoObject", "ImageObject", "Person", "Product", "AudioObject"])
def test_what_stands_in_a_page_does_not_date_it(kind: str) -> None:
    inside = {
        "@type": kind, "name": "A clip of fog", "uploadDate": "2020-01-01",
        "datePublished": "2020-01-01", "author": "The Fog Desk",
    }  # fmt: skip
    script = f'<script type="application/ld+json">{json.dumps(inside)}</script>'
    found = read(f"{script}<p class=byline>By Harbour Editors</p><p>3 March 2026</p>")
    assert found.published == "2026-03-03"
    assert found.authors == ("Harbour Editors",)


def test_a_video_that_is_the_matter_of_its_page_dates_it() -> None:
    video = {"@type": "VideoObject", "name": TITLE, "uploadDate": "2020-01-01"}
    script = f'<script type="application/ld+json">{json.dumps(video)}</script>'
    assert read(script).published == "2020-01-01"


TODAY = "Saturday, November 28, 2026"
BARS = (
    f"<div class=topbar><span class=date>{TODAY}</span></div>",
    f"<div class=topbar>{TODAY}</div>",
    f"<header id=masthead><span class=date>{TODAY}</span></header>",
    f"<header><p class=date>{TODAY}</p></header>",
    f'<header class="site-header"><time datetime="2026-11-28">{TODAY}</time></header>',
    f'<div role=banner><time datetime="2026-11-28T08:00">{TODAY}</time></div>',
    f"<div id=current-date>{TODAY}</div>",
    f"<div><span>{TODAY}</span></div>",
    f"<table><tr><td>{TODAY}</td></tr></table>",
)


@pytest.mark.parametrize("bar", BARS)
@pytest.mark.parametrize("body", ["<main><article>", "<div id=content>"])
@pytest.mark.parametrize(
    "byline",
    [
        "<p>By Ada Mott, May 3, 2026</p>",
        "<p>Posted on May 3, 2026 | Ada Mott</p>",
        "<div>May 3, 2026</div>",
        "<time datetime=2026-05-03>May 3</time>",
    ],
)
def test_the_day_in_the_top_bar_is_not_that_of_the_article(
    bar: str, body: str, byline: str
) -> None:
    html = f"<html lang=en><title>{TITLE}</title>{bar}{body}<h1>{TITLE}</h1>{byline}<p>Fog."
    assert read_metadata(parse(Page.from_text(PLAIN, html)), PLAIN).published == "2026-05-03"


@pytest.mark.parametrize(
    ("language", "today", "byline"),
    [
        ("de", "Samstag, 28. November 2026", "Von Ada Mott, 3. Mai 2026"),
        ("fr", "samedi 28 novembre 2026", "Publié le 3 mai 2026"),
        ("es", "Sábado, 28 de noviembre de 2026", "3 de mayo de 2026"),
        ("ko", "2026년 11월 28일 토요일", "입력 2026.05.03"),
        ("ja", "2026年11月28日 土曜日", "2026年5月3日"),
        ("zh", "2026年11月28日 星期六", "2026-05-03"),
        ("ru", "28 ноября 2026, суббота", "3 мая 2026"),
        ("ar", "السبت 28 نوفمبر 2026", "3 مايو 2026"),
        ("fa", "شنبه ۲۸ آبان ۱۴۰۵", "۱۳ اردیبهشت ۱۴۰۵"),
        ("pt", "Sábado, 28 de novembro de 2026", "03/05/2026"),
    ],
)
@pytest.mark.parametrize(
    "bar",
    ["<div class=top>{}</div>", "<div id=hd><em class=date>{}</em></div>",
     "<ul class=util><li>{}</li></ul>", "<header><time>{}</time></header>"],
)  # fmt: skip
@pytest.mark.parametrize("body", ["<main>", "<div>", ""])
def test_the_day_in_the_top_bar_in_many_languages(
    language: str, today: str, byline: str, bar: str, body: str
) -> None:
    html = (
        f"<html lang={language}><title>{TITLE}</title><body>{bar.format(today)}{body}"
        f"<h1>{TITLE}</h1><p>{byline}</p><p>Fog."
    )
    assert read_metadata(parse(Page.from_text(PLAIN, html)), PLAIN).published == "2026-05-03"


@pytest.mark.parametrize(
    "before",
    [
        "<div class=entry-meta><span class=date>May 3, 2026</span></div>",
        "<header><span class=date>May 3, 2026</span></header>",
        "<article><header class=top-line><time datetime=2026-05-03>May 3</time></header>",
    ],
)
def test_a_date_above_the_headline_counts_where_there_is_no_other(before: str) -> None:
    html = f"<html lang=en><title>{TITLE}</title>{before}<h1>{TITLE}</h1><p>Fog."
    assert read_metadata(parse(Page.from_text(PLAIN, html)), PLAIN).published == "2026-05-03"


@pytest.mark.parametrize("attribute", ["", "itemprop=dateModified", "class=updated"])
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "26/11/2026 01:57 | Actualizado a 27/11/2026 19:20"),
        ("en", "Updated 27 November 2026 19:20 | Published 26 November 2026 01:57"),
        ("de", "26.11.2026, 01:57 Uhr \u2013 aktualisiert 27.11.2026, 19:20"),
        ("ko", "입력 2026.11.26 01:57 수정 2026.11.27 19:20"),
    ],
)
def test_a_time_element_with_two_dates(attribute: str, language: str, text: str) -> None:
    given = "2026-11-27T19:20:45+01:00"
    html = (
        f"<html lang={language}><title>{TITLE}</title><h1>{TITLE}</h1>"
        f'<time {attribute} datetime="{given}">{text}</time>'
    )
    found = read_metadata(parse(Page.from_text(PLAIN, html)), PLAIN)
    assert (found.published, found.modified) == ("2026-11-26T01:57", given)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("ja", "公開 令和\uff18年11月26日"), ("zh-TW", "發布日期\uff1a115-11-26"),
        ("th", "เผยแพร่ ๒๖ พ.ย. ๒๕๖๙"), ("th", "26 พ.ย. 69"), ("he", "פורסם ב-26 בנובמבר 2026"),
        ("ja", "公開 二\u3007二六年十一月二十六日"), ("ja", "令和八年十一月二十六日"),
        ("zh", "发布 二零二六年十一月二十六日"), ("zh-TW", "民國一百一十五年十一月二十六日"),
        ("eu", "2026ko azaroaren 26a"),
        ("fa", "انتشار: ۱۴\u06f0\u06f5/\u06f0۹/\u06f0\u06f5"),
        ("fa", "\u06f5 آذر ماه ۱۴\u06f0\u06f5"),
        ("lv", "Publicēts 2026. gada 26. novembrī"), ("ar", "نشر في ٢٦ نوفمبر ٢٠٢٦"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tag", ["p", "time", "span class=date"])
def test_dates_of_other_calendars_are_seen(language: str, line: str, tag: str) -> None:
    html = f"<html lang={language}><title>{TITLE}</title><h1>{TITLE}</h1><{tag}>{line}</{tag[:4]}>"
    found = read_metadata(parse(Page.from_text(PLAIN, html)), PLAIN)
    assert found.published == "2026-11-26"


@pytest.mark.parametrize(
    "script",
    [
        'page = {"datePublished": "2026-03-04"}',
        "{'FIRST_PUBLISHED_AT':'2026-03-04'}",
        '{"isPublished": true, "pubDate":"2026-03-04", "created_at":"2026-01-01"}',
        '{"town": "\u0130zmir", "publish_time":"2026-03-04"}',
    ],
)
def test_a_date_in_a_script(script: str) -> None:
    found = read(f"<script>{script}</script><p>Text</p>")
    assert (found.published, found.sources["published"]) == ("2026-03-04", "script")


def test_a_text_is_found_once_by_its_number() -> None:
    texts = APART.join(["a1", "", "22", "b", "3"])
    assert list(texts_with(re.compile("[0-9]"), texts)) == [0, 2, 4]


STORY = "The trains that left the town at night for forty years are back on the old line. " * 3


@pytest.mark.parametrize("dateline", ["20.11.2026 - ", "(20 November 2026) ", "20 November 2026: "])
def test_a_date_that_the_article_begins_with_is_the_date_of_the_page(dateline: str) -> None:
    assert read(f"<p>{dateline}{STORY}</p>").published == "2026-11-20"
    assert read(f"<p>{STORY}</p><p>{dateline.rstrip(' -:()')} was cold. {STORY}").published is None


def test_a_chronology_does_not_date_its_page() -> None:
    days = ("11 May 2001", "7 June 2003")
    assert read("".join(f"<p>{day}: {STORY}</p>" for day in days)).published is None


@pytest.mark.parametrize("before", ["", "on Thursday", "Thursday,"])
def test_a_link_of_a_page_to_itself_dates_it(before: str) -> None:
    link = f'<a class="date" href="/night-trains">{before} 20 November 2026</a>'
    assert read(f"<p>{link}</p><p><em>3 March 2019</em></p>").published == "2026-11-20"


@pytest.mark.parametrize("hour", ["20", "22"])
def test_the_hour_of_publication_does_not_tell_of_changes(hour: str) -> None:
    meta = f'<meta property="article:published_time" content="2026-11-19T{hour}:00Z">'
    assert read(f'{meta}<span class="date">Updated 20 November 2026</span>').modified is None


def test_a_date_in_the_words_of_a_link_is_of_what_is_linked() -> None:
    link = '<a class="Publication" href="/4.pdf">Report 4 of 3 March 2026</a>'
    assert read(f"<p>{link}</p><p><em>20 November 2026</em></p>").published == "2026-11-20"
    posted = '<a href="/night-trains">Posted on 20 November 2026</a>'
    assert read(f"<p>{posted}</p><p>{link}</p>").published == "2026-11-20"


def test_the_month_in_the_address_chooses_among_dates() -> None:
    html = '<p class="date">Published: 14.08.2026</p><h2>Book</h2><h3>9. September 2026</h3>'
    assert read(html).published == "2026-08-14"
    assert read(html, "https://post.example/2026/09/a-book").published == "2026-09-09"
    assert read(html, "https://post.example/2026/07/a-book").published == "2026-08-14"


def test_a_time_at_night_in_utc_gives_way_to_the_next_day_that_readers_see() -> None:
    meta = '<meta property="article:published_time" content="2026-11-19T23:00Z">'
    shown = '<span class="date">20 November 2026</span>'
    assert read(meta + shown).published == "2026-11-20"
    assert read(meta + '<span class="date">Updated 20 November 2026</span>').published == (
        "2026-11-19T23:00Z"
    )
    assert read(meta.replace("T23", "T12") + shown).published == "2026-11-19T12:00Z"


def test_the_last_part_of_an_address_may_be_a_day() -> None:
    assert read("", "https://post.example/news/20-11-2026").published == "2026-11-20"
