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
