"""``scrapy extract --structure`` and ``--suggest-model``, ``scrapy evaluate structure``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from crawler.core.errors import UnknownMethodError, UnreadableInputError
from crawler.core.structure.medl import parse_model
from crawler.evaluation.structure import measure_structure, tree_of_xml
from crawler.evaluation.task import Job
from crawler.store.document_models import load_model

if TYPE_CHECKING:
    from pathlib import Path

# Each test starts a program of its own.
pytestmark = pytest.mark.slow

PAGE = "<h1>감자</h1><h2>Care</h2><p>Water: daily</p>"
MODEL = """<!ELEMENT sheet (name & care)>
<!ELEMENT name (#PCDATA)>
<!ELEMENT care (water)*>
<!KEYWORD name KEYROLE "title">
<!KEYWORD care KEYTOKENS "care">
<!KEYWORD water KEYTOKENS "water">
"""
TREE = (
    '<sheet><name>감자</name><care headed="yes" val="Care"><TEXT val="Water:"/>'
    '<water val="daily"/></care></sheet>'
)


def extract(folder: Path, *arguments: str, encoding: str = "utf-8") -> tuple[int, str, str]:
    (folder / "page.html").write_text(PAGE, "utf-8")
    (folder / "sheet.medl").write_text(MODEL, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "extract", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_xml_stands_on_standard_output_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    code, out, errors = extract(
        tmp_path, "page.html", "--structure", "sheet.medl", "--dtd", encoding=encoding
    )
    assert (code, errors) == (0, "")
    tree = etree.fromstring(out.encode("utf-8"), etree.XMLParser(dtd_validation=True))
    assert [element.tag for element in tree.iter()] == ["sheet", "name", "care", "TEXT", "water"]
    assert tree.findtext("name") == "감자"


def test_keywords_of_no_element_are_told_once_and_the_page_is_read(tmp_path: Path) -> None:
    (tmp_path / "typo.medl").write_text(f"{MODEL}<!KEYWORD wate KEYTOKENS 'x'>", "utf-8")
    code, out, errors = extract(tmp_path, "page.html", "--structure", "typo.medl")
    assert (code, '<water val="daily"/>' in out) == (0, True)
    assert errors == (
        "scrapy extract: typo.medl, line 7: there are keywords of 'wate', and no element of that "
        "name (did you mean 'water'?): they are left out; put it into what an element may hold, or "
        "correct the name\n"
    )


def test_what_is_missing_is_told_and_no_failure(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("<p>x</p>", "utf-8")
    code, out, errors = extract(tmp_path, "empty.html", "--structure", "sheet.medl")
    assert code == 0
    assert etree.fromstring(out.encode("utf-8")).tag == "sheet"
    assert errors.splitlines() == [
        "scrapy extract: no element of the model sheet.medl was found; all is TEXT",
        "scrapy extract: sheet: required element name is missing",
        "scrapy extract: sheet: required element care is missing",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["page.html", "--structure", "wrong.medl"], "wrong.medl, line 2, column 15: "),
        (["page.html", "--structure", "news", "--markdown"], "do not go together"),
        (["page.html", "--dtd"], "belong to --structure MODEL"),
        (["--suggest-model", "nothing.html"], "nothing.html is no file"),
    ],
)
def test_a_wrong_call_is_one_line(tmp_path: Path, arguments: list[str], told: str) -> None:
    (tmp_path / "wrong.medl").write_text("<!ELEMENT a\n  (b, (c | d)?? )>", "utf-8")
    code, out, errors = extract(tmp_path, *arguments)
    assert (code, out) == (2, "")
    assert len(errors.splitlines()) == 1
    assert told in errors


def test_models_are_named_or_files(tmp_path: Path) -> None:
    assert load_model("resume").root == "Resume"
    (tmp_path / "latin.medl").write_bytes(b"<!-- caf\xe9 -->")
    with pytest.raises(UnreadableInputError, match="save the model as UTF-8"):
        load_model(str(tmp_path / "latin.medl"))
    with pytest.raises(UnreadableInputError, match="the models are: blog, event, news"):
        load_model("nothing.medl")


def test_a_proposed_model_is_a_model(tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text("<h1>무</h1><h2>Care</h2><p>Light: shade</p>", "utf-8")
    code, out, errors = extract(tmp_path, "--suggest-model", "page.html", "other.html")
    assert (code, errors) == (0, "")
    assert parse_model(out).children("document") == {"title", "care"}


def job(folder: Path, *rows: object, method: str = "modern") -> Job:
    (folder / "sheet.medl").write_text(MODEL, "utf-8")
    gold = folder / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return Job(gold=(gold,), method=method)


def test_what_is_right_counts_as_right(tmp_path: Path) -> None:
    row = {"html": PAGE, "model": str(tmp_path / "sheet.medl"), "gold_xml": TREE}
    report = measure_structure(job(tmp_path, row))
    right = {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert report.figures == {
        "element": right, "element_micro": right, "grouping": 1.0, "grouping_recall": 1.0,
        "hierarchy": 1.0, "skipped": {}, "published": report.figures["published"],
    }  # fmt: skip


def test_the_method_of_the_paper_is_measured_beside_any_other(tmp_path: Path) -> None:
    row = {"html": PAGE, "model": str(tmp_path / "sheet.medl"), "gold_xml": TREE}
    figures = measure_structure(job(tmp_path, row)).figures["published"]
    # It knows no roles, and takes a label for a value.
    assert figures["grouping"] == 1 / 2
    alone = measure_structure(job(tmp_path, row, method="published")).figures
    assert "published" not in alone
    assert figures == {
        **{name: alone[name] for name in ("grouping", "grouping_recall", "hierarchy")},
        **alone["element"],
    }


def test_what_is_wrong_counts_once_for_each_figure(tmp_path: Path) -> None:
    tree = TREE.replace("daily", "weekly").replace("<name>감자</name>", "")
    row = {"html": PAGE, "model": str(tmp_path / "sheet.medl"), "gold_xml": tree}
    figures = measure_structure(job(tmp_path, row)).figures
    # Found are name, care and water; care alone is right of care and water.
    assert figures["element"]["precision"] == pytest.approx(1 / 3)
    assert figures["element"]["recall"] == pytest.approx(1 / 2)
    assert figures["grouping"] == 0
    # One node renamed and one left out, of five found and four right ones.
    assert figures["hierarchy"] == pytest.approx(1 - 2 / 9)


def test_news_is_compared_by_summary_and_sections_alone(tmp_path: Path) -> None:
    text = "It rained on the old town for the whole of the day, and nobody went out to the harbour."
    more = "The boats stayed where they were, and so did those who had come to see them leave."
    html = (
        "<h1>Rain</h1><p class=byline>By the editors</p>"
        f"<p class=lead>A day of rain on the town.</p><p>{text}</p>"
        "<figure><figcaption>Rain. Photo: us</figcaption></figure>"
        f"<h2>Boats</h2><p>{more}</p>"
    )
    body = {
        "summary": ["A day of rain on the town."],
        "sections": [
            {"headline": [], "paragraphs": [text]}, {"headline": ["Boats"], "paragraphs": [more]},
        ],
    }  # fmt: skip
    figures = measure_structure(job(tmp_path, {"html": html, "gold_body": body})).figures
    assert (figures["element"]["f1"], figures["hierarchy"], figures["grouping"]) == (1, 1, 1)


def test_a_page_that_cannot_be_read_counts_as_found_empty(tmp_path: Path) -> None:
    row = {"html": "", "model": str(tmp_path / "sheet.medl"), "gold_xml": TREE}
    figures = measure_structure(job(tmp_path, row)).figures
    assert figures["skipped"] == {"empty": 1}
    assert figures["element"]["recall"] == 0


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"html": PAGE}, "no 'model'"),
        ({"html": PAGE, "model": "news", "gold_xml": "<a>"}, "not well-formed"),
        ({"html": PAGE, "gold_body": []}, "a list of 'sections'"),
        ({"html": PAGE, "gold_body": {"sections": ["x"]}}, "must hold objects"),
        ({"html": PAGE, "gold_body": {"sections": [], "summary": [1]}}, "must hold strings"),
        ({"html": PAGE, "gold_body": {"sections": []}, "url": 1}, "'url' must be a string"),
    ],
)
def test_wrong_gold_is_told_with_its_line(tmp_path: Path, row: object, told: str) -> None:
    with pytest.raises(UnreadableInputError, match="line 1") as raised:
        measure_structure(job(tmp_path, row))
    assert told in str(raised.value)


def test_an_unknown_method_is_told_before_a_file_is_opened(tmp_path: Path) -> None:
    with pytest.raises(UnknownMethodError):
        measure_structure(Job(gold=(tmp_path / "nothing",), method="newest"))


def test_a_gold_tree_says_what_is_headed() -> None:
    root = tree_of_xml('<r><a headed="yes" val="x"><b> y\n z </b></a><GROUP title="t"/></r>')
    a, group = root.children
    assert (a.text, a.headed, a.children[0].text) == ("x", True, "y z")
    assert (group.text, group.headed) == ("t", True)
