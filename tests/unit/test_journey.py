"""The journey of a crawl's pages without Scrapy: counted, held, judged, and every loss counted."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import StoreError, UnknownMethodError
from crawler.core.flow import Document, Page, SiteView
from crawler.core.methods import Label
from crawler.journey.evidence import Evidence
from crawler.journey.item_page import Mode, Stage
from crawler.journey.session import Session
from crawler.settings import Options
from crawler.store.spill_arrays import DiskSpace
from crawler.store.spool import Spool
from support.journeys import Journey, Tally
from support.pages import WORDS
from support.pages import article_page as page

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.items import PageItem
    from crawler.journey.item_page import ItemPage


def journey(folder: Path, tally: Tally, *, mode: str = "two-pass", **options: object) -> Journey:
    return Journey(
        Options(dir=folder, **options),  # type: ignore[arg-type] # one value for any field
        "crawl-1",
        tally,
        mode=mode,
    )


class Touchy:
    """A method that fails on one page and mislabels another."""

    name = "touchy"

    def label(self, document: Document, view: SiteView) -> list[Label]:
        assert view.is_known
        if document.page.url.endswith("/1"):
            raise RuntimeError("I do not like this page")
        short = document.page.url.endswith("/2")
        return [Label(kept=True, reason="text")] * (len(document.blocks) - short)


class Blind(Touchy):
    """A method that adds something up, and fails at it on one page."""

    def counts(self, document: Document) -> dict[str, dict[int, int]]:
        if document.page.url.endswith("/1"):
            raise RuntimeError("I do not see this page")
        return {}


class TestTwoPasses:
    def test_pages_are_held_and_judged_by_all_of_them(self, tmp_path: Path) -> None:
        tally = Tally()
        crawl = journey(tmp_path, tally, item_blocks=True)
        spool = Spool.create(tmp_path / "spool", "crawl-1", started="2024-05-01T10:00:00Z")
        for number in range(4):
            assert crawl.hold(page(number, tag=number), spool)
        items = list(crawl.items(spool.pages()))
        spool.finish(keep=False)
        assert [item.url for item in items] == [f"https://s.example/{n}" for n in range(4)]
        assert all(item.text.startswith(f"All that is known of {WORDS[n]}\nThe ") for n, item in
                   enumerate(items))  # fmt: skip
        assert {(i.mode, i.method, i.site_pages) for i in items} == {("two-pass", "article", 4)}
        assert {item.near_duplicate_of for item in items} == {None}
        assert [item.fields for item in items] == [{"tag": n} for n in range(4)]
        assert [block["reason"] for block in items[0].blocks or ()] == ["text", "text", "frequent"]
        assert tally == {
            "corpus/pages/held": 4,
            "corpus/page_types/article": 4,
            "corpus/blocks/kept": 8,
            "corpus/blocks/dropped": 4,
        }
        assert crawl.sites == ("s.example",)
        assert crawl.figures()["corpus/top_dropped"] == [
            {"text": "Kept by the people of this town.", "pages": 4}
        ]

    def test_what_is_no_article_is_left_out_counted_and_evidence_of_its_site(
        self, tmp_path: Path
    ) -> None:
        front = Page.from_text("https://s.example/", "<h2><a href='/1'>One</a></h2><p>Hello.</p>")
        lost = Page.from_text("https://s.example/9", "<title>404</title><h1>Page not found</h1>")
        for wanted, urls, reason in (
            (("article",), {"https://s.example/1"}, "not-article"),
            (("front", "error"), {front.url, lost.url}, "page-type"),
            (("all",), {front.url, lost.url, "https://s.example/1"}, ""),
        ):
            tally = Tally()
            crawl = journey(tmp_path, tally, page_types=wanted)
            pages = [front, page(1), lost]
            assert all(crawl.count(one) for one in pages)
            items = list(crawl.items(pages))
            assert {item.url for item in items} == urls
            assert {item.site_pages for item in items} == {3}
            skipped = 3 - len(urls)
            assert tally.get(f"corpus/skipped/{reason}", 0) == skipped
            assert tally.get("corpus/pages/skipped", 0) == skipped
            assert tally["corpus/page_types/front"] == tally["corpus/page_types/error"] == 1
            assert crawl.lost == 0

    def test_an_article_that_a_front_page_repeats_is_no_duplicate_to_drop(
        self, tmp_path: Path
    ) -> None:
        text = page(1).body.decode() + "".join(
            f"<p>Line {n} of it says that house {n * 7} of the street has {word} in its garden.</p>"
            for n, word in enumerate(WORDS * 3)
        )
        links = "".join(f"<h2><a href='/{n}'>Piece {n}</a></h2>" for n in range(3))
        pages = [
            Page.from_text("https://s.example/", text + links),
            *(Page.from_text(f"https://s.example/{name}", text) for name in "ab"),
        ]
        crawl = journey(tmp_path, Tally(), drop_near_duplicates=True)
        assert all(crawl.count(one) for one in pages)
        assert [item.url for item in crawl.items(pages)] == ["https://s.example/a"]

    @pytest.mark.parametrize("mode", ["two-pass", "archive", "streaming"])
    def test_what_asks_to_be_left_out_is_where_that_is_respected(
        self, tmp_path: Path, mode: str
    ) -> None:
        asking = replace(page(1), robots_tags=("noindex",))
        reserved = replace(page(2), tdm_reservation="1")
        for respect, urls in (((), "012"), (("tdm", "nofollow"), "01"), (("noindex", "tdm"), "0")):
            tally = Tally()
            crawl = journey(tmp_path, tally, mode=mode, respect=respect)
            pages = [one for one in (page(0), asking, reserved) if crawl.count(one)]
            assert [item.url[-1] for item in crawl.items(pages)] == list(urls)
            assert tally["corpus/skipped/tdm"] == (2 not in map(int, urls))
            assert tally["corpus/skipped/noindex"] == (1 not in map(int, urls))
            assert {item.site_pages for item in crawl.items(pages)} == {len(urls)}

    def test_a_page_without_text_is_counted_once_and_not_held(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        tally = Tally()
        crawl = journey(tmp_path, tally)
        spool = Spool.create(tmp_path, "crawl-1", started="2024-05-01T10:00:00Z")
        bad = [Page("https://s.example/e", b""), Page("https://s.example/b", bytes(range(256)) * 9)]
        with caplog.at_level(logging.INFO):
            assert [crawl.hold(one, spool) for one in bad] == [False, False]
        assert len(spool) == 0
        spool.finish(keep=False)
        assert tally["corpus/pages/skipped"] == 2
        assert tally["corpus/skipped/empty"] == tally["corpus/skipped/binary"] == 1
        assert "corpus/pages/held" not in tally
        assert [record.getMessage()[:15] for record in caplog.records] == [
            "Skipped (empty)",
            "Skipped (binary",
        ]

    def test_the_page_limit_in_bytes_is_kept(self, tmp_path: Path) -> None:
        tally = Tally()
        assert not journey(tmp_path, tally, max_page_bytes=50).count(page(0))
        assert tally["corpus/skipped/too-large"] == 1

    def test_a_page_that_the_spool_refuses_is_not_counted(self, tmp_path: Path) -> None:
        tally = Tally()
        crawl = journey(tmp_path, tally)
        spool = Spool.create(tmp_path, "crawl-1", started="2024-05-01T10:00:00Z")
        spool.close()
        with pytest.raises(StoreError, match="closed"):
            crawl.hold(page(0), spool)
        assert crawl.sites == ()
        assert tally == {}
        assert crawl.count(page(1))
        (item,) = crawl.items([page(1)])
        assert item.site_pages == 1

    def test_a_method_that_fails_to_observe_a_page_costs_that_page_alone(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        tally = Tally()
        crawl = journey(tmp_path, tally)
        crawl.use(Blind())
        assert [crawl.count(page(number)) for number in range(3)] == [True, False, True]
        assert tally["corpus/skipped/error"] == tally["corpus/pages/skipped"] == 1
        assert "https://s.example/1" in caplog.text

    def test_sites_are_counted_apart(self, tmp_path: Path) -> None:
        crawl = journey(tmp_path, Tally())
        pages = [page(0), page(1), page(2, "t.example"), page(3, "www.s.example")]
        for one in pages:
            crawl.count(one)
        items = list(crawl.items(pages))
        assert [(item.site, item.site_pages) for item in items] == [
            ("s.example", 3), ("s.example", 3), ("t.example", 1), ("s.example", 3)
        ]  # fmt: skip
        assert "Kept by" not in items[0].text

    def test_near_duplicates_are_marked_or_left_out(self, tmp_path: Path) -> None:
        copy = Page.from_text("https://s.example/0?print", page(0).body.decode())
        for drop in (False, True):
            tally = Tally()
            crawl = journey(tmp_path, tally, drop_near_duplicates=drop)
            pages = [copy, page(0), page(1), page(2)]
            for one in pages:
                crawl.count(one)
            items = list(crawl.items(pages))
            assert tally["corpus/pages/near_duplicates"] == 1
            assert tally["corpus/skipped/near-duplicate"] == drop
            marks = [item.near_duplicate_of for item in items]
            marked: list[str | None] = [] if drop else ["https://s.example/0"]
            assert marks == [*marked, None, None, None]

    def test_named_sites_that_share_addresses_have_nothing_to_do_with_each_other(
        self, tmp_path: Path
    ) -> None:
        links = "".join(f"<li><a href='/{n}'>All that is known of {n}</a></li>" for n in range(30))
        story, listing = page(0), Page.from_text("https://s.example/0", f"<ul>{links}</ul>")
        pages = [
            replace(listing, site="lists"),
            replace(story, site="stories"),
            *(replace(page(number), site="stories") for number in (1, 2)),
            replace(story, url="https://s.example/0?print", site="stories"),
        ]
        tally = Tally()
        crawl = journey(tmp_path, tally, drop_near_duplicates=True)
        for one in pages:
            crawl.count(one)
        assert [(item.site, item.url) for item in crawl.items(pages)] == [
            ("stories", f"https://s.example/{number}") for number in range(3)
        ]
        assert tally["corpus/skipped/not-article"] == tally["corpus/skipped/near-duplicate"] == 1

    def test_a_method_that_fails_on_a_page_costs_that_page_alone(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        tally = Tally()
        crawl = journey(tmp_path, tally)
        crawl.use(Touchy())
        pages = [page(number) for number in range(4)]
        for one in pages:
            crawl.count(one)
        items = list(crawl.items(pages))
        assert [item.url[-1] for item in items] == ["0", "3"]
        assert tally["corpus/skipped/error"] == tally["corpus/pages/skipped"] == 2
        assert "https://s.example/1" in caplog.text
        assert "I do not like this page" in caplog.text

    def test_an_unknown_method_is_an_error_at_once(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownMethodError):
            journey(tmp_path, Tally(), text_method="no-such")


class TestStreaming:
    def test_pages_are_judged_by_earlier_crawls_and_counted_for_later(self, tmp_path: Path) -> None:
        first = journey(tmp_path, Tally())
        for number in range(3):
            first.count(page(number))
        first.save_counts()
        tally = Tally()
        second = Journey(Options(dir=tmp_path), "crawl-2", tally, mode="streaming")
        item = second.stream(page(4))
        assert item is not None
        assert (item.mode, item.site_pages) == ("streaming", 3)
        assert "Kept by" not in item.text
        assert "ember grew" in item.text
        second.save_counts()
        third = Journey(Options(dir=tmp_path), "crawl-3", tally, mode="streaming")
        item = third.stream(page(5))
        assert item is not None
        assert item.site_pages == 4

    def test_a_site_never_counted_is_said_once(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        crawl = journey(tmp_path, Tally(), mode="streaming")
        items = [crawl.stream(page(number)) for number in range(3)]
        assert [item.site_pages for item in items if item] == [0, 0, 0]
        assert caplog.text.count("No counts of s.example yet") == 1

    def test_damaged_counts_are_said_once_and_end_nothing(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        first = journey(tmp_path, Tally())
        first.count(page(0))
        first.save_counts()
        (path,) = tmp_path.glob("counts/s.example/*.npz")
        path.write_bytes(b"PK")
        tally = Tally()
        second = Journey(Options(dir=tmp_path), "crawl-2", tally, mode="streaming")
        items = [second.stream(page(number)) for number in (1, 2)]
        assert [item.site_pages for item in items if item] == [0, 0]
        assert caplog.text.count(str(path)) == 1
        assert "delete it" in caplog.text
        assert tally["corpus/counts/failed"] == 1

    def test_a_page_without_text_gives_no_item(self, tmp_path: Path) -> None:
        tally = Tally()
        assert journey(tmp_path, tally, mode="streaming").stream(Page("u", b"")) is None
        assert tally["corpus/skipped/empty"] == 1


def test_counts_of_sites_too_large_for_memory_tell_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [page(number, site) for site in ("s.example", "t.example") for number in range(5)]

    def crawled(folder: Path) -> list[PageItem]:
        crawl = journey(folder, Tally())
        for one in pages:
            crawl.count(one)
        crawl.save_counts()
        stream = Journey(Options(dir=folder), "crawl-2", Tally(), mode="streaming")
        return [*crawl.items(pages), *filter(None, map(stream.stream, pages))]

    in_memory = crawled(tmp_path / "memory")
    spaces: list[DiskSpace] = []

    def small(folder: Path) -> DiskSpace:
        spaces.append(DiskSpace(folder, memory=0, batch=2))
        return spaces[-1]

    monkeypatch.setattr("crawler.journey.evidence.DiskSpace", small)
    assert crawled(tmp_path / "disk") == in_memory
    assert len(in_memory) == 20
    assert all(space.on_disk for space in spaces)
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["counts"]


def test_counts_that_cannot_be_read_back_cost_no_item(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    space = DiskSpace(tmp_path, memory=0)
    monkeypatch.setattr("crawler.journey.evidence.DiskSpace", lambda _: space)
    tally = Tally()
    crawl = journey(tmp_path, tally)
    pages = [page(number) for number in range(3)]
    for one in pages:
        crawl.count(one)
    space.close()
    assert [item.site_pages for item in crawl.items(pages)] == [0, 0, 0]
    assert tally["corpus/counts/failed"] == 1
    assert "cannot read counts back" in caplog.text
    assert "set CORPUS_DIR" in caplog.text


def test_counts_that_cannot_be_kept_are_told_and_cost_no_item(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "counts").write_text("in the way")
    tally = Tally()
    crawl = journey(tmp_path, tally)
    crawl.count(page(0))
    crawl.save_counts()
    assert tally["corpus/counts/failed"] == 1
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info is None
    assert len(list(crawl.items([page(0)]))) == 1


class Failing(Stage):
    """A stage that raises an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def process(self, item: PageItem, page: ItemPage) -> None:  # noqa: ARG002 - it fails
        raise self.error


def failed(folder: Path, error: Exception) -> tuple[Session, PageItem | None]:
    session = Session(
        Options(dir=folder, page_types=("all",)),
        Tally(),
        mode=Mode.ARCHIVE,
        evidence=Evidence(),
        reraise=(MemoryError,),
    )
    (item,) = session.items([page(1)])
    return session, session.finish(item, [Failing(error)])


def test_an_error_of_a_stage_costs_its_page_alone(tmp_path: Path) -> None:
    session, item = failed(tmp_path, ValueError())
    assert item is None
    assert session.lost == 1


def test_an_error_that_ends_the_work_is_raised(tmp_path: Path) -> None:
    error = RuntimeError("cannot go on")
    error.__cause__ = MemoryError()
    with pytest.raises(MemoryError):
        failed(tmp_path, error)
