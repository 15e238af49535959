"""Tables as their users get them: place, names, records, types, values, limits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.tables import tables_in


def only(rows: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - any option
    """Read the one table of a page; its caption makes it genuine."""
    (table,) = tables_in(f"<table><caption>c</caption>{rows}</table>", **options)
    return table


HEAD = "<tr><th>Name<th>Age"
RECORDS: list[tuple[str, str, list[dict[str, str]]]] = [
    ("a header row", f"{HEAD}<tr><td>Kim<td>31", [{"Name": "Kim", "Age": "31"}]),
    (
        "a header row and a header column, whose corner is its name",
        "<tr><th>City<th>2023<th>2024<tr><th>Seoul<td>1<td>2<tr><th>Busan<td>3<td>4",
        [{"City": "Seoul", "2023": "1", "2024": "2"}, {"City": "Busan", "2023": "3", "2024": "4"}],
    ),
    (
        "a blank corner",
        "<tr><td><th>2023<tr><th>Seoul<td>1",
        [{"column 1": "Seoul", "2023": "1"}],
    ),
    (
        "attributes on the left: one record",
        "<tr><th>Name<td>Kim<tr><th>Age<td>31",
        [{"Name": "Kim", "Age": "31"}],
    ),
    (
        "attributes on the left of two columns: two records",
        "<tr><th>Name<td>Kim<td>Lee<tr><th>Age<td>31<td>29",
        [{"Name": "Kim", "Age": "31"}, {"Name": "Lee", "Age": "29"}],
    ),
    (
        "header rows in two levels, each covering cell once",
        "<tr><th rowspan=2>Ware<th colspan=2>Price<tr><th>2023<th>2024<tr><td>Tea<td>1<td>2",
        [{"Ware": "Tea", "Price / 2023": "1", "Price / 2024": "2"}],
    ),
    (
        "header columns in two levels",
        "<tr><th rowspan=2>Price<th>2023<td>1<tr><th>2024<td>2",
        [{"Price / 2023": "1", "Price / 2024": "2"}],
    ),
    (
        "a name that is the same in both levels",
        "<tr><th>Name<th colspan=2>Marks<tr><th>Name<th>a<th>b<tr><td>Kim<td>1<td>2",
        [{"Name": "Kim", "Marks / a": "1", "Marks / b": "2"}],
    ),
    (
        "repeated names, one of which is taken",
        "<tr><th>P<th>P (2)<th>P<th>P<tr><td>1<td>2<td>3<td>4",
        [{"P": "1", "P (2)": "2", "P (3)": "3", "P (4)": "4"}],
    ),
    (
        "blank names",
        "<tr><th>Name<th><th>&nbsp;<tr><td>Kim<td>31<td>x",
        [{"Name": "Kim", "column 2": "31", "column 3": "x"}],
    ),
    (
        "a row that is blank throughout, and a shorter one",
        f"{HEAD}<tr><td><td>&nbsp;<tr><td>Kim",
        [{"Name": "Kim", "Age": ""}],
    ),
    (
        "a cell over two records, and one over two fields",
        f"{HEAD}<tr><td rowspan=2>Kim<td>31<tr><td>32<tr><td colspan=2>none",
        [
            {"Name": "Kim", "Age": "31"},
            {"Name": "Kim", "Age": "32"},
            {"Name": "none", "Age": "none"},
        ],
    ),
    (
        "a foot and a footnote are rows",
        f"{HEAD}<tfoot><tr><td>Mean<td>31</tfoot><tr><td>Kim*<td>31<tr><td>* guessed",
        [
            {"Name": "Kim*", "Age": "31"},
            {"Name": "* guessed", "Age": ""},
            {"Name": "Mean", "Age": "31"},
        ],
    ),
    ("headers alone", HEAD, [{"Name": "Age"}]),
    (
        "several lines in a cell",
        f"{HEAD}<tr><td><p>Kim<p>Min<td>31",
        [{"Name": "Kim\nMin", "Age": "31"}],
    ),
    ("a name of several lines", "<tr><th>Net<br>price<tr><td>1", [{"Net price": "1"}]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "records"), [row[1:] for row in RECORDS], ids=[r[0] for r in RECORDS]
)
def test_records(rows: str, records: list[dict[str, str]]) -> None:
    assert only(rows)["records"] == records


def test_without_headers_fields_are_called_by_their_place() -> None:
    found = only("<tr><td>x")
    assert found["records"] == [{"column 1": "x"}]
    assert (found["header_rows"], found["header_columns"]) == (0, 0)


def test_a_definition_list_is_one_record_if_it_is_genuine() -> None:
    (found,) = tables_in("<dl><dt>Tel<dd>031-200-1111<dt>Mail<dd>a@b.example<dd>c@d.example</dl>")
    assert found["kind"] == "list"
    assert found["records"] == [
        {"Tel": "031-200-1111", "Mail": "a@b.example", "Mail (2)": "c@d.example"}
    ]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2", "3"], "integer"),
        (["1", "2.5", "30"], "real"),
        (["1", "-", "", "n/a"], ""),
        (["1", "2", "\u2013", "", "x"], "integer"),
        (["1", "x"], ""),
        (["", "—"], ""),
        (["$1.00", "$20"], "currency"),
        (["<img src=a>", "<img src=b>"], "image"),
        (["2024-05-01", "3 May 2024"], "date"),
    ],
)  # fmt: skip
def test_a_field_has_the_type_of_most_of_its_values(cells: list[str], kind: str) -> None:
    rows = "".join(f"<tr><td>{cell}<td>name" for cell in cells)
    assert only(f"<tr><th>A<th>B{rows}")["types"]["A"] == kind


def test_values_stand_beside_the_texts_where_they_are_clear() -> None:
    rows = (
        "<tr><th>Ware<th>Preis<th>Anteil<th>Tag"
        "<tr><td>Brot<td>1.234,50 €<td>12,5 %<td>25.4.2005"
        "<tr><td>Salz<td>$5.00<td>1.234<td>3/4/2005"
    )
    german = only(rows, language="de-AT")
    assert german["records"][0]["Preis"] == "1.234,50 €", "as written"
    assert german["values"] == [
        {
            "Preis": {"value": "1234.50", "unit": "EUR"},
            "Anteil": {"value": "12.5", "unit": "%"},
            "Tag": {"value": "2005-04-25"},
        },
        {"Preis": {"value": "5.00"}, "Anteil": {"value": "1234"}},
    ]
    assert only(rows)["values"][1] == {"Preis": {"value": "5.00"}}, "1.234 may be either"


def test_where_a_table_stands() -> None:
    first, second, third = tables_in(
        "<table><caption>none yet</caption><tr><td>1</table>"
        "<h1>Top <b>of</b>\nit</h1><h2 hidden>not seen</h2><h3></h3>"
        "<table><tbody><tr><td><table aria-label=inner summary=s><tr><th>a<td>1</table></table>"
        "<div><h2>Later</h2><section><table summary=s><tr><th>a<td>1</table></section></div>",
        layout=False,
    )
    assert (first["number"], first["heading"], first["caption"]) == (1, None, "none yet")
    assert (second["number"], second["heading"], second["caption"]) == (3, "Top of it", "inner")
    assert second["path"] == "html/body/table/tr/td/table"
    assert (third["heading"], third["caption"], third["path"]) == (
        *("Later", "s"),
        "html/body/div/section/table",
    )


def test_layout_tables_come_on_request_with_cells_and_without_records() -> None:
    html = "<table><tr><td><a href=/>Home</a><td><a href=/b>B</a></table>"
    assert tables_in(html) == []
    (plain,) = tables_in(html, layout=True)
    assert plain["cells"] == [["Home", "B"]]
    assert (plain["records"], plain["values"], plain["types"]) == ([], [], {})
    assert list(plain["verdict"])[:5] == ["is_genuine", "method", "reason", "rule", "coherency"]
    assert list(plain["verdict"].values())[:5] == [False, "rules", "links", 4, None]


def test_spans_are_resolved_and_gaps_are_empty() -> None:
    plain = only("<tr><th colspan=2>ab<tr><td rowspan=2>x<td>y<tr><td>z<td>w")
    assert plain["cells"] == [["ab", "ab", ""], ["x", "y", ""], ["x", "z", "w"]]
    assert (plain["rows"], plain["columns"], plain["rows_left_out"]) == (3, 3, 0)


def test_a_table_is_plain_data() -> None:
    plain = only(f"{HEAD}<tr><td>Kim<td>31")
    assert json.loads(json.dumps(plain)) == plain


def test_long_names_are_cut() -> None:
    plain = only(f"<tr><th>{'n' * 500}<th>{'n' * 500}<tr><td>1<td>2")
    names = list(plain["types"])
    assert [len(name) for name in names] == [100, 104]
    assert names[1].endswith("… (2)")


def test_a_table_with_more_gaps_than_cells_lacks_its_last_rows() -> None:
    wide = "<tr>" + "<td>1" * 1000 + "<tr><td>a" * 1000
    plain = only(wide)
    assert (plain["rows"], plain["columns"]) == (1001, 1000)
    assert len(plain["cells"]) == 500
    assert plain["rows_left_out"] == 1001 - 500


def test_a_long_text_is_not_repeated_without_end() -> None:
    rows = f"<tr><td colspan=1000>{'long ' * 2000}" + "<tr><td>a" * 30
    plain = only(rows)
    assert sum(len(cell) for row in plain["cells"] for cell in row) < 2_020_000
    assert len(plain["cells"][0][0]) > 9000


def test_a_raised_digit_is_no_digit_of_its_number() -> None:
    rows = (
        "<tr><th>Place<th>People<th>Day"
        "<tr><td>A<td>700,000<sup>2</sup><td>3 May 2024<sup>a</sup>"
        "<tr><td>B<td>10<sup>5</sup><td>4 May 2024<tr><td>C<td>312,000<td>5 May 2024"
    )
    plain = only(rows, language="en")
    assert [values.get("People") for values in plain["values"]] == [None, None, {"value": "312000"}]
    assert plain["values"][0]["Day"] == {"value": "2024-05-03"}


def test_the_type_of_a_field_is_that_of_its_values() -> None:
    rows = "<tr><th>Ware<th>Menge<tr><td>a<td>4,575<tr><td>b<td>2,250"
    german = only(rows, language="de")
    assert german["types"]["Menge"] == "real"
    assert german["values"][0] == {"Menge": {"value": "4.575"}}
    assert only(rows, language="en")["types"]["Menge"] == "integer"


FORM = (
    "<table><tr><th>성명<td>홍길동<th>생년월일<td>1980.05.03<tr><td><td><td><td>"
    "<tr><th>직업<td>기자<th>연락처<td>010-1234-5678<tr><th>주소<td colspan=3>서울</table>"
)


@pytest.mark.parametrize("name", ["learned", "rules"])
def test_pairs_side_by_side_are_one_record(name: str) -> None:
    (plain,) = tables_in(FORM, name, language="ko")
    assert (plain["header_rows"], plain["header_columns"]) == (0, 1)
    assert plain["records"] == [
        {"성명": "홍길동", "생년월일": "1980.05.03", "직업": "기자", "연락처": "010-1234-5678",
         "주소": "서울"}
    ]  # fmt: skip
    assert plain["values"] == [{"생년월일": {"value": "1980-05-03"}}]


def test_the_first_title_row_is_the_caption() -> None:
    rows = "".join(f"<tr><th>{name}<td>{name}s" for name in ("Born", "Died", "Known for"))
    html = f"<table><tr><th colspan=2>Ada<tr><td colspan=2>Portrait by the editors{rows}</table>"
    (table,) = tables_in(html, "learned")
    assert (table["caption"], table["title_rows"], table["header_columns"]) == ("Ada", 2, 1)


def test_pictures_say_what_they_stand_for() -> None:
    plain = only(
        "<tr><th>Plan<th><img alt=Wifi><tr><td>Basic<td><img alt=no>"
        "<tr><td>Plus<td><img alt=' yes '><img alt=fast><tr><td>Team<td><img alt=yes> ask"
    )
    assert [record["Wifi"] for record in plain["records"]] == ["no", "yes fast", "ask"]
    assert plain["types"]["Wifi"] == "image"
