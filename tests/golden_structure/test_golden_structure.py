"""Whole pages with the structure that a careful reader sees, and floors for the figures.

The floors of the résumés are the figures of Lee and Lee (2004), table 5, on fifty résumés.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from statistics import fmean

import pytest
from lxml import etree

from crawler.core.flow import Page, read
from crawler.core.structure.structure import structure_names, structure_of
from crawler.core.structure.tree import Structure, implied_dtd
from crawler.evaluation.structure import Likeness, likeness, tree_of_xml
from crawler.store.document_models import load_model, model_names

HERE = Path(__file__).parent
PAGES = sorted(HERE.glob("*/*.html"))
RESUMES = [page for page in PAGES if page.parent.name == "resume"]
PUBLISHED = HERE / "resume-published" / "figures.html"
OTHERS = [page for page in PAGES if page not in (*RESUMES, PUBLISHED)]


def structure(path: Path, method: str = "modern") -> Structure:
    page = Page.from_text(f"https://made.example/{path.stem}", path.read_text("utf-8"))
    return structure_of(read(page), load_model(path.parent.name), method)


def like(path: Path, method: str = "modern") -> Likeness:
    truth = tree_of_xml(path.with_suffix(".xml").read_text("utf-8"))
    return likeness(structure(path, method).root, truth)


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_every_model_has_pages_and_the_resumes_are_twenty() -> None:
    assert {page.parent.name for page in PAGES} == set(model_names())
    assert len(RESUMES) == 20


@pytest.mark.parametrize("path", OTHERS, ids=name)
def test_a_page_has_the_structure_that_a_reader_sees(path: Path) -> None:
    found = like(path)
    assert found.elements.score.f1 == 1
    assert found.groups.score.f1 == 1
    assert found.hierarchy == 1


def test_resumes_in_ten_styles_are_read_as_well_as_those_of_the_paper() -> None:
    found = [like(path) for path in RESUMES]
    hierarchies = [each.hierarchy for each in found if each.hierarchy is not None]
    assert len(hierarchies) == 20
    assert fmean(each.groups.score.precision for each in found) >= 0.94
    assert fmean(each.elements.score.precision for each in found) >= 0.93
    assert fmean(each.elements.score.recall for each in found) >= 0.92
    assert fmean(hierarchies) >= 0.92


def test_the_model_of_the_paper_gives_the_output_of_the_paper() -> None:
    found = structure(PUBLISHED, "published")
    assert found.xml() == PUBLISHED.with_suffix(".xml").read_text("utf-8")
    assert (found.model.warnings, found.problems) == ((), ())


def test_the_published_method_reads_the_styles_of_its_time() -> None:
    fonts, bold = (HERE / "resume" / f"{stem}.html" for stem in ("01_fonts", "06_bold_paragraphs"))
    for path in (fonts, bold):
        found = like(path, "published")
        assert found.elements.score.f1 >= 0.95
        assert found.hierarchy is not None
        assert found.hierarchy >= 0.9


@pytest.mark.parametrize("method", structure_names())
@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_result_is_valid_by_the_dtd_of_its_model(path: Path, method: str) -> None:
    found = structure(path, method)
    dtd = etree.DTD(StringIO(implied_dtd(found.model)))
    tree = etree.fromstring(found.xml().encode("utf-8"))
    assert dtd.validate(tree), dtd.error_log
    with_dtd = etree.XMLParser(dtd_validation=True, no_network=True)
    again = etree.fromstring(found.xml(doctype=True).encode("utf-8"), with_dtd)
    assert [element.tag for element in again.iter()] == [element.tag for element in tree.iter()]


@pytest.mark.parametrize("method", structure_names())
@pytest.mark.parametrize("path", RESUMES, ids=name)
def test_the_text_of_a_resume_is_kept_in_full_and_in_order(path: Path, method: str) -> None:
    page = Page.from_text("https://made.example/", path.read_text("utf-8"))
    wanted = "".join("".join(block.text.split()) for block in read(page).blocks)
    tree = etree.fromstring(structure(path, method).xml().encode("utf-8"))
    said = (
        element.get("val") or element.get("title") or element.text or "" for element in tree.iter()
    )
    assert "".join("".join(text.split()) for text in said) == wanted
