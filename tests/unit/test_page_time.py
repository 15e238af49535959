"""The processor time of a page: endless work on it is ended, wherever it is, and counted."""

from __future__ import annotations

import re
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from time import thread_time
from typing import TYPE_CHECKING

import pytest

from crawler import extract
from crawler.core.errors import MethodError, PageTimeError
from crawler.core.flow import SiteView
from crawler.core.methods import Label
from crawler.journey.evidence import Evidence
from crawler.journey.item_page import ItemPage, Mode, Stage
from crawler.journey.page_time import PageTime
from crawler.journey.session import Session
from crawler.journey.stages import Metadata
from crawler.settings import Options
from support.journeys import Journey, Tally
from support.pages import article_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crawler.core.flow import Document
    from crawler.items import PageItem

SHORT = 0.02


def endless() -> None:
    for _ in count():
        pass


def matching() -> None:
    re.match(r"(?:a|a?)+$", "a" * 60 + "b")


def for_a_while() -> None:
    until = thread_time() + 2 * SHORT
    while thread_time() < until:
        pass


@pytest.mark.parametrize("work", [endless, matching, for_a_while])
def test_work_without_an_end_is_ended(work: Callable[[], None]) -> None:
    with pytest.raises(PageTimeError):
        PageTime(SHORT).spend(work)


def test_work_that_catches_all_errors_once_is_ended() -> None:
    def work() -> None:
        with suppress(Exception):
            endless()
        endless()

    with pytest.raises(PageTimeError):
        PageTime(SHORT).spend(work)


def test_work_that_catches_all_errors_again_and_again_is_ended() -> None:
    def work() -> None:
        for _ in count():
            with suppress(Exception):
                endless()

    with pytest.raises(PageTimeError):
        PageTime(SHORT).spend(work)


def test_the_time_is_that_of_all_steps() -> None:
    time = PageTime(3 * SHORT)
    time.spend(for_a_while)
    with pytest.raises(PageTimeError):
        time.spend(for_a_while)


def test_a_step_within_a_step_ends_by_the_outer_time() -> None:
    with pytest.raises(PageTimeError):
        PageTime(SHORT).spend(lambda: PageTime(1000).spend(endless))


def test_other_threads_are_told_when_the_step_has_ended() -> None:
    with ThreadPoolExecutor() as threads:
        step = threads.submit(PageTime(SHORT).spend, for_a_while)
        with pytest.raises(PageTimeError):
            step.result()


def test_results_and_errors_pass_and_nothing_of_the_timer_is_left() -> None:
    assert PageTime(1000).spend(lambda: 5) == PageTime().spend(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        PageTime(1000).spend(lambda: 1 / 0)
    with pytest.raises(PageTimeError):
        PageTime(SHORT).spend(endless)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


class Endless:
    """A method that never ends on one page, while it observes or while it judges."""

    name = "endless"

    def __init__(self, *, observes: bool) -> None:
        self.observes = observes

    def counts(self, document: Document) -> dict[str, dict[int, int]]:
        if self.observes and document.page.url.endswith("/1"):
            endless()
        return {}

    def label(self, document: Document, view: SiteView) -> list[Label]:  # noqa: ARG002 - any site
        if not self.observes and document.page.url.endswith("/1"):
            endless()
        return [Label(kept=True, reason="text")] * len(document.blocks)


@pytest.mark.parametrize("mode", ["two-pass", "streaming"])
@pytest.mark.parametrize("observes", [True, False])
def test_a_page_beyond_its_time_is_counted_and_the_others_are_exported(
    tmp_path: Path, mode: str, *, observes: bool, caplog: pytest.LogCaptureFixture
) -> None:
    pages = [article_page(number) for number in range(3)]
    extract(pages[0].body)  # loads what the work needs
    tally = Tally()
    crawl = Journey(Options(dir=tmp_path, page_seconds=0.25), "crawl-1", tally, mode=mode)
    crawl.use(Endless(observes=observes))
    counted = [page for page in pages if crawl.count(page)]
    items = list(crawl.items(counted))
    assert [item.url[-1] for item in items] == ["0", "2"]
    assert tally["corpus/skipped/time-limit"] == tally["corpus/pages/skipped"] == 1
    assert crawl.lost == (not observes)
    assert f"Skipped (time-limit) {pages[1].url}" in caplog.text


def test_a_stage_beyond_the_time_costs_its_page(tmp_path: Path) -> None:
    class Slow(Stage):
        def process(self, item: PageItem, page: ItemPage) -> None:  # noqa: ARG002 - never done
            endless()

    tally = Tally()
    options = Options(dir=tmp_path, page_types=("all",), page_seconds=0.25)
    session = Session(options, tally, mode=Mode.ARCHIVE, evidence=Evidence())
    (item,) = session.items([article_page(1)])
    assert session.finish(item, [Slow(options, tally)]) is None
    assert (tally["corpus/skipped/time-limit"], session.lost) == (1, 1)


def test_one_page_by_itself_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    html = article_page(1).body
    extract(html)
    monkeypatch.setattr(Metadata, "process", lambda *_: endless())
    with pytest.raises(PageTimeError):
        extract(html, page_seconds=0.25)


def test_a_fault_of_a_stage_is_an_error_of_one_page_by_itself(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Metadata, "process", lambda *_: 1 / 0)
    with pytest.raises(MethodError):
        extract(article_page(1).body, "https://s.example/1")
    assert "https://s.example/1" in caplog.text
    assert "ZeroDivisionError" in caplog.text
