"""A crawl puts the structure of each page on its item, and into a folder."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from lxml import etree

from support.crawling import Project, Site, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer


def test_a_crawl_writes_structures(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    site = make_site(small_site(4))
    (project.folder / "walk.medl").write_text(
        "<!ELEMENT Walk (Title, Text*)>\n<!ELEMENT Title (#PCDATA)>\n<!ELEMENT Text (#PCDATA)>\n"
        '<!KEYWORD Title KEYROLE "title">\n'
        '<!KEYWORD Text KEYROLE "paragraph">\n',
        "utf-8",
    )
    project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-a", "from=links", "-O", "out.jsonl"),
        *("-s", "CORPUS_STRUCTURE_MODEL=walk.medl", "-s", "CORPUS_STRUCTURE_FOLDER=xml"),
        *("-s", "CORPUS_KEEP_SPOOL=True"),
    )
    items = {item["url"]: item for item in project.items()}
    assert len(items) == 5
    with (project.folder / "xml" / "index.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["url"] for row in rows} == set(items)
    for row in rows:
        written = (project.folder / "xml" / row["file"]).read_text("utf-8")
        assert written == items[row["url"]]["structure"]
        root = etree.fromstring(written.encode())
        assert root.tag == "Walk"
    piece = etree.fromstring(items[f"{site.url}a/3"]["structure"].encode())
    assert piece.findtext("Title") == "Piece number 3 of the run"
    assert "The 3th walk went past house 3" in " ".join(piece.findtext("Text", "").split())

    (kept,) = (project.folder / "corpus-data" / "spool").iterdir()
    project.run("replay", str(kept), "-O", "out.jsonl", "-s", "CORPUS_STRUCTURE_FOLDER=again")
    replayed = {item["url"]: item for item in project.items()}
    for name in ("structure", "structure_problems"):
        assert {url: item[name] for url, item in replayed.items()} == {
            url: item[name] for url, item in items.items()
        }
    xml, again = (
        {path.name: path.read_bytes() for path in (project.folder / name).rglob("*.xml")}
        for name in ("xml", "again")
    )
    assert xml == again
    assert len(xml) == len(items)


def test_a_wrong_model_ends_the_crawl_with_its_place(project: Project) -> None:
    (project.folder / "wrong.medl").write_text("<!ELEMENT Walk (Title\n", "utf-8")
    _, err = project.run(
        *("crawl", "site", "-a", "url=http://127.0.0.1:9/"),
        *("-s", "CORPUS_STRUCTURE_MODEL=wrong.medl"),
        code=2,
    )
    assert "wrong.medl" in err
    assert "Traceback" not in err
