"""Dates as pages write them."""

from __future__ import annotations

import pytest

from crawler.core.metadata.dates import Date, Reading, find_dates, read_date


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("2026-11-27", "2026-11-27"),
        ("2026-11-27T14:03:00+09:00", "2026-11-27T14:03:00+09:00"),
        ("2026-11-27T14:03:00.250-0500", "2026-11-27T14:03:00.250-05:00"),
        ("2026-11-27 14:03:00 UTC", "2026-11-27T14:03:00Z"),
        ("20261127T140300Z", "2026-11-27T14:03:00Z"),
        ("20261127", "2026-11-27"),
        ("Fri, 27 Nov 2026 14:03:00 +0100", "2026-11-27T14:03:00+01:00"),
        ("Fri Nov 27 2026 14:03:00 GMT+0100 (CET)", "2026-11-27T14:03:00+01:00"),
        ("Fri Nov 27 14:03:00 2026", "2026-11-27T14:03:00"),
        ("Fri Nov 27 14:03:00 CET 2026", "2026-11-27T14:03:00+01:00"),
        ("Fri Nov 27 14:03:00 +0000 2026", "2026-11-27T14:03:00+00:00"),
        ("Fri Nov 27 99:99:99 CET 2026", "2026-11-27"),
        ("Fri Nov 27 \u0661\u0664:\u0660\u0663:\u0660\u0660 2026", "2026-11-27T14:03:00"),
        ("2026-11-27T14:03:00.\u0660\u0663Z", "2026-11-27T14:03:00.03Z"),
        ("1700000000", "2023-11-14T22:13:20Z"),
        ("1700000000123", "2023-11-14T22:13:20Z"),
        ("27-Nov-2026", "2026-11-27"),
        ("27 | 11 | 2026", "2026-11-27"),
    ],
)
def test_dates_for_machines(written: str, text: str) -> None:
    date = read_date(written)
    assert date is not None
    assert date.text == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("입력 2026.11.27 14:03", "2026-11-27T14:03"),
        ("2026년 11월 27일 오후 2:03", "2026-11-27T14:03"),
        ("2026. 11. 27. 오전 12:03", "2026-11-27T00:03"),
        ("2026年11月27日 14時03分", "2026-11-27T14:03"),
        ("November 27th, 2026 at 2:03 pm EST", "2026-11-27T14:03-05:00"),
        ("Thu 26 Nov 2026 15.27 GMT", "2026-11-26T15:27Z"),
        ("14:03, 27 Nov 2026", "2026-11-27T14:03"),
        ("27. November 2026, 14:03 Uhr", "2026-11-27T14:03"),
        ("Freitag, 27.11.26", "2026-11-27"),
        ("1er février 2026", "2026-02-01"),
        ("27 de noviembre de 2026 a las 14:03", "2026-11-27T14:03"),
        ("27 novembre 2026 alle 14:03", "2026-11-27T14:03"),
        ("27 de nov. de 2026", "2026-11-27"),
        ("27 november 2026", "2026-11-27"),
        ("27 listopada 2026", "2026-11-27"),
        ("27 ноября 2026 \u0433. 14:03", "2026-11-27T14:03"),
        ("27 Νοεμβρίου 2026", "2026-11-27"),
        ("2026. november 27.", "2026-11-27"),
        ("27. lokakuuta 2026", "2026-10-27"),
        ("27 tháng 11, 2026", "2026-11-27"),
        ("27 พฤศจิกายน 2569", "2026-11-27"),
        ("24 نيسان / أبريل 2026", "2026-04-24"),
        ("23 दिसंबर 2026", "2026-12-23"),
    ],
)
def test_dates_for_people(written: str, text: str) -> None:
    date = read_date(written)
    assert date is not None
    assert date.text == text


