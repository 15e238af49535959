"""A crawl that writes pages and, beside them, one row a sentence, a table, and a record."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from crawler.pipelines.folders import INDEX, page_name
from support.crawling import FOOTER, Project, Site, article, html, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

FORMATS = (
    'FEED_EXPORTERS = {"csv": "crawler.exporters.feeds.CorpusCsvItemExporter"}\n'
    "from crawler.exporters.formats import FEED_EXPORTERS\n"
)


TABLES = """<table><caption>Herons</caption><tr><th>Day<th>Seen<tr><td>Monday<td>3
<tr><td>Tuesday<td>12</table><table><tr><td><a href="/">Home</a><td><a href="/">Up</a></table>"""


def test_each_item_carries_its_sentences_and_tables_and_feeds_have_a_row_each(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site({**small_site(6), "/a/5": html(article(5, extra=TABLES))})
    project.append("ownsettings.py", FORMATS)
    _, log = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-O", "s.jsonl:sentences-jsonl", "-O", "s.csv:sentences-csv"),
        *("-O", "s.parquet:sentences-parquet", "-O", "t.jsonl:tables-jsonl"),
        *("-O", "r.csv:records-csv", "-s", "CORPUS_TABLES_FOLDER=tables"),
        *("-s", "CORPUS_TABLE_METHOD=rules"),
    )
    items = {item["url"]: item for item in project.items()}
    piece = items[f"{site.url}a/3"]
    assert [sentence["text"][:8] for sentence in piece["sentences"]] == [
        "Piece nu",
        "The 3th ",
        "Nobody e",
    ]
    assert "".join("".join(s["text"] for s in piece["sentences"]).split()) == "".join(
        piece["text"].split()
    )
    assert not any(FOOTER in s["text"] for item in items.values() for s in item["sentences"])
    assert (piece["frequency_threshold"], piece["site_pages"]) == (1, 7)
    assert piece["frequency_ranks"] >= 2

    rows = [json.loads(line) for line in (project.folder / "s.jsonl").read_text().splitlines()]
    wanted = [
        (url, number, sentence["block"], sentence["text"])
        for url, item in items.items()
        for number, sentence in enumerate(item["sentences"])
    ]
    assert [(r["url"], r["number"], r["block"], r["text"]) for r in rows] == wanted
    with (project.folder / "s.csv").open(encoding="utf-8", newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == [text for *_, text in wanted]
    assert pq.read_table(project.folder / "s.parquet").to_pylist() == rows
    check_tables(project, f"{site.url}a/5", items)
    assert re.search(r"tables +1 genuine, 1 layout", log)
    assert f"s.jsonl ({len(rows):,} rows)" in log


def check_tables(project: Project, url: str, items: dict[str, dict[str, Any]]) -> None:
    """Look for the one genuine table of the site wherever it should be."""
    assert [(of, len(items[of]["tables"])) for of in items if items[of]["tables"]] == [(url, 1)]
    (table,) = items[url]["tables"]
    assert (table["caption"], table["heading"]) == ("Herons", "Piece number 5 of the run")
    records = [{"Day": "Monday", "Seen": "3"}, {"Day": "Tuesday", "Seen": "12"}]
    assert table["records"] == records
    (row,) = [json.loads(line) for line in (project.folder / "t.jsonl").read_text().splitlines()]
    assert (row["url"], row["cells"], row["is_genuine"]) == (url, table["cells"], True)
    with (project.folder / "r.csv").open(encoding="utf-8", newline="") as file:
        assert [json.loads(record["fields"]) for record in csv.DictReader(file)] == records
    folder = project.folder / "tables"
    with (folder / INDEX).open(encoding="utf-8", newline="") as file:
        (listed,) = csv.DictReader(file)
    assert listed["file"] == f"{page_name(url, items[url]['site'])}-1.csv"
    assert (folder / listed["file"]).read_text("utf-8") == "Day,Seen\nMonday,3\nTuesday,12\n"


def test_sentences_and_tables_can_be_switched_off(project: Project, make_site: MakeSite) -> None:
    site = make_site(small_site(2))
    project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl", "-s", "CORPUS_SENTENCES=0"),
        *("-s", "CORPUS_TABLES=0"),
    )
    assert {str(item["sentences"]) for item in project.items()} == {"None"}
    assert {str(item["tables"]) for item in project.items()} == {"None"}


def test_the_published_frequency_method_counts_and_tells_its_threshold(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(6))
    project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-s", "CORPUS_TEXT_METHOD=frequency"),
    )
    piece = next(item for item in project.items() if item["url"].endswith("a/3"))
    # The footer stands 7 times, all else once: two ranks, and the two highest are all there are.
    assert (piece["frequency_ranks"], piece["frequency_threshold"]) == (2, None)
    assert FOOTER in piece["text"]


def test_a_feed_of_sentences_that_are_switched_off_is_refused(project: Project) -> None:
    project.append("ownsettings.py", FORMATS)
    _, err = project.run(
        *("crawl", "site", "-a", "url=http://127.0.0.1:9/", "-O", "s.csv:sentences-csv"),
        *("-s", "CORPUS_SENTENCES=0"),
        code=2,
    )
    assert "CORPUS_SENTENCES is off" in err
    assert "Traceback" not in err


def test_a_model_that_is_missing_is_told_before_a_page_is_fetched(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(2))
    project.append("ownsettings.py", 'import sys\n\nsys.modules["kiwipiepy"] = None')
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-s", "CORPUS_SENTENCE_METHOD=kiwi"),
        code=2,
    )
    assert "scrapy-corpus[korean]" in err
    assert "Traceback" not in err
    assert site.asked == []


def test_pages_that_a_method_fails_on_are_kept_on_disk(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(4))
    project.append(
        "ownpipelines.py",
        "class Broken:\n"
        "    name = 'broken'\n\n"
        "    def label(self, document, view):\n"
        "        raise RuntimeError('not today')",
    )
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-s", "CORPUS_TEXT_METHOD=ownpipelines:Broken"),
        code=1,
    )
    assert project.items() == []
    assert "5 of them could not be made items of" in err
    assert len(project.spools()) == 1
    project.run("replay", "-O", "again.jsonl", "-s", "CORPUS_TEXT_METHOD=all-text")
    assert len(project.items("again.jsonl")) == 5
    assert project.spools() == []


def test_streaming_on_counts_of_another_method_is_told(
    project: Project, make_site: MakeSite
) -> None:
    site = make_site(small_site(4))
    project.run("crawl", "site", "-a", f"url={site.url}", "-O", "first.jsonl")
    _, err = project.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
        *("-s", "CORPUS_MODE=streaming", "-s", "CORPUS_TEXT_METHOD=frequency"),
    )
    assert err.count("finds no text-nodes in them") == 1
