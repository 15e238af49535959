"""Feeds for Excel and for tools of corpus linguistics, read back by other programs."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from lxml import etree
from scrapy.settings import Settings

from crawler import extract
from crawler.core.cells import MOST_CHARS
from crawler.core.errors import OptionError
from crawler.exporters import excel
from crawler.exporters.corpora import (
    ConlluExporter,
    PreverticalExporter,
    TeiExporter,
    document_id,
    paragraphs,
)
from crawler.exporters.excel import ExcelItemExporter, TableExcelExporter
from crawler.exporters.feeds import ExcelCsvItemExporter, check_feeds
from crawler.exporters.formats import FEED_EXPORTERS
from crawler.items import FIELD_ORDER, PageItem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy.exporters import BaseItemExporter

TEI = "{http://www.tei-c.org/ns/1.0}"
XML = "{http://www.w3.org/XML/1998/namespace}"

# The elements used, each with the content and the attributes that TEI P5 (4.9) allows it, no more.
TEI_DTD = """
<!ELEMENT teiCorpus (teiHeader, TEI*)>  <!ATTLIST teiCorpus xmlns CDATA #REQUIRED>
<!ELEMENT TEI (teiHeader, text)>
<!ATTLIST TEI xml:id ID #REQUIRED xml:lang NMTOKEN #IMPLIED>
<!ELEMENT teiHeader (fileDesc, profileDesc?)>
<!ELEMENT fileDesc (titleStmt, publicationStmt, sourceDesc)>
<!ELEMENT titleStmt (title+, author*)>
<!ELEMENT publicationStmt (p+ | (publisher, (date | idno)*))>
<!ELEMENT sourceDesc (p+ | bibl+)>
<!ELEMENT bibl (title | ptr | date)*>
<!ELEMENT profileDesc (langUsage | textClass)*>
<!ELEMENT langUsage (language+)>        <!ELEMENT textClass (keywords*)>
<!ELEMENT keywords (term+)>
<!ELEMENT text (body)>                  <!ELEMENT body (div+)>
<!ELEMENT div (head*, p*)>              <!ELEMENT p (#PCDATA | s)*>
<!ELEMENT title (#PCDATA)>              <!ELEMENT author (#PCDATA)>
<!ELEMENT publisher (#PCDATA)>          <!ELEMENT term (#PCDATA)>
<!ELEMENT head (#PCDATA)>               <!ELEMENT s (#PCDATA)>
<!ELEMENT idno (#PCDATA)>               <!ATTLIST idno type CDATA #IMPLIED>
<!ELEMENT ptr EMPTY>                    <!ATTLIST ptr target CDATA #REQUIRED>
<!ELEMENT date (#PCDATA)>               <!ATTLIST date when NMTOKEN #REQUIRED type CDATA #IMPLIED>
<!ELEMENT language (#PCDATA)>           <!ATTLIST language ident NMTOKEN #REQUIRED>
"""

PAGE = PageItem(
    url="https://s.example/1?a=1&b=<2>",
    site="s.example",
    title='Bread & "salt"',
    authors=["Kim", "이"],
    published="2024-05-01",
    language="ko",
    tags=["bread"],
    text='Bread & "salt"\n하나. Two <b>.\nEnd.',
    fetched_at="2024-05-02T10:00:00Z",
    confidence=0.5,
    site_pages=3,
    sentences=[
        {"block": 3, "text": 'Bread & "salt"'},
        {"block": 4, "text": "하나."},
        {"block": 4, "text": "Two <b>."},
        {"block": 9, "text": "End."},
    ],
)
ODD = PageItem(
    url="https://s.example/2", text="=1+1 \x01\ud800\nSecond", published="2024-05-01T10:00"
)
ITEMS = [PAGE, {"remark": "not a page"}, PageItem("https://s.example/3"), ODD]


def written(
    exporter_type: Callable[..., BaseItemExporter],
    items: list[Any],
    fields: list[str] | None = None,
) -> bytes:
    file = io.BytesIO()
    exporter = exporter_type(file, encoding="utf-8", fields_to_export=fields)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    # The text layer of CSV closes the file.
    file.close = lambda: None  # type: ignore[method-assign]
    exporter.finish_exporting()
    return file.getvalue()


def test_the_text_is_paragraphs_of_sentences() -> None:
    assert paragraphs(PAGE) == [['Bread & "salt"'], ["하나.", "Two <b>."], ["End."]]
    assert paragraphs(PageItem("https://s.example/", text="One.\n\nTwo. Three.")) == [
        ["One."],
        ["Two. Three."],
    ]


def test_tei_is_valid_and_says_what_is_known() -> None:
    root = etree.fromstring(written(TeiExporter, ITEMS))
    dtd = etree.DTD(io.StringIO(TEI_DTD))
    assert dtd.validate(root), dtd.error_log
    first, second = root.findall(f"{TEI}TEI")
    assert first.get(f"{XML}lang") == "ko"
    assert second.get(f"{XML}id") == f"d{document_id(ODD.url)}"
    assert [each.text for each in first.iter(f"{TEI}author")] == ["Kim", "이"]
    assert [each.get("when") for each in first.iter(f"{TEI}date")] == [
        "2024-05-01",
        "2024-05-02T10:00:00Z",
    ]
    assert first.findtext(f".//{TEI}idno") == PAGE.url
    assert first.findtext(f".//{TEI}head") == PAGE.title
    assert [[s.text for s in p] for p in first.iter(f"{TEI}p")] == [
        ["하나.", "Two <b>."],
        ["End."],
    ]
    assert [s.text for s in second.iter(f"{TEI}s")] == ["=1+1 ", "Second"]
    assert [each.get("when") for each in second.iter(f"{TEI}date")] == ["2024-05-01"]


def test_a_head_is_what_the_text_says() -> None:
    shown = PageItem(
        "https://s.example/4", title="Night Trains", text="NIGHT TRAINS\nThey are back."
    )
    other = PageItem("https://s.example/5", title="Night Trains", text="They are back.")
    untitled = PageItem("https://s.example/6", text="- -\nThey are back.")
    root = etree.fromstring(written(TeiExporter, [shown, other, untitled]))
    assert [each.findtext(f".//{TEI}head") for each in root.findall(f"{TEI}TEI")] == [
        "NIGHT TRAINS",
        None,
        None,
    ]


def test_tei_of_nothing_is_valid() -> None:
    root = etree.fromstring(written(TeiExporter, []))
    assert etree.DTD(io.StringIO(TEI_DTD)).validate(root)
    assert len(root) == 1


def test_prevertical_has_each_mark_on_a_line_of_its_own() -> None:
    name = document_id(PAGE.url)
    lines = written(PreverticalExporter, [PAGE]).decode().splitlines()
    assert lines == [
        (
            f'<doc id="{name}" url="https://s.example/1?a=1&amp;b=&lt;2&gt;" site="s.example" '
            'title="Bread &amp; &quot;salt&quot;" published="2024-05-01" language="ko" '
            'author="Kim; 이">'
        ),
        "<p>", "<s>", 'Bread &amp; "salt"', "</s>", "</p>",
        "<p>", "<s>", "하나.", "</s>", "<s>", "Two &lt;b&gt;.", "</s>", "</p>",
        "<p>", "<s>", "End.", "</s>", "</p>", "</doc>",
    ]  # fmt: skip
    # With one element around them the documents are XML.
    both = b"<all>" + written(PreverticalExporter, ITEMS) + b"</all>"
    assert [each.tag for each in etree.fromstring(both)] == ["doc", "doc"]


def test_conllu_has_the_comments_of_each_sentence() -> None:
    text = written(ConlluExporter, ITEMS).decode()
    sentences = [block.splitlines() for block in text.split("\n\n") if block]
    known = [
        {key: value for key, _, value in (line[2:].partition(" = ") for line in lines)}
        for lines in sentences
    ]
    assert all(line.startswith("# ") for lines in sentences for line in lines)
    name, odd = document_id(PAGE.url), document_id(ODD.url)
    assert [one["sent_id"] for one in known] == [f"{name}-{n}" for n in (1, 2, 3, 4)] + [
        f"{odd}-1",
        f"{odd}-2",
    ]
    assert [one.get("newdoc id") for one in known] == [name, None, None, None, odd, None]
    assert [one.get("newpar id") for one in known[:4]] == [
        f"{name}-p1",
        f"{name}-p2",
        None,
        f"{name}-p3",
    ]
    assert [one["text"] for one in known[:4]] == ['Bread & "salt"', "하나.", "Two <b>.", "End."]
    assert known[0]["author"] == "Kim; 이"


def rows_of(data: bytes, sheet: str | None = None) -> list[tuple[Any, ...]]:
    book = openpyxl.load_workbook(io.BytesIO(data))
    return list((book[sheet] if sheet else book.worksheets[0]).values)


def test_a_workbook_of_pages() -> None:
    header, first, second, third = rows_of(written(ExcelItemExporter, [PAGE, ITEMS[2], ODD]))
    left_out = ("sentences", "tables", "blocks")
    assert list(header) == [name for name in FIELD_ORDER if name not in left_out]
    row = dict(zip(header, first, strict=True))
    assert (row["authors"], row["confidence"], row["site_pages"]) == ("Kim; 이", 0.5, 3)
    assert (row["title"], row["parts"], row["fields"]) == (PAGE.title, None, "{}")
    assert second[header.index("text")] in {None, ""}
    # A formula would be of the type f.
    book = openpyxl.load_workbook(io.BytesIO(written(ExcelItemExporter, [ODD])))
    cell = book.worksheets[0].cell(2, header.index("text") + 1)
    assert (cell.data_type, cell.value) == ("s", "=1+1 ?\nSecond")
    assert third[0] == ODD.url


@pytest.mark.parametrize("fields", [None, ["url", "tables", "blocks"]])
def test_a_workbook_without_pages_has_the_header_of_one_with_pages(
    fields: list[str] | None,
) -> None:
    (header,) = rows_of(written(ExcelItemExporter, [], fields))
    assert header == rows_of(written(ExcelItemExporter, [PAGE], fields))[0]


def test_long_texts_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: dict[str, int] = {}
    monkeypatch.setattr(ExcelItemExporter, "count", lambda _, key, n=1: counted.update({key: n}))
    data = written(ExcelItemExporter, [{"n": 10**18, "text": "a" * (MOST_CHARS + 5)}])
    assert rows_of(data)[1] == (str(10**18), "a" * MOST_CHARS)
    assert counted == {"corpus/exports/cut": 1}


def test_excel_counts_characters_in_utf_16() -> None:
    items = [{"text": "a" + "😀" * MOST_CHARS}, {"text": "😀" * (MOST_CHARS // 2)}]
    assert rows_of(written(ExcelItemExporter, items))[1:] == [
        ("a" + "😀" * (MOST_CHARS // 2),),
        ("😀" * (MOST_CHARS // 2),),
    ]


def test_a_workbook_has_all_pages_though_one_has_what_xml_cannot_hold() -> None:
    items = [{"n": 1, "text": "a\ufffe\uffff\x00\x1bb"}, {"n": 2, "text": "c"}]
    assert rows_of(written(ExcelItemExporter, items)) == [("n", "text"), (1, "ab"), (2, "c")]


def test_a_full_sheet_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "MOST_ROWS", 3)
    book = openpyxl.load_workbook(
        io.BytesIO(written(ExcelItemExporter, [{"n": number} for number in range(5)]))
    )
    assert [list(sheet.values) for sheet in book.worksheets] == [
        [("n",), (0,), (1,)],
        [("n",), (2,), (3,)],
        [("n",), (4,)],
    ]


def test_a_workbook_of_tables_has_numbers_with_their_units() -> None:
    html = """<h2>Bread</h2><table><caption>Prices</caption><tr><th>What<th>Price
    <tr><td>Rye bread<td>€2.40<tr><td>단팥빵<td>€12.00</table>"""
    data = written(TableExcelExporter, [extract(html, "https://s.example/t"), *ITEMS])
    index = [dict(zip(rows_of(data)[0], row, strict=True)) for row in rows_of(data)[1:]]
    assert [(one["sheet"], one["url"], one["caption"]) for one in index] == [
        ("1", "https://s.example/t", "Prices")
    ]
    assert rows_of(data, "1") == [("What", "Price"), ("Rye bread", 2.4), ("단팥빵", 12)]
    cell = openpyxl.load_workbook(io.BytesIO(data))["1"]["B2"]
    assert cell.number_format == 'General "EUR"'


def test_csv_for_excel_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "pages.csv"
    for title in ("하나", "둘"):
        with path.open("ab") as file:
            exporter = ExcelCsvItemExporter(file, encoding="utf-8")
            exporter.start_exporting()
            exporter.export_item({"title": title})
            exporter.finish_exporting()
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert rows == [["title"], ["하나"], ["둘"]]


@pytest.mark.parametrize("form", ["xlsx", "tables-xlsx", "tei", "parquet", "records-parquet"])
def test_files_that_cannot_be_added_to(tmp_path: Path, form: str) -> None:
    path = tmp_path / "there"
    path.write_bytes(b"data")
    feeds: dict[str, Any] = {str(path): {"format": form, "overwrite": False}}
    settings = Settings({"FEEDS": feeds, "FEED_EXPORTERS": FEED_EXPORTERS})
    with pytest.raises(OptionError, match="cannot be appended to"):
        check_feeds(settings)
    feeds[str(path)]["overwrite"] = True
    check_feeds(Settings({"FEEDS": feeds, "FEED_EXPORTERS": FEED_EXPORTERS}))
