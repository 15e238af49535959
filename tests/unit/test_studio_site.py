"""The views of a site and of a history: what the server finds and how it says what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crawler.core import flow
from crawler.core.errors import ArgumentError
from crawler.core.flow import Document, Page
from crawler.store.archive import WarcWriter
from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found
from support.studio import Client, do, served, workspace_of
from support.studio_site import (
    EVIL,
    FOOT,
    MENU,
    MONTHS,
    SITE,
    item,
    posts,
    save_crawl,
    save_harvest,
    save_items,
    save_list,
)

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.studio.workspace import Workspace


def read(workspace: Workspace, view: str, name: str, **more: str) -> dict[str, Any]:
    """Read to the end; return all that was found."""
    do(workspace, f"read_{view}", name=name, **more)
    workspace.jobs[view].wait()
    return workspace.jobs[view].progress(-1)


def texts(found: dict[str, Any]) -> list[tuple[str | None, int, int]]:
    return [(text, pages, as_text) for _, text, pages, as_text in found["rows"]]


def test_frequent_blocks_of_pages_are_found_with_their_texts_and_pages(tmp_path: Path) -> None:
    save_list(tmp_path / "posts.jsonl")
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "site", "posts.jsonl")
        assert (found["error"], found["running"], found["read"]) == ("", False, 12)
        assert sorted(texts(found)[:2]) == [(MENU, 12, 12), (FOOT, 12, 12)]
        assert sorted(text or "" for text, pages, _ in texts(found) if pages == 6) == [
            "First half of the year", "Second half of the year",
        ]  # fmt: skip
        summary = found["summary"]
        assert [summary[name] for name in ("seen", "pages", "near", "recurring")] == [12, 12, 0, 4]
        kept = {one["method"]: (one["of"], one["keeps"]) for one in summary["thresholds"]}
        assert kept == {"frequency-adaptive": ("blocks", 1), "frequency": ("text-nodes", 1)}
        rows = summary["plot"]["table"]["rows"]
        assert ("blocks", "12", "2", "24") in rows
        assert ("text-nodes", "12", "2", "24") in rows
        key = next(row[0] for row in found["rows"] if row[1] == "First half of the year")
        pages = workspace.jobs["site"].pages_of(key)  # type: ignore[attr-defined] # a site
        assert (pages["number"], pages["pages"][2]) == (
            6, [f"https://{SITE}/march", "posts.jsonl", 2],
        )  # fmt: skip
        opened = do(workspace, "open", name="posts.jsonl", at=2)["opened"]
        assert workspace.page(opened).page.url == f"https://{SITE}/march"


def test_kept_counts_are_not_counted_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_crawl(tmp_path / "state", spool=True)
    monkeypatch.setattr("crawler.studio.site.observe", None)
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "site", "state", pages="state/spool/one.warc.gz")
        assert (found["error"], found["sites"]) == ("", [SITE])
        assert sorted(texts(found)[:2]) == [(MENU, 12, 12), (FOOT, 12, 12)]
        # A crawl by another method has not counted text nodes.
        thresholds = found["summary"]["thresholds"]
        assert [one["method"] for one in thresholds] == ["frequency-adaptive"]


def test_the_archives_that_a_crawl_kept_have_its_pages(tmp_path: Path) -> None:
    save_crawl(tmp_path / "state", spool=True)
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "site", "state")
        assert (MENU, 12, 12) in texts(found)
        reading: Any = workspace.jobs["site"]
        page = reading.pages_of(found["rows"][0][0])["pages"][0]
        assert page == [f"https://{SITE}/january", "state/spool/one.warc.gz", 0]


def test_counts_without_pages_have_addresses_and_no_texts(tmp_path: Path) -> None:
    save_crawl(tmp_path / "state", spool=False)
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "site", "state")
        assert (found["sources"], found["error"]) == (0, "")
        assert texts(found)[:2] == [(None, 12, 12)] * 2
        reading: Any = workspace.jobs["site"]
        pages = reading.pages_of(found["rows"][0][0])["pages"]
        assert pages == [[f"https://{SITE}/{month.lower()}", None, -1] for month in MONTHS]


def test_of_an_archive_each_site_can_be_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WarcWriter(tmp_path / "all.warc.gz", date="2026-11-01T00:00:00Z") as writer:
        for page in posts():
            writer.write(page)
        for number in range(3):
            url = f"https://other.example/{number}"
            writer.write(Page.from_text(url, f"<p>Another menu</p><p>Text {'x' * number} here"))
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "site", "all.warc.gz")
        assert (found["site"], found["sites"]) == (SITE, [SITE, "other.example"])
        monkeypatch.setattr("crawler.studio.site.observe", None)
        found = read(workspace, "site", "all.warc.gz", site="other.example")
        assert (found["site"], texts(found)[0]) == ("other.example", ("Another menu", 3, 3))
        with pytest.raises(ArgumentError, match=r"third\.example"):
            do(workspace, "read_site", name="all.warc.gz", site="third.example")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "folder of saved pages"),
        ("nowhere", "does not exist"),
        ("../x", "outside"),
        ("notes.txt", "of no kind that can be read"),
        ("empty", "empty holds no page that can be read; name"),
        ("harvest", "sites/blog"),
        ("damaged", "is damaged"),
    ],
)
def test_what_is_no_site_is_said(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "notes.txt").write_text("notes", "utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "harvest" / "sites" / "blog" / "counts").mkdir(parents=True)
    damaged = tmp_path / "damaged" / "counts" / SITE / "one.npz"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"no counts")
    with workspace_of(tmp_path) as workspace:
        try:
            error = read(workspace, "site", name)["error"]
        except Exception as raised:  # noqa: BLE001 - either way it is said
            error = str(raised)
    assert said in error


def test_a_page_on_which_reading_fails_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_list(tmp_path / "posts.jsonl")

    def failing(page: Page, size: int) -> Document:
        if page.url.endswith("/august"):
            raise ZeroDivisionError
        return flow.read(page, size)

    monkeypatch.setattr("crawler.studio.site.read", failing)
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "site", "posts.jsonl")
    assert (found["summary"]["seen"], found["reasons"], found["error"]) == (11, {"error": 1}, "")


def test_a_reading_that_is_stopped_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_list(tmp_path / "posts.jsonl")
    with workspace_of(tmp_path) as workspace:

        def stopping(page: Page, size: int) -> Document:
            if page.url.endswith("/august"):
                do(workspace, "stop", view="site")
            return flow.read(page, size)

        monkeypatch.setattr("crawler.studio.site.read", stopping)
        found = read(workspace, "site", "posts.jsonl")
    assert (found["summary"]["seen"], found["error"]) == (8, "")
    assert found["rows"][0][2] == 8


def test_the_server_gives_what_is_not_known_alone(tmp_path: Path) -> None:
    save_list(tmp_path / "posts.jsonl")
    with workspace_of(tmp_path) as workspace, served(workspace) as address:
        client = Client(address)
        assert client.get("/api/reading/site").json() == {"reading": None}
        assert client.get("/api/site/1f").status == 400
        read(workspace, "site", "posts.jsonl")
        found = client.get("/api/reading/site?known=").json()["reading"]
        assert len(found["rows"]) == 4
        known = client.get(f"/api/reading/site?known={found['revision']}").json()["reading"]
        assert "rows" not in known
        assert client.get(f"/api/site/{found['rows'][0][0]}").json()["number"] == 12
        for wrong in ("1f", "x", "-1", "f" * 99):
            assert client.get(f"/api/site/{wrong}").status == 400


def plots(found: dict[str, Any]) -> dict[str, Any]:
    return {plot["name"]: plot["table"] for plot in found["plots"]}


def test_a_harvest_has_its_runs_and_the_pages_of_a_site(tmp_path: Path) -> None:
    save_harvest(tmp_path / "harvest", odd=EVIL)
    plan = 'output = "harvest"\n[[site]]\nid = "blog"\naddresses = ["http://blog.example/"]\n'
    (tmp_path / "plan.toml").write_text(plan, "utf-8")
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "history", "harvest")
        assert (found["error"], found["sites"], found["read"]) == ("", ["blog", "news"], 90)
        assert list(plots(found)) == [
            "pages", "items", "errors", "skipped", "kinds", "languages", "dates",
        ]  # fmt: skip
        assert [row[1] for row in plots(found)["pages"]["rows"]] == ["30", "37", "44"]
        assert set(plots(found)["kinds"]["columns"]) == {"article", "listing", EVIL[:30]}
        assert set(plots(found)["languages"]["columns"]) <= {"ko", "en", "de", "none"}
        assert [row[0] for row in found["rows"]] == ["blog", "news"]
        assert (len(found["runs"]), found["runs"][0][3]) == (3, "finished")
        news = read(workspace, "history", "harvest", site="news")
        assert list(plots(news)) == ["pages", "items", "errors", "skipped"]
        assert read(workspace, "history", "plan.toml")["sites"] == ["blog"]


def test_a_crawl_without_a_harvest_has_its_ledger(tmp_path: Path) -> None:
    path = ledger_path(tmp_path / "state" / "ledger", SITE)
    with Ledger(path) as ledger:
        ledger.begin_run("one", "2026-11-01T10:00:00Z")
        for number, kind in enumerate(("article", "article", "listing")):
            found = Found(f"https://{SITE}/{number}", "link", "2026-11-01T10:00:00Z", "2026-05-02")
            ledger.add_found([found])
            ledger.mark_fetched(
                Fetched(found.address, 200, f"2026-11-0{1 + number}T11:00:00Z", str(number), kind)
            )
        figures = {"corpus/pages/fetched": 3, "corpus/incremental/new": 2, "corpus/failed/404": 1,
                   "corpus/pages/exported": 2}  # fmt: skip
        ledger.end_run("one", "2026-11-01T12:00:00Z", "finished", figures)
    with workspace_of(tmp_path) as workspace:
        read_one = read(workspace, "history", "state")
        shown = plots(read_one)
        assert list(shown) == ["pages", "items", "errors", "kinds", "dates"]
        assert shown["pages"]["rows"] == (("2026-11-01 10:00", "3"),)
        assert shown["items"]["columns"] == ("new",)
        assert shown["kinds"]["columns"] == ("article", "listing")
        assert shown["dates"]["rows"] == (("2026-05", "3"),)
        save_items(tmp_path / "state" / "articles" / SITE / "one-00001.jsonl", item(1), item(2))
        shown = plots(read(workspace, "history", f"state/ledger/{path.name}"))
        assert "languages" not in shown
        shown = plots(read(workspace, "history", "state"))
        # Kinds of all pages, languages and dates of those that were exported.
        assert shown["kinds"]["columns"] == ("article", "listing")
        assert shown["languages"]["columns"] == ("ko",)
        assert shown["dates"]["rows"] == (("2026-09", "2"),)


def test_exported_items_have_a_history_by_themselves(tmp_path: Path) -> None:
    save_items(tmp_path / "out" / "pages.jsonl", item(1), item(2, page_type="forum"))
    with workspace_of(tmp_path) as workspace:
        for name in ("out", "out/pages.jsonl", "."):
            found = read(workspace, "history", name)
            assert plots(found)["kinds"]["columns"] == ("article", "forum")
            assert (found["sites"], found["runs"], found["rows"]) == ([""], [], [])


def test_what_was_read_before_a_damaged_line_is_shown(tmp_path: Path) -> None:
    save_items(tmp_path / "pages.jsonl", item(1), item(2))
    with (tmp_path / "pages.jsonl").open("a") as file:
        file.write('{"url": "https://blog.exam\n')
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "history", "pages.jsonl")
        assert "line 3" in found["error"]
        assert plots(found)["dates"]["rows"] == (("2026-09", "2"),)


def test_a_damaged_ledger_leaves_the_history_of_other_sites(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "ledger"
    with Ledger(ledger_path(folder, SITE)) as ledger:
        ledger.begin_run("one", "2026-11-01T10:00:00Z")
        ledger.end_run("one", "2026-11-01T12:00:00Z", "finished", {"corpus/pages/fetched": 3})
    ledger_path(folder, "a.example").write_bytes(b"no ledger")
    with workspace_of(tmp_path) as workspace:
        damaged = read(workspace, "history", "state")
        assert (damaged["site"], "damaged" in damaged["error"]) == ("a.example", True)
        found = read(workspace, "history", "state", site=SITE)
        assert (found["error"], [row[0] for row in found["rows"]]) == ("", [SITE])
        assert plots(found)["pages"]["rows"] == (("2026-11-01 10:00", "3"),)


def test_pages_of_the_working_folder_are_read_beside_counts(tmp_path: Path) -> None:
    save_crawl(tmp_path / "state", spool=False)
    next(tmp_path.glob("state/counts/*/*.npz")).rename(tmp_path / "one.npz")
    (tmp_path / "one.html").write_text("<title>One</title><p>One page.</p>", "utf-8")
    with workspace_of(tmp_path) as workspace:
        found = read(workspace, "site", ".")
        assert (found["error"], found["read"]) == ("", 1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "name the plan"),
        ("nowhere", "does not exist"),
        ("../x", "outside"),
        ("notes.txt", "notes.txt has no history; name"),
        ("empty", "empty keeps no history; name"),
        ("list.jsonl", "list.jsonl holds no exported items; name"),
        ("broken.jsonl", "broken.jsonl, line 1"),
        ("far.toml", "scrapy harvest status far.toml --html"),
        ("out.toml", "outside"),
        ("never.toml", "run the harvest first"),
        ("wrong.toml", "addresses is missing"),
    ],
)
def test_what_has_no_history_is_said(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "notes.txt").write_text("notes", "utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "list.jsonl").write_text('{"name": "x"}\n', "utf-8")
    (tmp_path / "broken.jsonl").write_text("{\n", "utf-8")
    one = '\n[[site]]\nid = "a"\naddresses = ["http://a.example/"]\n'
    for stem, output in (("far", "s3://b/n"), ("out", "../x"), ("never", "harvest")):
        (tmp_path / f"{stem}.toml").write_text(f'output = "{output}"{one}', "utf-8")
    (tmp_path / "wrong.toml").write_text('output = "x"\n[[site]]\nid = "a"\n', "utf-8")
    with workspace_of(tmp_path) as workspace:
        try:
            error = read(workspace, "history", name)["error"]
        except Exception as raised:  # noqa: BLE001 - either way it is said
            error = str(raised)
    assert said in error
