"""The default method: what it says of plain tables made by hand, and of what is hardly a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.areas import Areas
from crawler.core.tables.classify import DEFAULT_TABLE_METHOD, get_table_method, load_trees
from crawler.core.tables.features import Survey, judge_features
from crawler.core.tables.headers import header_features, title_rows
from crawler.core.tables.markup import find_tables
from crawler.core.tables.words import default_words
from support.pace import within
from support.tables import tables_in

if TYPE_CHECKING:
    from crawler.core.tables.grid import Grid

GOLDEN = Path(__file__).parents[1] / "golden_tables" / "default.json"
TABLES: list[dict[str, Any]] = json.loads(GOLDEN.read_text("utf-8"))
METHOD = get_table_method("learned")
PLACES = {
    (True, True): "both", (True, False): "first_row", (False, True): "first_column",
    (False, False): "none",
}  # fmt: skip


def grid_of(html: str) -> Grid:
    return find_tables(parse(Page.from_text("https://site.example/", html)))[0].grid


def survey_of(html: str) -> Survey:
    return Survey(grid_of(html), default_words())


def rows_of(rows: int, columns: int = 3) -> str:
    cells = "".join(f"<td>{number}" for number in range(columns))
    return f"<table>{('<tr>' + cells) * rows}</table>"


def test_it_is_the_default() -> None:
    assert DEFAULT_TABLE_METHOD == METHOD.name == "learned"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
def test_verdict_and_headers(table: dict[str, Any]) -> None:
    verdict = METHOD.judge(grid_of(table["html"]))
    assert verdict.is_genuine == table["genuine"]
    assert verdict.confidence is not None
    assert 0.5 <= verdict.confidence <= 1
    if not table["genuine"]:
        assert verdict.areas is None
    elif "header" in table:
        assert verdict.areas is not None
        found = (verdict.areas.header_rows > 0, verdict.areas.header_columns > 0)
        assert PLACES[found] == table["header"]


@pytest.mark.parametrize(
    "table", [table for table in TABLES if table["genuine"]], ids=lambda table: table["name"]
)
def test_header_places_and_records(table: dict[str, Any]) -> None:
    (found,) = tables_in(table["html"], "learned")
    assert found["title_rows"] == 0
    assert found["header_rows"] == table["header_rows"]
    columns = found["header_columns"]
    assert columns == table.get("header_columns", columns)
    assert len(found["records"]) == table["records"]
    assert found["records"][0] == table["first"]


def test_a_reason_is_that_of_the_rules_where_they_agree() -> None:
    agreed = METHOD.judge(
        grid_of(
            "<table><caption>Prices</caption><tr><th>Bread<th>Price"
            "<tr><td>Rye<td>€2.40<tr><td>Spelt<td>€3.10<tr><td>Oat<td>€2.90</table>"
        )
    )
    assert (agreed.is_genuine, agreed.reason, agreed.rule) == (True, "caption", 1)
    calendar = next(table for table in TABLES if table["name"] == "calendar of a blog")
    disputed = METHOD.judge(grid_of(calendar["html"]))
    assert (disputed.is_genuine, disputed.reason, disputed.rule) == (False, "evidence", 0)


@pytest.mark.parametrize(
    "html",
    [
        "<table></table>",
        "<table><caption>Nothing</caption></table>",
        "<table><tr></tr></table>",
        "<table><td></table>",
        "<table><tr><td><img src=a></table>",
        "<table><tr><td>1</table>",
        "<dl><dt>Word<dd>What it means</dl>",
        f"<table><tr>{'<td>x' * 300}</table>",
        f"<table>{'<tr><td>x' * 6000}</table>",
    ],
)
def test_hardly_a_table(html: str) -> None:
    verdict = METHOD.judge(grid_of(html))
    assert verdict.confidence is not None
    located = METHOD.locate(grid_of(html))
    grid = grid_of(html)
    assert located.title_rows + located.header_rows <= max(grid.rows - 1, 0)
    assert located.header_columns <= max(grid.columns - 1, 0)


def test_features_are_those_that_the_weights_know() -> None:
    survey = survey_of(TABLES[0]["html"])
    assert set(load_trees("genuine_boosted").names) == set(judge_features(survey))
    for name in ("header_row", "header_column"):
        assert set(load_trees(name).names) <= set(header_features(survey))


def test_of_a_large_table_its_first_part_is_read() -> None:
    small, large = survey_of(rows_of(400)), survey_of(rows_of(5_000))
    assert small.grid.rows == 400
    assert (large.grid.columns, large.grid.rows) == (3, 1_333)
    spanning = survey_of(f"<table><tr><td rowspan=3000>a<td>b{'<tr><td>b' * 2999}</table>")
    assert spanning.grid.cells[0].rowspan == spanning.grid.rows == 2_000


def test_title_rows_are_told_from_headers() -> None:
    titled = "<table><tr><td colspan=2>Trains<tr><td>Train<td>Leaves<tr><td>RE 1<td>6:12</table>"
    assert title_rows(survey_of(titled)) == 1
    assert title_rows(survey_of(titled.replace(" colspan=2", "<td>"))) == 0
    assert title_rows(survey_of("<table><tr><td>One<tr><td>Two</table>")) == 0


def test_header_rows_stand_below_the_title() -> None:
    html = (
        "<table><tr><th colspan=3>Trains of the day<tr><th>Train<th>Leaves<th>Fare"
        + "".join(f"<tr><td>RE {number}<td>{number}:12<td>€{number}.90" for number in range(6, 12))
        + "</table>"
    )
    assert METHOD.judge(grid_of(html)).areas == Areas(1, 0, title_rows=1)


PAIRS = [("Name", "Kim"), ("Born", "1980"), ("Work", "Baker"), ("Town", "Suwon")]


@pytest.mark.parametrize(
    "html",
    [
        f"<table>{''.join(f'<tr><th>{name}<td>{value}' for name, value in PAIRS)}</table>",
        f"<table>{''.join(f'<tr><td>{name}:<td>{value}' for name, value in PAIRS)}</table>",
        f"<dl>{''.join(f'<dt>{name}<dd>{value}' for name, value in PAIRS)}</dl>",
        "<table>"
        + "".join(f"<tr><th scope=row>{name}<td>{value}" for name, value in PAIRS)
        + "</table>",
    ],
    ids=["th", "colons", "terms", "scopes"],
)
def test_the_first_of_marked_pairs_is_no_header_row(html: str) -> None:
    assert METHOD.locate(grid_of(html)) == Areas(0, 1)


def test_words_above_numbers_may_be_a_header_row() -> None:
    rates = [("Deposit of a year", "1.090"), ("Deposit of two", "1.065"), ("Loan", "2.616")]
    rows = "".join(f"<tr><th>{name}<td>{value}" for name, value in [("Kind", "Rate"), *rates])
    assert METHOD.locate(grid_of(f"<table>{rows}</table>")) == Areas(1, 1)
    scoped = f"<table>{rows}</table>".replace("<th>", "<th scope=row>")
    assert METHOD.locate(grid_of(scoped)) == Areas(0, 1)


def test_pairs_stand_below_their_title() -> None:
    rows = "".join(f"<tr><th>{name}<td>{value}" for name, value in PAIRS)
    titled = grid_of(f"<table><tr><th colspan=2>Ada{rows}</table>")
    assert METHOD.locate(titled) == Areas(0, 1, title_rows=1)


CARS = (
    "<table><tr><th>Model<th>Seats<th>Price{section}<tr><td>Ant<td>4<td>€9,000"
    "<tr><td>Bee<td>4<td>€9,900<tr><td>Cow<td>5<td>€12,000</table>"
)


@pytest.mark.parametrize("name", ["learned", "rules"])
def test_header_rows_end_where_a_section_begins(name: str) -> None:
    method = get_table_method(name)
    section = CARS.format(section="<tr><th colspan=3>Small cars")
    assert method.locate(grid_of(section)) == Areas(1, 0)
    two = CARS.format(section="<tr><th>Name<th>Number<th>Euro")
    assert method.locate(grid_of(two)) == Areas(2, 0)


def test_a_row_with_gaps_holds_no_names() -> None:
    html = "<table><tr><td colspan=9007199254740991>A<td>B<tr><td>1<td>2<tr><td>3<td>4</table>"
    assert METHOD.locate(grid_of(html)).header_rows <= 1
    deep = (
        "<table><tr><th rowspan=2>Ware<th colspan=2>Price<tr><th>2023<th>2024"
        "<tr><td>Tea<td>1.10<td>1.20<tr><td>Salt<td>2.10<td>2.20</table>"
    )
    assert METHOD.locate(grid_of(deep)).header_rows == 2


def test_many_tables_get_the_verdicts_that_each_gets_by_itself() -> None:
    grids = [grid_of(table["html"]) for table in TABLES] + [grid_of("<table><tr><td></table>")]
    together = METHOD.judge_all(grids * 11)
    assert len(together) == 11 * len(grids) > 256
    assert list(together) == [METHOD.judge(grid) for grid in grids] * 11
    assert METHOD.judge_all([]) == ()


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "html",
    [
        f"<table>{'<tr><td rowspan=65534>x<td>price' * 5000}</table>",
        f"<table>{'<tr><td rowspan=65534 colspan=3>x1<td>word' * 3000}</table>",
        f"<table><tr>{'<td>price' * 5000}{'<tr><td>y' * 5000}</table>",
    ],
    ids=["rowspans", "both", "ragged"],
)
def test_spans_of_a_huge_table_take_no_more_time_than_its_markup(html: str) -> None:
    grid = grid_of(html)
    with within(5):
        verdict = METHOD.judge(grid)
    assert verdict.confidence is not None