@pytest.mark.parametrize(
    ("language", "written", "text"),
    [
        ("ja", "令和8年11月26日", "2026-11-26"),
        ("ja", "令和元年5月1日", "2019-05-01"),
        ("ja", "平成30年1月5日", "2018-01-05"),
        ("ja", "令和8年(2026年)11月26日", "2026-11-26"),
        ("ja", "2026年\uff08令和8年\uff0911月26日", "2026-11-26"),
        ("ja", "\uff12\uff10\uff12\uff16年11月26日\uff08木\uff0914\uff1a03", "2026-11-26T14:03"),
        ("ja", "2026年11月26日木曜日 14:03", "2026-11-26T14:03"),
        ("ja", "R8.11.26", "2026-11-26"),
        ("zh", "民國115年11月26日", "2026-11-26"),
        ("zh", "中華民國 115 年 11 月 26 日", "2026-11-26"),
        ("zh", "115-11-26", "2026-11-26"),
        ("zh", "2026年11月26日 下午2点3分", "2026-11-26T14:03"),
        ("th", "26 พ.ย. 2569 14:03 น.", "2026-11-26T14:03"),
        ("th", "26 พ.ย. 69", "2026-11-26"),
        ("th", "26/11/69", "2026-11-26"),
        ("th", "๒๖ พฤศจิกายน ๒๕๖๙", "2026-11-26"),
        ("th", "วันที่ 26 พฤศจิกายน พ.ศ. 2569 เวลา 14.03 น.", "2026-11-26T14:03"),
        ("he", "26 בנובמבר 2026", "2026-11-26"),
        ("he", "26 בנוב' 2026, 14:03", "2026-11-26T14:03"),
        ("he", "26 נובמבר 2026 בשעה 14:03", "2026-11-26T14:03"),
        ("lv", "2026. gada 26. novembris", "2026-11-26"),
        ("lv", "2026. gada 26. martā, plkst. 14:03", "2026-03-26T14:03"),
        ("ar", "٢٦ نوفمبر ٢٠٢٦ - ٢:٠٣ م", "2026-11-26T14:03"),
        ("ar", "٢٦\u200f/\u0661\u0661\u200f/٢٠٢٦", "2026-11-26"),
        ("ar", "26 تشرين الثاني / نوفمبر 2026", "2026-11-26"),
        ("ar", "26 نوفمبر\u060c 2026", "2026-11-26"),
        ("fa", "۲۶ نوامبر ۲۰۲۶", "2026-11-26"),
        ("fa", "1403/05/12", "2024-08-02"),
        ("fa", "۱۲ مرداد ۱۴۰۳ - ۱۴:۰۳", "2024-08-02T14:03"),
        ("fa", "12 مرداد ماه 1403", "2024-08-02"),
        ("fa", "1403/12/30", "2025-03-20"),
        ("fa", "1404/01/01", "2025-03-21"),
        ("ja", "二\u3007二四年一月五日", "2024-01-05"),
        ("ja", "令和六年二月二十九日 14:03", "2024-02-29T14:03"),
        ("ja", "令和元年十二月十日", "2019-12-10"),
        ("zh", "二零二四年十月三十一日", "2024-10-31"),
        ("zh", "中華民國一一三年一月五日", "2024-01-05"),
        ("eu", "2026ko urtarrilaren 12a", "2026-01-12"),
        ("eu", "2026ko azaroak 26", "2026-11-26"),
        ("bn", "২৬ নভেম্বর ২০২৬", "2026-11-26"),
        ("ko", "2026년 11월 26일 (목) 오후 2시 3분", "2026-11-26T14:03"),
        ("ko", "2026년 11월 26일 목요일 오후 2시3분 5초", "2026-11-26T14:03:05"),
        ("ca", "26 d\u2019abril de 2026", "2026-04-26"),
        ("tl", "Nobyembre 26, 2026", "2026-11-26"),
    ],
)
def test_other_calendars_digits_and_words(language: str, written: str, text: str) -> None:
    date = read_date(written, Reading(language=language))
    assert date is not None
    assert date.text == text


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("ja", "昭和63年5月1日"), ("en", "R2.4.10"), ("en", "115/11/26"), ("ja", "3年11月6日"),
        ("zh", "1115-11-26"), ("th", "26 อะไร 69"),
        ("en", "1403/05/12"), ("ar", "١٤٤٧/٢/٢٣"), ("ur", "1447/05/03"), ("fa", "1404/12/30"),
        ("fa", "1403/13/01"), ("ja", "二十四年一月五日"), ("ja", "二\u3007二四年十三月五日"),
    ],
)  # fmt: skip
def test_what_only_looks_like_another_calendar(language: str, written: str) -> None:
    assert read_date(written, Reading(language=language)) is None


@pytest.mark.parametrize(
    "written",
    [
        "", "soon", "31.02.2026", "2026-13-01", "2026-02-29", "192.168.1.20", "v2.4.10",
        "27 Nowhere 2026", "1889-05-01", "2026", "November 2026", "0027-11-20",
    ],
)  # fmt: skip
def test_what_is_no_day_is_none(written: str) -> None:
    assert read_date(written) is None


def test_a_time_that_is_none_leaves_the_day() -> None:
    assert read_date("2026-11-27 25:61") == Date(2026, 11, 27)


def test_the_page_tells_which_number_is_the_month() -> None:
    american, korean = Reading(month_first=True), Reading(year_first=True)
    assert read_date("03/04/2026") == Date(2026, 4, 3)
    assert read_date("03/04/2026", american) == Date(2026, 3, 4)
    assert read_date("27/04/2026", american) == Date(2026, 4, 27)
    assert read_date("03.04.2026", american) == Date(2026, 4, 3)
    assert read_date("26.03.04", korean) == Date(2026, 3, 4)


def test_a_name_of_two_months_means_that_of_its_language() -> None:
    assert read_date("27 listopada 2026", Reading(language="hr")) == Date(2026, 10, 27)


def test_dates_are_found_in_order_with_their_places() -> None:
    text = "From 3 March 2026 to 4 April 2026, not 5.5.5"
    found = list(find_dates(text))
    assert [text[each.start : each.end] for each in found] == ["3 March 2026", "4 April 2026"]
    assert [each.date.day_text for each in found] == ["2026-03-03", "2026-04-04"]


def test_days_are_numbered_from_1970() -> None:
    assert Date(1970, 1, 1).number == 0
    assert Date(2000, 3, 1).number - Date(2000, 2, 28).number == 2
