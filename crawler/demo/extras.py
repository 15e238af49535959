"""The demo's remaining corners: an old home page, a table section, files, and pages gone wrong."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from crawler.demo.content import Article, load_articles
from crawler.demo.markup import counter, link, modern_body, old_body, render
from crawler.demo.news import framed
from crawler.demo.page import DemoPage, html_page

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["data_pages", "file_pages", "old_pages", "private_pages"]

_CHART_PATH: Final = "/files/tide-chart.png"
_SHEET_PATH: Final = "/files/board-sheet.pdf"
_CHART_SIZE: Final = 64
_ROBOTS: Final = "User-agent: *\nDisallow: /private/\n"


def old_pages() -> Iterator[DemoPage]:
    """Make the home page of another century: ``FONT``, ``BR`` and no style sheet."""
    articles = load_articles("archive")
    for article in articles:
        path = f"/archive/{article.name}.htm"
        main = render("old_article", title=article.title, body=old_body(article.parts))
        html = _old_html(path, article.title, main)
        yield html_page(path, "article", html, gold_text=article.gold_text)
    entries = "<BR>\n".join(
        f"{link(f'/archive/{article.name}.htm', article.title)}: {article.summary}"
        for article in articles
    )
    path = "/archive/index.htm"
    main = f"<B>Everything in the shed</B><BR><BR>\n{entries}"
    yield html_page(path, "index", _old_html(path, "The Shed Pages", main))
    # Both say that they are HTML: one holds nothing at all, the other a picture.
    html_header = {"Content-Type": "text/html"}
    yield DemoPage(path="/archive/guestbook.htm", kind="broken", headers=html_header)
    yield DemoPage(path="/archive/scan.htm", kind="broken", headers=html_header, body=_chart())


def data_pages() -> Iterator[DemoPage]:
    """Make the pages of figures: a genuine table each, inside a table that is only layout."""
    articles = load_articles("data")
    for article in articles:
        path = f"/data/{article.name}.html"
        html = _data_html(path, article.title, modern_body(article.parts), articles)
        yield html_page(path, "table", html)
    path = "/data/"
    body = "\n".join(
        f"<p>{link(f'{article.name}.html', article.title)}<br>{article.summary}</p>"
        for article in articles
    )
    yield html_page(path, "index", _data_html(path, "Figures", body, articles))


def file_pages() -> Iterator[DemoPage]:
    """Make the linked files that are no pages, and the robots file."""
    yield DemoPage(
        path=_CHART_PATH, kind="binary", headers={"Content-Type": "image/png"}, body=_chart()
    )
    yield DemoPage(
        path=_SHEET_PATH, kind="binary", headers={"Content-Type": "application/pdf"}, body=_sheet()
    )
    yield DemoPage(
        path="/robots.txt",
        kind="robots",
        headers={"Content-Type": "text/plain; charset=utf-8"},
        body=_ROBOTS.encode(),
    )


def private_pages() -> Iterator[DemoPage]:
    """Make the pages that robots.txt asks crawlers to leave alone."""
    desk = f"<main><h1>Staff desk</h1><p>Open: {link('/private/drafts', 'drafts')}</p></main>"
    drafts = "<main><h1>Drafts</h1><p>The fountain story, if anybody finds it again.</p></main>"
    for name, title, main in (("desk", "Staff desk", desk), ("drafts", "Drafts", drafts)):
        path = f"/private/{name}"
        yield html_page(path, "private", framed(path, title, main))


def _old_html(path: str, title: str, main: str) -> str:
    return render("old_frame", title=title, main=main, counter=f"{counter(path):06}")


def _data_html(path: str, title: str, body: str, articles: tuple[Article, ...]) -> str:
    menu = "\n".join(
        f"<li>{link(f'{article.name}.html', article.title)}</li>" for article in articles
    )
    chart = link(_CHART_PATH, "Chart of the week")
    sheet = link(_SHEET_PATH, "The sheet to print")
    return render(
        "data_frame",
        title=title,
        menu=menu,
        body=body,
        files=f"{chart}, {sheet}",
        counter=str(counter(path)),
    )


def _chart() -> bytes:
    """Draw a slope in grey as a PNG file."""
    size = _CHART_SIZE
    rows = b"".join(b"\0" + bytes(255 if x > y else 90 for x in range(size)) for y in range(size))
    header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def _sheet() -> bytes:
    """Write a PDF file with one empty page."""
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
    )
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets: list[int] = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n" % (len(objects) + 1)
    out += b"%d\n%%%%EOF\n" % start
    return bytes(out)
