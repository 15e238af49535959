"""Tables in a terminal."""

from __future__ import annotations

import io

from rich.cells import cell_len
from rich.console import Console

from crawler.reports.tables import tables_text
from support.tables import tables_in

LAYOUT = "<table><tr><td><a href=/>Home</a><td><a href=/b>Away</a></table>"
PRICES = (
    "<h1>Shop</h1><table><caption>Prices</caption><tr><th>Ware<th>Price"
    "<tr><td>한국어 빵<td>2.50<tr><td>Tea<td>12.00</table>"
)


def shown(
    html: str,
    *,
    layout: bool = False,
    width: int = 60,
    terminal: bool = False,
    encoding: str = "utf-8",
) -> str:
    tables = tables_in(html, layout=True)
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=width, force_terminal=terminal, highlight=False)
    return tables_text(tables, layout=layout, console=console)


def test_a_table_with_its_facts_verdict_and_aligned_columns() -> None:
    text = shown(PRICES + LAYOUT)
    lines = text.splitlines()
    assert lines[:3] == [
        "Table 1: Prices",
        "under “Shop” · 3 rows × 2 columns · 1 header row · 2 records",  # noqa: RUF001 - as shown
        "genuine: caption (rule 1), by rules",
    ]
    assert lines[3].split() == ["Ware", "Price"]
    assert set(lines[4]) == {"─"}
    assert lines[5].split() == ["한국어", "빵", "2.50"]
    assert {cell_len(line) for line in (lines[3], lines[5], lines[6])} == {cell_len(lines[6])}
    assert lines[-1] == "1 layout table left out; --layout shows it."
    assert "\x1b" not in text


def test_layout_tables_on_request() -> None:
    text = shown(PRICES + LAYOUT, layout=True)
    assert "layout: links (rule 4), by rules\n Home   Away" in text
    assert "left out" not in text


def test_a_page_without_genuine_tables() -> None:
    assert shown("<p>text</p>") == "No genuine table."
    assert shown(LAYOUT * 2).splitlines() == [
        "No genuine table.",
        "2 layout tables left out; --layout shows them.",
    ]


def test_headers_are_bold_on_a_terminal() -> None:
    text = shown(PRICES, terminal=True)
    assert "\x1b[1m" in text
    assert "Ware" in text


def test_long_cells_are_wrapped_to_the_width_and_very_long_ones_cut() -> None:
    text = shown(f"<table><tr><th>a<th>b<tr><td>1<td>{'word ' * 200}</table>", width=40)
    assert max(map(cell_len, text.splitlines()[3:])) <= 40
    assert text.count("word") == 40
    assert text.rstrip().endswith("…")
    text = shown(f"<table><tr><th>a<th>b<tr><td>1<td>{'line<br>' * 9}</table>")
    assert text.count("line") == 4
    assert text.endswith("line…")


def test_many_columns_continue_below_with_the_row_headings() -> None:
    rows = ["<tr><th>City"] + [f"<th>{year}" for year in range(2000, 2020)]
    rows += ["<tr><th>Seoul"] + [f"<td>{number}" for number in range(20)]
    text = shown(f"<table>{''.join(rows)}</table>", width=40)
    assert text.count("City") == text.count("Seoul") > 2
    assert [year for year in text.split() if year.startswith("20")][:20] == [
        str(year) for year in range(2000, 2020)
    ]


def test_only_the_first_rows_are_shown() -> None:
    text = shown(f"<table><tr><th>n{'<tr><td>7' * 53}</table>")
    assert text.endswith("… and 3 more rows")
    assert text.split().count("7") == 50


def test_only_the_first_columns_are_shown() -> None:
    wide = f"<table><caption>w</caption><tr>{'<th>n' * 53}{('<tr>' + '<td>7' * 53) * 52}</table>"
    text = shown(wide)
    assert text.endswith("… and 3 more columns and 2 more rows")
    assert text.split().count("7") >= 50 * 50
    assert shown(
        f"<table><caption>w</caption><tr>{'<th>n' * 51}<tr>{'<td>7' * 51}</table>"
    ).endswith("… and 1 more column")


def test_what_a_terminal_would_act_upon_is_left_out() -> None:
    text = shown("<table><tr><th>a<th>b<tr><td>[bold]x[/bold]<td>\u202e\u009b31my</table>")
    assert "[bold]x[/bold]" in text
    assert "\u202e" not in text
    assert "\u009b" not in text


def test_a_terminal_without_lines_gets_other_ones() -> None:
    assert "─" not in shown(PRICES, encoding="ascii")
    assert "----" in shown(PRICES, encoding="ascii")


def test_a_huge_table_without_cells_is_still_told() -> None:
    wide = "<table><caption>w</caption><tr>" + "<td>1" * 20 + "</table>"
    assert "1 row × 20 columns" in shown(wide, width=20)  # noqa: RUF001 - as shown
