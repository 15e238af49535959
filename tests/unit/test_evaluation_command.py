from __future__ import annotations

import io

from crawler.evaluation.command import figure_tables, report_json, rows_text
from crawler.evaluation.task import Report
from crawler.reports.stdout import Table, write_tables

REPORT = Report(
    pages=30,
    sites=2,
    figures={
        "word": {"precision": 1.0, "recall": 0.25},
        "site_mean_f1": 0.5,
        "per_site": {"블로그": {"pages": 3, "f1": 0.5}, "[red]b": {"pages": 27, "f1": 1.0}},
        "skipped": {"empty": 2},
    },
)


def test_the_json_object_starts_with_what_was_measured() -> None:
    figures = report_json("text", "some", REPORT, 1.5)
    assert list(figures.items())[:6] == [
        ("task", "text"),
        ("method", "some"),
        ("pages", 30),
        ("sites", 2),
        ("seconds", 1.5),
        ("pages_per_second", 20.0),
    ]
    assert figures["per_site"]["블로그"] == {"pages": 3, "f1": 0.5}


def test_a_clock_that_did_not_move_is_no_error() -> None:
    assert report_json("text", "some", REPORT, 0)["seconds"] == 0


def test_plain_tables_have_aligned_columns() -> None:
    out = io.StringIO()
    write_tables("heading", tuple(figure_tables(REPORT.figures)), out)
    assert out.getvalue().splitlines() == [
        "heading",
        "",
        "figure   site_mean_f1  precision  recall  empty",
        "all             0.500                          ",
        "word                       1.000   0.250       ",
        "skipped                                       2",
        "",
        "per_site  pages     f1",
        "블로그        3  0.500",
        "[red]b       27  1.000",
    ]


def test_names_that_the_output_cannot_encode_are_escaped() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    write_tables("heading", tuple(figure_tables(REPORT.figures)), out)
    out.flush()
    assert rb"\ube14" in raw.getvalue()


def test_groups_within_groups_are_tables_of_their_own() -> None:
    figures = {
        "date": {"accuracy": 1.0, "pages": 3, "errors": {"late": 1}},
        "sources": {"title": {"meta": {"right": 2, "wrong": 1}}},
        "confusion": {"article": {"article": 5}, "forum": {"article": 1, "forum": 2}},
        "skipped": {},
        "f1": None,
    }
    assert list(figure_tables(figures)) == [
        Table(
            "figure", ("f1", "accuracy", "pages"), (("all", "", "", ""), ("date", "", "1.000", "3"))
        ),
        Table("date", ("late",), (("errors", "1"),)),
        Table("sources: title", ("right", "wrong"), (("meta", "2", "1"),)),
        Table("confusion", ("article", "forum"), (("article", "5", ""), ("forum", "1", "2"))),
    ]


def test_figures_of_pages_are_json_lines_or_csv() -> None:
    rows: list[dict[str, object]] = [
        {"gold": "g, line 1", "f1": 1.0},
        {"gold": "g, line 2", "id": "글", "f1": None},
    ]
    assert rows_text(rows, as_csv=False).splitlines() == [
        '{"gold": "g, line 1", "f1": 1.0}',
        '{"gold": "g, line 2", "id": "글", "f1": null}',
    ]
    assert rows_text(rows, as_csv=True).splitlines() == [
        "gold,f1,id",
        '"g, line 1",1.0,',
        '"g, line 2",,글',
    ]
