"""Feeds for tools of corpus linguistics: TEI, prevertical text, and CoNLL-U without tokens.

All three have the main text as paragraphs of sentences. None has tokens: a tokeniser of the
language adds them. Of other items than page items, and of pages without text, nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import groupby
from typing import IO, Any, Final
from xml.sax.saxutils import escape, quoteattr

from scrapy.exporters import BaseItemExporter

from crawler.core.page.text import in_xml
from crawler.core.words import fold_name
from crawler.exporters.whole_file import WholeFileExporter
from crawler.items import PageItem

# Dates that XML Schema takes: a day, or a time to the second with its zone.
_W3C_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)?")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_TEI_BEGIN: Final = """<?xml version="1.0" encoding="UTF-8"?>
<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader><fileDesc><titleStmt><title>Corpus of web pages</title></titleStmt>
<publicationStmt><p>Made with scrapy-corpus</p></publicationStmt>
<sourceDesc><p>Web pages, each described in its own header</p></sourceDesc></fileDesc></teiHeader>
"""


def paragraphs(item: PageItem) -> list[list[str]]:
    """Return the main text as paragraphs of sentences; without sentences a line is one."""
    if not item.sentences:
        return [[line] for line in item.text.splitlines() if line.strip()]
    of_blocks = groupby(item.sentences, lambda sentence: sentence["block"])
    return [[_line(sentence["text"]) for sentence in block] for _, block in of_blocks]


def document_id(url: str) -> str:
    """Name a page in a corpus: 64 bits of BLAKE2b of its address, as hexadecimal digits."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class TeiExporter(WholeFileExporter):
    """Writes a ``teiCorpus`` (TEI P5) with one ``TEI`` a page: paragraphs ``p``, sentences ``s``.

    The header has title, authors, site, date, address, language and keywords.
    """

    def start_exporting(self) -> None:
        """Write the header of the corpus."""
        super().start_exporting()
        self._file.write(_TEI_BEGIN.encode())

    def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Write one page."""
        if isinstance(item, PageItem) and item.text:
            self._file.write("".join(_tei(item)).encode("utf-8", "ignore"))

    def write_end(self) -> None:
        """Close the corpus."""
        self._file.write(b"</teiCorpus>\n")


def _tei(item: PageItem) -> Iterator[str]:
    language = item.language if _LANGUAGE.fullmatch(item.language or "") else None
    of_language = f" xml:lang={_quoted(language)}" if language else ""
    # A name of XML begins with a letter.
    yield f'<TEI xml:id="d{document_id(item.url)}"{of_language}>\n<teiHeader><fileDesc><titleStmt>'
    yield _element("title", item.title or item.url)
    yield from (_element("author", each) for each in item.authors)
    yield f"</titleStmt>\n<publicationStmt>{_element('publisher', item.site_name or item.site)}"
    yield _date(item.published)
    yield _element("idno", item.url, type="URL")
    yield "</publicationStmt>\n<sourceDesc><bibl>"
    yield _element("title", item.title or item.url)
    yield f"<ptr target={_quoted(item.url)}/>{_date(item.fetched_at, 'accessed')}"
    yield "</bibl></sourceDesc></fileDesc>"
    tags = "".join(_element("term", tag) for tag in item.tags)
    if language or tags:
        yield "\n<profileDesc>"
        if language:
            yield f"<langUsage><language ident={_quoted(language)}/></langUsage>"
        if tags:
            yield f"<textClass><keywords>{tags}</keywords></textClass>"
        yield "</profileDesc>"
    yield "</teiHeader>\n<text><body><div>\n"
    for place, sentences in enumerate(paragraphs(item)):
        line = " ".join(sentences)
        if place == 0 and fold_name(line) == fold_name(item.title or "") != "":
            yield f"{_element('head', line)}\n"
        else:
            yield f"<p>{' '.join(_element('s', each) for each in sentences)}</p>\n"
    yield "</div></body></text>\n</TEI>\n"


def _element(name: str, text: str, **attributes: str) -> str:
    marked = "".join(f" {key}={_quoted(value)}" for key, value in attributes.items())
    return f"<{name}{marked}>{escape(in_xml(text))}</{name}>"


def _date(value: str | None, kind: str = "") -> str:
    if not value:
        return ""
    when = value if _W3C_DATE.fullmatch(value) else value[:10]
    if not _W3C_DATE.fullmatch(when):
        return ""
    return _element("date", value, **({"type": kind} if kind else {}), when=when)


class _LinesExporter(BaseItemExporter):
    """Writes the lines of each page item."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - as the parent's
        super().__init__(dont_fail=True, **kwargs)
        self._file = file

    def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Write one page."""
        if isinstance(item, PageItem) and item.text:
            text = "".join(f"{line}\n" for line in self.lines(item))
            self._file.write(text.encode("utf-8", "ignore"))

    def lines(self, item: PageItem) -> Iterable[str]:
        """Give the lines of a page."""
        raise NotImplementedError


class PreverticalExporter(_LinesExporter):
    """Writes prevertical text: ``<doc>``, ``<p>`` and ``<s>`` on lines of their own.

    Tools such as Sketch Engine and CWB take vertical text, one token a line: a tokeniser makes that
    of it, and leaves the lines with marks as they are.
    """

    def lines(self, item: PageItem) -> Iterable[str]:
        """Give the lines of a page."""
        facts = "".join(f" {name}={_quoted(value)}" for name, value in _facts(item).items())
        yield f'<doc id="{document_id(item.url)}"{facts}>'
        for sentences in paragraphs(item):
            yield "<p>"
            for sentence in sentences:
                yield from ("<s>", escape(in_xml(sentence)), "</s>")
            yield "</p>"
        yield "</doc>"


class ConlluExporter(_LinesExporter):
    """Writes the comments of CoNLL-U for each document, paragraph and sentence, without tokens."""

    def lines(self, item: PageItem) -> Iterable[str]:
        """Give the lines of a page."""
        name, number = document_id(item.url), 0
        yield f"# newdoc id = {name}"
        yield from (f"# {key} = {value}" for key, value in _facts(item).items())
        for place, sentences in enumerate(paragraphs(item), 1):
            yield f"# newpar id = {name}-p{place}"
            for sentence in sentences:
                number += 1
                yield f"# sent_id = {name}-{number}"
                yield f"# text = {sentence}"
                yield ""


def _facts(item: PageItem) -> Mapping[str, str]:
    """Return what is known of a page, each on one line."""
    names = ("url", "site", "title", "published", "language")
    known = {name: _line(getattr(item, name) or "") for name in names}
    known["author"] = _line("; ".join(item.authors))
    return {name: value for name, value in known.items() if value}


def _line(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return quoteattr(in_xml(text), {'"': "&quot;"})
