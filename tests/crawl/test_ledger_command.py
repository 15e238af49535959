"""``scrapy ledger`` and ``scrapy articles`` as they are called, on what crawls leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Found

if TYPE_CHECKING:
    from support.crawling import Project

SITE = "127.0.0.1:8000"
NAME = "127.0.0.1%3A8000"


def write_parts(project: Project) -> Path:
    """Write two parts; return their folder."""
    folder = project.folder / "corpus-data" / "articles" / NAME
    folder.mkdir(parents=True)
    versions = (
        [("/a", "1", "new"), ("/b", "1", "new")],
        [("/a", "2", "changed"), ("/b", "", "gone")],
    )
    for number, items in enumerate(versions, 1):
        lines = [
            json.dumps({"url": f"http://{SITE}{path}", "text": text, "change": change})
            for path, text, change in items
        ]
        (folder / f"run-{number:05}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def test_the_ledger_of_a_site_is_shown_while_it_is_crawled(project: Project) -> None:
    with Ledger(ledger_path(project.folder / "corpus-data" / "ledger", SITE)) as ledger:
        ledger.begin_run("one", "2026-05-01T10:00:00Z")
        ledger.add_found([Found(f"http://{SITE}/", "start", "2026-05-01T10:00:00Z")])
        out, err = project.run("ledger", f"http://{SITE}/", "--waiting", "--limit", "5")
        assert err == ""
        assert out.splitlines()[2].split()[-1] == f"http://{SITE}/"
    out, err = project.run("ledger", "127.0.0.1:800", code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert err.endswith(f"the nearest name is {SITE}\n")


def test_the_articles_of_a_site_are_written(project: Project) -> None:
    folder = write_parts(project)
    (folder / "run-00003.jsonl.aside").write_bytes(b"half")
    (folder / "notes.txt").write_bytes(b"")
    out, err = project.run("articles", f"http://{SITE}/a", "-O", "new/corpus.csv")
    assert out == (
        f"1 article, from 2 parts in corpus-data/articles/{NAME}; "
        "2 earlier versions passed over, 1 gone\n"
    )
    assert [line.partition(" (")[0] for line in err.splitlines()] == [
        "scrapy articles: what is no whole part is left out",
    ]
    written = project.folder / "new" / "corpus.csv"
    assert written.read_text("utf-8").split() == ["url,text,change", f"http://{SITE}/a,2,changed"]
    assert list(written.parent.iterdir()) == [written]

    out, err = project.run("articles", str(folder), "-O", "-")
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["2"]
    assert err.splitlines()[-1].startswith("1 article, from 2 parts in ")


MISTAKES = [
    ([SITE], 2, "give -O FILE"),
    (["-O", "x.csv"], 2, f"name one site, or one folder of parts; there are: {SITE}"),
    ([SITE, "-O", "x.xml"], 2, "'x.xml' has no known format"),
    ([SITE, "-O", "corpus-data"], 2, "'corpus-data' has no known format"),
    (["127.0.0.1", "-O", "x.csv"], 2, f"and no such folder; the nearest name is {SITE}"),
    (["corpus-data", "-O", "x.csv"], 2, "no numbered parts in corpus-data; "),
    ([SITE, "-O", f"corpus-data/articles/{NAME}/run-00001.jsonl"], 2, "which is one of the parts"),
    (
        [SITE, "-O", "x.csv", "-s", "CORPUS_DIR=none"],
        2,
        "call 'scrapy corpus ADDRESS --daily' first",
    ),
    (["broken", "-O", "x.jsonl"], 2, "broken/run-00001.jsonl, line 1: the part cannot be read"),
    ([SITE, "-O", "full.jsonl"], 2, "-O is 'full.jsonl'"),
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
@pytest.mark.parametrize(("arguments", "code", "words"), MISTAKES)
def test_what_cannot_be_done_is_one_line(
    project: Project, arguments: list[str], code: int, words: str
) -> None:
    write_parts(project)
    (project.folder / "broken").mkdir()
    (project.folder / "broken" / "run-00001.jsonl").write_bytes(b"{")
    (project.folder / "full.jsonl").symlink_to("/dev/full")
    (project.folder / "x.jsonl").write_bytes(b"as it was")
    out, err = project.run("articles", *arguments, code=code)
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("scrapy articles: ")
    assert words in line
    assert (project.folder / "x.jsonl").read_bytes() == b"as it was"
    assert not list(project.folder.glob(".x*"))
