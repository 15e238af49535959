from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from crawler.core.errors import OptionError
from crawler.core.tables.values import matches, read_value, text_type
from crawler.core.tables.words import DATA_TYPES, LANGUAGES, default_words, load_words

TYPES = {
    "postal-code": ["123-456", "555-1234", "〒150-0001"],
    "time": ["10:30 am", "10:30:15", "3 시간", "30 min", "12 Uhr", "5 heures", "10 p.m."],
    "date": ["1999-02-03", "3/4/2005", "31.12.2020", "2026년 11월 27일", "11月27日", "Jan 5, 1999",
             "3 de mayo de 2020", "1er mars 2021", "3-5-24", "24/03/05"],
    "month": ["3 May", "January", "Dec", "12월", "März", "août", "Jan 1999"],
    "day": ["Mon", "Sat 12", "(Mo) 5", "월요일", "水曜日", "Mo - Fr", "domingo"],
    "temperature": ["75°F", "21 °C", "20 Grad", "15도"],
    "electric": ["5 kHz", "220 V", "1.5 mA", "2200 W", "4000 mAh"],
    "weight": ["12 kg", "5 g", "12 KG", "3 tons", "5 톤"],
    "currency": ["$5.00", "£ 3", "1,000원", "2.5 Mio. Euro", "20 USD", "3,000 円",
                 "100 kr", "kr 100", "Rs. 500", "20 Kč", "￥500", "5,- €", "20 zł", "$5/mo"],
    "percentage": ["3.5%", "47.5%p", "12 Prozent"],
    "integer": ["5", "2,331", "(123)", "40 000", "120명", "7 ▲", "12*"],
    "real": ["-0.46 ▼", "1.2", "0.123", ".5", "1.234,5"],
    "string": ["5 mi", "5 do", "3 Mo", "東京都千代田区1-2-3", "5G",
               "", "Seoul", "Sun Microsystems", "v 1 of 2 parts", "5 items in a list " * 5],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in TYPES.items() for text in texts]
)
def test_types(kind: str, text: str) -> None:
    assert text_type(text) == kind
    assert kind in DATA_TYPES


@pytest.mark.parametrize(
    ("text", "language", "normal", "unit"),
    [
        ("2,331", "", None, ""),
        ("2,331", "en-GB", "2331", ""),
        ("2,331", "de", "2.331", ""),
        ("2.331.000", "", "2331000", ""),
        ("1,234.5", "", "1234.5", ""),
        ("1.234,5", "", "1234.5", ""),
        ("0.123", "", "0.123", ""),
        ("-7", "", "-7", ""),
        ("40 000", "", "40000", ""),
        ("(123)", "", None, ""),
        ("7 ▲", "", None, ""),
        ("1,2,3", "", None, ""),
        ("0.500", "de", "0.500", ""),
        ("0,500", "en", "0.500", ""),
        ("€0.125", "de", "0.125", "EUR"),
        ("0.125%", "fr", "0.125", "%"),
        ("0.234.567", "", None, ""),
        ("700,0002", "", None, ""),
        ("700,0002", "en", None, ""),
        ("1.0825", "", "1.0825", ""),
        ("1.0825", "de", None, ""),
        ("1,0825", "de", "1.0825", ""),
        ("1 234 567,5", "", "1234567.5", ""),
        ("1 2 3", "", None, ""),
        ("2020 2021", "", None, ""),
        ("555 1234", "", None, ""),
        ("0 500", "", None, ""),
        ("5-", "", None, ""),
        ("5.00 -", "", None, ""),
        ("5,- €", "", "5", "EUR"),
        ("１２３円", "", "123", "JPY"),
        ("٣٤٥", "", "345", ""),
        ("1٣", "", None, ""),
        ("007", "", None, ""),
        ("00", "", None, ""),
        ("0", "", "0", ""),
        ("100 kr", "", "100", ""),
        ("Rs. 500", "", "500", ""),
        ("20 Kč", "", "20", "CZK"),
        ("2024-01-02 ~ 2024-02-03", "", None, ""),
        ("1 May 2024 – 3 June 2024", "", None, ""),  # noqa: RUF001 - a dash as written
        ("10-12 May 2024", "", None, ""),
        ("2024. 5. 3. (금) 14:00", "", None, ""),
        ("2024-03-05T10:00", "", None, ""),
        ("2024. 5. 3. (금)", "", "2024-05-03", ""),
        ("3 May 20241", "", None, ""),
        ("$5.00", "", "5.00", ""),
        ("-$5.20", "", "-5.20", ""),
        ("US$ 20", "", "20", "USD"),
        ("12,50 €", "", "12.50", "EUR"),
        ("1,000원", "ko", "1000", "KRW"),
        ("$1.5 million", "", None, ""),
        ("3억 원", "ko", None, ""),
        ("3.5 %", "", "3.5", "%"),
        ("47.5%p", "", "47.5", "%"),
        ("1,5 Prozent", "de", "1.5", "%"),
        ("2026년 11월 27일", "", "2026-11-27", ""),
        ("2026年11月27日", "", "2026-11-27", ""),
        ("2020. 1. 2.", "", "2020-01-02", ""),
        ("3/4/2005", "", None, ""),
        ("25/4/2005", "", "2005-04-25", ""),
        ("4/25/2005", "", "2005-04-25", ""),
        ("5/5/2005", "", "2005-05-05", ""),
        ("31.12.2020", "", "2020-12-31", ""),
        ("2021-02-30", "", None, ""),
        ("5 März 2020", "", "2020-03-05", ""),
        ("Jan 5, 1999", "", "1999-01-05", ""),
        ("10:30", "", None, ""),
        ("word", "", None, ""),
    ],
)
def test_values_where_there_is_one_reading(
    text: str, language: str, normal: str | None, unit: str
) -> None:
    value = read_value(text, language)
    assert (value.normal, value.unit) == (normal, unit)


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [("290,000", "de", "real"), ("290,000", "en", "integer"), ("290,000", "", "integer"),
     ("1.000", "en", "real"), ("1.000", "de", "integer")],
)  # fmt: skip
def test_a_type_says_what_the_value_is(text: str, language: str, kind: str) -> None:
    assert read_value(text, language).type == kind


