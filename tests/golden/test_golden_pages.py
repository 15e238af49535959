"""Pages of many kinds, each a folder with what a reader should get of it, one file a field.

``page.html`` holds the bytes as a server would send them; ``page.json``, where it is there, the
address and the header. Of ``title.txt``, ``language.txt``, ``canonical_url.txt``, ``encoding.txt``
and ``blocks.txt`` a folder has those it tests; an empty file means that the page gives none. A
line of ``blocks.txt`` is a block: tag, share of link text in whole percent, and the text with
``⏎`` for a line break, tabs between.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.core.flow import Document, Page, read

HERE = Path(__file__).parent
FIELDS = ("title", "language", "canonical_url", "encoding", "blocks")
CASES = [
    (path.parent.name, field)
    for path in sorted(HERE.glob("*/page.html"))
    for field in FIELDS
    if (path.parent / f"{field}.txt").exists()
]


def read_golden(name: str) -> Document:
    about = HERE / name / "page.json"
    given = json.loads(about.read_text("utf-8")) if about.exists() else {}
    return read(
        Page(
            url=given.get("url", f"https://golden.example/{name}"),
            body=(HERE / name / "page.html").read_bytes(),
            content_type=given.get("content_type", ""),
        )
    )


def shown(document: Document, field: str) -> str:
    if field != "blocks":
        return f"{getattr(document, field) or ''}\n"
    return "".join(
        f"{block.tag}\t{round(100 * block.link_share)}\t{block.text.replace(chr(10), '⏎')}\n"
        for block in document.blocks
    )


@pytest.mark.parametrize(("name", "field"), CASES, ids=[f"{n}-{f}" for n, f in CASES])
def test_golden(name: str, field: str) -> None:
    # Not read_text: it would take a form feed or another line end for a difference of no account.
    expected = (HERE / name / f"{field}.txt").read_bytes().decode()
    assert shown(read_golden(name), field) == expected


def test_every_folder_tests_something() -> None:
    folders = {path.name for path in HERE.iterdir() if path.is_dir() and path.name[0] not in "._"}
    assert folders == {name for name, _ in CASES}
