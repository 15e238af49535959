"""The server side of the view Inspect: what it says of a page is what ``scrapy extract`` gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from starlette.datastructures import QueryParams

from crawler.core.errors import ArgumentError, CorpusError
from crawler.core.flow import method_names
from crawler.journey.extract import judge, observed
from crawler.settings import Options
from crawler.store.counts import write_counts
from crawler.store.sources import page_of_file
from crawler.studio.inspect import Inspector
from support.studio import Client, served, workspace_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crawler.studio.workspace import Workspace

NAMES = ("다리", "시장", "기차", "harbour", "bakery")
PROSE = "그날 아침 우리는 오래된 길을 따라 걸었고, 서두르지 않았다. We stopped for tea. "


def post(name: str) -> str:
    return (
        f"<!doctype html><!-- saved from url=(0024)https://blog.example/{name} -->"
        f'<html lang=ko><title>{name} - Blog</title><meta property="og:site_name" content="Blog">'
        "<ul class=nav-menu><li><a href=/>Home</a><li><a href=/all>모두</a></ul>"
        f"<article><h1>{name}</h1><p class=byline>김민수 기자 2026-03-04</p>"
        f"<p>{name}: {PROSE * 3}</p><h2>요약</h2><p>{PROSE}{name[::-1]}</p>"
        f"<table><caption>값</caption><tr><th>Name<th>Price<tr><td>{name}<td>3</table></article>"
        "<div id=comments><p>좋은 글</p></div><p class=footer>© Blog</p>"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("blog")
    (found / "saved").mkdir()
    for number, name in enumerate(NAMES):
        (found / "saved" / f"{number}.html").write_text(post(name), "utf-8")
    return found


@pytest.fixture(scope="module")
def options(folder: Path) -> Options:
    # Splitting Korean sentences loads a model, and changes no block.
    return Options(dir=folder / "corpus-data", sentences=False)


@pytest.fixture(scope="module")
def space(folder: Path) -> Iterator[Workspace]:
    with workspace_of(folder, "saved/0.html", "saved/1.html") as found:
        yield found


@pytest.fixture(scope="module")
def inspector(options: Options) -> Inspector:
    return Inspector(options)


def ask(inspector: Inspector, space: Workspace, **query: str | Sequence[str]) -> dict[str, Any]:
    pairs = [
        (name, each)
        for name, value in query.items()
        for each in ([value] if isinstance(value, str) else value)
    ]
    return inspector.show(space, 1, QueryParams(pairs))


def labels(answer: dict[str, Any]) -> list[tuple[object, ...]]:
    return [(its["kept"], its["reason"], its["pages"], its["score"]) for its in answer["blocks"]]


@pytest.mark.parametrize("method", ["article", "frequency-adaptive", "frequency", "m423"])
@pytest.mark.parametrize("known", ["files", "alone"])
def test_blocks_are_those_of_scrapy_extract(
    inspector: Inspector, space: Workspace, method: str, known: str
) -> None:
    folder, options = space.folder, inspector.options
    files = ["saved"] if known == "files" else []
    answer = ask(inspector, space, method=method, known=known, file=files)
    page = page_of_file(str(folder / "saved" / "0.html"), None, options.max_page_bytes)
    others = [str(folder / name) for name in files]
    item = judge(page, replace(options, text_method=method), others, lambda _: None)
    assert labels(answer) == [
        (its["kept"], its["reason"], its["frequency"], its["score"]) for its in item.blocks or ()
    ]
    assert (answer["pages"], answer["snapshot"]) == (item.site_pages, item.counts_snapshot)
    assert answer["confidence"] == item.confidence


@pytest.mark.parametrize("method", method_names())
def test_each_block_has_the_nodes_that_hold_its_text(
    inspector: Inspector, space: Workspace, method: str
) -> None:
    tree = space.page(1).tree
    blocks = ask(inspector, space, method=method, known="alone")["blocks"]
    assert blocks
    for block in blocks:
        said = " ".join(tree.texts[node] for node in block["nodes"])
        assert "".join(block["text"].split()) in "".join(said.split())


def test_open_pages_and_counts_of_a_crawl_make_a_site_known(
    inspector: Inspector, space: Workspace
) -> None:
    folder, options = space.folder, inspector.options
    assert ask(inspector, space, known="alone")["pages"] == 0
    assert ask(inspector, space, known="counts")["pages"] == 0
    assert ask(inspector, space, known="open")["pages"] == 2
    counts = observed([str(folder / "saved")], options)
    kept = options.dir / "counts" / "blog.example"
    kept.mkdir(parents=True)
    write_counts(kept / "crawl.npz", "blog.example", counts)
    assert ask(inspector, space, known="counts")["pages"] == 5
    name = kept.joinpath("crawl.npz").relative_to(folder).as_posix()
    assert labels(ask(inspector, space, known="files", file=[name])) == labels(
        ask(inspector, space, known="files", file=["saved"])
    )
    (kept / "torn.npz").write_bytes(b"PK")
    assert len(ask(inspector, space, known="counts")["flaws"]) == 1


def test_the_evidence_of_a_block(inspector: Inspector, space: Workspace) -> None:
    answer = ask(inspector, space, known="files", file=["saved"])
    blocks = {its["text"]: its for its in answer["blocks"]}
    menu = blocks["Home"]
    assert (menu["pages"], menu["rule"], menu["links"]) == (5, "links", 1)
    assert menu["margin"] < 0
    tag, names, around, signs = answer["holders"][menu["holder"]]
    assert (tag, names, signs[0]) == ("li", "", ("nav", 1))
    assert answer["holders"][around][:2] == ["ul", "nav-menu"]
    assert blocks["좋은 글"]["comments"] is True
    assert blocks["좋은 글"]["reason"] == "comment"
    assert blocks["요약"]["changes"][-1][1] is blocks["요약"]["kept"]


def test_tables_have_verdict_areas_and_reason(inspector: Inspector, space: Workspace) -> None:
    (table,) = ask(inspector, space, part="tables", known="alone")["tables"]
    tree = space.page(1).tree
    assert tree.names[table["node"]] == "table"
    assert table["verdict"]["is_genuine"] is True
    assert table["rules"] == {"genuine": True, "reason": "caption", "rule": 1}
    areas = [(tree.value(node), area) for node, area in table["areas"]]
    assert areas == [("Name", "head"), ("Price", "head"), ("다리", "data"), ("3", "data")]
    assert (table["cells"][1], table["records"]) == (["다리", "3"], 1)


def test_the_structure_is_a_tree_with_places(inspector: Inspector, space: Workspace) -> None:
    answer = ask(inspector, space, part="structure", known="alone", model="news")
    tree = space.page(1).tree
    rows = answer["rows"]
    assert rows[0][0] == "article"
    assert [depth for *_, depth, _ in rows[:2]] == [0, 1]
    assert all(
        text in " ".join(tree.texts[node] for node in nodes) for _, text, _, nodes in rows if text
    )
    assert "news" in answer["models"]
    with pytest.raises(CorpusError):
        ask(inspector, space, part="structure", model="../outside.medl")


def test_metadata_say_where_they_were_read(inspector: Inspector, space: Workspace) -> None:
    answer = ask(inspector, space, part="metadata", known="alone")
    tree = space.page(1).tree
    fields = {its["field"]: its for its in answer["fields"]}
    assert (fields["title"]["value"], fields["title"]["name"]) == ("다리", "h1")
    assert (fields["site_name"]["source"], fields["site_name"]["name"]) == (
        "opengraph",
        "og:site_name",
    )
    ((node, markup),) = fields["site_name"]["elements"]
    assert (tree.names[node], markup) == ("meta", '<meta property="og:site_name" content="Blog">')
    assert fields["authors"]["value"] == ["김민수"]
    assert tree.names[fields["authors"]["elements"][0][0]] == "p"
    assert fields["image"] == {
        "field": "image", "value": None, "source": "", "name": "", "elements": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "query",
    [
        {"part": "all"},
        {"method": "os:system"},
        {"known": "everything"},
        {"known": "files"},
        {"known": "files", "file": "../../etc"},
        {"known": "files", "file": "nothing-there"},
    ],
)
def test_what_cannot_be_asked_is_refused(
    inspector: Inspector, space: Workspace, query: dict[str, str]
) -> None:
    with pytest.raises((CorpusError, OSError)):
        ask(inspector, space, **query)


def test_a_page_that_is_not_open_is_refused(inspector: Inspector, space: Workspace) -> None:
    with pytest.raises(ArgumentError, match="not open"):
        inspector.show(space, 99, QueryParams(""))


def test_the_server_answers(space: Workspace) -> None:
    with served(space) as address:
        client = Client(address)
        answer = client.get("/api/inspect/1?known=alone")
        assert answer.status == 200
        assert answer.json()["site"] == "blog.example"
        refused = client.get("/api/inspect/1?method=nothing")
        assert refused.status == 400
        assert "article" in refused.json()["error"]