def test_patterns_of_values() -> None:
    assert matches("email", "ada@mail.example")
    assert matches("telephone", "(803) 642-7760")
    assert matches("company", "Brass & Sons Ltd.")
    assert matches("currency", "$ 5")
    assert not matches("currency", "five")
    assert not matches("email", "at home")


def test_every_language_has_its_lists() -> None:
    data = files("crawler.core.tables").joinpath("data")
    shipped = {path.name for path in data.iterdir() if path.name.endswith(".json")}
    assert shipped == {f"{name}.json" for name in ("common", *LANGUAGES)}
    words = default_words()
    assert set(words.marks) >= set(LANGUAGES)
    assert {words.months[name] for name in ("may", "5월", "5月", "mai", "mayo")} == {5}
    assert all(words.values[name] for name in words.keywords)


def test_lists_can_be_added() -> None:
    words = load_words(
        [{"classes": {"price": {"keywords": ["cena"]}}, "units": {"currency": ["korun"]}}]
    )
    assert text_type("20 korun", words) == "currency"
    assert words.keywords["price"].search("cena")
    assert text_type("20 korun") == "string"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([1], "no object"),
        ({"clases": {}}, "'clases'.*'classes'"),
        ({"values": {"x": ["("]}}, r"values/x\[\]=\("),
        ({"months": 3}, "months: 3 is wrong"),
        ({"months": ["leden", "unor"]}, r"months\[\]=leden is wrong"),
        ({"months": [["a"]] * 13}, "months has 13 lists"),
        ({"weekdays": [""]}, r"weekdays\[\]= is wrong"),
        ({"units": ["x"]}, r"units\[\]=x is wrong"),
        ({"units": {"currency": "korun"}}, "units/currency=korun is wrong"),
        ({"units": {"currencies": ["korun"]}}, r"units/currencies\[\]=korun is wrong.*currency"),
        ({"currency_codes": {"korun": "kc"}}, "currency_codes/korun=kc is wrong.*ISO 4217"),
        ({"classes": {"price": {"keyword": ["cena"]}}}, "classes/price/keyword.*'keywords'"),
        ({"classes": {"prize": {"keywords": ["cena"]}}}, "classes/prize has no values.*'price'"),
        ({"classes": {"fee": {"values": ["money"]}}}, "classes/fee/values knows no 'money'"),
        ({"decimal": ",", "group": "."}, "decimal and group are of no language"),
        ({"decimal": ";", "group": ".", "language": "cs"}, "decimal=; is wrong"),
        ({"decimal": ",", "language": "cs"}, "group is None"),
        ({"language": "Czech"}, "language=Czech is wrong"),
    ],
)
def test_lists_of_another_form_are_refused(bad: Any, message: str) -> None:  # noqa: ANN401 - any JSON
    with pytest.raises(OptionError, match=rf"table words( in czech\.json)?: .*{message}"):
        load_words([bad], ["czech.json"])


def test_marks_can_be_added() -> None:
    words = load_words([{"language": "cs", "decimal": ",", "group": " "}])
    assert read_value("1,234", "cs", words).normal == "1.234"
    assert read_value("1,234", "cs").normal is None
