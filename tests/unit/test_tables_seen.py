"""What a reader sees of a table: header rows that markup marks, and the text of cells."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.classify import get_table_method
from crawler.core.tables.markup import find_tables
from crawler.core.tables.values import read_value, text_type
from support.tables import tables_in

CLUBS = enumerate(("Alda", "Bera", "Cora", "Dora"), 1)
BODY = "".join(f"<tr><td>{n}<td>{name}<td>{n + 20}" for n, name in CLUBS)


def tables(html: str, method: str = "learned", language: str = "") -> list[dict[str, Any]]:
    """Return the genuine tables of a page."""
    return tables_in(f"<p>Text.</p>{html}", method, language=language)


def cells(rows: str) -> list[list[str]]:
    """Return the texts of one table, genuine or not."""
    html = f"<table>{rows}</table>"
    (found,) = find_tables(parse(Page.from_text("https://site.example/", html)))
    return [[cell.text if cell else "" for cell in row] for row in found.grid.padded()]


TOWNS = "".join(
    f"<tr><th scope=row>{town}<td>{won}<td>{lost}"
    for town, won, lost in (("Mole", 12, 3), ("Weir", 8, 5), ("Ebb", 7, 7))
)
HEADS = [
    (
        "a spanning head in thead",
        f"<thead><tr><th colspan=2>Club<th>Points</thead>{BODY}",
        ["Club", "Club (2)", "Points"],
        4,
    ),
    (
        "a spanning head without thead",
        f"<tr><th colspan=2>Club<th>Points{BODY}",
        ["Club", "Club (2)", "Points"],
        4,
    ),
    (
        "a scope",
        f"<tr><td scope=col>No.<td scope=col colspan=2>Club{BODY}",
        ["No.", "Club", "Club (2)"],
        4,
    ),
    (
        "Korean",
        f"<thead><tr><th>순위<th colspan=2>구단</thead><tbody>{BODY}</tbody>",
        ["순위", "구단", "구단 (2)"],
        4,
    ),
    (
        "row headings",
        f"<thead><tr><th>Town<th colspan=2>Won/Lost</thead>{TOWNS}",
        ["Town", "Won/Lost", "Won/Lost (2)"],
        3,
    ),
    (
        "two head rows of header cells",
        f"<tr><th rowspan=2>No.<th colspan=2>Club<tr><th>Name<th>Points{BODY}",
        ["No.", "Club / Name", "Club / Points"],
        4,
    ),
    (
        "two head rows, the second of data cells that thead holds",
        f"<thead><tr><th>No.<th colspan=2>Club<tr><td><td>Name<td>Points</thead>{BODY}",
        ["No.", "Club / Name", "Club / Points"],
        4,
    ),
    (
        "two head rows, the second of data cells that a header cell reaches",
        f"<tr><th rowspan=2>No.<th colspan=2>Club<tr><td>Name<td>Points{BODY}",
        ["No.", "Club / Name", "Club / Points"],
        4,
    ),
    (
        "without marks spans decide",
        f"<tr><td rowspan=2><b>No.<td colspan=2><b>Club<tr><td><b>Name<td><b>Points{BODY}",
        ["No.", "Club / Name", "Club / Points"],
        4,
    ),
    (
        "a title above the spanning head",
        f"<tr><th colspan=3>League<tr><th colspan=2>Club<th>Points{BODY}",
        ["Club", "Club (2)", "Points"],
        4,
    ),
    (
        "all rows in thead",
        f"<thead><tr><th colspan=2>Club<th>Points{BODY}</thead>",
        ["Club", "Club (2)", "Points"],
        4,
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "names", "count"), [row[1:] for row in HEADS], ids=[row[0] for row in HEADS]
)
def test_markup_says_which_rows_are_headers(rows: str, names: list[str], count: int) -> None:
    (found,) = tables(f"<table>{rows}</table>")
    assert list(found["types"]) == names
    assert len(found["records"]) == count


HIDDEN = '<span class="{}">Boat</span>Alda'
TEXTS = [
    ("sr-only", HIDDEN.format("sr-only"), "Alda"),
    ("visually-hidden", HIDDEN.format("mobile-label visually-hidden"), "Alda"),
    ("screen-reader-text", HIDDEN.format("screen-reader-text"), "Alda"),
    ("behind the value", "Alda <i class=visuallyhidden>(opens in a new window)</i>", "Alda"),
    ("clipped", '<b style="position:absolute;clip:rect(0 0 0 0)">Boat</b>Alda', "Alda"),
    ("off the page", '<b style="position:absolute; left:-9999px">Boat</b>Alda', "Alda"),
    ("nested", '<div class="u-visually-hidden"><p>Boat <b>name</b></p></div><p>Alda</p>', "Alda"),
    ("in a link", '<a href=x>Alda<span class="sr-only"> of Mole</span></a>', "Alda"),
    ("a label alone is the text", "<img src=y><span class=sr-only>Yes</span>", "Yes"),
    ("a sign is a text", "<span class=sr-only>Yes</span>✓", "✓"),
    ("another class", '<span class="not-sr-only">Boat</span> Alda', "Boat Alda"),
    ("another class too", '<span class="sr-only-focusable">Boat</span> Alda', "Boat Alda"),
    ("a footnote mark", "800<sup>3</sup>", "800 3"),
    ("a footnote mark in brackets", "1,204<sup>[2]</sup>", "1,204[2]"),
    ("a linked footnote mark", "800<sup><a href='#f3'>3</a></sup>", "800 3"),
    ("a bold number", "<b>800</b><sup>3</sup>", "800 3"),
    ("a power", "10<sup>5</sup>", "10 5"),
    ("two marks", "1,204<sup>1</sup><sup>2</sup>", "1,204 1 2"),
    ("a mark before", "<sup>1</sup>800", "1 800"),
    ("a fraction", "1<sup>1</sup>/<sub>2</sub>", "1 1/2"),
    ("a star", "800<sup>*</sup>", "800*"),
    ("a letter behind a word", "Population<sup>a</sup>", "Population a"),
    ("a linked letter", "Area<sup><a href='#fa'>a</a></sup>", "Area a"),
    ("two letters", "People<sup>a,b</sup>", "People a,b"),
    ("a letter behind Korean", "인구<sup>a</sup>", "인구 a"),
    ("the end of a short word", "M<sup>a</sup> Ruiz, n<sup>o</sup> 3", "Ma Ruiz, no 3"),
    ("a lowered letter", "Speed<sub>x</sub>", "Speedx"),
    ("square metres", "m<sup>2</sup>", "m2"),
    ("an ordinal", "1<sup>st</sup>", "1st"),
    ("a formula", "H<sub>2</sub>O", "H2O"),
    ("ruby", "<ruby>下浜<rt>しもはま</rt></ruby>", "下浜"),
    ("ruby with brackets", "<ruby>砂崎<rp>(</rp><rt>すなざき</rt><rp>)</rp></ruby>駅", "砂崎駅"),
    ("ruby a sign each", "<ruby>下<rt>しも</rt>浜<rt>はま</rt></ruby>", "下浜"),
    ("ruby with bases", "<ruby><rb>下<rb>浜<rtc><rt>しも<rt>はま</rtc></ruby>", "下浜"),
    ("Chinese", "<ruby>汉<rt>hàn</rt>字<rt>zì</rt></ruby>", "汉字"),
    ("a button of a value", "5 <button>Copy</button>", "5 Copy"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "text"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS]
)
def test_the_text_of_a_cell_is_what_is_seen(cell: str, text: str) -> None:
    assert cells(f"<tr><td>x</td><td>{cell}</td></tr>") == [["x", text]]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("<button>Name</button>", "Name"),
        ("<button>Name<span class=sr-only>: activate to sort</span></button>", "Name"),
        ("Name <button>Sort ascending</button>", "Name"),
        ("Name<button aria-label=Sort>⇅</button>", "Name"),
        ("<button>Name</button><button>Filter</button>", "Name"),
        ("<button>Price</button> (EUR)", "Price (EUR)"),
        ("Name <span>▲</span><span>▼</span>", "Name"),
        ("<a href='?sort=name'>Name ↕</a>", "Name"),
        ("<span class=sr-only>Actions</span>", "Actions"),
        ("▲", "▲"),
        ("이름 <button>정렬</button>", "이름"),
    ],
)
def test_a_sort_button_is_no_part_of_a_name(head: str, name: str) -> None:
    assert cells(f"<tr><th>{head}</th><th>Age</th></tr><tr><td>Kim<td>31") == [
        [name, "Age"],
        ["Kim", "31"],
    ]


def test_a_footnote_mark_makes_no_other_type() -> None:
    rows = "<tr><th>Town<th>People<tr><td>Mole<td>800<sup>3</sup><tr><td>Weir<td>1,204"
    (found,) = tables(f"<table>{rows}</table>", language="en")
    assert found["types"] == {"Town": "string", "People": "integer"}
    assert found["values"] == [{}, {"People": {"value": "1204"}}]


ROOT = '<template shadowrootmode="open">'


@pytest.mark.parametrize(
    ("root", "count"),
    [
        ('<x-t><template shadowrootmode="open">{}</template></x-t>', 1),
        ('<x-t><template shadowrootmode="closed"><div>{}</div></template></x-t>', 1),
        (f"<x-a>{ROOT}<x-b>{ROOT}{{}}</template></x-b></template></x-a>", 1),
        ("<template>{}</template>", 0),
        ('<template id="row">{}</template>', 0),
        ('<template><x-t><template shadowrootmode="open">{}</template></x-t></template>', 0),
        ("<script>{}</script>", 0),
    ],
)  # fmt: skip
def test_tables_in_shadow_roots_are_found(root: str, count: int) -> None:
    table = "<table><caption>Boats</caption><tr><th>Boat<th>Days<tr><td>Alda<td>3</table>"
    assert len(tables(root.format(table))) == count


LINK = "<a href='/{0}'>{0}</a>"


DAYS = "".join(f"<tr><td>{LINK.format(n)}<td>{LINK.format(n + 1)}" for n in range(1, 9, 2))


def rows_of_links(first: str) -> str:
    """Return three rows of two links each below other rows."""
    links = (LINK.format(name) for name in ("Rope", "T1027", "Mud", "T1055", "Gull", "T1105"))
    return first + "".join(f"<tr><td>{a}<td>{b}" for a, b in zip(links, links, strict=False))


@pytest.mark.parametrize(
    ("table", "genuine"),
    [
        (rows_of_links("<tr><th>Indicator<th>Type"), True),
        (rows_of_links("<thead><tr><th>Indicator<th>Type</thead>"), True),
        (rows_of_links("<thead><tr><th>이름<th>종류</thead>"), True),
        (rows_of_links("<tr><td scope=col>Name<td scope=col>Kind"), True),
        (rows_of_links("<caption>Tools</caption><tr><td>Name<td>Kind"), True),
        (rows_of_links("<tr><th colspan=2>Tools<tr><th>Name<th>Kind"), True),
        (rows_of_links(""), False),
        (rows_of_links("<tr><th><a href='?order=a&amp;sort=asc'>Name</a>"
                       "<th><a href='/tools?page=1&amp;sort_by=kind'>Kind</a>"), True),
        (rows_of_links("<tr><th><a href='/a'>Name</a><th><a href='/order=b'>Kind</a>"), False),
        (rows_of_links("<caption>Our links</caption>"), False),
        (rows_of_links(f"<tr><th>{LINK.format('Home')}<th>{LINK.format('News')}"), False),
        (rows_of_links("<tr><th>More<th>More"), False),
        (f"<caption>May</caption><tr><th>Mo<th>Tu{DAYS}", False),
        (f"<tr><th>Mo<th>Tu{DAYS}", False),
    ],
)  # fmt: skip
def test_markup_makes_a_table_of_links_genuine(table: str, genuine: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    assert bool(tables(f"<table>{table}</table>")) == genuine


def test_a_list_of_links_that_says_it_is_layout_is_layout() -> None:
    assert not tables(f"<table role=presentation>{rows_of_links('<tr><th>A<th>B')}</table>")


@pytest.mark.parametrize(
    ("text", "language", "kind", "normal"),
    [
        ("26.05.03", "ko", "date", None),
        ("26.5.3", "ko-KR", "date", None),
        ("26. 5. 3.", "ko", "date", None),
        ("'26.05.03", "ko", "date", None),
        ("26.05.03(일)", "ko", "date", None),
        ("26.05.03 14:30", "ko", "date", None),
        ("26.05.03 ~ 26.05.09", "ko", "date", None),
        ("등록 26.05.03", "ko", "date", None),
        ("2026.05.03", "ko", "date", "2026-05-03"),
        ("26.05.03", "en", "real", None),
        ("26.05.03", "", "real", None),
        ("1.5.3", "ko", "real", None),
        ("26.13.03", "ko", "real", None),
        ("26.05.33", "ko", "real", None),
        ("10.12.11.1", "ko", "real", None),
        ("v26.05.03", "ko", "string", None),
        ("26.05", "ko", "real", "26.05"),
    ],
)
def test_a_short_date_is_a_date_on_a_korean_page(
    text: str, language: str, kind: str, normal: str | None
) -> None:
    found = read_value(text, language)
    assert (found.type, found.normal) == (kind, normal)


def test_other_types_stay() -> None:
    kinds = [text_type(text) for text in ("12 5", "1 2 3", "40 000")]
    assert kinds == ["integer", "real", "integer"]


ICON = "<img src=i.gif>"
WORDS = (
    "Arts and crafts of the coast",
    "Boats",
    "Cameras, films and lenses for all",
    "Dogs",
    "Eels in the estuary",
)
PLACES = ("서울 소식", "부산의 오래된 시장", "대구", "인천 앞바다 섬들", "광주")
DIRECTORIES = [
    [f"<td>{ICON}<td>{words}" for words in WORDS],
    [f"<td><a href=x>{ICON}</a><td>{words}" for words in WORDS],
    [f"<td>{ICON}<td><a href=x>{words[:9]}</a> {words}" for words in WORDS],
    [f"<td>{words}<td>{ICON}" for words in WORDS],
    [f"<td>{ICON}<td>{words}<td>{words[::-1]}" for words in WORDS],
    [f"<td>{ICON}<td>{words} " + "(12)" * (n == 1) for n, words in enumerate(WORDS)],
    [f"<td>{ICON}<td>{'2001' if n == 3 else words}" for n, words in enumerate(WORDS)],
    [f"<td><input type=checkbox><td>{words}" for words in WORDS],
    [f"<td>{ICON}<td>{words}<td><input type=radio>" for words in WORDS],
    [f"<td><svg></svg><td>{words}" for words in PLACES],
]  # fmt: skip


@pytest.mark.parametrize("rows", DIRECTORIES)
def test_pictures_and_strings_make_no_value_area(rows: list[str]) -> None:
    html = f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    (found,) = find_tables(parse(Page.from_text("https://site.example/", html)))
    verdict = get_table_method("rules").judge(found.grid)
    assert (verdict.is_genuine, verdict.reason) == (False, "strings")


@pytest.mark.parametrize(
    "rows",
    [
        [f"<td>{ICON}<td>{words}<td>{n}.5" for n, words in enumerate(WORDS)],
        [f"<td>{ICON}<td>{words}<td>${n}.00" for n, words in enumerate(WORDS)],
        [f"<td>{words}<td>{n} kg<td>{ICON}" for n, words in enumerate(WORDS)],
    ],
)
def test_pictures_beside_values_take_nothing_away(rows: list[str]) -> None:
    html = f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    (found,) = find_tables(parse(Page.from_text("https://site.example/", html)))
    verdict = get_table_method("rules").judge(found.grid)
    assert (verdict.is_genuine, verdict.reason) == (True, "syntactic")


@pytest.mark.parametrize("values", [("2:1", "0:0", "10:3"), ("1/2/3", "125/5/1", "3/3/3")])
def test_scores_are_values_that_agree(values: tuple[str, ...]) -> None:
    teams = ("Harbour, Old Mill", "North End, South", "Hill, Valley")
    rows = "".join(f"<tr><td>{t}<td>{v}" for t, v in zip(teams, values, strict=True))
    (found,) = find_tables(parse(Page.from_text("https://site.example/", f"<table>{rows}</table>")))
    verdict = get_table_method("rules").judge(found.grid)
    assert (verdict.is_genuine, verdict.reason, verdict.coherency) == (True, "syntactic", 1.0)


@pytest.mark.parametrize(
    ("values", "literal", "plain"),
    [
        (("2:1", "0:0", "10:3"), "time", "time"),
        (("107-16-1", "160-40-6", "1-2-3"), "date", "string"),
        (("1/2/3", "125/5/1", "3/3/3"), "date", "date"),
        (("123:456", "123-457", "123-458"), "postal-code", "postal-code"),
        (("10:30", "11:45", "9:15"), "time", "time"),
        (("3.5", "4.5", "1.5"), "real", "real"),
    ],
)
def test_the_patterns_of_the_paper(values: tuple[str, ...], literal: str, plain: str) -> None:
    rows = "".join(f"<tr><td>{'n' * n}<td>{value}" for n, value in enumerate(("Which", *values), 1))
    html = f"<table>{rows}</table>"
    (found,) = find_tables(parse(Page.from_text("https://site.example/", html)))
    for method, kind in (("rules-literal", literal), ("rules", plain)):
        judge = get_table_method(method)
        column = [cell for cell in found.grid.cells if cell.column and cell.row]
        assert {judge.constants.type_of(cell, judge.words) for cell in column} == {kind}
