"""Sites crawled as jobs: the same corpus by all executors, in all kinds of storage, after kills."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crawler.demo.server import serve
from crawler.harvest.daskexec import DaskExecutor
from crawler.harvest.executors import LocalExecutor
from crawler.harvest.jobs import DONE, FAILED, STOPPED
from crawler.harvest.locks import Claim
from crawler.harvest.plan import SitePlan
from crawler.harvest.process import run_in_process
from crawler.harvest.sitetask import site_job
from crawler.harvest.storage import Storage
from support.crawling import Site, article, html, small_site
from support.objectstore import object_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from crawler.demo.server import Answer
    from crawler.harvest.jobs import Outcome

    MakeSite = Callable[[Mapping[str, Answer]], Site]

SITES = 8
SETTINGS: dict[str, Any] = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "CORPUS_PAGE_TYPES": "all",
}


def plan(url: str, keys: Mapping[str, Any] | None = None, name: str = "site") -> SitePlan:
    given = dict(keys or {})
    settings = {**SETTINGS, **given.pop("settings", {})}
    return SitePlan(name, (url,), settings=settings, **given)


def items(storage: Storage, site: str = "") -> list[dict[str, Any]]:
    """Return what was exported, of a site or of all, in order of lines; without ``fetched_at``."""
    names = [name for name in storage.list(f"sites/{site}") if "/articles/" in name]
    lines = [line for name in names for line in storage.read(name).splitlines()]
    found = [json.loads(line) for line in sorted(lines)]
    for item in found:
        # Two crawls are not made at the same time. All else is compared.
        item["fetched_at"] = ""
    return sorted(found, key=json.dumps)


@pytest.fixture(scope="module")
def plans() -> Iterator[list[SitePlan]]:
    """Small sites, of 3 to 6 pages each."""
    with ExitStack() as stack:
        yield [
            plan(f"{stack.enter_context(serve(small_site(2 + n % 4)))}/", name=f"site-{n}")
            for n in range(SITES)
        ]


@pytest.fixture(scope="module")
def harvested(
    plans: list[SitePlan], tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, Any]]:
    """The corpus as two processes on this machine make it."""
    folder = str(tmp_path_factory.mktemp("local"))
    outcomes = list(LocalExecutor(2).run(site_job(one, folder, "run") for one in plans))
    check(outcomes)
    return items(Storage.of(folder))


def check(outcomes: list[Outcome]) -> None:
    assert sorted(one.name for one in outcomes) == sorted(f"site-{n}" for n in range(SITES))
    for one in outcomes:
        number = int(one.name.removeprefix("site-"))
        assert one.reason == DONE, one
        assert one.value["reason"] == "finished"
        assert one.value["errors"] == {}
        assert one.value["pages"] == 3 + number % 4


def test_all_pages_of_all_sites_are_exported_once(harvested: list[dict[str, Any]]) -> None:
    urls = [item["url"] for item in harvested]

    assert len(urls) == len(set(urls)) == sum(3 + n % 4 for n in range(SITES))


def test_a_cluster_makes_the_same_corpus_though_a_worker_is_killed(
    plans: list[SitePlan], harvested: list[dict[str, Any]], tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    storage = Storage.of(str(tmp_path))

    def kill_worker() -> None:
        until = time.monotonic() + 60
        while len(storage.list("locks")) < SITES // 2:
            assert time.monotonic() < until, "no site was begun in a minute"
            time.sleep(0.02)
        # Both workers are crawling now.
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:
        killer = threading.Thread(target=kill_worker)
        killer.start()
        with DaskExecutor(cluster.scheduler_address) as executor:
            outcomes = list(executor.run(site_job(one, str(tmp_path), "run") for one in plans))
        killer.join()

    # A site that was crawled when its worker died may have been written before: its pages then
    # are not fetched for a second item. So figures are not compared, and items are.
    assert {one.reason for one in outcomes} == {DONE}
    assert len(outcomes) == SITES
    assert items(storage) == harvested


def test_an_object_store_holds_the_same_corpus(
    plans: list[SitePlan], harvested: list[dict[str, Any]]
) -> None:
    some = plans[:3]
    with object_store() as url:
        storage = Storage.of(f"{url}/harvest")
        jobs = [site_job(one, storage.url, "first") for one in some]
        assert {one.reason for one in LocalExecutor(2).run(jobs)} == {DONE}

        found = [item for one in some for item in items(storage, one.id)]
        (again,) = LocalExecutor(1).run([site_job(some[1], storage.url, "second")])

        logs = storage.list("sites/site-1/logs")
        assert storage.list("locks/site-1")
        assert storage.holder("site-1") == {}

    hosts = {one.addresses[0] for one in some}
    assert sorted(map(json.dumps, found)) == sorted(
        json.dumps(item) for item in harvested if any(item["url"].startswith(h) for h in hosts)
    )
    # The ledger came back: nothing is new.
    assert (again.value["new"], again.value["items"], again.value["reason"]) == (0, 0, "finished")
    assert logs == ["sites/site-1/logs/first.log", "sites/site-1/logs/second.log"]


def test_a_crawl_that_is_told_to_stop_ends_in_order_and_the_next_goes_on(
    make_site: MakeSite, tmp_path: Path
) -> None:
    site = make_site(small_site(20))
    slow = plan(site.url, {"settings": {"DOWNLOAD_DELAY": 0.4}})
    storage = Storage.of(str(tmp_path))

    # As at a time limit, which a busy machine may reach before the crawl has begun.
    first = run_in_process(
        site_job(slow, str(tmp_path), "first"), should_stop=lambda: len(site.asked) > 3
    )
    exported = len(items(storage))
    second = run_in_process(site_job(plan(site.url), str(tmp_path), "second"))

    assert (first.reason, first.value["reason"]) == (STOPPED, "stopped")
    assert 0 < exported == first.value["items"] < 21
    assert (second.reason, second.value["reason"]) == (DONE, "finished")
    urls = [item["url"] for item in items(storage)]
    assert len(urls) == len(set(urls)) == 21


def test_the_limits_of_a_site_are_those_of_its_job() -> None:
    limited = plan("http://127.0.0.1:9/", {"time_limit": 4, "memory_limit": 10**9})

    job = site_job(limited, "harvest", "run")

    assert (job.name, job.seconds, job.memory) == ("site", 4, 10**9)


def test_changes_are_exported_and_failures_counted(make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site({**small_site(4), "/a/3": html("gone wrong", status=500)})
    quick = plan(site.url, {"settings": {"RETRY_ENABLED": False, "CORPUS_PAUSES": {"count": 0}}})
    first = run_in_process(site_job(quick, str(tmp_path), "first"))
    site.pages["/a/1"] = html(article(99))
    del site.pages["/a/2"]
    site.pages["/a/3"] = html(article(3))

    again = replace(quick, arguments={"recheck": 0})
    second = run_in_process(site_job(again, str(tmp_path), "second"))

    assert first.value["errors"] == {"http-500": 1}
    assert (first.value["items"], first.value["new"], first.value["changed"]) == (4, 4, 0)
    assert second.value["errors"] == {"http-404": 1}
    told = {key: second.value[key] for key in ("new", "changed", "gone")}
    assert told == {"new": 1, "changed": 1, "gone": 1}


def test_a_site_that_does_not_remember_has_a_file_for_each_run(
    make_site: MakeSite, tmp_path: Path
) -> None:
    site = make_site(small_site(2))
    # What a plan switches on besides replaces nothing of the harvest's own.
    more = {"ADDONS": {}, "EXTENSIONS": {"scrapy.extensions.corestats.CoreStats": 0}}
    keys = {"incremental": False, "output_format": "csv", "method": "density", "settings": more}
    whole = plan(site.url, keys, "Blog")

    for run in ("first", "second"):
        outcome = run_in_process(site_job(whole, str(tmp_path), run))
        assert (outcome.reason, outcome.value["items"]) == (DONE, 3)

    folder = tmp_path / "sites" / "%42log" / "articles"
    assert sorted(path.name for path in folder.iterdir()) == ["first.csv", "second.csv"]
    assert ",density," in (folder / "first.csv").read_text("utf-8")


def test_a_site_that_is_under_way_is_not_begun_by_another_run(
    make_site: MakeSite, tmp_path: Path
) -> None:
    site = make_site(small_site(1))
    with Storage.of(str(tmp_path)).workspace("site", Claim("first")):
        outcome = run_in_process(site_job(plan(site.url), str(tmp_path), "second"))

    assert outcome.reason == FAILED
    assert outcome.detail.startswith("site is in use by the run first")
    assert site.asked == []


@pytest.mark.parametrize(
    ("keys", "detail"),
    [
        ({"method": "no-such"}, "no-such"),
        ({"settings": {"CORPUS_PAUSES": "many"}}, "CORPUS_PAUSES is 'many'"),
        ({"settings": {"ITEM_PIPELINES": {"no.such.Pipeline": 1}}}, "No module named 'no'"),
    ],
)
def test_a_site_whose_plan_is_wrong_fails_with_a_line(
    keys: dict[str, Any], detail: str, tmp_path: Path
) -> None:
    outcome = run_in_process(site_job(plan("http://127.0.0.1:9/", keys), str(tmp_path), "run"))

    assert outcome.reason == FAILED
    assert detail in outcome.detail
    assert "\n" not in outcome.detail
